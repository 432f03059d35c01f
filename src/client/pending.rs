//! A request that the daemon answers when there is something to say, waited for together with other
//! things: its descriptor can be polled, and dropping it takes the request back.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::call::CallError;
use super::exchange::{self, Patience};
use crate::api::{Method, envelope};

/// A request that was sent and not answered yet.
#[derive(Debug)]
pub struct Pending {
    socket: PathBuf,
    stream: UnixStream,
}

impl Pending {
    /// Sends a request.
    ///
    /// # Errors
    /// The daemon cannot be reached.
    pub fn send<M: Method>(socket: &Path, id: &str, params: &M::Params) -> Result<Self, CallError> {
        let patience = Patience::ORDINARY;
        let deadline = patience.deadline();
        let failed = |error| CallError::from_io(socket, error, patience);
        let line = envelope::request_line::<M>(id, params);
        let mut stream = exchange::connect(socket, deadline).map_err(failed)?;
        exchange::send(&mut stream, line.as_bytes(), deadline).map_err(failed)?;
        Ok(Self {
            socket: socket.to_owned(),
            stream,
        })
    }

    /// Readable once the answer comes.
    #[must_use]
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// The result. To be asked when the answer has begun to come; it then comes at once.
    ///
    /// # Errors
    /// The daemon refuses, or has gone.
    pub fn result(mut self) -> Result<Value, CallError> {
        let patience = Patience::ORDINARY;
        let answer = exchange::receive(&mut self.stream, &mut Vec::new(), patience.deadline())
            .map_err(|error| CallError::from_io(&self.socket, error, patience))?;
        if answer.is_empty() {
            return Err(CallError::NoAnswer {
                socket: self.socket,
            });
        }
        match serde_json::from_slice::<Value>(&answer) {
            Ok(mut answer) if answer.get("result").is_some() => Ok(answer["result"].take()),
            Ok(answer) if answer.get("error").is_some() => Err(CallError::Refused(answer)),
            Ok(_) => Err(CallError::Unreadable(
                "it has neither a result nor an error".to_owned(),
            )),
            Err(error) => Err(CallError::Unreadable(error.to_string())),
        }
    }
}
