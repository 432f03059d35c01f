//! What a change of a pane's agent gives to announce.

use super::error::AgentError;
use super::presentation::Presentation;
use super::status::Status;

/// One thing to announce about a pane.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// The agent's name was set or cleared, or its start came a step further: `pane_updated`.
    NameChanged,
    /// Another agent is there, or none: `pane_agent_detected`.
    Detected {
        /// The new label; on a release the old one.
        agent: Option<String>,
        /// Present when the agent ended or let go of the pane.
        released: Option<Status>,
    },
    /// The public status or the presentation changed: `pane_agent_status_changed`.
    StatusChanged {
        /// The status now.
        status: Status,
        /// The label now.
        agent: Option<String>,
        /// The presentation now.
        presentation: Presentation,
    },
    /// `done` became `idle` because a person looked. herdr tells it only to those who subscribed to
    /// the pane's status, not as a lifecycle event.
    Seen {
        /// The label now.
        agent: Option<String>,
        /// The presentation now.
        presentation: Presentation,
    },
    /// A token changed or expired: `pane_updated`, and the pane's revision grows by one.
    TokensChanged,
}

/// What to announce, in order, and whether there is anything to save.
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use = "what changed must be announced and saved"]
pub struct Effects {
    /// In the order in which herdr 0.9.3 announces them.
    pub list: Vec<Effect>,
    /// Whether anything changed, announced or not, such as a sequence mark or a session.
    pub changed: bool,
}

impl Effects {
    pub(super) fn then(mut self, later: Effects) -> Effects {
        self.list.extend(later.list);
        self.changed |= later.changed;
        self
    }
}

/// What became of a report. Effects may come with a refusal: a report whose resume command was
/// refused has still set the state.
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use = "what changed must be announced and saved"]
pub struct Outcome {
    /// What to announce and save, refused or not.
    pub effects: Effects,
    /// The error to answer instead of `ok`.
    pub refusal: Option<AgentError>,
}

impl From<AgentError> for Outcome {
    fn from(error: AgentError) -> Outcome {
        Outcome {
            effects: Effects::default(),
            refusal: Some(error),
        }
    }
}

impl From<Effects> for Outcome {
    fn from(effects: Effects) -> Outcome {
        Outcome {
            effects,
            refusal: None,
        }
    }
}
