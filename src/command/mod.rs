//! A command line as data: groups of commands in one static table.
//!
//! A row says what a command is called, how it is written, what it does, which arguments it takes and what runs it.
//! [`dispatch`] walks the table with the words of a call and builds the argument parser of the one command that was
//! named; group lists, help, completions and manual pages read the same rows. Both names of the executable, `herdr` and
//! `drover`, are such a table.

mod caller;
pub mod completion;
mod dispatch;
mod exit;
mod far;
mod help;
pub mod manual;
mod parse;
mod preface;
pub mod words;

use std::fmt::Write as _;

pub use caller::Caller;
pub use dispatch::dispatch;
pub use exit::{Answer, Exit, Failure, Outcome, print_now};
pub use far::Far;
pub use parse::{BadValue, parse};
pub use preface::{take_session, utf8};

pub use crate::printable;

/// A word that other words follow: `pane` in `herdr pane list`.
pub struct Group {
    /// The word.
    pub name: &'static str,
    /// Other spellings that are accepted but not shown.
    pub aliases: &'static [&'static str],
    /// What its commands have in common, in one line.
    pub about: &'static str,
    /// What the word alone does; without it, the word alone is a mistake and gets the list of commands.
    pub alone: Option<Command>,
    /// What may follow.
    pub entries: &'static [Entry],
}

/// What may follow a group's word.
pub enum Entry {
    /// Another group.
    Group(Group),
    /// A command.
    Command(Command),
}

/// One command.
pub struct Command {
    /// The last word of its path; for [`Group::alone`], empty.
    pub name: &'static str,
    /// Other spellings that are accepted but not shown.
    pub aliases: &'static [&'static str],
    /// How it is written after its path; alternatives stand on lines of their own.
    pub synopsis: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Which of the words `help`, `--help` and `-h` among its arguments ask for its usage.
    pub help_words: HelpWords,
    /// It is for programs of ours: no list, manual page or completion names it.
    pub hidden: bool,
    /// Adds its arguments to a parser.
    arguments: fn(clap::Command) -> clap::Command,
    /// Parses the words after its path, and does it.
    run: fn(&Command, &Caller, Vec<String>) -> Outcome,
}

/// Where a command of its own accord takes `help`, `--help` or `-h` for a request for its usage line (herdr 0.9.3 does
/// so for a few). A flag right after the command's path is a help request everywhere and never gets here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpWords {
    /// Nowhere: such a word is an argument like any other.
    Nowhere,
    /// Anywhere but in the first place, where a target stands.
    AfterFirst,
    /// Anywhere.
    Anywhere,
}

/// What a command does with its arguments.
pub trait Run: clap::Args {
    /// Does it.
    fn run(self, caller: &Caller) -> Outcome;
}

/// Arguments that contain free text, so that words are taken as they stand: no dash and no `--` among them means
/// anything.
pub trait FreeWords: Sized {
    /// Takes the words after the command's path.
    ///
    /// # Errors
    /// [`Failure::Usage`] if there are too few.
    fn from_words(words: Vec<String>) -> Result<Self, Failure>;
}

impl Command {
    /// A command whose words are options and positions.
    pub const fn new<A: Run>(
        name: &'static str,
        synopsis: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            synopsis,
            about,
            help_words: HelpWords::Nowhere,
            hidden: false,
            arguments: A::augment_args,
            run: |command, caller, words| parse::structured::<A>(command, words)?.run(caller),
        }
    }

    /// A command that takes free text.
    pub const fn free<A: Run + FreeWords>(
        name: &'static str,
        synopsis: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            run: |_, caller, words| A::from_words(words)?.run(caller),
            ..Self::new::<A>(name, synopsis, about)
        }
    }

    /// The same command with further spellings.
    #[must_use]
    pub const fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// The same command, answering to help words among its arguments.
    #[must_use]
    pub const fn help_words(self, help_words: HelpWords) -> Self {
        Self { help_words, ..self }
    }

    /// The same command, for programs of ours alone.
    #[must_use]
    pub const fn hidden(self) -> Self {
        Self {
            hidden: true,
            ..self
        }
    }

    /// The argument parser, named by the last word.
    #[must_use]
    pub fn parser(&self) -> clap::Command {
        parse::parser(self)
    }

    /// The usage of the command at `path`, one line an alternative, each line ended.
    #[must_use]
    pub fn usage(&self, path: &str) -> String {
        let mut usage = String::new();
        for (index, alternative) in self.synopsis.split('\n').enumerate() {
            let head = if index == 0 { "usage:" } else { "      " };
            // Writing to a String cannot fail.
            let _ = writeln!(
                usage,
                "{}",
                format!("{head} {path} {alternative}").trim_end()
            );
        }
        usage
    }
}

impl Group {
    /// A group whose word alone does nothing.
    pub const fn new(name: &'static str, about: &'static str, entries: &'static [Entry]) -> Self {
        Self {
            name,
            aliases: &[],
            about,
            alone: None,
            entries,
        }
    }

    /// The same group with something for its word alone to do.
    #[must_use]
    pub const fn with_alone(self, command: Command) -> Self {
        // `..self` would move out of a value with a destructor, which a const fn may not.
        Self {
            alone: Some(command),
            name: self.name,
            aliases: self.aliases,
            about: self.about,
            entries: self.entries,
        }
    }

    /// The entry that a word names.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<&'static Entry> {
        self.entries
            .iter()
            .find(|entry| entry.name() == word || entry.aliases().contains(&word))
    }

    /// What people are told of.
    pub fn shown(&self) -> impl Iterator<Item = &'static Entry> + use<> {
        let entries: &'static [Entry] = self.entries;
        entries
            .iter()
            .filter(|entry| !matches!(entry, Entry::Command(command) if command.hidden))
    }

    /// Every command below the group that people are told of, each with its path, which begins with `path`.
    pub fn for_each(&'static self, path: &str, visit: &mut dyn FnMut(&str, &'static Command)) {
        if let Some(command) = &self.alone {
            visit(path, command);
        }
        for entry in self.shown() {
            let path = format!("{path} {}", entry.name());
            match entry {
                Entry::Group(group) => group.for_each(&path, visit),
                Entry::Command(command) => visit(&path, command),
            }
        }
    }
}

impl Entry {
    /// The word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Group(group) => group.name,
            Self::Command(command) => command.name,
        }
    }

    /// What it is about, in one line.
    #[must_use]
    pub fn about(&self) -> &'static str {
        match self {
            Self::Group(group) => group.about,
            Self::Command(command) => command.about,
        }
    }

    fn aliases(&self) -> &'static [&'static str] {
        match self {
            Self::Group(group) => group.aliases,
            Self::Command(command) => command.aliases,
        }
    }
}
