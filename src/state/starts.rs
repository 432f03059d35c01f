//! Panes whose processes run already and that are not in the world yet. A process in one of them may
//! call at once; nobody can say where it is until its pane is there, so its call waits for that.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use crate::pane::{Pane, StartingPane};
use crate::sync::lock;

/// The starts that have not come to their end. Nothing is locked under its lock.
#[derive(Debug, Default)]
pub(super) struct Starts {
    open: Mutex<Open>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    /// In the order of their beginnings.
    numbers: BTreeSet<u64>,
    /// Calls that wait.
    waiting: usize,
}

/// Which starts were open at some moment: those up to this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen(u64);

/// A start, open until this is dropped.
#[derive(Debug)]
pub(super) struct Start {
    starts: Arc<Starts>,
    number: u64,
}

/// A pane whose process runs. To be put into the world before it is dropped or begun.
pub(super) struct Started {
    pub(super) pane: StartingPane,
    /// Dropped last: from then on the pane is in the world, or will never be.
    pub(super) _start: Start,
}

impl Started {
    pub(super) fn pane(&self) -> &Arc<Pane> {
        self.pane.pane()
    }
}

impl Starts {
    /// Opens a start; to be called before its process is there.
    pub(super) fn open(self: &Arc<Starts>) -> Start {
        let mut open = lock(&self.open);
        open.last += 1;
        let number = open.last;
        open.numbers.insert(number);
        Start {
            starts: self.clone(),
            number,
        }
    }

    /// The starts that are open now, if there are any. To be asked before it is looked up where a
    /// caller is: what has ended by then is found there.
    pub(super) fn seen(&self) -> Option<Seen> {
        let open = lock(&self.open);
        open.numbers.last().map(|number| Seen(*number))
    }

    /// Waits until those have ended that were seen, and not past `deadline`.
    pub(super) fn wait(&self, seen: Seen, deadline: Instant) {
        let mut open = lock(&self.open);
        open.waiting += 1;
        while open.numbers.first().is_some_and(|first| *first <= seen.0) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.ended.wait_timeout(open, left);
            open = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        open.waiting -= 1;
    }

    /// Calls that wait now.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        lock(&self.open).waiting
    }
}

impl Drop for Start {
    fn drop(&mut self) {
        lock(&self.starts.open).numbers.remove(&self.number);
        self.starts.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_waited_for_is_what_was_open_and_nothing_that_began_later() {
        let starts = Arc::new(Starts::default());
        assert_eq!(starts.seen(), None);
        let first = starts.open();
        let seen = starts.seen().unwrap();
        let _second = starts.open();
        let long = Instant::now() + Duration::from_secs(3600);
        let waits = {
            let starts = starts.clone();
            std::thread::spawn(move || starts.wait(seen, long))
        };
        while starts.waiting() == 0 {
            assert!(!waits.is_finished(), "the first is open");
            std::thread::yield_now();
        }
        drop(first);
        waits.join().unwrap();
        assert_eq!(starts.waiting(), 0);
    }

    #[test]
    fn nobody_waits_past_the_deadline() {
        let starts = Arc::new(Starts::default());
        let _start = starts.open();
        let seen = starts.seen().unwrap();
        let deadline = Instant::now() + Duration::from_millis(20);
        starts.wait(seen, deadline);
        assert!(Instant::now() >= deadline);
    }
}
