//! From the words of a request to what they name, with herdr 0.9.3's refusals.

use std::borrow::Cow;

use crate::api::ApiError;
use crate::state::Live;
use crate::world::{PaneKey, TabId, WorkspaceId, WorldError};

pub fn workspace(live: &Live, id: &str) -> Result<WorkspaceId, ApiError> {
    live.world
        .find_workspace(id)
        .ok_or_else(|| no_workspace(id))
}

pub fn no_workspace(id: impl std::fmt::Display) -> ApiError {
    ApiError::new("workspace_not_found", format!("workspace {id} not found"))
}

pub fn tab(live: &Live, id: &str) -> Result<TabId, ApiError> {
    live.world.find_tab(id).ok_or_else(|| no_tab(id))
}

pub fn no_tab(id: impl std::fmt::Display) -> ApiError {
    ApiError::new("tab_not_found", format!("tab {id} not found"))
}

/// A pane that the method requires.
pub fn pane(live: &Live, id: &str) -> Result<PaneKey, ApiError> {
    live.world.find_pane(id).ok_or_else(|| no_pane(id))
}

pub fn no_pane(id: impl std::fmt::Display) -> ApiError {
    ApiError::new("pane_not_found", format!("pane {id} not found"))
}

/// The pane of a method that takes the focused one when none is given.
pub fn pane_or_focused(live: &Live, id: Option<&str>) -> Result<PaneKey, ApiError> {
    let found = match id {
        Some(id) => live.world.find_pane(id),
        None => live.world.focus().map(|focus| focus.pane),
    };
    found.ok_or_else(|| ApiError::new("pane_not_found", "pane not found"))
}

/// The agent that `target` names: a pane's present id, or an agent's unique name.
pub fn agent(live: &Live, target: &str) -> Result<PaneKey, ApiError> {
    if let Some(key) = live.world.find_canonical_pane(target)
        && live
            .pane(key)
            .is_some_and(|entry| entry.agent.view().hosts_agent())
    {
        return Ok(key);
    }
    let named: Vec<PaneKey> = live
        .agents()
        .into_iter()
        .filter(|key| {
            live.pane(*key)
                .is_some_and(|entry| entry.agent.view().name == Some(target))
        })
        .collect();
    match named[..] {
        [key] => Ok(key),
        [] => Err(ApiError::new(
            "agent_not_found",
            format!("agent target {target} not found"),
        )),
        _ => {
            let ids: Vec<String> = named
                .iter()
                .filter_map(|key| live.world.pane(*key))
                .map(|pane| pane.id().to_string())
                .collect();
            Err(ApiError::new(
                "agent_target_ambiguous",
                format!(
                    "agent target {target} is ambiguous; candidates: {}",
                    ids.join(", ")
                ),
            ))
        }
    }
}

/// The refusal for something that went away between being found and being used.
pub fn gone(error: WorldError, fallback: &'static str) -> ApiError {
    let code: Cow<'static, str> = match error {
        WorldError::WorkspaceGone => "workspace_not_found".into(),
        WorldError::TabGone => "tab_not_found".into(),
        WorldError::PaneGone => "pane_not_found".into(),
        WorldError::TabFull | WorldError::IdsExhausted | WorldError::OutOfBounds { .. } => {
            fallback.into()
        }
    };
    ApiError::new(code, error.to_string())
}
