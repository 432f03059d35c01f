//! The records of the wire, built from the live state.
//!
//! Nothing here reads the operating system: what the panes' programs do was looked up before
//! ([`super::Shared::refresh_places`]).

use std::collections::BTreeMap;
use std::path::Path;

use crate::agent::{self, BlockedKind, Presentation, SessionKind, View};
use crate::api;
use crate::api::records::{
    AgentInfo, AgentSessionInfo, AgentSessionRefKind, AgentStatus, PaneInfo, PaneLayoutPane,
    PaneLayoutRect, PaneLayoutSnapshot, PaneLayoutSplit, PaneScrollInfo, SessionSnapshot,
    SplitDirection, TabInfo, WorkspaceInfo,
};
use crate::world::{self, Axis, PaneKey, Rect, TabId, WorkspaceId};

use super::{Live, PaneEntry};

impl Live {
    pub fn workspace_info(&self, id: WorkspaceId) -> Option<WorkspaceInfo> {
        let workspace = self.world.workspace(id)?;
        let label = match workspace.custom_label() {
            Some(label) => label.to_owned(),
            None => self.derived_label(id),
        };
        Some(WorkspaceInfo {
            workspace_id: id.to_string(),
            number: self.world.workspace_index(id)? + 1,
            label,
            focused: self.world.active_workspace() == Some(id),
            pane_count: workspace.pane_count(),
            tab_count: workspace.tabs().len(),
            active_tab_id: workspace.active_tab().to_string(),
            agent_status: self.roll_up(workspace.panes()),
            tokens: self
                .workspace_tokens
                .get(&id)
                .map(|held| owned(held.iter()))
                .unwrap_or_default(),
            worktree: self.worktrees.get(&id).cloned(),
        })
    }

    /// The label of a workspace that has no name of its own.
    pub fn derived_label(&self, id: WorkspaceId) -> String {
        self.world
            .workspace(id)
            .and_then(world::Workspace::root_pane)
            .and_then(|root| self.panes.get(&root))
            .map(|entry| entry.runtime.workspace_label())
            .unwrap_or_default()
    }

    pub fn workspace_infos(&self) -> Vec<WorkspaceInfo> {
        self.world
            .workspaces()
            .iter()
            .filter_map(|w| self.workspace_info(w.id()))
            .collect()
    }

    pub fn tab_info(&self, id: TabId) -> Option<TabInfo> {
        let tab = self.world.tab(id)?;
        Some(TabInfo {
            tab_id: id.to_string(),
            workspace_id: id.workspace.to_string(),
            number: id.number as usize,
            label: self.world.tab_label(id)?.into_owned(),
            focused: self.world.focus().is_some_and(|focus| focus.tab == id),
            pane_count: tab.pane_count(),
            agent_status: self.roll_up(tab.panes().into_iter()),
        })
    }

    /// The tabs of one workspace, or of all.
    pub fn tab_infos(&self, of: Option<WorkspaceId>) -> Vec<TabInfo> {
        self.world
            .tabs()
            .filter(|tab| of.is_none_or(|of| tab.id().workspace == of))
            .filter_map(|tab| self.tab_info(tab.id()))
            .collect()
    }

    pub fn pane_info(&self, key: PaneKey) -> Option<PaneInfo> {
        let place = self.world.pane(key)?;
        let entry = self.panes.get(&key)?;
        let view = entry.agent.view();
        let directories = entry.runtime.directories();
        Some(PaneInfo {
            pane_id: place.id().to_string(),
            terminal_id: entry.terminal_id.clone(),
            workspace_id: place.tab().workspace.to_string(),
            tab_id: place.tab().to_string(),
            focused: self.world.is_focused(key),
            cwd: directories.cwd.as_deref().map(text),
            foreground_cwd: directories.foreground_cwd.as_deref().map(text),
            label: place.label().map(str::to_owned),
            agent_status: status(view.status),
            agent_session: session(&view),
            agent: view.agent.map(str::to_owned),
            title: view.presentation.title.clone(),
            terminal_title: entry.title.text().map(str::to_owned),
            terminal_title_stripped: entry.title.stripped().map(str::to_owned),
            display_agent: view.presentation.display_agent.clone(),
            state_labels: state_labels(view.presentation),
            tokens: owned(entry.agent.tokens()),
            blocked_kind: blocked_kind(&view),
            scroll: Some(scroll(entry)),
            revision: entry.revision,
            restore_error: entry.restore_error.clone(),
        })
    }

    /// The panes of one workspace, or of all, in display order.
    pub fn pane_infos(&self, of: Option<WorkspaceId>) -> Vec<PaneInfo> {
        let panes = self.world.panes();
        let wanted = panes.filter(|pane| of.is_none_or(|of| pane.tab().workspace == of));
        // A record is large: a list that outgrows its room again and again is copied as often.
        let mut infos = Vec::with_capacity(self.world.pane_count());
        infos.extend(wanted.filter_map(|pane| self.pane_info(pane.key())));
        infos
    }

    pub fn agent_info(&self, key: PaneKey) -> Option<AgentInfo> {
        let place = self.world.pane(key)?;
        let entry = self.panes.get(&key)?;
        let view = entry.agent.view();
        let directories = entry.runtime.directories();
        Some(AgentInfo {
            terminal_id: entry.terminal_id.clone(),
            agent_status: status(view.status),
            agent_session: session(&view),
            name: view.name.map(str::to_owned),
            agent: view.agent.map(str::to_owned),
            title: view.presentation.title.clone(),
            terminal_title: entry.title.text().map(str::to_owned),
            terminal_title_stripped: entry.title.stripped().map(str::to_owned),
            display_agent: view.presentation.display_agent.clone(),
            state_labels: state_labels(view.presentation),
            tokens: owned(entry.agent.tokens()),
            blocked_kind: blocked_kind(&view),
            workspace_id: place.tab().workspace.to_string(),
            tab_id: place.tab().to_string(),
            pane_id: place.id().to_string(),
            focused: self.world.is_focused(key),
            launch_pending: view.launch_pending,
            interactive_ready: view.interactive_ready,
            screen_detection_skipped: view.screen_detection_skipped,
            state_change_seq: view.state_change_seq,
            completion_seq: view.completion_seq,
            cwd: directories.cwd.as_deref().map(text),
            foreground_cwd: directories.foreground_cwd.as_deref().map(text),
            revision: entry.revision,
        })
    }

    /// Every agent, in the order of their panes.
    pub fn agent_infos(&self) -> Vec<AgentInfo> {
        self.agents()
            .into_iter()
            .filter_map(|key| self.agent_info(key))
            .collect()
    }

    pub fn layout(&self, tab: TabId) -> Option<PaneLayoutSnapshot> {
        let layout = self.world.layout_snapshot(tab, self.geometry.area)?;
        Some(PaneLayoutSnapshot {
            workspace_id: tab.workspace.to_string(),
            tab_id: tab.to_string(),
            zoomed: layout.zoomed,
            area: rect(layout.area),
            focused_pane_id: layout.focused.to_string(),
            panes: layout
                .panes
                .iter()
                .map(|place| PaneLayoutPane {
                    pane_id: place.id.to_string(),
                    focused: place.focused,
                    rect: rect(place.rect),
                })
                .collect(),
            splits: layout
                .splits
                .iter()
                .map(|split| PaneLayoutSplit {
                    id: split.id.clone(),
                    direction: match split.axis {
                        Axis::Right => SplitDirection::Right,
                        Axis::Down => SplitDirection::Down,
                    },
                    ratio: split.ratio,
                    rect: rect(split.rect),
                })
                .collect(),
        })
    }

    pub fn snapshot(&self) -> SessionSnapshot {
        let focus = self.world.focus();
        let focused_pane = focus.and_then(|focus| self.world.pane(focus.pane));
        SessionSnapshot {
            version: api::VERSION.to_owned(),
            protocol: api::PROTOCOL,
            focused_workspace_id: focus.map(|focus| focus.workspace.to_string()),
            focused_tab_id: focus.map(|focus| focus.tab.to_string()),
            focused_pane_id: focused_pane.map(|pane| pane.id().to_string()),
            workspaces: self.workspace_infos(),
            tabs: self.tab_infos(None),
            panes: self.pane_infos(None),
            layouts: self
                .world
                .tabs()
                .filter_map(|t| self.layout(t.id()))
                .collect(),
            agents: self.agent_infos(),
            agent_view: self.agent_view_info(),
        }
    }

    fn roll_up(&self, panes: impl Iterator<Item = PaneKey>) -> AgentStatus {
        let entries = panes.filter_map(|key| self.panes.get(&key));
        status(agent::Status::roll_up(
            entries.map(|entry| entry.agent.view().status),
        ))
    }
}

/// An agent's public status, as a word of the wire.
pub fn status(status: agent::Status) -> AgentStatus {
    match status {
        agent::Status::Idle => AgentStatus::Idle,
        agent::Status::Working => AgentStatus::Working,
        agent::Status::Blocked => AgentStatus::Blocked,
        agent::Status::Done => AgentStatus::Done,
        agent::Status::Unknown => AgentStatus::Unknown,
    }
}

fn session(view: &View<'_>) -> Option<AgentSessionInfo> {
    let session = view.session?;
    Some(AgentSessionInfo {
        source: session.source.clone(),
        agent: session.agent.clone(),
        kind: match session.kind {
            SessionKind::Id => AgentSessionRefKind::Id,
            SessionKind::Path => AgentSessionRefKind::Path,
        },
        value: session.value.clone(),
    })
}

pub(super) fn blocked_kind(view: &View<'_>) -> Option<api::records::BlockedKind> {
    Some(match view.blocked? {
        BlockedKind::Approval => api::records::BlockedKind::Approval,
        BlockedKind::Question => api::records::BlockedKind::Question,
    })
}

fn owned<'a>(tokens: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, String> {
    tokens
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// The words that a reporter wants shown instead of statuses.
pub fn state_labels(presentation: &Presentation) -> BTreeMap<String, String> {
    let labels = presentation.state_labels.iter();
    labels
        .map(|(status, words)| ((*status).to_owned(), words.clone()))
        .collect()
}

fn scroll(entry: &PaneEntry) -> PaneScrollInfo {
    let metrics = entry.runtime.pane.scroll_metrics();
    PaneScrollInfo {
        offset_from_bottom: metrics.offset_from_bottom,
        max_offset_from_bottom: metrics.max_offset_from_bottom,
        viewport_rows: metrics.viewport_rows,
    }
}

fn rect(rect: Rect) -> PaneLayoutRect {
    PaneLayoutRect {
        x: rect.x,
        y: rect.y,
        width: rect.width,
        height: rect.height,
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
