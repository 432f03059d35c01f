//! Telling a person: that an agent waits, is done or goes on, and what a program says with
//! `notification.show`.
//!
//! The rules of the configuration decide ([`rules`], pure) which sinks get a message; each sink has a
//! short queue and a thread of its own ([`outbox`]) that sleeps while there is nothing to send. So
//! whoever changes an agent's state only ever puts something into a queue, and a sink that is slow or
//! dead holds up nobody, the other sinks included.
//!
//! What is waiting is in the store as well ([`kept`]), until an attempt is made, so that it outlives the
//! worker. Nothing that may have been handed over is told again after a restart.

mod http;
mod kept;
mod look;
mod note;
mod outbox;
mod process;
mod rules;
mod secret;
mod sink;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::config::{self, BUILT_IN, NotifyRule, NotifySink, NotifyWhen, ToastDelivery};
use crate::store::{Key, Store};
use crate::sync::lock;

pub use look::{Flaw, Viewpoint, desktop_flaw, flaws};
pub use note::{Message, Note, Transition};
pub use sink::Terminals;

use kept::Kept;
use outbox::Outbox;
use rules::{Rules, Ruling, Silence};
use sink::Sink;

/// How long whoever shows a message waits to learn what became of it. A desktop takes milliseconds; a
/// push that takes longer goes on without them.
const SHOW_TIME: Duration = Duration::from_millis(1500);

/// Between two messages of `notification.show` that are shown (herdr 0.9.3).
const SHOW_PAUSE: Duration = Duration::from_secs(1);

/// What a test waits beyond the time that the sink itself may take.
const TEST_GRACE: Duration = Duration::from_secs(2);

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// A sink has taken it.
    Yes,
    /// Nothing is configured to show it, or not at this hour.
    Disabled,
    /// Too soon after another, or more than a rule allows.
    TooSoon,
    /// No sink could take it.
    Nobody,
    /// It is still on its way.
    OnItsWay,
}

/// What a test of one sink found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// The sink's name.
    pub sink: String,
    /// What it is, in a word.
    pub kind: &'static str,
    /// A rule names it, or `ui.toast.delivery` means it.
    pub used: bool,
    /// What it took the message with, or why it did not.
    pub outcome: Result<String, String>,
    /// How long that took.
    pub time: Duration,
}

/// Everything that tells people something.
pub struct Notifier {
    /// Innermost: nothing is locked under it but the queues of the outboxes and the store's.
    state: Mutex<State>,
    /// Whether any rule is about agents: most people have none, and then a change of state costs one
    /// load.
    listens: AtomicBool,
    terminals: OnceLock<Arc<dyn Terminals>>,
    store: Store,
}

impl std::fmt::Debug for Notifier {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Notifier").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    rules: Rules,
    /// Where messages go that no rule speaks of.
    otherwise: Option<&'static str>,
    configured: Vec<NotifySink>,
    outboxes: BTreeMap<String, Outbox>,
    /// When a message of `notification.show` was last shown, or began to be.
    shown: Option<Instant>,
}

impl Notifier {
    /// One that tells nobody anything until it is configured. What it is told of is sent once `store`
    /// has committed it.
    pub fn new(config: &config::Config, store: Store) -> Notifier {
        let notifier = Notifier {
            state: Mutex::default(),
            listens: AtomicBool::new(false),
            terminals: OnceLock::new(),
            store,
        };
        notifier.configure(config);
        notifier
    }

    /// Says who can show something in attached terminals. Set once.
    pub fn show_in(&self, terminals: Arc<dyn Terminals>) {
        // A second time would be a mistake in the daemon's start, which has one.
        let _ = self.terminals.set(terminals);
    }

    /// Takes what the configuration says now. Sinks that are as before keep what waits in them.
    pub fn configure(&self, config: &config::Config) {
        let otherwise = match config.ui.toast_delivery {
            ToastDelivery::Off => None,
            ToastDelivery::Herdr | ToastDelivery::Terminal => Some("terminal"),
            ToastDelivery::System => Some("desktop"),
        };
        let mut rules = config.notify.rules.clone();
        let about_agents = |rule: &NotifyRule| rule.on.chosen().iter().any(|on| *on != "message");
        if let Some(sink) = otherwise
            && !rules.iter().any(about_agents)
        {
            // What herdr does with this setting: agents in other tabs, a second after the change.
            rules.push(NotifyRule {
                when: NotifyWhen::Unfocused,
                delay_ms: 1_000,
                sinks: vec![sink.to_owned()],
                ..NotifyRule::default()
            });
        }
        self.listens
            .store(rules.iter().any(about_agents), Ordering::Relaxed);
        let mut state = lock(&self.state);
        state.rules = Rules::new(rules);
        state.otherwise = otherwise;
        let before = std::mem::replace(&mut state.configured, config.notify.sinks.clone());
        let (configured, outboxes) = (&config.notify.sinks, &mut state.outboxes);
        outboxes.retain(|name, outbox| {
            let as_before = BUILT_IN.contains(&name.as_str())
                || before
                    .iter()
                    .any(|sink| sink.name == *name && configured.contains(sink));
            if !as_before {
                outbox.close();
            }
            as_before
        });
    }

    /// Whether anybody wants to hear of agents at all.
    pub fn listens(&self) -> bool {
        self.listens.load(Ordering::Relaxed)
    }

    /// Tells nobody anything from now on: the agents that end now end with the session.
    pub fn stop(&self) {
        self.end(Outbox::close);
    }

    /// The same, but the agents go on, and so does what waits: with the process that takes over.
    pub fn leave(&self) {
        self.end(Outbox::leave);
    }

    fn end(&self, how: impl Fn(&Outbox)) {
        self.listens.store(false, Ordering::Relaxed);
        let state = std::mem::take(&mut *lock(&self.state));
        state.outboxes.values().for_each(how);
    }

    /// Goes on with what waited when the process before this one ended. `same_agents`: they live on.
    pub fn take_over(&self, same_agents: bool) {
        let rows = match self.store.records(kept::KIND) {
            Ok(rows) => rows,
            Err(error) => return log::warn!("notifications that waited are lost: {error}"),
        };
        let now = Instant::now();
        let mut waited = Vec::new();
        for (key, row) in rows {
            match Kept::read(&row, same_agents, now) {
                Some(kept) => waited.push((key, kept)),
                None => {
                    self.store.put(Key::Record(kept::KIND, key), None);
                }
            }
        }
        waited.sort_by_key(|(_, kept)| kept.made);
        let mut state = lock(&self.state);
        for (key, kept) in waited {
            match self.outbox(&mut state, &kept.sink) {
                Some(outbox) => outbox.take_over(kept),
                // Nobody has this name any more.
                None => {
                    self.store.put(Key::Record(kept::KIND, key), None);
                }
            }
        }
    }

    /// An agent changed its state. Only queues; may be called anywhere but under the world's lock.
    pub fn agent(&self, change: &Transition) {
        if !self.listens() {
            return;
        }
        let now = Instant::now();
        let mut state = lock(&self.state);
        for outbox in state.outboxes.values() {
            outbox.withdraw(change.pane, now);
        }
        let Ruling::Send(sinks) = state.rules.agent(change, now, local_minute) else {
            return;
        };
        let note = Arc::new(Note::of_agent(change));
        for (name, delay) in sinks {
            if let Some(outbox) = self.outbox(&mut state, &name) {
                outbox.push(&note, now + delay, None);
            }
        }
    }

    /// A program has something to say. Waits for what becomes of it, for a second and a half at most;
    /// call it with no lock held.
    pub fn message(&self, message: &Message) -> Shown {
        let now = Instant::now();
        let (sender, outcomes) = mpsc::channel();
        let mut waiting = 0;
        {
            let mut state = lock(&self.state);
            let recent = state
                .shown
                .is_some_and(|shown| now.saturating_duration_since(shown) < SHOW_PAUSE);
            if recent && (state.otherwise.is_some() || state.rules.take_messages()) {
                return Shown::TooSoon;
            }
            let sinks = match state.rules.message(now, local_minute) {
                Ruling::Send(sinks) => sinks,
                Ruling::Silent(Silence::NoRule) => match state.otherwise {
                    Some(sink) => vec![(sink.to_owned(), Duration::ZERO)],
                    None => return Shown::Disabled,
                },
                Ruling::Silent(Silence::Quiet) => return Shown::Disabled,
                Ruling::Silent(Silence::Rate) => return Shown::TooSoon,
            };
            state.shown = Some(now);
            let note = Arc::new(Note::of_message(message));
            for (name, _) in sinks {
                if let Some(outbox) = self.outbox(&mut state, &name) {
                    outbox.push(&note, now, Some(sender.clone()));
                    waiting += 1;
                }
            }
        }
        drop(sender);
        let deadline = now + SHOW_TIME;
        while waiting > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            match outcomes.recv_timeout(left) {
                Ok(true) => return Shown::Yes,
                Ok(false) => waiting -= 1,
                Err(RecvTimeoutError::Timeout) => return Shown::OnItsWay,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let mut state = lock(&self.state);
        if state.shown == Some(now) {
            // What nobody saw is no reason to hold the next one back (herdr 0.9.3).
            state.shown = None;
        }
        Shown::Nobody
    }

    /// Sends a message through each sink, or through the one with this name, once and at the same time,
    /// past the queues. None if there is no such sink. Takes as long as the slowest; call it with no
    /// lock held.
    pub fn test(&self, only: Option<&str>) -> Option<Vec<Tested>> {
        let sinks: Vec<(String, bool, Arc<Sink>)> = {
            let state = lock(&self.state);
            let built_in = BUILT_IN.iter().map(|name| (*name).to_owned());
            let configured = state.configured.iter().map(|sink| sink.name.clone());
            built_in
                .chain(configured)
                .filter(|name| only.is_none_or(|only| only == name))
                .filter_map(|name| {
                    let used = state.rules.name(&name) || state.otherwise == Some(&name);
                    Some((name.clone(), used, Arc::new(self.sink(&state, &name)?)))
                })
                .collect()
        };
        if sinks.is_empty() {
            return None;
        }
        let note = Arc::new(Note::of_test());
        let started = Instant::now();
        let runs: Vec<_> = sinks
            .into_iter()
            .map(|(name, used, sink)| {
                let (sender, outcome) = mpsc::channel();
                let (sending, note) = (Arc::clone(&sink), Arc::clone(&note));
                let thread = std::thread::Builder::new()
                    .name("notify-test".to_owned())
                    .spawn(move || {
                        let sent = sending.send(&note);
                        let _ = sender.send((sent, started.elapsed()));
                    });
                (name, used, sink, outcome, thread.is_ok())
            })
            .collect();
        let found = runs.into_iter().map(|(sink, used, of, outcome, runs)| {
            let left = (of.timeout() + TEST_GRACE).saturating_sub(started.elapsed());
            let (outcome, time) = match outcome.recv_timeout(left) {
                Ok((sent, time)) => (sent.map_err(|failure| failure.why), time),
                Err(_) if !runs => (Err("no thread could be started".to_owned()), Duration::ZERO),
                Err(_) => (Err("it did not end in time".to_owned()), started.elapsed()),
            };
            Tested {
                sink,
                kind: of.kind(),
                used,
                outcome,
                time,
            }
        });
        Some(found.collect())
    }

    /// The queue of a sink; none for a name that is nobody's.
    fn outbox<'a>(&self, state: &'a mut State, name: &str) -> Option<&'a Outbox> {
        if !state.outboxes.contains_key(name) {
            let sink = self.sink(state, name)?;
            let outbox = Outbox::new(name, sink, self.store.clone());
            state.outboxes.insert(name.to_owned(), outbox);
        }
        state.outboxes.get(name)
    }

    fn sink(&self, state: &State, name: &str) -> Option<Sink> {
        match name {
            "desktop" => Some(Sink::Desktop),
            "terminal" => Some(Sink::Terminal(self.terminals.get().cloned())),
            name => {
                let mut configured = state.configured.iter();
                let sink = configured.find(|sink| sink.name == name)?;
                Some(Sink::configured(sink.clone()))
            }
        }
    }
}

/// The minute of the day on the person's clock.
fn local_minute() -> u16 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(i64::MAX);
    let local = now.saturating_add(crate::sys::local_offset(now));
    // Below 1,440.
    (local.rem_euclid(86_400) / 60) as u16
}
