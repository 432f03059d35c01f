//! What is on the disk at any moment, and what a daemon does when the disk takes nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::common::{Daemon, Half, Home, Setup, until_true};

fn database(home: &Home) -> PathBuf {
    home.path("state/drover/drover.db")
}

/// Copies a database and its log, as they are.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().expect("a folder")).expect("a directory");
    for suffix in ["", "-wal"] {
        let named = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
        if named(from).exists() {
            std::fs::copy(named(from), named(to)).expect("a copy");
        }
    }
}

/// Raised when this is dropped, so that a test that fails does not go on.
struct Raised<'a>(&'a AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How often the files are copied while things change.
fn copies() -> u32 {
    let wanted = std::env::var("DROVER_KILLS").ok();
    wanted.and_then(|count| count.parse().ok()).unwrap_or(5)
}

#[test]
fn the_files_of_any_moment_open_to_a_session_with_all_that_was_acknowledged() {
    let daemon = Daemon::start();
    let base = daemon.busy(daemon.workspace());
    let (stop, reported) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let _stop = Raised(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let pane = daemon.split(&base);
                daemon.result("pane.rename", json!({ "pane_id": pane, "label": "x" }));
                daemon.result("pane.close", json!({ "pane_id": pane }));
            }
        });
        scope.spawn(|| {
            for seq in 1.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let params = json!({
                    "pane_id": base, "source": "bot", "agent": "bot", "state": "working",
                    "message": format!("step {seq}"), "seq": seq,
                    "resume_argv": ["bot", format!("{seq}")],
                });
                daemon.result("pane.report_agent", params);
                reported.store(seq, Ordering::Release);
            }
        });
        for round in 0..copies() {
            let target = u64::from(round) * 7 + 1;
            until_true("reports", || reported.load(Ordering::Acquire) >= target);
            // A process that stands still writes nothing: these are the files of one moment.
            let acknowledged = reported.load(Ordering::Acquire);
            let worker = daemon.home.half(Half::Worker);
            kill(Pid::from_raw(worker), Signal::SIGSTOP).expect("a stopped process");
            until_true("a process that stands still", || stands_still(worker));
            let home = Home::new();
            copy(&database(&daemon.home), &database(&home));
            kill(Pid::from_raw(worker), Signal::SIGCONT).expect("a process that goes on");
            let restored = Setup::at(home).start();
            let snapshot = restored.result("session.snapshot", json!({}))["snapshot"].clone();
            let panes = snapshot["panes"].as_array().expect("panes");
            assert!(panes.iter().any(|pane| pane["pane_id"] == base.as_str()));
            for layout in snapshot["layouts"].as_array().expect("layouts") {
                let shown = layout["panes"].as_array().expect("panes");
                assert_eq!(shown.len(), panes.len());
            }
            // The command that brings the agent back is the one of the last report.
            let line = restored.wait_for_line(&base, r"bot \d+$");
            let seq = line.rsplit(' ').next().and_then(|seq| seq.parse().ok());
            assert!(
                seq >= Some(acknowledged),
                "{line}: {acknowledged} was acknowledged"
            );
        }
    });
}

fn stands_still(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim_start().starts_with('T'))
}

#[test]
fn a_database_that_is_not_ours_stops_the_start_and_fresh_keeps_it_aside() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("state/drover")).expect("a directory");
    std::fs::write(database(&home), "something else").expect("a file");
    let end = home.drover(&["serve"]);
    assert_eq!(end.code, Some(1));
    let named = database(&home).display().to_string();
    assert!(
        end.stderr.contains(&named) && end.stderr.contains("--fresh"),
        "{end:?}"
    );
    assert!(!home.socket().exists(), "nothing is served");
    assert_eq!(
        std::fs::read(database(&home)).expect("a file"),
        b"something else"
    );
    let daemon = Setup::at(home).word("--fresh").start();
    assert_eq!(daemon.workspace(), "w1:p1");
    let folder = std::fs::read_dir(daemon.home.path("state/drover")).expect("a directory");
    let aside = folder
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.display().to_string().contains(".aside-"));
    assert_eq!(
        std::fs::read(aside.expect("a file")).expect("a file"),
        b"something else"
    );
}

#[test]
fn a_state_directory_that_cannot_be_used_stops_nothing_and_is_said() {
    let home = Home::new();
    // A folder in the file's place: as good as no permission, which would not stop a test run by root.
    std::fs::create_dir_all(database(&home)).expect("a directory");
    let daemon = Setup::at(home).start();
    let pane = daemon.workspace();
    assert_eq!(daemon.pane(&pane)["pane_id"], "w1:p1");
    let log = daemon.log();
    assert_eq!(log.matches("nothing is saved").count(), 1, "{log}");
    let status = daemon.herdr(&["status"]);
    assert!(status.stdout.contains("nothing is saved"), "{status:?}");
    let doctor = daemon.home.drover(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(doctor.stdout.contains("nothing is saved"), "{doctor:?}");
    std::fs::remove_dir(database(&daemon.home)).expect("a directory");
    until_true("a database", || daemon.log().contains("saving again"));
    let status = daemon.herdr(&["status"]);
    assert!(!status.stdout.contains("nothing is saved"), "{status:?}");
    let daemon = Setup::at(daemon.ended_by(Signal::SIGKILL)).start();
    assert_eq!(daemon.pane(&pane)["pane_id"], "w1:p1");
}

/// Sets how large the files of a process may grow: beyond that the kernel refuses to write, as a full disk does.
fn limit_files(pid: i32, limit: &str) {
    let limited = Command::new("prlimit")
        .args(["--pid", &pid.to_string(), &format!("--fsize={limit}:")])
        .status()
        .expect("util-linux's prlimit");
    assert!(limited.success());
}

#[test]
fn a_disk_that_takes_nothing_more_is_said_once_and_what_changed_is_saved_when_it_does_again() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let worker = daemon.home.half(Half::Worker);
    limit_files(worker, "1");
    for number in 0..50 {
        let label = format!("label {number}");
        daemon.result("pane.rename", json!({ "pane_id": pane, "label": label }));
    }
    assert_eq!(daemon.pane(&pane)["label"], "label 49", "it serves on");
    assert_eq!(daemon.home.half(Half::Worker), worker, "the same process");
    let log = daemon.log();
    assert_eq!(log.matches("nothing is saved").count(), 1, "{log}");
    let status = daemon.herdr(&["status"]);
    assert!(status.stdout.contains("nothing is saved"), "{status:?}");
    let doctor = daemon.home.drover(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(doctor.stdout.contains("nothing is saved"), "{doctor:?}");
    limit_files(worker, "unlimited");
    // Nobody has to ask for it.
    until_true("a save", || daemon.log().contains("saving again"));
    let status = daemon.herdr(&["status"]);
    assert!(!status.stdout.contains("nothing is saved"), "{status:?}");
    let daemon = Setup::at(daemon.ended_by(Signal::SIGKILL)).start();
    assert_eq!(daemon.pane(&pane)["label"], "label 49");
}

#[test]
fn a_hand_over_is_refused_while_the_disk_takes_nothing_and_loses_nothing_when_it_does_again() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let worker = daemon.home.half(Half::Worker);
    let rename = |label: &str| {
        daemon.result("pane.rename", json!({ "pane_id": pane, "label": label }));
    };
    rename("saved");
    limit_files(worker, "1");
    rename("in memory");
    for _ in 0..2 {
        let (code, message) = daemon.refusal("server.live_handoff", json!({}));
        assert_eq!(code, "handoff_failed");
        for says in [
            "only in memory",
            &database(&daemon.home).display().to_string(),
            "try again",
        ] {
            assert!(message.contains(says), "{says}: {message}");
        }
    }
    assert_eq!(daemon.home.half(Half::Worker), worker, "the same process");
    assert_eq!(daemon.pane(&pane)["label"], "in memory");
    rename("the last");
    limit_files(worker, "unlimited");
    // Nobody has to wait for the store's own next try.
    daemon.result("server.live_handoff", json!({}));
    assert_ne!(daemon.home.half(Half::Worker), worker, "another process");
    assert_eq!(daemon.pane(&pane)["label"], "the last");
}

#[test]
fn a_state_directory_that_was_taken_away_is_made_again() {
    let daemon = Daemon::start();
    let first = daemon.workspace();
    std::fs::remove_dir_all(daemon.home.path("state/drover")).expect("a directory");
    let second = daemon.split(&first);
    let daemon = Setup::at(daemon.ended_by(Signal::SIGKILL)).start();
    for pane in [first, second] {
        assert_eq!(daemon.pane(&pane)["pane_id"], pane.as_str());
    }
}
