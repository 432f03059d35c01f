//! Parameters of the `server.*` methods, of the dismissals, and of methods without parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `ping`: none.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PingParams {}

/// Parameters of every other method that takes none.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct EmptyParams {}

/// Parameters of `server.live_handoff`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ServerLiveHandoffParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_protocol: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<String>,
    /// Executable that takes over; by default the running one's path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import_exe: Option<String>,
}

/// Parameters of `server.ssh_agent.register`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ServerSshAgentRegisterParams {
    /// Held as a lease: the registration ends with the connection.
    pub socket_path: String,
}

/// Parameters of `release_notes.dismiss`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseNotesDismissParams {
    pub version: String,
}

/// Parameters of `product_announcement.dismiss`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProductAnnouncementDismissParams {
    pub version: String,
    pub id: String,
}
