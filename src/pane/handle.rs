//! `Pane`: what the rest of the daemon holds of a pane. Every method returns at once, except where
//! it says that it waits.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::area::{Area, AreaError};
use super::directories::{Activity, Directories, DirectoryCache};
use super::foreground::{self, ForegroundJob, LISTED_PROCESSES};
use super::input::{Input, InputCheck, InputQueue, SendError};
use super::io::PaneThread;
use super::process::{self, Launch, Own, PaneProcess, Spawned, Terminals};
use super::screen::{Note, Screen, ScrollMetrics, Size};
use super::screen_lock::{ScreenGuard, ScreenLock};
use super::watch::{WatchGuard, Watchers};
use crate::sync::lock;
use crate::sys::{self, ExitWatch, Wake};
use crate::world::PaneKey;

/// What a pane's thread reports upward. No lock is held during any of these calls, and for one pane
/// they come one after the other, in the order things happened; `exited` comes last.
pub trait PaneEvents: Send + Sync {
    /// The program said something that is not text: a title, a directory, a bell. Never called with
    /// no notes.
    fn output(&self, pane: PaneKey, notes: Vec<Note>);

    /// There was output, and it has come to rest, or goes on for a while already: the moment to
    /// look at the screen again. At most about ten times a second.
    fn settled(&self, pane: PaneKey);

    /// Another process group came to the foreground, or the one there executed another program or
    /// has other members.
    fn foreground_changed(&self, pane: PaneKey, job: Arc<ForegroundJob>);

    /// The pane's process has exited and all it had written is on the screen. `None` if its status
    /// could not be had.
    fn exited(&self, pane: PaneKey, status: Option<ExitStatus>);
}

/// A pane whose process runs, but whose thread waits for [`begin`](StartingPane::begin), so that
/// nothing is reported of a pane that is not in the world yet. Dropped without that, it ends its
/// process.
#[must_use = "the pane is closed when this is dropped"]
pub struct StartingPane {
    pane: Arc<Pane>,
    begin: Sender<Arc<dyn PaneEvents>>,
}

impl StartingPane {
    /// The pane, to be put where those who hear of it will look for it.
    pub fn pane(&self) -> &Arc<Pane> {
        &self.pane
    }

    /// Lets the pane's thread go; from now on it reports to `events`.
    pub fn begin(self, events: Arc<dyn PaneEvents>) -> Arc<Pane> {
        // The thread waits for this and for nothing else, so it cannot have gone.
        let _ = self.begin.send(events);
        self.pane
    }
}

/// A process on a pseudo-terminal, the screen it draws, and the thread that carries bytes between
/// them.
///
/// The handle outlives the process; then `send` refuses, the screen stays, and the directories are
/// the last known.
pub struct Pane {
    key: PaneKey,
    shell_pid: i32,
    shell_started: Option<u64>,
    terminal: u64,
    start_directory: PathBuf,
    pub(super) master: Arc<OwnedFd>,
    pub(super) screen: ScreenLock,
    /// Guards the size last set; taken before the screen's lock.
    size: Mutex<Size>,
    pub(super) input: InputQueue,
    pub(super) wake: Wake,
    pub(super) watchers: Arc<Watchers>,
    pub(super) activity: Activity,
    pub(super) directories: DirectoryCache,
    pub(super) closing: AtomicBool,
    /// Somebody has typed something.
    typed: AtomicBool,
    /// See [`Pane::watch_child_groups`].
    child_groups: AtomicBool,
    pub(super) suspended: AtomicBool,
    /// Guards how far the end has come; no other lock is taken under it.
    life: Mutex<Life>,
    life_changed: Condvar,
}

impl std::fmt::Debug for Pane {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Pane")
            .field("key", &self.key)
            .field("shell_pid", &self.shell_pid)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Life {
    exited: bool,
    status: Option<ExitStatus>,
    finished: bool,
}

/// What `pane.process_info` shows (herdr 0.9.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessInfo {
    /// The pane's first process.
    pub shell_pid: i32,
    /// The foreground group; absent after the exit.
    pub foreground: Option<ForegroundJob>,
}

impl Pane {
    /// Starts a process with a screen that keeps `scrollback_rows`, as a child of this process.
    ///
    /// # Errors
    /// The operating system's: see [`process::spawn`]; or threads have run out.
    pub fn open(key: PaneKey, launch: &Launch, scrollback_rows: usize) -> io::Result<StartingPane> {
        Pane::open_in(&Own, key, launch, scrollback_rows)
    }

    /// The same, as a child of whose `terminals` are.
    ///
    /// # Errors
    /// As [`open`](Pane::open).
    pub fn open_in(
        terminals: &dyn Terminals,
        key: PaneKey,
        launch: &Launch,
        scrollback_rows: usize,
    ) -> io::Result<StartingPane> {
        let mut screen = Screen::new(launch.size, scrollback_rows);
        let area = Area::create(&mut screen)?;
        let spawned = terminals.open(key, launch, area.descriptor())?;
        Pane::around(key, spawned, screen, area)
    }

    /// Goes on with a process that another process of the daemon had started, and with the screen
    /// as that had it. `area` is what it comes from. Where that is no good the screen is blank, and
    /// the program is made to draw again.
    ///
    /// # Errors
    /// When descriptors or threads have run out.
    pub fn take_over(
        terminals: &dyn Terminals,
        key: PaneKey,
        spawned: Spawned,
        area: Option<OwnedFd>,
        scrollback_rows: usize,
    ) -> io::Result<StartingPane> {
        let rebuilt = area.map(|area| {
            let area = Area::open(area)?;
            let rebuilt = area.rebuild()?;
            Ok::<_, AreaError>((area, rebuilt))
        });
        match rebuilt {
            Some(Ok((area, rebuilt))) => {
                if rebuilt.isolated {
                    log::error!("pane {key:?}: its output was deadly, and was dropped");
                }
                return Pane::around(key, spawned, rebuilt.screen, area);
            }
            Some(Err(error)) => log::error!("pane {key:?}: its screen is lost: {error}"),
            None => log::error!("pane {key:?}: its screen was never kept"),
        }
        let master = spawned.master.as_fd();
        let (cols, rows) = sys::window_size(master).unwrap_or((80, 24));
        let size = Size { cols, rows };
        let mut screen = Screen::new(size, scrollback_rows);
        let area = Area::create(&mut screen)?;
        // Nobody knows any more; in most panes somebody has.
        area.typed_into();
        terminals.replace_area(key, area.descriptor());
        // The program hears of a change, and finds nothing changed.
        let other = Size {
            rows: rows.saturating_add(1),
            ..size
        };
        for size in [other, size] {
            let _ = process::resize(master, size);
        }
        Pane::around(key, spawned, screen, area)
    }

    fn around(
        key: PaneKey,
        spawned: Spawned,
        screen: Screen,
        area: Area,
    ) -> io::Result<StartingPane> {
        let Spawned {
            mut process,
            master,
            terminal,
            directory,
            gone,
        } = spawned;
        let watched = Wake::new().and_then(|wake| {
            let exit = match gone {
                true => ExitWatch::passed(),
                false => ExitWatch::of(process.pid),
            };
            Ok((wake, exit?))
        });
        let (wake, exit) = match watched {
            Ok(watched) => watched,
            Err(error) => {
                end_at_once(&mut process);
                return Err(error);
            }
        };
        let size = screen.size();
        let typed = area.was_typed_into();
        let pane = Arc::new(Pane {
            key,
            shell_pid: process.pid,
            shell_started: sys::process_facts(process.pid).map(|facts| facts.started),
            terminal,
            start_directory: directory.clone(),
            master,
            screen: ScreenLock::new(screen, area),
            size: Mutex::new(size),
            input: InputQueue::default(),
            wake,
            watchers: Arc::default(),
            activity: Activity::new(Instant::now()),
            directories: DirectoryCache::new(directory),
            closing: AtomicBool::new(false),
            typed: AtomicBool::new(typed),
            child_groups: AtomicBool::new(false),
            suspended: AtomicBool::new(false),
            life: Mutex::default(),
            life_changed: Condvar::new(),
        });
        let (begin, gate) = mpsc::channel();
        PaneThread::start(Arc::clone(&pane), process, exit, gate)?;
        Ok(StartingPane { pane, begin })
    }

    /// A pane in which nothing runs, because it could not be started again: its screen says `why`.
    /// It counts as exited from the start.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn without_process(
        key: PaneKey,
        size: Size,
        directory: &Path,
        why: &str,
    ) -> io::Result<Arc<Pane>> {
        let mut screen = Screen::new(size, 0);
        screen.feed(why.as_bytes());
        let area = Area::create(&mut screen)?;
        let null = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/null")?;
        let pane = Pane {
            key,
            // No process has these, so none is taken for one of this pane.
            shell_pid: -1,
            shell_started: Some(u64::MAX),
            terminal: u64::MAX,
            start_directory: directory.to_owned(),
            master: Arc::new(null.into()),
            screen: ScreenLock::new(screen, area),
            size: Mutex::new(size),
            input: InputQueue::default(),
            wake: Wake::new()?,
            watchers: Arc::default(),
            activity: Activity::new(Instant::now()),
            directories: DirectoryCache::new(directory.to_owned()),
            closing: AtomicBool::new(false),
            // It has no shell that could be starting.
            typed: AtomicBool::new(true),
            child_groups: AtomicBool::new(false),
            suspended: AtomicBool::new(false),
            life: Mutex::default(),
            life_changed: Condvar::new(),
        };
        pane.mark_exited(None);
        pane.mark_finished();
        Ok(Arc::new(pane))
    }

    /// The pane's number in the world.
    pub fn key(&self) -> PaneKey {
        self.key
    }

    /// The shell's, or command's, process number; also its session and its own process group.
    pub fn shell_pid(&self) -> i32 {
        self.shell_pid
    }

    /// When the shell, or command, started; with its number it names the process for good.
    pub fn shell_started(&self) -> Option<u64> {
        self.shell_started
    }

    /// Device number of the pane's terminal, as [`sys::ProcessFacts::terminal`] gives it for the
    /// processes in it.
    pub fn terminal(&self) -> u64 {
        self.terminal
    }

    /// Where the process was really started.
    pub fn start_directory(&self) -> &Path {
        &self.start_directory
    }

    /// The shared memory that the pane's output goes through.
    pub fn area(&self) -> &Area {
        self.screen.area()
    }

    /// Sets how many bytes may wait to be typed before more are refused ([`SendError::QueueFull`]).
    pub fn limit_input(&self, bytes: usize) {
        self.input.set_limit(bytes);
    }

    /// Sets whether the newest job of the pane's shell counts as the one in the foreground, whoever
    /// has the terminal.
    pub fn watch_child_groups(&self, on: bool) {
        self.child_groups.store(on, Ordering::Relaxed);
    }

    /// The process group that counts as the one in the foreground.
    pub(super) fn foreground_group(&self) -> Option<i32> {
        if self.child_groups.load(Ordering::Relaxed) {
            Some(foreground::child_group(self.shell_pid))
        } else {
            sys::foreground_group(self.master.as_fd())
        }
    }

    /// Locks the screen, before the pane's own next feed even if the pane floods.
    pub fn screen(&self) -> ScreenGuard<'_> {
        self.screen.lock()
    }

    /// The screen's scroll metrics as of its last change, without its lock.
    pub fn scroll_metrics(&self) -> ScrollMetrics {
        self.screen.scroll_metrics()
    }

    /// The screen's content revision as of its last change, without its lock.
    pub fn revision(&self) -> u64 {
        self.screen.revision()
    }

    /// Queues bytes for the program. They stay together and in the order of the calls.
    ///
    /// # Errors
    /// When too much waits already or the process is gone; then nothing is written.
    pub fn send(&self, bytes: impl Into<Vec<u8>>) -> Result<(), SendError> {
        self.note_typing();
        self.queue(Input::new(bytes.into(), None))
    }

    fn note_typing(&self) {
        if !self.typed.swap(true, Ordering::Relaxed) {
            self.area().typed_into();
        }
    }

    /// Whether anybody has typed anything yet, in another worker's days as well. What runs in a shell's pane before that was started
    /// by the shell's own startup files.
    pub fn was_typed_into(&self) -> bool {
        self.typed.load(Ordering::Relaxed)
    }

    /// As [`send`](Pane::send), but the bytes are dropped when `check` says no right before they are
    /// written. A program that reads slowly gets them in pieces, and it is asked before each.
    ///
    /// # Errors
    /// As `send`; a check that says no is not one.
    pub fn send_checked(
        &self,
        bytes: impl Into<Vec<u8>>,
        check: InputCheck,
    ) -> Result<(), SendError> {
        self.note_typing();
        self.queue(Input::new(bytes.into(), Some(check)))
    }

    fn queue(&self, input: Input) -> Result<(), SendError> {
        self.input.push(input)?;
        self.wake.notify();
        Ok(())
    }

    /// Counts input as written. Watchers whose input was refused are told when there is room again.
    pub(super) fn input_done(&self, count: usize) {
        if self.input.done(count) {
            self.watchers.notify();
        }
    }

    /// Gives screen and terminal another size. The program hears of it once, and not at all if
    /// nothing changed.
    pub fn resize(&self, size: Size) {
        let mut current = lock(&self.size);
        if *current == size {
            return;
        }
        *current = size;
        // The screen stays locked until the kernel knows: what the program redraws meets a screen
        // of the new size.
        let mut screen = self.screen.lock();
        screen.resize(size);
        let replies = screen.take_replies();
        if let Err(error) = process::resize(self.master.as_fd(), size) {
            log::debug!(
                "cannot resize the terminal of process {}: {error}",
                self.shell_pid
            );
        }
        drop(screen);
        drop(current);
        if !replies.is_empty() {
            // A program that does not read loses answers, not we memory.
            let _ = self.queue(Input::new(replies, None));
        }
        self.watchers.notify();
    }

    /// Scrolls the viewport, see [`Screen::scroll_to`].
    pub fn scroll_to(&self, offset_from_bottom: u64) {
        self.screen.lock().scroll_to(offset_from_bottom);
        self.watchers.notify();
    }

    /// Clears screen and scrollback but for the prompt, see [`Screen::clear`].
    pub fn clear(&self) {
        self.screen.lock().clear();
        self.watchers.notify();
    }

    /// The size last set, in cells.
    pub fn size(&self) -> Size {
        *lock(&self.size)
    }

    /// Watches for output, resizes and the exit; `wake` may be shared by watches of several panes.
    pub fn watch(&self, wake: &Arc<Wake>) -> WatchGuard {
        self.watchers.add(wake)
    }

    /// Where the shell and the foreground program are. Asks the operating system only if something
    /// happened since.
    pub fn directories(&self) -> Arc<Directories> {
        if self.has_exited() {
            // The process number may be somebody else's by now.
            return self.directories.last();
        }
        self.directories
            .get(&self.activity, Instant::now(), self.shell_pid, || {
                sys::foreground_group(self.master.as_fd())
            })
    }

    /// The processes in the foreground now, read from the operating system.
    pub fn process_info(&self) -> ProcessInfo {
        let group = if self.has_exited() {
            None
        } else {
            self.foreground_group()
        };
        let foreground =
            group.map(|group| ForegroundJob::read(self.shell_pid, group, LISTED_PROCESSES));
        ProcessInfo {
            shell_pid: self.shell_pid,
            foreground,
        }
    }

    /// Asks the pane's processes to end, and half a second later makes them. Returns at once;
    /// `exited` is still reported.
    pub fn close(&self) {
        if !self.closing.swap(true, Ordering::AcqRel) {
            self.input.close();
            self.wake.notify();
            // Who waits for output of this pane need not wait for the end of its processes.
            self.watchers.notify();
        }
    }

    /// Ends the pane's thread and leaves its process alone: another process of the daemon goes on with it. Input that
    /// waits is still written, but only for a moment. Returns at once; see [`wait_finished`](Pane::wait_finished).
    pub fn suspend(&self) {
        self.suspended.store(true, Ordering::Release);
        self.input.close();
        self.wake.notify();
    }

    /// Ends the pane's processes now. Nothing is reported or waited for: this is for a daemon that
    /// ends itself at once.
    pub fn kill(&self) {
        if self.has_exited() {
            // The process number may be somebody else's by now.
            return;
        }
        process::signal(self.shell_pid, process::GroupSignal::Kill);
        if let Some(group) = sys::foreground_group(self.master.as_fd()) {
            process::signal(group, process::GroupSignal::Kill);
        }
    }

    /// True once the process has exited and its last output is on the screen.
    pub fn has_exited(&self) -> bool {
        self.life().exited
    }

    /// How the process exited, once it has and if that could be learned.
    pub fn exit_status(&self) -> Option<ExitStatus> {
        self.life().status
    }

    /// Waits until the pane's thread is done: its process is reaped, `exited` has been reported,
    /// and after a [`close`](Pane::close) nothing of its session's foreground is left. False when
    /// `deadline` came first.
    pub fn wait_finished(&self, deadline: Instant) -> bool {
        let mut life = lock(&self.life);
        while !life.finished {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            life = self
                .life_changed
                .wait_timeout(life, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }

    fn life(&self) -> Life {
        *lock(&self.life)
    }

    pub(super) fn mark_exited(&self, status: Option<ExitStatus>) {
        let mut life = lock(&self.life);
        life.exited = true;
        life.status = status;
        drop(life);
        self.input.close();
        self.watchers.notify();
    }

    pub(super) fn mark_finished(&self) {
        lock(&self.life).finished = true;
        self.life_changed.notify_all();
    }
}

/// Ends a process that never became a pane; it has had no time to start anything, so this does not
/// take long.
pub(super) fn end_at_once(process: &mut PaneProcess) {
    process::signal(process.pid, process::GroupSignal::Kill);
    if let Err(error) = process::bury(process) {
        log::warn!("cannot collect process {}: {error}", process.pid);
    }
}
