//! Parameters of the `pane.*` methods that arrange panes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::{PaneDirection, PaneRightClickTarget, SplitDirection};
use crate::api::wire_enum::wire_enum;

/// Parameters of methods that only name a pane.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneTarget {
    pub pane_id: String,
}

/// Parameters of `pane.list`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
}

/// Parameters of `pane.current`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneCurrentParams {
    /// What `HERDR_PANE_ID` says in the caller's environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_pane_id: Option<String>,
}

/// Parameters of `pane.split`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneSplitParams {
    pub direction: SplitDirection,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_pane_id: Option<String>,
    /// Ignored when `target_pane_id` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// Share of the pane that is split; by default 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub focus: bool,
    #[serde(default)]
    pub right_click: PaneRightClickTarget,
    /// What the pane may do to others, as words between blanks or `none`: no more than what its creator holds, and
    /// `respond` from the person only. By default what is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grants: Option<String>,
}

/// Parameters of `pane.swap`: either `direction`, with or without `pane_id`, or both
/// `source_pane_id` and `target_pane_id`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneSwapParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<PaneDirection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_pane_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_pane_id: Option<String>,
}

/// Parameters of `pane.move`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneMoveParams {
    pub pane_id: String,
    pub destination: PaneMoveDestination,
    #[serde(default)]
    pub focus: bool,
}

/// Where a pane moves to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PaneMoveDestination {
    /// Beside a pane of an existing tab.
    Tab {
        tab_id: String,
        split: SplitDirection,
        #[serde(skip_serializing_if = "Option::is_none")]
        target_pane_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ratio: Option<f32>,
    },
    /// A tab of its own, by default in the pane's own workspace.
    NewTab {
        #[serde(skip_serializing_if = "Option::is_none")]
        workspace_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// A workspace of its own.
    NewWorkspace {
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tab_label: Option<String>,
    },
}

/// Parameters of `pane.zoom`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneZoomParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    #[serde(default)]
    pub mode: PaneZoomMode,
}

wire_enum! {
    /// Whether to zoom, unzoom, or change over.
    #[derive(Default)]
    pub enum PaneZoomMode {
        #[default]
        Toggle = "toggle",
        On = "on",
        Off = "off",
    }
}

/// Parameters of `pane.layout`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneLayoutParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
}

/// Parameters of `pane.process_info`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneProcessInfoParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
}

/// Parameters of `pane.neighbor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneNeighborParams {
    pub direction: PaneDirection,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
}

/// Parameters of `pane.edges`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneEdgesParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
}

/// Parameters of `pane.focus_direction`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneFocusDirectionParams {
    pub direction: PaneDirection,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
}

/// Parameters of `pane.resize`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneResizeParams {
    pub direction: PaneDirection,
    /// Share of the split, by default 0.05; the sign is ignored, at most 0.5 counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
}

/// Parameters of `pane.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneRenameParams {
    pub pane_id: String,
    /// Trimmed; absent or blank clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
