//! A person's terminal attached to a pane: what it shows, what reaches it besides, and that it is given
//! back however the attachment ends.

use std::time::Duration;

use drover::pane::Note;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::common::{Daemon, Half, Home, Person, Setup, Stopwatch, seen, until_true};

/// How soon an attached terminal goes on after the worker's death.
const RETURN_TIME: Duration = Duration::from_secs(2);

fn rows(daemon: &Daemon, pane: &str) -> Value {
    daemon.pane(pane)["scroll"]["viewport_rows"].clone()
}

/// What the pane shows, with colours, as [`seen`] has it.
fn cells(daemon: &Daemon, pane: &str) -> String {
    let params = json!({ "pane_id": pane, "source": "visible", "format": "ansi" });
    let read = daemon.result("pane.read", params);
    seen(read["read"]["text"].as_str().expect("text"))
}

/// Attaches, and waits until the pane has the terminal's size and the terminal shows the pane.
fn attach(daemon: &Daemon, pane: &str, size: (u16, u16)) -> Person {
    let mut person = Person::attach(&daemon.home, pane, size);
    until_true("the size of the terminal", || rows(daemon, pane) == size.1);
    same_cells(daemon, pane, &mut person);
    person
}

/// Waits until the terminal shows what the pane shows.
fn same_cells(daemon: &Daemon, pane: &str, person: &mut Person) {
    person.until("the pane's cells", |person| {
        person.screen().modes().alternate_screen && person.cells() == cells(daemon, pane)
    });
}

#[test]
fn a_person_attaches_types_and_leaves_the_terminal_as_it_was() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let mut person = attach(&daemon, &pane, (100, 28));
    person.press(b"stty size; echo o\"\"k\r");
    person.see("28 100");
    person.see("ok");
    person.resize(90, 31);
    until_true("the new size", || rows(&daemon, &pane) == 31);
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    person.has_its_terminal_back();
    until_true("the old size", || rows(&daemon, &pane) == before);
}

#[test]
fn every_signal_that_ends_it_gives_terminal_and_pane_back() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    for signal in [
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGINT,
        Signal::SIGQUIT,
    ] {
        let mut person = attach(&daemon, &pane, (80, 24));
        // The program's wishes are taken back as well.
        daemon.enter(
            &pane,
            r"printf '\033[?1000h\033[?2004h\033[?25l'; read -r _; printf '\033[?1000l\033[?2004l\033[?25h'",
        );
        person.until("the program's modes", |person| {
            person.screen().modes().bracketed_paste
        });
        person.signal(signal);
        assert_eq!(person.ended(), Some(0), "{signal}");
        person.has_its_terminal_back();
        until_true("the old size", || rows(&daemon, &pane) == before);
        daemon.enter(&pane, "");
    }
}

#[test]
fn a_client_that_is_killed_leaves_no_trace_at_the_pane() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = rows(&daemon, &pane);
    let mut person = attach(&daemon, &pane, (80, 24));
    person.signal(Signal::SIGKILL);
    assert_eq!(person.ended(), None);
    until_true("the old size", || rows(&daemon, &pane) == before);
    let mut next = attach(&daemon, &pane, (70, 20));
    next.press(b"echo he\"\"re\r");
    next.see("here");
}

#[test]
fn a_client_that_is_killed_under_a_shell_leaves_the_terminal_as_it_was() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut shell = daemon.home.command(std::path::Path::new("/bin/sh"));
    let script = format!(
        "sh -c 'echo $$ >pid; exec {} attach {pane}'; read -r _",
        daemon.home.path("drover").display()
    );
    shell.args(["-c", &script]);
    let mut person = Person::start(shell, (80, 24));
    same_cells(&daemon, &pane, &mut person);
    daemon.enter(&pane, r"printf '\033[?1000h\033[?2004h\033[?25l'");
    person.until("the program's modes", |person| {
        person.screen().modes().bracketed_paste
    });
    let pid = std::fs::read_to_string(daemon.home.path("home/pid")).expect("a pid");
    let pid = nix::unistd::Pid::from_raw(pid.trim().parse().expect("a pid"));
    nix::sys::signal::kill(pid, Signal::SIGKILL).expect("killed");
    person.until("the terminal as it was", |person| {
        !person.screen().modes().alternate_screen && person.settings_are_back()
    });
    person.has_its_terminal_back();
}

#[test]
fn a_closed_pane_and_a_stopped_daemon_say_so_in_one_line() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let other = daemon.split(&pane);
    let mut person = attach(&daemon, &other, (80, 24));
    daemon.result("pane.close", json!({ "pane_id": other }));
    assert_eq!(person.ended(), Some(1));
    person.has_its_terminal_back();
    let said = person.text();
    assert_eq!(said.trim_end(), "herdr: server shut down: terminal closed");

    let mut person = attach(&daemon, &pane, (80, 24));
    let home = daemon.ended_by(Signal::SIGTERM);
    assert_eq!(person.ended(), Some(1));
    person.has_its_terminal_back();
    let said = person.text();
    assert_eq!(
        said.trim_end(),
        "herdr: server shut down: server is shutting down"
    );
    drop(home);
}

#[test]
fn two_attached_terminals_go_on_by_themselves_when_the_worker_is_killed() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut people = [
        attach(&daemon, &pane, (80, 24)),
        // The smaller decides, and it sees the pane in its corner.
        Person::attach(&daemon.home, &pane, (90, 30)),
    ];
    daemon.enter(
        &pane,
        r"trap 'echo re''sized' WINCH; printf '\033[1;32mgreen\033[m 日本\n'; echo fi''rst",
    );
    for person in &mut people {
        person.see("first");
    }
    let mut times = Vec::new();
    for round in 0..3 {
        daemon.kill(Half::Worker);
        let watch = Stopwatch::start(&daemon.home);
        // Answered by the next worker, so that the last one is gone: what is typed now must arrive.
        rows(&daemon, &pane);
        people[0].press(format!("echo af''ter {round}\r").as_bytes());
        for person in &mut people {
            person.see(&format!("after {round}"));
        }
        times.push(watch.elapsed());
        for person in &mut people {
            person.until("the pane's cells", |person| {
                person.cells() == cells(&daemon, &pane)
            });
        }
    }
    assert!(
        times.iter().all(|time| *time < RETURN_TIME),
        "they took {times:?}"
    );
    assert!(
        !daemon.text(&pane).contains("resized"),
        "the program hears of nothing"
    );
}

#[test]
fn an_attached_terminal_goes_on_through_an_upgrade() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut person = attach(&daemon, &pane, (80, 24));
    let other = daemon.home.path("bin").join("other");
    std::fs::copy(env!("CARGO_BIN_EXE_drover"), &other).expect("a copy");
    let end = daemon
        .home
        .drover(&["upgrade", &other.display().to_string()]);
    assert_eq!(end.code, Some(0), "{end:?}");
    person.press(b"echo af\"\"ter\r");
    person.see("after");
    assert_eq!(rows(&daemon, &pane), 24);
}

#[test]
fn a_person_need_not_wait_for_a_daemon_that_is_gone() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut person = attach(&daemon, &pane, (80, 24));
    daemon.kill_both();
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    person.has_its_terminal_back();
}

#[test]
fn what_a_program_says_beside_its_picture_reaches_the_terminal_clean() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let beside = daemon.split(&pane);
    let mut person = attach(&daemon, &pane, (80, 24));
    let mut other = attach(&daemon, &beside, (80, 24));
    daemon.enter(
        &pane,
        r"printf '\033]2;a title\007\007\033]9;from nine\007'",
    );
    person.hear("the bell", |note| *note == Note::Bell);
    person.hear("the title", |note| *note == Note::Title("a title".into()));
    let told = |title: &str, body: &str| Note::Notification {
        title: title.into(),
        body: body.into(),
    };
    person.hear("the notification", |note| *note == told("", "from nine"));
    daemon.enter(
        &pane,
        r"printf '\033]777;notify;build;done; really\007\033]99;;from 99\033\\'",
    );
    person.hear("OSC 777", |note| *note == told("", "build: done; really"));
    person.hear("OSC 99", |note| *note == told("", "from 99"));
    // A clipboard is not a program's to set.
    daemon.enter(&pane, r"printf '\033]52;c;aGk=\007\033]2;the end\007'");
    person.hear("the end", |note| *note == Note::Title("the end".into()));
    assert_eq!(person.notes(), []);
    // Nobody else hears of it.
    daemon.enter(&beside, r"printf '\033]2;beside\007'");
    let title = other.hear("a title", |note| matches!(note, Note::Title(_)));
    assert_eq!(title, Note::Title("beside".into()));
    assert_eq!(other.notes(), []);
}

#[test]
fn a_clipboard_is_set_where_that_is_configured() {
    let daemon = Setup::new().config("terminal.clipboard = true\n").start();
    let pane = daemon.workspace();
    let mut person = attach(&daemon, &pane, (80, 24));
    daemon.enter(&pane, r"printf '\033]52;c;aGk=\007'");
    person.hear("the clipboard", |note| {
        *note
            == Note::ClipboardWrite {
                primary: false,
                text: "hi".into(),
            }
    });
}

#[test]
fn a_flood_of_bells_and_notifications_is_no_flood_at_the_terminal() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut person = attach(&daemon, &pane, (80, 24));
    daemon.enter(
        &pane,
        r"i=0; while [ $i -lt 5000 ]; do i=$((i+1)); printf '\a\033]9;n\007\033]2;t %s\007' $i; done; printf '\033]2;last\007'",
    );
    person.hear("the end", |note| *note == Note::Title("last".into()));
    assert!(person.notes().len() < 500, "{}", person.notes().len());
}

#[test]
fn the_title_of_windows_is_set_for_all_and_given_back() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let set = |title: &str| daemon.result("client.window_title.set", json!({ "title": title }));
    let answer = |changed: bool, reason: &str| json!({ "type": "client_window_title", "changed": changed, "reason": reason });
    assert_eq!(set("early"), answer(false, "no_foreground_client"));
    let mut person = attach(&daemon, &pane, (80, 24));
    person.hear("the title", |note| *note == Note::Title("early".into()));
    assert_eq!(set("la\u{7}te\n"), answer(true, "set"));
    person.hear("the title", |note| *note == Note::Title("late".into()));
    daemon.enter(&pane, r"printf '\033]2;of the pane\007'; echo sa''id");
    person.see("said");
    let cleared = daemon.result("client.window_title.clear", json!({}));
    assert_eq!(cleared, answer(true, "cleared"));
    let title = person.hear("a title", |note| matches!(note, Note::Title(_)));
    assert_eq!(title, Note::Title("of the pane".into()));
    for empty in ["", " \n", "\u{1b}\u{7}"] {
        daemon.refuses(
            "client.window_title.set",
            json!({ "title": empty }),
            "invalid_params",
            "window title is empty",
        );
    }
    let set = daemon.herdr(&["terminal", "title", "set", "by command"]);
    assert_eq!(
        set.stdout,
        "{\"id\":\"cli:terminal:title:set\",\"result\":{\"changed\":true,\"reason\":\"set\",\"type\":\"client_window_title\"}}\n"
    );
    person.hear("the title", |note| {
        *note == Note::Title("by command".into())
    });
    let clear = daemon.herdr(&["terminal", "title", "clear"]);
    assert!(clear.stdout.contains("\"reason\":\"cleared\""), "{clear:?}");
    let of_the_pane = Note::Title("of the pane".into());
    person.hear("the pane's title", |note| *note == of_the_pane);
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    person.hear("no title", |note| *note == Note::TitleCleared);
}

#[test]
fn the_title_of_windows_outlives_the_worker() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.result("client.window_title.set", json!({ "title": "kept" }));
    daemon.kill(Half::Worker);
    let mut person = attach(&daemon, &pane, (80, 24));
    person.hear("the title", |note| *note == Note::Title("kept".into()));
}

#[test]
fn what_is_done_on_the_tab_of_an_attached_terminal_is_seen() {
    let daemon = Daemon::start();
    daemon.workspace();
    let pane = daemon.busy(daemon.tab());
    let report = |state: &str| {
        let params = json!({ "pane_id": pane, "source": "bot", "agent": "bot", "state": state });
        daemon.result("pane.report_agent", params);
    };
    let status = || daemon.pane(&pane)["agent_status"].clone();
    report("working");
    report("idle");
    assert_eq!(status(), "done");
    let mut person = Person::attach(&daemon.home, &pane, (80, 24));
    until_true("what was done is seen", || status() == "idle");
    report("working");
    report("idle");
    assert_eq!(status(), "idle", "somebody looks");
    person.see("busy");
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    until_true("nobody looks", || {
        report("working");
        report("idle");
        status() == "done"
    });
}

#[test]
fn without_a_target_it_takes_the_agent_that_needs_somebody() {
    let daemon = Daemon::start();
    let first = daemon.workspace();
    daemon.enter(&first, "echo fi''rst");
    let pane = daemon.busy(daemon.tab());
    let mut person = Person::run(&daemon.home, &["attach"], (80, 24));
    person.see("first");
    let params = json!({ "pane_id": pane, "source": "bot", "agent": "bot", "state": "blocked" });
    daemon.result("pane.report_agent", params);
    let mut person = Person::run(&daemon.home, &["attach"], (80, 24));
    person.see("busy");
}

/// Stops a daemon that a command has started.
struct Started(Home);

impl Drop for Started {
    fn drop(&mut self) {
        self.0.drover(&["down"]);
    }
}

#[test]
fn bare_herdr_on_a_terminal_starts_the_daemon_and_attaches() {
    let home = Home::new();
    let started = Started(home.clone());
    let mut person = Person::run(&home, &["herdr"], (80, 24));
    person.press(b"stty size; echo o\"\"k\r");
    person.see("24 80");
    person.see("ok");
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    person.has_its_terminal_back();
    let list = started.0.drover(&["ps"]);
    assert_eq!(list.code, Some(0), "the daemon stays: {list:?}");
}

#[test]
fn a_long_paste_arrives_whole_however_slowly_it_is_read() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut person = attach(&daemon, &pane, (80, 24));
    // A raw terminal takes lines of any length.
    daemon.enter(
        &pane,
        "stty raw -echo; echo re''ady; until test -e go; do :; done; head -c 3000000 | cksum; stty sane",
    );
    person.see("ready");
    let paste = "0123456789abcdef".repeat(3_000_000 / 16);
    let sum = {
        let mut child = daemon
            .home
            .command(std::path::Path::new("/usr/bin/cksum"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("started");
        let mut stdin = child.stdin.take().expect("piped");
        std::io::Write::write_all(&mut stdin, paste.as_bytes()).expect("written");
        drop(stdin);
        let out = child.wait_with_output().expect("ended").stdout;
        String::from_utf8(out).expect("text").trim().to_owned()
    };
    let waiting = person.press_until_full(paste.as_bytes());
    assert!(waiting > 0, "somebody holds back");
    std::fs::write(daemon.home.path("home/go"), "").expect("a file");
    person.press(&paste.as_bytes()[paste.len() - waiting..]);
    person.see(&sum);
}
