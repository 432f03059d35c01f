//! `agent.view.*`: which agents people are shown, and in which order. `agent.list` shows all the same.

use crate::agent::AgentView;
use crate::api::params::{AgentViewClearParams, AgentViewSetParams};
use crate::api::{ApiError, ResponseResult};
use crate::state::Live;

use super::{Call, plugin};

pub fn set(call: &Call<'_>, p: AgentViewSetParams) -> Result<ResponseResult, ApiError> {
    let view = AgentView::new(p)
        .map_err(|error| ApiError::new("invalid_agent_view", error.to_string()))?;
    if let Some(owner) = view.plugin() {
        plugin::check_owner(call, owner)?;
    }
    let mut live = call.shared.change();
    live.set_agent_view(view);
    Ok(answer(&live))
}

pub fn clear(call: &Call<'_>, p: AgentViewClearParams) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    live.clear_agent_view(p.source.as_deref());
    Ok(answer(&live))
}

/// What is set now.
fn answer(live: &Live) -> ResponseResult {
    let view = live.agent_view();
    ResponseResult::AgentView {
        active: view.is_some(),
        label: view.and_then(AgentView::label).map(str::to_owned),
        source: view.map(|view| view.source().to_owned()),
    }
}
