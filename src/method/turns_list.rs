//! `turns.list` and `turns.cancel`: executions and their turns, for the person.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::api::ApiError;
use crate::api::control::{ControlResult, TurnSummary, TurnsListParams};
use crate::api::params::ExecutionTarget;
use crate::api::records::AgentTurnState;
use crate::sys::Wake;
use crate::turn::{Execution, Head, Ledger};

use super::wait::{self, Woken};
use super::{Call, Ended, execution};

/// Turns of one answer, at most and by default: some 400 KiB.
const ANSWER_LIMIT: usize = 1_000;

pub fn list(call: &Call<'_>, p: TurnsListParams) -> Result<ControlResult, Ended> {
    if let Some(after) = p.after {
        let wake = Wake::new().map_err(|error| ApiError::internal(format!("a wait: {error}")))?;
        let wake = Arc::new(wake);
        // Before the first look, so that no change falls between.
        call.shared.turns.follow(&wake);
        while revision(call) <= after {
            if wait::sleep(call.shared, call.client, Some(&wake), None) != Woken::Wake {
                return Err(Ended::Silent);
            }
        }
    }
    // Asked before the list is made: what changes meanwhile is in it, and in the next.
    let revision = revision(call);
    let mut turns = call.shared.ledger(|ledger| summaries(ledger, now()));
    let limit = p.limit.unwrap_or(ANSWER_LIMIT).min(ANSWER_LIMIT);
    turns.drain(..turns.len().saturating_sub(limit));
    call.shared.interactions(|interactions| {
        for turn in &mut turns {
            turn.questions = interactions.pending(&turn.name, turn.generation);
        }
    });
    Ok(ControlResult::Turns { revision, turns })
}

/// Grows with every change of any ledger.
fn revision(call: &Call<'_>) -> u64 {
    let turns = call
        .shared
        .ledger(|ledger| ledger.journal_revision() + ledger.execution_revision());
    turns
        + call
            .shared
            .interactions(|interactions| interactions.revision())
}

/// Every turn, and every execution that has none, in the order of their latest changes: those without a turn first.
fn summaries(ledger: &Ledger, now: u64) -> Vec<TurnSummary> {
    let with_turn: HashSet<(&str, u64)> = ledger
        .heads()
        .map(|head| (head.execution_id.as_str(), head.key.generation))
        .collect();
    let mut without: Vec<&Execution> = ledger
        .executions()
        .filter(|one| !with_turn.contains(&(one.semantic_id(), one.generation())))
        .collect();
    without.sort_by_key(|one| one.record.revision);
    let mut summaries: Vec<TurnSummary> = without
        .into_iter()
        .map(|one| summary(Some(one), one.semantic_id(), one.generation()))
        .collect();
    summaries.extend(ledger.heads().map(|head| {
        let execution = ledger.execution_of(&head.execution_id, head.key.generation);
        let of_execution = summary(execution, &head.execution_id, head.key.generation);
        with_turn_of(head, of_execution, now)
    }));
    summaries
}

fn summary(execution: Option<&Execution>, name: &str, generation: u64) -> TurnSummary {
    let record = execution.map(|one| &one.record);
    TurnSummary {
        execution_id: record.map(|record| record.execution_id.clone()),
        name: name.to_owned(),
        generation,
        pane_id: record.and_then(|record| record.pane_id.clone()),
        execution_state: record.map(|record| record.state),
        cancel_requested: record.is_some_and(|record| record.cancel_requested),
        turn_id: None,
        turn_state: None,
        duration_ms: None,
        line: None,
        questions: 0,
    }
}

fn with_turn_of(head: &Head, summary: TurnSummary, now: u64) -> TurnSummary {
    let is_lost = head.lost.is_some();
    let until = if head.is_open() && !is_lost {
        now
    } else {
        head.at
    };
    TurnSummary {
        pane_id: Some(head.pane_id.clone()),
        turn_id: Some(head.key.turn_id.clone()),
        turn_state: Some(match is_lost {
            true => AgentTurnState::Lost,
            false => head.state,
        }),
        duration_ms: Some(until.saturating_sub(head.began)),
        line: (!head.line.is_empty()).then(|| head.line.clone()),
        ..summary
    }
}

pub fn cancel(call: &Call<'_>, p: ExecutionTarget) -> Result<ControlResult, ApiError> {
    let record = execution::end(call, &p)?;
    Ok(ControlResult::TurnCancelled {
        execution_id: record.execution_id,
        asked: record.native_producer.is_some(),
        state: record.state,
    })
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}
