//! The unique alias of an agent and to whom it belongs.

use serde::{Deserialize, Serialize};

use super::error::AgentError;
use super::session::SessionReference;

/// The longest agent name, in bytes (herdr 0.9.3, `agent.rename`).
const MAX_NAME: usize = 32;

/// A name that an agent may have: `[a-z][a-z0-9_-]{0,31}`. Whether it is free is not known here.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AgentName(String);

impl AgentName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`AgentError::InvalidName`].
    pub fn parse(text: &str) -> Result<AgentName, AgentError> {
        let rest = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
        };
        let valid = text.len() <= MAX_NAME
            && text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.bytes().all(rest);
        if valid {
            Ok(AgentName(text.to_owned()))
        } else {
            Err(AgentError::InvalidName)
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A name with the label and session it was given to, as far as they are known.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OwnedName {
    pub(super) name: AgentName,
    label: Option<String>,
    session: Option<SessionReference>,
}

impl OwnedName {
    pub(super) fn new(name: AgentName) -> OwnedName {
        OwnedName {
            name,
            label: None,
            session: None,
        }
    }

    /// Whether the name still belongs to what the pane shows. An owner that was not known before
    /// becomes known here; a label that vanished takes no name along, its release does.
    pub(super) fn still_fits(
        &mut self,
        label: Option<&str>,
        session: Option<&SessionReference>,
    ) -> bool {
        match (&self.label, label) {
            (Some(owner), Some(label)) if owner != label => return false,
            (None, Some(label)) => self.label = Some(label.to_owned()),
            _ => {}
        }
        match (&self.session, session) {
            (Some(owner), Some(session)) if owner != session => return false,
            (None, Some(session)) => self.session = Some(session.clone()),
            _ => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_lowercase_words() {
        for text in ["a", "reviewer", "a-b_3", &"a".repeat(32)] {
            assert!(AgentName::parse(text).is_ok(), "{text}");
        }
        for text in ["", "A", "1a", "-a", "a b", "aé", "a.b", &"a".repeat(33)] {
            let error = AgentName::parse(text).unwrap_err();
            assert_eq!(error.code(), "invalid_agent_name", "{text}");
        }
    }
}
