//! Parameters of the `tab.*` methods.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of methods that only name a tab.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TabTarget {
    pub tab_id: String,
}

/// Parameters of `tab.create`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TabCreateParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub focus: bool,
    /// What its pane may do to others, as words between blanks or `none`: no more than what its creator holds, and
    /// `respond` from the person only. By default what is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grants: Option<String>,
}

/// Parameters of `tab.list`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TabListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
}

/// Parameters of `tab.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TabRenameParams {
    pub tab_id: String,
    /// Taken literally, also when empty.
    pub label: String,
}

/// Parameters of `tab.move`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TabMoveParams {
    pub tab_id: String,
    /// From 0 within its workspace, counted before the tab is taken out.
    pub insert_index: usize,
}
