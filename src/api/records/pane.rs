//! A pane as listings show it, the text read from it, and the processes in it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::{AgentSessionInfo, AgentStatus, BlockedKind, ReadFormat, ReadSource};
use crate::api::tokens;

/// A pane (herdr 0.9.3, `pane.get`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneInfo {
    pub pane_id: String,
    /// Follows the terminal when the pane moves, changes on restart. Opaque.
    pub terminal_id: String,
    pub workspace_id: String,
    pub tab_id: String,
    /// Whether keys go to it: focused in the active tab of the active workspace.
    pub focused: bool,
    /// The shell's directory, absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The foreground program's directory; absent when it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreground_cwd: Option<String>,
    /// The name given by a person, a layout or a plugin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Label of the agent in it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Title the agent's reporter asks to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Title the program set on its terminal, made safe to print.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_title: Option<String>,
    /// The same without a leading activity glyph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_title_stripped: Option<String>,
    /// Agent name the reporter asks to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_agent: Option<String>,
    pub agent_status: AgentStatus,
    /// Words the reporter wants shown instead of the status names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state_labels: BTreeMap<String, String>,
    /// Metadata tokens that have not expired.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = tokens::MAX_HELD, "propertyNames" = tokens::name_schema()))]
    pub tokens: BTreeMap<String, String>,
    /// May outlive the agent: it is what would be resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<AgentSessionInfo>,
    /// Absent when the pane has no running terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scroll: Option<PaneScrollInfo>,
    /// Grows when the stripped title or the tokens change. Output does not move it.
    pub revision: u64,
    /// Why the pane could not be restored, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore_error: Option<String>,
    /// What a blocked agent asks for. drover's own member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_kind: Option<BlockedKind>,
}

/// Where a pane's viewport stands in its scrollback, in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneScrollInfo {
    /// Rows between the viewport and the newest row.
    pub offset_from_bottom: u64,
    /// Rows of scrollback above the screen.
    pub max_offset_from_bottom: u64,
    /// Height of the viewport.
    pub viewport_rows: u64,
}

/// Text read from a pane (herdr 0.9.3, `pane.read`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneReadResult {
    pub pane_id: String,
    pub workspace_id: String,
    pub tab_id: String,
    pub source: ReadSource,
    pub format: ReadFormat,
    pub text: String,
    /// Grows with everything that may have changed what the pane shows; a pane whose number is that
    /// of an earlier read shows the same. herdr 0.9.3 always says 0.
    pub revision: u64,
    /// There is more: rows older than a recent window, or lines cut from the other sources.
    pub truncated: bool,
}

/// The shell of a pane and what runs in its foreground (herdr 0.9.3, `pane.process_info`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneProcessInfo {
    pub pane_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreground_process_group_id: Option<u32>,
    /// The whole foreground process group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreground_processes: Vec<PaneProcessInfoProcess>,
    /// herdr 0.9.3 never sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tty: Option<String>,
}

/// One process of a pane's foreground group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneProcessInfoProcess {
    pub pid: u32,
    /// The kernel's short name.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argv0: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// May hold secrets that were given as arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cmdline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// A run of viewport cells that belongs to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneLinkRegion {
    pub row: u16,
    pub start_col: u16,
    pub end_col: u16,
}
