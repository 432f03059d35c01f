//! The memory that the executable itself takes.

/// Gives back the pages of the executable that only the start needed: command tables, relocations, the
/// code that opens the store. What is needed again is mapped again from the file at its first use. They
/// are a quarter of what a daemon with few panes takes.
///
/// Only what can never be written to is given back, so nothing is lost whoever runs meanwhile.
#[cfg(target_os = "linux")]
pub fn forget_start() {
    // SAFETY: the function below has the required type, keeps nothing it is given and does not unwind.
    unsafe { libc::dl_iterate_phdr(Some(forget), std::ptr::null_mut()) };
}

/// The system compresses or drops such pages by itself when it needs room.
#[cfg(not(target_os = "linux"))]
pub fn forget_start() {}

/// Called with each object that is mapped, the executable first; its answer ends the walk.
#[cfg(target_os = "linux")]
unsafe extern "C" fn forget(
    object: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    _data: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: sysconf reads a number.
    let page = match usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) {
        Ok(page) if page.is_power_of_two() => page,
        _ => return 1,
    };
    // SAFETY: dl_iterate_phdr gives a valid object, whose headers are an array of the length that it names.
    let (base, headers) = unsafe {
        let object = &*object;
        let count = usize::from(object.dlpi_phnum);
        if object.dlpi_phdr.is_null() {
            return 1;
        }
        (
            object.dlpi_addr,
            std::slice::from_raw_parts(object.dlpi_phdr, count),
        )
    };
    for header in headers {
        if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_W != 0 {
            continue;
        }
        let first = base.wrapping_add(header.p_vaddr);
        let behind = first.wrapping_add(header.p_memsz);
        let (Ok(first), Ok(behind)) = (usize::try_from(first), usize::try_from(behind)) else {
            continue;
        };
        let start = first.next_multiple_of(page);
        let end = behind & !(page - 1);
        if let Some(length) = end.checked_sub(start) {
            // SAFETY: the pages are those of a private mapping of a file that was never writable, so the
            // file has all that is in them, and a page that is used meanwhile is read from there again.
            // What the loader writes after relocating lies in another segment, which may be written.
            unsafe { libc::madvise(start as *mut libc::c_void, length, libc::MADV_DONTNEED) };
        }
    }
    // The libraries are shared with everybody else.
    1
}
