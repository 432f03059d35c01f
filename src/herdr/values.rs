//! Words on the command line that stand for values of the protocol, and the lines that refuse others.
//!
//! The lines are herdr 0.9.3's: scripts and tests look for them.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};

use super::explain::ExplainFormat;
use crate::api::params::{NotificationShowSound, ToastHerdrPosition};
use crate::api::records::{
    AgentStatus, PaneAgentState, PaneDirection, PaneRightClickTarget, ReadFormat, ReadSource,
    SplitDirection,
};
use crate::command::BadValue;
use crate::command::words::finite;

/// Parses one of a few words. Help and completion show the words; a wrong one is refused with herdr's line.
#[derive(Clone)]
pub(super) struct Word<T: 'static> {
    parse: fn(&str) -> Result<T, BadValue>,
    words: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Word<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

fn value<T: FromStr>(word: &str, line: impl FnOnce() -> String) -> Result<T, BadValue> {
    word.parse().map_err(|_| BadValue::new(line()))
}

macro_rules! word {
    ($(#[$meta:meta])* $name:ident: $type:ty, $word:ident => $line:expr) => {
        $(#[$meta])*
        pub(super) const $name: Word<$type> = Word {
            parse: |$word| value($word, || $line),
            words: || <$type>::ALL.iter().map(|value| value.as_str()).collect(),
        };
    };
}

word!(READ_FORMAT: ReadFormat, word => format!("invalid read format: {word}"));
word!(
    /// What a reporter may say. `done` is not among it: whether a result was seen is not the reporter's to know.
    REPORTED_STATE: PaneAgentState, word =>
    format!("invalid pane agent state: {word} (expected idle, working, blocked, or unknown)")
);
word!(AGENT_STATUS: AgentStatus, word =>
    format!("invalid agent status: {word} (expected idle, working, blocked, done, or unknown)"));
word!(SPLIT_DIRECTION: SplitDirection, word => format!("invalid split direction: {word}"));
word!(PANE_DIRECTION: PaneDirection, word => format!("invalid pane direction: {word}"));
word!(RIGHT_CLICK: PaneRightClickTarget, word => format!("invalid right-click target: {word}"));
word!(POSITION: ToastHerdrPosition, word => format!(
    "invalid position: {word} (expected top-left, top-right, bottom-left, or bottom-right)"
));
word!(SOUND: NotificationShowSound, word =>
    format!("invalid sound: {word} (expected none, done, or request)"));

/// A read source; the wire's `recent_unwrapped` is `recent-unwrapped` here, and both are taken.
pub(super) const READ_SOURCE: Word<ReadSource> = Word {
    parse: |word| {
        value(&word.replace('-', "_"), || {
            format!("invalid read source: {word}")
        })
    },
    words: || vec!["visible", "recent", "recent-unwrapped", "detection"],
};

/// How an explanation is written.
pub(super) const EXPLAIN_FORMAT: Word<ExplainFormat> = Word {
    parse: |word| match word {
        "text" => Ok(ExplainFormat::Text),
        "json" => Ok(ExplainFormat::Json),
        _ => Err(BadValue::new(format!("invalid explain format: {word}"))),
    },
    words: || vec!["text", "json"],
};

/// A share for `--ratio`.
pub(super) fn ratio(word: &str) -> Result<f32, BadValue> {
    finite(word).ok_or_else(|| BadValue::new(format!("invalid ratio: {word}")))
}

/// A share for `--amount`.
pub(super) fn amount(word: &str) -> Result<f32, BadValue> {
    finite(word).ok_or_else(|| BadValue::new(format!("invalid amount: {word}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_is_shown_is_taken() {
        fn check<T>(word: &Word<T>) {
            for shown in (word.words)() {
                assert!((word.parse)(shown).is_ok(), "{shown}");
            }
            assert!((word.parse)("nosuch").is_err() && (word.parse)("").is_err());
        }
        check(&READ_SOURCE);
        check(&READ_FORMAT);
        check(&REPORTED_STATE);
        check(&AGENT_STATUS);
        check(&SPLIT_DIRECTION);
        check(&PANE_DIRECTION);
        check(&RIGHT_CLICK);
        check(&POSITION);
        check(&SOUND);
        check(&EXPLAIN_FORMAT);
        assert_eq!((READ_SOURCE.words)().len(), ReadSource::ALL.len());
    }
}
