//! What waits for one sink: a short queue, and the thread that empties it.
//!
//! A message has a row in the store ([`kept`](super::kept)) exactly while it waits: from when it is
//! queued to just before an attempt, and again from a failed attempt to the next.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store::Store;
use crate::sync::lock;

use super::kept::Kept;
use super::note::Note;
use super::sink::Sink;

/// Messages that wait for one sink, at most. Whoever finds more on the phone reads none of them.
const MOST_WAITING: usize = 64;

/// How old a message may be when it is sent: what comes later is no news and may be untrue.
pub(super) const STALE: Duration = Duration::from_secs(600);

/// A sink's queue; clones are the same one.
#[derive(Clone)]
pub(super) struct Outbox(Arc<Inner>);

struct Inner {
    name: String,
    sink: Sink,
    store: Store,
    /// Innermost of all locks but the store's queue and the log's.
    queue: Mutex<Queue>,
    /// Something was put in or taken back, or the queue was closed.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    /// The thread is there.
    runs: bool,
    closed: bool,
    /// What waited when it was closed is not to be sent at all.
    forgets: bool,
    /// Messages that found no room since the last that did.
    lost: u64,
}

struct Waiting {
    note: Arc<Note>,
    /// Not to be sent before.
    due: Instant,
    made: Instant,
    /// Attempts that have failed.
    attempts: u64,
    /// Gets whether the first attempt succeeded.
    outcome: Option<Sender<bool>>,
}

impl Outbox {
    pub(super) fn new(name: &str, sink: Sink, store: Store) -> Outbox {
        Outbox(Arc::new(Inner {
            name: name.to_owned(),
            sink,
            store,
            queue: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    /// Queues a message, to be sent at `due`. Returns at once. Where there is no room the oldest goes.
    pub(super) fn push(&self, note: &Arc<Note>, due: Instant, outcome: Option<Sender<bool>>) {
        self.put(Waiting {
            note: Arc::clone(note),
            due,
            made: Instant::now(),
            attempts: 0,
            outcome,
        });
    }

    /// Queues again what waited when another process ended.
    pub(super) fn take_over(&self, kept: Kept) {
        self.put(Waiting {
            due: kept.due,
            made: kept.made,
            attempts: kept.attempts,
            outcome: None,
            note: Arc::new(kept.note()),
        });
    }

    fn put(&self, waiting: Waiting) {
        let mut queue = lock(&self.0.queue);
        if queue.closed {
            return;
        }
        if queue.waiting.len() >= MOST_WAITING {
            if let Some(oldest) = queue.waiting.pop_front() {
                self.forget(&oldest.note);
            }
            queue.lost += 1;
            if queue.lost == 1 {
                log::warn!(
                    "notifications come faster than {} takes them; the oldest are dropped",
                    self.0.name
                );
            }
        } else {
            queue.lost = 0;
        }
        self.keep(&waiting);
        queue.waiting.push_back(waiting);
        if !queue.runs {
            queue.runs = self.start();
        }
        drop(queue);
        self.0.changed.notify_one();
    }

    /// Takes back what is about a pane and not due yet: it did not last.
    pub(super) fn withdraw(&self, pane: u64, now: Instant) {
        lock(&self.0.queue).waiting.retain(|waiting| {
            let stays =
                waiting.due <= now || waiting.attempts > 0 || waiting.note.pane != Some(pane);
            if !stays {
                self.forget(&waiting.note);
            }
            stays
        });
    }

    fn keep(&self, waiting: &Waiting) {
        let kept = Kept::new(
            &self.0.name,
            &waiting.note,
            waiting.due,
            waiting.made,
            waiting.attempts,
        );
        self.0
            .store
            .put(Kept::key(&self.0.name, &waiting.note), Some(kept.row()));
    }

    fn forget(&self, note: &Note) {
        self.0.store.put(Kept::key(&self.0.name, note), None);
    }

    /// Whether nothing waits.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0.queue).waiting.is_empty()
    }

    /// Ends the thread, after the attempt that it makes just now. What waits is for nobody.
    pub(super) fn close(&self) {
        self.end(true);
    }

    /// The same, but what waits is for the process that comes next.
    pub(super) fn leave(&self) {
        self.end(false);
    }

    fn end(&self, forget: bool) {
        let mut queue = lock(&self.0.queue);
        queue.closed = true;
        queue.forgets = forget;
        for waiting in queue.waiting.drain(..).filter(|_| forget) {
            self.forget(&waiting.note);
        }
        drop(queue);
        self.0.changed.notify_all();
    }

    fn start(&self) -> bool {
        let outbox = self.clone();
        let started = std::thread::Builder::new()
            .name(format!("notify-{}", self.0.name))
            .spawn(move || outbox.run());
        started
            .inspect_err(|error| log::error!("nothing is sent to {}: {error}", self.0.name))
            .is_ok()
    }

    fn run(&self) {
        while let Some(waiting) = self.next() {
            self.deliver(waiting);
        }
    }

    /// The next message that is due; none once the queue is closed.
    fn next(&self) -> Option<Waiting> {
        let mut queue = lock(&self.0.queue);
        loop {
            if queue.closed {
                return None;
            }
            let now = Instant::now();
            let earliest = queue.waiting.iter().enumerate();
            let earliest = earliest.min_by_key(|(_, waiting)| waiting.due);
            queue = match earliest.map(|(at, waiting)| (at, waiting.due)) {
                None => self.wait(queue, None),
                Some((at, due)) if due <= now => return queue.waiting.remove(at),
                Some((_, due)) => self.wait(queue, Some(due - now)),
            };
        }
    }

    fn wait<'a>(
        &self,
        queue: MutexGuard<'a, Queue>,
        time: Option<Duration>,
    ) -> MutexGuard<'a, Queue> {
        match time {
            None => self.0.changed.wait(queue),
            Some(time) => self
                .0
                .changed
                .wait_timeout(queue, time)
                .map(|(queue, _)| queue)
                .map_err(|poison| PoisonError::new(poison.into_inner().0)),
        }
        .unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message, and again where that may help, until it is taken, too old, or not wanted any
    /// more.
    fn deliver(&self, mut waiting: Waiting) {
        let note = Arc::clone(&waiting.note);
        loop {
            // From here on it may be with the receiver: who comes next must not send it again. And
            // what is told must not be taken back by a crash.
            self.forget(&note);
            self.0.store.commit(self.0.store.latest());
            let sent = self.0.sink.send(&note);
            waiting.attempts += 1;
            let attempt = waiting.attempts;
            if attempt == 1
                && let Some(outcome) = &waiting.outcome
            {
                // Whoever asked may have lost patience.
                let _ = outcome.send(sent.is_ok());
            }
            let failure = match sent {
                Ok(how) => {
                    log::debug!("notification {} to {}: {how}", note.id, self.0.name);
                    return;
                }
                Err(failure) => failure,
            };
            let pause = self.0.sink.pause(attempt, failure.again);
            let pause = pause.filter(|pause| waiting.made.elapsed() + *pause < STALE);
            let Some(pause) = pause else {
                log::warn!(
                    "a notification of {} did not reach {}: {} (attempt {attempt}, the last)",
                    note.event,
                    self.0.name,
                    failure.why
                );
                return;
            };
            log::debug!(
                "notification {} to {}: {}; again in {} ms",
                note.id,
                self.0.name,
                failure.why,
                pause.as_millis()
            );
            waiting.due = Instant::now() + pause;
            self.keep(&waiting);
            if !self.sleep(pause) {
                if lock(&self.0.queue).forgets {
                    self.forget(&note);
                }
                return;
            }
        }
    }

    /// Sleeps; false if the queue was closed meanwhile.
    fn sleep(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut queue = lock(&self.0.queue);
        while !queue.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            queue = self.wait(queue, Some(left));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::api::records::AgentStatus::{Blocked, Working};
    use crate::notify::note::Message;
    use crate::notify::sink::Terminals;
    use crate::notify::tests::change;

    /// A sink that says what it got and takes its time for it.
    struct Slow {
        got: Mutex<mpsc::Sender<String>>,
        go_on: Mutex<mpsc::Receiver<()>>,
    }

    impl Terminals for Slow {
        fn show(&self, note: &Note) -> usize {
            lock(&self.got).send(note.title.clone()).unwrap();
            lock(&self.go_on).recv().map_or(0, |()| 1)
        }
    }

    fn slow() -> (Outbox, mpsc::Receiver<String>, mpsc::Sender<()>) {
        let (got, titles) = mpsc::channel();
        let (go, go_on) = mpsc::channel();
        let sink = Slow {
            got: Mutex::new(got),
            go_on: Mutex::new(go_on),
        };
        let sink = Sink::Terminal(Some(Arc::new(sink)));
        (Outbox::new("slow", sink, Store::nowhere()), titles, go)
    }

    fn note(title: &str) -> Arc<Note> {
        Arc::new(Note::of_message(&Message {
            title: title.to_owned(),
            ..Message::default()
        }))
    }

    #[test]
    fn a_sink_that_is_slow_holds_nobody_up_and_the_oldest_make_room() {
        let (outbox, titles, go) = slow();
        let now = Instant::now();
        outbox.push(&note("first"), now, None);
        assert_eq!(titles.recv().unwrap(), "first");
        for number in 0..MOST_WAITING + 3 {
            outbox.push(&note(&number.to_string()), now, None);
        }
        assert_eq!(lock(&outbox.0.queue).waiting.len(), MOST_WAITING);
        for _ in 0..=MOST_WAITING {
            go.send(()).unwrap();
        }
        let got: Vec<String> = titles.iter().take(MOST_WAITING).collect();
        assert_eq!(got[0], "3");
        assert_eq!(got[MOST_WAITING - 1], (MOST_WAITING + 2).to_string());
        outbox.close();
    }

    #[test]
    fn what_did_not_last_is_taken_back_and_what_is_due_is_not() {
        let (outbox, titles, go) = slow();
        let now = Instant::now();
        let hour = Duration::from_secs(3600);
        let blocked = Arc::new(Note::of_agent(&change(Working, Blocked)));
        outbox.push(&blocked, now + hour, None);
        outbox.push(&note("later"), now + hour, None);
        outbox.withdraw(7, now);
        assert_eq!(lock(&outbox.0.queue).waiting.len(), 1, "only of that pane");
        outbox.push(&note("now"), now, None);
        assert_eq!(titles.recv().unwrap(), "now", "before what is due later");
        outbox.withdraw(7, now);
        go.send(()).unwrap();
        outbox.close();
        drop(outbox);
        assert_eq!(titles.recv().ok(), None, "the thread ends with the queue");
    }

    #[test]
    fn who_asks_is_told_what_became_of_it() {
        let (outbox, _titles, go) = slow();
        let (sender, outcome) = mpsc::channel();
        outbox.push(&note("a"), Instant::now(), Some(sender));
        go.send(()).unwrap();
        assert_eq!(outcome.recv(), Ok(true));
        let (sender, outcome) = mpsc::channel();
        drop(go);
        outbox.push(&note("b"), Instant::now(), Some(sender));
        assert_eq!(outcome.recv(), Ok(false));
        outbox.close();
    }
}
