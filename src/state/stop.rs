//! The daemon's stop: asked for once, seen by everyone who waits for something else. An upgrade is a stop of this
//! process alone: another takes over, and nothing of the session ends.

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
    handover: Handover,
    let_go: bool,
}

/// How far an upgrade has come.
#[derive(Debug, Default)]
enum Handover {
    /// There is none.
    #[default]
    None,
    /// Another process waits to take over.
    Asked,
    /// It serves; or it could not, for this reason.
    Done(Result<(), String>),
}

/// Why [`Stop::wait`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The session ends.
    Stop,
    /// Another process takes over.
    Handover,
    /// Whoever holds the session's descriptors starts a process that goes on.
    LetGo,
}

/// Whether the daemon is stopping. Once it is, it stays so.
#[derive(Debug)]
pub struct Stop {
    state: Mutex<State>,
    changed: Condvar,
    /// Readable from the moment the stop was asked for; never drained, so that every `poll` that
    /// includes it returns, now and later.
    pub wake: Arc<Wake>,
    /// Readable, in the same way, from the moment that connections are left to another process.
    pub left: Arc<Wake>,
}

impl Stop {
    /// # Errors
    /// No descriptor left for the wake.
    pub fn new() -> io::Result<Stop> {
        Ok(Stop {
            state: Mutex::default(),
            changed: Condvar::new(),
            wake: Arc::new(Wake::new()?),
            left: Arc::new(Wake::new()?),
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

    /// Asks for the end of this process alone: whoever holds the session's descriptors starts one that goes on. False
    /// if it ends already.
    pub fn let_go(&self) -> bool {
        let mut state = lock(&self.state);
        if std::mem::replace(&mut state.requested, true) {
            return false;
        }
        state.let_go = true;
        drop(state);
        self.left.notify();
        self.changed.notify_all();
        self.wake.notify();
        true
    }

    /// Whether the stop was asked for.
    pub fn requested(&self) -> bool {
        lock(&self.state).requested
    }

    /// Whether the session is being left to another process, rather than ended.
    pub fn is_handover(&self) -> bool {
        !matches!(lock(&self.state).handover, Handover::None)
    }

    /// Sleeps until the stop is asked for, or a handover.
    pub fn wait(&self) -> Ended {
        let mut state = lock(&self.state);
        loop {
            match state.handover {
                Handover::None if state.let_go => return Ended::LetGo,
                Handover::None if state.requested => return Ended::Stop,
                Handover::None => {}
                Handover::Asked | Handover::Done(_) => return Ended::Handover,
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Leaves the session to another process that waits for it, and sleeps until that serves. Whatever comes of it,
    /// this process ends.
    ///
    /// # Errors
    /// The session ends already, or is being left; then nothing has changed. Or the other process could not serve,
    /// and the text says why.
    pub fn hand_over(&self) -> Result<(), String> {
        let mut state = lock(&self.state);
        if state.requested {
            return Err("the daemon is stopping".to_owned());
        }
        state.requested = true;
        state.handover = Handover::Asked;
        self.left.notify();
        self.changed.notify_all();
        self.wake.notify();
        loop {
            if let Handover::Done(outcome) = &state.handover {
                return outcome.clone();
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says what has come of a handover.
    pub fn handed_over(&self, outcome: Result<(), String>) {
        lock(&self.state).handover = Handover::Done(outcome);
        self.changed.notify_all();
    }

    /// Counts a request as being answered until the guard drops.
    pub fn answering(&self) -> Answering<'_> {
        lock(&self.state).answering += 1;
        Answering { stop: self }
    }

    /// Sleeps until no more than `but` requests are being answered, or until `deadline`.
    pub fn wait_for_answers(&self, but: usize, deadline: Instant) {
        let mut state = lock(&self.state);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if state.answering <= but || left.is_zero() {
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
        if state.requested {
            self.stop.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn who_hands_over_learns_what_came_of_it_and_its_answer_is_the_last() {
        let stop = Arc::new(Stop::new().unwrap());
        let asking = thread::spawn({
            let stop = Arc::clone(&stop);
            move || {
                let _answering = stop.answering();
                stop.hand_over()
            }
        });
        assert_eq!(stop.wait(), Ended::Handover);
        assert!(stop.requested(), "other requests are refused from now on");
        stop.wait_for_answers(1, Instant::now() + Duration::from_secs(20));
        assert!(stop.hand_over().is_err(), "only one at a time");
        stop.handed_over(Err("no".to_owned()));
        assert_eq!(asking.join().unwrap(), Err("no".to_owned()));
        stop.wait_for_answers(0, Instant::now() + Duration::from_secs(20));
        assert_eq!(lock(&stop.state).answering, 0);
    }

    #[test]
    fn a_daemon_that_stops_is_not_let_go_of_and_one_that_is_let_go_of_is_not_handed_over() {
        let stop = Stop::new().unwrap();
        assert!(stop.let_go());
        assert!(!stop.request());
        assert!(stop.hand_over().is_err());
        assert_eq!(stop.wait(), Ended::LetGo);
        let stop = Stop::new().unwrap();
        assert!(stop.request());
        assert!(!stop.let_go());
        assert_eq!(stop.wait(), Ended::Stop);
    }

    #[test]
    fn a_daemon_that_stops_is_not_handed_over() {
        let stop = Stop::new().unwrap();
        assert!(stop.request());
        assert!(stop.hand_over().is_err());
        assert_eq!(stop.wait(), Ended::Stop);
    }
}
