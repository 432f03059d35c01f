//! Stopping a daemon, and waiting until it is gone.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::call::{CallError, call_watching};
use super::exchange::{self, Patience};
use crate::api::method;
use crate::api::params::EmptyParams;
use crate::sys::ExitWatch;

/// How long a daemon may take to save its state and end its panes (herdr 0.9.3, `server stop`).
const PATIENCE: Duration = Duration::from_secs(15);

/// Time for a look at the socket of a process that does not end.
const LAST_LOOK: Duration = Duration::from_millis(100);

/// Stops the daemon at a socket and waits until it is gone: when this returns, another can be started in its place.
///
/// # Errors
/// See [`StopError`].
pub fn stop(socket: &Path) -> Result<(), StopError> {
    let id = "cli:session:stop";
    let patience = Patience::Limited(PATIENCE);
    let deadline = Instant::now() + PATIENCE;
    let (mut process, mut exit) = (None, None);
    let answer =
        call_watching::<method::ServerStop>(socket, id, &EmptyParams {}, patience, |stream| {
            process = exchange::server(stream);
            // One that is gone already is not who answers: another has taken its sockets over.
            exit = process.and_then(|pid| ExitWatch::of(pid).ok());
        });
    match answer {
        // Without an answer it was on its way out already.
        Ok(_) | Err(CallError::NoAnswer { .. }) => {}
        Err(error) => return Err(StopError::Refused(error)),
    }
    // Its process is watched and not its socket: the last that it lets go of is its lock. And a socket that is a
    // service manager's outlives it; whoever connects there would have it started again.
    if exit.is_some_and(|exit| has_ended(&exit, deadline)) {
        return Ok(());
    }
    let left = deadline.saturating_duration_since(Instant::now());
    if exchange::gone(socket, process, Patience::Limited(left.max(LAST_LOOK))) {
        Ok(())
    } else {
        Err(StopError::StillThere)
    }
}

/// Whether a process has ended before `deadline`.
fn has_ended(exit: &ExitWatch, deadline: Instant) -> bool {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(exit.as_fd(), PollFlags::POLLIN)], timeout) {
            Err(Errno::EINTR) => {}
            found => return found.is_ok_and(|count| count > 0),
        }
    }
}

/// Why a daemon was not stopped. The texts complete a sentence whose subject is the daemon.
#[derive(Debug)]
pub enum StopError {
    /// It could not be asked to.
    Refused(CallError),
    /// It still answers 15 s after it agreed.
    StillThere,
}

impl StopError {
    /// Whether there was nothing to stop.
    #[must_use]
    pub fn was_not_running(&self) -> bool {
        matches!(self, Self::Refused(CallError::NotRunning { .. }))
    }
}

impl fmt::Display for StopError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(
                CallError::NotRunning { socket, error } | CallError::Transport { socket, error },
            ) => write!(
                formatter,
                "is not running or cannot be reached at {}: {error}",
                socket.display()
            ),
            Self::Refused(error) => write!(formatter, "could not be stopped: {error}"),
            Self::StillThere => write!(
                formatter,
                "did not stop within {}ms; its socket still answers",
                PATIENCE.as_millis()
            ),
        }
    }
}

impl std::error::Error for StopError {}
