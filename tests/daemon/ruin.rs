//! Ugly moments: what a worker finds when its database is gone, damaged or out of reach; output that kills whoever parses
//! it; kills of both halves, and in the midst of an upgrade. Panes that can live on do, and can be reached.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::common::{Connection, Daemon, Half, Setup, executable, until, until_true};
use super::kills::{any, kills};

fn shell_pid(daemon: &Daemon, pane: &str) -> i32 {
    let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
    let pid = info["process_info"]["shell_pid"].as_i64();
    pid.and_then(|pid| pid.try_into().ok())
        .expect("a process number")
}

fn is_alive(pid: i32) -> bool {
    drover::sys::process_facts(pid).is_some_and(|facts| !facts.zombie)
}

fn database(daemon: &Daemon) -> PathBuf {
    daemon.home.path("state/drover/drover.db")
}

/// Kills the worker, and does something to the files while nobody writes them.
fn kill_worker_over(daemon: &mut Daemon, ruin: impl FnOnce(&Daemon)) {
    let worker = daemon.home.half(Half::Worker);
    kill(Pid::from_raw(worker), Signal::SIGSTOP).expect("a stopped worker");
    ruin(daemon);
    daemon.kill_process(worker);
}

#[test]
fn panes_are_not_lost_with_the_database() {
    let gone = |daemon: &Daemon| {
        std::fs::remove_dir_all(daemon.home.path("state/drover")).expect("a directory");
    };
    let damaged = |daemon: &Daemon| {
        std::fs::write(database(daemon), "x".repeat(8192)).expect("a file");
    };
    for ruin in [&gone as &dyn Fn(&Daemon), &damaged] {
        let mut daemon = Daemon::start();
        let first = daemon.workspace();
        let panes = [
            daemon.split(&first),
            daemon.tab(),
            daemon.workspace(),
            first,
        ];
        let before: Vec<i32> = panes.iter().map(|pane| shell_pid(&daemon, pane)).collect();
        daemon.enter(&panes[0], "echo 'st''ill'");
        daemon.wait_for_line(&panes[0], "still$");
        kill_worker_over(&mut daemon, ruin);
        let after: Vec<i32> = panes.iter().map(|pane| shell_pid(&daemon, pane)).collect();
        assert_eq!(after, before, "each under its id");
        assert!(daemon.text(&panes[0]).contains("still"));
        let tabs = daemon.result("tab.list", json!({ "workspace_id": "w1" }));
        assert_eq!(tabs["tabs"].as_array().map(Vec::len), Some(2));
        assert_eq!(daemon.workspace(), "w3:p1");
        // From now on it is saved again.
        daemon.result(
            "pane.rename",
            json!({ "pane_id": panes[1], "label": "new" }),
        );
        daemon.kill(Half::Worker);
        assert_eq!(daemon.pane(&panes[1])["label"], "new");
    }
}

#[test]
fn panes_that_a_disk_kept_from_being_saved_live_on() {
    let mut daemon = Daemon::start();
    let first = daemon.workspace();
    daemon.result("pane.rename", json!({ "pane_id": first, "label": "kept" }));
    // As good as a full disk: another file is in the place, so the worker writes nothing.
    let worker = daemon.home.half(Half::Worker);
    kill(Pid::from_raw(worker), Signal::SIGSTOP).expect("a stopped worker");
    let copy = daemon.home.path("state").join("copy");
    std::fs::copy(database(&daemon), &copy).expect("a copy");
    std::fs::rename(&copy, database(&daemon)).expect("a file");
    kill(Pid::from_raw(worker), Signal::SIGCONT).expect("a worker that goes on");
    let closed = daemon.split(&first);
    let panes = [
        daemon.split(&first),
        daemon.tab(),
        daemon.workspace(),
        first.clone(),
    ];
    daemon.result("pane.close", json!({ "pane_id": closed }));
    let before: Vec<i32> = panes.iter().map(|pane| shell_pid(&daemon, pane)).collect();
    assert!(
        daemon
            .herdr(&["status"])
            .stdout
            .contains("nothing is saved")
    );
    daemon.kill(Half::Worker);
    let after: Vec<i32> = panes.iter().map(|pane| shell_pid(&daemon, pane)).collect();
    assert_eq!(after, before);
    assert_eq!(daemon.pane(&first)["label"], "kept");
    assert_eq!(daemon.workspace(), "w3:p1", "no id comes twice");
}

#[test]
fn a_database_that_was_damaged_under_a_worker_is_kept_aside() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    kill_worker_over(&mut daemon, |daemon| {
        std::fs::write(database(daemon), "something else").expect("a file");
    });
    daemon.pane(&pane);
    let folder = std::fs::read_dir(daemon.home.path("state/drover")).expect("a directory");
    let aside = folder
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.display().to_string().contains("drover.db.aside-"))
        .find(|path| !path.display().to_string().ends_with("-wal"))
        .expect("a file");
    assert_eq!(std::fs::read(aside).expect("a file"), b"something else");
    assert!(daemon.log().contains("kept aside"), "{}", daemon.log());
}

#[test]
fn a_database_that_cannot_be_read_for_a_while_is_waited_for_and_panes_live_on() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.result("pane.rename", json!({ "pane_id": pane, "label": "kept" }));
    let process = shell_pid(&daemon, &pane);
    let elsewhere = daemon.home.path("tmp").join("elsewhere");
    kill_worker_over(&mut daemon, |daemon| {
        std::fs::rename(database(daemon), &elsewhere).expect("a file");
        // Nobody can read this, whatever rights they have; and it is replaced in one step.
        symlink(daemon.home.path("tmp"), database(daemon)).expect("a link");
    });
    until_true("a worker that cannot serve", || {
        daemon.log().contains("the saved session cannot be read")
    });
    assert!(is_alive(process));
    std::fs::rename(&elsewhere, database(&daemon)).expect("a file");
    assert_eq!(daemon.pane(&pane)["label"], "kept");
    assert_eq!(shell_pid(&daemon, &pane), process);
}

/// Words at the beginning of a pane's shared memory: what it is, its layout, and how many rebuilds of the screen have
/// begun at which checkpoint without coming to an end (`pane::area`, version 1).
const MAGIC: u64 = u64::from_le_bytes(*b"drovarea");
const VERSION: u64 = 1;
const CHECKPOINTS: [u64; 2] = [128, 192];
const REBUILD_POSITION: u64 = 72;
const REBUILDS: u64 = 80;

/// The shared memory of the panes that a keeper holds.
fn areas(keeper: i32) -> Vec<File> {
    let folder = std::fs::read_dir(format!("/proc/{keeper}/fd")).expect("descriptors");
    folder
        .flatten()
        .filter(|entry| {
            let target = std::fs::read_link(entry.path()).unwrap_or_default();
            target.to_string_lossy().starts_with("/memfd:")
        })
        .map(|entry| {
            OpenOptions::new()
                .read(true)
                .write(true)
                .open(entry.path())
                .expect("shared memory")
        })
        .collect()
}

fn word(area: &File, offset: u64) -> u64 {
    let mut bytes = [0; 8];
    area.read_exact_at(&mut bytes, offset).expect("a word");
    u64::from_le_bytes(bytes)
}

#[test]
fn a_pane_whose_output_kills_workers_is_set_aside_and_the_others_keep_their_screens() {
    let mut daemon = Daemon::start();
    let deadly = daemon.workspace();
    let keeper = daemon.home.half(Half::Keeper);
    let [area] = <[File; 1]>::try_from(areas(keeper)).expect("one area");
    assert_eq!((word(&area, 0), word(&area, 8)), (MAGIC, VERSION));
    let other = daemon.split(&deadly);
    // Behind the checkpoint of the new size.
    daemon.enter(&deadly, "stty -echo; echo 'dead''ly'");
    daemon.wait_for_line(&deadly, "deadly$");
    daemon.enter(&other, "echo 'harm''less'");
    daemon.wait_for_line(&other, "harmless$");
    // As two workers leave it that died over it.
    kill_worker_over(&mut daemon, |_| {
        let newest = CHECKPOINTS
            .into_iter()
            .max_by_key(|slot| word(&area, *slot))
            .expect("a checkpoint");
        let position = word(&area, newest + 8);
        let write = |offset, word: u64| area.write_all_at(&word.to_le_bytes(), offset);
        write(REBUILD_POSITION, position).expect("a word");
        write(REBUILDS, 2).expect("a word");
    });
    daemon.wait_for_line(&deadly, "output that made it fail was dropped");
    let text = daemon.text(&deadly);
    assert!(!text.contains("deadly"), "{text}");
    assert!(daemon.text(&other).contains("harmless"));
    assert!(daemon.log().contains("its output was deadly"));
    // It is a pane like any other from then on.
    daemon.enter(&deadly, "echo 'a''live'");
    daemon.wait_for_line(&deadly, "alive$");
    daemon.kill(Half::Worker);
    assert!(daemon.text(&deadly).contains("alive"));
}

/// What has become of a daemon.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    LivesOn,
    Dead,
}

fn fate(daemon: &Daemon) -> Fate {
    until("an answer or the end", || {
        if daemon.home.halves().is_empty() {
            return Some(Fate::Dead);
        }
        let stream = std::os::unix::net::UnixStream::connect(daemon.home.socket());
        drop(stream.ok()?);
        let mut connection = Connection::open(&daemon.home.socket());
        connection.request("1", "ping", json!({}));
        connection.line().map(|_| Fate::LivesOn)
    })
}

#[test]
fn both_halves_killed_within_milliseconds_leave_the_panes_or_the_session() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.result("pane.rename", json!({ "pane_id": pane, "label": "kept" }));
    for round in 0..kills() / 2 {
        let process = shell_pid(&daemon, &pane);
        let mut halves = [Half::Worker, Half::Keeper];
        if any(2) == 0 {
            halves.reverse();
        }
        for half in halves {
            let victims = daemon.home.halves();
            for (_, pid) in victims.into_iter().filter(|(found, _)| *found == half) {
                daemon.kill_process(pid);
            }
            thread::sleep(Duration::from_millis(any(40)));
        }
        if fate(&daemon) == Fate::Dead {
            let home = daemon.home.clone();
            drop(daemon);
            until_true("the end of the pane", || !is_alive(process));
            daemon = Setup::at(home).start();
        } else {
            assert_eq!(shell_pid(&daemon, &pane), process, "round {round}");
        }
        assert_eq!(daemon.pane(&pane)["label"], "kept", "round {round}");
        daemon.home.half(Half::Keeper);
        daemon.home.half(Half::Worker);
    }
}

#[test]
fn an_upgrade_that_is_hit_at_any_moment_leaves_one_daemon_with_all_panes() {
    let mut daemon = Daemon::start();
    let other = daemon.home.path("bin").join("other");
    std::fs::hard_link(executable(), &other)
        .or_else(|_| std::fs::copy(executable(), &other).map(drop))
        .expect("a copy");
    let pane = daemon.workspace();
    daemon.result("pane.rename", json!({ "pane_id": pane, "label": "kept" }));
    let process = shell_pid(&daemon, &pane);
    for round in 0..kills() {
        let home = daemon.home.clone();
        let executable = [home.path("drover"), other.clone()][round % 2].clone();
        let upgrading =
            thread::spawn(move || home.drover(&["upgrade", &executable.display().to_string()]));
        thread::sleep(Duration::from_millis(any(120)));
        let halves = daemon.home.halves();
        let (_, victim) = halves[any(halves.len() as u64) as usize];
        let _ = kill(Pid::from_raw(victim), Signal::SIGKILL);
        daemon.was_killed(victim);
        // It may have come to its end before, or be told what has happened.
        upgrading.join().expect("an upgrade that ends");
        assert_eq!(
            fate(&daemon),
            Fate::LivesOn,
            "round {round}: {}",
            daemon.log()
        );
        assert_eq!(shell_pid(&daemon, &pane), process, "round {round}");
        assert_eq!(daemon.pane(&pane)["label"], "kept");
        until("one daemon", || {
            let halves = daemon.home.halves();
            let count = |wanted| halves.iter().filter(|(half, _)| *half == wanted).count();
            (count(Half::Keeper) == 1 && count(Half::Worker) == 1).then_some(())
        });
    }
    let typed = format!("round {}", any(1000));
    daemon.enter(&pane, &format!("echo '{}'", typed.replace(' ', "' '")));
    daemon.wait_for_line(&pane, &format!("{typed}$"));
}

#[test]
fn a_worker_killed_while_the_keeper_executes_the_other_build_takes_no_pane_along() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.result("pane.rename", json!({ "pane_id": pane, "label": "kept" }));
    let process = shell_pid(&daemon, &pane);
    let keeper = daemon.home.half(Half::Keeper);
    for round in 1..=kills() {
        let home = daemon.home.clone();
        let executable = home.path("drover").display().to_string();
        let upgrading = thread::spawn(move || home.drover(&["upgrade", &executable]));
        // What the keeper says right before it executes the other build.
        until_true("the last step", || {
            daemon.log().matches("upgraded to").count() == round
        });
        thread::sleep(Duration::from_micros(any(40_000)));
        for (half, pid) in daemon.home.halves() {
            if half == Half::Worker {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
                until_true("its end", || !is_alive(pid));
            }
        }
        upgrading.join().expect("an upgrade that ends");
        assert_eq!(fate(&daemon), Fate::LivesOn, "round {round}");
        assert_eq!(shell_pid(&daemon, &pane), process, "round {round}");
        assert_eq!(daemon.pane(&pane)["label"], "kept");
        assert_eq!(daemon.home.half(Half::Keeper), keeper, "the same process");
    }
    // Nothing is left behind: each dead worker was collected.
    until_true("no zombies", || {
        let children = drover::sys::child_processes(keeper);
        let zombie = |pid: i32| drover::sys::process_facts(pid).is_some_and(|facts| facts.zombie);
        !children.into_iter().any(zombie)
    });
    // The pane's process is still its child: how it ended is known.
    let mut stream = daemon.subscribe(json!([{ "type": "pane.exited" }]));
    daemon.enter(&pane, "exit 7");
    assert_eq!(stream.next()["data"]["pane_id"], pane.as_str());
}

#[test]
fn what_is_no_drover_cannot_take_over_however_it_behaves() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let process = shell_pid(&daemon, &pane);
    let worker = daemon.home.half(Half::Worker);
    let not_executable = daemon.home.path("tmp").join("text");
    std::fs::write(&not_executable, "text").expect("a file");
    let scripts = [
        // It ends, is killed, says nothing a keeper understands, or something that it must not.
        "exit 0",
        "kill -9 $$",
        "printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&0",
        "printf '\\377\\377\\377\\377' >&0; cat",
        "printf '\\11\\0\\0\\0\"Stopped\"' >&0",
    ];
    let mut candidates: Vec<PathBuf> = scripts
        .iter()
        .enumerate()
        .map(|(number, script)| {
            let name = format!("other{number}");
            daemon.home.script(&name, &format!("#!/bin/sh\n{script}\n"));
            daemon.home.path("bin").join(name)
        })
        .collect();
    candidates.push(not_executable);
    candidates.push(daemon.home.path("tmp"));
    candidates.push(Path::new("/dev/null").to_owned());
    for candidate in candidates {
        let params = json!({ "import_exe": candidate });
        let (code, message) = daemon.refusal("server.live_handoff", params);
        assert_eq!(code, "handoff_failed", "{message}");
        assert!(
            message.contains(&candidate.display().to_string()),
            "{message}"
        );
        assert_eq!(shell_pid(&daemon, &pane), process);
    }
    assert_eq!(
        daemon.home.half(Half::Worker),
        worker,
        "the same worker goes on"
    );
}
