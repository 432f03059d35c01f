//! Signals: stop in order, stop at once, read the configuration again. They are the keeper's; of the worker only a
//! stop can be asked for directly.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::pipe;

use crate::state::Shared;

/// What signals have asked the keeper for. Taken away from the kernel, which would end the process with its files
/// left behind.
#[derive(Debug)]
pub struct Asked {
    stop: Arc<AtomicBool>,
    reload: Arc<AtomicBool>,
    child: Arc<AtomicBool>,
    /// Readable when something was asked for.
    notice: UnixStream,
}

impl Asked {
    /// # Errors
    /// The handlers could not be set up.
    pub fn catch() -> Result<Asked> {
        let asked = || -> io::Result<Asked> {
            let (notice, notifier) = UnixStream::pair()?;
            notice.set_nonblocking(true)?;
            let asked = Asked {
                stop: Arc::default(),
                reload: Arc::default(),
                child: Arc::default(),
                notice,
            };
            for (signal, flag) in [
                (SIGTERM, &asked.stop),
                (SIGINT, &asked.stop),
                (SIGHUP, &asked.reload),
                (SIGCHLD, &asked.child),
            ] {
                // In this order: whoever is woken finds the flag set.
                signal_hook::flag::register(signal, Arc::clone(flag))?;
                pipe::register(signal, notifier.try_clone()?)?;
            }
            Ok(asked)
        };
        asked().context("setting up the handlers of signals")
    }

    /// Makes [`as_fd`](Asked::as_fd) quiet again; before looking at what was asked.
    pub fn drain(&self) {
        let mut bytes = [0; 64];
        while (&self.notice).read(&mut bytes).is_ok_and(|count| count > 0) {}
    }

    /// Whether a stop was asked for since the last look.
    pub fn stop(&self) -> bool {
        self.stop.swap(false, Ordering::AcqRel)
    }

    /// Whether a new look at the configuration was asked for since the last look.
    pub fn reload(&self) -> bool {
        self.reload.swap(false, Ordering::AcqRel)
    }

    /// Whether a child has ended since the last look.
    pub fn child(&self) -> bool {
        self.child.swap(false, Ordering::AcqRel)
    }

    /// What to poll for reading.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.notice.as_fd()
    }
}

/// Takes the worker's signals away from the kernel. A terminal or a service manager may give them to both processes;
/// then the keeper's word counts. What comes before [`start`] is kept for it.
///
/// # Errors
/// The handlers could not be set up.
pub fn catch() -> Result<Signals> {
    Signals::new([SIGTERM, SIGINT, SIGHUP]).context("setting up the handlers of signals")
}

/// Starts the worker's thread that waits for signals.
///
/// # Errors
/// The thread could not be started.
pub fn start(mut signals: Signals, shared: Arc<Shared>) -> Result<()> {
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                if signal == SIGTERM && shared.stop.request() {
                    log::info!("stopping (signal {signal})");
                }
            }
        })
        .context("starting the thread for signals")?;
    Ok(())
}
