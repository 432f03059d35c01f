//! What changed becomes events, under the lock, so that their order is the order of causes.

use std::sync::Arc;
use std::time::Instant;

use crate::agent::{Context, Effect, Effects, PaneAgent};
use crate::api::events::{EventData, EventEnvelope, EventKind};
use crate::api::records::{AgentStatus, WorkspaceInfo};
use crate::api::subscription::{
    PaneAgentStatusChangedEvent, SubscriptionEventData, SubscriptionEventEnvelope,
};
use crate::world::{PaneKey, Removal, TabId, WorkspaceId};

use super::hub::AgentNews;
use super::records::{state_labels, status};
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
            Some(EventData::WorkspaceCreated {
                workspace: live.workspace_info(id)?,
            })
        });
    }

    pub fn announce_workspace_metadata(&mut self, id: WorkspaceId) {
        self.emit(EventKind::WorkspaceMetadataUpdated, |live| {
            Some(EventData::WorkspaceMetadataUpdated {
                workspace: live.workspace_info(id)?,
            })
        });
    }

    pub fn announce_tab_created(&mut self, id: TabId) {
        self.emit(EventKind::TabCreated, |live| {
            Some(EventData::TabCreated {
                tab: live.tab_info(id)?,
            })
        });
    }

    pub fn announce_pane_created(&mut self, key: PaneKey) {
        self.emit(EventKind::PaneCreated, |live| {
            Some(EventData::PaneCreated {
                pane: live.pane_info(key)?,
            })
        });
    }

    pub fn announce_pane_updated(&mut self, key: PaneKey) {
        self.emit(EventKind::PaneUpdated, |live| {
            Some(EventData::PaneUpdated {
                pane: live.pane_info(key)?,
            })
        });
    }

    pub fn announce_layout(&mut self, tab: TabId) {
        self.emit(EventKind::LayoutUpdated, |live| {
            Some(EventData::LayoutUpdated {
                layout: live.layout(tab)?,
            })
        });
    }

    /// What went with a removal, besides the pane itself (herdr 0.9.3's events of `tab.close`,
    /// `pane.close` and `workspace.close`). `last` is the workspace as it was.
    pub fn announce_closed_workspace(&mut self, removal: &Removal, last: Option<WorkspaceInfo>) {
        if let Some(id) = removal.closed_workspace() {
            self.emit(EventKind::WorkspaceClosed, |_| {
                Some(EventData::WorkspaceClosed {
                    workspace_id: id.to_string(),
                    workspace: last,
                })
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
        let Some(focus) = self.world.focus() else {
            return;
        };
        let workspace_id = focus.workspace.to_string();
        self.emit(EventKind::WorkspaceFocused, |_| {
            Some(EventData::WorkspaceFocused {
                workspace_id: workspace_id.clone(),
            })
        });
        self.emit(EventKind::TabFocused, |_| {
            let tab_id = focus.tab.to_string();
            Some(EventData::TabFocused {
                tab_id,
                workspace_id: workspace_id.clone(),
            })
        });
        self.emit(EventKind::PaneFocused, |live| {
            let pane_id = live.world.pane(focus.pane)?.id().to_string();
            Some(EventData::PaneFocused {
                pane_id,
                workspace_id: workspace_id.clone(),
            })
        });
    }

    /// Lets the agent of a pane take something in, and announces what comes of it. None if the pane
    /// is not in the world.
    pub fn change_agent<R>(
        &mut self,
        key: PaneKey,
        deadlines: &Deadlines,
        change: impl FnOnce(&mut PaneAgent, &mut Context<'_>) -> (Effects, R),
    ) -> Option<R> {
        let in_active_tab = self.world.in_active_tab(key) || self.is_attended(key);
        let entry = self.panes.get_unsaved(key)?;
        let mut context = Context {
            now: Instant::now(),
            in_active_tab,
            // Attached terminals do not tell whether they have the focus, which counts as a person who
            // looks, as when nobody is attached (herdr 0.9.3).
            outer_focused: None,
            state_changes: &mut self.state_changes,
        };
        let now = context.now;
        let (effects, result) = change(&mut entry.agent, &mut context);
        // A look that is past was taken; what it left open, the pane's own thread sees end.
        let look = entry.agent.next_look().filter(|when| *when > now);
        if let Some(when) = [entry.agent.next_deadline(), look]
            .into_iter()
            .flatten()
            .min()
        {
            deadlines.add(when, Due::Agent(key));
        }
        if effects.changed {
            self.panes.touch(key);
        }
        self.announce_agent(key, effects);
        self.note_history(key);
        Some(result)
    }

    /// Announces effects in their order.
    fn announce_agent(&mut self, key: PaneKey, effects: Effects) {
        let Some(place) = self.world.pane(key) else {
            return;
        };
        let (pane_id, workspace_id) = (place.id().to_string(), place.tab().workspace.to_string());
        for effect in effects.list {
            match effect {
                Effect::NameChanged => {
                    self.announce_pane_updated(key);
                    self.tell_of_start(key);
                }
                Effect::TokensChanged => {
                    if let Some(entry) = self.panes.get_mut(&key) {
                        entry.revision += 1;
                    }
                    self.announce_pane_updated(key);
                }
                Effect::Detected { agent, released } => {
                    let arrived = agent.is_some() && released.is_none();
                    self.emit(EventKind::PaneAgentDetected, |_| {
                        Some(EventData::PaneAgentDetected {
                            pane_id: pane_id.clone(),
                            workspace_id: workspace_id.clone(),
                            agent,
                            released: released.is_some(),
                            final_status: released.map(status),
                        })
                    });
                    if arrived {
                        self.hub.tell(key, AgentNews::Arrived);
                    } else if let Some(left) = released.map(status).or(self.status(key)) {
                        self.hub.tell(key, AgentNews::Left(left));
                    }
                }
                Effect::StatusChanged { .. } | Effect::Seen { .. } => {
                    self.announce_status(key);
                    if let Some(status) = self.status(key) {
                        self.hub.tell(key, AgentNews::Status(status));
                    }
                }
            }
        }
    }

    /// Tells who waits for a start how far it is.
    fn tell_of_start(&mut self, key: PaneKey) {
        let Some(entry) = self.panes.get(&key) else {
            return;
        };
        let view = entry.agent.view();
        if view.interactive_ready {
            self.hub.tell(key, AgentNews::Ready(status(view.status)));
        } else if !view.launch_pending {
            self.hub.tell(key, AgentNews::Unstarted);
        }
    }

    /// A person looks at the active tab: what was done there becomes idle.
    pub fn mark_active_tab_seen(&mut self, deadlines: &Deadlines) {
        if let Some(focus) = self.world.focus() {
            self.mark_tab_seen(focus.tab, deadlines);
        }
    }

    /// The same for another tab.
    pub(super) fn mark_tab_seen(&mut self, tab: TabId, deadlines: &Deadlines) {
        let Some(tab) = self.world.tab(tab) else {
            return;
        };
        for key in tab.panes() {
            self.change_agent(key, deadlines, |agent, _| (agent.mark_seen(), ()));
        }
    }

    fn announce_status(&mut self, key: PaneKey) {
        let Some(now) = self.status(key) else { return };
        // No subscription names it for all panes; plugins' hooks do.
        self.emit(EventKind::PaneAgentStatusChanged, |live| {
            let event = live.status_event(key)?;
            Some(EventData::PaneAgentStatusChanged {
                pane_id: event.pane_id,
                workspace_id: event.workspace_id,
                agent_status: event.agent_status,
                agent: event.agent,
                title: event.title,
                display_agent: event.display_agent,
                state_labels: event.state_labels,
            })
        });
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
        let view = self.panes.get(&key)?.agent.view();
        Some(PaneAgentStatusChangedEvent {
            pane_id: place.id().to_string(),
            workspace_id: place.tab().workspace.to_string(),
            agent_status: status(view.status),
            agent: view.agent.map(str::to_owned),
            title: view.presentation.title.clone(),
            display_agent: view.presentation.display_agent.clone(),
            state_labels: state_labels(view.presentation),
        })
    }

    /// The present status of a pane.
    pub fn status(&self, key: PaneKey) -> Option<AgentStatus> {
        self.panes
            .get(&key)
            .map(|entry| status(entry.agent.view().status))
    }
}
