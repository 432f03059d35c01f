//! herdr's command line: one file a command group, one function a command.

mod agent;
mod api;
mod ask;
mod completion;
mod config;
mod explain;
mod integration;
mod machine;
mod notification;
mod pane;
mod plugin;
mod preface;
mod serve;
mod server;
mod session;
mod shared;
mod start;
mod status;
mod tab;
mod terminal;
mod update;
mod values;
mod workspace;
mod worktree;

pub(crate) use serve::{HalfWords, Start, make_parent, serve, tell};
pub(crate) use server::{HANDOFF_PATIENCE, whole};
pub(crate) use terminal::attach;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use crate::api::params::PaneCurrentParams;
use crate::api::{VERSION, method};
use crate::client::ssh::Target;
use crate::client::{self, Patience};
use crate::command::{self, Caller, Entry, Exit, Failure, Group, Outcome};
use crate::config::{Config, default_file, load};
use crate::paths::{self, Environment, Session};

/// Every command, by group.
pub static ROOT: Group = Group::new(
    "herdr",
    "Run coding agents in panes that outlive the terminal",
    &[
        Entry::Group(status::GROUP),
        Entry::Group(server::GROUP),
        Entry::Group(session::GROUP),
        Entry::Group(machine::GROUP),
        Entry::Group(workspace::GROUP),
        Entry::Group(worktree::GROUP),
        Entry::Group(tab::GROUP),
        Entry::Group(pane::GROUP),
        Entry::Group(agent::GROUP),
        Entry::Group(terminal::GROUP),
        Entry::Group(notification::GROUP),
        Entry::Group(integration::GROUP),
        Entry::Group(plugin::GROUP),
        Entry::Group(api::GROUP),
        Entry::Group(config::GROUP),
        Entry::Group(update::GROUP),
        Entry::Command(update::COMMAND),
        Entry::Command(completion::COMMAND),
    ],
);

/// Teaches an agent to drive the panes around it (`herdr --skill`).
const SKILL: &str = include_str!("skill.md");

/// What stands below every mistake on the top level.
const HINT: &str = "run 'herdr --help' for usage";

/// Runs one call. `words` are the arguments without the program's name.
#[must_use]
pub fn run(words: impl Iterator<Item = OsString>) -> Exit {
    match command::utf8(words) {
        Ok(words) => run_words(words, Environment::from_process()),
        Err(mistake) => top_mistake(&format!("error: {mistake}")),
    }
}

fn run_words(words: Vec<String>, environment: Environment) -> Exit {
    let preface = match preface::read(words, &environment) {
        Ok(preface) => preface,
        Err(mistake) => return top_mistake(&format!("error: {mistake}")),
    };
    if let Some(word) = &preface.machine {
        return run_there(word, preface.words, &environment);
    }
    let caller = Caller {
        environment,
        session: preface.session,
        far: None,
    };
    match preface.words.first().map(String::as_str) {
        None => launch(&caller, preface.remote, true),
        Some("client") if preface.words.len() == 1 => launch(&caller, None, false),
        Some(word) if ROOT.find(word).is_some() => {
            command::dispatch(&ROOT, ROOT.name, &caller, preface.words)
        }
        Some(word) => top_level(word, &preface.words, &caller),
    }
}

/// A command for a saved machine. Only one that needs its daemon connects; help and mistakes do not.
fn run_there(word: &str, words: Vec<String>, environment: &Environment) -> Exit {
    match machine::Chosen::find(word, &words, environment) {
        Err(mistake) => top_mistake(&format!("error: {mistake}")),
        Ok(chosen) => {
            let caller = machine::caller_there(environment, chosen.reach());
            chosen.named(command::dispatch(&ROOT, ROOT.name, &caller, words))
        }
    }
}

/// Words that name no command: a flag of the program's own anywhere among them counts first.
fn top_level(first: &str, words: &[String], caller: &Caller) -> Exit {
    let has = |flags: &[&str]| words.iter().any(|word| flags.contains(&word.as_str()));
    if has(&["--help", "-h"]) {
        return Exit::printed(help(caller));
    }
    if has(&["--version", "-V"]) {
        return Exit::printed(format!("herdr {}\n", VERSION));
    }
    if has(&["--default-config"]) {
        return Exit::printed(default_file());
    }
    if has(&["--skill"]) {
        return Exit::printed(SKILL.to_owned());
    }
    match first.starts_with('-') {
        true => top_mistake(&format!("unknown option: {first}")),
        false => top_mistake(&format!("unknown command: {first}")),
    }
}

/// herdr without a command: the full-screen client, of a daemon here or on another machine. `herdr client` does not
/// start one that does not run.
fn launch(caller: &Caller, remote: Option<Target>, may_start: bool) -> Exit {
    if caller.environment.inside_pane && !nesting_allowed(caller) {
        return Exit::complaint(
            1,
            "error: herdr does not start inside one of its own panes\n\
             to allow it, set allow_nested = true under [experimental] in the configuration",
        );
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Exit::complaint(
            2,
            "error: herdr without a command shows the focused pane, and for that it needs a terminal\n\
             see 'herdr --help' for commands",
        );
    }
    let outcome = match remote {
        None => show_focused(caller, may_start),
        Some(target) => {
            let session = caller.session.clone().unwrap_or_default();
            let reach = machine::Reach::remote(target, session);
            show_focused(&machine::caller_there(&caller.environment, reach), false)
        }
    };
    Exit::from_outcome(outcome, String::new)
}

/// Attaches to the focused pane, after starting the daemon if that is not there, until there is a
/// full-screen client.
fn show_focused(caller: &Caller, may_start: bool) -> Outcome {
    let chosen = caller.chosen()?;
    if may_start
        && let Some(session) = &chosen.session
        && !client::answers(&chosen.protocol_socket)
    {
        start(session)?;
    }
    let current = ask::answer::<method::PaneCurrent>(
        caller,
        "cli:launch",
        &PaneCurrentParams::default(),
        Patience::ORDINARY,
    )?;
    match current["result"]["pane"]["pane_id"].as_str() {
        Some(pane) => attach(caller, pane, false),
        None => Err(Failure::Failed(
            "error: the server's answer names no pane".to_owned(),
        )),
    }
}

/// Has the daemon of a session started by the command that does so for people.
fn start(session: &Session) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::Failed(format!("error: starting the daemon: {error}"));
    let mut command = std::process::Command::new(std::env::current_exe().map_err(failed)?);
    // The name decides what the program is, whatever its file is called.
    command.arg0("drover").arg("up").stdout(Stdio::null());
    if let Session::Named(name) = session {
        command.args(["--session", name.as_str()]);
    }
    match command.status().map_err(failed)?.success() {
        true => Ok(()),
        false => Err(Failure::Failed(
            "error: the daemon did not start, see above".to_owned(),
        )),
    }
}

fn nesting_allowed(caller: &Caller) -> bool {
    let file = paths::config_file(&caller.environment);
    load(&file, &Config::default())
        .config
        .experimental
        .allow_nested
}

fn help(caller: &Caller) -> String {
    let mut text = format!(
        "{}\n\nUsage: herdr [--session <name>] <command> [arguments]\n\
        \x20      herdr --machine <label or id> <command> [arguments]\n\
        \x20      herdr --remote <ssh target> [--session <name>]\n\nCommands:\n",
        ROOT.about
    );
    for entry in ROOT.entries {
        text.push_str(&format!("  {:<12}  {}\n", entry.name(), entry.about()));
    }
    text.push_str(&format!(
        "\nOptions:\n\
        \x20 --session <name>   Talk to a named session; counts anywhere before a bare --\n\
        \x20 --machine <name>   Send the command to a saved machine ('herdr machine add')\n\
        \x20 --remote <target>  Show the focused pane of another machine, over ssh\n\
        \x20 --default-config   Print the configuration with its defaults\n\
        \x20 --skill            Print what an agent has to know to drive its panes\n\
        \x20 -V, --version      Print the version\n\
        \x20 -h, --help         Print this\n\
        \n\
        'herdr <command> --help' tells more. Answers are one line of JSON on stdout, refusals one line of\n\
        JSON on stderr. Exit codes: 0 done, 1 refused or unreachable, 2 written wrongly.\n\
        \n\
        Configuration: {} (or HERDR_CONFIG_PATH)\n",
        paths::config_file(&caller.environment).display()
    ));
    text
}

fn top_mistake(line: &str) -> Exit {
    Exit::complaint(2, format!("{line}\n{HINT}"))
}
