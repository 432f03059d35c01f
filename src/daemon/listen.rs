//! Accepting: one thread per socket, one of the pool's per connection; whom there is no room for goes to
//! the lane for refusals.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::method::Door;
use crate::state::{Caller, Shared, Stop};
use crate::sys::{self, Wake};

use super::connection;
use super::pool::{Pool, STACK};
use super::refuse::Refusals;

/// Time between two lines in the log about accepts that fail, or find the lane for refusals full:
/// there may be many a second of them for as long as somebody holds the descriptors.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);

/// Pause after an accept that failed for want of descriptors: they come back when connections end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The user that may do everything anyway, but is let in only if the configuration says so: what
/// system services send is not the person's.
const ROOT: u32 = 0;

/// Starts the thread that accepts connections of `listener` and serves them by what is behind `door`. It ends when
/// `replaced` is notified and everybody who had connected by then is served, or when another process takes over.
///
/// # Errors
/// No thread could be started.
pub fn start(
    name: &str,
    listener: UnixListener,
    shared: Arc<Shared>,
    pool: Arc<Pool>,
    refusals: Arc<Refusals>,
    replaced: Arc<Wake>,
    door: &'static Door,
) -> io::Result<()> {
    // Not to be kept in an accept when another process was faster.
    listener.set_nonblocking(true)?;
    thread::Builder::new()
        .name(format!("accept {name}"))
        .stack_size(STACK)
        .spawn(move || accept(&listener, &shared, &pool, &refusals, &replaced, door))
        .map(drop)
}

fn accept(
    listener: &UnixListener,
    shared: &Arc<Shared>,
    pool: &Arc<Pool>,
    refusals: &Refusals,
    replaced: &Wake,
    door: &'static Door,
) {
    let user = nix::unistd::geteuid().as_raw();
    let mut complaints = Complaints::default();
    while let Some(accepted) = next(listener, &shared.stop, replaced) {
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                if let Some(count) = complaints.due(Instant::now()) {
                    log::warn!("accepting a connection: {error}; trying again ({count} times)");
                }
                thread::sleep(ACCEPT_PAUSE);
                continue;
            }
        };
        let (process, is_roots) = match sys::peer(&stream) {
            Ok(peer) if peer.uid == user => (peer.pid, false),
            Ok(peer) if peer.uid == ROOT && shared.in_force().root => (peer.pid, true),
            Ok(peer) => {
                log::warn!("a connection of user {} was refused", peer.uid);
                continue;
            }
            // On some systems a client that is gone already cannot be asked about.
            Err(error) => {
                log::debug!("a connection without credentials was dropped: {error}");
                continue;
            }
        };
        match shared.slots.connection(process) {
            Ok(slot) => {
                // Here and not in the connection's thread: a caller may write its line and end, and nobody can
                // be asked about it any more once its parent has taken note.
                let caller = Caller {
                    pid: process,
                    facts: process.and_then(|pid| sys::peer_facts(&stream, pid)),
                    is_roots,
                };
                let shared = shared.clone();
                let started = pool.run(move || {
                    connection::serve(&shared, &stream, &slot, &caller, door);
                    // Before the client sees the end: it may open its next connection on that.
                    drop(slot);
                });
                if let Err(error) = started {
                    log::warn!("a connection was dropped, no thread for it: {error}");
                }
            }
            Err(full) => {
                if !refusals.refuse(stream, full)
                    && let Some(count) = complaints.due(Instant::now())
                {
                    log::warn!("{count} connections were closed unanswered: {full}");
                }
            }
        }
    }
}

/// Keeps failures that repeat from filling the log.
#[derive(Debug, Default)]
struct Complaints {
    last: Option<Instant>,
    since: usize,
}

impl Complaints {
    /// Notes a failure: the number of them since the last line in the log, if there should be
    /// another line.
    fn due(&mut self, now: Instant) -> Option<usize> {
        self.since += 1;
        if self
            .last
            .is_some_and(|last| now < last + COMPLAINT_INTERVAL)
        {
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.since))
    }
}

/// The next connection. None when connections are another thread's or another process's business from now on; what
/// waits in the queue waits for that process, and is accepted first for that thread.
fn next(listener: &UnixListener, stop: &Stop, replaced: &Wake) -> Option<io::Result<UnixStream>> {
    let mut waiting = [
        PollFd::new(listener.as_fd(), PollFlags::POLLIN),
        PollFd::new(stop.left.as_fd(), PollFlags::POLLIN),
        PollFd::new(replaced.as_fd(), PollFlags::POLLIN),
    ];
    loop {
        // A failure leaves the answer to the accept.
        let _ = poll(&mut waiting, PollTimeout::NONE);
        let is_ready = |number: usize| waiting[number].any().unwrap_or(false);
        if is_ready(1) {
            return None;
        }
        match listener.accept() {
            // Some systems make it like its listener.
            Ok((stream, _)) => return Some(stream.set_nonblocking(false).map(|()| stream)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if is_ready(2) {
                    return None;
                }
            }
            Err(error) => return Some(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_repeats_is_in_the_log_at_once_and_then_now_and_then_with_its_count() {
        let start = Instant::now();
        let mut complaints = Complaints::default();
        assert_eq!(complaints.due(start), Some(1));
        for _ in 0..199 {
            assert_eq!(complaints.due(start + ACCEPT_PAUSE), None);
        }
        assert_eq!(complaints.due(start + COMPLAINT_INTERVAL), Some(200));
    }
}
