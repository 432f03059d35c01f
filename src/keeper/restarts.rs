//! When a process that died is started again: at once, unless it keeps dying.

use std::time::{Duration, Instant};

/// A worker that dies sooner after it was ready has not really lived: it came upon what killed the one before.
const LIFE: Duration = Duration::from_millis(250);

/// Such deaths in a row that count as bad luck. A pane whose output is deadly is set aside after the second.
const BAD_LUCK: u32 = 4;

/// The first wait after that; each next one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The longest wait: what killed it may go away by itself, such as a full disk.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Counts deaths that came too soon.
#[derive(Debug, Default)]
pub struct Restarts {
    soon: u32,
}

impl Restarts {
    /// How long to wait before the next start. `ready` is when the dead one began to serve; none if it never did.
    pub fn died(&mut self, ready: Option<Instant>, now: Instant) -> Duration {
        let lived = ready.is_some_and(|ready| now.saturating_duration_since(ready) >= LIFE);
        self.soon = if lived { 0 } else { self.soon + 1 };
        match self.soon.saturating_sub(BAD_LUCK) {
            0 => Duration::ZERO,
            // Beyond this shift the longest wait is reached anyway.
            times => (FIRST_WAIT * (1 << (times - 1).min(16))).min(LONGEST_WAIT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_lived_is_started_at_once_however_often() {
        let mut restarts = Restarts::default();
        let now = Instant::now();
        for _ in 0..100 {
            assert_eq!(restarts.died(Some(now), now + LIFE), Duration::ZERO);
        }
    }

    #[test]
    fn who_keeps_dying_waits_longer_and_longer_up_to_a_bound_and_a_life_forgives_all() {
        let mut restarts = Restarts::default();
        let now = Instant::now();
        let waits: Vec<_> = (0..40)
            .map(|_| restarts.died(None, now).as_millis())
            .collect();
        assert_eq!(waits[..7], [0, 0, 0, 0, 100, 200, 400]);
        assert_eq!(waits[39], LONGEST_WAIT.as_millis());
        assert_eq!(restarts.died(Some(now), now + LIFE), Duration::ZERO);
        assert_eq!(restarts.died(Some(now), now), Duration::ZERO);
    }
}
