//! The requests of drover's own control socket: for the person and for drover's own commands.
//!
//! Lines, envelope and errors are those of herdr's protocol; names, parameters and results are
//! drover's, and may change from version to version.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::method::{Vocabulary, methods};
use super::params::{EmptyParams, ExecutionTarget, PingParams};
use super::records::{AgentStatus, AgentTurnState, BlockedKind, ExecutionState};
use super::wire_enum::wire_enum;

methods! {
    /// Says that the daemon is there.
    Ping = "ping": PingParams,
    /// Lists what every pane may do to others, and what holds by default.
    GrantsList = "grants.list": EmptyParams,
    /// Gives a pane grants, or changes what holds by default.
    GrantsSet = "grants.set": GrantsSetParams,
    /// Says what a pane may do, and whether a method would be let through.
    GrantsExplain = "grants.explain": GrantsExplainParams,
    /// Gives kept records, or waits for the next one.
    LogRead = "log.read": LogReadParams,
    /// Gives the tracked executions with their turns, or waits until one changes.
    TurnsList = "turns.list": TurnsListParams,
    /// Asks an execution to cancel its turn, or ends it if it is not xcsh.
    TurnsCancel = "turns.cancel": ExecutionTarget,
    /// Gives kept states of agents, or waits for the next one.
    HistoryRead = "history.read": HistoryReadParams,
    /// Gives every agent, or what one pane shows, as soon as it is not what the caller knows.
    AgentsWatch = "agents.watch": AgentsWatchParams,
    /// Sends a message through each sink, and says what became of it.
    NotifyTest = "notify.test": NotifyTestParams,
    /// Says whether anybody is told of what a pane's agent does.
    NotifyMute = "notify.mute": NotifyMuteParams,
    /// Shows a pane, frame by frame, until one side closes.
    TerminalObserve = "terminal.observe": TerminalObserveParams,
    /// The same, and takes input and the pane's size from the client.
    TerminalControl = "terminal.control": TerminalControlParams,
}

/// What the control socket answers.
pub static VOCABULARY: Vocabulary = Vocabulary {
    find,
    names: &NAMES,
    retired: &[],
};

/// Parameters of `grants.set`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct GrantsSetParams {
    /// The pane, in any spelling; without it, the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    /// Words between blanks, or `none`. Without them a pane follows the default again, and the
    /// default is what the configuration says, also where that gives more than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grants: Option<String>,
}

/// Parameters of `grants.explain`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct GrantsExplainParams {
    /// The pane that would call.
    pub pane_id: String,
    /// A method of herdr's protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What it would name, as the method's parameter for that; without it, what is focused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// Parameters of `terminal.observe`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TerminalObserveParams {
    /// A terminal's id, a pane in any spelling, or an agent's name.
    pub target: String,
    /// Size of the viewer's terminal.
    pub cols: u16,
    pub rows: u16,
}

/// Parameters of `terminal.control`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TerminalControlParams {
    /// A terminal's id, a pane in any spelling, or an agent's name.
    pub target: String,
    /// Size of the viewer's terminal, which becomes the pane's.
    pub cols: u16,
    pub rows: u16,
    /// Takes the place of another client that is there already.
    #[serde(default)]
    pub takeover: bool,
    /// A person's terminal: several may be there at once, and it also gets what concerns a terminal
    /// beside its picture.
    #[serde(default)]
    pub attach: bool,
}

wire_enum! {
    /// Which records.
    pub enum LogKind {
        /// Refused calls, and what panes did to others.
        Access = "access",
    }
}

/// Parameters of `log.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogReadParams {
    pub kind: LogKind,
    /// Only records after the one with this number.
    #[serde(default)]
    pub after: u64,
    /// The latest so many, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Waits until there is one.
    #[serde(default)]
    pub wait: bool,
}

/// Parameters of `history.read`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HistoryReadParams {
    /// Only records after the one with this number.
    #[serde(default)]
    pub after: i64,
    /// Only records before the one with this number, to read on from the oldest of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// Only records of this time or later, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<i64>,
    /// Only records about this agent: its label, its name or its pane's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The latest so many, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Waits until there is one.
    #[serde(default)]
    pub wait: bool,
}

/// Parameters of `agents.watch`. Without any it answers at once, with every agent.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentsWatchParams {
    /// Waits for the agents to be of another version than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Waits for this pane to be of another revision than the next member says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    /// What the caller knows of the pane; without it nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The pane's last so many lines.
    #[serde(default)]
    pub lines: u32,
}

/// Parameters of `notify.test`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NotifyTestParams {
    /// Only this sink.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sink: Option<String>,
}

/// Parameters of `notify.mute`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotifyMuteParams {
    /// The pane, in any spelling.
    pub pane_id: String,
    pub muted: bool,
}

/// Parameters of `turns.list`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TurnsListParams {
    /// The `revision` of the answer before: waits until there is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The latest so many turns, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A turn, or an execution that has none yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnSummary {
    /// What `execution.get` knows it by; absent when its record is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// What its manager calls it.
    pub name: String,
    pub generation: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    /// Of its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_state: Option<ExecutionState>,
    pub cancel_requested: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// Of its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_state: Option<AgentTurnState>,
    /// From its first event to its last one, or to now while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The first line of its result, or why it ended or waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Questions that wait for an answer.
    pub questions: usize,
}

/// The `result` of an answer. The variant is its `type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ControlResult {
    /// `grants.list`.
    GrantsList {
        default: DefaultGrants,
        /// In display order.
        panes: Vec<PaneGrants>,
    },
    /// `grants.set` for a pane: what it holds now.
    GrantsSet { pane: PaneGrants },
    /// `grants.set` for the default: what holds now.
    GrantsDefaultSet { default: DefaultGrants },
    /// `grants.explain`.
    GrantsExplained {
        pane: PaneGrants,
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<Decision>,
    },
    /// `terminal.observe` and `terminal.control`; records follow.
    TerminalStream {
        pane_id: String,
        terminal_id: String,
    },
    /// `turns.list`.
    Turns {
        revision: u64,
        /// Those that changed last stand last.
        turns: Vec<TurnSummary>,
    },
    /// `turns.cancel`: what is so now.
    TurnCancelled {
        execution_id: String,
        /// It is xcsh, which ends its turn itself.
        asked: bool,
        state: ExecutionState,
    },
    /// `log.read`.
    AccessLog { records: Vec<AccessRecord> },
    /// `history.read`: oldest first.
    History {
        records: Vec<HistoryRecord>,
        /// There are older ones that were asked for and had no room.
        more: bool,
    },
    /// `agents.watch`.
    Agents {
        /// Of the agents; another one after every change.
        version: u64,
        /// In display order; none when only a pane was asked for.
        agents: Vec<AgentRow>,
        #[serde(skip_serializing_if = "Option::is_none")]
        preview: Option<PanePreview>,
    },
    /// `notify.test`.
    NotifyTested { sinks: Vec<SinkTest> },
    /// `notify.mute`.
    NotifyMuted { pane_id: String, muted: bool },
}

/// What holds where nothing else was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DefaultGrants {
    /// What a pane holds now that was given nothing else.
    pub grants: String,
    /// What the configuration says; where it gives more, that waits for a restart or for the person.
    pub configured_grants: String,
    /// Whose reports count now: `own-pane` or `same-user`.
    pub reports: String,
    /// What the configuration says of that.
    pub configured_reports: String,
    /// Whether processes of root are served beside the user's.
    pub root: bool,
}

/// What one pane holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneGrants {
    pub pane_id: String,
    pub grants: String,
    /// It was given these; otherwise it follows the default.
    pub given: bool,
    /// It holds something that the default does not give.
    pub wider: bool,
    /// The agent in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The pane whose process created it, if that is still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
}

/// Whether a call would be let through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub method: String,
    pub allowed: bool,
    /// The message of the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Something that was kept; see `drover log`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccessRecord {
    /// Grows from record to record, from 1.
    pub number: u64,
    /// When it happened first, in milliseconds since 1970.
    pub first_ms: u64,
    /// When it happened last.
    pub last_ms: u64,
    /// How often it happened without anything else between.
    pub count: u64,
    /// The pane of the caller, `outside`, `unplaced`, or `a closed pane`.
    pub caller: String,
    /// The calling process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Its name.
    pub program: String,
    pub method: String,
    /// What it named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// `ok`, or the code of the refusal.
    pub outcome: String,
}

/// An agent as `drover top` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentRow {
    pub pane_id: String,
    /// The label of its workspace.
    pub workspace: String,
    /// What it wants to be called, else its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Its unique name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub status: AgentStatus,
    /// What a blocked agent waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_kind: Option<BlockedKind>,
    /// Its own word for this status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Since when it has this status, in milliseconds since 1970.
    pub since_ms: i64,
    /// What it said with its last report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub focused: bool,
    /// Nobody is told of what it does.
    pub muted: bool,
}

/// The last lines of a pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PanePreview {
    pub pane_id: String,
    /// Another one after every change.
    pub revision: u64,
    pub text: String,
}

/// What became of a message through one sink.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SinkTest {
    pub sink: String,
    /// `desktop`, `terminal`, `webhook`, `ntfy` or `command`.
    pub kind: String,
    /// A rule names it, or `ui.toast.delivery` means it.
    pub used: bool,
    pub sent: bool,
    /// What took it, or why nothing did.
    pub detail: String,
    pub milliseconds: u64,
}

wire_enum! {
    /// What a record of the history tells.
    #[derive(Default)]
    pub enum HistoryEvent {
        /// An agent has this status from now on.
        #[default]
        State = "state",
        /// The agent left its pane, or went with it.
        Left = "left",
        /// The session began with no program running.
        Started = "started",
        /// The session ended, and its agents with it.
        Stopped = "stopped",
    }
}

/// A state of an agent that was kept; see `drover log`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HistoryRecord {
    /// Grows from record to record, from 1.
    pub number: i64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    pub event: HistoryEvent,
    /// The pane's id at that time; missing where the record is about the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    /// What names the pane for good: ids move with panes.
    #[serde(default)]
    pub pane: u64,
    /// The agent's label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Its unique name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<AgentStatus>,
    /// What a blocked agent waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_kind: Option<BlockedKind>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::envelope;
    use serde_json::{Value, json};

    fn rewritten_params(method: &str, params: &Value) -> Value {
        let line = json!({ "id": "c", "method": method, "params": params }).to_string();
        let request = envelope::decode_as(line.as_bytes(), &VOCABULARY).unwrap();
        rewritten(&request).unwrap()
    }

    #[test]
    fn requests_are_read_as_they_were_written() {
        for (method, params) in [
            ("grants.list", json!({})),
            (
                "grants.set",
                json!({ "pane_id": "w1:p1", "grants": "read write" }),
            ),
            ("grants.set", json!({ "pane_id": "w1:p1" })),
            (
                "grants.explain",
                json!({ "pane_id": "w1:p1", "method": "pane.read", "target": "w1:p2" }),
            ),
        ] {
            assert_eq!(rewritten_params(method, &params), params, "{method}");
        }
        assert_eq!(
            rewritten_params("log.read", &json!({ "kind": "access" })),
            json!({ "kind": "access", "after": 0, "wait": false })
        );
    }

    #[test]
    fn a_method_of_the_other_socket_is_unknown_here_and_the_other_way_round() {
        let decode = |method: &str, vocabulary| {
            let line = json!({ "id": "c", "method": method, "params": {} }).to_string();
            envelope::decode_as(line.as_bytes(), vocabulary).map(|request| request.method.name)
        };
        assert!(decode("pane.list", &VOCABULARY).is_err());
        assert_eq!(decode("grants.list", &VOCABULARY).unwrap(), "grants.list");
        let refused = decode("grants.list", &crate::api::method::VOCABULARY).unwrap_err();
        assert_eq!(refused.error.code, "invalid_request");
    }
}
