//! One tab: a layout of panes, which of them has the focus, and which stands for the tab.

use super::ids::{PaneKey, TabId};
use super::layout::{Axis, Layout};

/// A tab and its panes. It holds at least one pane.
#[derive(Debug, Clone)]
pub struct Tab {
    pub(super) id: TabId,
    pub(super) custom_label: Option<String>,
    pub(super) zoomed: bool,
    pub(super) layout: Layout,
    pub(super) root: PaneKey,
    pub(super) focused: PaneKey,
    pub(super) focused_before: Option<PaneKey>,
}

impl Tab {
    pub(super) fn new(id: TabId, pane: PaneKey, custom_label: Option<String>) -> Tab {
        Tab {
            id,
            custom_label,
            zoomed: false,
            layout: Layout::new(pane),
            root: pane,
            focused: pane,
            focused_before: None,
        }
    }

    /// A tab with a whole layout; its first pane has the focus.
    pub(super) fn of(id: TabId, layout: Layout, custom_label: Option<String>) -> Option<Tab> {
        let first = *layout.panes().first()?;
        Some(Tab {
            layout,
            ..Tab::new(id, first, custom_label)
        })
    }

    /// The public id.
    pub fn id(&self) -> TabId {
        self.id
    }

    /// The name given by a person or a program, exactly as given; it may be empty.
    pub fn custom_label(&self) -> Option<&str> {
        self.custom_label.as_deref()
    }

    /// Whether the focused pane covers the whole tab. Never true for a tab of one pane.
    pub fn zoomed(&self) -> bool {
        self.zoomed
    }

    /// How the panes share the tab.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The panes in tree order.
    pub fn panes(&self) -> Vec<PaneKey> {
        self.layout.panes()
    }

    /// How many panes there are, at least 1.
    pub fn pane_count(&self) -> usize {
        self.layout.pane_count()
    }

    /// The pane that has the focus within this tab.
    pub fn focused(&self) -> PaneKey {
        self.focused
    }

    /// The pane that stands for the tab: its first one, or after that is gone the first that
    /// remained in tree order. Labels and default directories follow it.
    pub fn root(&self) -> PaneKey {
        self.root
    }

    pub(super) fn layout_mut(&mut self) -> &mut Layout {
        &mut self.layout
    }

    pub(super) fn focus(&mut self, pane: PaneKey) {
        if pane != self.focused {
            self.focused_before = Some(self.focused);
            self.focused = pane;
        }
    }

    /// Adds a pane beside `target` and ends the zoom. False, and no change, when the layout
    /// refuses.
    pub(super) fn split(&mut self, target: PaneKey, pane: PaneKey, axis: Axis, ratio: f32) -> bool {
        let done = self.layout.split(target, pane, axis, ratio);
        if done {
            self.zoomed = false;
        }
        done
    }

    /// Takes a pane out, ends the zoom and hands on its focus and its role as root. False, and no
    /// change, when it is the only pane.
    pub(super) fn remove(&mut self, pane: PaneKey) -> bool {
        let neighbour = self.layout.neighbour_in_order(pane);
        if !self.layout.remove(pane) {
            return false;
        }
        self.zoomed = false;
        if self.focused_before == Some(pane) {
            self.focused_before = None;
        }
        if self.focused == pane {
            // A removal only succeeds while another pane is there, so a neighbour was found.
            self.focused = self.focused_before.take().or(neighbour).unwrap_or(pane);
        }
        if self.root == pane
            && let Some(first) = self.layout.panes().first()
        {
            self.root = *first;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::WorkspaceId;

    const A: PaneKey = PaneKey::new(1);
    const B: PaneKey = PaneKey::new(2);
    const C: PaneKey = PaneKey::new(3);

    /// Panes A, B, C from left to right, A focused.
    fn tab() -> Tab {
        let id = TabId {
            workspace: WorkspaceId::new(1),
            number: 1,
        };
        let mut tab = Tab::new(id, A, None);
        assert!(tab.split(A, B, Axis::Right, 0.5));
        assert!(tab.split(B, C, Axis::Right, 0.5));
        tab
    }

    #[test]
    fn focus_returns_to_the_pane_that_had_it_before() {
        let mut tab = tab();
        tab.focus(C);
        tab.remove(C);
        assert_eq!(tab.focused(), A);
    }

    #[test]
    fn without_a_former_focus_the_next_pane_in_order_gets_it() {
        let mut tab = tab();
        tab.remove(A);
        assert_eq!(tab.focused(), B);
    }

    #[test]
    fn without_a_next_pane_the_one_before_gets_the_focus() {
        let mut tab = tab();
        tab.focus(C);
        tab.remove(A);
        tab.remove(C);
        assert_eq!(tab.focused(), B);
    }

    #[test]
    fn removing_an_unfocused_pane_keeps_the_focus() {
        let mut tab = tab();
        tab.focus(B);
        tab.remove(C);
        assert_eq!(tab.focused(), B);
    }

    #[test]
    fn the_first_remaining_pane_becomes_the_root() {
        let mut tab = tab();
        tab.remove(B);
        assert_eq!(tab.root(), A);
        tab.remove(A);
        assert_eq!(tab.root(), C);
    }

    #[test]
    fn a_removal_ends_the_zoom_and_a_refused_one_changes_nothing() {
        let mut tab = tab();
        tab.zoomed = true;
        tab.remove(B);
        assert!(!tab.zoomed());
        tab.remove(C);
        assert!(!tab.remove(A));
        assert_eq!((tab.focused(), tab.root(), tab.pane_count()), (A, A, 1));
    }
}
