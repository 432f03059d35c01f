//! From the words of a call to its end.

use super::{Caller, Command, Entry, Exit, Group, HelpWords, help};

/// Finds the command that `words` name below `root`, runs it, and says how the process ends.
///
/// `path` is how the caller got to `root`: the program's name, for the whole table.
#[must_use]
pub fn dispatch(root: &Group, path: &str, caller: &Caller, words: Vec<String>) -> Exit {
    let mut path = path.to_owned();
    let mut group = root;
    let mut words = words.into_iter();
    loop {
        let Some(word) = words.next() else {
            return match &group.alone {
                Some(command) => run(command, &path, caller, Vec::new()),
                None => Exit::complaint(2, help::list(group, &path)),
            };
        };
        match (group.find(&word), word.as_str()) {
            (Some(entry), _) => {
                path = format!("{path} {}", entry.name());
                match entry {
                    Entry::Group(inner) => group = inner,
                    Entry::Command(command) => {
                        return command_end(command, &path, caller, words.collect());
                    }
                }
            }
            (None, "--help" | "-h") => return Exit::printed(help::group(group, &path)),
            (None, "help") => return Exit::complaint(0, help::list(group, &path)),
            // Options of what the word alone does, such as `herdr status --json`.
            (None, option) if option.starts_with('-') => {
                return match &group.alone {
                    Some(command) => {
                        let words = std::iter::once(word).chain(words).collect();
                        alone_end(group, command, &path, caller, words)
                    }
                    None => Exit::complaint(2, help::list(group, &path)),
                };
            }
            (None, _) => return Exit::complaint(2, help::list(group, &path)),
        }
    }
}

fn command_end(command: &Command, path: &str, caller: &Caller, words: Vec<String>) -> Exit {
    if words
        .first()
        .is_some_and(|word| word == "--help" || word == "-h")
    {
        return Exit::printed(help::command(command, path));
    }
    if asks_for_usage(command.help_words, &words) {
        return Exit::complaint(0, command.usage(path));
    }
    run(command, path, caller, words)
}

/// A group's own command; whatever it does not take is answered with the group's list.
fn alone_end(
    group: &Group,
    command: &Command,
    path: &str,
    caller: &Caller,
    words: Vec<String>,
) -> Exit {
    let exit = run(command, path, caller, words);
    match exit.code {
        2 => Exit::complaint(2, help::list(group, path)),
        _ => exit,
    }
}

fn run(command: &Command, path: &str, caller: &Caller, words: Vec<String>) -> Exit {
    Exit::from_outcome((command.run)(command, caller, words), || {
        command.usage(path)
    })
}

fn asks_for_usage(help_words: HelpWords, words: &[String]) -> bool {
    let skipped = match help_words {
        HelpWords::Nowhere => return false,
        HelpWords::AfterFirst => 1,
        HelpWords::Anywhere => 0,
    };
    words
        .iter()
        .skip(skipped)
        .any(|word| matches!(word.as_str(), "help" | "--help" | "-h"))
}
