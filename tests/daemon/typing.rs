//! What reaches the program in a pane when somebody types.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::common::{Daemon, until_true};

/// A pane whose program shows every byte it gets, with bracketed paste on or off.
fn shows_bytes(daemon: &Daemon, bracketed_paste: bool) -> String {
    let pane = daemon.workspace();
    let mode = if bracketed_paste { 'h' } else { 'l' };
    let terminal = "stty -icanon -isig -iexten -icrnl -echo";
    daemon.enter(
        &pane,
        &format!("{terminal}; printf '\\033[?2004{mode}'; echo 'rea''dy'; cat -v"),
    );
    daemon.wait_for_line(&pane, "ready$");
    pane
}

/// What the program shows of one request, by marks that are typed before and after it.
fn shown(daemon: &Daemon, pane: &str, method: &str, params: Value) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let (before, after) = (format!("<{number}:"), format!(":{number}>"));
    daemon.result("pane.send_text", json!({ "pane_id": pane, "text": before }));
    let mut whole = json!({ "pane_id": pane });
    for (name, value) in params.as_object().expect("an object") {
        whole[name.as_str()] = value.clone();
    }
    daemon.result(method, whole);
    daemon.result(
        "pane.send_text",
        json!({ "pane_id": pane, "text": format!("{after}\n") }),
    );
    daemon.wait_for_line(pane, &format!("{after}$"));
    let text = daemon.text(pane);
    let from = text.find(&before).expect("the beginning") + before.len();
    let to = text.find(&after).expect("the end");
    text[from..to].to_owned()
}

#[test]
fn text_of_one_line_goes_as_it_is() {
    let daemon = Daemon::start();
    let pane = shows_bytes(&daemon, true);
    let sent = |text: &str| shown(&daemon, &pane, "pane.send_text", json!({ "text": text }));
    assert_eq!(sent("plain"), "plain");
    assert_eq!(sent("\u{1b}[A\u{3}"), "^[[A^C");
}

#[test]
fn text_of_several_lines_is_one_paste_without_control_characters() {
    let daemon = Daemon::start();
    let pane = shows_bytes(&daemon, true);
    let sent = |text: &str| shown(&daemon, &pane, "pane.send_text", json!({ "text": text }));
    assert_eq!(sent("one\ntwo"), "^[[200~one\ntwo^[[201~");
    let hostile = "a\u{1b}[201~\nrm\u{7}\u{3} x\u{1b}[200~";
    assert_eq!(
        sent(hostile),
        "^[[200~a[201~\nrm x[200~^[[201~",
        "it cannot end itself"
    );
    let wrapped = "\u{1b}[200~one\ntwo\u{1b}[201~";
    assert_eq!(
        sent(wrapped),
        "^[[200~one\ntwo^[[201~",
        "nor is it wrapped twice"
    );
}

#[test]
fn a_program_that_takes_no_pastes_gets_every_byte() {
    let daemon = Daemon::start();
    let pane = shows_bytes(&daemon, false);
    let sent = |text: &str| shown(&daemon, &pane, "pane.send_text", json!({ "text": text }));
    assert_eq!(sent("one\ntwo\u{1b}x"), "one\ntwo^[x");
}

#[test]
fn input_is_a_paste_and_then_keys() {
    let daemon = Daemon::start();
    let pane = shows_bytes(&daemon, true);
    let params = json!({ "text": "hello", "keys": ["up", "enter"] });
    assert_eq!(
        shown(&daemon, &pane, "pane.send_input", params),
        "^[[200~hello^[[201~^[[A^M"
    );
    let params = json!({ "text": "", "keys": ["left"] });
    assert_eq!(
        shown(&daemon, &pane, "pane.send_input", params),
        "^[[D",
        "no empty paste"
    );
}

#[test]
fn keys_become_what_terminals_send() {
    let daemon = Daemon::start();
    let pane = shows_bytes(&daemon, false);
    for (key, bytes) in [
        ("enter", "^M"),
        ("return", "^M"),
        ("esc", "^["),
        ("shift+tab", "^[[Z"),
        ("backspace", "^?"),
        ("up", "^[[A"),
        ("down", "^[[B"),
        ("right", "^[[C"),
        ("left", "^[[D"),
        ("alt+Up", "^[[1;3A"),
        ("ctrl+shift+left", "^[[1;6D"),
        ("F1", "^[OP"),
        ("f5", "^[[15~"),
        ("shift+f12", "^[[24;2~"),
        ("ctrl+a", "^A"),
        ("alt+x", "^[x"),
        ("x", "x"),
        ("X", "X"),
        ("1", "1"),
        ("+", "+"),
        ("plus", "+"),
        ("space", " "),
        ("double_quote", "\""),
        ("double-quote", "\""),
        ("semicolon", ";"),
        (" ctrl + b ", "^B"),
    ] {
        let sent = shown(&daemon, &pane, "pane.send_keys", json!({ "keys": [key] }));
        assert_eq!(sent, bytes, "{key}");
    }
}

#[test]
fn ctrl_c_in_each_of_its_spellings_interrupts() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    for (number, key) in ["C-c", "c-c", "ctrl+c", "Control+C"]
        .into_iter()
        .enumerate()
    {
        daemon.enter(
            &pane,
            // Said by the job itself, so that it is in the foreground by then.
            &format!("sh -c 'echo r\"un\"{number}; exec cat'"),
        );
        daemon.wait_for_line(&pane, &format!("run{number}$"));
        daemon.result("pane.send_keys", json!({ "pane_id": pane, "keys": [key] }));
        // Before its prompt a shell may throw away what is typed after the interrupt.
        until_true(&format!("a prompt after {key}"), || {
            daemon.text(&pane).trim_end().ends_with(['$', '#'])
        });
    }
}

#[test]
fn one_bad_key_and_nothing_is_typed() {
    let daemon = Daemon::start();
    let pane = shows_bytes(&daemon, false);
    for key in ["", "ctrl+", "++", "nokey", "ctrl+a+b", "f256"] {
        let message = format!("unsupported key {key}");
        let keys = json!({ "pane_id": pane, "keys": ["x", key] });
        daemon.refuses("pane.send_keys", keys, "invalid_key", &message);
        let input = json!({ "pane_id": pane, "text": "text", "keys": [key] });
        daemon.refuses("pane.send_input", input, "invalid_key", &message);
    }
    assert_eq!(
        shown(&daemon, &pane, "pane.send_keys", json!({ "keys": [] })),
        ""
    );
    let text = daemon.text(&pane);
    let (_, after) = text.rsplit_once("ready\n").expect("the beginning");
    assert_eq!(after.lines().count(), 1, "nothing but the marks: {text}");
    assert!(!after.contains(['x', 't']), "{text}");
}

#[test]
fn typing_needs_a_pane() {
    let daemon = Daemon::start();
    for (method, params) in [
        ("pane.send_text", json!({ "pane_id": "w1:p1", "text": "x" })),
        ("pane.send_keys", json!({ "pane_id": "w1:p1", "keys": [] })),
        ("pane.send_input", json!({ "pane_id": "w1:p1" })),
    ] {
        daemon.refuses(method, params, "pane_not_found", "pane w1:p1 not found");
    }
}

#[test]
fn what_one_call_types_stays_together() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.enter(&pane, "stty -echo; echo 'rea''dy'; cat >lines");
    daemon.wait_for_line(&pane, "ready$");
    std::thread::scope(|scope| {
        for letter in ["a", "b", "c", "d"] {
            let (daemon, pane) = (&daemon, &pane);
            scope.spawn(move || {
                for _ in 0..25 {
                    daemon.enter(pane, &letter.repeat(200));
                }
            });
        }
    });
    daemon.result(
        "pane.send_keys",
        json!({ "pane_id": pane, "keys": ["ctrl+d"] }),
    );
    daemon.enter(&pane, "echo 'do''ne'");
    daemon.wait_for_line(&pane, "done$");
    let lines = std::fs::read_to_string(daemon.home.path("home/lines")).expect("text");
    assert_eq!(lines.lines().count(), 100);
    for line in lines.lines() {
        assert_eq!(line, line[..1].repeat(200));
    }
}
