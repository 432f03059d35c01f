//! Done and idle, names, counters.

use super::*;
use crate::agent::AgentState::*;

#[test]
fn work_that_ends_in_the_background_is_done_until_someone_looks() {
    let mut desk = Desk::in_background();
    desk.state("s", "my-bot", Working);
    assert_eq!(desk.state("s", "my-bot", Idle), ["status done"]);
    let view = desk.agent.view();
    assert_eq!((view.state_change_seq, view.completion_seq), (2, Some(2)));
    assert_eq!(words(&desk.agent.mark_seen()), ["seen"]);
    assert_eq!(words(&desk.agent.mark_seen()), NOTHING);
    let view = desk.agent.view();
    assert_eq!(view.status, Status::Idle);
    assert_eq!((view.state_change_seq, view.completion_seq), (2, Some(2)));
}

#[test]
fn work_that_ends_under_someones_eyes_is_idle() {
    for outer_focused in [None, Some(true)] {
        let mut desk = Desk::new();
        desk.outer_focused = outer_focused;
        desk.state("s", "my-bot", Blocked);
        assert_eq!(desk.state("s", "my-bot", Idle), ["status idle"]);
        assert_eq!(desk.agent.view().completion_seq, Some(2));
    }
}

#[test]
fn work_that_ends_while_the_terminal_is_out_of_focus_is_done() {
    let mut desk = Desk::new();
    desk.outer_focused = Some(false);
    desk.state("s", "my-bot", Working);
    assert_eq!(desk.state("s", "my-bot", Idle), ["status done"]);
}

#[test]
fn a_first_idle_completes_nothing() {
    let mut desk = Desk::in_background();
    assert_eq!(
        desk.state("s", "my-bot", Idle),
        ["detected my-bot", "status idle"]
    );
    assert_eq!(desk.agent.view().completion_seq, None);
}

#[test]
fn idle_after_unknown_completes_for_the_same_label() {
    let mut desk = Desk::in_background();
    desk.state("s", "my-bot", Unknown);
    assert_eq!(desk.state("s", "my-bot", Idle), ["status done"]);
    desk.state("s", "my-bot", Unknown);
    assert_eq!(
        desk.state("s", "other-bot", Idle),
        ["detected other-bot", "status idle"]
    );
}

#[test]
fn the_first_idle_of_a_started_process_completes_nothing() {
    let mut desk = Desk::in_background();
    desk.process("codex", 7);
    assert_eq!(desk.state("s", "codex", Idle), ["status idle"]);
    desk.state("s", "codex", Working);
    assert_eq!(desk.state("s", "codex", Idle), ["status done"]);
}

#[test]
fn an_agent_that_starts_straight_into_work_completes_it() {
    let mut desk = Desk::in_background();
    desk.process("codex", 7);
    desk.state("s", "codex", Working);
    assert_eq!(desk.state("s", "codex", Idle), ["status done"]);
}

#[test]
fn new_work_counts_as_seen_and_ends_the_completion() {
    let mut desk = Desk::in_background();
    desk.state("s", "my-bot", Working);
    desk.state("s", "my-bot", Idle);
    assert_eq!(desk.state("s", "my-bot", Working), ["status working"]);
    assert_eq!(desk.agent.view().completion_seq, None);
    assert_eq!(words(&desk.agent.mark_seen()), NOTHING);
}

#[test]
fn the_counter_belongs_to_the_server_and_counts_states_only() {
    let mut desk = Desk::new();
    desk.changes = 41;
    assert_eq!(desk.agent.view().state_change_seq, 0);
    desk.state("s", "my-bot", Working);
    assert_eq!((desk.changes, desk.agent.view().state_change_seq), (42, 42));
    desk.state("t", "other-bot", Working);
    assert_eq!(desk.changes, 42, "another label with the same state");
}

#[test]
fn a_name_can_only_be_given_to_an_agent_that_is_there() {
    let mut desk = Desk::new();
    let name = || Some(AgentName::parse("reviewer").unwrap());
    let error = desk
        .with(|agent, context| agent.rename(name(), context))
        .unwrap_err();
    assert_eq!(error.code(), "agent_not_found");
    assert_eq!(
        error.message(),
        "agent target does not currently host an agent"
    );
    desk.process("claude", 7);
    let renamed = desk
        .with(|agent, context| agent.rename(name(), context))
        .unwrap();
    assert_eq!(words(&renamed), ["name"]);
    let again = desk
        .with(|agent, context| agent.rename(name(), context))
        .unwrap();
    assert_eq!(words(&again), NOTHING);
    let cleared = desk
        .with(|agent, context| agent.rename(None, context))
        .unwrap();
    assert_eq!(words(&cleared), ["name"]);
}

#[test]
fn a_name_given_before_the_start_waits_for_its_agent() {
    let mut desk = Desk::new();
    desk.name("reviewer");
    assert!(desk.agent.view().hosts_agent());
    assert_eq!(desk.agent.view().agent, None);
    assert_eq!(desk.process("claude", 7), ["detected claude"]);
    assert_eq!(desk.agent.view().name, Some("reviewer"));
    let said = desk.state("custom:x", "my-bot", Working);
    assert_eq!(said, ["name", "detected my-bot", "status working"]);
}

#[test]
fn keys_go_to_a_live_claim_or_a_foreground_agent() {
    let mut desk = Desk::new();
    desk.name("reviewer");
    assert!(!desk.agent.view().accepts_keys());
    desk.state("custom:x", "my-bot", Working);
    assert!(desk.agent.view().accepts_keys());
    desk.clear(None, None);
    assert!(!desk.agent.view().accepts_keys());
    desk.process("claude", 7);
    assert!(desk.agent.view().accepts_keys());
    desk.foreground(Foreground::Other);
    assert!(!desk.agent.view().accepts_keys());
}

#[test]
fn only_the_first_idle_of_a_started_process_is_excused() {
    for first in [Working, Idle] {
        let mut desk = Desk::in_background();
        desk.process("codex", 7);
        desk.state("s", "codex", first);
        desk.state("s", "codex", Unknown);
        assert_eq!(desk.state("s", "codex", Idle), ["status done"]);
    }
}

#[test]
fn settling_into_another_session_completes_nothing() {
    let mut desk = Desk::in_background();
    desk.state("herdr:codex", "codex", Working);
    desk.state("herdr:codex", "codex", Unknown);
    desk.session(session("herdr:codex", "codex", "c2", Some("clear")));
    assert_eq!(desk.state("herdr:codex", "codex", Idle), ["status idle"]);
}
