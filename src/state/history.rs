//! The history of agents: every state of every agent with its time, kept in the store; who follows it;
//! and what the notifications are told of.
//!
//! An entry is made under the world's lock, where the state changes, so the order of entries is the
//! order of causes. Who listens is told once the lock is free.

use std::sync::{Arc, Mutex, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::agent::{Status, View};
use crate::api::control::{HistoryEvent, HistoryReadParams, HistoryRecord};
use crate::api::records::{AgentStatus, BlockedKind};
use crate::notify::{Note, Terminals, Transition};
use crate::store::{Entry, Log, OpenError, Range, Store};
use crate::sync::lock;
use crate::sys::Wake;
use crate::world::{Pane, PaneKey, WorkspaceId};

use super::records::{blocked_kind, status};
use super::{Live, PaneEntry, Shared};

/// Records of one answer, at most: some 600 KiB, far below what a client reads. More are read page by
/// page ([`HistoryReadParams::before`]).
const ANSWER_LIMIT: usize = 4_096;

/// Entries that one question looks at, at most: as many as are kept.
const LOOK_LIMIT: usize = 100_000;

/// Entries that one look of somebody who waits reads.
const WAIT_PAGE: usize = 64;

/// Whom an entry is about that is about the daemon itself.
const NOBODY: &str = "";

/// An entry's body.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Body {
    #[serde(default)]
    event: HistoryEvent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<AgentStatus>,
    /// The agent's label; of one that left, its last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocked_kind: Option<BlockedKind>,
    /// The pane's key: an id can move with its pane.
    #[serde(default)]
    pane: u64,
}

/// What the history last said of a pane's agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Noted {
    status: Status,
    agent: Option<String>,
    /// When, in milliseconds since 1970.
    at: i64,
}

impl Noted {
    /// What it says once this was noted.
    pub(super) fn of(view: &View<'_>, at: i64) -> Noted {
        Noted {
            status: view.status,
            agent: view.agent.map(str::to_owned),
            at,
        }
    }

    /// Since when it is so, in milliseconds since 1970.
    pub(super) fn since(&self) -> i64 {
        self.at
    }

    fn is(&self, view: &View<'_>) -> bool {
        self.status == view.status && self.agent.as_deref() == view.agent
    }
}

/// Who waits for a change of the live state. Its lock is innermost.
#[derive(Debug, Default)]
pub(super) struct Followers(Mutex<Vec<Weak<Wake>>>);

impl Followers {
    pub(super) fn tell(&self) {
        let mut followers = lock(&self.0);
        if followers.is_empty() {
            return;
        }
        followers.retain(|follower| follower.strong_count() > 0);
        let wakes: Vec<Arc<Wake>> = followers.iter().filter_map(Weak::upgrade).collect();
        drop(followers);
        for wake in wakes {
            wake.notify();
        }
    }
}

/// The terminals that people are attached with, for notifications.
pub(super) struct Attached(pub(super) Weak<Shared>);

impl Terminals for Attached {
    fn show(&self, note: &Note) -> usize {
        let shared = self.0.upgrade();
        shared.map_or(0, |shared| {
            shared.notify_attached(&note.title, &note.body, note.sound)
        })
    }
}

impl Live {
    /// Notes a state of a pane's agent in the history, if it is another than the last one.
    pub(super) fn note_history(&mut self, key: PaneKey) {
        let Some(place) = self.world.pane(key) else {
            return;
        };
        let (pane_id, workspace) = (place.id().to_string(), place.tab().workspace);
        let Some(pane) = self.panes.get_unsaved(key) else {
            return;
        };
        let view = pane.agent.view();
        if pane.noted.is(&view) {
            return;
        }
        let before = std::mem::replace(&mut pane.noted, Noted::of(&view, wall_clock()));
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let left = view.agent.is_none();
        let agent = owned(view.agent).or(before.agent);
        let body = Body {
            event: if left {
                HistoryEvent::Left
            } else {
                HistoryEvent::State
            },
            status: Some(status(view.status)),
            agent: agent.clone(),
            name: owned(view.name),
            blocked_kind: blocked_kind(&view),
            pane: key.number(),
        };
        let title = view.presentation.title.as_deref().or(pane.title.stripped());
        let change = Transition {
            pane: key.number(),
            pane_id: pane_id.clone(),
            workspace: String::new(),
            agent: agent.unwrap_or_default(),
            name: body.name.clone(),
            display: view.presentation.display_agent.clone(),
            from: status(before.status),
            to: status(view.status),
            left,
            asks: body.blocked_kind,
            message: owned(view.message.filter(|text| !text.is_empty()).or(title)),
            in_front: false,
            attached: pane.runtime.is_attached(),
        };
        let muted = pane.muted;
        self.history.extend(entry(pane_id, &body));
        if !muted {
            let change = Transition {
                workspace: self.workspace_label(workspace),
                in_front: self.world.in_active_tab(key),
                ..change
            };
            self.after.told.push(change);
        }
    }

    /// Notes that a pane is gone, and with it its agent.
    pub(super) fn note_history_end(&mut self, pane: &Pane, entry: &PaneEntry) {
        let Some(agent) = entry.noted.agent.clone() else {
            return;
        };
        let body = Body {
            event: HistoryEvent::Left,
            agent: Some(agent.clone()),
            pane: pane.key().number(),
            ..Body::default()
        };
        self.history
            .extend(self::entry(pane.id().to_string(), &body));
        if !entry.muted {
            self.after.told.push(Transition {
                pane: pane.key().number(),
                pane_id: pane.id().to_string(),
                workspace: self.workspace_label(pane.tab().workspace),
                agent,
                name: None,
                display: None,
                from: status(entry.noted.status),
                to: AgentStatus::Unknown,
                left: true,
                asks: None,
                message: None,
                in_front: false,
                attached: entry.runtime.is_attached(),
            });
        }
    }

    pub(super) fn workspace_label(&self, id: WorkspaceId) -> String {
        let workspace = self.world.workspace(id);
        let custom = workspace.and_then(|workspace| workspace.custom_label());
        custom.map_or_else(|| self.derived_label(id), str::to_owned)
    }

    /// Says whether anybody is told of what a pane's agent does; false if there is no such pane.
    pub fn mute(&mut self, key: PaneKey, muted: bool) -> bool {
        let Some(entry) = self.panes.get_mut(&key) else {
            return false;
        };
        entry.muted = muted;
        true
    }

    /// Queues what was noted; true if there was something.
    pub(super) fn save_history(&mut self, store: &Store) -> bool {
        let noted = std::mem::take(&mut self.history);
        let some = !noted.is_empty();
        for entry in noted {
            store.append(Log::AgentStates, entry);
        }
        some
    }
}

impl Shared {
    /// Notes that the session began, or is about to end: what agents did in between is not known.
    pub fn note_session(&self, event: HistoryEvent) {
        let body = Body {
            event,
            ..Body::default()
        };
        if let Some(entry) = entry(NOBODY.to_owned(), &body) {
            self.store.append(Log::AgentStates, entry);
        }
    }

    /// Notifies `wake` at every change of the live state for as long as somebody else holds it.
    pub fn follow(&self, wake: &Arc<Wake>) {
        lock(&self.followers.0).push(Arc::downgrade(wake));
    }

    /// The latest records that were asked for, oldest first, and whether there are more before them.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn history(
        &self,
        asked: &HistoryReadParams,
    ) -> Result<(Vec<HistoryRecord>, bool), OpenError> {
        // What was queued is read only once it is written.
        self.commit();
        let limit = asked.limit.unwrap_or(ANSWER_LIMIT).min(ANSWER_LIMIT);
        let mut range = Range {
            since: asked.since_ms,
            below: asked.before,
            // Who waits has read what was before; a change makes few.
            limit: if asked.wait { WAIT_PAGE } else { 0 },
            ..Range::default()
        };
        let mut found = Vec::new();
        let mut looked = 0;
        loop {
            let page = self.store.read(Log::AgentStates, &range)?;
            let last = page.last().map(|(number, _)| *number);
            looked += page.len();
            for (number, entry) in page {
                if number <= asked.after {
                    found.reverse();
                    return Ok((found, false));
                }
                let Some(record) = record(number, entry).filter(|record| wanted(asked, record))
                else {
                    continue;
                };
                if found.len() == limit {
                    found.reverse();
                    return Ok((found, true));
                }
                found.push(record);
            }
            match last {
                Some(last) if looked < LOOK_LIMIT => range.below = Some(last),
                _ => break,
            }
        }
        found.reverse();
        Ok((found, false))
    }
}

/// Whether a record is about the agent that was asked for: by label, name or pane. What is about the
/// daemon is about all of them.
fn wanted(asked: &HistoryReadParams, record: &HistoryRecord) -> bool {
    let Some(agent) = asked.agent.as_deref() else {
        return true;
    };
    let is = |text: &Option<String>| text.as_deref() == Some(agent);
    record.pane_id.is_none() || is(&record.agent) || is(&record.name) || is(&record.pane_id)
}

/// An entry as it is told; none for one that cannot be read, which only a newer version writes.
fn record(number: i64, entry: Entry) -> Option<HistoryRecord> {
    let body: Body = serde_json::from_str(&entry.body).ok()?;
    Some(HistoryRecord {
        number,
        at_ms: entry.at,
        event: body.event,
        pane_id: Some(entry.subject).filter(|subject| subject != NOBODY),
        pane: body.pane,
        agent: body.agent,
        name: body.name,
        status: body.status,
        blocked_kind: body.blocked_kind,
    })
}

fn entry(subject: String, body: &Body) -> Option<Entry> {
    // Plain records without maps of odd keys: there is nothing in them that JSON cannot say.
    let body = serde_json::to_string(body)
        .inspect_err(|error| log::error!("a state cannot be kept: {error}"))
        .ok()?;
    Some(Entry {
        at: wall_clock(),
        subject,
        body,
    })
}

/// Milliseconds since 1970.
pub(super) fn wall_clock() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}
