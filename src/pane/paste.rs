//! Text on its way into a pane as a paste: cleaned so that it can only be text, and wrapped in
//! markers when the program asked for that.

use super::modes::Modes;

/// Markers around a bracketed paste (DECSET 2004).
pub(super) const START: &str = "\x1b[200~";
pub(super) const END: &str = "\x1b[201~";

/// The text without what a paste must not carry.
///
/// Markers that already stand around it go first: some senders put them there themselves. Then
/// every control character goes but newline, carriage return and tab, so that no ESC is left that
/// could end a paste early or be a key.
pub fn sanitise(text: &str) -> String {
    let inner = match text.strip_prefix(START) {
        Some(inner) => inner.strip_suffix(END).unwrap_or(inner),
        None => text,
    };
    inner
        .chars()
        .filter(|c| matches!(c, '\n' | '\r' | '\t') || !c.is_control())
        .collect()
}

/// The bytes that paste `text` into a program with these modes: cleaned, and wrapped in markers if
/// the program asked for them. Nothing for text of which nothing is left.
pub fn bracketed(text: &str, modes: &Modes) -> Vec<u8> {
    let text = sanitise(text);
    if text.is_empty() || !modes.bracketed_paste {
        return text.into_bytes();
    }
    [START, &text, END].concat().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Modes {
        Modes {
            bracketed_paste: true,
            ..Modes::default()
        }
    }

    #[test]
    fn text_cannot_end_its_own_paste() {
        let hostile = "ls\x1b[201~\nrm -rf /\x1b[200~";
        let sent = bracketed(hostile, &asked());
        assert_eq!(sent, b"\x1b[200~ls[201~\nrm -rf /[200~\x1b[201~");
    }

    #[test]
    fn markers_around_the_text_are_taken_off_once() {
        assert_eq!(sanitise("\x1b[200~hello\x1b[201~"), "hello");
        assert_eq!(sanitise("\x1b[200~hello"), "hello");
        assert_eq!(sanitise("\x1b[200~\x1b[200~hello\x1b[201~"), "[200~hello");
        assert_eq!(sanitise("hello\x1b[201~"), "hello[201~");
    }

    #[test]
    fn only_newlines_returns_and_tabs_stay_of_the_controls() {
        assert_eq!(
            sanitise("a\tb\r\nc\x00\x07\x08\x7f\u{9b}d é日"),
            "a\tb\r\ncd é日"
        );
    }

    #[test]
    fn markers_come_only_when_asked_for_and_around_something() {
        assert_eq!(bracketed("x", &Modes::default()), b"x");
        assert_eq!(bracketed("", &asked()), b"");
        assert_eq!(bracketed("\x1b", &asked()), b"");
    }
}
