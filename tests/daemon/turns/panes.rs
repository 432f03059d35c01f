//! What xcsh reports of its pane beside its turns, and what the workspaces that it makes take.

use serde_json::{Value, json};

use super::super::common::Daemon;

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
    say(phase(SEQ + 1, json!({ "clear_state_labels": true })));
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

#[test]
fn the_calls_of_xcsh_herdr_make_a_workspace_of_its_own() {
    let daemon = Daemon::start();
    daemon.workspace();
    let json_of = |words: &[&str]| -> Value {
        let end = daemon.herdr(words);
        assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""), "{words:?}");
        serde_json::from_str(&end.stdout).unwrap_or(Value::Null)
    };
    let owner = "XCSH_HERDR_OWNER=11111111-2222-4333-8444-555555555555";
    let created = json_of(&[
        "workspace",
        "create",
        "--cwd",
        "/",
        "--label",
        "xcsh-1",
        "--env",
        owner,
        "--env",
        "XCSH_HERDR_BINDING_PATH=/nonexistent/binding.json",
        "--focus",
    ]);
    let id = |value: &Value| value.as_str().expect("an id").to_owned();
    let workspace = id(&created["result"]["workspace"]["workspace_id"]);
    let pane = id(&created["result"]["root_pane"]["pane_id"]);
    let token = "xcsh_owner=11111111-2222-4333-8444-555555555555";
    json_of(&[
        "workspace",
        "report-metadata",
        &workspace,
        "--source",
        "xcsh:terminal",
        "--token",
        token,
    ]);
    json_of(&[
        "pane",
        "report-metadata",
        &pane,
        "--source",
        "xcsh:terminal",
        "--token",
        token,
    ]);
    json_of(&["pane", "run", &pane, "echo \"owner is $XCSH_HERDR_OWNER\""]);
    daemon.wait_for_line(&pane, "owner is 11111111-2222-4333-8444-555555555555$");
    let listed = daemon.result("pane.list", json!({ "workspace_id": workspace }));
    assert_eq!(
        listed["panes"][0]["tokens"]["xcsh_owner"],
        token.split_once('=').expect("a value").1
    );
    assert_eq!(listed["panes"].as_array().expect("a list").len(), 1);
}
