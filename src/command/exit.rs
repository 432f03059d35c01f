//! How a command ends: what goes to which stream, and the exit code. Decided here once for all commands.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use serde_json::Value;

use super::printable;

/// What a command that went well has to say, or how it failed.
pub type Outcome = Result<Answer, Failure>;

/// What a command that went well writes to stdout. The exit code is 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing.
    Nothing,
    /// JSON on one line. Members come out in alphabetical order, as from herdr.
    Json(Value),
    /// Text exactly as it is, with no newline added.
    Text(String),
    /// Text exactly as it is; the exit code is 1, for a check that found something (`config check`).
    Found(String),
}

/// How a command failed. Nothing is on stdout then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The words do not fit the command: its usage goes to stderr, exit code 2.
    Usage,
    /// One word is wrong: this line goes to stderr, exit code 2.
    Misuse(String),
    /// The daemon refused, or cannot be reached: this line of JSON goes to stderr, exit code 1.
    Refused(String),
    /// Something else went wrong: this text goes to stderr, exit code 1.
    Failed(String),
}

/// The end of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// For stdout.
    pub stdout: String,
    /// For stderr.
    pub stderr: String,
    /// 0: done. 1: the daemon, the transport or the machine failed. 2: the command was written wrongly.
    pub code: u8,
}

impl Exit {
    /// The end that an outcome means. `usage` makes the command's usage text where it is needed.
    #[must_use]
    pub fn from_outcome(outcome: Outcome, usage: impl FnOnce() -> String) -> Self {
        match outcome {
            Ok(Answer::Nothing) => Self::default(),
            Ok(Answer::Json(value)) => Self::printed(printable::json(&format!("{value}\n"))),
            Ok(Answer::Text(text)) => Self::printed(text),
            Ok(Answer::Found(text)) => Self {
                code: 1,
                ..Self::printed(text)
            },
            Err(Failure::Usage) => Self::complaint(2, usage()),
            Err(Failure::Misuse(text)) => Self::complaint(2, text),
            Err(Failure::Refused(text)) => Self::complaint(1, printable::json(&text)),
            Err(Failure::Failed(text)) => Self::complaint(1, text),
        }
    }

    /// Success with a text on stdout.
    #[must_use]
    pub fn printed(stdout: String) -> Self {
        Self {
            stdout,
            ..Self::default()
        }
    }

    /// A text on stderr, ended with a newline, and a code. What it quotes does not drive the terminal.
    #[must_use]
    pub fn complaint(code: u8, text: impl AsRef<str>) -> Self {
        let mut stderr = printable::lines(text.as_ref());
        if !stderr.ends_with('\n') {
            stderr.push('\n');
        }
        Self {
            stderr,
            code,
            ..Self::default()
        }
    }

    /// Writes both streams and gives the code to end the process with.
    ///
    /// If the reader of stdout has gone, the process ends as if `SIGPIPE` had its default effect, silently, so that
    /// `herdr pane list | head -1` does what it does with every other tool. (Rust ignores the signal at start.)
    pub fn finish(self) -> ExitCode {
        if !self.stdout.is_empty()
            && let Err(error) = write_whole(io::stdout().lock(), &for_stdout(&self.stdout))
        {
            if error.kind() == io::ErrorKind::BrokenPipe {
                end_by_broken_pipe();
            } else {
                // There is no other place to say that both streams are closed.
                let _ = write_whole(io::stderr(), &not_written(&error));
            }
            return ExitCode::from(1);
        }
        if !self.stderr.is_empty() {
            // There is no other place to say that stderr is closed.
            let _ = write_whole(io::stderr(), &self.stderr);
        }
        ExitCode::from(self.code)
    }
}

/// Prints text on stdout at once, for a command that goes on afterwards.
///
/// # Errors
/// It cannot be printed. If the reader has gone, the process ends as in [`Exit::finish`] instead.
pub fn print_now(text: &str) -> Result<(), Failure> {
    write_whole(io::stdout().lock(), &for_stdout(text)).map_err(|error| {
        if error.kind() == io::ErrorKind::BrokenPipe {
            end_by_broken_pipe();
        }
        Failure::Failed(not_written(&error))
    })
}

/// What stdout gets of a text: a person's terminal text and colours only, a program all of it.
fn for_stdout(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() {
        Cow::Owned(printable::coloured(text))
    } else {
        Cow::Borrowed(text)
    }
}

fn end_by_broken_pipe() {
    // Returns only if the signal is blocked; the exit code then has to do.
    let _ = signal_hook::low_level::emulate_default_handler(libc::SIGPIPE);
}

fn not_written(error: &io::Error) -> String {
    format!("error: cannot write the answer: {error}\n")
}

fn write_whole(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_has_its_stream_and_its_code() {
        let end = |outcome| Exit::from_outcome(outcome, || "usage: x\n".to_owned());
        let json = serde_json::json!({"result": {"type": "ok"}, "id": "1"});
        let of = |stdout: &str, stderr: &str, code| Exit {
            stdout: stdout.into(),
            stderr: stderr.into(),
            code,
        };
        assert_eq!(end(Ok(Answer::Nothing)), of("", "", 0));
        assert_eq!(
            end(Ok(Answer::Json(json))),
            of("{\"id\":\"1\",\"result\":{\"type\":\"ok\"}}\n", "", 0)
        );
        assert_eq!(end(Ok(Answer::Text("as is".into()))), of("as is", "", 0));
        assert_eq!(
            end(Ok(Answer::Found("issues\n".into()))),
            of("issues\n", "", 1)
        );
        assert_eq!(end(Err(Failure::Usage)), of("", "usage: x\n", 2));
        assert_eq!(end(Err(Failure::Misuse("bad".into()))), of("", "bad\n", 2));
        assert_eq!(end(Err(Failure::Refused("{}".into()))), of("", "{}\n", 1));
        assert_eq!(
            end(Err(Failure::Failed("broken".into()))),
            of("", "broken\n", 1)
        );
    }
}
