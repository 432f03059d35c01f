//! `herdr completion`: a script for a shell.

use crate::command::{Answer, Caller, Command, Failure, Outcome, Run, completion};

pub(super) const COMMAND: Command = Command::new::<Completion>(
    "completion",
    "<bash|elvish|fish|powershell|zsh>",
    "Print a completion script for a shell",
)
.also(&["completions"]);

#[derive(clap::Args)]
struct Completion {
    /// The shell: bash, elvish, fish, powershell or zsh
    shell: String,
}

impl Run for Completion {
    fn run(self, _: &Caller) -> Outcome {
        match completion::script(&self.shell, &super::ROOT) {
            Ok(script) => Ok(Answer::Text(script)),
            Err(_) => Err(Failure::Misuse(format!(
                "unknown shell: {}\n{}",
                self.shell,
                COMMAND.usage("herdr completion")
            ))),
        }
    }
}
