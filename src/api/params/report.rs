//! Parameters of what agents report about themselves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::PaneAgentState;
use crate::api::tokens;

/// Parameters of `pane.report_agent`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneReportAgentParams {
    pub pane_id: String,
    /// Who reports. Free text; `herdr:` names are herdr's own integrations.
    pub source: String,
    /// Label of the agent; known aliases count as its canonical label.
    pub agent: String,
    pub state: PaneAgentState,
    /// For a person; listings do not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Grows with each report of a source; a report that is not newer is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// At most 512 bytes without control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_session_id: Option<String>,
    /// Absolute, at most 4,096 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_session_path: Option<String>,
    /// The command that reopens the session: at most 64 arguments and 8,192 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume_argv: Option<Vec<String>>,
}

/// Parameters of `pane.report_agent_session`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneReportAgentSessionParams {
    pub pane_id: String,
    pub source: String,
    pub agent: String,
    /// Grows with each report of a source; a report that is not newer is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_session_path: Option<String>,
    /// Why the session began, such as `startup` or `resume`; unknown words count as absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_start_source: Option<String>,
    /// The command that reopens the session: at most 64 arguments and 8,192 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume_argv: Option<Vec<String>>,
}

/// Parameters of `pane.report_metadata`. Without a `clear_*` flag the report replaces this source's
/// whole record; with one it edits it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneReportMetadataParams {
    pub pane_id: String,
    /// 1 to 80 of letters, digits, `:`, `.`, `_`, `-`.
    pub source: String,
    /// Grows with each report of a source; a report that is not newer is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Milliseconds until what this report sets expires; without it, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400_000))]
    pub ttl_ms: Option<u64>,
    /// Null or empty deletes the token.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = tokens::MAX_PER_REPORT, "propertyNames" = tokens::name_schema()))]
    pub tokens: BTreeMap<String, Option<String>>,
    /// Cut to 80 characters, like all text of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_agent: Option<String>,
    /// Keys are the words of `AgentStatus`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state_labels: BTreeMap<String, String>,
    #[serde(default)]
    pub clear_title: bool,
    #[serde(default)]
    pub clear_display_agent: bool,
    #[serde(default)]
    pub clear_state_labels: bool,
    /// Show the record only while this is the pane's agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Show the record only while that source holds the pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to_source: Option<String>,
}

/// Parameters of `pane.report_agent_heartbeat`. Not in herdr 0.9.3; xcsh sends it every 10 seconds.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneReportAgentHeartbeatParams {
    pub pane_id: String,
    pub source: String,
    pub agent: String,
    /// Grows with each report of a source; a report that is not newer is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

/// Parameters of `pane.clear_agent_authority`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneClearAgentAuthorityParams {
    pub pane_id: String,
    /// Grows with each report of a source; a report that is not newer is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Parameters of `pane.release_agent`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneReleaseAgentParams {
    pub pane_id: String,
    pub source: String,
    pub agent: String,
    /// Grows with each report of a source; a report that is not newer is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}
