//! Pseudo-terminals: opening a pair, its window size, and who is in its foreground.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::pty::{grantpt, posix_openpt, unlockpt};
use nix::sys::termios::{InputFlags, SetArg, tcgetattr, tcsetattr};
use nix::unistd::tcgetpgrp;

use super::os;

/// Both ends of a new pseudo-terminal. Neither is inherited by a program that is executed.
#[derive(Debug)]
pub struct PtyPair {
    /// Our end; never blocks.
    pub master: OwnedFd,
    /// The programs' end.
    pub slave: OwnedFd,
    /// Device number of the slave, comparable with [`super::ProcessFacts::terminal`].
    pub device: u64,
}

/// Opens a pseudo-terminal that has its size before anyone can ask for it, and treats erased
/// characters as UTF-8.
///
/// # Errors
/// When descriptors or pseudo-terminals have run out.
pub fn open_pty(columns: u16, rows: u16) -> io::Result<PtyPair> {
    let master = posix_openpt(os::OPEN_MASTER)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave: File = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NOCTTY)
        .open(os::slave_path(&master)?)?;
    // The size goes in through the slave, and the flags only now: macOS refuses both on a master
    // whose slave was never opened.
    set_window_size(slave.as_fd(), columns, rows)?;
    let mut settings = tcgetattr(&slave)?;
    settings.input_flags.insert(InputFlags::IUTF8);
    tcsetattr(&slave, SetArg::TCSANOW, &settings)?;
    let device = slave.metadata()?.rdev();

    let master = OwnedFd::from(master);
    let flags = OFlag::from_bits_retain(fcntl(&master, FcntlArg::F_GETFL)?);
    fcntl(&master, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    fcntl(&master, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    Ok(PtyPair {
        master,
        slave: slave.into(),
        device,
    })
}

/// Sets the window size, in cells. The kernel sends SIGWINCH to the foreground group if it differs
/// from the last one.
///
/// # Errors
/// When `terminal` is no terminal any more.
pub fn set_window_size(terminal: BorrowedFd<'_>, columns: u16, rows: u16) -> io::Result<()> {
    let size = libc::winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: TIOCSWINSZ reads one winsize through the pointer, which outlives the call; the
    // descriptor is borrowed.
    let result = unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
    if result == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// The window size, columns first; none when `terminal` is no terminal any more.
pub fn window_size(terminal: BorrowedFd<'_>) -> Option<(u16, u16)> {
    let mut size = libc::winsize {
        ws_row: 0,
        ws_col: 0,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: TIOCGWINSZ writes one winsize through the pointer, which outlives the call; the
    // descriptor is borrowed.
    let result = unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
    (result != -1).then_some((size.ws_col, size.ws_row))
}

/// The process group in the foreground of the terminal behind `master`; `None` while there is none.
pub fn foreground_group(master: BorrowedFd<'_>) -> Option<i32> {
    tcgetpgrp(master)
        .ok()
        .map(nix::unistd::Pid::as_raw)
        .filter(|group| *group > 0)
}
