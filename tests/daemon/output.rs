//! Reading what a pane shows, and waiting for it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::common::{Daemon, Setup, until_true};

fn read(daemon: &Daemon, pane: &str, source: &str, lines: Option<u32>) -> Value {
    let params = json!({ "pane_id": pane, "source": source, "lines": lines });
    daemon.result("pane.read", params)["read"].clone()
}

/// Prints numbered lines and waits for the last.
fn print_lines(daemon: &Daemon, pane: &str, count: u32) {
    let script = format!("i=0; while [ $i -lt {count} ]; do i=$((i+1)); echo \"line $i\"; done");
    daemon.enter(pane, &script);
    daemon.wait_for_line(pane, &format!("line {count}$"));
}

fn wait(pane: &str, pattern: &str, timeout: u64) -> Value {
    json!({
        "pane_id": pane, "source": "recent", "timeout_ms": timeout,
        "match": { "type": "regex", "value": pattern },
    })
}

#[test]
fn a_read_says_where_its_text_comes_from() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    print_lines(&daemon, &pane, 3);
    for source in ["visible", "recent", "recent_unwrapped", "detection"] {
        let read = read(&daemon, &pane, source, None);
        assert_eq!(read["pane_id"], pane.as_str());
        assert_eq!(read["workspace_id"], "w1");
        assert_eq!(read["tab_id"], "w1:t1");
        assert_eq!(read["source"], source);
        assert_eq!(read["format"], "text");
        let text = read["text"].as_str().expect("text");
        assert!(
            text.contains("line 1\nline 2\nline 3\n"),
            "{source}: {text:?}"
        );
        assert_eq!(
            text.ends_with('\n'),
            source != "recent_unwrapped",
            "{source}"
        );
    }
    let params = json!({ "pane_id": "w1:p9", "source": "recent" });
    daemon.refuses(
        "pane.read",
        params,
        "pane_not_found",
        "pane w1:p9 not found",
    );
}

#[test]
fn scrollback_is_read_back_and_what_is_left_out_is_admitted() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    print_lines(&daemon, &pane, 500);
    let all = read(&daemon, &pane, "recent", Some(1000));
    assert!(
        all["text"]
            .as_str()
            .expect("text")
            .contains("line 1\nline 2\n")
    );
    assert_eq!(all["truncated"], false);
    let some = read(&daemon, &pane, "recent", Some(100));
    assert_eq!(some["text"].as_str().expect("text").lines().count(), 100);
    assert_eq!(some["truncated"], true);
    let usual = read(&daemon, &pane, "recent", None);
    assert_eq!(usual["text"].as_str().expect("text").lines().count(), 80);
    let none = read(&daemon, &pane, "recent", Some(0));
    assert_eq!(
        (&none["text"], &none["truncated"]),
        (&json!(""), &json!(true))
    );
    let scroll = daemon.pane(&pane)["scroll"].clone();
    assert_eq!(scroll["offset_from_bottom"], 0);
    assert_eq!(scroll["viewport_rows"], 40);
    assert!(
        scroll["max_offset_from_bottom"].as_u64() > Some(400),
        "{scroll}"
    );
}

#[test]
fn scrollback_is_bounded_by_the_configuration() {
    let daemon = Setup::new()
        .config("terminal.scrollback_rows = 50\n")
        .start();
    let pane = daemon.workspace();
    print_lines(&daemon, &pane, 500);
    let scroll = daemon.pane(&pane)["scroll"].clone();
    assert_eq!(scroll["max_offset_from_bottom"], 50);
    let text = daemon.text(&pane);
    assert_eq!(text.lines().count(), 90);
    assert!(!text.contains("line 1\n"));
}

#[test]
fn the_revision_of_a_read_moves_when_something_is_printed() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    print_lines(&daemon, &pane, 1);
    // The prompt may be on its way still.
    let mut before = read(&daemon, &pane, "visible", None);
    until_true("a quiet pane", || {
        let now = read(&daemon, &pane, "visible", None);
        std::mem::replace(&mut before, now.clone()) == now
    });
    print_lines(&daemon, &pane, 2);
    let after = read(&daemon, &pane, "visible", None);
    assert!(
        after["revision"].as_u64() > before["revision"].as_u64(),
        "{before} {after}"
    );
}

#[test]
fn a_line_that_the_terminal_wrapped_can_be_read_as_one() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let long = "0123456789".repeat(30);
    daemon.enter(&pane, &format!("printf 'long%s\\n' {long}"));
    assert!(
        daemon
            .wait_for_line(&pane, "long0")
            .ends_with(&format!("long{long}"))
    );
    let wrapped = read(&daemon, &pane, "recent", None);
    let widths = wrapped["text"]
        .as_str()
        .expect("text")
        .lines()
        .map(str::len);
    assert_eq!(widths.max(), Some(120), "a headless pane has 120 columns");
    assert!(daemon.text(&pane).contains(&format!("long{long}\n")));
}

#[test]
fn colours_are_read_when_asked_for() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.enter(&pane, "printf '\\033[31mre''d\\033[0m\\n'");
    daemon.wait_for_line(&pane, "red$");
    let params = json!({ "pane_id": pane, "source": "recent", "format": "ansi" });
    let read = daemon.result("pane.read", params)["read"].clone();
    assert_eq!(read["format"], "ansi");
    let text = read["text"].as_str().expect("text");
    let styled = text
        .lines()
        .find(|line| line.contains("red") && !line.contains("printf"));
    assert!(
        styled.is_some_and(|line| line.contains("\u{1b}[")),
        "{text:?}"
    );
}

#[test]
fn a_wait_finds_what_is_there_already() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    print_lines(&daemon, &pane, 3);
    let found = daemon.result("pane.wait_for_output", wait(&pane, "^line [23]$", 0));
    assert_eq!(found["type"], "output_matched");
    assert_eq!(found["matched_line"], "line 2", "the first from the top");
    assert_eq!(found["pane_id"], pane.as_str());
    assert_eq!(found["read"]["source"], "recent_unwrapped");
    let substring = json!({
        "pane_id": pane, "source": "visible", "timeout_ms": 0,
        "match": { "type": "substring", "value": "ne 3" },
    });
    let found = daemon.result("pane.wait_for_output", substring);
    assert_eq!(found["matched_line"], "line 3");
}

#[test]
fn a_wait_without_time_looks_once_and_one_with_time_ends_with_it() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    for timeout in [0, 50] {
        let started = Instant::now();
        daemon.refuses(
            "pane.wait_for_output",
            wait(&pane, "^never$", timeout),
            "timeout",
            "timed out waiting for output match",
        );
        assert!(started.elapsed() >= Duration::from_millis(timeout));
    }
}

#[test]
fn a_wait_ends_with_its_line_its_pane_or_its_shell() {
    let daemon = Daemon::start();
    let first = daemon.workspace();
    let (closed, exited) = (daemon.split(&first), daemon.split(&first));
    let began = |pane: &str, pattern: &str| {
        let mut connection = daemon.connect();
        connection.request("w", "pane.wait_for_output", wait(pane, pattern, 30_000));
        connection
    };
    let mut line = began(&first, "later$");
    let mut until_closed = began(&closed, "^never$");
    let mut until_exited = began(&exited, "^never$");
    daemon.enter(&first, "echo 'la''ter'");
    let answer = line.line().expect("an answer");
    let matched = answer["result"]["matched_line"].as_str().expect("a line");
    // Perhaps on the line of the prompt.
    assert!(matched.ends_with("later"), "{answer}");
    daemon.result("pane.close", json!({ "pane_id": closed }));
    daemon.enter(&exited, "exit");
    for (wait, pane) in [(&mut until_closed, &closed), (&mut until_exited, &exited)] {
        let error = wait.line().expect("an answer")["error"].clone();
        assert_eq!(error["code"], "pane_not_found");
        assert_eq!(error["message"], format!("pane {pane} not found"));
    }
}

#[test]
fn a_pattern_that_does_not_compile_is_refused_before_all_else() {
    let daemon = Daemon::start();
    for pattern in ["(", "(?=x)", r"(\w)\1", "(a{1000}){1000}"] {
        let (code, message) = daemon.refusal("pane.wait_for_output", wait("w9:p9", pattern, 0));
        assert_eq!(code, "invalid_regex", "{pattern}: {message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_flooding_pane_holds_nobody_up_and_costs_little_memory() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let memory = || {
        let file = format!("/proc/{}/smaps_rollup", daemon.pid());
        let text = std::fs::read_to_string(file).expect("a running daemon");
        let line = text
            .lines()
            .find(|line| line.starts_with("Pss:"))
            .expect("a line");
        line.split_whitespace()
            .nth(1)
            .and_then(|kib| kib.parse::<u64>().ok())
            .expect("a number")
    };
    // Each line is one of the 10,000 that are kept; far more come, but no more than a debug build chews soon.
    let bytes = if cfg!(debug_assertions) {
        10_000_000
    } else {
        100_000_000
    };
    daemon.enter(
        &pane,
        &format!("yes 0123456789012345678901234567890 | head -c {bytes}; echo 'en''d'"),
    );
    let mut waiting = daemon.connect();
    waiting.request("w", "pane.wait_for_output", wait(&pane, "end$", 120_000));
    waiting.stream().set_nonblocking(true).expect("a mode");
    let (mut most, mut answers) = (0, 0);
    let end = loop {
        // As other clients do meanwhile.
        daemon.result("ping", json!({}));
        daemon.result("pane.list", json!({}));
        read(&daemon, &pane, "recent", Some(1000));
        answers += 1;
        most = most.max(memory());
        let mut bytes = [0; 1];
        match std::io::Read::read(&mut waiting.stream(), &mut bytes) {
            Ok(count) => break count,
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
        }
    };
    assert_eq!(end, 1, "the wait is answered");
    assert!(
        answers > 3,
        "requests were answered during the flood: {answers}"
    );
    assert!(most < 60 * 1024, "{most} KiB");
}
