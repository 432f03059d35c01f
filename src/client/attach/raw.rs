//! The person's terminal while it is ours: raw, with a screen of its own, and given back as it was on
//! every way out, a panic included.

use std::io::{self, Write};
use std::panic;
use std::sync::{Mutex, Once};

use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};

use crate::sync::lock;

/// What makes the terminal ours: its title put aside, the alternate screen, blank.
const ENTER: &str = "\x1b[22;2t\x1b[?1049h\x1b[m\x1b[H\x1b[2J";

/// What takes back every mode that a program may have asked for.
pub(super) const RESET_MODES: &str = "\x1b[?1l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\
                                      \x1b[?1004l\x1b[?2004l\x1b>\x1b[=0u\x1b[0 q\x1b[?25h\x1b[m\
                                      \x1b[r";

/// Gives the title that was put aside back, and puts it aside again.
pub(super) const OWN_TITLE: &str = "\x1b[23;2t\x1b[22;2t";

/// Gives screen and title back.
const LEAVE: &str = "\x1b[?1049l\x1b[23;2t";

/// How the terminal was before; none while it is not ours. A process has one terminal.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal, ours until this is dropped.
pub(super) struct RawTerminal(());

impl RawTerminal {
    /// # Errors
    /// Standard input is no terminal, or takes nothing.
    pub(super) fn enter() -> io::Result<RawTerminal> {
        give_back_before_panics_are_told();
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        cfmakeraw(&mut raw);
        *lock(&BEFORE) = Some(before);
        let guard = RawTerminal(());
        tcsetattr(io::stdin(), SetArg::TCSADRAIN, &raw)?;
        show(ENTER.as_bytes())?;
        Ok(guard)
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
        let _ = show(RESET_MODES.as_bytes());
        let _ = show(LEAVE.as_bytes());
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
