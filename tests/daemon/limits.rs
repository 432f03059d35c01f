//! Every limit at its edge: just under it passes, just over it is refused, with a code and the request's own `id`.

use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::common::{Connection, Daemon, Setup, until, until_true};

/// A connection that waits for something that does not come, and whose wait has begun.
fn held_wait(daemon: &Daemon, pane: &str) -> Connection {
    let mut connection = daemon.connect();
    let params = json!({
        "pane_id": pane, "source": "recent", "match": { "type": "substring", "value": "never" },
    });
    connection.request("wait", "pane.wait_for_output", params);
    connection
}

/// The line that a connection is answered with.
fn told(mut connection: Connection) -> Value {
    let line = connection.line().expect("an answer");
    assert_eq!(connection.line(), None, "one answer, then the end");
    line
}

#[test]
fn one_wait_more_than_a_process_may_hold_is_told_so_a_thousand_times_of_a_thousand() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let _held: Vec<_> = (0..64).map(|_| held_wait(&daemon, &pane)).collect();
    for number in 0..1000 {
        let id = format!("over-{number}");
        let mut over = daemon.connect();
        let params = json!({
            "pane_id": pane, "source": "recent", "match": { "type": "substring", "value": "never" },
        });
        over.request(&id, "pane.wait_for_output", params);
        let line = told(over);
        assert_eq!(line["id"], id.as_str());
        assert_eq!(line["error"]["code"], "rate_limited", "{line}");
    }
}

#[test]
fn a_crowd_over_the_limit_at_once_is_told_so_one_by_one() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let _held: Vec<_> = (0..64).map(|_| held_wait(&daemon, &pane)).collect();
    // All of them are there before the first says what it wants.
    let mut crowd: Vec<_> = (0..500).map(|_| daemon.connect()).collect();
    for (number, over) in crowd.iter_mut().enumerate() {
        over.request(&number.to_string(), "ping", json!({}));
    }
    for (number, over) in crowd.into_iter().enumerate() {
        let line = told(over);
        assert_eq!(line["id"], number.to_string());
        assert_eq!(line["error"]["code"], "rate_limited", "{line}");
    }
}

/// Processes that are ended with the test.
struct Crowd(Vec<Child>);

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
        }
        for child in &mut self.0 {
            let _ = child.wait();
        }
    }
}

#[test]
fn while_five_hundred_processes_wait_everybody_else_is_answered() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let herdr = daemon.home.path("run/drover/bin/herdr");
    let wait = || {
        let mut command = daemon.home.command(&herdr);
        command.args(["pane", "wait-output", &pane, "--match", "never"]);
        command.stdout(std::process::Stdio::null());
        command.stderr(std::process::Stdio::null());
        command.spawn().expect("a started process")
    };
    let mut crowd = Crowd(Vec::new());
    for _ in 0..500 {
        crowd.0.push(wait());
        daemon.result("ping", json!({}));
    }
    let end = daemon.herdr(&["pane", "list"]);
    assert_eq!(end.code, Some(0), "{end:?}");
    for child in &mut crowd.0 {
        assert_eq!(child.try_wait().expect("a child"), None, "it waits");
    }
}

#[test]
fn a_request_line_of_as_many_bytes_as_may_be_is_answered_and_a_longer_one_is_told_so() {
    let daemon = Setup::new()
        .config("[limits]\nrequest_bytes = 5000\n")
        .start();
    let line = |length: usize| {
        let empty = r#"{"x":"","method":"ping","params":{},"id":"p"}"#;
        let x = "x".repeat(length - empty.len());
        format!(r#"{{"x":"{x}","method":"ping","params":{{}},"id":"p"}}"#) + "\n"
    };
    let sent = |length: usize| {
        let mut connection = daemon.connect();
        connection.send(line(length).as_bytes());
        told(connection)
    };
    assert_eq!(sent(5000)["result"]["type"], "pong");
    for length in [5001, 5_000_000] {
        let refused = sent(length);
        assert_eq!(refused["id"], "p");
        assert_eq!(refused["error"]["code"], "request_too_large", "{refused}");
    }
}

#[test]
fn a_request_line_that_does_not_end_in_time_is_told_so() {
    let daemon = Setup::new().config("[limits]\nrequest_ms = 300\n").start();
    let started = Instant::now();
    let mut begun = daemon.connect();
    begun.send(br#"{"id":"slow","method":"ping""#);
    let refused = told(begun);
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(refused["id"], "slow");
    assert_eq!(refused["error"]["code"], "request_timeout", "{refused}");
    let mut silent = daemon.connect();
    assert_eq!(silent.line(), None, "who says nothing is told nothing");
}

#[test]
fn metadata_and_notifications_of_a_pane_have_a_burst_and_then_a_rate() {
    // So slow that nothing flows in while the test runs.
    let config = "[limits]\nmetadata_burst = 4\nmetadata_per_second = 1\n[authority]\nreports = 'same-user'\n";
    let daemon = Setup::new().config(config).start();
    let (first, second) = (daemon.workspace(), daemon.tab());
    let report = |pane: &str| {
        let params = json!({ "pane_id": pane, "source": "s", "title": "t" });
        daemon.rpc("pane.report_metadata", params)
    };
    let started = Instant::now();
    let passed = (0..50)
        .filter(|_| report(&first).get("result").is_some())
        .count();
    let flowed = started.elapsed().as_secs_f64().ceil() as usize;
    assert!((4..=4 + flowed).contains(&passed), "{passed} in {flowed} s");
    assert!(
        report(&second).get("result").is_some(),
        "another pane has its own"
    );
    let answer = until("a refusal", || report(&first).get("error").cloned());
    assert_eq!(answer["code"], "rate_limited", "{answer}");

    let notify = || daemon.rpc("notification.show", json!({ "title": "t" }));
    let refused = until("a refusal", || notify().get("error").cloned());
    assert_eq!(refused["code"], "rate_limited", "{refused}");
    // A state is never refused for coming too fast.
    for seq in 0..50 {
        let params = json!({ "pane_id": first, "source": "s", "agent": "a", "state": "working", "seq": seq });
        daemon.result("pane.report_agent", params);
    }
    until_true("room for another", || {
        report(&first).get("result").is_some()
    });
}

#[test]
fn a_wait_longer_than_the_longest_is_refused_and_one_without_a_time_ends_with_it() {
    let daemon = Setup::new().config("[limits]\nwait_ms = 1000\n").start();
    let pane = daemon.workspace();
    let wait = |time: Value| {
        daemon.rpc(
            "pane.wait_for_output",
            json!({
                "pane_id": pane, "source": "recent", "timeout_ms": time,
                "match": { "type": "substring", "value": "never" },
            }),
        )
    };
    assert_eq!(wait(json!(1001))["error"]["code"], "invalid_params");
    assert_eq!(wait(json!(1000))["error"]["code"], "timeout");
    assert_eq!(wait(Value::Null)["error"]["code"], "timeout");
}

#[test]
fn a_day_is_the_longest_wait_by_default() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let (code, message) = daemon.refusal(
        "events.wait",
        json!({
            "match_event": { "event": "pane_agent_status_changed", "pane_id": pane, "agent_status": "done" },
            "timeout_ms": 86_400_001,
        }),
    );
    assert_eq!(code, "invalid_params");
    assert!(message.contains("86400000 or less"), "{message}");
}

#[test]
fn variables_for_a_new_pane_have_a_size() {
    let daemon = Setup::new().config("[limits]\nenv_bytes = 1024\n").start();
    let env = |length: usize| json!({ "env": { "LONG": "x".repeat(length - 4) } });
    daemon.result("workspace.create", env(1024));
    daemon.refuses(
        "workspace.create",
        env(1025),
        "invalid_env",
        "env takes at most 1024 bytes ([limits] env_bytes), not 1025",
    );
}

#[test]
fn panes_have_a_ceiling() {
    let daemon = Setup::new().config("[limits]\npanes = 2\n").start();
    daemon.workspace();
    daemon.workspace();
    let (code, message) = daemon.refusal("workspace.create", json!({}));
    assert_eq!(code, "workspace_create_failed");
    assert!(message.contains("2 panes already"), "{message}");
}

#[test]
fn input_for_a_program_that_does_not_read_has_a_ceiling_that_follows_the_configuration() {
    let daemon = Setup::new()
        .config("[limits]\ninput_bytes = 4096\n")
        .start();
    let pane = daemon.workspace();
    daemon.enter(&pane, "stty raw -echo; echo 'de''af'; sleep 1000");
    daemon.wait_for_line(&pane, "deaf$");
    let send = || {
        let params = json!({ "pane_id": pane, "text": "x".repeat(4096) });
        daemon.rpc("pane.send_text", params)
    };
    // The kernel's own buffer takes some.
    let refused = until("a full queue", || send().get("error").cloned());
    assert_eq!(refused["code"], "pane_send_failed");
    assert_eq!(refused["message"], "input queue full");
    daemon.home.configure("[limits]\ninput_bytes = 65536\n");
    daemon.result("server.reload_config", json!({}));
    assert!(send().get("result").is_some());
}

#[test]
fn a_stream_that_is_not_read_ends_with_events_lost() {
    let daemon = Setup::new().config("[limits]\nevent_lines = 16\n").start();
    daemon.workspace();
    // Each event is told fifty times: the queue is full long before the daemon gives up on writing.
    let entries = vec![json!({ "type": "workspace.renamed" }); 50];
    let mut stream = daemon.connect();
    stream.request("s", "events.subscribe", json!({ "subscriptions": entries }));
    assert!(stream.line().expect("an answer")["result"].is_object());
    let long = "x".repeat(4_000);
    for number in 0..20 {
        let params = json!({ "workspace_id": "w1", "label": format!("{number} {long}") });
        daemon.result("workspace.rename", params);
    }
    let lines: Vec<_> = std::iter::from_fn(|| stream.line()).collect();
    assert!(lines.len() < 20 * 50, "some are lost");
    let last = lines.last().expect("lines");
    assert_eq!(last["error"]["code"], "events_lost", "{last}");
    assert_eq!(last["id"], "s");
}

/// Everything that gives something a label, with one of this length.
fn labelled(pane: &str, length: usize) -> Vec<(&'static str, Value)> {
    let label = "x".repeat(length);
    let leaf = json!({ "type": "pane", "label": label });
    vec![
        ("pane.rename", json!({ "pane_id": pane, "label": label })),
        ("tab.rename", json!({ "tab_id": "w1:t1", "label": label })),
        (
            "workspace.rename",
            json!({ "workspace_id": "w1", "label": label }),
        ),
        ("workspace.create", json!({ "label": label })),
        (
            "tab.create",
            json!({ "workspace_id": "w1", "label": label }),
        ),
        (
            "layout.apply",
            json!({ "workspace_id": "w1", "tab_label": label, "root": { "type": "pane" } }),
        ),
        (
            "layout.apply",
            json!({ "workspace_id": "w1", "root": leaf }),
        ),
    ]
}

#[test]
fn labels_have_a_length() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    for (method, params) in labelled(&pane, 4096) {
        daemon.result(method, params);
    }
    for (method, params) in labelled(&pane, 4097) {
        assert_eq!(
            daemon.refusal(method, params).0,
            "invalid_request",
            "{method}"
        );
    }
    daemon.home.configure("[limits]\nlabel_bytes = 16\n");
    daemon.result("server.reload_config", json!({}));
    for (method, params) in labelled(&pane, 16) {
        daemon.result(method, params);
    }
    for (method, params) in labelled(&pane, 17) {
        let (code, message) = daemon.refusal(method, params);
        assert_eq!(code, "invalid_request", "{method}");
        assert!(message.contains("label_bytes"), "{message}");
    }
}

#[test]
fn tokens_and_titles_have_limits_that_follow_the_configuration() {
    let limits = "[limits]\ntokens_per_report = 3\ntokens = 4\ntoken_sources = 2\ntitle_chars = 8\n\
                  metadata_burst = 1000\n";
    let daemon = Setup::new().config(limits).start();
    let pane = daemon.workspace();
    let report = |target: &str, method: &str, source: &str, keys: &[&str], seq: Value| {
        let tokens: serde_json::Map<String, Value> = keys
            .iter()
            .map(|key| ((*key).to_owned(), json!("123456789")))
            .collect();
        let mut params = json!({ "source": source, "tokens": tokens, "seq": seq });
        params[target] = json!(if target == "pane_id" {
            pane.as_str()
        } else {
            "w1"
        });
        let answer = daemon.rpc(method, params);
        let code = answer["error"]["code"].as_str().unwrap_or("ok");
        code.to_owned()
    };
    for (target, method) in [
        ("pane_id", "pane.report_metadata"),
        ("workspace_id", "workspace.report_metadata"),
    ] {
        let none = || Value::Null;
        let report = |source: &str, keys: &[&str], seq| report(target, method, source, keys, seq);
        assert_eq!(report("s", &["a", "b", "c"], none()), "ok");
        assert_eq!(
            report("s", &["a", "b", "c", "d"], none()),
            "invalid_metadata_token"
        );
        assert_eq!(report("s", &["d"], none()), "ok");
        assert_eq!(report("s", &["e"], none()), "metadata_token_limit");
        assert_eq!(report("s1", &["a"], json!(1)), "ok");
        assert_eq!(report("s2", &["a"], json!(1)), "ok");
        assert_eq!(
            report("s3", &["a"], json!(1)),
            "metadata_sequence_source_limit"
        );
    }
    let long = json!({
        "pane_id": pane, "source": "s", "title": "a title of many words", "display_agent": "123456789",
    });
    daemon.result("pane.report_metadata", long);
    let record = daemon.pane(&pane);
    assert_eq!(record["title"], "a title ");
    assert_eq!(record["tokens"]["a"], "12345678");
    daemon.home.configure("[limits]\nmetadata_burst = 1000\n");
    daemon.result("server.reload_config", json!({}));
    let title = "é".repeat(81);
    daemon.result(
        "pane.report_metadata",
        json!({ "pane_id": pane, "source": "s", "title": title }),
    );
    let shown = daemon.pane(&pane)["title"]
        .as_str()
        .expect("text")
        .chars()
        .count();
    assert_eq!(shown, 80);
}

#[test]
fn a_stream_that_is_megabytes_behind_ends_with_events_lost() {
    let daemon = Setup::new()
        .config("[limits]\nevent_bytes = 65536\nevent_lines = 65536\n")
        .start();
    daemon.workspace();
    let entries = vec![json!({ "type": "workspace.renamed" }); 50];
    let mut stream = daemon.connect();
    stream.request("s", "events.subscribe", json!({ "subscriptions": entries }));
    assert!(stream.line().expect("an answer")["result"].is_object());
    for number in 0..20 {
        let label = format!("{number} {}", "x".repeat(4_000));
        daemon.result(
            "workspace.rename",
            json!({ "workspace_id": "w1", "label": label }),
        );
    }
    let last = std::iter::from_fn(|| stream.line()).last().expect("lines");
    assert_eq!(last["error"]["code"], "events_lost", "{last}");
}

#[test]
fn the_command_of_a_new_pane_has_a_size() {
    let daemon = Setup::new().config("[limits]\nargv_bytes = 1024\n").start();
    daemon.workspace();
    let apply = |length: usize| {
        let command = ["/bin/echo".to_owned(), "x".repeat(length - 9)];
        let root = json!({ "type": "pane", "command": command });
        json!({ "workspace_id": "w1", "root": root })
    };
    daemon.result("layout.apply", apply(1024));
    let (code, message) = daemon.refusal("layout.apply", apply(1025));
    assert_eq!(code, "invalid_argv");
    assert!(message.contains("argv_bytes"), "{message}");
}

/// A subscription that has begun, or why it has not.
fn subscription(daemon: &Daemon) -> Result<Connection, Value> {
    let mut stream = daemon.connect();
    let entries = [json!({ "type": "workspace.renamed" })];
    stream.request("s", "events.subscribe", json!({ "subscriptions": entries }));
    let answer = stream.line().expect("an answer");
    match answer.get("error") {
        None => Ok(stream),
        Some(error) => Err(error.clone()),
    }
}

#[test]
fn streams_of_one_process_have_a_number() {
    let daemon = Setup::new()
        .config("[limits]\nstreams_per_process = 3\n")
        .start();
    let held: Vec<_> = (0..3)
        .map(|_| subscription(&daemon).expect("room"))
        .collect();
    let refused = subscription(&daemon).err().expect("a refusal");
    assert_eq!(refused["code"], "rate_limited");
    daemon.result("ping", json!({}));
    drop(held);
    until("room again", || subscription(&daemon).ok());
}

#[test]
fn connections_and_streams_in_all_have_a_number() {
    let daemon = Setup::new()
        .config("[limits]\nconnections = 16\nstreams = 2\n")
        .start();
    let pane = daemon.workspace();
    let _streams: Vec<_> = (0..2).filter_map(|_| subscription(&daemon).ok()).collect();
    let refused = subscription(&daemon).err().expect("a refusal");
    assert_eq!(refused["code"], "rate_limited", "{refused}");
    // One process gets ever fewer of them, and never all.
    let held: Vec<_> = (0..16).map(|_| held_wait(&daemon, &pane)).collect();
    let refused = until("a refusal", || {
        daemon.rpc("ping", json!({})).get("error").cloned()
    });
    assert_eq!(refused["code"], "rate_limited", "{refused}");
    // Another process, which holds none, is answered all the same.
    let end = daemon.herdr(&["pane", "list"]);
    assert_eq!(end.code, Some(0), "{end:?}");
    drop(held);
}

#[test]
fn eight_hundred_clients_that_misbehave_keep_nobody_else_from_an_answer() {
    let config =
        "[limits]\nconnections_per_process = 2000\nconnections = 8000\nrequest_ms = 2000\n";
    let daemon = Setup::new().config(config).start();
    daemon.workspace();
    let line = b"{\"id\":\"h\",\"method\":\"session.snapshot\",\"params\":{}}\n";
    let begun = |bytes: &[u8]| {
        let mut connection = daemon.connect();
        connection.send(bytes);
        connection
    };
    let mut dripping: Vec<_> = (0..200).map(|_| begun(&line[..9])).collect();
    let deaf: Vec<_> = (0..200).map(|_| begun(line)).collect();
    let mut half: Vec<_> = (0..200).map(|_| begun(&line[..20])).collect();
    half.iter_mut().for_each(Connection::finish);
    (0..200).for_each(|_| drop(begun(line)));
    for _ in 0..100 {
        assert_eq!(daemon.result("ping", json!({}))["type"], "pong");
    }
    for connection in &mut half {
        assert_eq!(
            connection.line(),
            None,
            "a line without an end is no request"
        );
    }
    for connection in &mut dripping {
        let told = connection.line().expect("an answer");
        assert_eq!(told["error"]["code"], "request_timeout");
        assert_eq!(told["id"], "h");
    }
    drop(deaf);
    assert_eq!(daemon.result("ping", json!({}))["type"], "pong");
}
