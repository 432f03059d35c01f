//! Descriptors that stay open while a program executes another in its own place.

use std::io;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};

/// The first number that is no standard stream.
const FIRST: RawFd = 3;

/// Whether programs that are executed from here inherit these descriptors.
///
/// # Errors
/// One of them is not open.
pub(super) fn set_inherited(descriptors: &[BorrowedFd<'_>], inherited: bool) -> io::Result<()> {
    let flags = if inherited {
        FdFlag::empty()
    } else {
        FdFlag::FD_CLOEXEC
    };
    for descriptor in descriptors {
        fcntl(descriptor, FcntlArg::F_SETFD(flags))?;
    }
    Ok(())
}

/// A descriptor that the program before, in this very process, has left open under this number. Programs that are
/// executed from here do not inherit it again. To be called once for a number, before anything else of the process
/// could have opened it.
///
/// # Errors
/// Of kind `InvalidInput` for the standard streams, which are everybody's; or nothing is open under this number.
pub fn take_inherited(number: RawFd) -> io::Result<OwnedFd> {
    if number < FIRST {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: borrowed for the next call alone, which fails for a number that is not open.
    let looked_at = unsafe { BorrowedFd::borrow_raw(number) };
    set_inherited(&[looked_at], false)?;
    // SAFETY: it is open. The program before has named it to this one, which was executed in its place with no other
    // descriptor left to it, so that nobody here owns the number.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    Ok(descriptor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsFd, AsRawFd, IntoRawFd};

    #[test]
    fn what_was_left_open_is_taken_once_and_not_passed_on() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let is_inherited = |descriptor: BorrowedFd<'_>| {
            fcntl(descriptor, FcntlArg::F_GETFD).unwrap() & libc::FD_CLOEXEC == 0
        };
        assert!(!is_inherited(reader.as_fd()));
        set_inherited(&[reader.as_fd()], true).unwrap();
        assert!(is_inherited(reader.as_fd()));
        let number = OwnedFd::from(reader).into_raw_fd();
        let taken = take_inherited(number).unwrap();
        assert_eq!(taken.as_raw_fd(), number);
        assert!(!is_inherited(taken.as_fd()));
    }

    #[test]
    fn what_is_not_open_or_everybodys_is_refused() {
        assert!(take_inherited(0).is_err());
        assert!(take_inherited(-1).is_err());
        // Far above the limit of every system that this is built on.
        assert!(take_inherited(RawFd::MAX).is_err());
    }
}
