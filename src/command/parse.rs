//! Parsing one command's words: clap with herdr's habits, and herdr's words for what is wrong.

use std::error::Error as _;
use std::fmt;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Command, Failure};

/// A value that a command does not take, with the line that says so.
///
/// Parsers of single values return it; their text is shown as it is, while other parsers' errors are shown as
/// `invalid value for --OPTION: VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadValue(String);

impl BadValue {
    /// An error with this line.
    pub fn new(line: impl Into<String>) -> Self {
        Self(line.into())
    }
}

impl fmt::Display for BadValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BadValue {}

/// The parser of a command's words, its path not among them.
pub(super) fn parser(command: &Command) -> clap::Command {
    with_habits(command.name, command.arguments).about(command.about)
}

fn with_habits(name: &'static str, arguments: fn(clap::Command) -> clap::Command) -> clap::Command {
    let parser = clap::Command::new(name)
        .no_binary_name(true)
        // Help is asked for right after the path and decided before; here it is a word like any other.
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .disable_version_flag(true)
        // A repeated option is no mistake: the last one counts.
        .args_override_self(true);
    // The word after an option is its value, whatever it looks like: messages may begin with a dash.
    arguments(parser).mut_args(|argument| {
        let takes_value = argument.get_action().takes_values();
        if takes_value && !argument.is_positional() {
            argument.allow_hyphen_values(true)
        } else {
            argument
        }
    })
}

/// Parses the words after a command's path.
pub(super) fn structured<A: clap::Args>(
    command: &Command,
    words: Vec<String>,
) -> Result<A, Failure> {
    parsed(parser(command), words)
}

/// Parses the options that follow free words.
///
/// # Errors
/// As for any command: a usage mistake.
pub fn parse<A: clap::Args>(words: Vec<String>) -> Result<A, Failure> {
    parsed(with_habits("", A::augment_args), words)
}

fn parsed<A: clap::Args>(parser: clap::Command, words: Vec<String>) -> Result<A, Failure> {
    let takes_options = has_own_options(&parser);
    parser
        .try_get_matches_from(words)
        .and_then(|matches| A::from_arg_matches(&matches))
        .map_err(|error| failure(&error, takes_options))
}

/// Whether a wrong word is worth naming: a command with no options but `--json` answers with its usage, which is as
/// short.
fn has_own_options(parser: &clap::Command) -> bool {
    parser
        .get_arguments()
        .any(|argument| argument.get_long().is_some_and(|long| long != "json"))
}

/// What herdr would say.
fn failure(error: &clap::Error, takes_options: bool) -> Failure {
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.as_str(),
        Some(ContextValue::Strings(arguments)) => arguments.first().map_or("", String::as_str),
        _ => "",
    };
    // clap shows `--lines <N>`; people typed `--lines`.
    let option = argument.split([' ', '=']).next().unwrap_or(argument);
    match error.kind() {
        ErrorKind::UnknownArgument if !takes_options => Failure::Usage,
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            Failure::Misuse(format!("unknown option: {argument}"))
        }
        ErrorKind::UnknownArgument => Failure::Misuse(format!("unexpected argument: {argument}")),
        // Our value parsers refuse with another kind, so this one means that no value was there.
        ErrorKind::InvalidValue | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            Failure::Misuse(format!("missing value for {option}"))
        }
        // A flag with `=value`.
        ErrorKind::TooManyValues => Failure::Misuse(format!("{option} takes no value")),
        ErrorKind::ValueValidation => {
            let own = error
                .source()
                .and_then(|source| source.downcast_ref::<BadValue>());
            let value = match error.get(ContextKind::InvalidValue) {
                Some(ContextValue::String(value)) => value.as_str(),
                _ => "",
            };
            Failure::Misuse(match own {
                Some(own) => own.to_string(),
                None => format!("invalid value for {option}: {value}"),
            })
        }
        _ => Failure::Usage,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Caller, Outcome, Run};
    use super::*;

    #[derive(clap::Args, Debug, PartialEq)]
    struct Sample {
        pane_id: String,
        #[arg(long)]
        source: Option<String>,
        #[arg(long)]
        seq: Option<u64>,
        #[arg(long = "token", value_parser = super::super::words::token_pair)]
        tokens: Vec<(String, String)>,
        #[arg(long, overrides_with = "no_focus")]
        focus: bool,
        #[arg(long, overrides_with = "focus")]
        no_focus: bool,
        #[arg(last = true)]
        resume: Vec<String>,
    }

    impl Run for Sample {
        fn run(self, _: &Caller) -> Outcome {
            Ok(Answer::Nothing)
        }
    }

    #[derive(clap::Args, Debug, PartialEq)]
    struct Plain {
        pane_id: String,
        #[arg(long)]
        json: bool,
    }

    impl Run for Plain {
        fn run(self, _: &Caller) -> Outcome {
            Ok(Answer::Nothing)
        }
    }

    fn parsed<A: Run>(words: &[&str]) -> Result<A, Failure> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        structured(&Command::new::<A>("sample", "<pane_id>", ""), words)
    }

    fn complaint(words: &[&str]) -> String {
        match parsed::<Sample>(words) {
            Err(Failure::Misuse(line)) => line,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_stand_anywhere_and_take_their_value_after_an_equals_sign_too() {
        let sample = parsed::<Sample>(&["--source=a=b", "w1:p1", "--seq", "7"]).expect("valid");
        assert_eq!(sample.pane_id, "w1:p1");
        assert_eq!(sample.source.as_deref(), Some("a=b"));
        assert_eq!(sample.seq, Some(7));
    }

    #[test]
    fn the_word_after_an_option_is_its_value_whatever_it_looks_like() {
        for value in ["-x", "--seq", "--unknown", "- a", ""] {
            let sample = parsed::<Sample>(&["p", "--source", value]).expect(value);
            assert_eq!(sample.source.as_deref(), Some(value));
        }
    }

    #[test]
    fn of_repeated_options_the_last_counts_and_lists_collect() {
        let sample = parsed::<Sample>(&[
            "p",
            "--source",
            "a",
            "--source",
            "b",
            "--token",
            "x=1",
            "--token",
            "y=2",
            "--focus",
            "--no-focus",
        ])
        .expect("valid");
        assert_eq!(sample.source.as_deref(), Some("b"));
        assert_eq!(sample.tokens.len(), 2);
        assert!(!sample.focus && sample.no_focus);
    }

    #[test]
    fn everything_after_two_dashes_is_kept_as_it_stands() {
        let sample =
            parsed::<Sample>(&["p", "--", "agent", "--resume", "--", "-x"]).expect("valid");
        assert_eq!(sample.resume, ["agent", "--resume", "--", "-x"]);
    }

    #[test]
    fn mistakes_are_named_in_herdrs_words() {
        assert_eq!(complaint(&["p", "--nosuch"]), "unknown option: --nosuch");
        assert_eq!(complaint(&["p", "--nosuch=1"]), "unknown option: --nosuch");
        assert_eq!(complaint(&["p", "-x"]), "unknown option: -x");
        assert_eq!(complaint(&["p", "--help"]), "unknown option: --help");
        assert_eq!(complaint(&["p", "more"]), "unexpected argument: more");
        assert_eq!(complaint(&["p", "--source"]), "missing value for --source");
        assert_eq!(
            complaint(&["p", "--seq", "-1"]),
            "invalid value for --seq: -1"
        );
        assert_eq!(complaint(&["p", "--seq=x"]), "invalid value for --seq: x");
        assert_eq!(
            complaint(&["p", "--token", "bad"]),
            "token must use NAME=VALUE"
        );
        assert_eq!(complaint(&["p", "--focus=1"]), "--focus takes no value");
    }

    #[test]
    fn a_missing_position_is_answered_with_the_usage() {
        assert_eq!(parsed::<Sample>(&["--source", "a"]), Err(Failure::Usage));
        assert_eq!(parsed::<Plain>(&[]), Err(Failure::Usage));
    }

    #[test]
    fn a_command_without_options_answers_every_mistake_with_its_usage() {
        assert_eq!(parsed::<Plain>(&["p", "--nosuch"]), Err(Failure::Usage));
        assert_eq!(parsed::<Plain>(&["p", "more"]), Err(Failure::Usage));
        assert!(parsed::<Plain>(&["--json", "p"]).is_ok());
    }
}
