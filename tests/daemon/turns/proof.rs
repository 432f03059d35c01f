//! Who may report: the program of the execution, in the pane of the execution, with the secret of the execution. And
//! that this secret is nowhere but with that program.

use serde_json::{Value, json};

use super::super::common::{Daemon, Setup};
use super::producer::{Outcome, Producer, attempt, outcome, script};
use super::{BACKEND, files};

#[test]
fn whoever_is_not_the_execution_is_refused_and_nothing_is_stored() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    xcsh.next("starting");
    let start = json!({ "execution_id": "other", "cwd": "/", "mode": "argv", "argv": ["xcsh"] });
    let other = daemon.result("execution.start", start)["execution"].clone();
    let other = Producer::of(&daemon, &other);
    daemon.result("execution.cancel", json!({ "execution_id": BACKEND }));
    let kept = || {
        [
            daemon.result("execution.list", json!({})),
            daemon.result("agent.turn.list", json!({})),
            daemon.result("agent.interaction.list", json!({})),
        ]
    };
    let before = kept();
    let mut refuse = |member: &str, value: Value, code: &str| {
        let mut params = xcsh.event("working", 2);
        params[member] = value;
        assert_eq!(xcsh.sends(&params), Err(code.to_owned()), "{member}");
    };
    refuse(
        "pane_id",
        json!(other.pane_id),
        "agent_turn_provenance_mismatch",
    );
    refuse(
        "session_id",
        json!("ffffffffffffffff"),
        "agent_turn_native_binding_mismatch",
    );
    refuse(
        "producer",
        json!("other"),
        "agent_turn_native_binding_mismatch",
    );
    refuse(
        "execution_id",
        json!("none"),
        "agent_turn_execution_not_found",
    );
    refuse("generation", json!(2), "agent_turn_execution_not_found");
    refuse(
        "turn_id",
        json!("another"),
        "agent_turn_native_registration_conflict",
    );
    refuse(
        "native_capability",
        json!("forged"),
        "agent_turn_native_capability_mismatch",
    );
    refuse(
        "native_capability",
        Value::Null,
        "agent_turn_native_capability_mismatch",
    );
    refuse(
        "native_capability",
        json!(other.capability),
        "agent_turn_native_capability_mismatch",
    );
    refuse("turn_id", json!("a\nb"), "invalid_agent_turn");
    // Nor does anybody else see what is asked of it, or say that it was done.
    for (member, value, code) in [
        (
            "pane_id",
            json!(other.pane_id),
            "agent_turn_provenance_mismatch",
        ),
        (
            "session_id",
            json!("ffffffffffffffff"),
            "agent_turn_native_binding_mismatch",
        ),
        (
            "producer",
            json!("other"),
            "agent_turn_native_binding_mismatch",
        ),
        (
            "execution_id",
            json!("none"),
            "agent_turn_execution_not_found",
        ),
        ("generation", json!(2), "agent_turn_execution_not_found"),
        (
            "native_capability",
            json!("forged"),
            "agent_turn_native_capability_mismatch",
        ),
        (
            "native_capability",
            json!(other.capability),
            "agent_turn_native_capability_mismatch",
        ),
    ] {
        for method in ["agent.turn.action.get", "agent.turn.action.ack"] {
            let mut params = xcsh.acknowledgement();
            params[member] = value.clone();
            let refused = attempt(&xcsh.socket, method, &params);
            assert_eq!(
                refused,
                Outcome::Refused(code.to_owned()),
                "{method} {member}"
            );
        }
    }
    let after = kept();
    for (after, before) in after.iter().zip(&before) {
        assert_eq!(without_output(after), without_output(before));
    }
    assert_eq!(xcsh.acknowledges(), Ok(true), "the true one");
}

/// A list without what programs have printed meanwhile.
fn without_output(list: &Value) -> Value {
    let mut list = list.clone();
    for execution in list["executions"].as_array_mut().into_iter().flatten() {
        for member in ["stdout_bytes", "stdout_tail", "output_truncated"] {
            execution.as_object_mut().expect("an object").remove(member);
        }
    }
    list
}

#[test]
fn a_generation_is_proven_by_its_own_secret_and_no_other() {
    let daemon = Daemon::with_session();
    let mut old = Producer::of(&daemon, &daemon.resume(3));
    old.next("starting");
    let mut new = Producer::of(&daemon, &daemon.resume(4));
    new.turn_id = "another".to_owned();
    let before = daemon.turns_after(0);
    let mismatch = Err("agent_turn_native_capability_mismatch".to_owned());
    let mut superseded = new.event("starting", 1);
    superseded["native_capability"] = json!(old.capability);
    assert_eq!(new.sends(&superseded), mismatch);
    let mut early = old.event("working", 2);
    early["native_capability"] = json!(new.capability);
    assert_eq!(old.sends(&early), mismatch);
    // The generation of the one in the pane of the other.
    let mut elsewhere = old.event("working", 2);
    elsewhere["generation"] = json!(4);
    assert_eq!(
        old.sends(&elsewhere),
        Err("agent_turn_provenance_mismatch".to_owned())
    );
    assert_eq!(daemon.turns_after(0), before);
    // Superseded is asked to end, and not silenced.
    old.next("working");
    new.next("starting");
}

#[test]
fn a_secret_alone_is_not_enough_it_takes_the_pane_as_well() {
    let daemon = Setup::new()
        .config("[authority]\nreports = \"own-pane\"\n")
        .start();
    let pane = daemon.workspace();
    let event = "{\"execution_id\":\"@HERDR_EXECUTION_ID@\",\"pane_id\":\"@HERDR_PANE_ID@\",\"producer\":\"xcsh\",\
                 \"session_id\":\"s\",\"turn_id\":\"t\",\"event_revision\":1,\"state\":\"starting\",\
                 \"native_capability\":\"@HERDR_NATIVE_CAPABILITY@\"}";
    // The program itself, as soon as it runs.
    let inside = daemon.home.path("tmp/inside");
    let job = format!(
        "{}; exec sleep 1000000",
        script("agent.turn.report", event, &inside)
    );
    daemon.home.script("job", &format!("#!/bin/sh\n{job}\n"));
    let start = json!({ "execution_id": "job-1", "cwd": "/", "mode": "argv", "argv": ["job"] });
    let record = daemon.result("execution.start", start)["execution"].clone();
    let told = outcome(&inside);
    assert!(told.contains("\"admitted\":true"), "{told}");
    // Somebody outside, and somebody in another pane, with all that the program knows.
    let stolen = Producer::of(&daemon, &record);
    let mut event = stolen.event("working", 2);
    event["session_id"] = json!("s");
    event["turn_id"] = json!("t");
    let refused = attempt(&stolen.socket, "agent.turn.report", &event);
    assert_eq!(refused, Outcome::Refused("forbidden".to_owned()));
    for (name, pane_id) in [("other-1", &stolen.pane_id), ("other-2", &pane)] {
        event["pane_id"] = json!(pane_id);
        let path = daemon.home.path("tmp").join(name);
        let words = script("agent.turn.report", &event.to_string(), &path);
        daemon.shell(&pane, &words);
        let code = outcome(&path);
        let expected = match name {
            "other-1" => "forbidden",
            _ => "agent_turn_provenance_mismatch",
        };
        assert_eq!(code, expected);
    }
    assert_eq!(daemon.turns_after(0).len(), 1);
}

#[test]
fn numbers_for_abilities_are_told_to_programs_in_an_execution_and_booleans_to_all() {
    let daemon = Daemon::with_session();
    daemon.resume(3);
    // Somebody outside every pane, and a program in a pane that is no execution's, while executions run.
    let pane = daemon.tab();
    let path = daemon.home.path("tmp/untracked");
    daemon.shell(&pane, &script("ping", "{}", &path));
    let untracked: Value = serde_json::from_str(&outcome(&path)).expect("JSON");
    let outside = daemon.result("ping", json!({}));
    assert_eq!(untracked, outside);
    // A client that reads nothing but booleans, as others do, takes it.
    #[derive(serde::Deserialize)]
    struct Strict {
        protocol: u64,
        capabilities: std::collections::HashMap<String, bool>,
    }
    let strict: Strict = serde_json::from_value(outside.clone()).expect("booleans only");
    assert_eq!(
        (strict.protocol, strict.capabilities["agent_turn_journal"]),
        (22, true)
    );
    let status = daemon.herdr(&["status", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
    let told = status["server"]["capabilities"]
        .as_object()
        .expect("an object");
    assert!(told.values().all(Value::is_boolean), "{status}");
    let outside = outside["capabilities"].clone();
    assert_eq!(
        (
            &outside["agent_turn_journal"],
            &outside["tracked_executions"]
        ),
        (&json!(true), &json!(true))
    );
    let path = daemon.home.path("tmp/pong");
    let job = format!("{}; exec sleep 1000000", script("ping", "{}", &path));
    daemon.home.script("job", &format!("#!/bin/sh\n{job}\n"));
    let start = json!({ "execution_id": "job-1", "cwd": "/", "mode": "argv", "argv": ["job"] });
    daemon.result("execution.start", start);
    let pong: Value = serde_json::from_str(&outcome(&path)).expect("JSON");
    let inside = &pong["capabilities"];
    assert_eq!(
        (
            &inside["agent_interactions"],
            &inside["xcsh_semantic_tracking"]
        ),
        (&json!(1), &json!(1))
    );
    assert_eq!(pong["protocol"], 22);
    assert!(
        inside.get("worker_context_handoff").is_none(),
        "not offered"
    );
}

#[test]
fn the_secret_and_the_prompt_are_in_no_file_no_answer_and_no_log() {
    let daemon = Daemon::with_session();
    let record = daemon.resume(3);
    let mut xcsh = Producer::of(&daemon, &record);
    xcsh.next("starting");
    xcsh.next("completed");
    let _ = xcsh.reports("working", 1);
    let told = [
        daemon.execution(BACKEND),
        daemon.result("execution.list", json!({})),
        daemon.result("agent.turn.list", json!({})),
        daemon.result("session.snapshot", json!({})),
    ];
    let secret = xcsh.capability.clone().expect("a secret");
    let mut texts: Vec<String> = told.iter().map(Value::to_string).collect();
    texts.push(daemon.log());
    let home = daemon.ended_by(nix::sys::signal::Signal::SIGTERM);
    for file in files(&home.path("state")) {
        let bytes = std::fs::read(&file).expect("a file");
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    assert!(
        texts.iter().any(|text| text.contains("durable result")),
        "it looked at the files"
    );
    for text in texts {
        for private in [secret.as_str(), "a private prompt"] {
            assert!(
                !text.contains(private),
                "{private} is in {}",
                &text[..text.len().min(200)]
            );
        }
    }
}
