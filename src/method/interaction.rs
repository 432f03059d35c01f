//! `agent.interaction.*`: questions of xcsh to a person, and the way of the answers.
//!
//! Whoever asks proves itself as a turn's reporter does. To answer is to type into an agent that waits for a person,
//! and takes the same grants.

use crate::api::params::{
    AfterRevisionParams, AgentInteractionAckParams, AgentInteractionListParams,
    AgentInteractionReadParams, AgentInteractionReportParams, AgentInteractionRespondParams,
    InteractionProducer,
};
use crate::api::records::{InteractionOwner, InteractionReport, InteractionTarget};
use crate::api::text::Secret;
use crate::api::{ApiError, ResponseResult};
use crate::authority::{Grant, Lack, Place};
use crate::turn::{Proof, Sought};

use super::wait::wait_for_change;
use super::{Call, Ended};

/// The longest wait, in milliseconds (the fork's).
const LONGEST_WAIT: u64 = 30_000;

pub fn report(
    call: &Call<'_>,
    p: AgentInteractionReportParams,
) -> Result<ResponseResult, ApiError> {
    prove(call, &p.target.owner, p.native_capability.as_ref())?;
    let report = InteractionReport {
        target: p.target,
        thread_id: p.thread_id,
        turn_id: p.turn_id,
        item_id: p.item_id,
        question_ids: p.question_ids,
        event_revision: p.event_revision,
        kind: p.kind,
        state: p.state,
        payload: p.payload,
    };
    let interaction = call
        .shared
        .change_interactions(|interactions, rows| interactions.report(report, rows))?;
    Ok(ResponseResult::AgentInteraction { interaction })
}

pub fn delivery_get(call: &Call<'_>, p: InteractionProducer) -> Result<ResponseResult, ApiError> {
    prove(call, &p.owner, p.native_capability.as_ref())?;
    let deliveries = call
        .shared
        .interactions(|interactions| interactions.deliveries(&p.owner));
    Ok(ResponseResult::AgentInteractionDeliveries { deliveries })
}

pub fn delivery_ack(
    call: &Call<'_>,
    p: AgentInteractionAckParams,
) -> Result<ResponseResult, ApiError> {
    let InteractionProducer {
        owner,
        native_capability,
    } = p.producer;
    prove(call, &owner, native_capability.as_ref())?;
    let target = InteractionTarget {
        owner,
        request_id: p.request_id,
    };
    let receipt = call.shared.change_interactions(|interactions, rows| {
        interactions.acknowledge(&target, &p.response_id, p.accepted, rows)
    })?;
    Ok(ResponseResult::AgentInteractionReceipt { receipt })
}

/// Whether the caller is the execution that it says.
fn prove(
    call: &Call<'_>,
    owner: &InteractionOwner,
    capability: Option<&Secret>,
) -> Result<(), ApiError> {
    let sought = Sought {
        execution_id: &owner.execution_id,
        pane_id: &owner.pane_id,
        producer: &owner.producer,
        session_id: &owner.session_id,
        generation: owner.generation,
        proof: Proof::of(capability.map(|secret| secret.0.as_str())),
    };
    call.shared.ledger(|ledger| ledger.check_owner(&sought))
}

pub fn respond(
    call: &Call<'_>,
    p: AgentInteractionRespondParams,
) -> Result<ResponseResult, ApiError> {
    let place = call.place();
    // An open question waits for a person, whatever else its pane says.
    if place != Place::Outside && !call.shared.standing(place).grants.holds(Grant::Respond) {
        return Err(call.forbidden(place, Lack::Respond));
    }
    let receipt = call.shared.change_interactions(|interactions, rows| {
        interactions.respond(&p.target, &p.response_id, p.answer, rows)
    })?;
    Ok(ResponseResult::AgentInteractionReceipt { receipt })
}

pub fn read(call: &Call<'_>, p: AgentInteractionReadParams) -> Result<ResponseResult, ApiError> {
    let interaction = call
        .shared
        .interactions(|interactions| interactions.read(&p.target))?;
    Ok(ResponseResult::AgentInteraction { interaction })
}

pub fn list(call: &Call<'_>, p: AgentInteractionListParams) -> Result<ResponseResult, ApiError> {
    Ok(changes(call, p.after_revision))
}

pub fn wait(call: &Call<'_>, p: AfterRevisionParams) -> Result<ResponseResult, Ended> {
    let revision = || {
        call.shared
            .interactions(|interactions| interactions.revision())
    };
    wait_for_change(call, &p, LONGEST_WAIT, revision)?;
    Ok(changes(call, p.after_revision))
}

fn changes(call: &Call<'_>, after: u64) -> ResponseResult {
    let changes = call
        .shared
        .interactions(|interactions| interactions.changes(after));
    ResponseResult::AgentInteractionList {
        revision: changes.revision,
        reset: changes.reset,
        interactions: changes.interactions,
        deliveries: changes.receipts,
    }
}
