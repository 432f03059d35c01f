//! What of a pane outlives the process that draws it: shared memory with the latest output of its
//! program, put there by the kernel before anybody parses it, and checkpoints of its screen.
//!
//! The newest checkpoint and the output behind it are always the whole screen, at whatever instant
//! the process that fills the area is killed. Checkpoints are written in two places in turn, so that
//! one is whole while the other is written, and often enough that output does not overrun the newest.
//!
//! Pages take room once they are touched, and a pane at rest gives back those that nobody needs: one
//! that is idle costs a page each for the header, a checkpoint and its output.

mod layout;
mod rebuild;

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use self::layout::{
    ANSWERED, COLUMNS, HALVES, LENGTH, MAGIC, MAGIC_WORD, PARSED, REVISION, RING, RING_START, ROWS,
    SLOT, SLOTS, Slot, TYPED, VERSION, VERSION_WORD, WRITTEN, ZEROED, checksum,
};
use super::screen::Screen;
use crate::sync::lock;
use crate::sys::SharedMemory;

pub use self::rebuild::{AreaError, Rebuilt};

/// Bytes of packed scrollback in a checkpoint that is made amid a flood: some two thousand lines.
/// More would cost the flood, which brings new scrollback faster than anybody reads it.
const FLOOD_SCROLLBACK: usize = 128 * 1024;

/// The same of one that is made when the output has come to rest: nearly all of the ten thousand
/// lines that are kept by default.
const REST_SCROLLBACK: usize = 512 * 1024;

/// Output after which a checkpoint is made when it rests, in bytes. Less is parsed again in a
/// millisecond.
const REST_AFTER: u64 = 64 * 1024;

/// Shared memory of one pane. One thread reads into it; checkpoints are made under the lock of the
/// screen.
#[derive(Debug)]
pub struct Area {
    memory: SharedMemory,
    /// Guards the slots; taken under the screen's lock, and nothing is locked under it.
    slots: Mutex<Slots>,
    /// Position of the output at the latest checkpoint made at rest.
    rested: AtomicU64,
}

#[derive(Debug)]
struct Slots {
    /// Which slot has the newest checkpoint.
    newest: usize,
    /// That one's number; they grow by one.
    sequence: u64,
    /// Position of the output that it was made at.
    position: u64,
    /// Where checkpoints are put together. Empty while the pane rests.
    scratch: Vec<u8>,
}

impl Area {
    /// The area of a new pane.
    ///
    /// # Errors
    /// When descriptors or address space have run out.
    pub fn create(screen: &mut Screen) -> io::Result<Area> {
        let memory = SharedMemory::create(LENGTH)?;
        memory.word(MAGIC_WORD).store(MAGIC, Ordering::Relaxed);
        memory.word(VERSION_WORD).store(VERSION, Ordering::Relaxed);
        // New memory is zero.
        memory.word(ZEROED).store(RING, Ordering::Relaxed);
        let area = Area::over(memory);
        area.store(screen, 0);
        Ok(area)
    }

    /// The area behind a descriptor, which another process may have filled.
    ///
    /// # Errors
    /// When it is none, or one that another version laid out.
    pub fn open(descriptor: OwnedFd) -> Result<Area, AreaError> {
        let memory = SharedMemory::open(descriptor, LENGTH).map_err(|error| {
            if error.kind() == io::ErrorKind::InvalidData {
                AreaError::Unknown
            } else {
                AreaError::System(error)
            }
        })?;
        if memory.word(MAGIC_WORD).load(Ordering::Relaxed) != MAGIC {
            return Err(AreaError::Unknown);
        }
        match memory.word(VERSION_WORD).load(Ordering::Relaxed) {
            VERSION => Ok(Area::over(memory)),
            other => Err(AreaError::Version(other)),
        }
    }

    fn over(memory: SharedMemory) -> Area {
        Area {
            memory,
            slots: Mutex::new(Slots {
                newest: 0,
                sequence: 0,
                position: 0,
                scratch: Vec::new(),
            }),
            rested: AtomicU64::new(0),
        }
    }

    /// Bytes that the pane has printed, in all.
    pub fn printed(&self) -> u64 {
        self.word(WRITTEN)
    }

    /// What another process needs to open the same area.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.memory.descriptor()
    }

    /// Takes output from `terminal` into the area and from there into `buffer`; says how many bytes.
    /// For the one thread that reads. It gives all that was taken to [`Area::fed`] before it comes
    /// again.
    ///
    /// # Errors
    /// Those of read(2).
    pub(super) fn read(&self, terminal: BorrowedFd<'_>, buffer: &mut [u8]) -> nix::Result<usize> {
        let written = self.word(WRITTEN);
        let (offset, room) = layout::ring_place(written);
        let most = room.min(buffer.len());
        self.zero_ahead(written, most);
        // If we are killed before the next line but one, what came is found by not being zero.
        let count = self.memory.read_from(terminal, offset, most)?;
        self.set(WRITTEN, written + count as u64);
        self.memory.copy_out(offset, &mut buffer[..count]);
        Ok(count)
    }

    /// Makes zero what the next read may fill.
    fn zero_ahead(&self, written: u64, most: usize) {
        let end = written + most as u64;
        let mut zeroed = self.word(ZEROED).max(written);
        while zeroed < end {
            let (offset, room) = layout::ring_place(zeroed);
            let length = room.min((end - zeroed) as usize);
            self.memory.zero(offset, length);
            zeroed += length as u64;
        }
        self.set(ZEROED, zeroed);
    }

    /// Says that the screen, whose lock the caller holds, has received all that was read, and makes a
    /// checkpoint when it is time.
    pub(super) fn fed(&self, screen: &mut Screen) {
        let written = self.word(WRITTEN);
        self.set(PARSED, written);
        self.set(REVISION, screen.revision());
        if written - lock(&self.slots).position >= RING / HALVES {
            self.store(screen, FLOOD_SCROLLBACK);
        }
    }

    /// Says that somebody has typed something into the pane.
    pub(super) fn typed_into(&self) {
        self.set(TYPED, 1);
    }

    /// Whether anybody has, this process or one before it.
    pub(super) fn was_typed_into(&self) -> bool {
        self.word(TYPED) != 0
    }

    /// Says that what the program asked in all output on the screen has been answered.
    pub(super) fn answered(&self) {
        self.set(ANSWERED, self.word(PARSED));
    }

    /// Makes a checkpoint of a screen that something else than output has changed, whose lock the
    /// caller holds.
    pub(super) fn changed(&self, screen: &mut Screen) {
        self.set(REVISION, screen.revision());
        self.store(screen, FLOOD_SCROLLBACK);
    }

    /// Whether [`Area::rest`] has something to do.
    pub(super) fn should_rest(&self) -> bool {
        self.word(PARSED) - self.rested.load(Ordering::Relaxed) >= REST_AFTER
    }

    /// Makes a large checkpoint and gives back the memory that is needed no more. The caller holds
    /// the lock of the screen, and nobody reads meanwhile.
    pub(super) fn rest(&self, screen: &mut Screen) {
        self.store(screen, REST_SCROLLBACK);
        let mut slots = lock(&self.slots);
        slots.scratch = Vec::new();
        self.rested.store(slots.position, Ordering::Relaxed);
        // The older checkpoint. What the newest needs of the ring lies behind it, which is nothing
        // as everything that was read is on the screen.
        let older = 1 - slots.newest;
        self.memory
            .word(Slot::SEQUENCE.of(older))
            .store(0, Ordering::Release);
        self.memory.give_back(layout::slot_start(older), SLOT);
        if slots.position == self.word(WRITTEN) && self.memory.give_back(RING_START, RING as usize)
        {
            self.set(ZEROED, slots.position + RING);
        }
    }

    /// Writes a checkpoint over the older of the two.
    fn store(&self, screen: &mut Screen, scrollback: usize) {
        let mut slots = lock(&self.slots);
        let slots = &mut *slots;
        screen.write_checkpoint(&mut slots.scratch, scrollback);
        if slots.scratch.len() > SLOT {
            // Cannot be, see the bounds of a checkpoint; the older ones stay.
            log::error!("a checkpoint of {} bytes is too large", slots.scratch.len());
            return;
        }
        let slot = 1 - slots.newest;
        // Text that waits to be drawn is in the ring as well.
        let position = self
            .word(PARSED)
            .saturating_sub(screen.bytes_behind() as u64);
        let size = screen.size();
        self.set(COLUMNS, size.cols.into());
        self.set(ROWS, size.rows.into());
        let word = |word: Slot| self.memory.word(word.of(slot));
        word(Slot::SEQUENCE).store(0, Ordering::Release);
        self.memory
            .copy_in(layout::slot_start(slot), &slots.scratch);
        word(Slot::POSITION).store(position, Ordering::Relaxed);
        word(Slot::LENGTH).store(slots.scratch.len() as u64, Ordering::Relaxed);
        word(Slot::CHECKSUM).store(checksum(&slots.scratch), Ordering::Relaxed);
        // Does not get there but in an area that somebody else wrote to.
        slots.sequence = slots.sequence.saturating_add(1);
        word(Slot::SEQUENCE).store(slots.sequence, Ordering::Release);
        slots.newest = slot;
        slots.position = position;
    }

    fn word(&self, offset: usize) -> u64 {
        self.memory.word(offset).load(Ordering::Acquire)
    }

    fn set(&self, offset: usize, value: u64) {
        self.memory.word(offset).store(value, Ordering::Release);
    }
}

const _: () = assert!(SLOTS == 2, "one is older than the other");

#[cfg(test)]
mod tests;
