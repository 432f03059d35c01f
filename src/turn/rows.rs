//! What a change of the ledgers wants stored. All of it goes into one transaction.

use serde::Serialize;

use crate::store::Key;

/// Rows to write, and rows to take away, which have no body.
pub type Rows = Vec<(Key, Option<String>)>;

/// A row of this room's own kinds.
pub(super) fn row(kind: &'static str, key: &str, body: &impl Serialize) -> (Key, Option<String>) {
    (Key::Record(kind, key.to_owned()), Some(json(body)))
}

/// A row that goes.
pub(super) fn gone(kind: &'static str, key: &str) -> (Key, Option<String>) {
    (Key::Record(kind, key.to_owned()), None)
}

pub(super) fn json(value: &impl Serialize) -> String {
    // Records with string keys and no fallible member, the only two reasons for which writing JSON to
    // memory fails.
    serde_json::to_string(value).expect("records are always writable")
}
