//! Questions over the wire: asked by xcsh, answered by a person, fetched and taken.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::super::common::{Daemon, Half, Setup};
use super::files;
use super::producer::{Outcome, Producer};

fn owner(xcsh: &Producer) -> Value {
    json!({
        "execution_id": xcsh.execution_id, "pane_id": xcsh.pane_id, "producer": "xcsh",
        "session_id": xcsh.session_id, "generation": xcsh.generation,
    })
}

fn target(xcsh: &Producer, request: &str) -> Value {
    json!({ "owner": owner(xcsh), "request_id": request })
}

fn question(xcsh: &Producer, request: &str) -> Value {
    json!({
        "target": target(xcsh, request), "thread_id": "t1", "turn_id": "u1", "item_id": request,
        "question_ids": ["q"], "event_revision": 1, "kind": "waiting", "state": "pending",
        "payload": { "isBlocking": true, "questions": [{ "id": "q", "question": "Which?",
            "options": [{ "label": "Canada" }, { "label": "US" }] }] },
        "native_capability": xcsh.capability,
    })
}

fn asks(xcsh: &mut Producer, params: &Value) -> Result<Value, String> {
    match xcsh.call("agent.interaction.report", params) {
        Outcome::Result(result) => Ok(result["interaction"].clone()),
        Outcome::Refused(code) => Err(code),
        Outcome::Unknown => panic!("no answer"),
    }
}

fn deliveries(xcsh: &mut Producer) -> Vec<Value> {
    let params = json!({ "owner": owner(xcsh), "native_capability": xcsh.capability });
    let Outcome::Result(result) = xcsh.call("agent.interaction.delivery.get", &params) else {
        panic!("no list");
    };
    assert_eq!(result["type"], "agent_interaction_deliveries");
    result["deliveries"].as_array().expect("a list").clone()
}

fn takes(xcsh: &mut Producer, response: &str, accepted: bool) -> Result<Value, String> {
    let params = json!({
        "producer": { "owner": owner(xcsh), "native_capability": xcsh.capability },
        "request_id": "call-9", "response_id": response, "accepted": accepted,
    });
    match xcsh.call("agent.interaction.delivery.ack", &params) {
        Outcome::Result(result) => Ok(result["receipt"]["state"].clone()),
        Outcome::Refused(code) => Err(code),
        Outcome::Unknown => panic!("no answer"),
    }
}

fn answer(xcsh: &Producer, response: &str, text: &str) -> Value {
    json!({
        "target": target(xcsh, "call-9"), "response_id": response,
        "answer": { "answers": { "q": { "answers": [text] } } },
    })
}

#[test]
fn an_answer_finds_its_way_to_whoever_asked() {
    let mut daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    let params = question(&xcsh, "call-9");
    let asked = asks(&mut xcsh, &params).expect("a question");
    assert_eq!(asks(&mut xcsh, &params), Ok(asked.clone()));
    let mut changed = params.clone();
    changed["event_revision"] = json!(2);
    changed["payload"]["questions"][0]["question"] = json!("What?");
    let refused = asks(&mut xcsh, &changed);
    assert_eq!(
        refused,
        Err("interaction_identity_or_payload_changed".to_owned())
    );
    let read = daemon.result(
        "agent.interaction.read",
        json!({ "target": target(&xcsh, "call-9") }),
    );
    assert_eq!(read["interaction"], asked);

    let mut waiting = daemon.connect();
    waiting.request(
        "w",
        "agent.interaction.wait",
        json!({ "after_revision": 1, "timeout_ms": 20_000 }),
    );
    let queued = daemon.result("agent.interaction.respond", answer(&xcsh, "r-1", "Canada"));
    assert_eq!(queued["receipt"]["state"], "queued");
    let told = waiting.line().expect("an answer");
    assert_eq!(told["result"]["deliveries"][0]["response_id"], "r-1");
    assert!(
        !told.to_string().contains("answers"),
        "receipts have no answers: {told}"
    );
    assert_eq!(takes(&mut xcsh, "r-1", false), Ok(json!("rejected")));

    daemon.result("agent.interaction.respond", answer(&xcsh, "r-2", "US"));
    let waits = deliveries(&mut xcsh);
    assert_eq!(waits[0]["receipt"]["target"], target(&xcsh, "call-9"));
    assert_eq!(waits[0]["answer"]["answers"]["q"]["answers"], json!(["US"]));
    assert_eq!(takes(&mut xcsh, "r-2", true), Ok(json!("accepted")));
    assert_eq!(
        takes(&mut xcsh, "r-2", true),
        Ok(json!("accepted")),
        "a lost answer"
    );
    let other = takes(&mut xcsh, "r-2", false);
    assert_eq!(
        other,
        Err("interaction_delivery_already_resolved".to_owned())
    );
    daemon.kill(Half::Worker);
    let list = daemon.result("agent.interaction.list", json!({}));
    assert_eq!(list["interactions"][0]["report"]["state"], "answered");
    assert_eq!(list["reset"], false);
}

#[test]
fn questions_of_a_program_that_is_gone_are_lost() {
    let daemon = Daemon::with_session();
    let record = daemon.resume(3);
    let mut xcsh = Producer::of(&daemon, &record);
    let params = question(&xcsh, "call-9");
    asks(&mut xcsh, &params).expect("a question");
    daemon.result("pane.close", json!({ "pane_id": record["pane_id"] }));
    daemon.execution_becomes(super::BACKEND, "exited");
    let read = daemon.result(
        "agent.interaction.read",
        json!({ "target": target(&xcsh, "call-9") }),
    );
    assert_eq!(read["interaction"]["report"]["state"], "owner_lost");
}

#[test]
fn only_the_execution_itself_asks() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    let mut refuse = |member: &str, value: Value, code: &str| {
        let mut params = question(&xcsh, "call-9");
        match member {
            "native_capability" => params[member] = value,
            _ => params["target"]["owner"][member] = value,
        }
        assert_eq!(asks(&mut xcsh, &params), Err(code.to_owned()), "{member}");
    };
    refuse(
        "native_capability",
        Value::Null,
        "interaction_producer_capability_missing",
    );
    refuse(
        "native_capability",
        json!("forged"),
        "interaction_producer_capability_mismatch",
    );
    refuse(
        "execution_id",
        json!("none"),
        "interaction_execution_not_found",
    );
    refuse("generation", json!(4), "interaction_stale_generation");
    refuse(
        "session_id",
        json!("other"),
        "interaction_provenance_mismatch",
    );
    refuse("more", json!("unknown"), "invalid_request");
    let list = daemon.result("agent.interaction.list", json!({}));
    assert_eq!(list["revision"], 0);
}

#[test]
fn an_answer_that_waits_is_on_no_disk_and_ends_with_the_daemon_as_its_question_does() {
    let daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    let params = question(&xcsh, "call-9");
    asks(&mut xcsh, &params).expect("a question");
    let mut private = answer(&xcsh, "r-1", "US");
    private["answer"]["answers"]["q"]["answers"] = json!(["US", "user_note: a private answer"]);
    daemon.result("agent.interaction.respond", private);
    assert_eq!(deliveries(&mut xcsh).len(), 1);
    let told = [
        daemon.result("agent.interaction.list", json!({})),
        daemon.result("session.snapshot", json!({})),
    ];
    let mut texts: Vec<String> = told.iter().map(Value::to_string).collect();
    texts.push(daemon.log());
    let home = daemon.ended_by(Signal::SIGKILL);
    for file in files(&home.path("state")) {
        let bytes = std::fs::read(&file).expect("a file");
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    assert!(
        texts.iter().any(|text| text.contains("Canada")),
        "it looked at the files, which have the question"
    );
    assert!(!texts.iter().any(|text| text.contains("a private answer")));
    let daemon = Setup::at(home).start();
    let list = daemon.result("agent.interaction.list", json!({}));
    assert_eq!(list["interactions"][0]["report"]["state"], "owner_lost");
    assert_ne!(list["deliveries"][0]["state"], "queued", "{list}");
    let late = takes(&mut xcsh, "r-1", true);
    assert_eq!(late, Err("interaction_owner_lost".to_owned()));
}
