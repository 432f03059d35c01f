//! `terminal.observe` and `terminal.control`: a pane shown frame by frame to a client, and driven by
//! one, in the connection's own thread.
//!
//! No frame waits in a queue: the next one is made when the one before has been written, from the
//! picture that the client has to the one that the pane shows by then. So a client that does not read
//! costs one frame, and when it reads again it sees the present.

mod commands;

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};

use crate::api::control::{ControlResult, TerminalControlParams, TerminalObserveParams};
use crate::api::terminal_stream::TerminalRecord;
use crate::api::{ApiError, envelope};
use crate::authority::rules::{PANE, READ, type_into};
use crate::pane::{Modes, Pane, Picture, Size, frame, input_modes};
use crate::state::{Driver, Driving, Live, Runtime};
use crate::sys::Wake;
use crate::world::{PaneKey, TerminalSize};

use self::commands::{Done, Lines};
use super::wait::{self, timeout};
use super::{Call, Ended, find};

/// Least time between two frames: sixty a second, which is as often as screens are drawn.
const FRAME_TIME: Duration = Duration::from_millis(16);

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
    let size = size(p.cols, p.rows)?;
    let driver = if p.attach {
        Driver::Attached
    } else {
        Driver::Controller
    };
    run(call, target, size, Some((driver, p.takeover)))
}

fn size(cols: u16, rows: u16) -> Result<Size, ApiError> {
    /// Four times the largest monitor; a larger viewer sees the pane in its corner.
    const MOST: u16 = 1024;
    if cols == 0 || rows == 0 {
        let message = "cols and rows must be greater than 0";
        return Err(ApiError::new("invalid_params", message));
    }
    Ok(Size {
        cols: cols.clamp(2, MOST),
        rows: rows.min(MOST),
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
    let started = ControlResult::TerminalStream {
        pane_id: target.pane_id.clone(),
        terminal_id: target.terminal_id.clone(),
    };
    let started = envelope::success_line(call.id, &started);
    if wait::write_all(call.client, started.as_bytes(), ANSWER_TIME).is_err() {
        return Err(Ended::Silent);
    }
    let mut driving = None;
    if let Some((driver, takeover)) = drive {
        let wanted = TerminalSize {
            cols: size.cols,
            rows: size.rows,
        };
        match target.runtime.drive(driver, wanted, takeover, &wake) {
            Ok(place) => driving = Some(place),
            Err(_) => {
                let reason = format!(
                    "terminal session control failed: terminal {} already has an attached client; \
                     retry with --takeover",
                    target.terminal_id
                );
                close(call, &reason);
                return Err(Ended::Silent);
            }
        }
    }
    let attached = matches!(drive, Some((Driver::Attached, _)));
    let mut stream = Stream {
        call,
        pane: target.runtime.pane.clone(),
        target,
        driving,
        attached,
        size,
        wake,
        shown: None,
        modes: Modes::fresh(),
        wheel: None,
        sequence: 0,
        lines: Lines::default(),
        out: Vec::new(),
        written: 0,
        progress: Instant::now(),
        next_frame: Instant::now(),
        synchronized_since: None,
        seen_revision: None,
    };
    match stream.run() {
        Ok(reason) => close(call, reason),
        Err(error) => log::debug!("a viewer is gone: {error}"),
    }
    Err(Ended::Silent)
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
    attached: bool,
    size: Size,
    wake: Arc<Wake>,
    /// What the client's terminal shows once everything is written.
    shown: Option<Picture>,
    /// The modes of input that it has then.
    modes: Modes,
    /// What it was told about the wheel.
    wheel: Option<bool>,
    sequence: u64,
    lines: Lines,
    /// What is being written, and how much of it has been.
    out: Vec<u8>,
    written: usize,
    /// When the client last took something.
    progress: Instant,
    next_frame: Instant,
    synchronized_since: Option<Instant>,
    /// The revision of the screen at the last look.
    seen_revision: Option<u64>,
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
            let now = Instant::now();
            // While there is news that has to wait for its time, more of it need not wake us.
            let is_news = self.seen_revision != Some(self.pane.revision());
            if !is_news || now >= self.next_frame {
                watch.arm();
            }
            let was_writing = !self.out.is_empty();
            let deadline = if was_writing {
                Some(self.progress + STALLED_TIME)
            } else {
                self.look(now)
            };
            self.write()?;
            let exited = self.pane.has_exited();
            if self.out.is_empty() {
                let is_news = self.seen_revision != Some(self.pane.revision());
                if exited && !is_news {
                    return Ok("terminal closed");
                }
                // Whatever came since the look may have been told already, and is not told again.
                if was_writing || exited || (is_news && deadline.is_none()) {
                    continue;
                }
            }
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
        let revision = self.pane.revision();
        if self.seen_revision == Some(revision) && self.shown.is_some() {
            return None;
        }
        // The last picture of a program waits for nothing.
        let exited = self.pane.has_exited();
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
        if !bytes.is_empty() {
            self.sequence += 1;
            let size = (self.size.cols, self.size.rows);
            let record = TerminalRecord::frame(&bytes, full, size, self.sequence);
            self.queue(&record);
            self.next_frame = now + FRAME_TIME;
        }
        if self.attached {
            self.pass_on_modes(&picture.modes);
        }
        self.shown = Some(picture);
        None
    }

    /// Gives an attached terminal the modes by which the program wants its input.
    fn pass_on_modes(&mut self, modes: &Modes) {
        let bytes = input_modes(&self.modes, modes);
        let wheel = modes.leaves_wheel();
        if !bytes.is_empty() || self.wheel != Some(wheel) {
            self.queue(&TerminalRecord::effect(&bytes, wheel));
            self.modes = *modes;
            self.wheel = Some(wheel);
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
        let mut wanted = PollFlags::POLLIN;
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
        if client.intersects(PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR) {
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
        let Some(driving) = &self.driving else {
            // Who only watches has nothing to say.
            return Ok(None);
        };
        self.lines.push(&buffer[..count]);
        while let Some(line) = self.lines.next()? {
            match commands::run(self.call, self.target.key, &self.pane, driving, &line) {
                Done::Nothing => {}
                Done::Resized(size) => self.size = size,
                Done::Released => return Ok(Some("detached")),
            }
        }
        // Another size, or a scrolled viewport.
        self.seen_revision = None;
        Ok(None)
    }
}
