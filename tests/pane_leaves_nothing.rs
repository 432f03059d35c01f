//! Fifty panes come and go: nothing of them may be left in this process. Alone in its file, because
//! it counts what the whole process has.
#![cfg(target_os = "linux")]

use std::ffi::OsString;
use std::fs;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drover::pane::{
    Environment, ForegroundJob, Launch, Note, Pane, PaneEvents, Program, ShellMode, Size,
};
use drover::world::PaneKey;

/// Far beyond what a loaded machine needs.
const PATIENCE: Duration = Duration::from_secs(30);

struct Deaf;

impl PaneEvents for Deaf {
    fn output(&self, _pane: PaneKey, _notes: Vec<Note>) {}
    fn settled(&self, _pane: PaneKey) {}
    fn foreground_changed(&self, _pane: PaneKey, _job: Arc<ForegroundJob>) {}
    fn exited(&self, _pane: PaneKey, _status: Option<ExitStatus>) {}
}

#[derive(Debug, PartialEq, Eq)]
struct Holdings {
    descriptors: usize,
    threads: usize,
    children: String,
}

impl Holdings {
    fn now() -> Holdings {
        let count = |folder: &str| fs::read_dir(folder).unwrap().count();
        let mut children = String::new();
        for thread in fs::read_dir("/proc/self/task").unwrap() {
            let list = thread.unwrap().path().join("children");
            children.push_str(&fs::read_to_string(list).unwrap_or_default());
        }
        Holdings {
            descriptors: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
            children,
        }
    }
}

fn open(number: u64) -> Arc<Pane> {
    let inherited = [("PATH", "/usr/bin:/bin"), ("HOME", "/")]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let launch = Launch {
        program: Program::Shell {
            path: OsString::from("/bin/sh"),
            mode: ShellMode::NonLogin,
        },
        directory: None,
        environment: Environment::build(inherited, [], [], None),
        size: Size { cols: 80, rows: 24 },
    };
    Pane::open(PaneKey::new(number), &launch, 100)
        .unwrap()
        .begin(Arc::new(Deaf))
}

#[test]
fn fifty_panes_leave_no_descriptor_thread_or_zombie() {
    let before = Holdings::now();
    let panes: Vec<_> = (0..50).map(open).collect();
    for (number, pane) in panes.iter().enumerate() {
        // Some end by themselves, some have a job in the foreground, some just sit there.
        match number % 3 {
            0 => pane.send("exit 3\n").unwrap(),
            1 => pane.send("sleep 1000\n").unwrap(),
            _ => {}
        }
    }
    let with_panes = Holdings::now();
    // Two ends of the terminal, the wake, the exit notice and the memory of the screen.
    assert!(with_panes.descriptors <= before.descriptors + 5 * panes.len());
    let deadline = Instant::now() + PATIENCE;
    for pane in &panes {
        pane.close();
    }
    for pane in &panes {
        assert!(pane.wait_finished(deadline));
    }
    drop(panes);
    // A finished thread leaves the process a moment after it has said so.
    while Holdings::now() != before {
        assert!(
            Instant::now() < deadline,
            "before {before:?}, now {:?}",
            Holdings::now()
        );
        std::thread::yield_now();
    }
}
