//! What the screen tells over time, and where reports stand against it.

use super::*;
use crate::agent::AgentState::*;
use crate::agent::rules::{Fallback, Verdict};

fn verdict(state: AgentState) -> Verdict {
    Verdict {
        state,
        keep: false,
        visible_idle: false,
        visible_blocker: false,
        visible_working: false,
        fallback: None,
    }
}

fn dialog() -> Verdict {
    Verdict {
        visible_blocker: true,
        ..verdict(Blocked)
    }
}

fn chrome() -> Verdict {
    Verdict {
        visible_idle: true,
        ..verdict(Idle)
    }
}

fn nothing_found() -> Verdict {
    Verdict {
        fallback: Some(Fallback::Idle),
        ..verdict(Idle)
    }
}

fn keep() -> Verdict {
    Verdict {
        keep: true,
        ..verdict(Unknown)
    }
}

impl Desk {
    fn sees(&mut self, verdict: Verdict) -> Vec<String> {
        let painted = self.now;
        words(&self.with(|agent, context| match agent.watched() {
            Some(kind) => agent.screen_seen(kind, &verdict, painted, context),
            None => Effects::default(),
        }))
    }

    /// Lets the clock do what is due at its next deadline; how long that took.
    fn wait(&mut self) -> (u64, Vec<String>) {
        let due = self.agent.next_deadline().unwrap();
        let waited = due - self.now;
        self.now = due;
        (waited.as_millis() as u64, self.expire())
    }
}

#[test]
fn a_turn_is_followed_on_the_screen() {
    let mut desk = Desk::in_background();
    desk.process("claude", 7);
    assert_eq!(
        desk.sees(verdict(Idle)),
        ["status idle"],
        "seen, so at once"
    );
    assert_eq!(desk.sees(verdict(Working)), ["status working"]);
    assert_eq!(desk.sees(dialog()), ["status blocked"]);
    assert_eq!(desk.sees(dialog()), NOTHING);
    assert_eq!(desk.sees(verdict(Working)), ["status working"]);
    assert_eq!(
        desk.sees(chrome()),
        ["status done"],
        "its own chrome needs no proof"
    );
}

#[test]
fn a_screen_that_only_looks_idle_has_to_stay() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.sees(verdict(Working));
    for before in [verdict(Working), dialog()] {
        desk.sees(before);
        assert_eq!(desk.sees(verdict(Idle)), NOTHING);
        desk.pass(100);
        assert_eq!(desk.sees(verdict(Idle)), NOTHING, "the first look counts");
        assert_eq!(desk.wait(), (50, vec!["status idle".to_owned()]));
        assert_eq!(desk.agent.next_deadline(), None, "and no other wake-up");
    }
}

#[test]
fn work_that_is_seen_again_in_between_never_ended() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.sees(verdict(Working));
    desk.sees(verdict(Idle));
    desk.pass(100);
    assert_eq!(desk.sees(verdict(Working)), NOTHING);
    assert_eq!(desk.agent.next_deadline(), None);
    desk.sees(verdict(Idle));
    assert_eq!(desk.sees(keep()), NOTHING);
    assert_eq!(desk.agent.next_deadline(), None);
    assert_eq!(desk.status(), Status::Working);
}

#[test]
fn an_agent_that_has_shown_nothing_yet_gets_a_moment() {
    let mut desk = Desk::in_background();
    desk.process("claude", 7);
    assert_eq!(desk.sees(nothing_found()), NOTHING);
    assert_eq!(desk.sees(verdict(Working)), ["status working"]);
    let mut desk = Desk::in_background();
    desk.process("claude", 7);
    desk.sees(nothing_found());
    assert_eq!(desk.wait(), (150, vec!["status idle".to_owned()]));
    assert_eq!(desk.agent.view().completion_seq, None);
}

#[test]
fn the_screen_of_a_program_that_is_not_the_agent_counts_for_nothing() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.sees(verdict(Working));
    desk.foreground(Foreground::Other);
    assert_eq!(desk.agent.watched(), None);
    desk.process("claude", 7);
    assert!(desk.agent.watched().is_some());
    desk.foreground(Foreground::Shell);
    assert_eq!(desk.agent.watched(), None);
    assert_eq!(desk.status(), Status::Idle);
}

#[test]
fn another_run_of_an_agent_begins_with_nothing_seen() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.sees(dialog());
    desk.process("claude", 8);
    assert_eq!(desk.status(), Status::Unknown);
}

#[test]
fn only_a_dialog_painted_after_a_report_outranks_it() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.sees(dialog());
    desk.pass(10);
    assert_eq!(
        desk.state("custom:x", "claude", Working),
        ["status working"]
    );
    desk.pass(10);
    assert_eq!(desk.sees(verdict(Idle)), NOTHING);
    assert_eq!(desk.sees(verdict(Blocked)), NOTHING, "words alone do not");
    assert_eq!(desk.sees(dialog()), ["status blocked"]);
    assert_eq!(
        desk.sees(verdict(Idle)),
        ["status working"],
        "the loan is given back"
    );
    desk.state("custom:x", "claude", Idle);
    assert_eq!(desk.sees(verdict(Working)), NOTHING);
    assert_eq!(desk.status(), Status::Idle);
}

#[test]
fn a_dialog_says_nothing_about_another_label() {
    let mut desk = Desk::new();
    desk.state("s", "my-bot", Working);
    desk.process("claude", 7);
    desk.pass(10);
    assert_eq!(desk.sees(dialog()), NOTHING);
}

#[test]
fn an_integration_that_tells_everything_is_not_second_guessed() {
    let mut desk = Desk::new();
    desk.process("pi", 7);
    desk.state("herdr:pi", "pi", Working);
    assert_eq!(desk.agent.watched(), None);
    assert!(desk.agent.view().screen_detection_skipped);
}

#[test]
fn crush_may_say_working_while_its_dialog_is_up_and_forget_to_say_idle() {
    let mut desk = Desk::new();
    desk.process("crush", 7);
    desk.sees(dialog());
    desk.pass(10);
    desk.state("crush", "crush", Working);
    assert_eq!(desk.status(), Status::Blocked);
    desk.pass(10);
    assert_eq!(
        desk.sees(chrome()),
        ["status working"],
        "too soon to know better"
    );
    desk.pass(2000);
    assert_eq!(desk.sees(chrome()), ["status idle"]);
    assert_eq!(desk.state("crush", "crush", Working), ["status working"]);
}
