//! Points in time that another process of the same boot understands.
//!
//! An `Instant` means something in its own process only. What is saved for a worker that takes over
//! is written as milliseconds of the machine's monotonic clock, which no change of the date moves.
//! The field is marked `#[serde(with = "crate::timeline")]`.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The same moment on both clocks.
static ANCHOR: LazyLock<(Instant, u64)> = LazyLock::new(|| (Instant::now(), monotonic()));

/// How far ahead a time that was read may lie: the longest time to live there is. A file of another
/// boot has numbers that mean nothing.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

fn monotonic() -> u64 {
    // The clock is there on every system that this is built for.
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from);
    milliseconds(now)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A point in time as milliseconds of the machine's monotonic clock.
fn to_machine(instant: Instant) -> u64 {
    let (origin, at_origin) = *ANCHOR;
    match instant.checked_duration_since(origin) {
        Some(since) => at_origin.saturating_add(milliseconds(since)),
        None => at_origin.saturating_sub(milliseconds(origin - instant)),
    }
}

/// The way back. What lies before this process can express becomes its start.
fn from_machine(saved: u64) -> Instant {
    let (origin, at_origin) = *ANCHOR;
    match saved.checked_sub(at_origin) {
        Some(after) => {
            let latest = Instant::now() + LONGEST;
            origin
                .checked_add(Duration::from_millis(after))
                .map_or(latest, |instant| instant.min(latest))
        }
        None => origin
            .checked_sub(Duration::from_millis(at_origin - saved))
            .unwrap_or(origin),
    }
}

pub fn serialize<S: Serializer>(instant: &Instant, to: S) -> Result<S::Ok, S::Error> {
    to_machine(*instant).serialize(to)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Instant, D::Error> {
    u64::deserialize(from).map(from_machine)
}

/// The same for a time that may be missing: `#[serde(default, with = "crate::timeline::optional")]`.
pub mod optional {
    use super::{Deserialize, Deserializer, Instant, Serialize, Serializer};

    pub fn serialize<S: Serializer>(instant: &Option<Instant>, to: S) -> Result<S::Ok, S::Error> {
        instant.map(super::to_machine).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Instant>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(super::from_machine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_in_time_survives_to_the_millisecond() {
        let now = Instant::now();
        for (earlier, later) in [(0, 0), (0, 5_000), (30, 0)] {
            let instant = now - Duration::from_millis(earlier) + Duration::from_millis(later);
            let back = from_machine(to_machine(instant));
            let apart = back.max(instant) - back.min(instant);
            assert!(apart <= Duration::from_millis(1), "{apart:?}");
        }
    }

    #[test]
    fn numbers_of_another_boot_become_times_that_can_be_waited_for() {
        let bound = Instant::now() + 2 * LONGEST;
        assert!(from_machine(u64::MAX) < bound);
        assert!(from_machine(0) <= Instant::now());
    }
}
