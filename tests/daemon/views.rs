//! A view of the agents: which are shown to people, and in which order.

use serde_json::{Value, json};

use super::common::Daemon;

/// Three panes: one without an agent, one whose agent works, one whose agent is blocked.
fn scene() -> Daemon {
    let daemon = Daemon::start();
    daemon.workspace();
    for state in ["working", "blocked"] {
        let pane = daemon.split("w1:p1");
        let pane = daemon.busy(pane);
        let report = json!({ "pane_id": pane, "source": "me", "agent": "bot", "state": state });
        daemon.result("pane.report_agent", report);
    }
    daemon
}

fn shown(daemon: &Daemon) -> Value {
    daemon.result("session.snapshot", json!({}))["snapshot"]["agent_view"]["pane_ids"].clone()
}

fn printed(daemon: &Daemon, words: &[&str]) -> Vec<String> {
    let end = daemon.home.drover(&[&["ps"], words].concat());
    assert_eq!(end.code, Some(0), "{end:?}");
    let lines = end.stdout.lines();
    lines
        .map(|line| line.split('\t').next().expect("a pane").to_owned())
        .collect()
}

#[test]
fn a_view_orders_what_people_see_and_nothing_else() {
    let daemon = scene();
    assert_eq!(shown(&daemon), Value::Null);
    assert_eq!(printed(&daemon, &[]), ["w1:p1", "w1:p3", "w1:p2"]);
    let view = json!({
        "source": "me", "label": "Mine", "sort": [{ "field": "status", "order": "desc" }],
    });
    let set = daemon.result("agent.view.set", view);
    let expected = json!({ "type": "agent_view", "active": true, "source": "me", "label": "Mine" });
    assert_eq!(set, expected);
    assert_eq!(shown(&daemon), json!(["w1:p2", "w1:p3"]));
    assert_eq!(printed(&daemon, &[]), ["w1:p2", "w1:p3"]);
    assert_eq!(printed(&daemon, &["--all"]).len(), 3);
    let agents = daemon.result("agent.list", json!({}))["agents"].clone();
    assert_eq!(agents[0]["pane_id"], "w1:p3", "lists stay as they are");

    let filter = json!({ "op": "eq", "field": "status", "value": "blocked" });
    daemon.result(
        "agent.view.set",
        json!({ "source": "other", "filter": filter }),
    );
    assert_eq!(shown(&daemon), json!(["w1:p3"]));
    let idle = json!({ "pane_id": "w1:p3", "source": "me", "agent": "bot", "state": "working" });
    daemon.result("pane.report_agent", idle);
    assert_eq!(shown(&daemon), json!([]), "it is looked at anew each time");
}

#[test]
fn a_view_is_cleared_by_its_owner_or_by_nobody_in_particular() {
    let daemon = Daemon::start();
    let clear = |params: Value| daemon.result("agent.view.clear", params);
    let active = json!({ "type": "agent_view", "active": true, "source": "me" });
    let none = json!({ "type": "agent_view", "active": false });
    assert_eq!(clear(json!({})), none);
    daemon.result("agent.view.set", json!({ "source": "me" }));
    assert_eq!(clear(json!({ "source": "other" })), active);
    assert_eq!(clear(json!({ "source": "me" })), none);
    daemon.result("agent.view.set", json!({ "source": "me" }));
    assert_eq!(clear(json!({})), none);
}

#[test]
fn a_view_that_cannot_be_leaves_the_one_that_is() {
    let daemon = Daemon::start();
    daemon.result("agent.view.set", json!({ "source": "me" }));
    let bad = json!({ "source": "you", "label": "" });
    let words = "agent view label must be non-empty and at most 32 characters";
    daemon.refuses("agent.view.set", bad, "invalid_agent_view", words);
    let plugin = json!({ "source": "plugin:nowhere" });
    daemon.refuses(
        "agent.view.set",
        plugin,
        "plugin_not_found",
        "plugin not found",
    );
    let left = daemon.result("agent.view.clear", json!({ "source": "nobody" }));
    assert_eq!(left["source"], "me");
}
