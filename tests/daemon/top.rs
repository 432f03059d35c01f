//! `drover top` in a terminal, which is a pane of another daemon.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::common::{Daemon, Person, until_true};

/// Starts the list of `shown` in a pane of `terminal`.
fn start(terminal: &Daemon, shown: &Daemon) -> String {
    let pane = terminal.workspace();
    let folder = |name: &str| shown.home.path(name).display().to_string();
    let script = format!(
        "env XDG_RUNTIME_DIR={} XDG_STATE_HOME={} XDG_CONFIG_HOME={} sh -c 'echo $$ > pid; exec {} top'; \
         echo 'over''now '$?",
        folder("run"),
        folder("state"),
        folder("config"),
        folder("drover")
    );
    terminal.enter(&pane, &script);
    pane
}

fn report(daemon: &Daemon, pane: &str, agent: &str, state: &str, message: &str) {
    let params = json!({
        "pane_id": pane, "source": "test", "agent": agent, "state": state, "message": message,
    });
    daemon.result("pane.report_agent", params);
}

fn keys(daemon: &Daemon, pane: &str, text: &str) {
    daemon.result("pane.send_text", json!({ "pane_id": pane, "text": text }));
}

#[test]
fn the_list_is_live_and_its_keys_answer_focus_and_mute() {
    let (shown, terminal) = (Daemon::start(), Daemon::start());
    let first = shown.busy(shown.workspace());
    let second = shown.busy(shown.tab());
    report(&shown, &first, "bot", "working", "");
    let pane = start(&terminal, &shown);
    terminal.wait_for_line(&pane, "1 agent: 1 working");
    report(&shown, &second, "asker", "blocked", "Allow this?");
    terminal.wait_for_line(&pane, "2 agents: 1 blocked, 1 working");
    terminal.wait_for_line(&pane, "! approval +[0-9]+[sm]  asker");
    terminal.wait_for_line(&pane, "Allow this\\?");
    // Up to the one that waits, whose pane is shown beside the list.
    keys(&terminal, &pane, "g");
    terminal.wait_for_line(&pane, "busy *$");
    keys(&terminal, &pane, "r");
    terminal.wait_for_line(&pane, &format!("to {second}> _"));
    keys(&terminal, &pane, "so be it");
    terminal.wait_for_line(&pane, &format!("to {second}> so be it_"));
    keys(&terminal, &pane, "\r");
    shown.wait_for_line(&second, "so be it$");
    terminal.wait_for_line(&pane, "so be it *$");
    keys(&terminal, &pane, "m");
    terminal.wait_for_line(&pane, "asker \\[.*muted\\]");
    keys(&terminal, &pane, "jf");
    until_true("its focus", || shown.pane(&first)["focused"] == true);
    terminal.wait_for_line(&pane, "bot \\[focused\\]");
    keys(&terminal, &pane, "q");
    terminal.wait_for_line(&pane, "overnow 0$");
    assert!(
        !terminal.text(&pane).contains("agents:"),
        "the screen of before is back"
    );
}

#[test]
fn signals_and_its_keys_give_the_terminal_back() {
    let daemon = Daemon::start();
    for signal in [
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGINT,
        Signal::SIGQUIT,
    ] {
        let mut person = Person::run(&daemon.home, &["top"], (80, 24));
        person.see("no agents");
        assert!(!person.settings_are_back());
        person.signal(signal);
        assert_eq!(person.ended(), Some(0), "{signal}");
        person.has_its_terminal_back();
        assert!(!person.text().contains("no agents"), "{signal}");
    }
    // In a raw terminal this is a key and no signal.
    for key in [b"q".as_slice(), b"\x03"] {
        let mut person = Person::run(&daemon.home, &["top"], (80, 24));
        person.see("no agents");
        person.press(key);
        assert_eq!(person.ended(), Some(0), "{key:?}");
        person.has_its_terminal_back();
    }
}

#[test]
fn a_line_is_taken_back_or_sent_and_what_is_muted_is_not_told_of_until_it_is_again() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    report(&daemon, &pane, "asker", "blocked", "Allow this?");
    let mut person = Person::run(&daemon.home, &["top"], (80, 24));
    person.see("1 agent: 1 blocked");
    person.press(b"r");
    person.see(&format!("to {pane}> _"));
    person.press(b"not this\x1b");
    person.until("no line", |person| !person.text().contains("not this"));
    person.press(b"\ryes, \xc3\xa9\x7fe\r");
    daemon.wait_for_line(&pane, "yes, e$");
    person.see(&format!("sent to {pane}"));
    assert!(!daemon.text(&pane).contains("not this"));
    person.press(b"m");
    person.see("muted");
    person.see(&format!("nobody is told what the agent in {pane} does"));
    person.press(b"m");
    person.see(&format!("{pane} is told of again"));
    person.until("no mark", |person| !person.text().contains("muted"));
    person.press(b"q");
    assert_eq!(person.ended(), Some(0));
    person.has_its_terminal_back();
}

#[test]
fn a_signal_ends_it_in_order_and_so_does_the_end_of_the_daemon() {
    let terminal = Daemon::start();
    let shown = Daemon::start();
    let pane = start(&terminal, &shown);
    terminal.wait_for_line(&pane, "no agents");
    let pid = std::fs::read_to_string(terminal.home.path("home/pid")).expect("a file");
    let pid = Pid::from_raw(pid.trim().parse().expect("a number"));
    kill(pid, Signal::SIGTERM).expect("a signalled process");
    terminal.wait_for_line(&pane, "overnow 0$");
    // The terminal is no raw one: what is typed there is a line to the shell again.
    assert_eq!(terminal.shell(&pane, "stty -a | grep -c ' icanon'"), "1\n");

    let pane = start(&terminal, &shown);
    terminal.wait_for_line(&pane, "no agents");
    drop(shown);
    terminal.wait_for_line(&pane, "drover has stopped");
    terminal.wait_for_line(&pane, "overnow 0$");
}

#[test]
fn without_a_terminal_or_a_daemon_it_says_so() {
    let daemon = Daemon::start();
    let end = daemon.home.drover(&["top"]);
    assert_eq!(end.code, Some(1));
    assert!(end.stderr.contains("must be a terminal"), "{end:?}");
    let home = daemon.ended_by(Signal::SIGTERM);
    let end = home.drover(&["top"]);
    assert!(end.stderr.contains("drover up"), "{end:?}");
}
