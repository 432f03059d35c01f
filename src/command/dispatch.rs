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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Answer, Failure, FreeWords, Outcome, Run};
    use crate::paths::Environment;

    #[derive(clap::Args)]
    struct Say {
        /// A word
        word: String,
    }

    impl Run for Say {
        fn run(self, _: &Caller) -> Outcome {
            Ok(Answer::Text(format!("said {}", self.word)))
        }
    }

    #[derive(clap::Args)]
    struct Echo {
        words: Vec<String>,
    }

    impl FreeWords for Echo {
        fn from_words(words: Vec<String>) -> Result<Self, Failure> {
            Ok(Self { words })
        }
    }

    impl Run for Echo {
        fn run(self, _: &Caller) -> Outcome {
            Ok(Answer::Text(self.words.join("|")))
        }
    }

    static ROOT: Group = Group::new(
        "top",
        "A program",
        &[
            Entry::Command(Command::new::<Say>("say", "<word>", "Say a word").also(&["tell"])),
            Entry::Command(
                Command::new::<Say>("usage", "<word>", "Say a word")
                    .help_words(HelpWords::AfterFirst),
            ),
            Entry::Group(
                Group::new(
                    "inner",
                    "More",
                    &[Entry::Command(Command::free::<Echo>(
                        "echo",
                        "[word ...]",
                        "Say all words",
                    ))],
                )
                .with_alone(Command::new::<Say>("", "[word]", "Say a word")),
            ),
        ],
    );

    fn end(line: &str) -> Exit {
        let caller = Caller {
            environment: Environment::default(),
            session: None,
            far: None,
        };
        dispatch(
            &ROOT,
            "top",
            &caller,
            line.split_whitespace().map(str::to_owned).collect(),
        )
    }

    fn said(text: &str) -> Exit {
        Exit::printed(text.to_owned())
    }

    #[test]
    fn words_lead_to_a_command_however_deep() {
        assert_eq!(end("say x"), said("said x"));
        assert_eq!(end("tell x"), said("said x"));
        assert_eq!(end("inner echo a --help -- b"), said("a|--help|--|b"));
    }

    #[test]
    fn help_is_a_flag_right_after_the_path_and_an_argument_elsewhere() {
        for line in ["say --help", "say -h", "inner echo --help"] {
            let end = end(line);
            assert_eq!((end.code, end.stderr.as_str()), (0, ""), "{line}");
            assert!(
                end.stdout.contains("Usage: top ") && end.stdout.ends_with("\n\n"),
                "{line}: {end:?}"
            );
        }
        assert_eq!(end("say x --help").code, 2);
        assert_eq!(
            end("usage x help"),
            Exit::complaint(0, "usage: top usage <word>\n")
        );
        assert_eq!(
            end("usage help"),
            said("said help"),
            "a target may be called help"
        );
    }

    #[test]
    fn a_group_alone_does_its_own_command_or_shows_its_list() {
        assert_eq!(
            end("inner --nosuch"),
            Exit {
                code: 2,
                ..end("inner help")
            }
        );
        assert_eq!(end("inner nosuch"), end("inner --nosuch"));
        assert_eq!(end("").code, 2);
        assert!(
            end("help")
                .stderr
                .starts_with("top commands:\n  top say <word>"),
            "{:?}",
            end("help")
        );
    }
}
