//! Sessions: listed by their files, stopped by their sockets, deleted when stopped.

use serde_json::{Value, json};

use super::support::{Daemon, Home, run};

fn list(home: &Home) -> Value {
    serde_json::from_str(&home.herdr(&["session", "list", "--json"]).stdout).expect("JSON")
}

#[test]
fn the_default_session_is_listed_first_and_stopped_without_a_daemon() {
    let home = Home::new();
    let sessions = list(&home)["sessions"].clone();
    assert_eq!(sessions.as_array().map(Vec::len), Some(1));
    assert_eq!(sessions[0]["name"], "default");
    assert_eq!(sessions[0]["default"], true);
    assert_eq!(sessions[0]["running"], false);
    assert_eq!(
        sessions[0]["socket_path"],
        home.path()
            .join("run/drover/drover.sock.herdr")
            .to_str()
            .expect("text")
    );

    let table = home.herdr(&["session", "list"]).stdout;
    let mut lines = table.lines();
    assert_eq!(
        lines.next(),
        Some(
            "name                 status   directory                                        socket"
        )
    );
    assert!(
        lines
            .next()
            .is_some_and(|line| line.starts_with("default              stopped  ")),
        "{table}"
    );
}

#[test]
fn running_sessions_are_told_from_stopped_ones() {
    let home = Home::new();
    home.socket(Some("b"));
    let _daemon = Daemon::answering(&home.socket(Some("a")), json!({ "type": "ok" }));
    // No session by its name: not shown.
    std::fs::create_dir_all(home.path().join("run/drover/sessions/not a name"))
        .expect("a directory");
    let sessions = list(&home)["sessions"].clone();
    let shown: Vec<_> = sessions
        .as_array()
        .expect("a list")
        .iter()
        .map(|session| {
            (
                session["name"].as_str().expect("a name"),
                session["running"] == true,
            )
        })
        .collect();
    assert_eq!(shown, [("default", false), ("a", true), ("b", false)]);
}

#[test]
fn a_running_session_is_not_deleted_and_a_stopped_one_is_gone_after() {
    let home = Home::new();
    let socket = home.socket(Some("work"));
    let state = home.path().join("home/.local/state/drover/sessions/work");
    std::fs::create_dir_all(&state).expect("a directory");
    let daemon = Daemon::answering(&socket, json!({ "type": "ok" }));
    let refused = home.herdr(&["session", "delete", "work"]);
    assert_eq!(
        (refused.stderr.as_str(), refused.code),
        (
            "{\"error\":{\"code\":\"session_delete_failed\",\"message\":\"session work is running; stop it before deleting\"}}\n",
            Some(1)
        )
    );
    drop(daemon);
    assert_eq!(
        home.herdr(&["session", "delete", "work"]).stdout,
        "deleted session work\n"
    );
    assert!(!state.exists() && !socket.parent().expect("a parent").exists());
    // Once more is no failure.
    let again = home.herdr(&["session", "delete", "--json", "work"]);
    let answer: Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!(
        (answer["deleted"].clone(), answer["session"]["name"].clone()),
        (json!(true), json!("work"))
    );
}

#[test]
fn session_errors_carry_no_id() {
    let home = Home::new();
    let code = |words: &[&str]| {
        let end = home.herdr(words);
        assert_eq!((end.stdout.as_str(), end.code), ("", Some(1)), "{words:?}");
        let error: Value = serde_json::from_str(&end.stderr).expect("JSON");
        assert_eq!(
            error.as_object().map(serde_json::Map::len),
            Some(1),
            "{error}"
        );
        error["error"]["code"].as_str().expect("a code").to_owned()
    };
    assert_eq!(code(&["session", "stop", "nosuch"]), "session_stop_failed");
    assert_eq!(
        code(&["session", "delete", "default"]),
        "session_delete_failed"
    );
    assert_eq!(code(&["session", "delete", "a/b"]), "invalid_session_name");
    // A name that begins with a dash stands after two dashes.
    assert_eq!(
        home.herdr(&["session", "delete", "--", "-x"]).stdout,
        "deleted session -x\n"
    );
}

#[test]
fn the_session_is_chosen_by_option_then_path_then_variable() {
    let home = Home::new();
    let placed = home.path().join("placed.sock");
    let ok = || json!({ "type": "ok" });
    let daemons = [
        Daemon::answering(&home.socket(None), ok()),
        Daemon::answering(&home.socket(Some("a")), ok()),
        Daemon::answering(&home.socket(Some("b")), ok()),
        Daemon::answering(&placed, ok()),
    ];
    let asked = |path: Option<&std::path::Path>, session: Option<&str>, words: &[&str]| {
        let before: Vec<usize> = daemons.iter().map(|daemon| daemon.lines().len()).collect();
        let mut command = home.command("herdr");
        command.args(words);
        path.map(|path| command.env("HERDR_SOCKET_PATH", path));
        session.map(|session| command.env("HERDR_SESSION", session));
        assert_eq!(run(&mut command).code, Some(0), "{words:?}");
        let asked = daemons
            .iter()
            .zip(before)
            .position(|(daemon, before)| daemon.lines().len() > before);
        ["default", "a", "b", "placed"][asked.expect("one was asked")]
    };
    assert_eq!(asked(None, None, &["pane", "list"]), "default");
    assert_eq!(asked(None, Some("default"), &["pane", "list"]), "default");
    assert_eq!(asked(None, Some("a"), &["pane", "list"]), "a");
    assert_eq!(asked(Some(&placed), Some("a"), &["pane", "list"]), "placed");
    assert_eq!(
        asked(
            Some(&placed),
            Some("a"),
            &["pane", "list", "--session", "b"]
        ),
        "b"
    );
    assert_eq!(
        asked(
            Some(&placed),
            None,
            &["--session", "default", "pane", "list"]
        ),
        "default"
    );
}
