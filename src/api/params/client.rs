//! Parameters of requests that act on the person's own screen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::omit;
use crate::api::params::PaneSelectionReadParams;
use crate::api::wire_enum::wire_enum;

/// Parameters of `notification.show`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NotificationShowParams {
    /// Cut to 80 characters.
    pub title: String,
    /// Cut to 240 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<ToastHerdrPosition>,
    #[serde(default, skip_serializing_if = "omit::is_default")]
    pub sound: NotificationShowSound,
}

wire_enum! {
    /// The sound a notification makes.
    #[derive(Default)]
    pub enum NotificationShowSound {
        #[default]
        None = "none",
        Done = "done",
        Request = "request",
    }
}

wire_enum! {
    /// The corner a notification appears in.
    pub enum ToastHerdrPosition {
        TopLeft = "top-left",
        TopRight = "top-right",
        BottomLeft = "bottom-left",
        BottomRight = "bottom-right",
    }
}

/// Parameters of `client.window_title.set`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ClientWindowTitleSetParams {
    pub title: String,
}

/// Parameters of `client_shell.surface.set`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ClientShellSurfaceSetParams {
    pub active: bool,
}

/// Parameters of `command.invoke`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CommandInvokeParams {
    pub command_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<PaneSelectionReadParams>,
}
