//! Names, order and zoom: what changes how the world is shown without adding or removing anything.

use std::fmt;

use super::ids::{PaneKey, TabId, WorkspaceId};
use super::neighbour::Side;
use super::tree::{World, WorldError};

/// What to do with a tab's zoom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoomMode {
    /// The opposite of what it is.
    Toggle,
    /// Zoom in.
    On,
    /// Zoom out.
    Off,
}

/// Why the zoom stayed as it was (herdr 0.9.3, `pane.zoom`, member `reason`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoomRefusal {
    /// The pane already fills its tab: it is alone.
    SinglePane,
    /// The tab was zoomed before.
    AlreadyZoomed,
    /// The tab was not zoomed before.
    AlreadyUnzoomed,
}

impl ZoomRefusal {
    /// The word on the wire.
    pub fn reason(self) -> &'static str {
        match self {
            ZoomRefusal::SinglePane => "single_pane",
            ZoomRefusal::AlreadyZoomed => "already_zoomed",
            ZoomRefusal::AlreadyUnzoomed => "already_unzoomed",
        }
    }
}

/// What a zoom request did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoomChange {
    /// The pane got the focus and had not had it before.
    pub focus_changed: bool,
    /// Why the zoom did not change; `None` if it did.
    pub refusal: Option<ZoomRefusal>,
    /// Whether the tab is zoomed now.
    pub zoomed: bool,
}

impl ZoomChange {
    /// Whether the zoom changed.
    pub fn zoom_changed(&self) -> bool {
        self.refusal.is_none()
    }

    /// Whether anything changed.
    pub fn changed(&self) -> bool {
        self.focus_changed || self.zoom_changed()
    }
}

/// Why two panes did not change places (herdr 0.9.3, `pane.swap`, member `reason`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwapRefusal {
    /// They are one.
    SamePane,
    /// They are in different tabs.
    CrossTab,
}

/// Why workspaces could not be moved together; the words are those of herdr 0.9.3,
/// `workspace.move_block`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockError {
    /// None was named.
    Empty,
    /// One was named twice.
    Twice(WorkspaceId),
    /// The one to move before is among them.
    AnchorInside,
}

impl fmt::Display for BlockError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockError::Empty => formatter.write_str("workspace_ids must not be empty"),
            BlockError::Twice(id) => write!(formatter, "workspace {id} appears more than once"),
            BlockError::AnchorInside => {
                formatter.write_str("before_workspace_id must not be part of workspace_ids")
            }
        }
    }
}

impl std::error::Error for BlockError {}

impl World {
    /// Gives a workspace a custom label, kept exactly as it is.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`].
    pub fn rename_workspace(&mut self, id: WorkspaceId, label: String) -> Result<(), WorldError> {
        self.workspace_mut(id)?.custom_label = Some(label);
        Ok(())
    }

    /// Gives a tab a custom label, kept exactly as it is.
    ///
    /// # Errors
    /// [`WorldError::TabGone`].
    pub fn rename_tab(&mut self, id: TabId, label: String) -> Result<(), WorldError> {
        self.tab_mut(id)?.custom_label = Some(label);
        Ok(())
    }

    /// Gives a pane a label, trimmed; nothing or blanks take it away.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn rename_pane(&mut self, key: PaneKey, label: Option<&str>) -> Result<(), WorldError> {
        let pane = self.panes.get_mut(&key).ok_or(WorldError::PaneGone)?;
        pane.label = label
            .map(str::trim)
            .filter(|label| !label.is_empty())
            .map(str::to_owned);
        Ok(())
    }

    /// Moves a workspace to a position counted in the list before it is taken out. False if that
    /// is where it was. Activity follows the workspace.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`], [`WorldError::OutOfBounds`] beyond the count.
    pub fn move_workspace(
        &mut self,
        id: WorkspaceId,
        insert_index: usize,
    ) -> Result<bool, WorldError> {
        let from = self.workspace_index(id).ok_or(WorldError::WorkspaceGone)?;
        move_item(&mut self.workspaces, from, insert_index)
    }

    /// Takes workspaces out and puts them, in this order, before `anchor`, or at the end without one.
    /// Those that are not in the list are left out. False if the order stays as it was. Activity
    /// follows the workspace.
    ///
    /// # Errors
    /// See [`BlockError`].
    pub fn move_block(
        &mut self,
        block: &[WorkspaceId],
        anchor: Option<WorkspaceId>,
    ) -> Result<bool, BlockError> {
        if block.is_empty() {
            return Err(BlockError::Empty);
        }
        let twice = (1..block.len()).find(|&at| block[..at].contains(&block[at]));
        if let Some(at) = twice {
            return Err(BlockError::Twice(block[at]));
        }
        if anchor.is_some_and(|anchor| block.contains(&anchor)) {
            return Err(BlockError::AnchorInside);
        }
        let others = self.workspaces.iter().map(|workspace| workspace.id);
        let mut order: Vec<WorkspaceId> = others.filter(|id| !block.contains(id)).collect();
        let at = anchor
            .and_then(|anchor| order.iter().position(|id| *id == anchor))
            .unwrap_or(order.len());
        order.splice(at..at, block.iter().copied());
        let place = |id: WorkspaceId| order.iter().position(|known| *known == id);
        let changed = !self
            .workspaces
            .is_sorted_by_key(|workspace| place(workspace.id));
        self.workspaces.sort_by_key(|workspace| place(workspace.id));
        Ok(changed)
    }

    /// Lets two panes of one tab change places; the first gets the focus, with its tab and
    /// workspace. The inner error changes nothing.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn swap_panes(
        &mut self,
        one: PaneKey,
        other: PaneKey,
    ) -> Result<Result<(), SwapRefusal>, WorldError> {
        let place = |key| self.pane(key).map(|pane| pane.tab);
        let tab = place(one).ok_or(WorldError::PaneGone)?;
        let beside = place(other).ok_or(WorldError::PaneGone)?;
        if one == other {
            return Ok(Err(SwapRefusal::SamePane));
        }
        if tab != beside {
            return Ok(Err(SwapRefusal::CrossTab));
        }
        self.tab_mut(tab)?.layout_mut().swap(one, other);
        self.focus_pane(one)?;
        Ok(Ok(()))
    }

    /// Moves a border of a pane, see [`Layout::resize`](super::Layout::resize); true if it moved.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn resize_pane(
        &mut self,
        key: PaneKey,
        side: Side,
        amount: f32,
    ) -> Result<bool, WorldError> {
        let tab = self.pane(key).ok_or(WorldError::PaneGone)?.tab;
        Ok(self.tab_mut(tab)?.layout_mut().resize(key, side, amount))
    }

    /// Gives a split of a tab a ratio, see [`Layout::set_ratio`](super::Layout::set_ratio); false if
    /// there is no split at `path`.
    ///
    /// # Errors
    /// [`WorldError::TabGone`].
    pub fn set_split_ratio(
        &mut self,
        id: TabId,
        path: &[bool],
        ratio: f32,
    ) -> Result<bool, WorldError> {
        Ok(self.tab_mut(id)?.layout_mut().set_ratio(path, ratio))
    }

    /// Moves a tab within its workspace to a position counted before it is taken out. False if
    /// that is where it was. Ids stay; default labels follow the position.
    ///
    /// # Errors
    /// [`WorldError::TabGone`], [`WorldError::OutOfBounds`] beyond the count.
    pub fn move_tab(&mut self, id: TabId, insert_index: usize) -> Result<bool, WorldError> {
        let workspace = self
            .workspace_mut(id.workspace)
            .map_err(|_| WorldError::TabGone)?;
        let from = workspace.tab_index(id).ok_or(WorldError::TabGone)?;
        move_item(&mut workspace.tabs, from, insert_index)
    }

    /// Gives a pane the focus of its tab, and zooms that if there is another pane in it. Which tab is
    /// active stays as it is.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn return_to(&mut self, key: PaneKey, zoomed: bool) -> Result<(), WorldError> {
        let id = self.pane(key).ok_or(WorldError::PaneGone)?.tab;
        let tab = self.tab_mut(id)?;
        tab.focus(key);
        tab.zoomed = zoomed && tab.pane_count() > 1;
        Ok(())
    }

    /// Focuses a pane, with its tab and workspace, and sets the zoom of its tab.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn zoom(&mut self, key: PaneKey, mode: ZoomMode) -> Result<ZoomChange, WorldError> {
        let focus_changed = self.focus_pane(key)?;
        let id = self.pane(key).ok_or(WorldError::PaneGone)?.tab;
        let tab = self.tab_mut(id)?;
        let wanted = match mode {
            ZoomMode::Toggle => !tab.zoomed,
            ZoomMode::On => true,
            ZoomMode::Off => false,
        };
        let refusal = if wanted == tab.zoomed {
            Some(if wanted {
                ZoomRefusal::AlreadyZoomed
            } else {
                ZoomRefusal::AlreadyUnzoomed
            })
        } else if tab.pane_count() == 1 {
            // A lone pane is never zoomed, so only zooming in ends here.
            Some(ZoomRefusal::SinglePane)
        } else {
            tab.zoomed = wanted;
            None
        };
        Ok(ZoomChange {
            focus_changed,
            refusal,
            zoomed: tab.zoomed,
        })
    }
}

/// Moves an item to a position counted before it is taken out; false for its own place.
fn move_item<T>(items: &mut Vec<T>, from: usize, insert_index: usize) -> Result<bool, WorldError> {
    if insert_index > items.len() {
        return Err(WorldError::OutOfBounds { insert_index });
    }
    if insert_index == from || insert_index == from + 1 {
        return Ok(false);
    }
    let to = if insert_index > from {
        insert_index - 1
    } else {
        insert_index
    };
    let item = items.remove(from);
    items.insert(to, item);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Axis;
    use crate::world::properties::{add_pane, add_tab, add_workspace};

    #[test]
    fn positions_count_before_the_removal() {
        let order = |from: usize, to: usize| {
            let mut items = vec!['a', 'b', 'c'];
            let moved = move_item(&mut items, from, to);
            (moved, items.into_iter().collect::<String>())
        };
        assert_eq!(order(0, 3), (Ok(true), "bca".into()));
        assert_eq!(order(0, 2), (Ok(true), "bac".into()));
        assert_eq!(order(2, 0), (Ok(true), "cab".into()));
        assert_eq!(order(1, 1), (Ok(false), "abc".into()));
        assert_eq!(order(1, 2), (Ok(false), "abc".into()));
        let error = order(1, 4).0.unwrap_err();
        assert_eq!(error.to_string(), "insert_index 4 is out of bounds");
    }

    #[test]
    fn default_tab_labels_follow_the_position_and_custom_ones_stay() {
        let mut world = World::new();
        let (workspace, _) = add_workspace(&mut world);
        let (second, _) = add_tab(&mut world, workspace, false);
        assert_eq!(world.tab_label(second).unwrap(), "2");
        assert!(world.move_tab(second, 0).unwrap());
        assert_eq!(world.tab_label(second).unwrap(), "1");
        world.rename_tab(second, " ".into()).unwrap();
        assert_eq!(world.tab_label(second).unwrap(), " ");
        world.rename_tab(second, String::new()).unwrap();
        assert_eq!(world.tab_label(second).unwrap(), "");
    }

    #[test]
    fn workspace_labels_are_literal_and_pane_labels_are_trimmed() {
        let mut world = World::new();
        let (workspace, pane) = add_workspace(&mut world);
        assert_eq!(world.workspace(workspace).unwrap().custom_label(), None);
        world.rename_workspace(workspace, String::new()).unwrap();
        assert_eq!(world.workspace(workspace).unwrap().custom_label(), Some(""));
        world.rename_pane(pane, Some("  build ")).unwrap();
        assert_eq!(world.pane(pane).unwrap().label(), Some("build"));
        world.rename_pane(pane, Some(" \t")).unwrap();
        assert_eq!(world.pane(pane).unwrap().label(), None);
    }

    #[test]
    fn zoom_says_why_nothing_changed() {
        let mut world = World::new();
        let (_, pane) = add_workspace(&mut world);
        let zoom = |world: &mut World, mode| world.zoom(pane, mode).unwrap();
        let change = zoom(&mut world, ZoomMode::Toggle);
        assert_eq!(change.refusal, Some(ZoomRefusal::SinglePane));
        add_pane(&mut world, pane, Axis::Right);
        let change = zoom(&mut world, ZoomMode::Off);
        assert_eq!(change.refusal, Some(ZoomRefusal::AlreadyUnzoomed));
        assert!(!change.changed());
        let change = zoom(&mut world, ZoomMode::Toggle);
        assert!(change.zoom_changed() && change.zoomed);
        let change = zoom(&mut world, ZoomMode::On);
        assert_eq!(change.refusal, Some(ZoomRefusal::AlreadyZoomed));
    }

    #[test]
    fn zooming_another_pane_of_a_zoomed_tab_only_moves_the_focus() {
        let mut world = World::new();
        let (_, pane) = add_workspace(&mut world);
        let other = add_pane(&mut world, pane, Axis::Right);
        world.zoom(pane, ZoomMode::On).unwrap();
        let change = world.zoom(other, ZoomMode::On).unwrap();
        assert!(change.changed() && change.focus_changed && !change.zoom_changed());
        assert!(world.is_focused(other));
    }

    #[test]
    fn returning_to_a_pane_of_another_tab_leaves_the_active_one() {
        let mut world = World::new();
        let (workspace, first) = add_workspace(&mut world);
        let second = add_pane(&mut world, first, Axis::Right);
        let (_, other) = add_tab(&mut world, workspace, true);
        world.return_to(first, true).unwrap();
        assert!(world.is_focused(other));
        let tab = world.tab_of(first).unwrap();
        assert_eq!((tab.focused(), tab.zoomed()), (first, true));
        world.close_pane(second).unwrap();
        world.return_to(first, true).unwrap();
        assert!(!world.tab_of(first).unwrap().zoomed(), "a lone pane");
    }

    #[test]
    fn a_block_of_workspaces_moves_in_the_order_it_is_named() {
        let mut world = World::new();
        let ids: Vec<WorkspaceId> = (0..4).map(|_| add_workspace(&mut world).0).collect();
        let order = |world: &World| -> Vec<u32> {
            let workspaces = world.workspaces().iter();
            workspaces.map(|known| known.id().number()).collect()
        };
        let [one, two, three, four] = ids[..] else {
            unreachable!()
        };
        assert_eq!(world.move_block(&[four, two], Some(one)), Ok(true));
        assert_eq!(order(&world), [4, 2, 1, 3]);
        assert_eq!(world.move_block(&[four], None), Ok(true));
        assert_eq!(order(&world), [2, 1, 3, 4]);
        assert_eq!(world.move_block(&[three, four], None), Ok(false));
        assert_eq!(world.move_block(&[two], Some(one)), Ok(false));
        assert_eq!(world.active_workspace(), Some(one));
        for (block, anchor, words) in [
            (&[][..], None, "workspace_ids must not be empty"),
            (
                &[one, two, one][..],
                None,
                "workspace w1 appears more than once",
            ),
            (
                &[one, two][..],
                Some(two),
                "before_workspace_id must not be part of workspace_ids",
            ),
        ] {
            let error = world.move_block(block, anchor).unwrap_err();
            assert_eq!(error.to_string(), words);
        }
        assert_eq!(order(&world), [2, 1, 3, 4]);
    }

    #[test]
    fn swapping_focuses_the_first_and_stays_within_a_tab() {
        let mut world = World::new();
        let (workspace, left) = add_workspace(&mut world);
        let right = add_pane(&mut world, left, Axis::Right);
        let (_, behind) = add_tab(&mut world, workspace, true);
        assert_eq!(world.swap_panes(right, left), Ok(Ok(())));
        assert!(world.is_focused(right));
        assert_eq!(world.tab_of(left).unwrap().panes(), [right, left]);
        let refusal = world.swap_panes(left, behind).unwrap();
        assert_eq!(refusal, Err(SwapRefusal::CrossTab));
        let refusal = world.swap_panes(left, left).unwrap();
        assert_eq!(refusal, Err(SwapRefusal::SamePane));
        assert!(world.is_focused(right));
    }

    #[test]
    fn a_split_ends_the_zoom() {
        let mut world = World::new();
        let (_, pane) = add_workspace(&mut world);
        add_pane(&mut world, pane, Axis::Right);
        world.zoom(pane, ZoomMode::On).unwrap();
        add_pane(&mut world, pane, Axis::Down);
        assert!(!world.tab_of(pane).unwrap().zoomed());
    }
}
