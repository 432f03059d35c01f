//! What the program in a pane is told, where it starts, and what it inherits.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::common::{Daemon, Setup, until_true};

/// The environment of a pane's shell.
fn environment(daemon: &Daemon, pane: &str) -> BTreeMap<String, String> {
    let text = daemon.shell(pane, "env");
    text.lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn herdr_variables(environment: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
    environment
        .iter()
        .filter(|(name, _)| name.starts_with("HERDR_"))
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

#[test]
fn a_pane_is_told_where_it_lives_and_finds_herdr_first() {
    let daemon = Daemon::start();
    daemon.workspace();
    let pane = daemon.tab();
    let variables = environment(&daemon, &pane);
    let socket = daemon.home.socket().display().to_string();
    let bin = daemon.home.path("run/drover/bin");
    let link = bin.join("herdr").display().to_string();
    let expected = [
        ("HERDR_BIN_PATH", link.as_str()),
        ("HERDR_ENV", "1"),
        ("HERDR_PANE_ID", "w1:p2"),
        ("HERDR_SOCKET_PATH", socket.as_str()),
        ("HERDR_TAB_ID", "w1:t2"),
        ("HERDR_WORKSPACE_ID", "w1"),
    ];
    assert_eq!(herdr_variables(&variables), expected);
    let first = variables["PATH"].split(':').next();
    assert_eq!(first, bin.to_str());
    assert_eq!(variables["TERM"], "xterm-256color");
    assert_eq!(variables["COLORTERM"], "truecolor");
    assert_eq!(daemon.shell(&pane, "command -v herdr").trim(), link);
}

#[test]
fn nothing_is_inherited_of_the_place_the_daemon_was_started_in() {
    let outer = [
        "HERDR_ENV",
        "HERDR_PANE_ID",
        "HERDR_TAB_ID",
        "HERDR_WORKSPACE_ID",
        "HERDR_SOCKET_PATH",
        "HERDR_BIN_PATH",
        "HERDR_SESSION",
        "HERDR_AGENT",
        "HERDR_PLUGIN_CONTEXT_JSON",
        "HERDR_EXECUTION_ID",
        "HERDR_ACTIVE_PANE_ID",
        "TMUX",
        "TMUX_PANE",
        "STY",
        "ZELLIJ_SESSION_NAME",
        "TUIOS_WINDOW_ID",
        "CODEX_THREAD_ID",
        "CLAUDECODE",
        "KITTY_WINDOW_ID",
        "WEZTERM_PANE",
        "COLUMNS",
        "LINES",
    ];
    for (telling, told) in [("always", 6), ("off", 0)] {
        let config = format!("[agents]\nherdr_protocol = \"{telling}\"\n");
        let mut setup = Setup::new().config(&config).variable("KEPT", "yes");
        for name in outer {
            setup = setup.variable(name, "outer");
        }
        let daemon = setup.start();
        let pane = daemon.workspace();
        let variables = environment(&daemon, &pane);
        let left: Vec<_> = variables
            .iter()
            .filter(|(_, value)| *value == "outer")
            .collect();
        assert!(left.is_empty(), "{telling}: {left:?}");
        assert_eq!(herdr_variables(&variables).len(), told, "{telling}");
        assert_eq!(variables["KEPT"], "yes");
    }
}

#[test]
fn who_is_told_follows_the_configuration() {
    for (telling, told) in [("always", true), ("agents", false), ("off", false)] {
        let config = format!("[agents]\nherdr_protocol = \"{telling}\"\n");
        let daemon = Setup::new().config(&config).start();
        let pane = daemon.workspace();
        let variables = environment(&daemon, &pane);
        assert_eq!(variables.contains_key("HERDR_ENV"), told, "{telling}");
        let link = daemon.home.path("run/drover/bin").display().to_string();
        assert_eq!(variables["PATH"].contains(&link), told, "{telling}");
        assert_eq!(
            daemon.pane(&pane)["pane_id"],
            "w1:p1",
            "the socket answers all the same"
        );
    }
}

#[test]
fn a_caller_adds_variables_but_cannot_forge_what_a_pane_is_told() {
    let daemon = Daemon::start();
    let env = json!({
        "HERDR_PANE_ID": "w9:p9", "HERDR_SOCKET_PATH": "/forged", "HERDR_ENV": "0",
        "HERDR_SOMETHING": "new", "HERDR_AGENT": "pi", "TERM": "vt100", "MINE": "a=b c",
    });
    let pane = daemon.pane_of("workspace.create", json!({ "env": env }));
    let variables = environment(&daemon, &pane);
    assert_eq!(variables["HERDR_PANE_ID"], "w1:p1");
    assert_eq!(variables["HERDR_ENV"], "1");
    assert_eq!(
        Path::new(&variables["HERDR_SOCKET_PATH"]),
        daemon.home.socket()
    );
    assert!(!variables.contains_key("HERDR_SOMETHING"));
    assert_eq!(
        variables["HERDR_AGENT"], "pi",
        "which agent it is, it may say itself"
    );
    assert_eq!(variables["TERM"], "vt100");
    assert_eq!(variables["MINE"], "a=b c");
    let other = daemon.split(&pane);
    assert!(
        !environment(&daemon, &other).contains_key("MINE"),
        "only that process has it"
    );
}

#[test]
fn variables_that_no_process_can_have_are_refused() {
    let daemon = Daemon::start();
    daemon.workspace();
    for (name, value, message) in [
        ("", "x", "env key must not be empty"),
        ("A=B", "x", "env key A=B must not contain '='"),
        ("A\0", "x", "env key must not contain NUL bytes"),
        ("A", "\0", "env value for A must not contain NUL bytes"),
    ] {
        let env = json!({ "env": { name: value } });
        let split = json!({ "direction": "right", "env": { name: value } });
        for (method, params) in [
            ("workspace.create", env.clone()),
            ("tab.create", env.clone()),
            ("pane.split", split),
        ] {
            daemon.refuses(method, params, "invalid_env", message);
        }
    }
    assert_eq!(
        daemon.result("pane.list", json!({}))["panes"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_pane_has_the_users_umask() {
    let daemon = Setup::new().umask("027").start();
    let pane = daemon.workspace();
    assert_eq!(daemon.shell(&pane, "umask").trim(), "0027");
}

/// Where the shell of a pane is, by its own account.
fn directory(daemon: &Daemon, pane: &str) -> String {
    daemon.shell(pane, "pwd -P").trim().to_owned()
}

#[test]
fn a_directory_that_is_not_there_becomes_the_home() {
    let daemon = Daemon::start();
    let home = daemon.home.path("home").display().to_string();
    for cwd in ["/no/such/place", "relative", "~", "~/x", ""] {
        let created = daemon.result("workspace.create", json!({ "cwd": cwd }));
        assert_eq!(created["root_pane"]["cwd"], home.as_str(), "{cwd:?}");
    }
    let there = daemon.home.path("tmp").display().to_string();
    let pane = daemon.pane_of("workspace.create", json!({ "cwd": there }));
    assert_eq!(directory(&daemon, &pane), there);
}

#[test]
fn a_new_pane_follows_the_one_it_comes_from() {
    let daemon = Daemon::start();
    let one = daemon.home.path("tmp").display().to_string();
    let two = daemon.home.path("state").display().to_string();
    let first = daemon.pane_of("workspace.create", json!({ "cwd": one }));
    let second = daemon.pane_of("workspace.create", json!({ "cwd": two }));
    assert_eq!(
        directory(&daemon, &daemon.split(&second)),
        two,
        "the pane that is split"
    );
    let tab = daemon.pane_of("tab.create", json!({ "workspace_id": "w2" }));
    assert_eq!(
        directory(&daemon, &tab),
        two,
        "the workspace's focused pane"
    );
    let third = daemon.workspace();
    assert_eq!(
        directory(&daemon, &third),
        one,
        "the active workspace's focused pane"
    );
    let params = json!({ "source_workspace_id": "w2" });
    let fourth = daemon.pane_of("workspace.create", params);
    assert_eq!(
        directory(&daemon, &fourth),
        two,
        "the workspace that was named"
    );
    // The program in the foreground counts, not the shell behind it.
    let deep = daemon.home.path("bin").display().to_string();
    daemon.enter(&first, &format!("sh -c 'cd {deep}; echo he\"\"re; cat'"));
    daemon.wait_for_line(&first, "here$");
    assert_eq!(directory(&daemon, &daemon.split(&first)), deep);
    let record = daemon.pane(&first);
    assert_eq!(record["cwd"], one.as_str());
    assert_eq!(record["foreground_cwd"], deep.as_str());
    daemon.refuses(
        "workspace.create",
        json!({ "source_workspace_id": "w99" }),
        "workspace_not_found",
        "workspace w99 not found",
    );
}

#[test]
fn where_new_panes_start_follows_the_configuration() {
    for (place, expected) in [
        ("home", "home"),
        ("current", "home"),
        ("~/inside", "home/inside"),
        ("/", ""),
    ] {
        let daemon = Setup::new()
            .config(&format!("[terminal]\nnew_cwd = \"{place}\"\n"))
            .start();
        std::fs::create_dir(daemon.home.path("home").join("inside")).expect("a directory");
        let elsewhere = daemon.home.path("tmp").display().to_string();
        let first = daemon.pane_of("workspace.create", json!({ "cwd": elsewhere }));
        let expected = match expected {
            "" => "/".to_owned(),
            name => daemon.home.path(name).display().to_string(),
        };
        assert_eq!(
            directory(&daemon, &daemon.split(&first)),
            expected,
            "{place}"
        );
    }
}

#[test]
fn a_workspace_is_called_after_where_its_shell_is() {
    let daemon = Daemon::start();
    std::fs::create_dir_all(daemon.home.path("tmp").join("project/.git")).expect("a directory");
    std::fs::create_dir_all(daemon.home.path("tmp").join("project/src")).expect("a directory");
    let pane = daemon.workspace();
    let label = || {
        daemon.result("workspace.get", json!({ "workspace_id": "w1" }))["workspace"]["label"]
            .clone()
    };
    assert_eq!(label(), "~");
    let inside = daemon.home.path("tmp/project/src");
    daemon.enter(&pane, &format!("cd {}", inside.display()));
    until_true("the project's name", || label() == "project");
    daemon.result(
        "workspace.rename",
        json!({ "workspace_id": "w1", "label": " mine " }),
    );
    assert_eq!(label(), Value::from(" mine "), "kept as it was given");
}
