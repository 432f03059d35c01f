//! Panes, tabs and workspaces leave the world: their events, and the end of their processes.

use crate::api::events::{EventData, EventKind};
use crate::world::{PaneKey, Removal, TabId, WorkspaceId, WorldError};

use super::hub::AgentNews;
use super::{Deadlines, Live};

/// Why a pane leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// Somebody closed it.
    Closed,
    /// Its process ended by itself.
    Exited,
}

impl Live {
    /// Takes a pane out of the world, with its tab and workspace if it was the last one there.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn remove_pane(
        &mut self,
        key: PaneKey,
        why: Leaving,
        deadlines: &Deadlines,
    ) -> Result<(), WorldError> {
        let place = self.world.pane(key).ok_or(WorldError::PaneGone)?;
        let (pane_id, workspace) = (place.id().to_string(), place.tab().workspace);
        let place_tab = place.tab();
        let workspace_id = workspace.to_string();
        if why == Leaving::Exited {
            self.change_agent(key, deadlines, |agent, context| {
                (agent.process_exited(context), ())
            });
        }
        let last = self.workspace_info(workspace);
        let (tab, had_focus) = (place_tab, self.focused_in(place_tab) == Some(key));
        let covered = self
            .pane(key)
            .and_then(|entry| entry.plugin.as_ref()?.covers);
        let removal = self.world.close_pane(key)?;
        if let Some(covered) = covered {
            self.uncover(covered, had_focus, tab);
        }
        match why {
            Leaving::Closed => self.emit(EventKind::PaneClosed, |_| {
                Some(EventData::PaneClosed {
                    pane_id,
                    workspace_id,
                })
            }),
            Leaving::Exited => self.emit(EventKind::PaneExited, |_| {
                Some(EventData::PaneExited {
                    pane_id,
                    workspace_id,
                })
            }),
        }
        self.forget(&removal);
        if let Some(tab) = removal.changed_layout() {
            self.announce_layout(tab);
            self.fit_tab(tab);
        }
        // herdr 0.9.3: a process that ends by itself takes its workspace along without a word.
        if why == Leaving::Closed {
            self.announce_closed_workspace(&removal, last);
        }
        Ok(())
    }

    /// Takes a tab and its panes out of the world, with its workspace if it was the last one.
    ///
    /// # Errors
    /// [`WorldError::TabGone`].
    pub fn remove_tab(&mut self, id: TabId) -> Result<(), WorldError> {
        let last = self.workspace_info(id.workspace);
        let removal = self.world.close_tab(id)?;
        self.emit(EventKind::TabClosed, |_| {
            Some(EventData::TabClosed {
                tab_id: id.to_string(),
                workspace_id: id.workspace.to_string(),
            })
        });
        self.forget(&removal);
        self.announce_closed_workspace(&removal, last);
        Ok(())
    }

    /// Takes a workspace and everything in it out of the world.
    ///
    /// # Errors
    /// [`WorldError::WorkspaceGone`].
    pub fn remove_workspace(&mut self, id: WorkspaceId) -> Result<(), WorldError> {
        let last = self.workspace_info(id);
        let removal = self.world.close_workspace(id)?;
        self.forget(&removal);
        self.announce_closed_workspace(&removal, last);
        Ok(())
    }

    /// Ends what belonged to removed panes: their processes, and the waits on their agents.
    fn forget(&mut self, removal: &Removal) {
        let mut gone = Vec::with_capacity(removal.panes.len());
        for pane in &removal.panes {
            self.hub.tell(pane.key(), AgentNews::Closed);
            if let Some(entry) = self.panes.remove(&pane.key()) {
                self.note_history_end(pane, &entry);
                self.after.close.push(entry.runtime.pane.clone());
                gone.push((pane.key(), entry.rights));
            }
        }
        self.keep_lineage(&gone);
        if let Some(id) = removal.closed_workspace() {
            self.forget_workspace(id);
        }
    }

    /// Forgets what was kept about a workspace that is gone.
    pub(super) fn forget_workspace(&mut self, id: WorkspaceId) {
        self.workspace_tokens.remove(&id);
        self.worktrees.remove(&id);
    }
}
