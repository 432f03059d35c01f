//! The whole path, from a program inside a pane to what everybody sees, with nothing set up.

use serde_json::{Value, json};

use super::common::Daemon;

#[test]
fn a_program_in_a_pane_reports_itself_and_looks_around_by_the_bare_word() {
    let daemon = Daemon::start();
    daemon.workspace();
    let pane = daemon.tab();
    let report = "herdr pane report-agent $HERDR_PANE_ID --source my-agent --agent my-agent --state blocked --seq 7";
    assert_eq!(daemon.shell(&pane, &format!("{report}; echo $?")), "0\n");
    let record = daemon.pane(&pane);
    assert_eq!(record["agent"], "my-agent");
    assert_eq!(record["agent_status"], "blocked");

    let listed = daemon.shell(&pane, "herdr pane list");
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["result"], daemon.result("pane.list", json!({})));
    let current = daemon.shell(&pane, "herdr pane current");
    let current: Value = serde_json::from_str(&current).expect("JSON");
    assert_eq!(
        current["result"]["pane"]["pane_id"],
        pane.as_str(),
        "its own, not the focused one"
    );

    let agents = daemon.shell(&pane, "PATH=/usr/bin:/bin; \"$HERDR_BIN_PATH\" agent list");
    let agents: Value = serde_json::from_str(&agents).expect("JSON");
    assert_eq!(agents["id"], "cli:agent:list");
    assert_eq!(agents["result"]["agents"][0]["agent"], "my-agent");

    let release =
        "\"$HERDR_BIN_PATH\" pane release-agent $HERDR_PANE_ID --source my-agent --agent my-agent";
    let release = format!("PATH=/nowhere; {release} --seq 8; echo $?");
    assert_eq!(daemon.shell(&pane, &release), "0\n");
    assert!(daemon.pane(&pane).get("agent").is_none());
}

#[test]
fn a_program_in_a_pane_makes_another_and_talks_to_it() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let split = daemon.shell(&pane, "herdr pane split $HERDR_PANE_ID --direction right");
    let split: Value = serde_json::from_str(&split).expect("JSON");
    let other = split["result"]["pane"]["pane_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let script = format!(
        "herdr pane run {other} \"echo 'spo''ken'\"; herdr pane wait-output {other} --regex 'spoken$' --timeout 20000"
    );
    let said = daemon.shell(&pane, &script);
    assert!(said.contains("output_matched"), "{said}");
    daemon.wait_for_line(&other, "spoken$");
}

#[test]
fn errors_inside_a_pane_are_plain() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let failed = daemon.shell(&pane, "herdr pane get w9:p9; echo $?");
    assert!(
        failed.contains("pane_not_found") && failed.ends_with("\n1\n"),
        "{failed}"
    );
    let nested = daemon.shell(&pane, "herdr; echo $?");
    assert!(
        nested.ends_with("\n1\n"),
        "a herdr does not start inside itself: {nested}"
    );
}
