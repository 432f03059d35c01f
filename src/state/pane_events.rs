//! What the panes' threads report, applied to the world.

use std::process::ExitStatus;
use std::sync::{Arc, Weak};

use crate::agent;
use crate::pane::{ForegroundJob, Note, PaneEvents};
use crate::world::PaneKey;

use super::remove::Leaving;
use super::{Live, Shared};

/// A pane thread's way up. It does not keep the daemon's state alive.
#[derive(Debug)]
pub(super) struct Upward {
    shared: Weak<Shared>,
}

impl Upward {
    pub(super) fn new(shared: Weak<Shared>) -> Upward {
        Upward { shared }
    }
}

impl PaneEvents for Upward {
    fn output(&self, pane: PaneKey, notes: Vec<Note>) {
        let Some(shared) = self.shared.upgrade() else { return };
        for note in notes {
            match note {
                Note::Title(title) => shared.change().set_title(pane, Some(title)),
                Note::TitleCleared => shared.change().set_title(pane, None),
                Note::EngineReset => {
                    log::warn!("pane {pane:?}: the terminal engine failed and was reset");
                }
                // Nobody is attached to hear a bell or to take a clipboard, and directories are
                // the pane's own business.
                _ => {}
            }
        }
    }

    fn settled(&self, _: PaneKey) {}

    fn foreground_changed(&self, pane: PaneKey, job: Arc<ForegroundJob>) {
        let Some(shared) = self.shared.upgrade() else { return };
        let foreground = agent::Foreground::of(job.shell_pid, job.group, processes(&job));
        let mut live = shared.change();
        let context = live.agent_context(pane);
        let live = &mut *live;
        if let Some(entry) = live.panes.get_mut(&pane) {
            let effects =
                entry.agent.foreground_changed(&foreground, &context, &mut live.state_changes);
            live.announce_agent(pane, &effects, &shared.deadlines);
        }
    }

    fn exited(&self, pane: PaneKey, status: Option<ExitStatus>) {
        let Some(shared) = self.shared.upgrade() else { return };
        log::debug!("pane {pane:?}: its process ended: {status:?}");
        let geometry = shared.geometry();
        // A pane that was closed is not in the world any more.
        let _ = shared.change().remove_pane(pane, Leaving::Exited, geometry, &shared.deadlines);
    }
}

fn processes(job: &ForegroundJob) -> Vec<agent::Process> {
    job.processes
        .iter()
        .map(|process| agent::Process {
            pid: process.pid,
            name: process.name.clone(),
            arguments: process.arguments.clone(),
            agent: process.agent.clone(),
        })
        .collect()
}

impl Live {
    /// Takes a new terminal title. Only a change of what is left without an activity glyph is
    /// news: a spinner in the title is not (herdr 0.9.3, `pane_updated`).
    fn set_title(&mut self, key: PaneKey, title: Option<String>) {
        let Some(entry) = self.panes.get_mut(&key) else { return };
        let before = entry.stripped_title().map(str::to_owned);
        entry.terminal_title = title.filter(|title| !title.is_empty());
        if entry.stripped_title() != before.as_deref() {
            entry.revision += 1;
            self.announce_pane_updated(key);
        }
    }
}
