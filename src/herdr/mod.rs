//! herdr's command line: one file a command group, one function a command.

mod agent;
mod api;
mod ask;
mod completion;
mod config;
mod explain;
mod notification;
mod pane;
mod preface;
mod serve;
mod server;
mod session;
mod shared;
mod start;
mod status;
mod tab;
mod values;
mod workspace;
mod worktree;

pub(crate) use serve::{HalfWords, Start, make_parent, serve, tell};
pub(crate) use server::{HANDOFF_PATIENCE, whole};

use std::ffi::OsString;

use crate::api::VERSION;
use crate::command::{self, Caller, Entry, Exit, Group};
use crate::config::{Config, default_file, load};
use crate::paths::{self, Environment};

/// Every command, by group.
pub static ROOT: Group = Group::new(
    "herdr",
    "Run coding agents in panes that outlive the terminal",
    &[
        Entry::Group(status::GROUP),
        Entry::Group(server::GROUP),
        Entry::Group(session::GROUP),
        Entry::Group(workspace::GROUP),
        Entry::Group(worktree::GROUP),
        Entry::Group(tab::GROUP),
        Entry::Group(pane::GROUP),
        Entry::Group(agent::GROUP),
        Entry::Group(notification::GROUP),
        Entry::Group(api::GROUP),
        Entry::Group(config::GROUP),
        Entry::Command(completion::COMMAND),
    ],
);

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
    let caller = Caller {
        environment,
        session: preface.session,
    };
    match preface.words.first() {
        None => launch(&caller),
        Some(word) if ROOT.find(word).is_some() => {
            command::dispatch(&ROOT, ROOT.name, &caller, preface.words)
        }
        Some(word) => top_level(word, &preface.words, &caller),
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
    match first.starts_with('-') {
        true => top_mistake(&format!("unknown option: {first}")),
        false => top_mistake(&format!("unknown command: {first}")),
    }
}

/// herdr without a command: the full-screen client.
fn launch(caller: &Caller) -> Exit {
    if caller.environment.inside_pane && !nesting_allowed(caller) {
        return Exit::complaint(
            1,
            "error: herdr does not start inside one of its own panes\n\
             to allow it, set allow_nested = true under [experimental] in the configuration",
        );
    }
    Exit::complaint(
        2,
        "error: there is no full-screen client yet\n\
         start the daemon with `drover up`, look at its panes with `drover ps`,\n\
         or see 'herdr --help' for commands",
    )
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
        "{}\n\nUsage: herdr [--session <name>] <command> [arguments]\n\nCommands:\n",
        ROOT.about
    );
    for entry in ROOT.entries {
        text.push_str(&format!("  {:<12}  {}\n", entry.name(), entry.about()));
    }
    text.push_str(&format!(
        "\nOptions:\n\
        \x20 --session <name>   Talk to a named session; counts anywhere before a bare --\n\
        \x20 --default-config   Print the configuration with its defaults\n\
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
