//! The keeper's loop: one thread, asleep until the worker asks, a signal comes or a process ends.

use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

mod mend;
mod upgrade;
mod worker;

use self::mend::watch;
use self::upgrade::Upgrade;
use self::worker::Worker;
use super::ServeOptions;
use super::files::{self, Link, SessionLock, SocketFile};
use super::service::{self, DescriptorStore, Given};
use super::signals::Asked;
use crate::keeper::estate::{Estate, Left};
use crate::keeper::frame::Channel;
use crate::keeper::kept::{Kept, KeptPanes};
use crate::keeper::message::{Hello, OsText, ToKeeper, ToWorker};
use crate::keeper::restarts::Restarts;
use crate::keeper::start;
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
    /// The service manager's, which holds the panes as well; then a stop that it asks for is not theirs.
    store: Option<DescriptorStore>,
    asked: Asked,
    worker: Option<Worker>,
    /// When the next worker is to be started, while there is none.
    start_at: Option<Instant>,
    restarts: Restarts,
    /// Workers there have been.
    before: u64,
    /// A stop was asked for.
    stopping: bool,
    /// The worker ends the session, and with it all panes.
    ending: bool,
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
    let mut store = DescriptorStore::of_environment();
    let mut panes = KeptPanes::default();
    for kept in given.panes() {
        if let Some(store) = &mut store {
            store.is_holding(&kept);
        }
        panes.insert(kept);
    }
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
        panes,
        store,
        asked,
        worker: None,
        start_at: None,
        restarts: Restarts::default(),
        before: 0,
        stopping: false,
        ending: false,
        upgrade: None,
        departed: None,
        on_ready: Some(options.on_ready),
    };
    if options.fresh {
        keep.forget_panes();
    }
    keep.start_worker().context("starting the worker")?;
    keep.run()
}

/// Goes on for a keeper that has died, or in the place of one of another build, with what the worker hands over. If that
/// dies over it, with what the keeper before has left in this process.
///
/// # Errors
/// Nobody hands anything over, or does not keep to the protocol.
pub fn go_on(options: ServeOptions, left: Option<Left>) -> Result<()> {
    // First of all: nothing else may be opened under these numbers.
    let left = left.and_then(|left| {
        left.take()
            .inspect_err(|error| log::error!("the keeper before has left nothing: {error}"))
            .ok()
    });
    let asked = prepare()?;
    sys::take_signals_again().context("taking signals again")?;
    let channel = start::channel().context("this is started by drover's worker only")?;
    let is_left = left.is_some();
    let (estate, worker) = match handed_over(&channel, left) {
        (estate, Ok(())) => (estate, Some(channel)),
        (estate, Err(error)) if is_left => {
            log::error!("{error:#}; the panes live on");
            (estate, None)
        }
        (_, Err(error)) => return Err(error),
    };
    let estate = estate.context("the worker handed over nothing")?;
    let paths = options.paths;
    let mut store = DescriptorStore::of_environment();
    if let Some(store) = &mut store {
        for kept in estate.panes.iter() {
            store.is_holding(kept);
        }
    }
    let [lock, protocol, control] = estate.held;
    let now = Instant::now();
    let mut keep = Keep {
        guarded: Guarded {
            protocol: SocketFile::go_on(&paths.protocol_socket, estate.sockets[0]),
            control: SocketFile::go_on(&paths.control_socket, estate.sockets[1]),
            links: guarded_links(estate.links),
            lock: SessionLock::go_on(&paths.lock, lock)?,
        },
        watch: watch(&paths),
        // Something may have gone while nobody watched.
        mend_at: Some(now),
        paths,
        protocol: UnixListener::from(protocol),
        control: UnixListener::from(control),
        panes: estate.panes,
        store,
        asked,
        start_at: worker.is_none().then_some(now),
        worker: worker.map(|channel| Worker {
            ready: Some(now),
            ..Worker::new(channel, None)
        }),
        restarts: Restarts::default(),
        before: estate.before,
        stopping: estate.stopping,
        ending: estate.stopping,
        upgrade: None,
        departed: None,
        on_ready: None,
    }
    .told_as_listener()?;
    // Those that ended before this process heard of its children.
    keep.panes.bury();
    if keep.stopping && keep.worker.is_none() {
        keep.end_panes();
        return Ok(());
    }
    keep.run()
}

/// What the worker hands over, added to what was left: the worker knows of later things. What was left is there also
/// when the worker dies over it.
fn handed_over(channel: &Channel, left: Option<Estate>) -> (Option<Estate>, Result<()>) {
    let mut estate = left;
    let end = hear_out(channel, &mut estate);
    (estate, end)
}

fn hear_out(channel: &Channel, estate: &mut Option<Estate>) -> Result<()> {
    channel
        .send(&ToWorker::Hello(Hello::own()), &[])
        .context("the worker has died before this keeper began")?;
    let dead = || anyhow!("the worker has died before it handed everything over");
    loop {
        let (message, descriptors) = channel.receive()?.ok_or_else(dead)?;
        match message {
            ToKeeper::Adopt {
                sockets,
                links,
                stopping,
            } => {
                let held: [OwnedFd; 3] = descriptors
                    .try_into()
                    .map_err(|_| anyhow!("the worker handed over something else"))?;
                let (before, panes) = match estate.take() {
                    Some(left) => (left.before, left.panes),
                    None => (1, KeptPanes::default()),
                };
                *estate = Some(Estate {
                    sockets,
                    links,
                    stopping,
                    before,
                    held,
                    panes,
                });
                break;
            }
            // Said to the keeper before, which did not hear it.
            ToKeeper::Forget { pane, pid } => {
                if let Some(estate) = estate {
                    estate.panes.forget(pane, pid);
                }
            }
            // Asked of the keeper before; it will be asked again.
            _ => {}
        }
    }
    loop {
        match channel.receive()?.ok_or_else(dead)? {
            (ToKeeper::Pane(pane), descriptors) => {
                let kept = Kept::received(pane, descriptors)?;
                if let Some(estate) = estate {
                    estate.panes.take_in(kept);
                }
            }
            (ToKeeper::Adopted, _) => return Ok(()),
            (other, _) => bail!("unexpected from the worker: {other:?}"),
        }
    }
}

fn prepare() -> Result<Asked> {
    sys::restrict_umask();
    sys::outlive_file_limit();
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
                worker.say(&self.way_to_stop());
                Turn::GoOn
            }
            // It is told when it has said hello.
            Some(_) => Turn::GoOn,
            None => {
                self.end_panes();
                Turn::End(Ok(()))
            }
        }
    }

    /// What a stop that a signal asks for means: the end of the session, or of the daemon alone where a service manager
    /// holds the panes. If it stops the service for good it lets go of them, and their terminals hang up.
    fn way_to_stop(&self) -> ToWorker {
        match self.store {
            Some(_) => ToWorker::LetGo,
            None => ToWorker::Stop,
        }
    }

    /// Ends what is left of the panes with the daemon, unless a service manager holds them for the next one.
    fn end_panes(&mut self) {
        if self.store.is_none() || self.ending {
            self.forget_panes();
        }
    }

    /// Ends all panes for good.
    fn forget_panes(&mut self) {
        self.panes.kill();
        if let Some(store) = &mut self.store {
            store.forget_all();
        }
    }

    fn serving(&self) -> Option<&Worker> {
        self.worker.as_ref().filter(|worker| worker.ready.is_some())
    }

    fn stop_at_once(&mut self) -> Result<()> {
        self.end_panes();
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
            (Source::Worker, ToKeeper::Forget { pane, pid }) => {
                if self.panes.forget(pane, pid)
                    && let Some(store) = &mut self.store
                {
                    store.forget(pane);
                }
            }
            (Source::Worker, ToKeeper::Area { pane }) => {
                let kept = self
                    .panes
                    .replace_area(pane, descriptors.into_iter().next());
                if let Some((store, kept)) = self.store.as_mut().zip(kept) {
                    store.forget(pane);
                    store.keep(kept);
                }
            }
            (Source::Worker, ToKeeper::Stopping) => {
                self.stopping = true;
                self.ending = true;
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
                // After the answer: whoever waits for the pane does not wait for this.
                if let Some(store) = &mut self.store {
                    // One that had the number before.
                    store.forget(kept.pane.pane);
                    store.keep(kept);
                }
            }
            Err(error) => worker.say(&refusal(request, &error)),
        }
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
