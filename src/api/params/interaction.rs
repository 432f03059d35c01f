//! Parameters of questions that a turn asks of a person (`agent.interaction.*`). Not in herdr 0.9.3; the names are
//! those of the fork that xcsh is made for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::records::{InteractionKind, InteractionOwner, InteractionState, InteractionTarget};
use crate::api::text::Secret;

/// Parameters of `agent.interaction.report`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInteractionReportParams {
    pub target: InteractionTarget,
    pub thread_id: String,
    pub turn_id: String,
    pub item_id: String,
    pub question_ids: Vec<String>,
    /// Grows with each report about this request, from 1.
    pub event_revision: u64,
    pub kind: InteractionKind,
    pub state: InteractionState,
    /// At most 262,144 bytes; which members it has depends on the kind.
    pub payload: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_capability: Option<Secret>,
}

/// Who asks for answers, and proves that it may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InteractionProducer {
    pub owner: InteractionOwner,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_capability: Option<Secret>,
}

/// Parameters of `agent.interaction.delivery.ack`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInteractionAckParams {
    pub producer: InteractionProducer,
    pub request_id: String,
    pub response_id: String,
    /// Whether the answer was taken; otherwise the question stays open.
    pub accepted: bool,
}

/// Parameters of `agent.interaction.respond`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInteractionRespondParams {
    pub target: InteractionTarget,
    /// Names this answer: the same one again is the same answer.
    pub response_id: String,
    /// At most 65,536 bytes; its form depends on the question's kind.
    pub answer: Value,
}

/// Parameters of `agent.interaction.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInteractionReadParams {
    pub target: InteractionTarget,
}

/// Parameters of `agent.interaction.list`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentInteractionListParams {
    /// Only what has a greater revision.
    #[serde(default)]
    pub after_revision: u64,
}
