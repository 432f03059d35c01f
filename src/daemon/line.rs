//! Reading the one request line of a connection, under its limits.
//!
//! herdr 0.9.3's rules (a line ends at `\n`, blanks around it do not count, 1 MiB at most, 5 s),
//! with one difference: the 5 s are a total, so that a slow dripper cannot hold a thread.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Bytes a request line may have before its newline (herdr 0.9.3).
pub const LINE_LIMIT: usize = 1 << 20;

/// Time from accept to the newline, in all (herdr 0.9.3's read deadline).
pub const LINE_TIME: Duration = Duration::from_secs(5);

/// What one `read` asks for at first: nearly every request is shorter. Longer ones double it.
const FIRST_READ: usize = 2048;

/// The trimmed request line, or `None` when there is nothing to answer: the client closed, sent
/// only blanks, too much, bytes that are not UTF-8, or took too long.
pub fn read_line(mut stream: &UnixStream, time: Duration) -> Option<String> {
    let deadline = Instant::now() + time;
    let mut line = Vec::new();
    let mut filled = 0;
    stream.set_read_timeout(Some(time)).ok()?;
    loop {
        if filled == line.len() {
            // One byte over the limit is enough to know that the line is too long.
            let room = (line.len() * 2).clamp(FIRST_READ, LINE_LIMIT + 1);
            if filled >= room {
                return None;
            }
            line.resize(room, 0);
        }
        match stream.read(&mut line[filled..]) {
            Ok(0) => return None,
            Ok(count) => {
                let newline = line[filled..filled + count]
                    .iter()
                    .position(|&b| b == b'\n');
                if let Some(at) = newline {
                    line.truncate(filled + at);
                    break;
                }
                filled += count;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
        let left = deadline
            .checked_duration_since(Instant::now())
            .filter(|d| !d.is_zero())?;
        stream.set_read_timeout(Some(left)).ok()?;
    }
    let mut text = String::from_utf8(line).ok()?;
    text.truncate(text.trim_ascii_end().len());
    let blanks = text.len() - text.trim_ascii_start().len();
    text.drain(..blanks);
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::Shutdown;

    fn sent(bytes: &[u8]) -> Option<String> {
        let (mut client, server) = UnixStream::pair().unwrap();
        let bytes = bytes.to_vec();
        let writer = std::thread::spawn(move || {
            // A refused reader closes early, so the write may fail; that is the case under test.
            let _ = client.write_all(&bytes);
            let _ = client.shutdown(Shutdown::Write);
            client
        });
        let line = read_line(&server, Duration::from_secs(5));
        drop(server);
        writer.join().unwrap();
        line
    }

    #[test]
    fn a_line_is_taken_without_its_blanks_and_nothing_after_it() {
        assert_eq!(sent(b" \t{} \r\n").as_deref(), Some("{}"));
        assert_eq!(sent(b"one\ntwo\n").as_deref(), Some("one"));
    }

    #[test]
    fn nothing_to_answer_is_silence() {
        for bytes in [&b""[..], b"\n", b"  \t \n", b"no newline", b"\xff\xfe\n"] {
            assert_eq!(sent(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn exactly_one_mebibyte_is_taken_and_one_byte_more_is_not() {
        let mut line = vec![b'x'; LINE_LIMIT];
        line.push(b'\n');
        assert_eq!(sent(&line).map(|l| l.len()), Some(LINE_LIMIT));
        line.insert(0, b'x');
        assert_eq!(sent(&line), None);
        assert_eq!(sent(&vec![b'x'; 3 * LINE_LIMIT]), None);
    }

    #[test]
    fn the_time_is_a_total_that_dripping_does_not_extend() {
        let (mut client, server) = UnixStream::pair().unwrap();
        let started = Instant::now();
        let dripper = std::thread::spawn(move || {
            // Writes until the reader has closed its end.
            while client.write_all(b"x").is_ok() {
                std::thread::yield_now();
            }
        });
        assert_eq!(read_line(&server, Duration::from_millis(50)), None);
        drop(server);
        dripper.join().unwrap();
        assert!(started.elapsed() < Duration::from_secs(4));
    }
}
