//! The daemon's stop: asked for once, seen by everyone who waits for something else.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use crate::sync::lock;
use crate::sys::Wake;

#[derive(Debug, Default)]
struct State {
    requested: bool,
    /// Requests that were read and whose answer is not written yet.
    answering: usize,
}

/// Whether the daemon is stopping. Once it is, it stays so.
#[derive(Debug)]
pub struct Stop {
    state: Mutex<State>,
    changed: Condvar,
    /// Readable from the moment the stop was asked for; never drained, so that every `poll` that
    /// includes it returns, now and later.
    pub wake: Arc<Wake>,
}

impl Stop {
    /// # Errors
    /// No descriptor left for the wake.
    pub fn new() -> io::Result<Stop> {
        Ok(Stop {
            state: Mutex::default(),
            changed: Condvar::new(),
            wake: Arc::new(Wake::new()?),
        })
    }

    /// Asks for the stop. False if it was asked for before.
    pub fn request(&self) -> bool {
        let first = !std::mem::replace(&mut lock(&self.state).requested, true);
        if first {
            self.changed.notify_all();
            self.wake.notify();
        }
        first
    }

    /// Whether the stop was asked for.
    pub fn requested(&self) -> bool {
        lock(&self.state).requested
    }

    /// Sleeps until the stop is asked for.
    pub fn wait(&self) {
        let mut state = lock(&self.state);
        while !state.requested {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Counts a request as being answered until the guard drops.
    pub fn answering(&self) -> Answering<'_> {
        lock(&self.state).answering += 1;
        Answering { stop: self }
    }

    /// Sleeps until nothing is being answered any more, or until `deadline`.
    pub fn wait_for_answers(&self, deadline: Instant) {
        let mut state = lock(&self.state);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if state.answering == 0 || left.is_zero() {
                return;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A request that is being answered; see [`Stop::answering`].
#[derive(Debug)]
pub struct Answering<'a> {
    stop: &'a Stop,
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.stop.state);
        state.answering -= 1;
        if state.requested && state.answering == 0 {
            self.stop.changed.notify_all();
        }
    }
}
