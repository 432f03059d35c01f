//! A connection that watches or drives a pane: one request to the control socket, then records and
//! commands.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::call::CallError;
use super::exchange::{self, Patience};
use crate::api::control::{TerminalControlParams, TerminalObserve, TerminalObserveParams};
use crate::api::terminal_stream::TerminalCommand;
use crate::api::{Method, control, envelope};

/// An open stream.
#[derive(Debug)]
pub struct TerminalStream {
    socket: PathBuf,
    pub(super) stream: UnixStream,
    buffer: Vec<u8>,
}

impl TerminalStream {
    /// Watches a pane.
    ///
    /// # Errors
    /// The daemon cannot be reached or refuses.
    pub fn observe(socket: &Path, params: &TerminalObserveParams) -> Result<Self, CallError> {
        Self::open::<TerminalObserve>(socket, params, Patience::ORDINARY)
    }

    /// Drives a pane.
    ///
    /// # Errors
    /// As for [`TerminalStream::observe`].
    pub fn control(socket: &Path, params: &TerminalControlParams) -> Result<Self, CallError> {
        Self::control_within(socket, params, Patience::ORDINARY)
    }

    /// The same, for who cannot wait as long.
    ///
    /// # Errors
    /// As for [`TerminalStream::observe`].
    pub(super) fn control_within(
        socket: &Path,
        params: &TerminalControlParams,
        patience: Patience,
    ) -> Result<Self, CallError> {
        Self::open::<control::TerminalControl>(socket, params, patience)
    }

    fn open<M: Method>(
        socket: &Path,
        params: &M::Params,
        patience: Patience,
    ) -> Result<Self, CallError> {
        let deadline = patience.deadline();
        let failed = |error| CallError::from_io(socket, error, patience);
        let line = envelope::request_line::<M>("terminal", params);
        let mut stream = exchange::connect(socket, deadline).map_err(failed)?;
        exchange::send(&mut stream, line.as_bytes(), deadline).map_err(failed)?;
        let mut opened = Self {
            socket: socket.to_owned(),
            stream,
            buffer: Vec::new(),
        };
        let answer =
            exchange::receive(&mut opened.stream, &mut opened.buffer, deadline).map_err(failed)?;
        if answer.is_empty() {
            return Err(CallError::NoAnswer {
                socket: socket.to_owned(),
            });
        }
        match serde_json::from_slice::<Value>(&answer) {
            Ok(answer) if answer["result"]["type"] == "terminal_stream" => {
                opened.stream.set_read_timeout(None).map_err(failed)?;
                Ok(opened)
            }
            Ok(answer) if answer.get("error").is_some() => Err(CallError::Refused(answer)),
            _ => Err(CallError::Unreadable(
                "it is no beginning of a terminal stream".to_owned(),
            )),
        }
    }

    /// The next record as a line without its end; none when the daemon has closed.
    ///
    /// # Errors
    /// The transport's.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>, CallError> {
        let line = exchange::receive(&mut self.stream, &mut self.buffer, None)
            .map_err(|error| CallError::from_io(&self.socket, error, Patience::Endless))?;
        Ok((!line.is_empty()).then_some(line))
    }

    /// A record that has come already, if one is whole. To be asked until there is none, after
    /// [`TerminalStream::read_some`].
    pub(super) fn whole_line(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer.iter().position(|byte| *byte == b'\n')?;
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.pop();
        Some(line)
    }

    /// Reads what there is; false when the daemon has closed.
    pub(super) fn read_some(&mut self) -> io::Result<bool> {
        let mut room = [0; 64 * 1024];
        let count = match io::Read::read(&mut self.stream, &mut room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => 0,
            other => other?,
        };
        self.buffer.extend_from_slice(&room[..count]);
        if self.buffer.len() > exchange::MAX_ANSWER_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(count > 0)
    }

    /// The other half, for commands from another thread.
    ///
    /// # Errors
    /// When descriptors have run out.
    pub fn commands(&self) -> io::Result<CommandSender> {
        let stream = self.stream.try_clone()?;
        stream.set_write_timeout(None)?;
        Ok(CommandSender(stream))
    }
}

/// Sends commands on a stream.
#[derive(Debug)]
pub struct CommandSender(UnixStream);

impl CommandSender {
    /// # Errors
    /// The daemon has closed.
    pub fn send(&mut self, command: &TerminalCommand) -> io::Result<()> {
        self.0.write_all(command.line().as_bytes())
    }
}
