//! A descriptor that becomes readable when a process has exited, so that a poll loop needs no
//! SIGCHLD handler.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::thread;

use super::os;
use super::wake::Wake;

/// Readable once the watched process has exited; it stays readable, and a child stays unreaped.
#[derive(Debug)]
pub enum ExitWatch {
    /// A descriptor of the process itself.
    Descriptor(OwnedFd),
    /// Signalled by a thread that waits, where the kernel has no such descriptors; or from the start.
    Thread(Arc<Wake>),
}

impl ExitWatch {
    /// Watches a process that has not been reaped yet. On kernels without descriptors of processes
    /// it has to be a child of this one.
    ///
    /// # Errors
    /// When descriptors or threads have run out, or `pid` names no process.
    pub fn of(pid: i32) -> io::Result<ExitWatch> {
        match os::process_descriptor(pid) {
            Ok(descriptor) => Ok(ExitWatch::Descriptor(descriptor)),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => ExitWatch::by_thread(pid),
            Err(error) => Err(error),
        }
    }

    /// Readable already: of a process that is known to have exited.
    ///
    /// # Errors
    /// When descriptors have run out.
    pub fn passed() -> io::Result<ExitWatch> {
        let wake = Wake::new()?;
        wake.notify();
        Ok(ExitWatch::Thread(Arc::new(wake)))
    }

    fn by_thread(pid: i32) -> io::Result<ExitWatch> {
        let wake = Arc::new(Wake::new()?);
        let notifier = Arc::clone(&wake);
        thread::Builder::new()
            .name(format!("exit-{pid}"))
            // It only sits in one system call.
            .stack_size(64 * 1024)
            .spawn(move || {
                wait_without_reaping(pid);
                notifier.notify();
            })?;
        Ok(ExitWatch::Thread(wake))
    }

    /// What to poll for reading.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            ExitWatch::Descriptor(descriptor) => descriptor.as_fd(),
            ExitWatch::Thread(wake) => wake.as_fd(),
        }
    }
}

/// Blocks until the child `pid` has exited (or is no child of ours any more) and leaves its status
/// to be collected.
fn wait_without_reaping(pid: i32) {
    let Ok(id) = libc::id_t::try_from(pid) else {
        return;
    };
    loop {
        let mut information = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: `information` is valid for writing one siginfo_t and nothing reads it afterwards.
        let result = unsafe {
            libc::waitid(
                libc::P_PID,
                id,
                information.as_mut_ptr(),
                libc::WEXITED | libc::WNOWAIT,
            )
        };
        if result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::poll::{PollFd, PollFlags, poll};
    use std::process::{Command, Stdio};

    /// Long enough for any loaded machine, short enough for a broken test to end.
    const DEADLINE_MILLISECONDS: u16 = 10_000;

    fn readable(watch: &ExitWatch, milliseconds: u16) -> bool {
        let mut descriptors = [PollFd::new(watch.as_fd(), PollFlags::POLLIN)];
        poll(&mut descriptors, milliseconds).unwrap() == 1
    }

    fn becomes_readable_at_exit_and_leaves_the_status(make: fn(i32) -> io::Result<ExitWatch>) {
        let mut child = Command::new("/bin/sh")
            .args(["-c", "read line; exit 7"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let watch = make(i32::try_from(child.id()).unwrap()).unwrap();
        assert!(!readable(&watch, 0), "the child still waits for its line");
        drop(child.stdin.take());
        assert!(readable(&watch, DEADLINE_MILLISECONDS));
        assert_eq!(child.wait().unwrap().code(), Some(7));
    }

    #[test]
    fn a_child_that_exits_makes_its_watch_readable() {
        becomes_readable_at_exit_and_leaves_the_status(ExitWatch::of);
    }

    #[test]
    fn the_waiting_thread_stands_in_where_there_is_no_descriptor() {
        becomes_readable_at_exit_and_leaves_the_status(ExitWatch::by_thread);
    }
}
