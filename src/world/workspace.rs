//! One workspace: its tabs in display order, the active one, and the counters of its ids.

use super::ids::{PaneKey, TabId, WorkspaceId};
use super::tab::Tab;

/// A workspace and its tabs. It holds at least one tab.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(super) id: WorkspaceId,
    pub(super) custom_label: Option<String>,
    pub(super) tabs: Vec<Tab>,
    pub(super) active: TabId,
    pub(super) tabs_made: u32,
    pub(super) panes_made: u32,
}

impl Workspace {
    /// The public id.
    pub fn id(&self) -> WorkspaceId {
        self.id
    }

    /// The name given by a person or a program, exactly as given; it may be empty. Once set there
    /// is no way back to the derived one (herdr 0.9.3, `workspace.rename`).
    pub fn custom_label(&self) -> Option<&str> {
        self.custom_label.as_deref()
    }

    /// The tabs in display order, at least one.
    pub fn tabs(&self) -> &[Tab] {
        &self.tabs
    }

    /// The workspace's own active tab, also while another workspace is active.
    pub fn active_tab(&self) -> TabId {
        self.active
    }

    /// How many panes all tabs hold together.
    pub fn pane_count(&self) -> usize {
        self.tabs.iter().map(Tab::pane_count).sum()
    }

    /// The panes of all tabs in display order.
    pub fn panes(&self) -> impl Iterator<Item = PaneKey> {
        self.tabs.iter().flat_map(Tab::panes)
    }

    /// The pane that stands for the workspace: the root of its first tab. Its directory gives the
    /// workspace's derived label.
    pub fn root_pane(&self) -> Option<PaneKey> {
        self.tabs.first().map(Tab::root)
    }

    /// The tab with this id.
    pub fn tab(&self, id: TabId) -> Option<&Tab> {
        self.tabs.iter().find(|tab| tab.id == id)
    }

    /// The 0-based position of a tab.
    pub fn tab_index(&self, id: TabId) -> Option<usize> {
        self.tabs.iter().position(|tab| tab.id == id)
    }

    /// Takes a tab out and hands the activity on to its left neighbour, or to the new first tab.
    /// `None`, and no change, when it is the only tab or not here.
    pub(super) fn remove_tab(&mut self, id: TabId) -> Option<Tab> {
        let index = self.tab_index(id)?;
        if self.tabs.len() == 1 {
            return None;
        }
        let tab = self.tabs.remove(index);
        if self.active == id
            && let Some(heir) = self.tabs.get(index.saturating_sub(1))
        {
            self.active = heir.id;
        }
        Some(tab)
    }
}
