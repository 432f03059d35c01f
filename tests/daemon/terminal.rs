//! Watching and driving a pane over the control socket.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Stdio};
use std::time::Instant;

use drover::api::terminal_stream::decoded;
use drover::pane::{Format, ReadRequest, Screen, Size, Source};
use serde_json::{Value, json};

use super::common::{Connection, Daemon, Half, PATIENCE, Setup, seen, until_true};

/// A client with a terminal of its own.
struct Viewer {
    connection: Connection,
    screen: Screen,
    frames: u64,
    /// Bytes of all frames, as they came.
    bytes: usize,
}

impl Viewer {
    fn open(daemon: &Daemon, method: &str, params: Value, (cols, rows): (u16, u16)) -> Viewer {
        let mut connection = control(daemon);
        connection.request("v", method, params);
        let answer = connection.line().expect("an answer");
        assert_eq!(answer["result"]["type"], "terminal_stream", "{answer}");
        Viewer {
            connection,
            screen: Screen::new(Size { cols, rows }, 0),
            frames: 0,
            bytes: 0,
        }
    }

    fn observe(daemon: &Daemon, target: &str, size: (u16, u16)) -> Viewer {
        let params = json!({ "target": target, "cols": size.0, "rows": size.1 });
        Viewer::open(daemon, "terminal.observe", params, size)
    }

    fn drive(daemon: &Daemon, target: &str, size: (u16, u16), more: Value) -> Viewer {
        let mut params = json!({ "target": target, "cols": size.0, "rows": size.1 });
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        Viewer::open(daemon, "terminal.control", params, size)
    }

    /// The next record; a frame is shown.
    fn record(&mut self) -> Value {
        let record = self.connection.line().expect("a record");
        if record["type"] == "terminal.frame" {
            self.frames += 1;
            assert_eq!(record["seq"], self.frames, "{record}");
            assert_eq!(record["full"], self.frames == 1, "{record}");
            self.bytes += record["bytes"].as_str().map_or(0, str::len);
            let bytes = decoded(record["bytes"].as_str().expect("bytes")).expect("base64");
            self.screen.feed(&bytes);
        }
        record
    }

    fn text(&self) -> String {
        self.screen
            .read(&ReadRequest {
                source: Source::Visible,
                lines: None,
                format: Format::Ansi,
            })
            .text
    }

    /// Shows frames until the text is on the screen.
    fn see(&mut self, text: &str) {
        while !self.text().contains(text) {
            let record = self.record();
            assert_ne!(record["type"], "terminal.closed", "{record}");
        }
    }

    /// Shows frames until what it shows is what the pane shows.
    fn same_cells(&mut self, daemon: &Daemon, pane: &str) {
        let deadline = Instant::now() + PATIENCE / 2;
        loop {
            let (seen_here, shown) = (seen(&self.text()), seen(&visible(daemon, pane)));
            if seen_here == shown {
                return;
            }
            if Instant::now() > deadline {
                assert_eq!(seen_here, shown);
            }
            while self.connection.has_something() {
                self.record();
            }
        }
    }

    fn send(&mut self, command: Value) {
        self.connection.send(format!("{command}\n").as_bytes());
    }

    fn closed(&mut self) -> String {
        loop {
            let record = self.record();
            if record["type"] == "terminal.closed" {
                return record["reason"].as_str().expect("a reason").to_owned();
            }
        }
    }
}

fn control(daemon: &Daemon) -> Connection {
    Connection::open(&daemon.home.socket().with_extension(""))
}

pub(super) fn rows(daemon: &Daemon, pane: &str) -> Value {
    daemon.pane(pane)["scroll"]["viewport_rows"].clone()
}

fn visible(daemon: &Daemon, pane: &str) -> String {
    let params = json!({ "pane_id": pane, "source": "visible", "format": "ansi" });
    daemon.result("pane.read", params)["read"]["text"]
        .as_str()
        .expect("text")
        .to_owned()
}

#[test]
fn an_observer_sees_what_the_pane_shows_and_changes_nothing() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let mut viewer = Viewer::observe(&daemon, &pane, (120, 40));
    daemon.enter(
        &pane,
        r"printf '\033[2J\033[H\033[1;31mred\033[0m 日本 \033[3;5H\033[48;2;1;2;3mbox\033[m\nthe %s\n' end",
    );
    viewer.see("the end");
    viewer.same_cells(&daemon, &pane);
    assert_eq!(rows(&daemon, &pane), before);
    let terminal = daemon.pane(&pane)["terminal_id"].clone();
    Viewer::observe(&daemon, terminal.as_str().expect("an id"), (40, 10)).see("the end");
}

#[test]
fn what_is_not_there_cannot_be_watched() {
    let daemon = Daemon::start();
    let mut connection = control(&daemon);
    let params = json!({ "target": "nobody", "cols": 80, "rows": 24 });
    connection.request("v", "terminal.observe", params);
    let answer = connection.line().expect("an answer");
    assert_eq!(
        answer["error"]["message"],
        "terminal target nobody not found"
    );
    let end = daemon.herdr(&["terminal", "session", "observe", "nobody"]);
    assert_eq!(end.code, Some(0));
    assert_eq!(
        end.stdout,
        "{\"reason\":\"terminal session observe failed: terminal target nobody not found\",\
         \"type\":\"terminal.closed\"}\n"
    );
}

#[test]
fn a_controller_types_and_sizes_the_pane_and_gives_it_back() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let mut viewer = Viewer::drive(&daemon, &pane, (90, 21), json!({}));
    viewer.send(json!({ "type": "terminal.input", "text": "stty size; echo a\"\"b\r" }));
    viewer.see("21 90");
    viewer.see("ab");
    assert_eq!(rows(&daemon, &pane), 21);
    viewer.send(json!({ "type": "terminal.resize", "cols": 70, "rows": 33 }));
    until_true("the new size", || rows(&daemon, &pane) == 33);
    viewer.send(json!({ "type": "terminal.release" }));
    let reason = loop {
        let record = viewer.connection.line().expect("a record");
        if record["type"] == "terminal.closed" {
            break record["reason"].clone();
        }
    };
    assert_eq!(reason, "detached");
    until_true("the old size", || rows(&daemon, &pane) == before);
}

#[test]
fn one_client_controls_and_another_takes_over_only_if_it_says_so() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let mut first = Viewer::drive(&daemon, &pane, (90, 20), json!({}));
    let mut second = Viewer::drive(&daemon, &pane, (80, 25), json!({}));
    let refused = second.closed();
    assert!(refused.contains("retry with --takeover"), "{refused}");
    assert_eq!(rows(&daemon, &pane), 20);
    let third = Viewer::drive(&daemon, &pane, (80, 25), json!({ "takeover": true }));
    assert_eq!(first.closed(), "terminal attach taken over");
    until_true("the size of the third", || rows(&daemon, &pane) == 25);
    // A client that is killed says nothing.
    drop(third);
    until_true("the old size", || rows(&daemon, &pane) == before);
}

#[test]
fn the_smallest_attached_terminal_decides_and_each_may_leave() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let attach = |size| Viewer::drive(&daemon, &pane, size, json!({ "attach": true }));
    let large = attach((200, 50));
    until_true("the size of one", || rows(&daemon, &pane) == 50);
    let small = attach((100, 30));
    until_true("the smaller", || rows(&daemon, &pane) == 30);
    drop(small);
    until_true("the larger again", || rows(&daemon, &pane) == 50);
    drop(large);
    until_true("the layout's", || rows(&daemon, &pane) == before);
}

/// Text that a pane prints while nobody reads, in megabytes (10^6 bytes): little by default. The promise
/// is about 500.
fn flood_megabytes() -> usize {
    let text = std::env::var("DROVER_TEST_FLOOD_MB").unwrap_or_default();
    text.parse().unwrap_or(20)
}

/// Memory of a process that is its own, in bytes; none where the system does not tell.
fn memory(pid: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("Private_Dirty:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[test]
fn a_viewer_that_does_not_read_costs_little_and_sees_the_present_when_it_does() {
    // So that what grows is not the history.
    let daemon = Setup::new()
        .config("terminal.scrollback_rows = 100\n")
        .start();
    let pane = daemon.workspace();
    let worker = daemon.home.half(Half::Worker);
    let flood = |megabytes: usize, end: &str| {
        let count = megabytes * 1_000_000;
        let command =
            format!("yes 'a line of a flood, and another' | head -c {count}; echo {end}\"\"");
        daemon.enter(&pane, &command);
        let started = Instant::now();
        let matcher = json!({ "type": "regex", "value": format!("{end}$") });
        let params =
            json!({ "pane_id": pane, "source": "recent", "match": matcher, "timeout_ms": 5_000 });
        // As long as the flood is larger than the default one.
        let patience = PATIENCE * u32::try_from(megabytes / 20).expect("a number").max(1);
        while daemon
            .rpc("pane.wait_for_output", params.clone())
            .get("error")
            .is_some()
        {
            assert!(started.elapsed() < patience, "the flood does not end");
        }
        started.elapsed()
    };
    flood(1, "warm");
    let mut viewer = Viewer::observe(&daemon, &pane, (120, 40));
    viewer.see("warm");
    let alone = memory(worker);
    let time = flood(flood_megabytes(), "over");
    let beside = memory(worker);
    if let (Some(alone), Some(beside)) = (alone, beside) {
        let grown = beside.saturating_sub(alone);
        println!(
            "{} MB in {time:?} beside a viewer that does not read; the daemon grew by {grown} bytes",
            flood_megabytes()
        );
        assert!(grown < 2_000_000, "the daemon grew by {grown} bytes");
    }
    // What it had not read when it stopped, and then the present: not what was between.
    viewer.see("over");
    assert!(viewer.bytes < 2_000_000, "{} bytes", viewer.bytes);
    viewer.same_cells(&daemon, &pane);
}

#[test]
fn a_pane_that_closes_ends_its_streams() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let other = daemon.split(&pane);
    let mut viewer = Viewer::observe(&daemon, &other, (80, 24));
    daemon.result("pane.close", json!({ "pane_id": other }));
    assert_eq!(viewer.closed(), "terminal closed");
}

#[test]
fn commands_come_from_standard_input_and_its_end_gives_the_pane_back() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let words = [
        "herdr", "terminal", "session", "control", &pane, "--cols", "90", "--rows", "22",
    ];
    let mut child = daemon
        .home
        .command(&daemon.home.path("drover"))
        .args(words)
        .env("HERDR_SOCKET_PATH", daemon.home.socket())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    until_true("the size of the controller", || rows(&daemon, &pane) == 22);
    let mut stdin = child.stdin.take().expect("piped");
    stdin
        .write_all(b"{\"type\":\"terminal.input\",\"text\":\"echo o\\\"\\\"k\\r\"}\n\nnonsense\n")
        .expect("written");
    // What was typed before the prompt stands before the answer, too.
    daemon.wait_for_line(&pane, "ok$");
    drop(stdin);
    let end = child.wait_with_output().expect("ended");
    assert!(end.status.success());
    let (out, err) = (
        String::from_utf8_lossy(&end.stdout),
        String::from_utf8_lossy(&end.stderr),
    );
    let last = out.lines().last().expect("records");
    assert_eq!(last, r#"{"reason":"detached","type":"terminal.closed"}"#);
    assert!(
        err.starts_with("herdr: terminal session control input ignored: "),
        "{err}"
    );
    until_true("the old size", || rows(&daemon, &pane) == before);
}

/// A full-screen program, step by step: it waits for a line before each.
const FULL_SCREEN: &str = r#"#!/bin/sh
step() { printf 'step %s' "$1"; read -r _; }
stty -echo
printf '\033[?1049h\033[?25l\033[2J\033[H\033[48;2;10;20;30m\033[38;2;250;200;100m a title \033[K\033[m\033[40;1H'
step one
printf '\033[3;20r\033[3;1H'
i=0; while [ $i -lt 40 ]; do i=$((i+1)); printf '\033[38;5;%sm%s 日本語 line\033[m\n' $i $i; done
printf '\033[r\033[38;1H'
step two
printf '\033[5;3H\033[5P\033[2@\033[6;1H\033[2L\033[9;1H\033[1M\033[10;10H\033[1K\033[12;118H日本\033[7mend\033[m\033[37;1H'
step three
printf '\033[3;20r\033[3;1H\033M\033M\033[1;4;9mnew\033[m\033[20;1H\n\n\033[r\033[4 q\033[?25h\033[36;1H'
step four
printf '\033[?1049l\033[0 q'
echo the' 'end
"#;

#[test]
fn a_full_screen_program_has_the_same_cells_at_every_viewer() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.home.script("full-screen", FULL_SCREEN);
    let mut observer = Viewer::observe(&daemon, &pane, (120, 40));
    let same = |viewer: &mut Viewer, text: &str| {
        viewer.see(text);
        viewer.same_cells(&daemon, &pane);
    };
    daemon.enter(&pane, "full-screen");
    for step in ["step one", "step two", "step three", "step four"] {
        same(&mut observer, step);
        daemon.enter(&pane, "");
    }
    same(&mut observer, "the end");
    let mut controller = Viewer::drive(&daemon, &pane, (100, 50), json!({}));
    until_true("the size of the controller", || rows(&daemon, &pane) == 50);
    daemon.enter(&pane, "full-screen");
    for step in ["step one", "step two", "step three", "step four"] {
        same(&mut controller, step);
        daemon.enter(&pane, "");
    }
    same(&mut controller, "the end");
}

/// `herdr terminal session control` as an editor runs it: headless, with pipes.
struct Editor {
    child: Child,
    records: BufReader<ChildStdout>,
    screen: Screen,
}

impl Editor {
    fn start(daemon: &Daemon, terminal: &str, (cols, rows): (u16, u16)) -> Editor {
        let size = [cols.to_string(), rows.to_string()];
        let mut child = daemon
            .home
            .command(&daemon.home.path("run/drover/bin/herdr"))
            .args(["terminal", "session", "control", terminal, "--takeover"])
            .args(["--cols", &size[0], "--rows", &size[1]])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let stdout = child.stdout.take().expect("piped");
        Editor {
            child,
            records: BufReader::new(stdout),
            screen: Screen::new(Size { cols, rows }, 0),
        }
    }

    /// The next record; a frame is shown.
    fn record(&mut self) -> Value {
        let mut line = String::new();
        self.records.read_line(&mut line).expect("a line");
        let record: Value = serde_json::from_str(&line).expect("JSON");
        if record["type"] == "terminal.frame" {
            let bytes = decoded(record["bytes"].as_str().expect("bytes")).expect("base64");
            self.screen.feed(&bytes);
        }
        record
    }

    fn see(&mut self, text: &str) {
        let request = ReadRequest {
            source: Source::Visible,
            lines: None,
            format: Format::Text,
        };
        while !self.screen.read(&request).text.contains(text) {
            let record = self.record();
            assert_ne!(record["type"], "terminal.closed", "{record}");
        }
    }

    /// Reads to the end; the reason.
    fn closed(&mut self) -> Value {
        loop {
            let record = self.record();
            if record["type"] == "terminal.closed" {
                assert!(self.child.wait().expect("ended").success());
                return record["reason"].clone();
            }
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_editor_shows_a_terminal_and_starts_anew_for_another_size() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let terminal = daemon.pane(&pane)["terminal_id"].clone();
    let terminal = terminal.as_str().expect("an id");
    let mut first = Editor::start(&daemon, terminal, (90, 22));
    until_true("the size of the editor", || rows(&daemon, &pane) == 22);
    let params = json!({ "pane_id": pane, "text": "stty size; echo o\"\"k\r" });
    daemon.result("pane.send_text", params);
    first.see("22 90");
    first.see("ok");
    let mut second = Editor::start(&daemon, terminal, (100, 33));
    assert_eq!(first.closed(), "terminal attach taken over");
    until_true("the new size", || rows(&daemon, &pane) == 33);
    second.see("22 90");
    // Killed, it says nothing; then the next one comes without asking.
    second.child.kill().expect("killed");
    until_true("the old size", || rows(&daemon, &pane) == before);
    let mut third = Editor::start(&daemon, terminal, (80, 25));
    until_true("the third size", || rows(&daemon, &pane) == 25);
    drop(third.child.stdin.take());
    assert_eq!(third.closed(), "detached");
    until_true("the old size", || rows(&daemon, &pane) == before);
}
