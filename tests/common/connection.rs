//! One connection to a daemon, byte by byte.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::Value;

use super::PATIENCE;

pub struct Connection {
    reader: BufReader<UnixStream>,
}

impl Connection {
    pub fn open(socket: &Path) -> Connection {
        let stream = UnixStream::connect(socket).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        Connection {
            reader: BufReader::new(stream),
        }
    }

    /// The socket itself.
    pub fn stream(&self) -> &UnixStream {
        self.reader.get_ref()
    }

    /// Writes all of it, unless the daemon closes before; then what it said is still to be read.
    pub fn send(&mut self, bytes: &[u8]) {
        match self.stream().write_all(bytes) {
            Ok(()) => {}
            Err(error) => assert!(is_closed(&error), "{error}"),
        }
    }

    /// Sends a request.
    pub fn request(&mut self, id: &str, method: &str, params: Value) {
        let request = serde_json::json!({ "id": id, "method": method, "params": params });
        self.send(format!("{request}\n").as_bytes());
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) {
        self.stream()
            .shutdown(Shutdown::Write)
            .expect("a half close");
    }

    /// The next line as JSON; none when the daemon has closed.
    pub fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => {
                assert!(line.ends_with('\n'), "a whole line: {line:?}");
                Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("JSON: {line:?}")))
            }
            Err(error) if is_closed(&error) => None,
            Err(error) => panic!("no line and no end: {error}"),
        }
    }

    /// Whether there is something to read, an end included.
    pub fn has_something(&self) -> bool {
        if !self.reader.buffer().is_empty() {
            return true;
        }
        let mut looked = [PollFd::new(self.stream().as_fd(), PollFlags::POLLIN)];
        poll(&mut looked, PollTimeout::ZERO).expect("a look") > 0
    }

    /// Everything up to the daemon's close.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self.reader.read_to_end(&mut bytes) {
            Ok(_) => {}
            Err(error) => assert!(is_closed(&error), "no end: {error}"),
        }
        bytes
    }
}

/// The kernel's two words for a peer that has closed: with and without bytes it did not read.
fn is_closed(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe
    )
}
