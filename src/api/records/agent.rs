//! An agent as listings show it, its session, and the rules that detect it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::omit;
use crate::api::records::{AgentStatus, BlockedKind};
use crate::api::tokens;
use crate::api::wire_enum::wire_enum;

/// A pane seen as the agent in it (herdr 0.9.3, `agent.get`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInfo {
    pub terminal_id: String,
    /// Unique alias; absent when none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Absent for a moment after `agent.start`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// This and what else is shown has the same meaning as in `PaneInfo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_title_stripped: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_agent: Option<String>,
    pub agent_status: AgentStatus,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state_labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = tokens::MAX_HELD, "propertyNames" = tokens::name_schema()))]
    pub tokens: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<AgentSessionInfo>,
    pub workspace_id: String,
    pub tab_id: String,
    pub pane_id: String,
    pub focused: bool,
    /// Between `agent.start` and readiness.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub launch_pending: bool,
    /// Only agents that `agent.start` started get it.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub interactive_ready: bool,
    /// A full-lifecycle integration owns the state.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub screen_detection_skipped: bool,
    /// Place of the last change among all panes' changes; 0 if there was none.
    #[serde(default)]
    pub state_change_seq: u64,
    /// The same, if that change was to idle and finished some work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreground_cwd: Option<String>,
    pub revision: u64,
    /// What a blocked agent asks for. drover's own member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_kind: Option<BlockedKind>,
}

/// The conversation an agent has open, as its reporter named it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentSessionInfo {
    pub source: String,
    pub agent: String,
    pub kind: AgentSessionRefKind,
    pub value: String,
}

wire_enum! {
    /// How a session is named.
    pub enum AgentSessionRefKind {
        Id = "id",
        Path = "path",
    }
}

/// Where the detection rules of one agent come from (herdr 0.9.3, `server.agent_manifests`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentManifestInfo {
    pub agent: String,
    pub source: String,
    pub source_kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_remote_version: Option<String>,
    pub local_override_shadowing_remote: bool,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_last_checked_unix: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_update_result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_update_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}
