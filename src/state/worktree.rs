//! Which checkout each workspace shows, as far as it was opened as one.

use std::path::{Path, PathBuf};

use crate::api::events::{EventData, EventKind};
use crate::api::records::WorkspaceWorktreeInfo;
use crate::world::{self, WorkspaceId};

use super::Live;

/// Where a workspace is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspacePlace {
    pub workspace: WorkspaceId,
    pub path: PathBuf,
    /// The path is a checkout that it was opened for; otherwise the directory of its root pane.
    pub is_recorded: bool,
}

impl Live {
    /// The checkout that a workspace was opened for (herdr 0.9.3, `WorkspaceInfo.worktree`).
    pub fn worktree(&self, id: WorkspaceId) -> Option<&WorkspaceWorktreeInfo> {
        self.worktrees.get(&id)
    }

    /// Records which checkout a workspace shows, and announces it if that is news.
    pub fn record_worktree(&mut self, id: WorkspaceId, worktree: WorkspaceWorktreeInfo) {
        if self.world.workspace(id).is_none() || self.worktrees.get(&id) == Some(&worktree) {
            return;
        }
        self.worktrees.insert(id, worktree);
        self.tokens_touched = true;
        self.emit(EventKind::WorkspaceUpdated, |live| {
            Some(EventData::WorkspaceUpdated {
                workspace: live.workspace_info(id)?,
            })
        });
    }

    /// Where a workspace is, as of when its places were last read.
    pub fn workspace_place(&self, id: WorkspaceId) -> Option<WorkspacePlace> {
        if let Some(worktree) = self.worktrees.get(&id) {
            return Some(WorkspacePlace {
                workspace: id,
                path: Path::new(&worktree.checkout_path).to_owned(),
                is_recorded: true,
            });
        }
        let root = self.world.workspace(id)?.root_pane()?;
        let path = self.panes.get(&root)?.runtime.directories().cwd.clone()?;
        Some(WorkspacePlace {
            workspace: id,
            path,
            is_recorded: false,
        })
    }

    /// The places of all workspaces, in display order.
    pub fn workspace_places(&self) -> Vec<WorkspacePlace> {
        let workspaces = self.world.workspaces().iter().map(world::Workspace::id);
        workspaces
            .filter_map(|id| self.workspace_place(id))
            .collect()
    }

    /// The workspaces of linked checkouts whose repository's own workspace this is.
    pub fn linked_workspaces(&self, id: WorkspaceId) -> Vec<WorkspaceId> {
        let Some(own) = self
            .worktrees
            .get(&id)
            .filter(|own| !own.is_linked_worktree)
        else {
            return Vec::new();
        };
        let is_linked = |other: &WorkspaceId| {
            self.worktrees
                .get(other)
                .is_some_and(|other| other.is_linked_worktree && other.repo_key == own.repo_key)
        };
        let workspaces = self.world.workspaces().iter().map(world::Workspace::id);
        workspaces.filter(is_linked).collect()
    }

    /// The workspace of the primary checkout of a repository.
    pub fn primary_workspace(&self, repo_key: &str) -> Option<WorkspaceId> {
        let workspaces = self.world.workspaces().iter().map(world::Workspace::id);
        workspaces.into_iter().find(|id| {
            self.worktrees
                .get(id)
                .is_some_and(|own| !own.is_linked_worktree && own.repo_key == repo_key)
        })
    }
}
