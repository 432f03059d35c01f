//! Session reports and the rules of replacing a session.

use super::*;
use crate::agent::AgentState::*;

#[test]
fn a_session_is_stored_without_claiming_the_pane() {
    let mut desk = Desk::new();
    let said = desk.session(session("herdr:claude", "claude", "s1", Some("startup")));
    assert_eq!(said, NOTHING);
    assert_eq!(desk.session_value(), Some("s1"));
    assert_eq!(desk.label(), None);
    assert!(!desk.agent.view().hosts_agent());
}

#[test]
fn a_report_without_a_usable_session_uses_up_no_number() {
    let mut desk = Desk::new();
    let mut empty = session("herdr:claude", "claude", "", None);
    empty.seq = Some(5);
    desk.session(empty);
    let mut real = session("herdr:claude", "claude", "s1", None);
    real.seq = Some(5);
    desk.session(real);
    assert_eq!(desk.session_value(), Some("s1"));
}

#[test]
fn a_custom_reporter_has_no_sessions() {
    let mut desk = Desk::new();
    desk.session(session("custom:x", "my-bot", "s1", Some("startup")));
    desk.session(session("herdr:pi", "prime-agent", "s1", Some("startup")));
    assert_eq!(desk.session_value(), None);
}

#[test]
fn another_session_of_the_same_pair_needs_a_fitting_reason() {
    for (source, label, start, allowed) in [
        ("herdr:claude", "claude", Some("clear"), true),
        ("herdr:claude", "claude", Some("resume"), true),
        ("herdr:claude", "claude", Some("compact"), true),
        ("herdr:claude", "claude", Some("startup"), false),
        ("herdr:claude", "claude", None, false),
        ("herdr:codex", "codex", Some("startup"), true),
        ("herdr:mastracode", "mastracode", Some("startup"), true),
        ("herdr:mastracode", "mastracode", Some("new"), false),
        ("herdr:hermes", "hermes", Some("new"), true),
        ("herdr:opencode", "opencode", Some("select"), true),
        ("herdr:opencode", "opencode", Some("new"), false),
        ("herdr:pi", "pi", Some("fork"), true),
        ("herdr:pi", "pi", Some("startup"), false),
        ("herdr:omp", "omp", Some("startup"), true),
        ("herdr:qwen", "qwen", Some("branch"), true),
        ("herdr:antigravity_cli", "agy", None, true),
        ("herdr:antigravity_cli", "agy", Some("startup"), false),
        ("herdr:grok", "grok", Some("resume"), false),
        ("herdr:xcsh", "xcsh", Some("new"), true),
        ("herdr:claude", "claude", Some("nonsense"), false),
    ] {
        let mut desk = Desk::new();
        desk.session(session(source, label, "s1", Some("startup")));
        assert_eq!(desk.session_value(), Some("s1"));
        desk.session(session(source, label, "s2", start));
        let expected = if allowed { "s2" } else { "s1" };
        assert_eq!(desk.session_value(), Some(expected), "{source} {start:?}");
    }
}

#[test]
fn a_full_lifecycle_session_is_anchored_only_with_a_reason() {
    let mut desk = Desk::new();
    desk.session(session("herdr:pi", "pi", "s1", None));
    assert_eq!(desk.session_value(), None);
    desk.session(session("herdr:pi", "pi", "s1", Some("startup")));
    assert_eq!(desk.session_value(), Some("s1"));
}

#[test]
fn another_owner_needs_a_reason_and_its_running_process() {
    let mut desk = Desk::new();
    desk.session(session("herdr:claude", "claude", "s1", None));
    let other = session("herdr:codex", "codex", "c1", Some("startup"));
    desk.session(other);
    assert_eq!(desk.session_value(), Some("s1"));
    desk.process("codex", 7);
    desk.session(session("herdr:codex", "codex", "c1", None));
    assert_eq!(desk.session_value(), Some("s1"));
    desk.session(other);
    assert_eq!(desk.session_value(), Some("c1"));
}

#[test]
fn sessions_and_states_of_a_source_share_one_count() {
    let mut desk = Desk::new();
    let mut first = session("herdr:pi", "pi", "s1", Some("startup"));
    first.seq = Some(5);
    desk.session(first);
    assert_eq!(desk.numbered("herdr:pi", "pi", Working, 5), NOTHING);
    assert_eq!(
        desk.numbered("herdr:pi", "pi", Working, 6),
        ["detected pi", "status working"]
    );
}

#[test]
fn another_session_takes_the_name_away() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.name("reviewer");
    desk.session(session("herdr:claude", "claude", "s1", None));
    assert_eq!(desk.agent.view().name, Some("reviewer"));
    let said = desk.session(session("herdr:claude", "claude", "s2", Some("clear")));
    assert_eq!(said, ["name"]);
    assert_eq!(desk.agent.view().name, None);
}

#[test]
fn a_running_agents_session_replaces_that_of_another_claimant() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    let mut claim = report("herdr:xcsh", "xcsh", Working, None);
    claim.session_path = Some("/s/1.jsonl");
    desk.report(claim);
    assert_eq!(desk.session_value(), Some("/s/1.jsonl"));
    desk.session(session("herdr:claude", "claude", "s1", Some("startup")));
    assert_eq!(desk.session_value(), Some("s1"));
    assert_eq!(desk.label(), Some("xcsh"));
}
