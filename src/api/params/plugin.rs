//! Parameters of the `plugin.*` methods.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::omit;
use crate::api::records::{
    PluginInvocationContext, PluginPanePlacement, PluginSourceInfo, PopupSize, SplitDirection,
};

/// Parameters of `plugin.link`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PluginLinkParams {
    /// A manifest file or the directory that holds it.
    pub path: String,
    #[serde(default = "omit::yes")]
    pub enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<PluginSourceInfo>,
}

/// Parameters of `plugin.list`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin_id: Option<String>,
}

/// Parameters of `plugin.unlink`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginUnlinkParams {
    pub plugin_id: String,
}

/// Parameters of `plugin.enable` and `plugin.disable`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginSetEnabledParams {
    pub plugin_id: String,
}

/// Parameters of `plugin.action.list`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginActionListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin_id: Option<String>,
}

/// Parameters of `plugin.action.invoke`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginActionInvokeParams {
    /// Qualified as `<plugin>.<action>` unless `plugin_id` is given or it is unique.
    pub action_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<PluginInvocationContext>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin_id: Option<String>,
}

/// Parameters of `plugin.log.list`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginLogListParams {
    /// By default 50, clamped to 1 to 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin_id: Option<String>,
}

/// Parameters of `plugin.pane.open`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginPaneOpenParams {
    pub plugin_id: String,
    /// Id of a pane in the plugin's manifest.
    pub entrypoint: String,
    /// By default what the manifest says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<PluginPanePlacement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_pane_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<SplitDirection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub focus: bool,
    /// Popups only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<PopupSize>,
    /// Popups only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<PopupSize>,
}

/// Parameters of `plugin.pane.focus`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginPaneFocusParams {
    pub pane_id: String,
}

/// Parameters of `plugin.pane.close`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PluginPaneCloseParams {
    pub pane_id: String,
}
