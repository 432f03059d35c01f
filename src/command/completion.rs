//! Completion scripts, made from the table.

use clap_complete::Shell;

use super::{Command, Entry, Failure, Group};

/// The whole table as one clap command, for what needs all of it at once. Parsing never does.
#[must_use]
pub(super) fn tree(group: &Group) -> clap::Command {
    let session = clap::Arg::new("session")
        .long("session")
        .value_name("NAME")
        .global(true)
        .help("Mean a named session");
    subtree(group).arg(session)
}

fn subtree(group: &Group) -> clap::Command {
    let mut tree = clap::Command::new(group.name)
        .about(group.about)
        .disable_help_subcommand(true)
        .disable_version_flag(true);
    if let Some(Command { arguments, .. }) = group.alone {
        tree = tree.args(shown(&arguments(clap::Command::new(group.name))));
    }
    tree.subcommands(group.shown().map(|entry| match entry {
        Entry::Group(group) => subtree(group),
        Entry::Command(command) => {
            // For a script every command has --help, right after its path.
            let parser = command
                .parser()
                .disable_help_flag(false)
                .no_binary_name(false);
            if !parser.get_arguments().any(clap::Arg::is_hide_set) {
                return parser;
            }
            clap::Command::new(command.name)
                .about(command.about)
                .disable_version_flag(true)
                .args(shown(&parser))
        }
    }))
}

/// The arguments that people are told of. clap leaves hidden ones out of help texts, but not out of these scripts.
fn shown(command: &clap::Command) -> Vec<clap::Arg> {
    command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .cloned()
        .collect()
}

/// A script for a shell, to complete the words of a table's program.
///
/// # Errors
/// There is no such shell: the usage of the command that asks follows.
pub fn script(shell: &str, group: &Group) -> Result<String, Failure> {
    let parsed: Shell = shell.parse().map_err(|_| Failure::Usage)?;
    let mut script = Vec::new();
    clap_complete::generate(parsed, &mut tree(group), group.name, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    Ok(match parsed {
        // zsh would put an equals sign behind an option's name; values are words of their own here.
        Shell::Zsh => script.replace("=[", "["),
        _ => script,
    })
}
