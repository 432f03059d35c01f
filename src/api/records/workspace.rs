//! Workspaces, their tabs, and the git checkouts that workspaces show.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::AgentStatus;
use crate::api::tokens;

/// A workspace (herdr 0.9.3, `workspace.get`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceInfo {
    pub workspace_id: String,
    /// Display position, from 1. Moves change it.
    pub number: usize,
    /// The name given by a person, else one derived from the directory.
    pub label: String,
    /// Whether it is the server's active workspace.
    pub focused: bool,
    pub pane_count: usize,
    pub tab_count: usize,
    /// Its own active tab, also while another workspace is focused.
    pub active_tab_id: String,
    /// The most urgent status of its panes: blocked, done, working, idle, unknown.
    pub agent_status: AgentStatus,
    /// Metadata tokens that have not expired.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = tokens::MAX_HELD, "propertyNames" = tokens::name_schema()))]
    pub tokens: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<WorkspaceWorktreeInfo>,
}

/// Which git checkout a workspace shows. Only workspaces opened through `worktree.*`, and the
/// repository's own workspace after that, have one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceWorktreeInfo {
    /// Canonical path of the repository's common git directory.
    pub repo_key: String,
    pub repo_name: String,
    pub repo_root: String,
    pub checkout_path: String,
    /// False for the repository's primary checkout.
    pub is_linked_worktree: bool,
}

/// A tab (herdr 0.9.3, `tab.get`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TabInfo {
    pub tab_id: String,
    pub workspace_id: String,
    /// The stable number that is also in `tab_id`.
    pub number: usize,
    /// The name given by a person, else the display position.
    pub label: String,
    /// Whether it is the active tab of the active workspace.
    pub focused: bool,
    pub pane_count: usize,
    /// The most urgent status of its panes, as for the workspace.
    pub agent_status: AgentStatus,
}

/// One line of `git worktree list`, and the workspace that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeInfo {
    pub path: String,
    pub is_bare: bool,
    pub is_detached: bool,
    pub is_prunable: bool,
    pub is_linked_worktree: bool,
    /// The repository's name.
    pub label: String,
    /// Absent when the checkout is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The workspace that shows it, if any does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_workspace_id: Option<String>,
}

/// The repository that a list of worktrees was read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeSourceInfo {
    pub repo_key: String,
    pub repo_name: String,
    pub repo_root: String,
    pub source_checkout_path: String,
    /// Absent when no workspace shows the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_workspace_id: Option<String>,
}
