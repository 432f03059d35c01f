//! Lifecycle events: what subscribers of the whole session are told.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::envelope;
use crate::api::omit;
use crate::api::records::{
    AgentStatus, PaneInfo, PaneLayoutSnapshot, TabInfo, WorkspaceInfo, WorktreeInfo,
};
use crate::api::wire_enum::wire_enum;

/// A lifecycle event as it goes over the wire.
///
/// Made from its data alone, so that the two names on the line cannot disagree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventEnvelope {
    pub event: EventKind,
    pub data: EventData,
}

impl EventEnvelope {
    /// The line a subscriber gets, newline included.
    pub fn line(&self) -> String {
        envelope::event_line(self)
    }
}

impl From<EventData> for EventEnvelope {
    fn from(data: EventData) -> EventEnvelope {
        EventEnvelope {
            event: data.kind(),
            data,
        }
    }
}

wire_enum! {
    /// The name of a lifecycle event.
    pub enum EventKind {
        WorkspaceCreated = "workspace_created",
        WorkspaceUpdated = "workspace_updated",
        WorkspaceMetadataUpdated = "workspace_metadata_updated",
        WorkspaceClosed = "workspace_closed",
        WorkspaceRenamed = "workspace_renamed",
        WorkspaceMoved = "workspace_moved",
        WorkspaceReordered = "workspace_reordered",
        WorkspaceFocused = "workspace_focused",
        WorktreeCreated = "worktree_created",
        WorktreeOpened = "worktree_opened",
        WorktreeRemoved = "worktree_removed",
        TabCreated = "tab_created",
        TabClosed = "tab_closed",
        TabRenamed = "tab_renamed",
        TabMoved = "tab_moved",
        TabFocused = "tab_focused",
        PaneCreated = "pane_created",
        PaneClosed = "pane_closed",
        PaneUpdated = "pane_updated",
        PaneFocused = "pane_focused",
        PaneMoved = "pane_moved",
        PaneOutputChanged = "pane_output_changed",
        PaneExited = "pane_exited",
        PaneAgentDetected = "pane_agent_detected",
        PaneAgentStatusChanged = "pane_agent_status_changed",
        LayoutUpdated = "layout_updated",
    }
}

/// A lifecycle event. The variant is both `event` and `data.type` on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(
    clippy::large_enum_variant,
    reason = "one is made for each event and written at once"
)]
pub enum EventData {
    WorkspaceCreated {
        workspace: WorkspaceInfo,
    },
    /// Only its worktree membership changes this way.
    WorkspaceUpdated {
        workspace: WorkspaceInfo,
    },
    WorkspaceMetadataUpdated {
        workspace: WorkspaceInfo,
    },
    /// `workspace` is its last state; absent when a move emptied it.
    WorkspaceClosed {
        workspace_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        workspace: Option<WorkspaceInfo>,
    },
    WorkspaceRenamed {
        workspace_id: String,
        label: String,
    },
    WorkspaceMoved {
        workspace_id: String,
        insert_index: usize,
        workspaces: Vec<WorkspaceInfo>,
    },
    WorkspaceReordered {
        workspace_ids: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        before_workspace_id: Option<String>,
        workspaces: Vec<WorkspaceInfo>,
    },
    WorkspaceFocused {
        workspace_id: String,
    },
    WorktreeCreated {
        workspace: WorkspaceInfo,
        worktree: WorktreeInfo,
    },
    WorktreeOpened {
        workspace: WorkspaceInfo,
        worktree: WorktreeInfo,
        already_open: bool,
    },
    WorktreeRemoved {
        workspace_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        workspace: Option<WorkspaceInfo>,
        worktree: WorktreeInfo,
        forced: bool,
    },
    TabCreated {
        tab: TabInfo,
    },
    TabClosed {
        tab_id: String,
        workspace_id: String,
    },
    TabRenamed {
        tab_id: String,
        workspace_id: String,
        label: String,
    },
    TabMoved {
        tab_id: String,
        workspace_id: String,
        insert_index: usize,
        tabs: Vec<TabInfo>,
    },
    TabFocused {
        tab_id: String,
        workspace_id: String,
    },
    PaneCreated {
        pane: PaneInfo,
    },
    PaneClosed {
        pane_id: String,
        workspace_id: String,
    },
    /// Title, tokens, agent name or start phase changed; not label, directory or status.
    PaneUpdated {
        pane: PaneInfo,
    },
    PaneFocused {
        pane_id: String,
        workspace_id: String,
    },
    PaneMoved {
        pane: PaneInfo,
        previous_pane_id: String,
        previous_workspace_id: String,
        previous_tab_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        created_tab: Option<TabInfo>,
        #[serde(skip_serializing_if = "Option::is_none")]
        created_workspace: Option<WorkspaceInfo>,
        #[serde(skip_serializing_if = "Option::is_none")]
        closed_tab_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        closed_workspace_id: Option<String>,
    },
    /// Part of the vocabulary, never sent.
    PaneOutputChanged {
        pane_id: String,
        workspace_id: String,
        revision: u64,
    },
    /// The process ended by itself; `pane_closed` is a close on request.
    PaneExited {
        pane_id: String,
        workspace_id: String,
    },
    /// An agent appeared, changed or left.
    PaneAgentDetected {
        pane_id: String,
        workspace_id: String,
        /// With `released`, the agent that left.
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        #[serde(default, skip_serializing_if = "omit::is_false")]
        released: bool,
        /// Status after the release.
        #[serde(skip_serializing_if = "Option::is_none")]
        final_status: Option<AgentStatus>,
    },
    PaneAgentStatusChanged {
        pane_id: String,
        workspace_id: String,
        agent_status: AgentStatus,
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        display_agent: Option<String>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        state_labels: BTreeMap<String, String>,
    },
    LayoutUpdated {
        layout: PaneLayoutSnapshot,
    },
}

impl EventData {
    /// The name that goes with this data.
    pub fn kind(&self) -> EventKind {
        match self {
            EventData::WorkspaceCreated { .. } => EventKind::WorkspaceCreated,
            EventData::WorkspaceUpdated { .. } => EventKind::WorkspaceUpdated,
            EventData::WorkspaceMetadataUpdated { .. } => EventKind::WorkspaceMetadataUpdated,
            EventData::WorkspaceClosed { .. } => EventKind::WorkspaceClosed,
            EventData::WorkspaceRenamed { .. } => EventKind::WorkspaceRenamed,
            EventData::WorkspaceMoved { .. } => EventKind::WorkspaceMoved,
            EventData::WorkspaceReordered { .. } => EventKind::WorkspaceReordered,
            EventData::WorkspaceFocused { .. } => EventKind::WorkspaceFocused,
            EventData::WorktreeCreated { .. } => EventKind::WorktreeCreated,
            EventData::WorktreeOpened { .. } => EventKind::WorktreeOpened,
            EventData::WorktreeRemoved { .. } => EventKind::WorktreeRemoved,
            EventData::TabCreated { .. } => EventKind::TabCreated,
            EventData::TabClosed { .. } => EventKind::TabClosed,
            EventData::TabRenamed { .. } => EventKind::TabRenamed,
            EventData::TabMoved { .. } => EventKind::TabMoved,
            EventData::TabFocused { .. } => EventKind::TabFocused,
            EventData::PaneCreated { .. } => EventKind::PaneCreated,
            EventData::PaneClosed { .. } => EventKind::PaneClosed,
            EventData::PaneUpdated { .. } => EventKind::PaneUpdated,
            EventData::PaneFocused { .. } => EventKind::PaneFocused,
            EventData::PaneMoved { .. } => EventKind::PaneMoved,
            EventData::PaneOutputChanged { .. } => EventKind::PaneOutputChanged,
            EventData::PaneExited { .. } => EventKind::PaneExited,
            EventData::PaneAgentDetected { .. } => EventKind::PaneAgentDetected,
            EventData::PaneAgentStatusChanged { .. } => EventKind::PaneAgentStatusChanged,
            EventData::LayoutUpdated { .. } => EventKind::LayoutUpdated,
        }
    }
}
