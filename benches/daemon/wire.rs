//! One request on one connection, timed.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::measure;

/// Longer than any answer takes on a busy machine: beyond it something is broken.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The first bytes of every answer that is no refusal.
const SUCCESS: &[u8] = br#"{"id":"bench","result":"#;

/// The line of a request.
pub fn line(method: &str, params: &Value) -> Vec<u8> {
    let mut line = json!({"id": "bench", "method": method, "params": params}).to_string();
    line.push('\n');
    line.into_bytes()
}

/// Sends request lines to one socket, each on a connection of its own.
pub struct Client {
    socket: PathBuf,
    buffer: Vec<u8>,
}

impl Client {
    pub fn new(socket: &Path) -> Client {
        Client {
            socket: socket.to_owned(),
            buffer: Vec::new(),
        }
    }

    /// Connects, waits `gap`, writes the line and reads the answer. The time of all that but the
    /// gap; the answer is in [`Client::answer`].
    pub fn exchange(&mut self, line: &[u8], gap: Duration) -> Result<Duration> {
        let start = Instant::now();
        let mut stream = UnixStream::connect(&self.socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let connected = Instant::now();
        // Busy: a sleep would put the processor to rest, and its awakening is not ours to measure.
        while connected.elapsed() < gap {
            std::hint::spin_loop();
        }
        let waited = connected.elapsed();
        stream.write_all(line)?;
        read_line(&mut stream, &mut self.buffer)?;
        let time = start.elapsed() - if gap.is_zero() { gap } else { waited };
        if !self.buffer.starts_with(SUCCESS) {
            bail!("refused: {}", self.answer());
        }
        Ok(time)
    }

    pub fn answer(&self) -> String {
        String::from_utf8_lossy(&self.buffer).into_owned()
    }

    /// The median time of `count` exchanges, in microseconds. `line` is asked for each line.
    pub fn batch<'a>(
        &mut self,
        count: usize,
        gap: Duration,
        mut line: impl FnMut(usize) -> &'a [u8],
    ) -> Result<f64> {
        let mut times = Vec::with_capacity(count);
        for number in 0..count {
            times.push(microseconds(self.exchange(line(number), gap)?));
        }
        Ok(measure::median(&times))
    }
}

/// A connection whose lines come whenever they come.
pub struct Stream {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl Stream {
    pub fn connect(socket: &Path) -> Result<Stream> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Stream {
            stream,
            buffer: Vec::new(),
        })
    }

    /// Connects and sends `line`.
    pub fn open(socket: &Path, line: &[u8]) -> Result<Stream> {
        let mut stream = Stream::connect(socket)?;
        stream.send(line)?;
        Ok(stream)
    }

    pub fn send(&mut self, line: &[u8]) -> io::Result<()> {
        self.stream.write_all(line)
    }

    /// The next line. One that is not read in time is an error. For streams whose lines come one
    /// at a time: what came with a line is dropped.
    pub fn next(&mut self) -> Result<String> {
        read_line(&mut self.stream, &mut self.buffer).context("waiting for a line")?;
        Ok(String::from_utf8_lossy(&self.buffer).into_owned())
    }
}

/// Reads until a newline is the last byte.
fn read_line(stream: &mut UnixStream, buffer: &mut Vec<u8>) -> io::Result<()> {
    let mut filled = 0;
    loop {
        if buffer.len() - filled < 4096 {
            buffer.resize(buffer.len().max(32 * 1024) * 2, 0);
        }
        let count = stream.read(&mut buffer[filled..])?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        filled += count;
        if buffer[filled - 1] == b'\n' {
            buffer.truncate(filled);
            return Ok(());
        }
    }
}

pub fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
