//! What is saved of the live state, and when.
//!
//! At the end of every change, under the lock, the rows that it made different are queued in the
//! store: those of the workspaces whose shape changed, and those of the panes about which something
//! changed. So a report writes one small row. Where programs are is looked up a few seconds after a
//! pane last did something, and at the stop.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::agent::{PaneAgent, WorkspaceTokens};
use crate::api::records::{PaneRightClickTarget, WorkspaceWorktreeInfo};
use crate::authority::{Grants, PaneRights, Token};
use crate::store::{Key, Store};
use crate::world::{PaneKey, SavedOrder, SavedWorkspace};

use super::{Due, Live, PaneEntry, PluginPane, Shared};

/// How long after a pane did something it is looked up where its programs are, and its text is
/// saved where that is turned on (herdr 0.9.3 saves 5 s after the last change).
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// What belongs to no workspace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SavedSession {
    #[serde(flatten)]
    pub order: SavedOrder,
    /// The server's counter of state changes when a workspace or its shape last changed.
    #[serde(default)]
    pub state_changes: u64,
    /// Keys of panes that are gone, each with that of the pane that made it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lineage: BTreeMap<u64, u64>,
}

/// A workspace.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedWorkspaceRow {
    #[serde(flatten)]
    pub place: SavedWorkspace,
    /// Only for a worker that takes over.
    #[serde(default)]
    pub tokens: WorkspaceTokens,
    /// Which checkout it was opened for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<WorkspaceWorktreeInfo>,
}

impl From<SavedWorkspace> for SavedWorkspaceRow {
    /// One of which nothing but its panes is known.
    fn from(place: SavedWorkspace) -> SavedWorkspaceRow {
        SavedWorkspaceRow {
            place,
            tokens: WorkspaceTokens::default(),
            worktree: None,
        }
    }
}

/// A pane, besides its place in the world. Other rooms may add members with a default.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedPane {
    /// Where its last program was, else its shell.
    #[serde(default)]
    pub directory: Option<SavedPath>,
    /// The command it was started with instead of a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_argv: Option<Vec<String>>,
    /// What its environment was given besides the person's own and drover's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub launch_env: BTreeMap<String, String>,
    /// Everything known of its agent; a cold start only takes what brings it back.
    #[serde(default)]
    pub agent: PaneAgent,
    /// What its processes may do to others, where that is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<Grants>,
    /// The key of the pane whose process created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<u64>,
    /// The key of the pane whose process started its agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<u64>,
    #[serde(default)]
    pub right_click: PaneRightClickTarget,
    /// Since when its agent has its state, in milliseconds since 1970.
    #[serde(default)]
    pub state_since: i64,
    /// Nobody is told of what its agent does.
    #[serde(default)]
    pub muted: bool,
    /// The plugin that opened it; only for a worker that takes over, as all that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<PluginPane>,
    /// What its processes carry.
    pub token: String,
    pub terminal_id: String,
    #[serde(default)]
    pub revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The server's counter of state changes when this was saved.
    #[serde(default)]
    pub state_changes: u64,
}

impl SavedPane {
    /// What its processes may do to others, known by `token`.
    pub(super) fn rights(&self, token: Token) -> PaneRights {
        PaneRights {
            given: self.grants,
            created_by: self.created_by.map(PaneKey::new),
            started_by: self.started_by.map(PaneKey::new),
            token,
        }
    }
}

/// A path as JSON: a string where it is one, else its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SavedPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&Path> for SavedPath {
    fn from(path: &Path) -> SavedPath {
        match path.to_str() {
            Some(text) => SavedPath::Text(text.to_owned()),
            None => SavedPath::Bytes(path.as_os_str().as_bytes().to_owned()),
        }
    }
}

impl From<SavedPath> for PathBuf {
    fn from(saved: SavedPath) -> PathBuf {
        match saved {
            SavedPath::Text(text) => text.into(),
            SavedPath::Bytes(bytes) => OsString::from_vec(bytes).into(),
        }
    }
}

/// What was queued last, so that only differences are.
#[derive(Debug, Default)]
pub(super) struct Handed {
    session: Option<SavedSession>,
    workspaces: HashMap<u32, String>,
    panes: BTreeMap<u64, String>,
}

impl Live {
    /// Queues the rows that are different since the last time; true if anything may have changed.
    pub(super) fn save(&mut self, store: &Store) -> bool {
        let panes = self.panes.take_touched();
        let tokens = std::mem::take(&mut self.tokens_touched);
        let shape = self.world.take_touched() || tokens;
        if shape {
            self.save_shape(store);
        }
        let changed = shape || !panes.is_empty();
        for key in panes {
            self.save_pane(key, store);
        }
        self.save_history(store) || changed
    }

    fn save_shape(&mut self, store: &Store) {
        let session = SavedSession {
            order: self.world.save_order(),
            state_changes: self.state_changes,
            lineage: self
                .lineage
                .iter()
                .map(|(key, maker)| (key.number(), maker.number()))
                .collect(),
        };
        let same =
            |known: &SavedSession| known.order == session.order && known.lineage == session.lineage;
        if !self.handed.session.as_ref().is_some_and(same) {
            store.put(Key::Session, json(&session));
            self.handed.session = Some(session);
        }
        let mut gone = std::mem::take(&mut self.handed.workspaces);
        for workspace in self.world.workspaces() {
            let number = workspace.id().number();
            let tokens = self.workspace_tokens.get(&workspace.id());
            let row = SavedWorkspaceRow {
                place: self.world.save_workspace(workspace),
                tokens: tokens.cloned().unwrap_or_default(),
                worktree: self.worktrees.get(&workspace.id()).cloned(),
            };
            let Some(body) = json(&row) else { continue };
            if gone.remove(&number).as_ref() != Some(&body) {
                store.put(Key::Workspace(number), Some(body.clone()));
            }
            self.handed.workspaces.insert(number, body);
        }
        for number in gone.into_keys() {
            store.put(Key::Workspace(number), None);
        }
    }

    fn save_pane(&mut self, key: PaneKey, store: &Store) {
        let number = key.number();
        let Some(entry) = self.panes.get(&key) else {
            if self.handed.panes.remove(&number).is_some() {
                store.put(Key::Pane(number), None);
                store.put(Key::Scrollback(number), None);
            }
            return;
        };
        let Some(body) = json(&saved_pane(entry, self.state_changes)) else {
            return;
        };
        if self.handed.panes.get(&number) != Some(&body) {
            store.put(Key::Pane(number), Some(body.clone()));
            self.handed.panes.insert(number, body);
        }
    }

    /// Marks the panes whose programs are elsewhere than saved.
    fn touch_moved(&mut self) {
        let moved: Vec<PaneKey> = self
            .panes
            .iter()
            .filter(|(_, entry)| entry.saved_directory != directory(entry))
            .map(|(key, _)| *key)
            .collect();
        for key in moved {
            if let Some(entry) = self.panes.get_mut(&key) {
                entry.saved_directory = directory(entry);
            }
        }
    }
}

impl Shared {
    /// Waits until everything that was changed until now survives the death of the daemon. At once
    /// if it does already. Call it with no lock held, before telling anybody of the live state.
    pub fn commit(&self) {
        self.store.commit(self.store.latest());
    }

    /// A pane did something: a while later it is looked up where its programs are.
    pub(super) fn pane_was_active(&self) {
        self.deadlines
            .add(Instant::now() + SAVE_INTERVAL, Due::Save);
    }

    /// Looks up where the panes' programs are, and saves what moved. Reads files.
    pub fn save_places(&self) {
        self.refresh_places();
        self.change().touch_moved();
        self.save_scrollback();
    }

    /// Saves everything as it is now, and waits until it is on the disk.
    ///
    /// # Errors
    /// See [`Store::save`](crate::store::Store::save).
    pub fn save_all(&self) -> Result<(), String> {
        self.save_places();
        self.save_access();
        self.store.save()
    }
}

/// What a pane's entry is saved as.
fn saved_pane(entry: &PaneEntry, state_changes: u64) -> SavedPane {
    SavedPane {
        directory: directory(entry).as_deref().map(SavedPath::from),
        launch_argv: entry.launch_argv.clone(),
        launch_env: entry.launch_env.clone(),
        agent: entry.agent.clone(),
        grants: entry.rights.given,
        created_by: entry.rights.created_by.map(PaneKey::number),
        started_by: entry.rights.started_by.map(PaneKey::number),
        right_click: entry.right_click,
        state_since: entry.noted.since(),
        muted: entry.muted,
        plugin: entry.plugin.clone(),
        token: entry.rights.token.as_str().to_owned(),
        terminal_id: entry.terminal_id.clone(),
        revision: entry.revision,
        title: entry.title.text().map(str::to_owned),
        state_changes,
    }
}

/// Where a pane's last program is, as of the last look.
pub(super) fn directory(entry: &PaneEntry) -> Option<PathBuf> {
    let directories = entry.runtime.directories();
    directories
        .leader_cwd
        .clone()
        .or_else(|| directories.cwd.clone())
}

fn json(value: &impl Serialize) -> Option<String> {
    // Plain records without maps of odd keys: there is nothing in them that JSON cannot say.
    serde_json::to_string(value)
        .inspect_err(|error| log::error!("a record cannot be saved: {error}"))
        .ok()
}
