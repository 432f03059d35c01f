//! The event hub: who wants to hear what, and the bounded queue of each listener.
//!
//! Everything is published under the world's lock, so the order in every queue is the order of
//! causes. A line is serialised once and shared. Nothing here blocks: a listener that falls
//! behind loses its stream, with a line that says so.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};

use crate::api::events::EventKind;
use crate::api::records::AgentStatus;
use crate::config;
use crate::sync::lock;
use crate::sys::Wake;
use crate::world::PaneKey;

/// News of its agent that a wait may be behind.
const NEWS_LIMIT: usize = 1024;

/// How far a listener may be behind before its stream ends with `events_lost`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behind {
    /// Lines.
    pub lines: usize,
    /// Bytes of them.
    pub bytes: usize,
}

impl From<&config::Limits> for Behind {
    fn from(limits: &config::Limits) -> Behind {
        let number = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        Behind {
            lines: number(limits.event_lines),
            bytes: number(limits.event_bytes),
        }
    }
}

/// What one listener wants, as its subscription listed it.
#[derive(Debug, Default)]
pub struct Wants {
    /// Lifecycle events; one that is listed twice is delivered twice (herdr 0.9.3).
    pub kinds: Vec<EventKind>,
    /// Status changes of one pane, of any status or of one.
    pub statuses: Vec<(PaneKey, Option<AgentStatus>)>,
}

#[derive(Debug, Default)]
struct Queue {
    lines: VecDeque<Arc<str>>,
    bytes: usize,
    overrun: bool,
    /// Nothing more is to be queued.
    muted: bool,
}

/// One subscriber's queue. The connection's thread sleeps on `wake` and drains.
#[derive(Debug)]
pub struct Listener {
    wants: Wants,
    limit: Behind,
    queue: Mutex<Queue>,
    /// Notified after lines were queued.
    pub wake: Arc<Wake>,
}

/// What a listener's thread took out of its queue.
#[derive(Debug)]
pub struct Drained {
    /// In order of cause.
    pub lines: VecDeque<Arc<str>>,
    /// The listener fell behind: after these lines some are missing.
    pub overrun: bool,
}

impl Listener {
    /// Takes everything that is queued.
    pub fn drain(&self) -> Drained {
        let mut queue = lock(&self.queue);
        queue.bytes = 0;
        Drained {
            lines: std::mem::take(&mut queue.lines),
            overrun: queue.overrun,
        }
    }

    /// Hears nothing more; what is queued stays.
    pub(super) fn mute(&self) {
        lock(&self.queue).muted = true;
    }

    /// Whether anything is queued, or was lost.
    pub fn has_lines(&self) -> bool {
        let queue = lock(&self.queue);
        queue.overrun || !queue.lines.is_empty()
    }

    fn push(&self, line: &Arc<str>, times: usize) {
        let mut queue = lock(&self.queue);
        if queue.muted {
            return;
        }
        for _ in 0..times {
            let bytes = queue.bytes + line.len();
            if queue.lines.len() >= self.limit.lines || bytes > self.limit.bytes {
                queue.overrun = true;
            }
            if !queue.overrun {
                queue.bytes = bytes;
                queue.lines.push_back(line.clone());
            }
        }
    }
}

/// What happened to the agent of a pane, for those who wait on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentNews {
    /// The public status is this now.
    Status(AgentStatus),
    /// The agent let go of the pane, ended or vanished, and left this status.
    Left(AgentStatus),
    /// Another agent is there than before, or one where none was. Its status follows if it differs.
    Arrived,
    /// An agent that `agent.start` started can be talked to, and has this status.
    Ready(AgentStatus),
    /// No start is under way or has succeeded: the last one came to nothing, or there was none.
    Unstarted,
    /// The pane, and with it its agent, is in another tab.
    Moved,
    /// The pane is gone.
    Closed,
}

/// One wait on one pane's agent. Unlike a look at the present state it misses nothing, however
/// short.
#[derive(Debug)]
pub struct AgentWatch {
    pane: PaneKey,
    news: Mutex<VecDeque<AgentNews>>,
    /// Notified after news was queued.
    pub wake: Arc<Wake>,
}

impl AgentWatch {
    /// The oldest piece of news not yet looked at.
    pub fn next(&self) -> Option<AgentNews> {
        lock(&self.news).pop_front()
    }
}

/// All listeners and watches. Part of the world's lock.
#[derive(Debug, Default)]
pub struct Hub {
    listeners: Vec<Weak<Listener>>,
    watches: Vec<Weak<AgentWatch>>,
    /// To be notified once the world's lock is let go of.
    pending: Vec<Arc<Wake>>,
}

impl Hub {
    /// Starts listening, from this moment on, with a queue of this limit. Dropping the listener ends
    /// it.
    pub fn listen(&mut self, wants: Wants, limit: Behind, wake: Arc<Wake>) -> Arc<Listener> {
        let listener = Arc::new(Listener {
            wants,
            limit,
            queue: Mutex::default(),
            wake,
        });
        self.listeners.retain(|known| known.strong_count() > 0);
        self.listeners.push(Arc::downgrade(&listener));
        listener
    }

    /// Starts watching the agent of `pane`. Dropping the watch ends it.
    pub fn watch(&mut self, pane: PaneKey, wake: Arc<Wake>) -> Arc<AgentWatch> {
        let watch = Arc::new(AgentWatch {
            pane,
            news: Mutex::default(),
            wake,
        });
        self.watches.retain(|known| known.strong_count() > 0);
        self.watches.push(Arc::downgrade(&watch));
        watch
    }

    /// Whether anybody would get an event of this kind: if not, nobody need build it.
    pub fn wants(&self, kind: EventKind) -> bool {
        self.live()
            .any(|listener| listener.wants.kinds.contains(&kind))
    }

    /// Queues `line` for all who asked for `kind`.
    pub fn publish(&mut self, kind: EventKind, line: &Arc<str>) {
        let mut woken = Vec::new();
        for listener in self.live() {
            let times = listener
                .wants
                .kinds
                .iter()
                .filter(|&&wanted| wanted == kind)
                .count();
            if times > 0 {
                listener.push(line, times);
                woken.push(listener.wake.clone());
            }
        }
        self.pending.append(&mut woken);
    }

    /// Whether anybody would get a line about `pane` having `status`.
    pub fn wants_status(&self, pane: PaneKey, status: AgentStatus) -> bool {
        self.live()
            .any(|listener| listener.wants.status_entries(pane, status) > 0)
    }

    /// Queues `line` for all who asked for the status of `pane`.
    pub fn publish_status(&mut self, pane: PaneKey, status: AgentStatus, line: &Arc<str>) {
        let mut woken = Vec::new();
        for listener in self.live() {
            let times = listener.wants.status_entries(pane, status);
            if times > 0 {
                listener.push(line, times);
                woken.push(listener.wake.clone());
            }
        }
        self.pending.append(&mut woken);
    }

    /// Tells the watches of `pane`.
    pub fn tell(&mut self, pane: PaneKey, news: AgentNews) {
        for watch in self
            .watches
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|w| w.pane == pane)
        {
            let mut queue = lock(&watch.news);
            // A wait looks at every piece of news at once; one that does not is not running.
            if queue.len() == NEWS_LIMIT {
                queue.pop_front();
            }
            queue.push_back(news);
            self.pending.push(watch.wake.clone());
        }
    }

    /// The wakes to notify once the lock is free.
    pub fn take_pending(&mut self) -> Vec<Arc<Wake>> {
        std::mem::take(&mut self.pending)
    }

    fn live(&self) -> impl Iterator<Item = Arc<Listener>> {
        self.listeners.iter().filter_map(Weak::upgrade)
    }
}

impl Wants {
    fn status_entries(&self, pane: PaneKey, status: AgentStatus) -> usize {
        self.statuses
            .iter()
            .filter(|(of, only)| *of == pane && only.is_none_or(|only| only == status))
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that a listener of these tests may be behind.
    const LINES: usize = 64;
    const BYTES: usize = 1024 * 1024;
    const LIMIT: Behind = Behind {
        lines: LINES,
        bytes: BYTES,
    };

    fn lines(drained: &Drained) -> Vec<&str> {
        drained.lines.iter().map(|line| &**line).collect()
    }

    fn listener(hub: &mut Hub, kinds: &[EventKind]) -> Arc<Listener> {
        let wants = Wants {
            kinds: kinds.to_vec(),
            statuses: Vec::new(),
        };
        hub.listen(wants, LIMIT, Arc::new(Wake::new().unwrap()))
    }

    #[test]
    fn a_listener_hears_what_it_asked_for_in_order_of_cause() {
        let mut hub = Hub::default();
        let listener = listener(&mut hub, &[EventKind::TabCreated, EventKind::PaneCreated]);
        hub.publish(EventKind::PaneCreated, &"1".into());
        hub.publish(EventKind::WorkspaceCreated, &"2".into());
        hub.publish(EventKind::TabCreated, &"3".into());
        assert_eq!(lines(&listener.drain()), ["1", "3"]);
        assert_eq!(hub.take_pending().len(), 2);
    }

    #[test]
    fn what_is_listed_twice_is_delivered_twice() {
        let mut hub = Hub::default();
        let listener = listener(&mut hub, &[EventKind::TabCreated, EventKind::TabCreated]);
        hub.publish(EventKind::TabCreated, &"1".into());
        assert_eq!(lines(&listener.drain()), ["1", "1"]);
    }

    #[test]
    fn who_falls_behind_gets_what_fits_and_the_news_of_the_loss() {
        let mut hub = Hub::default();
        let slow = listener(&mut hub, &[EventKind::TabCreated]);
        for _ in 0..LINES + 5 {
            hub.publish(EventKind::TabCreated, &"x".into());
        }
        let drained = slow.drain();
        assert_eq!(drained.lines.len(), LINES);
        assert!(drained.overrun);
        hub.publish(EventKind::TabCreated, &"y".into());
        assert!(slow.drain().lines.is_empty(), "nothing follows a gap");
    }

    #[test]
    fn who_leaves_megabytes_unread_falls_behind_too() {
        let mut hub = Hub::default();
        let slow = listener(&mut hub, &[EventKind::TabCreated]);
        let line = Arc::from("x".repeat(BYTES / 4));
        for _ in 0..4 {
            hub.publish(EventKind::TabCreated, &line);
        }
        assert_eq!((slow.drain().lines.len(), slow.has_lines()), (4, false));
        for _ in 0..5 {
            hub.publish(EventKind::TabCreated, &line);
        }
        let drained = slow.drain();
        assert_eq!((drained.lines.len(), drained.overrun), (4, true));
    }

    #[test]
    fn who_is_gone_is_not_served() {
        let mut hub = Hub::default();
        drop(listener(&mut hub, &[EventKind::TabCreated]));
        assert!(!hub.wants(EventKind::TabCreated));
        hub.publish(EventKind::TabCreated, &"x".into());
        assert!(hub.take_pending().is_empty());
    }
}
