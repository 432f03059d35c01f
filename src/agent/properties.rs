//! What must hold after any sequence of calls.

use proptest::prelude::*;

use super::tests::Desk;
use super::*;

const SOURCES: &[&str] = &[
    "",
    "crush",
    "custom:x",
    "herdr:claude",
    "herdr:pi",
    "herdr:xcsh",
];
const LABELS: &[&str] = &["", "claude", "Claude-Code", "crush", "my-bot", "pi", "xcsh"];

#[derive(Debug, Clone)]
enum Step {
    Report(usize, usize, AgentState, Option<u64>, bool),
    Session(usize, usize, Option<u64>, usize),
    Heartbeat(usize, usize, Option<u64>),
    Clear(Option<usize>, Option<u64>),
    Release(usize, usize, Option<u64>),
    Metadata(usize, Option<u64>, Option<u64>, String, bool),
    Process(usize, u32),
    Foreground(bool),
    Exit,
    Pass(u64),
    Expire,
    Name(bool),
    Look,
    Move(bool, Option<bool>),
}

fn step() -> impl Strategy<Value = Step> {
    let source = || 0..SOURCES.len();
    let label = || 0..LABELS.len();
    let seq = || prop::option::of(0u64..12);
    let state = prop_oneof![
        Just(AgentState::Unknown),
        Just(AgentState::Idle),
        Just(AgentState::Working),
        Just(AgentState::Blocked)
    ];
    prop_oneof![
        6 => (source(), label(), state, seq(), any::<bool>())
            .prop_map(|(source, label, state, seq, session)| {
                Step::Report(source, label, state, seq, session)
            }),
        2 => (source(), label(), seq(), 0usize..4)
            .prop_map(|(source, label, seq, start)| Step::Session(source, label, seq, start)),
        1 => (source(), label(), seq())
            .prop_map(|(source, label, seq)| Step::Heartbeat(source, label, seq)),
        1 => (prop::option::of(source()), seq())
            .prop_map(|(source, seq)| Step::Clear(source, seq)),
        2 => (source(), label(), seq())
            .prop_map(|(source, label, seq)| Step::Release(source, label, seq)),
        2 => (source(), seq(), prop::option::of(0u64..3000), "\\PC{0,6}", any::<bool>())
            .prop_map(|(source, seq, ttl, text, clear)| {
                Step::Metadata(source, seq, ttl, text, clear)
            }),
        3 => (label(), 1u32..4).prop_map(|(label, group)| Step::Process(label, group)),
        3 => any::<bool>().prop_map(Step::Foreground),
        1 => Just(Step::Exit),
        2 => (0u64..2500).prop_map(Step::Pass),
        2 => Just(Step::Expire),
        1 => any::<bool>().prop_map(Step::Name),
        1 => Just(Step::Look),
        1 => (any::<bool>(), any::<Option<bool>>())
            .prop_map(|(active, outer)| Step::Move(active, outer)),
    ]
}

fn apply(desk: &mut Desk, step: Step) -> Effects {
    match step {
        Step::Report(source, label, state, seq, session) => {
            let argv = [LABELS[label].to_owned()];
            let report = Report {
                source: SOURCES[source],
                agent: LABELS[label],
                state,
                message: Some("allow"),
                seq,
                session_id: session.then_some("s1"),
                session_path: None,
                resume_argv: session.then_some(&argv),
            };
            desk.with(|agent, context| agent.report(&report, context))
                .effects
        }
        Step::Session(source, label, seq, start) => {
            let report = SessionReport {
                source: SOURCES[source],
                agent: LABELS[label],
                seq,
                session_id: Some(["s1", "s2"][start % 2]),
                session_path: Some("/s"),
                start_source: ["startup", "resume", "clear", ""].get(start).copied(),
                resume_argv: None,
            };
            desk.with(|agent, context| agent.report_session(&report, context))
                .effects
        }
        Step::Heartbeat(source, label, seq) => {
            let beat = Heartbeat {
                source: SOURCES[source],
                agent: LABELS[label],
                seq,
            };
            desk.with(|agent, context| agent.heartbeat(&beat, context))
                .effects
        }
        Step::Clear(source, seq) => {
            let source = source.map(|source| SOURCES[source]);
            desk.with(|agent, context| agent.clear_authority(&Clear { source, seq }, context))
        }
        Step::Release(source, label, seq) => {
            let release = Release {
                source: SOURCES[source],
                agent: LABELS[label],
                seq,
            };
            desk.with(|agent, context| agent.release(&release, context))
                .effects
        }
        Step::Metadata(source, seq, ttl_ms, text, clear_title) => {
            let report = MetadataReport {
                source: SOURCES[source],
                title: (!clear_title).then_some(text.as_str()),
                tokens: vec![("key", Some(text.as_str()))],
                clear_title,
                seq,
                ttl_ms,
                ..MetadataReport::default()
            };
            desk.with(|agent, context| agent.report_metadata(&report, context))
                .unwrap_or_default()
        }
        Step::Process(label, group) => match Kind::find(LABELS[label]) {
            Some(kind) => foreground(desk, Foreground::Agent { kind, group }),
            None => Effects::default(),
        },
        Step::Foreground(true) => foreground(desk, Foreground::Shell),
        Step::Foreground(false) => foreground(desk, Foreground::Other),
        Step::Exit => desk.with(|agent, context| agent.process_exited(context)),
        Step::Pass(milliseconds) => {
            desk.pass(milliseconds);
            Effects::default()
        }
        Step::Expire => desk.with(|agent, context| agent.expire(context)),
        Step::Name(true) => {
            let name = AgentName::parse("reviewer").unwrap();
            desk.with(|agent, context| agent.set_name(name, context))
        }
        Step::Name(false) => desk.with(|agent, context| agent.clear_name(context)),
        Step::Look => desk.agent.mark_seen(),
        Step::Move(active, outer) => {
            desk.in_active_tab = active;
            desk.outer_focused = outer;
            Effects::default()
        }
    }
}

fn foreground(desk: &mut Desk, foreground: Foreground) -> Effects {
    desk.with(|agent, context| agent.foreground_changed(foreground, context))
}

/// What is known of a pane from its announcements alone.
#[derive(Debug, Default, PartialEq)]
struct Follower {
    label: Option<String>,
    status: Status,
    presentation: Presentation,
}

impl Follower {
    fn hear(&mut self, effect: &Effect) {
        match effect {
            Effect::Detected {
                agent,
                released: None,
            } => self.label.clone_from(agent),
            Effect::Detected { .. } => self.label = None,
            Effect::StatusChanged {
                status,
                agent,
                presentation,
            } => {
                self.status = *status;
                self.label.clone_from(agent);
                self.presentation = presentation.clone();
            }
            Effect::Seen { .. } => {
                assert_eq!(self.status, Status::Done);
                self.status = Status::Idle;
            }
            Effect::NameChanged | Effect::TokensChanged => {}
        }
    }
}

proptest! {
    #[test]
    fn announcements_tell_all_and_what_is_shown_agrees_with_itself(
        steps in prop::collection::vec(step(), 1..80)
    ) {
        let mut desk = Desk::new();
        let mut follower = Follower::default();
        let mut seq_before = 0;
        for step in steps {
            let effects = apply(&mut desk, step);
            effects.list.iter().for_each(|effect| follower.hear(effect));
            prop_assert!(effects.changed || effects.list.is_empty());
            let view = desk.agent.view();
            prop_assert_eq!(&follower, &Follower {
                label: view.agent.map(str::to_owned),
                status: view.status,
                presentation: view.presentation.clone(),
            });
            prop_assert!(view.status != Status::Done || view.state == AgentState::Idle);
            prop_assert!(view.blocked.is_none() || view.status == Status::Blocked);
            prop_assert!(view.state_change_seq >= seq_before);
            prop_assert!(view.state_change_seq <= desk.changes);
            if let Some(seq) = view.completion_seq {
                prop_assert_eq!(seq, view.state_change_seq);
                prop_assert_eq!(view.state, AgentState::Idle);
            }
            prop_assert!(!view.claimed || view.agent.is_some());
            seq_before = view.state_change_seq;
        }
    }

    #[test]
    fn no_deadline_is_left_behind_once_time_has_passed(
        steps in prop::collection::vec(step(), 1..40)
    ) {
        let mut desk = Desk::new();
        for step in steps {
            let _ = apply(&mut desk, step);
        }
        while let Some(deadline) = desk.agent.next_deadline() {
            desk.now = desk.now.max(deadline);
            desk.expire();
            prop_assert!(desk.agent.next_deadline().is_none_or(|next| next > desk.now));
        }
    }
}
