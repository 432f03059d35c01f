//! Help texts: the short list of a group, and the long help of a group or a command.

use std::fmt::Write as _;

use super::{Command, Entry, Group};

/// Where a group's lines all have room for it (in columns), what each command does stands beside it.
const SHORT_SYNOPSIS: usize = 30;

/// The list of a group's commands, as it answers the group's word alone or with an unknown word.
pub(super) fn list(group: &Group, path: &str) -> String {
    let lines = lines(group, path);
    let width = lines
        .iter()
        .map(|(synopsis, _)| synopsis.len())
        .max()
        .unwrap_or(0);
    let beside = width <= path.len() + SHORT_SYNOPSIS;
    let mut text = format!("{path} commands:\n");
    for (synopsis, about) in lines {
        // Writing to a String cannot fail.
        let _ = if beside {
            writeln!(text, "  {synopsis:width$}  {about}")
        } else {
            writeln!(text, "  {synopsis}")
        };
    }
    text
}

/// One line an alternative of each command, with what it does; a group below stands for its commands.
fn lines(group: &Group, path: &str) -> Vec<(String, &'static str)> {
    let mut lines = Vec::new();
    let mut add = |path: &str, synopsis: &str, about: &'static str| {
        for alternative in synopsis.split('\n') {
            lines.push((format!("{path} {alternative}").trim_end().to_owned(), about));
        }
    };
    if let Some(command) = &group.alone {
        add(path, command.synopsis, command.about);
    }
    for entry in group.shown() {
        let path = format!("{path} {}", entry.name());
        match entry {
            Entry::Group(group) => add(&path, "<command>", group.about),
            Entry::Command(command) => add(&path, command.synopsis, command.about),
        }
    }
    lines
}

/// The long help of a group, ended with an empty line.
pub(super) fn group(group: &Group, path: &str) -> String {
    let mut usages = vec![format!("{path} <command>")];
    if let Some(command) = &group.alone {
        usages.insert(
            0,
            format!("{path} {}", command.synopsis).trim_end().to_owned(),
        );
    }
    let usages = usages.join("\n       ");
    let mut text = format!("{}\n\nUsage: {usages}\n\n", group.about);
    // Writing to a String cannot fail.
    if let Some(command) = &group.alone {
        let _ = writeln!(
            text,
            "Without a command: {}.\n",
            uncapitalised(command.about)
        );
    }
    text.push_str("Commands:\n");
    let width = group
        .shown()
        .map(|entry| entry.name().len())
        .max()
        .unwrap_or(0);
    for entry in group.shown() {
        let _ = writeln!(text, "  {:width$}  {}", entry.name(), entry.about());
    }
    let _ = writeln!(text, "\nRun '{path} <command> --help' for one command.\n");
    text
}

fn uncapitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_lowercase().chain(characters).collect())
        .unwrap_or_default()
}

/// The long help of a command.
pub(super) fn command(command: &Command, path: &str) -> String {
    let usage = command
        .synopsis
        .split('\n')
        .map(|alternative| format!("{path} {alternative}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n       ");
    let mut parser = command.parser().override_usage(usage);
    format!("{}\n", parser.render_long_help())
}
