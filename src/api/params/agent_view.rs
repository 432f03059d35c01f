//! Parameters of `agent.view.*`: a filter and an order over the agents, as data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::wire_enum::wire_enum;

/// Parameters of `agent.view.set`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentViewSetParams {
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<AgentViewFilter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sort: Vec<AgentViewSort>,
}

/// Parameters of `agent.view.clear`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentViewClearParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A condition on an agent. The method bounds depth, nodes and values; the decoder only the nesting
/// of the JSON itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum AgentViewFilter {
    /// Every filter holds. Must not be empty.
    All { filters: Vec<AgentViewFilter> },
    /// At least one filter holds. Must not be empty.
    Any { filters: Vec<AgentViewFilter> },
    /// The filter does not hold.
    Not { filter: Box<AgentViewFilter> },
    /// The field has this value.
    Eq {
        field: AgentViewField,
        value: AgentViewValue,
    },
    /// The field has one of these values.
    In {
        field: AgentViewField,
        values: Vec<AgentViewValue>,
    },
    /// The field has a value.
    Exists { field: AgentViewField },
}

/// What a condition looks at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AgentViewField {
    /// A field every agent has.
    Builtin(AgentViewBuiltinField),
    /// A metadata token of the pane, by its key.
    Token { token: String },
}

wire_enum! {
    /// A field that every agent has.
    pub enum AgentViewBuiltinField {
        Status = "status",
        WorkspaceId = "workspace_id",
        TabId = "tab_id",
        PaneId = "pane_id",
        Agent = "agent",
        Seen = "seen",
        StateChangeSeq = "state_change_seq",
    }
}

/// What a field is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AgentViewValue {
    /// Compared as text.
    Text(String),
    /// Compared with a yes-or-no field.
    Flag(bool),
    /// Compared with a count.
    Number(u64),
    /// What the person looks at when the view is evaluated.
    Context { context: AgentViewContext },
}

wire_enum! {
    /// A value that is only known when the view is evaluated.
    pub enum AgentViewContext {
        CurrentWorkspaceId = "current_workspace_id",
        CurrentTabId = "current_tab_id",
    }
}

/// One key of the order. Agents without the value come last in either direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentViewSort {
    pub field: AgentViewSortField,
    #[serde(default)]
    pub order: AgentViewSortOrder,
}

/// What an order looks at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AgentViewSortField {
    /// A field every agent has.
    Builtin(AgentViewBuiltinSortField),
    /// A metadata token of the pane, by its key.
    Token { token: String },
}

wire_enum! {
    /// An order that every agent has a place in.
    pub enum AgentViewBuiltinSortField {
        WorkspaceOrder = "workspace_order",
        TabOrder = "tab_order",
        PaneOrder = "pane_order",
        Attention = "attention",
        Status = "status",
        Agent = "agent",
        Seen = "seen",
        StateChangeSeq = "state_change_seq",
    }
}

wire_enum! {
    /// Ascending or descending.
    #[derive(Default)]
    pub enum AgentViewSortOrder {
        #[default]
        Asc = "asc",
        Desc = "desc",
    }
}
