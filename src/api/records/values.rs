//! Small values that both requests and answers use.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::api::wire_enum::wire_enum;

wire_enum! {
    /// What an agent is doing, as shown to people. `Done` is idle with a result nobody has looked at
    /// yet.
    pub enum AgentStatus {
        Idle = "idle",
        Working = "working",
        Blocked = "blocked",
        Done = "done",
        /// No agent, or nothing known of it.
        Unknown = "unknown",
    }
}

wire_enum! {
    /// What an agent that is blocked wants from a person. drover's own; herdr 0.9.3 has no such word.
    pub enum BlockedKind {
        /// Leave to do something.
        Approval = "approval",
        /// An answer.
        Question = "question",
    }
}

wire_enum! {
    /// What a reporter may say about its agent. There is no `done`: whether a result was seen is not
    /// the reporter's to know.
    pub enum PaneAgentState {
        Idle = "idle",
        Working = "working",
        Blocked = "blocked",
        Unknown = "unknown",
    }
}

wire_enum! {
    /// Where a split puts the new pane.
    pub enum SplitDirection {
        Right = "right",
        Down = "down",
    }
}

wire_enum! {
    /// A direction on the screen.
    pub enum PaneDirection {
        Left = "left",
        Right = "right",
        Up = "up",
        Down = "down",
    }
}

wire_enum! {
    /// Which part of a terminal to read.
    pub enum ReadSource {
        /// What the screen shows.
        Visible = "visible",
        /// The latest rows, scrollback included, as wrapped on the screen.
        Recent = "recent",
        /// The latest lines, with wrapped rows joined.
        RecentUnwrapped = "recent_unwrapped",
        /// The rows that agent detection looks at.
        Detection = "detection",
    }
}

wire_enum! {
    /// How read text is written.
    #[derive(Default)]
    pub enum ReadFormat {
        #[default]
        Text = "text",
        Ansi = "ansi",
    }
}

wire_enum! {
    /// Who gets a right click inside a pane.
    #[derive(Default)]
    pub enum PaneRightClickTarget {
        /// The multiplexer's own menu.
        #[default]
        Herdr = "herdr",
        /// The program in the pane.
        Pane = "pane",
    }
}

/// A cell of a pane's retained text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneTextPoint {
    /// 0 is the oldest row still kept.
    pub row: u32,
    /// 0 is the leftmost column.
    pub col: u16,
}

/// An inclusive run of cells in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneTextRange {
    pub start: PaneTextPoint,
    pub end: PaneTextPoint,
}

/// How wide or high a popup is: cells, or a share of the area it lies over.
///
/// On the wire a number from 0 to 65,535 or text from `"1%"` to `"100%"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopupSize {
    /// Terminal cells.
    Cells(u16),
    /// Per cent of the area, 1 to 100.
    Percent(u8),
}

impl PopupSize {
    fn from_percent_text(text: &str) -> Option<PopupSize> {
        let digits = text.strip_suffix('%')?;
        // The protocol has one spelling a value: no sign, no leading zero.
        if digits.starts_with(['0', '+']) {
            return None;
        }
        let percent: u8 = digits.parse().ok()?;
        (1..=100)
            .contains(&percent)
            .then_some(PopupSize::Percent(percent))
    }
}

impl Serialize for PopupSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            PopupSize::Cells(cells) => serializer.serialize_u16(*cells),
            PopupSize::Percent(percent) => serializer.collect_str(&format_args!("{percent}%")),
        }
    }
}

impl<'de> Deserialize<'de> for PopupSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PopupSize, D::Error> {
        struct SizeVisitor;

        impl Visitor<'_> for SizeVisitor {
            type Value = PopupSize;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number of cells or a percentage from 1% to 100%")
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<PopupSize, E> {
                u16::try_from(value)
                    .map(PopupSize::Cells)
                    .map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
            }

            // TOML, in which plugin manifests are written, has only signed integers.
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<PopupSize, E> {
                u16::try_from(value)
                    .map(PopupSize::Cells)
                    .map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<PopupSize, E> {
                PopupSize::from_percent_text(value)
                    .ok_or_else(|| E::invalid_value(Unexpected::Str(value), &self))
            }
        }

        deserializer.deserialize_any(SizeVisitor)
    }
}

impl JsonSchema for PopupSize {
    fn schema_name() -> Cow<'static, str> {
        "PopupSize".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "oneOf": [
                { "type": "integer", "minimum": 0, "maximum": 65535 },
                { "type": "string", "pattern": "^(100|[1-9][0-9]?)%$" },
            ],
        })
    }
}
