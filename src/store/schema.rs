//! The shape of the database, version by version, and the way from each to the next.
//!
//! A version that was released is never changed: what comes later is another step at the end of
//! [`STEPS`]. Most records are JSON whose readers have a default for what is missing, so a new
//! member needs no step; a step is for what a reader cannot guess.

use rusqlite::{Connection, Transaction};

/// Says that a SQLite file is ours, at offset 68 of its header: the letters `drov`.
pub(super) const APPLICATION: i32 = 0x6472_6f76;

/// What leads from version N to version N + 1; the first makes version 1 out of nothing.
type Step = fn(&Transaction<'_>) -> rusqlite::Result<()>;

/// Every step there is.
const STEPS: &[Step] = &[one, two];

/// The version that this program writes.
pub(super) const VERSION: i32 = STEPS.len() as i32;

/// Brings a database to the present version, in one transaction: it is there whole or not at all.
///
/// # Errors
/// SQLite's.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    migrate_by(connection, STEPS)
}

fn migrate_by(connection: &mut Connection, steps: &[Step]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    let found = version(&transaction)?;
    let done = usize::try_from(found).unwrap_or(0);
    if done >= steps.len() {
        return Ok(());
    }
    for step in &steps[done..] {
        step(&transaction)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", steps.len() as i64)?;
    transaction.commit()
}

/// The version of a database; 0 for an empty one.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn one(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "-- Of the whole session: order, focus, counters. One row.
         CREATE TABLE session (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL);
         -- One row a workspace: its tabs, their layouts, the places of its panes.
         CREATE TABLE workspace (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
         -- One row a pane: what runs in it and what is known of its agent.
         CREATE TABLE pane (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
         -- The last rows of a pane's screen, where the user turned that on.
         CREATE TABLE scrollback (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
         -- What other rooms keep, such as grants.
         CREATE TABLE record (kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
                              PRIMARY KEY (kind, key)) WITHOUT ROWID;
         -- Milliseconds since 1970, whom it is about, what happened. Oldest first.
         CREATE TABLE agent_history (id INTEGER PRIMARY KEY, at INTEGER NOT NULL,
                                     subject TEXT NOT NULL, body TEXT NOT NULL);
         CREATE TABLE access_log (id INTEGER PRIMARY KEY, at INTEGER NOT NULL,
                                  subject TEXT NOT NULL, body TEXT NOT NULL);
         -- Written to when a commit has to reach the disk and nothing else is to be written.
         CREATE TABLE durable (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL);
         INSERT INTO durable VALUES (1, 0);",
    )
}

fn two(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "-- The turn journal. The event's number counts within its turn; 0 is the server's own.
         CREATE TABLE turn_event (revision INTEGER PRIMARY KEY, turn INTEGER NOT NULL,
                                  event INTEGER NOT NULL, body TEXT NOT NULL);
         -- For a report that comes again, and for taking away a turn.
         CREATE INDEX turn_event_of_turn ON turn_event (turn, event);",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(connection: &Connection) -> Vec<String> {
        let mut statement = connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
            .unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn every_version_that_was_released_leads_to_the_same_shape() {
        let mut new = Connection::open_in_memory().unwrap();
        migrate(&mut new).unwrap();
        assert_eq!(version(&new).unwrap(), VERSION);
        for released in 1..=STEPS.len() {
            let mut old = Connection::open_in_memory().unwrap();
            migrate_by(&mut old, &STEPS[..released]).unwrap();
            assert_eq!(version(&old).unwrap(), released as i32);
            migrate(&mut old).unwrap();
            assert_eq!(shape(&old), shape(&new), "from version {released}");
        }
    }

    #[test]
    fn a_later_version_takes_the_rows_of_an_earlier_one_along() {
        fn two(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
            transaction.execute_batch(
                "ALTER TABLE pane ADD COLUMN colour TEXT;
                 UPDATE pane SET colour = json_extract(body, '$.colour');",
            )
        }
        let mut connection = Connection::open_in_memory().unwrap();
        migrate_by(&mut connection, &[one]).unwrap();
        connection
            .execute("INSERT INTO pane VALUES (7, '{\"colour\":\"red\"}')", [])
            .unwrap();
        migrate_by(&mut connection, &[one, two]).unwrap();
        let colour: String = connection
            .query_row("SELECT colour FROM pane WHERE id = 7", [], |row| row.get(0))
            .unwrap();
        assert_eq!((colour.as_str(), version(&connection).unwrap()), ("red", 2));
    }

    #[test]
    fn a_step_that_fails_leaves_the_version_before() {
        fn broken(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
            transaction.execute_batch("DROP TABLE pane; SELECT nonsense;")
        }
        let mut connection = Connection::open_in_memory().unwrap();
        migrate_by(&mut connection, &[one]).unwrap();
        let before = shape(&connection);
        migrate_by(&mut connection, &[one, broken]).unwrap_err();
        assert_eq!(shape(&connection), before);
        assert_eq!(version(&connection).unwrap(), 1);
    }
}
