//! Parameters of the `worktree.*` methods.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::omit;

/// Parameters of `worktree.list`. At most one of `workspace_id` and `cwd` names the repository.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Let git work in a repository that belongs to another user.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub trust_repository: bool,
}

/// Parameters of `worktree.create`. At most one of `workspace_id` and `cwd` names the repository.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeCreateParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// By default a generated name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What a new branch starts from; by default `HEAD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default)]
    pub focus: bool,
    /// Let git work in a repository that belongs to another user.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub trust_repository: bool,
}

/// Parameters of `worktree.open`. At most one of `workspace_id` and `cwd` names the repository;
/// exactly one of `path` and `branch` names the checkout.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeOpenParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default)]
    pub focus: bool,
    /// Let git work in a repository that belongs to another user.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub trust_repository: bool,
}

/// Parameters of `worktree.remove`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeRemoveParams {
    pub workspace_id: String,
    #[serde(default)]
    pub force: bool,
    /// Let git work in a repository that belongs to another user.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub trust_repository: bool,
}
