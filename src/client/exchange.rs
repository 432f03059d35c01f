//! One line to a daemon's socket, and one line back, within a time.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use super::whose;
use crate::sys;

/// The largest answer that is read, in bytes. A pane's whole readable history with colours is below 1 MiB; a snapshot
/// of a thousand panes below 2 MiB.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// The room that is made for an answer at once, in bytes: enough for every answer about one thing.
const FIRST_READ_BYTES: usize = 4 * 1024;

/// Between two looks at a socket whose daemon closes every connection: long enough to cost nothing.
const SHORT_PAUSE: Duration = Duration::from_millis(5);

/// How long a call may take, from connecting to the end of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// As long as the daemon takes: for requests that wait for something to happen.
    Endless,
    /// So long and no longer.
    Limited(Duration),
}

impl Patience {
    /// For ordinary requests. The daemon answers them at once; only a stopped or swapped-out one takes so long.
    pub const ORDINARY: Self = Self::Limited(Duration::from_secs(30));

    /// For reports, which agents' hooks send while the agent waits for them.
    pub const REPORT: Self = Self::Limited(Duration::from_secs(2));

    pub(super) fn deadline(self) -> Option<Instant> {
        match self {
            Self::Endless => None,
            Self::Limited(time) => Some(Instant::now() + time),
        }
    }
}

/// Connects to a daemon, but waits no longer than until `deadline` for room in its queue of connections. One that is
/// not the caller's own is not talked to.
pub(super) fn connect(path: &Path, deadline: Option<Instant>) -> io::Result<UnixStream> {
    let stream = sys::connect(path, remaining(deadline)?)?;
    whose::check(&stream, path)?;
    Ok(stream)
}

/// Whether something accepts connections at a path.
#[must_use]
pub fn answers(path: &Path) -> bool {
    // A daemon whose queue is full for this long is there, but the question is asked by people who look at a list.
    let deadline = Instant::now() + Duration::from_secs(2);
    match connect(path, Some(deadline)) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::TimedOut,
    }
}

/// The process that serves at the other end, if the system tells.
pub(super) fn server(stream: &UnixStream) -> Option<i32> {
    sys::peer(stream).ok()?.pid
}

/// Waits until nothing accepts connections at a path any more; false if something still does after `patience`.
///
/// An idle connection is held and watched: the daemon's end closes it. So there is no asking again and again while the
/// daemon saves its state and ends its panes.
///
/// With `whose`, another process that serves there is no sign of life either: somebody may start the next daemon as soon
/// as this one makes room.
#[must_use]
pub fn gone(path: &Path, whose: Option<i32>, patience: Patience) -> bool {
    let deadline = patience.deadline();
    loop {
        match connect(path, deadline) {
            Ok(mut stream) => {
                let serves = server(&stream);
                if whose.is_some() && serves.is_some() && serves != whose {
                    return true;
                }
                if stream
                    .set_read_timeout(remaining(deadline).unwrap_or(Some(SHORT_PAUSE)))
                    .is_err()
                {
                    return false;
                }
                if read_some(&mut stream, &mut [0]).is_err() {
                    return false;
                }
            }
            Err(error) => return error.kind() != io::ErrorKind::TimedOut,
        }
        // The daemon also closes a connection that stays silent, and closes all of them a moment before its sockets.
        std::thread::sleep(SHORT_PAUSE);
    }
}

/// Writes a whole request line.
pub(super) fn send(
    stream: &mut UnixStream,
    line: &[u8],
    deadline: Option<Instant>,
) -> io::Result<()> {
    stream.set_write_timeout(remaining(deadline)?)?;
    match stream.write_all(line) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            Err(io::ErrorKind::TimedOut.into())
        }
        other => other,
    }
}

/// Reads up to and without the next newline, or to the end of the stream, keeping what follows in `buffer`.
///
/// The end of the stream before any byte is an answer of no bytes.
pub(super) fn receive(
    stream: &mut UnixStream,
    buffer: &mut Vec<u8>,
    deadline: Option<Instant>,
) -> io::Result<Vec<u8>> {
    let mut searched = 0;
    loop {
        if let Some(found) = buffer[searched..].iter().position(|&byte| byte == b'\n') {
            let rest = buffer.split_off(searched + found + 1);
            let mut line = std::mem::replace(buffer, rest);
            line.pop();
            return Ok(line);
        }
        searched = buffer.len();
        if searched > MAX_ANSWER_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        stream.set_read_timeout(remaining(deadline)?)?;
        buffer.resize(searched + FIRST_READ_BYTES.max(searched), 0);
        let read = read_some(stream, &mut buffer[searched..]);
        buffer.truncate(searched + read.as_ref().copied().unwrap_or(0));
        if read? == 0 {
            return Ok(std::mem::take(buffer));
        }
    }
}

fn read_some(stream: &mut UnixStream, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            // A server that closes without having read every byte sent to it resets the connection; what it
            // wrote before has been delivered by then.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(0),
            other => return other,
        }
    }
}

/// The time left, which is never zero: that would mean "for ever" to the kernel.
fn remaining(deadline: Option<Instant>) -> io::Result<Option<Duration>> {
    let Some(deadline) = deadline else {
        return Ok(None);
    };
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
        left => Ok(Some(left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (UnixStream, UnixStream) {
        UnixStream::pair().expect("a pair of sockets")
    }

    #[test]
    fn lines_come_out_one_by_one_however_they_arrive() {
        let (mut ours, mut theirs) = pair();
        theirs.write_all(b"one\ntwo\nthr").expect("written");
        theirs.write_all(b"ee").expect("written");
        drop(theirs);
        let mut buffer = Vec::new();
        let mut next = || receive(&mut ours, &mut buffer, None).expect("a line");
        assert_eq!(next(), b"one");
        assert_eq!(next(), b"two");
        assert_eq!(next(), b"three");
        assert_eq!(next(), b"");
    }

    #[test]
    fn silence_ends_at_the_deadline() {
        let (mut ours, _theirs) = pair();
        let deadline = Some(Instant::now() + Duration::from_millis(20));
        let error = receive(&mut ours, &mut Vec::new(), deadline).expect_err("nothing came");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn dripping_bytes_do_not_move_the_deadline() {
        let (mut ours, mut theirs) = pair();
        let dripping = std::thread::spawn(move || while theirs.write_all(b"x").is_ok() {});
        let deadline = Some(Instant::now() + Duration::from_millis(50));
        let error = receive(&mut ours, &mut Vec::new(), deadline).expect_err("no newline came");
        // Whichever bound is met first, the call has ended.
        assert!(matches!(
            error.kind(),
            io::ErrorKind::TimedOut | io::ErrorKind::FileTooLarge
        ));
        drop(ours);
        dripping
            .join()
            .expect("the writer ends when the reader is gone");
    }

    #[test]
    fn an_endless_answer_is_given_up() {
        let (mut ours, mut theirs) = pair();
        let flood = std::thread::spawn(move || while theirs.write_all(&[b'x'; 65_536]).is_ok() {});
        let error = receive(&mut ours, &mut Vec::new(), None).expect_err("too large");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        drop(ours);
        flood
            .join()
            .expect("the writer ends when the reader is gone");
    }

    #[test]
    fn only_a_listener_answers() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("s");
        assert!(!answers(&path));
        let listener = std::os::unix::net::UnixListener::bind(&path).expect("bound");
        assert!(answers(&path));
        drop(listener);
        assert!(!answers(&path), "a socket file that nobody listens at");
    }

    #[test]
    fn the_end_of_a_daemon_is_noticed_at_once_and_a_living_one_is_not_gone() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("s");
        let listener = std::os::unix::net::UnixListener::bind(&path).expect("bound");
        assert!(!gone(
            &path,
            None,
            Patience::Limited(Duration::from_millis(30))
        ));
        let ending = std::thread::spawn(move || {
            let held = listener.accept().expect("a connection");
            let waiting = listener.accept().expect("another connection");
            drop((held, listener, waiting));
        });
        assert!(gone(
            &path,
            None,
            Patience::Limited(Duration::from_secs(20))
        ));
        ending.join().expect("ended");
        assert!(gone(
            &directory.path().join("none"),
            None,
            Patience::Endless
        ));
    }
}
