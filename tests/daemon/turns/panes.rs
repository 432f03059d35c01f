//! What xcsh reports of its pane beside its turns.

use serde_json::{Value, json};

use super::super::common::Daemon;
use super::producer::Producer;
use super::states;

fn report(pane: &str, method: &str, seq: u64, more: Value) -> (String, Value) {
    let mut params =
        json!({ "pane_id": pane, "source": "herdr:xcsh", "agent": "xcsh", "seq": seq });
    for (name, value) in more.as_object().expect("an object") {
        params[name] = value.clone();
    }
    (method.to_owned(), params)
}

/// The clock in milliseconds times 1,000, as xcsh begins to count.
const SEQ: u64 = 1_789_000_000_123_000;

#[test]
fn a_pane_of_xcsh_is_reported_kept_alive_and_let_go() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let say = |(method, params): (String, Value)| {
        assert_eq!(daemon.result(&method, params), json!({ "type": "ok" }));
    };
    say(report(
        &pane,
        "pane.report_agent",
        SEQ,
        json!({ "state": "idle" }),
    ));
    let session =
        json!({ "session_start_source": "startup", "agent_session_path": "/s/one.jsonl" });
    say(report(&pane, "pane.report_agent_session", SEQ + 1, session));
    say(report(
        &pane,
        "pane.report_agent",
        SEQ + 2,
        json!({ "state": "working" }),
    ));
    let phase = |seq: u64, more: Value| {
        let mut params = json!({ "pane_id": pane, "source": "xcsh:phase", "applies_to_source": "herdr:xcsh", "seq": seq });
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        ("pane.report_metadata".to_owned(), params)
    };
    let tokens = json!({ "xcsh_turn_id": "3", "xcsh_turn_status": "working", "xcsh_result": null });
    // It counts on its own.
    say(phase(
        SEQ,
        json!({ "state_labels": { "working": "tool_call" }, "tokens": tokens, "ttl_ms": 60_000 }),
    ));
    let before = daemon.pane(&pane);
    assert_eq!(
        (&before["agent"], &before["agent_status"]),
        (&json!("xcsh"), &json!("working"))
    );
    assert_eq!(before["state_labels"]["working"], "tool_call");
    assert_eq!(before["tokens"]["xcsh_turn_status"], "working");
    say(report(
        &pane,
        "pane.report_agent_heartbeat",
        SEQ + 3,
        json!({}),
    ));
    assert_eq!(
        daemon.pane(&pane),
        before,
        "a sign of life says nothing else"
    );
    // One counter over all of its methods: what is older than the sign of life is dropped, and answered all the same.
    say(report(
        &pane,
        "pane.report_agent",
        SEQ + 3,
        json!({ "state": "idle" }),
    ));
    assert_eq!(daemon.pane(&pane), before);
    let ended = json!({ "xcsh_turn_status": "completed", "xcsh_result": "a preview" });
    say(phase(SEQ + 1, json!({ "tokens": ended, "ttl_ms": 60_000 })));
    let tokens = daemon.pane(&pane)["tokens"].clone();
    assert_eq!(
        (&tokens["xcsh_turn_id"], &tokens["xcsh_result"]),
        (&json!("3"), &json!("a preview"))
    );
    say(phase(SEQ + 2, json!({ "tokens": { "xcsh_result": null } })));
    assert!(daemon.pane(&pane)["tokens"].get("xcsh_result").is_none());
    say(phase(SEQ + 3, json!({ "clear_state_labels": true })));
    assert!(daemon.pane(&pane).get("state_labels").is_none());
    say(report(&pane, "pane.release_agent", SEQ + 4, json!({})));
    assert!(daemon.pane(&pane).get("agent").is_none());
    say(report(
        &pane,
        "pane.report_agent_heartbeat",
        SEQ + 5,
        json!({}),
    ));
    assert!(
        daemon.pane(&pane).get("agent").is_none(),
        "a late sign of life claims nothing"
    );
}

/// Whatever xcsh does with its session, the turn that was open ends first, and with the word that xcsh has for it.
#[test]
fn a_turn_is_interrupted_before_its_session_is_left_and_its_program_goes_on() {
    let daemon = Daemon::with_session();
    for (generation, reason, source) in [
        (3, "xcsh forked before semantic settlement", Some("fork")),
        (
            4,
            "xcsh switched sessions before semantic settlement",
            Some("resume"),
        ),
        (
            5,
            "xcsh switched sessions before semantic settlement",
            Some("new"),
        ),
        (6, "xcsh shut down before semantic settlement", None),
    ] {
        let record = daemon.resume(generation);
        let id = record["execution_id"].as_str().expect("an id").to_owned();
        let mut xcsh = Producer::of(&daemon, &record);
        xcsh.turn_id = format!("turn {generation}");
        let pane = xcsh.pane_id.clone();
        let say = |method: &str, seq: u64, more: Value| {
            let (method, params) = report(&pane, method, seq, more);
            assert_eq!(daemon.result(&method, params), json!({ "type": "ok" }));
        };
        say("pane.report_agent", SEQ, json!({ "state": "working" }));
        let anchor =
            json!({ "session_start_source": "startup", "agent_session_path": "/s/one.jsonl" });
        say("pane.report_agent_session", SEQ + 1, anchor);
        let before = daemon
            .turns_after(0)
            .last()
            .map_or(0, |turn| turn["revision"].as_u64().expect("a number"));
        xcsh.next("starting");
        let mut ends = xcsh.event("interrupted", 2);
        ends["reason"] = json!(reason);
        assert_eq!(xcsh.sends(&ends), Ok(true));
        match source {
            Some(source) => {
                let other =
                    json!({ "session_start_source": source, "agent_session_path": "/s/two.jsonl" });
                say("pane.report_agent_session", SEQ + 2, other);
                assert_eq!(daemon.pane(&pane)["agent_session"]["value"], "/s/two.jsonl");
                // This generation was opened for a session, and has had its turn.
                let mut next = xcsh.event("starting", 1);
                next["session_id"] = json!("ffffffffffffffff");
                next["turn_id"] = json!("of the other session");
                assert_eq!(
                    xcsh.sends(&next),
                    Err("agent_turn_native_binding_mismatch".to_owned())
                );
            }
            None => {
                say("pane.release_agent", SEQ + 2, json!({}));
                assert_ne!(daemon.pane(&pane)["agent"], "xcsh");
            }
        }
        let turns = daemon.turns_after(before);
        assert_eq!(states(&turns), ["starting", "interrupted"]);
        assert_eq!(turns[1]["reason"], reason);
        assert_eq!(daemon.execution(&id)["state"], "running");
    }
}

/// Without a whole binding xcsh speaks of its pane only. The server makes no half of one, and takes no turn without.
#[test]
fn a_pane_that_is_no_execution_has_its_frames_and_no_turns() {
    let daemon = Daemon::with_session();
    let pane = daemon.busy(daemon.tab());
    let (method, params) = report(
        &pane,
        "pane.report_agent",
        SEQ,
        json!({ "state": "working" }),
    );
    assert_eq!(daemon.result(&method, params), json!({ "type": "ok" }));
    assert_eq!(daemon.pane(&pane)["agent_status"], "working");
    let shell = daemon.tab();
    let told = daemon.shell(&shell, "env | grep -c -e EXECUTION -e CAPABILITY");
    assert_eq!(told.trim(), "0");
    let invented = json!({
        "execution_id": "task-42", "pane_id": pane, "producer": "xcsh", "session_id": super::SESSION,
        "turn_id": "t", "event_revision": 1, "state": "starting",
    });
    let refused = daemon.refusal("agent.turn.report", invented);
    assert_eq!(refused.0, "agent_turn_execution_not_found");
    // What xcsh would not take for a generation is none here either.
    for generation in [json!(1_u64 << 53), json!(-1), json!("01"), json!(1.5)] {
        let mut params = daemon.resume_params(3);
        params["generation"] = generation.clone();
        let code = daemon.refusal("execution.resume", params).0;
        let expected = match generation.is_u64() {
            true => "invalid_execution_generation",
            false => "invalid_request",
        };
        assert_eq!(code, expected, "{generation}");
    }
    assert!(daemon.result("execution.list", json!({}))["executions"] == json!([]));
    let xcsh = Producer::of(&daemon, &daemon.resume((1 << 53) - 1));
    assert_eq!(xcsh.generation, (1 << 53) - 1);
    assert!(daemon.turns_after(0).is_empty());
}
