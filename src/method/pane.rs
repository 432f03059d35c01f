//! `pane.*`: which panes there are, and how they come and go.

use crate::api::params::{
    PaneCurrentParams, PaneListParams, PaneProcessInfoParams, PaneRenameParams, PaneSplitParams,
    PaneTarget,
};
use crate::api::records::{PaneProcessInfo, PaneProcessInfoProcess};
use crate::api::{ApiError, ResponseResult};
use crate::authority::rules::{PANE, write_own};
use crate::state::{Launch, Leaving, Live};
use crate::world::{DEFAULT_RATIO, PaneKey};

use super::workspace::{confirm_close, creation_failed, launch};
use super::{Call, arrange, find, label};

pub fn split(call: &Call<'_>, p: PaneSplitParams) -> Result<ResponseResult, ApiError> {
    let target = split_target(&call.shared.look(), &p)?;
    let launch = Launch {
        right_click: p.right_click,
        ..launch(call, p.cwd, p.env, p.grants.as_deref())?
    };
    let axis = arrange::axis(p.direction);
    let ratio = p
        .ratio
        .filter(|ratio| ratio.is_finite())
        .unwrap_or(DEFAULT_RATIO);
    let pane = call
        .shared
        .split(target, axis, ratio, p.focus, &launch)
        .map_err(|error| creation_failed(error, "pane_split_failed"))?;
    Ok(ResponseResult::PaneInfo { pane })
}

/// The named pane; else the focused pane of the named workspace; else the focused pane.
fn split_target(live: &Live, p: &PaneSplitParams) -> Result<PaneKey, ApiError> {
    let not_found = || ApiError::new("pane_not_found", "pane not found");
    match (&p.target_pane_id, &p.workspace_id) {
        (None, Some(id)) => {
            let workspace = live.world.find_workspace(id).ok_or_else(not_found)?;
            live.world.focused_pane_of(workspace).ok_or_else(not_found)
        }
        (target, _) => find::pane_or_focused(live, target.as_deref()),
    }
}

pub fn list(call: &Call<'_>, p: PaneListParams) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    let live = call.shared.look();
    let of = p
        .workspace_id
        .as_deref()
        .map(|id| find::workspace(&live, id))
        .transpose()?;
    Ok(ResponseResult::PaneList {
        panes: live.pane_infos(of),
    })
}

pub fn get(call: &Call<'_>, p: PaneTarget) -> Result<ResponseResult, ApiError> {
    let key = find::pane(&call.shared.look(), &p.pane_id)?;
    call.shared.refresh_place(key);
    info(&call.shared.look(), key, &p.pane_id)
}

pub fn current(call: &Call<'_>, p: PaneCurrentParams) -> Result<ResponseResult, ApiError> {
    let key = find::pane_or_focused(&call.shared.look(), p.caller_pane_id.as_deref())?;
    call.shared.refresh_place(key);
    let live = call.shared.look();
    let pane = live
        .pane_info(key)
        .ok_or_else(|| ApiError::new("pane_not_found", "pane not found"))?;
    Ok(ResponseResult::PaneCurrent { pane })
}

pub fn focus(call: &Call<'_>, p: PaneTarget) -> Result<ResponseResult, ApiError> {
    let key = find::pane(&call.shared.look(), &p.pane_id)?;
    call.shared.refresh_place(key);
    let mut live = call.shared.change();
    live.focus_pane(key, &call.shared.deadlines)
        .map_err(|_| find::no_pane(&p.pane_id))?;
    info(&live, key, &p.pane_id)
}

pub fn rename(call: &Call<'_>, p: PaneRenameParams) -> Result<ResponseResult, ApiError> {
    let key = find::pane(&call.shared.look(), &p.pane_id)?;
    label::check(call, p.label.as_deref())?;
    call.shared.refresh_place(key);
    let mut live = call.shared.change();
    live.world
        .rename_pane(key, p.label.as_deref())
        .map_err(|_| find::no_pane(&p.pane_id))?;
    info(&live, key, &p.pane_id)
}

pub fn close(call: &Call<'_>, p: PaneTarget) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let key = find::pane(&live, &p.pane_id)?;
    let place = live.world.pane(key).map(|pane| pane.tab().workspace);
    if let Some(id) = place
        && live
            .world
            .workspace(id)
            .is_some_and(|workspace| workspace.pane_count() == 1)
    {
        confirm_close(call, &live, id, "pane")?;
    }
    live.remove_pane(key, Leaving::Closed, &call.shared.deadlines)
        .map_err(|_| find::no_pane(&p.pane_id))?;
    Ok(ResponseResult::Ok)
}

pub fn process_info(call: &Call<'_>, p: PaneProcessInfoParams) -> Result<ResponseResult, ApiError> {
    let (key, pane, pane_id) = {
        let live = call.shared.look();
        let key = find::pane_or_focused(&live, p.pane_id.as_deref())?;
        let not_found = || ApiError::new("pane_not_found", "pane not found");
        let id = live.world.pane(key).ok_or_else(not_found)?.id().to_string();
        (
            key,
            live.pane(key).ok_or_else(not_found)?.runtime.pane.clone(),
            id,
        )
    };
    // Arguments and directories may hold secrets: they are for those who could ask the shell itself.
    let detailed = call.may(&write_own(PANE), Some(key)).is_ok();
    let info = pane.process_info();
    let number = |pid: i32| u32::try_from(pid).ok();
    let group = info.foreground.as_ref().and_then(|job| number(job.group));
    let processes = info.foreground.map(|job| job.processes).unwrap_or_default();
    Ok(ResponseResult::PaneProcessInfo {
        process_info: PaneProcessInfo {
            pane_id,
            shell_pid: number(info.shell_pid),
            foreground_process_group_id: group,
            foreground_processes: processes
                .into_iter()
                .filter_map(|process| {
                    Some(PaneProcessInfoProcess {
                        pid: number(process.pid)?,
                        name: process.name,
                        cmdline: detailed.then(|| process.arguments.join(" ")),
                        argv: detailed.then_some(process.arguments),
                        argv0: None,
                        cwd: process
                            .directory
                            .filter(|_| detailed)
                            .map(|cwd| cwd.to_string_lossy().into_owned()),
                    })
                })
                .collect(),
            tty: None,
        },
    })
}

fn info(live: &Live, key: PaneKey, named: &str) -> Result<ResponseResult, ApiError> {
    let pane = live.pane_info(key).ok_or_else(|| find::no_pane(named))?;
    Ok(ResponseResult::PaneInfo { pane })
}
