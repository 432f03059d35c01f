//! What the layout of a tab looks like on an area, for records and for terminal sizes.

use super::geometry::{Geometry, Rect, TerminalSize, terminal_size};
use super::ids::{PaneId, PaneKey, TabId};
use super::layout::SplitPlace;
use super::tree::World;

/// A tab's layout as herdr 0.9.3 shows it (`pane.layout`, `layout_updated`).
#[derive(Debug, Clone, PartialEq)]
pub struct LayoutSnapshot {
    /// The tab, and with it the workspace.
    pub tab: TabId,
    /// Whether the focused pane covers the tab. The rectangles are the unzoomed ones also then.
    pub zoomed: bool,
    /// The area that the tab fills.
    pub area: Rect,
    /// The pane with the focus within the tab.
    pub focused: PaneId,
    /// Every pane in tree order.
    pub panes: Vec<PanePlace>,
    /// Every split in pre-order.
    pub splits: Vec<SplitPlace>,
}

/// A pane and its rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct PanePlace {
    /// The public id.
    pub id: PaneId,
    /// Whether it has the focus within its tab, whatever tab is active.
    pub focused: bool,
    /// The rectangle including border cells.
    pub rect: Rect,
}

impl World {
    /// The layout of a tab on `area`.
    pub fn layout_snapshot(&self, id: TabId, area: Rect) -> Option<LayoutSnapshot> {
        let tab = self.tab(id)?;
        let panes = tab
            .layout()
            .place_panes(area)
            .into_iter()
            .filter_map(|(key, rect)| {
                Some(PanePlace {
                    id: self.pane(key)?.id,
                    focused: key == tab.focused(),
                    rect,
                })
            })
            .collect();
        Some(LayoutSnapshot {
            tab: id,
            zoomed: tab.zoomed(),
            area,
            focused: self.pane(tab.focused())?.id,
            panes,
            splits: tab.layout().place_splits(area),
        })
    }

    /// The terminal size of every pane of a tab in tree order. A pane that is alone or zoomed has
    /// the whole area; the others have their rectangle, less a border if there are any. The
    /// panes behind a zoomed one keep their own size, so zooming disturbs only one program.
    pub fn terminal_sizes(&self, id: TabId, geometry: Geometry) -> Vec<(PaneKey, TerminalSize)> {
        let Geometry { area, borders } = geometry;
        let Some(tab) = self.tab(id) else {
            return Vec::new();
        };
        let bordered = borders && tab.pane_count() > 1;
        tab.layout()
            .place_panes(area)
            .into_iter()
            .map(|(key, rect)| {
                let size = if tab.zoomed() && key == tab.focused() {
                    terminal_size(area, false)
                } else {
                    terminal_size(rect, bordered)
                };
                (key, size)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::properties::{add_pane, add_workspace};
    use crate::world::{Axis, DEFAULT_AREA, ZoomMode};

    fn sizes(world: &World, tab: TabId, borders: bool) -> Vec<(u16, u16)> {
        let geometry = Geometry {
            borders,
            ..Geometry::default()
        };
        world
            .terminal_sizes(tab, geometry)
            .iter()
            .map(|(_, size)| (size.cols, size.rows))
            .collect()
    }

    #[test]
    fn two_panes_side_by_side_are_described_as_herdr_does() {
        let mut world = World::new();
        let (_, first) = add_workspace(&mut world);
        add_pane(&mut world, first, Axis::Right);
        let tab = world.pane(first).unwrap().tab();
        let snapshot = world.layout_snapshot(tab, DEFAULT_AREA).unwrap();
        assert_eq!(snapshot.focused.to_string(), "w1:p1");
        let shown: Vec<_> = snapshot
            .panes
            .iter()
            .map(|place| (place.id.to_string(), place.focused, place.rect.x))
            .collect();
        assert_eq!(
            shown,
            [("w1:p1".into(), true, 0), ("w1:p2".into(), false, 60)]
        );
        assert_eq!(snapshot.splits.len(), 1);
        assert_eq!(snapshot.splits[0].id, "split_0_root");
        assert_eq!(snapshot.splits[0].rect, DEFAULT_AREA);
    }

    #[test]
    fn only_panes_that_share_a_tab_have_borders() {
        let mut world = World::new();
        let (_, first) = add_workspace(&mut world);
        let tab = world.pane(first).unwrap().tab();
        assert_eq!(sizes(&world, tab, true), [(120, 40)]);
        add_pane(&mut world, first, Axis::Right);
        assert_eq!(sizes(&world, tab, true), [(58, 38), (58, 38)]);
        assert_eq!(sizes(&world, tab, false), [(60, 40), (60, 40)]);
    }

    #[test]
    fn a_zoomed_pane_has_the_whole_area_and_the_snapshot_keeps_the_tiles() {
        let mut world = World::new();
        let (_, first) = add_workspace(&mut world);
        add_pane(&mut world, first, Axis::Right);
        world.zoom(first, ZoomMode::On).unwrap();
        let tab = world.pane(first).unwrap().tab();
        assert_eq!(sizes(&world, tab, true), [(120, 40), (58, 38)]);
        let snapshot = world.layout_snapshot(tab, DEFAULT_AREA).unwrap();
        assert!(snapshot.zoomed);
        assert_eq!(snapshot.panes[0].rect.width, 60);
    }

    #[test]
    fn the_size_before_a_split_is_the_size_after_it() {
        let mut world = World::new();
        let (_, first) = add_workspace(&mut world);
        let before = world.size_after_split(first, Axis::Down, 0.5, Geometry::default());
        let second = add_pane(&mut world, first, Axis::Down);
        let tab = world.pane(first).unwrap().tab();
        let after = world.terminal_sizes(tab, Geometry::default());
        assert_eq!(after.last().copied(), before.map(|size| (second, size)));
    }
}
