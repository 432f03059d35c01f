//! The lists of the file (`[[notify.rule]]`): what an entry is, and its keys. An entry is read like a section.

use toml::de::DeValue;

use super::keys::{Key, Kind, Literal};
use super::notify::{NotifyRule, NotifySink};
use super::read::Reading;
use super::slot::Slot;
use super::values::Config;

/// Entries of one list, at most: more than anybody writes by hand.
pub(super) const MOST: usize = 64;

/// One list of tables.
pub struct List {
    /// Its full name: `notify.rule`, written `[[notify.rule]]`.
    pub name: &'static str,
    /// What it is for, in a sentence or two.
    pub doc: &'static str,
    /// The keys of an entry, for the reference page.
    pub rows: fn() -> Vec<Row>,
    pub(super) read: fn(&mut Reading<'_>, &str, usize, &DeValue<'_>),
}

/// A key of an entry as the reference page shows it.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: &'static Kind,
    /// The words of a kind that takes words.
    pub words: &'static [&'static str],
    /// What holds when the entry does not say.
    pub default: Literal,
    /// What it does.
    pub doc: &'static str,
}

/// An entry of a list.
pub(super) trait Entry: Default + Sized + 'static {
    /// What it can say.
    const KEYS: &'static [Key<Self>];

    /// The list in a configuration.
    fn list(config: &mut Config) -> &mut Vec<Self>;

    /// What is wrong with the entry as a whole, beside those before it.
    fn check(&self, before: &[Self]) -> Result<(), String>;
}

/// Every list, in the order of the reference page.
pub static LISTS: &[List] = &[
    List {
        name: "notify.rule",
        doc: "Who is told of what, when. Every rule that allows something sends it to its sinks, to each of them once.",
        rows: rows::<NotifyRule>,
        read: |reading, name, at, list| reading.list::<NotifyRule>(name, at, list),
    },
    List {
        name: "notify.sink",
        doc: "Where something is sent, by a name that rules use. `desktop` and `terminal` are there without an entry.",
        rows: rows::<NotifySink>,
        read: |reading, name, at, list| reading.list::<NotifySink>(name, at, list),
    },
];

fn rows<E: Entry>() -> Vec<Row> {
    let row = |key: &'static Key<E>| Row {
        name: key.name,
        kind: &key.kind,
        words: match key.slot(&mut E::default()) {
            Slot::Choice(choice) => choice.words(),
            Slot::Words(words) => words.known(),
            _ => &[],
        },
        default: key.default,
        doc: key.doc,
    };
    E::KEYS.iter().map(row).collect()
}
