//! How many connections and streams there may be, in all and per calling process.
//!
//! A slot is taken when a connection is accepted and given back when it drops, so that no path,
//! a panic included, can leak one. Callers whose process the kernel does not tell share one count.
//!
//! As slots run out, a process may hold ever fewer (a dynamic threshold, as switches share their
//! buffers): however many processes take all they can get at once, some slots stay free for those
//! that hold none.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use crate::config;
use crate::sync::lock;

/// The ceilings, from the configuration's `[limits]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections of any kind that one process may hold.
    pub connections_per_process: usize,
    /// Event streams that one process may hold.
    pub streams_per_process: usize,
    /// Connections in all. Each costs a thread and a descriptor.
    pub connections: usize,
    /// Event streams in all.
    pub streams: usize,
}

impl From<&config::Limits> for Limits {
    fn from(limits: &config::Limits) -> Limits {
        let number = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        Limits {
            connections_per_process: number(limits.connections_per_process),
            streams_per_process: number(limits.streams_per_process),
            connections: number(limits.connections),
            streams: number(limits.streams),
        }
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Held {
    connections: usize,
    streams: usize,
}

#[derive(Debug, Default)]
struct Counts {
    all: Held,
    by_process: HashMap<Option<i32>, Held>,
}

/// The table of who holds what. Guards only itself; nothing else is locked while it is held.
#[derive(Debug)]
pub struct Slots {
    limits: Mutex<Limits>,
    counts: Mutex<Counts>,
}

/// What there is no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Connection,
    Stream,
}

/// Why a connection or a stream got no slot. Displays as what happened and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// This process holds as many as one process may; the number is that ceiling.
    Process(What, usize),
    /// Nearly all are taken, and this process holds more of them, the number, than are free.
    Share(What, usize),
    /// The daemon holds as many as it may; the number is that ceiling.
    Daemon(What, usize),
}

impl fmt::Display for What {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            What::Connection => "connections",
            What::Stream => "event streams",
        })
    }
}

impl fmt::Display for Full {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Full::Process(what, limit) => write!(
                formatter,
                "this process holds {limit} {what} already, as many as one may; close some and try again"
            ),
            Full::Share(what, held) => write!(
                formatter,
                "this process holds {held} {what} already, and hardly any are left for others; \
                 close some and try again"
            ),
            Full::Daemon(what, limit) => write!(
                formatter,
                "the daemon serves {limit} {what} already, as many as it may; try again in a moment"
            ),
        }
    }
}

/// A process may hold this fraction of what is free, where the ceiling is so far above the share of
/// one process that this leaves everybody enough.
const SCARCITY: usize = 8;

/// Whether one more may be taken, where `all` of `limit` are, `held` of them by a process whose
/// share is `share`.
fn room(what: What, all: usize, limit: usize, held: usize, share: usize) -> Result<(), Full> {
    let free = limit.saturating_sub(all);
    let scarcity = (limit / share.saturating_mul(4).max(1)).clamp(1, SCARCITY);
    if held >= share {
        Err(Full::Process(what, share))
    } else if free == 0 {
        Err(Full::Daemon(what, limit))
    } else if held > 0 && held >= free / scarcity {
        Err(Full::Share(what, held))
    } else {
        Ok(())
    }
}

impl Slots {
    pub fn new(limits: Limits) -> Arc<Slots> {
        Arc::new(Slots {
            limits: Mutex::new(limits),
            counts: Mutex::default(),
        })
    }

    /// Takes new ceilings; what is held above them stays held.
    pub fn set_limits(&self, limits: Limits) {
        *lock(&self.limits) = limits;
    }

    /// A slot for a connection of `process`.
    pub fn connection(self: &Arc<Self>, process: Option<i32>) -> Result<Slot, Full> {
        let limits = *lock(&self.limits);
        let mut counts = lock(&self.counts);
        let held = counts.by_process.get(&process).copied().unwrap_or_default();
        room(
            What::Connection,
            counts.all.connections,
            limits.connections,
            held.connections,
            limits.connections_per_process,
        )?;
        counts.by_process.entry(process).or_default().connections += 1;
        counts.all.connections += 1;
        Ok(Slot {
            slots: self.clone(),
            process,
            stream: Cell::new(false),
        })
    }

    /// Connections held now.
    pub fn connections(&self) -> usize {
        lock(&self.counts).all.connections
    }
}

/// One held connection; a stream as well, once [`Slot::become_stream`] said yes.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    process: Option<i32>,
    stream: Cell<bool>,
}

impl Slot {
    /// Counts this connection as one of its process's event streams too.
    pub fn become_stream(&self) -> Result<(), Full> {
        if self.stream.get() {
            return Ok(());
        }
        let limits = *lock(&self.slots.limits);
        let mut counts = lock(&self.slots.counts);
        let held = counts
            .by_process
            .get(&self.process)
            .copied()
            .unwrap_or_default();
        room(
            What::Stream,
            counts.all.streams,
            limits.streams,
            held.streams,
            limits.streams_per_process,
        )?;
        counts.by_process.entry(self.process).or_default().streams += 1;
        counts.all.streams += 1;
        self.stream.set(true);
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let streams = usize::from(self.stream.get());
        let mut counts = lock(&self.slots.counts);
        counts.all.connections -= 1;
        counts.all.streams -= streams;
        if let Some(held) = counts.by_process.get_mut(&self.process) {
            held.connections -= 1;
            held.streams -= streams;
            if held.connections == 0 {
                counts.by_process.remove(&self.process);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(connections: usize) -> Arc<Slots> {
        Slots::new(Limits {
            connections_per_process: 2,
            streams_per_process: 1,
            connections,
            streams: 2,
        })
    }

    #[test]
    fn a_process_gets_its_share_and_no_more() {
        let slots = slots(8);
        let first = slots.connection(Some(1)).unwrap();
        let _second = slots.connection(Some(1)).unwrap();
        let full = slots.connection(Some(1)).unwrap_err();
        assert_eq!(full, Full::Process(What::Connection, 2));
        drop(first);
        assert!(
            slots.connection(Some(1)).is_ok(),
            "a dropped connection frees its slot"
        );
    }

    #[test]
    fn the_daemon_has_a_ceiling_over_all_processes() {
        let slots = slots(3);
        let held: Vec<_> = (1..=3)
            .map(|p| slots.connection(Some(p)).unwrap())
            .collect();
        let full = slots.connection(Some(4)).unwrap_err();
        assert_eq!(full, Full::Daemon(What::Connection, 3));
        drop(held);
        assert_eq!(slots.connections(), 0);
        assert!(
            lock(&slots.counts).by_process.is_empty(),
            "no entry outlives its connections"
        );
    }

    #[test]
    fn processes_that_take_all_they_get_leave_a_first_connection_for_others() {
        let slots = Slots::new(Limits {
            connections_per_process: 64,
            streams_per_process: 8,
            connections: 2_048,
            streams: 1_024,
        });
        let mut held = Vec::new();
        for process in (0..500).cycle().take(500 * 64) {
            held.extend(slots.connection(Some(process)));
        }
        let again = slots.connection(Some(0)).unwrap_err();
        assert!(matches!(again, Full::Share(What::Connection, _)), "{again}");
        for process in 500..532 {
            held.push(slots.connection(Some(process)).unwrap());
        }
    }

    #[test]
    fn one_process_gets_all_of_its_share_while_there_is_plenty() {
        let slots = Slots::new(Limits {
            connections_per_process: 64,
            streams_per_process: 8,
            connections: 2_048,
            streams: 1_024,
        });
        let held: Vec<_> = (0..24)
            .flat_map(|process| (0..64).map(move |_| process))
            .map(|process| slots.connection(Some(process)).unwrap())
            .collect();
        assert_eq!(held.len(), 24 * 64);
    }

    #[test]
    fn streams_are_counted_apart_and_callers_without_a_pid_share_one_count() {
        let slots = slots(8);
        let first = slots.connection(None).unwrap();
        let second = slots.connection(None).unwrap();
        first.become_stream().unwrap();
        first.become_stream().unwrap();
        assert_eq!(second.become_stream(), Err(Full::Process(What::Stream, 1)));
        assert!(slots.connection(None).is_err());
        drop(first);
        second.become_stream().unwrap();
    }

    #[test]
    fn streams_have_a_ceiling_over_all_processes_too() {
        let slots = slots(8);
        let held: Vec<_> = (1..=3)
            .map(|p| slots.connection(Some(p)).unwrap())
            .collect();
        held[0].become_stream().unwrap();
        held[1].become_stream().unwrap();
        assert_eq!(held[2].become_stream(), Err(Full::Daemon(What::Stream, 2)));
    }

    #[test]
    fn what_is_full_is_said_with_its_number_and_what_to_do() {
        assert_eq!(
            Full::Process(What::Connection, 64).to_string(),
            "this process holds 64 connections already, as many as one may; close some and try again"
        );
        assert!(
            Full::Daemon(What::Stream, 9)
                .to_string()
                .contains("9 event streams")
        );
    }
}
