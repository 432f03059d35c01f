//! Agents by name or pane: looking, waiting, naming, typing; and agents that are found by themselves.

use serde_json::{Value, json};

use super::common::{Connection, Daemon, names, until_true};

fn report(daemon: &Daemon, pane: &str, state: &str) {
    let params = json!({ "pane_id": pane, "source": "bot", "agent": "bot", "state": state });
    daemon.result("pane.report_agent", params);
}

fn release(daemon: &Daemon, pane: &str) {
    let params = json!({ "pane_id": pane, "source": "bot", "agent": "bot" });
    daemon.result("pane.release_agent", params);
}

fn agent(daemon: &Daemon, target: &str) -> Value {
    daemon.result("agent.get", json!({ "target": target }))["agent"].clone()
}

#[test]
fn agents_are_listed_in_the_order_of_their_panes() {
    let daemon = Daemon::start();
    daemon.busy(daemon.workspace());
    let (tab, second) = (
        daemon.busy(daemon.tab()),
        daemon.busy(daemon.split("w1:p1")),
    );
    for pane in [&tab, &second, "w1:p1"] {
        report(&daemon, pane, "working");
    }
    let list = daemon.result("agent.list", json!({}));
    let list = list["agents"].as_array().expect("a list");
    let panes: Vec<_> = list
        .iter()
        .map(|agent| agent["pane_id"].as_str().expect("an id"))
        .collect();
    assert_eq!(panes, ["w1:p1", &second, &tab]);
    let first = agent(&daemon, "w1:p1");
    assert_eq!(first["agent"], "bot");
    assert_eq!(first["agent_status"], "working");
    assert_eq!(first["focused"], true);
    assert_eq!(first["terminal_id"], daemon.pane("w1:p1")["terminal_id"]);
    for absent in [
        "name",
        "launch_pending",
        "interactive_ready",
        "screen_detection_skipped",
        "label",
        "scroll",
    ] {
        assert!(first.get(absent).is_none(), "{absent} in {first}");
    }
}

#[test]
fn only_a_panes_present_id_or_a_name_is_an_agent() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let refused = |target: &str| {
        let message = format!("agent target {target} not found");
        for method in ["agent.get", "agent.focus", "agent.rename", "agent.wait"] {
            daemon.refuses(
                method,
                json!({ "target": target }),
                "agent_not_found",
                &message,
            );
        }
        let keys = json!({ "target": target, "keys": [] });
        daemon.refuses("agent.send_keys", keys, "agent_not_found", &message);
        let read = json!({ "target": target, "source": "visible" });
        daemon.refuses("agent.read", read, "agent_not_found", &message);
    };
    refused(&pane);
    report(&daemon, &pane, "working");
    let terminal = daemon.pane(&pane)["terminal_id"].clone();
    for target in [
        "bot",
        "1:p1",
        "w1-1",
        "w1",
        "",
        terminal.as_str().expect("text"),
    ] {
        refused(target);
    }
    daemon.result("agent.rename", json!({ "target": pane, "name": "rev" }));
    assert_eq!(agent(&daemon, "rev")["pane_id"], pane.as_str());
    let read = daemon.result(
        "agent.read",
        json!({ "target": "rev", "source": "visible" }),
    );
    assert_eq!(read["read"]["pane_id"], pane.as_str());
}

#[test]
fn names_are_checked_and_taken_once() {
    let daemon = Daemon::start();
    let first = daemon.busy(daemon.workspace());
    let second = daemon.busy(daemon.split(&first));
    for pane in [&first, &second] {
        report(&daemon, pane, "working");
    }
    let mut stream = daemon.subscribe_to_everything(&[]);
    let rename = |target: &str, name: Value| {
        daemon.rpc("agent.rename", json!({ "target": target, "name": name }))
    };
    let long = format!("a{}", "b".repeat(32));
    for name in ["", "A", "1a", "a b", "-a", "ä", &long] {
        let error = rename(&first, json!(name))["error"].clone();
        assert_eq!(error["code"], "invalid_agent_name", "{name}");
        let message = "agent name must start with a lowercase letter and contain only lowercase letters, digits, '-' or '_' (1-32 characters)";
        assert_eq!(error["message"], message);
    }
    assert_eq!(
        rename(&first, json!("a-1_b"))["result"]["agent"]["name"],
        "a-1_b"
    );
    assert_eq!(
        rename("a-1_b", json!("a-1_b"))["result"]["agent"]["name"],
        "a-1_b",
        "its own"
    );
    let error = rename(&second, json!("a-1_b"))["error"].clone();
    assert_eq!(error["code"], "agent_name_taken");
    let message = error["message"].as_str().expect("text");
    let start = "agent name a-1_b is already used; candidates: terminal_id=term_";
    assert!(message.starts_with(start), "{message}");
    assert!(
        message.contains("pane_id=w1:p1 workspace_id=w1 tab_id=w1:t1 cwd="),
        "{message}"
    );
    assert!(message.ends_with("status=Working"), "{message}");
    let cleared = rename("a-1_b", Value::Null);
    assert!(
        cleared["result"]["agent"].get("name").is_none(),
        "{cleared}"
    );
    assert_eq!(
        rename(&second, json!("a-1_b"))["result"]["agent"]["name"],
        "a-1_b"
    );
    assert_eq!(names(&stream.so_far(&daemon)), ["pane_updated"; 3]);
    release(&daemon, &second);
    let events = stream.so_far(&daemon);
    assert_eq!(names(&events), ["pane_updated", "pane_agent_detected"]);
    daemon.refuses(
        "agent.get",
        json!({ "target": "a-1_b" }),
        "agent_not_found",
        "agent target a-1_b not found",
    );
}

#[test]
fn keys_reach_an_agent_that_holds_its_pane() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.enter(&pane, "echo 'rea''dy'; cat -v");
    daemon.wait_for_line(&pane, "ready$");
    report(&daemon, &pane, "blocked");
    daemon.result("agent.rename", json!({ "target": pane, "name": "rev" }));
    let bad = json!({ "target": "rev", "keys": ["x", "nokey"] });
    daemon.refuses(
        "agent.send_keys",
        bad,
        "invalid_key",
        "unsupported key nokey",
    );
    let keys = json!({ "target": "rev", "keys": ["y", "esc", "enter"] });
    daemon.result("agent.send_keys", keys);
    daemon.wait_for_line(&pane, r"^y\^\[$");
}

fn waiting(daemon: &Daemon, target: &str, until: Value) -> Connection {
    let mut connection = daemon.connect();
    connection.request(
        "w",
        "agent.wait",
        json!({ "target": target, "until": until }),
    );
    connection
}

/// The status that a wait is answered with, or the code that it is refused with.
fn outcome(connection: &mut Connection) -> String {
    let answer = connection.line().expect("an answer");
    let status = answer["result"]["agent"]["agent_status"].as_str();
    status
        .or(answer["error"]["code"].as_str())
        .expect("an outcome")
        .to_owned()
}

#[test]
fn a_wait_looks_at_the_present_status_first() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    for (state, found) in [
        ("idle", true),
        ("blocked", true),
        ("working", false),
        ("unknown", false),
    ] {
        report(&daemon, &pane, state);
        let answer = daemon.rpc("agent.wait", json!({ "target": pane, "timeout_ms": 0 }));
        if found {
            assert_eq!(answer["result"]["agent"]["agent_status"], state);
        } else {
            let error =
                json!({ "code": "timeout", "message": "timed out waiting for agent status" });
            assert_eq!(answer["error"], error);
        }
    }
    let params = json!({ "target": pane, "until": ["done"], "timeout_ms": 30 });
    daemon.refuses(
        "agent.wait",
        params,
        "timeout",
        "timed out waiting for agent status",
    );
    let params = json!({ "target": pane, "until": ["unknown"], "timeout_ms": 0 });
    assert_eq!(
        daemon.result("agent.wait", params)["agent"]["agent_status"],
        "unknown"
    );
}

#[test]
fn a_wait_sees_a_status_however_brief() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    report(&daemon, &pane, "working");
    let mut wait = waiting(&daemon, &pane, json!(["blocked"]));
    // Whenever it begins to wait, one of these comes after.
    until_true("the end of the wait", || {
        report(&daemon, &pane, "blocked");
        report(&daemon, &pane, "working");
        wait.has_something()
    });
    assert_eq!(outcome(&mut wait), "blocked", "as it was when it matched");
}

#[test]
fn a_wait_ends_when_its_agent_leaves() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    daemon.split(&pane);
    let leave = |how: &dyn Fn()| {
        report(&daemon, &pane, "working");
        let mut wait = waiting(&daemon, &pane, json!(["done"]));
        how();
        outcome(&mut wait)
    };
    // One that was not read before the agent left does not even find it.
    let left = |outcome: String| {
        let codes = ["agent_not_running", "agent_not_found"];
        assert!(codes.contains(&outcome.as_str()), "{outcome}");
    };
    left(leave(&|| release(&daemon, &pane)));
    let mut wait = {
        report(&daemon, &pane, "working");
        waiting(&daemon, &pane, json!(["unknown"]))
    };
    release(&daemon, &pane);
    let outcome = outcome(&mut wait);
    assert!(
        ["unknown", "agent_not_running", "agent_not_found"].contains(&outcome.as_str()),
        "{outcome}"
    );
    left(leave(&|| {
        daemon.result("pane.close", json!({ "pane_id": pane }));
    }));
}

/// A program that is an agent by its name, says so, and ends at Enter.
const AGENT: &str = "#!/bin/sh\necho \"$0 is he\"re\nread line\n";

#[test]
fn an_agent_in_the_foreground_is_found_and_its_end_is_told() {
    for name in ["claude", "pi", "codex"] {
        let daemon = Daemon::start();
        daemon.home.script(name, AGENT);
        let pane = daemon.workspace();
        let mut stream = daemon.subscribe_to_everything(&[&pane]);
        daemon.enter(&pane, name);
        let detected = stream.skip_to("pane_agent_detected")["data"].clone();
        let expected = json!({
            "type": "pane_agent_detected", "pane_id": pane, "workspace_id": "w1", "agent": name,
        });
        assert_eq!(detected, expected);
        assert_eq!(daemon.pane(&pane)["agent"], name);
        assert_eq!(agent(&daemon, &pane)["agent"], name);
        daemon.result("agent.rename", json!({ "target": pane, "name": "mine" }));
        daemon.result(
            "agent.send_keys",
            json!({ "target": "mine", "keys": ["enter"] }),
        );
        let released = stream.skip_to("pane_agent_detected")["data"].clone();
        assert_eq!(released["agent"], name, "{released}");
        assert_eq!(released["released"], true, "{released}");
        let status = released["final_status"].as_str().expect("text");
        assert!(["idle", "unknown"].contains(&status), "{released}");
        until_true("no agent", || daemon.pane(&pane).get("agent").is_none());
        assert_eq!(daemon.result("agent.list", json!({}))["agents"], json!([]));
        until_true("no status", || {
            daemon.pane(&pane)["agent_status"] == "unknown"
        });
    }
}

#[test]
fn a_program_can_say_which_agent_it_is() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.enter(&pane, "HERDR_AGENT=Claude-Code cat");
    until_true("the agent", || daemon.pane(&pane)["agent"] == "claude");
    daemon.result(
        "pane.send_keys",
        json!({ "pane_id": pane, "keys": ["ctrl+c"] }),
    );
    until_true("its end", || daemon.pane(&pane).get("agent").is_none());
}

#[test]
fn what_is_no_agent_is_none() {
    let daemon = Daemon::start();
    daemon.home.script("bot", AGENT);
    let pane = daemon.workspace();
    let mut stream = daemon.subscribe_to_everything(&[&pane]);
    daemon.enter(&pane, "bot");
    daemon.wait_for_line(&pane, "here$");
    daemon.enter(&pane, "");
    daemon.shell(&pane, "true");
    assert_eq!(names(&stream.so_far(&daemon)), Vec::<&str>::new());
}

#[test]
fn an_exit_takes_what_the_agent_reported_along() {
    let daemon = Daemon::start();
    daemon.home.script("claude", AGENT);
    let pane = daemon.workspace();
    daemon.enter(&pane, "claude");
    until_true("the agent", || daemon.pane(&pane)["agent"] == "claude");
    let report = |state: &str| json!({ "pane_id": pane, "source": "mine", "agent": "claude", "state": state, "seq": 100 });
    daemon.result("pane.report_agent", report("working"));
    assert_eq!(daemon.pane(&pane)["agent_status"], "working");
    let mut wait = waiting(&daemon, &pane, json!(["blocked"]));
    daemon.enter(&pane, "");
    until_true("its end", || daemon.pane(&pane).get("agent").is_none());
    let outcome = outcome(&mut wait);
    assert!(
        ["agent_not_running", "agent_not_found"].contains(&outcome.as_str()),
        "{outcome}"
    );
    // Its numbers are forgotten as well: a new one may count from the start.
    daemon.enter(&pane, "claude");
    until_true("the agent again", || {
        daemon.pane(&pane)["agent"] == "claude"
    });
    let mut again = report("blocked");
    again["seq"] = json!(1);
    daemon.result("pane.report_agent", again);
    assert_eq!(daemon.pane(&pane)["agent_status"], "blocked");
}

#[test]
fn an_agent_whose_pane_exits_is_released_first() {
    let daemon = Daemon::start();
    daemon.home.script("claude", AGENT);
    let pane = daemon.workspace();
    let other = daemon.split(&pane);
    daemon.enter(&other, "exec claude");
    until_true("the agent", || daemon.pane(&other)["agent"] == "claude");
    let mut stream = daemon.subscribe(json!([
        { "type": "pane.agent_detected" }, { "type": "pane.exited" }, { "type": "workspace.renamed" },
    ]));
    daemon.enter(&other, "");
    let events = stream.take(2);
    assert_eq!(names(&events), ["pane_agent_detected", "pane_exited"]);
    assert_eq!(events[0]["data"]["released"], true);
    // One that only said what it is goes without a word (herdr 0.9.3).
    report(&daemon, &pane, "working");
    assert_eq!(names(&stream.take(1)), ["pane_agent_detected"]);
    let third = daemon.split(&pane);
    daemon.enter(&pane, "exit");
    assert_eq!(names(&stream.take(1)), ["pane_exited"]);
    assert_eq!(daemon.pane(&third)["focused"], true);
}

#[test]
fn a_custom_agent_is_gone_when_its_shell_is_back() {
    let daemon = Daemon::start();
    daemon.home.script("bot", AGENT);
    let pane = daemon.workspace();
    daemon.enter(&pane, "bot");
    daemon.wait_for_line(&pane, "here$");
    report(&daemon, &pane, "working");
    let mut stream = daemon.subscribe_to_everything(&[&pane]);
    // At once, so that nothing happens any more when the report is old enough to be doubted.
    daemon.enter(&pane, "");
    let events = stream.take(2);
    assert_eq!(
        names(&events),
        ["pane_agent_detected", "pane.agent_status_changed"]
    );
    assert_eq!(events[0]["data"]["released"], true);
    assert_eq!(events[0]["data"]["agent"], "bot");
    assert!(daemon.pane(&pane).get("agent").is_none());
}

#[test]
fn a_custom_agent_in_the_place_of_the_shell_stays() {
    let daemon = Daemon::start();
    daemon.home.script("bot", AGENT);
    let first = daemon.workspace();
    let (bot, idle) = (daemon.split(&first), daemon.split(&first));
    daemon.enter(&bot, "exec bot");
    daemon.wait_for_line(&bot, "here$");
    report(&daemon, &bot, "working");
    report(&daemon, &idle, "working");
    // The later report of the two was doubted, and so the other was as well.
    until_true("the end of the one at the prompt", || {
        daemon.pane(&idle).get("agent").is_none()
    });
    assert_eq!(daemon.pane(&bot)["agent"], "bot");
}
