//! What the person sees of turns: `drover turns`, `drover ps`.

use serde_json::{Value, json};

use super::super::common::Daemon;
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
}
