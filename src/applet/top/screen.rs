//! The person's terminal while the list has it: raw, with a screen of its own, and given back as it was
//! on every way out, a panic included. Signals that end a process are read here instead.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use signal_hook::low_level::{pipe, unregister};

use crate::sys;

/// Another screen, blank, without a cursor, on which lines are not wrapped.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[m\x1b[2J";

const LEAVE: &str = "\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Between these a terminal that can shows nothing half drawn.
const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";

/// The terminal; dropping it gives it back.
pub(super) struct Screen {
    before: Termios,
    /// What it shows, line by line.
    shown: Vec<String>,
    size: (u16, u16),
}

impl Screen {
    pub(super) fn enter() -> io::Result<Screen> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(io::Error::other(
                "standard input and output must be a terminal; elsewhere `drover ps` lists the agents",
            ));
        }
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        cfmakeraw(&mut raw);
        let screen = Screen {
            before,
            shown: Vec::new(),
            size: (0, 0),
        };
        tcsetattr(io::stdin(), SetArg::TCSADRAIN, &raw)?;
        write(ENTER)?;
        Ok(screen)
    }

    /// Columns and rows now; the usual ones where the terminal does not say.
    pub(super) fn size(&mut self) -> (u16, u16) {
        let size = match sys::window_size(io::stdout().as_fd()) {
            None | Some((0, _) | (_, 0)) => (80, 24),
            Some(size) => size,
        };
        if size != self.size {
            self.size = size;
            self.shown.clear();
        }
        size
    }

    /// Shows lines, writing only those that are different.
    pub(super) fn show(&mut self, lines: Vec<String>) -> io::Result<()> {
        let mut text = String::new();
        if self.shown.is_empty() {
            text.push_str("\x1b[2J");
        }
        for (row, line) in lines.iter().enumerate() {
            if self.shown.get(row) != Some(line) {
                text.push_str(&format!("\x1b[{};1H{line}", row + 1));
            }
        }
        self.shown = lines;
        if text.is_empty() {
            return Ok(());
        }
        write(&format!("{BEGIN}{text}{END}"))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone cannot be given back.
        let _ = write(LEAVE);
        let _ = tcsetattr(io::stdin(), SetArg::TCSAFLUSH, &self.before);
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Signals, as something to poll. Dropping it gives them their ordinary effect back.
pub(super) struct Signals {
    pub(super) resized: UnixStream,
    pub(super) ended: UnixStream,
    registered: Vec<SigId>,
}

impl Signals {
    pub(super) fn catch() -> io::Result<Signals> {
        let mut registered = Vec::new();
        let mut readable_after = |signals: &[i32]| -> io::Result<UnixStream> {
            let (reader, writer) = UnixStream::pair()?;
            reader.set_nonblocking(true)?;
            for signal in signals {
                registered.push(pipe::register(*signal, writer.try_clone()?)?);
            }
            Ok(reader)
        };
        let resized = readable_after(&[SIGWINCH])?;
        let ended = readable_after(&[SIGTERM, SIGHUP, SIGINT])?;
        Ok(Signals {
            resized,
            ended,
            registered,
        })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}
