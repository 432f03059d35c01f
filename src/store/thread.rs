//! The store's own thread: writes what nobody waits for, keeps the file in order, tries again.

use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::sync::lock;

use super::{Place, Store};

/// How long a change waits for others, or for somebody who needs it at once. Longer than any answer
/// takes, so that the thread is not in the way of those who commit themselves.
const LINGER: Duration = Duration::from_millis(20);

/// First and longest pause before a disk that took nothing is tried again.
const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// Lists are trimmed after this many entries.
const TRIM_EVERY: usize = 1_000;

pub(super) fn start(store: Store) -> io::Result<()> {
    std::thread::Builder::new()
        .name("store".to_owned())
        .spawn(move || run(&store))
        .map(drop)
}

fn run(store: &Store) {
    let mut retry = RETRY;
    while wait_for_work(store) {
        let latest = store.latest();
        if store.trouble().is_some() {
            pause(store, retry);
            try_again(store);
            retry = (retry * 2).min(LONGEST_RETRY);
            continue;
        }
        retry = RETRY;
        pause(store, LINGER);
        store.commit(latest);
        tidy(store);
    }
}

/// Sleeps until something is queued; false once the store is closed.
fn wait_for_work(store: &Store) -> bool {
    let mut queue = lock(&store.0.queue);
    while queue.is_empty() && !queue.closed {
        queue.roused = false;
        queue = store
            .0
            .work
            .wait(queue)
            .unwrap_or_else(PoisonError::into_inner);
    }
    !queue.closed
}

/// Sleeps for a while, or until the store is closed.
fn pause(store: &Store, time: Duration) {
    let deadline = Instant::now() + time;
    let mut queue = lock(&store.0.queue);
    while !queue.closed {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let waited = store.0.work.wait_timeout(queue, left);
        queue = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Writes although the last attempt failed.
fn try_again(store: &Store) {
    let queue = lock(&store.0.queue);
    if !queue.writing && !queue.closed {
        drop(store.write(queue));
    }
}

/// What is due now and then, while nobody waits.
fn tidy(store: &Store) {
    let due = {
        let mut queue = lock(&store.0.queue);
        let due = queue.untrimmed >= TRIM_EVERY;
        if due {
            queue.untrimmed = 0;
        }
        due
    };
    let mut place = lock(&store.0.file);
    let Place::Open(database) = &mut *place else {
        return;
    };
    let result = database.tidy().and_then(|()| match due {
        true => database.trim(),
        false => Ok(()),
    });
    if let Err(error) = result {
        // The next commit meets the same trouble and says so.
        log::debug!("{}: {error}", store.0.path.display());
    }
}
