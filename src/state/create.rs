//! New workspaces, tabs and panes: ids first, then the process, then the world.
//!
//! A process is started without the lock, under ids that were handed out before. Only when it
//! runs does the pane become visible, with its events and its record in one step.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::api::records::{
    PaneInfo, PaneRightClickTarget, TabInfo, WorkspaceInfo, WorkspaceWorktreeInfo,
};
use crate::authority::{Grants, PaneRights, Place, Token};
use crate::config::{self, Config, HerdrProtocol, ShellMode};
use crate::pane::environment::{Telling, Told};
use crate::pane::{self, Environment, Pane, Program, StartingPane};
use crate::paths::Session;
use crate::turn::Capability;
use crate::world::{
    Axis, PaneId, PaneKey, TabId, TerminalSize, WorkspaceId, WorldError, ZoomMode, terminal_size,
};

use super::pane_events::Upward;
use super::runtime::cells;
use super::ssh_agent::VARIABLE as SSH_AGENT_VARIABLE;
use super::starts::Started;
use super::{Live, PaneEntry, PluginLaunch, Runtime, Shared};

/// What a caller wants in a new pane.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// Where to start; by default where the configuration says.
    pub cwd: Option<PathBuf>,
    /// Checked with [`pane::environment::check`].
    pub env: BTreeMap<String, String>,
    /// Run instead of a shell.
    pub argv: Option<Vec<String>>,
    /// The command that will be typed into the shell, which decides whether the pane is told.
    pub told_for: Option<Vec<String>>,
    /// Who gets right clicks in it.
    pub right_click: PaneRightClickTarget,
    /// The pane whose process asks for it; none for the person.
    pub created_by: Option<PaneKey>,
    /// What it should hold, if that is not what its creator's panes hold by default.
    pub grants: Option<Grants>,
    /// The tracked execution that its program is.
    pub tracked: Option<Tracked>,
    /// The plugin that opens it.
    pub plugin: Option<Box<PluginLaunch>>,
}

/// What a program is told about the execution that it is.
#[derive(Debug, Clone)]
pub struct Tracked {
    /// What its manager calls it.
    pub execution_id: String,
    pub generation: u64,
    /// What it proves itself with.
    pub capability: Capability,
}

impl Launch {
    /// Whether environment and command are of a size that may be.
    fn check_size(&self, limits: &config::Limits) -> Result<(), CreateError> {
        let fits = |bytes: usize, limit: u64| u64::try_from(bytes).is_ok_and(|b| b <= limit);
        let env = self
            .env
            .iter()
            .map(|(name, value)| name.len() + value.len());
        let env = env.sum();
        if !fits(env, limits.env_bytes) {
            return Err(CreateError::LongEnvironment(env, limits.env_bytes));
        }
        let argv = self.argv.iter().flatten().map(String::len).sum();
        if !fits(argv, limits.argv_bytes) {
            return Err(CreateError::LongCommand(argv, limits.argv_bytes));
        }
        Ok(())
    }
}

/// Why something could not be created. Nothing is left of the attempt.
#[derive(Debug)]
pub enum CreateError {
    /// There is no place for it, or no longer.
    World(WorldError),
    /// There are as many panes as there may be; the number is that ceiling.
    Full(u64),
    /// Its variables have more bytes, the first number, than they may have, the second.
    LongEnvironment(usize, u64),
    /// Its command has more bytes, the first number, than it may have, the second.
    LongCommand(usize, u64),
    /// Its process could not be started.
    Spawn(std::io::Error),
}

impl From<WorldError> for CreateError {
    fn from(error: WorldError) -> CreateError {
        CreateError::World(error)
    }
}

/// The ids that a new process is told.
pub(super) struct Ids {
    pub(super) key: PaneKey,
    pub(super) pane: PaneId,
    pub(super) tab: TabId,
}

impl Shared {
    /// A new workspace at the end of the list, with one tab and one pane. `source` is the
    /// workspace whose focused pane says where to start, if the configuration follows one.
    ///
    /// # Errors
    /// See [`CreateError`].
    pub fn create_workspace(
        &self,
        label: Option<String>,
        focus: bool,
        source: Option<WorkspaceId>,
        launch: &Launch,
    ) -> Result<(WorkspaceInfo, TabInfo, PaneInfo), CreateError> {
        self.create_workspace_with((label, focus, source), None, launch, |_, _| ())
    }

    /// The same for a workspace that shows a checkout. `also` is done together with it, last.
    ///
    /// # Errors
    /// See [`CreateError`].
    pub fn create_workspace_with(
        &self,
        (label, focus, source): (Option<String>, bool, Option<WorkspaceId>),
        worktree: Option<WorkspaceWorktreeInfo>,
        launch: &Launch,
        also: impl FnOnce(&mut Live, WorkspaceId),
    ) -> Result<(WorkspaceInfo, TabInfo, PaneInfo), CreateError> {
        let (new, follow, size) = {
            let mut live = self.look();
            let source = source.or(live.world.active_workspace());
            (
                live.world.reserve_workspace()?,
                live.focused_runtime(source),
                terminal_size(live.geometry.area, false),
            )
        };
        let ids = Ids {
            key: new.key(),
            pane: new.pane(),
            tab: new.tab(),
        };
        let (starting, entry) = self.start(&ids, launch, follow, size)?;
        let workspace = new.workspace();
        let mut live = self.change();
        live.world.insert_workspace(new, label, focus);
        live.panes.insert(ids.key, entry);
        if let Some(worktree) = worktree {
            live.worktrees.insert(workspace, worktree);
        }
        live.fit_tab(ids.tab);
        live.announce_workspace_created(workspace);
        live.announce_tab_created(ids.tab);
        live.announce_pane_created(ids.key);
        live.announce_layout(ids.tab);
        if focus {
            live.mark_active_tab_seen(&self.deadlines);
        }
        also(&mut live, workspace);
        let records = live
            .workspace_info(workspace)
            .zip(live.tab_info(ids.tab))
            .zip(live.pane_info(ids.key))
            .map(|((workspace, tab), pane)| (workspace, tab, pane));
        drop(live);
        self.begin(starting.pane);
        records.ok_or(CreateError::World(WorldError::WorkspaceGone))
    }

    /// A new tab at the end of a workspace, with one pane.
    ///
    /// # Errors
    /// See [`CreateError`].
    pub fn create_tab(
        &self,
        workspace: WorkspaceId,
        label: Option<String>,
        focus: bool,
        launch: &Launch,
    ) -> Result<(TabInfo, PaneInfo), CreateError> {
        self.create_tab_with(workspace, (label, focus), launch, |_, _| ())
    }

    /// The same. `also` is done in the step in which the pane appears, last: nobody sees the one without
    /// the other, the pane's own program included.
    ///
    /// # Errors
    /// See [`CreateError`].
    pub fn create_tab_with(
        &self,
        workspace: WorkspaceId,
        (label, focus): (Option<String>, bool),
        launch: &Launch,
        also: impl FnOnce(&mut Live, PaneKey),
    ) -> Result<(TabInfo, PaneInfo), CreateError> {
        let (new, follow, size) = {
            let mut live = self.look();
            (
                live.world.reserve_tab(workspace)?,
                live.focused_runtime(Some(workspace)),
                terminal_size(live.geometry.area, false),
            )
        };
        let ids = Ids {
            key: new.key(),
            pane: new.pane(),
            tab: new.tab(),
        };
        let (starting, entry) = self.start(&ids, launch, follow, size)?;
        let mut live = self.change();
        live.world.insert_tab(new, label, focus)?;
        live.panes.insert(ids.key, entry);
        live.dress(ids.key, launch)?;
        live.fit_tab(ids.tab);
        live.announce_tab_created(ids.tab);
        live.announce_pane_created(ids.key);
        live.announce_layout(ids.tab);
        if focus {
            live.mark_active_tab_seen(&self.deadlines);
        }
        also(&mut live, ids.key);
        let records = live.tab_info(ids.tab).zip(live.pane_info(ids.key));
        drop(live);
        self.begin(starting.pane);
        records.ok_or(CreateError::World(WorldError::TabGone))
    }

    /// A new pane beside `target`, which keeps the share `ratio` of its place.
    ///
    /// # Errors
    /// See [`CreateError`].
    pub fn split(
        &self,
        target: PaneKey,
        axis: Axis,
        ratio: f32,
        focus: bool,
        launch: &Launch,
    ) -> Result<PaneInfo, CreateError> {
        let (new, tab, size, follow) = {
            let mut live = self.look();
            let new = live.world.reserve_pane(target)?;
            let tab = live.world.pane(target).ok_or(WorldError::PaneGone)?.tab();
            let size = live
                .world
                .size_after_split(target, axis, ratio, live.geometry)
                .ok_or(WorldError::PaneGone)?;
            (
                new,
                tab,
                size,
                live.pane(target).map(|entry| entry.runtime.clone()),
            )
        };
        let ids = Ids {
            key: new.key(),
            pane: new.pane(),
            tab,
        };
        let (starting, entry) = self.start(&ids, launch, follow, size)?;
        let mut live = self.change();
        live.world.insert_pane(new, axis, ratio, focus)?;
        live.panes.insert(ids.key, entry);
        live.dress(ids.key, launch)?;
        live.fit_tab(tab);
        live.announce_pane_created(ids.key);
        live.announce_layout(tab);
        if focus {
            live.mark_active_tab_seen(&self.deadlines);
        }
        let record = live.pane_info(ids.key);
        drop(live);
        self.begin(starting.pane);
        record.ok_or(CreateError::World(WorldError::PaneGone))
    }

    /// Starts a process; it is not read from until [`Shared::begin`]. What it calls meanwhile waits
    /// until the answer is dropped or begun.
    pub(super) fn start(
        &self,
        ids: &Ids,
        launch: &Launch,
        follow: Option<Arc<Runtime>>,
        size: TerminalSize,
    ) -> Result<(Started, PaneEntry), CreateError> {
        let config = self.config();
        launch.check_size(&config.limits)?;
        self.room_for(1)?;
        let rights = self.rights_of_new(launch).map_err(CreateError::Spawn)?;
        let directory = launch
            .cwd
            .clone()
            .unwrap_or_else(|| self.default_directory(&config, follow));
        let launched = pane::Launch {
            program: match &launch.argv {
                Some(argv) => Program::Command(argv.clone()),
                None => Program::Shell {
                    path: OsString::from(&config.terminal.default_shell),
                    mode: match config.terminal.shell_mode {
                        ShellMode::Auto => pane::ShellMode::Auto,
                        ShellMode::Login => pane::ShellMode::Login,
                        ShellMode::NonLogin => pane::ShellMode::NonLogin,
                    },
                },
            },
            directory: Some(directory),
            environment: self.environment(&config, ids, launch, &rights.token),
            size: cells(size),
        };
        let rows = usize::try_from(config.terminal.scrollback_rows).unwrap_or(usize::MAX);
        // Before there is a process that could call.
        let _start = self.starts.open();
        let pane = Pane::open_in(&*self.terminals, ids.key, &launched, rows)
            .map_err(CreateError::Spawn)?;
        let home = self.identity.home.as_deref();
        let mut entry = PaneEntry::new(pane.pane().clone(), size, home, rights);
        entry.runtime.configure(&config);
        // What a manager started is its to start again, and what it told a session is not to be kept.
        if launch.tracked.is_none() {
            entry.launch_argv.clone_from(&launch.argv);
        }
        entry.launch_env.clone_from(&launch.env);
        entry.right_click = launch.right_click;
        entry.plugin = launch.plugin.as_ref().map(|plugin| plugin.pane.clone());
        Ok((Started { pane, _start }, entry))
    }

    /// Whether so many panes more are allowed. Several that start at once may pass here together; the
    /// ceiling need not be exact.
    pub(super) fn room_for(&self, panes: usize) -> Result<(), CreateError> {
        let limit = self.config().limits.panes;
        let present = self.look().world.pane_count();
        if (present + panes) as u64 > limit {
            return Err(CreateError::Full(limit));
        }
        Ok(())
    }

    /// Lets a pane's thread report from now on.
    pub(super) fn begin(&self, starting: StartingPane) {
        let resumes = self.awaits_resume(starting.pane().key());
        starting.begin(Arc::new(Upward::new(self.this.clone(), resumes)));
    }

    pub(super) fn rights_of_new(&self, launch: &Launch) -> std::io::Result<PaneRights> {
        let token = self.new_token()?;
        let in_force = self.in_force();
        let live = self.look();
        let creator = launch.created_by.map(|key| {
            let standing = live.standing(Place::Pane(key), &in_force);
            (key, standing.grants)
        });
        Ok(PaneRights::new(launch.grants, creator, &in_force, token))
    }

    pub(super) fn environment(
        &self,
        config: &Config,
        ids: &Ids,
        launch: &Launch,
        token: &Token,
    ) -> Environment {
        let telling = match config.agents.herdr_protocol {
            HerdrProtocol::Always => Telling::Always,
            HerdrProtocol::Agents => Telling::Agents,
            HerdrProtocol::Off => Telling::Off,
        };
        let command = launch.argv.as_ref().or(launch.told_for.as_ref());
        let tells = launch.tracked.is_some() || telling.tells(command.map(Vec::as_slice));
        let told = tells.then(|| Told {
            session: self.told_session(),
            socket: self.identity.protocol_socket.clone(),
            executable: self.identity.herdr_executable.clone(),
            link_folder: self.identity.link_dir.clone(),
            workspace: ids.pane.workspace.to_string(),
            tab: ids.tab.to_string(),
            pane: ids.pane.to_string(),
        });
        let generation = launch
            .tracked
            .as_ref()
            .map(|one| one.generation.to_string());
        let mut host = vec![(Token::VARIABLE, token.as_str())];
        if let (Some(tracked), Some(generation)) = (&launch.tracked, &generation) {
            host.extend([
                ("HERDR_EXECUTION_ID", tracked.execution_id.as_str()),
                ("HERDR_EXECUTION_GENERATION", generation.as_str()),
                (Capability::VARIABLE, tracked.capability.as_str()),
            ]);
        }
        let plugin = launch.plugin.iter().flat_map(|plugin| &plugin.variables);
        host.extend(plugin.map(|(name, value)| (name.as_str(), value.as_str())));
        // The daemon's own may be that of a login long past.
        let agent = self.ssh_agents.get().and_then(|agents| agents.path());
        let agent = agent.map(|path| (SSH_AGENT_VARIABLE.into(), path.into()));
        let inherited = std::env::vars_os().chain(agent);
        Environment::build(inherited, &launch.env, host, told.as_ref())
    }

    /// The session's name, if programs are told one.
    pub(super) fn told_session(&self) -> Option<String> {
        match &self.identity.session {
            Session::Default => None,
            Session::Named(name) => Some(name.as_str().to_owned()),
        }
    }

    /// Where a pane starts when nobody says (herdr 0.9.3, `terminal.new_cwd`).
    fn default_directory(&self, config: &Config, follow: Option<Arc<Runtime>>) -> PathBuf {
        let home = || {
            self.identity
                .home
                .clone()
                .unwrap_or_else(|| PathBuf::from("/"))
        };
        match config.terminal.new_cwd.as_str() {
            "follow" => follow
                .and_then(|runtime| runtime.follow())
                .unwrap_or_else(home),
            "home" => home(),
            "current" => self.identity.start_dir.clone(),
            path => match path.strip_prefix('~') {
                Some("") => home(),
                Some(rest) if rest.starts_with('/') => home().join(&rest[1..]),
                _ => PathBuf::from(path),
            },
        }
    }
}

impl Live {
    /// Gives a new pane of a plugin its label and its place.
    fn dress(&mut self, key: PaneKey, launch: &Launch) -> Result<(), WorldError> {
        if let Some(plugin) = &launch.plugin {
            self.world.rename_pane(key, Some(&plugin.title))?;
            if plugin.zoomed {
                self.world.zoom(key, ZoomMode::On)?;
            }
        }
        Ok(())
    }

    /// The focused pane of a workspace's active tab.
    fn focused_runtime(&self, workspace: Option<WorkspaceId>) -> Option<Arc<Runtime>> {
        let key = self.world.focused_pane_of(workspace?)?;
        Some(self.panes.get(&key)?.runtime.clone())
    }
}

/// A terminal's id (herdr 0.9.3): opaque, and never the same twice, also over restarts.
pub(super) fn terminal_id() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(1);
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("term_{:x}{count:x}", since_1970.as_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_is_given_may_have_as_many_bytes_as_configured_and_no_more() {
        let mut limits = Config::default().limits;
        (limits.env_bytes, limits.argv_bytes) = (6, 5);
        let launch = |value: &str, word: &str| Launch {
            env: BTreeMap::from([("A".to_owned(), value.to_owned())]),
            argv: Some(vec!["cat".to_owned(), word.to_owned()]),
            ..Launch::default()
        };
        assert!(launch("12345", "-u").check_size(&limits).is_ok());
        let long = launch("123456", "-u").check_size(&limits);
        assert!(matches!(long, Err(CreateError::LongEnvironment(7, 6))));
        let long = launch("12345", "-uv").check_size(&limits);
        assert!(matches!(long, Err(CreateError::LongCommand(6, 5))));
    }
}
