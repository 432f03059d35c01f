//! `agent.turn.*`: what xcsh reports of its turns, what is asked of them, and what managers read.
//!
//! Whoever reports is in the pane that it names, which the method's rule has seen to, and has the capability of the
//! execution in that pane, which the ledger sees to.

use crate::api::params::{
    AfterRevisionParams, AgentTurnActionAckParams, AgentTurnActionGetParams, AgentTurnGetParams,
    AgentTurnReportParams, SinceRevisionParams,
};
use crate::api::{ApiError, ResponseResult};
use crate::turn::{Key, Proof, Report, Reported, Sought};

use super::wait::wait_for_change;
use super::{Call, Ended};

/// The longest wait, in milliseconds (the fork's).
const LONGEST_WAIT: u64 = 300_000;

pub fn report(call: &Call<'_>, p: AgentTurnReportParams) -> Result<ResponseResult, ApiError> {
    let (report, capability) = Report::check(p)?;
    let proof = Proof::of(capability.as_ref().map(|secret| secret.0.as_str()));
    let take = || {
        call.shared
            .change_ledger(|ledger, now, rows| ledger.report(&report, &proof, now, rows))
    };
    let mut reported = take()?;
    if reported == Reported::Starting {
        // An error would be the last word of it: whoever is refused does not report this again.
        call.shared
            .wait_until_attached(|ledger| !ledger.is_starting(&report));
        reported = take()?;
    }
    let (turn, admitted) = match reported {
        Reported::Stored(turn, admitted) => (*turn, admitted),
        Reported::IfEqual(event) => (call.shared.turn_event_again(&report, event)?, false),
        Reported::Starting => {
            return Err(ApiError::new(
                "agent_turn_native_registration_pending",
                "this execution is still being started; report again",
            ));
        }
    };
    Ok(ResponseResult::AgentTurn { admitted, turn })
}

pub fn get(call: &Call<'_>, p: AgentTurnGetParams) -> Result<ResponseResult, ApiError> {
    let key = Key {
        producer: p.producer,
        session_id: p.session_id,
        turn_id: p.turn_id,
        generation: p.generation,
    };
    Ok(ResponseResult::AgentTurn {
        admitted: false,
        turn: call.shared.turn(&key)?,
    })
}

pub fn list(call: &Call<'_>, p: SinceRevisionParams) -> Result<ResponseResult, ApiError> {
    let turns = call.shared.turns_after(p.since_revision)?;
    Ok(ResponseResult::AgentTurnList { turns })
}

pub fn wait(call: &Call<'_>, p: AfterRevisionParams) -> Result<ResponseResult, Ended> {
    let revision = || call.shared.ledger(|ledger| ledger.journal_revision());
    wait_for_change(call, &p, LONGEST_WAIT, revision)?;
    let turns = call.shared.turns_after(p.after_revision)?;
    Ok(ResponseResult::AgentTurnList { turns })
}

pub fn action_get(
    call: &Call<'_>,
    p: AgentTurnActionGetParams,
) -> Result<ResponseResult, ApiError> {
    let actions = call.shared.change_ledger(|ledger, now, rows| {
        ledger.actions(&Sought::from(&p), p.after_revision, now, rows)
    })?;
    Ok(ResponseResult::AgentTurnActionList { actions })
}

pub fn action_ack(
    call: &Call<'_>,
    p: AgentTurnActionAckParams,
) -> Result<ResponseResult, ApiError> {
    let said = (p.action_id.as_str(), p.action_revision, p.state);
    let (action, admitted) = call.shared.change_ledger(|ledger, now, rows| {
        ledger.acknowledge(&Sought::from(&p), said, now, rows)
    })?;
    Ok(ResponseResult::AgentTurnAction { admitted, action })
}
