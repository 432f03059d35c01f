//! Looking at the screen of the agent in a pane, when its output has come to rest.
//!
//! The pane's own thread does it, so a look delays nobody else's pane. There are at most about ten
//! looks a second however fast output comes, none when nothing changed, and none in a pane without
//! an agent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::agent::rules::{self, Snapshot, Verdict};
use crate::agent::{Foreground, Kind};
use crate::manifests::Chosen;
use crate::pane::{Format, Progress, ReadRequest, Said, Source};
use crate::sync::lock;
use crate::world::PaneKey;

use super::{Runtime, Shared};

/// What one pane's thread remembers between its looks.
#[derive(Debug, Default)]
pub(super) struct Observer {
    /// A known agent runs in the foreground. Spares other panes the world's lock.
    watching: AtomicBool,
    /// Which job is in the foreground is known.
    following: AtomicBool,
    /// Only the pane's thread and a reload take it. Taken before the world's lock, and never under
    /// it.
    last: Mutex<Option<Seen>>,
}

/// One look, and what came of it.
#[derive(Debug)]
struct Seen {
    kind: Kind,
    revision: u64,
    said: Said,
    generation: u64,
    verdict: Verdict,
}

impl Observer {
    pub(super) fn is_watching(&self) -> bool {
        self.watching.load(Ordering::Relaxed)
    }

    /// Another job came to the foreground.
    pub(super) fn follow(&self, shared: &Shared, pane: PaneKey, foreground: Foreground) {
        let watching = matches!(foreground, Foreground::Agent { .. });
        let watched = self.watching.swap(watching, Ordering::Relaxed);
        // An agent may have left while no worker followed.
        let may_have_left = watched || !self.following.swap(true, Ordering::Relaxed);
        if watching {
            // It may be another run, of which nothing was seen yet.
            *lock(&self.last) = None;
            self.look(shared, pane);
        } else if may_have_left && let Some(runtime) = runtime(shared, pane) {
            // What it said is none of the next one's.
            runtime.pane.screen().forget_said();
            *lock(&self.last) = None;
        }
    }

    /// Judges what the agent shows, if that changed, and lets the world know.
    pub(super) fn look(&self, shared: &Shared, pane: PaneKey) {
        let (runtime, kind) = {
            let live = shared.look();
            let Some(entry) = live.pane(pane) else { return };
            let Some(kind) = entry.agent.watched() else {
                return;
            };
            (entry.runtime.clone(), kind)
        };
        if runtime.shows_past() {
            return;
        }
        let mut last = lock(&self.last);
        let generation = shared.library.generation();
        // What was painted before now counts as painted now: a report that comes later is newer.
        let painted = Instant::now();
        let picture = Picture::take(&runtime);
        let former = last.as_ref().filter(|last| last.kind == kind);
        if former.is_some_and(|last| {
            last.revision == picture.revision
                && last.generation == generation
                && last.said == picture.said
        }) {
            return;
        }
        let chosen = shared.library.of(kind);
        let verdict = rules::evaluate(kind, chosen.manifest.as_ref(), &picture.snapshot());
        // The time of what stands against a report matters, so it is told again.
        let is_news = former.is_none_or(|last| last.verdict != verdict)
            || verdict.visible_blocker
            || verdict.visible_idle;
        *last = Some(Seen {
            kind,
            revision: picture.revision,
            said: picture.said,
            generation,
            verdict,
        });
        drop(last);
        if is_news {
            shared
                .change()
                .change_agent(pane, &shared.deadlines, |agent, context| {
                    (agent.screen_seen(kind, &verdict, painted, context), ())
                });
        }
    }
}

/// What a pane shows at one moment.
#[derive(Debug)]
pub struct Picture {
    screen: String,
    said: Said,
    /// The progress as the rules read it.
    progress: String,
    revision: u64,
}

impl Picture {
    /// Reads it. Locks the screen, so never to be called under the world's lock.
    pub fn take(runtime: &Runtime) -> Picture {
        let request = ReadRequest {
            source: Source::Detection,
            lines: None,
            format: Format::Text,
        };
        let screen = runtime.pane.screen();
        let said = screen.said().clone();
        Picture {
            screen: screen.read(&request).text,
            revision: screen.revision(),
            progress: said.progress.map(in_osc).unwrap_or_default(),
            said,
        }
    }

    /// As the rules want it.
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot {
            screen: &self.screen,
            title: self.said.title.as_deref().unwrap_or_default(),
            progress: &self.progress,
        }
    }
}

impl Shared {
    /// Reads the detection rules again and judges every agent's screen anew (herdr 0.9.3,
    /// `server.reload_agent_manifests`).
    pub fn reload_manifests(&self) {
        self.library.reload();
        let watched: Vec<(PaneKey, Arc<Runtime>, Kind)> = {
            let live = self.look();
            live.panes
                .iter()
                .filter_map(|(key, entry)| {
                    Some((*key, entry.runtime.clone(), entry.agent.watched()?))
                })
                .collect()
        };
        for (key, runtime, kind) in watched {
            let painted = Instant::now();
            let chosen: Arc<Chosen> = self.library.of(kind);
            let picture = Picture::take(&runtime);
            let verdict = rules::evaluate(kind, chosen.manifest.as_ref(), &picture.snapshot());
            self.change()
                .change_agent(key, &self.deadlines, |agent, context| {
                    (agent.screen_seen(kind, &verdict, painted, context), ())
                });
        }
    }
}

fn runtime(shared: &Shared, pane: PaneKey) -> Option<Arc<Runtime>> {
    shared.look().pane(pane).map(|entry| entry.runtime.clone())
}

/// Progress as OSC 9 carries it: what rules of the region `osc_progress` are written for.
fn in_osc(progress: Progress) -> String {
    match progress {
        Progress::None => "4;0".to_owned(),
        Progress::Running(percent) => format!("4;1;{percent}"),
        Progress::Failed(percent) => format!("4;2;{percent}"),
        Progress::Indeterminate => "4;3".to_owned(),
        Progress::Paused(percent) => format!("4;4;{percent}"),
    }
}
