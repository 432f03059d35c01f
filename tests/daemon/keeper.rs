//! The daemon's two processes: what is left when one of them dies.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::common::{Daemon, Half, Setup, executable, until_true};

/// The longest that anybody may wait for an answer while a half is replaced.
const GAP: Duration = Duration::from_millis(1500);

fn shell_pid(daemon: &Daemon, pane: &str) -> i32 {
    let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
    let pid = info["process_info"]["shell_pid"].as_i64();
    pid.and_then(|pid| pid.try_into().ok())
        .expect("a process number")
}

fn is_alive(pid: i32) -> bool {
    drover::sys::process_facts(pid).is_some_and(|facts| !facts.zombie)
}

/// Asserts that a ping is answered in time, however it is just now.
#[track_caller]
fn answers_in_time(daemon: &Daemon) {
    let asked = Instant::now();
    assert_eq!(daemon.result("ping", json!({}))["type"], "pong");
    assert!(
        asked.elapsed() < GAP,
        "answered after {:?}",
        asked.elapsed()
    );
}

#[test]
fn a_worker_that_is_killed_is_replaced_and_who_connects_meanwhile_is_answered() {
    let mut daemon = Daemon::start();
    let before = daemon.home.half(Half::Worker);
    daemon.kill(Half::Worker);
    answers_in_time(&daemon);
    let after = daemon.home.half(Half::Worker);
    assert_ne!(before, after);
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.wait(), 0);
    assert_eq!(daemon.home.halves(), [], "no half is left");
}

#[test]
fn a_keeper_that_is_killed_is_replaced_and_nothing_is_missing() {
    let mut daemon = Daemon::start();
    let first = daemon.busy(daemon.workspace());
    let shell = shell_pid(&daemon, &first);
    let before = daemon.home.half(Half::Keeper);
    daemon.kill(Half::Keeper);
    answers_in_time(&daemon);
    assert!(is_alive(shell));
    let second = daemon.split(&first);
    daemon.enter(&second, "echo 'al''ive'");
    daemon.wait_for_line(&second, "alive$");
    let after = daemon.home.half(Half::Keeper);
    assert_ne!(before, after);
    let lock = daemon.home.path("run/drover/drover.lock");
    let holder = std::fs::read_to_string(lock).expect("a file");
    assert_eq!(holder, format!("{after}\n"));
    let second_daemon = daemon.home.drover(&["serve"]);
    assert!(
        second_daemon.stderr.contains("already running"),
        "the lock is still held: {second_daemon:?}"
    );
    // The shell is nobody's child any more; its end is noticed all the same.
    let mut stream = daemon.subscribe(json!([{ "type": "pane.exited" }]));
    kill(Pid::from_raw(shell), Signal::SIGKILL).expect("a killed process");
    assert_eq!(stream.next()["data"]["pane_id"], first.as_str());
    let down = daemon.home.drover(&["down"]);
    assert_eq!(down.code, Some(0), "{down:?}");
    assert!(!daemon.home.socket().exists());
    until_true("the end of both", || daemon.home.halves().is_empty());
}

#[test]
fn a_new_keeper_takes_the_signals_of_the_one_before() {
    let mut daemon = Setup::new().word("--at-herdr").start();
    let pane = daemon.workspace();
    let shell = shell_pid(&daemon, &pane);
    daemon.kill(Half::Keeper);
    daemon.home.configure("server.headless_cols = 100\n");
    until_true("the new width", || {
        // It may not have set up its handler yet; then this would end it, and another would follow.
        let keeper = Pid::from_raw(daemon.home.half(Half::Keeper));
        kill(keeper, Signal::SIGHUP).expect("a signalled keeper");
        daemon.result("pane.layout", json!({}))["layout"]["area"]["width"] == 100
    });
    let keeper = Pid::from_raw(daemon.home.half(Half::Keeper));
    kill(keeper, Signal::SIGTERM).expect("a signalled keeper");
    until_true("the end of both", || daemon.home.halves().is_empty());
    until_true("the end of the shell", || !is_alive(shell));
    assert!(!daemon.home.socket().exists());
    assert!(UnixStream::connect(daemon.home.path("config").join("herdr/herdr.sock")).is_err());
}

#[test]
fn a_worker_may_be_asked_to_stop_as_well() {
    let mut daemon = Daemon::start();
    daemon.workspace();
    let worker = Pid::from_raw(daemon.home.half(Half::Worker));
    kill(worker, Signal::SIGTERM).expect("a signalled worker");
    assert_eq!(daemon.wait(), 0);
    assert!(!daemon.home.socket().exists());
}

#[test]
fn a_signal_of_the_terminal_to_both_stops_in_order() {
    let mut daemon = Daemon::start();
    daemon.workspace();
    for half in [Half::Worker, Half::Keeper] {
        let pid = Pid::from_raw(daemon.home.half(half));
        kill(pid, Signal::SIGINT).expect("a signalled half");
    }
    assert_eq!(daemon.wait(), 0);
}

#[test]
fn neither_half_wakes_while_nothing_happens() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    daemon.rests_for(Duration::from_secs(1));
    assert!(is_alive(shell_pid(&daemon, &pane)));
}

#[test]
fn a_socket_that_somebody_removed_is_made_again() {
    let daemon = Daemon::start();
    let mut stream = daemon.subscribe(json!([{ "type": "workspace.created" }]));
    for name in [
        "drover.sock.herdr",
        "drover.sock",
        "drover.lock",
        "bin/herdr",
    ] {
        let path = daemon.home.path("run/drover").join(name);
        std::fs::remove_file(&path).expect("a file");
        until_true("the file again", || {
            std::fs::symlink_metadata(&path).is_ok()
        });
    }
    daemon.workspace();
    assert_eq!(
        stream.next()["event"],
        "workspace_created",
        "the same daemon"
    );
    let second = daemon.home.drover(&["serve"]);
    assert!(second.stderr.contains("already running"), "{second:?}");
}

#[test]
fn folders_that_somebody_removed_are_made_again_and_a_new_keeper_and_worker_find_all_in_place() {
    let mut daemon = Daemon::start();
    let run = daemon.home.path("run/drover");
    for _ in 0..3 {
        // In one step: a folder that is emptied file by file is filled again meanwhile.
        let gone = daemon.home.path("tmp").join("gone");
        std::fs::rename(&run, &gone).expect("a folder");
        std::fs::remove_dir_all(&gone).expect("a folder");
        until_true("an answering socket", || {
            UnixStream::connect(daemon.home.socket()).is_ok()
        });
        until_true("the link", || run.join("bin/herdr").exists());
        daemon.workspace();
    }
    assert_eq!(
        std::fs::metadata(&run)
            .expect("a folder")
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    for half in [Half::Keeper, Half::Worker] {
        daemon.kill(half);
        answers_in_time(&daemon);
    }
    let down = daemon.home.drover(&["down"]);
    assert_eq!(down.code, Some(0), "{down:?}");
    assert!(!daemon.home.socket().exists());
    assert!(!run.join("drover.lock").exists());
}

/// Another build of drover, or what says that it is one.
fn other_build(daemon: &Daemon, script: Option<&str>) -> String {
    let path = daemon.home.path("bin").join("other");
    let _ = std::fs::remove_file(&path);
    match script {
        Some(script) => daemon.home.script("other", script),
        None => std::fs::hard_link(executable(), &path)
            .or_else(|_| std::fs::copy(executable(), &path).map(drop))
            .expect("a copy"),
    }
    path.display().to_string()
}

#[test]
fn an_upgrade_replaces_both_halves_and_keeps_the_process_number() {
    let mut daemon = Daemon::start();
    let keeper = daemon.home.half(Half::Keeper);
    let worker = daemon.home.half(Half::Worker);
    let mut stream = daemon.subscribe(json!([]));
    let other = other_build(&daemon, None);
    let end = daemon.home.drover(&["upgrade", &other]);
    assert_eq!(end.code, Some(0), "{end:?}");
    stream.ended();
    let executable = |pid: i32| std::fs::read_link(format!("/proc/{pid}/exe"));
    until_true("the keeper of the other build", || {
        executable(keeper).is_ok_and(|path| path == Path::new(&other))
    });
    let after = daemon.home.half(Half::Worker);
    assert_ne!(worker, after);
    assert_eq!(executable(after).expect("a link"), Path::new(&other));
    answers_in_time(&daemon);
    daemon.workspace();
    // Both halves still stand in for each other.
    daemon.kill(Half::Worker);
    answers_in_time(&daemon);
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.wait(), 0);
    assert_eq!(daemon.home.halves(), []);
    assert!(!daemon.home.socket().exists());
}

#[test]
fn what_cannot_take_over_is_refused_and_nothing_has_changed() {
    let daemon = Daemon::start();
    let worker = daemon.home.half(Half::Worker);
    daemon.workspace();
    let mut stream = daemon.subscribe(json!([{ "type": "workspace.renamed" }]));
    let refused = |params: serde_json::Value, says: &str| {
        let (code, message) = daemon.refusal("server.live_handoff", params);
        assert_eq!(code, "handoff_failed");
        assert!(message.contains(says), "{message}");
    };
    refused(
        json!({ "import_exe": "/no/such/drover" }),
        "failed to spawn handoff import server at /no/such/drover: ",
    );
    refused(json!({ "import_exe": "drover" }), "whole path");
    let other = other_build(&daemon, Some("#!/bin/sh\nexit 3\n"));
    refused(
        json!({ "import_exe": other }),
        "ended before it said what it is",
    );
    let other = other_build(&daemon, None);
    refused(
        json!({ "import_exe": other, "expected_protocol": 1 }),
        "has protocol 22, expected was 1",
    );
    refused(
        json!({ "import_exe": other, "expected_version": "0.1" }),
        "has version 0.9.3+drover, expected was 0.1",
    );
    assert_eq!(
        daemon.home.half(Half::Worker),
        worker,
        "the same worker goes on"
    );
    stream.so_far(&daemon);
}

#[test]
fn an_upgrade_that_fails_after_its_start_is_rolled_back() {
    let daemon = Daemon::start();
    let real = daemon.home.path("drover").display().to_string();
    // It says what it is, and has no descriptors for what it is given.
    let script =
        format!("#!/bin/sh\ncase \"$*\" in *--worker*) ulimit -n 7;; esac\nexec {real} \"$@\"\n");
    let other = other_build(&daemon, Some(&script));
    let (code, message) = daemon.refusal("server.live_handoff", json!({ "import_exe": other }));
    assert_eq!(code, "handoff_failed");
    assert!(message.contains("serves again"), "{message}");
    answers_in_time(&daemon);
    let worker = daemon.home.half(Half::Worker);
    let built = executable();
    let executable = std::fs::read_link(format!("/proc/{worker}/exe"));
    assert_eq!(
        executable.expect("a link"),
        built,
        "the build before serves"
    );
}

#[test]
fn a_build_whose_keeper_does_not_start_is_refused_before_anything_is_let_go_of() {
    let daemon = Daemon::start();
    let worker = daemon.home.half(Half::Worker);
    daemon.workspace();
    let mut stream = daemon.subscribe(json!([{ "type": "workspace.renamed" }]));
    let real = daemon.home.path("drover").display().to_string();
    let script =
        format!("#!/bin/sh\ncase \"$*\" in *--keeper*) exit 3;; esac\nexec {real} \"$@\"\n");
    let other = other_build(&daemon, Some(&script));
    let (code, message) = daemon.refusal("server.live_handoff", json!({ "import_exe": other }));
    assert_eq!(code, "handoff_failed");
    assert!(
        message.contains("ended before it said what it is"),
        "{message}"
    );
    assert_eq!(
        daemon.home.half(Half::Worker),
        worker,
        "the same worker goes on"
    );
    stream.so_far(&daemon);
}

#[test]
fn a_keeper_that_ends_in_its_first_step_after_an_upgrade_takes_no_pane_along() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    let shell = shell_pid(&daemon, &pane);
    let keeper = daemon.home.half(Half::Keeper);
    let real = daemon.home.path("drover").display().to_string();
    let tried = daemon.home.path("tmp").join("tried").display().to_string();
    // It starts when it is tried, and not when it counts.
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--keeper*) [ -e {tried} ] && exit 3; : >{tried};; esac\n\
         exec {real} \"$@\"\n"
    );
    let other = other_build(&daemon, Some(&script));
    let end = daemon.home.drover(&["upgrade", &other]);
    assert_eq!(end.code, Some(0), "{end:?}");
    assert_eq!(daemon.wait(), 3, "the keeper's own end");
    answers_in_time(&daemon);
    assert_ne!(daemon.home.half(Half::Keeper), keeper);
    assert_eq!(shell_pid(&daemon, &pane), shell);
    daemon.enter(&pane, "echo 'al''ive'");
    daemon.wait_for_line(&pane, "alive$");
}
