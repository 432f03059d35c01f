//! How often a pane may speak of itself: a token bucket for metadata and notifications.
//!
//! State reports have none: an agent that changes its state may always say so.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::config;
use crate::sync::lock;
use crate::world::{PaneKey, WorkspaceId};

/// Buckets kept before those that are full again, and so say nothing, are dropped.
const BUCKETS: usize = 1_024;

/// Whose bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// Reports about a pane, and notifications from it.
    Pane(PaneKey),
    /// Reports about a workspace.
    Workspace(WorkspaceId),
    /// Notifications that the program of a pane prints (OSC 9, 99, 777).
    Program(PaneKey),
    /// Notifications from outside every pane.
    Outside,
}

/// How much may be said (`[limits] metadata_*`).
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    burst: f64,
    per_second: f64,
}

impl From<&config::Limits> for Rate {
    fn from(limits: &config::Limits) -> Rate {
        Rate {
            burst: limits.metadata_burst as f64,
            per_second: limits.metadata_per_second as f64,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Bucket {
    fn filled(self, rate: Rate, now: Instant) -> Bucket {
        let seconds = now.saturating_duration_since(self.at).as_secs_f64();
        Bucket {
            tokens: (self.tokens + seconds * rate.per_second).min(rate.burst),
            at: now,
        }
    }
}

/// The buckets. Their lock is innermost.
#[derive(Debug, Default)]
pub struct Rates {
    buckets: Mutex<HashMap<Speaker, Bucket>>,
}

impl Rates {
    /// Takes one token of `speaker`.
    ///
    /// # Errors
    /// There is none; the answer is how long it takes until there is.
    pub fn take(&self, speaker: Speaker, rate: Rate, now: Instant) -> Result<(), Duration> {
        let mut buckets = lock(&self.buckets);
        if buckets.len() >= BUCKETS && !buckets.contains_key(&speaker) {
            buckets.retain(|_, bucket| bucket.filled(rate, now).tokens < rate.burst);
        }
        let full = Bucket {
            tokens: rate.burst,
            at: now,
        };
        let bucket = buckets.entry(speaker).or_insert(full);
        *bucket = bucket.filled(rate, now);
        if bucket.tokens < 1.0 {
            return Err(Duration::from_secs_f64(
                (1.0 - bucket.tokens) / rate.per_second,
            ));
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        burst: 20.0,
        per_second: 5.0,
    };

    fn pane(number: u64) -> Speaker {
        Speaker::Pane(PaneKey::new(number))
    }

    #[test]
    fn a_burst_passes_and_then_only_as_much_as_flows_in() {
        let (rates, start) = (Rates::default(), Instant::now());
        for _ in 0..20 {
            assert_eq!(rates.take(pane(1), RATE, start), Ok(()));
        }
        let wait = rates.take(pane(1), RATE, start).unwrap_err();
        assert_eq!(wait, Duration::from_millis(200));
        assert_eq!(
            rates.take(pane(2), RATE, start),
            Ok(()),
            "another's is its own"
        );
        let later = start + Duration::from_millis(200);
        assert_eq!(rates.take(pane(1), RATE, later), Ok(()));
        assert!(rates.take(pane(1), RATE, later).is_err());
        // A long silence fills it to the brim and no further.
        let much_later = later + Duration::from_secs(3600);
        let passed = (0..100)
            .filter(|_| rates.take(pane(1), RATE, much_later).is_ok())
            .count();
        assert_eq!(passed, 20);
    }

    #[test]
    fn buckets_that_are_full_again_are_forgotten() {
        let (rates, start) = (Rates::default(), Instant::now());
        for number in 0..BUCKETS as u64 {
            rates.take(pane(number), RATE, start).unwrap();
        }
        let later = start + Duration::from_secs(1);
        rates.take(pane(1_000_000), RATE, later).unwrap();
        assert_eq!(lock(&rates.buckets).len(), 1);
    }
}
