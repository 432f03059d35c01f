//! Removal of panes, tabs and workspaces, and what goes with them.

use super::ids::{PaneKey, TabId, WorkspaceId};
use super::tree::{Pane, World, WorldError};
use super::workspace::Workspace;

/// How far the removal of something reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Only one pane; its tab stays.
    Pane,
    /// A tab with all its panes; the workspace stays.
    Tab(TabId),
    /// A whole workspace.
    Workspace(WorkspaceId),
}

/// What a removal took out of the world.
#[derive(Debug, Clone)]
pub struct Removal {
    /// How far it reached.
    pub extent: Extent,
    /// The tab that was removed or lost the pane. For a removed workspace, its active tab.
    pub tab: TabId,
    /// Every pane that is gone, in display order. Their processes must end.
    pub panes: Vec<Pane>,
}

impl Removal {
    /// The workspace that is gone.
    pub fn closed_workspace(&self) -> Option<WorkspaceId> {
        match self.extent {
            Extent::Workspace(id) => Some(id),
            Extent::Pane | Extent::Tab(_) => None,
        }
    }

    /// The tab that stayed and whose panes were laid out anew.
    pub fn changed_layout(&self) -> Option<TabId> {
        (self.extent == Extent::Pane).then_some(self.tab)
    }
}

impl World {
    /// How far closing this pane would reach, for callers that must ask or describe first.
    pub fn extent_of_pane(&self, key: PaneKey) -> Option<Extent> {
        let tab = self.tab_of(key)?;
        if tab.pane_count() > 1 {
            return Some(Extent::Pane);
        }
        self.extent_of_tab(tab.id())
    }

    /// How far closing this tab would reach.
    pub fn extent_of_tab(&self, id: TabId) -> Option<Extent> {
        let workspace = self.workspace(id.workspace)?;
        workspace.tab(id)?;
        Some(if workspace.tabs().len() > 1 {
            Extent::Tab(id)
        } else {
            Extent::Workspace(id.workspace)
        })
    }

    /// Removes a pane; the last pane of a tab takes the tab along, the last tab its workspace.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn close_pane(&mut self, key: PaneKey) -> Result<Removal, WorldError> {
        let tab = self.pane(key).ok_or(WorldError::PaneGone)?.tab;
        if self.tab_mut(tab)?.remove(key) {
            return Ok(Removal {
                extent: Extent::Pane,
                tab,
                panes: self.forget(&[key]),
            });
        }
        self.close_tab(tab)
    }

    /// Removes a tab and its panes; the last tab takes its workspace along.
    ///
    /// # Errors
    /// [`WorldError::TabGone`].
    pub fn close_tab(&mut self, id: TabId) -> Result<Removal, WorldError> {
        self.tab(id).ok_or(WorldError::TabGone)?;
        if let Some(tab) = self.workspace_mut(id.workspace)?.remove_tab(id) {
            return Ok(Removal {
                extent: Extent::Tab(id),
                tab: id,
                panes: self.forget(&tab.panes()),
            });
        }
        self.close_workspace(id.workspace)
    }

    /// Removes a workspace and everything in it. The workspace that moves into its place becomes
    /// active if it was, else the last one.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`].
    pub fn close_workspace(&mut self, id: WorkspaceId) -> Result<Removal, WorldError> {
        let workspace = self.take_workspace(id)?;
        let keys: Vec<PaneKey> = workspace.panes().collect();
        Ok(Removal {
            extent: Extent::Workspace(id),
            tab: workspace.active,
            panes: self.forget(&keys),
        })
    }

    /// Takes a workspace off the list and hands its activity on. Its panes stay known.
    pub(super) fn take_workspace(&mut self, id: WorkspaceId) -> Result<Workspace, WorldError> {
        let index = self.workspace_index(id).ok_or(WorldError::WorkspaceGone)?;
        let workspace = self.workspaces.remove(index);
        if self.active == Some(id) {
            self.active = self
                .workspaces
                .get(index)
                .or(self.workspaces.last())
                .map(|heir| heir.id);
        }
        Ok(workspace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Axis;
    use crate::world::properties::{add_pane, add_tab, add_workspace};

    #[test]
    fn closing_one_of_two_panes_leaves_the_tab() {
        let mut world = World::new();
        let (_, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        assert_eq!(world.extent_of_pane(first), Some(Extent::Pane));
        let removal = world.close_pane(first).unwrap();
        assert_eq!(removal.changed_layout(), world.pane(second).map(Pane::tab));
        assert_eq!(removal.panes.len(), 1);
        assert_eq!(removal.panes[0].key(), first);
        assert_eq!(world.close_pane(first).unwrap_err(), WorldError::PaneGone);
    }

    #[test]
    fn the_last_pane_takes_its_tab_and_the_left_neighbour_becomes_active() {
        let mut world = World::new();
        let (workspace, _) = add_workspace(&mut world);
        let (second, _) = add_tab(&mut world, workspace, true);
        let (third, pane) = add_tab(&mut world, workspace, true);
        let removal = world.close_pane(pane).unwrap();
        assert_eq!(removal.extent, Extent::Tab(third));
        assert_eq!(removal.changed_layout(), None);
        assert_eq!(world.workspace(workspace).unwrap().active_tab(), second);
    }

    #[test]
    fn closing_the_first_active_tab_activates_the_new_first() {
        let mut world = World::new();
        let (workspace, pane) = add_workspace(&mut world);
        let (second, _) = add_tab(&mut world, workspace, false);
        world.close_tab(world.pane(pane).unwrap().tab()).unwrap();
        assert_eq!(world.workspace(workspace).unwrap().active_tab(), second);
        assert_eq!(world.tab_label(second).unwrap(), "1");
        assert_eq!(second.to_string(), "w1:t2");
    }

    #[test]
    fn closing_a_background_tab_keeps_the_active_one() {
        let mut world = World::new();
        let (workspace, _) = add_workspace(&mut world);
        let (second, _) = add_tab(&mut world, workspace, true);
        let (third, _) = add_tab(&mut world, workspace, false);
        world.close_tab(third).unwrap();
        assert_eq!(world.workspace(workspace).unwrap().active_tab(), second);
    }

    #[test]
    fn the_last_tab_takes_its_workspace_and_the_next_one_becomes_active() {
        let mut world = World::new();
        let (first, pane) = add_workspace(&mut world);
        let (second, _) = add_workspace(&mut world);
        let (third, _) = add_workspace(&mut world);
        world.focus_workspace(second).unwrap();
        world.close_workspace(second).unwrap();
        assert_eq!(world.active_workspace(), Some(third));
        let (fourth, _) = add_workspace(&mut world);
        let (fifth, _) = add_workspace(&mut world);
        world.focus_workspace(fifth).unwrap();
        world.close_workspace(fifth).unwrap();
        assert_eq!(world.active_workspace(), Some(fourth));
        world.close_workspace(fourth).unwrap();
        world.close_workspace(third).unwrap();
        assert_eq!(world.active_workspace(), Some(first));
        let removal = world.close_pane(pane).unwrap();
        assert_eq!(removal.closed_workspace(), Some(first));
        assert_eq!(world.active_workspace(), None);
        assert_eq!(world.focus(), None);
        assert_eq!(world.pane_count(), 0);
    }

    #[test]
    fn closing_a_background_workspace_keeps_the_active_one() {
        let mut world = World::new();
        let (first, _) = add_workspace(&mut world);
        let (second, _) = add_workspace(&mut world);
        world.close_workspace(second).unwrap();
        assert_eq!(world.active_workspace(), Some(first));
    }

    #[test]
    fn ids_continue_after_everything_was_closed() {
        let mut world = World::new();
        let (first, _) = add_workspace(&mut world);
        world.close_workspace(first).unwrap();
        let (second, pane) = add_workspace(&mut world);
        assert_eq!(second.to_string(), "w2");
        assert_eq!(world.pane(pane).unwrap().id().to_string(), "w2:p1");
    }
}
