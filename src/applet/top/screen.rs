//! The person's terminal while the list has it: raw, with a screen of its own, and given back as it was
//! on every way out, a panic included. Signals that end a process are read here instead.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::low_level::{pipe, unregister};

use crate::command::{Failure, Outcome};
use crate::sys;

/// Another screen, blank, without a cursor, on which lines are not wrapped.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[m\x1b[2J";

const LEAVE: &str = "\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Between these a terminal that can shows nothing half drawn.
const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";

/// The terminal; dropping it gives it back.
pub(super) struct Screen {
    input: OwnedFd,
    output: File,
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
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        Screen::on(input, output)
    }

    fn on(input: OwnedFd, output: OwnedFd) -> io::Result<Screen> {
        let before = tcgetattr(&input)?;
        let mut raw = before.clone();
        cfmakeraw(&mut raw);
        let mut screen = Screen {
            input,
            output: output.into(),
            before,
            shown: Vec::new(),
            size: (0, 0),
        };
        tcsetattr(&screen.input, SetArg::TCSADRAIN, &raw)?;
        screen.output.write_all(ENTER.as_bytes())?;
        Ok(screen)
    }

    /// Columns and rows now; the usual ones where the terminal does not say.
    pub(super) fn size(&mut self) -> (u16, u16) {
        let size = match sys::window_size(self.output.as_fd()) {
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
        self.output
            .write_all(format!("{BEGIN}{text}{END}").as_bytes())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone cannot be given back.
        let _ = self.output.write_all(LEAVE.as_bytes());
        let _ = tcsetattr(&self.input, SetArg::TCSAFLUSH, &self.before);
    }
}

/// Runs what has the terminal. A panic is told once the terminal is back: what is printed before goes to
/// a screen that is about to vanish.
pub(super) fn guarded(run: impl FnOnce() -> Outcome) -> Outcome {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let ran = catch_unwind(AssertUnwindSafe(run));
    std::panic::set_hook(hook);
    ran.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Failure::Failed(format!(
            "error: drover top broke off: {}",
            text.unwrap_or("without a word")
        )))
    })
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
        let ended = readable_after(&[SIGTERM, SIGHUP, SIGINT, SIGQUIT])?;
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

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_panic_is_told_and_gives_the_terminal_back() {
        let pair = sys::open_pty(80, 24).unwrap();
        let before = tcgetattr(&pair.slave).unwrap();
        let end = || pair.slave.try_clone().unwrap();
        let ran = guarded(|| {
            let mut screen = Screen::on(end(), end()).unwrap();
            screen.show(vec!["agents".to_owned()]).unwrap();
            assert_ne!(tcgetattr(&pair.slave).unwrap(), before);
            panic!("a list without {}", "an end");
        });
        let text = "error: drover top broke off: a list without an end".to_owned();
        assert_eq!(ran, Err(Failure::Failed(text)));
        assert_eq!(tcgetattr(&pair.slave).unwrap(), before);
        drop(pair.slave);
        // In as many pieces as the terminal gives; behind the last one is an end or an error.
        let (mut master, mut written, mut piece) = (File::from(pair.master), Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = master.read(&mut piece) {
            written.extend_from_slice(&piece[..count]);
        }
        let written = String::from_utf8_lossy(&written);
        assert!(
            written.starts_with(ENTER) && written.ends_with(LEAVE),
            "{written:?}"
        );
    }
}
