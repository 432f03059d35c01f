//! The working directories of a pane, read from the operating system only if something happened
//! since the last reading.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::foreground::JOB_PROCESSES;
use crate::sync::lock;
use crate::sys;

/// A reading counts as final only if it was taken this long after the last activity: between the
/// Enter that runs `cd` and the change of directory nothing else tells that there is one.
const SETTLED_AFTER: Duration = Duration::from_millis(250);

/// Where a pane is (herdr 0.9.3, `PaneInfo`). A directory may have been removed since.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Directories {
    /// The last existing absolute directory reported by OSC 7, else the shell's, else the last
    /// known one.
    pub cwd: Option<PathBuf>,
    /// The foreground leader's directory; if that is the shell's, the first group member's that
    /// differs.
    pub foreground_cwd: Option<PathBuf>,
    /// The foreground leader's own directory.
    pub leader_cwd: Option<PathBuf>,
}

impl Directories {
    /// Where a new pane starts that follows this one (`terminal.new_cwd = "follow"`).
    pub fn follow(&self) -> Option<&PathBuf> {
        self.leader_cwd
            .as_ref()
            .filter(|directory| directory.is_dir())
            .or(self.cwd.as_ref())
    }
}

/// Counts what may have changed a directory. Touched by the pane's thread on every read, so it only
/// stores.
#[derive(Debug)]
pub(super) struct Activity {
    origin: Instant,
    count: AtomicU64,
    /// Milliseconds since `origin`.
    last: AtomicU64,
}

impl Activity {
    pub(super) fn new(now: Instant) -> Activity {
        Activity {
            origin: now,
            count: AtomicU64::new(0),
            last: AtomicU64::new(0),
        }
    }

    pub(super) fn touch(&self, now: Instant) {
        self.last.store(self.milliseconds(now), Ordering::Relaxed);
        // After the time, so that whoever sees the count sees the time too.
        self.count.fetch_add(1, Ordering::Release);
    }

    /// The count, and whether the last activity is long enough ago.
    fn reading(&self, now: Instant) -> (u64, bool) {
        let count = self.count.load(Ordering::Acquire);
        let quiet = self
            .milliseconds(now)
            .saturating_sub(self.last.load(Ordering::Relaxed));
        (count, u128::from(quiet) >= SETTLED_AFTER.as_millis())
    }

    fn milliseconds(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.origin).as_millis()).unwrap_or(u64::MAX)
    }
}

/// The last reading, and the count of activity it belongs to.
#[derive(Debug)]
pub(super) struct DirectoryCache {
    /// Guards the cache, also while the operating system is asked, which may take as long as a dead
    /// network disk does. What a program reports must not wait for it.
    state: Mutex<State>,
    /// Guards only what it holds; taken after `state`, and under the screen's lock.
    reported: Mutex<Reported>,
}

#[derive(Debug)]
struct State {
    /// The activity and the report that the last reading belongs to, if it is final.
    settled_at: Option<(u64, u64)>,
    /// Shared, because every listing of panes asks for it and it hardly ever changes.
    last: Arc<Directories>,
}

/// What the program said last (OSC 7).
#[derive(Debug, Default)]
struct Reported {
    directory: Option<PathBuf>,
    /// How many there have been.
    count: u64,
}

impl DirectoryCache {
    pub(super) fn new(start: PathBuf) -> DirectoryCache {
        let last = Directories {
            cwd: Some(start),
            ..Directories::default()
        };
        DirectoryCache {
            state: Mutex::new(State {
                settled_at: None,
                last: Arc::new(last),
            }),
            reported: Mutex::default(),
        }
    }

    /// Keeps a directory the program reported (OSC 7). Not absolute, not kept.
    pub(super) fn report(&self, directory: PathBuf) {
        if directory.is_absolute() {
            let mut reported = lock(&self.reported);
            reported.directory = Some(directory);
            reported.count += 1;
        }
    }

    /// The directories now. `group` asks for the foreground group, only if a reading is needed.
    pub(super) fn get(
        &self,
        activity: &Activity,
        now: Instant,
        shell_pid: i32,
        group: impl FnOnce() -> Option<i32>,
    ) -> Arc<Directories> {
        let mut state = lock(&self.state);
        let (count, settled) = activity.reading(now);
        let reported = lock(&self.reported);
        let reading = (count, reported.count);
        if state.settled_at == Some(reading) {
            return state.last.clone();
        }
        let directory = reported.directory.clone();
        // Not held while the operating system is asked: the pane's own thread may be reporting.
        drop(reported);
        state.read(shell_pid, group(), directory);
        state.settled_at = settled.then_some(reading);
        state.last.clone()
    }

    /// What was last read.
    pub(super) fn last(&self) -> Arc<Directories> {
        lock(&self.state).last.clone()
    }
}

impl State {
    fn read(&mut self, shell_pid: i32, group: Option<i32>, reported: Option<PathBuf>) {
        let shell = sys::process_directory(shell_pid);
        let last = Arc::make_mut(&mut self.last);
        let reported = reported.filter(|directory| directory.is_dir());
        if let Some(cwd) = reported.or_else(|| shell.clone()) {
            last.cwd = Some(cwd);
        }
        last.leader_cwd = group.and_then(sys::process_directory);
        last.foreground_cwd = match (&last.leader_cwd, &shell, group) {
            (Some(leader), Some(shell), Some(group)) if leader == shell => {
                sys::group_members(shell_pid, group, JOB_PROCESSES)
                    .into_iter()
                    .filter_map(sys::process_directory)
                    .find(|directory| directory != shell)
                    .or_else(|| Some(leader.clone()))
            }
            (leader, _, _) => leader.clone(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A cache about this very process, which counts how often the operating system was asked.
    struct Asked {
        cache: DirectoryCache,
        activity: Activity,
        start: Instant,
        count: Cell<usize>,
    }

    impl Asked {
        fn new() -> Asked {
            let start = Instant::now();
            Asked {
                cache: DirectoryCache::new(PathBuf::from("/start")),
                activity: Activity::new(start),
                start,
                count: Cell::new(0),
            }
        }

        fn get(&self, milliseconds: u64) -> Arc<Directories> {
            let pid = i32::try_from(std::process::id()).unwrap();
            let now = self.start + Duration::from_millis(milliseconds);
            self.cache.get(&self.activity, now, pid, || {
                self.count.set(self.count.get() + 1);
                Some(pid)
            })
        }

        fn touch(&self, milliseconds: u64) {
            self.activity
                .touch(self.start + Duration::from_millis(milliseconds));
        }
    }

    #[test]
    fn a_quiet_pane_is_read_once() {
        let asked = Asked::new();
        asked.touch(0);
        for time in [300, 400, 100_000] {
            asked.get(time);
        }
        assert_eq!(asked.count.get(), 1);
    }

    #[test]
    fn a_reading_amid_activity_is_not_the_last() {
        let asked = Asked::new();
        asked.touch(1000);
        asked.get(1010);
        asked.get(1249);
        assert_eq!(asked.count.get(), 2);
        asked.get(1250);
        asked.get(2000);
        assert_eq!(asked.count.get(), 3);
        asked.touch(2001);
        asked.get(3000);
        assert_eq!(asked.count.get(), 4);
    }

    #[test]
    fn a_reported_directory_counts_only_if_it_exists() {
        let asked = Asked::new();
        let here = std::env::current_dir().unwrap();
        asked.cache.report(PathBuf::from("relative"));
        assert_eq!(asked.get(1000).cwd.as_ref(), Some(&here));
        asked.cache.report(PathBuf::from("/no/such/directory"));
        assert_eq!(asked.get(1000).cwd.as_ref(), Some(&here));
        asked.cache.report(PathBuf::from("/"));
        let directories = asked.get(1000);
        assert_eq!(directories.cwd, Some(PathBuf::from("/")));
        assert_eq!(
            directories.follow(),
            Some(&here),
            "the program in the foreground decides"
        );
    }

    /// A reading of a directory on a dead disk would hold the cache just so.
    #[test]
    fn a_report_does_not_wait_for_a_reading() {
        let asked = Asked::new();
        let pid = i32::try_from(std::process::id()).unwrap();
        let now = asked.start + Duration::from_secs(1);
        asked.cache.get(&asked.activity, now, pid, || {
            asked.cache.report(PathBuf::from("/"));
            None
        });
        assert_eq!(asked.get(1000).cwd, Some(PathBuf::from("/")));
    }

    #[test]
    fn what_cannot_be_read_leaves_the_last_known_directory() {
        let cache = DirectoryCache::new(PathBuf::from("/start"));
        let now = Instant::now();
        let directories = cache.get(&Activity::new(now), now, i32::MAX, || None);
        assert_eq!(directories.cwd, Some(PathBuf::from("/start")));
        assert_eq!(directories.foreground_cwd, None);
    }
}
