//! Panes with real pseudo-terminals and real programs. Every wait is for a condition, with a
//! deadline that only a broken build reaches.

mod ending;
mod inside;
mod starting;
mod traffic;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::*;
use crate::sys::Wake;
use crate::world::PaneKey;
use nix::poll::{PollFd, PollFlags, poll};

/// Far beyond what a loaded machine needs.
const PATIENCE: Duration = Duration::from_secs(20);

/// Remembers what a pane reports.
#[derive(Default)]
struct Recorder {
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    notes: Vec<Note>,
    jobs: Vec<Arc<ForegroundJob>>,
    settled: usize,
    exits: Vec<Option<ExitStatus>>,
}

impl Recorder {
    fn change(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap());
        self.changed.notify_all();
    }

    /// Waits until `find` finds what it wants in what was reported.
    fn wait_for<T>(&self, what: &str, find: impl Fn(&Seen) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.seen.lock().unwrap();
        loop {
            if let Some(found) = find(&seen) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "never reported: {what}");
            seen = self.changed.wait_timeout(seen, left).unwrap().0;
        }
    }

    fn wait_for_exit(&self) -> Option<ExitStatus> {
        self.wait_for("exit", |seen| seen.exits.first().copied())
    }

    fn wait_for_foreground(&self, name: &str) -> Arc<ForegroundJob> {
        self.wait_for(name, |seen| {
            let job = seen.jobs.last()?;
            (job.processes.first()?.name == name).then(|| Arc::clone(job))
        })
    }
}

impl PaneEvents for Recorder {
    fn output(&self, _pane: PaneKey, notes: Vec<Note>) {
        assert!(!notes.is_empty());
        self.change(|seen| seen.notes.extend(notes));
    }

    fn settled(&self, _pane: PaneKey) {
        self.change(|seen| seen.settled += 1);
    }

    fn foreground_changed(&self, _pane: PaneKey, job: Arc<ForegroundJob>) {
        self.change(|seen| seen.jobs.push(job));
    }

    fn exited(&self, _pane: PaneKey, status: Option<ExitStatus>) {
        self.change(|seen| seen.exits.push(status));
    }
}

/// A pane under test; closed, and waited for, when dropped.
struct TestPane {
    pane: Arc<Pane>,
    recorder: Arc<Recorder>,
}

impl TestPane {
    fn shell(script: &str) -> TestPane {
        TestPane::command(&["/bin/sh", "-c", script])
    }

    fn command(arguments: &[&str]) -> TestPane {
        let arguments = arguments
            .iter()
            .map(|argument| (*argument).to_owned())
            .collect();
        TestPane::open(launch(Program::Command(arguments)))
    }

    fn open(launch: Launch) -> TestPane {
        let recorder = Arc::new(Recorder::default());
        let new = Pane::open(PaneKey::new(1), &launch, 1000).unwrap();
        let events: Arc<dyn PaneEvents> = Arc::<Recorder>::clone(&recorder);
        let pane = new.begin(events);
        TestPane { pane, recorder }
    }

    fn text(&self) -> String {
        screen_text(&self.pane.screen())
    }

    /// Waits, as a reader of a pane does, until the screen shows `wanted`.
    fn wait_for_text(&self, wanted: &str) -> String {
        self.wait_until(wanted, |text| text.contains(wanted))
    }

    fn wait_until(&self, what: &str, accept: impl Fn(&str) -> bool) -> String {
        let wake = Arc::new(Wake::new().unwrap());
        let watch = self.pane.watch(&wake);
        let deadline = Instant::now() + PATIENCE;
        loop {
            watch.arm();
            let text = self.text();
            if accept(&text) {
                return text;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero() && !self.pane.has_exited(),
                "never shown: {what}\nthe screen:\n{text}"
            );
            sleep_on(&wake, left);
        }
    }
}

impl Drop for TestPane {
    fn drop(&mut self) {
        self.pane.close();
        let finished = self.pane.wait_finished(Instant::now() + PATIENCE);
        assert!(finished || std::thread::panicking(), "the pane never ended");
    }
}

fn screen_text(screen: &Screen) -> String {
    let request = ReadRequest {
        source: Source::RecentUnwrapped,
        lines: Some(1000),
        format: Format::Text,
    };
    screen.read(&request).text
}

fn sleep_on(wake: &Wake, limit: Duration) {
    let milliseconds = u16::try_from(limit.as_millis()).unwrap_or(u16::MAX);
    let mut descriptors = [PollFd::new(wake.as_fd(), PollFlags::POLLIN)];
    poll(&mut descriptors, milliseconds).unwrap();
    wake.drain();
}

fn is_notified(wake: &Wake) -> bool {
    let mut descriptors = [PollFd::new(wake.as_fd(), PollFlags::POLLIN)];
    poll(&mut descriptors, 0_u16).unwrap() == 1
}

const SIZE: Size = Size { cols: 80, rows: 24 };

fn launch(program: Program) -> Launch {
    Launch {
        program,
        directory: None,
        environment: environment(&[], None),
        size: SIZE,
    }
}

/// The environment of a pane whose daemon runs in a plain login session.
fn environment(caller: &[(&str, &str)], told: Option<&environment::Told>) -> Environment {
    let inherited = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/"),
        ("PS1", "$ "),
    ];
    let inherited = inherited.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let caller: BTreeMap<String, String> = caller
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Environment::build(inherited, &caller, [], told)
}

/// The number between the first `before` and the next `after`.
fn between(text: &str, before: &str, after: &str) -> i32 {
    let rest = text.split_once(before).unwrap().1;
    rest.split_once(after).unwrap().0.parse().unwrap()
}

/// Asserts that the pane's thread sleeps through a time in which another pane does something.
#[cfg(target_os = "linux")]
fn assert_asleep(test: &TestPane) {
    let pid = test.pane.shell_pid();
    // The clock of this test: long enough for the last look after the last output, then the window.
    let clock = TestPane::shell("sleep 1.2; echo first; sleep 0.3; echo second; read line");
    clock.wait_for_text("first");
    let before = context_switches(pid);
    clock.wait_for_text("second");
    assert_eq!(
        context_switches(pid),
        before,
        "the thread of an idle pane woke up"
    );
}

#[cfg(not(target_os = "linux"))]
fn assert_asleep(_test: &TestPane) {}

/// How often the thread of a pane was taken off its core, by its own wish or not.
#[cfg(target_os = "linux")]
fn context_switches(pid: i32) -> u64 {
    let name = format!("pane-{pid}\n");
    let thread = std::fs::read_dir("/proc/self/task")
        .unwrap()
        .map(|thread| thread.unwrap().path())
        .find(|thread| std::fs::read_to_string(thread.join("comm")).is_ok_and(|comm| comm == name))
        .expect("a pane's thread carries the number of its process");
    let status = std::fs::read_to_string(thread.join("status")).unwrap();
    status
        .lines()
        .filter_map(|line| {
            line.split_once("ctxt_switches:")?
                .1
                .trim()
                .parse::<u64>()
                .ok()
        })
        .sum()
}
