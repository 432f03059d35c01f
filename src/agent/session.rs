//! References to an agent's own session, by which it can be resumed.

use serde::{Deserialize, Serialize};

use super::integration::Integration;

/// The longest session id, in bytes (herdr 0.9.3).
const MAX_ID_BYTES: usize = 512;
/// The longest session path, in bytes (herdr 0.9.3).
const MAX_PATH_BYTES: usize = 4096;

/// What a reference names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// An id that the agent understands.
    Id,
    /// The absolute path of a session file.
    Path,
}

/// A session and who named it (herdr 0.9.3, `AgentSessionInfo`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReference {
    /// The reporting source.
    pub source: String,
    /// The agent's label.
    pub agent: String,
    /// What `value` is.
    pub kind: SessionKind,
    /// The id or path.
    pub value: String,
}

impl SessionReference {
    /// The usable reference of a report, if it has one. Only official integrations have sessions;
    /// what is malformed is dropped without a word, as herdr does.
    pub(super) fn of_report(
        integration: Option<&Integration>,
        id: Option<&str>,
        path: Option<&str>,
    ) -> Option<SessionReference> {
        let integration = integration?;
        let path = path
            .filter(|_| integration.prefers_path)
            .filter(|path| path.starts_with('/') && path.len() <= MAX_PATH_BYTES)
            .filter(|path| !path.contains(char::is_control));
        let id = id
            .filter(|id| !id.is_empty() && id.len() <= MAX_ID_BYTES)
            .filter(|id| !id.contains(char::is_control));
        let (kind, value) = match (path, id) {
            (Some(path), _) => (SessionKind::Path, path),
            (None, Some(id)) => (SessionKind::Id, id),
            (None, None) => return None,
        };
        Some(SessionReference {
            source: integration.source.to_owned(),
            agent: integration.label.to_owned(),
            kind,
            value: value.to_owned(),
        })
    }

    /// Whether the reference was named by this reporter.
    pub(super) fn belongs_to(&self, source: &str, label: &str) -> bool {
        self.source == source && self.agent == label
    }
}

/// Why an agent began a session (herdr 0.9.3, `session_start_source`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartSource {
    Startup,
    Resume,
    Clear,
    Compact,
    Branch,
    New,
    Fork,
    Select,
}

impl StartSource {
    /// The reason with this word; anything else is as if nothing was said.
    pub(super) fn parse(text: &str) -> Option<StartSource> {
        Some(match text {
            "startup" => StartSource::Startup,
            "resume" => StartSource::Resume,
            "clear" => StartSource::Clear,
            "compact" => StartSource::Compact,
            "branch" => StartSource::Branch,
            "new" => StartSource::New,
            "fork" => StartSource::Fork,
            "select" => StartSource::Select,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(source: &str, label: &str, id: &str, path: &str) -> Option<(SessionKind, String)> {
        SessionReference::of_report(Integration::find(source, label), Some(id), Some(path))
            .map(|session| (session.kind, session.value))
    }

    #[test]
    fn only_some_integrations_name_sessions_by_path() {
        let id = Some((SessionKind::Id, "s1".to_owned()));
        let path = Some((SessionKind::Path, "/s.jsonl".to_owned()));
        assert_eq!(reference("herdr:pi", "pi", "s1", "/s.jsonl"), path);
        assert_eq!(reference("herdr:xcsh", "xcsh", "s1", "/s.jsonl"), path);
        assert_eq!(reference("herdr:pi", "pi", "s1", "s.jsonl"), id);
        assert_eq!(reference("herdr:claude", "claude", "s1", "/s.jsonl"), id);
        assert_eq!(reference("herdr:claude", "claude", "", "/s.jsonl"), None);
    }

    #[test]
    fn malformed_and_unofficial_references_are_dropped() {
        let id = |id: &str| reference("herdr:claude", "claude", id, "");
        assert_eq!(id("a\u{7}"), None);
        assert_eq!(id(&"x".repeat(513)), None);
        assert!(id(&"x".repeat(512)).is_some());
        let long = format!("/{}", "x".repeat(4096));
        assert_eq!(reference("herdr:pi", "pi", "", &long), None);
        assert_eq!(reference("custom:x", "my-bot", "s1", "/s"), None);
        assert_eq!(reference("herdr:pi", "prime-agent", "s1", "/s"), None);
    }
}
