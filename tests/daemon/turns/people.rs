//! What the person sees of turns: `drover turns`, `drover ps`.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::super::common::{Daemon, Half, Person};
use super::BACKEND;
use super::producer::Producer;

#[test]
fn the_person_sees_turns_with_their_results_and_cancels_them() {
    let daemon = Daemon::with_session();
    let printed = |words: &[&str]| {
        let end = daemon.home.drover(words);
        assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""), "{words:?}");
        end.stdout
    };
    assert!(printed(&["turns"]).starts_with("no executions yet"));
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    assert!(printed(&["turns"]).contains("task-42"));
    xcsh.next("starting");
    xcsh.next("waiting_input");
    let text = printed(&["turns"]);
    let words: Vec<&str> = text
        .lines()
        .nth(1)
        .expect("a line")
        .split_whitespace()
        .collect();
    assert_eq!(words[..2], ["task-42", "3"]);
    assert!(
        text.contains("waiting_input") && text.contains("user input required"),
        "{text}"
    );

    let asked = printed(&["turns", "cancel", "task-42"]);
    assert_eq!(
        asked,
        format!("{BACKEND} is asked to cancel its turn; its program goes on\n")
    );
    assert_eq!(xcsh.acknowledges(), Ok(true));
    xcsh.next("cancelled");
    let shown: Value = serde_json::from_str(&printed(&["turns", "--json"])).expect("JSON");
    let turn = &shown["turns"][0];
    assert_eq!(
        (&turn["turn_state"], &turn["execution_state"]),
        (&json!("cancelled"), &json!("cancelled"))
    );
    let again = printed(&["turns", "cancel", "task-42"]);
    assert_eq!(
        again,
        format!("{BACKEND} does not run any more: cancelled\n")
    );
    let missing = daemon.home.drover(&["turns", "cancel", "none"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.contains("execution none not found"),
        "{}",
        missing.stderr
    );
}

#[test]
fn the_phase_that_xcsh_reports_is_in_the_list_of_panes() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let claim = json!({ "pane_id": pane, "source": "herdr:xcsh", "agent": "xcsh", "state": "working", "seq": 1 });
    daemon.result("pane.report_agent", claim);
    let phase = json!({
        "pane_id": pane, "source": "xcsh:phase", "applies_to_source": "herdr:xcsh", "seq": 1,
        "state_labels": { "working": "tool_call" }, "ttl_ms": 60_000,
    });
    daemon.result("pane.report_metadata", phase);
    let end = daemon.home.drover(&["ps", "--json"]);
    let shown: Value = serde_json::from_str(&end.stdout).expect("JSON");
    let row = &shown["panes"][0];
    assert_eq!(
        (&row["agent_status"], &row["phase"]),
        (&json!("working"), &json!("tool_call"))
    );
    let mut list = Person::run(&daemon.home, &["ps"], (160, 24));
    list.see("working (tool_call)");
    assert_eq!(list.ended(), Some(0));
    let mut top = Person::run(&daemon.home, &["top"], (100, 24));
    top.see("xcsh: tool_call");
    let cleared = json!({
        "pane_id": pane, "source": "xcsh:phase", "applies_to_source": "herdr:xcsh", "seq": 2,
        "clear_state_labels": true,
    });
    daemon.result("pane.report_metadata", cleared);
    top.until("a list without it", |top| {
        let text = top.text();
        text.contains("xcsh") && !text.contains("tool_call")
    });
    top.press(b"q");
    assert_eq!(top.ended(), Some(0));
}

/// The lines of a terminal that are JSON.
fn lines(person: &Person) -> Vec<Value> {
    let text = person.text();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

#[test]
fn whoever_follows_sees_each_phase_once_over_the_death_of_the_worker_until_the_daemon_stops() {
    let mut daemon = Daemon::with_session();
    let mut xcsh = Producer::of(&daemon, &daemon.resume(3));
    let home = daemon.home.clone();
    let mut table = Person::run(&home, &["turns", "--follow"], (160, 40));
    table.see("task-42");
    // As wide as a line is long.
    let mut json = Person::run(&home, &["turns", "--follow", "--json"], (600, 40));
    json.see("task-42");
    let phases = [
        ("starting", "starting"),
        ("working", "working"),
        ("waiting_input", "user input required"),
        ("working", "working"),
        ("completed", "durable result"),
    ];
    for (number, (state, says)) in phases.into_iter().enumerate() {
        if number == 2 {
            // What follows goes on with the next worker.
            daemon.kill(Half::Worker);
        }
        xcsh.next(state);
        table.see(says);
        json.until(state, |json| {
            let seen = lines(json);
            seen.last().is_some_and(|last| last["turn_state"] == state)
        });
        if state == "working" {
            // The same phase again is no news.
            xcsh.next(state);
        }
    }
    let seen: Vec<Value> = lines(&json)
        .into_iter()
        .map(|line| line["turn_state"].clone())
        .collect();
    let expected: Vec<Value> = [Value::Null]
        .into_iter()
        .chain(phases.iter().map(|(state, _)| json!(state)))
        .collect();
    assert_eq!(seen, expected);
    let mut leaves = Person::run(&home, &["turns", "--follow"], (160, 40));
    leaves.see("durable result");
    leaves.press(b"\x03");
    assert_eq!(leaves.ended(), None, "ended by the signal of ctrl+c");
    daemon.ended_by(Signal::SIGTERM);
    assert_eq!((table.ended(), json.ended()), (Some(0), Some(0)));
}

#[test]
fn a_program_that_is_not_xcsh_is_ended_by_cancel() {
    let daemon = Daemon::with_session();
    let start = json!({ "execution_id": "job-1", "cwd": "/", "mode": "argv", "argv": ["xcsh"] });
    daemon.result("execution.start", start);
    let end = daemon.home.drover(&["turns", "cancel", "job-1"]);
    assert_eq!(
        (end.code, &*end.stdout),
        (Some(0), "job-1 is being ended\n")
    );
    daemon.execution_becomes("job-1", "cancelled");
    let unnamed = daemon.home.drover(&["turns", "cancel"]);
    assert_eq!(unnamed.code, Some(2), "{}", unnamed.stderr);
}
