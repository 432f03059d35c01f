//! The thread of a pane: bytes from the terminal to the screen, bytes from the queue to the
//! terminal, and the end.
//!
//! It sleeps in one `poll` on the terminal, the wake descriptor and the exit watch, and its only
//! timeouts are deadlines of something that happened: a look at the foreground, or the kill that
//! follows a close. An idle pane never wakes.

use std::io;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::write;

use super::ending::Ending;
use super::foreground::{ForegroundWatch, LookSchedule};
use super::handle::{Pane, PaneEvents, end_at_once};
use super::input::Input;
use super::process::{self, PaneProcess};
use super::screen::Note;
use super::screen_lock::FeedGuard;
use crate::sys::{self, ExitWatch};

/// Virtual size of the stack, in bytes; what is not touched costs nothing. The deepest calls are
/// the terminal engine's.
const STACK: usize = 256 * 1024;

/// Most bytes taken in one read, and so fed under one hold of the screen's lock. A Linux terminal
/// gives about 4 KiB.
pub(super) const READ_SIZE: usize = 64 * 1024;

/// Reads under one wake-up, before input and deadlines get their turn.
const READS_PER_ROUND: usize = 16;

/// Text of a flood is shown when nothing has come for this long. The terminal of a program that still
/// writes is empty for microseconds; a person does not see a few milliseconds.
const FLOOD_PAUSE: Duration = Duration::from_millis(5);

/// Writes under one wake-up.
const WRITES_PER_ROUND: usize = 16;

/// Most bytes still read after the process has exited. What a program wrote before its exit waits
/// in the kernel's buffers, far below this; more can only come from another process that floods the
/// same terminal.
const DRAIN_LIMIT: usize = 1024 * 1024;

/// How long a suspended pane waits for its program to take input that was sent before.
const LEAVE_TIME: Duration = Duration::from_millis(100);

/// A thread that panics more often than this has a fault that repeats; the pane is closed.
const PANICS_SURVIVED: usize = 8;

pub(super) struct PaneThread {
    pane: Arc<Pane>,
    process: PaneProcess,
    exit: ExitWatch,
    events: Arc<dyn PaneEvents>,
    buffer: Vec<u8>,
    /// Taken from the queue and partly written.
    writing: Option<Input>,
    /// The kernel has hung the terminal up: nothing more to read or write, ever.
    hung_up: bool,
    schedule: LookSchedule,
    foreground: ForegroundWatch,
    /// Output since [`PaneEvents::settled`] was last called.
    unsettled: bool,
    /// The screen lags behind a flood, and is to catch up now if nothing more comes.
    catch_up_due: Option<Instant>,
    ending: Ending,
    /// When a pane that was suspended stops waiting for its input to be taken.
    leave_at: Option<Instant>,
}

impl PaneThread {
    /// Starts the thread, which first waits at `gate`.
    pub(super) fn start(
        pane: Arc<Pane>,
        mut process: PaneProcess,
        exit: ExitWatch,
        gate: Receiver<Arc<dyn PaneEvents>>,
    ) -> io::Result<()> {
        let name = format!("pane-{}", process.pid);
        let (hand_over, receive) = std::sync::mpsc::channel::<PaneProcess>();
        let spawned = thread::Builder::new()
            .name(name)
            .stack_size(STACK)
            .spawn(move || {
                let Ok(mut process) = receive.recv() else {
                    return;
                };
                // Marks the pane finished however this thread ends.
                let _finished = Finished(Arc::clone(&pane));
                let Ok(events) = gate.recv() else {
                    end_at_once(&mut process);
                    pane.mark_exited(None);
                    return;
                };
                let shell_pid = process.pid;
                PaneThread {
                    pane,
                    process,
                    exit,
                    events,
                    buffer: vec![0; READ_SIZE],
                    writing: None,
                    hung_up: false,
                    schedule: LookSchedule::default(),
                    foreground: ForegroundWatch::new(shell_pid),
                    unsettled: false,
                    catch_up_due: None,
                    ending: Ending::Running,
                    leave_at: None,
                }
                .run();
            });
        match spawned {
            Ok(_) => {
                // The thread waits for it, so it arrives.
                let _ = hand_over.send(process);
                Ok(())
            }
            Err(error) => {
                end_at_once(&mut process);
                Err(error)
            }
        }
    }

    fn run(mut self) {
        // A screen that was rebuilt may hold answers and notes of its former life.
        self.deliver(self.pane.screen.lock_to_feed());
        // The first look tells what runs in a pane that stays silent.
        self.touch(Instant::now());
        let mut panics = 0;
        while self.ending != Ending::Done {
            if catch_unwind(AssertUnwindSafe(|| self.round())).is_ok() {
                continue;
            }
            panics += 1;
            log::error!(
                "panic in the thread of pane process {} ({panics})",
                self.process.pid
            );
            if panics > PANICS_SURVIVED {
                self.give_up();
            }
        }
    }

    /// The last resort of a thread that cannot go on.
    fn give_up(&mut self) {
        end_at_once(&mut self.process);
        self.pane.mark_exited(None);
        let _ = catch_unwind(AssertUnwindSafe(|| {
            self.events.exited(self.pane.key(), None)
        }));
        self.ending = Ending::Done;
    }

    /// Sleeps until something happens and deals with it.
    fn round(&mut self) {
        let ready = self.wait();
        if ready.woken {
            self.pane.wake.drain();
            if self.pane.suspended.load(Ordering::Acquire) && self.leave_at.is_none() {
                self.leave_at = Some(Instant::now() + LEAVE_TIME);
            }
            if self.pane.closing.load(Ordering::Acquire) {
                self.writing = None;
                let foreground = sys::foreground_group(self.pane.master.as_fd());
                self.ending
                    .ask(self.process.pid, foreground, Instant::now());
            }
        }
        if ready.readable {
            self.read_some(READS_PER_ROUND);
        }
        if ready.writable || self.writing.is_none() {
            self.write_some();
        }
        if ready.exited {
            self.reap();
        }
        let now = Instant::now();
        if self.catch_up_due.is_some_and(|due| due <= now) {
            self.come_to_rest();
        }
        self.look(now);
        let master = self.pane.master.as_fd();
        self.ending.advance(now, || sys::foreground_group(master));
        let idle = self.writing.is_none() && self.pane.input.is_empty();
        if self.leave_at.is_some_and(|when| idle || when <= now) {
            self.ending = Ending::Done;
        }
    }

    fn wait(&mut self) -> Ready {
        let master = self.pane.master.as_fd();
        let mut wanted = PollFlags::POLLIN;
        if self.writing.is_some() || !self.pane.input.is_empty() {
            wanted |= PollFlags::POLLOUT;
        }
        let wake = self.pane.wake.as_fd();
        // What is not asked for any more is asked of the wake descriptor, which has nothing to say
        // to no flags.
        let nothing = PollFd::new(wake, PollFlags::empty());
        let reaped = self.ending.is_shell_gone();
        let mut descriptors = [
            PollFd::new(wake, PollFlags::POLLIN),
            if reaped {
                nothing.clone()
            } else {
                PollFd::new(self.exit.as_fd(), PollFlags::POLLIN)
            },
            if self.hung_up {
                nothing
            } else {
                PollFd::new(master, wanted)
            },
        ];
        if poll(&mut descriptors, self.timeout(Instant::now())).is_err() {
            // Interrupted: all is asked again. Nothing else can go wrong with descriptors that we
            // own.
            return Ready::default();
        }
        let [woken, exited, terminal] =
            descriptors.map(|descriptor| descriptor.revents().unwrap_or(PollFlags::empty()));
        Ready {
            woken: !woken.is_empty(),
            exited: !exited.is_empty(),
            readable: terminal
                .intersects(PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR),
            writable: terminal.contains(PollFlags::POLLOUT),
        }
    }

    fn timeout(&self, now: Instant) -> PollTimeout {
        let deadlines = [
            self.ending.deadline(now),
            self.look_deadline(),
            self.leave_at,
            self.catch_up_due,
        ];
        match deadlines.into_iter().flatten().min() {
            None => PollTimeout::NONE,
            Some(deadline) => {
                // Rounded up: a millisecond early would be a round for nothing.
                let left = deadline.saturating_duration_since(now) + Duration::from_micros(999);
                PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
            }
        }
    }

    fn look_deadline(&self) -> Option<Instant> {
        if self.hung_up {
            None
        } else {
            self.schedule.deadline()
        }
    }

    fn touch(&mut self, now: Instant) {
        self.pane.activity.touch(now);
        self.schedule.activity(now);
    }

    /// Reads what is there, up to `rounds` times. Returns the number of bytes.
    fn read_some(&mut self, rounds: usize) -> usize {
        let mut total = 0;
        let mut flooded = false;
        for _ in 0..rounds {
            let area = self.pane.screen.area();
            match area.read(self.pane.master.as_fd(), &mut self.buffer) {
                Ok(0) | Err(Errno::EIO) => {
                    self.hang_up();
                    break;
                }
                Ok(count) => {
                    total += count;
                    flooded = self.feed(count);
                }
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => break,
                Err(error) => {
                    log::warn!(
                        "cannot read the terminal of process {}: {error}",
                        self.process.pid
                    );
                    self.hang_up();
                    break;
                }
            }
        }
        if total > 0 {
            let now = Instant::now();
            if flooded {
                self.catch_up_due = Some(now + FLOOD_PAUSE);
            } else {
                self.come_to_rest();
            }
            self.unsettled = true;
            self.touch(now);
        }
        total
    }

    fn come_to_rest(&mut self) {
        self.catch_up_due = None;
        self.pane.screen.lock_to_feed().come_to_rest();
        // Who looked when the output came saw a screen, or numbers of it, that lagged behind.
        self.pane.watchers.notify();
    }

    fn hang_up(&mut self) {
        self.hung_up = true;
        self.writing = None;
        self.pane.input.close();
    }

    /// Gives the screen what was read. Whether that is part of a flood.
    fn feed(&mut self, count: usize) -> bool {
        let mut screen = self.pane.screen.lock_to_feed();
        screen.receive(&self.buffer[..count]);
        let flooded = screen.is_flooded();
        self.deliver(screen);
        flooded
    }

    /// Passes on what the program asked for and what it said beside the picture.
    fn deliver(&self, mut screen: FeedGuard) {
        let replies = screen.take_replies();
        let notes = screen.take_notes();
        // Before anyone can see the text that came with it, so that who waits for a prompt finds
        // the directory that the shell named just before.
        for note in &notes {
            if let Note::Cwd { host, path } = note
                && is_this_host(host)
            {
                self.pane.directories.report(path.clone());
            }
        }
        drop(screen);
        if !replies.is_empty() {
            // A program that asks and does not read loses answers, not we memory.
            let _ = self.pane.input.push(Input::new(replies, None));
        }
        if !notes.is_empty() {
            self.events.output(self.pane.key(), notes);
        }
        // Last, so that whoever was woken by the text also finds the title that came with it.
        self.pane.watchers.notify();
    }

    /// Writes what waits, as long as the terminal takes it.
    fn write_some(&mut self) {
        let mut wrote = false;
        for _ in 0..WRITES_PER_ROUND {
            let Some(mut input) = self.writing.take().or_else(|| self.pane.input.take()) else {
                break;
            };
            if let Err(given_up) = input.ask() {
                self.pane.input_done(given_up);
                if input.remaining().is_empty() {
                    continue;
                }
            }
            match write(&self.pane.master, input.remaining()) {
                Ok(0) | Err(Errno::EAGAIN) => {
                    self.writing = Some(input);
                    break;
                }
                Ok(count) => {
                    wrote = true;
                    self.pane.input_done(count);
                    if !input.advance(count) {
                        self.writing = Some(input);
                    }
                }
                Err(Errno::EINTR) => self.writing = Some(input),
                Err(error) => {
                    // Hung up, as the next read will say too.
                    log::debug!(
                        "cannot write to the terminal of process {}: {error}",
                        self.process.pid
                    );
                    self.pane.input_done(input.remaining().len());
                    break;
                }
            }
        }
        if self.writing.is_none() && self.pane.input.is_empty() {
            self.pane.screen.area().answered();
        }
        if wrote {
            self.touch(Instant::now());
        }
    }

    /// Looks at the foreground if a look is due.
    fn look(&mut self, now: Instant) {
        if self.hung_up {
            return;
        }
        let Some(look) = self.schedule.take_due(now) else {
            return;
        };
        if let Some(job) = self
            .foreground
            .look(self.pane.foreground_group(), look, now)
        {
            self.pane.activity.touch(now);
            self.events.foreground_changed(self.pane.key(), job);
        }
        if std::mem::take(&mut self.unsettled) {
            let area = self.pane.screen.area();
            if area.should_rest() {
                area.rest(&mut self.pane.screen.lock());
            }
            self.events.settled(self.pane.key());
        }
    }

    /// The pane's process has exited: take what it left, report, and see who else must go.
    fn reap(&mut self) {
        let status: Option<ExitStatus> = match process::reap(&mut self.process) {
            Ok(Some(status)) => Some(status),
            Ok(None) => return,
            Err(error) => {
                log::warn!("cannot collect process {}: {error}", self.process.pid);
                None
            }
        };
        let mut drained = 0;
        while drained < DRAIN_LIMIT && !self.hung_up {
            match self.read_some(1) {
                0 => break,
                count => drained += count,
            }
        }
        self.come_to_rest();
        self.ending.shell_exited(Instant::now());
        self.pane.mark_exited(status);
        self.events.exited(self.pane.key(), status);
    }
}

#[derive(Default)]
struct Ready {
    woken: bool,
    exited: bool,
    readable: bool,
    writable: bool,
}

struct Finished(Arc<Pane>);

impl Drop for Finished {
    fn drop(&mut self) {
        self.0.mark_finished();
    }
}

/// Whether a `file:` address with this host means this machine; a shell at the far end of ssh names
/// its own.
fn is_this_host(host: &str) -> bool {
    host.is_empty()
        || host.eq_ignore_ascii_case("localhost")
        || nix::unistd::gethostname().is_ok_and(|own| own.eq_ignore_ascii_case(host))
}
