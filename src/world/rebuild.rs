//! A whole tab at once: a tree of new panes and of panes that are there and move in with their
//! programs (drover's `layout.apply`).

use super::create::take;
use super::ids::{PaneId, PaneKey, TabId, WorkspaceId};
use super::layout::{Layout, Node};
use super::relocate::Relocation;
use super::tab::Tab;
use super::tree::{World, WorldError};

/// The ids of a tab that is about to exist, with its new panes.
#[derive(Debug)]
pub struct NewLayout {
    tab: TabId,
    panes: Vec<(PaneKey, PaneId)>,
}

impl NewLayout {
    /// The id the tab will have.
    pub fn tab(&self) -> TabId {
        self.tab
    }

    /// The keys and ids its new panes will have, in the order they were reserved.
    pub fn panes(&self) -> &[(PaneKey, PaneId)] {
        &self.panes
    }
}

impl World {
    /// Hands out the ids of a new tab with this many new panes.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`], [`WorldError::IdsExhausted`].
    pub fn reserve_layout(
        &mut self,
        workspace: WorkspaceId,
        new_panes: usize,
    ) -> Result<NewLayout, WorldError> {
        let number = take(&mut self.workspace_mut(workspace)?.tabs_made)?;
        let tab = TabId { workspace, number };
        let mut panes = Vec::with_capacity(new_panes);
        for _ in 0..new_panes {
            let key = self.take_key()?;
            let number = take(&mut self.workspace_mut(workspace)?.panes_made)?;
            panes.push((key, PaneId { workspace, number }));
        }
        Ok(NewLayout { tab, panes })
    }

    /// Appends a reserved tab with this layout, of reserved panes and of present ones, which leave
    /// the tabs that they are in; emptied tabs and workspaces go. Says of each present pane, in tree
    /// order, how it moved. The first pane has the tab's focus; with `focus` the tab and its
    /// workspace become active.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`], [`WorldError::PaneGone`] if a pane of the layout was closed
    /// meanwhile. Nothing was changed then.
    pub fn insert_layout(
        &mut self,
        new: NewLayout,
        layout: Layout,
        custom_label: Option<String>,
        focus: bool,
    ) -> Result<Vec<Relocation>, WorldError> {
        let NewLayout { tab: id, panes } = new;
        let is_new = |key: &PaneKey| panes.iter().any(|(new, _)| new == key);
        let present: Vec<PaneKey> = layout
            .panes()
            .into_iter()
            .filter(|key| !is_new(key))
            .collect();
        if present.iter().any(|key| !self.panes.contains_key(key)) {
            return Err(WorldError::PaneGone);
        }
        let leaves = layout.panes();
        let tab = Tab::of(id, layout, custom_label).ok_or(WorldError::PaneGone)?;
        self.workspace_mut(id.workspace)?.tabs.push(tab);
        for (key, pane) in panes {
            if leaves.contains(&key) {
                self.index(key, pane, id);
            }
        }
        let mut moved = Vec::with_capacity(present.len());
        for key in present {
            moved.push(self.resettle(key, id)?);
        }
        if focus {
            self.focus_tab(id)?;
        }
        Ok(moved)
    }
}

/// The panes of a tree in the order in which herdr 0.9.3 numbers them (`layout.apply`): the first
/// leaf, then for each split from the top the first leaf of its second child before those of its
/// first. With each comes the one that it is split from, none for the first.
pub fn splitting_order<L: Copy>(root: &Node<L>) -> Vec<(L, Option<L>)> {
    fn first_leaf<L: Copy>(node: &Node<L>) -> L {
        match node {
            Node::Pane(leaf) => *leaf,
            Node::Split(split) => first_leaf(&split.first),
        }
    }
    fn visit<L: Copy>(node: &Node<L>, order: &mut Vec<(L, Option<L>)>) {
        if let Node::Split(split) = node {
            order.push((first_leaf(&split.second), Some(first_leaf(&split.first))));
            visit(&split.first, order);
            visit(&split.second, order);
        }
    }
    let mut order = vec![(first_leaf(root), None)];
    visit(root, &mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::properties::{add_pane, add_tab, add_workspace};
    use crate::world::{Axis, Split};

    fn split(first: Node, second: Node) -> Node {
        Node::Split(Box::new(Split {
            axis: Axis::Right,
            ratio: 0.5,
            first,
            second,
        }))
    }

    /// A row of panes, each split off the one before.
    fn row(keys: &[PaneKey]) -> Layout {
        let mut nodes = keys.iter().rev().map(|key| Node::Pane(*key));
        let last = nodes.next().unwrap();
        Layout::of(nodes.fold(last, |row, node| split(node, row))).unwrap()
    }

    fn insert(world: &mut World, workspace: WorkspaceId, present: &[PaneKey]) -> Vec<Relocation> {
        let new = world.reserve_layout(workspace, 1).unwrap();
        let mut keys = vec![new.panes()[0].0];
        keys.extend(present);
        world
            .insert_layout(new, row(&keys), Some("built".into()), false)
            .unwrap()
    }

    #[test]
    fn new_and_present_panes_share_a_new_tab() {
        let mut world = World::new();
        let (workspace, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        let old = world.pane(first).unwrap().tab();
        let moved = insert(&mut world, workspace, &[second]);
        assert_eq!(moved.len(), 1);
        assert_eq!((moved[0].previous_tab, moved[0].closed_tab), (old, false));
        let tab = world.tab_of(second).unwrap();
        assert_eq!((tab.pane_count(), tab.custom_label()), (2, Some("built")));
        assert_eq!(world.pane(tab.focused()).unwrap().id().to_string(), "w1:p3");
        assert_eq!(world.tab(old).unwrap().panes(), [first]);
    }

    #[test]
    fn a_tab_goes_only_when_all_its_panes_have_moved() {
        let mut world = World::new();
        let (workspace, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        let (_, behind) = add_tab(&mut world, workspace, false);
        let (_, elsewhere) = add_workspace(&mut world);
        let moved = insert(&mut world, workspace, &[first, second, behind, elsewhere]);
        let closed: Vec<bool> = moved.iter().map(|one| one.closed_tab).collect();
        assert_eq!(closed, [false, true, true, true]);
        assert!(moved[3].closed_workspace && !moved[2].closed_workspace);
        assert_eq!(world.workspaces().len(), 1);
        assert_eq!(world.workspaces()[0].tabs().len(), 1);
        assert_eq!(world.pane_count(), 5);
        assert_eq!(world.find_pane("w2:p1"), Some(elsewhere));
    }

    #[test]
    fn a_pane_that_is_gone_leaves_everything_as_it_was() {
        let mut world = World::new();
        let (workspace, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        let new = world.reserve_layout(workspace, 1).unwrap();
        let layout = row(&[new.panes()[0].0, first, second]);
        world.close_pane(second).unwrap();
        let refused = world.insert_layout(new, layout, None, true);
        assert_eq!(refused, Err(WorldError::PaneGone));
        assert_eq!(world.tabs().count(), 1);
        assert_eq!(world.pane_count(), 1);
    }

    #[test]
    fn panes_are_numbered_as_if_the_tab_were_split_from_the_top() {
        let pane = |number| Node::Pane(PaneKey::new(number));
        let root = split(split(pane(1), pane(2)), split(pane(3), pane(4)));
        let order = splitting_order(&root.map(&mut PaneKey::number));
        assert_eq!(order, [(1, None), (3, Some(1)), (2, Some(1)), (4, Some(3))]);
    }
}
