//! What is kept under which key, and what only grows.

use rusqlite::types::Value;

/// The key of a row that is replaced when what it describes changes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// What belongs to no workspace.
    Session,
    /// A workspace, by the number behind its id.
    Workspace(u32),
    /// A pane, by its key.
    Pane(u64),
    /// The text of a pane's screen, by the pane's key.
    Scrollback(u64),
    /// Something of another room: the room's own word, and a key within it.
    Record(&'static str, String),
    /// An event of the turn journal: its place there, its turn's number, its own number in the turn.
    TurnEvent {
        revision: u64,
        turn: u64,
        event: u64,
    },
    /// All events of a turn, by its number: only to take them away.
    TurnEvents(u64),
}

impl Key {
    /// Whether rows of this kind are trimmed as lists are.
    pub(super) fn is_of_a_list(&self) -> bool {
        matches!(self, Key::TurnEvent { .. })
    }

    /// How the row is written, and how it is taken away; the body is the last parameter.
    pub(super) fn statements(&self) -> [&'static str; 2] {
        match self {
            Key::Session => [
                "INSERT OR REPLACE INTO session VALUES (?1, ?2)",
                "DELETE FROM session WHERE id = ?1",
            ],
            Key::Workspace(_) => [
                "INSERT OR REPLACE INTO workspace VALUES (?1, ?2)",
                "DELETE FROM workspace WHERE id = ?1",
            ],
            Key::Pane(_) => [
                "INSERT OR REPLACE INTO pane VALUES (?1, ?2)",
                "DELETE FROM pane WHERE id = ?1",
            ],
            Key::Scrollback(_) => [
                "INSERT OR REPLACE INTO scrollback VALUES (?1, ?2)",
                "DELETE FROM scrollback WHERE id = ?1",
            ],
            Key::Record(..) => [
                "INSERT OR REPLACE INTO record VALUES (?1, ?2, ?3)",
                "DELETE FROM record WHERE kind = ?1 AND key = ?2",
            ],
            Key::TurnEvent { .. } => [
                "INSERT OR REPLACE INTO turn_event VALUES (?1, ?2, ?3, ?4)",
                "DELETE FROM turn_event WHERE revision = ?1 AND turn = ?2 AND event = ?3",
            ],
            Key::TurnEvents(_) => [
                // A turn has no body of its own.
                "SELECT ?1, ?2 WHERE false",
                "DELETE FROM turn_event WHERE turn = ?1",
            ],
        }
    }

    /// The parameters that name the row.
    pub(super) fn parameters(&self) -> Vec<Value> {
        // Keys count from 1 and do not reach the sign.
        let number = |number: u64| Value::Integer(number.cast_signed());
        match self {
            Key::Session => vec![Value::Integer(1)],
            Key::Workspace(id) => vec![number(u64::from(*id))],
            Key::Pane(key) | Key::Scrollback(key) => vec![number(*key)],
            Key::Record(kind, key) => {
                vec![Value::Text((*kind).to_owned()), Value::Text(key.clone())]
            }
            Key::TurnEvent {
                revision,
                turn,
                event,
            } => vec![number(*revision), number(*turn), number(*event)],
            Key::TurnEvents(turn) => vec![number(*turn)],
        }
    }
}

/// A list that is only appended to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// Changes of agents' states.
    AgentStates,
    /// Who asked for what, and what came of it.
    Access,
}

impl Log {
    /// Every list.
    pub(super) const ALL: [Log; 2] = [Log::AgentStates, Log::Access];

    pub(super) fn table(self) -> &'static str {
        match self {
            Log::AgentStates => "agent_history",
            Log::Access => "access_log",
        }
    }

    pub(super) fn insert(self) -> &'static str {
        match self {
            Log::AgentStates => "INSERT INTO agent_history (at, subject, body) VALUES (?1, ?2, ?3)",
            Log::Access => "INSERT INTO access_log (at, subject, body) VALUES (?1, ?2, ?3)",
        }
    }

    /// How many entries are kept. Counted and not by age: a jump of the clock must not empty the
    /// list. A hundred thousand are some 20 MiB, and weeks of a busy day.
    pub(super) fn kept(self) -> i64 {
        match self {
            Log::AgentStates | Log::Access => 100_000,
        }
    }
}

/// One entry of a [`Log`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Milliseconds since 1970.
    pub at: i64,
    /// Whom it is about, such as a pane's id.
    pub subject: String,
    /// What happened, as JSON.
    pub body: String,
}

/// Which entries of a [`Log`] to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Range {
    /// Not before this, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Before this.
    pub until: Option<i64>,
    /// Only about this one.
    pub subject: Option<String>,
    /// Only entries with a smaller number, to read on from the last one.
    pub below: Option<i64>,
    /// How many at most; 0 means as many as one reading gives, which is 1,000.
    pub limit: usize,
}

/// The most entries of one reading, so that nobody holds the database for long.
pub(super) const MOST_READ: usize = 1_000;
