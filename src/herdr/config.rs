//! `herdr config`: the configuration file.

use std::fmt::Write as _;

use crate::command::{Answer, Caller, Command, Entry, Group, Outcome, Run};
use crate::config::{self, Config};
use crate::paths;

pub(super) const GROUP: Group = Group::new(
    "config",
    "The configuration file",
    &[Entry::Command(Command::new::<Check>(
        "check",
        "",
        "Check the configuration file",
    ))],
);

#[derive(clap::Args)]
struct Check {}

impl Run for Check {
    fn run(self, caller: &Caller) -> Outcome {
        let file = paths::config_file(&caller.environment);
        let diagnostics = config::load(&file, &Config::default()).diagnostics;
        if diagnostics.is_empty() {
            return Ok(Answer::Text("config: ok\n".to_owned()));
        }
        let mut text = "config: issues found\n".to_owned();
        for diagnostic in diagnostics {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{diagnostic}");
        }
        Ok(Answer::Found(text))
    }
}
