//! Whose turn it is to type a prompt into a pane: one at a time, in the order in which they asked.
//!
//! A lock would do that too, but who waits for a lock sees neither its client leave nor the daemon
//! stop, and a prompt takes its pause before Enter.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::sync::lock;
use crate::sys::Wake;

/// Those who want to type a prompt into one pane.
#[derive(Debug, Default)]
pub struct Prompts {
    /// Innermost: nothing is locked under it.
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    next: u64,
    /// The first one types.
    places: VecDeque<(u64, Arc<Wake>)>,
}

/// A place in the queue, given up when it is dropped.
#[derive(Debug)]
pub struct Place<'a> {
    prompts: &'a Prompts,
    number: u64,
}

impl Prompts {
    /// Takes the last place. `wake` is notified when it has become the first.
    pub fn line_up(&self, wake: &Arc<Wake>) -> Place<'_> {
        let mut queue = lock(&self.queue);
        let number = queue.next;
        // Nobody lives to see 64 bits of prompts.
        queue.next += 1;
        queue.places.push_back((number, wake.clone()));
        Place {
            prompts: self,
            number,
        }
    }
}

impl Place<'_> {
    /// Whether it is this one's turn; it stays so until the place is dropped.
    pub fn is_first(&self) -> bool {
        let queue = lock(&self.prompts.queue);
        queue
            .places
            .front()
            .is_some_and(|(number, _)| *number == self.number)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let first = {
            let mut queue = lock(&self.prompts.queue);
            queue.places.retain(|(number, _)| *number != self.number);
            queue.places.front().map(|(_, wake)| wake.clone())
        };
        if let Some(wake) = first {
            wake.notify();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    fn wake() -> Arc<Wake> {
        Arc::new(Wake::new().unwrap())
    }

    fn is_notified(wake: &Wake) -> bool {
        let mut descriptors = [PollFd::new(wake.as_fd(), PollFlags::POLLIN)];
        poll(&mut descriptors, PollTimeout::ZERO).unwrap() > 0
    }

    #[test]
    fn they_come_one_after_the_other_in_the_order_of_asking() {
        let prompts = Prompts::default();
        let wakes = [wake(), wake(), wake()];
        let [first, second, third] = [0, 1, 2].map(|at| prompts.line_up(&wakes[at]));
        assert!(first.is_first() && !second.is_first() && !third.is_first());
        drop(first);
        assert!(second.is_first() && is_notified(&wakes[1]));
        assert!(!third.is_first() && !is_notified(&wakes[2]));
        drop(second);
        assert!(third.is_first() && is_notified(&wakes[2]));
    }

    #[test]
    fn who_gives_up_is_not_waited_for() {
        let prompts = Prompts::default();
        let wakes = [wake(), wake(), wake()];
        let [first, second, third] = [0, 1, 2].map(|at| prompts.line_up(&wakes[at]));
        drop(second);
        assert!(first.is_first());
        drop(first);
        assert!(third.is_first() && is_notified(&wakes[2]));
        drop(third);
        assert!(prompts.line_up(&wake()).is_first());
    }
}
