//! What changed becomes events, under the lock, so that their order is the order of causes.

use std::sync::Arc;
use std::time::Instant;

use crate::agent::Effects;
use crate::api::events::{EventData, EventEnvelope, EventKind};
use crate::api::records::{AgentStatus, WorkspaceInfo};
use crate::api::subscription::{
    PaneAgentStatusChangedEvent, SubscriptionEventData, SubscriptionEventEnvelope,
};
use crate::world::{PaneKey, Rect, Removal, TabId, WorkspaceId};

use super::hub::AgentNews;
use super::records::status;
use super::{Deadlines, Due, Live};

impl Live {
    /// Publishes a lifecycle event, if anybody wants it. `data` is only built then.
    pub fn emit(&mut self, kind: EventKind, data: impl FnOnce(&Live) -> Option<EventData>) {
        if !self.hub.wants(kind) {
            return;
        }
        if let Some(data) = data(self) {
            debug_assert_eq!(data.kind(), kind);
            let line: Arc<str> = EventEnvelope::from(data).line().into();
            self.hub.publish(kind, &line);
        }
    }

    pub fn announce_workspace_created(&mut self, id: WorkspaceId) {
        self.emit(EventKind::WorkspaceCreated, |live| {
            Some(EventData::WorkspaceCreated { workspace: live.workspace_info(id)? })
        });
    }

    pub fn announce_tab_created(&mut self, id: TabId) {
        self.emit(EventKind::TabCreated, |live| {
            Some(EventData::TabCreated { tab: live.tab_info(id)? })
        });
    }

    pub fn announce_pane_created(&mut self, key: PaneKey) {
        self.emit(EventKind::PaneCreated, |live| {
            Some(EventData::PaneCreated { pane: live.pane_info(key)? })
        });
    }

    pub fn announce_pane_updated(&mut self, key: PaneKey) {
        self.emit(EventKind::PaneUpdated, |live| {
            Some(EventData::PaneUpdated { pane: live.pane_info(key)? })
        });
    }

    pub fn announce_layout(&mut self, tab: TabId, area: Rect) {
        self.emit(EventKind::LayoutUpdated, |live| {
            Some(EventData::LayoutUpdated { layout: live.layout(tab, area)? })
        });
    }

    /// What went with a removal, besides the pane itself (herdr 0.9.3's events of `tab.close`,
    /// `pane.close` and `workspace.close`). `last` is the workspace as it was.
    pub fn announce_closed_workspace(
        &mut self,
        removal: &Removal,
        last: Option<WorkspaceInfo>,
    ) {
        if let Some(id) = removal.closed_workspace() {
            self.emit(EventKind::WorkspaceClosed, |_| {
                Some(EventData::WorkspaceClosed { workspace_id: id.to_string(), workspace: last })
            });
        }
    }

    /// The focus triple, if the focus is not what it was when it was last announced.
    pub(super) fn announce_focus(&mut self) {
        let signature = self.world.focus_signature();
        if signature == self.focus {
            return;
        }
        self.focus = signature;
        let Some(focus) = self.world.focus() else { return };
        let workspace_id = focus.workspace.to_string();
        self.emit(EventKind::WorkspaceFocused, |_| {
            Some(EventData::WorkspaceFocused { workspace_id: workspace_id.clone() })
        });
        self.emit(EventKind::TabFocused, |_| {
            let tab_id = focus.tab.to_string();
            Some(EventData::TabFocused { tab_id, workspace_id: workspace_id.clone() })
        });
        self.emit(EventKind::PaneFocused, |live| {
            let pane_id = live.world.pane(focus.pane)?.id().to_string();
            Some(EventData::PaneFocused { pane_id, workspace_id: workspace_id.clone() })
        });
    }

    /// What a report, a release, a look-up or an expiry changed about the agent of a pane, in the
    /// order of herdr 0.9.3: name, agent, status and presentation.
    pub fn announce_agent(&mut self, key: PaneKey, effects: &Effects, deadlines: &Deadlines) {
        let Some(entry) = self.panes.get_mut(&key) else { return };
        if effects.tokens_changed {
            entry.revision += 1;
        }
        if let Some(when) = entry.agent.next_deadline() {
            deadlines.add(when, Due::PaneMetadata(key));
        }
        if effects.name_changed || effects.tokens_changed {
            self.announce_pane_updated(key);
        }
        let Some(place) = self.world.pane(key) else { return };
        let (pane_id, workspace_id) = (place.id().to_string(), place.tab().workspace.to_string());
        if let Some(detected) = &effects.detected {
            self.emit(EventKind::PaneAgentDetected, |_| {
                Some(EventData::PaneAgentDetected {
                    pane_id: pane_id.clone(),
                    workspace_id: workspace_id.clone(),
                    agent: detected.agent.clone(),
                    released: detected.released,
                    final_status: detected.final_status.map(status),
                })
            });
        }
        if effects.status_changed || effects.presentation_changed {
            self.announce_status(key);
        }
        if effects.status_changed || effects.detected.is_some() {
            let left = effects.detected.is_some();
            if let Some(status) = self.status(key) {
                self.hub.tell(key, &AgentNews { status, left });
            }
        }
    }

    fn announce_status(&mut self, key: PaneKey) {
        let Some(now) = self.status(key) else { return };
        if !self.hub.wants_status(key, now) {
            return;
        }
        if let Some(line) = self.status_line(key) {
            self.hub.publish_status(key, now, &line.into());
        }
    }

    /// The present status of a pane, as a line for a subscriber.
    pub fn status_line(&self, key: PaneKey) -> Option<String> {
        let event = SubscriptionEventData::AgentStatusChanged(self.status_event(key)?);
        Some(SubscriptionEventEnvelope::from(event).line())
    }

    /// The present status of a pane, as an event.
    pub fn status_event(&self, key: PaneKey) -> Option<PaneAgentStatusChangedEvent> {
        let place = self.world.pane(key)?;
        let view = self.panes.get(&key)?.agent.view(Instant::now());
        Some(PaneAgentStatusChangedEvent {
            pane_id: place.id().to_string(),
            workspace_id: place.tab().workspace.to_string(),
            agent_status: status(view.status),
            agent: view.label,
            title: view.title,
            display_agent: view.display_agent,
            state_labels: view.state_labels,
        })
    }

    /// The present status of a pane.
    pub fn status(&self, key: PaneKey) -> Option<AgentStatus> {
        self.panes.get(&key).map(|entry| status(entry.agent.status()))
    }
}
