//! `drover doctor`: what it finds with and without a daemon, from outside and from a pane.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use super::common::{Daemon, End, Home, Setup, run};

/// The findings of one check that are not as they should be, each with its level.
fn found(end: &End, check: &str) -> Vec<(String, String)> {
    let record: Value = serde_json::from_str(&end.stdout).unwrap_or_else(|_| panic!("{end:?}"));
    let checks = record["checks"].as_array().expect("a list");
    let check = checks.iter().find(|known| known["name"] == check);
    let findings = check.expect("a check of that name")["findings"].as_array();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    findings
        .expect("a list")
        .iter()
        .filter(|finding| finding["level"] != "fine")
        .map(|finding| {
            assert_ne!(finding["means"], "", "{finding}");
            (text(&finding["level"]), text(&finding["what"]))
        })
        .collect()
}

fn wrong(end: &End, check: &str) -> String {
    assert_eq!(end.code, Some(1), "{end:?}");
    match &found(end, check)[..] {
        [(level, what)] if level == "wrong" => what.clone(),
        other => panic!("{check}: {other:?}"),
    }
}

#[test]
fn without_a_daemon_and_without_files_nothing_is_wrong() {
    let home = Home::new();
    let end = home.drover(&["doctor", "--json"]);
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""), "{end:?}");
    let record: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(record["well"], true);
    let names: Vec<_> = record["checks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|check| check["name"].clone())
        .collect();
    let known = [
        "daemon",
        "folders",
        "sockets",
        "link",
        "store",
        "configuration",
        "environment",
        "reports",
        "grants",
        "hooks",
        "notifications",
        "descriptors",
    ];
    for name in known {
        assert!(names.contains(&json!(name)), "{name} in {names:?}");
    }
    let text = home.drover(&["doctor"]);
    assert_eq!(text.code, Some(0));
    assert!(text.stdout.contains("`drover up` starts it"), "{text:?}");
    assert!(text.stdout.ends_with("\nNothing is wrong.\n"), "{text:?}");
}

#[test]
fn with_a_daemon_that_is_well_nothing_is_wrong_from_outside_and_from_a_pane() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let end = daemon.home.drover(&["doctor", "--json"]);
    assert_eq!(end.code, Some(0), "{end:?}");
    for check in ["daemon", "folders", "sockets", "link", "store"] {
        assert_eq!(found(&end, check), [], "{check}");
    }
    let drover = daemon.home.path("").join("drover");
    let inside = daemon.shell(&pane, &format!("{} doctor; echo code $?", drover.display()));
    assert!(
        inside.contains(&format!("this shell is in pane {pane} of ")),
        "{inside}"
    );
    assert!(inside.ends_with("code 0\n"), "{inside}");
}

#[test]
fn a_folder_that_others_can_write_is_wrong() {
    let home = Home::new();
    let folder = home.path("run").join("drover");
    std::fs::create_dir(&folder).expect("a directory");
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(&folder, open).expect("permissions");
    let end = home.drover(&["doctor", "--json"]);
    assert!(wrong(&end, "folders").contains("can be written by others"));
    assert!(home.drover(&["doctor"]).stdout.contains("chmod 700"));
}

#[test]
fn what_was_left_behind_by_a_killed_daemon_is_no_more_than_a_note() {
    let home = Home::new();
    std::fs::create_dir(home.path("run").join("drover")).expect("a directory");
    let private = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(home.path("run/drover"), private.clone()).expect("permissions");
    let socket = home.path("run/drover").join("drover.sock.herdr");
    drop(std::os::unix::net::UnixListener::bind(&socket).expect("a socket"));
    std::fs::set_permissions(&socket, private).expect("permissions");
    let end = home.drover(&["doctor", "--json"]);
    assert_eq!(end.code, Some(0), "{end:?}");
    assert!(found(&end, "sockets")[0].1.contains("was left behind"));
}

#[test]
fn a_daemon_that_cannot_save_is_wrong() {
    let daemon = Daemon::start();
    daemon.workspace();
    let database = daemon.home.path("state/drover/drover.db");
    std::fs::remove_file(&database).expect("a database");
    // Another file in its place is not written over.
    std::fs::write(&database, "not yours").expect("a file");
    daemon.workspace();
    let end = daemon.home.drover(&["doctor", "--json"]);
    assert_eq!(end.code, Some(1), "{end:?}");
    let told = found(&end, "store");
    assert!(
        told.iter()
            .any(|(level, what)| level == "wrong" && what.contains("nothing is saved")),
        "{told:?}"
    );
    std::fs::remove_file(&database).expect("a file");
}

#[test]
fn each_mistake_in_the_configuration_is_told_and_what_is_wider_than_the_default_is_noted() {
    let home = Home::new();
    home.configure("[limits]\npanes = 'many'\n[authority]\nreports = 'same-user'\nroot = true\n");
    let end = home.drover(&["doctor", "--json"]);
    assert!(wrong(&end, "configuration").contains("(line 2, "));
    assert!(found(&end, "reports")[0].1.contains("same-user"));
    assert!(
        found(&end, "grants")
            .iter()
            .any(|(_, what)| what.contains("root"))
    );
}

#[test]
fn a_pane_that_was_given_more_than_the_default_is_noted() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let set = daemon
        .home
        .drover(&["grants", "set", &pane, "admin", "respond"]);
    assert_eq!(set.code, Some(0), "{set:?}");
    let end = daemon.home.drover(&["doctor", "--json"]);
    assert_eq!(end.code, Some(0), "{end:?}");
    let noted = found(&end, "grants");
    let more = format!("pane {pane} holds more than the default");
    assert!(
        noted.iter().any(|(_, what)| what.contains(&more)),
        "{noted:?}"
    );
}

#[test]
fn variables_of_a_pane_that_is_not_there_are_told_as_left_over() {
    let daemon = Daemon::start();
    let told = |socket: &Path, pane: &str| {
        let mut command = daemon.home.command(&daemon.home.path("").join("drover"));
        command.args(["doctor", "--json"]);
        command
            .env("HERDR_ENV", "1")
            .env("HERDR_SOCKET_PATH", socket);
        command
            .env("HERDR_PANE_ID", pane)
            .env("HERDR_BIN_PATH", "/nonexistent/herdr");
        run(&mut command)
    };
    let socket = daemon.home.socket();
    let end = told(&socket, "w9:p9");
    assert_eq!(end.code, Some(1), "{end:?}");
    let told_of_pane = found(&end, "environment");
    assert!(
        told_of_pane[0].1.contains("has no such pane"),
        "{told_of_pane:?}"
    );
    assert!(
        told_of_pane[1].1.contains("/nonexistent/herdr"),
        "{told_of_pane:?}"
    );
    let end = told(Path::new("/nonexistent/socket"), "w1:p1");
    assert!(
        found(&end, "environment")[0]
            .1
            .contains("nobody answers there"),
        "{end:?}"
    );
}

#[test]
fn labels_and_titles_do_not_drive_the_persons_terminal() {
    let daemon = Setup::new().start();
    let pane = daemon.workspace();
    let label = "one\u{1b}]0;TAKEN\u{7}\u{9b}31m\u{202e}two\u{200b}";
    daemon.result("pane.rename", json!({ "pane_id": pane, "label": label }));
    let drover = daemon.home.path("").join("drover");
    // In a pane, so that its stdout is a terminal, and what it does to the terminal can be seen.
    daemon.enter(&pane, &format!("{} ps; echo 'do''ne'", drover.display()));
    daemon.wait_for_line(&pane, "done$");
    let text = daemon.text(&pane);
    assert!(text.contains("two"), "{text}");
    assert!(
        !text.contains(['\u{202e}', '\u{200b}', '\u{9b}']),
        "{text:?}"
    );
    let title = daemon.pane(&pane)["terminal_title"].clone();
    assert_ne!(title, "TAKEN");
    // JSON says all of it, and shows none of it.
    let end = daemon.herdr(&["pane", "get", &pane]);
    let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(answer["result"]["pane"]["label"], label);
    assert!(
        !end.stdout
            .contains(['\u{202e}', '\u{200b}', '\u{9b}', '\u{1b}']),
        "{end:?}"
    );
}

/// `herdr integration install`, which needs no daemon.
fn install(home: &Home, target: &str) -> End {
    let herdr = home.path("").join("herdr");
    if !herdr.exists() {
        std::os::unix::fs::symlink(home.path("drover"), &herdr).expect("a link");
    }
    run(home
        .command(&herdr)
        .args(["integration", "install", target]))
}

#[test]
fn hooks_that_run_what_is_not_there_are_wrong_and_old_ones_are_noted() {
    let home = Home::new();
    let claude = home.path("home").join(".claude");
    std::fs::create_dir(&claude).expect("a directory");
    let install = || install(&home, "claude");
    assert_eq!(install().code, Some(0));
    let script = claude.join("hooks/herdr-agent-state.sh");
    let looked = || home.drover(&["doctor", "--json"]);
    assert_eq!(found(&looked(), "hooks"), []);

    let text = std::fs::read_to_string(&script).expect("a script");
    let old = text.replace("INTEGRATION_VERSION=", "INTEGRATION_VERSION=0");
    let old = old.replace("VERSION=010", "VERSION=9");
    std::fs::write(&script, old).expect("a script");
    let noted = looked();
    assert_eq!(noted.code, Some(0), "{noted:?}");
    assert!(
        found(&noted, "hooks")[0].1.contains("of version 9, "),
        "{noted:?}"
    );

    // What a person's own folder of settings does: the file is another one.
    let kept = home.path("home").join("kept.sh");
    std::fs::rename(&script, &kept).expect("a script");
    std::os::unix::fs::symlink(&kept, &script).expect("a link");
    assert_eq!(install().code, Some(0));
    let noted = looked();
    assert_eq!(noted.code, Some(0), "{noted:?}");
    assert!(
        found(&noted, "hooks")[0].1.contains("is a link to"),
        "{noted:?}"
    );

    std::fs::remove_file(&script).expect("a link");
    assert!(wrong(&looked(), "hooks").contains("which is not there"));
    let text = home.drover(&["doctor"]).stdout;
    assert!(
        text.contains("-> `herdr integration install claude` mends it"),
        "{text}"
    );
    assert_eq!(install().code, Some(0));
    assert_eq!(found(&looked(), "hooks"), []);
}

#[test]
fn a_hook_that_needs_what_is_not_on_the_path_is_wrong() {
    let home = Home::new();
    let claude = home.path("home").join(".claude");
    std::fs::create_dir(&claude).expect("a directory");
    let installed = install(&home, "claude");
    assert_eq!(installed.code, Some(0), "{installed:?}");
    let script = claude.join("hooks/herdr-agent-state.sh");
    let mut text = std::fs::read_to_string(&script).expect("a script");
    text += "python3 -c pass\n";
    std::fs::write(&script, text).expect("a script");
    let mut command = home.command(&home.path("").join("drover"));
    command
        .args(["doctor", "--json"])
        .env("PATH", home.path("bin"));
    let told = wrong(&run(&mut command), "hooks");
    assert!(told.contains("needs python3"), "{told}");
}

#[test]
fn a_sink_that_cannot_take_a_message_or_shows_its_secret_is_wrong() {
    let home = Home::new();
    let secret = home.path("config").join("token");
    let configure = |sink: &str| {
        home.configure(&format!(
            "[[notify.rule]]\nsinks = ['own']\n[[notify.sink]]\nname = 'own'\n{sink}\n"
        ));
        home.drover(&["doctor", "--json"])
    };
    let program = |name: &str| configure(&format!("kind = 'command'\ncommand = ['{name}']"));
    assert_eq!(found(&program("sh"), "notifications"), []);
    let told = wrong(&program("no-such-program"), "notifications");
    assert!(told.contains("runs no-such-program"), "{told}");

    // Nobody listens there, and nobody is asked.
    let webhook = format!(
        "url = 'http://127.0.0.1:9/TOPIC'\nsecret_file = '{}'",
        secret.display()
    );
    let told = wrong(&configure(&webhook), "notifications");
    assert!(told.contains("token") && !told.contains("TOPIC"), "{told}");
    std::fs::write(&secret, "tk_hidden\n").expect("a file");
    let mode = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&secret, mode).expect("permissions");
        configure(&webhook)
    };
    assert_eq!(found(&mode(0o600), "notifications"), []);
    let open = mode(0o644);
    assert!(wrong(&open, "notifications").contains("open to others"));
    assert!(!open.stdout.contains("tk_hidden"), "{open:?}");
    assert!(home.drover(&["doctor"]).stdout.contains("chmod 600"));
    let told = wrong(&configure("url = 'https://[TOPIC/'"), "notifications");
    assert!(!told.contains("TOPIC"), "{told}");
}
