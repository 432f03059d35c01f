//! What goes over a connection that watches or drives a pane, after `terminal.observe` or
//! `terminal.control` was accepted: records to the client, commands from it, a line of JSON each
//! (herdr 0.9.3, `terminal session`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::omit;

/// The reason of a stream's end when another build of the daemon takes over: who attaches again goes on
/// with the same pane (herdr 0.9.3).
pub const HANDED_OVER: &str = "live update in progress; reconnect after handoff completes";

/// A line to the client. Members are in the alphabet's order, as herdr writes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TerminalRecord {
    /// Bytes for the viewer's terminal.
    Frame {
        /// Base64.
        bytes: String,
        /// Always `ansi`.
        encoding: String,
        /// It shows everything; otherwise it follows the frame before.
        full: bool,
        height: u16,
        /// From 1, one more with each frame.
        seq: u64,
        r#type: FrameType,
        width: u16,
    },
    /// Something for the viewer's terminal beside the picture, for attached clients only.
    Effect(Effect),
    /// Nothing follows.
    Closed {
        reason: Option<String>,
        r#type: ClosedType,
    },
}

/// What an attached terminal is to do beside showing the picture; how is up to the client, which
/// knows the terminal.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effect {
    /// It is to ring.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub bell: bool,
    /// The modes of its input, as bytes for it in base64.
    pub bytes: String,
    /// What is to be in its clipboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clipboard: Option<Clipboard>,
    /// What the person is to be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notifications: Vec<Notification>,
    /// The title of its window from now on; empty for the one it had before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub r#type: EffectType,
    /// The program leaves the mouse alone and has no screen of its own, so that the wheel is free to
    /// scroll.
    pub wheel: bool,
}

/// Text for a clipboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clipboard {
    /// It is for the primary selection.
    pub primary: bool,
    pub text: String,
}

/// A message to the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    pub body: String,
    pub title: String,
}

/// The `type` of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FrameType {
    #[default]
    #[serde(rename = "terminal.frame")]
    Frame,
}

/// The `type` of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EffectType {
    #[default]
    #[serde(rename = "terminal.effect")]
    Effect,
}

/// The `type` of the last record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ClosedType {
    #[default]
    #[serde(rename = "terminal.closed")]
    Closed,
}

impl TerminalRecord {
    pub fn frame(bytes: &[u8], full: bool, size: (u16, u16), seq: u64) -> TerminalRecord {
        TerminalRecord::Frame {
            bytes: STANDARD.encode(bytes),
            encoding: "ansi".to_owned(),
            full,
            height: size.1,
            seq,
            r#type: FrameType::Frame,
            width: size.0,
        }
    }

    pub fn closed(reason: impl Into<String>) -> TerminalRecord {
        TerminalRecord::Closed {
            reason: Some(reason.into()),
            r#type: ClosedType::Closed,
        }
    }

    /// The record as a line.
    pub fn line(&self) -> String {
        line_of(self)
    }
}

/// The bytes behind base64; none if it is none.
pub fn decoded(bytes: &str) -> Option<Vec<u8>> {
    STANDARD.decode(bytes).ok()
}

/// Bytes as base64.
pub fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A line from a client that controls the pane. Unknown members do not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum TerminalCommand {
    /// Bytes for the program, as text or as base64.
    #[serde(rename = "terminal.input")]
    Input {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<String>,
    },
    /// The viewer's terminal has another size.
    #[serde(rename = "terminal.resize")]
    Resize { cols: u16, rows: u16 },
    /// The wheel, or a page key.
    #[serde(rename = "terminal.scroll")]
    Scroll {
        direction: ScrollDirection,
        lines: u16,
        #[serde(default)]
        source: ScrollSource,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<u16>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        row: Option<u16>,
    },
    /// The mouse, in cells from zero (herdr 0.9.2).
    #[serde(rename = "terminal.mouse")]
    Mouse {
        action: MouseAction,
        #[serde(default)]
        button: MouseButton,
        column: u16,
        row: u16,
    },
    /// It gives the pane back.
    #[serde(rename = "terminal.release")]
    Release {},
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScrollDirection {
    Up,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScrollSource {
    #[default]
    Wheel,
    PageKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseAction {
    Down,
    Up,
    Drag,
    Move,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseButton {
    #[default]
    Left,
    Middle,
    Right,
}

impl TerminalCommand {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &str) -> Result<TerminalCommand, String> {
        let command: TerminalCommand =
            serde_json::from_str(line).map_err(|error| error.to_string())?;
        let wrong = match &command {
            TerminalCommand::Input {
                text: Some(_),
                bytes: Some(_),
            } => "text and bytes exclude each other",
            TerminalCommand::Input {
                bytes: Some(bytes), ..
            } if decoded(bytes).is_none() => "bytes are no base64",
            TerminalCommand::Resize { cols, rows } if *cols == 0 || *rows == 0 => {
                "cols and rows must be greater than 0"
            }
            TerminalCommand::Scroll { lines: 0, .. } => "lines must be greater than 0",
            _ => return Ok(command),
        };
        Err(wrong.to_owned())
    }

    /// The command as a line.
    pub fn line(&self) -> String {
        line_of(self)
    }
}

fn line_of<T: Serialize>(value: &T) -> String {
    // Strings, numbers and flags are always representable.
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_written_as_herdr_does() {
        let frame = TerminalRecord::frame(b"\x1b[m", true, (120, 40), 1).line();
        assert_eq!(
            frame,
            "{\"bytes\":\"G1tt\",\"encoding\":\"ansi\",\"full\":true,\"height\":40,\"seq\":1,\
             \"type\":\"terminal.frame\",\"width\":120}\n"
        );
        let closed = TerminalRecord::closed("detached").line();
        assert_eq!(
            closed,
            "{\"reason\":\"detached\",\"type\":\"terminal.closed\"}\n"
        );
        let effect = TerminalRecord::Effect(Effect {
            bell: true,
            title: Some("t".to_owned()),
            ..Effect::default()
        });
        let effect = effect.line();
        assert_eq!(
            effect,
            "{\"bell\":true,\"bytes\":\"\",\"title\":\"t\",\"type\":\"terminal.effect\",\"wheel\":false}\n"
        );
        for line in [frame, closed, effect] {
            let record: TerminalRecord = serde_json::from_str(&line).unwrap();
            assert_eq!(record.line(), line);
        }
    }

    #[test]
    fn a_record_of_a_later_version_is_no_end() {
        let later = r#"{"reason":"x","type":"terminal.dance"}"#;
        assert!(serde_json::from_str::<TerminalRecord>(later).is_err());
    }

    #[test]
    fn commands_are_read_and_odd_ones_are_named() {
        let input = TerminalCommand::parse(r#"{"type":"terminal.input","text":"ls\r","more":1}"#);
        assert_eq!(
            input,
            Ok(TerminalCommand::Input {
                text: Some("ls\r".to_owned()),
                bytes: None
            })
        );
        assert!(TerminalCommand::parse(r#"{"type":"terminal.release"}"#).is_ok());
        let scroll = r#"{"type":"terminal.scroll","direction":"up","lines":3,"modifiers":0}"#;
        assert!(TerminalCommand::parse(scroll).is_ok());
        for odd in [
            r#"{"type":"terminal.input","text":"a","bytes":"YQ=="}"#,
            r#"{"type":"terminal.input","bytes":"?"}"#,
            r#"{"type":"terminal.resize","cols":0,"rows":1}"#,
            r#"{"type":"terminal.resize","cols":70000,"rows":1}"#,
            r#"{"type":"terminal.scroll","direction":"up","lines":0}"#,
            r#"{"type":"terminal.dance"}"#,
            "{}",
            "no",
        ] {
            assert!(TerminalCommand::parse(odd).is_err(), "{odd}");
        }
    }
}
