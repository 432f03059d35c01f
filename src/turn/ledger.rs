//! Executions and journal together: a report is checked against the one and taken into the other, in one step.

use crate::api::ApiError;
use crate::api::params::{AgentTurnActionAckParams, AgentTurnActionGetParams};
use crate::api::records::{
    AgentTurnAction, AgentTurnActionState, AgentTurnRecord, AgentTurnState, ExecutionRecord,
    ExecutionState, NativeRegistration,
};

use super::action;
use super::capability::Proof;
use super::execution::{Admitted, End, Execution, Executions, NATIVE_PRODUCER, New, ask_to_cancel};
use super::journal::{Event, Head, Journal, Key, Verdict};
use super::report::Report;
use super::rows::Rows;

/// What was stored, by kind.
pub trait Saved {
    /// Why it cannot be read.
    type Error;

    /// Keys and bodies of the rows of one kind.
    ///
    /// # Errors
    /// They cannot be read.
    fn rows(&self, kind: &'static str) -> Result<Vec<(String, String)>, Self::Error>;
}

/// What became of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Reported {
    /// It is in the journal; true if that is its doing.
    Stored(Box<AgentTurnRecord>, bool),
    /// It is in the journal if this stored event is equal; else it is stale.
    IfEqual(Event),
    /// Its program is being started; ask again when that is done.
    Starting,
}

/// Who an action is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    pub execution_id: &'a str,
    pub pane_id: &'a str,
    pub producer: &'a str,
    pub session_id: &'a str,
    pub generation: u64,
    /// Of the execution's capability.
    pub proof: Proof,
}

impl<'a> From<&'a AgentTurnActionGetParams> for Sought<'a> {
    fn from(params: &'a AgentTurnActionGetParams) -> Sought<'a> {
        Sought {
            execution_id: &params.execution_id,
            pane_id: &params.pane_id,
            producer: &params.producer,
            session_id: &params.session_id,
            generation: params.generation,
            proof: Proof::of(params.native_capability.as_ref().map(|secret| &*secret.0)),
        }
    }
}

impl<'a> From<&'a AgentTurnActionAckParams> for Sought<'a> {
    fn from(params: &'a AgentTurnActionAckParams) -> Sought<'a> {
        Sought {
            execution_id: &params.execution_id,
            pane_id: &params.pane_id,
            producer: &params.producer,
            session_id: &params.session_id,
            generation: params.generation,
            proof: Proof::of(params.native_capability.as_ref().map(|secret| &*secret.0)),
        }
    }
}

/// Executions, what is asked of them, and the journal of their turns.
#[derive(Debug, Default)]
pub struct Ledger {
    executions: Executions,
    journal: Journal,
}

impl Ledger {
    /// What was stored. Executions whose panes do not run, of which `runs` knows, are lost, and so are their open
    /// turns; the rows say so.
    ///
    /// # Errors
    /// It cannot be read, or is not what was written; the text says which row.
    pub fn load<S: Saved>(
        saved: &S,
        runs: impl Fn(u64) -> bool,
        now: u64,
    ) -> Result<Result<(Ledger, Rows), String>, S::Error> {
        let [heads, expired] = Journal::KINDS;
        let [executions, spent] = Executions::KINDS;
        let journal = Journal::load(saved.rows(heads)?, saved.rows(expired)?);
        let executions = Executions::load(saved.rows(executions)?, saved.rows(spent)?);
        Ok(journal.and_then(|journal| {
            let mut ledger = Ledger {
                executions: executions?,
                journal,
            };
            let mut rows = Rows::new();
            ledger.reconcile(runs, now, &mut rows);
            Ok((ledger, rows))
        }))
    }

    fn reconcile(&mut self, runs: impl Fn(u64) -> bool, now: u64, rows: &mut Rows) {
        let gone: Vec<String> = self
            .executions
            .all()
            .filter(|one| one.record.state.is_live() && !one.pane.is_some_and(&runs))
            .map(|one| one.record.execution_id.clone())
            .collect();
        for id in gone {
            let gap = "the server restarted without its program";
            self.lost(&id, gap, now, rows);
        }
        let open: Vec<Key> = self
            .journal
            .heads()
            .filter(|head| head.is_open() && !self.is_running(head))
            .map(|head| head.key.clone())
            .collect();
        for key in open {
            self.journal.lose(&key, now, rows);
        }
        self.expire_actions(now, rows);
    }

    fn is_running(&self, head: &Head) -> bool {
        self.executions
            .of_producer(&head.execution_id, head.key.generation)
            .is_some_and(|one| one.record.state.is_live())
    }

    /// The greatest revision of the journal.
    pub fn journal_revision(&self) -> u64 {
        self.journal.revision()
    }

    /// The greatest revision of the executions.
    pub fn execution_revision(&self) -> u64 {
        self.executions.revision()
    }

    /// A turn's latest.
    pub fn head(&self, key: &Key) -> Option<&Head> {
        self.journal.head(key)
    }

    /// The turns in the order of their latest places in the journal.
    pub fn heads(&self) -> impl Iterator<Item = &Head> {
        self.journal.heads()
    }

    /// The execution that is meant: a record's id, else the newest generation that a manager calls so.
    ///
    /// # Errors
    /// `execution_not_found`.
    pub fn execution(&self, id: &str) -> Result<&Execution, ApiError> {
        self.executions
            .get(id)
            .or_else(|| self.executions.newest(id))
            .ok_or_else(|| {
                ApiError::new("execution_not_found", format!("execution {id} not found"))
            })
    }

    /// Every execution that is kept.
    pub fn executions(&self) -> impl Iterator<Item = &Execution> {
        self.executions.all()
    }

    /// The execution that a producer says it is.
    pub fn execution_of(&self, id: &str, generation: u64) -> Option<&Execution> {
        self.executions.of_producer(id, generation)
    }

    /// Whether the program that a report comes from has no pane yet.
    pub fn is_starting(&self, report: &Report) -> bool {
        let execution = self.execution_of(&report.execution_id, report.key.generation);
        execution.is_some_and(|one| one.record.state == ExecutionState::Starting)
    }

    /// Records that changed after this revision, in its order.
    pub fn executions_after(&self, revision: u64) -> Vec<ExecutionRecord> {
        let changed = self.executions.all().map(|one| &one.record);
        let mut changed: Vec<_> = changed
            .filter(|record| record.revision > revision)
            .cloned()
            .collect();
        changed.sort_by_key(|record| record.revision);
        changed
    }

    /// The execution that runs in this pane.
    pub fn running_in(&self, pane: u64) -> Option<&Execution> {
        self.executions
            .all()
            .find(|one| one.pane == Some(pane) && one.record.state.is_live())
    }

    /// Whether any execution may run: spares everybody else the question where they are.
    pub fn any_running(&self) -> bool {
        self.executions.all().any(|one| one.record.state.is_live())
    }

    /// Claims an execution.
    ///
    /// # Errors
    /// Its id was used before.
    pub fn admit(&mut self, new: New, now: u64, rows: &mut Rows) -> Result<Admitted, ApiError> {
        self.executions.admit(new, now, rows)
    }

    /// A claimed execution's program runs, in this pane.
    pub fn started(
        &mut self,
        id: &str,
        (pane, pane_id, tab_id): (u64, String, String),
        pid: i32,
        now: u64,
        rows: &mut Rows,
    ) -> Option<ExecutionRecord> {
        self.executions.change(id, rows, |one| {
            one.pane = Some(pane);
            let record = &mut one.record;
            record.pane_id = Some(pane_id);
            record.tab_id = Some(tab_id);
            record.pid = Some(pid);
            record.started_at_unix_ms = Some(now);
            record.state = ExecutionState::Running;
        })
    }

    /// A claimed execution could not be started, or nothing is known of it any more.
    pub fn lost(&mut self, id: &str, gap: &str, now: u64, rows: &mut Rows) {
        self.executions.change(id, rows, |one| {
            one.record.state = ExecutionState::Lost;
            one.record.finished_at_unix_ms = Some(now);
            one.record.evidence_gap = Some(gap.to_owned());
        });
    }

    /// The program of the execution in this pane has ended. The end of xcsh says nothing of its turn.
    pub fn ended(
        &mut self,
        pane: u64,
        end: &End,
        now: u64,
        rows: &mut Rows,
    ) -> Option<ExecutionRecord> {
        let of_pane = |one: &&Execution| one.pane == Some(pane) && !one.record.output_complete;
        let id = self.executions.all().find(of_pane)?;
        let id = id.record.execution_id.clone();
        self.executions.change(&id, rows, |one| {
            let cancelled = !one.is_native() && one.record.cancel_requested;
            let record = &mut one.record;
            if record.state.is_live() {
                record.state = match cancelled {
                    true => ExecutionState::Cancelled,
                    false => ExecutionState::Exited,
                };
            }
            record.finished_at_unix_ms.get_or_insert(now);
            record.exit_code = end.exit_code;
            record.signal = end.signal;
            record.signal_name.clone_from(&end.signal_name);
            record.stdout_bytes = end.printed;
            record.output_complete = true;
            if end.unknown {
                record.evidence_gap = Some("how it ended is not known".to_owned());
            }
        })
    }

    /// Somebody wants an execution to end. What is to be done beyond noting it: end its program, if it is not native.
    ///
    /// # Errors
    /// `execution_not_found`.
    pub fn cancel(
        &mut self,
        id: &str,
        now: u64,
        rows: &mut Rows,
    ) -> Result<ExecutionRecord, ApiError> {
        let found = self.execution(id)?;
        let (id, record) = (found.record.execution_id.clone(), found.record.clone());
        if !record.state.is_live() || record.cancel_requested {
            return Ok(record);
        }
        let changed = self
            .executions
            .change(&id, rows, |one| ask_to_cancel(one, now));
        Ok(changed.unwrap_or(record))
    }

    /// Notes the actions whose time is over.
    pub fn expire_actions(&mut self, now: u64, rows: &mut Rows) {
        let waits = |one: &&Execution| {
            one.record
                .cancel_action
                .as_ref()
                .and_then(action::deadline)
                .is_some_and(|deadline| deadline <= now)
        };
        let late: Vec<String> = self
            .executions
            .all()
            .filter(waits)
            .map(|one| one.record.execution_id.clone())
            .collect();
        for id in late {
            self.executions.change(&id, rows, |one| {
                if let Some(action) = &mut one.record.cancel_action {
                    action::expire(action, now);
                }
            });
        }
    }

    /// When the next action's time is over, in milliseconds since 1970.
    pub fn next_deadline(&self) -> Option<u64> {
        let actions = self.executions.all();
        actions
            .filter_map(|one| one.record.cancel_action.as_ref())
            .filter_map(action::deadline)
            .min()
    }

    /// Takes a report.
    ///
    /// # Errors
    /// The contract's, in its order; then nothing has changed.
    pub fn report(
        &mut self,
        report: &Report,
        proof: &Proof,
        now: u64,
        rows: &mut Rows,
    ) -> Result<Reported, ApiError> {
        let execution = self.of_producer(
            &report.execution_id,
            report.key.generation,
            (&report.key.producer, &report.key.session_id),
        )?;
        let Some(pane_id) = &execution.record.pane_id else {
            if execution.record.state == ExecutionState::Starting {
                return Ok(Reported::Starting);
            }
            return Err(other_pane());
        };
        if *pane_id != report.pane_id {
            return Err(other_pane());
        }
        prove(execution, proof)?;
        let registers = execution.is_native() && !is_registered(execution, report)?;
        if execution.is_native() && report.state == AgentTurnState::Cancelled {
            action::allows_cancelled(execution.record.cancel_action.as_ref(), &report.key.turn_id)?;
        }
        let (id, native) = (execution.record.execution_id.clone(), execution.is_native());
        match self.journal.decide(report)? {
            Verdict::Older(event) => Ok(Reported::IfEqual(event)),
            Verdict::Again { revision, at } => {
                let record = report.record(revision, at);
                Ok(Reported::Stored(Box::new(record), false))
            }
            Verdict::New => {
                if registers {
                    self.register(&id, report, now, rows);
                }
                let record = self.journal.append(report, now, rows);
                if native && report.state == AgentTurnState::Cancelled {
                    self.settle(&id, now, rows);
                }
                Ok(Reported::Stored(Box::new(record), true))
            }
        }
    }

    /// Registration, first event and what authorises actions are stored in one transaction, so there is nothing
    /// between them to repair.
    fn register(&mut self, id: &str, report: &Report, now: u64, rows: &mut Rows) {
        self.executions.change(id, rows, |one| {
            let record = &mut one.record;
            record.native_registration = Some(NativeRegistration {
                producer: report.key.producer.clone(),
                session_id: report.key.session_id.clone(),
                generation: report.key.generation,
                pane_id: report.pane_id.clone(),
                // It has a pane, so its program was started.
                pid: record.pid.unwrap_or_default(),
                turn_id: report.key.turn_id.clone(),
                registered_at_unix_ms: now,
                journaled_at_unix_ms: Some(now),
            });
        });
    }

    fn settle(&mut self, id: &str, now: u64, rows: &mut Rows) {
        self.executions.change(id, rows, |one| {
            if let Some(action) = &mut one.record.cancel_action {
                action.settled_at_unix_ms.get_or_insert(now);
            }
            one.record.state = ExecutionState::Cancelled;
            one.record.finished_at_unix_ms.get_or_insert(now);
        });
    }

    /// What is asked of the execution, after this revision.
    ///
    /// # Errors
    /// The contract's.
    pub fn actions(
        &mut self,
        sought: &Sought<'_>,
        after: u64,
        now: u64,
        rows: &mut Rows,
    ) -> Result<Vec<AgentTurnAction>, ApiError> {
        self.expire_actions(now, rows);
        let execution = self.authorised(sought)?;
        let action = execution.record.cancel_action.iter();
        Ok(action
            .filter(|action| action.action_revision > after)
            .cloned()
            .collect())
    }

    /// The turn has stopped at a safe point.
    ///
    /// # Errors
    /// The contract's.
    pub fn acknowledge(
        &mut self,
        sought: &Sought<'_>,
        (action_id, action_revision, state): (&str, u64, AgentTurnActionState),
        now: u64,
        rows: &mut Rows,
    ) -> Result<(AgentTurnAction, bool), ApiError> {
        self.expire_actions(now, rows);
        let execution = self.authorised(sought)?;
        let registration = execution.record.native_registration.as_ref();
        let known = (action_id, action_revision) == (action::ID, action::REVISION);
        let asked = execution.record.cancel_action.clone().filter(|_| known);
        let (Some(mut action), Some(registration)) = (asked, registration) else {
            return Err(ApiError::new(
                "agent_turn_action_not_found",
                "no such action was asked for",
            ));
        };
        if state != AgentTurnActionState::SafePoint {
            return Err(ApiError::new(
                "agent_turn_action_invalid_state",
                "only safe_point is acknowledged",
            ));
        }
        let (id, turn_id) = (
            execution.record.execution_id.clone(),
            registration.turn_id.clone(),
        );
        let admitted = action::acknowledge(&mut action, &turn_id, now)?;
        if admitted {
            let kept = action.clone();
            self.executions
                .change(&id, rows, |one| one.record.cancel_action = Some(kept));
        }
        Ok((action, admitted))
    }

    /// The execution that a producer may ask about.
    fn authorised(&self, sought: &Sought<'_>) -> Result<&Execution, ApiError> {
        let execution = self.of_producer(
            sought.execution_id,
            sought.generation,
            (sought.producer, sought.session_id),
        )?;
        if execution.record.pane_id.as_deref() != Some(sought.pane_id) {
            return Err(other_pane());
        }
        prove(execution, &sought.proof)?;
        if !execution.is_native() {
            return Ok(execution);
        }
        let registration = execution.record.native_registration.as_ref();
        let Some(registered) = registration.filter(|one| one.journaled_at_unix_ms.is_some()) else {
            return Err(ApiError::new(
                "agent_turn_native_not_registered",
                "no turn of this execution was reported yet",
            ));
        };
        let is_same = registered.producer == sought.producer
            && registered.session_id == sought.session_id
            && registered.generation == sought.generation
            && registered.pane_id == sought.pane_id;
        if is_same {
            Ok(execution)
        } else {
            Err(other_pane())
        }
    }

    /// The execution that a producer says it is, bound to its session if it is native.
    fn of_producer(
        &self,
        id: &str,
        generation: u64,
        (producer, session_id): (&str, &str),
    ) -> Result<&Execution, ApiError> {
        let found = self.executions.of_producer(id, generation);
        let execution = found.ok_or_else(|| {
            ApiError::new(
                "agent_turn_execution_not_found",
                format!("there is no execution {id} of generation {generation}"),
            )
        })?;
        let bound = !execution.is_native()
            || (producer == NATIVE_PRODUCER
                && execution.record.producer_session_id.as_deref() == Some(session_id));
        if !bound {
            return Err(ApiError::new(
                "agent_turn_native_binding_mismatch",
                "this execution belongs to another producer or session",
            ));
        }
        Ok(execution)
    }

    /// Whether a question's owner is an execution that may ask.
    ///
    /// # Errors
    /// Codes of `agent.interaction.*`.
    pub fn check_owner(&self, sought: &Sought<'_>) -> Result<(), ApiError> {
        let refused = |code: &'static str, message: &str| Err(ApiError::new(code, message));
        let found = self
            .executions
            .of_producer(sought.execution_id, sought.generation);
        let Some(execution) = found else {
            if self.executions.newest(sought.execution_id).is_some() {
                return refused(
                    "interaction_stale_generation",
                    "this execution has no such generation",
                );
            }
            return refused("interaction_execution_not_found", "no such execution");
        };
        let record = &execution.record;
        let same_session = record
            .producer_session_id
            .as_deref()
            .is_none_or(|id| id == sought.session_id);
        let same_producer = !execution.is_native() || sought.producer == NATIVE_PRODUCER;
        if record.pane_id.as_deref() != Some(sought.pane_id) || !same_session || !same_producer {
            return refused(
                "interaction_provenance_mismatch",
                "this execution has another pane, producer or session",
            );
        }
        // Compared also where there is nothing to compare.
        let is_proven = execution.verifier.accepts(&sought.proof);
        if !sought.proof.is_presented() {
            return refused(
                "interaction_producer_capability_missing",
                "prove who asks with the execution's capability",
            );
        }
        if !is_proven {
            return refused(
                "interaction_producer_capability_mismatch",
                "this is not the execution's capability",
            );
        }
        let newest = self.executions.newest(execution.semantic_id());
        if newest.is_some_and(|newest| newest.generation() > execution.generation()) {
            return refused(
                "interaction_stale_generation",
                "a newer generation of this execution has begun",
            );
        }
        if !record.state.is_live() {
            return refused(
                "interaction_owner_lost",
                "this execution does not run any more",
            );
        }
        Ok(())
    }
}

/// Nobody but the program that was given the secret has it.
fn prove(execution: &Execution, proof: &Proof) -> Result<(), ApiError> {
    if execution.verifier.accepts(proof) {
        return Ok(());
    }
    Err(ApiError::new(
        "agent_turn_native_capability_mismatch",
        "native_capability is not the one of this execution; send the value of HERDR_NATIVE_CAPABILITY",
    ))
}

/// Whether a native execution's turn is this one; false if it has none yet.
fn is_registered(execution: &Execution, report: &Report) -> Result<bool, ApiError> {
    let Some(registered) = &execution.record.native_registration else {
        let begins = report.state == AgentTurnState::Starting && report.event_revision == 1;
        if begins {
            return Ok(false);
        }
        return Err(ApiError::new(
            "agent_turn_native_registration_required",
            "the first report of an execution is starting, with event_revision 1",
        ));
    };
    let is_same = registered.producer == report.key.producer
        && registered.session_id == report.key.session_id
        && registered.generation == report.key.generation
        && registered.pane_id == report.pane_id
        && registered.turn_id == report.key.turn_id;
    if is_same {
        return Ok(true);
    }
    Err(ApiError::new(
        "agent_turn_native_registration_conflict",
        "this generation has another turn; resume the session under a new generation for the next one",
    ))
}

fn other_pane() -> ApiError {
    ApiError::new(
        "agent_turn_provenance_mismatch",
        "this execution runs in another pane, or was registered by another producer",
    )
}
