//! Waiting in a connection's own thread: for a wake, a deadline, the client's end or the stop.
//!
//! One `poll` does it, so a wait ends at once when its client closes, and costs nothing before.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::api::ApiError;
use crate::api::params::AfterRevisionParams;
use crate::state::Shared;
use crate::sys::Wake;

use super::{Call, Ended};

/// How far looks at a flooding pane's output are apart, so that a wait costs the pane next to
/// nothing. Nobody waits for text in a flood more exactly than this.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// The first pause after output that came out of quiet: text that a program writes in a few pieces
/// is then found in one or two looks, and still at once.
const SHORTEST_PAUSE: Duration = Duration::from_micros(250);

/// When to look at a pane's output again: at once after quiet, and the later the longer output
/// keeps coming.
#[derive(Debug)]
pub struct Pace {
    looked: Instant,
    pause: Duration,
}

impl Pace {
    /// To be made at the first look.
    pub fn new(now: Instant) -> Pace {
        Pace {
            looked: now,
            pause: SHORTEST_PAUSE,
        }
    }

    /// There is output, as of `now`: when the next look should be.
    pub fn next_look(&mut self, now: Instant) -> Instant {
        let quiet = now.saturating_duration_since(self.looked);
        self.pause = if quiet > LONGEST_PAUSE {
            SHORTEST_PAUSE
        } else {
            (self.pause * 2).min(LONGEST_PAUSE)
        };
        // Before the look is due, quiet has passed already.
        self.looked = now.max(self.looked + self.pause);
        self.looked
    }
}

/// How long a wait for a ledger of turns is that names no time (the fork's), in milliseconds.
const DEFAULT_WAIT: u64 = 30_000;

/// Why a sleep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Somebody notified the wake.
    Wake,
    /// The deadline has passed.
    Deadline,
    /// The client closed or wrote something, which ends a wait just as well (herdr 0.9.3); or the
    /// daemon is stopping. Nothing more is to be written.
    Over,
}

/// Sleeps until one of them happens. Without `wake` only the others count.
pub fn sleep(
    shared: &Shared,
    client: &UnixStream,
    wake: Option<&Wake>,
    deadline: Option<Instant>,
) -> Woken {
    loop {
        let mut descriptors = vec![
            PollFd::new(client.as_fd(), PollFlags::POLLIN),
            PollFd::new(shared.stop.wake.as_fd(), PollFlags::POLLIN),
        ];
        descriptors.extend(wake.map(|wake| PollFd::new(wake.as_fd(), PollFlags::POLLIN)));
        match poll(&mut descriptors, timeout(deadline)) {
            Ok(_) => {}
            Err(Errno::EINTR) => continue,
            Err(error) => {
                log::warn!("a wait ends early: poll: {error}");
                return Woken::Over;
            }
        }
        let ready = |at: usize| {
            let seen = descriptors
                .get(at)
                .and_then(|descriptor| descriptor.revents());
            seen.is_some_and(|seen| !seen.is_empty())
        };
        if ready(0) || ready(1) {
            return Woken::Over;
        }
        // Before the wake: a pane that floods must not keep a wait from ever ending.
        if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Woken::Deadline;
        }
        if ready(2) {
            if let Some(wake) = wake {
                wake.drain();
            }
            return Woken::Wake;
        }
    }
}

/// Waits until a ledger of turns is behind a revision, or the wait's time is over.
///
/// # Errors
/// The client has gone, or the daemon stops.
pub fn wait_for_change(
    call: &Call<'_>,
    params: &AfterRevisionParams,
    longest: u64,
    revision: impl Fn() -> u64,
) -> Result<(), Ended> {
    let longest = longest.min(call.shared.config().limits.wait_ms);
    let time = params.timeout_ms.unwrap_or(DEFAULT_WAIT).min(longest);
    let deadline = Instant::now().checked_add(Duration::from_millis(time));
    let wake = Wake::new().map_err(|error| ApiError::internal(format!("a wait: {error}")))?;
    let wake = Arc::new(wake);
    // Before the first look, so that no change falls between.
    call.shared.turns.follow(&wake);
    while revision() <= params.after_revision {
        match sleep(call.shared, call.client, Some(&wake), deadline) {
            Woken::Wake => {}
            Woken::Deadline => break,
            Woken::Over => return Err(Ended::Silent),
        }
    }
    Ok(())
}

/// Sleeps until `until`, whatever the client does; a stop ends it early.
pub fn rest(shared: &Shared, until: Instant) {
    while Instant::now() < until {
        let mut descriptors = [PollFd::new(shared.stop.wake.as_fd(), PollFlags::POLLIN)];
        match poll(&mut descriptors, timeout(Some(until))) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return,
            Err(error) => {
                log::warn!("a pause ends early: poll: {error}");
                return;
            }
        }
    }
}

/// Writes all of `bytes` within `time`, in all: unlike the socket's own time limit, which begins anew with
/// every piece that the client takes, so that one that takes a little now and then holds a thread and
/// its answer for hours.
///
/// # Errors
/// The client has gone, or the time was over ([`io::ErrorKind::TimedOut`]).
pub fn write_all(mut client: &UnixStream, mut bytes: &[u8], time: Duration) -> io::Result<()> {
    let deadline = Instant::now() + time;
    client.set_nonblocking(true)?;
    while !bytes.is_empty() {
        match client.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut writable = [PollFd::new(client.as_fd(), PollFlags::POLLOUT)];
                match poll(&mut writable, timeout(Some(deadline))) {
                    Ok(0) if deadline <= Instant::now() => {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    Ok(_) | Err(Errno::EINTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Err(error) => return Err(error),
        }
        if deadline <= Instant::now() && !bytes.is_empty() {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}

/// The time left as `poll` wants it: whole milliseconds, rounded up so that nothing is early.
pub fn timeout(deadline: Option<Instant>) -> PollTimeout {
    let Some(deadline) = deadline else {
        return PollTimeout::NONE;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    let milliseconds = left.as_micros().div_ceil(1000);
    // A deadline further away than poll can count is looked at again in between.
    i32::try_from(milliseconds)
        .ok()
        .and_then(|ms| ms.try_into().ok())
        .unwrap_or(PollTimeout::MAX)
}

/// When a wait of `milliseconds` from `start` ends; one that names no time ends when the longest does
/// (`[limits] wait_ms`).
///
/// # Errors
/// `invalid_params` for one that would be longer than that.
pub fn deadline(
    call: &Call<'_>,
    start: Instant,
    milliseconds: Option<u64>,
) -> Result<Option<Instant>, ApiError> {
    let longest = call.shared.config().limits.wait_ms;
    let milliseconds = checked(milliseconds, longest)?;
    Ok(start.checked_add(Duration::from_millis(milliseconds)))
}

fn checked(milliseconds: Option<u64>, longest: u64) -> Result<u64, ApiError> {
    match milliseconds {
        Some(asked) if asked > longest => Err(ApiError::new(
            "invalid_params",
            format!(
                "timeout_ms must be {longest} or less ([limits] wait_ms); wait again when it is over"
            ),
        )),
        asked => Ok(asked.unwrap_or(longest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn output_after_quiet_is_looked_at_at_once_and_a_flood_more_and_more_rarely() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let after_quiet = start + Duration::from_secs(1);
        assert_eq!(pace.next_look(after_quiet), after_quiet);
        let mut now = after_quiet;
        let mut looks = 0;
        while now < after_quiet + Duration::from_secs(1) {
            let next = pace.next_look(now);
            assert!(next > now && next <= now + LONGEST_PAUSE);
            now = next;
            looks += 1;
        }
        assert!(
            (95..=115).contains(&looks),
            "{looks} looks in a second of flood"
        );
    }

    #[test]
    fn the_time_to_write_is_a_total_that_taking_a_little_does_not_extend() {
        let (mut client, daemon) = UnixStream::pair().unwrap();
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let reader = std::thread::spawn(move || {
            // Takes a little at a time for as long as there is something, but never all.
            while is_done.try_recv().is_err() {
                let _ = client.read(&mut [0]);
                std::thread::yield_now();
            }
        });
        let endless = vec![b'x'; 1 << 24];
        let started = Instant::now();
        let written = write_all(&daemon, &endless, Duration::from_millis(100));
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(4));
        done.send(()).unwrap();
        drop(daemon);
        reader.join().unwrap();
    }

    #[test]
    fn what_is_longer_than_the_sockets_buffer_arrives_whole() {
        let (mut client, daemon) = UnixStream::pair().unwrap();
        let reader = std::thread::spawn(move || {
            let mut got = Vec::new();
            client.read_to_end(&mut got).unwrap();
            got
        });
        let long: Vec<u8> = (0..4_000_000_u32).map(|number| number as u8).collect();
        write_all(&daemon, &long, Duration::from_secs(30)).unwrap();
        drop(daemon);
        assert_eq!(reader.join().unwrap(), long);
    }

    #[test]
    fn a_wait_is_as_long_as_it_says_up_to_the_longest() {
        assert_eq!(checked(Some(5), 1_000), Ok(5));
        assert_eq!(checked(Some(1_000), 1_000), Ok(1_000));
        assert_eq!(checked(None, 1_000), Ok(1_000));
        let refused = checked(Some(1_001), 1_000).unwrap_err();
        assert_eq!(refused.code, "invalid_params");
        assert_eq!(timeout(Some(Instant::now())), PollTimeout::ZERO);
    }
}
