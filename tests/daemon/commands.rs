//! The commands of `herdr` against a daemon that runs: each does what the method behind it does.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use super::common::{Daemon, Half, Person, until_true};

/// The words of a call, by blanks.
fn run(daemon: &Daemon, line: &str) -> String {
    let end = daemon.herdr(&line.split(' ').collect::<Vec<_>>());
    assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)), "{line}");
    end.stdout
}

/// What a command prints as the result of its request.
fn result(daemon: &Daemon, line: &str) -> Value {
    let answer: Value = serde_json::from_str(&run(daemon, line)).expect("JSON");
    answer["result"].clone()
}

fn silent(daemon: &Daemon, line: &str) {
    assert_eq!(run(daemon, line), "", "{line}");
}

/// One member of everything in a list.
fn each(list: &Value, member: &str) -> Vec<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|one| one[member].as_str().expect("text").to_owned())
        .collect()
}

#[test]
fn workspaces_and_tabs_come_and_go_by_command() {
    let daemon = Daemon::start();
    let result = |line: &str| result(&daemon, line);
    let labels = || each(&result("workspace list")["workspaces"], "label");
    result("workspace create --label one");
    result("workspace create --label two");
    assert_eq!(labels(), ["one", "two"]);
    result("workspace rename w2 a third");
    let second = result("workspace get w2")["workspace"].clone();
    assert_eq!(
        (&second["label"], &second["focused"]),
        (&"a third".into(), &false.into())
    );
    result("workspace focus w2");
    assert_eq!(result("workspace get w2")["workspace"]["focused"], true);
    silent(
        &daemon,
        "workspace report-metadata w1 --source s --token k=v",
    );
    assert_eq!(result("workspace get w1")["workspace"]["tokens"]["k"], "v");

    let tabs = || each(&result("tab list --workspace w1")["tabs"], "label");
    result("tab create --workspace w1 --label more");
    assert_eq!(tabs(), ["1", "more"]);
    result("tab rename w1:t2 most");
    assert_eq!(result("tab get w1:t2")["tab"]["label"], "most");
    result("tab focus w1:t2");
    assert_eq!(result("pane current")["pane"]["tab_id"], "w1:t2");
    result("tab close w1:t1");
    assert_eq!(tabs(), ["most"]);
    result("workspace close w2");
    assert_eq!(labels(), ["one"]);
}

#[test]
fn panes_are_arranged_by_command() {
    let daemon = Daemon::start();
    let result = |line: &str| result(&daemon, line);
    result("workspace create");
    let split = result("pane split w1:p1 --direction right --focus");
    assert_eq!(split["pane"]["pane_id"], "w1:p2");
    let panes = || each(&result("pane list")["panes"], "pane_id");
    assert_eq!(panes(), ["w1:p1", "w1:p2"]);
    let current = || result("pane current")["pane"]["pane_id"].clone();
    assert_eq!(current(), "w1:p2");
    result("pane rename w1:p1 the left one");
    assert_eq!(result("pane get w1:p1")["pane"]["label"], "the left one");
    let info = result("pane process-info --pane w1:p1")["process_info"].clone();
    assert!(info["shell_pid"].is_u64(), "{info}");
    let neighbour = result("pane neighbor --direction right --pane w1:p1")["neighbor"].clone();
    assert_eq!(neighbour["neighbor_pane_id"], "w1:p2");
    assert_eq!(
        result("pane focus --direction left")["focus"]["changed"],
        true
    );
    assert_eq!(current(), "w1:p1");

    let width = || result("pane layout")["layout"]["panes"][0]["rect"]["width"].as_u64();
    let before = width();
    let wider = result("pane resize --direction right --amount 0.1 --pane w1:p1");
    assert_eq!(wider["resize"]["changed"], true);
    assert!(width() > before, "{before:?}");
    assert_eq!(result("pane zoom w1:p1 --on")["zoom"]["zoomed"], true);
    assert_eq!(result("pane zoom w1:p1 --off")["zoom"]["zoomed"], false);
    assert_eq!(result("pane input w1:p1 --right-click pane")["type"], "ok");

    let on_the_left = || result("pane edges --pane w1:p1")["edges"]["left"].clone();
    assert_eq!(on_the_left(), true);
    result("pane swap --source-pane w1:p1 --target-pane w1:p2");
    assert_eq!(on_the_left(), false);
    let moved = result("pane move w1:p2 --new-tab --label own");
    assert_eq!(moved["move_result"]["pane"]["tab_id"], "w1:t2");
    assert_eq!(result("pane close w1:p2")["type"], "ok");
    assert_eq!(panes(), ["w1:p1"]);
}

#[test]
fn text_goes_into_a_pane_and_comes_out_of_it_by_command() {
    let daemon = Daemon::start();
    daemon.workspace();
    silent(&daemon, "pane send-text w1:p1 echo 'ty''ped'");
    silent(&daemon, "pane send-keys w1:p1 enter");
    let matched = result(
        &daemon,
        "pane wait-output w1:p1 --regex typed$ --timeout 20000",
    );
    assert_eq!(matched["type"], "output_matched");
    silent(&daemon, "pane run w1:p1 echo 'r''un'");
    daemon.wait_for_line("w1:p1", "run$");
    let text = run(&daemon, "pane read w1:p1 --source recent --lines 100");
    assert!(text.contains("typed\n") && text.contains("run\n"), "{text}");
}

#[test]
fn agents_are_reported_and_found_by_command() {
    let daemon = Daemon::start();
    let result = |line: &str| result(&daemon, line);
    let pane = daemon.busy(daemon.workspace());
    let report = format!("pane report-agent {pane} --source bot --agent bot --state");
    silent(&daemon, &format!("{report} working"));
    assert_eq!(each(&result("agent list")["agents"], "pane_id"), ["w1:p1"]);
    result("agent rename w1:p1 ann");
    assert_eq!(result("agent get ann")["agent"]["agent_status"], "working");
    let found = result("agent wait ann --until working --timeout 20000");
    assert_eq!(found["agent"]["pane_id"], "w1:p1");
    assert!(run(&daemon, "agent read ann --source recent").contains("busy\n"));
    silent(
        &daemon,
        "pane report-metadata w1:p1 --source bot --title Title",
    );
    assert_eq!(result("agent get ann")["agent"]["title"], "Title");
    daemon.tab();
    assert_eq!(result("agent focus ann")["agent"]["focused"], true);
    assert_eq!(result("agent send-keys ann o k enter")["type"], "ok");
    daemon.wait_for_line(&pane, "^ok$");
    silent(&daemon, "pane release-agent w1:p1 --source bot --agent bot");
    assert_eq!(result("agent list")["agents"], Value::Array(Vec::new()));
    silent(
        &daemon,
        "pane report-agent-session w1:p1 --source herdr:claude --agent claude --agent-session-id one",
    );
    assert_eq!(daemon.pane(&pane)["agent_session"]["value"], "one");
}

#[test]
fn the_server_is_asked_by_command() {
    let daemon = Daemon::start();
    let result = |line: &str| result(&daemon, line);
    daemon.workspace();
    let snapshot = result("api snapshot")["snapshot"].clone();
    assert_eq!(each(&snapshot["panes"], "pane_id"), ["w1:p1"]);
    daemon.home.configure("terminal.nosuch = 1\n");
    let reload = result("server reload-config");
    assert!(
        reload["diagnostics"].to_string().contains("nosuch"),
        "{reload}"
    );
    for line in [
        "server agent-manifests --json",
        "server reload-agent-manifests",
    ] {
        let agents = each(&result(line)["manifests"], "agent");
        assert!(agents.contains(&"claude".to_owned()), "{line}: {agents:?}");
    }
    let integrations = each(&result("integration list")["integrations"], "target");
    assert!(
        integrations.contains(&"claude".to_owned()),
        "{integrations:?}"
    );
    assert_eq!(result("notification show Hello")["reason"], "disabled");
    let schema: Value = serde_json::from_str(&run(&daemon, "api schema --json")).expect("JSON");
    assert_eq!(schema["protocol"], 22, "{}", schema["title"]);
}

#[test]
fn a_server_that_is_handed_over_by_request_or_command_keeps_its_panes() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let first = daemon.home.half(Half::Worker);
    daemon.result("server.live_handoff", json!({}));
    until_true("another worker", || daemon.home.half(Half::Worker) != first);
    let second = daemon.home.half(Half::Worker);
    let end = daemon.herdr(&["server", "live-handoff"]);
    assert_eq!((end.stdout.as_str(), end.code), ("", Some(0)), "{end:?}");
    until_true("a third", || daemon.home.half(Half::Worker) != second);
    daemon.enter(&pane, "still there");
    daemon.wait_for_line(&pane, "^still there$");
}

#[test]
fn a_hook_tells_by_command_which_session_is_open() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let line = r#"echo '{"session_id": "one"}' | herdr integration hook claude session"#;
    daemon.enter(&pane, line);
    until_true("the session", || {
        daemon.pane(&pane)["agent_session"]["value"] == "one"
    });
}

#[test]
fn a_terminal_is_attached_by_each_of_the_commands_that_do_so() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    run(
        &daemon,
        "pane report-agent w1:p1 --source bot --agent bot --state idle",
    );
    run(&daemon, "agent rename w1:p1 ann");
    for words in [
        ["terminal", "attach", pane.as_str()],
        ["agent", "attach", "ann"],
        ["session", "attach", "default"],
    ] {
        let words = [&["herdr"], &words[..]].concat();
        let mut person = Person::run(&daemon.home, &words, (80, 24));
        person.see("busy");
        person.press(b"\x02q");
        assert_eq!(person.ended(), Some(0), "{words:?}");
        person.has_its_terminal_back();
    }
}

#[test]
fn a_pane_is_observed_by_command_until_it_closes() {
    let daemon = Daemon::start();
    let pane = daemon.split(&daemon.workspace());
    let mut child = daemon
        .home
        .command(&daemon.home.path("run/drover/bin/herdr"))
        .args(["terminal", "session", "observe", &pane])
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut records = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut record = || -> Option<Value> {
        let line = records.next()?.expect("a line");
        Some(serde_json::from_str(&line).expect("JSON"))
    };
    assert_eq!(record().expect("a record")["type"], "terminal.frame");
    daemon.result("pane.close", json!({ "pane_id": pane }));
    let last = std::iter::from_fn(record).last().expect("a last record");
    assert_eq!(last["reason"], "terminal closed", "{last}");
    assert!(child.wait().expect("ended").success());
}
