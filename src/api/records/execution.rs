//! A tracked execution: one program that was started for a manager, and what became of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::AgentTurnAction;
use crate::api::wire_enum::wire_enum;

wire_enum! {
    /// How far an execution is.
    pub enum ExecutionState {
        Starting = "starting",
        Running = "running",
        Exited = "exited",
        Cancelled = "cancelled",
        /// Nothing is known of its end.
        Lost = "lost",
    }
}

impl ExecutionState {
    /// Whether its program may still run.
    pub const fn is_live(self) -> bool {
        matches!(self, ExecutionState::Starting | ExecutionState::Running)
    }
}

wire_enum! {
    /// What a session that is resumed looks for by itself.
    pub enum NativeDiscovery {
        ReducedV1 = "reduced-v1",
    }
}

wire_enum! {
    /// Which tools a resumed session has.
    pub enum NativeTools {
        Read = "read",
        ReadInteractions = "read_interactions",
    }
}

wire_enum! {
    /// How a resumed session's turns are looked after.
    pub enum NativeLifecycle {
        ManagedTurnV1 = "managed_turn_v1",
    }
}

/// The first line of a session's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NativeSessionHeader {
    /// 16 lower-case hexadecimal digits.
    pub id: String,
    /// SHA-256 of the line with its end.
    pub sha256: String,
}

/// How xcsh is to be started (version 3 or 4 of the fork's launch).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NativeLaunch {
    pub version: u32,
    /// An absolute path.
    pub xcsh_executable: String,
    /// The folder of `session_path`.
    pub session_dir: String,
    /// The session's file, as the kernel names it.
    pub session_path: String,
    pub session_header: NativeSessionHeader,
    /// 1 to 256 bytes.
    pub model: String,
    pub discovery: NativeDiscovery,
    pub tools: NativeTools,
    #[serde(default)]
    pub interactive: bool,
    pub lifecycle_mode: NativeLifecycle,
}

/// The executable as it was when it was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NativeExecutable {
    pub canonical_path: String,
    pub sha256: String,
}

/// Which turn of which session a native execution's reports are about, as of its first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NativeRegistration {
    pub producer: String,
    pub session_id: String,
    pub generation: u64,
    pub pane_id: String,
    pub pid: i32,
    pub turn_id: String,
    pub registered_at_unix_ms: u64,
    /// When its first event was in the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journaled_at_unix_ms: Option<u64>,
}

/// What was started, without what a session was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum ExecutionCommand {
    Argv { argv: Vec<String> },
    Shell { shell: String, text: String },
}

/// A tracked execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionRecord {
    /// The record's id. Of a native execution the same as `backend_execution_id`.
    pub execution_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_execution_id: Option<String>,
    /// What the manager calls it, over all generations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_execution_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_producer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_executable: Option<NativeExecutable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_launch: Option<NativeLaunch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_registration: Option<NativeRegistration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub producer_session_id: Option<String>,
    /// The variables with the id and the generation; the capability is never repeated.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub injected_env: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by_backend_execution_id: Option<String>,
    pub cwd: String,
    pub command: ExecutionCommand,
    pub state: ExecutionState,
    /// Grows with every change of any execution.
    pub revision: u64,
    pub admitted_at_unix_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at_unix_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at_unix_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal_name: Option<String>,
    pub cancel_requested: bool,
    /// Bytes that its terminal printed. A terminal does not tell standard error apart.
    pub stdout_bytes: u64,
    /// Always 0; see `stdout_bytes`.
    pub stderr_bytes: u64,
    /// The last text on its terminal, at most 4,096 bytes; gone with a restart of the daemon.
    pub stdout_tail: String,
    /// Always empty; see `stdout_bytes`.
    pub stderr_tail: String,
    /// `stdout_tail` is not all that was printed.
    pub output_truncated: bool,
    /// The program has ended and all that it printed was counted.
    pub output_complete: bool,
    /// Why something about it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_gap: Option<String>,
    /// What the manager asked of its turn. Not in the fork's record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_action: Option<AgentTurnAction>,
}
