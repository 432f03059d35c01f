//! Parameters of the `agent.*` methods, except the view.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::omit;
use crate::api::records::{AgentStatus, ReadFormat, ReadSource};

/// Parameters of methods that only name an agent.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentTarget {
    pub target: String,
}

/// Parameters of `agent.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentReadParams {
    pub target: String,
    pub source: ReadSource,
    #[serde(default)]
    pub format: ReadFormat,
    /// How many of the latest lines; the server bounds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// False keeps the styling, as `format: ansi` does.
    #[serde(default = "omit::yes")]
    pub strip_ansi: bool,
}

/// Parameters of `agent.send_keys`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentSendKeysParams {
    pub target: String,
    pub keys: Vec<String>,
}

/// Parameters of `agent.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentRenameParams {
    pub target: String,
    /// Absent clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Parameters of `agent.start`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentStartParams {
    pub name: String,
    /// Which agent, by its canonical label.
    pub kind: String,
    pub pane_id: String,
    /// Added to the agent's own command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Milliseconds until the agent must be ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Parameters of `agent.prompt`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentPromptParams {
    pub target: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<AgentPromptWaitOptions>,
}

/// What `agent.prompt` waits for after the text was typed.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentPromptWaitOptions {
    /// Milliseconds; without it the wait has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Any of these statuses ends the wait; empty means the method's own choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<AgentStatus>,
}

/// Parameters of `agent.wait`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentWaitParams {
    pub target: String,
    /// Milliseconds; without it the wait has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Any of these statuses ends the wait; empty means the method's own choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<AgentStatus>,
}
