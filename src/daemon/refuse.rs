//! The lane for clients that there is no room for: one thread that reads all their lines and tells each so.
//!
//! Their lines are read first: closing on a client that still writes would break its pipe before it sees the answer.
//! Nothing of a line is kept but its `id`, so that refusing costs a descriptor for a moment and no memory.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::api::ApiError;
use crate::api::envelope::{self, IdScan};
use crate::state::Full;
use crate::sync::lock;
use crate::sys::Wake;

/// Clients that are being refused at once. Each is a descriptor; beyond that a connection is just closed.
const LANE: usize = 1_024;

/// Time for the line of a client that is refused: long enough for any client that is alive.
const LINE_TIME: Duration = Duration::from_secs(1);

/// What one `read` asks for.
const READ: usize = 64 * 1024;

/// A client in the lane.
struct Refused {
    stream: UnixStream,
    full: Full,
    scan: IdScan,
    deadline: Instant,
}

/// The way into the lane.
pub struct Refusals {
    /// Those that the thread has not looked at yet, and how many are in the lane with them. Innermost lock.
    arrived: Mutex<Arrived>,
    wake: Wake,
}

#[derive(Default)]
struct Arrived {
    clients: Vec<Refused>,
    in_lane: usize,
}

impl Refusals {
    /// Starts the lane's thread.
    ///
    /// # Errors
    /// No thread, or no descriptor, is left.
    pub fn start() -> io::Result<Arc<Refusals>> {
        let refusals = Arc::new(Refusals {
            arrived: Mutex::default(),
            wake: Wake::new()?,
        });
        let lane = refusals.clone();
        thread::Builder::new()
            .name("refusals".to_owned())
            .stack_size(super::pool::STACK)
            .spawn(move || {
                loop {
                    // A panic was logged by the hook; it costs those in the lane their answer, and nobody else.
                    let _ = catch_unwind(AssertUnwindSafe(|| lane.run()));
                    lock(&lane.arrived).in_lane = 0;
                }
            })?;
        Ok(refusals)
    }

    /// Lets a client wait for its refusal. False if the lane is full: then its connection is closed.
    pub fn refuse(&self, stream: UnixStream, full: Full) -> bool {
        if let Err(error) = stream.set_nonblocking(true) {
            log::debug!("a connection was closed unanswered: {error}");
            return true;
        }
        let mut arrived = lock(&self.arrived);
        if arrived.in_lane >= LANE {
            return false;
        }
        arrived.in_lane += 1;
        arrived.clients.push(Refused {
            stream,
            full,
            scan: IdScan::default(),
            deadline: Instant::now() + LINE_TIME,
        });
        drop(arrived);
        self.wake.notify();
        true
    }

    fn run(&self) {
        let mut lane: Vec<Refused> = Vec::new();
        let mut buffer = vec![0; READ];
        loop {
            let ready = match self.wait(&lane) {
                Ok(ready) => ready,
                Err(Errno::EINTR) => continue,
                Err(error) => {
                    log::warn!("clients that are refused get no answer: poll: {error}");
                    Vec::new()
                }
            };
            let (now, before) = (Instant::now(), lane.len());
            let mut at = 0;
            lane.retain_mut(|client| {
                let is_ready = ready.get(at).copied().unwrap_or(false);
                at += 1;
                (!is_ready || client.read(&mut buffer)) && now < client.deadline
            });
            self.wake.drain();
            let mut arrived = lock(&self.arrived);
            arrived.in_lane = arrived.in_lane.saturating_sub(before - lane.len());
            lane.append(&mut arrived.clients);
        }
    }

    /// Sleeps until a client has sent something, one has run out of time, or another has come. Which ones have sent.
    fn wait(&self, lane: &[Refused]) -> Result<Vec<bool>, Errno> {
        let mut descriptors = vec![PollFd::new(self.wake.as_fd(), PollFlags::POLLIN)];
        descriptors.extend(
            lane.iter()
                .map(|client| PollFd::new(client.stream.as_fd(), PollFlags::POLLIN)),
        );
        let timeout = match lane.iter().map(|client| client.deadline).min() {
            None => PollTimeout::NONE,
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                // At most LINE_TIME; rounded up so that nothing is looked at too early.
                PollTimeout::try_from(left.as_millis() as i32 + 1).unwrap_or(PollTimeout::ZERO)
            }
        };
        poll(&mut descriptors, timeout)?;
        let ready = |polled: &PollFd<'_>| polled.revents().is_some_and(|seen| !seen.is_empty());
        Ok(descriptors[1..].iter().map(ready).collect())
    }
}

impl Refused {
    /// Takes what has come; answers at the end of the line. False when the client is done with.
    fn read(&mut self, buffer: &mut [u8]) -> bool {
        match (&self.stream).read(buffer) {
            Ok(0) => false,
            Ok(count) => {
                let end = buffer[..count].iter().position(|&byte| byte == b'\n');
                self.scan.look_at(&buffer[..end.unwrap_or(count)]);
                if end.is_some() {
                    self.answer();
                }
                end.is_none()
            }
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            ),
        }
    }

    fn answer(&mut self) {
        let id = std::mem::take(&mut self.scan).id();
        let error = ApiError::new("rate_limited", self.full.to_string());
        let line = envelope::error_line(&id, &error);
        // Nothing was written before, so the socket's buffer takes all of it, unless the `id` is absurd.
        if let Err(error) = (&self.stream).write_all(line.as_bytes()) {
            log::debug!("a refusal was not taken: {error}");
        }
    }
}
