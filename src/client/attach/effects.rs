//! What an effect is in the words of the person's terminal.
//!
//! The daemon has cleaned what programs said; it is cleaned here again, because this is the last
//! place before the terminal.

use crate::api::terminal_stream::{Effect, Notification, decoded, encoded};
use crate::printable;

use super::raw::OWN_TITLE;

/// Characters of one text that are shown at most; no title or message of the daemon's is longer.
const TEXT_LIMIT: usize = 256;

/// The bytes that do what `effect` says, but for the wheel. `inside_tmux` says that the terminal is
/// tmux's, which hands a notification on to the terminal around it if that is allowed there
/// (`allow-passthrough`).
pub(super) fn bytes(effect: &Effect, inside_tmux: bool) -> Vec<u8> {
    let mut out = decoded(&effect.bytes).unwrap_or_default();
    if let Some(title) = &effect.title {
        let title = printable::short_line(title, TEXT_LIMIT);
        match title.is_empty() {
            true => out.extend_from_slice(OWN_TITLE.as_bytes()),
            false => out.extend_from_slice(format!("\x1b]2;{title}\x1b\\").as_bytes()),
        }
    }
    for notification in &effect.notifications {
        let told = told(notification);
        match inside_tmux {
            true => out.extend_from_slice(passed_on(&told).as_bytes()),
            false => out.extend_from_slice(told.as_bytes()),
        }
    }
    if let Some(clipboard) = &effect.clipboard {
        let which = if clipboard.primary { 'p' } else { 'c' };
        let text = encoded(clipboard.text.as_bytes());
        out.extend_from_slice(format!("\x1b]52;{which};{text}\x1b\\").as_bytes());
    }
    if effect.bell {
        out.push(b'\x07');
    }
    out
}

/// A notification as OSC 9, which most terminals know that know any: iTerm2, kitty, WezTerm, Ghostty,
/// foot.
fn told(notification: &Notification) -> String {
    let [title, body] = [&notification.title, &notification.body]
        .map(|text| printable::short_line(text, TEXT_LIMIT));
    let mut text = match (title.is_empty(), body.is_empty()) {
        (false, false) => format!("{title}: {body}"),
        _ => title + &body,
    };
    // A number and a semicolon are a command to some terminals: 9;4 is a progress bar.
    let after = text.trim_start_matches(|character: char| character.is_ascii_digit());
    if after.len() < text.len() && after.starts_with(';') {
        text.insert(0, ' ');
    }
    format!("\x1b]9;{text}\x1b\\")
}

/// A sequence for the terminal around tmux.
fn passed_on(sequence: &str) -> String {
    format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::terminal_stream::Clipboard;

    fn text(effect: &Effect) -> String {
        String::from_utf8(bytes(effect, false)).unwrap()
    }

    fn notification(title: &str, body: &str) -> Effect {
        Effect {
            notifications: vec![Notification {
                title: title.to_owned(),
                body: body.to_owned(),
            }],
            ..Effect::default()
        }
    }

    #[test]
    fn everything_is_done_and_the_modes_come_first() {
        let effect = Effect {
            bell: true,
            bytes: encoded(b"\x1b[?2004h"),
            clipboard: Some(Clipboard {
                primary: false,
                text: "hi".to_owned(),
            }),
            title: Some("build".to_owned()),
            ..notification("claude", "is done")
        };
        assert_eq!(
            text(&effect),
            "\x1b[?2004h\x1b]2;build\x1b\\\x1b]9;claude: is done\x1b\\\x1b]52;c;aGk=\x1b\\\x07"
        );
        assert_eq!(text(&Effect::default()), "");
    }

    #[test]
    fn an_empty_title_gives_the_window_its_own_back() {
        for title in ["", "\x1b\x07"] {
            let effect = Effect {
                title: Some(title.to_owned()),
                ..Effect::default()
            };
            assert_eq!(text(&effect), OWN_TITLE);
        }
    }

    #[test]
    fn no_text_ends_its_sequence_or_is_a_command() {
        let hostile = "a\x07b\x1b\\c\u{9c}d\u{202e}\r\ne";
        assert_eq!(text(&notification(hostile, "")), "\x1b]9;ab\\cd  e\x1b\\");
        assert_eq!(text(&notification("", "4;1;50")), "\x1b]9; 4;1;50\x1b\\");
        assert_eq!(text(&notification("", "4 of 5")), "\x1b]9;4 of 5\x1b\\");
        let titled = Effect {
            title: Some(hostile.to_owned()),
            ..Effect::default()
        };
        assert_eq!(text(&titled), "\x1b]2;ab\\cd  e\x1b\\");
    }

    #[test]
    fn tmux_hands_notifications_on_and_keeps_titles() {
        let effect = Effect {
            title: Some("t".to_owned()),
            ..notification("n", "")
        };
        assert_eq!(
            bytes(&effect, true),
            b"\x1b]2;t\x1b\\\x1bPtmux;\x1b\x1b]9;n\x1b\x1b\\\x1b\\"
        );
    }
}
