//! The store on real files: what is acknowledged is there, what is not ours is not touched, and a
//! disk that takes nothing is survived.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// A folder with a database in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("drover.db")
    }

    fn open(&self) -> Store {
        Store::open(&self.path(), None, false).unwrap()
    }

    /// What is in the folder: names and contents.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.0.path()).unwrap().map(Result::unwrap);
        entries
            .filter(|entry| entry.path().is_file())
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (name, fs::read(entry.path()).unwrap())
            })
            .collect()
    }

    /// Why a store cannot be opened.
    fn refusal(&self) -> String {
        Store::open(&self.path(), None, false)
            .unwrap_err()
            .to_string()
    }
}

fn pane(store: &Store, key: u64, body: &str) -> Ticket {
    store.put(Key::Pane(key), Some(body.to_owned()))
}

fn entry(at: i64, subject: &str) -> Entry {
    Entry {
        at,
        subject: subject.to_owned(),
        body: "{}".to_owned(),
    }
}

#[test]
fn what_was_committed_is_there_when_the_file_is_opened_again() {
    let folder = Folder::new();
    let store = folder.open();
    store.put(Key::Session, Some("session".to_owned()));
    store.put(Key::Workspace(1), Some("one".to_owned()));
    store.put(Key::Workspace(2), Some("two".to_owned()));
    store.put(Key::Workspace(1), None);
    pane(&store, 7, "old");
    let ticket = pane(&store, 7, "new");
    store.commit(ticket);
    // Not closed: as after a kill.
    drop(store);
    let saved = folder.open().load().unwrap();
    assert_eq!(saved.session.as_deref(), Some("session"));
    assert_eq!(saved.workspaces, ["two"]);
    assert_eq!(saved.panes, BTreeMap::from([(7, "new".to_owned())]));
}

#[test]
fn rows_of_other_rooms_are_found_by_their_kind() {
    let folder = Folder::new();
    let store = folder.open();
    let record = |kind, key: &str| Key::Record(kind, key.to_owned());
    store.put(record("grant", "b"), Some("2".to_owned()));
    store.put(record("grant", "a"), Some("1".to_owned()));
    store.put(record("other", "a"), Some("3".to_owned()));
    store.commit(store.latest());
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let owned = pairs
            .iter()
            .map(|(key, body)| (key.to_string(), body.to_string()));
        owned.collect()
    };
    assert_eq!(
        store.records("grant").unwrap(),
        pairs(&[("a", "1"), ("b", "2")])
    );
    store.commit(store.put(record("grant", "a"), None));
    assert_eq!(store.records("grant").unwrap(), pairs(&[("b", "2")]));
}

#[test]
fn entries_are_read_newest_first_in_ranges_and_the_oldest_go() {
    let folder = Folder::new();
    let store = folder.open();
    for at in 1..=5 {
        store.append(
            Log::AgentStates,
            entry(at * 10, if at == 2 { "b" } else { "a" }),
        );
    }
    store.append(Log::Access, entry(1, "else"));
    store.commit(store.latest());
    let read = |range: Range| -> Vec<i64> {
        let entries = store.read(Log::AgentStates, &range).unwrap();
        entries.into_iter().map(|(_, entry)| entry.at).collect()
    };
    assert_eq!(read(Range::default()), [50, 40, 30, 20, 10]);
    let range = Range {
        since: Some(20),
        until: Some(50),
        ..Range::default()
    };
    assert_eq!(read(range), [40, 30, 20]);
    let range = Range {
        subject: Some("a".to_owned()),
        limit: 2,
        ..Range::default()
    };
    assert_eq!(read(range.clone()), [50, 40]);
    let last = store.read(Log::AgentStates, &range).unwrap()[1].0;
    let range = Range {
        below: Some(last),
        ..range
    };
    assert_eq!(read(range), [30, 10], "and so on from the last one");
}

#[test]
fn lists_keep_a_bounded_number_of_entries() {
    let folder = Folder::new();
    let store = folder.open();
    for at in 0..3 {
        store.append(Log::Access, entry(at, "x"));
    }
    store.commit(store.latest());
    let Place::Open(database) = &mut *lock(&store.0.file) else {
        panic!("an open database");
    };
    // As if a hundred thousand had come since.
    database
        .connection()
        .execute(
            "UPDATE access_log SET id = id + ?1 WHERE at = 2",
            [Log::Access.kept()],
        )
        .unwrap();
    database.trim().unwrap();
    let left = database.read(Log::Access, &Range::default()).unwrap();
    assert_eq!(left.len(), 1);
}

#[test]
fn the_files_are_for_their_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let store = folder.open();
    store.commit(pane(&store, 1, "x"));
    for name in folder.files().keys() {
        let mode = fs::metadata(folder.0.path().join(name))
            .unwrap()
            .permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn what_is_not_ours_is_refused_by_name_and_not_touched() {
    let big = |application: i32, version: i32| {
        let folder = Folder::new();
        let connection = rusqlite::Connection::open(folder.path()).unwrap();
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        connection
            .pragma_update(None, "application_id", application)
            .unwrap();
        connection
            .pragma_update(None, "user_version", version)
            .unwrap();
        folder
    };
    let text = Folder::new();
    fs::write(text.path(), "no database at all").unwrap();
    let cases = [
        (text, "is no database"),
        (big(7, 1), "another program"),
        (
            big(schema::APPLICATION, schema::VERSION + 1),
            "newer drover",
        ),
    ];
    for (folder, expected) in cases {
        let before = folder.files();
        let refusal = folder.refusal();
        assert!(refusal.contains(expected), "{refusal}");
        assert!(refusal.contains(&folder.path().display().to_string()));
        assert!(refusal.contains("--fresh"), "{refusal}");
        assert_eq!(folder.files(), before);
    }
}

#[test]
fn a_damaged_database_is_refused_and_not_touched_wherever_the_damage_is() {
    let folder = Folder::new();
    let store = folder.open();
    for key in 0..500 {
        pane(&store, key, &"body ".repeat(40));
    }
    store.commit(store.latest());
    store.close().unwrap();
    let whole = fs::read(folder.path()).unwrap();
    let mut refused = 0;
    for page in 0..whole.len() / 4096 {
        let mut damaged = whole.clone();
        damaged[page * 4096 + 100..page * 4096 + 1000].fill(0xa5);
        fs::write(folder.path(), &damaged).unwrap();
        match Store::open(&folder.path(), None, false) {
            Err(OpenError::Refused(..)) => {
                refused += 1;
                assert_eq!(fs::read(folder.path()).unwrap(), damaged, "page {page}");
            }
            // The damage is in what no page uses.
            Ok(_) => {}
            Err(other) => panic!("page {page}: {other}"),
        }
        let _ = fs::remove_file(folder.0.path().join("drover.db-wal"));
    }
    assert!(refused > 10, "{refused}");
    fs::write(folder.path(), &whole[..whole.len() / 2]).unwrap();
    assert!(folder.refusal().contains("is damaged"));
}

#[test]
fn fresh_keeps_what_is_there_aside_and_begins_anew() {
    let folder = Folder::new();
    fs::write(folder.path(), "no database at all").unwrap();
    let store = Store::open(&folder.path(), None, true).unwrap();
    store.commit(pane(&store, 1, "x"));
    let files = folder.files();
    let aside = files.iter().find(|(name, _)| name.contains(".aside-"));
    assert_eq!(aside.unwrap().1, b"no database at all");
    assert_eq!(store.load().unwrap().panes.len(), 1);
}

#[test]
fn a_full_disk_is_survived_and_what_changed_meanwhile_is_saved_later() {
    let folder = Folder::new();
    let store = folder.open();
    store.commit(pane(&store, 1, "before"));
    let limit = |pages: i64| {
        let Place::Open(database) = &mut *lock(&store.0.file) else {
            panic!("an open database");
        };
        let set = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let statement = format!("PRAGMA max_page_count = {pages}");
        database
            .connection()
            .query_row(&statement, [], set)
            .unwrap();
    };
    limit(1);
    let long = "x".repeat(100_000);
    store.commit(pane(&store, 2, &long));
    let trouble = store.trouble().expect("a full disk is told");
    assert!(
        trouble.contains("full") && trouble.contains("drover.db"),
        "{trouble}"
    );
    // Nobody waits now, and the newest counts.
    store.commit(pane(&store, 2, "newer"));
    store.commit(pane(&store, 3, &long));
    limit(1_000_000);
    drop(store.write(lock(&store.0.queue)));
    assert_eq!(store.trouble(), None);
    let panes = store.load().unwrap().panes;
    assert_eq!(panes[&1], "before");
    assert_eq!(panes[&2], "newer");
    assert_eq!(panes[&3], long);
}

#[test]
fn a_place_that_cannot_be_reached_is_tried_again_and_what_was_not_read_is_kept() {
    let folder = Folder::new();
    fs::create_dir(folder.path()).unwrap();
    let store = folder.open();
    assert!(store.trouble().is_some());
    store.commit(pane(&store, 1, "x"));
    // A session that was there all the time, and was not loaded.
    fs::remove_dir(folder.path()).unwrap();
    let other = Store::open(&folder.path(), None, false).unwrap();
    other.commit(pane(&other, 9, "unread"));
    other.close().unwrap();
    drop(store.write(lock(&store.0.queue)));
    assert_eq!(store.trouble(), None);
    assert_eq!(store.load().unwrap().panes[&1], "x");
    let aside = folder
        .files()
        .into_keys()
        .find(|name| name.contains(".aside-"));
    let aside = Store::open(&folder.0.path().join(aside.unwrap()), None, false).unwrap();
    assert_eq!(aside.load().unwrap().panes[&9], "unread");
}

#[test]
fn a_folder_that_was_taken_away_is_made_again_with_all_that_was_in_it() {
    let folder = Folder::new();
    let path = folder.0.path().join("below").join("drover.db");
    let store = Store::open(&path, None, false).unwrap();
    store.commit(pane(&store, 1, "before"));
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    store.commit(pane(&store, 2, "after"));
    assert_eq!(store.trouble(), None);
    drop(store);
    let panes = Store::open(&path, None, false)
        .unwrap()
        .load()
        .unwrap()
        .panes;
    assert_eq!(
        (panes[&1].as_str(), panes[&2].as_str()),
        ("before", "after")
    );
}

#[test]
fn another_file_in_the_place_is_not_written_over() {
    let folder = Folder::new();
    let store = folder.open();
    store.commit(pane(&store, 1, "before"));
    fs::remove_file(folder.path()).unwrap();
    fs::write(folder.path(), "mine").unwrap();
    store.commit(pane(&store, 2, "after"));
    assert!(store.trouble().unwrap().contains("another file"));
    assert_eq!(fs::read(folder.path()).unwrap(), b"mine");
    fs::remove_file(folder.path()).unwrap();
    drop(store.write(lock(&store.0.queue)));
    assert_eq!(store.trouble(), None);
    assert_eq!(store.load().unwrap().panes.len(), 2);
}

#[test]
fn commits_of_many_threads_are_each_there_when_acknowledged() {
    let folder = Folder::new();
    let store = folder.open();
    store.start().unwrap();
    let acknowledged = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let (store, acknowledged) = (&store, &acknowledged);
            scope.spawn(move || {
                for round in 0..50u64 {
                    let key = thread * 1000 + round;
                    store.commit(pane(store, key, "x"));
                    let queue = lock(&store.0.queue);
                    assert!(!queue.rows.contains_key(&Key::Pane(key)));
                    drop(queue);
                    acknowledged.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(acknowledged.into_inner(), 400);
    assert_eq!(store.load().unwrap().panes.len(), 400);
    store.close().unwrap();
}

#[test]
fn what_nobody_waits_for_is_written_by_the_stores_own_thread() {
    let folder = Folder::new();
    let store = folder.open();
    store.start().unwrap();
    pane(&store, 1, "x");
    let deadline = Instant::now() + Duration::from_secs(10);
    while store.load().unwrap().panes.is_empty() {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    store.close().unwrap();
}

#[test]
fn a_durable_commit_also_covers_what_was_committed_before() {
    let folder = Folder::new();
    let store = folder.open();
    let ticket = pane(&store, 1, "x");
    store.commit(ticket);
    assert!(lock(&store.0.queue).durable < ticket.0);
    store.commit_durably(ticket);
    assert!(lock(&store.0.queue).durable >= ticket.0);
}

#[test]
fn a_long_log_is_carried_over_while_nobody_waits() {
    let folder = Folder::new();
    let store = folder.open();
    let long = "x".repeat(1_000_000);
    for key in 0..6 {
        store.commit(pane(&store, key, &long));
    }
    let log = || folder.files()["drover.db-wal"].len();
    assert!(log() > 5_000_000);
    let Place::Open(database) = &mut *lock(&store.0.file) else {
        panic!("an open database");
    };
    database.tidy().unwrap();
    assert_eq!(log(), 0);
}

#[test]
fn a_closed_store_takes_nothing_and_nobody_waits() {
    let folder = Folder::new();
    let store = folder.open();
    pane(&store, 1, "x");
    store.close().unwrap();
    store.commit(pane(&store, 2, "y"));
    assert!(
        !folder.files().contains_key("drover.db-wal"),
        "all is in one file"
    );
    let panes = folder.open().load().unwrap().panes;
    assert_eq!(panes.into_keys().collect::<Vec<_>>(), [1]);
}

#[test]
fn a_store_that_is_nowhere_keeps_nothing() {
    let store = Store::nowhere();
    store.commit_durably(pane(&store, 1, "x"));
    assert_eq!(store.load().unwrap(), Saved::default());
    assert_eq!(store.trouble(), None);
}

fn event(revision: u64, turn: u64, event: u64) -> (Key, Option<String>) {
    let key = Key::TurnEvent {
        revision,
        turn,
        event,
    };
    (key, Some(format!("{turn}.{event}")))
}

#[test]
fn events_of_turns_are_read_in_their_order_by_pages_and_go_with_their_turn() {
    let folder = Folder::new();
    let store = folder.open();
    let rows = vec![
        event(1, 7, 1),
        event(2, 8, 1),
        event(3, 7, 2),
        event(4, 7, 5),
    ];
    let ticket = store.put_all(rows).unwrap();
    store.commit_durably(ticket);
    assert!(store.is_durable(ticket));
    let page = |after, count, bytes| store.turn_events(after, count, bytes).unwrap();
    assert_eq!(page(0, 10, 1_000), ["7.1", "8.1", "7.2", "7.5"]);
    assert_eq!(page(1, 2, 1_000), ["8.1", "7.2"]);
    assert_eq!(page(0, 10, 3), ["7.1", "8.1"], "one more than fits");
    for beyond in [4, u64::MAX] {
        assert!(page(beyond, 10, 1_000).is_empty());
    }
    assert_eq!(store.turn_event(3).unwrap().as_deref(), Some("7.2"));
    assert_eq!(store.turn_event_of(7, 5).unwrap().as_deref(), Some("7.5"));
    assert_eq!(store.turn_event_of(7, 3).unwrap(), None);
    let ticket = store.put_all(vec![(Key::TurnEvents(7), None)]).unwrap();
    store.commit(ticket);
    assert_eq!(page(0, 10, 1_000), ["8.1"]);
    store.close().unwrap();
    assert_eq!(
        store.put_all(vec![event(5, 8, 2)]),
        None,
        "nothing is kept any more"
    );
}

#[test]
fn what_cannot_be_opened_where_it_is_is_read_all_the_same_and_written_when_it_can_be() {
    let folder = Folder::new();
    let spare = tempfile::tempdir().unwrap();
    let store = folder.open();
    pane(&store, 1, "before");
    store.commit(pane(&store, 2, "before"));
    store.close().unwrap();
    // As good as a full disk: the file that SQLite needs beside it cannot be made.
    let log = folder.0.path().join("drover.db-wal");
    fs::create_dir(&log).unwrap();
    let store = Store::open(&folder.path(), Some(spare.path()), false).unwrap();
    assert!(store.trouble().is_some() && !store.is_unread());
    assert_eq!(store.load().unwrap().panes[&1], "before");
    assert_eq!(
        fs::read_dir(spare.path()).unwrap().count(),
        0,
        "the copy has no name"
    );
    store.commit(pane(&store, 2, "after"));
    store.put(Key::Pane(1), None);
    assert!(store.trouble().is_some());
    fs::remove_dir(&log).unwrap();
    drop(store.write(lock(&store.0.queue)));
    assert_eq!(store.trouble(), None);
    drop(store);
    let panes = folder.open().load().unwrap().panes;
    assert_eq!(panes, BTreeMap::from([(2, "after".to_owned())]));
    let aside = folder
        .files()
        .into_keys()
        .find(|name| name.contains("aside"));
    assert_eq!(aside, None, "it is the same file");
}

#[test]
fn what_is_damaged_is_refused_also_as_a_copy() {
    let folder = Folder::new();
    let spare = tempfile::tempdir().unwrap();
    fs::create_dir(folder.0.path().join("drover.db-wal")).unwrap();
    let mut nearly = b"SQLite format 3\0".to_vec();
    nearly.resize(8192, 7);
    fs::write(folder.path(), &nearly).unwrap();
    let opened = Store::open(&folder.path(), Some(spare.path()), false);
    assert!(matches!(opened, Err(OpenError::Refused(..))), "{opened:?}");
    assert_eq!(fs::read_dir(spare.path()).unwrap().count(), 0);
}

#[test]
fn a_newer_drover_that_never_served_leaves_the_database_as_it_was() {
    let folder = Folder::new();
    let store = folder.open();
    store.commit(pane(&store, 1, "before"));
    // What a newer one does first.
    match &*lock(&store.0.file) {
        Place::Open(database) => {
            database::keep_before(database.connection(), &folder.path()).unwrap();
        }
        other => panic!("{other:?}"),
    }
    store.commit(pane(&store, 1, "changed"));
    store.close().unwrap();
    let newer = schema::VERSION + 1;
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    connection
        .pragma_update(None, "user_version", newer)
        .unwrap();
    drop(connection);
    let store = folder.open();
    assert_eq!(store.load().unwrap().panes[&1], "before");
    let kept = |part: &str| folder.files().into_keys().any(|name| name.contains(part));
    assert!(kept(".aside-") && !kept(".before-upgrade"));
}

#[test]
fn a_newer_drover_that_has_served_keeps_its_database_to_itself() {
    let folder = Folder::new();
    let store = folder.open();
    store.commit(pane(&store, 1, "before"));
    match &*lock(&store.0.file) {
        Place::Open(database) => {
            database::keep_before(database.connection(), &folder.path()).unwrap();
        }
        other => panic!("{other:?}"),
    }
    store.serves();
    store.close().unwrap();
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    connection
        .pragma_update(None, "user_version", schema::VERSION + 1)
        .unwrap();
    drop(connection);
    assert!(folder.refusal().contains("newer"));
}
