//! Events of the turn journal and the actions that are asked of a running turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::wire_enum::wire_enum;

wire_enum! {
    /// How far a turn is.
    pub enum AgentTurnState {
        Starting = "starting",
        Working = "working",
        WaitingInput = "waiting_input",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
        Interrupted = "interrupted",
        /// Whoever reported it has gone without an end. Only the server says so.
        Lost = "lost",
    }
}

impl AgentTurnState {
    /// Whether nothing may follow.
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            AgentTurnState::Completed
                | AgentTurnState::Failed
                | AgentTurnState::Cancelled
                | AgentTurnState::Interrupted
        )
    }
}

/// One event of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTurnRecord {
    pub execution_id: String,
    pub pane_id: String,
    pub producer: String,
    pub session_id: String,
    pub turn_id: String,
    pub generation: u64,
    /// The producer's number within the turn. A `lost` record repeats that of the event before.
    pub event_revision: u64,
    pub state: AgentTurnState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Place in the journal, from 1; what a consumer keeps.
    pub revision: u64,
    /// Milliseconds since 1970, of the server's clock.
    pub reported_at_unix_ms: u64,
}

wire_enum! {
    /// How far an action is.
    pub enum AgentTurnActionState {
        Requested = "requested",
        /// The producer has stopped at a point from which it can end the turn.
        SafePoint = "safe_point",
        /// It did not within 30 seconds; nothing was ended for that.
        TimedOut = "timed_out",
    }
}

/// What a manager asks of a running turn. There is one kind, to cancel it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTurnAction {
    pub backend_execution_id: String,
    /// `cancel`.
    pub action_id: String,
    /// 1.
    pub action_revision: u64,
    pub state: AgentTurnActionState,
    pub requested_at_unix_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledged_at_unix_ms: Option<u64>,
    /// The turn that stopped at the safe point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_out_at_unix_ms: Option<u64>,
    /// When the turn's `cancelled` was taken into the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_at_unix_ms: Option<u64>,
}
