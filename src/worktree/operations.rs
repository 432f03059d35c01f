//! What git is doing for whom: one change of a checkout at a time, and not too many looks.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::sync::lock;

/// Looks at repositories at once. Each is a process that reads a disk; who wants more has run away.
const LOOKS_MAX: usize = 16;

/// The operations of a daemon.
#[derive(Debug, Default)]
pub struct Operations {
    /// Innermost: nothing is locked under it.
    running: Mutex<Running>,
}

#[derive(Debug, Default)]
struct Running {
    changing: HashSet<PathBuf>,
    looks: usize,
}

/// One operation; over when dropped.
#[derive(Debug)]
pub struct Operation<'a> {
    operations: &'a Operations,
    /// The checkout that is changed; none for a look.
    changing: Option<PathBuf>,
}

impl Operations {
    /// Begins to make or remove a checkout; none if that is being done already.
    pub fn change(&self, checkout: &Path) -> Option<Operation<'_>> {
        let is_new = lock(&self.running).changing.insert(checkout.to_owned());
        is_new.then(|| Operation {
            operations: self,
            changing: Some(checkout.to_owned()),
        })
    }

    /// Begins to look at a repository; none if too many do.
    pub fn look(&self) -> Option<Operation<'_>> {
        let mut running = lock(&self.running);
        if running.looks >= LOOKS_MAX {
            return None;
        }
        running.looks += 1;
        Some(Operation {
            operations: self,
            changing: None,
        })
    }
}

impl Drop for Operation<'_> {
    fn drop(&mut self) {
        let mut running = lock(&self.operations.running);
        match self.changing.take() {
            Some(checkout) => {
                running.changing.remove(&checkout);
            }
            None => running.looks -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_changed_by_one_at_a_time() {
        let operations = Operations::default();
        let first = operations.change(Path::new("/a"));
        assert!(first.is_some());
        assert!(operations.change(Path::new("/a")).is_none());
        assert!(operations.change(Path::new("/b")).is_some());
        drop(first);
        assert!(operations.change(Path::new("/a")).is_some());
    }

    #[test]
    fn looks_are_counted_until_they_are_over() {
        let operations = Operations::default();
        let looks: Vec<_> = (0..LOOKS_MAX).map_while(|_| operations.look()).collect();
        assert_eq!(looks.len(), LOOKS_MAX);
        assert!(operations.look().is_none());
        drop(looks);
        assert!(operations.look().is_some());
    }
}
