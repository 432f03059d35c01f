//! Commands that type into a pane and read from it.

use crate::api::method;
use crate::api::params::{
    OutputMatch, PaneReadParams, PaneSendInputParams, PaneSendKeysParams, PaneSendTextParams,
    PaneWaitForOutputParams,
};
use crate::api::records::{ReadFormat, ReadSource};
use crate::command::words::{first, joined};
use crate::command::{Caller, Failure, FreeWords, Outcome, Run};
use crate::herdr::{ask, values};

#[derive(clap::Args)]
pub(super) struct Read {
    /// The pane
    pane_id: String,
    /// What to read; recent by default
    #[arg(long, value_name = "SOURCE", value_parser = values::READ_SOURCE)]
    source: Option<ReadSource>,
    /// How many of the latest lines
    #[arg(long, value_name = "N")]
    lines: Option<u32>,
    /// How to write it; text by default
    #[arg(long, value_name = "FORMAT", value_parser = values::READ_FORMAT)]
    format: Option<ReadFormat>,
    /// The same as --format ansi
    #[arg(long)]
    ansi: bool,
    /// With every escape sequence as it is
    #[arg(long)]
    raw: bool,
}

impl Run for Read {
    fn run(self, caller: &Caller) -> Outcome {
        let styled = self.ansi || self.raw;
        let params = PaneReadParams {
            pane_id: self.pane_id,
            source: self.source.unwrap_or(ReadSource::Recent),
            format: if styled {
                ReadFormat::Ansi
            } else {
                self.format.unwrap_or_default()
            },
            lines: self.lines,
            strip_ansi: !self.raw,
        };
        ask::print_text::<method::PaneRead>(caller, "cli:pane:read", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct SendText {
    /// The pane
    pane_id: String,
    /// The text, as it is; several words are joined
    #[arg(required = true)]
    text: Vec<String>,
}

impl FreeWords for SendText {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let (pane_id, text) = pane_and_words(words)?;
        Ok(Self { pane_id, text })
    }
}

impl Run for SendText {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneSendTextParams {
            pane_id: self.pane_id,
            text: joined(&self.text),
        };
        ask::silent::<method::PaneSendText>(caller, &params)
    }
}

#[derive(clap::Args)]
pub(super) struct SendKeys {
    /// The pane
    pane_id: String,
    /// Keys such as Enter, ctrl+c, f5 or a
    #[arg(required = true)]
    keys: Vec<String>,
}

impl FreeWords for SendKeys {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let (pane_id, keys) = pane_and_words(words)?;
        Ok(Self { pane_id, keys })
    }
}

impl Run for SendKeys {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneSendKeysParams {
            pane_id: self.pane_id,
            keys: self.keys,
        };
        ask::silent::<method::PaneSendKeys>(caller, &params)
    }
}

#[derive(clap::Args)]
pub(super) struct RunCommand {
    /// The pane
    pane_id: String,
    /// The command line, as it is; several words are joined
    #[arg(required = true)]
    command: Vec<String>,
}

impl FreeWords for RunCommand {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let (pane_id, command) = pane_and_words(words)?;
        Ok(Self { pane_id, command })
    }
}

impl Run for RunCommand {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneSendInputParams {
            pane_id: self.pane_id,
            text: joined(&self.command),
            keys: vec!["Enter".to_owned()],
        };
        ask::silent::<method::PaneSendInput>(caller, &params)
    }
}

/// A pane and at least one word for it.
fn pane_and_words(words: Vec<String>) -> Result<(String, Vec<String>), Failure> {
    match first(words)? {
        (_, rest) if rest.is_empty() => Err(Failure::Usage),
        split => Ok(split),
    }
}

#[derive(clap::Args)]
pub(super) struct WaitOutput {
    /// The pane
    pane_id: String,
    /// Wait for this text, anywhere in a line
    #[arg(long = "match", value_name = "TEXT")]
    text: Option<String>,
    /// Wait for a line that this regular expression matches
    #[arg(long, value_name = "PATTERN")]
    regex: Option<String>,
    /// Where to look; recent by default
    #[arg(long, value_name = "SOURCE", value_parser = values::READ_SOURCE)]
    source: Option<ReadSource>,
    /// In how many of the latest lines
    #[arg(long, value_name = "N")]
    lines: Option<u32>,
    /// Give up after so many milliseconds; without it, never
    #[arg(long, value_name = "MS")]
    timeout: Option<u64>,
    /// Match against the text with its escape sequences
    #[arg(long)]
    raw: bool,
}

impl Run for WaitOutput {
    fn run(self, caller: &Caller) -> Outcome {
        let misuse = |line: &str| Err(Failure::Misuse(line.to_owned()));
        let matcher = match (self.text, self.regex) {
            (Some(value), None) => OutputMatch::Substring { value },
            (None, Some(value)) => OutputMatch::Regex { value },
            (Some(_), Some(_)) => return misuse("--match and --regex are mutually exclusive"),
            (None, None) => return misuse("missing required --match or --regex"),
        };
        let params = PaneWaitForOutputParams {
            pane_id: self.pane_id,
            source: self.source.unwrap_or(ReadSource::Recent),
            matcher,
            lines: self.lines,
            strip_ansi: !self.raw,
            timeout_ms: self.timeout,
        };
        ask::wait::<method::PaneWaitForOutput>(caller, "cli:pane:wait-output", &params)
    }
}
