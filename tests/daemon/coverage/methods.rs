//! A row for each method of the protocol, herdr's and ours.

mod agents;
mod panes;
mod plugins;
mod server;
mod world;

use std::collections::BTreeSet;

use drover::method::ENTRIES;
use serde_json::{Value, json};

use super::super::common::{Daemon, executable};
use super::commands;
use super::sources::Sources;

/// One method.
pub struct Row {
    name: &'static str,
    /// The test that shows what it does.
    effect: &'static str,
    error: Error,
    command: Command,
}

/// How it refuses.
enum Error {
    Unknown,
    /// With these parameters, on a daemon with one workspace of two panes: by this code and message. `$HOME` and
    /// `$DROVER` in it stand for paths of the test.
    Asked {
        params: &'static str,
        code: &'static str,
        message: &'static str,
    },
    /// As this test shows, since it takes more than one request.
    Test(&'static str),
}

/// How it is used from a command line.
enum Command {
    Unknown,
    /// By this command of `herdr`.
    Path(&'static str),
    /// By none, and why.
    Without(&'static str),
}

/// A row without content.
const fn method(name: &'static str) -> Row {
    Row {
        name,
        effect: "",
        error: Error::Unknown,
        command: Command::Unknown,
    }
}

impl Row {
    const fn effect(self, effect: &'static str) -> Row {
        Row { effect, ..self }
    }

    const fn refuses(self, params: &'static str, code: &'static str, message: &'static str) -> Row {
        let error = Error::Asked {
            params,
            code,
            message,
        };
        Row { error, ..self }
    }

    const fn error(self, test: &'static str) -> Row {
        let error = Error::Test(test);
        Row { error, ..self }
    }

    const fn command(self, path: &'static str) -> Row {
        let command = Command::Path(path);
        Row { command, ..self }
    }

    const fn without(self, reason: &'static str) -> Row {
        let command = Command::Without(reason);
        Row { command, ..self }
    }
}

fn rows() -> impl Iterator<Item = &'static Row> {
    [
        server::ROWS,
        world::ROWS,
        panes::ROWS,
        agents::ROWS,
        plugins::ROWS,
    ]
    .into_iter()
    .flatten()
}

#[test]
fn every_method_has_a_row() {
    let all: BTreeSet<_> = ENTRIES.iter().map(|entry| entry.name).collect();
    let mut listed = BTreeSet::new();
    for name in rows().map(|row| row.name) {
        assert!(listed.insert(name), "{name} is there twice");
    }
    assert_eq!(listed, all);
    let herdrs = ENTRIES
        .iter()
        .position(|entry| entry.name == "plugin.pane.close");
    assert_eq!(
        herdrs,
        Some(101),
        "herdr 0.9.3 has 102 methods, and ours follow them"
    );
}

#[test]
fn every_method_has_a_test_that_shows_what_it_does() {
    let sources = Sources::read();
    let complaints: Vec<String> = rows()
        .flat_map(|row| {
            let used = [format!("\"{}\"", row.name)];
            let error = match row.error {
                Error::Unknown => Some(format!("{} never refuses anything?", row.name)),
                Error::Asked { .. } => None,
                Error::Test(test) => sources.complaint(test, &used),
            };
            [sources.complaint(row.effect, &used), error]
        })
        .flatten()
        .collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn every_method_has_a_command_or_a_reason_for_having_none() {
    let paths = commands::paths();
    for row in rows() {
        match row.command {
            Command::Unknown => panic!("{} has neither command nor reason", row.name),
            Command::Path(path) => assert!(paths.iter().any(|one| one == path), "{path}"),
            Command::Without(reason) => assert!(reason.len() > 10, "{}: {reason}", row.name),
        }
    }
}

/// What no request that is refused may change.
fn standing(daemon: &Daemon) -> Vec<Value> {
    let snapshot = daemon.result("session.snapshot", json!({}))["snapshot"].clone();
    let members = ["tabs", "layouts", "agents", "focused_pane_id"];
    members
        .iter()
        .map(|member| snapshot[member].clone())
        .collect()
}

#[test]
fn every_method_refuses_what_it_cannot_do_and_then_nothing_has_changed() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.split("w1:p1");
    let before = standing(&daemon);
    for row in rows() {
        let Error::Asked {
            params,
            code,
            message,
        } = row.error
        else {
            continue;
        };
        let params = serde_json::from_str(params).expect("JSON");
        let (said, words) = daemon.refusal(row.name, params);
        // Where a request does not decode is behind this, and depends on how it is written.
        let words = words.split(" at line 1 ").next().unwrap_or_default();
        let message = message
            .replace("$HOME", &daemon.home.path("home").display().to_string())
            .replace("$DROVER", &executable().display().to_string());
        assert_eq!(
            (said.as_str(), words),
            (code, message.as_str()),
            "{}",
            row.name
        );
        assert_eq!(standing(&daemon), before, "{}", row.name);
    }
}
