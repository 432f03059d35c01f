//! Questions that a turn asks of a person, and the receipts of their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::wire_enum::wire_enum;

wire_enum! {
    /// What a question is like.
    pub enum InteractionKind {
        /// The turn waits for 1 to 3 answers.
        Waiting = "waiting",
        /// The turn goes on.
        Async = "async",
        /// What to do with a plan.
        PlanDecision = "plan_decision",
    }
}

wire_enum! {
    /// How far a question is.
    pub enum InteractionState {
        Pending = "pending",
        Answered = "answered",
        Cancelled = "cancelled",
        Interrupted = "interrupted",
        Dismissed = "dismissed",
        Expired = "expired",
        Superseded = "superseded",
        /// Whoever asked has gone.
        OwnerLost = "owner_lost",
    }
}

wire_enum! {
    /// How far an answer is.
    pub enum InteractionReceiptState {
        Queued = "queued",
        Accepted = "accepted",
        Rejected = "rejected",
        /// Whoever asked has gone.
        OwnerLost = "owner_lost",
    }
}

/// Whose question it is.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct InteractionOwner {
    pub execution_id: String,
    pub pane_id: String,
    pub producer: String,
    pub session_id: String,
    pub generation: u64,
}

/// Names a question.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct InteractionTarget {
    pub owner: InteractionOwner,
    pub request_id: String,
}

/// A question as it was last reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InteractionReport {
    pub target: InteractionTarget,
    pub thread_id: String,
    pub turn_id: String,
    pub item_id: String,
    pub question_ids: Vec<String>,
    pub event_revision: u64,
    pub kind: InteractionKind,
    pub state: InteractionState,
    pub payload: Value,
}

/// A question and its place among all changes of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InteractionRecord {
    pub report: InteractionReport,
    pub revision: u64,
}

/// What became of an answer. The answer itself is never repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InteractionReceipt {
    pub target: InteractionTarget,
    pub response_id: String,
    pub state: InteractionReceiptState,
    pub revision: u64,
}

/// An answer on its way to whoever asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InteractionDelivery {
    pub receipt: InteractionReceipt,
    pub answer: Value,
}
