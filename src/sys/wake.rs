//! A descriptor that one thread polls and any other makes readable: how a sleeping thread is told
//! to look again.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use super::os::WakeDescriptors;

/// Wakes the thread that polls [`Wake::as_fd`]. Many notifications before one drain count as one.
#[derive(Debug)]
pub struct Wake {
    descriptors: WakeDescriptors,
    /// Set from the first notification until the drain, so that a flood of notifications costs one
    /// system call.
    pending: AtomicBool,
}

impl Wake {
    /// # Errors
    /// When the process or the system is out of descriptors.
    pub fn new() -> io::Result<Wake> {
        Ok(Wake {
            descriptors: WakeDescriptors::new()?,
            pending: AtomicBool::new(false),
        })
    }

    /// Makes the descriptor readable. Never blocks. Whatever the caller wrote before is seen by the
    /// woken thread after its [`drain`](Wake::drain).
    pub fn notify(&self) {
        // Both sides exchange the flag, so the notifier that finds it set is ordered before the
        // drain that clears it.
        if !self.pending.swap(true, Ordering::AcqRel) {
            self.descriptors.write();
        }
    }

    /// Makes the descriptor quiet again. Call it before looking at what may have changed, never
    /// after.
    pub fn drain(&self) {
        // In this order. A notification in between finds the flag set and does not write, but the
        // caller looks only after this returns, and so sees what it was about. The other way round,
        // the read could swallow the write of a notification whose flag then stays set for ever,
        // and with it the descriptor stays quiet.
        self.descriptors.read();
        self.pending.swap(false, Ordering::AcqRel);
    }

    /// What to poll for reading.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptors.as_fd()
    }
}
