//! A pane moves to another tab or workspace while its program runs on (herdr 0.9.3, `pane.move`).

use super::create::take;
use super::ids::{PaneId, PaneKey, TabId, WorkspaceId};
use super::layout::Axis;
use super::tab::Tab;
use super::tree::{World, WorldError};
use super::workspace::Workspace;

/// Where a pane moves.
#[derive(Debug, Clone, PartialEq)]
pub enum Destination {
    /// Beside a pane of another tab, which stays the first child with the share `ratio`.
    Beside {
        /// The pane whose rectangle is divided.
        target: PaneKey,
        /// Where the moved pane goes.
        axis: Axis,
        /// The target's share, clamped.
        ratio: f32,
    },
    /// A tab of its own at the end of a workspace.
    NewTab {
        /// The workspace.
        workspace: WorkspaceId,
        /// The tab's custom label.
        label: Option<String>,
    },
    /// A workspace of its own at the end of the list.
    NewWorkspace {
        /// The workspace's custom label.
        label: Option<String>,
        /// Its tab's custom label.
        tab_label: Option<String>,
    },
}

/// What a move did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// The pane.
    pub key: PaneKey,
    /// Its id before; another one now if it went to another workspace, where the old one stays an
    /// alias.
    pub previous_pane: PaneId,
    /// The tab that it left.
    pub previous_tab: TabId,
    /// The tab that it is in.
    pub tab: TabId,
    /// Its tab was made for it.
    pub made_tab: bool,
    /// Its workspace was made for it.
    pub made_workspace: bool,
    /// The tab that it left is gone: it was the last pane there.
    pub closed_tab: bool,
    /// So is the workspace of that tab.
    pub closed_workspace: bool,
}

/// Why a move changed nothing, without being a mistake (herdr 0.9.3, `pane.move`, `reason`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmoved {
    /// The pane is in that tab.
    SameTab,
    /// The tab that it would leave or enter is zoomed.
    ZoomedTab,
}

impl World {
    /// Moves a pane. An emptied tab or workspace goes; the focus is handed on as after a removal, and
    /// with `focus` it follows the pane. The inner error changes nothing.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`] for the pane or the target, [`WorldError::WorkspaceGone`],
    /// [`WorldError::TabFull`], [`WorldError::IdsExhausted`]. Nothing was changed then.
    pub fn move_pane(
        &mut self,
        key: PaneKey,
        destination: Destination,
        focus: bool,
    ) -> Result<Result<Relocation, Unmoved>, WorldError> {
        let source = self.tab_of(key).ok_or(WorldError::PaneGone)?;
        let (from, zoomed) = (source.id(), source.zoomed());
        if let Destination::Beside { target, .. } = destination {
            let to = self.tab_of(target).ok_or(WorldError::PaneGone)?;
            if to.id() == from {
                return Ok(Err(Unmoved::SameTab));
            }
            if to.zoomed() {
                return Ok(Err(Unmoved::ZoomedTab));
            }
        }
        if zoomed {
            return Ok(Err(Unmoved::ZoomedTab));
        }
        let made_tab = !matches!(destination, Destination::Beside { .. });
        let made_workspace = matches!(destination, Destination::NewWorkspace { .. });
        let tab = match destination {
            Destination::Beside {
                target,
                axis,
                ratio,
            } => {
                let to = self.pane(target).ok_or(WorldError::PaneGone)?.tab;
                if !self.tab_mut(to)?.split(target, key, axis, ratio) {
                    return Err(WorldError::TabFull);
                }
                to
            }
            Destination::NewTab { workspace, label } => {
                let host = self.workspace_mut(workspace)?;
                let number = take(&mut host.tabs_made)?;
                let to = TabId { workspace, number };
                host.tabs.push(Tab::new(to, key, label));
                to
            }
            Destination::NewWorkspace { label, tab_label } => {
                let workspace = WorkspaceId::new(take(&mut self.workspaces_made)?);
                let to = TabId {
                    workspace,
                    number: 1,
                };
                self.workspaces.push(Workspace {
                    id: workspace,
                    custom_label: label,
                    tabs: vec![Tab::new(to, key, tab_label)],
                    active: to,
                    tabs_made: 1,
                    panes_made: 0,
                });
                to
            }
        };
        let relocation = Relocation {
            made_tab,
            made_workspace,
            ..self.resettle(key, tab)?
        };
        if focus {
            self.focus_pane(key)?;
        }
        Ok(Ok(relocation))
    }

    /// Finishes a move: the pane stands in the layout of `tab` already and still in that of the tab
    /// that it leaves.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`] for a stranger, [`WorldError::WorkspaceGone`].
    pub(super) fn resettle(&mut self, key: PaneKey, tab: TabId) -> Result<Relocation, WorldError> {
        let pane = self.panes.get(&key).ok_or(WorldError::PaneGone)?;
        let (previous_pane, previous_tab) = (pane.id, pane.tab);
        if previous_pane.workspace != tab.workspace {
            let host = self.workspace_mut(tab.workspace)?;
            // A workspace would need four thousand million panes to run out.
            host.panes_made = host.panes_made.saturating_add(1);
            let id = PaneId {
                workspace: tab.workspace,
                number: host.panes_made,
            };
            self.canonical.remove(&previous_pane);
            self.canonical.insert(id, key);
            if let Some(pane) = self.panes.get_mut(&key) {
                pane.id = id;
            }
            self.add_alias(key, previous_pane)?;
        }
        if let Some(pane) = self.panes.get_mut(&key) {
            pane.tab = tab;
        }
        let mut relocation = Relocation {
            key,
            previous_pane,
            previous_tab,
            tab,
            made_tab: false,
            made_workspace: false,
            closed_tab: false,
            closed_workspace: false,
        };
        if !self.tab_mut(previous_tab)?.remove(key) {
            relocation.closed_tab = true;
            let host = self.workspace_mut(previous_tab.workspace)?;
            if host.remove_tab(previous_tab).is_none() {
                relocation.closed_workspace = true;
                self.take_workspace(previous_tab.workspace)?;
            }
        }
        Ok(relocation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::ZoomMode;
    use crate::world::properties::{add_pane, add_tab, add_workspace};

    fn beside(target: PaneKey) -> Destination {
        Destination::Beside {
            target,
            axis: Axis::Right,
            ratio: 0.5,
        }
    }

    fn new_tab(workspace: WorkspaceId) -> Destination {
        Destination::NewTab {
            workspace,
            label: None,
        }
    }

    fn moved(world: &mut World, key: PaneKey, destination: Destination) -> Relocation {
        world.move_pane(key, destination, false).unwrap().unwrap()
    }

    fn id(world: &World, key: PaneKey) -> String {
        world.pane(key).unwrap().id().to_string()
    }

    #[test]
    fn a_pane_keeps_its_id_within_its_workspace() {
        let mut world = World::new();
        let (workspace, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        let (tab, root) = add_tab(&mut world, workspace, false);
        let relocation = moved(&mut world, second, beside(root));
        assert_eq!((relocation.tab, relocation.closed_tab), (tab, false));
        assert_eq!(id(&world, second), "w1:p2");
        assert_eq!(world.tab(tab).unwrap().panes(), [root, second]);
        assert_eq!(world.tab_of(first).unwrap().panes(), [first]);
        assert!(world.is_focused(first));
    }

    #[test]
    fn a_pane_gets_a_new_id_in_another_workspace_and_answers_to_the_old_one() {
        let mut world = World::new();
        let (_, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        let (other, root) = add_workspace(&mut world);
        moved(&mut world, second, beside(root));
        assert_eq!(id(&world, second), "w2:p2");
        assert_eq!(world.find_pane("w1:p2"), Some(second));
        assert_eq!(world.find_canonical_pane("w1:p2"), None);
        assert_eq!(world.pane(second).unwrap().tab().workspace, other);
        let back = world.pane(first).unwrap().tab().workspace;
        moved(&mut world, second, new_tab(back));
        assert_eq!(id(&world, second), "w1:p3");
        assert_eq!(world.find_pane("w2:p2"), Some(second));
    }

    #[test]
    fn an_emptied_tab_goes_and_so_does_an_emptied_workspace() {
        let mut world = World::new();
        let (first, root) = add_workspace(&mut world);
        let (_, behind) = add_tab(&mut world, first, false);
        let (second, _) = add_workspace(&mut world);
        let relocation = moved(&mut world, behind, new_tab(second));
        assert!(relocation.closed_tab && !relocation.closed_workspace);
        let relocation = moved(&mut world, root, new_tab(second));
        assert!(relocation.closed_tab && relocation.closed_workspace);
        assert_eq!(world.workspaces().len(), 1);
        assert_eq!(world.active_workspace(), Some(second));
        assert_eq!(world.pane_count(), 3);
    }

    #[test]
    fn the_only_pane_of_all_can_move_to_a_workspace_of_its_own() {
        let mut world = World::new();
        let (_, pane) = add_workspace(&mut world);
        let destination = Destination::NewWorkspace {
            label: Some("spare".into()),
            tab_label: Some("main".into()),
        };
        let relocation = moved(&mut world, pane, destination);
        assert!(relocation.made_workspace && relocation.made_tab && relocation.closed_workspace);
        assert_eq!(id(&world, pane), "w2:p1");
        assert!(world.is_focused(pane));
        let workspace = &world.workspaces()[0];
        assert_eq!(workspace.custom_label(), Some("spare"));
        assert_eq!(workspace.tabs()[0].custom_label(), Some("main"));
    }

    #[test]
    fn with_focus_the_focus_follows_and_without_it_stays_behind() {
        let mut world = World::new();
        let (_, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        let (_, root) = add_workspace(&mut world);
        world.focus_pane(second).unwrap();
        moved(&mut world, second, beside(root));
        assert!(world.is_focused(first));
        assert_eq!(world.tab_of(root).unwrap().focused(), root);
        world.move_pane(first, beside(root), true).unwrap().unwrap();
        assert!(world.is_focused(first));
    }

    #[test]
    fn within_its_tab_and_around_a_zoomed_one_nothing_moves() {
        let mut world = World::new();
        let (workspace, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        let (_, root) = add_tab(&mut world, workspace, false);
        let unmoved = |world: &mut World, key, destination| {
            world
                .move_pane(key, destination, true)
                .unwrap()
                .unwrap_err()
        };
        assert_eq!(unmoved(&mut world, first, beside(second)), Unmoved::SameTab);
        world.zoom(first, ZoomMode::On).unwrap();
        assert_eq!(
            unmoved(&mut world, second, new_tab(workspace)),
            Unmoved::ZoomedTab
        );
        assert_eq!(unmoved(&mut world, root, beside(first)), Unmoved::ZoomedTab);
        assert!(world.tab_of(first).unwrap().zoomed());
    }

    #[test]
    fn what_is_gone_moves_nothing() {
        let mut world = World::new();
        let (first, pane) = add_workspace(&mut world);
        let stranger = PaneKey::new(99);
        let gone = WorkspaceId::new(99);
        assert_eq!(
            world.move_pane(stranger, new_tab(first), false),
            Err(WorldError::PaneGone)
        );
        assert_eq!(
            world.move_pane(pane, beside(stranger), false),
            Err(WorldError::PaneGone)
        );
        assert_eq!(
            world.move_pane(pane, new_tab(gone), false),
            Err(WorldError::WorkspaceGone)
        );
        assert_eq!(id(&world, pane), "w1:p1");
    }
}
