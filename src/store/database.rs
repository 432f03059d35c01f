//! The file: how it is opened, refused, written, read, and made again when somebody took it away.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::key::{Entry, Key, Log, MOST_READ, Range};
use super::schema;

/// Time for another process to let go of the file: a worker that is being relieved.
const BUSY_TIME: Duration = Duration::from_secs(5);

/// The size of the write-ahead log at which it is carried over into the database: SQLite's own
/// default of 1,000 pages of 4 KiB.
const LOG_BYTES: u64 = 4 * 1024 * 1024;

/// Begins the name of a copy that is read from, for as long as it has one.
const COPY: &str = "drover.db.copy";

/// Ends the name of what is kept of a database before its shape is changed, until the program that changed it serves. If
/// that fails, whoever was there before takes it back.
const BEFORE: &str = ".before-upgrade";

/// Statements that are kept prepared: every one that a batch can contain, and those that read the turn
/// journal.
const PREPARED: usize = 24;

/// How many events of the turn journal are kept: years of one person's turns, and some 500 MiB. The turn
/// room lets whole turns go long before, by their number; this bounds turns that never end.
const TURN_EVENTS: i64 = 1_000_000;

/// Why a database cannot be used.
#[derive(Debug)]
pub enum OpenError {
    /// It is there and must not be touched; a person has to decide. The text says what is wrong.
    Refused(PathBuf, String),
    /// It cannot be reached now; that may change.
    Unavailable(PathBuf, String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Refused(path, why) => write!(
                formatter,
                "{} {why}; start with `drover serve --fresh`, which keeps it aside and begins \
                 anew, or move it away",
                path.display()
            ),
            OpenError::Unavailable(path, why) => write!(formatter, "{}: {why}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {}

/// Everything that is written in one transaction.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) rows: BTreeMap<Key, Option<String>>,
    pub(super) entries: Vec<(Log, Entry)>,
    /// Whether the commit has to survive a loss of power.
    pub(super) durable: bool,
}

/// The rows of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Saved {
    /// What belongs to no workspace; none in a new database.
    pub session: Option<String>,
    /// The workspaces.
    pub workspaces: Vec<String>,
    /// The panes by their keys.
    pub panes: BTreeMap<u64, String>,
}

/// Which file it is: device and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity(u64, u64);

impl Identity {
    pub(super) fn of(path: &Path) -> io::Result<Identity> {
        let found = fs::metadata(path)?;
        Ok(Identity(found.dev(), found.ino()))
    }
}

/// An open database.
#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    connection: Connection,
    /// The file that the connection has.
    identity: Identity,
    synchronous: bool,
}

impl Database {
    /// Opens the database, and makes it if there is none.
    pub(super) fn open(path: &Path) -> Result<Database, OpenError> {
        match Database::open_as_it_is(path) {
            Err(refused @ OpenError::Refused(..)) => match take_back(path) {
                Ok(true) => Database::open_as_it_is(path),
                Ok(false) => Err(refused),
                Err(error) => Err(OpenError::Unavailable(path.into(), error.to_string())),
            },
            opened => opened,
        }
    }

    fn open_as_it_is(path: &Path) -> Result<Database, OpenError> {
        let unavailable = |error: io::Error| OpenError::Unavailable(path.into(), error.to_string());
        check_header(path)?;
        make_private(path).map_err(unavailable)?;
        let connection = connect(path)?;
        Ok(Database {
            path: path.to_owned(),
            connection,
            identity: Identity::of(path).map_err(unavailable)?,
            synchronous: false,
        })
    }

    /// A copy of a database that cannot be opened where it is, to be read, and which file it is a copy of. It lies in
    /// `folder`, without a name.
    pub(super) fn copy_of(path: &Path, folder: &Path) -> Result<(Database, Identity), OpenError> {
        let unavailable = |error: io::Error| OpenError::Unavailable(path.into(), error.to_string());
        check_header(path)?;
        let original = Identity::of(path).map_err(unavailable)?;
        let copy = folder.join(format!("{COPY}.{}", std::process::id()));
        let all = ["", "-wal", "-journal", BEFORE].map(|suffix| beside(&copy, suffix));
        let remove = || {
            for path in &all {
                let _ = fs::remove_file(path);
            }
        };
        // One of a process that had this number, and was killed.
        remove();
        let copied = copy_file(path, &copy).and_then(|()| {
            let log = beside(path, "-wal");
            match fs::metadata(&log) {
                Ok(found) if found.is_file() => copy_file(&log, &beside(&copy, "-wal")),
                _ => Ok(()),
            }
        });
        let opened = copied
            .map_err(unavailable)
            .and_then(|()| Database::open_as_it_is(&copy));
        remove();
        match opened {
            Ok(database) => Ok((database, original)),
            Err(OpenError::Refused(_, why)) => Err(OpenError::Refused(path.into(), why)),
            Err(error) => Err(error),
        }
    }

    /// Lets go of what was kept of it before its shape was changed.
    pub(super) fn settle(&self) {
        if let Err(error) = fs::remove_file(beside(&self.path, BEFORE))
            && error.kind() != io::ErrorKind::NotFound
        {
            log::warn!("{}{BEFORE} cannot be removed: {error}", self.path.display());
        }
    }

    /// Writes a batch: all of it or nothing.
    pub(super) fn write(&mut self, batch: &Batch) -> rusqlite::Result<()> {
        self.synchronize(batch.durable)?;
        let transaction = self.connection.transaction()?;
        for (key, body) in &batch.rows {
            let [write, delete] = key.statements();
            let mut parameters = key.parameters();
            let statement = match body {
                Some(body) => {
                    parameters.push(Value::Text(body.clone()));
                    write
                }
                None => delete,
            };
            transaction
                .prepare_cached(statement)?
                .execute(params_from_iter(parameters))?;
        }
        for (log, entry) in &batch.entries {
            transaction.prepare_cached(log.insert())?.execute((
                entry.at,
                &entry.subject,
                &entry.body,
            ))?;
        }
        if batch.durable {
            // A transaction that changes nothing would not sync what others have written before.
            transaction
                .prepare_cached("UPDATE durable SET count = count + 1")?
                .execute([])?;
        }
        transaction.commit()
    }

    /// Without a sync a commit survives the death of every process, with one a loss of power.
    fn synchronize(&mut self, synchronous: bool) -> rusqlite::Result<()> {
        if self.synchronous != synchronous {
            let mode = if synchronous { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", mode)?;
            self.synchronous = synchronous;
        }
        Ok(())
    }

    /// The saved session.
    pub(super) fn load(&self) -> rusqlite::Result<Saved> {
        let bodies = |table: &str| -> rusqlite::Result<Vec<(i64, String)>> {
            let mut statement = self
                .connection
                .prepare(&format!("SELECT id, body FROM {table} ORDER BY id"))?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        };
        let session = bodies("session")?.pop().map(|(_, body)| body);
        let workspaces = bodies("workspace")?.into_iter().map(|(_, body)| body);
        let panes = bodies("pane")?.into_iter();
        Ok(Saved {
            session,
            workspaces: workspaces.collect(),
            panes: panes.map(|(id, body)| (id.cast_unsigned(), body)).collect(),
        })
    }

    /// The saved text of a pane's screen.
    pub(super) fn scrollback(&self, pane: u64) -> rusqlite::Result<Option<String>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT body FROM scrollback WHERE id = ?1")?;
        let mut rows = statement.query_map([pane.cast_signed()], |row| row.get(0))?;
        rows.next().transpose()
    }

    /// Keys and bodies of another room's rows.
    pub(super) fn records(&self, kind: &str) -> rusqlite::Result<Vec<(String, String)>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT key, body FROM record WHERE kind = ?1 ORDER BY key")?;
        let rows = statement.query_map([kind], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    }

    /// Events of the turn journal behind `revision`, in its order: at most `count`, and none behind the one
    /// with which the bodies have more than `bytes` bytes.
    pub(super) fn turn_events(
        &self,
        revision: u64,
        count: usize,
        bytes: usize,
    ) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT body FROM turn_event WHERE revision > ?1 ORDER BY revision LIMIT ?2",
        )?;
        // No event has a place beyond the sign.
        let revision = i64::try_from(revision).unwrap_or(i64::MAX);
        let mut found = statement.query((revision, count as i64))?;
        let mut bodies = Vec::new();
        let mut length = 0;
        while let Some(row) = found.next()? {
            let body: String = row.get(0)?;
            length += body.len();
            bodies.push(body);
            if length > bytes {
                break;
            }
        }
        Ok(bodies)
    }

    /// One event of the turn journal, by its place there.
    pub(super) fn turn_event(&self, revision: u64) -> rusqlite::Result<Option<String>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT body FROM turn_event WHERE revision = ?1")?;
        let mut rows = statement.query_map([revision.cast_signed()], |row| row.get(0))?;
        rows.next().transpose()
    }

    /// One event of the turn journal, by its turn and its number in the turn.
    pub(super) fn turn_event_of(&self, turn: u64, event: u64) -> rusqlite::Result<Option<String>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT body FROM turn_event WHERE turn = ?1 AND event = ?2")?;
        let key = [turn.cast_signed(), event.cast_signed()];
        let mut rows = statement.query_map(key, |row| row.get(0))?;
        rows.next().transpose()
    }

    /// Entries of a list, the newest first, each with its number.
    pub(super) fn read(&self, log: Log, range: &Range) -> rusqlite::Result<Vec<(i64, Entry)>> {
        let limit = match range.limit {
            0 => MOST_READ,
            limit => limit.min(MOST_READ),
        };
        let mut statement = self.connection.prepare(&format!(
            "SELECT id, at, subject, body FROM {}
             WHERE id < ?1 AND at >= ?2 AND at < ?3 AND (?4 IS NULL OR subject = ?4)
             ORDER BY id DESC LIMIT ?5",
            log.table()
        ))?;
        let rows = statement.query_map(
            (
                range.below.unwrap_or(i64::MAX),
                range.since.unwrap_or(i64::MIN),
                range.until.unwrap_or(i64::MAX),
                &range.subject,
                limit as i64,
            ),
            |row| {
                let entry = Entry {
                    at: row.get(1)?,
                    subject: row.get(2)?,
                    body: row.get(3)?,
                };
                Ok((row.get(0)?, entry))
            },
        )?;
        rows.collect()
    }

    /// Takes away the oldest entries of every list beyond what is kept.
    pub(super) fn trim(&mut self) -> rusqlite::Result<()> {
        for log in Log::ALL {
            let table = log.table();
            self.connection.execute(
                &format!(
                    "DELETE FROM {table} WHERE id <= (SELECT max(id) FROM {table}) - {}",
                    log.kept()
                ),
                [],
            )?;
        }
        self.connection.execute(
            "DELETE FROM turn_event WHERE revision <= (SELECT max(revision) FROM turn_event) - ?1",
            [TURN_EVENTS],
        )?;
        // Pages that became free go back to the file system.
        self.connection
            .execute_batch("PRAGMA incremental_vacuum(256)")
    }

    /// Carries a long write-ahead log over into the database.
    pub(super) fn tidy(&mut self) -> rusqlite::Result<()> {
        let log = fs::metadata(beside(&self.path, "-wal")).map_or(0, |file| file.len());
        if log < LOG_BYTES {
            return Ok(());
        }
        self.checkpoint()
    }

    /// Carries the write-ahead log over into the database and empties it.
    pub(super) fn checkpoint(&mut self) -> rusqlite::Result<()> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }

    /// Makes the file again if somebody took it away. The connection still has the old one, which
    /// has no name any more, so what it holds is copied.
    pub(super) fn keep_there(&mut self) -> Result<(), OpenError> {
        match Identity::of(&self.path) {
            Ok(found) if found == self.identity => return Ok(()),
            Ok(_) => {
                let why = "another file took the place of the one that is being written; \
                           move it away";
                return Err(OpenError::Unavailable(self.path.clone(), why.to_owned()));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(OpenError::Unavailable(self.path.clone(), error.to_string()));
            }
            Err(_) => {}
        }
        let unavailable =
            |why: &dyn fmt::Display| OpenError::Unavailable(self.path.clone(), why.to_string());
        make_folder(&self.path).map_err(|error| unavailable(&error))?;
        let copy = beside(&self.path, ".new");
        let _ = fs::remove_file(&copy);
        self.connection
            .execute("VACUUM INTO ?1", [copy.to_string_lossy()])
            .map_err(|error| unavailable(&error))?;
        // A log without its database would be taken for that of the new one.
        let _ = fs::remove_file(beside(&self.path, "-wal"));
        fs::rename(&copy, &self.path).map_err(|error| unavailable(&error))?;
        *self = Database::open(&self.path)?;
        log::warn!("{} was taken away and is made again", self.path.display());
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// Moves a database aside, under a name that says when. Where it went; none if there was none.
///
/// # Errors
/// It could not be renamed.
pub(super) fn move_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(None);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.unwrap_or_default().as_secs();
    let mut aside = beside(path, &format!(".aside-{seconds}"));
    let mut count = 0;
    while fs::symlink_metadata(&aside).is_ok() {
        count += 1;
        aside = beside(path, &format!(".aside-{seconds}-{count}"));
    }
    // The log first: a database without it is older, a log without its database is nothing.
    let log = beside(path, "-wal");
    if fs::symlink_metadata(&log).is_ok() {
        fs::rename(&log, beside(&aside, "-wal"))?;
    }
    fs::rename(path, &aside)?;
    Ok(Some(aside))
}

/// Takes back what was kept of a database before a program changed its shape that never came to serve. Whether there was
/// such a thing; what that program has made of it is kept aside.
fn take_back(path: &Path) -> io::Result<bool> {
    let before = beside(path, BEFORE);
    if fs::symlink_metadata(&before).is_err() || check_header(&before).is_err() {
        return Ok(false);
    }
    let aside = move_aside(path)?;
    fs::rename(&before, path)?;
    log::warn!(
        "{} is again what it was before another drover changed it, which never served; that is kept at {}",
        path.display(),
        aside.unwrap_or_default().display()
    );
    Ok(true)
}

/// Keeps a database as it is now, until [`Database::settle`].
pub(super) fn keep_before(connection: &Connection, path: &Path) -> rusqlite::Result<()> {
    let before = beside(path, BEFORE);
    let _ = fs::remove_file(&before);
    connection
        .execute("VACUUM INTO ?1", [before.to_string_lossy()])
        .map(drop)
}

/// Copies a file into a new one, for its user alone.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(to)?;
    io::copy(&mut File::open(from)?, &mut copy).map(drop)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn make_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder),
        None => Ok(()),
    }
}

/// Makes the file, for its user alone; SQLite gives the files beside it the same mode.
fn make_private(path: &Path) -> io::Result<()> {
    make_folder(path)?;
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .map(drop)
}

/// Looks at the first bytes of a file before SQLite may touch it: is it a database, ours, and of a
/// version that is known?
fn check_header(path: &Path) -> Result<(), OpenError> {
    let unavailable = |error: io::Error| OpenError::Unavailable(path.into(), error.to_string());
    let mut header = Vec::with_capacity(100);
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unavailable(error)),
    };
    if !found.is_file() {
        return Err(OpenError::Unavailable(path.into(), "is no file".to_owned()));
    }
    File::open(path)
        .and_then(|file| file.take(100).read_to_end(&mut header))
        .map_err(unavailable)?;
    let refused = |why: String| Err(OpenError::Refused(path.into(), why));
    if header.is_empty() {
        // It was just made when its maker died.
        return Ok(());
    }
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") {
        return refused("is no database".to_owned());
    }
    // SQLite's file format, section 1.3: big-endian numbers at fixed places.
    let number = |at: usize| {
        let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
        i32::from_be_bytes(bytes)
    };
    let (version, application) = (number(60), number(68));
    if application != schema::APPLICATION && (application, version) != (0, 0) {
        return refused("is the database of another program".to_owned());
    }
    check_version(path, version)
}

fn check_version(path: &Path, version: i32) -> Result<(), OpenError> {
    if version > schema::VERSION {
        let why = format!(
            "was written by a newer drover (version {version} of the database; this one knows {})",
            schema::VERSION
        );
        return Err(OpenError::Refused(path.into(), why));
    }
    Ok(())
}

/// Opens and checks a database without changing what is there, then takes it into use.
fn connect(path: &Path) -> Result<Connection, OpenError> {
    let failed = |error: rusqlite::Error| classify(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    prepare(&connection).map_err(failed)?;
    let version = schema::version(&connection).map_err(failed)?;
    // Again: the header may be older than what the log says.
    check_version(path, version)?;
    take_into_use(connection, path, version).map_err(failed)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIME)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    // Until it is known to be good, nothing may be carried over from its log.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Nobody else has the file open, the session's lock sees to that. It saves a file and half of
    // the system calls of a commit.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")
}

fn take_into_use(
    mut connection: Connection,
    path: &Path,
    version: i32,
) -> rusqlite::Result<Connection> {
    if version > 0 {
        let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if found != "ok" {
            return Err(damaged(found));
        }
    } else {
        // Only takes effect on an empty database.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // It is carried over between commits, when nobody waits.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    if (1..schema::VERSION).contains(&version) {
        keep_before(&connection, path)?;
    }
    schema::migrate(&mut connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(connection)
}

fn damaged(what: String) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(code, Some(what))
}

/// Whether a failure is one of the file's content or of reaching it.
fn classify(path: &Path, error: &rusqlite::Error) -> OpenError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            OpenError::Refused(path.into(), format!("is damaged ({error})"))
        }
        _ => OpenError::Unavailable(path.into(), error.to_string()),
    }
}
