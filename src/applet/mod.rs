//! drover's own commands, for the person at the keyboard: one file a command.
//!
//! They go by `--session` alone and ignore `HERDR_*`: inside a pane as outside, they mean the person's own daemon.

mod attach;
mod calendar;
mod columns;
mod completions;
mod control;
mod doctor;
mod down;
mod grants;
mod lend_agent;
mod links;
mod log;
mod man;
mod notify;
mod ps;
mod serve;
mod stats;
mod tether;
mod top;
mod turns;
mod up;
mod upgrade;

use std::ffi::OsString;

use crate::command::{self, Caller, Command, Entry, Exit, Failure, FreeWords, Group, Outcome, Run};
use crate::herdr;
use crate::paths::Environment;

/// Every applet.
pub static ROOT: Group = Group::new(
    "drover",
    "Run coding agents in panes that outlive the terminal",
    &[
        Entry::Command(Command::new::<up::Up>(
            "up",
            "",
            "Start the daemon if it is not running, with a workspace to begin with",
        )),
        Entry::Command(Command::new::<ps::Ps>(
            "ps",
            "[--json] [--watch] [--all]",
            "Show the panes and their agents",
        )),
        Entry::Command(Command::new::<top::Top>(
            "top",
            "[--no-colour]",
            "Show the agents live, most urgent first, and answer them",
        )),
        Entry::Command(Command::new::<attach::Attach>(
            "attach",
            "[<target>] [--takeover]",
            "Show and drive a pane in this terminal; ctrl+b q detaches",
        )),
        Entry::Command(Command::new::<down::Down>(
            "down",
            "",
            "Stop the daemon; its panes end",
        )),
        Entry::Group(grants::GROUP),
        Entry::Command(Command::new::<log::Log>(
            "log",
            "[--kind state|access] [--agent AGENT] [--since WHEN] [--limit COUNT] [--follow] [--json]",
            "Show what agents did and when, what was refused, and what panes did to others",
        )),
        Entry::Command(Command::new::<turns::Turns>(
            "turns",
            "[--follow] [--json] [--limit COUNT]\ncancel <execution>",
            "Show xcsh's turns, or cancel one",
        )),
        Entry::Command(Command::new::<stats::Stats>(
            "stats",
            "[--agent AGENT] [--since WHEN] [--json]\n[--agent AGENT] [--since WHEN] --svg FILE",
            "Show how long agents worked, waited for somebody and were idle, by day",
        )),
        Entry::Group(notify::GROUP),
        Entry::Command(Command::new::<doctor::Doctor>(
            "doctor",
            "[--json]",
            "Look for what is wrong, and say what to do about it",
        )),
        Entry::Command(Command::new::<serve::Serve>(
            "serve",
            "[--at-herdr]",
            "Run the daemon in the foreground",
        )),
        Entry::Command(Command::new::<upgrade::Upgrade>(
            "upgrade",
            "[PATH]",
            "Let another build of drover take over; its panes live on",
        )),
        Entry::Command(Command::free::<Herdr>(
            "herdr",
            "<command> [arguments]",
            "Do what the same words after the name herdr do",
        )),
        Entry::Command(Command::new::<links::Links>(
            "links",
            "<directory>",
            "Make links by the names drover and herdr",
        )),
        Entry::Command(Command::new::<completions::Completions>(
            "completions",
            "<bash|elvish|fish|powershell|zsh> [--name herdr|drover]",
            "Print a completion script for a shell",
        )),
        Entry::Command(Command::new::<man::Man>(
            "man",
            "[--out DIR]",
            "Print drover's manual page, or write all pages to a directory",
        )),
        Entry::Command(
            Command::new::<lend_agent::LendAgent>(
                "lend-agent",
                "",
                "Lend the SSH agent of this login to the panes until standard input ends",
            )
            .hidden(),
        ),
        Entry::Command(
            Command::new::<tether::Tether>(
                "tether",
                "<ssh_target> --limit-ms MS [--interactive] [--start]",
                "Hold a connection to another machine",
            )
            .hidden(),
        ),
    ],
);

/// What stands below every mistake on the top level.
const HINT: &str = "run 'drover --help' for usage";

/// Runs one call. `words` are the arguments without the program's name.
#[must_use]
pub fn run(words: impl Iterator<Item = OsString>) -> Exit {
    match command::utf8(words) {
        Ok(words) => run_words(words, &Environment::from_process()),
        Err(mistake) => top_mistake(&mistake),
    }
}

fn run_words(words: Vec<String>, environment: &Environment) -> Exit {
    // herdr's words are herdr's to read, its session and its help among them.
    if let Some((first, rest)) = words.split_first()
        && first == "herdr"
    {
        return herdr::run(rest.iter().map(OsString::from));
    }
    let (session, words) = match command::take_session(words) {
        Ok(taken) => taken,
        Err(mistake) => return top_mistake(&mistake),
    };
    if let (Some(session), Some((first, rest))) = (&session, words.split_first())
        && first == "herdr"
    {
        let words = ["--session", session.name()]
            .into_iter()
            .chain(rest.iter().map(String::as_str));
        return herdr::run(words.map(OsString::from));
    }
    let caller = Caller {
        environment: environment.without_herdr(),
        session,
        far: None,
    };
    match words.first().map(String::as_str) {
        None => Exit::complaint(2, help()),
        Some("--help" | "-h" | "help") => Exit::printed(help()),
        Some("--version" | "-V") => {
            Exit::printed(format!("drover {}\n", env!("CARGO_PKG_VERSION")))
        }
        Some("--list") => Exit::printed(list()),
        Some(word) if ROOT.find(word).is_some() => {
            command::dispatch(&ROOT, ROOT.name, &caller, words)
        }
        Some(word) if word.starts_with('-') => top_mistake(&format!("unknown option: {word}")),
        Some(word) => top_mistake(&format!("unknown command: {word}")),
    }
}

fn help() -> String {
    let mut text = format!(
        "{}\n\nUsage: drover [--session <name>] <command> [arguments]\n\nCommands:\n",
        ROOT.about
    );
    for entry in ROOT.shown() {
        text.push_str(&format!("  {:<11}  {}\n", entry.name(), entry.about()));
    }
    text.push_str(
        "\nOptions:\n\
        \x20 --session <name>  Mean a named session instead of the default one\n\
        \x20 --list            Print the names of the commands\n\
        \x20 -V, --version     Print the version\n\
        \x20 -h, --help        Print this\n\
        \n\
        'drover <command> --help' tells more. Called by the name herdr, this program is herdr's command line.\n",
    );
    text
}

fn list() -> String {
    ROOT.shown()
        .map(|entry| format!("{}\n", entry.name()))
        .collect()
}

fn top_mistake(line: &str) -> Exit {
    Exit::complaint(2, format!("error: {line}\n{HINT}"))
}

/// `drover herdr`, for the table.
#[derive(clap::Args)]
struct Herdr {
    /// A command of herdr's, with its arguments
    #[arg(required = true)]
    words: Vec<String>,
}

impl FreeWords for Herdr {
    /// Never: its words are taken before the table is looked at.
    fn from_words(_: Vec<String>) -> Result<Self, Failure> {
        Err(Failure::Usage)
    }
}

impl Run for Herdr {
    fn run(self, _: &Caller) -> Outcome {
        Err(Failure::Usage)
    }
}
