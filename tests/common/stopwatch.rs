//! Times of the daemon's own making: a machine that is busy with other things makes everything slow, and
//! a test that then gives up, or tries until it is quick for once, says nothing about the daemon.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use super::Home;

/// Runs from its making on.
pub struct Stopwatch<'a> {
    home: &'a Home,
    began: Instant,
    /// The same moment as files have it.
    began_at: SystemTime,
    before: BTreeMap<String, Duration>,
}

impl<'a> Stopwatch<'a> {
    pub fn start(home: &'a Home) -> Stopwatch<'a> {
        Stopwatch {
            home,
            before: held_up(home),
            began: Instant::now(),
            began_at: SystemTime::now(),
        }
    }

    /// The time since then, without what the threads of both halves and this one waited for a core.
    pub fn elapsed(&self) -> Duration {
        self.without_waits(self.began.elapsed())
    }

    /// The same since a file was last written, which was after the start; nothing if it was not.
    pub fn elapsed_since_writing(&self, file: &std::path::Path) -> Duration {
        let now = SystemTime::now();
        let written = std::fs::metadata(file).and_then(|file| file.modified());
        let since = written.ok().filter(|written| *written >= self.began_at);
        let since = since.and_then(|written| now.duration_since(written).ok());
        self.without_waits(since.unwrap_or_default())
    }

    fn without_waits(&self, time: Duration) -> Duration {
        let waited: Duration = held_up(self.home)
            .into_iter()
            .map(|(thread, after)| {
                let before = self.before.get(&thread).copied().unwrap_or_default();
                after.saturating_sub(before)
            })
            .sum();
        time.saturating_sub(waited)
    }
}

/// How long each thread has been ready to run and had no core. Nothing where the system does not say: there
/// the time counts as it is.
fn held_up(home: &Home) -> BTreeMap<String, Duration> {
    let halves = home.halves().into_iter();
    let threads = halves.filter_map(|(_, pid)| std::fs::read_dir(format!("/proc/{pid}/task")).ok());
    threads
        .flat_map(|threads| threads.flatten().map(|thread| thread.path()))
        .chain(std::fs::canonicalize("/proc/thread-self"))
        .filter_map(|thread| {
            let numbers = std::fs::read_to_string(thread.join("schedstat")).ok()?;
            // Nanoseconds on a core, nanoseconds waiting for one, turns.
            let waiting = numbers.split(' ').nth(1)?.parse().ok()?;
            let name = thread.display().to_string();
            Some((name, Duration::from_nanos(waiting)))
        })
        .collect()
}
