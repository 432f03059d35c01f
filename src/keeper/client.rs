//! The worker's end: says what it has to say, and asks the keeper for what only that can do. Panes are in [`panes`];
//! what is heard, and what follows the keeper's death, in [`hearing`].

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::AtomicI32;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

mod hearing;
mod panes;

use super::frame::Channel;
use super::kept::Kept;
use super::message::{FileIdentity, Hello, OsText, ToKeeper, ToWorker, Which};
use crate::sync::lock;
use crate::sys::ExitWatch;
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
    /// Save, let go of everything and end: whoever holds the descriptors starts a daemon that goes on.
    LetGo,
}

/// Who goes on when the keeper has died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Succession {
    /// This process starts another.
    Own,
    /// A service manager, which holds the panes' descriptors, starts the whole daemon again.
    ServiceManager,
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
    /// Nobody else can go on if this worker cannot.
    pub alone: bool,
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
    /// The worker of another executable, from when it has said what it is.
    successor: Option<ExitWatch>,
    /// That one was given everything, or is just being given it.
    left: bool,
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
        let (files, before, alone, descriptors) = match next(&channel)? {
            (
                ToWorker::Welcome {
                    sockets,
                    before,
                    alone,
                },
                descriptors,
            ) => (sockets, before, alone, descriptors),
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
            alone,
            client: Arc::new(Client {
                line: Mutex::new(Line {
                    channel: Arc::new(channel),
                    up: true,
                    child: None,
                    stopping: false,
                    leaving: false,
                    successor: None,
                    left: false,
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
    pub fn listen(
        self: &Arc<Self>,
        succession: Succession,
        obey: impl Fn(Order) + Send + 'static,
    ) -> io::Result<()> {
        let client = Arc::clone(self);
        thread::Builder::new()
            .name("keeper".to_owned())
            .stack_size(STACK)
            .spawn(move || client.hear(succession, &obey))
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
            (ToWorker::Able { hello, .. }, _) => {
                lock(&self.line).successor = Some(ExitWatch::of(hello.pid)?);
                Ok(hello)
            }
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// The other executable is not wanted after all.
    pub fn cancel_upgrade(&self) {
        let mut line = lock(&self.line);
        line.successor = None;
        line.say(&ToKeeper::Cancel);
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
        lock(&self.line).left = true;
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
    fn connected(&self, deadline: Instant) -> MutexGuard<'_, Line> {
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
