//! Cancelling a turn: asked for by a manager, stopped by xcsh where it can, and never by killing it.

use serde_json::json;

use super::super::common::{Daemon, until};
use super::BACKEND;
use super::producer::{Outcome, Producer, attempt};

fn cancel(daemon: &Daemon) {
    let result = daemon.result("execution.cancel", json!({ "execution_id": BACKEND }));
    let execution = &result["execution"];
    assert_eq!(
        (&execution["state"], &execution["cancel_requested"]),
        (&json!("running"), &json!(true))
    );
}

/// Everything between a request and its end, from a turn in these states.
fn cancels_from(states: &[&str]) {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    for state in states {
        xcsh.next(state);
    }
    assert_eq!(
        xcsh.reports("cancelled", 9),
        Err("agent_turn_native_cancel_not_requested".to_owned())
    );
    cancel(&daemon);
    cancel(&daemon);
    let asked = xcsh.actions().expect("a list");
    assert_eq!(asked.len(), 1);
    assert_eq!(
        (&asked[0]["state"], &asked[0]["action_revision"]),
        (&json!("requested"), &json!(1))
    );
    assert_eq!(asked[0]["backend_execution_id"], BACKEND);
    assert!(asked[0]["requested_at_unix_ms"].is_u64());
    let early = xcsh.reports("cancelled", 9);
    assert_eq!(
        early,
        Err("agent_turn_native_cancel_not_at_authenticated_safe_point".to_owned())
    );
    // The answer is lost, so that xcsh sees the safe point at its next look and says it again.
    let mut lost = daemon.connect();
    lost.request("lost", "agent.turn.action.ack", xcsh.acknowledgement());
    drop(lost);
    until("the safe point", || {
        let states = xcsh.actions().expect("a list");
        (states[0]["state"] == "safe_point").then_some(())
    });
    assert_eq!(xcsh.acknowledges(), Ok(false));
    xcsh.next("cancelled");
    assert_eq!(xcsh.reports("cancelled", xcsh.revision), Ok(false));
    assert_eq!(xcsh.acknowledges(), Ok(false), "also after the end");
    let settled = daemon.execution(BACKEND);
    assert_eq!(settled["state"], "cancelled");
    assert!(settled["cancel_action"]["settled_at_unix_ms"].is_u64());
    let pid = settled["pid"].as_i64().expect("a process");
    let runs = drover::sys::process_facts(i32::try_from(pid).expect("a number"));
    assert!(runs.is_some_and(|facts| !facts.zombie), "nobody killed it");
    // Its end changes nothing any more.
    let pane = settled["pane_id"].clone();
    daemon.result("pane.close", json!({ "pane_id": pane }));
    let ended = until("its end", || {
        let record = daemon.execution(BACKEND);
        (record["output_complete"] == true).then_some(record)
    });
    assert_eq!(ended["state"], "cancelled");
}

#[test]
fn a_turn_that_waits_for_a_person_is_cancelled_at_its_safe_point() {
    cancels_from(&["starting", "waiting_input"]);
}

#[test]
fn a_turn_that_works_is_cancelled_at_its_safe_point() {
    cancels_from(&["starting", "working"]);
}

#[test]
fn a_turn_that_ends_by_itself_wins_over_a_cancel() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    cancel(&daemon);
    xcsh.next("completed");
    assert_eq!(daemon.execution(BACKEND)["state"], "running");
}

#[test]
fn what_is_asked_survives_the_death_of_the_worker() {
    let mut daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    cancel(&daemon);
    daemon.kill(super::super::common::Half::Worker);
    let asked = xcsh.actions().expect("a list");
    assert_eq!(asked[0]["state"], "requested");
    assert_eq!(xcsh.acknowledges(), Ok(true));
    daemon.kill(super::super::common::Half::Worker);
    assert_eq!(xcsh.acknowledges(), Ok(false));
    xcsh.next("cancelled");
    assert_eq!(daemon.execution(BACKEND)["state"], "cancelled");
}

#[test]
fn a_newer_generation_asks_the_older_one_to_end_and_both_go_on() {
    let daemon = Daemon::with_session();
    let old = daemon.resume(3);
    let mut xcsh = Producer::of(&daemon, &old);
    xcsh.next("starting");
    let new = daemon.resume(4);
    assert_ne!(old["pid"], new["pid"]);
    let superseded = daemon.execution(BACKEND);
    assert_eq!(
        superseded["superseded_by_backend_execution_id"],
        new["execution_id"]
    );
    assert_eq!(
        (&superseded["state"], &superseded["cancel_requested"]),
        (&json!("running"), &json!(true))
    );
    let stale = daemon.refusal("execution.resume", daemon.resume_params(2));
    assert_eq!(stale.0, "execution_generation_stale");
    let mut next = Producer::of(&daemon, &new);
    next.turn_id = "another".to_owned();
    next.next("starting");
    assert_eq!(xcsh.acknowledges(), Ok(true));
    xcsh.next("cancelled");
    assert_eq!(daemon.execution(BACKEND)["state"], "cancelled");
    assert_eq!(
        daemon.execution("task-42")["state"],
        "running",
        "the newest by the manager's id"
    );
}

#[test]
fn only_what_was_asked_for_is_acknowledged() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    assert_eq!(
        xcsh.actions(),
        Err("agent_turn_native_not_registered".to_owned())
    );
    xcsh.next("starting");
    assert_eq!(
        xcsh.acknowledges(),
        Err("agent_turn_action_not_found".to_owned())
    );
    cancel(&daemon);
    let mut wrong = xcsh.acknowledgement();
    wrong["state"] = json!("requested");
    let refused = attempt(&xcsh.socket, "agent.turn.action.ack", &wrong);
    assert_eq!(
        refused,
        Outcome::Refused("agent_turn_action_invalid_state".to_owned())
    );
}

/// Waits until a record of an execution says so; the server tells of its changes without being asked for the action.
fn told(daemon: &Daemon, says: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
    let mut cursor = 0;
    until("a change of the execution", || {
        let params = json!({ "after_revision": cursor, "timeout_ms": 20_000 });
        let changed = daemon.result("execution.wait", params)["executions"].clone();
        let last = changed.as_array().expect("a list").last()?.clone();
        cursor = last["revision"].as_u64().expect("a number");
        says(&last).then_some(last)
    })
}

#[test]
fn a_cancel_without_a_safe_point_is_over_after_its_time_and_ends_nothing() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    xcsh.next("working");
    cancel(&daemon);
    // Nobody asks meanwhile: the server's own clock says so.
    let over = told(&daemon, |record| {
        record["cancel_action"]["state"] == "timed_out"
    });
    let action = &over["cancel_action"];
    let at = |member: &str| action[member].as_u64().expect("a time");
    let took = at("timed_out_at_unix_ms") - at("requested_at_unix_ms");
    assert!(took > drover::turn::SAFE_POINT_MS, "{took} ms");
    assert_eq!(over["state"], "running");
    let asked = xcsh.actions().expect("a list");
    assert_eq!(asked[0]["state"], "timed_out");
    let late = Err("agent_turn_action_safe_point_timeout".to_owned());
    assert_eq!(xcsh.acknowledges(), late);
    assert_eq!(
        xcsh.reports("cancelled", 3),
        Err("agent_turn_native_cancel_not_at_authenticated_safe_point".to_owned())
    );
    cancel(&daemon);
    assert_eq!(xcsh.acknowledges(), late, "asking again opens nothing");
    xcsh.next("interrupted");
    assert_eq!(daemon.execution(BACKEND)["state"], "running");
}
