//! Creation in two phases: ids first, so that a process can be started under them, then the tree.
//!
//! A reservation can be used once and cannot be made up elsewhere. Between the two phases the
//! world may change, so inserting looks again whether its target is still there.

use super::geometry::{Geometry, TerminalSize, terminal_size};
use super::ids::{PaneId, PaneKey, TabId, WorkspaceId};
use super::layout::{Axis, MAX_PANES_PER_TAB};
use super::tab::Tab;
use super::tree::{Pane, World, WorldError};
use super::workspace::Workspace;

/// The ids of a workspace that is about to exist, with its first tab and pane.
#[derive(Debug)]
pub struct NewWorkspace {
    workspace: WorkspaceId,
    root: Reserved,
}

/// The ids of a tab that is about to exist, with its first pane.
#[derive(Debug)]
pub struct NewTab {
    root: Reserved,
}

/// The ids of a pane that is about to exist beside another.
#[derive(Debug)]
pub struct NewPane {
    target: PaneKey,
    key: PaneKey,
    id: PaneId,
}

#[derive(Debug, Clone, Copy)]
struct Reserved {
    tab: TabId,
    key: PaneKey,
    id: PaneId,
}

impl NewWorkspace {
    /// The id the workspace will have.
    pub fn workspace(&self) -> WorkspaceId {
        self.workspace
    }

    /// The id its first tab will have.
    pub fn tab(&self) -> TabId {
        self.root.tab
    }

    /// The key its root pane will have.
    pub fn key(&self) -> PaneKey {
        self.root.key
    }

    /// The id its root pane will have.
    pub fn pane(&self) -> PaneId {
        self.root.id
    }
}

impl NewTab {
    /// The id the tab will have.
    pub fn tab(&self) -> TabId {
        self.root.tab
    }

    /// The key its root pane will have.
    pub fn key(&self) -> PaneKey {
        self.root.key
    }

    /// The id its root pane will have.
    pub fn pane(&self) -> PaneId {
        self.root.id
    }
}

impl NewPane {
    /// The pane whose rectangle will be divided.
    pub fn target(&self) -> PaneKey {
        self.target
    }

    /// The key the pane will have.
    pub fn key(&self) -> PaneKey {
        self.key
    }

    /// The id the pane will have.
    pub fn pane(&self) -> PaneId {
        self.id
    }
}

impl World {
    /// Hands out the ids of a new workspace with one tab and one pane.
    ///
    /// # Errors
    /// [`WorldError::IdsExhausted`].
    pub fn reserve_workspace(&mut self) -> Result<NewWorkspace, WorldError> {
        let workspace = WorkspaceId::new(take(&mut self.workspaces_made)?);
        let key = self.take_key()?;
        Ok(NewWorkspace {
            workspace,
            root: Reserved {
                tab: TabId {
                    workspace,
                    number: 1,
                },
                key,
                id: PaneId {
                    workspace,
                    number: 1,
                },
            },
        })
    }

    /// Hands out the ids of a new tab with one pane.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`], [`WorldError::IdsExhausted`].
    pub fn reserve_tab(&mut self, workspace: WorkspaceId) -> Result<NewTab, WorldError> {
        let key = self.take_key()?;
        let counters = self.workspace_mut(workspace)?;
        Ok(NewTab {
            root: Reserved {
                tab: TabId {
                    workspace,
                    number: take(&mut counters.tabs_made)?,
                },
                key,
                id: PaneId {
                    workspace,
                    number: take(&mut counters.panes_made)?,
                },
            },
        })
    }

    /// Hands out the ids of a new pane beside `target`.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`], [`WorldError::TabFull`], [`WorldError::IdsExhausted`].
    pub fn reserve_pane(&mut self, target: PaneKey) -> Result<NewPane, WorldError> {
        let tab = self.tab_of(target).ok_or(WorldError::PaneGone)?;
        if tab.pane_count() >= MAX_PANES_PER_TAB {
            return Err(WorldError::TabFull);
        }
        let workspace = tab.id().workspace;
        let key = self.take_key()?;
        let number = take(&mut self.workspace_mut(workspace)?.panes_made)?;
        Ok(NewPane {
            target,
            key,
            id: PaneId { workspace, number },
        })
    }

    /// Appends a reserved workspace. It becomes active if `focus` is set or if nothing is active.
    pub fn insert_workspace(
        &mut self,
        new: NewWorkspace,
        custom_label: Option<String>,
        focus: bool,
    ) {
        let root = new.root;
        self.workspaces.push(Workspace {
            id: new.workspace,
            custom_label,
            tabs: vec![Tab::new(root.tab, root.key, None)],
            active: root.tab,
            tabs_made: root.tab.number,
            panes_made: root.id.number,
        });
        self.index(root.key, root.id, root.tab);
        if focus || self.active.is_none() {
            self.active = Some(new.workspace);
        }
    }

    /// Appends a reserved tab to its workspace. With `focus` the tab and its workspace become
    /// active.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`] if the workspace was closed meanwhile.
    pub fn insert_tab(
        &mut self,
        new: NewTab,
        custom_label: Option<String>,
        focus: bool,
    ) -> Result<(), WorldError> {
        let root = new.root;
        let workspace = self.workspace_mut(root.tab.workspace)?;
        workspace
            .tabs
            .push(Tab::new(root.tab, root.key, custom_label));
        if focus {
            workspace.active = root.tab;
            self.active = Some(root.tab.workspace);
        }
        self.index(root.key, root.id, root.tab);
        Ok(())
    }

    /// Splits the target of a reservation: the target stays the first child with the share
    /// `ratio`, clamped, and the new pane is the second. Ends the tab's zoom. With `focus` the new
    /// pane, its tab and its workspace become active.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`] if the target was closed or left its workspace meanwhile,
    /// [`WorldError::TabFull`].
    pub fn insert_pane(
        &mut self,
        new: NewPane,
        axis: Axis,
        ratio: f32,
        focus: bool,
    ) -> Result<(), WorldError> {
        let tab = self.pane(new.target).ok_or(WorldError::PaneGone)?.tab;
        if tab.workspace != new.id.workspace {
            return Err(WorldError::PaneGone);
        }
        if !self.tab_mut(tab)?.split(new.target, new.key, axis, ratio) {
            return Err(WorldError::TabFull);
        }
        self.index(new.key, new.id, tab);
        if focus {
            self.focus_pane(new.key)?;
        }
        Ok(())
    }

    /// The terminal that a new pane beside `target` would get, so that its process can be started
    /// at its final size.
    pub fn size_after_split(
        &self,
        target: PaneKey,
        axis: Axis,
        ratio: f32,
        geometry: Geometry,
    ) -> Option<TerminalSize> {
        let mut layout = self.tab_of(target)?.layout().clone();
        // No pane has this key: they count from 1.
        let preview = PaneKey::new(0);
        layout.split(target, preview, axis, ratio);
        let places = layout.place_panes(geometry.area);
        let (_, rect) = places.iter().find(|(key, _)| *key == preview)?;
        Some(terminal_size(*rect, geometry.borders))
    }

    /// Hands out the key of a pane that is in no tab.
    ///
    /// # Errors
    /// [`WorldError::IdsExhausted`].
    pub fn reserve_key(&mut self) -> Result<PaneKey, WorldError> {
        self.take_key()
    }

    pub(super) fn take_key(&mut self) -> Result<PaneKey, WorldError> {
        let next = self
            .panes_made
            .checked_add(1)
            .ok_or(WorldError::IdsExhausted)?;
        self.panes_made = next;
        Ok(PaneKey::new(next))
    }

    pub(super) fn index(&mut self, key: PaneKey, id: PaneId, tab: TabId) {
        self.canonical.insert(id, key);
        self.panes.insert(
            key,
            Pane {
                key,
                id,
                tab,
                label: None,
                aliases: Vec::new(),
            },
        );
    }
}

/// The next number of a counter that holds the last one given out.
pub(super) fn take(counter: &mut u32) -> Result<u32, WorldError> {
    let next = counter.checked_add(1).ok_or(WorldError::IdsExhausted)?;
    *counter = next;
    Ok(next)
}
