//! The daemon's stop: asked for once, seen by everyone who waits for something else.

use std::io;
use std::sync::{Arc, Condvar, Mutex};

use crate::sync::lock;
use crate::sys::Wake;

/// Whether the daemon is stopping. Once it is, it stays so.
#[derive(Debug)]
pub struct Stop {
    requested: Mutex<bool>,
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
            requested: Mutex::new(false),
            changed: Condvar::new(),
            wake: Arc::new(Wake::new()?),
        })
    }

    /// Asks for the stop. False if it was asked for before.
    pub fn request(&self) -> bool {
        let first = !std::mem::replace(&mut *lock(&self.requested), true);
        if first {
            self.changed.notify_all();
            self.wake.notify();
        }
        first
    }

    /// Whether the stop was asked for.
    pub fn requested(&self) -> bool {
        *lock(&self.requested)
    }

    /// Sleeps until the stop is asked for.
    pub fn wait(&self) {
        let mut requested = lock(&self.requested);
        while !*requested {
            requested = self.changed.wait(requested).unwrap_or_else(|e| e.into_inner());
        }
    }
}
