//! Waiting in a connection's own thread: for a wake, a deadline, the client's end or the stop.
//!
//! One `poll` does it, so a wait ends at once when its client closes, and costs nothing before.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::state::Shared;
use crate::sys::Wake;

/// Looks at a pane's output are this far apart at least, so that a wait costs a flooding pane
/// next to nothing. Nobody waits for text more exactly than this.
pub const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

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

/// The time left as `poll` wants it: whole milliseconds, rounded up so that nothing is early.
fn timeout(deadline: Option<Instant>) -> PollTimeout {
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

/// When a wait of `milliseconds` from `start` ends; never, if there is no such time.
pub fn deadline(start: Instant, milliseconds: Option<u64>) -> Option<Instant> {
    start.checked_add(Duration::from_millis(milliseconds?))
}
