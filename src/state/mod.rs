//! The world behind its one lock, with the handles of its panes; the event hub; the deadlines.
//!
//! [`Shared`] is what every thread of the daemon can reach. [`Live`] is everything that changes
//! together, behind one mutex. A method changes it through a [`Change`]: what has to happen to
//! processes and sockets because of the change happens when the change is dropped, after the lock
//! is free. The lock is never held across I/O, and a screen is never locked while it is held.

mod access;
mod announce;
mod apply;
mod arrange;
mod attached;
mod authority;
mod create;
mod deadlines;
mod departures;
mod editor;
mod history;
mod hooks;
mod hub;
mod limits;
mod listing;
mod observe;
mod opener;
mod pane_events;
mod plugins;
mod popup;
mod prompts;
mod rates;
mod records;
mod remove;
mod restore;
mod resume;
mod runtime;
mod salvage;
mod save;
mod scrollback;
mod ssh_agent;
mod starts;
mod stop;
mod title;
mod tracked;
mod turns;
mod viewers;
mod views;
mod worktree;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};

use crate::agent::{AgentView, PaneAgent, WorkspaceTokens};
use crate::api::events::EventKind;
use crate::api::records::{PaneRightClickTarget, WorkspaceWorktreeInfo};
use crate::authority::PaneRights;
use crate::config::{self, Config};
use crate::keeper::client::Client;
use crate::manifests::{self, Library};
use crate::notify::{Notifier, Transition};
use crate::pane::{Pane, Terminals};
use crate::paths::{PluginPaths, Session};
use crate::store::Store;
use crate::sync::lock;
use crate::worktree::Operations;
use crate::world::{
    self, FocusSignature, Geometry, PaneKey, Rect, TabId, WorkspaceId, World, WorldError,
};

pub use apply::{Content, Leaf, Place};
pub use attached::{Attachment, Clipboard, News, Notification, window_title};
pub use authority::Caller;
pub use create::{CreateError, Launch, Tracked as TrackedLaunch};
use departures::Departures;

pub use deadlines::{Deadlines, Due};
pub use hooks::start as start_hooks;
pub use hub::{AgentNews, AgentWatch, Behind, Drained, Hub, Listener, Wants};
pub use limits::{Full, Limits, Slot, Slots, What};
pub use observe::Picture;
pub use plugins::{CalledFrom, Covered, PluginLaunch, PluginPane, Plugins};
pub use popup::PopupError;
pub use rates::{Rate, Rates, Speaker};
pub use remove::Leaving;
pub use restore::SavedState;
pub use runtime::Runtime;
pub use save::{SavedPane, SavedPath, SavedSession, SavedWorkspaceRow};
pub use ssh_agent::{SshAgents, VARIABLE as SSH_AGENT_VARIABLE};
pub use stop::{Ended, Stop};
pub use title::Title;
pub use tracked::Tracked;
pub use turns::Turns;
pub use viewers::{Driver, Driving, Occupied};
pub use worktree::WorkspacePlace;

use resume::Resumes;
use save::Handed;
use starts::Starts;
use tracked::Panes;

/// What the daemon is, fixed at its start.
#[derive(Debug)]
pub struct Identity {
    /// Which session this is; panes of a named one are told its name.
    pub session: Session,
    /// The socket that speaks herdr's protocol; panes are told its path.
    pub protocol_socket: PathBuf,
    /// The link by the name `herdr`, or the executable when the link could not be made.
    pub herdr_executable: PathBuf,
    /// The folder of the link, first on `PATH` in a told pane. None when there is no link.
    pub link_dir: Option<PathBuf>,
    /// The configuration file, which need not exist.
    pub config_file: PathBuf,
    /// The person's home directory.
    pub home: Option<PathBuf>,
    /// Where the daemon was started.
    pub start_dir: PathBuf,
    /// Where the rules lie that read agents' screens.
    pub manifests: manifests::Places,
    /// Where plugins are kept.
    pub plugins: PluginPaths,
}

/// Everything the daemon's threads share.
#[derive(Debug)]
pub struct Shared {
    pub identity: Identity,
    /// Innermost of all locks.
    config: Mutex<Arc<Config>>,
    /// Held from the reading of the file to the last consequence of it; taken before all others.
    reloading: Mutex<()>,
    live: Mutex<Live>,
    authority: authority::Authority,
    pub deadlines: Deadlines,
    /// The rules that read agents' screens.
    pub library: Library,
    departures: Departures,
    attached: attached::Attached,
    pub slots: Arc<Slots>,
    /// How often each pane has spoken of itself of late.
    pub rates: Rates,
    pub stop: Stop,
    /// What git does at present.
    pub worktrees: Operations,
    /// Plugins and their commands.
    pub plugins: Plugins,
    /// Tracked executions, the journal of their turns, and the questions they ask.
    pub turns: Turns,
    /// Where what changes is saved. Queuing something in it takes its innermost lock only.
    pub store: Store,
    /// Who waits for a change of the live state.
    followers: history::Followers,
    /// Who tells people.
    pub notifier: Notifier,
    /// Who starts the panes' processes.
    terminals: Arc<dyn Terminals>,
    starts: Arc<Starts>,
    /// The way to the process that outlives this one; set once, and not at all where there is none.
    pub keeper: OnceLock<Arc<Client>>,
    /// The SSH agents that clients lend to the panes; set once, before the first pane, and not at all where the link to
    /// them cannot be made.
    pub ssh_agents: OnceLock<Arc<SshAgents>>,
    /// For the panes' threads, which must not keep the daemon's state alive.
    this: Weak<Shared>,
}

/// What changes together: topology, agents, who listens.
#[derive(Debug, Default)]
pub struct Live {
    pub world: Tracked<World>,
    /// What the tabs are laid out on.
    geometry: Geometry,
    panes: Panes,
    workspace_tokens: HashMap<WorkspaceId, WorkspaceTokens>,
    /// Which agents people are shown; not saved.
    agent_view: Option<AgentView>,
    /// Which checkout a workspace was opened for.
    worktrees: HashMap<WorkspaceId, WorkspaceWorktreeInfo>,
    /// Who made panes that are gone, by the panes; see [`Live::keep_lineage`].
    lineage: HashMap<PaneKey, PaneKey>,
    /// Either of these changed since it was last saved.
    tokens_touched: bool,
    pub hub: Hub,
    /// Counts the changes of agents' states over all panes (herdr 0.9.3, `state_change_seq`).
    pub state_changes: u64,
    focus: FocusSignature,
    /// The panes that attached terminals of the person show, one entry for each terminal.
    attended: Vec<PaneKey>,
    /// Closed panes whose processes may not have ended yet.
    dying: Vec<Weak<Pane>>,
    resumes: Resumes,
    handed: Handed,
    /// Grows with every change that anybody may see.
    version: u64,
    /// Entries of the history that wait for the end of the change.
    history: Vec<crate::store::Entry>,
    after: After,
}

/// A pane, besides its place in the world.
#[derive(Debug)]
pub struct PaneEntry {
    pub runtime: Arc<Runtime>,
    pub agent: PaneAgent,
    /// `term_…`, opaque; follows the terminal, new with every process.
    pub terminal_id: String,
    /// What the program set, made safe to print.
    pub title: Title,
    /// Grows with the stripped title and the tokens (herdr 0.9.3, `PaneInfo.revision`).
    pub revision: u64,
    /// The command it was started with instead of a shell.
    pub launch_argv: Option<Vec<String>>,
    /// Why nothing runs in a restored pane (herdr 0.9.3, `PaneInfo.restore_error`).
    pub restore_error: Option<String>,
    /// Where its programs were when that was last looked at to be saved.
    saved_directory: Option<PathBuf>,
    noted: history::Noted,
    /// Nobody is told of what its agent does.
    pub muted: bool,
    /// What its environment was given besides the person's own and drover's.
    pub launch_env: BTreeMap<String, String>,
    /// Who gets right clicks in it; for attached clients.
    pub right_click: PaneRightClickTarget,
    /// What its processes may do to others, and what says that they are its own.
    pub rights: PaneRights,
    /// The plugin that opened it.
    pub plugin: Option<PluginPane>,
}

/// What to do once the lock is free.
#[derive(Debug, Default)]
struct After {
    fit: Vec<Arc<Runtime>>,
    close: Vec<Arc<Pane>>,
    /// What agents did, for those who are told.
    told: Vec<Transition>,
}

impl Shared {
    pub fn new(
        identity: Identity,
        config: Config,
        slots: Arc<Slots>,
        stop: Stop,
        terminals: Arc<dyn Terminals>,
        store: Store,
    ) -> Arc<Shared> {
        let live = Live {
            geometry: geometry(&config),
            ..Live::default()
        };
        let shared = Arc::new_cyclic(|this: &Weak<Shared>| Shared {
            library: Library::new(identity.manifests.clone()),
            plugins: Plugins::new(identity.plugins.clone()),
            departures: Departures::default(),
            attached: attached::Attached::default(),
            identity,
            authority: authority::Authority::new(&config.authority),
            notifier: Notifier::new(&config, store.clone()),
            config: Mutex::new(Arc::new(config)),
            reloading: Mutex::default(),
            live: Mutex::new(live),
            deadlines: Deadlines::default(),
            slots,
            rates: Rates::default(),
            stop,
            worktrees: Operations::default(),
            turns: Turns::default(),
            store,
            followers: history::Followers::default(),
            terminals,
            starts: Arc::default(),
            keeper: OnceLock::new(),
            ssh_agents: OnceLock::new(),
            this: this.clone(),
        });
        let terminals = history::Attached(Arc::downgrade(&shared));
        shared.notifier.show_in(Arc::new(terminals));
        shared
    }

    /// The configuration as of now.
    pub fn config(&self) -> Arc<Config> {
        lock(&self.config).clone()
    }

    /// Reads the configuration file again and takes what is right in it. Panes that are there get
    /// the size that it says.
    pub fn reload_config(&self) -> config::Loaded {
        let _one_at_a_time = lock(&self.reloading);
        let loaded = config::load(&self.identity.config_file, &self.config());
        for diagnostic in &loaded.diagnostics {
            log::warn!("{}: {diagnostic}", self.identity.config_file.display());
        }
        self.slots.set_limits(Limits::from(&loaded.config.limits));
        for runtime in self.look().runtimes() {
            runtime.configure(&loaded.config);
        }
        self.narrow_authority(&loaded.config.authority);
        self.notifier.configure(&loaded.config);
        *lock(&self.config) = Arc::new(loaded.config.clone());
        self.change().lay_out_on(geometry(&loaded.config));
        loaded
    }

    /// The live state, to read.
    pub fn look(&self) -> MutexGuard<'_, Live> {
        lock(&self.live)
    }

    /// The live state, to change. Dropping the answer emits the focus events that are due, queues
    /// what is to be saved, frees the lock, and then does what the change asked for.
    pub fn change(&self) -> Change<'_> {
        Change {
            live: Some(self.look()),
            store: &self.store,
            followers: &self.followers,
            notifier: &self.notifier,
        }
    }

    /// Reads again where the panes' programs are, of all panes that did anything since; to be
    /// called before records are built. Reads files, so never under the lock.
    pub fn refresh_places(&self) {
        let runtimes = self.look().runtimes();
        for runtime in runtimes {
            runtime.refresh(self.identity.home.as_deref());
        }
    }

    /// The same for one pane whose record is about to go out with `pane_updated`, if anybody is there
    /// to get it.
    pub fn refresh_announced_place(&self, key: PaneKey) {
        let wanted = self.look().hub.wants(EventKind::PaneUpdated);
        if wanted {
            self.refresh_place(key);
        }
    }

    /// The same for one pane.
    pub fn refresh_place(&self, key: PaneKey) {
        let runtime = self.look().pane(key).map(|entry| entry.runtime.clone());
        if let Some(runtime) = runtime {
            runtime.refresh(self.identity.home.as_deref());
        }
    }
}

impl Live {
    /// Handles of all panes.
    pub fn runtimes(&self) -> Vec<Arc<Runtime>> {
        self.panes
            .values()
            .map(|entry| entry.runtime.clone())
            .collect()
    }

    /// A pane that is in the world.
    pub fn pane(&self, key: PaneKey) -> Option<&PaneEntry> {
        self.panes.get(&key)
    }

    /// A pane that is in the world, to change.
    pub fn pane_mut(&mut self, key: PaneKey) -> Option<&mut PaneEntry> {
        self.panes.get_mut(&key)
    }

    /// Panes that host an agent or carry an agent's name, in display order.
    pub fn agents(&self) -> Vec<PaneKey> {
        let hosts = |key: &PaneKey| {
            self.panes
                .get(key)
                .is_some_and(|p| p.agent.view().hosts_agent())
        };
        self.world
            .panes()
            .map(|pane| pane.key())
            .filter(hosts)
            .collect()
    }

    /// Focuses a pane and what it is in; a person looks at it from now on.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn focus_pane(&mut self, key: PaneKey, deadlines: &Deadlines) -> Result<(), WorldError> {
        self.world.focus_pane(key)?;
        self.mark_active_tab_seen(deadlines);
        // In a zoomed tab another pane covers the area now.
        if let Some(tab) = self.world.pane(key).map(world::Pane::tab) {
            self.fit_tab(tab);
        }
        Ok(())
    }

    /// Gives every terminal of a tab the size that the layout now says.
    pub fn fit_tab(&mut self, tab: TabId) {
        for (key, size) in self.world.terminal_sizes(tab, self.geometry) {
            if let Some(entry) = self.panes.get(&key)
                && entry.runtime.want(size)
            {
                self.after.fit.push(entry.runtime.clone());
            }
        }
    }

    /// What the tabs are laid out on.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Lays every tab out on another geometry, and announces the layouts that it changes.
    fn lay_out_on(&mut self, geometry: Geometry) {
        let before = std::mem::replace(&mut self.geometry, geometry);
        let tabs: Vec<TabId> = self.world.tabs().map(world::Tab::id).collect();
        for tab in tabs {
            if geometry.area != before.area {
                self.announce_layout(tab);
            }
            self.fit_tab(tab);
        }
    }

    /// Lets a workspace's metadata take something in; true if that is to be announced. Nothing for a
    /// workspace that is not in the world.
    pub fn change_workspace_tokens<E>(
        &mut self,
        id: WorkspaceId,
        deadlines: &Deadlines,
        change: impl FnOnce(&mut WorkspaceTokens) -> Result<bool, E>,
    ) -> Result<(), E> {
        if self.world.workspace(id).is_none() {
            return Ok(());
        }
        let tokens = self.workspace_tokens.entry(id).or_default();
        let changed = change(tokens)?;
        self.tokens_touched = true;
        if let Some(when) = tokens.next_deadline() {
            deadlines.add(when, Due::Workspace(id));
        }
        if changed {
            self.announce_workspace_metadata(id);
        }
        Ok(())
    }

    /// Panes that were closed and whose processes have not ended yet.
    pub fn dying(&self) -> Vec<Arc<Pane>> {
        self.dying.iter().filter_map(Weak::upgrade).collect()
    }
}

/// The geometry that a configuration says. Nobody is attached, so no window has a say in it.
fn geometry(config: &Config) -> Geometry {
    let clamp = |cells: u64| u16::try_from(cells).unwrap_or(u16::MAX);
    Geometry {
        area: Rect {
            x: 0,
            y: 0,
            width: clamp(config.server.headless_cols),
            height: clamp(config.server.headless_rows),
        },
        borders: config.ui.pane_borders,
    }
}

/// The live state while it is being changed; see [`Shared::change`].
#[derive(Debug)]
pub struct Change<'a> {
    /// Present until the drop.
    live: Option<MutexGuard<'a, Live>>,
    store: &'a Store,
    followers: &'a history::Followers,
    notifier: &'a Notifier,
}

impl Deref for Change<'_> {
    type Target = Live;
    fn deref(&self) -> &Live {
        // Only the drop takes the guard away.
        self.live
            .as_deref()
            .expect("a change holds the lock until it is dropped")
    }
}

impl DerefMut for Change<'_> {
    fn deref_mut(&mut self) -> &mut Live {
        // Only the drop takes the guard away.
        self.live
            .as_deref_mut()
            .expect("a change holds the lock until it is dropped")
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        let Some(mut live) = self.live.take() else {
            return;
        };
        live.announce_focus();
        let changed = live.save(self.store);
        live.version += u64::from(changed);
        let wakes = live.hub.take_pending();
        let after = std::mem::take(&mut live.after);
        if !after.close.is_empty() {
            // Those that have ended since go, or every pane there ever was would leave its bytes.
            live.dying.retain(|pane| pane.strong_count() > 0);
            live.dying.extend(after.close.iter().map(Arc::downgrade));
        }
        drop(live);
        for wake in wakes {
            wake.notify();
        }
        if changed {
            self.followers.tell();
        }
        for change in &after.told {
            self.notifier.agent(change);
        }
        for runtime in after.fit {
            runtime.fit();
        }
        for pane in after.close {
            pane.close();
        }
    }
}
