//! Parameters of the `layout.*` methods.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::LayoutNode;

/// Parameters of `layout.export`. At most one of the two; neither means the active tab.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LayoutExportParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// Parameters of `layout.apply`. At most one of `workspace_id` and `tab_id`; a named tab is
/// replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutApplyParams {
    pub root: LayoutNode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// The tab to replace: its programs end and its id is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
    /// By default the custom name of the tab it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_label: Option<String>,
    #[serde(default)]
    pub focus: bool,
}

/// Parameters of `layout.set_split_ratio`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LayoutSetSplitRatioParams {
    /// From the root: false is the first child, true the second; empty is the root split.
    pub path: Vec<bool>,
    /// Clamped to 0.1 to 0.9.
    pub ratio: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}
