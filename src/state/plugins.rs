//! Plugins as a daemon has them: the user's registry, the commands that run, what they are told about
//! the place they were called from, and the panes that they opened.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::hooks::Hooks;
use super::popup::Popup;
use super::{CreateError, Launch, Live, Shared};
use crate::api::ApiError;
use crate::api::records::{
    InstalledPluginInfo, PaneInfo, PluginCommandLogInfo, PluginInvocationContext, PluginPaneInfo,
};
use crate::pane::Environment;
use crate::pane::environment::Told;
use crate::paths::PluginPaths;
use crate::plugin::{Commands, Job, Registry};
use crate::world::{Axis, DEFAULT_RATIO, PaneKey, TabId, WorkspaceId, WorldError};

/// What a daemon has of plugins.
#[derive(Debug)]
pub struct Plugins {
    pub registry: Registry,
    pub commands: Arc<Commands>,
    /// Held from the reading of the registry to the last consequence of it; taken before all others.
    pub(super) looking: Mutex<()>,
    /// What is listened to for hooks. Under `live` if at all; nothing is locked under it.
    pub(super) hooks: Mutex<Hooks>,
    /// The one popup. Innermost: nothing is locked under it.
    pub(super) popup: Mutex<Option<Popup>>,
}

impl Plugins {
    pub(super) fn new(paths: PluginPaths) -> Plugins {
        Plugins {
            registry: Registry::new(paths),
            commands: Arc::default(),
            looking: Mutex::default(),
            hooks: Mutex::default(),
            popup: Mutex::default(),
        }
    }
}

/// Which plugin a pane is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginPane {
    pub plugin_id: String,
    /// The id of the pane in the manifest.
    pub entrypoint: String,
    /// What it covers, if it is an overlay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covered>,
}

/// What comes back when an overlay goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// The key of the pane that had the focus.
    pub pane: u64,
    /// Whether its tab was zoomed.
    pub zoomed: bool,
}

/// What a pane of a plugin is started with, besides what every pane is.
#[derive(Debug, Clone)]
pub struct PluginLaunch {
    pub pane: PluginPane,
    /// The pane's label.
    pub title: String,
    /// It fills its tab.
    pub zoomed: bool,
    /// What only the daemon may set.
    pub variables: Vec<(String, String)>,
}

/// Where a plugin is called from; whatever is not named is what has the focus.
#[derive(Debug, Clone, Copy, Default)]
pub struct CalledFrom {
    pub workspace: Option<WorkspaceId>,
    pub tab: Option<TabId>,
    pub pane: Option<PaneKey>,
}

impl Live {
    /// What a plugin is told about a place (herdr 0.9.3, `PluginInvocationContext`).
    pub fn plugin_context(&self, from: CalledFrom) -> PluginInvocationContext {
        let tab_of_pane = from.pane.and_then(|key| self.world.pane(key));
        let tab = from.tab.or(tab_of_pane.map(|pane| pane.tab()));
        let workspace = from
            .workspace
            .or(tab.map(|tab| tab.workspace))
            .or(self.world.active_workspace());
        let Some(workspace) = workspace.and_then(|id| self.world.workspace(id)) else {
            return PluginInvocationContext::default();
        };
        let id = workspace.id();
        let tab = tab
            .filter(|tab| tab.workspace == id)
            .unwrap_or(workspace.active_tab());
        let tab_info = self.tab_info(tab);
        let pane = from.pane.or(workspace.tab(tab).map(|tab| tab.focused()));
        let pane_info = pane.and_then(|key| self.pane_info(key));
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let info = self.workspace_info(id);
        PluginInvocationContext {
            workspace_id: Some(id.to_string()),
            workspace_label: info.as_ref().map(|info| info.label.clone()),
            workspace_cwd: self.workspace_place(id).map(|place| path(place.path)),
            worktree: self.worktree(id).cloned(),
            tab_id: tab_info.as_ref().map(|info| info.tab_id.clone()),
            tab_label: tab_info.map(|info| info.label),
            focused_pane_id: pane_info.as_ref().map(|info| info.pane_id.clone()),
            focused_pane_cwd: pane_info.as_ref().and_then(|info| info.cwd.clone()),
            focused_pane_agent: pane_info.as_ref().and_then(|info| info.agent.clone()),
            focused_pane_status: pane_info.map(|info| info.agent_status),
            ..PluginInvocationContext::default()
        }
    }

    /// A pane that a plugin opened.
    pub fn plugin_pane_info(&self, key: PaneKey) -> Option<PluginPaneInfo> {
        let plugin = self.pane(key)?.plugin.as_ref()?;
        Some(PluginPaneInfo {
            plugin_id: plugin.plugin_id.clone(),
            entrypoint: plugin.entrypoint.clone(),
            pane: self.pane_info(key)?,
        })
    }

    /// The pane that has the focus of a tab.
    pub(super) fn focused_in(&self, tab: TabId) -> Option<PaneKey> {
        self.world.tab(tab).map(|tab| tab.focused())
    }

    /// What an overlay covered gets the focus back, if that is still the overlay's, and its zoom.
    pub(super) fn uncover(&mut self, covered: Covered, had_focus: bool, tab: TabId) {
        let key = PaneKey::new(covered.pane);
        let is_there = self.world.pane(key).is_some_and(|pane| pane.tab() == tab);
        if !is_there || !had_focus {
            return;
        }
        // It is there, as was just seen.
        let _ = self.world.return_to(key, covered.zoomed);
    }
}

impl Shared {
    /// Starts a command of a plugin.
    ///
    /// # Errors
    /// Those of [`Commands::start`]; a directory of the plugin cannot be made.
    pub fn start_plugin_command(
        &self,
        plugin: &InstalledPluginInfo,
        command: &[String],
        (action_id, event): (Option<&str>, Option<(&str, Option<&str>)>),
        context: &PluginInvocationContext,
    ) -> Result<PluginCommandLogInfo, ApiError> {
        let mut variables = self.command_environment(context)?;
        let mut set = |name: &str, value: &str| {
            variables.push((OsString::from(name), OsString::from(value)));
        };
        for (name, value) in self.plugin_variables(plugin, context)? {
            set(&name, &value);
        }
        if let Some(id) = action_id {
            set("HERDR_PLUGIN_ACTION_ID", id);
        }
        if let Some((name, line)) = event {
            set("HERDR_PLUGIN_EVENT", name);
            if let Some(line) = line {
                set("HERDR_PLUGIN_EVENT_JSON", line);
            }
        }
        if let Some(url) = &context.clicked_url {
            set("HERDR_PLUGIN_CLICKED_URL", url);
        }
        if let Some(id) = &context.link_handler_id {
            set("HERDR_PLUGIN_LINK_HANDLER_ID", id);
        }
        // What it calls at once waits until its process is known.
        let _start = self.starts.open();
        self.plugins.commands.start(Job {
            plugin_id: plugin.plugin_id.clone(),
            action_id: action_id.map(str::to_owned),
            event: event.map(|(name, _)| name.to_owned()),
            command: command.to_vec(),
            directory: PathBuf::from(&plugin.plugin_root),
            variables,
        })
    }

    /// What every program of a plugin is told about it.
    ///
    /// # Errors
    /// `plugin_user_dir_create_failed`.
    pub fn plugin_variables(
        &self,
        plugin: &InstalledPluginInfo,
        context: &PluginInvocationContext,
    ) -> Result<Vec<(String, String)>, ApiError> {
        let registry = &self.plugins.registry;
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let config = text(registry.config_dir(&plugin.plugin_id)?);
        let state = text(registry.state_dir(&plugin.plugin_id)?);
        let context = serde_json::to_string(context)
            .map_err(|error| ApiError::internal(format!("the context of a plugin: {error}")))?;
        let variables = [
            ("HERDR_PLUGIN_ID", plugin.plugin_id.clone()),
            ("HERDR_PLUGIN_ROOT", plugin.plugin_root.clone()),
            ("HERDR_PLUGIN_CONFIG_DIR", config),
            ("HERDR_PLUGIN_STATE_DIR", state),
            ("HERDR_PLUGIN_CONTEXT_JSON", context),
        ];
        // A text from the wire may hold the byte that ends a variable.
        let clean = |value: String| value.replace('\0', "");
        Ok(variables
            .into_iter()
            .map(|(name, value)| (name.to_owned(), clean(value)))
            .collect())
    }

    /// The environment of a command: the person's own, and where it was called from as far as that is
    /// known.
    fn command_environment(
        &self,
        context: &PluginInvocationContext,
    ) -> Result<Vec<(OsString, OsString)>, ApiError> {
        let known = |id: &Option<String>| id.clone().unwrap_or_default();
        let told = Told {
            socket: self.identity.protocol_socket.clone(),
            session: self.told_session(),
            executable: self.identity.herdr_executable.clone(),
            link_folder: self.identity.link_dir.clone(),
            workspace: known(&context.workspace_id),
            tab: known(&context.tab_id),
            pane: known(&context.focused_pane_id),
        };
        let none = BTreeMap::new();
        let environment = Environment::build(std::env::vars_os(), &none, [], Some(&told));
        let absent = |name: &std::ffi::OsStr, value: &std::ffi::OsStr| {
            let place = ["HERDR_WORKSPACE_ID", "HERDR_TAB_ID", "HERDR_PANE_ID"];
            let is_place = place.iter().any(|known| name == *known);
            is_place && value.is_empty()
        };
        let clean = |value: &std::ffi::OsStr| {
            let text = value.to_string_lossy();
            match text.contains('\0') {
                true => OsString::from(text.replace('\0', "")),
                false => value.to_owned(),
            }
        };
        Ok(environment
            .iter()
            .filter(|(name, value)| !absent(name, value))
            .map(|(name, value)| (name.to_owned(), clean(value)))
            .collect())
    }

    /// A pane of a plugin beside another; with `zoomed` it fills the tab.
    ///
    /// # Errors
    /// See [`CreateError`].
    pub fn split_for_plugin(
        &self,
        target: PaneKey,
        axis: Axis,
        focus: bool,
        launch: &Launch,
    ) -> Result<PluginPaneInfo, CreateError> {
        let pane = self.split(target, axis, DEFAULT_RATIO, focus, launch)?;
        plugin_pane(launch, pane)
    }

    /// A pane of a plugin in a tab of its own.
    ///
    /// # Errors
    /// See [`CreateError`].
    pub fn tab_for_plugin(
        &self,
        workspace: WorkspaceId,
        focus: bool,
        launch: &Launch,
    ) -> Result<PluginPaneInfo, CreateError> {
        let (_, pane) = self.create_tab(workspace, None, focus, launch)?;
        plugin_pane(launch, pane)
    }

    /// Whether a process is of a plugin's command: one, or below one. Reads the system's files.
    pub(super) fn is_of_plugin(&self, facts: &crate::sys::ProcessFacts) -> bool {
        /// As many ancestors as are walked for a pane.
        const STEPS: usize = 64;
        if self.is_of_popup(facts) {
            return true;
        }
        let mut at = facts.clone();
        for _ in 0..STEPS {
            if self.plugins.commands.has(at.pid, at.group, at.started) {
                return true;
            }
            match crate::sys::process_facts(at.parent) {
                Some(parent) if at.parent > 1 && parent.started <= at.started => at = parent,
                _ => return false,
            }
        }
        false
    }
}

fn plugin_pane(launch: &Launch, pane: PaneInfo) -> Result<PluginPaneInfo, CreateError> {
    let plugin = launch.plugin.as_ref().ok_or(WorldError::PaneGone)?;
    Ok(PluginPaneInfo {
        plugin_id: plugin.pane.plugin_id.clone(),
        entrypoint: plugin.pane.entrypoint.clone(),
        pane,
    })
}
