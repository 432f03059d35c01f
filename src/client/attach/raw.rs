//! The person's terminal while it is ours: raw, with a screen of its own, and given back as it was on
//! every way out: a panic, and, by a second process, a kill that nobody can handle.

use std::io::{self, Write};
use std::panic;
use std::sync::{Mutex, Once};

use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};

use crate::sync::lock;
use crate::sys::TerminalGuard;

/// What makes the terminal ours: its title put aside, the alternate screen, blank.
const ENTER: &str = "\x1b[22;2t\x1b[?1049h\x1b[m\x1b[H\x1b[2J";

macro_rules! reset_modes {
    () => {
        "\x1b[?1l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b>\x1b[=0u\
         \x1b[0 q\x1b[?25h\x1b[m\x1b[r"
    };
}

/// What takes back every mode that a program may have asked for.
pub(super) const RESET_MODES: &str = reset_modes!();

/// Gives the title that was put aside back, and puts it aside again.
pub(super) const OWN_TITLE: &str = "\x1b[23;2t\x1b[22;2t";

/// The same for modes, screen and title, for good.
const GIVE_BACK: &str = concat!(reset_modes!(), "\x1b[?1049l\x1b[23;2t");

/// How the terminal was before; none while it is not ours. A process has one terminal.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal, ours until this is dropped.
pub(super) struct RawTerminal {
    /// Gives the terminal back if we are killed. Without it, nobody does.
    _guard: Option<TerminalGuard>,
}

impl RawTerminal {
    /// To be called while there is no other thread: the guard is a copy of this process.
    ///
    /// # Errors
    /// Standard input is no terminal, or takes nothing.
    pub(super) fn enter() -> io::Result<RawTerminal> {
        give_back_before_panics_are_told();
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        cfmakeraw(&mut raw);
        *lock(&BEFORE) = Some(before.clone());
        let mut ours = RawTerminal { _guard: None };
        tcsetattr(io::stdin(), SetArg::TCSADRAIN, &raw)?;
        // As the terminal has them, which may be other than it was given.
        let raw = tcgetattr(io::stdin())?;
        ours._guard = TerminalGuard::start(&before.into(), &raw.into(), GIVE_BACK.as_bytes()).ok();
        show(ENTER.as_bytes())?;
        Ok(ours)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives everything back, once.
fn give_back() {
    let before = lock(&BEFORE).take();
    if let Some(before) = before {
        // A terminal that is gone cannot be given back.
        let _ = show(GIVE_BACK.as_bytes());
        let _ = tcsetattr(io::stdin(), SetArg::TCSAFLUSH, &before);
    }
}

/// What a panic says is to be seen on the screen that stays.
fn give_back_before_panics_are_told() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            give_back();
            tell(what);
        }));
    });
}

/// Writes to the terminal.
///
/// # Errors
/// It is gone.
pub(super) fn show(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}
