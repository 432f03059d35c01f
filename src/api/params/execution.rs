//! Parameters of tracked executions (`execution.*`): programs that a manager starts and that xcsh's turns belong to.
//! Not in herdr 0.9.3; the names are those of the fork that xcsh is made for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::NativeLaunch;
use crate::api::wire_enum::wire_enum;

wire_enum! {
    /// How a program to start is given.
    pub enum ExecutionMode {
        Argv = "argv",
        Shell = "shell",
    }
}

wire_enum! {
    /// Which shell runs a text.
    pub enum ExecutionShell {
        Bash = "bash",
        Zsh = "zsh",
    }
}

/// Parameters of `execution.start`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionStartParams {
    /// 1 to 80 of letters, digits, `.`, `_`, `-`.
    pub execution_id: String,
    /// An existing directory, absolute.
    pub cwd: String,
    /// By default the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// Of the new tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub mode: ExecutionMode,
    /// With mode `argv`: 1 to 256 words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// With mode `shell`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<ExecutionShell>,
    /// With mode `shell`: what it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Parameters of `execution.resume`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionResumeParams {
    /// 1 to 80 of letters, digits, `.`, `_`, `-`; the same over all generations.
    pub execution_id: String,
    /// Greater than every one before; at most 2^53 - 1.
    pub generation: u64,
    pub native_launch: NativeLaunch,
    /// What the session is told first: 1 to 65,536 bytes. Never kept.
    pub text: String,
    /// An existing directory, absolute.
    pub cwd: String,
    /// By default the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// Of the new tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Parameters of `execution.get` and `execution.cancel`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionTarget {
    /// A record's id; or the id that a manager gave, which means its newest generation.
    pub execution_id: String,
}
