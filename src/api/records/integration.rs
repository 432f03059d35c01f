//! Hooks that the supported agents can have installed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::wire_enum::wire_enum;

wire_enum! {
    /// An agent that hooks can be installed for.
    pub enum IntegrationTarget {
        Pi = "pi",
        Omp = "omp",
        Claude = "claude",
        Codex = "codex",
        Copilot = "copilot",
        Devin = "devin",
        Droid = "droid",
        Kimi = "kimi",
        Opencode = "opencode",
        Kilo = "kilo",
        Hermes = "hermes",
        Qodercli = "qodercli",
        Qwen = "qwen",
        Cursor = "cursor",
        Mastracode = "mastracode",
        AntigravityCli = "antigravity_cli",
        Grok = "grok",
    }
}

/// One agent's hooks and whether they are installed (`integration.list`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrationInfo {
    pub target: IntegrationTarget,
    pub label: String,
    /// The executable that is looked for.
    pub command: String,
    /// Whether that executable is on the server's `PATH`.
    pub available: bool,
    pub state: IntegrationState,
}

wire_enum! {
    /// Whether an agent's hooks are installed.
    pub enum IntegrationState {
        NotInstalled = "not_installed",
        Current = "current",
        Outdated = "outdated",
    }
}

/// What an installation did, in lines for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrationInstallResult {
    pub messages: Vec<String>,
}

/// What a removal did, in lines for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrationUninstallResult {
    pub messages: Vec<String>,
}
