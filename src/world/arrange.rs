//! Names, order and zoom: what changes how the world is shown without adding or removing anything.

use super::ids::{PaneKey, TabId, WorkspaceId};
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
    fn a_split_ends_the_zoom() {
        let mut world = World::new();
        let (_, pane) = add_workspace(&mut world);
        add_pane(&mut world, pane, Axis::Right);
        world.zoom(pane, ZoomMode::On).unwrap();
        add_pane(&mut world, pane, Axis::Down);
        assert!(!world.tab_of(pane).unwrap().zoomed());
    }
}
