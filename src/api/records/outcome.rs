//! What a rearrangement did: every answer says whether anything changed, and if not, why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::{PaneDirection, PaneInfo, PaneLayoutSnapshot, TabInfo, WorkspaceInfo};
use crate::api::wire_enum::wire_enum;

/// What `pane.swap` did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneSwapResult {
    pub changed: bool,
    /// Only when nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<PaneSwapReason>,
    pub source_pane_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_pane_id: Option<String>,
    pub focused_pane_id: String,
    pub layout: PaneLayoutSnapshot,
}

wire_enum! {
    /// Why a swap changed nothing.
    pub enum PaneSwapReason {
        NoNeighbor = "no_neighbor",
        SamePane = "same_pane",
        NotFound = "not_found",
        CrossTab = "cross_tab",
    }
}

/// What `pane.move` did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneMoveResult {
    pub changed: bool,
    /// Only when nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<PaneMoveReason>,
    /// The id changes only when the pane goes to another workspace.
    pub previous_pane_id: String,
    pub previous_workspace_id: String,
    pub previous_tab_id: String,
    pub pane: PaneInfo,
    /// Absent when the source tab went away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_layout: Option<PaneLayoutSnapshot>,
    pub target_layout: PaneLayoutSnapshot,
    pub focused_pane_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_tab: Option<TabInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_workspace: Option<WorkspaceInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_tab_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_workspace_id: Option<String>,
}

wire_enum! {
    /// Why a move changed nothing.
    pub enum PaneMoveReason {
        SameTab = "same_tab",
        ZoomedTab = "zoomed_tab",
    }
}

/// What `pane.zoom` did. It always focuses the pane, so focus may change where zoom does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneZoomResult {
    /// Zoom or focus changed.
    pub changed: bool,
    pub zoom_changed: bool,
    pub focus_changed: bool,
    /// Only when nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<PaneZoomReason>,
    pub pane_id: String,
    pub focused_pane_id: String,
    pub zoomed: bool,
    pub layout: PaneLayoutSnapshot,
}

wire_enum! {
    /// Why the zoom stayed as it was.
    pub enum PaneZoomReason {
        SinglePane = "single_pane",
        AlreadyZoomed = "already_zoomed",
        AlreadyUnzoomed = "already_unzoomed",
    }
}

/// The pane next to another (`pane.neighbor`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneNeighborResult {
    pub pane_id: String,
    pub direction: PaneDirection,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbor_pane_id: Option<String>,
    pub layout: PaneLayoutSnapshot,
}

/// Which edges of the tab a pane touches (`pane.edges`): true where it has no neighbour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneEdgesResult {
    pub pane_id: String,
    pub left: bool,
    pub right: bool,
    pub up: bool,
    pub down: bool,
    pub layout: PaneLayoutSnapshot,
}

/// What `pane.focus_direction` did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneFocusDirectionResult {
    pub changed: bool,
    /// Only when nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<PaneFocusDirectionReason>,
    pub source_pane_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focused_pane_id: Option<String>,
    pub layout: PaneLayoutSnapshot,
}

wire_enum! {
    /// Why the focus stayed where it was.
    pub enum PaneFocusDirectionReason {
        NoNeighbor = "no_neighbor",
    }
}

/// What `pane.resize` did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneResizeResult {
    pub changed: bool,
    /// Only when nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<PaneResizeReason>,
    pub pane_id: String,
    pub focused_pane_id: String,
    pub layout: PaneLayoutSnapshot,
}

wire_enum! {
    /// Why a resize changed nothing.
    pub enum PaneResizeReason {
        Unchanged = "unchanged",
    }
}
