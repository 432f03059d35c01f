//! How many connections and streams there may be, in all and per calling process.
//!
//! A slot is taken when a connection is accepted and given back when it drops, so that no path,
//! a panic included, can leak one. Callers whose process the kernel does not tell share one count.

use std::cell::Cell;
use std::collections::HashMap;
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
}

impl From<&config::Limits> for Limits {
    fn from(limits: &config::Limits) -> Limits {
        let number = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        Limits {
            connections_per_process: number(limits.connections_per_process),
            streams_per_process: number(limits.streams_per_process),
            connections: number(limits.connections),
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
    total: usize,
    by_process: HashMap<Option<i32>, Held>,
}

/// The table of who holds what. Guards only itself; nothing else is locked while it is held.
#[derive(Debug)]
pub struct Slots {
    limits: Mutex<Limits>,
    counts: Mutex<Counts>,
}

/// Why a connection or a stream got no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// This process holds as many as one process may; the number is that ceiling.
    Process(usize),
    /// The daemon holds as many as it may; the number is that ceiling.
    Daemon(usize),
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
        if counts.total >= limits.connections {
            return Err(Full::Daemon(limits.connections));
        }
        let held = counts.by_process.entry(process).or_default();
        if held.connections >= limits.connections_per_process {
            return Err(Full::Process(limits.connections_per_process));
        }
        held.connections += 1;
        counts.total += 1;
        Ok(Slot {
            slots: self.clone(),
            process,
            stream: Cell::new(false),
        })
    }

    /// Connections held now.
    pub fn connections(&self) -> usize {
        lock(&self.counts).total
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
        let limit = lock(&self.slots.limits).streams_per_process;
        let mut counts = lock(&self.slots.counts);
        let held = counts.by_process.entry(self.process).or_default();
        if held.streams >= limit {
            return Err(Full::Process(limit));
        }
        held.streams += 1;
        self.stream.set(true);
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = lock(&self.slots.counts);
        counts.total -= 1;
        if let Some(held) = counts.by_process.get_mut(&self.process) {
            held.connections -= 1;
            held.streams -= usize::from(self.stream.get());
            if held.connections == 0 {
                counts.by_process.remove(&self.process);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots() -> Arc<Slots> {
        Slots::new(Limits {
            connections_per_process: 2,
            streams_per_process: 1,
            connections: 3,
        })
    }

    #[test]
    fn a_process_gets_its_share_and_no_more() {
        let slots = slots();
        let first = slots.connection(Some(1)).unwrap();
        let _second = slots.connection(Some(1)).unwrap();
        assert_eq!(slots.connection(Some(1)).unwrap_err(), Full::Process(2));
        drop(first);
        assert!(
            slots.connection(Some(1)).is_ok(),
            "a dropped connection frees its slot"
        );
    }

    #[test]
    fn the_daemon_has_a_ceiling_over_all_processes() {
        let slots = slots();
        let held: Vec<_> = (1..=3)
            .map(|p| slots.connection(Some(p)).unwrap())
            .collect();
        assert_eq!(slots.connection(Some(4)).unwrap_err(), Full::Daemon(3));
        drop(held);
        assert_eq!(slots.connections(), 0);
        assert!(
            lock(&slots.counts).by_process.is_empty(),
            "no entry outlives its connections"
        );
    }

    #[test]
    fn streams_are_counted_apart_and_callers_without_a_pid_share_one_count() {
        let slots = slots();
        let first = slots.connection(None).unwrap();
        let second = slots.connection(None).unwrap();
        first.become_stream().unwrap();
        first.become_stream().unwrap();
        assert_eq!(second.become_stream(), Err(Full::Process(1)));
        assert!(slots.connection(None).is_err());
        drop(first);
        second.become_stream().unwrap();
    }
}
