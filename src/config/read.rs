//! Reading a file: what is right is used, what is wrong is named with its place.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, KEYS, Key, Kind};
use super::lists::{self, Entry, LISTS};
use super::slot::Slot;
use super::values::Config;

/// The largest file that is read, in bytes. herdr's commented default file is about 20 KiB.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// A configuration and what was wrong with the file it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The settings to use.
    pub config: Config,
    /// The mistakes, in the order of the file; empty if there were none.
    pub diagnostics: Vec<Diagnostic>,
    /// How much of the file is in use.
    pub status: Status,
}

/// How much of a file is in use (herdr 0.9.3, `server.reload_config`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All of it.
    Applied,
    /// All but the keys that the diagnostics name.
    Partial,
    /// Nothing: it is not TOML, or it cannot be read.
    Failed,
}

impl Status {
    /// The word on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Partial => "partial",
            Self::Failed => "failed",
        }
    }
}

/// One mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, and what is done about it.
    pub message: String,
    /// Line and column, both counted from 1, the column in characters; none if the whole file is meant.
    pub place: Option<(usize, usize)>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => {
                write!(formatter, "{} (line {line}, column {column})", self.message)
            }
            None => formatter.write_str(&self.message),
        }
    }
}

/// Reads the file at `path`. A file that is not there is the same as an empty one.
///
/// `current` is what is in use now, the defaults at start: a key whose value is wrong keeps its current value, and
/// everything does if the file is no TOML.
#[must_use]
pub fn load(path: &Path, current: &Config) -> Loaded {
    match file_text(path) {
        Ok(text) => read(&text, current),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => read("", current),
        Err(error) => {
            let message = format!(
                "config read error: {}: {error}; keeping current config",
                path.display()
            );
            failed(
                current,
                Diagnostic {
                    message,
                    place: None,
                },
            )
        }
    }
}

/// The text of the configuration file at `path`, at most 1 MiB; does not wait for a writer of a pipe.
///
/// # Errors
/// Those of the system, and a file that is larger.
pub fn file_text(path: &Path) -> std::io::Result<String> {
    // The daemon reads on a signal, so it must not wait, as it would for the writer of a pipe.
    let file = File::options()
        .read(true)
        .custom_flags(nix::libc::O_NONBLOCK)
        .open(path)?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        let message = format!("it has more than the {MAX_FILE_BYTES} bytes that are read");
        return Err(std::io::Error::new(
            std::io::ErrorKind::FileTooLarge,
            message,
        ));
    }
    Ok(text)
}

/// Reads a file's text; see [`load`].
#[must_use]
pub fn read(text: &str, current: &Config) -> Loaded {
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let place = error.span().map(|span| place(text, span.start));
            let message = format!(
                "config parse error: {}; keeping current config",
                error.message()
            );
            return failed(current, Diagnostic { message, place });
        }
    };
    let mut reading = Reading {
        text,
        config: Config::default(),
        current: current.clone(),
        diagnostics: Vec::new(),
    };
    reading.table("", table.get_ref());
    reading.check_lists(table.get_ref());
    reading
        .diagnostics
        .sort_by_key(|diagnostic| diagnostic.place);
    let status = if reading.diagnostics.is_empty() {
        Status::Applied
    } else {
        Status::Partial
    };
    Loaded {
        config: reading.config,
        diagnostics: reading.diagnostics,
        status,
    }
}

fn failed(current: &Config, diagnostic: Diagnostic) -> Loaded {
    Loaded {
        config: current.clone(),
        diagnostics: vec![diagnostic],
        status: Status::Failed,
    }
}

pub(super) struct Reading<'a> {
    text: &'a str,
    pub(super) config: Config,
    current: Config,
    diagnostics: Vec<Diagnostic>,
}

impl Reading<'_> {
    /// Walks a table whose full name is `section`. The depth is bounded by the parser, which refuses deep nesting.
    fn table(&mut self, section: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let full = match section {
                "" => name.get_ref().to_string(),
                section => format!("{section}.{}", name.get_ref()),
            };
            let known = KEYS.iter().find(|key| key.name == full);
            match (known, value.get_ref()) {
                (Some(key), _) => self.value(key, value),
                (None, DeValue::Table(inner)) if is_section(&full) => self.table(&full, inner),
                (None, list) if let Some(known) = LISTS.iter().find(|list| list.name == full) => {
                    (known.read)(self, full.as_str(), name.span().start, list);
                }
                (None, _) if keys::herdr_has(&full) => {}
                (None, DeValue::Table(_)) => self.complain(
                    name.span().start,
                    format!("unknown config section [{full}]; ignoring section"),
                ),
                (None, _) => self.complain(
                    name.span().start,
                    format!("unknown config key {full}; ignoring key"),
                ),
            }
        }
    }

    /// Reads a list of tables. An entry with a mistake in it is left out whole: what is left of it could do something
    /// that nobody asked for.
    pub(super) fn list<E: Entry>(&mut self, name: &str, at: usize, list: &DeValue<'_>) {
        let DeValue::Array(entries) = list else {
            self.complain(
                at,
                format!("{name} must be written [[{name}]]; ignoring it"),
            );
            return;
        };
        for entry in entries {
            let at = entry.span().start;
            let before = self.diagnostics.len();
            let found = self.entry::<E>(name, entry);
            if self.diagnostics.len() > before {
                continue;
            }
            let taken = E::list(&mut self.config);
            let refused = match found.check(taken) {
                Ok(()) if taken.len() < lists::MOST => {
                    taken.push(found);
                    continue;
                }
                Ok(()) => format!("there may be {} of them", lists::MOST),
                Err(refused) => refused,
            };
            self.complain(at, format!("invalid [[{name}]]: {refused}; ignoring it"));
        }
    }

    fn entry<E: Entry>(&mut self, list: &str, entry: &Spanned<DeValue<'_>>) -> E {
        let mut found = E::default();
        let DeValue::Table(table) = entry.get_ref() else {
            let message = format!("{list} must be written [[{list}]]; ignoring this entry");
            self.complain(entry.span().start, message);
            return found;
        };
        for (name, value) in table {
            let name_of = |key: &&Key<E>| key.name == name.get_ref().as_ref();
            let Some(key) = E::KEYS.iter().find(name_of) else {
                let message = format!(
                    "unknown key {} of [[{list}]]; ignoring this entry",
                    name.get_ref()
                );
                self.complain(name.span().start, message);
                continue;
            };
            if let Err(expected) = fill(&key.kind, key.slot(&mut found), value.get_ref()) {
                let message = format!(
                    "invalid [[{list}]]: {} must be {expected}; ignoring this entry",
                    key.name
                );
                self.complain(value.span().start, message);
            }
        }
        found
    }

    fn value(&mut self, key: &Key, value: &Spanned<DeValue<'_>>) {
        let Err(expected) = fill(&key.kind, key.slot(&mut self.config), value.get_ref()) else {
            return;
        };
        copy(key.slot(&mut self.current), key.slot(&mut self.config));
        let section = key.section();
        let leaf = key.leaf();
        let message =
            format!("invalid {section} config: {leaf} must be {expected}; keeping current {leaf}");
        self.complain(value.span().start, message);
    }

    pub(super) fn complain(&mut self, offset: usize, message: String) {
        self.diagnostics.push(Diagnostic {
            message,
            place: Some(place(self.text, offset)),
        });
    }
}

/// Whether some key lies below a section of this name.
fn is_section(name: &str) -> bool {
    let lies_below = |key: &str| {
        key.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    KEYS.iter().any(|key| lies_below(key.name)) || LISTS.iter().any(|list| lies_below(list.name))
}

/// Puts a value of the file into its slot, or says what it would have to be.
fn fill(kind: &Kind, slot: Slot<'_>, value: &DeValue<'_>) -> Result<(), String> {
    match (slot, value, kind) {
        (Slot::Flag(slot), DeValue::Boolean(value), _) => *slot = *value,
        (Slot::Flag(_), _, _) => return Err("true or false".to_owned()),
        (Slot::Number(slot), value, Kind::Number(range)) => {
            let number = value
                .as_integer()
                .and_then(|digits| u64::from_str_radix(digits.as_str(), digits.radix()).ok())
                .filter(|number| range.contains(number));
            let expected = || format!("a whole number from {} to {}", range.start(), range.end());
            *slot = number.ok_or_else(expected)?;
        }
        (Slot::Text(slot), DeValue::String(value), _) => *slot = value.to_string(),
        (Slot::Choice(slot), value, _) => {
            let words = slot.words();
            let chosen = value.as_str().is_some_and(|word| slot.choose(word));
            if !chosen {
                return Err(format!("one of {}", words.join(", ")));
            }
        }
        (Slot::Words(slot), value, _) => {
            // In an entry of a list it is natural to write a list.
            let words = strings(value).map(|words| words.join(" "));
            let words = words.or_else(|| value.as_str().map(str::to_owned));
            let chosen = words.is_some_and(|words| slot.choose(&words));
            if !chosen {
                return Err(format!(
                    "none, or some of {} in one string",
                    slot.known().join(", ")
                ));
            }
        }
        (Slot::List(slot), value, _) => {
            *slot = strings(value).ok_or_else(|| "a list of strings".to_owned())?;
        }
        (Slot::Number(_) | Slot::Text(_), _, _) => return Err("a string".to_owned()),
    }
    Ok(())
}

/// The strings of a list that has nothing else in it.
fn strings(value: &DeValue<'_>) -> Option<Vec<String>> {
    let DeValue::Array(values) = value else {
        return None;
    };
    values
        .iter()
        .map(|value| value.get_ref().as_str().map(str::to_owned))
        .collect()
}

fn copy(from: Slot<'_>, to: Slot<'_>) {
    match (from, to) {
        (Slot::Flag(from), Slot::Flag(to)) => *to = *from,
        (Slot::Number(from), Slot::Number(to)) => *to = *from,
        (Slot::Text(from), Slot::Text(to)) => to.clone_from(from),
        (Slot::Choice(from), Slot::Choice(to)) => {
            to.choose(from.word());
        }
        (Slot::Words(from), Slot::Words(to)) => to.clone_from(from),
        (Slot::List(from), Slot::List(to)) => to.clone_from(from),
        // Both come from one row of the table.
        _ => {}
    }
}

/// Line and column of a byte offset, both from 1; the column counts characters.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::super::values::{HerdrProtocol, ShellMode, ToastDelivery};
    use super::*;

    fn loaded(text: &str) -> Loaded {
        read(text, &Config::default())
    }

    fn complaints(text: &str) -> Vec<String> {
        loaded(text)
            .diagnostics
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn an_empty_file_is_the_defaults() {
        let empty = loaded("");
        assert_eq!(empty.config, Config::default());
        assert_eq!(empty.status, Status::Applied);
        assert_eq!(Config::default().terminal.scrollback_rows, 10_000);
        assert!(Config::default().ui.pane_borders);
    }

    #[test]
    fn every_kind_of_value_reaches_its_setting() {
        let loaded = loaded(
            "terminal = { shell_mode = 'login', new_cwd = '~/src' }\n\
             agents.herdr_protocol = 'off'\n[server]\nheadless_cols = 0xC8\n\
             [ui]\npane_borders = false\n[ui.toast]\ndelivery = 'system'\n",
        );
        assert_eq!(loaded.diagnostics, []);
        assert_eq!(loaded.config.terminal.shell_mode, ShellMode::Login);
        assert_eq!(loaded.config.terminal.new_cwd, "~/src");
        assert_eq!(loaded.config.agents.herdr_protocol, HerdrProtocol::Off);
        assert_eq!(loaded.config.server.headless_cols, 200);
        assert!(!loaded.config.ui.pane_borders);
        assert_eq!(loaded.config.ui.toast_delivery, ToastDelivery::System);
    }

    #[test]
    fn a_mistake_costs_only_its_own_key_and_is_named_with_its_place() {
        let text = "[terminal]\nscrollback_rows = -1\nnew_cwd = 'home'\ncolour = 1\n[sevrer]\nheadless_cols = 9\n";
        let loaded = loaded(text);
        assert_eq!(loaded.status, Status::Partial);
        assert_eq!(loaded.config.terminal.new_cwd, "home");
        assert_eq!(loaded.config.terminal.scrollback_rows, 10_000);
        assert_eq!(
            complaints(text),
            [
                "invalid terminal config: scrollback_rows must be a whole number from 0 to 1000000; \
                 keeping current scrollback_rows (line 2, column 19)",
                "unknown config key terminal.colour; ignoring key (line 4, column 1)",
                "unknown config section [sevrer]; ignoring section (line 5, column 2)",
            ]
        );
    }

    #[test]
    fn a_wrong_value_keeps_what_is_in_use_and_an_absent_key_goes_back_to_its_default() {
        let mut current = Config::default();
        current.terminal.scrollback_rows = 5;
        current.server.headless_cols = 99;
        let loaded = read("[terminal]\nscrollback_rows = 'many'\n", &current);
        assert_eq!(loaded.config.terminal.scrollback_rows, 5);
        assert_eq!(loaded.config.server.headless_cols, 120);
    }

    #[test]
    fn each_kind_says_what_it_would_take() {
        assert!(complaints("ui.confirm_close = 'yes'")[0].contains("must be true or false"));
        assert!(
            complaints("terminal.shell_mode = 'fish'")[0].contains("one of auto, login, non_login")
        );
        assert!(complaints("terminal.default_shell = 1")[0].contains("must be a string"));
        assert!(
            complaints("limits.connections = 99999999999999999999")[0].contains("whole number")
        );
        assert!(complaints("terminal = 3")[0].contains("unknown config key terminal;"));
    }

    #[test]
    fn a_file_that_is_no_toml_changes_nothing() {
        let mut current = Config::default();
        current.server.headless_rows = 50;
        let loaded = read("[ui]\nä = = 1\n", &current);
        assert_eq!(loaded.status, Status::Failed);
        assert_eq!(loaded.config, current);
        let text = loaded.diagnostics[0].to_string();
        assert!(text.starts_with("config parse error: "), "{text}");
        assert!(
            text.contains("; keeping current config (line 2, "),
            "{text}"
        );
    }

    #[test]
    fn herdrs_own_keys_are_no_mistake() {
        let text = "onboarding = false\n[theme]\nname = 'x'\n[keys]\nprefix = 'ctrl+b'\n\
                    [[keys.command]]\nkey = 'x'\n[update]\nchannel = 'stable'\n[ui.sound]\nenabled = true\n\
                    [ui]\nsidebar_width = 26\n[session]\nresume_agents_on_restore = true\n";
        assert_eq!(complaints(text), [""; 0]);
    }

    #[test]
    fn a_missing_file_is_an_empty_one_and_an_unreadable_one_fails() {
        let directory = tempfile::tempdir().expect("a directory");
        let missing = load(&directory.path().join("none.toml"), &Config::default());
        assert_eq!(missing.status, Status::Applied);
        assert_eq!(
            load(directory.path(), &Config::default()).status,
            Status::Failed
        );
    }

    #[test]
    fn a_pipe_and_an_endless_file_are_not_waited_for() {
        let directory = tempfile::tempdir().expect("a directory");
        let pipe = directory.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        let _ = load(&pipe, &Config::default());
        let endless = load(Path::new("/dev/zero"), &Config::default());
        assert_eq!(endless.status, Status::Failed);
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_a_configuration_in_range(text in "\\PC{0,200}") {
            let config = loaded(&text).config;
            proptest::prop_assert!(config.limits.connections >= 16);
        }
    }
}
