//! Reading the one request line of a connection, under its limits.
//!
//! herdr 0.9.3's rules (a line ends at `\n`, blanks around it do not count, 1 MiB at most, 5 s), with two differences:
//! the 5 s are a total, so that a slow dripper cannot hold a thread, and a line that breaks a limit is answered.

use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::api::envelope::IdScan;
use crate::config;

/// What one `read` asks for at first: nearly every request is shorter. Longer ones double it.
const FIRST_READ: usize = 2048;

/// What one `read` asks for of a line that is only read to its end.
const DRAIN_READ: usize = 64 * 1024;

/// What a request line may take (`[limits] request_*`).
#[derive(Debug, Clone, Copy)]
pub struct LineLimits {
    /// Bytes before the newline.
    pub bytes: usize,
    /// Time from accept to the newline, in all.
    pub time: Duration,
}

impl From<&config::Limits> for LineLimits {
    fn from(limits: &config::Limits) -> LineLimits {
        LineLimits {
            bytes: usize::try_from(limits.request_bytes).unwrap_or(usize::MAX - 1),
            time: Duration::from_millis(limits.request_ms),
        }
    }
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without the blanks around it.
    Whole(String),
    /// Nothing that could be answered: the client closed first, or sent only blanks or bytes that are no text.
    Nothing,
    /// More bytes than a line may have; read to its end, so that the client can read the answer. With the line's
    /// `id`, as far as it has one.
    TooLong(String),
    /// The beginning of a line, and then the time was over. With the line's `id`.
    TooLate(String),
}

/// Reads the line of a connection that was accepted just now.
pub fn read_line(mut stream: &UnixStream, limits: LineLimits) -> Line {
    let deadline = Instant::now() + limits.time;
    let mut line = Vec::new();
    let mut filled = 0;
    loop {
        if filled == line.len() {
            if filled > limits.bytes {
                return drain(stream, &line, deadline);
            }
            // One byte over the limit is enough to know that the line is too long.
            let room = (line.len() * 2)
                .max(FIRST_READ)
                .min(limits.bytes.saturating_add(1));
            line.resize(room, 0);
        }
        match read(&mut stream, &mut line[filled..], deadline) {
            Some(0) => return Line::Nothing,
            Some(count) => {
                let newline = line[filled..filled + count]
                    .iter()
                    .position(|&b| b == b'\n');
                if let Some(at) = newline {
                    line.truncate(filled + at);
                    return whole(line);
                }
                filled += count;
            }
            None => {
                let mut scan = IdScan::default();
                scan.look_at(&line[..filled]);
                return too_late(scan);
            }
        }
    }
}

/// Reads once, until the deadline; none after it. An error is an end like any other.
fn read(stream: &mut &UnixStream, buffer: &mut [u8], deadline: Instant) -> Option<usize> {
    loop {
        let left = deadline
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())?;
        if stream.set_read_timeout(Some(left)).is_err() {
            return Some(0);
        }
        match stream.read(buffer) {
            Ok(count) => return Some(count),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return Some(0),
        }
    }
}

fn whole(line: Vec<u8>) -> Line {
    let Ok(mut text) = String::from_utf8(line) else {
        return Line::Nothing;
    };
    text.truncate(text.trim_ascii_end().len());
    let blanks = text.len() - text.trim_ascii_start().len();
    text.drain(..blanks);
    if text.is_empty() {
        Line::Nothing
    } else {
        Line::Whole(text)
    }
}

/// Reads the rest of a line that is too long, without keeping it.
fn drain(mut stream: &UnixStream, begin: &[u8], deadline: Instant) -> Line {
    let mut scan = IdScan::default();
    scan.look_at(begin);
    let mut buffer = vec![0; DRAIN_READ];
    loop {
        match read(&mut stream, &mut buffer, deadline) {
            None => return too_late(scan),
            Some(0) => return Line::TooLong(scan.id()),
            Some(count) => {
                let end = buffer[..count].iter().position(|&b| b == b'\n');
                scan.look_at(&buffer[..end.unwrap_or(count)]);
                if end.is_some() {
                    return Line::TooLong(scan.id());
                }
            }
        }
    }
}

fn too_late(scan: IdScan) -> Line {
    if scan.is_blank() {
        Line::Nothing
    } else {
        Line::TooLate(scan.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::Shutdown;

    const LIMITS: LineLimits = LineLimits {
        bytes: 1 << 20,
        time: Duration::from_secs(30),
    };

    fn sent_under(bytes: &[u8], limits: LineLimits) -> Line {
        let (mut client, server) = UnixStream::pair().unwrap();
        let bytes = bytes.to_vec();
        let writer = std::thread::spawn(move || {
            client.write_all(&bytes).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            client
        });
        let line = read_line(&server, limits);
        drop(server);
        writer.join().unwrap();
        line
    }

    fn sent(bytes: &[u8]) -> Line {
        sent_under(bytes, LIMITS)
    }

    #[test]
    fn a_line_is_taken_without_its_blanks_and_nothing_after_it() {
        assert_eq!(sent(b" \t{} \r\n"), Line::Whole("{}".to_owned()));
        assert_eq!(sent(b"one\ntwo\n"), Line::Whole("one".to_owned()));
    }

    #[test]
    fn nothing_to_answer_is_silence() {
        for bytes in [&b""[..], b"\n", b"  \t \n", b"no newline", b"\xff\xfe\n"] {
            assert_eq!(sent(bytes), Line::Nothing, "{bytes:?}");
        }
    }

    #[test]
    fn exactly_as_many_bytes_as_may_be_are_taken_and_one_more_is_too_long() {
        for bytes in [4_096, 5_000, 1 << 20] {
            let limits = LineLimits { bytes, ..LIMITS };
            let mut line = vec![b'x'; bytes];
            line.push(b'\n');
            assert_eq!(
                sent_under(&line, limits),
                Line::Whole("x".repeat(bytes)),
                "{bytes}"
            );
            line.insert(0, b'x');
            assert_eq!(
                sent_under(&line, limits),
                Line::TooLong(String::new()),
                "{bytes}"
            );
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_read_to_its_end_for_its_id() {
        let line = |x: usize| format!("{{\"x\":\"{}\",\"id\":\"late\"}}\n", "x".repeat(x));
        let id = Line::TooLong("late".to_owned());
        assert_eq!(sent(line(3 << 20).as_bytes()), id);
        let unended = line(3 << 20).replace('\n', "");
        assert_eq!(sent(unended.as_bytes()), id);
    }

    #[test]
    fn the_time_is_a_total_that_dripping_does_not_extend() {
        let (mut client, server) = UnixStream::pair().unwrap();
        let started = Instant::now();
        let dripper = std::thread::spawn(move || {
            client.write_all(b"{\"id\":\"slow\",").unwrap();
            // Writes until the reader has closed its end.
            while client.write_all(b" ").is_ok() {
                std::thread::yield_now();
            }
        });
        let limits = LineLimits {
            time: Duration::from_millis(50),
            ..LIMITS
        };
        assert_eq!(read_line(&server, limits), Line::TooLate("slow".to_owned()));
        drop(server);
        dripper.join().unwrap();
        assert!(started.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn who_says_nothing_in_time_is_told_nothing() {
        let (mut client, server) = UnixStream::pair().unwrap();
        let limits = LineLimits {
            time: Duration::from_millis(20),
            ..LIMITS
        };
        assert_eq!(read_line(&server, limits), Line::Nothing);
        client.write_all(b"  ").unwrap();
        assert_eq!(read_line(&server, limits), Line::Nothing);
    }
}
