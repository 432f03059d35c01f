//! `workspace.*`.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::agent::{MetadataLimits, WorkspaceMetadata};
use crate::api::events::{EventData, EventKind};
use crate::api::params::{
    EmptyParams, WorkspaceCloseParams, WorkspaceCreateParams, WorkspaceMoveBlockParams,
    WorkspaceMoveParams, WorkspaceRenameParams, WorkspaceReportMetadataParams, WorkspaceTarget,
};
use crate::api::{ApiError, ResponseResult};
use crate::pane::environment;
use crate::state::{CreateError, Launch, Live, Speaker};
use crate::world::WorkspaceId;

use super::report::refused;
use super::{Call, find, grants, label, rate};

pub fn create(call: &Call<'_>, p: WorkspaceCreateParams) -> Result<ResponseResult, ApiError> {
    let source = match (&p.cwd, &p.source_workspace_id) {
        (None, Some(id)) => Some(find::workspace(&call.shared.look(), id)?),
        _ => None,
    };
    label::check(call, p.label.as_deref())?;
    let launch = launch(call, p.cwd, p.env, p.grants.as_deref())?;
    let (workspace, tab, root_pane) = call
        .shared
        .create_workspace(p.label, p.focus, source, &launch)
        .map_err(|error| creation_failed(error, "workspace_create_failed"))?;
    Ok(ResponseResult::WorkspaceCreated {
        workspace,
        tab,
        root_pane,
    })
}

/// What a new pane is started with, checked.
pub fn launch(
    call: &Call<'_>,
    cwd: Option<String>,
    env: BTreeMap<String, String>,
    grants: Option<&str>,
) -> Result<Launch, ApiError> {
    environment::check(&env).map_err(|error| ApiError::new("invalid_env", error.to_string()))?;
    Ok(Launch {
        told_for: None,
        cwd: cwd.map(Into::into),
        env,
        created_by: call.creator(),
        grants: grants::of_new(call, grants)?,
        ..Launch::default()
    })
}

/// The refusal when something could not be created.
pub fn creation_failed(error: CreateError, code: &'static str) -> ApiError {
    match error {
        CreateError::World(error) => find::gone(error, code),
        CreateError::Full(limit) => ApiError::new(
            code,
            format!(
                "there are {limit} panes already, as many as [limits] panes allows; close some first"
            ),
        ),
        CreateError::LongEnvironment(bytes, limit) => ApiError::new(
            "invalid_env",
            format!("env takes at most {limit} bytes ([limits] env_bytes), not {bytes}"),
        ),
        CreateError::LongCommand(bytes, limit) => ApiError::new(
            "invalid_argv",
            format!("a command takes at most {limit} bytes ([limits] argv_bytes), not {bytes}"),
        ),
        CreateError::Spawn(error) => ApiError::new(code, format!("{error:#}")),
    }
}

pub fn list(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    Ok(ResponseResult::WorkspaceList {
        workspaces: call.shared.look().workspace_infos(),
    })
}

pub fn get(call: &Call<'_>, p: WorkspaceTarget) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    let live = call.shared.look();
    let id = find::workspace(&live, &p.workspace_id)?;
    info(&live, id)
}

pub fn focus(call: &Call<'_>, p: WorkspaceTarget) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    let mut live = call.shared.change();
    let id = find::workspace(&live, &p.workspace_id)?;
    live.world
        .focus_workspace(id)
        .map_err(|e| find::gone(e, "workspace_not_found"))?;
    live.mark_active_tab_seen(&call.shared.deadlines);
    info(&live, id)
}

pub fn rename(call: &Call<'_>, p: WorkspaceRenameParams) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    let mut live = call.shared.change();
    let id = find::workspace(&live, &p.workspace_id)?;
    label::check(call, Some(&p.label))?;
    live.world
        .rename_workspace(id, p.label.clone())
        .map_err(|e| find::gone(e, "workspace_not_found"))?;
    live.emit(EventKind::WorkspaceRenamed, |_| {
        Some(EventData::WorkspaceRenamed {
            workspace_id: id.to_string(),
            label: p.label,
        })
    });
    info(&live, id)
}

pub fn move_to(call: &Call<'_>, p: WorkspaceMoveParams) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    let mut live = call.shared.change();
    let id = find::workspace(&live, &p.workspace_id)?;
    let moved = live
        .world
        .move_workspace(id, p.insert_index)
        .map_err(|e| find::gone(e, "workspace_move_failed"))?;
    if moved {
        live.emit(EventKind::WorkspaceMoved, |live| {
            Some(EventData::WorkspaceMoved {
                workspace_id: id.to_string(),
                insert_index: p.insert_index,
                workspaces: live.workspace_infos(),
            })
        });
    }
    Ok(ResponseResult::WorkspaceList {
        workspaces: live.workspace_infos(),
    })
}

pub fn move_block(
    call: &Call<'_>,
    p: WorkspaceMoveBlockParams,
) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    let mut live = call.shared.change();
    let named = |id: &String| find::workspace(&live, id);
    let block: Vec<WorkspaceId> = p
        .workspace_ids
        .iter()
        .map(named)
        .collect::<Result<_, _>>()?;
    let anchor = p.before_workspace_id.as_ref().map(named).transpose()?;
    let moved = live
        .world
        .move_block(&block, anchor)
        .map_err(|error| ApiError::new("workspace_move_block_failed", error.to_string()))?;
    if moved {
        live.emit(EventKind::WorkspaceReordered, |live| {
            Some(EventData::WorkspaceReordered {
                workspace_ids: block.iter().map(ToString::to_string).collect(),
                before_workspace_id: anchor.map(|id| id.to_string()),
                workspaces: live.workspace_infos(),
            })
        });
    }
    Ok(ResponseResult::WorkspaceList {
        workspaces: live.workspace_infos(),
    })
}

pub fn report_metadata(
    call: &Call<'_>,
    p: WorkspaceReportMetadataParams,
) -> Result<ResponseResult, ApiError> {
    let report = WorkspaceMetadata {
        source: &p.source,
        tokens: p
            .tokens
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_deref()))
            .collect(),
        seq: p.seq,
        ttl_ms: p.ttl_ms,
        limits: MetadataLimits::from(&call.shared.config().limits),
    };
    let named = call.shared.look().world.find_workspace(&p.workspace_id);
    if let Some(id) = named {
        rate::take(call, Speaker::Workspace(id))?;
    }
    call.shared.refresh_places();
    let mut live = call.shared.change();
    let id = find::workspace(&live, &p.workspace_id)?;
    live.change_workspace_tokens(id, &call.shared.deadlines, |tokens| {
        tokens.report(&report, Instant::now())
    })
    .map_err(|error| refused(&error))?;
    Ok(ResponseResult::Ok)
}

pub fn close(call: &Call<'_>, p: WorkspaceCloseParams) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let id = find::workspace(&live, &p.workspace_id)?;
    let linked = live.linked_workspaces(id);
    if !linked.is_empty() && !p.close_group {
        return Err(ApiError::new(
            "workspace_group_close_required",
            "workspace has linked worktree workspaces; use --group (close_group=true in the API) to close the group",
        ));
    }
    for id in linked.into_iter().chain([id]) {
        live.remove_workspace(id)
            .map_err(|e| find::gone(e, "workspace_not_found"))?;
    }
    Ok(ResponseResult::Ok)
}

/// Refuses to close the last of a workspace that stands for a group of worktrees, unless the
/// configuration has nobody asked (herdr 0.9.3, `ui.confirm_close`).
pub fn confirm_close(
    call: &Call<'_>,
    live: &Live,
    id: WorkspaceId,
    what: &str,
) -> Result<(), ApiError> {
    if call.shared.config().ui.confirm_close && !live.linked_workspaces(id).is_empty() {
        let message = format!("closing this {what} would close a worktree group");
        return Err(ApiError::new("confirmation_required", message));
    }
    Ok(())
}

fn info(live: &Live, id: WorkspaceId) -> Result<ResponseResult, ApiError> {
    let workspace = live
        .workspace_info(id)
        .ok_or_else(|| find::no_workspace(id))?;
    Ok(ResponseResult::WorkspaceInfo { workspace })
}
