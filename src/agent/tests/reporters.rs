//! Real reporters, as they were seen to behave.

use super::*;
use crate::agent::AgentState::*;

fn crush<'a>(state: AgentState, seq: u64, session_id: &'a str) -> Report<'a> {
    Report {
        session_id: Some(session_id),
        message: Some(""),
        ..report("crush", "crush", state, Some(seq))
    }
}

#[test]
fn crush_from_start_to_release() {
    let mut desk = Desk::in_background();
    let said = desk.report(crush(Idle, 1_790_000_000, ""));
    assert_eq!(said, ["detected crush", "status idle"]);
    assert_eq!(desk.process("crush", 7), NOTHING);
    assert_eq!(
        desk.report(crush(Working, 1_790_000_001, "s-1")),
        ["status working"]
    );
    assert_eq!(
        desk.report(crush(Blocked, 1_790_000_002, "s-1")),
        ["status blocked"]
    );
    assert_eq!(desk.agent.view().blocked, Some(BlockedKind::Approval));
    assert_eq!(
        desk.session_value(),
        None,
        "crush is not an official source"
    );
    let metadata = MetadataReport {
        source: "crush",
        title: Some("Fix it"),
        tokens: vec![("session", Some("s-1")), ("model", None)],
        seq: Some(1_790_000_003),
        ..MetadataReport::default()
    };
    assert_eq!(
        desk.metadata(&metadata).unwrap(),
        ["status blocked", "tokens"]
    );
    assert_eq!(
        desk.report(crush(Idle, 1_790_000_004, "s-1")),
        ["status done"]
    );
    let said = desk.release("crush", "crush", Some(1_790_000_005));
    assert_eq!(said, ["released crush unknown", "status unknown", "tokens"]);
    assert_eq!((desk.label(), desk.title()), (None, None));
    assert_eq!(desk.agent.tokens().count(), 0);
}

#[test]
fn a_dying_native_reporter_is_not_taken_up_again_but_a_new_one_is() {
    let mut desk = Desk::new();
    desk.process("crush", 7);
    desk.report(crush(Working, 5, ""));
    desk.release("crush", "crush", Some(6));
    desk.pass(5000);
    assert_eq!(desk.process("crush", 7), NOTHING);
    assert_eq!(desk.foreground(Foreground::Shell), NOTHING);
    assert_eq!(desk.process("crush", 8), ["detected crush"]);
    assert_eq!(desk.report(crush(Working, 6, "")), NOTHING, "late");
    assert_eq!(desk.report(crush(Idle, 7, "")), ["status idle"]);
}

#[test]
fn a_killed_native_reporter_ends_with_its_process_and_cannot_be_revived() {
    let mut desk = Desk::new();
    desk.process("crush", 7);
    desk.report(crush(Blocked, 5, ""));
    let said = desk.foreground(Foreground::Shell);
    assert_eq!(said, ["released crush idle", "status idle"]);
    desk.pass(300);
    desk.expire();
    assert_eq!(desk.report(crush(Working, 5, "")), NOTHING);
    assert_eq!(desk.label(), None);
}

#[test]
fn metadata_that_a_native_report_overtook_is_dropped() {
    let mut desk = Desk::new();
    desk.report(crush(Working, 5, ""));
    let metadata = MetadataReport {
        source: "crush",
        title: Some("late"),
        seq: Some(4),
        ..MetadataReport::default()
    };
    assert_eq!(desk.metadata(&metadata).unwrap(), NOTHING);
    assert_eq!(desk.title(), None);
}

#[test]
fn a_native_report_is_believed_while_another_agent_still_seems_to_run() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    assert_eq!(
        desk.report(crush(Idle, 5, "")),
        ["detected crush", "status idle"]
    );
}

#[test]
fn xcsh_claims_beats_and_releases() {
    let mut desk = Desk::new();
    desk.numbered("herdr:xcsh", "xcsh", Idle, 10);
    let mut anchor = session("herdr:xcsh", "xcsh", "", Some("startup"));
    anchor.session_path = Some("/s/1.jsonl");
    anchor.seq = Some(11);
    desk.session(anchor);
    assert_eq!(desk.session_value(), Some("/s/1.jsonl"));
    assert!(desk.agent.view().screen_detection_skipped);
    let phase = MetadataReport {
        source: "xcsh:phase",
        applies_to_source: Some("herdr:xcsh"),
        state_labels: vec![("working", "tool_call")],
        seq: Some(10),
        ttl_ms: Some(60_000),
        ..MetadataReport::default()
    };
    assert_eq!(desk.metadata(&phase).unwrap(), ["status idle"]);
    let before = desk.agent.view().state_change_seq;
    let beat = |seq| Heartbeat {
        source: "herdr:xcsh",
        agent: "xcsh",
        seq: Some(seq),
    };
    desk.pass(10_000);
    let outcome = desk.with(|agent, context| agent.heartbeat(&beat(12), context));
    assert_eq!(words(&outcome.effects), NOTHING);
    assert_eq!(desk.agent.view().state_change_seq, before);
    assert_eq!(
        desk.agent.next_look(),
        Some(desk.now + Duration::from_secs(2))
    );
    assert_eq!(desk.numbered("herdr:xcsh", "xcsh", Working, 12), NOTHING);
    let said = desk.release("herdr:xcsh", "xcsh", Some(13));
    assert_eq!(said, ["released xcsh unknown", "status unknown"]);
    assert_eq!(desk.session_value(), None);
    desk.numbered("herdr:xcsh", "xcsh", Idle, 14);
    assert!(desk.agent.view().presentation.state_labels.is_empty());
    desk.release("herdr:xcsh", "xcsh", Some(15));
    let outcome = desk.with(|agent, context| agent.heartbeat(&beat(16), context));
    assert_eq!(outcome, Outcome::default(), "a heartbeat claims nothing");
}

#[test]
fn prime_agent_is_a_custom_reporter_under_an_official_source() {
    let mut desk = Desk::new();
    let seq = 1_790_000_000_000_000;
    let mut working = report("herdr:pi", "prime-agent", Working, Some(seq));
    working.session_path = Some("/s/1.jsonl");
    assert_eq!(
        desk.report(working),
        ["detected prime-agent", "status working"]
    );
    assert_eq!(desk.session_value(), None);
    assert!(!desk.agent.view().screen_detection_skipped);
    let said = desk.release("herdr:pi", "prime-agent", Some(seq + 1));
    assert_eq!(said, ["released prime-agent unknown", "status unknown"]);
}

#[test]
fn pi_reports_everything_and_ends_with_its_process() {
    let mut desk = Desk::new();
    desk.process("pi", 7);
    let mut anchor = session("herdr:pi", "pi", "", Some("startup"));
    anchor.session_path = Some("/s/1.jsonl");
    anchor.seq = Some(1);
    desk.session(anchor);
    let mut working = report("herdr:pi", "pi", Working, Some(2));
    working.session_path = Some("/s/1.jsonl");
    assert_eq!(desk.report(working), ["status working"]);
    assert_eq!(desk.session_value(), Some("/s/1.jsonl"));
    let said = desk.foreground(Foreground::Shell);
    assert_eq!(said, ["released pi idle", "status idle"]);
    assert_eq!(desk.session_value(), None);
    assert!(!desk.agent.view().screen_detection_skipped);
}
