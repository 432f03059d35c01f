//! Lines in and lines out: what is read, what is answered, and when a connection ends.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::common::{Connection, Daemon, PATIENCE, Setup, until, until_true};

const PING: &str = r#"{"id":"p","method":"ping","params":{}}"#;

/// What is sent back, as JSON.
fn answer(daemon: &Daemon, bytes: &[u8]) -> Value {
    let answer = daemon.raw(bytes);
    let text = String::from_utf8(answer).expect("text");
    assert_eq!(text.matches('\n').count(), 1, "one line: {text:?}");
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("JSON: {text:?}"))
}

#[test]
fn blanks_around_a_line_do_not_count() {
    let daemon = Daemon::start();
    for line in [
        format!("{PING}\n"),
        format!("{PING}\r\n"),
        format!(" \t{PING} \t\r\n"),
    ] {
        let answer = answer(&daemon, line.as_bytes());
        assert_eq!(answer["id"], "p");
        assert_eq!(answer["result"]["type"], "pong");
    }
}

#[test]
fn a_line_may_come_in_pieces_and_end_with_a_half_close() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for piece in PING.as_bytes().chunks(7) {
        connection.send(piece);
    }
    connection.send(b"\n");
    connection.finish();
    assert_eq!(connection.line().expect("an answer")["id"], "p");
    assert_eq!(connection.line(), None);
}

#[test]
fn what_is_no_request_line_is_answered_by_closing() {
    let daemon = Daemon::start();
    for bytes in [
        &b"\n"[..],
        b" \t  \r\n",
        b"{\"id\":\"p\",\"method\":\"\xff\",\"params\":{}}\n",
    ] {
        assert_eq!(daemon.raw(bytes), b"", "{bytes:?}");
    }
    // The end comes before the newline.
    for bytes in [&b""[..], PING.as_bytes()] {
        let mut connection = daemon.connect();
        connection.send(bytes);
        connection.finish();
        assert_eq!(connection.rest(), b"", "{bytes:?}");
    }
}

#[test]
fn nul_and_byte_order_mark_are_bad_json() {
    let daemon = Daemon::start();
    for line in [format!("\u{feff}{PING}\n"), format!("{PING}\0\n")] {
        let answer = answer(&daemon, line.as_bytes());
        assert_eq!(answer["id"], "");
        assert_eq!(answer["error"]["code"], "invalid_request");
    }
}

#[test]
fn a_line_of_one_mebibyte_is_answered_and_one_byte_more_is_told_so() {
    let daemon = Daemon::start();
    let padded = |length: usize| {
        let empty = r#"{"id":"p","method":"ping","params":{},"x":""}"#;
        let x = "x".repeat(length - empty.len());
        format!(r#"{{"id":"p","method":"ping","params":{{}},"x":"{x}"}}"#) + "\n"
    };
    let whole = answer(&daemon, padded(1 << 20).as_bytes());
    assert_eq!(whole["result"]["type"], "pong");
    let longer = answer(&daemon, padded((1 << 20) + 1).as_bytes());
    assert_eq!(longer["id"], "p");
    assert_eq!(longer["error"]["code"], "request_too_large");
}

#[test]
fn a_line_has_five_seconds_in_all_however_it_drips() {
    let daemon = Daemon::start();
    let started = Instant::now();
    let silent = daemon.connect();
    let dripping = daemon.connect();
    let pause = Duration::from_millis(200);
    dripping
        .stream()
        .set_read_timeout(Some(pause))
        .expect("a timeout");
    let mut byte = [0];
    let end = loop {
        // Fails once the daemon has closed, which the read below tells as well.
        let _ = dripping.stream().write_all(b" ");
        match dripping.stream().read(&mut byte) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            other => break other,
        }
        assert!(
            started.elapsed() < PATIENCE,
            "dripping holds the connection"
        );
    };
    assert!(!matches!(end, Ok(1..)), "nothing is said: {end:?}");
    assert!(started.elapsed() > Duration::from_millis(4500));
    let mut silent = silent;
    assert_eq!(silent.rest(), b"");
}

#[test]
fn requests_that_do_not_decode_are_refused_with_the_decoders_words() {
    let daemon = Daemon::start();
    for (line, id, words) in [
        ("{not json}", "", "key must be a string"),
        ("plain text", "", "expected"),
        ("[1,2]", "", "expected struct Request"),
        ("\"ping\"", "", "expected struct Request"),
        ("{}", "", "missing field `id`"),
        (
            r#"{"id":1,"method":"ping","params":{}}"#,
            "",
            "invalid type: integer `1`, expected a string",
        ),
        (
            r#"{"id":null,"method":"ping","params":{}}"#,
            "",
            "expected a string",
        ),
        (r#"{"id":"a","params":{}}"#, "a", "missing field `method`"),
        (
            r#"{"id":"a","method":"ping"}"#,
            "a",
            "missing field `params`",
        ),
        (r#"{"id":"a","method":"ping","params":null}"#, "a", ""),
        (r#"{"id":"a","method":"ping","params":[]}"#, "a", ""),
        (
            r#"{"id":"a","method":"pane.get","params":["w1:p1"]}"#,
            "a",
            "",
        ),
        (
            r#"{"id":"a","method":"ping","params":7}"#,
            "a",
            "invalid type",
        ),
        (
            r#"{"id":"a","method":"nope","params":{}}"#,
            "a",
            "unknown variant `nope`, expected one of `ping`, `server.stop`, ",
        ),
        (
            r#"{"id":"a","method":"PING","params":{}}"#,
            "a",
            "unknown variant `PING`",
        ),
        (
            r#"{"id":"a","method":"pane.split","params":{"direction":"left"}}"#,
            "a",
            "unknown variant `left`, expected `right` or `down`",
        ),
        (
            r#"{"id":"a","method":"pane.read","params":{"pane_id":"x","source":"all"}}"#,
            "a",
            "unknown variant `all`, expected one of `visible`, `recent`",
        ),
        (
            r#"{"id":"a","method":"pane.get","params":{"pane_id":7}}"#,
            "a",
            "invalid type: integer `7`, expected a string",
        ),
        (
            r#"{"id":"a","method":"pane.get","params":{"pane_id":null}}"#,
            "a",
            "expected a string",
        ),
        (
            r#"{"id":"a","method":"workspace.move","params":{"workspace_id":"w1","insert_index":-1}}"#,
            "a",
            "invalid value: integer `-1`, expected",
        ),
        (
            r#"{"id":"a","method":"pane.get","params":{}}"#,
            "a",
            "missing field `pane_id`",
        ),
        (
            r#"{"id":"a","method":"pane.get","params":{"pane_id":"x","pane_id":"y"}}"#,
            "a",
            "duplicate field `pane_id`",
        ),
        (
            r#"{"id":"a","id":"b","method":"ping","params":{}}"#,
            "",
            "duplicate field `id`",
        ),
        (
            r#"{"id":"a","method":"ping","method":"ping","params":{}}"#,
            "a",
            "duplicate field `method`",
        ),
        (
            r#"{"id":"a","method":"ping","params":{},"params":{}}"#,
            "a",
            "duplicate field `params`",
        ),
        (
            r#"{"id":"a","method":"ping","params":{}} {}"#,
            "",
            "trailing characters",
        ),
        (
            r#"{"id":"a","method":"pane.report_agent","params":{"pane_id":"x","source":"s","agent":"a","state":"done"}}"#,
            "a",
            "unknown variant `done`, expected one of `idle`, `working`, `blocked`, `unknown`",
        ),
    ] {
        let answer = answer(&daemon, format!("{line}\n").as_bytes());
        assert_eq!(answer["id"], id, "{line}: {answer}");
        let error = answer["error"].as_object().expect("an error");
        assert_eq!(error.len(), 2, "{line}: {answer}");
        assert_eq!(error["code"], "invalid_request", "{line}: {answer}");
        let message = error["message"].as_str().expect("text");
        assert!(
            message.starts_with("invalid request: "),
            "{line}: {message}"
        );
        assert!(message.contains(words), "{line}: {message}");
    }
}

#[test]
fn retired_methods_are_unknown_in_their_own_way() {
    let daemon = Daemon::start();
    for method in ["info", "set", "clear", "stream"] {
        let method = format!("pane.graphics.{method}");
        let message = format!("unknown method: {method}");
        daemon.refuses(&method, json!({}), "unknown_method", &message);
    }
}

#[test]
fn any_text_is_an_id_and_comes_back_as_it_was() {
    let daemon = Daemon::start();
    for id in ["", " ", "ž\u{1f40f}", "a\"b\\c\n", &"x".repeat(10_000)] {
        let request = json!({ "id": id, "method": "ping", "params": {} });
        let answer = answer(&daemon, format!("{request}\n").as_bytes());
        assert_eq!(answer["id"], id);
    }
}

#[test]
fn a_second_request_on_a_connection_is_not_answered() {
    let daemon = Daemon::start();
    let two = format!("{PING}\n{PING}\n");
    assert_eq!(answer(&daemon, two.as_bytes())["id"], "p");
}

#[test]
fn a_long_answer_comes_whole_before_the_close() {
    let daemon = Setup::new().config("server.headless_cols = 1000\n").start();
    let pane = daemon.workspace();
    let script = r#"awk 'BEGIN { s = "0123456789"; while (length(s) < 900) s = s s; for (i = 0; i < 1200; i++) print substr(s, 1, 900) }'; echo 'al''l'"#;
    daemon.enter(&pane, script);
    daemon.wait_for_line(&pane, "all$");
    let text = daemon.text(&pane);
    assert!(text.len() > 800_000, "{}", text.len());
    assert!(text.trim_end().ends_with(['$', '#']), "up to the prompt");
}

#[test]
fn writing_or_closing_after_a_subscription_ends_it() {
    let daemon = Daemon::start();
    for byte in [&b"x"[..], b"\n", PING.as_bytes()] {
        let mut stream = daemon.subscribe(json!([]));
        stream.connection().send(byte);
        stream.ended();
    }
    let mut stream = daemon.subscribe(json!([]));
    stream.connection().finish();
    stream.ended();
}

#[test]
fn writing_during_a_wait_ends_it_without_an_answer() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let wait = held_wait(&daemon, &pane);
    wait.stream().set_nonblocking(true).expect("a mode");
    // What comes in one piece with the request is passed over, so not every byte counts.
    until_true("the end of the wait", || {
        let _ = wait.stream().write(b"\n");
        let mut byte = [0];
        match wait.stream().read(&mut byte) {
            Ok(0) => true,
            Ok(_) => panic!("an answer"),
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    });
}

/// A connection that waits for something that does not come.
fn held_wait(daemon: &Daemon, pane: &str) -> Connection {
    let mut connection = daemon.connect();
    let params = json!({
        "pane_id": pane, "source": "recent", "match": { "type": "substring", "value": "never" },
    });
    connection.request("wait", "pane.wait_for_output", params);
    connection
}

#[test]
fn while_it_stops_waits_end_and_requests_are_refused() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    // What does not let itself be asked to end holds up the stop for a moment.
    daemon.enter(&pane, "trap '' HUP TERM; echo 'dea''f'; cat");
    daemon.wait_for_line(&pane, "deaf$");
    let mut stream = daemon.subscribe(json!([]));
    let mut wait = held_wait(&daemon, &pane);
    let mut late = daemon.connect();
    assert_eq!(
        daemon.result("server.stop", json!({})),
        json!({ "type": "ok" })
    );
    stream.ended();
    let refusal = |id: &str| {
        let error = json!({ "code": "server_unavailable", "message": "server is shutting down" });
        json!({ "id": id, "error": error })
    };
    // Silence; or, if its line was not even read before the stop, what everybody is told now.
    let end = wait.line();
    assert!(end.is_none() || end == Some(refusal("wait")), "{end:?}");
    late.request("late", "pane.list", json!({}));
    assert_eq!(late.line(), Some(refusal("late")));
    assert_eq!(daemon.wait(), 0);
}

#[test]
fn a_connection_over_the_limit_is_told_so_after_its_line_was_read() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut held: Vec<_> = (0..64).map(|_| held_wait(&daemon, &pane)).collect();
    // Longer than the socket's buffers, so that an answer before the end of the line would break the pipe.
    let mut over = daemon.connect();
    let padding = "x".repeat(900_000);
    over.request("over", "ping", json!({ "padding": padding }));
    let answer = over.line().expect("an answer");
    assert_eq!(answer["id"], "over");
    assert_eq!(answer["error"]["code"], "rate_limited", "{answer}");
    assert_eq!(over.line(), None);

    let mut over = daemon.connect();
    over.send(b"{\"id\":\"bad\"}\n");
    assert_eq!(
        over.line().expect("an answer")["error"]["code"],
        "rate_limited"
    );

    held.pop();
    until("room for another connection", || {
        let answer = daemon.rpc("ping", json!({}));
        answer["result"].is_object().then_some(())
    });
}

#[test]
fn a_ninth_stream_of_one_process_is_refused_until_another_ends() {
    let daemon = Daemon::start();
    let mut streams: Vec<_> = (0..8).map(|_| daemon.subscribe(json!([]))).collect();
    let ninth = || daemon.rpc("events.subscribe", json!({ "subscriptions": [] }));
    assert_eq!(ninth()["error"]["code"], "rate_limited");
    let other = daemon.result("ping", json!({}));
    assert_eq!(other["type"], "pong", "other requests are served");
    streams.pop();
    until_true("room for another stream", || {
        let mut connection = daemon.connect();
        connection.request("s", "events.subscribe", json!({ "subscriptions": [] }));
        connection.line().expect("an answer")["result"].is_object()
    });
}

#[test]
fn limits_follow_the_configuration() {
    let config = "[limits]\nconnections_per_process = 4\nstreams_per_process = 1\n";
    let daemon = Setup::new().config(config).start();
    let pane = daemon.workspace();
    let _stream = daemon.subscribe(json!([]));
    let second = daemon.rpc("events.subscribe", json!({ "subscriptions": [] }));
    assert_eq!(second["error"]["code"], "rate_limited");
    let _held: Vec<_> = (0..3).map(|_| held_wait(&daemon, &pane)).collect();
    assert_eq!(
        daemon.rpc("ping", json!({}))["error"]["code"],
        "rate_limited"
    );
    let end = daemon.herdr(&["pane", "list"]);
    assert_eq!(
        end.code,
        Some(0),
        "another process has its own count: {end:?}"
    );
}

#[test]
fn a_report_counts_though_its_client_closes_without_reading() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    for (seq, state) in (1..).zip(["working", "blocked", "working", "idle"].repeat(5)) {
        let mut connection = daemon.connect();
        let params = json!({
            "pane_id": pane, "source": "s", "agent": "a", "state": state, "seq": seq,
        });
        connection.request("r", "pane.report_agent", params);
        drop(connection);
        until_true("the report's effect", || {
            daemon.pane(&pane)["agent_status"] == state
        });
    }
}

#[test]
fn the_control_socket_answers_nothing_of_herdrs_but_ping() {
    let daemon = Daemon::start();
    let mut connection = Connection::open(&daemon.home.path("run/drover/drover.sock"));
    connection.request("c", "ping", json!({}));
    assert_eq!(
        connection.line().expect("an answer")["result"]["type"],
        "pong"
    );
    let mut connection = Connection::open(&daemon.home.path("run/drover/drover.sock"));
    connection.request("c", "pane.list", json!({}));
    let answer = connection.line().expect("an answer");
    assert_eq!(answer["error"]["code"], "invalid_request", "{answer}");
}

#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_connections_leave_nothing_behind() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.shell(&pane, "true");
    let folder = |name: &str| {
        let folder = format!("/proc/{}/{name}", daemon.pid());
        std::fs::read_dir(folder).expect("a running daemon")
    };
    // With nobody connected: descriptors and threads, without the few that stay for the next connections. A thread
    // that ends may be gone before it is looked at.
    let alone = || {
        let names: Vec<_> = folder("task")
            .map(|task| task.expect("a thread").path().join("comm"))
            .map(|file| std::fs::read_to_string(file).ok())
            .collect::<Option<_>>()?;
        let (idle, others): (Vec<String>, _) =
            names.into_iter().partition(|name| name == "connection\n");
        (idle.len() <= 2).then(|| (folder("fd").count(), others.len()))
    };
    let before = until("a quiet daemon", alone);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for number in 0..2_500 {
                    let mut connection = daemon.connect();
                    match number % 5 {
                        0 => connection.send(b"\n"),
                        1 => connection.send(b"no request\n"),
                        2 => connection.request("x", "pane.list", json!({})),
                        3 => {
                            connection.request(
                                "x",
                                "pane.wait_for_output",
                                json!({
                                    "pane_id": pane, "source": "visible",
                                    "match": { "type": "substring", "value": "never" },
                                }),
                            );
                            continue;
                        }
                        _ => connection.request("x", "ping", json!({})),
                    }
                    // Some close before they have read the answer.
                    if number % 2 == 0 {
                        connection.rest();
                    }
                }
            });
        }
    });
    until_true(
        &format!("{before:?} descriptors and threads, as before"),
        || alone() == Some(before),
    );
}
