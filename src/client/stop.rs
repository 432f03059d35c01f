//! Stopping a daemon, and waiting until it is gone.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::call::{CallError, call_naming};
use super::exchange::{self, Patience};
use crate::api::method;
use crate::api::params::EmptyParams;

/// How long a daemon may take to save its state and end its panes (herdr 0.9.3, `server stop`).
const PATIENCE: Duration = Duration::from_secs(15);

/// Stops the daemon at a socket and waits until it is gone.
///
/// # Errors
/// See [`StopError`].
pub fn stop(socket: &Path) -> Result<(), StopError> {
    let id = "cli:session:stop";
    let patience = Patience::Limited(PATIENCE);
    let mut process = None;
    match call_naming::<method::ServerStop>(socket, id, &EmptyParams {}, patience, &mut process) {
        // Without an answer it was on its way out already.
        Ok(_) | Err(CallError::NoAnswer { .. }) => {}
        Err(error) => return Err(StopError::Refused(error)),
    }
    if exchange::gone(socket, process, patience) {
        Ok(())
    } else {
        Err(StopError::StillThere)
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
