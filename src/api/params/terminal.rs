//! Parameters of the `pane.*` methods that type into a terminal and read from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::omit;
use crate::api::records::{
    PaneRightClickTarget, PaneTextPoint, PaneTextRange, ReadFormat, ReadSource,
};
use crate::api::wire_enum::wire_enum;

/// Parameters of `pane.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneReadParams {
    pub pane_id: String,
    pub source: ReadSource,
    /// How many of the latest rows; more than 1,000 counts as 1,000. Absent means 80 of the recent
    /// sources and all of the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    #[serde(default)]
    pub format: ReadFormat,
    /// Accepted and ignored: `format` decides, and matching always sees plain text.
    #[serde(default = "omit::yes")]
    pub strip_ansi: bool,
}

/// Parameters of `pane.wait_for_output`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneWaitForOutputParams {
    pub pane_id: String,
    pub source: ReadSource,
    #[serde(rename = "match")]
    pub matcher: OutputMatch,
    /// How many of the latest rows; more than 1,000 counts as 1,000. Absent means 80 of the recent
    /// sources and all of the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// Accepted and ignored: `format` decides, and matching always sees plain text.
    #[serde(default = "omit::yes")]
    pub strip_ansi: bool,
    /// Milliseconds; without it the wait has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// What output is searched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OutputMatch {
    /// This text, anywhere in a line.
    Substring { value: String },
    /// A regular expression, tried line by line.
    Regex { value: String },
}

/// Parameters of `pane.send_text`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneSendTextParams {
    pub pane_id: String,
    /// Written as it is, control characters included.
    pub text: String,
}

/// Parameters of `pane.send_keys`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneSendKeysParams {
    pub pane_id: String,
    /// Key names such as `enter` or `ctrl+c`.
    pub keys: Vec<String>,
}

/// Parameters of `pane.send_input`: text first, then keys.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneSendInputParams {
    pub pane_id: String,
    /// Key names such as `enter` or `ctrl+c`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Parameters of `pane.input.set`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneInputSetParams {
    pub pane_id: String,
    pub right_click: PaneRightClickTarget,
}

/// Parameters of `pane.scroll`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneScrollParams {
    pub pane_id: String,
    /// Rows from the newest; clamped to the scrollback there is.
    pub offset_from_bottom: u64,
}

/// Parameters of `pane.selection.read`. The selection is inclusive and follows reading order
/// whichever end is the anchor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneSelectionReadParams {
    pub pane_id: String,
    pub anchor: PaneTextPoint,
    pub cursor: PaneTextPoint,
    /// The text the caller looked at; another one answers `stale_content`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_revision: Option<u64>,
}

/// Parameters of `pane.copy_motion`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneCopyMotionParams {
    pub pane_id: String,
    pub cursor: PaneTextPoint,
    pub motion: PaneCopyMotion,
    /// The text the caller looked at; another one answers `stale_content`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_revision: Option<u64>,
}

wire_enum! {
    /// A movement of the copy cursor.
    pub enum PaneCopyMotion {
        LineEnd = "line_end",
        FirstNonBlank = "first_non_blank",
        NextWordStart = "next_word_start",
        PreviousWordStart = "previous_word_start",
        NextWordEnd = "next_word_end",
        NextBigWordStart = "next_big_word_start",
        PreviousBigWordStart = "previous_big_word_start",
        NextBigWordEnd = "next_big_word_end",
        PreviousParagraph = "previous_paragraph",
        NextParagraph = "next_paragraph",
    }
}

/// Parameters of `pane.copy_search`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneCopySearchParams {
    pub pane_id: String,
    pub query: String,
    pub direction: PaneCopySearchDirection,
    pub cursor: PaneTextPoint,
    /// The text the caller looked at; another one answers `stale_content`.
    pub content_revision: u64,
    /// The match the search goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<PaneTextRange>,
}

wire_enum! {
    /// Which way a search goes from the cursor.
    pub enum PaneCopySearchDirection {
        Forward = "forward",
        Backward = "backward",
    }
}

/// Parameters of `pane.link.activate` and `pane.link.resolve`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneLinkActivateParams {
    pub pane_id: String,
    pub viewport_row: u16,
    pub col: u16,
    /// The text the caller looked at; another one answers `stale_content`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_revision: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset_from_bottom: Option<u64>,
}
