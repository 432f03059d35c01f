//! Downloading the rules that read agents' screens, from a host of the test's own.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use super::common::{Daemon, End, run, until_true};

/// A host whose files can be changed while it serves.
struct Host {
    address: String,
    files: Arc<Mutex<HashMap<String, String>>>,
}

impl Host {
    fn start() -> Host {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let files: Arc<Mutex<HashMap<String, String>>> = Arc::default();
        let served = files.clone();
        // Goes on for as long as the test's process.
        thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
                let mut first = String::new();
                let _ = reader.read_line(&mut first);
                let mut line = String::new();
                while line != "\r\n" {
                    line.clear();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 {
                        break;
                    }
                }
                let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                let body = served.lock().expect("lock").get(&path).cloned();
                let status = if body.is_some() { "200 OK" } else { "404 No" };
                let body = body.unwrap_or_default();
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all((head + &body).as_bytes());
            }
        });
        Host { address, files }
    }

    fn put(&self, path: &str, text: String) {
        self.files
            .lock()
            .expect("lock")
            .insert(path.to_owned(), text);
    }
}

fn rules(version: &str, word: &str) -> String {
    format!(
        "id = \"claude\"\nversion = \"{version}\"\nmin_engine_version = 3\n[[rules]]\nid = \"theirs\"\nstate = \"working\"\ncontains = [\"{word}\"]\n"
    )
}

const CATALOG: &str = "schema_version = 1\n[[agents]]\nid = \"claude\"\npath = \"claude.toml\"\n";

fn update(daemon: &Daemon, host: &Host, words: &[&str]) -> End {
    let herdr = daemon.home.path("run/drover/bin/herdr");
    let mut command = daemon.home.command(Path::new(&herdr));
    command
        .args(["server", "update-agent-manifests"])
        .args(words);
    let variable = "HERDR_AGENT_DETECTION_MANIFEST_CATALOG_URL";
    command.env(variable, format!("{}/index.toml", host.address));
    run(&mut command)
}

fn of_claude(answer: &Value) -> Value {
    let list = answer["result"]["manifests"].as_array().expect("a list");
    let found = list.iter().find(|entry| entry["agent"] == "claude");
    found.expect("an entry").clone()
}

#[test]
fn downloaded_rules_judge_the_screens_at_once() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let host = Host::start();
    host.put("/index.toml", CATALOG.to_owned());
    host.put("/claude.toml", rules("9999.1", "own spinner"));
    daemon.home.screen("mine", "", "My own spinner.\n");
    daemon.start_stand_in(&pane, "claude");
    daemon.enter(&pane, "mine");
    until_true("idle", || daemon.pane(&pane)["agent_status"] == "idle");
    let end = update(&daemon, &host, &["--json"]);
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(answer["id"], "cli:server:update-agent-manifests");
    assert_eq!(answer["result"]["type"], "agent_manifest_status");
    assert_eq!(answer["result"]["last_result"], "1 updated");
    assert!(
        answer["result"]["last_check_unix"]
            .as_u64()
            .expect("a time")
            > 1_700_000_000
    );
    let claude = of_claude(&answer);
    assert_eq!(claude["source_kind"], "remote");
    assert_eq!(claude["active_version"], "9999.1");
    assert_eq!(claude["remote_update_result"], "updated");
    until_true("working", || {
        daemon.pane(&pane)["agent_status"] == "working"
    });
    let end = update(&daemon, &host, &[]);
    assert!(end.stdout.contains("\nresult: 1 current\n"), "{end:?}");
}

#[test]
fn a_download_that_fails_leaves_the_rules_of_before() {
    let daemon = Daemon::start();
    let host = Host::start();
    let failure = "failed to update agent detection manifests: ";
    let end = update(&daemon, &host, &[]);
    assert_eq!((end.code, end.stdout.as_str()), (Some(1), ""));
    assert!(
        end.stderr.starts_with(failure) && end.stderr.contains("404"),
        "{end:?}"
    );
    let end = update(&daemon, &host, &["--json"]);
    assert_eq!(end.code, Some(1));
    assert!(
        end.stderr.contains("\"agent_manifest_update_failed\""),
        "{end:?}"
    );

    host.put("/index.toml", CATALOG.to_owned());
    host.put("/claude.toml", rules("9999.1", "spinner"));
    assert_eq!(update(&daemon, &host, &[]).code, Some(0));
    for bad in ["#".repeat(300_000), "id = \"claude\"\n".to_owned()] {
        host.put("/claude.toml", bad);
        let end = update(&daemon, &host, &["--json"]);
        let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
        let claude = of_claude(&answer);
        assert_eq!(claude["remote_update_result"], "failed", "{claude}");
        assert!(claude["remote_update_error"].is_string(), "{claude}");
        assert_eq!(claude["active_version"], "9999.1", "{claude}");
    }
}
