//! The live state from what was saved.
//!
//! [`Shared::restore`] is the one way back, for both kinds of start. A pane whose process still runs
//! is given by the caller and goes on as it was. A pane whose process is gone gets a new shell in
//! its directory, and its agent back by a command that is typed there (herdr 0.9.3, session
//! restore). Nothing of it is announced: nobody listens yet.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use nix::unistd::{AccessFlags, access};

use crate::agent::{self, PaneAgent, ResumePlan};
use crate::api::records::PaneRightClickTarget;
use crate::authority::{PaneRights, Token};
use crate::pane::{Pane, StartingPane};
use crate::store::{OpenError, Saved, Store};
use crate::world::{PaneKey, TerminalSize, WorkspaceId, World};

use super::create::{Ids, Launch, terminal_id};
use super::history::Noted;
use super::runtime::cells;
use super::save::{SavedPane, SavedSession, SavedWorkspaceRow};
use super::{CreateError, Live, PaneEntry, Runtime, Shared, Title};

/// herdr 0.9.3's words for a pane whose directory is gone.
const NO_DIRECTORY: &str =
    "Saved directory is unavailable. Restore the directory and restart this session.";

/// A whole saved session, decoded and checked.
#[derive(Debug)]
pub struct SavedState {
    pub(super) world: World,
    pub(super) session: SavedSession,
    pub(super) workspaces: Vec<SavedWorkspaceRow>,
    pub(super) panes: BTreeMap<PaneKey, SavedPane>,
}

impl SavedState {
    /// The saved session of a store; none in a new one.
    ///
    /// # Errors
    /// It cannot be read, or what is there is not whole: [`OpenError::Refused`].
    pub fn load(store: &Store) -> Result<Option<SavedState>, OpenError> {
        SavedState::decode(store.load()?)
            .map_err(|what| OpenError::Refused(store.path().into(), format!("is damaged ({what})")))
    }

    fn decode(saved: Saved) -> Result<Option<SavedState>, String> {
        let Some(session) = saved.session else {
            return Ok(None);
        };
        let bad = |what: &str, error: &dyn fmt::Display| format!("{what}: {error}");
        let session: SavedSession =
            serde_json::from_str(&session).map_err(|error| bad("the session", &error))?;
        let workspaces: Vec<SavedWorkspaceRow> = saved
            .workspaces
            .iter()
            .map(|body| serde_json::from_str(body))
            .collect::<Result<_, _>>()
            .map_err(|error| bad("a workspace", &error))?;
        let places: Vec<_> = workspaces.iter().map(|row| row.place.clone()).collect();
        let world =
            World::restore(&session.order, &places).map_err(|error| bad("the session", &error))?;
        let mut panes = BTreeMap::new();
        for (number, body) in saved.panes {
            let pane: SavedPane = serde_json::from_str(&body)
                .map_err(|error| bad(&format!("pane {number}"), &error))?;
            panes.insert(PaneKey::new(number), pane);
        }
        Ok(Some(SavedState {
            world,
            session,
            workspaces,
            panes,
        }))
    }

    /// The panes of the saved world, in display order.
    pub fn panes(&self) -> impl Iterator<Item = PaneKey> {
        self.world.panes().map(crate::world::Pane::key)
    }

    /// The server's counter of state changes: the largest that anything was saved with.
    fn state_changes(&self) -> u64 {
        let panes = self.panes.values().map(|pane| pane.state_changes);
        panes.fold(self.session.state_changes, u64::max)
    }
}

impl Shared {
    /// Rebuilds the live state. `running` has the panes whose processes still run; what is in it and
    /// not in the saved state is ended. Every other pane gets a new shell. To be called once, before
    /// anybody is served.
    ///
    /// # Errors
    /// Descriptors have run out; what is saved stays as it is.
    pub fn restore(
        &self,
        state: SavedState,
        mut running: BTreeMap<PaneKey, StartingPane>,
    ) -> io::Result<()> {
        // A session that is started again begins with windows' own titles.
        let goes_on = !running.is_empty();
        match goes_on {
            true => self.restore_window_title(),
            false => drop(self.set_window_title(None)),
        }
        let geometry = self.look().geometry();
        let sizes: BTreeMap<PaneKey, TerminalSize> = state
            .world
            .tabs()
            .flat_map(|tab| state.world.terminal_sizes(tab.id(), geometry))
            .collect();
        let mut plans = Plans::new(self.config().session.resume_agents_on_restore);
        let mut state_changes = state.state_changes();
        let mut entries = Vec::new();
        let mut starting = Vec::new();
        for pane in state.world.panes() {
            let key = pane.key();
            let saved = state.panes.get(&key);
            // Every pane of a world has a place in it.
            let Some(size) = sizes.get(&key).copied() else {
                continue;
            };
            let entry = match running.remove(&key) {
                Some(pane) => {
                    let entry = self.taken_over(&pane, saved, size)?;
                    starting.push((key, pane));
                    entry
                }
                None => {
                    let ids = Ids {
                        key,
                        pane: pane.id(),
                        tab: pane.tab(),
                    };
                    let mut new = NewPane {
                        ids,
                        saved,
                        size,
                        state_changes: &mut state_changes,
                    };
                    let (entry, pane) = self.start_again(&mut new, &mut plans)?;
                    starting.extend(pane.map(|pane| (key, pane)));
                    entry
                }
            };
            entries.push((key, entry));
        }
        self.take_restored(state, entries, state_changes);
        if goes_on {
            self.await_viewers();
        }
        for (key, pane) in starting {
            self.begin(pane);
            self.await_prompt(key);
        }
        Ok(())
    }

    fn take_restored(
        &self,
        state: SavedState,
        entries: Vec<(PaneKey, PaneEntry)>,
        state_changes: u64,
    ) {
        let mut live = self.change();
        live.state_changes = state_changes;
        for row in state.workspaces {
            let id = WorkspaceId::new(row.place.number);
            live.restore_tokens(id, row.tokens, &self.deadlines);
            if let Some(worktree) = row.worktree {
                live.worktrees.insert(id, worktree);
            }
        }
        live.world = state.world.into();
        live.focus = live.world.focus_signature();
        let lineage = state.session.lineage.into_iter();
        live.lineage
            .extend(lineage.map(|(key, maker)| (PaneKey::new(key), PaneKey::new(maker))));
        for (key, entry) in entries {
            live.panes.insert(key, entry);
            // What time has decided since is applied, and what it will decide is waited for.
            live.change_agent(key, &self.deadlines, |agent, context| {
                (agent.expire(context), ())
            });
        }
    }

    /// A pane whose process still runs.
    fn taken_over(
        &self,
        pane: &StartingPane,
        saved: Option<&SavedPane>,
        size: TerminalSize,
    ) -> io::Result<PaneEntry> {
        let rights = match saved {
            Some(saved) => saved.rights(Token::kept(saved.token.clone())),
            None => self.rights_of_new(&Launch::default())?,
        };
        let mut entry = PaneEntry::new(pane.pane().clone(), size, self.home(), rights);
        entry.runtime.configure(&self.config());
        if let Some(saved) = saved {
            entry.right_click = saved.right_click;
            entry.muted = saved.muted;
            entry.agent = saved.agent.clone();
            // The history has it since it was saved.
            entry.noted = Noted::of(&entry.agent.view(), saved.state_since);
            entry.terminal_id.clone_from(&saved.terminal_id);
            entry.title = Title::restored(saved.title.clone());
            // What is saved is what was announced, which is not the turn of every spinner.
            entry
                .title
                .set(pane.pane().screen().title().map(str::to_owned));
            entry.revision = saved.revision;
            entry.launch_argv.clone_from(&saved.launch_argv);
            entry.launch_env.clone_from(&saved.launch_env);
            entry.plugin.clone_from(&saved.plugin);
        }
        Ok(entry)
    }

    /// A pane whose process is gone: a new shell in its directory, or the reason why there is none.
    fn start_again(
        &self,
        new: &mut NewPane<'_>,
        plans: &mut Plans,
    ) -> io::Result<(PaneEntry, Option<StartingPane>)> {
        let directory = new
            .saved
            .and_then(|saved| saved.directory.clone())
            .map(PathBuf::from);
        if let Some(directory) = &directory
            && !can_be_entered(directory)
        {
            let entry = self.without_process(new, directory, NO_DIRECTORY.to_owned())?;
            return Ok((entry, None));
        }
        let plan = new
            .saved
            .and_then(|saved| plans.take(&saved.agent, &directory));
        // Commands are not run again (herdr 0.9.3); what they were given is, so that an agent that is brought back
        // finds what it was started with.
        let launch = Launch {
            cwd: directory.clone(),
            env: new
                .saved
                .map(|saved| saved.launch_env.clone())
                .unwrap_or_default(),
            told_for: plan.as_ref().map(|plan| plan.argv.clone()),
            ..Launch::default()
        };
        match self.start(&new.ids, &launch, None, new.size) {
            Ok((starting, mut entry)) => {
                if let Some(saved) = new.saved {
                    entry.revision = saved.revision + 1;
                    entry.right_click = saved.right_click;
                    entry.muted = saved.muted;
                    entry.rights = saved.rights(entry.rights.token);
                    entry.launch_argv.clone_from(&saved.launch_argv);
                }
                match (new.saved, plan) {
                    (Some(saved), Some(plan)) => {
                        entry.agent = new.resuming(&saved.agent, &plan);
                        self.resume_later(new.ids.key, plan.typed());
                    }
                    (Some(_), None) => self.show_scrollback(new.ids.key, starting.pane()),
                    (None, _) => {}
                }
                // Nobody is served yet, so nobody waits for it.
                Ok((entry, Some(starting.pane)))
            }
            Err(error) => {
                let why = match error {
                    CreateError::Spawn(error) => error.to_string(),
                    CreateError::Full(limit) => format!("there are {limit} panes already"),
                    CreateError::World(error) => error.to_string(),
                    CreateError::LongEnvironment(has, may) | CreateError::LongCommand(has, may) => {
                        format!("its variables have {has} bytes, and may have {may}")
                    }
                };
                let why = format!(
                    "Could not start the saved shell: {why}. Fix the shell configuration and \
                     restart this session."
                );
                let directory = directory.unwrap_or_else(|| PathBuf::from("/"));
                Ok((self.without_process(new, &directory, why)?, None))
            }
        }
    }

    /// A pane in the layout that nothing runs in. What could bring its agent back is kept.
    fn without_process(
        &self,
        new: &NewPane<'_>,
        directory: &Path,
        why: String,
    ) -> io::Result<PaneEntry> {
        log::warn!("pane {}: {why} ({})", new.ids.pane, directory.display());
        let pane = Pane::without_process(new.ids.key, cells(new.size), directory, &why)?;
        let mut rights = self.rights_of_new(&Launch::default())?;
        if let Some(saved) = new.saved {
            rights = saved.rights(rights.token);
        }
        let mut entry = PaneEntry::new(pane, new.size, self.home(), rights);
        if let Some(saved) = new.saved {
            entry.right_click = saved.right_click;
            entry.muted = saved.muted;
            entry.agent = saved.agent.dormant();
            entry.launch_argv.clone_from(&saved.launch_argv);
            entry.launch_env.clone_from(&saved.launch_env);
            entry.revision = saved.revision + 1;
        }
        entry.restore_error = Some(why);
        Ok(entry)
    }

    fn home(&self) -> Option<&Path> {
        self.identity.home.as_deref()
    }
}

/// A pane that is started again.
struct NewPane<'a> {
    ids: Ids,
    saved: Option<&'a SavedPane>,
    size: TerminalSize,
    state_changes: &'a mut u64,
}

impl NewPane<'_> {
    fn resuming(&mut self, saved: &PaneAgent, plan: &ResumePlan) -> PaneAgent {
        let mut context = agent::Context {
            now: Instant::now(),
            in_active_tab: true,
            outer_focused: None,
            state_changes: self.state_changes,
        };
        saved.resuming(plan, &mut context)
    }
}

/// Which agents are brought back: each session once, also if two panes were saved with it.
struct Plans {
    enabled: bool,
    taken: HashSet<(ResumePlan, Option<PathBuf>)>,
}

impl Plans {
    fn new(enabled: bool) -> Plans {
        Plans {
            enabled,
            taken: HashSet::new(),
        }
    }

    fn take(&mut self, saved: &PaneAgent, directory: &Option<PathBuf>) -> Option<ResumePlan> {
        let plan = saved.resume_plan().filter(|_| self.enabled)?;
        // A command that an agent reported may mean another session in another directory.
        let within = directory.clone().filter(|_| plan.reported);
        self.taken.insert((plan.clone(), within)).then_some(plan)
    }
}

impl PaneEntry {
    /// A pane of which nothing else is known.
    pub(super) fn new(
        pane: Arc<Pane>,
        size: TerminalSize,
        home: Option<&Path>,
        rights: PaneRights,
    ) -> PaneEntry {
        let runtime = Runtime::new(pane, size);
        runtime.refresh(home);
        PaneEntry {
            runtime,
            agent: PaneAgent::default(),
            terminal_id: terminal_id(),
            title: Title::default(),
            revision: 0,
            launch_argv: None,
            launch_env: BTreeMap::new(),
            right_click: PaneRightClickTarget::default(),
            rights,
            plugin: None,
            restore_error: None,
            saved_directory: None,
            noted: Default::default(),
            muted: false,
        }
    }
}

impl Live {
    fn restore_tokens(
        &mut self,
        id: WorkspaceId,
        tokens: crate::agent::WorkspaceTokens,
        deadlines: &super::Deadlines,
    ) {
        if let Some(when) = tokens.next_deadline() {
            deadlines.add(when, super::Due::Workspace(id));
        }
        self.workspace_tokens.insert(id, tokens);
    }
}

fn can_be_entered(directory: &Path) -> bool {
    directory.is_dir() && access(directory, AccessFlags::X_OK).is_ok()
}
