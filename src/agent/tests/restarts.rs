//! An agent over a cold start, and one that another worker takes over.

use super::*;

const COMMAND: &str = "my-bot --resume s-1";

/// A pane in which a custom agent reported, with a name and a command that brings it back.
fn before() -> Desk {
    let argv: Vec<String> = COMMAND.split(' ').map(str::to_owned).collect();
    let mut desk = Desk::new();
    desk.report(Report {
        resume_argv: Some(&argv),
        ..report("custom:bot", "my-bot", AgentState::Working, Some(5))
    });
    desk.name("bot");
    desk
}

/// The same pane after a cold start.
fn after(before: &Desk) -> Desk {
    let plan = before.agent.resume_plan().unwrap();
    let mut desk = Desk::new();
    desk.agent = desk.with(|_, context| before.agent.resuming(&plan, context));
    desk
}

fn type_command(desk: &mut Desk) {
    let _ = desk.with(|agent, context| agent.resume_typed(context));
}

#[test]
fn an_agent_that_is_brought_back_shows_as_idle_with_its_name_and_completes_nothing() {
    let desk = after(&before());
    let view = desk.agent.view();
    assert_eq!((view.agent, view.name), (Some("my-bot"), Some("bot")));
    assert_eq!((view.status, view.completion_seq), (Status::Idle, None));
    assert!(!view.claimed, "it has to report itself");
    assert_eq!(desk.agent.resume_plan().unwrap().typed(), COMMAND);
}

#[test]
fn marks_do_not_survive_a_cold_start() {
    let mut desk = after(&before());
    desk.numbered("custom:bot", "my-bot", AgentState::Working, 1);
    assert_eq!(desk.status(), Status::Working);
    assert!(!desk.agent.is_resuming());
}

#[test]
fn a_command_that_started_nothing_leaves_a_plain_shell() {
    let mut desk = after(&before());
    desk.foreground(Foreground::Shell);
    assert_eq!(desk.label(), Some("my-bot"), "nothing was typed yet");
    type_command(&mut desk);
    desk.pass(9_000);
    desk.foreground(Foreground::Shell);
    assert_eq!(desk.label(), Some("my-bot"), "it may still come");
    desk.pass(1_000);
    assert_eq!(desk.agent.next_look(), Some(desk.now));
    let told = desk.foreground(Foreground::Shell);
    assert_eq!(told, ["name", "detected none", "status unknown"]);
    assert_eq!(desk.agent.resume_plan(), None);
}

#[test]
fn a_program_that_is_not_known_keeps_its_command_but_is_not_shown_as_idle() {
    let mut desk = after(&before());
    type_command(&mut desk);
    desk.pass(10_000);
    desk.foreground(Foreground::Other);
    assert_eq!((desk.label(), desk.status()), (None, Status::Unknown));
    assert!(desk.agent.resume_plan().is_some());
}

#[test]
fn a_known_agent_is_taken_up_when_its_process_is_seen() {
    let mut desk = Desk::new();
    desk.session(session("herdr:claude", "claude", "s1", Some("startup")));
    let mut desk = after(&desk);
    assert_eq!(desk.session_value(), Some("s1"));
    type_command(&mut desk);
    desk.process("claude", 7);
    assert!(!desk.agent.is_resuming());
    assert_eq!(desk.session_value(), Some("s1"));
    desk.pass(60_000);
    assert_eq!(desk.label(), Some("claude"));
}

#[test]
fn what_is_not_brought_back_now_keeps_what_could_do_so_another_time() {
    let desk = before();
    let dormant = desk.agent.dormant();
    assert_eq!(dormant.resume_plan(), desk.agent.resume_plan());
    assert!(!dormant.view().hosts_agent());
}

#[test]
fn another_worker_takes_over_everything() {
    let mut desk = before();
    desk.metadata(&MetadataReport {
        source: "custom:bot",
        title: Some("Fixing"),
        state_labels: vec![("working", "cooking")],
        tokens: vec![("model", Some("m1"))],
        seq: Some(3),
        ttl_ms: Some(60_000),
        ..MetadataReport::default()
    })
    .unwrap();
    desk.process("codex", 7);
    desk.release("custom:other", "codex", None);
    let text = serde_json::to_string(&desk.agent).unwrap();
    let mut other = Desk::new();
    other.agent = serde_json::from_str(&text).unwrap();
    assert_eq!(other.agent.view(), desk.agent.view());
    assert_eq!(serde_json::to_string(&other.agent).unwrap(), text);
    let told = other.numbered("custom:bot", "my-bot", AgentState::Blocked, 5);
    assert_eq!(told, NOTHING, "the mark survives");
    other.pass(60_001);
    other.expire();
    assert_eq!(other.title(), None, "the time to live goes on");
}

#[test]
fn a_record_of_an_older_version_lacks_what_came_later() {
    let agent: PaneAgent = serde_json::from_str("{}").unwrap();
    assert_eq!(agent.view(), PaneAgent::new().view());
}
