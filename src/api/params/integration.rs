//! Parameters of the `integration.*` methods.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::IntegrationTarget;

/// Parameters of `integration.install`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrationInstallParams {
    pub target: IntegrationTarget,
}

/// Parameters of `integration.uninstall`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrationUninstallParams {
    pub target: IntegrationTarget,
}
