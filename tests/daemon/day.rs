//! A day of use in little time: connections, panes and reports without an end, and in the end nothing of it is left but
//! what is meant to be kept.
//!
//! `DROVER_DAY` says how many thousandths of a day: a thousand of them are 100,000 connections, 5,000 panes and
//! 1,000,000 reports. By default few enough for every run of the tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::common::{Daemon, Half, PATIENCE, Setup, until, until_true};

/// Thousandths of a day that are used by default: a few seconds of an unoptimized build.
const BY_DEFAULT: u64 = 2;

/// What a thousandth of a day is.
const CONNECTIONS: u64 = 100;
const PANES: u64 = 5;
const REPORTS: u64 = 1_000;

/// Clients at work at the same time.
const CLIENTS: u64 = 4;

/// Panes that are there all day, with an agent each.
const AGENTS: usize = 8;

/// Memory that may be left over from a day, in KiB: the allocator keeps some of what was freed.
const MEMORY_LEFT: u64 = 8 * 1024;

/// What the database may have grown by, in bytes: the history of the agents' states up to its bound of a hundred
/// thousand entries, and the log that is carried over when it has four mebibytes.
const DATABASE_GROWTH: u64 = 24 * 1024 * 1024;

fn thousandths() -> u64 {
    let wanted = std::env::var("DROVER_DAY").ok();
    wanted
        .and_then(|number| number.parse().ok())
        .unwrap_or(BY_DEFAULT)
}

/// One request, and the answer's result.
fn ask(socket: &Path, method: &str, params: &Value) -> Value {
    let mut stream = UnixStream::connect(socket).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let request = json!({ "id": "d", "method": method, "params": params });
    stream
        .write_all(format!("{request}\n").as_bytes())
        .expect("a request that is taken");
    let mut line = String::new();
    BufReader::new(stream)
        .read_line(&mut line)
        .expect("an answer");
    let answer: Value = serde_json::from_str(&line).expect("JSON");
    assert!(answer["error"].is_null(), "{method} {params}: {answer}");
    answer["result"].clone()
}

/// A connection as clients make them, good ones and bad ones.
fn connect(socket: &Path, number: u64, pane: &str) {
    match number % 8 {
        0 => {
            ask(socket, "ping", &json!({}));
        }
        1 => {
            ask(socket, "session.snapshot", &json!({}));
        }
        2 => {
            let read = json!({ "pane_id": pane, "source": "recent", "lines": 100 });
            ask(socket, "pane.read", &read);
        }
        // Somebody who connects and goes.
        3 => drop(UnixStream::connect(socket).expect("a connection")),
        // Who goes in the midst of a request.
        4 => {
            let mut stream = UnixStream::connect(socket).expect("a connection");
            let _ = stream.write_all(b"{\"id\":\"half\",\"meth");
        }
        // Who says what is none.
        5 => {
            let mut stream = UnixStream::connect(socket).expect("a connection");
            let _ = stream.write_all(b"nonsense\n");
            let _ = stream.read_to_end(&mut Vec::new());
        }
        // A stream that is left at once.
        6 => {
            let mut stream = UnixStream::connect(socket).expect("a connection");
            let subscribe = json!({ "id": "s", "method": "events.subscribe", "params": {
                "subscriptions": [{ "type": "pane.created" }, { "type": "pane.updated" }],
            } });
            let _ = stream.write_all(format!("{subscribe}\n").as_bytes());
            let _ = stream.read(&mut [0; 16]);
        }
        // A wait that its client gives up.
        _ => {
            let mut stream = UnixStream::connect(socket).expect("a connection");
            let wait = json!({ "id": "w", "method": "pane.wait_for_output", "params": {
                "pane_id": pane, "source": "recent", "lines": 10, "timeout_ms": 60_000,
                "match": { "type": "substring", "value": "what never comes" },
            } });
            let _ = stream.write_all(format!("{wait}\n").as_bytes());
        }
    }
}

/// A pane comes, works, and goes, in one of several ways.
fn open_and_close(socket: &Path, number: u64) {
    let tab = ask(socket, "tab.create", &json!({ "workspace_id": "w1" }));
    let id = |value: &Value| value.as_str().expect("an id").to_owned();
    let (tab, pane) = (id(&tab["tab"]["tab_id"]), id(&tab["root_pane"]["pane_id"]));
    let enter = |text: &str| {
        let params = json!({ "pane_id": pane, "text": text, "keys": ["enter"] });
        ask(socket, "pane.send_input", &params);
    };
    match number % 3 {
        // Its shell ends.
        0 => {
            enter("exit");
            until_true("the end of a pane", || {
                let tabs = ask(socket, "tab.list", &json!({}));
                let tabs = tabs["tabs"].as_array().expect("tabs").clone();
                tabs.iter().all(|found| found["tab_id"] != tab.as_str())
            });
        }
        1 => {
            enter("seq 1 2000");
            let report = json!({
                "pane_id": pane, "source": "day", "agent": "day", "state": "working", "seq": 1,
            });
            ask(socket, "pane.report_agent", &report);
            ask(socket, "pane.close", &json!({ "pane_id": pane }));
        }
        _ => {
            enter("cat");
            ask(socket, "tab.close", &json!({ "tab_id": tab }));
        }
    }
}

/// A report of one of the day's agents. Each has its own numbers, which grow.
fn report(socket: &Path, number: u64, agents: &[String]) {
    let (agent, seq) = (
        number as usize % agents.len(),
        number / agents.len() as u64 + 1,
    );
    let state = ["working", "blocked", "idle"][seq as usize % 3];
    let params = json!({
        "pane_id": agents[agent], "source": "day", "agent": "day", "state": state,
        "message": format!("step {seq}"), "seq": seq,
    });
    ask(socket, "pane.report_agent", &params);
}

/// Threads of connections that stay when they are over, which may not have been needed at the start.
const CONNECTION_THREADS: usize = 2;

/// What a daemon takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Usage {
    /// Of both processes, in KiB.
    memory: u64,
    descriptors: usize,
    threads: usize,
    /// Bytes on the disk.
    database: u64,
}

impl Usage {
    fn of(daemon: &Daemon) -> Usage {
        let halves = [Half::Keeper, Half::Worker].map(|half| daemon.home.half(half));
        let count = |what: &str| -> usize {
            halves
                .iter()
                .map(|pid| format!("/proc/{pid}/{what}"))
                .map(|path| std::fs::read_dir(path).map_or(0, Iterator::count))
                .sum()
        };
        let database = daemon.home.path("state/drover/drover.db");
        let size = |suffix: &str| {
            let path = PathBuf::from(format!("{}{suffix}", database.display()));
            std::fs::metadata(path).map_or(0, |file| file.len())
        };
        Usage {
            memory: halves.iter().map(|pid| proportional_memory(*pid)).sum(),
            descriptors: count("fd"),
            threads: count("task"),
            database: size("") + size("-wal"),
        }
    }

    /// Whether this is no more than is meant to be left of a day that began with `start`.
    fn is_back_at(&self, start: &Usage) -> bool {
        self.memory <= start.memory + MEMORY_LEFT
            && self.descriptors <= start.descriptors
            && self.threads <= start.threads + CONNECTION_THREADS
            && self.database <= start.database + DATABASE_GROWTH
    }
}

/// What a process takes of the machine's memory, in KiB, shared pages by their share.
fn proportional_memory(pid: i32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.expect("what the process takes")
}

/// Numbers that clients take turns at.
#[derive(Default)]
struct Turns {
    connections: AtomicU64,
    panes: AtomicU64,
    reports: AtomicU64,
}

impl Turns {
    /// Uses the daemon for some thousandths of a day more.
    fn use_for(&self, thousandths: u64, socket: &Path, agents: &[String]) {
        let end =
            |counter: &AtomicU64, each: u64| counter.load(Ordering::Relaxed) + thousandths * each;
        let connections = end(&self.connections, CONNECTIONS);
        let panes = end(&self.panes, PANES);
        let reports = end(&self.reports, REPORTS);
        let take = |counter: &AtomicU64, end: u64| {
            let taken = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |number| {
                (number < end).then_some(number + 1)
            });
            taken.ok()
        };
        thread::scope(|scope| {
            for _ in 0..CLIENTS / 2 {
                scope.spawn(|| {
                    while let Some(number) = take(&self.panes, panes) {
                        open_and_close(socket, number);
                    }
                });
                scope.spawn(|| {
                    while let Some(number) = take(&self.connections, connections) {
                        connect(socket, number, &agents[0]);
                    }
                });
            }
            // Of one agent in order: a number that comes late has no effect.
            scope.spawn(|| {
                while let Some(number) = take(&self.reports, reports) {
                    report(socket, number, agents);
                }
            });
        });
    }
}

#[test]
fn a_day_of_use_leaves_nothing_behind() {
    let daemon = Setup::new()
        .config("[terminal]\nscrollback_rows = 1000\n")
        .start();
    let agents: Vec<String> = (0..AGENTS)
        .map(|_| daemon.busy(daemon.workspace()))
        .collect();
    let socket = daemon.home.socket();
    let listening = AtomicBool::new(true);
    let turns = Turns::default();
    let (start, end, took) = thread::scope(|scope| {
        let _end = Lowered(&listening);
        scope.spawn(|| listen(&socket, &listening));
        // Everything that is made once has been made, and what is kept of the agents' states has reached its bound.
        turns.use_for(thousandths().div_ceil(8), &socket, &agents);
        let start = settled(&daemon);
        let clock = Instant::now();
        turns.use_for(thousandths(), &socket, &agents);
        let took = clock.elapsed();
        let mut end = settled(&daemon);
        until_true("what it was before the day", || {
            end = Usage::of(&daemon);
            if !end.is_back_at(&start) {
                println!("{end:?} is not {start:?} yet");
                thread::sleep(Duration::from_millis(200));
            }
            end.is_back_at(&start)
        });
        (start, end, took)
    });
    println!(
        "{} connections, {} panes, {} reports in {took:?}: {start:?} before, {end:?} after",
        thousandths() * CONNECTIONS,
        thousandths() * PANES,
        thousandths() * REPORTS
    );
    let panes = daemon.result("pane.list", json!({}))["panes"].clone();
    assert_eq!(panes.as_array().map(Vec::len), Some(AGENTS));
}

/// What the daemon takes once it rests: when a look shows the descriptors and threads of the one before.
fn settled(daemon: &Daemon) -> Usage {
    let mut last = Usage::of(daemon);
    until("rest", || {
        thread::sleep(Duration::from_millis(100));
        let now = Usage::of(daemon);
        let before = std::mem::replace(&mut last, now);
        ((before.descriptors, before.threads) == (now.descriptors, now.threads)).then_some(now)
    })
}

/// Lowers a flag when it is dropped, so that a test that fails does not go on.
struct Lowered<'a>(&'a AtomicBool);

impl Drop for Lowered<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Somebody who wants to hear of everything, all day.
fn listen(socket: &Path, listening: &AtomicBool) {
    let mut stream = UnixStream::connect(socket).expect("a connection");
    let subscriptions: Vec<Value> = super::common::EVERYTHING
        .iter()
        .map(|kind| json!({ "type": kind }))
        .collect();
    let subscribe = json!({
        "id": "s", "method": "events.subscribe", "params": { "subscriptions": subscriptions },
    });
    stream
        .write_all(format!("{subscribe}\n").as_bytes())
        .expect("a request that is taken");
    stream
        .set_read_timeout(Some(Duration::from_millis(100)))
        .expect("a timeout");
    let mut heard = vec![0; 64 * 1024];
    while listening.load(Ordering::Relaxed) {
        match stream.read(&mut heard) {
            Ok(0) => panic!("a listener that reads is not left"),
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
        }
    }
}
