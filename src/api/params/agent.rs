//! Parameters of the `agent.*` methods, except the view.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::omit;
use crate::api::records::{AgentStatus, ReadFormat, ReadSource};

/// Parameters of methods that only name an agent.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentTarget {
    /// An agent's name, or the id of its pane.
    pub target: String,
}

/// Parameters of `agent.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentReadParams {
    /// An agent's name, or the id of its pane.
    pub target: String,
    pub source: ReadSource,
    /// How many of the latest rows; more than 1,000 counts as 1,000. Absent means 80 of the recent
    /// sources and all of the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    #[serde(default)]
    pub format: ReadFormat,
    /// Accepted and ignored: `format` decides, and matching always sees plain text.
    #[serde(default = "omit::yes")]
    pub strip_ansi: bool,
}

/// Parameters of `agent.send_keys`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentSendKeysParams {
    /// An agent's name, or the id of its pane.
    pub target: String,
    /// Key names such as `enter` or `ctrl+c`.
    pub keys: Vec<String>,
}

/// Parameters of `agent.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentRenameParams {
    /// An agent's name, or the id of its pane.
    pub target: String,
    /// Absent clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Parameters of `agent.start`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentStartParams {
    /// Unique alias for the agent.
    pub name: String,
    /// Which agent, by its canonical label.
    pub kind: String,
    /// A pane whose shell is at its prompt, by its current id.
    pub pane_id: String,
    /// Added to the agent's own command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Milliseconds until the agent must be ready: more than 3,000, at most 300,000, by default
    /// 30,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Parameters of `agent.prompt`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentPromptParams {
    /// An agent's name, or the id of its pane.
    pub target: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<AgentPromptWaitOptions>,
}

/// What `agent.prompt` waits for after the text was typed.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentPromptWaitOptions {
    /// Milliseconds from the request on, typing included; without it the wait has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Any of these statuses ends the wait; empty means idle, done or blocked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<AgentStatus>,
}

/// Parameters of `agent.wait`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentWaitParams {
    /// An agent's name, or the id of its pane.
    pub target: String,
    /// Milliseconds; without it the wait has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Any of these statuses ends the wait; empty means idle, done or blocked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<AgentStatus>,
    /// While the agent is being started by `agent.start`, idle and done count only once it can be
    /// talked to; when the start comes to nothing, the wait ends as when an agent leaves.
    #[serde(default, skip_serializing_if = "omit::is_false")]
    pub interactive_ready: bool,
}
