//! `herdr terminal`: watching and driving panes from another terminal or another program.

use std::io::{self, BufRead, Write};

use super::ask;
use crate::api::control::{TerminalControlParams, TerminalObserveParams};
use crate::api::method;
use crate::api::params::{ClientWindowTitleSetParams, EmptyParams};
use crate::api::terminal_stream::{TerminalCommand, TerminalRecord};
use crate::client::{
    self, AttachError, CallError, CommandSender, Detached, Lending, TerminalStream,
};
use crate::command::words::first;
use crate::command::{
    Answer, Caller, Command, Entry, Failure, FreeWords, Group, Outcome, Run, print_now,
};

pub(super) const GROUP: Group = Group::new(
    "terminal",
    "Terminals: watch and drive panes from elsewhere",
    &[
        Entry::Command(Command::new::<Attach>(
            "attach",
            "<terminal_id> [--takeover]",
            "Attach this terminal to a pane; ctrl+b q detaches",
        )),
        Entry::Group(Group::new(
            "session",
            "Panes as streams of JSON lines",
            &[
                Entry::Command(Command::new::<Observe>(
                    "observe",
                    "<target> [--cols N] [--rows N]",
                    "Print what a pane shows, frame by frame",
                )),
                Entry::Command(Command::new::<Control>(
                    "control",
                    "<target> [--takeover] [--cols N] [--rows N]",
                    "The same, and take commands for the pane from standard input",
                )),
            ],
        )),
        Entry::Group(Group::new(
            "title",
            "The title of the window that shows herdr",
            &[
                Entry::Command(Command::free::<TitleSet>(
                    "set",
                    "<title>",
                    "Give the window a title",
                )),
                Entry::Command(Command::new::<TitleClear>(
                    "clear",
                    "",
                    "Give the window its own title back",
                )),
            ],
        )),
    ],
);

/// Size of a viewer's terminal that is none (herdr 0.9.3).
const COLS: u16 = 120;
const ROWS: u16 = 40;

#[derive(clap::Args)]
struct ViewSize {
    /// Columns of the viewer; 120 by default
    #[arg(long, value_name = "N", default_value_t = COLS, hide_default_value = true,
          value_parser = clap::value_parser!(u16).range(1..))]
    cols: u16,
    /// Rows of the viewer; 40 by default
    #[arg(long, value_name = "N", default_value_t = ROWS, hide_default_value = true,
          value_parser = clap::value_parser!(u16).range(1..))]
    rows: u16,
}

#[derive(clap::Args)]
struct Observe {
    /// A terminal, a pane or an agent
    target: String,
    #[command(flatten)]
    size: ViewSize,
}

impl Run for Observe {
    fn run(self, caller: &Caller) -> Outcome {
        let params = TerminalObserveParams {
            target: self.target,
            cols: self.size.cols,
            rows: self.size.rows,
        };
        let socket = caller.session_paths()?.control_socket;
        match TerminalStream::observe(&socket, &params) {
            Ok(stream) => relay(stream),
            Err(error) => not_open("observe", error),
        }
    }
}

#[derive(clap::Args)]
struct Control {
    /// A terminal, a pane or an agent
    target: String,
    /// Take the place of another client that controls the pane
    #[arg(long)]
    takeover: bool,
    #[command(flatten)]
    size: ViewSize,
}

impl Run for Control {
    fn run(self, caller: &Caller) -> Outcome {
        let params = TerminalControlParams {
            target: self.target,
            cols: self.size.cols,
            rows: self.size.rows,
            takeover: self.takeover,
            attach: false,
        };
        let socket = caller.session_paths()?.control_socket;
        let stream = match TerminalStream::control(&socket, &params) {
            Ok(stream) => stream,
            Err(error) => return not_open("control", error),
        };
        let sender = stream
            .commands()
            .map_err(|error| Failure::Failed(format!("herdr: {error}")))?;
        std::thread::spawn(move || forward(sender));
        relay(stream)
    }
}

/// Prints records as they come. Nobody who reads them, or nothing more to come, is the end.
fn relay(mut stream: TerminalStream) -> Outcome {
    loop {
        match stream.next_line() {
            Ok(Some(mut line)) => {
                line.push(b'\n');
                let mut out = io::stdout().lock();
                if out.write_all(&line).and_then(|()| out.flush()).is_err() {
                    return Ok(Answer::Nothing);
                }
                let is_last = serde_json::from_slice(&line)
                    .is_ok_and(|record| matches!(record, TerminalRecord::Closed { .. }));
                if is_last {
                    return Ok(Answer::Nothing);
                }
            }
            Ok(None) => return Ok(Answer::Nothing),
            Err(error) => return Err(Failure::Failed(format!("herdr: {error}"))),
        }
    }
}

/// Sends the commands of standard input, and at its end gives the pane back.
fn forward(mut sender: CommandSender) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if line.trim().is_empty() {
            continue;
        }
        match TerminalCommand::parse(&line) {
            Ok(command) => {
                if sender.send(&command).is_err() {
                    return;
                }
            }
            Err(reason) => super::tell(&format!(
                "herdr: terminal session control input ignored: {reason}\n"
            )),
        }
    }
    let _ = sender.send(&TerminalCommand::Release {});
}

/// A refusal is the stream's last record; only a daemon that is not there is a failure.
fn not_open(what: &str, error: CallError) -> Outcome {
    match error {
        CallError::Refused(answer) => {
            let message = answer["error"]["message"].as_str().unwrap_or("refused");
            let reason = format!("terminal session {what} failed: {message}");
            print_now(&TerminalRecord::closed(reason).line())?;
            Ok(Answer::Nothing)
        }
        other => Err(Failure::Failed(format!("herdr: {other}"))),
    }
}

#[derive(clap::Args)]
struct Attach {
    /// A terminal, a pane or an agent
    terminal_id: String,
    /// Take the place of other terminals that are attached to the pane
    #[arg(long)]
    takeover: bool,
}

impl Run for Attach {
    fn run(self, caller: &Caller) -> Outcome {
        attach(caller, &self.terminal_id, self.takeover)
    }
}

/// Attaches this terminal, and says in one line why it is not attached any more if that was not the
/// person's wish.
pub(crate) fn attach(caller: &Caller, target: &str, takeover: bool) -> Outcome {
    let paths = caller.session_paths()?;
    // Of another machine's agent only that machine knows.
    let lent = match caller.far {
        None => Lending::of_environment(&paths.protocol_socket),
        Some(_) => None,
    };
    match client::attach(&paths.control_socket, target, takeover, lent) {
        Ok(Detached::ByPerson) => Ok(Answer::Nothing),
        Ok(Detached::ByDaemon(reason)) if reason == "detached" => Ok(Answer::Nothing),
        Ok(Detached::ByDaemon(reason)) => Err(Failure::Failed(format!(
            "herdr: server shut down: {reason}"
        ))),
        Ok(Detached::DaemonGone) => Err(Failure::Failed(
            "herdr: server shut down: it is gone and did not come back".to_owned(),
        )),
        Err(AttachError::NoTerminal) => Err(Failure::Misuse(
            "error: attaching needs a terminal on standard input and output".to_owned(),
        )),
        Err(AttachError::Call(CallError::Refused(answer))) => {
            let message = answer["error"]["message"].as_str().unwrap_or("refused");
            Err(Failure::Failed(format!(
                "herdr: terminal attach failed: {message}"
            )))
        }
        Err(AttachError::Call(error)) => Err(Failure::Failed(format!("herdr: {error}"))),
        Err(AttachError::Terminal(error)) => Err(Failure::Failed(format!(
            "herdr: this terminal cannot be used: {error}"
        ))),
    }
}

#[derive(clap::Args)]
struct TitleSet {
    /// The title
    title: String,
}

impl FreeWords for TitleSet {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        match &words[..] {
            [_] => Ok(TitleSet {
                title: first(words).map(|(title, _)| title)?,
            }),
            _ => Err(Failure::Usage),
        }
    }
}

impl Run for TitleSet {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::ClientWindowTitleSet>(
            caller,
            "cli:terminal:title:set",
            &ClientWindowTitleSetParams { title: self.title },
        )
    }
}

#[derive(clap::Args)]
struct TitleClear {}

impl Run for TitleClear {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::ClientWindowTitleClear>(
            caller,
            "cli:terminal:title:clear",
            &EmptyParams {},
        )
    }
}
