//! Clear, release, process exit and the other ways an agent goes.

use super::*;
use crate::agent::AgentState::*;

#[test]
fn a_clear_falls_back_to_the_running_process_and_is_no_release() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.state("custom:bot", "claude", Working);
    assert_eq!(desk.clear(Some("other"), None), NOTHING);
    assert_eq!(desk.clear(None, None), ["status unknown"]);
    assert_eq!(desk.label(), Some("claude"));
    assert_eq!(desk.clear(None, None), NOTHING);
}

#[test]
fn a_clear_needs_a_fresh_number_of_the_claimant() {
    let mut desk = Desk::new();
    desk.numbered("s", "my-bot", Working, 5);
    assert_eq!(desk.clear(None, None), NOTHING);
    assert_eq!(desk.clear(Some("s"), Some(5)), NOTHING);
    let said = desk.clear(Some("s"), Some(6));
    assert_eq!(said, ["detected none", "status unknown"]);
    assert_eq!(desk.numbered("s", "my-bot", Working, 6), NOTHING);
}

#[test]
fn a_release_ends_a_custom_agent_with_its_old_label() {
    let mut desk = Desk::new();
    desk.numbered("s", "my-bot", Working, 5);
    desk.name("reviewer");
    assert_eq!(
        desk.release("s", "my-bot", None),
        NOTHING,
        "a number is due"
    );
    assert_eq!(desk.release("s", "other", Some(6)), NOTHING);
    assert_eq!(desk.release("t", "my-bot", Some(6)), NOTHING);
    let said = desk.release("s", "my-bot", Some(6));
    assert_eq!(said, ["name", "released my-bot unknown", "status unknown"]);
    assert!(!desk.agent.view().hosts_agent());
    assert_eq!(desk.release("s", "my-bot", Some(7)), NOTHING);
}

#[test]
fn a_late_report_after_the_release_is_dropped() {
    let mut desk = Desk::new();
    desk.numbered("s", "my-bot", Working, 5);
    desk.release("s", "my-bot", Some(7));
    assert_eq!(desk.numbered("s", "my-bot", Idle, 6), NOTHING);
    assert_eq!(desk.label(), None);
    let title = MetadataReport {
        source: "s",
        title: Some("late"),
        seq: Some(6),
        ..MetadataReport::default()
    };
    assert_eq!(desk.metadata(&title).unwrap(), NOTHING);
    assert_eq!(desk.title(), None);
    assert_eq!(desk.numbered("s", "my-bot", Idle, 8)[0], "detected my-bot");
}

#[test]
fn a_release_while_the_process_runs_only_ends_the_claim() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.name("reviewer");
    desk.state("custom:bot", "claude", Working);
    assert_eq!(
        desk.release("custom:bot", "claude", None),
        ["status unknown"]
    );
    assert_eq!(desk.label(), Some("claude"));
    assert_eq!(desk.agent.view().name, Some("reviewer"));
}

#[test]
fn official_integrations_do_not_release() {
    let mut desk = Desk::new();
    desk.session(session("herdr:claude", "claude", "s1", None));
    assert_eq!(desk.release("herdr:claude", "claude", Some(31)), NOTHING);
    assert_eq!(desk.session_value(), Some("s1"));
    desk.clear(None, None);
    let mut desk = Desk::new();
    desk.process("pi", 7);
    desk.state("herdr:pi", "pi", Working);
    assert_eq!(desk.release("herdr:pi", "pi", None), NOTHING);
    assert_eq!(desk.status(), Status::Working);
}

#[test]
fn a_full_lifecycle_agent_that_was_never_seen_may_release() {
    let mut desk = Desk::new();
    desk.state("herdr:pi", "pi", Working);
    assert!(desk.agent.view().screen_detection_skipped);
    let said = desk.release("herdr:pi", "pi", None);
    assert_eq!(said, ["released pi unknown", "status unknown"]);
}

#[test]
fn a_release_leaves_a_session_that_another_named() {
    let mut desk = Desk::new();
    desk.state("custom:bot", "claude", Working);
    desk.session(session("herdr:claude", "claude", "s1", None));
    desk.release("custom:bot", "claude", None);
    assert_eq!(desk.session_value(), Some("s1"));
}

#[test]
fn a_process_exit_ends_the_agent_in_two_steps() {
    let mut desk = Desk::new();
    assert_eq!(desk.process("claude", 7), ["detected claude"]);
    desk.name("reviewer");
    desk.session(session("herdr:claude", "claude", "s1", None));
    let said = desk.foreground(Foreground::Shell);
    assert_eq!(said, ["name", "released claude idle", "status idle"]);
    assert_eq!((desk.label(), desk.session_value()), (None, None));
    desk.pass(299);
    assert_eq!(desk.expire(), NOTHING);
    desk.pass(1);
    assert_eq!(desk.agent.next_deadline(), Some(desk.now));
    assert_eq!(desk.expire(), ["status unknown"]);
    assert_eq!(desk.agent.next_deadline(), None);
}

#[test]
fn an_exit_from_work_in_the_background_is_a_completion() {
    let mut desk = Desk::in_background();
    desk.process("claude", 7);
    desk.state("custom:bot", "claude", Working);
    let said = desk.foreground(Foreground::Shell);
    assert_eq!(said, ["released claude done", "status done"]);
}

#[test]
fn a_report_about_an_agent_that_just_ended_is_ignored() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.foreground(Foreground::Shell);
    assert_eq!(desk.state("custom:bot", "claude", Working), NOTHING);
    assert_eq!(
        desk.state("custom:x", "my-bot", Working)[0],
        "detected my-bot"
    );
}

#[test]
fn an_exit_forgets_the_numbers_of_the_agents_sources() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.numbered("custom:bot", "claude", Working, 100);
    desk.foreground(Foreground::Shell);
    desk.pass(300);
    desk.expire();
    assert_eq!(
        desk.numbered("custom:bot", "claude", Idle, 1)[0],
        "detected claude"
    );
}

#[test]
fn an_exit_leaves_the_claim_of_another_label() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.state("custom:x", "my-bot", Working);
    assert_eq!(desk.foreground(Foreground::Other), NOTHING);
    assert_eq!(
        desk.with(|agent, context| words(&agent.process_exited(context))),
        NOTHING
    );
    assert_eq!(
        (desk.label(), desk.status()),
        (Some("my-bot"), Status::Working)
    );
}

#[test]
fn another_known_agent_drops_a_claim_that_contradicts_it() {
    let mut desk = Desk::new();
    desk.state("custom:bot", "claude", Working);
    let said = desk.process("codex", 7);
    assert_eq!(said, ["detected codex", "status unknown"]);
    let mut desk = Desk::new();
    desk.state("custom:x", "my-bot", Working);
    assert_eq!(
        desk.process("codex", 7),
        NOTHING,
        "a custom label contradicts nothing"
    );
}

#[test]
fn the_session_of_a_dropped_claim_stays_stored() {
    let mut desk = Desk::new();
    let mut report = report("herdr:codex", "codex", Working, None);
    report.session_id = Some("c1");
    desk.report(report);
    desk.process("claude", 7);
    assert_eq!(
        (desk.label(), desk.session_value()),
        (Some("claude"), Some("c1"))
    );
}

#[test]
fn an_agent_that_opens_an_editor_is_kept_for_a_while() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.state("custom:bot", "claude", Working);
    desk.foreground(Foreground::Other);
    assert!(!desk.agent.view().in_foreground);
    desk.pass(1700);
    assert_eq!(desk.expire(), NOTHING);
    desk.process("claude", 7);
    assert!(desk.agent.view().in_foreground);
    assert_eq!(desk.agent.next_deadline(), None);
    desk.foreground(Foreground::Other);
    desk.pass(1800);
    assert_eq!(desk.expire(), ["detected none", "status unknown"]);
}

#[test]
fn a_second_run_of_the_same_agent_ends_the_first() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.state("custom:bot", "claude", Working);
    let said = desk.process("claude", 8);
    assert_eq!(
        said,
        [
            "released claude idle",
            "status idle",
            "detected claude",
            "status unknown"
        ]
    );
}

#[test]
fn a_shell_prompt_ends_a_custom_agent_that_reported_a_while_ago() {
    let mut desk = Desk::new();
    assert_eq!(desk.agent.next_look(), None);
    desk.state("custom:x", "my-bot", Working);
    desk.pass(1999);
    assert_eq!(desk.foreground(Foreground::Shell), NOTHING);
    desk.pass(1);
    assert_eq!(desk.agent.next_look(), Some(desk.now));
    assert_eq!(desk.foreground(Foreground::Other), NOTHING);
    let said = desk.foreground(Foreground::Shell);
    assert_eq!(said, ["released my-bot unknown", "status unknown"]);
    assert_eq!(desk.agent.next_look(), None);
}

#[test]
fn a_shell_prompt_does_not_end_a_known_agents_claim() {
    let mut desk = Desk::new();
    desk.state("custom:x", "claude", Working);
    desk.pass(60_000);
    assert_eq!(desk.agent.next_look(), None);
    assert_eq!(desk.foreground(Foreground::Shell), NOTHING);
}

#[test]
fn clear_release_and_takeover_forget_the_resume_command() {
    let argv = ["my-bot".to_owned()];
    let ends: [fn(&mut Desk); 4] = [
        |desk| drop(desk.clear(None, None)),
        |desk| drop(desk.release("s", "my-bot", None)),
        |desk| drop(desk.state("t", "my-bot", Idle)),
        |desk| {
            desk.pass(2000);
            desk.foreground(Foreground::Shell);
        },
    ];
    for end in ends {
        let mut desk = Desk::new();
        let mut report = report("s", "my-bot", Idle, None);
        report.resume_argv = Some(&argv);
        desk.report(report);
        assert!(desk.agent.view().resume_argv.is_some());
        end(&mut desk);
        assert_eq!(desk.agent.view().resume_argv, None);
    }
}

#[test]
fn releasing_a_custom_agent_uncovers_the_known_one_behind_it() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.state("custom:x", "my-bot", Working);
    let said = desk.release("custom:x", "my-bot", None);
    assert_eq!(
        said,
        [
            "released my-bot unknown",
            "detected claude",
            "status unknown"
        ]
    );
    assert!(desk.agent.view().in_foreground);
}

#[test]
fn an_unseen_agent_is_not_taken_up_for_a_second_after_its_release() {
    let mut desk = Desk::new();
    desk.state("custom:bot", "claude", Working);
    let said = desk.release("custom:bot", "claude", None);
    assert_eq!(said, ["released claude unknown", "status unknown"]);
    assert_eq!(desk.process("claude", 7), NOTHING);
    desk.pass(1000);
    assert_eq!(
        desk.agent.next_look(),
        Some(desk.now),
        "it may not have been dying"
    );
    assert_eq!(desk.process("claude", 7), ["detected claude"]);
    assert_eq!(desk.agent.next_look(), None);
}

#[test]
fn a_second_foreign_job_does_not_extend_the_wait_for_a_vanished_agent() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.name("reviewer");
    desk.foreground(Foreground::Other);
    desk.pass(1000);
    desk.foreground(Foreground::Other);
    desk.pass(800);
    assert_eq!(desk.expire(), ["name", "detected none"]);
}

#[test]
fn another_agents_process_forgets_the_resume_command() {
    let argv = ["claude".to_owned()];
    let mut desk = Desk::new();
    desk.process("claude", 7);
    let mut report = session("herdr:claude", "claude", "s1", None);
    report.resume_argv = Some(&argv);
    desk.session(report);
    assert!(desk.agent.view().resume_argv.is_some());
    desk.process("codex", 8);
    assert_eq!(desk.agent.view().resume_argv, None);
}

#[test]
fn a_prompt_does_not_end_a_claim_while_its_process_lives() {
    let mut desk = Desk::new();
    let speaker = Speaker {
        pid: 70,
        started: 7,
    };
    desk.state("s", "my-bot", AgentState::Working);
    desk.with(|agent, context| agent.attribute(Some(speaker), context));
    assert_eq!(desk.agent.next_look(), None, "it is told when it ends");
    desk.pass(5000);
    assert_eq!(desk.foreground(Foreground::Shell), NOTHING);
    let other = Speaker {
        started: 8,
        ..speaker
    };
    desk.agent.speaker_departed(other);
    assert_eq!(desk.foreground(Foreground::Shell), NOTHING);
    desk.agent.speaker_departed(speaker);
    assert_eq!(
        desk.foreground(Foreground::Shell),
        ["released my-bot unknown", "status unknown"]
    );
}

#[test]
fn a_claim_whose_process_ended_at_once_still_gets_its_two_seconds() {
    let mut desk = Desk::new();
    let speaker = Speaker {
        pid: 70,
        started: 7,
    };
    desk.state("s", "my-bot", AgentState::Working);
    desk.with(|agent, context| agent.attribute(Some(speaker), context));
    desk.agent.speaker_departed(speaker);
    let due = desk.agent.next_look().unwrap();
    assert_eq!(due, desk.now + Duration::from_secs(2));
    assert_eq!(desk.foreground(Foreground::Shell), NOTHING);
}

#[test]
fn a_report_that_did_not_count_names_no_process() {
    let mut desk = Desk::new();
    desk.numbered("s", "my-bot", AgentState::Working, 5);
    desk.pass(10);
    desk.numbered("s", "my-bot", AgentState::Idle, 4);
    let speaker = Speaker {
        pid: 70,
        started: 7,
    };
    desk.with(|agent, context| agent.attribute(Some(speaker), context));
    assert_eq!(desk.agent.speaker(), None);
}
