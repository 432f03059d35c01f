//! The saved machines: a file of the person's, shared by all sessions and read without any daemon.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::client::ssh::Target;
use crate::paths::{self, Environment, Session};
use crate::replace::replace;
use crate::sys;

/// The largest file that is read, in bytes: a thousand machines are a tenth of it.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Random bytes of an id: enough that nobody is given one twice.
const ID_BYTES: usize = 4;

/// The longest label in bytes; it begins lines.
const MAX_LABEL_BYTES: usize = 128;

/// The tables' name in the file.
const TABLES: &str = "machine";

/// One saved machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Machine {
    /// Never given twice, and never changed.
    pub(super) id: String,
    /// What the person calls it.
    pub(super) label: String,
    /// Where ssh goes.
    pub(super) target: String,
    /// The session there.
    pub(super) session: String,
    /// Whether commands may be sent there.
    #[serde(default = "yes")]
    pub(super) enabled: bool,
}

fn yes() -> bool {
    true
}

impl Machine {
    /// A new one, not saved yet.
    pub(super) fn new(label: String, target: &Target, session: &Session) -> io::Result<Self> {
        let mut id = String::from("m");
        for byte in &sys::random_bytes()?[..ID_BYTES] {
            id.push_str(&format!("{byte:02x}"));
        }
        Ok(Self {
            id,
            label,
            target: target.as_str().to_owned(),
            session: session.name().to_owned(),
            enabled: true,
        })
    }

    /// Its target and session, checked: a person may have written the file.
    pub(super) fn place(&self) -> Result<(Target, Session), String> {
        let target = Target::parse(&self.target).map_err(|error| error.to_string())?;
        let session = Session::parse(&self.session).map_err(|error| error.to_string())?;
        Ok((target, session))
    }
}

/// A label as it is kept: one line that can be typed.
///
/// # Errors
/// In words for people.
pub(super) fn label(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        Err("a label cannot be empty".to_owned())
    } else if text.len() > MAX_LABEL_BYTES {
        Err(format!("a label has at most {MAX_LABEL_BYTES} bytes"))
    } else if text.chars().any(char::is_control) {
        Err("a label has no control characters".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// The file's content.
#[derive(Debug)]
pub(super) struct Book {
    path: PathBuf,
    document: DocumentMut,
    pub(super) machines: Vec<Machine>,
}

#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    machine: Vec<Machine>,
}

impl Book {
    /// Reads the file; one that is not there has no machines.
    ///
    /// # Errors
    /// It cannot be read, or makes no sense; in words for people.
    pub(super) fn open(environment: &Environment) -> Result<Self, String> {
        Self::read(paths::machines_file(environment))
    }

    fn read(path: PathBuf) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = match file_text(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other.map_err(|error| failed(&error))?,
        };
        let document: DocumentMut = text.parse().map_err(|error| failed(&error))?;
        let whole: Whole = toml::from_str(&text).map_err(|error| failed(&error))?;
        Ok(Self {
            machines: whole.machine,
            document,
            path,
        })
    }

    /// Changes the file, with no other such change in between. What the person wrote around the machines stays.
    ///
    /// # Errors
    /// As for [`Book::open`]; or `change` refuses, or the file cannot be written: then it is as it was.
    pub(super) fn change<T>(
        environment: &Environment,
        change: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        let path = paths::machines_file(environment);
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        let folder = path.parent().unwrap_or(Path::new("."));
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(failed)?;
        let folder = File::open(folder).map_err(failed)?;
        // Held to the end of this function.
        let _lock = Flock::lock(folder, FlockArg::LockExclusive)
            .map_err(|(_, error)| failed(error.into()))?;
        let mut book = Self::read(path.clone())?;
        let done = change(&mut book)?;
        replace(&book.path, book.document.to_string().as_bytes(), 0o600).map_err(failed)?;
        Ok(done)
    }

    /// Adds a machine.
    ///
    /// # Errors
    /// Another has its label or its id already.
    pub(super) fn add(&mut self, machine: Machine) -> Result<(), String> {
        self.free(&machine.label)?;
        if self.find(&machine.id).is_ok() {
            return Err(format!(
                "the id {} is another machine's; add this one again",
                machine.id
            ));
        }
        let mut table = Table::new();
        for (key, text) in [
            ("id", &machine.id),
            ("label", &machine.label),
            ("target", &machine.target),
            ("session", &machine.session),
        ] {
            table.insert(key, value(text.as_str()));
        }
        table.insert("enabled", value(machine.enabled));
        self.tables()?.push(table);
        self.machines.push(machine);
        Ok(())
    }

    /// Whether a label is nobody's.
    pub(super) fn free(&self, label: &str) -> Result<(), String> {
        match self.machines.iter().find(|machine| machine.label == label) {
            Some(machine) => Err(format!(
                "machine {} is called '{label}' already",
                machine.id
            )),
            None => Ok(()),
        }
    }

    /// Calls a machine something else.
    ///
    /// # Errors
    /// There is none by this id, or another has the label.
    pub(super) fn rename(&mut self, id: &str, label: String) -> Result<(), String> {
        let at = self.find(id)?;
        if self.machines[at].label != label {
            self.free(&label)?;
        }
        self.set(at, "label", value(label.as_str()))?;
        self.machines[at].label = label;
        Ok(())
    }

    /// Lets commands be sent to a machine, or not.
    ///
    /// # Errors
    /// There is none by this id.
    pub(super) fn enable(&mut self, id: &str, enabled: bool) -> Result<(), String> {
        let at = self.find(id)?;
        self.set(at, "enabled", value(enabled))?;
        self.machines[at].enabled = enabled;
        Ok(())
    }

    /// Forgets a machine.
    ///
    /// # Errors
    /// There is none by this id.
    pub(super) fn remove(&mut self, id: &str) -> Result<Machine, String> {
        let at = self.find(id)?;
        self.tables()?.remove(at);
        Ok(self.machines.remove(at))
    }

    fn find(&self, id: &str) -> Result<usize, String> {
        let found = self.machines.iter().position(|machine| machine.id == id);
        found.ok_or_else(|| format!("unknown machine '{id}'; `herdr machine list` has their ids"))
    }

    fn set(&mut self, at: usize, key: &str, item: Item) -> Result<(), String> {
        if let Some(table) = self.tables()?.get_mut(at) {
            table.insert(key, item);
        }
        Ok(())
    }

    /// The tables, in the order of [`Book::machines`].
    fn tables(&mut self) -> Result<&mut ArrayOfTables, String> {
        let path = self.path.display().to_string();
        self.document
            .entry(TABLES)
            .or_insert(Item::ArrayOfTables(ArrayOfTables::new()))
            .as_array_of_tables_mut()
            .ok_or_else(|| format!("{path}: write each machine under a [[{TABLES}]] of its own"))
    }
}

fn file_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_string(&mut text)?;
    match text.len() as u64 > MAX_FILE_BYTES {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(text),
    }
}

/// The machine that a word selects: by its id, or by a label that only one has (herdr 0.9.3, `--machine`).
///
/// # Errors
/// None, several, or one that is disabled; in words for people.
pub(super) fn select<'a>(machines: &'a [Machine], word: &str) -> Result<&'a Machine, String> {
    let by_id = machines.iter().find(|machine| machine.id == word);
    let mut by_label = machines.iter().filter(|machine| machine.label == word);
    let found = match (by_id, by_label.next(), by_label.next()) {
        (Some(machine), ..) | (None, Some(machine), None) => machine,
        (None, Some(_), Some(_)) => {
            return Err(format!(
                "several machines are called '{word}'; use an id of `herdr machine list`"
            ));
        }
        (None, None, _) => {
            return Err(format!(
                "unknown machine '{word}'; `herdr machine list` shows the saved ones"
            ));
        }
    };
    match found.enabled {
        true => Ok(found),
        false => Err(format!(
            "machine '{word}' is disabled; `herdr machine enable {}`",
            found.id
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(home: &tempfile::TempDir) -> Environment {
        Environment {
            home: Some(home.path().to_owned()),
            ..Environment::default()
        }
    }

    fn machine(id: &str, label: &str) -> Machine {
        Machine {
            id: id.to_owned(),
            label: label.to_owned(),
            target: "ann@box".to_owned(),
            session: "default".to_owned(),
            enabled: true,
        }
    }

    #[test]
    fn machines_are_kept_and_what_a_person_wrote_around_them_stays() {
        let home = tempfile::tempdir().unwrap();
        let environment = environment(&home);
        assert_eq!(Book::open(&environment).unwrap().machines, []);
        for (id, label) in [("m1", "one"), ("m2", "two")] {
            Book::change(&environment, |book| book.add(machine(id, label))).unwrap();
        }
        let path = paths::machines_file(&environment);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("# mine\n{text}")).unwrap();
        Book::change(&environment, |book| book.rename("m1", "first".to_owned())).unwrap();
        Book::change(&environment, |book| book.enable("m1", false)).unwrap();
        Book::change(&environment, |book| book.remove("m2")).unwrap();
        assert!(fs::read_to_string(&path).unwrap().starts_with("# mine\n"));
        let first = Machine {
            enabled: false,
            ..machine("m1", "first")
        };
        assert_eq!(Book::open(&environment).unwrap().machines, [first]);
    }

    #[test]
    fn what_cannot_be_changed_changes_nothing() {
        let home = tempfile::tempdir().unwrap();
        let environment = environment(&home);
        Book::change(&environment, |book| book.add(machine("m1", "one"))).unwrap();
        let path = paths::machines_file(&environment);
        let before = fs::read_to_string(&path).unwrap();
        assert!(Book::change(&environment, |book| book.add(machine("m2", "one"))).is_err());
        assert!(Book::change(&environment, |book| book.add(machine("m1", "two"))).is_err());
        assert!(Book::change(&environment, |book| book.remove("one")).is_err());
        assert!(Book::change(&environment, |book| book.enable("m9", true)).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
        for text in [
            "= bad",
            "machine = 3",
            "[[machine]]\nid = 'x'\n",
            "[[machine]]\nnosuch = 1\n",
        ] {
            fs::write(&path, text).unwrap();
            assert!(Book::open(&environment).is_err(), "{text}");
            assert!(Book::change(&environment, |book| book.add(machine("m2", "two"))).is_err());
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_machine_is_selected_by_id_or_by_a_label_of_its_own() {
        let disabled = Machine {
            enabled: false,
            ..machine("m4", "off")
        };
        let machines = [
            machine("m1", "one"),
            machine("m2", "two"),
            machine("m3", "two"),
            disabled,
        ];
        assert_eq!(select(&machines, "m2"), Ok(&machines[1]));
        assert_eq!(select(&machines, "one"), Ok(&machines[0]));
        for (word, why) in [
            ("two", "several"),
            ("One", "unknown machine 'One'"),
            ("off", "disabled"),
            ("box", "unknown"),
        ] {
            let error = select(&machines, word).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn many_changes_at_once_are_all_kept() {
        let home = tempfile::tempdir().unwrap();
        let environment = environment(&home);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let environment = &environment;
                scope.spawn(move || {
                    let machine = machine(&format!("m{number}"), &format!("l{number}"));
                    Book::change(environment, |book| book.add(machine)).unwrap();
                });
            }
        });
        assert_eq!(Book::open(&environment).unwrap().machines.len(), 8);
    }

    #[test]
    fn a_label_is_a_line() {
        assert_eq!(label(" my box "), Ok("my box".to_owned()));
        for bad in ["", "  ", "a\nb", "\u{1b}[2J", &"x".repeat(129)] {
            assert!(label(bad).is_err(), "{bad:?}");
        }
    }
}
