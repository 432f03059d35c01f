//! The threads of connections. Each serves one connection at a time; a few that have nothing to do stay, because
//! starting a thread takes longer than most answers.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::sync::lock;

/// Stack of a thread, in bytes. The deepest work is decoding JSON, which nests at most 128 levels.
pub const STACK: usize = 256 * 1024;

/// Threads that stay when there is nothing to do. Two clients at once are common, and each costs a few pages.
const STAY: usize = 2;

/// What is to be done for one connection.
type Work = Box<dyn FnOnce() + Send>;

/// Threads that serve connections.
pub struct Pool {
    /// Innermost lock.
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// Each for one of the idle threads.
    work: VecDeque<Work>,
    idle: usize,
}

impl Pool {
    /// A pool without threads yet.
    pub fn new() -> Arc<Pool> {
        Arc::new(Pool {
            waiting: Mutex::default(),
            arrived: Condvar::new(),
        })
    }

    /// Has a thread do this at once, a new one if none is idle.
    ///
    /// # Errors
    /// No thread could be started; the work is dropped.
    pub fn run(self: &Arc<Pool>, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut waiting = lock(&self.waiting);
        if waiting.idle > waiting.work.len() {
            waiting.work.push_back(Box::new(work));
            drop(waiting);
            self.arrived.notify_one();
            return Ok(());
        }
        drop(waiting);
        let pool = Arc::clone(self);
        thread::Builder::new()
            .name("connection".to_owned())
            .stack_size(STACK)
            .spawn(move || {
                do_one(work);
                while let Some(work) = pool.next() {
                    do_one(work);
                }
            })
            .map(drop)
    }

    /// Waits for something to do. None if enough others do so.
    fn next(&self) -> Option<Work> {
        let mut waiting = lock(&self.waiting);
        if waiting.idle >= STAY {
            return None;
        }
        waiting.idle += 1;
        loop {
            if let Some(work) = waiting.work.pop_front() {
                waiting.idle -= 1;
                return Some(work);
            }
            waiting = self.wait(waiting);
        }
    }

    fn wait<'a>(&self, waiting: MutexGuard<'a, Waiting>) -> MutexGuard<'a, Waiting> {
        let waited = self.arrived.wait(waiting);
        waited.unwrap_or_else(PoisonError::into_inner)
    }
}

fn do_one(work: impl FnOnce()) {
    // A panic was logged by the hook; it ends this connection and nothing else.
    let _ = catch_unwind(AssertUnwindSafe(work));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::ThreadId;

    /// Starts so much work at once that each takes a thread, and returns where it ran once all is done.
    fn at_once(pool: &Arc<Pool>, count: usize) -> HashSet<ThreadId> {
        let (started, starts) = channel();
        let gates: Vec<Sender<()>> = (0..count)
            .map(|_| {
                let (gate, wait): (_, Receiver<()>) = channel();
                let started = started.clone();
                pool.run(move || {
                    started.send(thread::current().id()).unwrap();
                    let _ = wait.recv();
                })
                .unwrap();
                gate
            })
            .collect();
        let ran = starts.iter().take(count).collect();
        drop(gates);
        ran
    }

    /// Waits until so many threads are idle and no other is left.
    fn idle(pool: &Arc<Pool>, count: usize) {
        let rests = |waiting: &Waiting| waiting.idle == count && waiting.work.is_empty();
        while !rests(&lock(&pool.waiting)) || Arc::strong_count(pool) != count + 1 {
            thread::yield_now();
        }
    }

    #[test]
    fn everybody_is_served_at_once_and_only_a_few_threads_stay() {
        let pool = Pool::new();
        for _ in 0..3 {
            assert_eq!(at_once(&pool, 20).len(), 20);
            idle(&pool, STAY);
        }
    }

    #[test]
    fn a_thread_that_is_idle_serves_the_next() {
        let pool = Pool::new();
        let first = at_once(&pool, 1);
        for _ in 0..100 {
            idle(&pool, 1);
            assert_eq!(at_once(&pool, 1), first);
        }
    }

    #[test]
    fn a_panic_ends_one_connection_and_no_thread() {
        let pool = Pool::new();
        let before = at_once(&pool, 1);
        idle(&pool, 1);
        pool.run(|| panic!("in a test")).unwrap();
        idle(&pool, 1);
        assert_eq!(at_once(&pool, 1), before);
    }
}
