//! The ledger of executions and turns, from a claim to the last replay.

use std::collections::BTreeMap;
use std::convert::Infallible;

use crate::api::ApiError;
use crate::api::records::{
    AgentTurnActionState, AgentTurnRecord, AgentTurnState, ExecutionCommand, ExecutionState,
    NativeDiscovery, NativeLaunch, NativeLifecycle, NativeSessionHeader, NativeTools,
};
use crate::store;

use super::capability::work;
use super::*;

use AgentTurnState::*;

pub(super) const SESSION: &str = "0123abcd4567ef89";
pub(super) const TURN: &str = "7e0f6f1c-7f0e-4a0e-9a52-0a4b2f0f6b11";

fn native_launch() -> NativeLaunch {
    NativeLaunch {
        version: 3,
        xcsh_executable: "/opt/xcsh".to_owned(),
        session_dir: "/s".to_owned(),
        session_path: "/s/one.jsonl".to_owned(),
        session_header: NativeSessionHeader {
            id: SESSION.to_owned(),
            sha256: "0".repeat(64),
        },
        model: "m".to_owned(),
        discovery: NativeDiscovery::ReducedV1,
        tools: NativeTools::Read,
        interactive: false,
        lifecycle_mode: NativeLifecycle::ManagedTurnV1,
    }
}

pub(super) fn capability(seed: u8) -> Capability {
    Capability::new([seed; 32])
}

/// A ledger with what it stores, and a clock that the test sets.
#[derive(Default)]
pub(super) struct House {
    pub(super) ledger: Ledger,
    pub(super) stored: BTreeMap<(&'static str, String), String>,
    pub(super) events: BTreeMap<u64, (u64, u64, AgentTurnRecord)>,
    pub(super) now: u64,
    pub(super) writes: usize,
}

impl Saved for House {
    type Error = Infallible;

    fn rows(&self, kind: &'static str) -> Result<Vec<(String, String)>, Infallible> {
        let rows = self.stored.iter().filter(|((row, _), _)| *row == kind);
        Ok(rows
            .map(|((_, key), body)| (key.clone(), body.clone()))
            .collect())
    }
}

impl House {
    pub(super) fn keep(&mut self, rows: Rows) {
        for (key, body) in rows {
            self.writes += 1;
            match (key, body) {
                (store::Key::Record(kind, key), Some(body)) => {
                    self.stored.insert((kind, key), body);
                }
                (store::Key::Record(kind, key), None) => {
                    self.stored.remove(&(kind, key));
                }
                (
                    store::Key::TurnEvent {
                        revision,
                        turn,
                        event,
                    },
                    Some(body),
                ) => {
                    let record = serde_json::from_str(&body).unwrap();
                    self.events.insert(revision, (turn, event, record));
                }
                (store::Key::TurnEvents(turn), None) => {
                    self.events.retain(|_, (of, _, _)| *of != turn);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    pub(super) fn change<R>(
        &mut self,
        change: impl FnOnce(&mut Ledger, u64, &mut Rows) -> Result<R, ApiError>,
    ) -> Result<R, String> {
        let mut rows = Rows::new();
        let outcome = change(&mut self.ledger, self.now, &mut rows);
        self.keep(rows);
        outcome.map_err(|error| error.code.into_owned())
    }

    fn admit(&mut self, id: &str, generation: Option<u64>, text: &str) -> Result<Admitted, String> {
        let new = New {
            id: id.to_owned(),
            generation,
            spec: Spec {
                cwd: "/".to_owned(),
                workspace_id: None,
                label: None,
                command: ExecutionCommand::Argv {
                    argv: vec!["xcsh".to_owned()],
                },
                native: generation.map(|_| native_launch()),
                text: Some(text.to_owned()),
            },
            executable: None,
            verifier: capability(generation.unwrap_or_default() as u8).verifier(),
        };
        self.change(|ledger, now, rows| ledger.admit(new, now, rows))
    }

    /// An execution that runs in the pane of this number.
    pub(super) fn runs(&mut self, id: &str, generation: Option<u64>, pane: u64) -> String {
        let Ok(Admitted::New(record)) = self.admit(id, generation, "go on") else {
            panic!("{id} is known");
        };
        self.attach(&record, pane);
        record
    }

    fn attach(&mut self, record: &str, pane: u64) {
        let place = (pane, format!("w1:p{pane}"), format!("w1:t{pane}"));
        self.change(|ledger, now, rows| {
            ledger.started(record, place, 4_711, now, rows);
            Ok(())
        })
        .unwrap();
    }

    pub(super) fn take(&mut self, report: &Report, proof: Option<&str>) -> Result<bool, String> {
        let proof = Proof::of(proof);
        let reported = self.change(|ledger, now, rows| ledger.report(report, &proof, now, rows))?;
        match reported {
            Reported::Stored(record, admitted) => {
                let stored = &self.events[&record.revision].2;
                assert_eq!(*stored, *record, "what is answered is what is stored");
                Ok(admitted)
            }
            Reported::IfEqual(event) => {
                let stored = self
                    .events
                    .values()
                    .find(|(turn, number, _)| (*turn, *number) == (event.turn, event.revision));
                match stored.is_some_and(|(_, _, one)| Report::of_record(one) == *report) {
                    true => Ok(false),
                    false => Err("agent_turn_stale_revision".to_owned()),
                }
            }
            Reported::Starting => Err("starting".to_owned()),
        }
    }

    /// A report of the execution `task-42` of generation 3 in pane 2, with its capability.
    pub(super) fn says(&mut self, state: AgentTurnState, revision: u64) -> Result<bool, String> {
        self.take(&report(state, revision), Some(capability(3).as_str()))
    }

    fn sought<R>(
        &mut self,
        ask: impl FnOnce(&mut Ledger, &Sought<'_>, u64, &mut Rows) -> Result<R, ApiError>,
    ) -> Result<R, String> {
        let capability = capability(3);
        self.change(|ledger, now, rows| {
            let sought = sought(Proof::of(Some(capability.as_str())));
            ask(ledger, &sought, now, rows)
        })
    }

    fn actions(&mut self) -> Result<Vec<AgentTurnActionState>, String> {
        let found =
            self.sought(|ledger, sought, now, rows| ledger.actions(sought, 0, now, rows))?;
        Ok(found.into_iter().map(|action| action.state).collect())
    }

    fn acknowledges(&mut self) -> Result<(bool, Option<String>), String> {
        let said = ("cancel", 1, AgentTurnActionState::SafePoint);
        let (action, admitted) =
            self.sought(|ledger, sought, now, rows| ledger.acknowledge(sought, said, now, rows))?;
        assert_eq!(action.state, AgentTurnActionState::SafePoint);
        Ok((admitted, action.turn_id))
    }

    fn cancel(&mut self, id: &str) {
        self.change(|ledger, now, rows| ledger.cancel(id, now, rows))
            .unwrap();
    }

    fn state(&self, id: &str) -> ExecutionState {
        self.ledger.execution(id).unwrap().record.state
    }

    fn shown(&self) -> AgentTurnState {
        let head = self.ledger.head(&report(Starting, 1).key).unwrap();
        self.events[&head.shown()].2.state
    }

    fn restarted(&mut self, runs: bool) {
        let loaded = Ledger::load(&*self, |_| runs, self.now).unwrap();
        let (ledger, rows) = loaded.unwrap();
        self.ledger = ledger;
        self.keep(rows);
    }
}

pub(super) fn report(state: AgentTurnState, event_revision: u64) -> Report {
    let result = (state == Completed).then(|| "durable result".to_owned());
    Report {
        execution_id: "task-42".to_owned(),
        pane_id: "w1:p2".to_owned(),
        key: Key {
            producer: "xcsh".to_owned(),
            session_id: SESSION.to_owned(),
            turn_id: TURN.to_owned(),
            generation: 3,
        },
        event_revision,
        state,
        result_digest: result.as_ref().map(|text| hex_sha256(text.as_bytes())),
        result,
        reason: None,
    }
}

/// The execution of [`report`], as it asks.
fn sought(proof: Proof) -> Sought<'static> {
    Sought {
        execution_id: "task-42",
        pane_id: "w1:p2",
        producer: "xcsh",
        session_id: SESSION,
        generation: 3,
        proof,
    }
}

fn native() -> House {
    let mut house = House {
        now: 1_789_000_000_000,
        ..House::default()
    };
    house.runs("task-42", Some(3), 2);
    house
}

fn refused(code: &str) -> Result<bool, String> {
    Err(code.to_owned())
}

const BACKEND: &str = "xcsh-7a627f831766204c4d7ff6d1";

#[test]
fn records_of_native_executions_have_the_ids_of_the_contract() {
    let mut house = native();
    let record = house.ledger.execution(BACKEND).unwrap().record.clone();
    assert_eq!(record.backend_execution_id.as_deref(), Some(BACKEND));
    assert_eq!(house.runs("task-42", Some(4), 5).len(), BACKEND.len());
    let mut other = House::default();
    assert_eq!(
        other.runs("semantic-replay", Some(3), 1),
        "xcsh-9d5179d5481cec80688a99f7"
    );
    assert_eq!(
        other.runs("task-42", Some(0), 1),
        "xcsh-7a97be2ba1ddd2358cdeabaf"
    );
}

#[test]
fn a_turn_is_taken_in_order_and_each_event_once() {
    let mut house = native();
    for (revision, state) in [
        (1, Starting),
        (2, Working),
        (3, Working),
        (7, WaitingInput),
        (8, Working),
        (9, Completed),
    ] {
        assert_eq!(house.says(state, revision), Ok(true));
        assert_eq!(house.says(state, revision), Ok(false), "the same again");
    }
    assert_eq!(house.ledger.journal_revision(), 6);
    for (revision, state) in [(1, Starting), (3, Working), (8, Working)] {
        assert_eq!(house.says(state, revision), Ok(false), "an older one again");
    }
    assert_eq!(house.shown(), Completed);
    assert_eq!(house.state(BACKEND), ExecutionState::Running);
}

#[test]
fn what_is_out_of_order_is_refused_with_its_code_and_changes_nothing() {
    let mut house = native();
    assert_eq!(
        house.says(Working, 1),
        refused("agent_turn_native_registration_required")
    );
    assert_eq!(
        house.says(Starting, 2),
        refused("agent_turn_native_registration_required")
    );
    house.says(Starting, 1).unwrap();
    house.says(Working, 5).unwrap();
    let before = (house.writes, house.ledger.journal_revision());
    assert_eq!(
        house.says(WaitingInput, 5),
        refused("agent_turn_revision_conflict")
    );
    assert_eq!(house.says(Working, 4), refused("agent_turn_stale_revision"));
    assert_eq!(house.says(Working, 1), refused("agent_turn_stale_revision"));
    assert_eq!(
        house.says(Starting, 6),
        refused("agent_turn_invalid_transition")
    );
    assert_eq!((house.writes, house.ledger.journal_revision()), before);
    house.says(Failed, 6).unwrap();
    for state in [Working, Completed, Starting] {
        assert_eq!(
            house.says(state, 7),
            refused("agent_turn_terminal_conflict")
        );
    }
}

#[test]
fn an_ordinary_execution_has_as_many_turns_as_it_likes_and_its_own_order() {
    let mut house = House::default();
    house.runs("plain", None, 2);
    let mut one = report(Working, 1);
    (one.execution_id, one.key.generation) = ("plain".to_owned(), 0);
    let secret = capability(0);
    let proof = Some(secret.as_str());
    assert_eq!(
        house.take(&one, proof),
        refused("agent_turn_invalid_transition")
    );
    one.event_revision = 2;
    assert_eq!(
        house.take(&one, proof),
        refused("agent_turn_missing_revision")
    );
    for turn in ["a", "b"] {
        one.key.turn_id = turn.to_owned();
        (one.state, one.event_revision) = (Starting, 1);
        assert_eq!(house.take(&one, proof), Ok(true));
        (one.state, one.event_revision) = (Cancelled, 2);
        assert_eq!(house.take(&one, proof), Ok(true), "nobody has to be asked");
    }
    assert_eq!(
        house.take(&one, None),
        refused("agent_turn_native_capability_mismatch")
    );
}

#[test]
fn whoever_is_not_the_execution_is_refused_and_nothing_is_written() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    house.runs("other", Some(1), 9);
    let before = house.writes;
    let mut refuse = |edit: &dyn Fn(&mut Report), proof: Option<&str>, code: &str| {
        let mut forged = report(Working, 2);
        edit(&mut forged);
        assert_eq!(house.take(&forged, proof), refused(code));
    };
    let (ours, theirs) = (capability(3), capability(1));
    let proof = Some(ours.as_str());
    refuse(
        &|one| one.pane_id = "w1:p9".to_owned(),
        proof,
        "agent_turn_provenance_mismatch",
    );
    refuse(
        &|one| one.key.session_id = "f".repeat(16),
        proof,
        "agent_turn_native_binding_mismatch",
    );
    refuse(
        &|one| one.key.producer = "other".to_owned(),
        proof,
        "agent_turn_native_binding_mismatch",
    );
    refuse(
        &|one| one.execution_id = "none".to_owned(),
        proof,
        "agent_turn_execution_not_found",
    );
    refuse(
        &|one| one.key.generation = 4,
        proof,
        "agent_turn_execution_not_found",
    );
    refuse(
        &|one| one.key.turn_id = "other".to_owned(),
        proof,
        "agent_turn_native_registration_conflict",
    );
    for wrong in [
        None,
        Some(""),
        Some(theirs.as_str()),
        Some(&ours.as_str()[1..]),
    ] {
        refuse(&|_| (), wrong, "agent_turn_native_capability_mismatch");
    }
    assert_eq!(house.writes, before);
}

/// Session, turn and generation are no secrets, and an execution is proven as itself only.
#[test]
fn no_execution_goes_on_with_the_turn_of_another() {
    let mut house = House::default();
    house.runs("a", None, 2);
    house.runs("b", None, 3);
    let of = |id: &str, pane: &str, state, revision| {
        let mut one = report(state, revision);
        (one.execution_id, one.pane_id) = (id.to_owned(), pane.to_owned());
        one.key.generation = 0;
        one
    };
    let own = capability(0);
    let proof = Some(own.as_str());
    assert_eq!(house.take(&of("a", "w1:p2", Starting, 1), proof), Ok(true));
    for state in [Starting, Working, Completed, Failed, Cancelled, Interrupted] {
        let outcome = house.take(&of("b", "w1:p3", state, 2), proof);
        assert_eq!(
            outcome,
            refused("agent_turn_provenance_mismatch"),
            "{state}"
        );
    }
    assert_eq!(house.take(&of("a", "w1:p2", Completed, 2), proof), Ok(true));
}

/// What is compared and hashed for a caller does not tell which secrets there are, nor how near a forgery was.
#[test]
fn whatever_is_presented_the_check_of_it_is_the_same_work() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    house.runs("other", Some(1), 9);
    house.runs("task-42", Some(4), 5);
    let (ours, theirs, newer) = (capability(3), capability(1), capability(4));
    let near = format!("{}x", &ours.as_str()[..63]);
    let presented = [
        ("missing", None),
        ("empty", Some("")),
        ("forged", Some("forged")),
        ("all but the last digit", Some(&*near)),
        ("of another pane", Some(theirs.as_str())),
        ("of the generation that superseded it", Some(newer.as_str())),
    ];
    let whole = work::Work {
        digests: 1,
        digits: 64,
    };
    let own = Some(ours.as_str());
    let (work, taken) = work::of(|| house.take(&report(Working, 2), own));
    assert_eq!((work, taken), (whole, Ok(true)), "the secret itself");
    for (what, proof) in presented {
        let (work, outcome) = work::of(|| house.take(&report(Working, 3), proof));
        let mismatch = refused("agent_turn_native_capability_mismatch");
        assert_eq!((work, outcome), (whole, mismatch), "a report: {what}");
        let (work, outcome) = work::of(|| {
            let proof = Proof::of(proof);
            house.change(|ledger, now, rows| {
                ledger.actions(&sought(proof), 0, now, rows).map(|_| true)
            })
        });
        let mismatch = refused("agent_turn_native_capability_mismatch");
        assert_eq!((work, outcome), (whole, mismatch), "an action: {what}");
        let (work, outcome) = work::of(|| {
            house
                .ledger
                .check_owner(&sought(Proof::of(proof)))
                .unwrap_err()
        });
        let code = match proof {
            None => "interaction_producer_capability_missing",
            Some(_) => "interaction_producer_capability_mismatch",
        };
        assert_eq!((work, &*outcome.code), (whole, code), "a question: {what}");
    }
    // What the contract refuses before it looks at the secret, whether or not the caller has it.
    for proof in [own, Some("forged"), None] {
        for (edit, code) in [
            (
                (|one: &mut Report| one.execution_id = "none".to_owned()) as fn(&mut Report),
                "agent_turn_execution_not_found",
            ),
            (
                |one| one.pane_id = "w1:p9".to_owned(),
                "agent_turn_provenance_mismatch",
            ),
            (
                |one| one.key.session_id = "f".repeat(16),
                "agent_turn_native_binding_mismatch",
            ),
        ] {
            let mut foreign = report(Working, 3);
            edit(&mut foreign);
            let (work, outcome) = work::of(|| house.take(&foreign, proof));
            let hashed = work::Work {
                digests: 1,
                digits: 0,
            };
            assert_eq!((work, outcome), (hashed, refused(code)));
        }
    }
}

#[test]
fn a_managed_cancel_goes_by_a_safe_point_and_settles_the_execution() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    assert_eq!(house.actions(), Ok(vec![]), "nothing is no error");
    assert_eq!(
        house.says(Cancelled, 2),
        refused("agent_turn_native_cancel_not_requested")
    );
    house.cancel(BACKEND);
    house.cancel("task-42");
    assert_eq!(house.state(BACKEND), ExecutionState::Running);
    assert_eq!(house.actions(), Ok(vec![AgentTurnActionState::Requested]));
    let early = house.says(Cancelled, 2);
    assert_eq!(
        early,
        refused("agent_turn_native_cancel_not_at_authenticated_safe_point")
    );
    house.now += 300;
    assert_eq!(house.acknowledges(), Ok((true, Some(TURN.to_owned()))));
    assert_eq!(house.acknowledges(), Ok((false, Some(TURN.to_owned()))));
    assert_eq!(house.says(Cancelled, 3), Ok(true));
    assert_eq!(house.says(Cancelled, 3), Ok(false));
    assert_eq!(house.acknowledges(), Ok((false, Some(TURN.to_owned()))));
    assert_eq!(house.state(BACKEND), ExecutionState::Cancelled);
    let ended = End {
        exit_code: Some(0),
        ..End::default()
    };
    house
        .change(|ledger, now, rows| Ok(ledger.ended(2, &ended, now, rows)))
        .unwrap();
    let record = &house.ledger.execution(BACKEND).unwrap().record;
    assert_eq!(
        (record.state, record.exit_code),
        (ExecutionState::Cancelled, Some(0))
    );
    assert!(
        record
            .cancel_action
            .as_ref()
            .unwrap()
            .settled_at_unix_ms
            .is_some()
    );
}

#[test]
fn the_end_of_the_program_says_nothing_of_a_native_turn() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    house.cancel(BACKEND);
    house
        .change(|ledger, now, rows| Ok(ledger.ended(2, &End::default(), now, rows)))
        .unwrap();
    assert_eq!(
        (house.state(BACKEND), house.shown()),
        (ExecutionState::Exited, Starting)
    );
    house.runs("plain", None, 7);
    house.cancel("plain");
    house
        .change(|ledger, now, rows| Ok(ledger.ended(7, &End::default(), now, rows)))
        .unwrap();
    assert_eq!(house.state("plain"), ExecutionState::Cancelled);
}

#[test]
fn a_safe_point_that_does_not_come_in_time_never_counts() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    house.cancel(BACKEND);
    let deadline = house.ledger.next_deadline().unwrap();
    assert_eq!(deadline, house.now + SAFE_POINT_MS + 1);
    house.now = deadline;
    house
        .change(|ledger, now, rows| {
            ledger.expire_actions(now, rows);
            Ok(())
        })
        .unwrap();
    assert_eq!(house.ledger.next_deadline(), None);
    assert_eq!(house.actions(), Ok(vec![AgentTurnActionState::TimedOut]));
    let late = house.acknowledges().unwrap_err();
    assert_eq!(late, "agent_turn_action_safe_point_timeout");
    assert!(house.says(Cancelled, 2).is_err());
    assert_eq!(house.says(Interrupted, 2), Ok(true));
}

#[test]
fn actions_are_asked_about_by_the_registered_program_only() {
    let mut house = native();
    assert_eq!(
        house.actions(),
        Err("agent_turn_native_not_registered".to_owned())
    );
    house.says(Starting, 1).unwrap();
    let absent = house.sought(|ledger, sought, now, rows| {
        ledger.acknowledge(
            sought,
            ("cancel", 1, AgentTurnActionState::SafePoint),
            now,
            rows,
        )
    });
    assert_eq!(absent.unwrap_err(), "agent_turn_action_not_found");
    house.cancel(BACKEND);
    for (said, code) in [
        (
            ("stop", 1, AgentTurnActionState::SafePoint),
            "agent_turn_action_not_found",
        ),
        (
            ("cancel", 2, AgentTurnActionState::SafePoint),
            "agent_turn_action_not_found",
        ),
        (
            ("cancel", 1, AgentTurnActionState::Requested),
            "agent_turn_action_invalid_state",
        ),
    ] {
        let answer =
            house.sought(|ledger, sought, now, rows| ledger.acknowledge(sought, said, now, rows));
        assert_eq!(answer.unwrap_err(), code);
    }
    let after = house.sought(|ledger, sought, now, rows| ledger.actions(sought, 1, now, rows));
    assert_eq!(after, Ok(vec![]));
    let forged = house.sought(|ledger, sought, now, rows| {
        let forged = Sought {
            proof: Proof::of(Some("forged")),
            ..*sought
        };
        ledger.actions(&forged, 0, now, rows)
    });
    assert_eq!(forged.unwrap_err(), "agent_turn_native_capability_mismatch");
}

#[test]
fn generations_only_grow_and_a_newer_one_asks_the_older_to_end() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    let again = house.admit("task-42", Some(3), "go on").unwrap();
    assert!(matches!(again, Admitted::Known(record) if record.execution_id == BACKEND));
    for (generation, text, code) in [
        (3, "something else", "execution_generation_conflict"),
        (2, "go on", "execution_generation_stale"),
        (1 << 53, "go on", "invalid_execution_generation"),
    ] {
        assert_eq!(
            house.admit("task-42", Some(generation), text),
            Err(code.to_owned())
        );
    }
    let newer = house.runs("task-42", Some(4), 5);
    let old = &house.ledger.execution(BACKEND).unwrap().record;
    assert_eq!(
        old.superseded_by_backend_execution_id.as_deref(),
        Some(&*newer)
    );
    assert!(old.cancel_requested && old.state == ExecutionState::Running);
    assert_eq!(house.actions(), Ok(vec![AgentTurnActionState::Requested]));
    assert_eq!(house.says(Working, 2), Ok(true), "its reports still count");
    house.acknowledges().unwrap();
    assert_eq!(house.says(Cancelled, 3), Ok(true));
    assert_eq!(
        house
            .ledger
            .execution("task-42")
            .unwrap()
            .record
            .execution_id,
        newer
    );
}

#[test]
fn ids_of_both_kinds_share_one_space() {
    let mut house = native();
    assert_eq!(
        house.admit("task-42", None, ""),
        Err("execution_namespace_conflict".to_owned())
    );
    assert_eq!(
        house.admit(BACKEND, None, ""),
        Err("execution_namespace_conflict".to_owned())
    );
    house.runs("plain", None, 7);
    assert_eq!(
        house.admit("plain", Some(1), ""),
        Err("execution_namespace_conflict".to_owned())
    );
    assert!(matches!(
        house.admit("plain", None, "go on"),
        Ok(Admitted::Known(_))
    ));
    assert_eq!(
        house.admit("plain", None, "other"),
        Err("execution_id_conflict".to_owned())
    );
    for id in ["", "a b", "a/b", &"x".repeat(81), "é"] {
        assert_eq!(
            house.admit(id, None, ""),
            Err("invalid_execution_id".to_owned())
        );
    }
}

#[test]
fn a_restart_without_the_program_covers_the_turn_as_lost_until_it_is_heard_of_again() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    house.restarted(false);
    assert_eq!((house.shown(), house.ledger.journal_revision()), (Lost, 2));
    assert_eq!(house.state(BACKEND), ExecutionState::Lost);
    house.restarted(false);
    assert_eq!(house.ledger.journal_revision(), 2, "once");
    assert_eq!(house.says(Starting, 1), Ok(false));
    assert_eq!(house.says(Working, 2), Ok(true), "its numbers are its own");
    assert_eq!(house.says(Interrupted, 3), Ok(true));
    assert_eq!(house.shown(), Interrupted);
    house.restarted(false);
    assert_eq!(
        (house.shown(), house.ledger.journal_revision()),
        (Interrupted, 4)
    );
}

#[test]
fn a_restart_that_keeps_the_program_changes_nothing() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    house.cancel(BACKEND);
    let before = (house.writes, house.stored.clone());
    house.restarted(true);
    assert_eq!((house.writes, house.stored.clone()), before);
    assert_eq!(house.actions(), Ok(vec![AgentTurnActionState::Requested]));
    house.acknowledges().unwrap();
    house.restarted(true);
    assert_eq!(house.acknowledges(), Ok((false, Some(TURN.to_owned()))));
    assert_eq!(house.says(Cancelled, 2), Ok(true));
    house.restarted(false);
    assert_eq!(house.says(Cancelled, 2), Ok(false));
    assert_eq!(house.state(BACKEND), ExecutionState::Cancelled);
}

#[test]
fn an_action_whose_time_passed_while_nobody_was_there_is_over_after_the_restart() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    house.cancel(BACKEND);
    house.now += SAFE_POINT_MS + 1;
    house.restarted(true);
    assert_eq!(house.actions(), Ok(vec![AgentTurnActionState::TimedOut]));
}

#[test]
fn a_report_that_is_faster_than_its_pane_is_asked_to_wait() {
    let mut house = House::default();
    let Ok(Admitted::New(record)) = house.admit("task-42", Some(3), "go on") else {
        panic!("it is new");
    };
    assert_eq!(house.says(Starting, 1), refused("starting"));
    assert!(house.ledger.is_starting(&report(Starting, 1)));
    house.attach(&record, 2);
    assert_eq!(house.says(Starting, 1), Ok(true));
}

#[test]
fn old_turns_go_and_no_late_report_begins_one_anew() {
    let mut house = House::default();
    house.runs("plain", None, 2);
    let secret = capability(0);
    let mut one = report(Starting, 1);
    (one.execution_id, one.key.generation) = ("plain".to_owned(), 0);
    for turn in 0..4_100 {
        one.key.turn_id = turn.to_string();
        (one.state, one.event_revision) = (Starting, 1);
        house.take(&one, Some(secret.as_str())).unwrap();
        if turn != 1 {
            (one.state, one.event_revision) = (Failed, 2);
            house.take(&one, Some(secret.as_str())).unwrap();
        }
    }
    assert_eq!(house.ledger.heads().count(), 4_096);
    let of = |turn: &str| house.events.values().any(|(_, _, one)| one.turn_id == turn);
    assert!(!of("0") && of("1") && of("4099"), "open turns stay");
    house.restarted(true);
    one.key.turn_id = "0".to_owned();
    (one.state, one.event_revision) = (Starting, 1);
    let late = house.take(&one, Some(secret.as_str()));
    assert_eq!(late, refused("agent_turn_expired"));
}

#[test]
fn old_executions_go_but_none_that_runs_and_no_id_comes_back() {
    let mut house = House::default();
    house.runs("first", Some(7), 1);
    for number in 0..1_100 {
        let id = format!("e{number}");
        house.runs(&id, None, 10 + number);
        let end = End::default();
        house
            .change(|ledger, now, rows| Ok(ledger.ended(10 + number, &end, now, rows)))
            .unwrap();
    }
    assert!(house.ledger.execution("first").is_ok());
    assert!(house.ledger.execution("e0").is_err());
    house.restarted(true);
    assert_eq!(
        house.admit("e0", None, "go on"),
        Err("execution_expired".to_owned())
    );
    assert_eq!(house.ledger.executions_after(0).len(), 1_024);
}

#[test]
fn neither_secrets_nor_prompts_are_stored() {
    let mut house = native();
    house.says(Starting, 1).unwrap();
    house.says(Working, 2).unwrap();
    let all: String = house.stored.values().cloned().collect();
    assert!(!all.contains(capability(3).as_str()) && !all.contains("go on"));
    let events =
        serde_json::to_string(&house.events.values().map(|one| &one.2).collect::<Vec<_>>());
    assert!(!events.unwrap().contains("capability"));
}
