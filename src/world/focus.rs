//! The focus: one active workspace, one active tab in each, one focused pane in each tab.

use super::ids::{PaneKey, TabId, WorkspaceId};
use super::tab::Tab;
use super::tree::{World, WorldError};

/// What is focused: the triple that herdr's records and its three focus events describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Focus {
    /// The active workspace.
    pub workspace: WorkspaceId,
    /// Its active tab.
    pub tab: TabId,
    /// The focused pane of that tab.
    pub pane: PaneKey,
}

/// What herdr 0.9.3 compares to decide whether the focus events are due. It uses the active
/// workspace's *position*, so a move of workspaces may repeat the events with unchanged ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FocusSignature {
    position: Option<usize>,
    pane: Option<PaneKey>,
}

impl World {
    /// The active workspace; none only while there is none at all.
    pub fn active_workspace(&self) -> Option<WorkspaceId> {
        self.active
    }

    /// The active workspace, its active tab and that tab's focused pane.
    pub fn focus(&self) -> Option<Focus> {
        let workspace = self.workspace(self.active?)?;
        Some(Focus {
            workspace: workspace.id,
            tab: workspace.active,
            pane: workspace.tab(workspace.active)?.focused(),
        })
    }

    /// The focused pane of a workspace's active tab, also while another workspace is active.
    pub fn focused_pane_of(&self, id: WorkspaceId) -> Option<PaneKey> {
        let workspace = self.workspace(id)?;
        workspace.tab(workspace.active).map(Tab::focused)
    }

    /// The value that differs exactly when the focus events are due.
    pub fn focus_signature(&self) -> FocusSignature {
        let focus = self.focus();
        FocusSignature {
            position: focus.and_then(|focus| self.workspace_index(focus.workspace)),
            pane: focus.map(|focus| focus.pane),
        }
    }

    /// Whether a pane is in the active tab of the active workspace, where a person would see it.
    pub fn in_active_tab(&self, key: PaneKey) -> bool {
        self.pane(key)
            .zip(self.focus())
            .is_some_and(|(pane, focus)| pane.tab == focus.tab)
    }

    /// Whether a pane is the one that has the focus.
    pub fn is_focused(&self, key: PaneKey) -> bool {
        self.focus().is_some_and(|focus| focus.pane == key)
    }

    /// Makes a workspace active. True if anything changed.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`].
    pub fn focus_workspace(&mut self, id: WorkspaceId) -> Result<bool, WorldError> {
        self.workspace_mut(id)?;
        Ok(self.active.replace(id) != Some(id))
    }

    /// Makes a tab and its workspace active. True if anything changed.
    ///
    /// # Errors
    /// [`WorldError::TabGone`].
    pub fn focus_tab(&mut self, id: TabId) -> Result<bool, WorldError> {
        self.tab_mut(id)?;
        let workspace = self.workspace_mut(id.workspace)?;
        let changed = workspace.active != id;
        workspace.active = id;
        Ok(self.focus_workspace(id.workspace)? || changed)
    }

    /// Focuses a pane and makes its tab and workspace active; a zoomed tab stays zoomed and shows
    /// the pane. True if anything changed.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn focus_pane(&mut self, key: PaneKey) -> Result<bool, WorldError> {
        let id = self.pane(key).ok_or(WorldError::PaneGone)?.tab;
        let tab = self.tab_mut(id)?;
        let changed = tab.focused() != key;
        tab.focus(key);
        Ok(self.focus_tab(id)? || changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Axis;
    use crate::world::properties::{add_pane, add_tab, add_workspace};

    #[test]
    fn the_first_workspace_becomes_active_unasked_and_later_ones_do_not() {
        let mut world = World::new();
        let (first, pane) = add_workspace(&mut world);
        add_workspace(&mut world);
        assert_eq!(world.active_workspace(), Some(first));
        assert!(world.is_focused(pane));
    }

    #[test]
    fn focusing_a_pane_activates_its_tab_and_workspace() {
        let mut world = World::new();
        add_workspace(&mut world);
        let (second, root) = add_workspace(&mut world);
        let pane = add_pane(&mut world, root, Axis::Right);
        assert!(world.focus_pane(pane).unwrap());
        let focus = world.focus().unwrap();
        assert_eq!((focus.workspace, focus.pane), (second, pane));
        assert!(!world.focus_pane(pane).unwrap());
    }

    #[test]
    fn creating_without_focus_leaves_the_signature_alone() {
        let mut world = World::new();
        let (workspace, root) = add_workspace(&mut world);
        let before = world.focus_signature();
        add_tab(&mut world, workspace, false);
        add_pane(&mut world, root, Axis::Down);
        add_workspace(&mut world);
        assert_eq!(world.focus_signature(), before);
    }

    #[test]
    fn the_signature_follows_the_position_of_the_active_workspace() {
        let mut world = World::new();
        let (first, _) = add_workspace(&mut world);
        add_workspace(&mut world);
        let before = world.focus_signature();
        let focus = world.focus();
        assert!(world.move_workspace(first, 2).unwrap());
        assert_ne!(world.focus_signature(), before);
        assert_eq!(world.focus(), focus);
    }

    #[test]
    fn a_pane_counts_as_visible_only_in_the_active_tab_of_the_active_workspace() {
        let mut world = World::new();
        let (first, root) = add_workspace(&mut world);
        let beside = add_pane(&mut world, root, Axis::Right);
        let (tab, behind) = add_tab(&mut world, first, false);
        assert!(world.in_active_tab(root) && world.in_active_tab(beside));
        assert!(!world.in_active_tab(behind));
        world.focus_tab(tab).unwrap();
        assert!(world.in_active_tab(behind) && !world.in_active_tab(root));
    }
}
