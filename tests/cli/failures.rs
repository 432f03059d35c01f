//! Refusals, absent daemons and odd answers: which stream, which text, which code.

use std::os::unix::net::UnixListener;
use std::process::Stdio;

use serde_json::json;

use super::support::{Daemon, End, Home, error_line, result_line, run};

#[test]
fn a_refusal_goes_to_stderr_with_sorted_keys_and_code_one() {
    let home = Home::new();
    let _daemon = Daemon::start(
        &home.socket(None),
        Box::new(|request| error_line(request, "pane_not_found", "pane w9:p9 not found")),
    );
    let refusal = |id: &str| {
        let line = format!(
            "{{\"error\":{{\"code\":\"pane_not_found\",\"message\":\"pane w9:p9 not found\"}},\"id\":\"{id}\"}}\n"
        );
        End::new("", &line, 1)
    };
    assert_eq!(
        home.herdr(&["pane", "get", "w9:p9"]),
        refusal("cli:pane:get")
    );
    assert_eq!(
        home.herdr(&["pane", "read", "w9:p9"]),
        refusal("cli:pane:read")
    );
    let report = [
        "pane",
        "report-agent",
        "w9:p9",
        "--source",
        "s",
        "--agent",
        "a",
        "--state",
        "idle",
    ];
    assert_eq!(home.herdr(&report), refusal("cli:request"));
}

#[test]
fn without_a_daemon_every_command_says_so_as_json_with_the_id_first() {
    let home = Home::new();
    let socket = home.socket(None);
    let end = home.herdr(&["workspace", "list"]);
    let expected = format!(
        "{{\"id\":\"cli:workspace:list\",\"error\":{{\"code\":\"server_not_running\",\"message\":\"no server is running \
         at {}; start one with `drover up`\"}}}}\n",
        socket.display()
    );
    assert_eq!(end, End::new("", &expected, 1));

    // A socket file that nobody listens at is the same.
    drop(UnixListener::bind(&socket).expect("bound"));
    assert_eq!(
        home.herdr(&["workspace", "list"]),
        End::new("", &expected, 1)
    );

    let named = home.herdr(&["--session", "work", "pane", "list"]).stderr;
    assert!(
        named
            .contains("sessions/work/drover.sock.herdr; start one with `drover up --session work`"),
        "{named}"
    );

    let placed = run(home
        .command("herdr")
        .env("HERDR_SOCKET_PATH", "/nowhere/s")
        .args(["pane", "list"]));
    assert!(
        placed
            .stderr
            .contains("at /nowhere/s; start one with `HERDR_SOCKET_PATH=/nowhere/s herdr server`"),
        "{placed:?}"
    );
}

#[test]
fn the_protocol_is_asked_after_only_when_an_answer_is_odd() {
    let home = Home::new();
    let daemon = Daemon::start(
        &home.socket(None),
        Box::new(|request| match request["method"].as_str() {
            Some("ping") => result_line(request, &json!({ "type": "pong", "protocol": 99 })),
            _ => error_line(
                request,
                "invalid_request",
                "invalid request: unknown variant",
            ),
        }),
    );
    let end = home.herdr(&["pane", "list"]);
    assert_eq!(
        end.stderr,
        "{\"id\":\"cli:pane:list\",\"error\":{\"code\":\"protocol_mismatch\",\"message\":\"this program speaks protocol 22, \
         the running server the newer protocol 99; this program has to be upgraded\"}}\n"
    );
    assert_eq!((end.code, daemon.lines().len()), (Some(1), 2));
    assert_eq!(
        daemon.lines()[1],
        "{\"id\":\"api-client:status\",\"method\":\"ping\",\"params\":{}}\n"
    );
}

#[test]
fn an_older_daemon_is_to_be_replaced() {
    let home = Home::new();
    let _daemon = Daemon::start(
        &home.socket(Some("w")),
        Box::new(|request| match request["method"].as_str() {
            Some("ping") => result_line(request, &json!({ "type": "pong", "protocol": 20 })),
            _ => "no JSON\n".to_owned(),
        }),
    );
    let end = home.herdr(&["pane", "list", "--session", "w"]);
    assert!(end.stderr.contains("\"protocol_mismatch\""), "{end:?}");
    assert!(end.stderr.contains("`herdr session stop w`"), "{end:?}");
}

#[test]
fn an_invalid_request_of_the_same_protocol_stays_what_it_is() {
    let home = Home::new();
    let _daemon = Daemon::start(
        &home.socket(None),
        Box::new(|request| match request["method"].as_str() {
            Some("ping") => result_line(request, &json!({ "type": "pong", "protocol": 22 })),
            _ => error_line(request, "invalid_request", "no"),
        }),
    );
    let end = home.herdr(&["pane", "list"]);
    assert_eq!(
        end.stderr,
        "{\"error\":{\"code\":\"invalid_request\",\"message\":\"no\"},\"id\":\"cli:pane:list\"}\n"
    );
}

#[test]
fn odd_answers_are_errors_and_never_output() {
    let home = Home::new();
    for answer in ["", "\n", "[]\n", "{}\n", "{\"id\":\"x\"\n", "nonsense"] {
        let daemon = Daemon::saying(&home.socket(None), answer);
        let end = home.herdr(&["pane", "list"]);
        assert_eq!((end.stdout.as_str(), end.code), ("", Some(1)), "{answer:?}");
        assert!(
            end.stderr.starts_with("error: the server"),
            "{answer:?}: {end:?}"
        );
        drop(daemon);
    }
}

#[test]
fn a_report_gives_a_silent_daemon_up_soon() {
    let home = Home::new();
    // Accepts nothing: the connection stays in the queue, and no answer ever comes.
    let _listener = UnixListener::bind(home.socket(None)).expect("bound");
    let end = home.herdr(&[
        "pane",
        "release-agent",
        "w1:p1",
        "--source",
        "s",
        "--agent",
        "a",
    ]);
    assert_eq!(end.code, Some(1));
    assert!(
        end.stderr.ends_with("did not answer within 2000 ms\n"),
        "{end:?}"
    );
}

#[test]
fn a_reader_that_leaves_ends_the_command_silently() {
    let home = Home::new();
    let answer = json!({ "type": "ok", "long": "x".repeat(300_000) });
    let _daemon = Daemon::answering(&home.socket(None), answer);
    let mut child = home
        .command("herdr")
        .args(["pane", "list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(
        output.status.signal(),
        Some(libc::SIGPIPE),
        "as every other tool ends"
    );
    assert_eq!(output.stderr, b"");
}

#[test]
fn stopping_waits_until_the_daemon_is_gone() {
    let home = Home::new();
    let socket = home.socket(None);
    let end = home.herdr(&["server", "stop"]);
    assert_eq!(end.code, Some(1));
    assert!(
        end.stderr
            .starts_with("server is not running or cannot be reached at "),
        "{end:?}"
    );

    let listener = UnixListener::bind(&socket).expect("bound");
    let daemon = std::thread::spawn({
        let socket = socket.clone();
        move || {
            use std::io::{BufRead, BufReader, Write};
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut line = String::new();
            BufReader::new(&stream)
                .read_line(&mut line)
                .expect("a line");
            stream
                .write_all(b"{\"id\":\"cli:session:stop\",\"result\":{\"type\":\"ok\"}}\n")
                .expect("answered");
            drop(stream);
            // The one who waits is here now; the daemon's end is what it waits for.
            let waiting = listener.accept().expect("a second connection");
            std::fs::remove_file(socket).expect("removed");
            drop((listener, waiting));
            line
        }
    });
    assert_eq!(home.herdr(&["server", "stop"]), End::new("", "", 0));
    let line = daemon.join().expect("ended");
    assert_eq!(
        line,
        "{\"id\":\"cli:session:stop\",\"method\":\"server.stop\",\"params\":{}}\n"
    );
}
