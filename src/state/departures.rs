//! Telling when processes that agents stand or fall with have ended: by the kernel's notice, never
//! by looking.
//!
//! One thread waits for all of them, started when the first is to be watched. It sleeps in one
//! `poll` and does not wake up by itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::thread;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::agent::Speaker;
use crate::sync::lock;
use crate::sys::{self, ExitWatch, Wake};
use crate::world::PaneKey;

use super::Shared;

/// Processes watched at once; each costs a descriptor. A pane has one or two, and there are 1,024
/// panes at most by default. What is more is noticed when the pane's terminal says something.
const MAX_WATCHED: usize = 4096;

/// Bytes of the thread's stack: it polls, and asks the kernel about processes.
const STACK: usize = 256 * 1024;

/// The processes that are watched, and the thread that does it.
#[derive(Debug, Default)]
pub struct Departures {
    /// Innermost: nothing is locked under it.
    watched: Mutex<Watched>,
}

#[derive(Debug, Default)]
struct Watched {
    processes: HashMap<(PaneKey, Speaker), Arc<ExitWatch>>,
    /// Wakes the thread; there once it runs.
    wake: Option<Arc<Wake>>,
    closed: bool,
}

impl Departures {
    /// Watches a process for a pane. Nothing if it is watched already, or ended before it could be:
    /// then it is reported at once.
    pub(super) fn watch(&self, shared: &Weak<Shared>, pane: PaneKey, process: Speaker) {
        let mut watched = lock(&self.watched);
        let full = watched.processes.len() >= MAX_WATCHED;
        if full || watched.closed || watched.processes.contains_key(&(pane, process)) {
            return;
        }
        let wake = match &watched.wake {
            Some(wake) => wake.clone(),
            None => match start(shared.clone()) {
                Ok(wake) => watched.wake.insert(wake).clone(),
                Err(error) => {
                    log::warn!("ends of processes go unnoticed: {error}");
                    return;
                }
            },
        };
        match ExitWatch::of(process.pid) {
            // A number that was used again before the watch is another process.
            Ok(exit) if lives(process) => {
                watched.processes.insert((pane, process), Arc::new(exit));
                drop(watched);
                wake.notify();
            }
            Err(error) if lives(process) => {
                log::debug!("process {} cannot be watched: {error}", process.pid);
            }
            Ok(_) | Err(_) => {
                drop(watched);
                if let Some(shared) = shared.upgrade() {
                    shared.departed(pane, process);
                }
            }
        }
    }

    fn snapshot(&self) -> Option<Vec<(PaneKey, Speaker, Arc<ExitWatch>)>> {
        let watched = lock(&self.watched);
        let all = watched.processes.iter();
        (!watched.closed).then(|| {
            all.map(|((pane, process), exit)| (*pane, *process, exit.clone()))
                .collect()
        })
    }

    fn forget(&self, pane: PaneKey, process: Speaker) {
        lock(&self.watched).processes.remove(&(pane, process));
    }
}

impl Drop for Departures {
    fn drop(&mut self) {
        let mut watched = lock(&self.watched);
        watched.closed = true;
        if let Some(wake) = &watched.wake {
            wake.notify();
        }
    }
}

fn start(shared: Weak<Shared>) -> std::io::Result<Arc<Wake>> {
    let wake = Arc::new(Wake::new()?);
    thread::Builder::new()
        .name("departures".to_owned())
        .stack_size(STACK)
        .spawn({
            let wake = wake.clone();
            move || run(&shared, &wake)
        })?;
    Ok(wake)
}

fn run(shared: &Weak<Shared>, wake: &Wake) {
    loop {
        wake.drain();
        // Not held while it sleeps: it must not keep the state alive.
        let Some(all) = shared
            .upgrade()
            .and_then(|shared| shared.departures.snapshot())
        else {
            return;
        };
        let mut descriptors = vec![PollFd::new(wake.as_fd(), PollFlags::POLLIN)];
        descriptors.extend(
            all.iter()
                .map(|(_, _, exit)| PollFd::new(exit.as_fd(), PollFlags::POLLIN)),
        );
        match poll(&mut descriptors, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => {
                log::warn!("ends of processes go unnoticed: poll: {error}");
                return;
            }
        }
        let Some(shared) = shared.upgrade() else {
            return;
        };
        for ((pane, process, _), descriptor) in all.iter().zip(&descriptors[1..]) {
            let ended = descriptor.revents().is_some_and(|seen| !seen.is_empty());
            if ended {
                shared.departures.forget(*pane, *process);
                shared.departed(*pane, *process);
            } else if shared.look().pane(*pane).is_none() {
                shared.departures.forget(*pane, *process);
            }
        }
    }
}

/// Whether a process still runs, and is the one that is meant.
fn lives(process: Speaker) -> bool {
    sys::process_facts(process.pid)
        .is_some_and(|facts| facts.started == process.started && !facts.zombie)
}
