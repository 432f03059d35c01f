//! State reports: numbers, conflicts, resume commands.

use super::*;
use crate::agent::AgentState::*;

#[test]
fn a_report_claims_the_pane_and_a_repeated_one_says_nothing() {
    let mut desk = Desk::new();
    let said = desk.state("custom:bot", "my-bot", Working);
    assert_eq!(said, ["detected my-bot", "status working"]);
    assert_eq!(desk.state("custom:bot", "my-bot", Working), NOTHING);
    assert_eq!(
        desk.state("custom:bot", "my-bot", Blocked),
        ["status blocked"]
    );
    assert!(desk.agent.view().hosts_agent());
}

#[test]
fn an_empty_source_is_accepted_and_an_empty_label_is_not() {
    let mut desk = Desk::new();
    assert_eq!(
        desk.state("", "my-bot", Idle),
        ["detected my-bot", "status idle"]
    );
    let blank = report("s", " \t", Idle, None);
    let outcome = desk.with(|agent, context| agent.report(&blank, context));
    let error = outcome.refusal.unwrap();
    assert_eq!(error.code(), "invalid_agent");
    assert_eq!(error.message(), "agent label must not be empty");
    assert!(!outcome.effects.changed);
}

#[test]
fn an_alias_becomes_the_canonical_label_and_other_labels_are_trimmed() {
    let mut desk = Desk::new();
    assert_eq!(desk.state("s", " Claude-Code ", Idle)[0], "detected claude");
    assert_eq!(desk.state("s", " My Bot ", Idle)[0], "detected My Bot");
}

#[test]
fn overlong_names_are_refused() {
    let mut desk = Desk::new();
    let long = "x".repeat(257);
    for (source, label) in [(long.as_str(), "a"), ("a", long.as_str())] {
        let report = report(source, label, Idle, None);
        let outcome = desk.with(|agent, context| agent.report(&report, context));
        assert_eq!(outcome.refusal, Some(AgentError::NameTooLong));
    }
}

#[test]
fn numbers_order_the_reports_of_one_source() {
    let mut desk = Desk::new();
    desk.state("s", "my-bot", Idle);
    desk.numbered("s", "my-bot", Working, 10);
    assert_eq!(desk.numbered("s", "my-bot", Idle, 10), NOTHING);
    assert_eq!(desk.numbered("s", "my-bot", Idle, 9), NOTHING);
    assert_eq!(
        desk.state("s", "my-bot", Idle),
        NOTHING,
        "a number is now due"
    );
    assert_eq!(desk.status(), Status::Working);
    assert_eq!(desk.numbered("s", "my-bot", Idle, 11), ["status idle"]);
}

#[test]
fn a_report_refused_for_another_reason_uses_up_no_number() {
    let mut desk = Desk::new();
    desk.process("codex", 7);
    assert_eq!(desk.numbered("s", "claude", Working, 5), NOTHING);
    desk.process("claude", 8);
    assert_eq!(desk.numbered("s", "claude", Working, 5), ["status working"]);
}

#[test]
fn two_reporters_that_alternate_overwrite_each_other() {
    let mut desk = Desk::new();
    desk.state("custom:a", "bot-a", Working);
    let said = desk.state("custom:b", "bot-b", Blocked);
    assert_eq!(said, ["detected bot-b", "status blocked"]);
    let said = desk.state("custom:a", "bot-a", Working);
    assert_eq!(said, ["detected bot-a", "status working"]);
}

#[test]
fn a_known_agent_is_not_believed_while_another_one_runs() {
    let mut desk = Desk::new();
    desk.process("codex", 7);
    assert_eq!(desk.state("custom:x", "claude", Working), NOTHING);
    assert_eq!(desk.label(), Some("codex"));
    let said = desk.state("custom:x", "my-bot", Working);
    assert_eq!(said, ["detected my-bot", "status working"]);
}

#[test]
fn screen_read_integrations_give_only_their_session() {
    for (source, label) in [
        ("herdr:claude", "claude"),
        ("herdr:cursor", "cursor"),
        ("herdr:qwen", "qwen"),
    ] {
        let mut desk = Desk::new();
        let mut report = report(source, label, Working, Some(1));
        report.session_id = Some("s1");
        assert_eq!(desk.report(report), NOTHING);
        assert_eq!(desk.session_value(), Some("s1"));
        assert_eq!((desk.label(), desk.status()), (None, Status::Unknown));
    }
}

#[test]
fn identity_only_integrations_are_ignored_completely() {
    let mut desk = Desk::new();
    for (source, label) in [("herdr:hermes", "hermes"), ("herdr:antigravity_cli", "agy")] {
        let mut report = report(source, label, Working, Some(1));
        report.session_id = Some("s1");
        assert_eq!(desk.report(report), NOTHING);
    }
    assert_eq!(desk.session_value(), None);
}

#[test]
fn a_session_of_another_reporter_guards_the_pane() {
    let mut desk = Desk::new();
    desk.session(session("herdr:claude", "claude", "s1", None));
    assert_eq!(desk.state("custom:c", "claude", Working), NOTHING);
    assert_eq!(desk.state("custom:x", "my-bot", Idle), NOTHING);
    assert_eq!(desk.session_value(), Some("s1"));
}

#[test]
fn a_reporter_with_a_resumable_session_takes_a_pane_over_from_its_process() {
    let mut desk = Desk::new();
    desk.session(session("herdr:claude", "claude", "s1", None));
    let mut takeover = report("herdr:codex", "codex", Working, None);
    takeover.session_id = Some("c1");
    assert_eq!(desk.report(takeover), NOTHING);
    desk.process("codex", 7);
    assert_eq!(desk.report(takeover), ["status working"]);
    assert_eq!(desk.session_value(), Some("c1"));
}

#[test]
fn an_accepted_report_without_session_drops_the_stored_one() {
    let mut desk = Desk::new();
    let anchor = session("herdr:pi", "pi", "s1", Some("startup"));
    desk.session(anchor);
    assert_eq!(desk.session_value(), Some("s1"));
    desk.state("herdr:pi", "pi", Working);
    assert_eq!(desk.session_value(), None);
}

#[test]
fn a_message_tells_what_a_blocked_agent_waits_for() {
    let mut desk = Desk::new();
    let mut blocked = report("custom:bot", "my-bot", Blocked, None);
    blocked.message = Some(" Allow rm? ");
    desk.report(blocked);
    assert_eq!(desk.agent.view().blocked, Some(BlockedKind::Approval));
    assert_eq!(desk.agent.view().message, Some("Allow rm?"));
    desk.state("custom:bot", "my-bot", Working);
    assert_eq!(desk.agent.view().blocked, None);
}

fn argv(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[test]
fn a_malformed_resume_command_stops_the_whole_report() {
    let mut desk = Desk::new();
    let bad = argv(&["/bin/my-bot"]);
    let mut report = report("custom:bot", "my-bot", Working, Some(1));
    report.resume_argv = Some(&bad);
    let outcome = desk.with(|agent, context| agent.report(&report, context));
    assert_eq!(outcome.refusal.unwrap().code(), "invalid_resume_argv");
    assert_eq!(desk.label(), None);
    let said = desk.numbered("custom:bot", "my-bot", Working, 1);
    assert_eq!(said, ["detected my-bot", "status working"]);
}

#[test]
fn the_holder_may_hand_over_a_resume_command_and_keeps_it_until_another_holds() {
    let mut desk = Desk::new();
    let good = argv(&["my-bot", "--resume", "s-1"]);
    let mut first = report("custom:bot", "my-bot", Idle, None);
    first.resume_argv = Some(&good);
    desk.report(first);
    desk.state("custom:bot", "my-bot", Working);
    assert_eq!(desk.agent.view().resume_argv, Some(good.as_slice()));
    desk.state("custom:other", "my-bot", Working);
    assert_eq!(desk.agent.view().resume_argv, None);
}

#[test]
fn a_stale_report_drops_its_resume_command_without_an_error() {
    let mut desk = Desk::new();
    desk.numbered("custom:bot", "my-bot", Idle, 5);
    let good = argv(&["my-bot"]);
    let mut stale = report("custom:bot", "my-bot", Idle, Some(5));
    stale.resume_argv = Some(&good);
    assert_eq!(desk.report(stale), NOTHING);
    assert_eq!(desk.agent.view().resume_argv, None);
}

#[test]
fn a_reporter_that_does_not_hold_the_pane_is_told_so() {
    let mut desk = Desk::new();
    desk.state("my-agent", "my-agent", Idle);
    let good = argv(&["other"]);
    let mut report = session("other", "other", "s-1", None);
    report.resume_argv = Some(&good);
    let outcome = desk.with(|agent, context| agent.report_session(&report, context));
    let error = outcome.refusal.unwrap();
    assert_eq!(error.code(), "resume_not_accepted");
    assert_eq!(
        error.message(),
        "resume_argv requires the reporter to hold the pane; report its state with \
         pane.report_agent first"
    );
}

#[test]
fn a_running_known_agent_holds_the_pane_without_a_claim() {
    let mut desk = Desk::new();
    let good = argv(&["claude", "--resume", "s1"]);
    let mut report = session("herdr:claude", "claude", "s1", None);
    report.resume_argv = Some(&good);
    let outcome = desk.with(|agent, context| agent.report_session(&report, context));
    assert_eq!(outcome.refusal, Some(AgentError::ResumeNotAccepted));
    assert_eq!(desk.session_value(), Some("s1"), "the rest stays applied");
    assert!(outcome.effects.changed);
    desk.process("claude", 7);
    desk.session(report);
    assert_eq!(desk.agent.view().resume_argv, Some(good.as_slice()));
}

#[test]
fn a_resume_command_needs_its_own_session_to_be_the_current_one() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.session(session("herdr:claude", "claude", "s1", None));
    let good = argv(&["claude", "--resume", "s2"]);
    let mut other = session("herdr:claude", "claude", "s2", Some("startup"));
    other.resume_argv = Some(&good);
    let outcome = desk.with(|agent, context| agent.report_session(&other, context));
    assert_eq!(outcome.refusal, Some(AgentError::ResumeNotAccepted));
}
