//! What the worker hears from its keeper, and who goes on when that has died.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::super::message::{ToKeeper, ToWorker};
use super::super::restarts::Restarts;
use super::super::start::{self, KEEPER};
use super::{Client, Line, Order, Succession, next, spelled, unexpected};
use crate::sync::lock;
use crate::sys;

/// How long a worker that has left everything to another executable's waits for that one's end when the keeper has died
/// in between. One that was not given everything ends at once, and one that fails at its start in a moment.
const SUCCESSOR_TIME: Duration = Duration::from_secs(5);

impl Client {
    pub(super) fn hear(&self, succession: Succession, obey: &dyn Fn(Order)) {
        let mut restarts = Restarts::default();
        let mut since = None;
        loop {
            let channel = Arc::clone(&lock(&self.line).channel);
            match channel.receive::<ToWorker>() {
                Ok(Some((message, descriptors))) => self.take_in(message, descriptors, obey),
                end => {
                    if self.has_successor() {
                        log::warn!("the keeper has died ({end:?}); the other executable goes on");
                        return self.answer_leave();
                    }
                    if succession == Succession::ServiceManager {
                        log::warn!("the keeper has died ({end:?}); the service manager goes on");
                        return obey(Order::LetGo);
                    }
                    log::warn!("the keeper has died ({end:?}); starting another");
                    thread::sleep(restarts.died(since, Instant::now()));
                    while let Err(error) = self.replace() {
                        log::error!("no new keeper: {error}");
                        thread::sleep(restarts.died(None, Instant::now()));
                    }
                    since = Some(Instant::now());
                }
            }
        }
    }

    /// Whether another executable's worker was given everything, so that this process must start no keeper: there
    /// would be two daemons. It was not if it ends.
    fn has_successor(&self) -> bool {
        let mut line = lock(&self.line);
        if !line.left {
            return false;
        }
        let Some(successor) = line.successor.take() else {
            return false;
        };
        drop(line);
        let deadline = Instant::now() + SUCCESSOR_TIME;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
            let end = PollFd::new(successor.as_fd(), PollFlags::POLLIN);
            match poll(&mut [end], timeout) {
                Err(Errno::EINTR) => {}
                ended => return ended == Ok(0),
            }
        }
    }

    /// Tells whoever waits for it that the other executable serves.
    fn answer_leave(&self) {
        for (request, waiting) in lock(&self.questions).waiting.drain() {
            let _ = waiting.try_send((ToWorker::Succeeded { request }, Vec::new()));
        }
    }

    fn take_in(&self, message: ToWorker, descriptors: Vec<OwnedFd>, obey: &dyn Fn(Order)) {
        match message {
            ToWorker::Stop => obey(Order::Stop),
            ToWorker::LetGo => obey(Order::LetGo),
            ToWorker::Reload => obey(Order::Reload),
            ToWorker::Socket { which, file } => {
                let Some(socket) = descriptors.into_iter().next() else {
                    return;
                };
                match socket.try_clone() {
                    Ok(duplicate) => {
                        let mut held = lock(&self.held);
                        held.sockets[which as usize] = socket;
                        held.files[which as usize] = file;
                        drop(held);
                        obey(Order::Listen(which, UnixListener::from(duplicate)));
                    }
                    Err(error) => log::error!("a new listening socket cannot be kept: {error}"),
                }
            }
            ToWorker::Lock => {
                if let Some(descriptor) = descriptors.into_iter().next() {
                    lock(&self.held).lock = descriptor;
                }
            }
            // The keeper has executed another build of itself.
            ToWorker::Hello(hello) => {
                let mut line = lock(&self.line);
                let handed = hello
                    .check()
                    .map_err(io::Error::other)
                    .and_then(|()| self.hand_over(&mut line));
                match handed {
                    Ok(()) => log::info!("the keeper is of build {} now", hello.version),
                    Err(error) => log::error!("the new keeper takes nothing over: {error}"),
                }
            }
            ToWorker::Opened { request, .. }
            | ToWorker::Refused { request, .. }
            | ToWorker::Reaped { request, .. }
            | ToWorker::Able { request, .. }
            | ToWorker::Succeeded { request } => {
                let waiting = lock(&self.questions).waiting.remove(&request);
                if let Some(waiting) = waiting {
                    // Who has stopped waiting needs no answer.
                    let _ = waiting.try_send((message, descriptors));
                }
            }
            ToWorker::Welcome { .. } | ToWorker::Pane(_) | ToWorker::Go => {
                log::warn!("the keeper says what makes no sense now");
            }
        }
    }

    /// Starts another keeper and gives it everything.
    fn replace(&self) -> io::Result<()> {
        let mut line = lock(&self.line);
        line.up = false;
        self.drop_questions();
        if let Some(mut child) = line.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let (child, channel) = start::start(&sys::own_executable()?, KEEPER, false)?;
        self.keeper
            .store(child.id().cast_signed(), Ordering::Relaxed);
        line.child = Some(child);
        line.channel = Arc::new(channel);
        match next(&line.channel)? {
            (ToWorker::Hello(hello), _) => hello.check().map_err(io::Error::other)?,
            (other, _) => return Err(unexpected(&other)),
        }
        self.hand_over(&mut line)
    }

    /// Those who wait ask again.
    fn drop_questions(&self) {
        lock(&self.questions).waiting.clear();
    }

    fn hand_over(&self, line: &mut Line) -> io::Result<()> {
        self.drop_questions();
        let held = lock(&self.held);
        let channel = Arc::clone(&line.channel);
        let adopt = ToKeeper::Adopt {
            sockets: held.files,
            links: spelled(&line.links),
            stopping: line.stopping,
        };
        let [protocol, control] = &held.sockets;
        let descriptors = [held.lock.as_fd(), protocol.as_fd(), control.as_fd()];
        channel.send(&adopt, &descriptors)?;
        for kept in held.panes.values() {
            channel.send(&ToKeeper::Pane(kept.pane.clone()), &kept.descriptors())?;
        }
        channel.send(&ToKeeper::Adopted, &[])?;
        drop(held);
        line.up = true;
        self.connected.notify_all();
        Ok(())
    }
}
