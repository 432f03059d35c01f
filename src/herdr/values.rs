//! Words on the command line that stand for values of the protocol, and the lines that refuse others.
//!
//! The lines are herdr 0.9.3's: scripts and tests look for them.

use std::str::FromStr;

use crate::api::params::{NotificationShowSound, ToastHerdrPosition};
use crate::api::records::{
    AgentStatus, PaneAgentState, PaneDirection, PaneRightClickTarget, ReadFormat, ReadSource,
    SplitDirection,
};
use crate::command::BadValue;
use crate::command::words::finite;

fn value<T: FromStr>(word: &str, line: impl FnOnce() -> String) -> Result<T, BadValue> {
    word.parse().map_err(|_| BadValue::new(line()))
}

/// A read source; the wire's `recent_unwrapped` is `recent-unwrapped` here, and both are taken.
pub(super) fn read_source(word: &str) -> Result<ReadSource, BadValue> {
    value(&word.replace('-', "_"), || {
        format!("invalid read source: {word}")
    })
}

pub(super) fn read_format(word: &str) -> Result<ReadFormat, BadValue> {
    value(word, || format!("invalid read format: {word}"))
}

/// What a reporter may say. `done` is not among it: whether a result was seen is not the reporter's to know.
pub(super) fn reported_state(word: &str) -> Result<PaneAgentState, BadValue> {
    value(word, || {
        format!("invalid pane agent state: {word} (expected idle, working, blocked, or unknown)")
    })
}

pub(super) fn agent_status(word: &str) -> Result<AgentStatus, BadValue> {
    value(word, || {
        format!("invalid agent status: {word} (expected idle, working, blocked, done, or unknown)")
    })
}

pub(super) fn split_direction(word: &str) -> Result<SplitDirection, BadValue> {
    value(word, || format!("invalid split direction: {word}"))
}

pub(super) fn pane_direction(word: &str) -> Result<PaneDirection, BadValue> {
    value(word, || format!("invalid pane direction: {word}"))
}

pub(super) fn right_click(word: &str) -> Result<PaneRightClickTarget, BadValue> {
    value(word, || format!("invalid right-click target: {word}"))
}

pub(super) fn ratio(word: &str) -> Result<f32, BadValue> {
    finite(word).ok_or_else(|| BadValue::new(format!("invalid ratio: {word}")))
}

pub(super) fn amount(word: &str) -> Result<f32, BadValue> {
    finite(word).ok_or_else(|| BadValue::new(format!("invalid amount: {word}")))
}

pub(super) fn position(word: &str) -> Result<ToastHerdrPosition, BadValue> {
    value(word, || {
        let expected = "top-left, top-right, bottom-left, or bottom-right";
        format!("invalid position: {word} (expected {expected})")
    })
}

pub(super) fn sound(word: &str) -> Result<NotificationShowSound, BadValue> {
    value(word, || {
        format!("invalid sound: {word} (expected none, done, or request)")
    })
}
