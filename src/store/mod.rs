//! The embedded database: the only place that writes a session's state to disk.
//!
//! Who changes something hands it over with [`Store::put`] or [`Store::append`], which only queue it
//! and may be called under any lock, and gets a [`Ticket`]. Before the answer to that change is
//! written, its thread calls [`Store::commit`] with the ticket, holding no lock.
//!
//! **Group commit.** The first thread that waits writes everything that is queued in one transaction;
//! who comes while it does so waits and finds its change in the next. So a commit costs a report one
//! transaction and no change of thread. What nobody waits for, such as a title, is written by the
//! store's own thread a moment later; it also keeps the file in order and tries again when the disk
//! was full. The connection has one lock, so there is one writer at any time.
//!
//! **What a commit promises.** [`Store::commit`]: the change survives the death of every process
//! (`kill -9`), because it is in the kernel's hands. [`Store::commit_durably`]: it survives a loss of
//! power as well. A file is consistent at any moment in both cases.
//!
//! **When the disk does not take it,** the daemon goes on without: it is said once in the log and
//! for as long as it lasts in [`Store::trouble`], nobody waits, and what changed stays queued.

mod database;
mod key;
mod schema;
mod thread;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::sync::lock;

use database::{Batch, Database, Identity};

pub use database::{OpenError, Saved};
pub use key::{Entry, Key, Log, Range};

/// How long a commit is waited for. A disk that takes longer is in trouble, and an answer is worth
/// more than a promise that cannot be kept.
const COMMIT_TIME: Duration = Duration::from_secs(1);

/// The most entries of lists that are queued while the disk takes nothing; then the oldest go.
const MOST_QUEUED: usize = 10_000;

/// Names what was handed over, together with everything before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Ticket(u64);

/// The database of a session; clones are the same one.
#[derive(Debug, Clone)]
pub struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    /// Guards the connection. Taken with no other lock held, and before `queue`.
    file: Mutex<Place>,
    /// Guards what was not written yet. Innermost of all.
    queue: Mutex<Queue>,
    /// A commit ended.
    committed: Condvar,
    /// There is something for the store's own thread.
    work: Condvar,
}

/// The database, if it can be had.
#[derive(Debug)]
enum Place {
    /// Nothing is saved: a test, or a store that was closed.
    Nowhere,
    Open(Box<Database>),
    /// It could not be opened where it is; what is in it was read from a copy. It is the file that has this identity.
    Copied(Box<Database>, Identity),
    /// It could not be opened. What is in it was not loaded, so it must not be written over.
    Unread,
}

#[derive(Debug, Default)]
struct Queue {
    rows: BTreeMap<Key, Option<String>>,
    entries: Vec<(Log, Entry)>,
    handed: u64,
    committed: u64,
    /// What survives a loss of power, and what has to.
    durable: u64,
    wanted_durable: u64,
    /// Somebody writes.
    writing: bool,
    /// The store's own thread knows that there is something.
    roused: bool,
    trouble: Option<String>,
    /// A commit takes too long; nobody waits for the next one until it ends.
    stalled: bool,
    /// Entries that were appended since the lists were trimmed.
    untrimmed: usize,
    closed: bool,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.entries.is_empty() && self.wanted_durable <= self.durable
    }
}

impl Store {
    /// Opens the database at `path`, or makes one. What cannot be opened now is tried again later
    /// ([`Store::trouble`]), and read from a copy in the folder `spare` if it can be read at all: a disk may be full, or
    /// take nothing. With `fresh` what is there is moved aside before.
    ///
    /// # Errors
    /// What is there must not be touched ([`OpenError::Refused`]), or could not be moved aside.
    pub fn open(path: &Path, spare: Option<&Path>, fresh: bool) -> Result<Store, OpenError> {
        if fresh {
            move_aside(path)
                .map_err(|error| OpenError::Unavailable(path.into(), error.to_string()))?;
        }
        let (place, trouble) = match Database::open(path) {
            Ok(database) => (Place::Open(Box::new(database)), None),
            Err(refused @ OpenError::Refused(..)) => return Err(refused),
            Err(unavailable) => {
                let copied = spare.map(|folder| Database::copy_of(path, folder));
                let place = match copied {
                    Some(Ok((database, original))) => Place::Copied(Box::new(database), original),
                    Some(Err(refused @ OpenError::Refused(..))) => return Err(refused),
                    Some(Err(OpenError::Unavailable(..))) | None => Place::Unread,
                };
                (place, Some(unavailable.to_string()))
            }
        };
        let store = Store::new(path, place);
        if let Some(why) = trouble {
            store.note_trouble(&mut lock(&store.0.queue), why);
        }
        Ok(store)
    }

    /// A store that keeps nothing, for tests.
    pub fn nowhere() -> Store {
        Store::new(Path::new(""), Place::Nowhere)
    }

    fn new(path: &Path, place: Place) -> Store {
        Store(Arc::new(Inner {
            path: path.to_owned(),
            queue: Mutex::new(Queue {
                closed: matches!(place, Place::Nowhere),
                ..Queue::default()
            }),
            file: Mutex::new(place),
            committed: Condvar::new(),
            work: Condvar::new(),
        }))
    }

    /// Starts the store's own thread, which writes what nobody waits for.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn start(&self) -> io::Result<()> {
        thread::start(self.clone())
    }

    /// Queues a row; no body takes it away. Returns at once, under any lock.
    pub fn put(&self, key: Key, body: Option<String>) -> Ticket {
        self.hand(|queue| {
            queue.rows.insert(key, body);
        })
    }

    /// Queues an entry of a list. Returns at once, under any lock.
    pub fn append(&self, log: Log, entry: Entry) -> Ticket {
        self.hand(|queue| {
            queue.entries.push((log, entry));
            if queue.entries.len() > MOST_QUEUED {
                // Many at once, for moving the rest is not free.
                queue.entries.drain(..MOST_QUEUED / 10);
            }
        })
    }

    /// Queues rows that belong together: they come into one transaction. Returns at once, under any lock.
    /// None when the store is closed and keeps nothing any more.
    pub fn put_all(&self, rows: Vec<(Key, Option<String>)>) -> Option<Ticket> {
        let handed = self.try_hand(|queue| {
            let entries = rows.iter();
            queue.untrimmed += entries.filter(|(key, _)| key.is_of_a_list()).count();
            queue.rows.extend(rows);
        });
        let keeps_nothing = self.0.path.as_os_str().is_empty();
        handed.or(keeps_nothing.then(Ticket::default))
    }

    fn hand(&self, what: impl FnOnce(&mut Queue)) -> Ticket {
        let committed = || Ticket(lock(&self.0.queue).committed);
        self.try_hand(what).unwrap_or_else(committed)
    }

    /// None when the store is closed.
    fn try_hand(&self, what: impl FnOnce(&mut Queue)) -> Option<Ticket> {
        let mut queue = lock(&self.0.queue);
        if queue.closed {
            return None;
        }
        what(&mut queue);
        queue.handed += 1;
        let ticket = Ticket(queue.handed);
        if !queue.roused {
            queue.roused = true;
            drop(queue);
            self.0.work.notify_one();
        }
        Some(ticket)
    }

    /// A ticket for everything that was handed over until now.
    pub fn latest(&self) -> Ticket {
        Ticket(lock(&self.0.queue).handed)
    }

    /// Waits until what the ticket names survives the death of every process. Not longer than a
    /// second, and not at all while the disk takes nothing. Call it with no lock held.
    pub fn commit(&self, ticket: Ticket) {
        self.settle(ticket, |queue| queue.committed);
    }

    /// The same for a loss of power.
    pub fn commit_durably(&self, ticket: Ticket) {
        {
            let mut queue = lock(&self.0.queue);
            if queue.closed {
                return;
            }
            queue.wanted_durable = queue.wanted_durable.max(ticket.0);
        }
        self.settle(ticket, |queue| queue.durable);
    }

    /// Writes everything that is queued so that it survives a loss of power. Unlike a commit it also tries when the last
    /// one failed, and says whether nothing is left in memory only. Call it with no lock held.
    ///
    /// # Errors
    /// Why something is not saved, with the file's path.
    pub fn save(&self) -> Result<(), String> {
        let latest = self.latest();
        let mut queue = lock(&self.0.queue);
        let deadline = Instant::now() + COMMIT_TIME;
        while queue.writing {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.0.committed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if queue.trouble.is_some() && !queue.writing && !queue.closed {
            queue.wanted_durable = queue.wanted_durable.max(latest.0);
            queue = self.write(queue);
        }
        drop(queue);
        self.commit_durably(latest);
        match self.trouble() {
            Some(why) => Err(why),
            None if self.is_durable(latest) => Ok(()),
            None => Err(format!("{}: not written", self.0.path.display())),
        }
    }

    /// Whether what the ticket names survives a loss of power by now.
    pub fn is_durable(&self, ticket: Ticket) -> bool {
        lock(&self.0.queue).durable >= ticket.0
    }

    fn settle(&self, ticket: Ticket, reached: fn(&Queue) -> u64) {
        let mut queue = lock(&self.0.queue);
        if reached(&queue) >= ticket.0 {
            return;
        }
        let deadline = Instant::now() + COMMIT_TIME;
        while reached(&queue) < ticket.0 && queue.trouble.is_none() && !queue.stalled {
            if !queue.writing {
                queue = self.write(queue);
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                log::warn!("{}: a commit takes very long", self.0.path.display());
                queue.stalled = true;
                break;
            }
            let waited = self.0.committed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Writes what is queued, as the only one. Gives the lock back after it was let go.
    fn write<'a>(&'a self, mut queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        let batch = Batch {
            rows: std::mem::take(&mut queue.rows),
            entries: std::mem::take(&mut queue.entries),
            durable: queue.wanted_durable > queue.durable,
        };
        let reaches = queue.handed;
        queue.writing = true;
        drop(queue);
        let result = self.write_batch(&batch);
        let mut queue = lock(&self.0.queue);
        queue.writing = false;
        queue.stalled = false;
        match result {
            Ok(()) => {
                queue.committed = queue.committed.max(reaches);
                if batch.durable {
                    queue.durable = reaches;
                }
                queue.untrimmed += batch.entries.len();
                if queue.trouble.take().is_some() {
                    log::info!("{}: saving again", self.0.path.display());
                }
            }
            Err(why) => {
                put_back(&mut queue, batch);
                self.note_trouble(&mut queue, why);
            }
        }
        self.0.committed.notify_all();
        queue
    }

    fn write_batch(&self, batch: &Batch) -> Result<(), String> {
        let mut place = lock(&self.0.file);
        match *place {
            Place::Unread => *place = Place::Open(Box::new(self.open_again()?)),
            Place::Copied(_, original) => {
                *place = Place::Open(Box::new(self.open_copied(original)?));
            }
            Place::Nowhere | Place::Open(_) => {}
        }
        match &mut *place {
            Place::Open(database) => {
                database.keep_there().map_err(|error| error.to_string())?;
                database
                    .write(batch)
                    .map_err(|error| format!("{}: {error}", self.0.path.display()))
            }
            Place::Nowhere | Place::Copied(..) | Place::Unread => Ok(()),
        }
    }

    /// Opens what was read from a copy before. What has changed since is queued, whole.
    fn open_copied(&self, original: Identity) -> Result<Database, String> {
        match Identity::of(&self.0.path) {
            Ok(found) if found != original => self.open_again(),
            _ => Database::open(&self.0.path).map_err(|error| error.to_string()),
        }
    }

    /// Opens what could not be opened at the start. Anything that is there now was never loaded, so
    /// the session that goes on must not take its place.
    fn open_again(&self) -> Result<Database, String> {
        if let Some(aside) = move_aside(&self.0.path)
            .map_err(|error| format!("{}: {error}", self.0.path.display()))?
        {
            log::warn!(
                "the session of before, which could not be read at the start, is kept at {}",
                aside.display()
            );
        }
        Database::open(&self.0.path).map_err(|error| error.to_string())
    }

    /// Notes that the disk takes nothing; a line in the log for the first of many.
    fn note_trouble(&self, queue: &mut Queue, why: String) {
        if queue.trouble.is_none() {
            log::error!("nothing is saved: {why}; what changes is kept in memory and saved later");
        }
        queue.trouble = Some(why);
    }

    /// Why nothing is saved at present; none while all is well.
    pub fn trouble(&self) -> Option<String> {
        let queue = lock(&self.0.queue);
        match (&queue.trouble, queue.stalled) {
            (Some(why), _) => Some(why.clone()),
            (None, true) => Some(format!(
                "{}: the disk does not answer",
                self.0.path.display()
            )),
            (None, false) => None,
        }
    }

    /// Whether there is a file that could not be read, neither where it is nor as a copy.
    pub fn is_unread(&self) -> bool {
        matches!(*lock(&self.0.file), Place::Unread) && self.0.path.symlink_metadata().is_ok()
    }

    /// Says that the session serves with this database. What was kept for a drover that cannot read it goes.
    pub fn serves(&self) {
        if let Place::Open(database) = &*lock(&self.0.file) {
            database.settle();
        }
    }

    /// The database's file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The saved session; empty if there is none.
    ///
    /// # Errors
    /// SQLite's.
    pub fn load(&self) -> Result<Saved, OpenError> {
        self.ask(Database::load)
    }

    /// The saved text of a pane's screen.
    ///
    /// # Errors
    /// SQLite's.
    pub fn scrollback(&self, pane: u64) -> Result<Option<String>, OpenError> {
        self.ask(|database| database.scrollback(pane))
    }

    /// Keys and bodies of another room's rows, as committed.
    ///
    /// # Errors
    /// SQLite's.
    pub fn records(&self, kind: &str) -> Result<Vec<(String, String)>, OpenError> {
        self.ask(|database| database.records(kind))
    }

    /// Bodies of the turn journal's events behind `revision`, as committed and in its order: at most
    /// `count`, and none behind the one with which they have more than `bytes` bytes.
    ///
    /// # Errors
    /// SQLite's.
    pub fn turn_events(
        &self,
        revision: u64,
        count: usize,
        bytes: usize,
    ) -> Result<Vec<String>, OpenError> {
        self.ask(|database| database.turn_events(revision, count, bytes))
    }

    /// The body of one event of the turn journal, by its place there.
    ///
    /// # Errors
    /// SQLite's.
    pub fn turn_event(&self, revision: u64) -> Result<Option<String>, OpenError> {
        self.ask(|database| database.turn_event(revision))
    }

    /// The body of one event of the turn journal, by its turn's number and its own in the turn.
    ///
    /// # Errors
    /// SQLite's.
    pub fn turn_event_of(&self, turn: u64, event: u64) -> Result<Option<String>, OpenError> {
        self.ask(|database| database.turn_event_of(turn, event))
    }

    /// Entries of a list, the newest first, each with its number; those that were committed.
    ///
    /// # Errors
    /// SQLite's.
    pub fn read(&self, log: Log, range: &Range) -> Result<Vec<(i64, Entry)>, OpenError> {
        self.ask(|database| database.read(log, range))
    }

    fn ask<T: Default>(
        &self,
        question: impl FnOnce(&Database) -> rusqlite::Result<T>,
    ) -> Result<T, OpenError> {
        match &*lock(&self.0.file) {
            Place::Open(database) | Place::Copied(database, _) => {
                question(database).map_err(|error| {
                    OpenError::Unavailable(self.0.path.clone(), format!("reading: {error}"))
                })
            }
            Place::Nowhere | Place::Unread => Ok(T::default()),
        }
    }

    /// Writes what is left and lets go of the file; what is handed over later is not kept.
    ///
    /// # Errors
    /// Why the last changes were not saved, with the file's path. The log says it too.
    pub fn close(&self) -> Result<(), String> {
        let saved = self.save();
        lock(&self.0.queue).closed = true;
        if let Err(why) = &saved {
            log::error!("the last changes were not saved: {why}");
        }
        self.0.work.notify_all();
        let mut place = lock(&self.0.file);
        if let Place::Open(database) = &mut *place
            && let Err(error) = database.checkpoint()
        {
            log::warn!("{}: {error}", self.0.path.display());
        }
        *place = Place::Nowhere;
        saved
    }
}

/// Moves a database aside and says so.
fn move_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    let aside = database::move_aside(path)?;
    if let Some(aside) = &aside {
        log::info!("{} is kept at {}", path.display(), aside.display());
    }
    Ok(aside)
}

/// Queues again what could not be written. What was handed over meanwhile is newer.
fn put_back(queue: &mut Queue, batch: Batch) {
    for (key, body) in batch.rows {
        queue.rows.entry(key).or_insert(body);
    }
    let newer = std::mem::replace(&mut queue.entries, batch.entries);
    queue.entries.extend(newer);
}
