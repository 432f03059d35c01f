//! Memory that outlives the process that fills it, as long as some process holds its descriptor.
//!
//! Nothing here gives out a reference into the memory but to atomic words: bytes are copied in and
//! out, so that what another process with the same descriptor does to them is no undefined
//! behaviour of ours, only other bytes.

use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicU64;

use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use nix::sys::stat::fstat;

use super::os;

/// A mapping of shared memory, all zero when it is new. Offsets and lengths are in bytes; one
/// beyond the end panics.
#[derive(Debug)]
pub struct SharedMemory {
    descriptor: OwnedFd,
    start: NonNull<u8>,
    length: NonZeroUsize,
}

// SAFETY: the mapping belongs to no thread, and is unmapped once, by the owner.
unsafe impl Send for SharedMemory {}
// SAFETY: through a shared reference bytes are only copied in and out through raw pointers, and
// words are atomic. Callers that copy to and from the same place at once get mixed bytes.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    /// New memory of `length` bytes. Pages take room once they are written to.
    ///
    /// # Errors
    /// When descriptors or address space have run out.
    pub fn create(length: NonZeroUsize) -> io::Result<SharedMemory> {
        SharedMemory::map(os::memory_descriptor(length.get())?, length)
    }

    /// Maps the memory behind a descriptor that another process made.
    ///
    /// # Errors
    /// Of kind `InvalidData` when the memory does not have this length.
    pub fn open(descriptor: OwnedFd, length: NonZeroUsize) -> io::Result<SharedMemory> {
        let found = fstat(&descriptor)?.st_size;
        // A page more is what some systems round up to.
        let most = length.get() + 64 * 1024;
        if !usize::try_from(found).is_ok_and(|found| (length.get()..most).contains(&found)) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        SharedMemory::map(descriptor, length)
    }

    fn map(descriptor: OwnedFd, length: NonZeroUsize) -> io::Result<SharedMemory> {
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory of ours.
        let start = unsafe {
            mmap(
                None,
                length,
                protection,
                MapFlags::MAP_SHARED,
                &descriptor,
                0,
            )
        }?;
        Ok(SharedMemory {
            descriptor,
            start: start.cast(),
            length,
        })
    }

    /// What another process needs to map the same memory.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    /// The word at `offset`, which must be a multiple of eight.
    pub fn word(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(align_of::<AtomicU64>()));
        let place = self.place(offset, size_of::<AtomicU64>());
        // SAFETY: the word lies within the mapping, which lives as long as `self` and begins at a
        // page, so it is aligned; any bits are a valid word, and it is changed as an atomic or by
        // copies that the caller keeps elsewhere.
        unsafe { AtomicU64::from_ptr(place.cast()) }
    }

    /// Reads from `source` into the memory at `offset`, at most `length` bytes, with one read(2).
    /// Once the kernel has taken the bytes from the source they are here, whatever happens to us.
    ///
    /// # Errors
    /// Those of read(2).
    pub fn read_from(
        &self,
        source: BorrowedFd<'_>,
        offset: usize,
        length: usize,
    ) -> nix::Result<usize> {
        let place = self.place(offset, length);
        // SAFETY: `place` is valid for writing `length` bytes, and nobody has a reference to them.
        let count = unsafe { libc::read(source.as_raw_fd(), place.cast(), length) };
        Errno::result(count).map(|count| count as usize)
    }

    /// Copies from the memory at `offset` until `out` is full.
    pub fn copy_out(&self, offset: usize, out: &mut [u8]) {
        let place = self.place(offset, out.len());
        // SAFETY: `place` is valid for reading as many bytes, and `out`, which is ours alone, does
        // not overlap it.
        unsafe { ptr::copy_nonoverlapping(place, out.as_mut_ptr(), out.len()) }
    }

    /// Copies `bytes` into the memory at `offset`.
    pub fn copy_in(&self, offset: usize, bytes: &[u8]) {
        let place = self.place(offset, bytes.len());
        // SAFETY: `place` is valid for writing as many bytes, nobody has a reference to them, and
        // they do not overlap `bytes`.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) }
    }

    /// Makes `length` bytes at `offset` zero.
    pub fn zero(&self, offset: usize, length: usize) {
        let place = self.place(offset, length);
        // SAFETY: `place` is valid for writing `length` bytes, and nobody has a reference to them.
        unsafe { ptr::write_bytes(place, 0, length) }
    }

    /// Gives whole pages back to the system: the bytes are zero afterwards and take no room. False
    /// where the system cannot do that, and then nothing changed.
    pub fn give_back(&self, offset: usize, length: usize) -> bool {
        self.place(offset, length);
        os::give_memory_back(self.descriptor(), offset, length)
    }

    fn place(&self, offset: usize, length: usize) -> *mut u8 {
        let end = offset.checked_add(length);
        assert!(
            end.is_some_and(|end| end <= self.length.get()),
            "beyond the end of shared memory"
        );
        // SAFETY: the offset is within the mapping or right behind it.
        unsafe { self.start.as_ptr().add(offset) }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing that points into it outlives `self`.
        let unmapped = unsafe { munmap(self.start.cast(), self.length.get()) };
        debug_assert!(unmapped.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::atomic::Ordering;

    const LENGTH: NonZeroUsize = NonZeroUsize::new(64 * 1024).unwrap();

    #[test]
    fn what_one_mapping_writes_the_other_reads() {
        let one = SharedMemory::create(LENGTH).unwrap();
        let descriptor = one.descriptor().try_clone_to_owned().unwrap();
        let other = SharedMemory::open(descriptor, LENGTH).unwrap();
        one.copy_in(100, b"bytes");
        one.word(8).store(7, Ordering::Release);
        let mut out = [0; 7];
        other.copy_out(99, &mut out);
        assert_eq!(&out, b"\0bytes\0");
        assert_eq!(other.word(8).load(Ordering::Acquire), 7);
        other.zero(100, 2);
        one.copy_out(99, &mut out);
        assert_eq!(&out, b"\0\0\0tes\0");
    }

    #[test]
    fn a_read_lands_in_the_memory() {
        let memory = SharedMemory::create(LENGTH).unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"from a pipe").unwrap();
        let count = memory.read_from(reader.as_fd(), 4096, 4).unwrap();
        assert_eq!(count, 4);
        let mut out = [0; 5];
        memory.copy_out(4096, &mut out);
        assert_eq!(&out, b"from\0");
    }

    #[test]
    fn pages_given_back_are_zero() {
        let memory = SharedMemory::create(LENGTH).unwrap();
        memory.copy_in(0, &[1; 4096]);
        memory.copy_in(32 * 1024, &[1; 4096]);
        if memory.give_back(0, 32 * 1024) {
            let mut out = [1; 4096];
            memory.copy_out(0, &mut out);
            assert!(out.iter().all(|byte| *byte == 0));
        }
        let mut out = [0];
        memory.copy_out(32 * 1024, &mut out);
        assert_eq!(out, [1]);
    }

    #[test]
    fn memory_of_another_length_is_refused() {
        let memory = SharedMemory::create(NonZeroUsize::new(4096).unwrap()).unwrap();
        let descriptor = memory.descriptor().try_clone_to_owned().unwrap();
        let error = SharedMemory::open(descriptor, LENGTH).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    #[should_panic(expected = "beyond the end")]
    fn beyond_the_end_is_nothing() {
        let memory = SharedMemory::create(LENGTH).unwrap();
        memory.copy_in(LENGTH.get() - 2, b"abc");
    }
}
