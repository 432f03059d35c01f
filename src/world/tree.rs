//! The whole world: every workspace, and the index of every pane.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::ids::{PaneId, PaneKey, TabId, WorkspaceId};
use super::tab::Tab;
use super::workspace::Workspace;

/// Where a pane is and what it is called. What runs in it is not known here.
#[derive(Debug, Clone)]
pub struct Pane {
    pub(super) key: PaneKey,
    pub(super) id: PaneId,
    pub(super) tab: TabId,
    pub(super) label: Option<String>,
    pub(super) aliases: Vec<PaneId>,
}

impl Pane {
    /// The internal key.
    pub fn key(&self) -> PaneKey {
        self.key
    }

    /// The current public id.
    pub fn id(&self) -> PaneId {
        self.id
    }

    /// The tab that holds the pane.
    pub fn tab(&self) -> TabId {
        self.tab
    }

    /// The manual label: trimmed, never empty.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Ids under which the pane was known before it moved to another workspace.
    pub fn aliases(&self) -> &[PaneId] {
        &self.aliases
    }
}

/// All workspaces, tabs and panes, their order and the focus.
#[derive(Debug, Default)]
pub struct World {
    pub(super) workspaces: Vec<Workspace>,
    pub(super) active: Option<WorkspaceId>,
    pub(super) panes: BTreeMap<PaneKey, Pane>,
    pub(super) canonical: HashMap<PaneId, PaneKey>,
    pub(super) aliases: HashMap<PaneId, PaneKey>,
    pub(super) workspaces_made: u32,
    pub(super) panes_made: u64,
}

/// Why a change of the world was refused. Nothing was changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldError {
    /// The workspace does not exist, or no longer does.
    WorkspaceGone,
    /// The tab does not exist, or no longer does.
    TabGone,
    /// The pane does not exist, or no longer does, or left the workspace of the reservation.
    PaneGone,
    /// The tab holds as many panes as a tab may.
    TabFull,
    /// A counter of ids reached its end.
    IdsExhausted,
    /// An insert position lies behind the end of the list.
    OutOfBounds {
        /// The position that was asked for.
        insert_index: usize,
    },
}

impl fmt::Display for WorldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorldError::WorkspaceGone => formatter.write_str("the workspace is gone"),
            WorldError::TabGone => formatter.write_str("the tab is gone"),
            WorldError::PaneGone => formatter.write_str("the pane is gone"),
            WorldError::TabFull => formatter.write_str("the tab cannot hold more panes"),
            WorldError::IdsExhausted => formatter.write_str("no id is left"),
            // The wording of herdr 0.9.3, `workspace.move` and `tab.move`.
            WorldError::OutOfBounds { insert_index } => {
                write!(formatter, "insert_index {insert_index} is out of bounds")
            }
        }
    }
}

impl std::error::Error for WorldError {}

impl World {
    /// An empty world.
    pub fn new() -> World {
        World::default()
    }

    /// The workspaces in display order.
    pub fn workspaces(&self) -> &[Workspace] {
        &self.workspaces
    }

    /// Every tab in display order.
    pub fn tabs(&self) -> impl Iterator<Item = &Tab> {
        self.workspaces.iter().flat_map(Workspace::tabs)
    }

    /// Every pane in display order: workspaces, their tabs, tree order.
    pub fn panes(&self) -> impl Iterator<Item = &Pane> {
        self.workspaces
            .iter()
            .flat_map(Workspace::panes)
            .filter_map(|key| self.panes.get(&key))
    }

    /// How many panes there are.
    pub fn pane_count(&self) -> usize {
        self.panes.len()
    }

    /// The workspace with this id.
    pub fn workspace(&self, id: WorkspaceId) -> Option<&Workspace> {
        self.workspaces.iter().find(|workspace| workspace.id == id)
    }

    /// The tab with this id.
    pub fn tab(&self, id: TabId) -> Option<&Tab> {
        self.workspace(id.workspace)?.tab(id)
    }

    /// The pane with this key.
    pub fn pane(&self, key: PaneKey) -> Option<&Pane> {
        self.panes.get(&key)
    }

    /// The tab that holds a pane.
    pub fn tab_of(&self, key: PaneKey) -> Option<&Tab> {
        self.tab(self.pane(key)?.tab)
    }

    /// The 0-based display position of a workspace; herdr's `number` is one more.
    pub fn workspace_index(&self, id: WorkspaceId) -> Option<usize> {
        self.workspaces.iter().position(|known| known.id == id)
    }

    /// What a tab is called: its custom label, which may be empty, else its 1-based position.
    pub fn tab_label(&self, id: TabId) -> Option<Cow<'_, str>> {
        let workspace = self.workspace(id.workspace)?;
        let index = workspace.tab_index(id)?;
        Some(match workspace.tabs[index].custom_label() {
            Some(label) => Cow::Borrowed(label),
            None => Cow::Owned((index + 1).to_string()),
        })
    }

    pub(super) fn workspace_mut(&mut self, id: WorkspaceId) -> Result<&mut Workspace, WorldError> {
        self.workspaces
            .iter_mut()
            .find(|workspace| workspace.id == id)
            .ok_or(WorldError::WorkspaceGone)
    }

    pub(super) fn tab_mut(&mut self, id: TabId) -> Result<&mut Tab, WorldError> {
        self.workspace_mut(id.workspace)
            .map_err(|_| WorldError::TabGone)?
            .tabs
            .iter_mut()
            .find(|tab| tab.id == id)
            .ok_or(WorldError::TabGone)
    }

    /// Forgets panes that left the tree, with every id they answered to.
    pub(super) fn forget(&mut self, keys: &[PaneKey]) -> Vec<Pane> {
        let mut forgotten = Vec::with_capacity(keys.len());
        for key in keys {
            let Some(pane) = self.panes.remove(key) else {
                continue;
            };
            self.canonical.remove(&pane.id);
            for alias in &pane.aliases {
                self.aliases.remove(alias);
            }
            forgotten.push(pane);
        }
        forgotten
    }
}
