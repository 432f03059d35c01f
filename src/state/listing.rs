//! The agents as a person wants them listed: what each does, since when, and what it says.

use crate::api::control::AgentRow;
use crate::world::PaneKey;

use super::Live;
use super::records::{blocked_kind, state_labels, status};

impl Live {
    /// Grows whenever anything that is shown may have changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Every agent, in display order.
    pub fn agent_rows(&self) -> Vec<AgentRow> {
        self.agents()
            .into_iter()
            .filter_map(|key| self.agent_row(key))
            .collect()
    }

    fn agent_row(&self, key: PaneKey) -> Option<AgentRow> {
        let place = self.world.pane(key)?;
        let entry = self.pane(key)?;
        let view = entry.agent.view();
        let owned = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        let status = status(view.status);
        let display = view.presentation.display_agent.as_deref();
        Some(AgentRow {
            pane_id: place.id().to_string(),
            workspace: self.workspace_label(place.tab().workspace),
            agent: owned(display.or(view.agent)),
            name: owned(view.name),
            status,
            blocked_kind: blocked_kind(&view),
            phase: state_labels(view.presentation).remove(status.as_str()),
            since_ms: entry.noted.since(),
            message: owned(view.message),
            title: owned(place.label())
                .or_else(|| owned(view.presentation.title.as_deref()))
                .or_else(|| owned(entry.title.stripped())),
            focused: self.world.focus().is_some_and(|focus| focus.pane == key),
            muted: entry.muted,
        })
    }
}
