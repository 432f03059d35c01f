//! `plugin.pane.*` and `popup.close`: programs of plugins that a person sees.

use super::workspace::creation_failed;
use super::{Call, arrange, find, plugin};
use crate::api::params::{
    EmptyParams, PluginPaneCloseParams, PluginPaneFocusParams, PluginPaneOpenParams,
};
use crate::api::records::{
    InstalledPluginInfo, PluginManifestPane, PluginPanePlacement as Placement, PopupSize,
};
use crate::api::{ApiError, ResponseResult};
use crate::pane::environment;
use crate::plugin::{id, manifest};
use crate::state::{
    CalledFrom, Covered, CreateError, Launch, Leaving, Live, PluginLaunch, PluginPane, PopupError,
};
use crate::world::{Axis, PaneKey, WorkspaceId};

/// The code of what went wrong while a pane was opened.
const FAILED: &str = "plugin_pane_open_failed";

/// Where a pane is to be opened.
#[derive(Debug, Clone, Copy)]
enum Where {
    Popup,
    Overlay(PaneKey),
    Beside {
        pane: PaneKey,
        axis: Axis,
        zoomed: bool,
    },
    Tab(WorkspaceId),
}

pub fn open(call: &Call<'_>, p: PluginPaneOpenParams) -> Result<ResponseResult, ApiError> {
    let (plugin, pane) = find_pane(call, &p)?;
    let placement = p.placement.unwrap_or(pane.placement);
    check_combination(&p, placement)?;
    let place = find_place(&call.shared.look(), &p, placement)?;
    environment::check(&p.env).map_err(|error| ApiError::new("invalid_env", error.to_string()))?;
    let launch = launch(call, &p, &plugin, &pane, place)?;
    let refused = |error: CreateError| match error {
        CreateError::World(error) => ApiError::new(FAILED, error.to_string()),
        error => creation_failed(error, FAILED),
    };
    let shared = call.shared;
    let plugin_pane = match place {
        Where::Popup => {
            let size = size(&p, &pane, placement);
            shared.open_popup(&launch, size).map_err(no_popup)?;
            return Ok(ResponseResult::Ok);
        }
        Where::Overlay(beside) => shared.split_for_plugin(beside, Axis::Right, true, &launch),
        Where::Beside { pane, axis, zoomed } => {
            shared.split_for_plugin(pane, axis, p.focus || zoomed, &launch)
        }
        Where::Tab(workspace) => shared.tab_for_plugin(workspace, p.focus, &launch),
    };
    Ok(ResponseResult::PluginPaneOpened {
        plugin_pane: plugin_pane.map_err(refused)?,
    })
}

/// The size of a popup; the manifest's is for its own placement.
fn size(
    p: &PluginPaneOpenParams,
    pane: &PluginManifestPane,
    placement: Placement,
) -> (Option<PopupSize>, Option<PopupSize>) {
    let own = |size: Option<PopupSize>| size.filter(|_| placement == pane.placement);
    (p.width.or(own(pane.width)), p.height.or(own(pane.height)))
}

fn no_popup(error: PopupError) -> ApiError {
    let message = match error {
        PopupError::AlreadyOpen => "popup already open",
        PopupError::NoWorkspace => "no active workspace",
        PopupError::TooSmall => "terminal area too small for popup",
        PopupError::Create(error) => return creation_failed(error, FAILED),
    };
    ApiError::new(FAILED, message)
}

pub fn focus(call: &Call<'_>, p: PluginPaneFocusParams) -> Result<ResponseResult, ApiError> {
    let key = plugin::pane(&call.shared.look(), &p.pane_id)?;
    call.shared.refresh_place(key);
    let mut live = call.shared.change();
    let gone = || ApiError::new("plugin_pane_not_found", "plugin pane not found");
    live.focus_pane(key, &call.shared.deadlines)
        .map_err(|_| gone())?;
    let plugin_pane = live.plugin_pane_info(key).ok_or_else(gone)?;
    Ok(ResponseResult::PluginPaneFocused { plugin_pane })
}

pub fn close(call: &Call<'_>, p: PluginPaneCloseParams) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let key = plugin::pane(&live, &p.pane_id)?;
    let gone = || ApiError::new("plugin_pane_not_found", "plugin pane not found");
    let pane_id = live.world.pane(key).ok_or_else(gone)?.id().to_string();
    live.remove_pane(key, Leaving::Closed, &call.shared.deadlines)
        .map_err(|_| gone())?;
    Ok(ResponseResult::PluginPaneClosed { pane_id })
}

pub fn close_popup(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    match call.shared.close_popup() {
        true => Ok(ResponseResult::Ok),
        false => Err(ApiError::new("popup_not_open", "no popup is open")),
    }
}

/// The pane of a manifest that is named, if its plugin may open it here.
fn find_pane(
    call: &Call<'_>,
    p: &PluginPaneOpenParams,
) -> Result<(InstalledPluginInfo, PluginManifestPane), ApiError> {
    let id = id::plugin(&p.plugin_id)?;
    let found = call.shared.plugins.registry.find(id)?;
    let found = found.ok_or_else(|| ApiError::new("plugin_not_found", "plugin not found"))?;
    let info = found.whole()?.clone();
    plugin::check_enabled(&info)?;
    let entrypoint = p.entrypoint.trim();
    if !id::is_inner(entrypoint) {
        let message = "invalid plugin pane entrypoint";
        return Err(ApiError::new("invalid_plugin_entrypoint", message));
    }
    let pane = info.panes.iter().find(|known| known.id == entrypoint);
    let Some(pane) = pane.cloned() else {
        let message = format!("plugin pane entrypoint '{entrypoint}' not found");
        return Err(ApiError::new("plugin_pane_not_found", message));
    };
    if !manifest::runs_here(pane.platforms.as_deref(), info.platforms.as_deref()) {
        let name = format!("{}.{entrypoint}", info.plugin_id);
        return Err(plugin::unsupported_here("pane", &name));
    }
    Ok((info, pane))
}

/// What herdr 0.9.3 lets nobody ask for together.
fn check_combination(p: &PluginPaneOpenParams, placement: Placement) -> Result<(), ApiError> {
    let refused = |message: &str| Err(ApiError::new("invalid_params", message));
    let is_popup = placement == Placement::Popup;
    if !is_popup && (p.width.is_some() || p.height.is_some()) {
        return refused("width and height are only supported when placement is popup");
    }
    let has_target = p.target_pane_id.is_some();
    match placement {
        Placement::Overlay | Placement::Popup
            if has_target || p.workspace_id.is_some() || p.direction.is_some() =>
        {
            refused("overlay and popup plugin panes target the active pane")
        }
        Placement::Split | Placement::Zoomed if p.workspace_id.is_some() => {
            refused("split and zoomed plugin panes target an existing pane; use target_pane_id")
        }
        Placement::Tab if has_target || p.direction.is_some() => {
            refused("tab plugin panes support workspace_id but not target_pane_id or direction")
        }
        _ => Ok(()),
    }
}

fn find_place(
    live: &Live,
    p: &PluginPaneOpenParams,
    placement: Placement,
) -> Result<Where, ApiError> {
    let active = live.world.focus();
    let no_pane = || ApiError::new("no_active_pane", "no active pane");
    Ok(match placement {
        Placement::Popup => Where::Popup,
        Placement::Overlay => Where::Overlay(active.ok_or_else(no_pane)?.pane),
        Placement::Split | Placement::Zoomed => Where::Beside {
            pane: match &p.target_pane_id {
                Some(id) => find::pane(live, id)?,
                None => active.ok_or_else(no_pane)?.pane,
            },
            axis: p.direction.map_or(Axis::Right, arrange::axis),
            zoomed: placement == Placement::Zoomed,
        },
        Placement::Tab => Where::Tab(match &p.workspace_id {
            Some(id) => find::workspace(live, id)?,
            None => live
                .world
                .active_workspace()
                .ok_or_else(|| ApiError::new("no_active_workspace", "no active workspace"))?,
        }),
    })
}

fn launch(
    call: &Call<'_>,
    p: &PluginPaneOpenParams,
    info: &InstalledPluginInfo,
    pane: &PluginManifestPane,
    place: Where,
) -> Result<Launch, ApiError> {
    let from = match place {
        Where::Popup => CalledFrom::default(),
        Where::Overlay(pane) | Where::Beside { pane, .. } => CalledFrom {
            pane: Some(pane),
            ..CalledFrom::default()
        },
        Where::Tab(workspace) => CalledFrom {
            workspace: Some(workspace),
            ..CalledFrom::default()
        },
    };
    let context = plugin::context(call, None, (from, "api"));
    let mut variables = call.shared.plugin_variables(info, &context)?;
    variables.push(("HERDR_PLUGIN_ENTRYPOINT_ID".to_owned(), pane.id.clone()));
    let covers = match place {
        Where::Overlay(key) => {
            let live = call.shared.look();
            let zoomed = live.world.tab_of(key).is_some_and(|tab| tab.zoomed());
            Some(Covered {
                pane: key.number(),
                zoomed,
            })
        }
        _ => None,
    };
    let zoomed = matches!(
        place,
        Where::Overlay(_) | Where::Beside { zoomed: true, .. }
    );
    Ok(Launch {
        cwd: Some(
            p.cwd
                .clone()
                .unwrap_or_else(|| info.plugin_root.clone())
                .into(),
        ),
        env: p.env.clone(),
        argv: Some(pane.command.clone()),
        created_by: call.creator(),
        plugin: Some(Box::new(PluginLaunch {
            pane: PluginPane {
                plugin_id: info.plugin_id.clone(),
                entrypoint: pane.id.clone(),
                covers,
            },
            title: pane.title.clone(),
            zoomed,
            variables,
        })),
        ..Launch::default()
    })
}
