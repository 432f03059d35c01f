//! Metadata reports of a pane.

use super::*;
use crate::agent::AgentState::*;

fn titled<'a>(source: &'a str, title: &'a str) -> MetadataReport<'a> {
    MetadataReport {
        source,
        title: Some(title),
        ..MetadataReport::default()
    }
}

fn refusal(report: &MetadataReport<'_>) -> (&'static str, String) {
    let error = Desk::new().metadata(report).unwrap_err();
    (error.code(), error.message().into_owned())
}

#[test]
fn presentation_is_announced_before_tokens() {
    let mut desk = Desk::new();
    let report = MetadataReport {
        tokens: vec![("step", Some("3/9"))],
        state_labels: vec![(" Working", "busy")],
        ..titled("ci", "Build 7")
    };
    assert_eq!(
        desk.metadata(&report).unwrap(),
        ["status unknown", "tokens"]
    );
    assert_eq!(desk.metadata(&report).unwrap(), NOTHING);
    assert_eq!(desk.title(), Some("Build 7"));
    let words = &desk.agent.view().presentation.state_labels;
    assert_eq!(words.get("working").map(String::as_str), Some("busy"));
    assert_eq!(desk.agent.tokens().collect::<Vec<_>>(), [("step", "3/9")]);
}

#[test]
fn without_a_clear_flag_the_whole_record_is_replaced() {
    let mut desk = Desk::new();
    desk.metadata(&titled("ci", "Build 7")).unwrap();
    let display = MetadataReport {
        source: "ci",
        display_agent: Some("CI"),
        ..MetadataReport::default()
    };
    desk.metadata(&display).unwrap();
    let shown = desk.agent.view().presentation.clone();
    assert_eq!(
        (shown.title, shown.display_agent),
        (None, Some("CI".into()))
    );
}

#[test]
fn a_clear_flag_edits_the_record() {
    let mut desk = Desk::new();
    let both = MetadataReport {
        display_agent: Some("CI"),
        ..titled("ci", "Build 7")
    };
    desk.metadata(&both).unwrap();
    let edit = MetadataReport {
        clear_display_agent: true,
        ..titled("ci", "Build 8")
    };
    assert_eq!(desk.metadata(&edit).unwrap(), ["status unknown"]);
    let shown = desk.agent.view().presentation.clone();
    assert_eq!(
        (shown.title, shown.display_agent),
        (Some("Build 8".into()), None)
    );
    let clear = MetadataReport {
        source: "ci",
        clear_title: true,
        ..MetadataReport::default()
    };
    desk.metadata(&clear).unwrap();
    assert_eq!(desk.title(), None);
    assert_eq!(desk.metadata(&clear).unwrap(), NOTHING);
}

#[test]
fn the_newest_record_wins_field_by_field() {
    let mut desk = Desk::new();
    desk.metadata(&titled("a", "from a")).unwrap();
    let words = MetadataReport {
        source: "b",
        state_labels: vec![("idle", "b idle")],
        ..MetadataReport::default()
    };
    desk.metadata(&words).unwrap();
    assert_eq!(desk.title(), Some("from a"));
    desk.metadata(&titled("b", "from b")).unwrap();
    assert_eq!(desk.title(), Some("from b"));
    desk.metadata(&titled("a", "again a")).unwrap();
    assert_eq!(desk.title(), Some("again a"));
}

#[test]
fn guards_show_a_record_only_with_its_agent_and_claimant() {
    let mut desk = Desk::new();
    let guarded = MetadataReport {
        agent: Some("claude-code"),
        applies_to_source: Some("custom:bot"),
        ..titled("meta", "T")
    };
    assert_eq!(desk.metadata(&guarded).unwrap(), NOTHING);
    desk.state("custom:other", "claude", Idle);
    assert_eq!(desk.title(), None);
    desk.state("custom:bot", "claude", Idle);
    assert_eq!(desk.title(), Some("T"));
    let said = desk.state("custom:bot", "my-bot", Idle);
    assert_eq!(said, ["detected my-bot", "status idle"]);
    assert_eq!(desk.title(), None);
}

#[test]
fn records_and_tokens_run_out_with_their_own_announcements() {
    let mut desk = Desk::new();
    let mut report = titled("ci", "Build 7");
    report.tokens = vec![("step", Some("1"))];
    report.ttl_ms = Some(500);
    desk.metadata(&report).unwrap();
    let later = MetadataReport {
        source: "ci2",
        tokens: vec![("keep", Some("1"))],
        ..MetadataReport::default()
    };
    desk.metadata(&later).unwrap();
    desk.pass(499);
    assert_eq!(desk.expire(), NOTHING);
    desk.pass(1);
    assert_eq!(desk.agent.next_deadline(), Some(desk.now));
    assert_eq!(desk.expire(), ["status unknown", "tokens"]);
    assert_eq!(desk.title(), None);
    assert_eq!(desk.agent.tokens().count(), 1);
    assert_eq!(desk.agent.next_deadline(), None);
}

#[test]
fn each_rule_has_its_code_and_message() {
    let empty = MetadataReport {
        source: "meta",
        ..MetadataReport::default()
    };
    let missing = (
        "invalid_metadata_request",
        "missing metadata field to set or clear".to_owned(),
    );
    assert_eq!(refusal(&empty), missing);
    assert_eq!(refusal(&titled("meta", " \n ")), missing);
    assert_eq!(
        refusal(&MetadataReport {
            agent: Some(" "),
            ..titled("", "x")
        }),
        ("invalid_agent", "agent label must not be empty".into())
    );
    assert_eq!(
        refusal(&titled(" ", "x")),
        (
            "invalid_metadata_source",
            "metadata source must not be empty".into()
        )
    );
    assert_eq!(
        refusal(&MetadataReport {
            tokens: vec![("a b", Some("x"))],
            ..empty.clone()
        }),
        (
            "invalid_metadata_token",
            "invalid metadata token key: a b".into()
        )
    );
    assert_eq!(
        refusal(&MetadataReport {
            ttl_ms: Some(0),
            ..titled("meta", "x")
        }),
        (
            "invalid_metadata_ttl",
            "metadata ttl_ms must be at least 1".into()
        )
    );
    assert_eq!(
        refusal(&MetadataReport {
            applies_to_source: Some("a b"),
            ..titled("meta", "x")
        })
        .0,
        "invalid_metadata_source"
    );
    assert_eq!(
        refusal(&MetadataReport {
            state_labels: vec![("nope", "x")],
            ..empty.clone()
        }),
        ("invalid_state_label", "unknown state label: nope".into())
    );
    assert_eq!(
        refusal(&MetadataReport {
            clear_title: true,
            ..titled("meta", "x")
        }),
        (
            "invalid_metadata_request",
            "cannot set and clear the same metadata field".into()
        )
    );
}

#[test]
fn a_stale_number_is_ignored_before_the_limits_are_checked() {
    let mut desk = Desk::new();
    let mut first = titled("ci", "one");
    first.seq = Some(5);
    desk.metadata(&first).unwrap();
    let mut stale = titled("ci", "two");
    stale.seq = Some(5);
    assert_eq!(desk.metadata(&stale).unwrap(), NOTHING);
    stale.seq = None;
    assert_eq!(desk.metadata(&stale).unwrap(), ["status unknown"]);
    for number in 0..32 {
        let key = format!("k{number}");
        let report = MetadataReport {
            source: "fill",
            tokens: vec![(&key, Some("x"))],
            ..MetadataReport::default()
        };
        desk.metadata(&report).unwrap();
    }
    let mut one_more = titled("ci", "three");
    one_more.tokens = vec![("one-more", Some("x"))];
    one_more.seq = Some(5);
    assert_eq!(desk.metadata(&one_more).unwrap(), NOTHING);
    one_more.seq = Some(6);
    let error = desk.metadata(&one_more).unwrap_err();
    assert_eq!(
        error.message(),
        "pane metadata may contain at most 32 tokens"
    );
    assert_eq!(desk.title(), Some("two"));
    one_more.tokens.clear();
    desk.metadata(&one_more).unwrap();
    assert_eq!(
        desk.title(),
        Some("three"),
        "the refused report used up no number"
    );
}

#[test]
fn metadata_has_its_own_count_in_herdr() {
    let mut desk = Desk::new();
    desk.numbered("s", "my-bot", Working, 1000);
    let mut report = titled("s", "T");
    report.seq = Some(1);
    assert_eq!(desk.metadata(&report).unwrap(), ["status working"]);
}

#[test]
fn the_records_of_an_agent_go_with_its_process() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    desk.state("custom:bot", "claude", Idle);
    let mut own = titled("custom:bot", "T");
    own.tokens = vec![("cost", Some("1"))];
    desk.metadata(&own).unwrap();
    desk.metadata(&titled("meta", "other")).unwrap();
    let late = MetadataReport {
        agent: Some("claude"),
        ..titled("late", "L")
    };
    desk.foreground(Foreground::Shell);
    assert_eq!(desk.metadata(&late).unwrap(), NOTHING);
    assert_eq!(desk.title(), Some("other"));
    assert_eq!(desk.agent.tokens().count(), 1, "herdr keeps tokens");
}

#[test]
fn what_was_shown_for_an_ended_agent_does_not_come_back_with_the_next() {
    let mut desk = Desk::new();
    desk.process("claude", 7);
    let guarded = MetadataReport {
        agent: Some("claude"),
        tokens: vec![("cost", Some("1"))],
        ..titled("meta", "T")
    };
    desk.metadata(&guarded).unwrap();
    assert_eq!(desk.title(), Some("T"));
    desk.process("claude", 8);
    assert_eq!(desk.title(), None);
    assert_eq!(desk.agent.tokens().count(), 1, "tokens are anyone's");
}

#[test]
fn an_edit_that_sets_something_restarts_the_time_to_live() {
    let mut desk = Desk::new();
    let mut first = titled("ci", "one");
    first.ttl_ms = Some(500);
    desk.metadata(&first).unwrap();
    let clear = MetadataReport {
        source: "ci",
        clear_display_agent: true,
        ..MetadataReport::default()
    };
    desk.metadata(&clear).unwrap();
    let deadline = desk.now + Duration::from_millis(500);
    assert_eq!(desk.agent.next_deadline(), Some(deadline), "only cleared");
    let edit = MetadataReport {
        clear_display_agent: true,
        ..titled("ci", "two")
    };
    desk.metadata(&edit).unwrap();
    assert_eq!(
        desk.agent.next_deadline(),
        None,
        "set without a time to live"
    );
}

#[test]
fn an_edit_keeps_the_guards_of_its_record_unless_it_brings_its_own() {
    let mut desk = Desk::new();
    let guarded = MetadataReport {
        applies_to_source: Some("custom:bot"),
        ..titled("meta", "one")
    };
    desk.metadata(&guarded).unwrap();
    let edit = MetadataReport {
        clear_display_agent: true,
        ..titled("meta", "two")
    };
    desk.metadata(&edit).unwrap();
    assert_eq!(desk.title(), None);
    desk.state("custom:bot", "my-bot", Idle);
    assert_eq!(desk.title(), Some("two"));
    let moved = MetadataReport {
        applies_to_source: Some("custom:other"),
        ..edit
    };
    desk.metadata(&moved).unwrap();
    assert_eq!(desk.title(), None);
}

#[test]
fn sources_that_number_tokens_are_limited_however_they_began() {
    let mut desk = Desk::new();
    for number in 0..=32 {
        let source = format!("s{number}");
        let mut report = titled(&source, "T");
        report.seq = Some(1);
        desk.metadata(&report).unwrap();
        report.seq = Some(2);
        report.tokens = vec![("key", Some("x"))];
        let outcome = desk.metadata(&report);
        assert_eq!(outcome.is_err(), number == 32);
        if let Err(error) = outcome {
            assert_eq!(
                error.message(),
                "pane metadata may track at most 32 sequenced sources"
            );
        }
    }
}
