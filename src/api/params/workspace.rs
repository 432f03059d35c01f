//! Parameters of the `workspace.*` methods.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::omit;
use crate::api::tokens;

/// Parameters of methods that only name a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceTarget {
    pub workspace_id: String,
}

/// Parameters of `workspace.create`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceCreateParams {
    /// Absolute path; by default that of the workspace one comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// For the first pane's process only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub focus: bool,
    /// Whose directory to use when `cwd` is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_workspace_id: Option<String>,
    /// What its pane may do to others, as words between blanks or `none`: no more than what its creator holds, and
    /// `respond` from the person only. By default what is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grants: Option<String>,
}

/// Parameters of `workspace.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceRenameParams {
    pub workspace_id: String,
    /// Taken literally, also when empty.
    pub label: String,
}

/// Parameters of `workspace.move`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceMoveParams {
    pub workspace_id: String,
    /// From 0, counted before the workspace is taken out.
    pub insert_index: usize,
}

/// Parameters of `workspace.move_block`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceMoveBlockParams {
    pub workspace_ids: Vec<String>,
    /// Absent: at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_workspace_id: Option<String>,
}

/// Parameters of `workspace.report_metadata`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceReportMetadataParams {
    pub workspace_id: String,
    /// 1 to 80 of letters, digits, `:`, `.`, `_`, `-`.
    pub source: String,
    /// Null or empty deletes the token.
    #[schemars(extend("maxProperties" = tokens::MAX_PER_REPORT, "propertyNames" = tokens::name_schema()))]
    pub tokens: BTreeMap<String, Option<String>>,
    /// Grows with each report of a source; a report that is not newer is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Milliseconds until what this report sets expires; without it, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400_000))]
    pub ttl_ms: Option<u64>,
}

/// Parameters of `workspace.close`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceCloseParams {
    pub workspace_id: String,
    /// Also close the workspaces of the repository's linked worktrees.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub close_group: bool,
}
