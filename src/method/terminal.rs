//! `terminal.observe` and `terminal.control`: a pane shown frame by frame to a client, and driven by
//! one, in the connection's own thread.
//!
//! No frame waits in a queue: the next one is made when the one before has been written, from the
//! picture that the client has to the one that the pane shows by then. So a client that does not read
//! costs one frame, and when it reads again it sees the present.

mod commands;
mod effects;

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};

use crate::api::control::{ControlResult, TerminalControlParams, TerminalObserveParams};
use crate::api::terminal_stream::{HANDED_OVER, TerminalRecord};
use crate::api::{ApiError, envelope};
use crate::authority::Place;
use crate::authority::rules::{PANE, READ, SIZE, type_into};
use crate::pane::{Pane, Picture, Size, frame};
use crate::state::{Driver, Driving, Live, Runtime};
use crate::sys::Wake;
use crate::world::{PaneKey, TerminalSize};

use self::commands::{Done, Lines};
use self::effects::Effects;
use super::wait::{self, timeout};
use super::{Call, Ended, find};

/// Least time between two frames: sixty a second, which is as often as screens are drawn.
const FRAME_TIME: Duration = Duration::from_millis(16);

/// Least time from a look that found nothing to show to the next one. A program that draws the same
/// over and over is not looked at without a pause, and what it draws next is not late for anybody.
const LOOK_TIME: Duration = Duration::from_millis(2);

/// How long a program may be in the middle of a frame of its own (DECSET 2026) before it is shown
/// as it is: as long as terminals wait that know the mode.
const SYNCHRONIZED_TIME: Duration = Duration::from_millis(150);

/// How long a client may take nothing of what is written before it counts as gone (herdr 0.9.1).
const STALLED_TIME: Duration = Duration::from_secs(30);

/// Time for the first line, as for any answer.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// Why a stream ends whose client may not have it any more.
const RIGHT_IS_GONE: &str = "the right to this pane was taken away";

/// Bytes read from the client at once.
const READ_SIZE: usize = 16 * 1024;

pub fn observe(call: &Call<'_>, p: TerminalObserveParams) -> Result<String, Ended> {
    let target = Target::find(&call.shared.look(), &p.target)?;
    call.may(&READ, Some(target.key))?;
    let size = size(p.cols, p.rows)?;
    run(call, target, size, None)
}

pub fn control(call: &Call<'_>, p: TerminalControlParams) -> Result<String, Ended> {
    let target = Target::find(&call.shared.look(), &p.target)?;
    call.typing(target.key)?;
    if p.takeover {
        call.may(&SIZE, Some(target.key))?;
    }
    let size = size(p.cols, p.rows)?;
    let driver = if p.attach {
        Driver::Attached
    } else {
        Driver::Controller
    };
    run(call, target, size, Some((driver, p.takeover)))
}

fn size(cols: u16, rows: u16) -> Result<Size, ApiError> {
    /// Columns and rows that are looked at, four times the largest monitor's; a larger viewer sees the
    /// pane in its corner.
    const MOST: u16 = 1024;
    /// Cells that are looked at. Each takes 32 bytes for as long as the stream lasts.
    const MOST_CELLS: u32 = 128 * 1024;
    if cols == 0 || rows == 0 {
        let message = "cols and rows must be greater than 0";
        return Err(ApiError::new("invalid_params", message));
    }
    let cols = cols.clamp(2, MOST);
    let most_rows = u16::try_from(MOST_CELLS / u32::from(cols)).unwrap_or(MOST);
    Ok(Size {
        cols,
        rows: rows.min(MOST).min(most_rows),
    })
}

/// What a client asked to see.
struct Target {
    key: PaneKey,
    pane_id: String,
    terminal_id: String,
    runtime: Arc<Runtime>,
}

impl Target {
    /// A terminal by its id, a pane, or an agent by its name.
    fn find(live: &Live, target: &str) -> Result<Target, ApiError> {
        let by_terminal = || {
            live.world.panes().map(|pane| pane.key()).find(|key| {
                live.pane(*key)
                    .is_some_and(|entry| entry.terminal_id == target)
            })
        };
        let key = live
            .world
            .find_pane(target)
            .or_else(by_terminal)
            .map_or_else(|| find::agent(live, target), Ok);
        let no_target = || {
            ApiError::new(
                "terminal_not_found",
                format!("terminal target {target} not found"),
            )
        };
        let key = match key {
            Err(error) if error.code == "agent_not_found" => return Err(no_target()),
            other => other?,
        };
        let (Some(entry), Some(pane)) = (live.pane(key), live.world.pane(key)) else {
            return Err(no_target());
        };
        Ok(Target {
            key,
            pane_id: pane.id().to_string(),
            terminal_id: entry.terminal_id.clone(),
            runtime: entry.runtime.clone(),
        })
    }
}

/// Answers, shows the pane until one side ends it, and says why.
fn run(
    call: &Call<'_>,
    target: Target,
    size: Size,
    drive: Option<(Driver, bool)>,
) -> Result<String, Ended> {
    call.slot
        .become_stream()
        .map_err(|full| ApiError::new("rate_limited", full.to_string()))?;
    let wake = Arc::new(Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?);
    // Before the answer, so that who gets it first has the place, and what is told from then on.
    let driving = drive.map(|(driver, takeover)| {
        let wanted = may_size(call, target.key).then_some(TerminalSize {
            cols: size.cols,
            rows: size.rows,
        });
        target.runtime.drive(driver, wanted, takeover, &wake)
    });
    let effects = matches!(drive, Some((Driver::Attached, _))).then(|| {
        let is_persons = call.place() == Place::Outside;
        Effects::new(call.shared.attach(target.key, is_persons, &wake))
    });
    let started = ControlResult::TerminalStream {
        pane_id: target.pane_id.clone(),
        terminal_id: target.terminal_id.clone(),
    };
    let started = envelope::success_line(call.id, &started);
    if wait::write_all(call.client, started.as_bytes(), ANSWER_TIME).is_err() {
        return Err(Ended::Silent);
    }
    let Ok(driving) = driving.transpose() else {
        let reason = format!(
            "terminal session control failed: terminal {} already has an attached client; \
             retry with --takeover",
            target.terminal_id
        );
        close(call, &reason);
        return Err(Ended::Silent);
    };
    let mut stream = Stream {
        call,
        pane: target.runtime.pane.clone(),
        target,
        driving,
        effects,
        size,
        wake,
        shown: None,
        sequence: 0,
        lines: Lines::default(),
        held: None,
        out: Vec::new(),
        written: 0,
        progress: Instant::now(),
        next_frame: Instant::now(),
        synchronized_since: None,
        seen_revision: None,
        seen_exit: false,
    };
    match stream.run() {
        Ok(reason) => close(call, reason),
        Err(error) => log::debug!("a viewer is gone: {error}"),
    }
    Err(Ended::Silent)
}

/// Whether the caller's terminal may give the pane its size; who may only type sees the pane as it is.
fn may_size(call: &Call<'_>, key: PaneKey) -> bool {
    call.may(&SIZE, Some(key)).is_ok()
}

/// The last record. The program that reads may have gone.
fn close(call: &Call<'_>, reason: &str) {
    let line = TerminalRecord::closed(reason).line();
    let _ = wait::write_all(call.client, line.as_bytes(), ANSWER_TIME);
}

struct Stream<'a> {
    call: &'a Call<'a>,
    target: Target,
    pane: Arc<Pane>,
    driving: Option<Driving>,
    /// What an attached terminal gets besides.
    effects: Option<Effects<'a>>,
    size: Size,
    wake: Arc<Wake>,
    /// What the client's terminal shows once everything is written.
    shown: Option<Picture>,
    sequence: u64,
    lines: Lines,
    /// A command whose input the pane had no room for. Until it has, nothing more is read, so that the
    /// client waits and a paste arrives whole.
    held: Option<String>,
    /// What is being written, and how much of it has been.
    out: Vec<u8>,
    written: usize,
    /// When the client last took something.
    progress: Instant,
    next_frame: Instant,
    synchronized_since: Option<Instant>,
    /// The revision of the screen at the last look.
    seen_revision: Option<u64>,
    /// The program had exited before the last look.
    seen_exit: bool,
}

impl Stream<'_> {
    /// Shows and listens until there is a reason to close, or the client is gone.
    fn run(&mut self) -> io::Result<&'static str> {
        self.call.client.set_nonblocking(true)?;
        let watch = self.pane.watch(&self.wake);
        loop {
            if !self.may_go_on() {
                return Ok(RIGHT_IS_GONE);
            }
            if let Some(driving) = &self.driving
                && driving.sizes()
                && !may_size(self.call, self.target.key)
            {
                driving.resize(None);
            }
            let now = Instant::now();
            // While there is news that has to wait for its time, more of it need not wake us.
            let is_news = self.seen_revision != Some(self.pane.revision());
            if !is_news || now >= self.next_frame || self.held.is_some() {
                watch.arm();
            }
            if self.held.is_some()
                && let Some(reason) = self.obey()?
            {
                return Ok(reason);
            }
            let was_writing = !self.out.is_empty();
            let (frame_due, effect_due) = match was_writing {
                true => (None, None),
                false => (self.look(now), self.pass_on_news(now)),
            };
            self.write()?;
            let deadline = if self.out.is_empty() {
                // The last picture has been written. Whatever others still print is nobody's.
                if self.seen_exit {
                    return Ok("terminal closed");
                }
                let is_news = self.seen_revision != Some(self.pane.revision());
                // Whatever came since the look may have been told already, and is not told again.
                if was_writing || self.pane.has_exited() || (is_news && frame_due.is_none()) {
                    continue;
                }
                frame_due.into_iter().chain(effect_due).min()
            } else {
                Some(self.progress + STALLED_TIME)
            };
            match self.sleep(deadline)? {
                Some(reason) => return Ok(reason),
                None if !self.out.is_empty() && self.progress.elapsed() >= STALLED_TIME => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                None => {}
            }
        }
    }

    /// Whether the caller may still see, or drive, the pane. Of one that has closed it may see the end.
    fn may_go_on(&self) -> bool {
        let key = self.target.key;
        let rule = match self.driving {
            Some(_) => type_into(PANE),
            None => READ,
        };
        self.call.may(&rule, Some(key)).is_ok() || self.call.shared.look().pane(key).is_none()
    }

    /// Makes the next frame if it is time and there is something new. When to look again, if not
    /// before the next news.
    fn look(&mut self, now: Instant) -> Option<Instant> {
        // The last picture of a program waits for nothing.
        let exited = self.pane.has_exited();
        self.seen_exit = exited;
        let revision = self.pane.revision();
        if self.seen_revision == Some(revision) && self.shown.is_some() {
            return None;
        }
        if now < self.next_frame && !exited {
            return Some(self.next_frame);
        }
        let picture = {
            let mut screen = self.pane.screen();
            if screen.modes().synchronized_output && self.shown.is_some() && !exited {
                let due = *self.synchronized_since.get_or_insert(now) + SYNCHRONIZED_TIME;
                if now < due {
                    return Some(due);
                }
            } else {
                self.synchronized_since = None;
            }
            self.seen_revision = Some(screen.revision());
            Picture::of(&mut screen, self.size)
        };
        let full = self
            .shown
            .as_ref()
            .is_none_or(|shown| shown.size() != picture.size());
        let bytes = frame(self.shown.as_ref(), &picture);
        self.next_frame = now + LOOK_TIME;
        if !bytes.is_empty() {
            self.sequence += 1;
            let size = (self.size.cols, self.size.rows);
            let record = TerminalRecord::frame(&bytes, full, size, self.sequence);
            self.queue(&record);
            self.next_frame = now + FRAME_TIME;
        }
        let effects = self.effects.as_mut();
        if let Some(effect) = effects.and_then(|effects| effects.of_modes(&picture.modes)) {
            self.queue(&TerminalRecord::Effect(effect));
        }
        self.shown = Some(picture);
        None
    }

    /// Passes on what has come for an attached terminal. When to do so again, if there is something
    /// that has to wait.
    fn pass_on_news(&mut self, now: Instant) -> Option<Instant> {
        match self.effects.as_mut()?.of_news(&self.pane, now) {
            Ok(effect) => {
                self.queue(&TerminalRecord::Effect(effect?));
                None
            }
            Err(due) => Some(due),
        }
    }

    fn queue(&mut self, record: &TerminalRecord) {
        if self.out.is_empty() {
            self.progress = Instant::now();
        }
        self.out.extend_from_slice(record.line().as_bytes());
    }

    /// Writes what the client takes now.
    fn write(&mut self) -> io::Result<()> {
        let mut client = self.call.client;
        while self.written < self.out.len() {
            match client.write(&self.out[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.written += count;
                    self.progress = Instant::now();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        self.written = 0;
        // A frame of a whole screen is not kept at hand.
        self.out = Vec::new();
        Ok(())
    }

    /// Sleeps until something happens, and takes in what the client says. Why it is over, if it is.
    fn sleep(&mut self, deadline: Option<Instant>) -> io::Result<Option<&'static str>> {
        let mut wanted = PollFlags::empty();
        if self.held.is_none() {
            wanted |= PollFlags::POLLIN;
        }
        if !self.out.is_empty() {
            wanted |= PollFlags::POLLOUT;
        }
        let mut descriptors = [
            PollFd::new(self.call.client.as_fd(), wanted),
            PollFd::new(self.call.shared.stop.wake.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.wake.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut descriptors, timeout(deadline)) {
            Ok(_) => {}
            Err(Errno::EINTR) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let [client, stop, woken] =
            descriptors.map(|descriptor| descriptor.revents().unwrap_or(PollFlags::empty()));
        if !stop.is_empty() {
            if self.call.shared.stop.is_handover() {
                // Whoever takes the pane over finds it as it is, and this viewer comes back to it.
                self.target.runtime.keep_size();
                return Ok(Some(HANDED_OVER));
            }
            return Ok(Some("server is shutting down"));
        }
        if !woken.is_empty() {
            self.wake.drain();
            if let Some(driving) = &self.driving
                && driving.end.is_taken()
            {
                return Ok(Some("terminal attach taken over"));
            }
        }
        let is_gone = client.intersects(PollFlags::POLLHUP | PollFlags::POLLERR);
        if is_gone && self.held.is_some() {
            return Ok(Some("detached"));
        }
        if is_gone || client.contains(PollFlags::POLLIN) {
            return self.listen();
        }
        Ok(None)
    }

    /// Takes in what the client says.
    fn listen(&mut self) -> io::Result<Option<&'static str>> {
        if !self.may_go_on() {
            return Ok(Some(RIGHT_IS_GONE));
        }
        let mut buffer = [0; READ_SIZE];
        let mut client = self.call.client;
        let count = match client.read(&mut buffer) {
            // It has gone, or wants no more: both give the pane back.
            Ok(0) => return Ok(Some("detached")),
            Ok(count) => count,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if self.driving.is_none() {
            // Who only watches has nothing to say.
            return Ok(None);
        }
        self.lines.push(&buffer[..count]);
        self.obey()
    }

    /// Does what the client has said, as far as it can be done now. Why it is over, if it is.
    fn obey(&mut self) -> io::Result<Option<&'static str>> {
        let Some(driving) = &self.driving else {
            return Ok(None);
        };
        let mut next = self.held.take();
        while let Some(line) = next.map_or_else(|| self.lines.next(), |line| Ok(Some(line)))? {
            match commands::run(self.call, self.target.key, &self.pane, driving, &line) {
                Done::Nothing => {}
                Done::Resized(size) => {
                    self.size = size;
                    // The pane may keep its own, and show more or less of itself all the same.
                    self.seen_revision = None;
                }
                Done::Released => return Ok(Some("detached")),
                Done::Full => {
                    self.held = Some(line);
                    break;
                }
            }
            next = None;
        }
        Ok(None)
    }
}
