//! In which order a turn's events are taken, and how much of each: what a report may say, by the codes of the contract.
//!
//! An ordinary execution has as many turns as it likes, so that each case here begins one of its own.

use drover::turn::hex_sha256;
use serde_json::{Value, json};

use super::super::common::Daemon;
use super::producer::Producer;

/// A producer in an ordinary execution.
fn ordinary(daemon: &Daemon) -> Producer {
    named(daemon, "job-1")
}

fn named(daemon: &Daemon, id: &str) -> Producer {
    let start = json!({ "execution_id": id, "cwd": "/", "mode": "argv", "argv": ["xcsh"] });
    Producer::of(
        daemon,
        &daemon.result("execution.start", start)["execution"],
    )
}

/// Begins a turn of its own.
fn begin(xcsh: &mut Producer, turn: &str) {
    xcsh.turn_id = turn.to_owned();
    assert_eq!(xcsh.reports("starting", 1), Ok(true), "{turn}");
}

fn refused(code: &str) -> Result<bool, String> {
    Err(code.to_owned())
}

#[test]
fn a_turn_begins_at_its_beginning_goes_forward_and_ends_once() {
    let daemon = Daemon::with_session();
    let mut xcsh = ordinary(&daemon);
    xcsh.turn_id = "late".to_owned();
    for (state, revision, code) in [
        ("starting", 2, "agent_turn_missing_revision"),
        ("working", 2, "agent_turn_missing_revision"),
        ("working", 1, "agent_turn_invalid_transition"),
        ("completed", 1, "agent_turn_invalid_transition"),
    ] {
        assert_eq!(
            xcsh.reports(state, revision),
            refused(code),
            "{state}@{revision}"
        );
    }
    assert!(daemon.turns_after(0).is_empty());
    for end in ["completed", "failed", "cancelled", "interrupted"] {
        begin(&mut xcsh, end);
        assert_eq!(
            xcsh.reports("starting", 2),
            refused("agent_turn_invalid_transition")
        );
        assert_eq!(xcsh.reports("working", 2), Ok(true));
        assert_eq!(
            xcsh.reports("working", 5),
            Ok(true),
            "a gap, and the same state"
        );
        let stored = daemon.turns_after(0).len();
        for (state, revision, code) in [
            ("waiting_input", 5, "agent_turn_revision_conflict"),
            ("waiting_input", 2, "agent_turn_stale_revision"),
            ("working", 4, "agent_turn_stale_revision"),
            ("starting", 6, "agent_turn_invalid_transition"),
        ] {
            assert_eq!(
                xcsh.reports(state, revision),
                refused(code),
                "{state}@{revision}"
            );
        }
        assert_eq!(xcsh.reports(end, 6), Ok(true), "{end}");
        for state in ["starting", "working", "completed", "interrupted"] {
            let after = xcsh.reports(state, 7);
            assert_eq!(
                after,
                refused("agent_turn_terminal_conflict"),
                "{state} after {end}"
            );
        }
        assert_eq!(xcsh.reports(end, 6), Ok(false), "the same is no news");
        assert_eq!(daemon.turns_after(0).len(), stored + 1, "{end}");
    }
}

#[test]
fn results_are_taken_up_to_their_limit_with_their_own_digest_and_nowhere_else() {
    let daemon = Daemon::with_session();
    let mut xcsh = ordinary(&daemon);
    // The contract's own digests, so that this and the daemon cannot be wrong together.
    for (number, (text, digest)) in [
        (
            "a".repeat(8_000),
            "e3aee1725476321f727ad8a07ce53efb5653d09730abccb8f190093c4eb550df",
        ),
        (
            "Grüße ✓".to_owned(),
            "087c35de16ad400745205d66394e4a98ce8385bc8aba58e0a2fc1f4b4c0e1fdb",
        ),
        (
            "bounded result".to_owned(),
            "dcf69326b6e243c1ff2e85dc9cb39dd2f3edefb314f7f677a6bc4182f8d7a240",
        ),
        (
            String::new(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        begin(&mut xcsh, &format!("fits {number}"));
        let mut event = xcsh.event("completed", 2);
        event["result"] = json!(text);
        event["result_digest"] = json!(digest);
        assert_eq!(xcsh.sends(&event), Ok(true), "{digest}");
        let stored = daemon.turns_after(0).pop().expect("an event");
        assert_eq!(
            (&stored["result"], &stored["result_digest"]),
            (&json!(text), &json!(digest))
        );
    }
    begin(&mut xcsh, "does not fit");
    let before = daemon.turns_after(0);
    let of = |text: &str| hex_sha256(text.as_bytes());
    let long = "a".repeat(8_001);
    let wide = "ü".repeat(4_001);
    for (state, more, code) in [
        (
            "completed",
            json!({ "result": long, "result_digest": of(&long) }),
            "agent_turn_payload_too_large",
        ),
        (
            "completed",
            json!({ "result": wide, "result_digest": of(&wide) }),
            "agent_turn_payload_too_large",
        ),
        (
            "waiting_input",
            json!({ "reason": long }),
            "agent_turn_payload_too_large",
        ),
        (
            "completed",
            json!({ "result": "x", "result_digest": null }),
            "invalid_agent_turn",
        ),
        (
            "completed",
            json!({ "result": null, "result_digest": of("") }),
            "invalid_agent_turn",
        ),
        (
            "completed",
            json!({ "result": null, "result_digest": null }),
            "invalid_agent_turn",
        ),
        (
            "completed",
            json!({ "result": "x", "result_digest": of("y") }),
            "invalid_agent_turn",
        ),
        (
            "failed",
            json!({ "result": "x", "result_digest": of("x") }),
            "invalid_agent_turn",
        ),
        (
            "working",
            json!({ "reason": "what a tool said" }),
            "invalid_agent_turn",
        ),
        (
            "working",
            json!({ "event_revision": 0 }),
            "invalid_agent_turn",
        ),
        (
            "working",
            json!({ "turn_id": "t".repeat(257) }),
            "invalid_agent_turn",
        ),
        (
            "working",
            json!({ "session_id": "a\nb" }),
            "invalid_agent_turn",
        ),
        ("working", json!({ "producer": "" }), "invalid_agent_turn"),
        ("lost", json!({}), "invalid_agent_turn"),
    ] {
        let mut event = xcsh.event(state, 2);
        for (name, value) in more.as_object().expect("an object") {
            event[name] = value.clone();
        }
        assert_eq!(xcsh.sends(&event), refused(code), "{state} {more}");
    }
    assert_eq!(daemon.turns_after(0), before);
    let mut nulls = xcsh.event("working", 2);
    for optional in ["result", "result_digest", "reason"] {
        nulls[optional] = Value::Null;
    }
    nulls["unknown"] = json!({ "more": 1 });
    assert_eq!(
        xcsh.sends(&nulls),
        Ok(true),
        "null is absent, and what is unknown does not matter"
    );
}

#[test]
fn a_turn_is_gone_on_with_by_the_execution_that_began_it_and_no_other() {
    let daemon = Daemon::with_session();
    let mut xcsh = ordinary(&daemon);
    let mut other = named(&daemon, "job-2");
    begin(&mut xcsh, "one");
    assert_eq!(xcsh.reports("working", 2), Ok(true));
    let before = daemon.turns_after(0);
    // Proven as itself, and with the session, turn and generation that everybody can read.
    other.turn_id = "one".to_owned();
    for (state, revision, code) in [
        ("starting", 1, "agent_turn_stale_revision"),
        ("working", 2, "agent_turn_revision_conflict"),
        ("starting", 3, "agent_turn_provenance_mismatch"),
        ("completed", 3, "agent_turn_provenance_mismatch"),
        ("cancelled", 3, "agent_turn_provenance_mismatch"),
    ] {
        assert_eq!(
            other.reports(state, revision),
            refused(code),
            "{state}@{revision}"
        );
    }
    assert_eq!(daemon.turns_after(0), before);
    assert_eq!(xcsh.reports("completed", 3), Ok(true));
    let ended = other.reports("failed", 4);
    assert_eq!(ended, refused("agent_turn_provenance_mismatch"));
    begin(&mut other, "another");
}
