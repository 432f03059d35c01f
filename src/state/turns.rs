//! The ledgers of turns behind their locks, and in the store: what is told of them is durable before it is told.
//!
//! Each ledger has a lock of its own, taken after the world's if at all, and under which nothing else is locked but
//! the store's queue. A change hands its rows to the store under that lock, so that they are stored in the order of
//! their causes, and waits for them without it.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::sys::signal::Signal;

use crate::api::ApiError;
use crate::api::records::{AgentTurnRecord, ExecutionRecord, InteractionOwner};
use crate::pane::{Format, Pane, ReadRequest, Source};
use crate::store::{OpenError, Store, Ticket};
use crate::sync::lock;
use crate::sys::Wake;
use crate::turn::interaction::Interactions;
use crate::turn::{End, Event, Key, Ledger, Report, Rows, Saved};
use crate::world::PaneKey;

use super::{Due, Shared};

/// Records of one answer at most, and bytes of them, but always one: a reader goes on behind the last. Well below the
/// 4 MiB that clients take, and a millisecond of reading.
const PAGE: usize = 1_000;
const PAGE_BYTES: usize = 1024 * 1024;

/// How long a report waits for its program's pane to appear: the time from starting a process to knowing that it runs.
const ATTACH_TIME: Duration = Duration::from_secs(2);

/// Bytes of a program's last text that are kept in memory (the fork's).
const TAIL_BYTES: usize = 4_096;

/// Lines that are read for them.
const TAIL_LINES: u32 = 200;

/// Programs whose last text is kept after their end, the latest ones.
const TAILS: usize = 64;

/// See the top of this file.
#[derive(Debug, Default)]
pub struct Turns {
    ledger: Mutex<Kept<Ledger>>,
    interactions: Mutex<Kept<Interactions>>,
    /// An execution has got its pane, or will not. Goes with `ledger`.
    attached: Condvar,
    /// Whether any execution may run: who else asks what the daemon can do is not looked for.
    running: AtomicBool,
    /// Who waits for any change. Innermost.
    waiting: Mutex<Vec<Weak<Wake>>>,
    /// Last texts of programs that have ended, by the execution's record; and the order of their ends. Innermost.
    tails: Mutex<Vec<(String, Tail)>>,
}

/// A ledger, and what names its last change in the store.
#[derive(Debug, Default)]
struct Kept<T> {
    of: T,
    last: Ticket,
}

/// The end of what a program printed.
#[derive(Debug, Clone, Default)]
pub struct Tail {
    pub text: String,
    /// It is not all.
    pub truncated: bool,
}

impl Saved for Store {
    type Error = OpenError;

    fn rows(&self, kind: &'static str) -> Result<Vec<(String, String)>, OpenError> {
        self.records(kind)
    }
}

impl Turns {
    /// Notifies `wake` at every change of any ledger for as long as somebody else holds it.
    pub fn follow(&self, wake: &Arc<Wake>) {
        let mut waiting = lock(&self.waiting);
        waiting.retain(|one| one.strong_count() > 0);
        waiting.push(Arc::downgrade(wake));
    }

    /// Whether any execution may run.
    pub fn any_running(&self) -> bool {
        self.running.load(Ordering::Relaxed)
    }

    fn tell(&self) {
        let wakes: Vec<Arc<Wake>> = lock(&self.waiting)
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        for wake in wakes {
            wake.notify();
        }
    }
}

impl Shared {
    /// Takes in the ledgers of before. `runs` knows the panes whose programs still run. To be called once, before
    /// anybody is served and before panes can end.
    ///
    /// # Errors
    /// They cannot be read, or what is there is not whole.
    pub fn load_turns(&self, runs: impl Fn(PaneKey) -> bool) -> Result<(), OpenError> {
        let damaged = |what: String| {
            OpenError::Refused(self.store.path().into(), format!("is damaged ({what})"))
        };
        let runs = |pane: u64| runs(PaneKey::new(pane));
        let (ledger, rows) = Ledger::load(&self.store, runs, now())?.map_err(damaged)?;
        let mut saved = Vec::new();
        for kind in Interactions::KINDS {
            saved.push(self.store.records(kind)?);
        }
        // As many as there are kinds.
        let saved = <[_; 3]>::try_from(saved).unwrap_or_default();
        let asks = |owner: &InteractionOwner| is_running(&ledger, owner);
        let (interactions, lost) = Interactions::load(saved, asks).map_err(damaged)?;
        let mut kept = lock(&self.turns.ledger);
        kept.of = ledger;
        self.keep(&mut kept, rows);
        self.turns
            .running
            .store(kept.of.any_running(), Ordering::Relaxed);
        self.wait_for_next_deadline(&kept.of);
        drop(kept);
        let mut kept = lock(&self.turns.interactions);
        kept.of = interactions;
        self.keep(&mut kept, lost);
        Ok(())
    }

    /// Hands rows over; false if nothing is stored any more, because the daemon ends.
    fn keep<T>(&self, kept: &mut Kept<T>, rows: Rows) -> bool {
        if rows.is_empty() {
            return true;
        }
        match self.store.put_all(rows) {
            Some(ticket) => kept.last = ticket,
            None => return false,
        }
        true
    }

    /// Looks at executions and journal.
    pub fn ledger<R>(&self, look: impl FnOnce(&Ledger) -> R) -> R {
        look(&lock(&self.turns.ledger).of)
    }

    /// Changes executions and journal, and waits until the change is durable; without one, until the last is.
    ///
    /// # Errors
    /// The change's own; or `agent_turn_not_durable`, and then nothing has changed if that was known before.
    pub fn change_ledger<R>(
        &self,
        change: impl FnOnce(&mut Ledger, u64, &mut Rows) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        self.check_store()?;
        let (outcome, ticket) = {
            let mut kept = lock(&self.turns.ledger);
            let mut rows = Rows::new();
            let outcome = change(&mut kept.of, now(), &mut rows);
            if !self.keep(&mut kept, rows) {
                return Err(not_durable("the daemon ends"));
            }
            self.turns
                .running
                .store(kept.of.any_running(), Ordering::Relaxed);
            self.wait_for_next_deadline(&kept.of);
            (outcome, kept.last)
        };
        let outcome = outcome?;
        self.turns.attached.notify_all();
        self.turns.tell();
        self.make_durable(ticket)?;
        Ok(outcome)
    }

    /// The same without waiting, for callers under the world's lock or in nobody's name.
    pub(super) fn note_in_ledger<R>(
        &self,
        change: impl FnOnce(&mut Ledger, u64, &mut Rows) -> R,
    ) -> R {
        let mut kept = lock(&self.turns.ledger);
        let mut rows = Rows::new();
        let outcome = change(&mut kept.of, now(), &mut rows);
        self.keep(&mut kept, rows);
        self.turns
            .running
            .store(kept.of.any_running(), Ordering::Relaxed);
        drop(kept);
        self.turns.attached.notify_all();
        self.turns.tell();
        outcome
    }

    /// Looks at the questions.
    pub fn interactions<R>(&self, look: impl FnOnce(&Interactions) -> R) -> R {
        look(&lock(&self.turns.interactions).of)
    }

    /// Changes the questions, and waits until the change is durable.
    ///
    /// # Errors
    /// See [`Shared::change_ledger`].
    pub fn change_interactions<R>(
        &self,
        change: impl FnOnce(&mut Interactions, &mut Rows) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        self.check_store()?;
        let (outcome, ticket) = {
            let mut kept = lock(&self.turns.interactions);
            let mut rows = Rows::new();
            let outcome = change(&mut kept.of, &mut rows);
            if !self.keep(&mut kept, rows) {
                return Err(not_durable("the daemon ends"));
            }
            (outcome, kept.last)
        };
        let outcome = outcome?;
        self.turns.tell();
        self.make_durable(ticket)?;
        Ok(outcome)
    }

    /// A receipt is a promise. What cannot be kept is not begun.
    fn check_store(&self) -> Result<(), ApiError> {
        match self.store.trouble() {
            Some(why) => Err(not_durable(&why)),
            None => Ok(()),
        }
    }

    fn make_durable(&self, ticket: Ticket) -> Result<(), ApiError> {
        if !self.store.is_durable(ticket) {
            self.store.commit_durably(ticket);
        }
        match self.store.is_durable(ticket) {
            true => Ok(()),
            false => Err(not_durable(&self.store.trouble().unwrap_or_default())),
        }
    }

    fn wait_for_next_deadline(&self, ledger: &Ledger) {
        if let Some(deadline) = ledger.next_deadline() {
            let left = Duration::from_millis(deadline.saturating_sub(now()));
            self.deadlines.add(Instant::now() + left, Due::TurnAction);
        }
    }

    /// The time of an action may be over.
    pub fn turn_actions_due(&self) {
        self.note_in_ledger(Ledger::expire_actions);
        self.wait_for_next_deadline(&lock(&self.turns.ledger).of);
    }

    /// Waits until the program that a report names has its pane.
    pub fn wait_until_attached(&self, is_attached: impl Fn(&Ledger) -> bool) {
        let deadline = Instant::now() + ATTACH_TIME;
        let mut kept = lock(&self.turns.ledger);
        while !is_attached(&kept.of) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            kept = self
                .turns
                .attached
                .wait_timeout(kept, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// An execution's pane has appeared; called in that step.
    pub fn execution_started(&self, id: &str, place: (PaneKey, String, String), pid: i32) {
        let (pane, pane_id, tab_id) = place;
        self.note_in_ledger(|ledger, now, rows| {
            ledger.started(id, (pane.number(), pane_id, tab_id), pid, now, rows);
        });
    }

    /// The program of a pane has ended, which may have been an execution's.
    pub(super) fn execution_ended(&self, pane: PaneKey, status: Option<ExitStatus>) {
        let found = self.ledger(|ledger| ledger.running_in(pane.number()).cloned());
        let Some(execution) = found else {
            // One that was cancelled meanwhile still gets the facts about its end.
            return self.note_end(pane, status, 0);
        };
        let id = execution.record.execution_id.clone();
        let runtime = self.look().pane(pane).map(|entry| entry.runtime.clone());
        let mut printed = 0;
        if let Some(runtime) = runtime {
            printed = runtime.pane.area().printed();
            let mut tail = tail_of(&runtime.pane);
            tail.text = execution.verifier.redacted(&tail.text);
            let mut tails = lock(&self.turns.tails);
            if tails.len() >= TAILS {
                tails.remove(0);
            }
            tails.push((id.clone(), tail));
        }
        self.note_end(pane, status, printed);
        let (semantic_id, generation) = (execution.semantic_id(), execution.generation());
        let is_gone = |owner: &InteractionOwner| {
            owner.execution_id == semantic_id && owner.generation == generation
        };
        let mut kept = lock(&self.turns.interactions);
        let mut rows = Rows::new();
        kept.of.lose(is_gone, &mut rows);
        self.keep(&mut kept, rows);
        drop(kept);
        self.turns.tell();
    }

    fn note_end(&self, pane: PaneKey, status: Option<ExitStatus>, printed: u64) {
        let signal = status.and_then(|status| status.signal());
        let end = End {
            exit_code: status.and_then(|status| status.code()),
            signal,
            signal_name: signal
                .and_then(|number| Signal::try_from(number).ok())
                .map(|signal| signal.as_str().to_owned()),
            unknown: status.is_none(),
            printed,
        };
        self.note_in_ledger(|ledger, now, rows| ledger.ended(pane.number(), &end, now, rows));
    }

    /// The record of an execution with what its program has printed so far.
    pub fn with_output(&self, mut record: ExecutionRecord, pane: Option<u64>) -> ExecutionRecord {
        let found = record
            .state
            .is_live()
            .then(|| pane.map(PaneKey::new))
            .flatten()
            .and_then(|key| Some(self.look().pane(key)?.runtime.clone()));
        let tail = match found {
            Some(runtime) => {
                record.stdout_bytes = runtime.pane.area().printed();
                let mut tail = tail_of(&runtime.pane);
                let id = record.execution_id.clone();
                let text = self.ledger(|ledger| {
                    let execution = ledger.execution(&id).ok()?;
                    Some(execution.verifier.redacted(&tail.text))
                });
                tail.text = text.unwrap_or_default();
                tail
            }
            None => {
                let tails = lock(&self.turns.tails);
                let kept = tails.iter().find(|(id, _)| *id == record.execution_id);
                kept.map(|(_, tail)| tail.clone()).unwrap_or_default()
            }
        };
        record.output_truncated =
            tail.truncated || (tail.text.is_empty() && record.stdout_bytes > 0);
        record.stdout_tail = tail.text;
        record
    }

    /// A page of the journal behind a revision.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn turns_after(&self, revision: u64) -> Result<Vec<AgentTurnRecord>, ApiError> {
        let last = lock(&self.turns.ledger).last;
        // Whoever keeps a revision must find the same event there after a loss of power.
        self.make_durable(last)?;
        let bodies = self
            .store
            .turn_events(revision, PAGE, PAGE_BYTES)
            .map_err(unreadable)?;
        bodies.iter().map(|body| read(body)).collect()
    }

    /// The latest of a turn, as readers are shown it.
    ///
    /// # Errors
    /// `agent_turn_not_found`.
    pub fn turn(&self, key: &Key) -> Result<AgentTurnRecord, ApiError> {
        let (place, last) = {
            let kept = lock(&self.turns.ledger);
            (kept.of.head(key).map(|head| head.shown()), kept.last)
        };
        self.make_durable(last)?;
        let found = match place {
            Some(revision) => self.store.turn_event(revision).map_err(unreadable)?,
            None => None,
        };
        let body = found.ok_or_else(|| {
            let turn = &key.turn_id;
            ApiError::new("agent_turn_not_found", format!("there is no turn {turn}"))
        })?;
        read(&body)
    }

    /// The stored event, if this report is that event once more.
    ///
    /// # Errors
    /// `agent_turn_stale_revision`.
    pub fn turn_event_again(
        &self,
        report: &Report,
        event: Event,
    ) -> Result<AgentTurnRecord, ApiError> {
        let last = lock(&self.turns.ledger).last;
        self.make_durable(last)?;
        let body = self
            .store
            .turn_event_of(event.turn, event.revision)
            .map_err(unreadable)?;
        let stored = body.map(|body| read(&body)).transpose()?;
        stored
            .filter(|stored| Report::of_record(stored) == *report)
            .ok_or_else(|| {
                ApiError::new(
                    "agent_turn_stale_revision",
                    format!(
                        "a later event of this turn came before, and event {} was another or is gone",
                        event.revision
                    ),
                )
            })
    }

    /// A page of the executions that changed behind a revision.
    pub fn executions_after(&self, revision: u64) -> Vec<ExecutionRecord> {
        let changed = self.ledger(|ledger| ledger.executions_after(revision));
        let mut bytes = 0;
        let mut page = Vec::new();
        for record in changed.into_iter().take(PAGE) {
            bytes += serde_json::to_string(&record).map_or(0, |json| json.len());
            page.push(record);
            if bytes > PAGE_BYTES {
                break;
            }
        }
        page
    }
}

fn is_running(ledger: &Ledger, owner: &InteractionOwner) -> bool {
    ledger
        .execution_of(&owner.execution_id, owner.generation)
        .is_some_and(|execution| execution.record.state.is_live())
}

/// The end of what is on a pane's terminal. A screen is locked: never under the world's lock.
fn tail_of(pane: &Pane) -> Tail {
    let request = ReadRequest {
        source: Source::RecentUnwrapped,
        lines: Some(TAIL_LINES),
        format: Format::Text,
    };
    let output = pane.screen().read(&request);
    let mut start = output.text.len().saturating_sub(TAIL_BYTES);
    while !output.text.is_char_boundary(start) {
        start += 1;
    }
    Tail {
        truncated: output.truncated || start > 0,
        text: output.text[start..].to_owned(),
    }
}

fn read(body: &str) -> Result<AgentTurnRecord, ApiError> {
    serde_json::from_str(body)
        .map_err(|error| ApiError::internal(format!("an event of the journal is damaged: {error}")))
}

fn unreadable(error: OpenError) -> ApiError {
    ApiError::internal(format!("the journal cannot be read: {error}"))
}

fn not_durable(why: &str) -> ApiError {
    ApiError::new(
        "agent_turn_not_durable",
        format!("this cannot be kept at present ({why}); report it again later"),
    )
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}
