//! A process that gives a terminal back when the one that had changed it is killed and cannot.

use std::io::{self, PipeWriter, Write};
use std::os::fd::{AsRawFd, RawFd};

use nix::errno::Errno;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork};

/// Descriptors that the guard closes, because they are those of the process that it guards. That one
/// has a handful; what lies beyond is no socket of a daemon.
const DESCRIPTORS: RawFd = 256;

/// Watches this process for as long as it is kept.
#[derive(Debug)]
pub struct TerminalGuard {
    /// Closes with this process, whatever ends it.
    alive: PipeWriter,
    guard: Pid,
}

impl TerminalGuard {
    /// Starts a copy of this process that does nothing until this one ends. If this one ends with the
    /// guard kept, it was killed: then the terminal of standard input and output gets `bytes`, and
    /// the settings `before`, unless somebody has given it others than `ours` since.
    ///
    /// # Errors
    /// Processes or descriptors have run out.
    pub fn start(
        before: &libc::termios,
        ours: &libc::termios,
        bytes: &'static [u8],
    ) -> io::Result<TerminalGuard> {
        let (end, alive) = io::pipe()?;
        // SAFETY: the child runs `watch` and nothing else: bare system calls on values that were there
        // before the fork, no allocation, no lock, no destructor; it never returns.
        match unsafe { fork() }? {
            ForkResult::Child => watch(end.as_raw_fd(), before, ours, bytes),
            ForkResult::Parent { child } => Ok(TerminalGuard {
                alive,
                guard: child,
            }),
        }
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        // Who has gone needs no word.
        let _ = self.alive.write_all(b".");
        let _ = waitpid(self.guard, None);
    }
}

fn watch(end: RawFd, before: &libc::termios, ours: &libc::termios, bytes: &'static [u8]) -> ! {
    // SAFETY: bare system calls; every pointer is to a value of the caller's or of this frame, which
    // outlive the calls; the descriptors that are closed belong to this copy alone.
    unsafe {
        // A job of its own: what is meant for the one that it guards is not for it, and to change a
        // terminal from the background is what it is for.
        libc::setpgid(0, 0);
        for signal in [
            libc::SIGHUP,
            libc::SIGINT,
            libc::SIGQUIT,
            libc::SIGTERM,
            libc::SIGTTOU,
            libc::SIGTTIN,
            libc::SIGPIPE,
            libc::SIGWINCH,
        ] {
            libc::signal(signal, libc::SIG_IGN);
        }
        for descriptor in 3..DESCRIPTORS {
            if descriptor != end {
                libc::close(descriptor);
            }
        }
        let mut word = 0_u8;
        let said = loop {
            let count = libc::read(end, (&raw mut word).cast(), 1);
            if count >= 0 || Errno::last() != Errno::EINTR {
                break count;
            }
        };
        if said == 0 {
            libc::write(libc::STDOUT_FILENO, bytes.as_ptr().cast(), bytes.len());
            let mut now = *ours;
            if libc::tcgetattr(libc::STDIN_FILENO, &raw mut now) == 0 && same(&now, ours) {
                libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, before);
            }
        }
        libc::_exit(0);
    }
}

fn same(one: &libc::termios, other: &libc::termios) -> bool {
    let flags = |settings: &libc::termios| {
        (
            settings.c_iflag,
            settings.c_oflag,
            settings.c_cflag,
            settings.c_lflag,
        )
    };
    flags(one) == flags(other)
}
