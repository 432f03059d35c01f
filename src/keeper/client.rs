//! The worker's end: asks the keeper for processes, hears its orders, and starts another keeper when it has died.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::frame::Channel;
use super::kept::Kept;
use super::message::{
    Exit, FileIdentity, Hello, KeptPane, LaunchText, OsText, ToKeeper, ToWorker, Which,
};
use super::restarts::Restarts;
use super::start::{self, KEEPER};
use crate::pane::process::{self, GroupSignal, PaneProcess, Parent, Spawned};
use crate::pane::{Launch, Terminals};
use crate::sync::lock;
use crate::sys;
use crate::world::PaneKey;

/// How long an upgrade may take in all: longer than the keeper gives the other worker, see `daemon::keep`.
const UPGRADE_PATIENCE: Duration = Duration::from_secs(40);

/// How long a question may take, over as many keepers as die meanwhile. Starting a process takes a few milliseconds,
/// starting a keeper some more.
const PATIENCE: Duration = Duration::from_secs(10);

/// Stack of the thread that hears the keeper, in bytes: it decodes small messages, and reads the configuration again.
const STACK: usize = 512 * 1024;

/// What the keeper says that nobody asked for.
#[derive(Debug)]
pub enum Order {
    /// Stop in order.
    Stop,
    /// Read the configuration again.
    Reload,
    /// Accept connections here from now on, too.
    Listen(Which, UnixListener),
}

/// What a worker begins with.
#[derive(Debug)]
pub struct Joined {
    /// The way to the keeper.
    pub client: Arc<Client>,
    /// The listening socket of herdr's protocol.
    pub protocol: UnixListener,
    /// The listening socket of drover's own.
    pub control: UnixListener,
    /// Panes that run already.
    pub panes: Vec<PaneKey>,
    /// Workers that this session had before.
    pub before: u64,
}

/// The way to the keeper. Every method can be called from any thread.
#[derive(Debug)]
pub struct Client {
    /// The connection, and what is sent on it: whoever holds the lock is the only one that sends. Taken before
    /// `questions` and `held`.
    line: Mutex<Line>,
    connected: Condvar,
    questions: Mutex<Questions>,
    held: Mutex<Held>,
    /// The keeper's process number: asked for where nobody may wait for the line.
    keeper: AtomicI32,
}

#[derive(Debug)]
struct Line {
    channel: Arc<Channel>,
    /// False from the keeper's end until another has taken over.
    up: bool,
    /// The keeper, where this process has started it.
    child: Option<Child>,
    stopping: bool,
    /// Another process takes everything over, so nothing of it is let go of.
    leaving: bool,
    links: Vec<(PathBuf, PathBuf)>,
}

#[derive(Debug, Default)]
struct Questions {
    last: u64,
    waiting: HashMap<u64, SyncSender<Answer>>,
}

type Answer = (ToWorker, Vec<OwnedFd>);

/// Duplicates of what the keeper holds, for the next one.
#[derive(Debug)]
struct Held {
    lock: OwnedFd,
    sockets: [OwnedFd; 2],
    files: [FileIdentity; 2],
    panes: BTreeMap<u64, Kept>,
}

impl Client {
    /// Says hello to the keeper that started this process and takes what it gives. Waits until it gives it: during an
    /// upgrade that is when the worker before has let go.
    ///
    /// # Errors
    /// The keeper has gone, or does not keep to the protocol.
    pub fn join(channel: Channel) -> io::Result<Joined> {
        channel.send(&ToKeeper::Hello(Hello::own()), &[])?;
        let (files, before, descriptors) = match next(&channel)? {
            (ToWorker::Welcome { sockets, before }, descriptors) => (sockets, before, descriptors),
            (other, _) => return Err(unexpected(&other)),
        };
        let [lock, protocol, control]: [OwnedFd; 3] = descriptors
            .try_into()
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        let mut panes = BTreeMap::new();
        loop {
            match next(&channel)? {
                (ToWorker::Pane(pane), descriptors) => {
                    let kept = Kept::received(pane, descriptors)?;
                    panes.insert(kept.pane.pane, kept);
                }
                (ToWorker::Go, _) => break,
                (other, _) => return Err(unexpected(&other)),
            }
        }
        let listener = |socket: &OwnedFd| socket.try_clone().map(UnixListener::from);
        Ok(Joined {
            protocol: listener(&protocol)?,
            control: listener(&control)?,
            panes: panes.keys().copied().map(PaneKey::new).collect(),
            before,
            client: Arc::new(Client {
                line: Mutex::new(Line {
                    channel: Arc::new(channel),
                    up: true,
                    child: None,
                    stopping: false,
                    leaving: false,
                    links: Vec::new(),
                }),
                connected: Condvar::new(),
                questions: Mutex::default(),
                held: Mutex::new(Held {
                    lock,
                    sockets: [protocol, control],
                    files,
                    panes,
                }),
                // It has just answered, and it started this process.
                keeper: AtomicI32::new(std::os::unix::process::parent_id().cast_signed()),
            }),
        })
    }

    /// Starts the thread that hears the keeper and gives its orders to `obey`.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn listen(self: &Arc<Self>, obey: impl Fn(Order) + Send + 'static) -> io::Result<()> {
        let client = Arc::clone(self);
        thread::Builder::new()
            .name("keeper".to_owned())
            .stack_size(STACK)
            .spawn(move || client.hear(&obey))
            .map(drop)
    }

    /// Says that this worker serves. The keeper takes the links away when the daemon stops.
    pub fn ready(&self, links: Vec<(PathBuf, PathBuf)>) {
        let mut line = lock(&self.line);
        line.links = links;
        let links = spelled(&line.links);
        line.say(&ToKeeper::Ready { links });
    }

    /// Says that this worker cannot serve, and why.
    pub fn cannot_start(&self, message: &str) {
        let message = message.to_owned();
        lock(&self.line).say(&ToKeeper::CannotStart { message });
    }

    /// Says that a stop was asked for.
    pub fn stopping(&self) {
        let mut line = lock(&self.line);
        line.stopping = true;
        line.say(&ToKeeper::Stopping);
    }

    /// Says that everything is done and this process ends.
    pub fn stopped(&self) {
        // Also to a keeper that is just being started: it has files to take away.
        let line = self.connected(Instant::now() + PATIENCE);
        line.say(&ToKeeper::Stopped);
    }

    /// A pane that runs already: its process, and what its screen is rebuilt from.
    ///
    /// # Errors
    /// There is none of this number, or descriptors have run out.
    pub fn take(self: &Arc<Self>, pane: PaneKey) -> io::Result<(Spawned, Option<OwnedFd>)> {
        let held = lock(&self.held);
        let kept = held
            .panes
            .get(&pane.number())
            .ok_or(io::ErrorKind::NotFound)?;
        let area = kept.area.as_ref().map(OwnedFd::try_clone).transpose()?;
        Ok((self.spawned(kept), area))
    }

    /// Lets go of a pane; what is left of its process is killed.
    pub fn forget(&self, pane: PaneKey) {
        let pane = pane.number();
        // In this order, so that a keeper that takes over either never hears of it or is told to forget it.
        let line = lock(&self.line);
        if !line.leaving && lock(&self.held).panes.remove(&pane).is_some() {
            line.say(&ToKeeper::Forget { pane });
        }
    }

    fn spawned(self: &Arc<Self>, kept: &Kept) -> Spawned {
        let parent = KeeperIsParent {
            client: Arc::clone(self),
            pane: kept.pane.pane,
        };
        Spawned {
            process: PaneProcess::new(Box::new(parent), kept.pane.pid, Arc::clone(&kept.slave)),
            master: Arc::clone(&kept.master),
            terminal: kept.pane.terminal,
            directory: PathBuf::from(&kept.pane.directory.0),
            gone: kept.is_gone(),
        }
    }

    /// Has another executable's worker started, which waits for [`leave`](Client::leave) and takes over then; what it
    /// says it is.
    ///
    /// # Errors
    /// It cannot be run, is no drover, or one that does not understand this keeper.
    pub fn prepare_upgrade(&self, executable: &Path) -> io::Result<Hello> {
        let executable = OsText::from(executable);
        let question = |request| ToKeeper::Upgrade {
            request,
            executable: executable.clone(),
        };
        match self.ask_within(UPGRADE_PATIENCE, question, &[])? {
            (ToWorker::Able { hello, .. }, _) => Ok(hello),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// The other executable is not wanted after all.
    pub fn cancel_upgrade(&self) {
        lock(&self.line).say(&ToKeeper::Cancel);
    }

    /// From now on nothing is let go of: another process has it soon.
    pub fn leaving(&self) {
        lock(&self.line).leaving = true;
    }

    /// Says that this process has let go of everything, and waits until the other one serves.
    ///
    /// # Errors
    /// It could not. This process has to end all the same: yet another takes over.
    pub fn leave(&self) -> io::Result<()> {
        let question = |request| ToKeeper::Leave { request };
        self.ask_within(UPGRADE_PATIENCE, question, &[]).map(drop)
    }

    /// Asks, and asks the next keeper when one dies over the answer.
    fn ask(&self, question: impl Fn(u64) -> ToKeeper) -> io::Result<Answer> {
        self.ask_within(PATIENCE, question, &[])
    }

    fn ask_within(
        &self,
        patience: Duration,
        question: impl Fn(u64) -> ToKeeper,
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<Answer> {
        let deadline = Instant::now() + patience;
        loop {
            let (answered, answer) = sync_channel(1);
            let request = {
                let line = self.connected(deadline);
                let mut questions = lock(&self.questions);
                questions.last += 1;
                let request = questions.last;
                questions.waiting.insert(request, answered);
                drop(questions);
                line.say_with(&question(request), descriptors);
                request
            };
            let left = deadline.saturating_duration_since(Instant::now());
            match answer.recv_timeout(left) {
                Ok((ToWorker::Refused { kind, message, .. }, _)) => {
                    return Err(io::Error::new(kind.into(), message));
                }
                Ok(answer) => return Ok(answer),
                // The keeper has died; its questions were dropped.
                Err(RecvTimeoutError::Disconnected) if Instant::now() < deadline => {}
                Err(_) => {
                    lock(&self.questions).waiting.remove(&request);
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "drover's keeper does not answer; its log says more",
                    ));
                }
            }
        }
    }

    /// The line, once it is up or `deadline` has come.
    fn connected(&self, deadline: Instant) -> std::sync::MutexGuard<'_, Line> {
        let mut line = lock(&self.line);
        while !line.up {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            line = self
                .connected
                .wait_timeout(line, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        line
    }

    fn hear(&self, obey: &dyn Fn(Order)) {
        let mut restarts = Restarts::default();
        let mut since = None;
        loop {
            let channel = Arc::clone(&lock(&self.line).channel);
            match channel.receive::<ToWorker>() {
                Ok(Some((message, descriptors))) => self.take_in(message, descriptors, obey),
                end => {
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

    fn take_in(&self, message: ToWorker, descriptors: Vec<OwnedFd>, obey: &dyn Fn(Order)) {
        match message {
            ToWorker::Stop => obey(Order::Stop),
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

impl Line {
    /// Sends. A keeper that is gone is noticed by the thread that hears it.
    fn say(&self, message: &ToKeeper) {
        self.say_with(message, &[]);
    }

    fn say_with(&self, message: &ToKeeper, descriptors: &[BorrowedFd<'_>]) {
        if self.up
            && let Err(error) = self.channel.send(message, descriptors)
        {
            log::debug!("not said to the keeper: {error}");
        }
    }
}

impl Terminals for Arc<Client> {
    fn open(&self, key: PaneKey, launch: &Launch, area: BorrowedFd<'_>) -> io::Result<Spawned> {
        let launch = Box::new(LaunchText::from(launch));
        let pane = key.number();
        let question = |request| ToKeeper::Open {
            request,
            pane,
            launch: launch.clone(),
        };
        let (answer, mut descriptors) = self.ask_within(PATIENCE, question, &[area])?;
        let ToWorker::Opened { pane, .. } = answer else {
            return Err(unexpected(&answer));
        };
        descriptors.push(area.try_clone_to_owned()?);
        let kept = Kept::received(pane, descriptors)?;
        let spawned = self.spawned(&kept);
        lock(&self.held).panes.insert(kept.pane.pane, kept);
        Ok(spawned)
    }

    fn replace_area(&self, key: PaneKey, area: BorrowedFd<'_>) {
        let pane = key.number();
        let line = lock(&self.line);
        if let Some(kept) = lock(&self.held).panes.get_mut(&pane) {
            kept.area = area.try_clone_to_owned().ok();
        }
        line.say_with(&ToKeeper::Area { pane }, &[area]);
    }

    fn parent(&self) -> i32 {
        self.keeper.load(Ordering::Relaxed)
    }
}

/// The parent of a pane's process, as the pane sees it.
#[derive(Debug)]
struct KeeperIsParent {
    client: Arc<Client>,
    pane: u64,
}

impl Parent for KeeperIsParent {
    fn reap(&mut self) -> io::Result<Option<ExitStatus>> {
        let pane = self.pane;
        match self
            .client
            .ask(|request| ToKeeper::Reap { request, pane })?
        {
            (ToWorker::Reaped { exit, .. }, _) => {
                self.client.note_exit(pane, exit);
                match exit {
                    Exit::Running => Ok(None),
                    Exit::Status(status) => Ok(Some(ExitStatus::from_raw(status))),
                    Exit::Unknown => Err(io::Error::other(
                        "it was the child of a keeper that has died, so its status is lost",
                    )),
                }
            }
            (other, _) => Err(unexpected(&other)),
        }
    }

    fn bury(&mut self) -> io::Result<()> {
        // The keeper kills and collects whatever is forgotten.
        self.client.forget(PaneKey::new(self.pane));
        Ok(())
    }
}

impl Drop for KeeperIsParent {
    fn drop(&mut self) {
        self.client.forget(PaneKey::new(self.pane));
    }
}

impl Client {
    /// Remembers an exit for the next keeper, which could not learn it any more.
    fn note_exit(&self, pane: u64, exit: Exit) {
        if exit != Exit::Running
            && let Some(kept) = lock(&self.held).panes.get_mut(&pane)
        {
            kept.pane.exit = Some(exit);
        }
    }

    /// Kills what runs in every pane, for a worker that ends at once.
    pub fn kill(&self) {
        for kept in lock(&self.held).panes.values() {
            process::signal(kept.pane.pid, GroupSignal::Kill);
        }
    }

    /// What is known of a pane that runs already.
    pub fn record(&self, pane: PaneKey) -> Option<KeptPane> {
        let held = lock(&self.held);
        held.panes.get(&pane.number()).map(|kept| kept.pane.clone())
    }
}

fn next(channel: &Channel) -> io::Result<Answer> {
    channel
        .receive::<ToWorker>()?
        .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn unexpected(message: &ToWorker) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("unexpected from the keeper: {message:?}"),
    )
}

fn spelled(links: &[(PathBuf, PathBuf)]) -> Vec<(OsText, OsText)> {
    links
        .iter()
        .map(|(path, target)| (OsText::from(path.as_path()), OsText::from(target.as_path())))
        .collect()
}
