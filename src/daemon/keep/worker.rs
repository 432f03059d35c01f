//! The worker's life, as the keeper sees it: started, given everything, serving, dead, and started again.

use std::io;
use std::mem;
use std::os::fd::AsFd;
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::{Keep, Source, guarded_links};
use crate::daemon::service;
use crate::keeper::frame::Channel;
use crate::keeper::message::{Hello, OsText, ToWorker};
use crate::keeper::start::{self, WORKER};
use crate::sys;

/// A worker, from its start to its end.
pub(super) struct Worker {
    pub(super) channel: Channel,
    /// None when it is not this process's child.
    pub(super) child: Option<Child>,
    pub(super) hello: Option<Hello>,
    /// Since when it serves.
    pub(super) ready: Option<Instant>,
    /// It has done everything that a stop has to do.
    pub(super) stopped: bool,
    /// Why it cannot serve, in its own words.
    pub(super) failure: Option<String>,
}

impl Keep {
    pub(super) fn start_worker(&mut self) -> io::Result<()> {
        let first = self.before == 0;
        let (child, channel) = start::start(&sys::own_executable()?, WORKER, first)?;
        self.before += 1;
        self.worker = Some(Worker::new(channel, Some(child)));
        Ok(())
    }

    pub(super) fn start_again(&mut self) {
        self.start_at = None;
        if let Err(error) = self.start_worker() {
            let wait = self
                .restarts
                .died(None, Instant::now())
                .max(Duration::from_millis(100));
            log::error!("the worker cannot be started: {error}; trying again in {wait:?}");
            self.start_at = Some(Instant::now() + wait);
        }
    }

    pub(super) fn welcome_worker(&mut self, hello: Hello) {
        if let Some(worker) = &mut self.worker {
            worker.hello = Some(hello);
        }
        self.welcome();
    }

    /// Gives the worker everything.
    pub(super) fn welcome(&self) {
        let Some(worker) = &self.worker else {
            return;
        };
        let welcome = || {
            let sockets = [
                self.guarded.protocol.identity(),
                self.guarded.control.identity(),
            ];
            let descriptors = [
                self.guarded.lock.as_fd(),
                self.protocol.as_fd(),
                self.control.as_fd(),
            ];
            let alone = self.upgrade.is_none();
            let welcome = ToWorker::Welcome {
                sockets,
                before: self.before.saturating_sub(1),
                alone,
            };
            worker.channel.send(&welcome, &descriptors)?;
            for kept in self.panes.iter() {
                let pane = ToWorker::Pane(kept.pane.clone());
                worker.channel.send(&pane, &kept.descriptors())?;
            }
            worker.channel.send(&ToWorker::Go, &[])?;
            if self.stopping {
                worker.channel.send(&self.way_to_stop(), &[])?;
            }
            io::Result::Ok(())
        };
        if let Err(error) = welcome() {
            // Its end is what is heard next.
            log::debug!("the worker has died while it was welcomed: {error}");
        }
    }

    pub(super) fn ready(&mut self, links: Vec<(OsText, OsText)>) {
        let now = Instant::now();
        if let Some(worker) = &mut self.worker {
            worker.ready = Some(now);
        }
        // Those of the worker before are the same files, or have been replaced.
        for old in mem::replace(&mut self.guarded.links, guarded_links(links)) {
            old.hand_over();
        }
        // The folder of the links may be new, and was not watched.
        self.mend();
        log::info!("serving at {}", self.paths.protocol_socket.display());
        if let Some(on_ready) = self.on_ready.take() {
            on_ready();
            sys::forget_start();
            service::tell("READY=1");
        }
        self.succeeded(now);
    }

    /// A worker has ended.
    pub(super) fn ended(&mut self, source: Source) -> Option<Result<()>> {
        match source {
            Source::Other => {
                self.other_ended();
                None
            }
            Source::Worker => self.worker_ended(),
        }
    }

    fn worker_ended(&mut self) -> Option<Result<()>> {
        let worker = self.worker.take()?;
        let (stopped, ready, failure) = (worker.stopped, worker.ready, worker.failure.clone());
        let how = worker.kill();
        if stopped {
            if self.ending {
                self.forget_panes();
            }
            return Some(Ok(()));
        }
        if self.on_ready.is_some() {
            self.end_panes();
            return Some(Err(match failure {
                Some(failure) => anyhow!(failure),
                None => anyhow!("the worker ended before it was ready ({how})"),
            }));
        }
        if self.stopping {
            log::warn!("the worker died in the midst of its stop ({how})");
            self.end_panes();
            return Some(Ok(()));
        }
        match failure {
            Some(failure) => log::error!("the worker cannot serve: {failure}"),
            None => log::error!("the worker has died ({how}); its panes live on"),
        }
        let now = Instant::now();
        let wait = if self.rolled_back(&how) {
            Duration::ZERO
        } else {
            self.restarts.died(ready, now)
        };
        if !wait.is_zero() {
            log::warn!("it keeps dying; the next one starts in {wait:?}");
        }
        self.start_at = Some(now + wait);
        None
    }
}

impl Worker {
    pub(super) fn new(channel: Channel, child: Option<Child>) -> Worker {
        Worker {
            channel,
            child,
            hello: None,
            ready: None,
            stopped: false,
            failure: None,
        }
    }

    /// Whether it has been given everything, so that it understands news.
    pub(super) fn is_welcomed(&self) -> bool {
        self.hello.is_some() || self.ready.is_some()
    }

    /// Sends. Its end is noticed by whoever hears it.
    pub(super) fn say(&self, message: &ToWorker) {
        if let Err(error) = self.channel.send(message, &[]) {
            log::debug!("not said to the worker: {error}");
        }
    }

    /// Whether it has ended, as far as can be told.
    pub(super) fn has_ended(&mut self) -> bool {
        self.child
            .as_mut()
            .is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }

    /// Makes sure that it has ended, and says how.
    pub(super) fn kill(self) -> String {
        let Some(mut child) = self.child else {
            return "no child of this process".to_owned();
        };
        if let Ok(Some(status)) = child.try_wait() {
            return status.to_string();
        }
        if !self.stopped {
            let _ = child.kill();
        }
        // It is killed, or it has said that it ends.
        child
            .wait()
            .map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}
