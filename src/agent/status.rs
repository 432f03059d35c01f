//! The states that reporters know and the statuses that people see.

use serde::{Deserialize, Serialize};

/// How an agent stands by report or by what is seen of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Waiting for the next task.
    Idle,
    /// Busy.
    Working,
    /// Waiting for a person's decision.
    Blocked,
}

impl AgentState {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            AgentState::Unknown => "unknown",
            AgentState::Idle => "idle",
            AgentState::Working => "working",
            AgentState::Blocked => "blocked",
        }
    }
}

/// What records show as `agent_status`. The order is that of urgency: the status of a tab or a
/// workspace is the greatest of its panes' (herdr 0.9.3; `done` outranks `working`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No agent, or nothing known of it.
    #[default]
    Unknown,
    /// Idle, and a person has seen it.
    Idle,
    /// Busy.
    Working,
    /// Idle after work that no person has seen yet.
    Done,
    /// Waiting for a person's decision.
    Blocked,
}

impl Status {
    /// The public status of a state, given whether a person has seen the pane since.
    pub fn of(state: AgentState, seen: bool) -> Status {
        match state {
            AgentState::Unknown => Status::Unknown,
            AgentState::Idle if seen => Status::Idle,
            AgentState::Idle => Status::Done,
            AgentState::Working => Status::Working,
            AgentState::Blocked => Status::Blocked,
        }
    }

    /// The status of a tab or workspace with these panes.
    pub fn roll_up(panes: impl IntoIterator<Item = Status>) -> Status {
        panes.into_iter().max().unwrap_or_default()
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Unknown => "unknown",
            Status::Idle => "idle",
            Status::Working => "working",
            Status::Done => "done",
            Status::Blocked => "blocked",
        }
    }

    /// The status with this word, in any case and with blanks around it.
    pub fn parse(text: &str) -> Option<Status> {
        [
            Status::Unknown,
            Status::Idle,
            Status::Working,
            Status::Done,
            Status::Blocked,
        ]
        .into_iter()
        .find(|status| status.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unseen_idle_agent_is_done() {
        assert_eq!(Status::of(AgentState::Idle, false), Status::Done);
        assert_eq!(Status::of(AgentState::Idle, true), Status::Idle);
        assert_eq!(Status::of(AgentState::Working, false), Status::Working);
        assert_eq!(Status::of(AgentState::Unknown, false), Status::Unknown);
    }

    #[test]
    fn the_most_urgent_pane_speaks_for_all() {
        use Status::*;
        assert_eq!(Status::roll_up([Working, Done, Idle]), Done);
        assert_eq!(Status::roll_up([Done, Blocked]), Blocked);
        assert_eq!(Status::roll_up([Idle, Working]), Working);
        assert_eq!(Status::roll_up([Unknown, Idle]), Idle);
        assert_eq!(Status::roll_up([]), Unknown);
    }
}
