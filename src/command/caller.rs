//! Who calls, as far as a command has to know.

use std::path::PathBuf;
use std::rc::Rc;

use super::{Failure, Far};
use crate::paths::{self, Chosen, Environment, Session, SessionPaths};

/// The surroundings of one call.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The process's environment.
    pub environment: Environment,
    /// The session named on the command line.
    pub session: Option<Session>,
    /// The daemon of another machine, if it is that which is meant.
    pub far: Option<Rc<dyn Far>>,
}

impl Caller {
    /// The daemon that the call is for.
    ///
    /// # Errors
    /// `HERDR_SESSION` decides and is no valid session name, or the other machine cannot be reached.
    pub fn chosen(&self) -> Result<Chosen, Failure> {
        if let Some(far) = &self.far {
            return Ok(Chosen {
                protocol_socket: far.protocol_socket()?,
                session: None,
            });
        }
        paths::choose(&self.environment, self.session.as_ref())
            .map_err(|error| Failure::Misuse(format!("error: {error}")))
    }

    /// The protocol socket of that daemon.
    ///
    /// # Errors
    /// As for [`Caller::chosen`].
    pub fn socket(&self) -> Result<PathBuf, Failure> {
        Ok(self.chosen()?.protocol_socket)
    }

    /// Where everything of the daemon lies that this call would start.
    ///
    /// # Errors
    /// As for [`Caller::chosen`].
    pub fn session_paths(&self) -> Result<SessionPaths, Failure> {
        let chosen = self.chosen()?;
        // With a socket path given as such, the session's own places are not this daemon's: everything moves.
        let session = chosen.session.unwrap_or_default();
        Ok(paths::session_paths(&self.environment, &session)
            .with_protocol_socket(&self.environment, &chosen.protocol_socket))
    }

    /// The pane that the caller runs in (`HERDR_PANE_ID`). On another machine that is nobody's pane.
    #[must_use]
    pub fn pane_id(&self) -> Option<String> {
        if self.far.is_some() {
            return None;
        }
        self.environment.herdr_pane_id.clone()
    }
}
