//! What the panes' threads report, applied to the world.

use std::process::ExitStatus;
use std::sync::{Arc, Weak};

use crate::agent::{self, Foreground, ForegroundProcess};
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
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
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
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        let foreground = foreground(&job);
        shared
            .change()
            .change_agent(pane, &shared.deadlines, |agent, context| {
                (agent.foreground_changed(foreground, context), ())
            });
    }

    fn exited(&self, pane: PaneKey, status: Option<ExitStatus>) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        log::debug!("pane {pane:?}: its process ended: {status:?}");
        let geometry = shared.geometry();
        // A pane that was closed is not in the world any more.
        let _ = shared
            .change()
            .remove_pane(pane, Leaving::Exited, geometry, &shared.deadlines);
    }
}

/// What a job is to the agent's state: an agent, the shell at its prompt, or something else.
fn foreground(job: &ForegroundJob) -> Foreground {
    let number = |pid: i32| u32::try_from(pid).unwrap_or_default();
    let processes: Vec<ForegroundProcess> = job
        .processes
        .iter()
        .map(|process| ForegroundProcess {
            pid: number(process.pid),
            name: process.name.clone(),
            argv: process.arguments.clone(),
            herdr_agent: process.agent.clone(),
        })
        .collect();
    match agent::detect(&processes) {
        Some(kind) => Foreground::Agent {
            kind,
            group: number(job.group),
        },
        None if job.group == job.shell_pid => Foreground::Shell,
        None => Foreground::Other,
    }
}

impl Live {
    /// Takes a new terminal title. Only a change of what is left without an activity glyph is
    /// news: a spinner in the title is not (herdr 0.9.3, `pane_updated`).
    fn set_title(&mut self, key: PaneKey, title: Option<String>) {
        let Some(entry) = self.panes.get_mut(&key) else {
            return;
        };
        let before = entry.stripped_title().map(str::to_owned);
        entry.terminal_title = title.filter(|title| !title.is_empty());
        if entry.stripped_title() != before.as_deref() {
            entry.revision += 1;
            self.announce_pane_updated(key);
        }
    }
}
