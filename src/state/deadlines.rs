//! The deadline queue: what is due when, for the one clock thread.
//!
//! The clock sleeps until the earliest deadline and not a moment less: with nothing due there is
//! no wake-up at all.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use crate::sync::lock;
use crate::world::{PaneKey, WorkspaceId};

/// What the clock has to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Due {
    /// Something about a pane's agent may have run out.
    Agent(PaneKey),
    /// Tokens of a workspace may have run out.
    Workspace(WorkspaceId),
    /// A command that brings an agent back may be typed.
    Resume,
    /// Panes did something since they were last looked at to be saved.
    Save,
    /// The time of an action that was asked of a turn may be over.
    TurnAction,
    /// Viewers that drove panes under a worker before this one have come back by now, or do not.
    Sizes,
}

#[derive(Debug, Default)]
struct Queue {
    due: BTreeSet<(Instant, Due)>,
    /// When each thing in `due` is due, so that nobody can fill the queue by asking often.
    when: HashMap<Due, Instant>,
    closed: bool,
}

/// Filled under the world's lock, emptied by the clock thread; its own lock is the innermost.
#[derive(Debug, Default)]
pub struct Deadlines {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Deadlines {
    /// Asks the clock to look at `what` at `when`. One look is kept for each thing, the earliest:
    /// whoever looks asks again for what is due later.
    pub fn add(&self, when: Instant, what: Due) {
        let mut queue = lock(&self.queue);
        match queue.when.get(&what).copied() {
            Some(sooner) if sooner <= when => return,
            Some(later) => {
                queue.due.remove(&(later, what));
            }
            None => {}
        }
        queue.when.insert(what, when);
        queue.due.insert((when, what));
        let earliest = queue.due.first() == Some(&(when, what));
        drop(queue);
        if earliest {
            self.changed.notify_one();
        }
    }

    /// Waits for the next thing that is due; `None` once the queue is closed.
    pub fn next(&self) -> Option<Due> {
        let mut queue = lock(&self.queue);
        loop {
            if queue.closed {
                return None;
            }
            let now = Instant::now();
            queue = match queue.due.first().copied() {
                None => self.changed.wait(queue).unwrap_or_else(|e| e.into_inner()),
                Some((when, what)) if when <= now => {
                    queue.due.pop_first();
                    queue.when.remove(&what);
                    return Some(what);
                }
                Some((when, _)) => {
                    let left = when - now;
                    self.changed
                        .wait_timeout(queue, left)
                        .unwrap_or_else(|e| e.into_inner())
                        .0
                }
            };
        }
    }

    /// Ends the clock: every present and later [`Deadlines::next`] returns `None`.
    pub fn close(&self) {
        lock(&self.queue).closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    /// The deadline of the pane that was made as number `number`.
    fn pane(number: usize) -> Due {
        let mut world = crate::world::World::default();
        let made: Vec<_> = (0..number)
            .map(|_| world.reserve_workspace().unwrap().key())
            .collect();
        Due::Agent(*made.last().unwrap())
    }

    #[test]
    fn what_is_due_comes_in_order_of_time() {
        let queue = Deadlines::default();
        let now = Instant::now();
        queue.add(now + Duration::from_millis(2), pane(2));
        queue.add(now, pane(1));
        assert_eq!(queue.next(), Some(pane(1)));
        assert_eq!(queue.next(), Some(pane(2)));
    }

    #[test]
    fn of_one_thing_the_earliest_deadline_is_kept() {
        let queue = Deadlines::default();
        let now = Instant::now();
        for hours in [2, 1, 3] {
            queue.add(now + Duration::from_secs(3600 * hours), pane(1));
        }
        assert_eq!(lock(&queue.queue).due.len(), 1);
        queue.add(now, pane(1));
        queue.add(now + Duration::from_millis(1), pane(2));
        assert_eq!(queue.next(), Some(pane(1)));
        assert_eq!(queue.next(), Some(pane(2)));
        assert!(lock(&queue.queue).when.is_empty());
    }

    #[test]
    fn an_earlier_deadline_wakes_a_sleeping_clock_and_closing_ends_it() {
        let queue = Arc::new(Deadlines::default());
        queue.add(Instant::now() + Duration::from_secs(3600), pane(9));
        let clock = std::thread::spawn({
            let queue = queue.clone();
            move || [queue.next(), queue.next()]
        });
        queue.add(Instant::now(), pane(3));
        queue.close();
        let seen = clock.join().unwrap();
        assert!(seen[0] == Some(pane(3)) || seen[0].is_none());
        assert_eq!(seen[1], None);
    }
}
