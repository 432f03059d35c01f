//! The journal: which events of a turn are taken, in what order, and for how long they are kept.
//!
//! In memory there is a [`Head`] for each turn that is kept, with what decides about its next event. The events
//! themselves are in the store.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::api::ApiError;
use crate::api::records::{AgentTurnRecord, AgentTurnState};
use crate::store;

use super::digest::{hex, sha256};
use super::report::Report;
use super::rows::{Rows, gone, json, row};

/// Turns that are kept. A manager reads the journal as it grows; this is weeks of a busy one.
const TURNS: usize = 4_096;

/// Turns that are remembered after that, so that no late report begins one anew.
const EXPIRED: usize = 4_096;

/// Characters of a turn's result that a list shows: what fits beside the rest.
const LINE: usize = 80;

/// Why a turn is lost, in words that the server chose.
const LOST: &str = "the server restarted and the turn's program was gone";

const HEAD: &str = "turn";
const GONE: &str = "turn_expired";

/// What names a turn.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    pub producer: String,
    pub session_id: String,
    pub turn_id: String,
    pub generation: u64,
}

impl Key {
    /// The turn of an event.
    pub fn of(record: &AgentTurnRecord) -> Key {
        Key {
            producer: record.producer.clone(),
            session_id: record.session_id.clone(),
            turn_id: record.turn_id.clone(),
            generation: record.generation,
        }
    }

    /// A short name that no other turn has.
    fn short(&self) -> String {
        hex(&sha256(json(self).as_bytes())[..16])
    }
}

/// Where an event is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The turn's number.
    pub turn: u64,
    /// The producer's number of the event.
    pub revision: u64,
}

/// The latest of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub key: Key,
    /// Counts the turns, from 1; what its events are found by.
    pub number: u64,
    pub execution_id: String,
    pub pane_id: String,
    pub state: AgentTurnState,
    pub event_revision: u64,
    /// Place of the latest event in the journal.
    pub revision: u64,
    pub at: u64,
    /// When its first event was taken.
    #[serde(default)]
    pub began: u64,
    /// The beginning of its result or of the latest reason, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
    /// Of the latest event, see [`Report::fingerprint`].
    fingerprint: String,
    /// Place of the `lost` that covers the latest event; the producer's next event takes it away.
    #[serde(default)]
    pub lost: Option<u64>,
}

impl Head {
    /// Place of what a reader is shown.
    pub fn shown(&self) -> u64 {
        self.lost.unwrap_or(self.revision)
    }

    /// Whether the producer may still say something.
    pub fn is_open(&self) -> bool {
        !self.state.is_final()
    }
}

/// What becomes of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is news.
    New,
    /// It is the latest event once more, which has this place and time.
    Again { revision: u64, at: u64 },
    /// It is older than the latest: fine if the stored event of that number is equal, else stale.
    Older(Event),
}

/// Every turn that is kept.
#[derive(Debug, Default)]
pub(super) struct Journal {
    revision: u64,
    turns: u64,
    heads: HashMap<Key, Head>,
    /// By the place that readers are shown.
    order: BTreeMap<u64, Key>,
    expired: HashSet<String>,
    expired_in_order: VecDeque<String>,
}

impl Journal {
    /// Takes in what was stored.
    pub(super) fn load(
        heads: Vec<(String, String)>,
        expired: Vec<(String, String)>,
    ) -> Result<Journal, String> {
        let mut journal = Journal::default();
        for (number, body) in heads {
            let head: Head = serde_json::from_str(&body)
                .map_err(|error| format!("the turn of number {number}: {error}"))?;
            journal.turns = journal.turns.max(head.number);
            journal.revision = journal.revision.max(head.shown());
            journal.order.insert(head.shown(), head.key.clone());
            journal.heads.insert(head.key.clone(), head);
        }
        let mut expired: Vec<(u64, String)> = expired
            .into_iter()
            .map(|(short, place)| (place.parse().unwrap_or_default(), short))
            .collect();
        expired.sort();
        for (_, short) in expired {
            journal.expired.insert(short.clone());
            journal.expired_in_order.push_back(short);
        }
        Ok(journal)
    }

    /// The greatest place that was given.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn head(&self, key: &Key) -> Option<&Head> {
        self.heads.get(key)
    }

    /// The turns in the order of their latest places.
    pub(super) fn heads(&self) -> impl Iterator<Item = &Head> {
        self.order.values().filter_map(|key| self.heads.get(key))
    }

    /// What would become of a report. Changes nothing.
    pub(super) fn decide(&self, report: &Report) -> Result<Verdict, ApiError> {
        use AgentTurnState::Starting;
        let Some(head) = self.heads.get(&report.key) else {
            return self.decide_first(report);
        };
        let refused = |code: &'static str, message: String| Err(ApiError::new(code, message));
        let (latest, given) = (head.event_revision, report.event_revision);
        if given < latest {
            return Ok(Verdict::Older(Event {
                turn: head.number,
                revision: given,
            }));
        }
        if given == latest {
            return match head.fingerprint == report.fingerprint() {
                true => Ok(Verdict::Again {
                    revision: head.revision,
                    at: head.at,
                }),
                false => refused(
                    "agent_turn_revision_conflict",
                    format!("event {given} of this turn was reported before, and differently"),
                ),
            };
        }
        // The key leaves out who has the turn, and a session and a turn are no secrets: whoever reads the journal knows
        // them. So only the execution that began it goes on with it.
        if head.execution_id != report.execution_id {
            return refused(
                "agent_turn_provenance_mismatch",
                "this turn was begun by another execution".to_owned(),
            );
        }
        if head.state.is_final() {
            return refused(
                "agent_turn_terminal_conflict",
                format!("this turn has ended: {}", head.state),
            );
        }
        if report.state == Starting {
            return refused(
                "agent_turn_invalid_transition",
                format!("this turn has begun already and is {}", head.state),
            );
        }
        Ok(Verdict::New)
    }

    fn decide_first(&self, report: &Report) -> Result<Verdict, ApiError> {
        let refused = |code: &'static str, message: &str| Err(ApiError::new(code, message));
        if self.expired.contains(&report.key.short()) {
            return refused(
                "agent_turn_expired",
                "this turn was kept for its time and is gone",
            );
        }
        if report.event_revision != 1 {
            return refused(
                "agent_turn_missing_revision",
                "the first event of a turn has event_revision 1",
            );
        }
        if report.state != AgentTurnState::Starting {
            return refused(
                "agent_turn_invalid_transition",
                "the first event of a turn is starting",
            );
        }
        Ok(Verdict::New)
    }

    /// Takes in a report that [`Journal::decide`] called new.
    pub(super) fn append(&mut self, report: &Report, now: u64, rows: &mut Rows) -> AgentTurnRecord {
        let before = self.heads.remove(&report.key);
        let number = match &before {
            Some(head) => {
                self.order.remove(&head.shown());
                head.number
            }
            None => {
                self.turns += 1;
                self.turns
            }
        };
        self.revision += 1;
        let record = report.record(self.revision, now);
        let head = Head {
            key: report.key.clone(),
            number,
            execution_id: report.execution_id.clone(),
            pane_id: report.pane_id.clone(),
            state: report.state,
            event_revision: report.event_revision,
            revision: self.revision,
            at: now,
            began: before.map_or(now, |head| head.began),
            line: first_line(report),
            fingerprint: report.fingerprint(),
            lost: None,
        };
        rows.push(event_row(&record, number, report.event_revision));
        self.keep(head, rows);
        self.expire_oldest(rows);
        record
    }

    fn keep(&mut self, head: Head, rows: &mut Rows) {
        rows.push(row(HEAD, &head.number.to_string(), &head));
        self.order.insert(head.shown(), head.key.clone());
        self.heads.insert(head.key.clone(), head);
    }

    /// Covers an open turn whose producer is gone with a `lost` of the server's own. It takes a place in the journal
    /// and no number of the producer's, so that a producer that comes back after all collides with nothing.
    pub(super) fn lose(&mut self, key: &Key, now: u64, rows: &mut Rows) {
        let lost = |head: &Head| head.is_open() && head.lost.is_none();
        if !self.heads.get(key).is_some_and(lost) {
            return;
        }
        // It was looked at a line above.
        let Some(mut head) = self.heads.remove(key) else {
            return;
        };
        self.order.remove(&head.shown());
        self.revision += 1;
        head.lost = Some(self.revision);
        let record = AgentTurnRecord {
            execution_id: head.execution_id.clone(),
            pane_id: head.pane_id.clone(),
            producer: key.producer.clone(),
            session_id: key.session_id.clone(),
            turn_id: key.turn_id.clone(),
            generation: key.generation,
            event_revision: head.event_revision,
            state: AgentTurnState::Lost,
            result: None,
            result_digest: None,
            reason: Some(LOST.to_owned()),
            revision: self.revision,
            reported_at_unix_ms: now,
        };
        // Producers count from 1: no report is ever compared with this one.
        rows.push(event_row(&record, head.number, 0));
        self.keep(head, rows);
    }

    /// Lets the oldest turns go beyond what is kept: those that have ended first.
    fn expire_oldest(&mut self, rows: &mut Rows) {
        while self.heads.len() > TURNS {
            let ended = self.heads().find(|head| !head.is_open());
            let oldest = ended.or_else(|| self.heads().next());
            let Some(head) = oldest.cloned() else {
                return;
            };
            self.order.remove(&head.shown());
            self.heads.remove(&head.key);
            rows.push((store::Key::TurnEvents(head.number), None));
            rows.push(gone(HEAD, &head.number.to_string()));
            self.remember_expired(&head.key, rows);
        }
    }

    fn remember_expired(&mut self, key: &Key, rows: &mut Rows) {
        let short = key.short();
        if self.expired.insert(short.clone()) {
            let place = self.revision.to_string();
            rows.push((store::Key::Record(GONE, short.clone()), Some(place)));
            self.expired_in_order.push_back(short);
        }
        if self.expired_in_order.len() > EXPIRED
            && let Some(oldest) = self.expired_in_order.pop_front()
        {
            self.expired.remove(&oldest);
            rows.push(gone(GONE, &oldest));
        }
    }

    /// The kinds of its rows in the store.
    pub(super) const KINDS: [&'static str; 2] = [HEAD, GONE];
}

/// The first line of what a report says in words, cut to [`LINE`] characters.
fn first_line(report: &Report) -> String {
    let words = report.result.as_deref().or(report.reason.as_deref());
    let line = words.unwrap_or_default().lines().next().unwrap_or_default();
    line.chars().take(LINE).collect()
}

fn event_row(record: &AgentTurnRecord, turn: u64, event: u64) -> (store::Key, Option<String>) {
    let key = store::Key::TurnEvent {
        revision: record.revision,
        turn,
        event,
    };
    (key, Some(json(record)))
}
