//! `tab.*`.

use crate::api::events::{EventData, EventKind};
use crate::api::params::{
    TabCreateParams, TabListParams, TabMoveParams, TabRenameParams, TabTarget,
};
use crate::api::{ApiError, ResponseResult};
use crate::state::Live;
use crate::world::TabId;

use super::workspace::{confirm_close, creation_failed, launch};
use super::{Call, find, label};

pub fn create(call: &Call<'_>, p: TabCreateParams) -> Result<ResponseResult, ApiError> {
    let workspace = {
        let live = call.shared.look();
        match &p.workspace_id {
            Some(id) => find::workspace(&live, id)?,
            None => live
                .world
                .active_workspace()
                .ok_or_else(no_active_workspace)?,
        }
    };
    label::check(call, p.label.as_deref())?;
    let launch = launch(call, p.cwd, p.env, p.grants.as_deref())?;
    let (tab, root_pane) = call
        .shared
        .create_tab(workspace, p.label, p.focus, &launch)
        .map_err(|error| creation_failed(error, "tab_create_failed"))?;
    Ok(ResponseResult::TabCreated { tab, root_pane })
}

fn no_active_workspace() -> ApiError {
    ApiError::new("workspace_not_found", "no active workspace")
}

pub fn list(call: &Call<'_>, p: TabListParams) -> Result<ResponseResult, ApiError> {
    let live = call.shared.look();
    let of = p
        .workspace_id
        .as_deref()
        .map(|id| find::workspace(&live, id))
        .transpose()?;
    Ok(ResponseResult::TabList {
        tabs: live.tab_infos(of),
    })
}

pub fn get(call: &Call<'_>, p: TabTarget) -> Result<ResponseResult, ApiError> {
    let live = call.shared.look();
    let id = find::tab(&live, &p.tab_id)?;
    info(&live, id)
}

pub fn focus(call: &Call<'_>, p: TabTarget) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let id = find::tab(&live, &p.tab_id)?;
    live.world
        .focus_tab(id)
        .map_err(|e| find::gone(e, "tab_not_found"))?;
    live.mark_active_tab_seen(&call.shared.deadlines);
    info(&live, id)
}

pub fn rename(call: &Call<'_>, p: TabRenameParams) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let id = find::tab(&live, &p.tab_id)?;
    label::check(call, Some(&p.label))?;
    live.world
        .rename_tab(id, p.label.clone())
        .map_err(|e| find::gone(e, "tab_not_found"))?;
    live.emit(EventKind::TabRenamed, |_| {
        Some(EventData::TabRenamed {
            tab_id: id.to_string(),
            workspace_id: id.workspace.to_string(),
            label: p.label,
        })
    });
    info(&live, id)
}

pub fn move_to(call: &Call<'_>, p: TabMoveParams) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let id = find::tab(&live, &p.tab_id)?;
    let moved = live
        .world
        .move_tab(id, p.insert_index)
        .map_err(|e| find::gone(e, "tab_move_failed"))?;
    if moved {
        live.emit(EventKind::TabMoved, |live| {
            Some(EventData::TabMoved {
                tab_id: id.to_string(),
                workspace_id: id.workspace.to_string(),
                insert_index: p.insert_index,
                tabs: live.tab_infos(Some(id.workspace)),
            })
        });
    }
    Ok(ResponseResult::TabList {
        tabs: live.tab_infos(Some(id.workspace)),
    })
}

pub fn close(call: &Call<'_>, p: TabTarget) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let id = find::tab(&live, &p.tab_id)?;
    let tabs = live.world.workspace(id.workspace);
    if tabs.is_some_and(|workspace| workspace.tabs().len() == 1) {
        confirm_close(call, &live, id.workspace, "tab")?;
    }
    live.remove_tab(id)
        .map_err(|e| find::gone(e, "tab_close_failed"))?;
    Ok(ResponseResult::Ok)
}

fn info(live: &Live, id: TabId) -> Result<ResponseResult, ApiError> {
    let tab = live.tab_info(id).ok_or_else(|| find::no_tab(id))?;
    Ok(ResponseResult::TabInfo { tab })
}
