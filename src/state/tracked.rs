//! What was changed since it was last saved, noted by the values themselves.
//!
//! Everybody who changes the world or a pane goes through these types, so nobody can forget to say
//! so, and a method that is written tomorrow is saved without knowing of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};

use crate::world::PaneKey;

use super::PaneEntry;

/// A value that knows whether it may have been changed.
#[derive(Debug, Default)]
pub struct Tracked<T> {
    value: T,
    touched: bool,
}

impl<T> Tracked<T> {
    /// Whether the value may have been changed since this was last asked.
    pub(super) fn take_touched(&mut self) -> bool {
        std::mem::take(&mut self.touched)
    }
}

impl<T> From<T> for Tracked<T> {
    fn from(value: T) -> Tracked<T> {
        Tracked {
            value,
            touched: true,
        }
    }
}

impl<T> Deref for Tracked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Tracked<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.touched = true;
        &mut self.value
    }
}

/// The panes of the world by their keys; knows which may have been changed.
#[derive(Debug, Default)]
pub(super) struct Panes {
    entries: BTreeMap<PaneKey, PaneEntry>,
    touched: BTreeSet<PaneKey>,
}

impl Panes {
    pub(super) fn get(&self, key: &PaneKey) -> Option<&PaneEntry> {
        self.entries.get(key)
    }

    /// A pane, to be changed and saved.
    pub(super) fn get_mut(&mut self, key: &PaneKey) -> Option<&mut PaneEntry> {
        let entry = self.entries.get_mut(key)?;
        self.touched.insert(*key);
        Some(entry)
    }

    /// A pane, to be changed in what is not saved, or not at once.
    pub(super) fn get_unsaved(&mut self, key: PaneKey) -> Option<&mut PaneEntry> {
        self.entries.get_mut(&key)
    }

    pub(super) fn insert(&mut self, key: PaneKey, entry: PaneEntry) {
        self.touched.insert(key);
        self.entries.insert(key, entry);
    }

    pub(super) fn remove(&mut self, key: &PaneKey) -> Option<PaneEntry> {
        self.touched.insert(*key);
        self.entries.remove(key)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &PaneEntry> {
        self.entries.values()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&PaneKey, &PaneEntry)> {
        self.entries.iter()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &PaneKey> {
        self.entries.keys()
    }

    /// Marks a pane as changed.
    pub(super) fn touch(&mut self, key: PaneKey) {
        self.touched.insert(key);
    }

    /// The panes that may have been changed since this was last asked, also those that are gone.
    pub(super) fn take_touched(&mut self) -> BTreeSet<PaneKey> {
        std::mem::take(&mut self.touched)
    }
}
