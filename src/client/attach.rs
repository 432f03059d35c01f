//! A person's terminal, attached to a pane: raw, full-screen, and given back as it was on every way
//! out.

mod keys;

use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGTERM, SIGWINCH};
use signal_hook::low_level::pipe;

use self::keys::{Action, Keys};
use super::call::CallError;
use super::terminal::{CommandSender, TerminalStream};
use crate::api::control::TerminalControlParams;
use crate::api::terminal_stream::{
    ScrollDirection, ScrollSource, TerminalCommand, TerminalRecord, decoded, encoded,
};
use crate::sys;

/// How long a daemon that has gone is tried again: one that was killed is back within a second, one
/// that restores many panes takes longer.
const RETURN_TIME: Duration = Duration::from_secs(10);

/// Between two tries.
const RETURN_PAUSE: Duration = Duration::from_millis(50);

/// What makes the terminal ours: the alternate screen, blank.
const ENTER: &str = "\x1b[?1049h\x1b[m\x1b[H\x1b[2J";

/// What takes back every mode that a program may have asked for.
const RESET_MODES: &str = "\x1b[?1l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\
                           \x1b[?2004l\x1b>\x1b[=0u\x1b[0 q\x1b[?25h\x1b[m\x1b[r";

/// Gives the screen back.
const LEAVE: &str = "\x1b[?1049l";

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
/// it.
///
/// # Errors
/// See [`AttachError`]; nothing has been attached then.
pub fn attach(socket: &Path, target: &str, takeover: bool) -> Result<Detached, AttachError> {
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
    let ended = signal_pipe(&[SIGTERM, SIGHUP])?;
    let raw = RawTerminal::enter()?;
    let mut attached = Attached {
        socket,
        params,
        sender: stream.commands()?,
        stream,
        keys: Keys::default(),
        wheel: false,
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

/// The terminal in raw mode with a screen of its own; dropping it gives everything back, also while a
/// panic unwinds.
struct RawTerminal(Termios);

impl RawTerminal {
    fn enter() -> io::Result<RawTerminal> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        cfmakeraw(&mut raw);
        let guard = RawTerminal(before);
        tcsetattr(io::stdin(), SetArg::TCSADRAIN, &raw)?;
        show(ENTER.as_bytes())?;
        Ok(guard)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        // A terminal that is gone cannot be given back.
        let _ = show(RESET_MODES.as_bytes());
        let _ = show(LEAVE.as_bytes());
        let _ = tcsetattr(io::stdin(), SetArg::TCSAFLUSH, &self.0);
    }
}

fn show(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

struct Attached<'a> {
    socket: &'a Path,
    params: TerminalControlParams,
    stream: TerminalStream,
    sender: CommandSender,
    keys: Keys,
    /// The program leaves the wheel to us.
    wheel: bool,
    resized: UnixStream,
    ended: UnixStream,
}

impl Attached<'_> {
    fn run(&mut self) -> io::Result<Detached> {
        loop {
            let [typed, said, resized, ended] = self.wait()?;
            if ended {
                return Ok(Detached::ByPerson);
            }
            if resized {
                let _ = self.resized.read(&mut [0; 64]);
                self.resize();
            }
            if typed && self.type_in()? {
                // What the daemon still says is of no interest.
                let _ = self.sender.send(&TerminalCommand::Release {});
                return Ok(Detached::ByPerson);
            }
            if said {
                let open = self.stream.read_some()?;
                while let Some(line) = self.stream.whole_line() {
                    if let Some(reason) = self.take(&line)? {
                        return Ok(Detached::ByDaemon(reason));
                    }
                }
                if !open && !self.come_back()? {
                    return Ok(Detached::DaemonGone);
                }
            }
        }
    }

    /// Sleeps until there is something: typed, said by the daemon, another size, the end.
    fn wait(&self) -> io::Result<[bool; 4]> {
        let stdin = io::stdin();
        let mut descriptors = [
            PollFd::new(stdin.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.stream.stream.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.resized.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.ended.as_fd(), PollFlags::POLLIN),
        ];
        loop {
            match poll(&mut descriptors, PollTimeout::NONE) {
                Ok(_) => break,
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(descriptors.map(|descriptor| descriptor.any().unwrap_or(true)))
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
            // A daemon that has gone is noticed where it is listened to.
            let _ = self.sender.send(&command);
        }
        Ok(false)
    }

    fn resize(&mut self) {
        let (cols, rows) = window_size();
        (self.params.cols, self.params.rows) = (cols, rows);
        let _ = self.sender.send(&TerminalCommand::Resize { cols, rows });
    }

    /// Does what a record says; the reason if it was the last.
    fn take(&mut self, line: &[u8]) -> io::Result<Option<String>> {
        match serde_json::from_slice(line) {
            Ok(TerminalRecord::Frame { bytes, .. }) => {
                show(&decoded(&bytes).unwrap_or_default())?;
            }
            Ok(TerminalRecord::Effect { bytes, wheel, .. }) => {
                let mut all = Vec::new();
                if self.wheel && !wheel {
                    all.extend_from_slice(WHEEL_OFF.as_bytes());
                }
                all.extend(decoded(&bytes).unwrap_or_default());
                if wheel && !self.wheel {
                    all.extend_from_slice(WHEEL_ON.as_bytes());
                }
                self.wheel = wheel;
                show(&all)?;
            }
            Ok(TerminalRecord::Closed { reason, .. }) => {
                return Ok(Some(reason.unwrap_or_else(|| "closed".to_owned())));
            }
            // A newer daemon may say more.
            Err(_) => {}
        }
        Ok(None)
    }

    /// Attaches again to a daemon that went without a word and is back; false if it is not.
    fn come_back(&mut self) -> io::Result<bool> {
        let deadline = Instant::now() + RETURN_TIME;
        while Instant::now() < deadline {
            let mut leaving = [PollFd::new(self.ended.as_fd(), PollFlags::POLLIN)];
            let pause = PollTimeout::try_from(RETURN_PAUSE).unwrap_or(PollTimeout::ZERO);
            if matches!(poll(&mut leaving, pause), Ok(1..)) {
                return Ok(true);
            }
            if let Ok(stream) = TerminalStream::control(self.socket, &self.params) {
                self.sender = stream.commands()?;
                self.stream = stream;
                self.wheel = false;
                // The daemon takes the terminal for a fresh one.
                show(RESET_MODES.as_bytes())?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}
