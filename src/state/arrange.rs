//! Panes change places, sizes, tabs and workspaces: the world's decisions with their events.

use crate::api::events::{EventData, EventKind};
use crate::api::records::{PaneMoveReason, PaneMoveResult, TabInfo, WorkspaceInfo};
use crate::world::{
    Destination, PaneKey, Relocation, Side, SwapRefusal, TabId, Unmoved, WorldError,
};

use super::hub::AgentNews;
use super::{Deadlines, Live};

impl Live {
    /// Lets two panes of one tab change places and focuses the first. The inner error changes
    /// nothing.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn swap_panes(
        &mut self,
        one: PaneKey,
        other: PaneKey,
        deadlines: &Deadlines,
    ) -> Result<Result<(), SwapRefusal>, WorldError> {
        let outcome = self.world.swap_panes(one, other)?;
        if outcome.is_ok() {
            self.mark_active_tab_seen(deadlines);
            self.relaid(self.world.pane(one).map(|pane| pane.tab()));
        }
        Ok(outcome)
    }

    /// Moves a border of a pane by a share of its split; true if it moved.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn resize_pane(
        &mut self,
        key: PaneKey,
        side: Side,
        amount: f32,
    ) -> Result<bool, WorldError> {
        let changed = self.world.resize_pane(key, side, amount)?;
        if changed {
            self.relaid(self.world.pane(key).map(|pane| pane.tab()));
        }
        Ok(changed)
    }

    /// Gives the split at `path` a ratio; false if there is none. Announced also when it is the
    /// present one (herdr 0.9.3, `layout.set_split_ratio`).
    ///
    /// # Errors
    /// [`WorldError::TabGone`].
    pub fn set_split_ratio(
        &mut self,
        tab: TabId,
        path: &[bool],
        ratio: f32,
    ) -> Result<bool, WorldError> {
        let found = self.world.set_split_ratio(tab, path, ratio)?;
        if found {
            self.relaid(Some(tab));
        }
        Ok(found)
    }

    /// Moves a pane with its program to another tab or workspace.
    ///
    /// # Errors
    /// As [`World::move_pane`](crate::world::World::move_pane); nothing was changed then.
    pub fn move_pane(
        &mut self,
        key: PaneKey,
        destination: Destination,
        focus: bool,
        deadlines: &Deadlines,
    ) -> Result<PaneMoveResult, WorldError> {
        let before = self.world.pane(key).ok_or(WorldError::PaneGone)?;
        let (previous_pane, previous_tab) = (before.id(), before.tab());
        let target = match destination {
            Destination::Beside { target, .. } => self.world.pane(target).map(|pane| pane.tab()),
            _ => None,
        };
        let outcome = self.world.move_pane(key, destination, focus)?;
        if let Ok(relocation) = &outcome {
            self.leave(relocation);
            self.announce_made(relocation);
            self.announce_moved(relocation);
            for tab in [relocation.previous_tab, relocation.tab] {
                self.relaid(self.world.tab(tab).map(|tab| tab.id()));
            }
            if focus {
                self.mark_active_tab_seen(deadlines);
            }
        }
        let moved = outcome.ok();
        let tab = moved.map_or(target.unwrap_or(previous_tab), |moved| moved.tab);
        let target_layout = self.layout(tab).ok_or(WorldError::TabGone)?;
        Ok(PaneMoveResult {
            changed: outcome.is_ok(),
            reason: outcome.err().map(|unmoved| match unmoved {
                Unmoved::SameTab => PaneMoveReason::SameTab,
                Unmoved::ZoomedTab => PaneMoveReason::ZoomedTab,
            }),
            previous_pane_id: previous_pane.to_string(),
            previous_workspace_id: previous_pane.workspace.to_string(),
            previous_tab_id: previous_tab.to_string(),
            pane: self.pane_info(key).ok_or(WorldError::PaneGone)?,
            source_layout: self.layout(previous_tab),
            focused_pane_id: target_layout.focused_pane_id.clone(),
            target_layout,
            created_tab: moved.and_then(|moved| self.made_tab(&moved)),
            created_workspace: moved.and_then(|moved| self.made_workspace(&moved)),
            closed_tab_id: moved.and_then(|moved| closed_tab(&moved)),
            closed_workspace_id: moved.and_then(|moved| closed_workspace(&moved)),
        })
    }

    /// What a move took away with the pane: its old tab and workspace, if it was the last one there.
    pub(super) fn leave(&mut self, moved: &Relocation) {
        // Whoever waits for the agent named it by where it was (herdr 0.9.3, `agent.wait`).
        self.hub.tell(moved.key, AgentNews::Moved);
        let workspace = moved.previous_tab.workspace;
        if let Some(tab_id) = closed_tab(moved) {
            self.emit(EventKind::TabClosed, |_| {
                Some(EventData::TabClosed {
                    tab_id,
                    workspace_id: workspace.to_string(),
                })
            });
        }
        if let Some(workspace_id) = closed_workspace(moved) {
            self.forget_workspace(workspace);
            self.emit(EventKind::WorkspaceClosed, |_| {
                Some(EventData::WorkspaceClosed {
                    workspace_id,
                    workspace: None,
                })
            });
        }
    }

    fn announce_made(&mut self, moved: &Relocation) {
        if moved.made_workspace {
            self.announce_workspace_created(moved.tab.workspace);
        }
        if moved.made_tab {
            self.announce_tab_created(moved.tab);
        }
    }

    pub(super) fn announce_moved(&mut self, moved: &Relocation) {
        self.emit(EventKind::PaneMoved, |live| {
            Some(EventData::PaneMoved {
                pane: live.pane_info(moved.key)?,
                previous_pane_id: moved.previous_pane.to_string(),
                previous_workspace_id: moved.previous_tab.workspace.to_string(),
                previous_tab_id: moved.previous_tab.to_string(),
                created_tab: live.made_tab(moved),
                created_workspace: live.made_workspace(moved),
                closed_tab_id: closed_tab(moved),
                closed_workspace_id: closed_workspace(moved),
            })
        });
    }

    /// Announces the layout of a tab that was laid out anew, and gives its terminals their sizes.
    pub(super) fn relaid(&mut self, tab: Option<TabId>) {
        if let Some(tab) = tab {
            self.announce_layout(tab);
            self.fit_tab(tab);
        }
    }

    fn made_tab(&self, moved: &Relocation) -> Option<TabInfo> {
        moved.made_tab.then(|| self.tab_info(moved.tab))?
    }

    fn made_workspace(&self, moved: &Relocation) -> Option<WorkspaceInfo> {
        let workspace = moved.tab.workspace;
        moved
            .made_workspace
            .then(|| self.workspace_info(workspace))?
    }
}

fn closed_tab(moved: &Relocation) -> Option<String> {
    moved.closed_tab.then(|| moved.previous_tab.to_string())
}

fn closed_workspace(moved: &Relocation) -> Option<String> {
    let workspace = moved.previous_tab.workspace;
    moved.closed_workspace.then(|| workspace.to_string())
}
