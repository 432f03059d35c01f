//! `drover completions`: scripts for shells, for both names.

use crate::command::{Answer, BadValue, Caller, Failure, Group, Outcome, Run, completion};

#[derive(clap::Args)]
pub(super) struct Completions {
    /// The shell: bash, elvish, fish, powershell or zsh
    shell: Option<String>,
    /// For which of the program's names
    #[arg(long, value_name = "NAME", value_parser = table, default_value = "drover")]
    name: &'static Group,
}

impl Run for Completions {
    fn run(self, _: &Caller) -> Outcome {
        let shell = self.shell.ok_or(Failure::Usage)?;
        Ok(Answer::Text(completion::script(&shell, self.name)?))
    }
}

fn table(name: &str) -> Result<&'static Group, BadValue> {
    match name {
        "drover" => Ok(&super::ROOT),
        "herdr" => Ok(&crate::herdr::ROOT),
        _ => Err(BadValue::new(format!(
            "unknown name: {name} (expected drover or herdr)"
        ))),
    }
}
