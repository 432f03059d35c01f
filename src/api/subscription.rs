//! What a subscriber may ask for, and the events that belong to one pane.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::envelope;
use crate::api::omit;
use crate::api::params::OutputMatch;
use crate::api::records::{AgentStatus, PaneReadResult, PaneScrollInfo, ReadSource};
use crate::api::wire_enum::wire_enum;

/// One entry of `events.subscribe`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Subscription {
    #[serde(rename = "workspace.created")]
    WorkspaceCreated,
    #[serde(rename = "workspace.updated")]
    WorkspaceUpdated,
    #[serde(rename = "workspace.metadata_updated")]
    WorkspaceMetadataUpdated,
    #[serde(rename = "workspace.renamed")]
    WorkspaceRenamed,
    #[serde(rename = "workspace.moved")]
    WorkspaceMoved,
    #[serde(rename = "workspace.reordered")]
    WorkspaceReordered,
    #[serde(rename = "workspace.closed")]
    WorkspaceClosed,
    #[serde(rename = "workspace.focused")]
    WorkspaceFocused,
    #[serde(rename = "worktree.created")]
    WorktreeCreated,
    #[serde(rename = "worktree.opened")]
    WorktreeOpened,
    #[serde(rename = "worktree.removed")]
    WorktreeRemoved,
    #[serde(rename = "tab.created")]
    TabCreated,
    #[serde(rename = "tab.closed")]
    TabClosed,
    #[serde(rename = "tab.focused")]
    TabFocused,
    #[serde(rename = "tab.renamed")]
    TabRenamed,
    #[serde(rename = "tab.moved")]
    TabMoved,
    #[serde(rename = "pane.created")]
    PaneCreated,
    #[serde(rename = "pane.closed")]
    PaneClosed,
    #[serde(rename = "pane.updated")]
    PaneUpdated,
    #[serde(rename = "pane.focused")]
    PaneFocused,
    #[serde(rename = "pane.moved")]
    PaneMoved,
    #[serde(rename = "pane.exited")]
    PaneExited,
    #[serde(rename = "pane.agent_detected")]
    PaneAgentDetected,
    /// Output of one pane, edge-triggered.
    #[serde(rename = "pane.output_matched")]
    PaneOutputMatched {
        pane_id: String,
        source: ReadSource,
        #[serde(rename = "match")]
        matcher: OutputMatch,
        /// How many of the latest rows; more than 1,000 counts as 1,000. Absent means 80 of the
        /// recent sources and all of the others.
        #[serde(skip_serializing_if = "Option::is_none")]
        lines: Option<u32>,
        /// Accepted and ignored: `format` decides, and matching always sees plain text.
        #[serde(default = "omit::yes")]
        strip_ansi: bool,
    },
    /// Status of one pane's agent, optionally only changes to `agent_status`.
    #[serde(rename = "pane.agent_status_changed")]
    PaneAgentStatusChanged {
        pane_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        agent_status: Option<AgentStatus>,
    },
    /// Scroll position of one pane.
    #[serde(rename = "pane.scroll_changed")]
    PaneScrollChanged { pane_id: String },
    #[serde(rename = "layout.updated")]
    LayoutUpdated,
}

wire_enum! {
    /// The name of an event that belongs to one pane.
    pub enum SubscriptionEventKind {
        OutputMatched = "pane.output_matched",
        AgentStatusChanged = "pane.agent_status_changed",
        ScrollChanged = "pane.scroll_changed",
    }
}

/// An event that belongs to one pane. There is no `type` inside: `event` tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SubscriptionEventData {
    OutputMatched(PaneOutputMatchedEvent),
    AgentStatusChanged(PaneAgentStatusChangedEvent),
    ScrollChanged(PaneScrollChangedEvent),
}

impl SubscriptionEventData {
    /// The name that goes with this data.
    pub fn kind(&self) -> SubscriptionEventKind {
        match self {
            SubscriptionEventData::OutputMatched(_) => SubscriptionEventKind::OutputMatched,
            SubscriptionEventData::AgentStatusChanged(_) => {
                SubscriptionEventKind::AgentStatusChanged
            }
            SubscriptionEventData::ScrollChanged(_) => SubscriptionEventKind::ScrollChanged,
        }
    }
}

/// A pane's event as it goes over the wire.
///
/// Made from its data alone, so that name and data cannot disagree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubscriptionEventEnvelope {
    pub event: SubscriptionEventKind,
    pub data: SubscriptionEventData,
}

impl SubscriptionEventEnvelope {
    /// The line a subscriber gets, newline included.
    pub fn line(&self) -> String {
        envelope::event_line(self)
    }
}

impl From<SubscriptionEventData> for SubscriptionEventEnvelope {
    fn from(data: SubscriptionEventData) -> SubscriptionEventEnvelope {
        SubscriptionEventEnvelope {
            event: data.kind(),
            data,
        }
    }
}

/// Output matched a pattern that was not there at the last look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneOutputMatchedEvent {
    pub pane_id: String,
    pub matched_line: String,
    pub read: PaneReadResult,
}

/// What an agent does, or how it is presented, changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneAgentStatusChangedEvent {
    pub pane_id: String,
    pub workspace_id: String,
    pub agent_status: AgentStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_agent: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state_labels: BTreeMap<String, String>,
}

/// A pane's viewport or scrollback length changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneScrollChangedEvent {
    pub pane_id: String,
    pub workspace_id: String,
    pub scroll: PaneScrollInfo,
}
