//! A view of the agents: which of them are shown, and in which order (herdr 0.9.3, `agent.view.set`).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use crate::api::params::{
    AgentViewBuiltinField, AgentViewBuiltinSortField, AgentViewContext, AgentViewField,
    AgentViewFilter, AgentViewSetParams, AgentViewSort, AgentViewSortField, AgentViewSortOrder,
    AgentViewValue,
};

use super::Status;
use super::tokens::is_token_key;

/// Characters of a view's source, and of the plugin that owns it.
const SOURCE_LIMIT: usize = 120;
/// Characters of a view's label.
const LABEL_LIMIT: usize = 32;
/// Levels of a filter within a filter; the outermost counts.
const DEPTH_LIMIT: usize = 8;
/// Filters in all.
const NODES_LIMIT: usize = 64;
/// Values of one `in` filter.
const VALUES_LIMIT: usize = 32;
/// Keys of an order.
const SORT_LIMIT: usize = 8;

/// What a source begins with that belongs to a plugin.
const PLUGIN_PREFIX: &str = "plugin:";

/// A checked view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentView {
    source: String,
    label: Option<String>,
    filter: Option<AgentViewFilter>,
    sort: Vec<AgentViewSort>,
}

/// Why a view was refused: herdr 0.9.3's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidView(String);

impl fmt::Display for InvalidView {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for InvalidView {}

fn invalid<T>(words: impl Into<String>) -> Result<T, InvalidView> {
    Err(InvalidView(words.into()))
}

/// An agent, as a view sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its public status.
    pub status: Status,
    /// Its effective label.
    pub agent: Option<String>,
    /// The server's counter when its state last changed.
    pub state_change_seq: u64,
    pub workspace_id: String,
    pub tab_id: String,
    pub pane_id: String,
    /// Positions of the workspace, of the tab in it, and of the pane in that.
    pub position: [usize; 3],
    /// The metadata tokens of its pane.
    pub tokens: BTreeMap<String, String>,
}

/// What the person looks at while a view is evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Current {
    pub workspace_id: Option<String>,
    pub tab_id: Option<String>,
}

/// A value of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value<'a> {
    Text(&'a str),
    Flag(bool),
    Number(u64),
}

impl AgentView {
    /// The view that was asked for.
    ///
    /// # Errors
    /// It breaks one of herdr's rules.
    pub fn new(asked: AgentViewSetParams) -> Result<AgentView, InvalidView> {
        if !is_source(&asked.source) {
            return invalid(
                "agent view source must be non-empty, at most 120 characters, and contain only \
                 ASCII letters, digits, colon, dot, underscore, or hyphen",
            );
        }
        if asked.source == PLUGIN_PREFIX {
            return invalid("plugin-owned agent view source has an invalid plugin id");
        }
        if let Some(label) = &asked.label
            && (label.trim().is_empty() || label.chars().count() > LABEL_LIMIT)
        {
            return invalid("agent view label must be non-empty and at most 32 characters");
        }
        if let Some(filter) = &asked.filter {
            check_filter(filter)?;
        }
        if asked.sort.len() > SORT_LIMIT {
            return invalid("agent view sort may contain at most 8 fields");
        }
        for key in &asked.sort {
            if let AgentViewSortField::Token { token } = &key.field {
                check_token(token)?;
            }
        }
        Ok(AgentView {
            source: asked.source,
            label: asked.label,
            filter: asked.filter,
            sort: asked.sort,
        })
    }

    /// Who set it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What people call it.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The plugin that owns it, if its source says so.
    pub fn plugin(&self) -> Option<&str> {
        self.source.strip_prefix(PLUGIN_PREFIX)
    }

    /// The agents that it shows, in its order; those that it does not tell apart stay as they come.
    pub fn select(&self, agents: &[Facts], current: &Current) -> Vec<usize> {
        let shows = |facts: &Facts| {
            let filter = self.filter.as_ref();
            filter.is_none_or(|filter| holds(filter, facts, current))
        };
        let mut shown: Vec<usize> = (0..agents.len()).filter(|at| shows(&agents[*at])).collect();
        shown.sort_by(|one, other| self.order(&agents[*one], &agents[*other]));
        shown
    }

    fn order(&self, one: &Facts, other: &Facts) -> Ordering {
        let keys = self.sort.iter();
        keys.map(|key| compare(key, one, other))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

fn is_source(source: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":._-".contains(&byte);
    (1..=SOURCE_LIMIT).contains(&source.len()) && source.bytes().all(plain)
}

fn check_token(token: &str) -> Result<(), InvalidView> {
    if is_token_key(token) {
        Ok(())
    } else {
        invalid(format!("invalid agent view token `{token}`"))
    }
}

fn check_filter(root: &AgentViewFilter) -> Result<(), InvalidView> {
    let mut nodes = 0;
    let mut open = vec![(root, 1)];
    while let Some((filter, depth)) = open.pop() {
        nodes += 1;
        if depth > DEPTH_LIMIT {
            return invalid("agent view filter may be nested at most 8 levels");
        }
        if nodes > NODES_LIMIT {
            return invalid("agent view filter may contain at most 64 nodes");
        }
        match filter {
            AgentViewFilter::All { filters } | AgentViewFilter::Any { filters } => {
                if filters.is_empty() {
                    return invalid("agent view all/any filters must not be empty");
                }
                open.extend(filters.iter().rev().map(|inner| (inner, depth + 1)));
            }
            AgentViewFilter::Not { filter } => open.push((filter, depth + 1)),
            AgentViewFilter::Eq { field, value } => check_value(field, value)?,
            AgentViewFilter::In { field, values } => {
                if !(1..=VALUES_LIMIT).contains(&values.len()) {
                    return invalid("agent view in filters require 1 to 32 values");
                }
                values
                    .iter()
                    .try_for_each(|value| check_value(field, value))?;
            }
            AgentViewFilter::Exists { field } => check_field(field)?,
        }
    }
    Ok(())
}

fn check_field(field: &AgentViewField) -> Result<(), InvalidView> {
    match field {
        AgentViewField::Token { token } => check_token(token),
        AgentViewField::Builtin(_) => Ok(()),
    }
}

fn check_value(field: &AgentViewField, value: &AgentViewValue) -> Result<(), InvalidView> {
    use AgentViewBuiltinField::{Seen, StateChangeSeq, TabId, WorkspaceId};
    check_field(field)?;
    let builtin = match field {
        AgentViewField::Builtin(builtin) => Some(*builtin),
        AgentViewField::Token { .. } => None,
    };
    let fits = match value {
        AgentViewValue::Context { context } => {
            let meant = match context {
                AgentViewContext::CurrentWorkspaceId => WorkspaceId,
                AgentViewContext::CurrentTabId => TabId,
            };
            if builtin != Some(meant) {
                return invalid("agent view context type does not match the selected field");
            }
            true
        }
        AgentViewValue::Flag(_) => builtin == Some(Seen),
        AgentViewValue::Number(_) => builtin == Some(StateChangeSeq),
        AgentViewValue::Text(_) => !matches!(builtin, Some(Seen | StateChangeSeq)),
    };
    if !fits {
        return invalid("agent view value type does not match the selected field");
    }
    match (builtin, value) {
        (Some(AgentViewBuiltinField::Status), AgentViewValue::Text(text)) if !is_status(text) => {
            invalid(format!("unknown agent status `{text}`"))
        }
        _ => Ok(()),
    }
}

fn is_status(text: &str) -> bool {
    Status::parse(text).is_some_and(|status| status.as_str() == text)
}

fn holds(filter: &AgentViewFilter, facts: &Facts, current: &Current) -> bool {
    match filter {
        AgentViewFilter::All { filters } => filters.iter().all(|one| holds(one, facts, current)),
        AgentViewFilter::Any { filters } => filters.iter().any(|one| holds(one, facts, current)),
        AgentViewFilter::Not { filter } => !holds(filter, facts, current),
        AgentViewFilter::Eq { field, value } => equals(field, value, facts, current),
        AgentViewFilter::In { field, values } => values
            .iter()
            .any(|value| equals(field, value, facts, current)),
        AgentViewFilter::Exists { field } => value_of(field, facts).is_some(),
    }
}

fn equals(
    field: &AgentViewField,
    wanted: &AgentViewValue,
    facts: &Facts,
    current: &Current,
) -> bool {
    let wanted = match wanted {
        AgentViewValue::Text(text) => Some(Value::Text(text)),
        AgentViewValue::Flag(flag) => Some(Value::Flag(*flag)),
        AgentViewValue::Number(number) => Some(Value::Number(*number)),
        AgentViewValue::Context { context } => match context {
            AgentViewContext::CurrentWorkspaceId => current.workspace_id.as_deref(),
            AgentViewContext::CurrentTabId => current.tab_id.as_deref(),
        }
        .map(Value::Text),
    };
    wanted.is_some() && value_of(field, facts) == wanted
}

fn value_of<'a>(field: &AgentViewField, facts: &'a Facts) -> Option<Value<'a>> {
    Some(match field {
        AgentViewField::Token { token } => Value::Text(facts.tokens.get(token)?),
        AgentViewField::Builtin(builtin) => match builtin {
            AgentViewBuiltinField::Status => Value::Text(facts.status.as_str()),
            AgentViewBuiltinField::WorkspaceId => Value::Text(&facts.workspace_id),
            AgentViewBuiltinField::TabId => Value::Text(&facts.tab_id),
            AgentViewBuiltinField::PaneId => Value::Text(&facts.pane_id),
            AgentViewBuiltinField::Agent => Value::Text(facts.agent.as_deref()?),
            AgentViewBuiltinField::Seen => Value::Flag(is_seen(facts)),
            AgentViewBuiltinField::StateChangeSeq => Value::Number(facts.state_change_seq),
        },
    })
}

/// Whether a person has seen what it did last.
fn is_seen(facts: &Facts) -> bool {
    facts.status != Status::Done
}

/// By one key: those without the value come last in either direction.
fn compare(key: &AgentViewSort, one: &Facts, other: &Facts) -> Ordering {
    fn ordered<T: Ord>(key: &AgentViewSort, one: Option<T>, other: Option<T>) -> Ordering {
        match (one, other, key.order) {
            (Some(one), Some(other), AgentViewSortOrder::Asc) => one.cmp(&other),
            (Some(one), Some(other), AgentViewSortOrder::Desc) => other.cmp(&one),
            (one, other, _) => other.is_some().cmp(&one.is_some()),
        }
    }
    let by_position = |depth: usize| {
        let place = |facts: &Facts| Some(facts.position[depth]);
        ordered(key, place(one), place(other))
    };
    match &key.field {
        AgentViewSortField::Token { token } => {
            ordered(key, one.tokens.get(token), other.tokens.get(token))
        }
        AgentViewSortField::Builtin(builtin) => match builtin {
            AgentViewBuiltinSortField::WorkspaceOrder => by_position(0),
            AgentViewBuiltinSortField::TabOrder => by_position(1),
            AgentViewBuiltinSortField::PaneOrder => by_position(2),
            // The order of statuses is that of urgency.
            AgentViewBuiltinSortField::Attention => {
                ordered(key, Some(one.status), Some(other.status))
            }
            AgentViewBuiltinSortField::Status => {
                let word = |facts: &Facts| Some(facts.status.as_str());
                ordered(key, word(one), word(other))
            }
            AgentViewBuiltinSortField::Agent => {
                ordered(key, one.agent.as_ref(), other.agent.as_ref())
            }
            AgentViewBuiltinSortField::Seen => {
                ordered(key, Some(is_seen(one)), Some(is_seen(other)))
            }
            AgentViewBuiltinSortField::StateChangeSeq => {
                let count = |facts: &Facts| Some(facts.state_change_seq);
                ordered(key, count(one), count(other))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn view(asked: serde_json::Value) -> Result<AgentView, InvalidView> {
        let mut params = json!({ "source": "me" });
        for (name, value) in asked.as_object().unwrap() {
            params[name] = value.clone();
        }
        AgentView::new(serde_json::from_value(params).unwrap())
    }

    fn refusal(asked: serde_json::Value) -> String {
        view(asked).unwrap_err().to_string()
    }

    /// Three agents: one that works, one that waits for a person, one that is done.
    fn agents() -> Vec<Facts> {
        [
            (Status::Working, Some("pi"), "w1", 5, &[("cost", "2")][..]),
            (Status::Blocked, None, "w2", 7, &[]),
            (Status::Done, Some("codex"), "w2", 6, &[("cost", "1")]),
        ]
        .into_iter()
        .enumerate()
        .map(|(at, (status, agent, workspace, seq, tokens))| Facts {
            status,
            agent: agent.map(str::to_owned),
            state_change_seq: seq,
            workspace_id: workspace.to_owned(),
            tab_id: format!("{workspace}:t1"),
            pane_id: format!("{workspace}:p{at}"),
            position: [usize::from(workspace == "w2"), 0, at],
            tokens: tokens
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
        })
        .collect()
    }

    fn shown(asked: serde_json::Value) -> Vec<usize> {
        let current = Current {
            workspace_id: Some("w2".into()),
            tab_id: Some("w2:t1".into()),
        };
        view(asked).unwrap().select(&agents(), &current)
    }

    #[test]
    fn filters_pick_by_value_presence_and_what_the_person_looks_at() {
        let eq = |field: &str, value| json!({ "op": "eq", "field": field, "value": value });
        let shown = |filter| shown(json!({ "filter": filter }));
        assert_eq!(shown(eq("status", json!("blocked"))), [1]);
        assert_eq!(shown(eq("seen", json!(false))), [2]);
        assert_eq!(shown(eq("state_change_seq", json!(6))), [2]);
        let here = json!({ "context": "current_workspace_id" });
        assert_eq!(shown(eq("workspace_id", here.clone())), [1, 2]);
        let exists = |field| json!({ "op": "exists", "field": field });
        assert_eq!(shown(exists(json!("agent"))), [0, 2]);
        assert_eq!(shown(exists(json!({ "token": "cost" }))), [0, 2]);
        let either = json!({ "op": "in", "field": "agent", "values": ["pi", "amp"] });
        assert_eq!(shown(either.clone()), [0]);
        let not = json!({ "op": "not", "filter": either });
        let all = json!({ "op": "all", "filters": [not, eq("workspace_id", here)] });
        assert_eq!(shown(all), [1, 2]);
        let any = json!({ "op": "any", "filters": [
            eq("agent", json!("pi")), eq("agent", json!("codex")),
        ] });
        assert_eq!(shown(any), [0, 2]);
    }

    #[test]
    fn orders_put_what_is_missing_last_and_keep_ties_as_they_come() {
        let sort =
            |field, order: &str| shown(json!({ "sort": [{ "field": field, "order": order }] }));
        assert_eq!(sort(json!("attention"), "desc"), [1, 2, 0]);
        assert_eq!(sort(json!("agent"), "asc"), [2, 0, 1]);
        assert_eq!(sort(json!("agent"), "desc"), [0, 2, 1]);
        assert_eq!(sort(json!({ "token": "cost" }), "asc"), [2, 0, 1]);
        assert_eq!(sort(json!("seen"), "asc"), [2, 0, 1]);
        assert_eq!(sort(json!("workspace_order"), "desc"), [1, 2, 0]);
        assert_eq!(sort(json!("status"), "asc"), [1, 2, 0]);
        assert_eq!(sort(json!("state_change_seq"), "asc"), [0, 2, 1]);
        assert_eq!(sort(json!("tab_order"), "asc"), [0, 1, 2]);
        let both = json!({ "sort": [
            { "field": "workspace_order", "order": "desc" }, { "field": "pane_order", "order": "desc" },
        ] });
        assert_eq!(shown(both), [2, 1, 0]);
    }

    #[test]
    fn what_breaks_a_rule_is_refused_with_its_words() {
        let source = "agent view source must be non-empty, at most 120 characters, and contain only ASCII letters, \
                      digits, colon, dot, underscore, or hyphen";
        for bad in ["", "a b", "é", &"x".repeat(121)] {
            assert_eq!(refusal(json!({ "source": bad })), source);
        }
        assert_eq!(
            refusal(json!({ "source": "plugin:" })),
            "plugin-owned agent view source has an invalid plugin id"
        );
        let label = "agent view label must be non-empty and at most 32 characters";
        assert_eq!(refusal(json!({ "label": " " })), label);
        assert_eq!(refusal(json!({ "label": "é".repeat(33) })), label);
        assert!(view(json!({ "label": "é".repeat(32) })).is_ok());
        let exists = json!({ "op": "exists", "field": "agent" });
        let nested = |levels: usize| {
            (1..levels).fold(
                exists.clone(),
                |inner, _| json!({ "op": "not", "filter": inner }),
            )
        };
        assert!(view(json!({ "filter": nested(8) })).is_ok());
        let deep = "agent view filter may be nested at most 8 levels";
        assert_eq!(refusal(json!({ "filter": nested(9) })), deep);
        let wide = |count: usize| json!({ "op": "all", "filters": vec![exists.clone(); count] });
        assert!(view(json!({ "filter": wide(63) })).is_ok());
        let many = "agent view filter may contain at most 64 nodes";
        assert_eq!(refusal(json!({ "filter": wide(64) })), many);
        let empty = "agent view all/any filters must not be empty";
        assert_eq!(refusal(json!({ "filter": wide(0) })), empty);
        let values = |values: Vec<u64>| json!({ "filter": { "op": "in", "field": "state_change_seq", "values": values } });
        let count = "agent view in filters require 1 to 32 values";
        assert_eq!(refusal(values(vec![])), count);
        assert_eq!(refusal(values(vec![1; 33])), count);
        let sort = json!({ "sort": vec![json!({ "field": "agent" }); 9] });
        assert_eq!(
            refusal(sort),
            "agent view sort may contain at most 8 fields"
        );
        let eq = |field: serde_json::Value, value: serde_json::Value| json!({ "filter": { "op": "eq", "field": field, "value": value } });
        let context = "agent view context type does not match the selected field";
        let tab = json!({ "context": "current_tab_id" });
        assert_eq!(refusal(eq(json!("workspace_id"), tab.clone())), context);
        assert_eq!(refusal(eq(json!({ "token": "x" }), tab)), context);
        let kind = "agent view value type does not match the selected field";
        assert_eq!(refusal(eq(json!("seen"), json!("yes"))), kind);
        assert_eq!(refusal(eq(json!("agent"), json!(true))), kind);
        assert_eq!(refusal(eq(json!("status"), json!(1))), kind);
        assert_eq!(
            refusal(eq(json!("status"), json!("busy"))),
            "unknown agent status `busy`"
        );
        let token = "invalid agent view token `a b`";
        assert_eq!(refusal(eq(json!({ "token": "a b" }), json!("x"))), token);
        assert_eq!(
            refusal(json!({ "sort": [{ "field": { "token": "a b" } }] })),
            token
        );
    }
}
