//! The one view of the agents that may be set, and what it shows now.

use crate::agent::{AgentView, Current, Facts};
use crate::api::records::AgentViewInfo;
use crate::world::PaneKey;

use super::Live;

impl Live {
    /// The view that is set.
    pub fn agent_view(&self) -> Option<&AgentView> {
        self.agent_view.as_ref()
    }

    /// Sets a view in the place of any other.
    pub fn set_agent_view(&mut self, view: AgentView) {
        self.agent_view = Some(view);
    }

    /// Takes the view away; with `source` only if it is this one's.
    pub fn clear_agent_view(&mut self, source: Option<&str>) {
        self.agent_view
            .take_if(|view| source.is_none_or(|source| view.source() == source));
    }

    /// What the view shows now.
    pub fn agent_view_info(&self) -> Option<AgentViewInfo> {
        let view = self.agent_view.as_ref()?;
        let agents: Vec<Facts> = self
            .agents()
            .into_iter()
            .filter_map(|key| self.facts(key))
            .collect();
        let focus = self.world.focus();
        let current = Current {
            workspace_id: focus.map(|focus| focus.workspace.to_string()),
            tab_id: focus.map(|focus| focus.tab.to_string()),
        };
        let shown = view.select(&agents, &current);
        Some(AgentViewInfo {
            source: view.source().to_owned(),
            label: view.label().map(str::to_owned),
            pane_ids: shown
                .into_iter()
                .map(|at| agents[at].pane_id.clone())
                .collect(),
        })
    }

    fn facts(&self, key: PaneKey) -> Option<Facts> {
        let place = self.world.pane(key)?;
        let agent = &self.panes.get(&key)?.agent;
        let view = agent.view();
        let tab = place.tab();
        let workspace = self.world.workspace(tab.workspace)?;
        let panes = workspace.tab(tab)?.panes();
        Some(Facts {
            status: view.status,
            agent: view.agent.map(str::to_owned),
            state_change_seq: view.state_change_seq,
            workspace_id: tab.workspace.to_string(),
            tab_id: tab.to_string(),
            pane_id: place.id().to_string(),
            position: [
                self.world.workspace_index(tab.workspace)?,
                workspace.tab_index(tab)?,
                panes.iter().position(|pane| *pane == key)?,
            ],
            tokens: agent
                .tokens()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        })
    }
}
