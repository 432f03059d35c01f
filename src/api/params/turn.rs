//! Parameters of the turn journal and of its actions (`agent.turn.*`): what xcsh reports of its turns, and what
//! managers read of them. Not in herdr 0.9.3; the names are those of the fork that xcsh is made for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::{AgentTurnActionState, AgentTurnState};
use crate::api::text::{CutText, Secret};

/// Parameters of `agent.turn.report`: one event of one turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTurnReportParams {
    /// `HERDR_EXECUTION_ID` of the reporter. This and the other four texts: 1 to 256 bytes without control
    /// characters.
    pub execution_id: String,
    /// `HERDR_PANE_ID` of the reporter.
    pub pane_id: String,
    /// Who reports, such as `xcsh`.
    pub producer: String,
    /// The producer's session.
    pub session_id: String,
    /// The turn, unique within session and generation.
    pub turn_id: String,
    /// `HERDR_EXECUTION_GENERATION` of the reporter.
    #[serde(default)]
    pub generation: u64,
    /// Grows with each event of a turn, from 1; gaps are allowed.
    pub event_revision: u64,
    pub state: AgentTurnState,
    /// Of a completed turn and no other: at most 8,000 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<CutText>,
    /// SHA-256 of the result in lower-case hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_digest: Option<String>,
    /// At most 8,000 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<CutText>,
    /// `HERDR_NATIVE_CAPABILITY` of the reporter. Never kept, never repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_capability: Option<Secret>,
}

/// Parameters of `agent.turn.get`: the key of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTurnGetParams {
    pub producer: String,
    pub session_id: String,
    pub turn_id: String,
    #[serde(default)]
    pub generation: u64,
}

/// Parameters of `agent.turn.list` and `execution.list`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SinceRevisionParams {
    /// Only records with a greater revision.
    #[serde(default)]
    pub since_revision: u64,
}

/// Parameters of `agent.turn.wait` and `execution.wait`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AfterRevisionParams {
    /// Waits until there is a record with a greater revision.
    #[serde(default)]
    pub after_revision: u64,
    /// 30,000 by default; more than 300,000 counts as that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Parameters of `agent.turn.action.get`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTurnActionGetParams {
    pub execution_id: String,
    pub pane_id: String,
    pub producer: String,
    pub session_id: String,
    pub generation: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_capability: Option<Secret>,
    /// Only actions with a greater revision.
    #[serde(default)]
    pub after_revision: u64,
}

/// Parameters of `agent.turn.action.ack`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTurnActionAckParams {
    pub execution_id: String,
    pub pane_id: String,
    pub producer: String,
    pub session_id: String,
    pub generation: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_capability: Option<Secret>,
    /// Without a meaning here; xcsh sends it.
    #[serde(default)]
    pub after_revision: u64,
    pub action_id: String,
    pub action_revision: u64,
    /// `safe_point`, and nothing else.
    pub state: AgentTurnActionState,
}
