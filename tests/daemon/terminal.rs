//! Watching and driving a pane over the control socket, and the terminal attached to one.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::Stdio;

use drover::api::terminal_stream::decoded;
use drover::pane::{Format, ReadRequest, Screen, Size, Source};
use drover::sys;
use serde_json::{Value, json};

use super::common::{Connection, Daemon, until, until_true};

/// A client with a terminal of its own.
struct Viewer {
    connection: Connection,
    screen: Screen,
    frames: u64,
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

fn rows(daemon: &Daemon, pane: &str) -> Value {
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
    until_true("the same cells", || {
        viewer.text() == visible(&daemon, &pane) || {
            viewer.record();
            false
        }
    });
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

#[test]
fn a_viewer_that_does_not_read_gets_the_present_when_it_does() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut viewer = Viewer::observe(&daemon, &pane, (120, 40));
    daemon.enter(
        &pane,
        "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo \"line $i of a flood\"; done; echo al\"\"l",
    );
    daemon.wait_for_line(&pane, "^all$");
    viewer.see("line 20000 of a flood");
    viewer.see("all");
    // Each frame it had not read would have been one of a second's sixty.
    assert!(viewer.frames < 1_000, "{} frames", viewer.frames);
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

/// A terminal with `drover attach` in it.
struct Person {
    child: std::process::Child,
    master: std::fs::File,
    slave: std::os::fd::OwnedFd,
    screen: Screen,
}

impl Person {
    fn attach(daemon: &Daemon, pane: &str, (cols, rows): (u16, u16)) -> Person {
        let pair = sys::open_pty(cols, rows).expect("a terminal");
        let end = || Stdio::from(pair.slave.try_clone().expect("a descriptor"));
        let child = daemon
            .home
            .command(&daemon.home.path("drover"))
            .args(["herdr", "terminal", "attach", pane])
            .env("HERDR_SOCKET_PATH", daemon.home.socket())
            .stdin(end())
            .stdout(end())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        Person {
            child,
            master: pair.master.into(),
            slave: pair.slave,
            screen: Screen::new(Size { cols, rows }, 0),
        }
    }

    fn see(&mut self, text: &str) {
        until("the text on the attached terminal", || {
            let mut bytes = [0; 65_536];
            if let Ok(count) = self.master.read(&mut bytes) {
                self.screen.feed(&bytes[..count]);
            }
            let request = ReadRequest {
                source: Source::Detection,
                lines: None,
                format: Format::Text,
            };
            self.screen.read(&request).text.contains(text).then_some(())
        });
    }

    fn press(&mut self, keys: &[u8]) {
        self.master.write_all(keys).expect("typed");
    }

    fn settings(&self) -> nix::sys::termios::Termios {
        nix::sys::termios::tcgetattr(self.slave.as_fd()).expect("settings")
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_person_attaches_types_and_leaves_the_terminal_as_it_was() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let mut person = Person::attach(&daemon, &pane, (100, 28));
    until_true("the size of the terminal", || rows(&daemon, &pane) == 28);
    person.press(b"stty size; echo o\"\"k\r");
    person.see("28 100");
    person.see("ok");
    sys::set_window_size(person.slave.as_fd(), 90, 31).expect("resized");
    // The kernel tells only processes that have this as their controlling terminal.
    let pid = nix::unistd::Pid::from_raw(i32::try_from(person.child.id()).expect("a pid"));
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGWINCH).expect("signalled");
    until_true("the new size", || rows(&daemon, &pane) == 31);
    person.press(b"\x02q");
    let status = person.child.wait().expect("ended");
    assert!(status.success(), "{status}");
    let local = person.settings().local_flags;
    assert!(local.contains(nix::sys::termios::LocalFlags::ICANON));
    assert!(local.contains(nix::sys::termios::LocalFlags::ECHO));
    person.see("");
    assert!(!person.screen.modes().alternate_screen);
    until_true("the old size", || rows(&daemon, &pane) == before);
}

#[test]
fn a_closed_pane_says_so_in_one_line() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let other = daemon.split(&pane);
    let mut person = Person::attach(&daemon, &other, (80, 24));
    until_true("the size of the terminal", || rows(&daemon, &other) == 24);
    daemon.result("pane.close", json!({ "pane_id": other }));
    let mut complaint = String::new();
    let mut stderr = person.child.stderr.take().expect("piped");
    stderr.read_to_string(&mut complaint).expect("read");
    assert_eq!(complaint, "herdr: server shut down: terminal closed\n");
    assert_eq!(person.child.wait().expect("ended").code(), Some(1));
}

#[test]
fn an_attached_terminal_goes_on_when_the_worker_is_killed() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut person = Person::attach(&daemon, &pane, (80, 24));
    person.press(b"echo be\"\"fore\r");
    person.see("before");
    daemon.kill(super::common::Half::Worker);
    until_true("the pane under the next worker", || {
        daemon.home.herdr(&["pane", "get", &pane]).code == Some(0)
    });
    person.press(b"echo af\"\"ter\r");
    person.see("after");
}
