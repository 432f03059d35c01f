//! `plugin.*` but for panes: which plugins there are, and what their actions do.

use super::Call;
use crate::api::params::{
    PluginActionInvokeParams, PluginActionListParams, PluginLinkParams, PluginListParams,
    PluginLogListParams, PluginSetEnabledParams, PluginUnlinkParams,
};
use crate::api::records::{
    InstalledPluginInfo, PluginActionInfo, PluginInvocationContext, PluginManifestAction,
};
use crate::api::{ApiError, ResponseResult};
use crate::plugin::{Plugin, id, manifest};
use crate::state::{CalledFrom, Live};
use crate::world::PaneKey;

/// Logs of an answer where no number is asked for, and at most (herdr 0.9.3).
const LOGS: usize = 50;
const LOGS_LIMIT: usize = 200;

pub fn link(call: &Call<'_>, p: PluginLinkParams) -> Result<ResponseResult, ApiError> {
    let plugins = &call.shared.plugins;
    let plugin = plugins.registry.link(&p.path, p.enabled, p.source)?;
    call.shared.look_at_plugins();
    Ok(ResponseResult::PluginLinked { plugin })
}

pub fn list(call: &Call<'_>, p: PluginListParams) -> Result<ResponseResult, ApiError> {
    let plugins = &call.shared.plugins;
    let listed = plugins.registry.list()?;
    call.shared.look_at_plugins();
    Ok(ResponseResult::PluginList {
        plugins: listed
            .into_iter()
            .map(|plugin| plugin.info)
            .filter(|info| p.plugin_id.as_ref().is_none_or(|id| info.plugin_id == *id))
            .collect(),
    })
}

pub fn unlink(call: &Call<'_>, p: PluginUnlinkParams) -> Result<ResponseResult, ApiError> {
    let id = id::plugin(&p.plugin_id)?;
    let plugins = &call.shared.plugins;
    let removed = plugins.registry.unlink(id)?;
    call.shared.look_at_plugins();
    clear_view(call, id);
    Ok(ResponseResult::PluginUnlinked {
        plugin_id: id.to_owned(),
        removed,
    })
}

pub fn enable(call: &Call<'_>, p: PluginSetEnabledParams) -> Result<ResponseResult, ApiError> {
    let plugin = set_enabled(call, &p, true)?;
    Ok(ResponseResult::PluginEnabled { plugin })
}

pub fn disable(call: &Call<'_>, p: PluginSetEnabledParams) -> Result<ResponseResult, ApiError> {
    let plugin = set_enabled(call, &p, false)?;
    clear_view(call, &plugin.plugin_id);
    Ok(ResponseResult::PluginDisabled { plugin })
}

fn set_enabled(
    call: &Call<'_>,
    p: &PluginSetEnabledParams,
    enabled: bool,
) -> Result<InstalledPluginInfo, ApiError> {
    let plugins = &call.shared.plugins;
    let id = id::plugin(&p.plugin_id)?;
    let plugin = plugins.registry.set_enabled(id, enabled)?;
    call.shared.look_at_plugins();
    Ok(plugin)
}

/// A plugin that is not let run shows no agents its way any more (herdr 0.9.3).
fn clear_view(call: &Call<'_>, id: &str) {
    let source = format!("plugin:{id}");
    call.shared.change().clear_agent_view(Some(&source));
}

pub fn action_list(call: &Call<'_>, p: PluginActionListParams) -> Result<ResponseResult, ApiError> {
    let plugins = call.shared.plugins.registry.list()?;
    let mut actions: Vec<PluginActionInfo> = plugins
        .iter()
        .filter(|plugin| {
            p.plugin_id
                .as_ref()
                .is_none_or(|id| plugin.info.plugin_id == *id)
        })
        .flat_map(|Plugin { info, .. }| info.actions.iter().map(|action| action_info(info, action)))
        .collect();
    actions.sort_by_key(qualified);
    Ok(ResponseResult::PluginActionList { actions })
}

pub fn action_invoke(
    call: &Call<'_>,
    p: PluginActionInvokeParams,
) -> Result<ResponseResult, ApiError> {
    let (plugin, action) = find_action(call, &p)?;
    let context = context(call, p.context, (CalledFrom::default(), "api"));
    let (action, log) = run_action(call, &plugin, &action, &context)?;
    Ok(ResponseResult::PluginActionInvoked {
        action,
        context,
        log,
    })
}

/// Starts an action, if it may run.
fn run_action(
    call: &Call<'_>,
    plugin: &InstalledPluginInfo,
    action: &PluginManifestAction,
    context: &PluginInvocationContext,
) -> Result<(PluginActionInfo, crate::api::records::PluginCommandLogInfo), ApiError> {
    check_enabled(plugin)?;
    let info = action_info(plugin, action);
    if !manifest::runs_here(info.platforms.as_deref(), None) {
        return Err(unsupported_here("action", &qualified(&info)));
    }
    // What the command is told of must not be taken back by a crash.
    call.shared.commit();
    let log = call.shared.start_plugin_command(
        plugin,
        &action.command,
        (Some(&action.id), None),
        context,
    )?;
    Ok((info, log))
}

pub fn log_list(call: &Call<'_>, p: PluginLogListParams) -> Result<ResponseResult, ApiError> {
    let limit = p.limit.unwrap_or(LOGS).clamp(1, LOGS_LIMIT);
    Ok(ResponseResult::PluginLogList {
        logs: call
            .shared
            .plugins
            .commands
            .logs(p.plugin_id.as_deref(), limit),
    })
}

/// Gives a click on a link to the first plugin that has a handler for it; true if one took it.
pub fn click(call: &Call<'_>, url: &str, pane: PaneKey) -> bool {
    let Ok(plugins) = call.shared.plugins.registry.list() else {
        return false;
    };
    for Plugin { info, .. } in plugins.iter().filter(|plugin| plugin.info.enabled) {
        for handler in &info.link_handlers {
            let platforms = handler.platforms.as_deref();
            let takes = manifest::runs_here(platforms, info.platforms.as_deref())
                && manifest::pattern(&handler.pattern).is_ok_and(|it| it.is_match(url));
            let action = info.actions.iter().find(|known| known.id == handler.action);
            if let Some(action) = action.filter(|_| takes) {
                let from = CalledFrom {
                    pane: Some(pane),
                    ..CalledFrom::default()
                };
                let clicked = PluginInvocationContext {
                    clicked_url: Some(url.to_owned()),
                    link_handler_id: Some(handler.id.clone()),
                    ..PluginInvocationContext::default()
                };
                let context = context(call, Some(clicked), (from, "link"));
                match run_action(call, info, action, &context) {
                    Ok(_) => return true,
                    Err(error) => {
                        log::warn!("the link handler {} did not run: {error}", handler.id)
                    }
                }
            }
        }
    }
    false
}

/// What a plugin is told: what the caller says, and for the rest what there is.
pub fn context(
    call: &Call<'_>,
    given: Option<PluginInvocationContext>,
    (from, source): (CalledFrom, &str),
) -> PluginInvocationContext {
    call.shared.refresh_places();
    let given = given.unwrap_or_default();
    let now = call.shared.look().plugin_context(from);
    PluginInvocationContext {
        workspace_id: given.workspace_id.or(now.workspace_id),
        workspace_label: given.workspace_label.or(now.workspace_label),
        workspace_cwd: given.workspace_cwd.or(now.workspace_cwd),
        worktree: given.worktree.or(now.worktree),
        tab_id: given.tab_id.or(now.tab_id),
        tab_label: given.tab_label.or(now.tab_label),
        focused_pane_id: given.focused_pane_id.or(now.focused_pane_id),
        focused_pane_cwd: given.focused_pane_cwd.or(now.focused_pane_cwd),
        focused_pane_agent: given.focused_pane_agent.or(now.focused_pane_agent),
        focused_pane_status: given.focused_pane_status.or(now.focused_pane_status),
        invocation_source: given.invocation_source.or(Some(source.to_owned())),
        correlation_id: given.correlation_id.or(Some(call.id.to_owned())),
        ..given
    }
}

/// The action that is named: of the named plugin; else the only one of this id, bare or qualified.
fn find_action(
    call: &Call<'_>,
    p: &PluginActionInvokeParams,
) -> Result<(InstalledPluginInfo, PluginManifestAction), ApiError> {
    let registry = &call.shared.plugins.registry;
    let missing = || ApiError::new("plugin_action_not_found", "plugin action not found");
    let named = p.action_id.trim();
    let of = |plugin: &InstalledPluginInfo, action: &str| {
        let found = plugin.actions.iter().find(|known| known.id == action);
        found.map(|action| (plugin.clone(), action.clone()))
    };
    if let Some(id) = &p.plugin_id {
        let id =
            id::plugin(id).map_err(|_| ApiError::new("invalid_plugin_id", "invalid plugin id"))?;
        let plugin = registry.find(id)?;
        let plugin = plugin.ok_or_else(|| ApiError::new("plugin_not_found", "plugin not found"))?;
        if !id::is_inner(named) {
            return Err(invalid_action_id());
        }
        return of(plugin.whole()?, named).ok_or_else(missing);
    }
    let is_qualified = named
        .rsplit_once('.')
        .is_some_and(|(plugin, action)| id::plugin(plugin).is_ok() && id::is_inner(action));
    if !id::is_inner(named) && !is_qualified {
        return Err(invalid_action_id());
    }
    let plugins = registry.list()?;
    let mut found: Vec<_> = plugins
        .iter()
        .filter_map(|Plugin { info, .. }| of(info, named))
        .collect();
    if let Some((plugin, action)) = named.rsplit_once('.')
        && let Some(known) = plugins.iter().find(|known| known.info.plugin_id == plugin)
    {
        // Its actions are not known while its manifest is not.
        found.extend(of(known.whole()?, action));
    }
    match found.len() {
        0 => Err(missing()),
        1 => Ok(found.remove(0)),
        _ => {
            let names: Vec<String> = found
                .iter()
                .map(|(plugin, action)| qualified(&action_info(plugin, action)))
                .collect();
            let message = format!(
                "plugin action '{named}' is ambiguous; candidates: {}",
                names.join(", ")
            );
            Err(ApiError::new("ambiguous_plugin_action", message))
        }
    }
}

fn invalid_action_id() -> ApiError {
    ApiError::new("invalid_plugin_action_id", "invalid plugin action id")
}

/// The refusal of a plugin that is not let run (herdr 0.9.3).
pub fn check_enabled(plugin: &InstalledPluginInfo) -> Result<(), ApiError> {
    if plugin.enabled {
        return Ok(());
    }
    let message = format!("plugin {} is disabled", plugin.plugin_id);
    Err(ApiError::new("plugin_disabled", message))
}

/// The refusal of what does not run on this system (herdr 0.9.3).
pub fn unsupported_here(what: &str, name: &str) -> ApiError {
    let message = format!(
        "{what} '{name}' does not support the current platform ({})",
        manifest::platform()
    );
    ApiError::new("platform_unsupported", message)
}

fn action_info(plugin: &InstalledPluginInfo, action: &PluginManifestAction) -> PluginActionInfo {
    PluginActionInfo {
        plugin_id: plugin.plugin_id.clone(),
        action_id: action.id.clone(),
        title: action.title.clone(),
        description: action.description.clone(),
        command: action.command.clone(),
        contexts: action.contexts.clone(),
        platforms: action
            .platforms
            .clone()
            .or_else(|| plugin.platforms.clone()),
    }
}

fn qualified(action: &PluginActionInfo) -> String {
    format!("{}.{}", action.plugin_id, action.action_id)
}

/// Whether a plugin may own an agent view: it is there, and let run.
///
/// # Errors
/// `plugin_not_found`, `plugin_disabled`.
pub fn check_owner(call: &Call<'_>, id: &str) -> Result<(), ApiError> {
    let found = call.shared.plugins.registry.find(id)?;
    let plugin = found.ok_or_else(|| ApiError::new("plugin_not_found", "plugin not found"))?;
    check_enabled(&plugin.info)
}

/// The pane that a plugin opened under this id.
///
/// # Errors
/// `plugin_pane_not_found`.
pub fn pane(live: &Live, id: &str) -> Result<PaneKey, ApiError> {
    live.world
        .find_pane(id)
        .filter(|key| live.pane(*key).is_some_and(|entry| entry.plugin.is_some()))
        .ok_or_else(|| ApiError::new("plugin_pane_not_found", "plugin pane not found"))
}
