//! A person's terminal, attached to a pane: raw, full-screen, and given back as it was on every way
//! out.

mod effects;
mod keys;
mod raw;

use std::io::{self, IsTerminal, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, send};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use self::keys::{Action, Keys};
use self::raw::{OWN_TITLE, RESET_MODES, RawTerminal, show};
use super::call::CallError;
use super::exchange::Patience;
use super::lending::Lending;
use super::terminal::TerminalStream;
use crate::api::control::TerminalControlParams;
use crate::api::terminal_stream::{
    Effect, HANDED_OVER, ScrollDirection, ScrollSource, TerminalCommand, TerminalRecord, decoded,
    encoded,
};
use crate::sys;

/// How long a daemon that has gone is tried again: one that was killed is back within a second, one
/// that restores many panes takes longer.
const RETURN_TIME: Duration = Duration::from_secs(10);

/// Between two tries.
const RETURN_PAUSE: Duration = Duration::from_millis(50);

/// How long one try waits for an answer. Meanwhile the keyboard is not read.
const ANSWER_TIME: Patience = Patience::Limited(Duration::from_secs(1));

/// Bytes of commands that may wait for the daemon to take them. Beyond that the keyboard is not read,
/// so that a paste of any length arrives whole.
const OUTGOING_LIMIT: usize = 256 * 1024;

const WHEEL_ON: &str = "\x1b[?1000h\x1b[?1006h";
const WHEEL_OFF: &str = "\x1b[?1000l\x1b[?1006l";

/// How an attachment ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detached {
    /// The person left, or the terminal did.
    ByPerson,
    /// The daemon ended it, and said why.
    ByDaemon(String),
    /// The daemon has gone and did not come back.
    DaemonGone,
}

/// Why there was nothing to attach.
#[derive(Debug)]
pub enum AttachError {
    /// Standard input or output is no terminal.
    NoTerminal,
    /// The daemon cannot be reached, or refuses.
    Call(CallError),
    /// The terminal does not work.
    Terminal(io::Error),
}

impl From<io::Error> for AttachError {
    fn from(error: io::Error) -> Self {
        AttachError::Terminal(error)
    }
}

/// Attaches the terminal of standard input and output to what `target` names, until one side ends
/// it. Meanwhile the panes may use the person's SSH agent, if that is `lent`.
///
/// # Errors
/// See [`AttachError`]; nothing has been attached then.
pub fn attach(
    socket: &Path,
    target: &str,
    takeover: bool,
    mut lent: Option<Lending>,
) -> Result<Detached, AttachError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(AttachError::NoTerminal);
    }
    let (cols, rows) = window_size();
    let params = TerminalControlParams {
        target: target.to_owned(),
        cols,
        rows,
        takeover,
        attach: true,
    };
    let stream = TerminalStream::control(socket, &params).map_err(AttachError::Call)?;
    let resized = signal_pipe(&[SIGWINCH])?;
    let ended = ending_signals()?;
    let raw = RawTerminal::enter()?;
    if let Some(lending) = &mut lent {
        lending.renew();
    }
    let mut attached = Attached {
        socket,
        // Whoever has come since is not to be sent away when we come back.
        params: TerminalControlParams {
            takeover: false,
            ..params
        },
        stream,
        lent,
        outgoing: Vec::new(),
        keys: Keys::default(),
        wheel: false,
        inside_tmux: std::env::var_os("TMUX").is_some_and(|value| !value.is_empty()),
        resized,
        ended,
    };
    let outcome = attached.run();
    drop(raw);
    Ok(outcome?)
}

/// Columns and rows of the terminal; the usual ones where it does not say.
fn window_size() -> (u16, u16) {
    match sys::window_size(io::stdout().as_fd()) {
        None | Some((0, _) | (_, 0)) => (80, 24),
        Some(size) => size,
    }
}

/// Readable once one of these signals has come.
fn signal_pipe(signals: &[i32]) -> io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    reader.set_nonblocking(true)?;
    for signal in signals {
        pipe::register(*signal, writer.try_clone()?)?;
    }
    Ok(reader)
}

/// Readable once a signal has asked us to end. The second one ends the process where it is: the
/// terminal may be one that takes nothing more, and then nothing can be given back.
fn ending_signals() -> io::Result<UnixStream> {
    let signals = [SIGTERM, SIGHUP, SIGINT, SIGQUIT];
    let asked = Arc::new(AtomicBool::new(false));
    for signal in signals {
        flag::register_conditional_shutdown(signal, 1, Arc::clone(&asked))?;
        flag::register(signal, Arc::clone(&asked))?;
    }
    signal_pipe(&signals)
}

struct Attached<'a> {
    socket: &'a Path,
    params: TerminalControlParams,
    stream: TerminalStream,
    lent: Option<Lending>,
    /// Commands that the daemon has not taken yet.
    outgoing: Vec<u8>,
    keys: Keys,
    /// The program leaves the wheel to us.
    wheel: bool,
    inside_tmux: bool,
    resized: UnixStream,
    ended: UnixStream,
}

/// What there is to do.
struct Ready {
    typed: bool,
    said: bool,
    resized: bool,
    ended: bool,
}

impl Attached<'_> {
    fn run(&mut self) -> io::Result<Detached> {
        loop {
            // The first records may have come with the answer, and then nothing more tells of them.
            if let Some(end) = self.take_all()? {
                return Ok(end);
            }
            let ready = self.wait(PollTimeout::NONE)?;
            if ready.ended {
                return Ok(Detached::ByPerson);
            }
            // Before what was typed: a daemon that has gone takes nothing any more.
            if ready.said
                && let Some(end) = self.listen()?
            {
                return Ok(end);
            }
            if ready.resized {
                self.resize();
            }
            if ready.typed && self.type_in()? {
                // What the daemon still says is of no interest.
                self.say(&TerminalCommand::Release {});
                self.send();
                return Ok(Detached::ByPerson);
            }
            self.send();
        }
    }

    /// Sleeps until there is something: typed, said by the daemon, another size, the end, or room for
    /// what waits to be sent.
    fn wait(&self, timeout: PollTimeout) -> io::Result<Ready> {
        let stdin = io::stdin();
        let flags = |wanted: &[(PollFlags, bool)]| {
            let wanted = wanted.iter().filter(|(_, wanted)| *wanted);
            wanted.fold(PollFlags::empty(), |all, (flag, _)| all | *flag)
        };
        let may_type = self.outgoing.len() < OUTGOING_LIMIT;
        let mut descriptors = [
            PollFd::new(stdin.as_fd(), flags(&[(PollFlags::POLLIN, may_type)])),
            PollFd::new(
                self.stream.stream.as_fd(),
                flags(&[
                    (PollFlags::POLLIN, true),
                    (PollFlags::POLLOUT, !self.outgoing.is_empty()),
                ]),
            ),
            PollFd::new(self.resized.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.ended.as_fd(), PollFlags::POLLIN),
        ];
        loop {
            match poll(&mut descriptors, timeout) {
                Ok(_) => break,
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let [typed, daemon, resized, ended] =
            descriptors.map(|descriptor| descriptor.revents().unwrap_or(PollFlags::POLLERR));
        Ok(Ready {
            // A terminal that is gone says so whether or not it was asked.
            typed: !typed.is_empty(),
            said: !(daemon - PollFlags::POLLOUT).is_empty(),
            resized: !resized.is_empty(),
            ended: !ended.is_empty(),
        })
    }

    /// Takes in what the daemon says; how it ended, if that was the last.
    fn listen(&mut self) -> io::Result<Option<Detached>> {
        let open = self.stream.read_some()?;
        match self.take_all()? {
            None if !open => self.come_back(),
            other => Ok(other),
        }
    }

    /// Does what the records say that have come; how it ended, if that was the last.
    fn take_all(&mut self) -> io::Result<Option<Detached>> {
        while let Some(line) = self.stream.whole_line() {
            match self.take(&line)? {
                Some(reason) if reason == HANDED_OVER => return self.come_back(),
                Some(reason) => return Ok(Some(Detached::ByDaemon(reason))),
                None => {}
            }
        }
        Ok(None)
    }

    /// Passes on what was typed; true if the person leaves.
    fn type_in(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 16 * 1024];
        let count = match nix::unistd::read(io::stdin(), &mut buffer) {
            Ok(0) | Err(Errno::EIO) => return Ok(true),
            Err(Errno::EINTR | Errno::EAGAIN) => return Ok(false),
            other => other?,
        };
        for action in self.keys.read(&buffer[..count], self.wheel) {
            let command = match action {
                Action::Detach => return Ok(true),
                Action::Input(bytes) => TerminalCommand::Input {
                    text: None,
                    bytes: Some(encoded(&bytes)),
                },
                Action::Scroll { lines, pages } => {
                    let page = i32::from(self.params.rows.max(2) - 1);
                    let lines = lines.saturating_mul(if pages { page } else { 1 });
                    TerminalCommand::Scroll {
                        direction: if lines > 0 {
                            ScrollDirection::Up
                        } else {
                            ScrollDirection::Down
                        },
                        lines: u16::try_from(lines.unsigned_abs()).unwrap_or(u16::MAX),
                        source: if pages {
                            ScrollSource::PageKey
                        } else {
                            ScrollSource::Wheel
                        },
                        column: None,
                        row: None,
                    }
                }
            };
            self.say(&command);
        }
        Ok(false)
    }

    fn resize(&mut self) {
        let _ = self.resized.read(&mut [0; 64]);
        let (cols, rows) = window_size();
        (self.params.cols, self.params.rows) = (cols, rows);
        self.say(&TerminalCommand::Resize { cols, rows });
    }

    /// Queues a command for the daemon.
    fn say(&mut self, command: &TerminalCommand) {
        self.outgoing.extend_from_slice(command.line().as_bytes());
    }

    /// Sends what the daemon takes now. One that has gone is noticed where it is listened to.
    fn send(&mut self) {
        let mut sent = 0;
        while sent < self.outgoing.len() {
            let socket = self.stream.stream.as_raw_fd();
            match send(socket, &self.outgoing[sent..], MsgFlags::MSG_DONTWAIT) {
                Ok(count) => sent += count,
                Err(Errno::EINTR) => {}
                Err(_) => break,
            }
        }
        self.outgoing.drain(..sent);
    }

    /// Does what a record says; the reason if it was the last.
    fn take(&mut self, line: &[u8]) -> io::Result<Option<String>> {
        match serde_json::from_slice(line) {
            Ok(TerminalRecord::Frame { bytes, .. }) => {
                show(&decoded(&bytes).unwrap_or_default())?;
            }
            Ok(TerminalRecord::Effect(effect)) => self.affect(&effect)?,
            Ok(TerminalRecord::Closed { reason, .. }) => {
                return Ok(Some(reason.unwrap_or_else(|| "closed".to_owned())));
            }
            // A newer daemon may say more.
            Err(_) => {}
        }
        Ok(None)
    }

    fn affect(&mut self, effect: &Effect) -> io::Result<()> {
        let mut all = Vec::new();
        if self.wheel && !effect.wheel {
            all.extend_from_slice(WHEEL_OFF.as_bytes());
        }
        all.extend(effects::bytes(effect, self.inside_tmux));
        if effect.wheel && !self.wheel {
            all.extend_from_slice(WHEEL_ON.as_bytes());
        }
        self.wheel = effect.wheel;
        show(&all)
    }

    /// Attaches again to a daemon that went without a word. How it ended, if the daemon does not come
    /// back or the person does not wait; what is typed meanwhile is kept for the daemon.
    fn come_back(&mut self) -> io::Result<Option<Detached>> {
        // A command that was cut off is no command.
        self.outgoing.clear();
        let deadline = Instant::now() + RETURN_TIME;
        loop {
            match TerminalStream::control_within(self.socket, &self.params, ANSWER_TIME) {
                Ok(stream) => {
                    self.stream = stream;
                    self.wheel = false;
                    if let Some(lending) = &mut self.lent {
                        lending.renew();
                    }
                    // The daemon takes the terminal for a fresh one.
                    show(RESET_MODES.as_bytes())?;
                    show(OWN_TITLE.as_bytes())?;
                    return Ok(None);
                }
                Err(CallError::Refused(answer)) if !is_passing(&answer) => {
                    let reason = answer["error"]["message"].as_str().unwrap_or("refused");
                    return Ok(Some(Detached::ByDaemon(reason.to_owned())));
                }
                Err(_) if Instant::now() >= deadline => return Ok(Some(Detached::DaemonGone)),
                Err(_) => {}
            }
            if self.pause()? {
                return Ok(Some(Detached::ByPerson));
            }
        }
    }

    /// Waits a moment for a daemon that has gone; true if the person leaves.
    fn pause(&mut self) -> io::Result<bool> {
        let until = Instant::now() + RETURN_PAUSE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let stdin = io::stdin();
            let may_type = match self.outgoing.len() < OUTGOING_LIMIT {
                true => PollFlags::POLLIN,
                false => PollFlags::empty(),
            };
            let mut descriptors = [
                PollFd::new(stdin.as_fd(), may_type),
                PollFd::new(self.ended.as_fd(), PollFlags::POLLIN),
            ];
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
            match poll(&mut descriptors, timeout) {
                Ok(0) => return Ok(false),
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            let [typed, ended] = descriptors.map(|descriptor| descriptor.any().unwrap_or(true));
            if ended || (typed && self.type_in()?) {
                return Ok(true);
            }
        }
    }
}

/// Whether a daemon that refuses may let us in a moment later.
fn is_passing(answer: &serde_json::Value) -> bool {
    let code = answer["error"]["code"].as_str().unwrap_or_default();
    matches!(
        code,
        "rate_limited" | "server_unavailable" | "internal_error"
    )
}
