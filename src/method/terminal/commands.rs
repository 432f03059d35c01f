//! What a client that drives a pane says: input, sizes, the wheel and the mouse.

use std::io;

use crate::api::terminal_stream::{
    MouseAction, MouseButton, ScrollDirection, ScrollSource, TerminalCommand, decoded,
};
use crate::pane::{Modes, MouseTracking, Pane, SendError, Size};
use crate::state::Driving;
use crate::world::{PaneKey, TerminalSize};

use super::super::Call;

/// Bytes of a line at most: a large paste as base64, with room to spare.
const LINE_MAX: usize = 2 * 1024 * 1024;

/// Lines that one turn of the wheel moves at most; more is no wheel.
const WHEEL_MAX: u16 = 1_000;

/// Bytes that have come from the client, as lines.
#[derive(Default)]
pub(super) struct Lines(Vec<u8>);

impl Lines {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The next whole line that is not blank.
    ///
    /// # Errors
    /// When a line does not end.
    pub(super) fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let Some(end) = self.0.iter().position(|byte| *byte == b'\n') else {
                if self.0.len() > LINE_MAX {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                return Ok(None);
            };
            let rest = self.0.split_off(end + 1);
            let line = std::mem::replace(&mut self.0, rest);
            let line = String::from_utf8_lossy(&line).trim().to_owned();
            if !line.is_empty() {
                return Ok(Some(line));
            }
        }
    }
}

/// What a command has changed for the stream.
pub(super) enum Done {
    Nothing,
    Resized(Size),
    Released,
    /// Nothing: there is no room for its input. It is to be tried again when the pane has news.
    Full,
}

/// Does what a line says. A line that says nothing sensible was refused by the client's own side
/// already and is skipped.
pub(super) fn run(
    call: &Call<'_>,
    key: PaneKey,
    pane: &Pane,
    driving: &Driving,
    line: &str,
) -> Done {
    let command = match TerminalCommand::parse(line) {
        Ok(command) => command,
        Err(reason) => {
            log::debug!("a command of a terminal stream is skipped: {reason}");
            return Done::Nothing;
        }
    };
    let modes = || pane.screen().modes();
    match command {
        TerminalCommand::Input { text, bytes } => {
            let bytes = match (text, bytes) {
                (Some(text), _) => text.into_bytes(),
                (None, Some(bytes)) => decoded(&bytes).unwrap_or_default(),
                (None, None) => Vec::new(),
            };
            // Who types wants to see what comes of it.
            if pane.scroll_metrics().offset_from_bottom > 0 {
                pane.scroll_to(0);
            }
            return send(call, key, pane, bytes);
        }
        TerminalCommand::Resize { cols, rows } => {
            let Ok(size) = super::size(cols, rows) else {
                return Done::Nothing;
            };
            let wanted = TerminalSize {
                cols: size.cols,
                rows: size.rows,
            };
            driving.resize(super::may_size(call, key).then_some(wanted));
            return Done::Resized(size);
        }
        TerminalCommand::Scroll {
            direction,
            lines,
            source,
            column,
            row,
        } => {
            let lines = lines.min(WHEEL_MAX);
            let at = (column.unwrap_or(0), row.unwrap_or(0));
            match scrolled(&modes(), direction, lines, source, at) {
                Some(bytes) => return send(call, key, pane, bytes),
                None => {
                    let offset = pane.scroll_metrics().offset_from_bottom;
                    pane.scroll_to(match direction {
                        ScrollDirection::Up => offset + u64::from(lines),
                        ScrollDirection::Down => offset.saturating_sub(lines.into()),
                    });
                }
            }
        }
        TerminalCommand::Mouse {
            action,
            button,
            column,
            row,
        } => {
            if let Some(bytes) = mouse(&modes(), action, button, (column, row)) {
                return send(call, key, pane, bytes);
            }
        }
        TerminalCommand::Release {} => return Done::Released,
    }
    Done::Nothing
}

/// Types, if the caller may by now.
fn send(call: &Call<'_>, key: PaneKey, pane: &Pane, bytes: Vec<u8>) -> Done {
    if bytes.is_empty() {
        return Done::Nothing;
    }
    let sent = match call.typing(key) {
        Ok(None) => pane.send(bytes),
        Ok(Some(check)) => pane.send_checked(bytes, check),
        Err(_) => return Done::Nothing,
    };
    match sent {
        Ok(()) => Done::Nothing,
        Err(SendError::QueueFull) => Done::Full,
        Err(error @ SendError::Gone) => {
            log::debug!("input of a terminal stream is dropped: {error}");
            Done::Nothing
        }
    }
}

/// What the program gets of the wheel; none if the viewport is to be scrolled.
fn scrolled(
    modes: &Modes,
    direction: ScrollDirection,
    lines: u16,
    source: ScrollSource,
    at: (u16, u16),
) -> Option<Vec<u8>> {
    let up = direction == ScrollDirection::Up;
    if source == ScrollSource::Wheel && modes.mouse != MouseTracking::Off {
        let one = report(modes, if up { 64 } else { 65 }, true, at);
        return Some(one.repeat(lines.into()));
    }
    if !modes.alternate_screen {
        return None;
    }
    let key: &[u8] = match (source, up, modes.application_cursor) {
        (ScrollSource::PageKey, true, _) => return Some(b"\x1b[5~".to_vec()),
        (ScrollSource::PageKey, false, _) => return Some(b"\x1b[6~".to_vec()),
        (ScrollSource::Wheel, ..) if !modes.alternate_scroll => return Some(Vec::new()),
        (_, true, true) => b"\x1bOA",
        (_, true, false) => b"\x1b[A",
        (_, false, true) => b"\x1bOB",
        (_, false, false) => b"\x1b[B",
    };
    Some(key.repeat(lines.into()))
}

/// What the program gets of the mouse, if it wants any of it.
fn mouse(
    modes: &Modes,
    action: MouseAction,
    button: MouseButton,
    at: (u16, u16),
) -> Option<Vec<u8>> {
    let wanted = match (action, modes.mouse) {
        (_, MouseTracking::Off) => false,
        (MouseAction::Down | MouseAction::Up, _) | (_, MouseTracking::Motion) => true,
        (MouseAction::Drag, MouseTracking::Drag) => true,
        _ => false,
    };
    let button = match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    };
    let code = match action {
        MouseAction::Down | MouseAction::Up => button,
        MouseAction::Drag => 32 + button,
        MouseAction::Move => 35,
    };
    wanted.then(|| report(modes, code, action != MouseAction::Up, at))
}

/// One report of the mouse, cells counted from zero.
fn report(modes: &Modes, code: u8, pressed: bool, (column, row): (u16, u16)) -> Vec<u8> {
    let (column, row) = (u32::from(column) + 1, u32::from(row) + 1);
    if modes.sgr_mouse {
        let end = if pressed { 'M' } else { 'm' };
        return format!("\x1b[<{code};{column};{row}{end}").into_bytes();
    }
    // The old form has a byte for each, and 3 for any button that is let go.
    let code = if pressed { code } else { 3 };
    let place = |cell: u32| u8::try_from(cell + 32).ok();
    match (place(column), place(row)) {
        (Some(column), Some(row)) => vec![0x1b, b'[', b'M', code + 32, column, row],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes(mouse: MouseTracking, sgr_mouse: bool) -> Modes {
        Modes {
            mouse,
            sgr_mouse,
            ..Modes::default()
        }
    }

    #[test]
    fn lines_come_out_whole_and_blank_ones_not_at_all() {
        let mut lines = Lines::default();
        lines.push(b"one\n\n  \ntw");
        assert_eq!(lines.next().unwrap().as_deref(), Some("one"));
        assert_eq!(lines.next().unwrap(), None);
        lines.push(b"o\n");
        assert_eq!(lines.next().unwrap().as_deref(), Some("two"));
        lines.push(&vec![b'x'; LINE_MAX + 1]);
        assert!(lines.next().is_err());
    }

    #[test]
    fn the_mouse_is_told_as_the_program_wants_it() {
        let (left, at) = (MouseButton::Left, (4, 2));
        let sgr = modes(MouseTracking::Drag, true);
        let told = |modes, action| mouse(modes, action, left, at);
        assert_eq!(told(&sgr, MouseAction::Down).unwrap(), b"\x1b[<0;5;3M");
        assert_eq!(told(&sgr, MouseAction::Up).unwrap(), b"\x1b[<0;5;3m");
        assert_eq!(told(&sgr, MouseAction::Drag).unwrap(), b"\x1b[<32;5;3M");
        assert_eq!(told(&sgr, MouseAction::Move), None);
        let old = modes(MouseTracking::Click, false);
        assert_eq!(told(&old, MouseAction::Up).unwrap(), b"\x1b[M#%#");
        assert_eq!(told(&old, MouseAction::Drag), None);
        let off = modes(MouseTracking::Off, true);
        assert_eq!(told(&off, MouseAction::Down), None);
    }

    #[test]
    fn the_wheel_goes_to_the_program_or_to_the_viewport() {
        let wheel =
            |modes: &Modes| scrolled(modes, ScrollDirection::Up, 2, ScrollSource::Wheel, (0, 0));
        assert_eq!(wheel(&Modes::default()), None);
        assert_eq!(
            wheel(&modes(MouseTracking::Click, true)).unwrap(),
            b"\x1b[<64;1;1M\x1b[<64;1;1M"
        );
        let full_screen = Modes {
            alternate_screen: true,
            alternate_scroll: true,
            ..Modes::default()
        };
        assert_eq!(wheel(&full_screen).unwrap(), b"\x1b[A\x1b[A");
    }
}
