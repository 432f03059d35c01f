//! Answers that get lost, restarts, and a worker that is killed between its commit and its reply: whatever was
//! receipted is there once.
//!
//! `DROVER_REPLY_LOSSES` says how often the worker is killed; by default seldom enough for every run of the tests.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;

use super::super::common::{Daemon, Half, Setup, until};
use super::producer::{Outcome, Producer, attempt};
use super::{BACKEND, SESSION, states};

/// How long a worker lives at least: one that dies sooner again and again is started later and later.
const LIFE: Duration = Duration::from_millis(260);

/// How often the worker is killed.
fn losses() -> usize {
    let wanted = std::env::var("DROVER_REPLY_LOSSES").ok();
    wanted.and_then(|number| number.parse().ok()).unwrap_or(8)
}

/// The last revision of the journal, read on from one before.
fn latest(daemon: &Daemon, mut cursor: u64) -> u64 {
    while let Some(last) = daemon.turns_after(cursor).last() {
        cursor = last["revision"].as_u64().expect("a number");
    }
    cursor
}

#[test]
fn an_event_whose_answer_was_lost_is_there_once_when_it_comes_again() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    let starting = xcsh.event("starting", 1);
    // Both attempts are read, and their answers are not.
    for id in ["xcsh:a", "xcsh:b"] {
        let mut lost = daemon.connect();
        lost.request(id, "agent.turn.report", starting.clone());
        drop(lost);
    }
    until("the event", || {
        (daemon.turns_after(0).len() == 1).then_some(())
    });
    for (revision, state) in [(2, "working"), (3, "completed")] {
        assert_eq!(xcsh.reports(state, revision), Ok(true));
    }
    // Another run of it, with the same environment, begins with what it does not know of.
    assert_eq!(xcsh.clone().sends(&starting), Ok(false));
    assert_eq!(
        states(&daemon.turns_after(0)),
        ["starting", "working", "completed"]
    );
}

#[test]
fn what_was_receipted_is_there_once_however_often_the_worker_is_killed_before_it_could_say_so() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    let ended = AtomicBool::new(false);
    thread::scope(|threads| {
        let reporter = threads.spawn(|| {
            let mut receipts = 1_u64;
            while !ended.load(Ordering::Relaxed) {
                let event = xcsh.event("working", receipts + 1);
                // Until there is a receipt, with the same words: an answer that is lost leaves no other way.
                until("a receipt", || {
                    match attempt(&xcsh.socket, "agent.turn.report", &event) {
                        Outcome::Result(_) => Some(()),
                        Outcome::Refused(code) => {
                            // A worker that ends refuses; it took nothing.
                            assert_eq!(code, "server_unavailable");
                            None
                        }
                        Outcome::Unknown => None,
                    }
                });
                receipts += 1;
            }
            receipts
        });
        let mut cursor = 0;
        for number in 0..losses() {
            // At no moment in particular, while reports are under way.
            cursor = latest(&daemon, cursor);
            until("another event", || {
                (latest(&daemon, cursor) > cursor).then_some(())
            });
            let bytes = drover::sys::random_bytes().expect("random bytes");
            let life = LIFE + Duration::from_micros(u64::from(bytes[0]) * 200);
            let since = Instant::now();
            until("its time", || (since.elapsed() >= life).then_some(()));
            let worker = daemon.home.half(Half::Worker);
            nix::sys::signal::kill(nix::unistd::Pid::from_raw(worker), Signal::SIGKILL)
                .unwrap_or_else(|error| panic!("kill {number}: {error}"));
            until("another worker", || {
                (daemon.home.half(Half::Worker) != worker).then_some(())
            });
        }
        ended.store(true, Ordering::Relaxed);
        let receipts = reporter.join().expect("a reporter that did not fail");
        let mut events = Vec::new();
        loop {
            let page = daemon.turns_after(events.len() as u64);
            if page.is_empty() {
                break;
            }
            events.extend(page);
        }
        let numbers: Vec<u64> = events
            .iter()
            .map(|event| event["event_revision"].as_u64().expect("a number"))
            .collect();
        assert_eq!(
            numbers,
            (1..=receipts).collect::<Vec<_>>(),
            "each once, in order"
        );
        let places: BTreeSet<u64> = events
            .iter()
            .map(|event| event["revision"].as_u64().expect("a number"))
            .collect();
        assert_eq!(places.len() as u64, receipts);
    });
    assert_eq!(daemon.execution(BACKEND)["state"], "running");
}

#[test]
fn a_turn_whose_program_died_with_the_daemon_is_lost_until_it_is_heard_of_again() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    let home = daemon.ended_by(Signal::SIGKILL);
    let daemon = Setup::at(home).start();
    assert_eq!(daemon.execution(BACKEND)["state"], "lost");
    let key = json!({ "producer": "xcsh", "session_id": SESSION, "turn_id": xcsh.turn_id, "generation": 3 });
    assert_eq!(
        daemon.result("agent.turn.get", key.clone())["turn"]["state"],
        "lost"
    );
    // Its secret is known by its digest alone, and still known.
    let event = xcsh.event("starting", 1);
    assert_eq!(xcsh.sends(&event), Ok(false));
    assert_eq!(xcsh.reports("interrupted", 2), Ok(true));
    assert_eq!(
        daemon.result("agent.turn.get", key)["turn"]["state"],
        "interrupted"
    );
    assert_eq!(
        states(&daemon.turns_after(0)),
        ["starting", "lost", "interrupted"]
    );
    let again = daemon.result("execution.resume", daemon.resume_params(3));
    assert_eq!(again["admitted"], false, "it is not started a second time");
    assert_eq!(daemon.resume(4)["state"], "running");
}

#[test]
fn several_producers_of_one_turn_get_one_event_into_each_place() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    let outcomes: Vec<Result<bool, String>> = thread::scope(|threads| {
        let racers: Vec<_> = (0..8)
            .map(|number| {
                let mut racer = xcsh.clone();
                threads.spawn(move || {
                    let mut params = racer.event("waiting_input", 2);
                    params["reason"] = json!(format!("racer {}", number % 4));
                    racer.sends(&params)
                })
            })
            .collect();
        racers
            .into_iter()
            .map(|racer| racer.join().expect("a racer that did not fail"))
            .collect()
    });
    let count =
        |wanted: &Result<bool, String>| outcomes.iter().filter(|one| *one == wanted).count();
    assert_eq!(count(&Ok(true)), 1, "{outcomes:?}");
    assert_eq!(count(&Ok(false)), 1, "its twin: {outcomes:?}");
    let conflict = Err("agent_turn_revision_conflict".to_owned());
    assert_eq!(count(&conflict), 6, "{outcomes:?}");
    assert_eq!(daemon.turns_after(0).len(), 2);
}

#[test]
fn what_was_asked_and_stopped_outlives_the_whole_daemon_and_is_settled_by_the_replay() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    for state in ["starting", "working"] {
        xcsh.next(state);
    }
    let cancel = json!({ "execution_id": BACKEND });
    daemon.result("execution.cancel", cancel);
    let home = daemon.ended_by(Signal::SIGKILL);
    let daemon = Setup::at(home).start();
    assert_eq!(daemon.execution(BACKEND)["state"], "lost");
    let asked = xcsh.actions().expect("a list");
    assert_eq!(asked[0]["state"], "requested");
    // xcsh had stopped, and its word was lost with the daemon: it says so again, and then how the turn ended.
    assert_eq!(xcsh.acknowledges(), Ok(true));
    let home = daemon.ended_by(Signal::SIGKILL);
    let daemon = Setup::at(home).start();
    assert_eq!(xcsh.acknowledges(), Ok(false));
    xcsh.next("cancelled");
    let settled = daemon.execution(BACKEND);
    assert_eq!(settled["state"], "cancelled");
    assert!(settled["cancel_action"]["settled_at_unix_ms"].is_u64());
    let home = daemon.ended_by(Signal::SIGKILL);
    let daemon = Setup::at(home).start();
    assert_eq!(daemon.execution(BACKEND)["state"], "cancelled");
    assert_eq!(xcsh.reports("cancelled", xcsh.revision), Ok(false));
    assert_eq!(
        states(&daemon.turns_after(0)),
        ["starting", "working", "lost", "cancelled"]
    );
}
