//! The keeper's loop: one thread, asleep until the worker asks, a signal comes or a process ends.

use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

mod mend;
mod upgrade;

use self::mend::watch;
use self::upgrade::Upgrade;
use super::ServeOptions;
use super::files::{self, Link, SessionLock, SocketFile};
use super::service::{self, Given};
use super::signals::Asked;
use crate::keeper::frame::Channel;
use crate::keeper::kept::{Kept, KeptPanes};
use crate::keeper::message::{Hello, OsText, ToKeeper, ToWorker};
use crate::keeper::restarts::Restarts;
use crate::keeper::start::{self, WORKER};
use crate::pane::Launch;
use crate::paths::SessionPaths;
use crate::sys::{self, FolderWatch};

/// What the keeper holds.
struct Keep {
    paths: SessionPaths,
    guarded: Guarded,
    protocol: UnixListener,
    control: UnixListener,
    panes: KeptPanes,
    asked: Asked,
    worker: Option<Worker>,
    /// When the next worker is to be started, while there is none.
    start_at: Option<Instant>,
    restarts: Restarts,
    /// Workers there have been.
    before: u64,
    /// A stop was asked for.
    stopping: bool,
    upgrade: Option<Upgrade>,
    /// Ends by itself after an upgrade that failed. Its channel stays open, or it would think that this process died.
    departed: Option<Worker>,
    /// Tells when a file is gone that has to be there; none when it cannot be told.
    watch: Option<FolderWatch>,
    /// When files that could not be made again are tried once more.
    mend_at: Option<Instant>,
    /// Called when the first worker serves.
    on_ready: Option<Box<dyn FnOnce() + Send>>,
}

/// Files that a stopped daemon must not leave behind. Dropping them takes them away.
struct Guarded {
    protocol: SocketFile,
    control: SocketFile,
    links: Vec<Link>,
    /// Last, so that the next daemon starts when everything else is gone.
    lock: SessionLock,
}

/// A worker, from its start to its end.
struct Worker {
    channel: Channel,
    /// None when it is not this process's child.
    child: Option<Child>,
    hello: Option<Hello>,
    /// Since when it serves.
    ready: Option<Instant>,
    /// It has done everything that a stop has to do.
    stopped: bool,
    /// Why it cannot serve, in its own words.
    failure: Option<String>,
}

/// Whose turn it is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Worker,
    Other,
}

/// Makes everything that a session's daemon holds, and keeps it until the stop.
///
/// # Errors
/// The daemon cannot start.
pub fn begin(options: ServeOptions) -> Result<()> {
    let mut given = Given::take();
    let asked = prepare()?;
    let paths = options.paths;
    files::make_socket_folder(&paths)?;
    let lock = SessionLock::take(&paths.lock, &paths.protocol_socket)?;
    let (protocol, protocol_file) = given.listener("protocol", &paths.protocol_socket)?;
    let (control, control_file) = given.listener("control", &paths.control_socket)?;
    let mut keep = Keep {
        watch: watch(&paths),
        mend_at: None,
        paths,
        guarded: Guarded {
            protocol: protocol_file,
            control: control_file,
            links: Vec::new(),
            lock,
        },
        protocol,
        control,
        panes: KeptPanes::default(),
        asked,
        worker: None,
        start_at: None,
        restarts: Restarts::default(),
        before: 0,
        stopping: false,
        upgrade: None,
        departed: None,
        on_ready: Some(options.on_ready),
    };
    keep.start_worker().context("starting the worker")?;
    keep.run()
}

/// Goes on for a keeper that has died, or in the place of one of another build, with what the worker hands over.
///
/// # Errors
/// The worker is gone, or does not keep to the protocol.
pub fn go_on(options: ServeOptions) -> Result<()> {
    let asked = prepare()?;
    sys::take_signals_again().context("taking signals again")?;
    let channel = start::channel().context("this is started by drover's worker only")?;
    channel.send(&ToWorker::Hello(Hello::own()), &[])?;
    let paths = options.paths;
    let (sockets, links, stopping, descriptors) = loop {
        match channel.receive()? {
            Some((
                ToKeeper::Adopt {
                    sockets,
                    links,
                    stopping,
                },
                descriptors,
            )) => break (sockets, links, stopping, descriptors),
            // Asked of the keeper before; it will be asked again.
            Some(_) => {}
            None => bail!("the worker has died before it handed anything over"),
        }
    };
    let [lock, protocol, control]: [OwnedFd; 3] = descriptors
        .try_into()
        .map_err(|_| anyhow!("the worker handed over something else"))?;
    let mut panes = KeptPanes::default();
    loop {
        match channel.receive()? {
            Some((ToKeeper::Pane(pane), descriptors)) => {
                panes.insert(Kept::received(pane, descriptors)?);
            }
            Some((ToKeeper::Adopted, _)) => break,
            Some((other, _)) => bail!("unexpected from the worker: {other:?}"),
            None => bail!("the worker has died before it handed everything over"),
        }
    }
    let now = Instant::now();
    Keep {
        guarded: Guarded {
            protocol: SocketFile::go_on(&paths.protocol_socket, sockets[0]),
            control: SocketFile::go_on(&paths.control_socket, sockets[1]),
            links: guarded_links(links),
            lock: SessionLock::go_on(&paths.lock, lock)?,
        },
        watch: watch(&paths),
        // Something may have gone while nobody watched.
        mend_at: Some(now),
        paths,
        protocol: UnixListener::from(protocol),
        control: UnixListener::from(control),
        panes,
        asked,
        worker: Some(Worker {
            ready: Some(now),
            ..Worker::new(channel, None)
        }),
        start_at: None,
        restarts: Restarts::default(),
        before: 1,
        stopping,
        upgrade: None,
        departed: None,
        on_ready: None,
    }
    .told_as_listener()?
    .run()
}

fn prepare() -> Result<Asked> {
    sys::restrict_umask();
    let asked = Asked::catch()?;
    if let Err(error) = sys::raise_descriptor_limit() {
        log::warn!("the limit of open descriptors stays low: {error}");
    }
    Ok(asked)
}

fn guarded_links(links: Vec<(OsText, OsText)>) -> Vec<Link> {
    links
        .into_iter()
        .map(|(path, target)| Link::go_on(PathBuf::from(path.0), PathBuf::from(target.0)))
        .collect()
}

/// How the loop goes on.
enum Turn {
    GoOn,
    End(Result<()>),
}

impl Keep {
    /// Clients learn from a socket whose it is: of this process from now on.
    fn told_as_listener(self) -> Result<Keep> {
        for socket in [&self.protocol, &self.control] {
            sys::listen_again(socket.as_fd()).context("listening on as another process")?;
        }
        Ok(self)
    }

    fn run(mut self) -> Result<()> {
        loop {
            match self.turn() {
                Turn::GoOn => {}
                Turn::End(end) => {
                    drop(self.guarded);
                    log::info!("stopped");
                    return end;
                }
            }
        }
    }

    /// Sleeps until something happens and deals with it.
    fn turn(&mut self) -> Turn {
        let ready = self.wait();
        if ready.signalled {
            self.asked.drain();
            if let Turn::End(end) = self.signalled() {
                return Turn::End(end);
            }
        }
        if ready.removed
            && let Some(watch) = &self.watch
        {
            watch.drain();
            self.mend();
        }
        if self.mend_at.is_some_and(|when| when <= Instant::now()) {
            self.mend();
        }
        if ready.other {
            self.hear(Source::Other);
        }
        if ready.worker
            && let Some(end) = self.hear(Source::Worker)
        {
            return Turn::End(end);
        }
        self.give_up_in_time();
        if self.start_at.is_some_and(|when| when <= Instant::now()) {
            self.start_again();
        }
        Turn::GoOn
    }

    fn wait(&self) -> Ready {
        let signals = self.asked.as_fd();
        // Nothing is asked of the signals' descriptor in the place of what is not there.
        let other = self.upgrade.as_ref().map(Upgrade::other);
        let mut descriptors = [
            Some(signals),
            self.worker.as_ref().map(|worker| worker.channel.as_fd()),
            other.map(|other| other.channel.as_fd()),
            self.watch.as_ref().map(FolderWatch::as_fd),
        ]
        .map(|descriptor: Option<BorrowedFd<'_>>| match descriptor {
            Some(descriptor) => PollFd::new(descriptor, PollFlags::POLLIN),
            None => PollFd::new(signals, PollFlags::empty()),
        });
        if poll(&mut descriptors, self.timeout()).is_err() {
            // Interrupted by a signal, which has written its notice.
            return Ready::default();
        }
        let [signalled, worker, other, removed] =
            descriptors.map(|descriptor| descriptor.any().unwrap_or(false));
        Ready {
            signalled,
            worker,
            other,
            removed,
        }
    }

    fn timeout(&self) -> PollTimeout {
        let deadlines = [
            self.start_at,
            self.mend_at,
            self.upgrade.as_ref().map(|upgrade| upgrade.deadline),
        ];
        deadlines
            .into_iter()
            .flatten()
            .min()
            .map_or(PollTimeout::NONE, |when| {
                // Rounded up: a millisecond early would be a turn for nothing.
                let left =
                    when.saturating_duration_since(Instant::now()) + Duration::from_micros(999);
                PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
            })
    }

    fn signalled(&mut self) -> Turn {
        if self.asked.child() {
            self.panes.bury();
            if self.departed.as_mut().is_some_and(Worker::has_ended) {
                self.departed = None;
            }
        }
        if self.asked.reload()
            && let Some(worker) = self.serving()
        {
            worker.say(&ToWorker::Reload);
        }
        if !self.asked.stop() {
            return Turn::GoOn;
        }
        if mem::replace(&mut self.stopping, true) {
            log::warn!("stopping at once (a second signal)");
            return Turn::End(self.stop_at_once());
        }
        log::info!("stopping (a signal)");
        service::tell("STOPPING=1");
        match &self.worker {
            Some(worker) if worker.is_welcomed() => {
                worker.say(&ToWorker::Stop);
                Turn::GoOn
            }
            // It is told when it has said hello.
            Some(_) => Turn::GoOn,
            None => {
                self.panes.kill();
                Turn::End(Ok(()))
            }
        }
    }

    fn serving(&self) -> Option<&Worker> {
        self.worker.as_ref().filter(|worker| worker.ready.is_some())
    }

    fn stop_at_once(&mut self) -> Result<()> {
        self.panes.kill();
        for worker in self
            .worker
            .take()
            .into_iter()
            .chain(self.upgrade.take().map(Upgrade::into_other))
        {
            worker.kill();
        }
        Err(anyhow!(StoppedAtOnce))
    }

    /// Reads one message of a worker and does what it says. An end when the daemon's has come.
    fn hear(&mut self, source: Source) -> Option<Result<()>> {
        let worker = match source {
            Source::Worker => self.worker.as_ref(),
            Source::Other => self.upgrade.as_ref().map(Upgrade::other),
        }?;
        match worker.channel.receive::<ToKeeper>() {
            Ok(Some((message, descriptors))) => {
                self.take_in(source, message, descriptors);
                None
            }
            Ok(None) => self.ended(source),
            Err(error) => {
                log::error!("the worker does not keep to the protocol: {error}");
                self.ended(source)
            }
        }
    }

    fn take_in(&mut self, source: Source, message: ToKeeper, descriptors: Vec<OwnedFd>) {
        match (source, message) {
            (Source::Worker, ToKeeper::Hello(hello)) => self.welcome_worker(hello),
            (Source::Other, ToKeeper::Hello(hello)) => self.probed(hello),
            (Source::Worker, ToKeeper::Ready { links }) => self.ready(links),
            (Source::Worker, ToKeeper::CannotStart { message }) => {
                if let Some(worker) = &mut self.worker {
                    worker.failure = Some(message);
                }
            }
            (
                Source::Worker,
                ToKeeper::Open {
                    request,
                    pane,
                    launch,
                },
            ) => self.open(request, pane, Launch::from(*launch), descriptors),
            (Source::Worker, ToKeeper::Reap { request, pane }) => {
                let exit = self.panes.reap(pane);
                self.say(&ToWorker::Reaped { request, exit });
            }
            (Source::Worker, ToKeeper::Forget { pane }) => self.panes.forget(pane),
            (Source::Worker, ToKeeper::Area { pane }) => {
                self.panes
                    .replace_area(pane, descriptors.into_iter().next());
            }
            (Source::Worker, ToKeeper::Stopping) => {
                self.stopping = true;
                service::tell("STOPPING=1");
            }
            (Source::Worker, ToKeeper::Stopped) => {
                if let Some(worker) = &mut self.worker {
                    worker.stopped = true;
                }
            }
            (
                Source::Worker,
                ToKeeper::Upgrade {
                    request,
                    executable,
                },
            ) => self.probe(request, PathBuf::from(executable.0)),
            (Source::Worker, ToKeeper::Cancel) => self.cancel(),
            (Source::Worker, ToKeeper::Leave { request }) => self.take_over(request),
            (source, message) => {
                log::warn!("a message that makes no sense now, from {source:?}: {message:?}");
            }
        }
    }

    fn say(&self, message: &ToWorker) {
        if let Some(worker) = &self.worker {
            worker.say(message);
        }
    }

    fn open(&mut self, request: u64, pane: u64, launch: Launch, descriptors: Vec<OwnedFd>) {
        let Some(worker) = &self.worker else {
            return;
        };
        match self
            .panes
            .open(pane, &launch, descriptors.into_iter().next())
        {
            Ok(kept) => {
                let pane = kept.pane.clone();
                let descriptors = [kept.master.as_fd(), kept.slave.as_fd()];
                let opened = ToWorker::Opened { request, pane };
                if let Err(error) = worker.channel.send(&opened, &descriptors) {
                    log::debug!("not said to the worker: {error}");
                }
            }
            Err(error) => worker.say(&refusal(request, &error)),
        }
    }

    // The worker's life

    fn start_worker(&mut self) -> io::Result<()> {
        let first = self.before == 0;
        let (child, channel) = start::start(&sys::own_executable()?, WORKER, first)?;
        self.before += 1;
        self.worker = Some(Worker::new(channel, Some(child)));
        Ok(())
    }

    fn start_again(&mut self) {
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

    fn welcome_worker(&mut self, hello: Hello) {
        if let Some(worker) = &mut self.worker {
            worker.hello = Some(hello);
        }
        self.welcome();
    }

    /// Gives the worker everything.
    fn welcome(&self) {
        let Some(worker) = &self.worker else {
            return;
        };
        let welcome = || {
            let sockets = [
                self.guarded.protocol.identity(),
                self.guarded.control.identity(),
            ];
            let before = self.before.saturating_sub(1);
            let descriptors = [
                self.guarded.lock.as_fd(),
                self.protocol.as_fd(),
                self.control.as_fd(),
            ];
            let welcome = ToWorker::Welcome { sockets, before };
            worker.channel.send(&welcome, &descriptors)?;
            for kept in self.panes.iter() {
                let pane = ToWorker::Pane(kept.pane.clone());
                worker.channel.send(&pane, &kept.descriptors())?;
            }
            worker.channel.send(&ToWorker::Go, &[])?;
            if self.stopping {
                worker.channel.send(&ToWorker::Stop, &[])?;
            }
            io::Result::Ok(())
        };
        if let Err(error) = welcome() {
            // Its end is what is heard next.
            log::debug!("the worker has died while it was welcomed: {error}");
        }
    }

    fn ready(&mut self, links: Vec<(OsText, OsText)>) {
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
    fn ended(&mut self, source: Source) -> Option<Result<()>> {
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
            return Some(Ok(()));
        }
        if self.on_ready.is_some() {
            self.panes.kill();
            return Some(Err(match failure {
                Some(failure) => anyhow!(failure),
                None => anyhow!("the worker ended before it was ready ({how})"),
            }));
        }
        if self.stopping {
            log::warn!("the worker died in the midst of its stop ({how})");
            self.panes.kill();
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
    fn new(channel: Channel, child: Option<Child>) -> Worker {
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
    fn is_welcomed(&self) -> bool {
        self.hello.is_some() || self.ready.is_some()
    }

    /// Sends. Its end is noticed by whoever hears it.
    fn say(&self, message: &ToWorker) {
        if let Err(error) = self.channel.send(message, &[]) {
            log::debug!("not said to the worker: {error}");
        }
    }

    /// Whether it has ended, as far as can be told.
    fn has_ended(&mut self) -> bool {
        self.child
            .as_mut()
            .is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }

    /// Makes sure that it has ended, and says how.
    fn kill(self) -> String {
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

#[derive(Default)]
struct Ready {
    signalled: bool,
    worker: bool,
    other: bool,
    removed: bool,
}

fn refusal(request: u64, error: &io::Error) -> ToWorker {
    ToWorker::Refused {
        request,
        kind: error.kind().into(),
        message: error.to_string(),
    }
}

/// A second signal ended the daemon; everything is gone already.
#[derive(Debug)]
pub struct StoppedAtOnce;

impl std::fmt::Display for StoppedAtOnce {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("stopped at once")
    }
}

impl std::error::Error for StoppedAtOnce {}
