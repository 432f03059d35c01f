//! The journal over the wire: from a turn's first event to its last, what is refused, and what readers get.

use std::time::{Duration, Instant};

use serde_json::json;

use super::super::common::Daemon;
use super::producer::Producer;
use super::{BACKEND, HEADER, SESSION, states};
use drover::turn::hex_sha256;

#[test]
fn a_turn_is_reported_from_its_start_to_its_result() {
    let daemon = Daemon::with_session();
    let record = daemon.resume(3);
    let mut xcsh = Producer::of(&daemon, &record);
    xcsh.next("starting");
    assert_eq!(xcsh.actions(), Ok(vec![]));
    for state in ["working", "working", "completed"] {
        xcsh.next(state);
    }
    let turns = daemon.turns_after(0);
    assert_eq!(
        states(&turns),
        ["starting", "working", "working", "completed"]
    );
    let revisions: Vec<_> = turns.iter().map(|turn| turn["revision"].as_u64()).collect();
    assert_eq!(revisions, [1, 2, 3, 4].map(Some));
    let key = json!({ "producer": "xcsh", "session_id": SESSION, "turn_id": xcsh.turn_id, "generation": 3 });
    let latest = daemon.result("agent.turn.get", key);
    assert_eq!(
        (&latest["admitted"], &latest["turn"]),
        (&json!(false), &turns[3])
    );
    assert_eq!(turns[3]["result"], "durable result");
    assert_eq!(turns[3]["result_digest"], hex_sha256(b"durable result"));
    let session = hex_sha256(HEADER.as_bytes());
    let registered = daemon.execution(BACKEND);
    assert_eq!(
        registered["native_launch"]["session_header"]["sha256"],
        session
    );
    assert_eq!(
        registered["native_registration"]["turn_id"],
        xcsh.turn_id.as_str()
    );
    assert_eq!(
        registered["state"], "running",
        "a turn's end is not its program's"
    );
    let missing = json!({ "producer": "xcsh", "session_id": SESSION, "turn_id": "none" });
    assert_eq!(
        daemon.refusal("agent.turn.get", missing).0,
        "agent_turn_not_found"
    );
}

#[test]
fn a_turn_that_fails_or_waits_for_a_person_says_so() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    for state in ["starting", "waiting_input", "working", "failed"] {
        xcsh.next(state);
    }
    let turns = daemon.turns_after(1);
    assert_eq!(states(&turns), ["waiting_input", "working", "failed"]);
    assert_eq!(turns[0]["reason"], "user input required");
    assert!(turns[2].get("result").is_none() && turns[1].get("reason").is_none());
    assert_eq!(
        xcsh.reports("working", 9),
        Err("agent_turn_terminal_conflict".to_owned())
    );
}

#[test]
fn what_was_said_before_is_no_news_and_what_contradicts_it_is_refused() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    let refused = |code: &str| Err(code.to_owned());
    xcsh.next("starting");
    assert_eq!(xcsh.reports("starting", 1), Ok(false));
    assert_eq!(xcsh.reports("working", 5), Ok(true), "gaps are fine");
    assert_eq!(
        xcsh.reports("starting", 1),
        Ok(false),
        "also when more came after"
    );
    let mut altered = xcsh.event("starting", 1);
    altered["result"] = json!(null);
    assert_eq!(xcsh.sends(&altered), Ok(false), "null is absent");
    assert_eq!(
        xcsh.reports("waiting_input", 1),
        refused("agent_turn_stale_revision")
    );
    assert_eq!(
        xcsh.reports("working", 4),
        refused("agent_turn_stale_revision")
    );
    assert_eq!(
        xcsh.reports("waiting_input", 5),
        refused("agent_turn_revision_conflict")
    );
    assert_eq!(
        xcsh.reports("starting", 6),
        refused("agent_turn_invalid_transition")
    );
    assert_eq!(daemon.turns_after(0).len(), 2);
}

#[test]
fn a_result_cut_through_a_character_is_taken_with_the_digest_that_xcsh_sends() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    let mut params = xcsh.event("completed", 2);
    params["result"] = json!(format!("{}CUT", "a".repeat(7_997)));
    params["result_digest"] =
        json!("ac62702b84684876e62934abca7a56ea971765474c927348f74d8d6c50eb667d");
    let line = json!({ "id": "x", "method": "agent.turn.report", "params": params }).to_string();
    let answer = daemon.raw(format!("{}\n", line.replace("CUT", "\\ud83d")).as_bytes());
    let answer = String::from_utf8(answer).expect("text");
    assert!(answer.contains("\"admitted\":true"), "{answer}");
    let stored = daemon.turns_after(1);
    let result = stored[0]["result"].as_str().expect("text");
    assert!(result.len() == 8_000 && result.ends_with("a\u{fffd}"));
    assert_eq!(
        hex_sha256(result.as_bytes()),
        stored[0]["result_digest"].as_str().expect("text")
    );
}

#[test]
fn readers_get_pages_and_lose_nothing_between_them() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    // Reasons of the largest size fill a page soon.
    for revision in 2..=150 {
        let mut params = xcsh.event("waiting_input", revision);
        params["reason"] = json!("r".repeat(8_000));
        assert_eq!(xcsh.sends(&params), Ok(true));
    }
    let (mut seen, mut pages) = (0, 0);
    loop {
        let page = daemon.turns_after(seen);
        let Some(last) = page.last() else { break };
        for turn in &page {
            seen += 1;
            assert_eq!(turn["revision"], seen);
        }
        assert_eq!(last["revision"], seen);
        pages += 1;
    }
    assert_eq!((seen, pages), (150, 2));
}

#[test]
fn a_wait_ends_with_the_event_and_an_empty_list_says_that_there_was_none() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    let none = daemon.result(
        "agent.turn.wait",
        json!({ "after_revision": 0, "timeout_ms": 20 }),
    );
    assert_eq!(none, json!({ "type": "agent_turn_list", "turns": [] }));
    let mut waiting = daemon.connect();
    waiting.request(
        "w",
        "agent.turn.wait",
        json!({ "after_revision": 1, "timeout_ms": 60_000 }),
    );
    xcsh.next("starting");
    let started = Instant::now();
    xcsh.next("working");
    let answer = waiting.line().expect("an answer");
    assert!(started.elapsed() < Duration::from_secs(10));
    let turns = answer["result"]["turns"]
        .as_array()
        .expect("a list")
        .clone();
    assert_eq!(states(&turns), ["working"]);
}
