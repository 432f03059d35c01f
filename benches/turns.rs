//! What a durable report of a turn costs: eight producers at once, as a ratio to as many bare commits of SQLite on the
//! same disk; and what a page costs at the end of a short and of a long journal.
//!
//! `cargo bench --bench turns [-- EVENTS]`; the long journal has 1,000,000 events by default. Files lie in the target
//! directory, because a temporary directory may be in memory, where nothing is durable.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use drover::api::ApiError;
use drover::api::records::{AgentTurnState, ExecutionCommand};
use drover::config::Config;
use drover::pane::process::Own;
use drover::state::{Identity, Limits, Shared, Slots, Stop};
use drover::store::{Key as Row, Store};
use drover::turn::{Capability, Key, New, Proof, Report, Reported, Spec};

const PRODUCERS: usize = 8;

/// Reports in all; the same number of bare commits.
const REPORTS: usize = 8_000;

fn main() {
    let events = std::env::args().filter_map(|word| word.parse().ok()).next();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    for round in 1..=3 {
        let bare = bare_commits(&folder.path().join(format!("bare-{round}.db")));
        let reports = reports(&folder.path().join(format!("turns-{round}.db")));
        println!(
            "round {round}: {:.0} bare commits/s, {:.0} durable reports/s of {PRODUCERS} producers: {:.2} of bare",
            rate(bare),
            rate(reports),
            bare.as_secs_f64() / reports.as_secs_f64(),
        );
    }
    for events in [1_000, events.unwrap_or(1_000_000)] {
        let page = page_at_the_end(&folder.path().join(format!("pages-{events}.db")), events);
        println!("the last page of {events} events: {page:?}");
    }
}

fn rate(time: Duration) -> f64 {
    REPORTS as f64 / time.as_secs_f64()
}

/// Commits of one small row each, one after the other, as durable as SQLite makes them.
fn bare_commits(path: &Path) -> Duration {
    let connection = rusqlite::Connection::open(path).expect("a database");
    let set =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE;
               CREATE TABLE event (id INTEGER PRIMARY KEY, body TEXT NOT NULL);";
    connection.execute_batch(set).expect("a table");
    let body = "x".repeat(400);
    let started = Instant::now();
    for _ in 0..REPORTS {
        connection
            .prepare_cached("INSERT INTO event (body) VALUES (?1)")
            .and_then(|mut insert| insert.execute([&body]))
            .expect("a commit");
    }
    started.elapsed()
}

/// The daemon's state without its sockets.
fn house(store: Store) -> Arc<Shared> {
    let nowhere = PathBuf::from("/nonexistent/drover");
    let identity = Identity {
        session: Default::default(),
        protocol_socket: nowhere.join("drover.sock.herdr"),
        herdr_executable: nowhere.join("herdr"),
        link_dir: None,
        config_file: nowhere.join("config.toml"),
        manifests: Default::default(),
        plugins: Default::default(),
        home: None,
        start_dir: PathBuf::from("/"),
    };
    let config = Config::default();
    let slots = Slots::new(Limits::from(&config.limits));
    let stop = Stop::new().expect("a descriptor");
    Shared::new(identity, config, slots, stop, Arc::new(Own), store)
}

fn reports(path: &Path) -> Duration {
    let store = Store::open(path, None, false).expect("a database");
    store.start().expect("a thread");
    let shared = house(store.clone());
    let capability = Capability::new([7; 32]);
    for number in 0..PRODUCERS {
        begin(&shared, number, &capability).expect("an execution");
    }
    let started = Instant::now();
    thread::scope(|threads| {
        for number in 0..PRODUCERS {
            let (shared, capability) = (&shared, &capability);
            threads.spawn(move || {
                for event in 1..=REPORTS / PRODUCERS {
                    report(shared, number, event as u64, capability).expect("a receipt");
                }
            });
        }
    });
    let time = started.elapsed();
    store.close().unwrap();
    time
}

fn begin(shared: &Shared, number: usize, capability: &Capability) -> Result<(), ApiError> {
    let id = format!("e{number}");
    shared.change_ledger(|ledger, now, rows| {
        let new = New {
            id: id.clone(),
            generation: None,
            spec: Spec {
                cwd: "/".to_owned(),
                workspace_id: None,
                label: None,
                command: ExecutionCommand::Argv { argv: Vec::new() },
                native: None,
                text: None,
            },
            executable: None,
            verifier: capability.verifier(),
        };
        ledger.admit(new, now, rows)?;
        let place = (number as u64, "w1:p1".to_owned(), "w1:t1".to_owned());
        ledger.started(&id, place, 1, now, rows);
        Ok(())
    })
}

fn report(
    shared: &Shared,
    number: usize,
    event_revision: u64,
    capability: &Capability,
) -> Result<Reported, ApiError> {
    let report = Report {
        execution_id: format!("e{number}"),
        pane_id: "w1:p1".to_owned(),
        key: Key {
            producer: "xcsh".to_owned(),
            session_id: "0123abcd4567ef89".to_owned(),
            turn_id: "7e0f6f1c-7f0e-4a0e-9a52-0a4b2f0f6b11".to_owned(),
            generation: 0,
        },
        event_revision,
        state: match event_revision {
            1 => AgentTurnState::Starting,
            _ => AgentTurnState::Working,
        },
        result: None,
        result_digest: None,
        reason: None,
    };
    // Sessions tell the producers' turns apart.
    let report = Report {
        key: Key {
            session_id: format!("{number:016x}"),
            ..report.key.clone()
        },
        ..report
    };
    let proof = Proof::of(Some(capability.as_str()));
    shared.change_ledger(|ledger, now, rows| ledger.report(&report, &proof, now, rows))
}

/// The time of the last page of a journal of so many events, the median of many.
fn page_at_the_end(path: &Path, events: u64) -> Duration {
    let store = Store::open(path, None, false).expect("a database");
    let body = "x".repeat(400);
    for first in (1..=events).step_by(10_000) {
        let rows = (first..=events.min(first + 9_999)).map(|revision| {
            let key = Row::TurnEvent {
                revision,
                turn: revision / 10,
                event: revision % 10,
            };
            (key, Some(body.clone()))
        });
        let ticket = store.put_all(rows.collect()).expect("an open store");
        store.commit(ticket);
    }
    let mut times: Vec<Duration> = (0..101)
        .map(|_| {
            let started = Instant::now();
            let page = store.turn_events(events - 500, 1_000, 1 << 20);
            assert_eq!(page.expect("a page").len(), 500);
            started.elapsed()
        })
        .collect();
    times.sort();
    store.close().unwrap();
    times[times.len() / 2]
}
