//! Agents that are started for somebody, and when they are ready.

use super::*;
use crate::agent::AgentState::*;
use crate::agent::rules::{Fallback, Verdict};

const DEADLINE: u64 = 30_000;

impl Desk {
    fn launch(&mut self, label: &str) -> Vec<String> {
        let (name, kind) = (
            AgentName::parse("mine").unwrap(),
            Kind::find(label).unwrap(),
        );
        let deadline = self.now + Duration::from_millis(DEADLINE);
        let said = self.with(|agent, context| agent.begin_launch(name, kind, deadline, context));
        self.with(|agent, context| agent.launch_typed(context));
        words(&said)
    }

    fn shows(&mut self, state: AgentState, fallback: Option<Fallback>) -> Vec<String> {
        let verdict = Verdict {
            state,
            keep: false,
            visible_idle: state == Idle && fallback.is_none(),
            visible_blocker: state == Blocked,
            visible_working: false,
            fallback,
        };
        let painted = self.now;
        words(&self.with(|agent, context| {
            let kind = agent.watched().unwrap();
            agent.screen_seen(kind, &verdict, painted, context)
        }))
    }

    /// Pending, ready.
    fn phase(&self) -> (bool, bool) {
        let view = self.agent.view();
        (view.launch_pending, view.interactive_ready)
    }

    fn run_clock(&mut self, milliseconds: u64) {
        let end = self.now + Duration::from_millis(milliseconds);
        while let Some(due) = self.agent.next_deadline().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.expire();
        }
        self.now = end;
    }
}

#[test]
fn a_started_agent_is_ready_when_its_idle_screen_is_found() {
    let mut desk = Desk::in_background();
    assert_eq!(desk.launch("claude"), ["name"]);
    assert_eq!(desk.phase(), (true, false));
    assert_eq!(desk.process("claude", 7), ["detected claude"]);
    assert_eq!(desk.shows(Blocked, None), ["name", "status blocked"]);
    assert_eq!(desk.phase(), (true, false));
    assert_eq!(
        desk.shows(Idle, None),
        ["name", "status idle"],
        "and completes nothing"
    );
    assert_eq!(desk.phase(), (false, true));
    assert_eq!(desk.agent.view().completion_seq, None);
    assert_eq!(desk.agent.next_deadline(), None);
    assert_eq!(desk.agent.view().name, Some("mine"));
}

#[test]
fn an_idle_screen_that_no_rule_knows_needs_three_seconds() {
    let mut desk = Desk::new();
    desk.launch("claude");
    desk.process("claude", 7);
    desk.shows(Idle, Some(Fallback::Idle));
    desk.run_clock(2900);
    assert_eq!(desk.status(), Status::Idle);
    assert_eq!(desk.phase(), (true, false));
    desk.run_clock(100);
    assert_eq!(desk.phase(), (false, true));
}

#[test]
fn a_start_that_comes_to_nothing_takes_its_name_along() {
    let is_over = |desk: &Desk| desk.phase() == (false, false) && desk.agent.view().name.is_none();
    let mut late = Desk::new();
    late.launch("claude");
    late.run_clock(DEADLINE);
    assert!(is_over(&late));
    let mut other = Desk::new();
    other.launch("claude");
    other.process("codex", 7);
    assert!(is_over(&other));
    let mut short = Desk::new();
    short.launch("claude");
    short.process("claude", 7);
    short.foreground(Foreground::Shell);
    assert!(is_over(&short));
}

#[test]
fn a_start_that_was_not_typed_gives_the_pane_back() {
    let mut desk = Desk::new();
    desk.name("before");
    desk.launch("claude");
    assert_eq!(desk.agent.view().name, Some("mine"));
    desk.with(|agent, context| agent.abandon_launch(context).changed);
    assert_eq!(desk.agent.view().name, Some("before"));
    assert_eq!(desk.phase(), (false, false));
}

#[test]
fn a_name_cannot_change_while_its_agent_is_being_started() {
    let mut desk = Desk::new();
    desk.launch("claude");
    let renamed = desk.with(|agent, context| agent.rename(None, context).map(|e| words(&e)));
    assert_eq!(renamed, Err(AgentError::LaunchPending));
}
