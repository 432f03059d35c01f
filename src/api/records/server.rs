//! What concerns the server as a whole: abilities, snapshot, reload, notifications.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::{AgentInfo, PaneInfo, PaneLayoutSnapshot, TabInfo, WorkspaceInfo};
use crate::api::wire_enum::wire_enum;

/// What this server can do (herdr 0.9.3, `ping`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ServerCapabilities {
    /// `server.live_handoff` works.
    pub live_handoff: bool,
    /// The server outlives the terminal it was started from.
    #[serde(default)]
    pub detached_server_daemon: bool,
    /// Generation of the full-screen client's own protocol; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_protocol_generation: Option<u32>,
    #[serde(default)]
    pub health_check: bool,
    #[serde(default)]
    pub surface_interest: bool,
    #[serde(default)]
    pub ssh_agent_registration: bool,
    /// `execution.*` works. drover's own member, as all that follow; the names are those of the fork
    /// that xcsh is made for.
    #[serde(default)]
    pub tracked_executions: bool,
    /// `agent.turn.*` works.
    #[serde(default)]
    pub agent_turn_journal: bool,
    /// Version of `agent.interaction.*`. This and the next are said only to programs in a tracked
    /// execution: other clients expect every ability to be a boolean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_interactions: Option<u32>,
    /// Version of how xcsh's turns are tracked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xcsh_semantic_tracking: Option<u32>,
}

/// Everything a client needs to draw the session (herdr 0.9.3, `session.snapshot`): flat lists in
/// display order, one layout per tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSnapshot {
    pub version: String,
    pub protocol: u32,
    /// The three focus ids are absent when nothing is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focused_workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focused_tab_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focused_pane_id: Option<String>,
    pub workspaces: Vec<WorkspaceInfo>,
    pub tabs: Vec<TabInfo>,
    pub panes: Vec<PaneInfo>,
    pub layouts: Vec<PaneLayoutSnapshot>,
    pub agents: Vec<AgentInfo>,
    /// The view that is set, if one is. drover's own member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_view: Option<AgentViewInfo>,
}

/// Which agents are to be shown to people, in which order (`agent.view.set`). drover's own record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentViewInfo {
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Panes of the agents that the view shows now, in its order.
    pub pane_ids: Vec<String>,
}

wire_enum! {
    /// How much of a re-read configuration took effect.
    pub enum ConfigReloadStatus {
        Applied = "applied",
        Partial = "partial",
        Failed = "failed",
    }
}

wire_enum! {
    /// Whether a notification was shown, and if not, why.
    pub enum NotificationShowReason {
        Shown = "shown",
        Disabled = "disabled",
        RateLimited = "rate_limited",
        NoForegroundClient = "no_foreground_client",
        Busy = "busy",
    }
}

wire_enum! {
    /// What became of a window title.
    pub enum ClientWindowTitleReason {
        Set = "set",
        Cleared = "cleared",
        NoForegroundClient = "no_foreground_client",
    }
}
