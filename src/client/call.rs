//! One request, one answer.

use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::exchange::{self, MAX_ANSWER_BYTES, Patience};
use super::whose::Foreign;
use crate::api::params::PingParams;
use crate::api::{Method, PROTOCOL, envelope, method};

/// The id of the ping that asks after the protocol (herdr 0.9.3's name for it).
const PING_ID: &str = "api-client:status";

/// Sends one request on a connection of its own, and gives back the whole answer: an object with `id` and `result`.
///
/// There is no ping before it. Only when the answer suggests that the two sides do not speak the same protocol is the
/// daemon asked for its number, so that an ordinary call costs one round trip.
///
/// # Errors
/// See [`CallError`]; a refusal by the daemon is [`CallError::Refused`].
pub fn call<M: Method>(
    socket: &Path,
    id: &str,
    params: &M::Params,
    patience: Patience,
) -> Result<Value, CallError> {
    match call_unguarded::<M>(socket, id, params, patience) {
        Err(error) if error.suggests_another_protocol() => Err(protocol_of(socket, error)),
        other => other,
    }
}

/// The same without asking after the protocol when the answer is odd: for requests that any version knows.
///
/// # Errors
/// As for [`call`], but never [`CallError::ProtocolMismatch`].
pub fn call_unguarded<M: Method>(
    socket: &Path,
    id: &str,
    params: &M::Params,
    patience: Patience,
) -> Result<Value, CallError> {
    call_watching::<M>(socket, id, params, patience, |_| ())
}

/// The same; `connected` may look at who is at the other end before anything is asked.
pub(super) fn call_watching<M: Method>(
    socket: &Path,
    id: &str,
    params: &M::Params,
    patience: Patience,
    connected: impl FnOnce(&UnixStream),
) -> Result<Value, CallError> {
    let line = envelope::request_line::<M>(id, params);
    let answer = exchange_lines(socket, line.as_bytes(), patience, connected)
        .map_err(|error| CallError::from_io(socket, error, patience))?;
    if answer.is_empty() {
        return Err(CallError::NoAnswer {
            socket: socket.to_owned(),
        });
    }
    match serde_json::from_slice(&answer) {
        Ok(Value::Object(answer)) if answer.contains_key("result") => Ok(Value::Object(answer)),
        Ok(Value::Object(answer)) if answer.contains_key("error") => {
            Err(CallError::Refused(Value::Object(answer)))
        }
        Ok(_) => Err(CallError::Unreadable(
            "it has neither a result nor an error".to_owned(),
        )),
        Err(error) => Err(CallError::Unreadable(error.to_string())),
    }
}

fn exchange_lines(
    socket: &Path,
    line: &[u8],
    patience: Patience,
    connected: impl FnOnce(&UnixStream),
) -> io::Result<Vec<u8>> {
    let deadline = patience.deadline();
    let mut stream = exchange::connect(socket, deadline)?;
    connected(&stream);
    match exchange::send(&mut stream, line, deadline) {
        // A daemon that refuses the connection says why and closes without reading the request.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        other => other?,
    }
    exchange::receive(&mut stream, &mut Vec::new(), deadline)
}

/// Turns an odd answer into a protocol mismatch, if that is what is behind it.
fn protocol_of(socket: &Path, error: CallError) -> CallError {
    let pong = call_unguarded::<method::Ping>(socket, PING_ID, &PingParams {}, Patience::REPORT);
    let protocol = pong
        .ok()
        .and_then(|pong| pong["result"]["protocol"].as_u64());
    match protocol {
        Some(server) if server != u64::from(PROTOCOL) => CallError::ProtocolMismatch {
            client: PROTOCOL,
            server,
        },
        _ => error,
    }
}

/// Why a call has no result.
#[derive(Debug)]
pub enum CallError {
    /// Nothing listens at the socket.
    NotRunning {
        /// The socket.
        socket: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Another user's process listens at the socket; nothing was sent to it.
    Foreign {
        /// The socket.
        socket: PathBuf,
        /// The number of that user.
        user: u32,
    },
    /// The daemon did not answer in time.
    TimedOut {
        /// The socket.
        socket: PathBuf,
        /// The time it had.
        after: Duration,
    },
    /// The connection was closed without an answer.
    NoAnswer {
        /// The socket.
        socket: PathBuf,
    },
    /// The answer is larger than any that makes sense.
    TooLarge,
    /// The answer is no answer.
    Unreadable(String),
    /// The two sides speak different versions of the protocol.
    ProtocolMismatch {
        /// This program's.
        client: u32,
        /// The daemon's.
        server: u64,
    },
    /// The daemon's refusal: an object with `id` and `error`.
    Refused(Value),
    /// Anything else that can happen to a socket.
    Transport {
        /// The socket.
        socket: PathBuf,
        /// What happened.
        error: io::Error,
    },
}

impl CallError {
    pub(super) fn from_io(socket: &Path, error: io::Error, patience: Patience) -> Self {
        let socket = socket.to_owned();
        if let Some(Foreign { user }) = Foreign::of(&error) {
            return Self::Foreign { socket, user };
        }
        match (error.kind(), patience) {
            (io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused, _) => {
                Self::NotRunning { socket, error }
            }
            (io::ErrorKind::TimedOut, Patience::Limited(after)) => Self::TimedOut { socket, after },
            (io::ErrorKind::FileTooLarge, _) => Self::TooLarge,
            _ => Self::Transport { socket, error },
        }
    }

    /// The code of a refusal.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused(answer) => answer["error"]["code"].as_str(),
            _ => None,
        }
    }

    fn suggests_another_protocol(&self) -> bool {
        match self {
            Self::Refused(_) => self.code() == Some("invalid_request"),
            Self::Unreadable(_) | Self::NoAnswer { .. } => true,
            _ => false,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning { socket, error } => {
                write!(
                    formatter,
                    "no server is running at {}: {error}",
                    socket.display()
                )
            }
            Self::Foreign { socket, user } => write!(
                formatter,
                "at {} a process of user {user} listens, not one of yours; nothing was sent to it. Remove the socket \
                 if that is not meant to be, or set XDG_RUNTIME_DIR to a folder of your own",
                socket.display()
            ),
            Self::TimedOut { socket, after } => write!(
                formatter,
                "the server at {} did not answer within {} ms",
                socket.display(),
                after.as_millis()
            ),
            Self::NoAnswer { socket } => write!(
                formatter,
                "the server at {} closed the connection without an answer",
                socket.display()
            ),
            Self::TooLarge => {
                write!(
                    formatter,
                    "the server's answer is larger than {MAX_ANSWER_BYTES} bytes"
                )
            }
            Self::Unreadable(reason) => {
                write!(formatter, "the server's answer cannot be read: {reason}")
            }
            Self::ProtocolMismatch { client, server } => write!(
                formatter,
                "this program speaks protocol {client} and the server protocol {server}"
            ),
            Self::Refused(answer) => {
                let error = &answer["error"];
                let text = |member: &str| error[member].as_str().unwrap_or("?").to_owned();
                write!(formatter, "{} ({})", text("message"), text("code"))
            }
            Self::Transport { socket, error } => {
                write!(
                    formatter,
                    "talking to the server at {}: {error}",
                    socket.display()
                )
            }
        }
    }
}

impl std::error::Error for CallError {}
