//! What came of the last download of rules, kept in a file so that every later question is answered
//! (herdr 0.9.3, `agent-detection/status.toml`).

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::source;

/// Bytes of the file: a few lines for each agent.
const MAX_BYTES: u64 = 64 * 1024;

/// The last download.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// Seconds since 1970; absent if there never was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_check_unix: Option<u64>,
    /// What came of it, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_result: Option<String>,
    /// By agents' labels.
    pub agents: BTreeMap<String, AgentStatus>,
}

/// The same for one agent's rules.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentStatus {
    /// Seconds since 1970.
    pub checked_unix: u64,
    /// `updated`, `current`, `older` or `failed`.
    pub result: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Reads the file; what is not there or no good says nothing.
pub(super) fn read(path: &Path) -> Status {
    source::text(path, MAX_BYTES)
        .ok()
        .and_then(|text| toml::from_str(&text).ok())
        .unwrap_or_default()
}

/// As the file has it.
///
/// # Errors
/// None that is known.
pub(super) fn written(status: &Status) -> Result<String, String> {
    toml::to_string(status).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_nonsense_is_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("status.toml");
        assert_eq!(read(&path), Status::default());
        let status = Status {
            last_check_unix: Some(7),
            last_result: Some("failed: \"a\nb\"".to_owned()),
            agents: BTreeMap::from([(
                "claude".to_owned(),
                AgentStatus {
                    checked_unix: 7,
                    result: "failed".to_owned(),
                    error: Some("no".to_owned()),
                },
            )]),
        };
        std::fs::write(&path, written(&status).unwrap()).unwrap();
        assert_eq!(read(&path), status);
        std::fs::write(&path, "agents = 1").unwrap();
        assert_eq!(read(&path), Status::default());
    }
}
