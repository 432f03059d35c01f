//! What comes back when a daemon that was stopped, or killed with all its panes, is started again.

use std::os::unix::fs::PermissionsExt;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::common::{Daemon, Half, Home, Setup, until_true};

/// The next daemon in the same directories.
fn again(home: Home) -> Daemon {
    Setup::at(home).start()
}

/// A session as its clients see it, without what is new with every process.
fn shape(daemon: &Daemon) -> Value {
    let mut snapshot = daemon.result("session.snapshot", json!({}))["snapshot"].clone();
    for pane in snapshot["panes"].as_array_mut().expect("panes") {
        let pane = pane.as_object_mut().expect("a pane");
        for process in ["terminal_id", "revision", "scroll", "foreground_cwd"] {
            pane.remove(process);
        }
    }
    snapshot
}

/// Two workspaces, tabs, splits, labels, a zoom, ids that are spent.
fn furnish(daemon: &Daemon) {
    let directory = daemon.home.path("home").join("project");
    std::fs::create_dir(&directory).expect("a directory");
    let first = daemon.pane_of("workspace.create", json!({ "cwd": directory }));
    daemon.pane_of("workspace.create", json!({ "label": "deploy" }));
    let right = daemon.split(&first);
    let params = json!({ "target_pane_id": right, "direction": "down", "ratio": 0.3 });
    daemon.result("pane.split", params);
    let spent = daemon.split(&right);
    daemon.result("pane.close", json!({ "pane_id": spent }));
    let rename = json!({ "pane_id": right, "label": "build" });
    daemon.result("pane.rename", rename);
    let tab = json!({ "workspace_id": "w1", "label": "logs" });
    daemon.pane_of("tab.create", tab);
    daemon.pane_of("tab.create", json!({ "workspace_id": "w1" }));
    daemon.result("tab.close", json!({ "tab_id": "w1:t3" }));
    daemon.result("tab.move", json!({ "tab_id": "w1:t2", "insert_index": 0 }));
    let zoom = json!({ "pane_id": right, "mode": "on" });
    daemon.result("pane.zoom", zoom);
}

#[test]
fn a_session_comes_back_as_it_was_after_a_stop() {
    let daemon = Daemon::start();
    furnish(&daemon);
    let before = shape(&daemon);
    let daemon = again(daemon.ended_by(Signal::SIGTERM));
    assert_eq!(shape(&daemon), before);
}

#[test]
fn a_session_comes_back_as_it_was_after_a_kill() {
    let daemon = Daemon::start();
    furnish(&daemon);
    let before = shape(&daemon);
    let daemon = again(daemon.ended_by(Signal::SIGKILL));
    assert_eq!(shape(&daemon), before);
    let terminals = |daemon: &Daemon| daemon.pane("w1:p1")["terminal_id"].clone();
    let terminal = terminals(&daemon);
    let daemon = again(daemon.ended_by(Signal::SIGKILL));
    assert_eq!(shape(&daemon), before, "also the second time");
    assert_ne!(terminals(&daemon), terminal);
}

#[test]
fn ids_are_never_given_again() {
    let daemon = Daemon::start();
    furnish(&daemon);
    let daemon = again(daemon.ended_by(Signal::SIGKILL));
    assert_eq!(daemon.split("w1:p1"), "w1:p7");
    assert_eq!(
        daemon.pane_of("tab.create", json!({ "workspace_id": "w1" })),
        "w1:p8"
    );
    assert_eq!(daemon.workspace(), "w3:p1");
    for workspace in ["w1", "w2", "w3"] {
        daemon.result("workspace.close", json!({ "workspace_id": workspace }));
    }
    let daemon = again(daemon.ended_by(Signal::SIGTERM));
    assert_eq!(
        daemon.workspace(),
        "w4:p1",
        "also after everything was closed"
    );
}

#[test]
fn a_pane_comes_back_where_its_shell_was_last() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.enter(&pane, "cd /usr && echo 'mo''ved'");
    daemon.wait_for_line(&pane, "moved$");
    let daemon = again(daemon.ended_by(Signal::SIGTERM));
    assert_eq!(daemon.pane(&pane)["cwd"], "/usr");
    daemon.enter(&pane, "pwd");
    daemon.wait_for_line(&pane, "/usr$");
}

#[test]
fn what_a_pane_was_given_comes_back_with_a_shell_and_its_command_is_known_and_not_run() {
    let mut daemon = Daemon::start();
    daemon.workspace();
    let script = "echo \"ran with <$FLAVOUR>\"; cat";
    let root = json!({
        "type": "pane", "command": ["/bin/sh", "-c", script], "env": { "FLAVOUR": "lemon" },
    });
    daemon.result(
        "layout.apply",
        json!({ "workspace_id": "w1", "root": root }),
    );
    let pane = "w1:p2";
    daemon.wait_for_line(pane, "ran with <lemon>$");
    let exported = |daemon: &Daemon| {
        let layout = daemon.result("layout.export", json!({ "pane_id": pane }))["layout"].clone();
        (
            layout["root"]["command"].clone(),
            layout["root"]["env"].clone(),
        )
    };
    let expected = (root["command"].clone(), root["env"].clone());
    assert_eq!(exported(&daemon), expected);
    daemon.kill(Half::Worker);
    assert_eq!(exported(&daemon), expected, "for another worker");
    let daemon = again(daemon.ended_by(Signal::SIGTERM));
    assert_eq!(exported(&daemon), expected, "for another daemon");
    daemon.enter(pane, "echo \"now '<'$FLAVOUR>\"");
    daemon.wait_for_line(pane, "now '<'lemon>$");
    assert!(!daemon.text(pane).contains("ran with"));
    let mode = |name: &str| {
        let file = std::fs::metadata(daemon.home.path("state/drover").join(name));
        file.expect("a file").permissions().mode() & 0o777
    };
    // What was given may be a secret.
    assert_eq!((mode("drover.db"), mode("drover.db-wal")), (0o600, 0o600));
}

#[test]
fn commands_titles_and_tokens_do_not_come_back() {
    let daemon = Daemon::start();
    daemon.workspace();
    let params = json!({ "pane_id": "w1:p1", "source": "ci", "tokens": { "phase": "plan" } });
    daemon.result("pane.report_metadata", params);
    daemon.enter("w1:p1", r"printf '\033]2;busy\007'");
    until_true("a title", || {
        daemon.pane("w1:p1")["terminal_title"] == "busy"
    });
    let daemon = again(daemon.ended_by(Signal::SIGTERM));
    let pane = daemon.pane("w1:p1");
    assert_eq!(pane["terminal_title"], Value::Null);
    assert_eq!(pane.get("tokens"), None, "{pane}");
    assert_eq!(pane["agent_status"], "unknown");
}

/// An agent that reports itself with a command that brings it back, as herdr's integration guide
/// has it, and notes each start.
const AGENT: &str = r#"#!/bin/sh
echo "$PWD $*" >> "$HOME/starts"
"$HERDR_BIN_PATH" pane report-agent "$HERDR_PANE_ID" --source custom:bot --agent my-bot \
    --state idle --agent-session-id s1 -- my-bot --resume 's 1' || exit 1
echo 'a''gent is up'
exec cat
"#;

fn starts(home: &Home) -> Vec<String> {
    let text = std::fs::read_to_string(home.path("home/starts")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// A pane with the agent in a directory of its own; that directory.
fn with_agent(daemon: &Daemon) -> String {
    daemon.home.script("my-bot", AGENT);
    let directory = daemon.home.path("home").join("project");
    std::fs::create_dir(&directory).expect("a directory");
    let pane = daemon.pane_of("workspace.create", json!({ "cwd": directory }));
    daemon.enter(&pane, "my-bot");
    daemon.wait_for_line(&pane, "agent is up$");
    until_true("an agent", || daemon.pane(&pane)["agent"] == "my-bot");
    directory.display().to_string()
}

#[test]
fn an_agent_is_brought_back_by_the_command_it_reported() {
    let daemon = Daemon::start();
    let directory = with_agent(&daemon);
    let name = json!({ "target": "w1:p1", "name": "bot" });
    daemon.result("agent.rename", name);
    let daemon = again(daemon.ended_by(Signal::SIGTERM));
    let pane = daemon.pane("w1:p1");
    assert_eq!(
        (&pane["agent"], &pane["agent_status"]),
        (&json!("my-bot"), &json!("idle"))
    );
    daemon.wait_for_line("w1:p1", "agent is up$");
    until_true("a second start", || starts(&daemon.home).len() == 2);
    assert_eq!(
        starts(&daemon.home),
        [format!("{directory} "), format!("{directory} --resume s 1")]
    );
    let agent = daemon.result("agent.get", json!({ "target": "bot" }))["agent"].clone();
    assert_eq!(agent["pane_id"], "w1:p1");
    assert_eq!(
        agent["agent_status"], "idle",
        "which completes nothing: {agent}"
    );
}

#[test]
fn an_agent_that_was_killed_with_the_daemon_is_brought_back_too() {
    let daemon = Daemon::start();
    with_agent(&daemon);
    let daemon = again(daemon.ended_by(Signal::SIGKILL));
    until_true("a second start", || starts(&daemon.home).len() == 2);
}

#[test]
fn the_recipe_of_herdrs_integration_guide_works_in_a_named_session() {
    let home = Home::new();
    home.script("my-bot", AGENT);
    let drover = |words: &[&str]| {
        let end = home.drover(&[words, &["--session", "test"]].concat());
        assert_eq!(end.code, Some(0), "{end:?}");
    };
    let herdr = |words: &[&str]| {
        let end = home.drover(&[&["herdr"], words].concat());
        assert_eq!(end.code, Some(0), "{end:?}");
        end.stdout
    };
    drover(&["up"]);
    herdr(&["--session", "test", "pane", "run", "w1:p1", "my-bot"]);
    let idle = || {
        let pane = herdr(&["--session", "test", "pane", "get", "w1:p1"]);
        let pane: Value = serde_json::from_str(&pane).expect("JSON");
        let pane = &pane["result"]["pane"];
        pane["agent"] == "my-bot" && pane["agent_status"] == "idle"
    };
    until_true("a report", || starts(&home).len() == 1 && idle());
    herdr(&["session", "stop", "test"]);
    drover(&["up"]);
    until_true("the agent again", || starts(&home).len() == 2 && idle());
    let directory = home.path("home").display().to_string();
    assert_eq!(
        starts(&home),
        [format!("{directory} "), format!("{directory} --resume s 1")]
    );
    drover(&["down"]);
}

#[test]
fn agents_stay_away_where_that_is_configured() {
    let daemon = Setup::new()
        .config("[session]\nresume_agents_on_restore = false\n")
        .start();
    with_agent(&daemon);
    let daemon = again(daemon.ended_by(Signal::SIGTERM));
    assert_eq!(daemon.pane("w1:p1")["agent"], Value::Null);
    daemon.enter("w1:p1", "echo 'pl''ain'");
    daemon.wait_for_line("w1:p1", "plain$");
    assert_eq!(starts(&daemon.home).len(), 1);
}

#[test]
fn one_session_in_two_panes_is_brought_back_once() {
    let daemon = Daemon::start();
    daemon.home.script(
        "claude",
        "#!/bin/sh\necho x >> \"$HOME/starts\"\nexec cat\n",
    );
    let first = daemon.workspace();
    for pane in [first.clone(), daemon.split(&first)] {
        let params = json!({
            "pane_id": pane, "source": "herdr:claude", "agent": "claude", "agent_session_id": "s1",
        });
        daemon.result("pane.report_agent_session", params);
    }
    let daemon = again(daemon.ended_by(Signal::SIGTERM));
    let agents: Vec<Value> = ["w1:p1", "w1:p2"]
        .map(|pane| daemon.pane(pane)["agent"].clone())
        .into();
    assert_eq!(agents, [json!("claude"), Value::Null]);
    until_true("a start", || starts(&daemon.home).len() == 1);
    let session = &daemon.pane("w1:p1")["agent_session"];
    assert_eq!(session["value"], "s1");
}

#[test]
fn a_command_that_starts_nothing_leaves_a_plain_shell() {
    let daemon = Daemon::start();
    with_agent(&daemon);
    let home = daemon.ended_by(Signal::SIGTERM);
    home.script("my-bot", "#!/bin/sh\necho 'no such ''session'\n");
    let daemon = again(home);
    daemon.wait_for_line("w1:p1", "no such session$");
    let unknown = || daemon.pane("w1:p1")["agent_status"] == "unknown";
    until_true("an agent that does not come", unknown);
    assert_eq!(daemon.pane("w1:p1")["agent"], Value::Null);
}

#[test]
fn a_pane_whose_directory_is_gone_stays_and_says_so_until_that_is_back() {
    let daemon = Daemon::start();
    let directory = with_agent(&daemon);
    let home = daemon.ended_by(Signal::SIGTERM);
    std::fs::remove_dir(&directory).expect("a directory");
    let daemon = again(home);
    let pane = daemon.pane("w1:p1");
    assert_eq!(
        pane["restore_error"],
        "Saved directory is unavailable. Restore the directory and restart this session."
    );
    assert_eq!(pane["cwd"], directory.as_str());
    assert!(pane["revision"].as_u64() > Some(0), "{pane}");
    let text = json!({ "pane_id": "w1:p1", "text": "x" });
    assert_eq!(daemon.rpc("pane.send_text", text)["result"], Value::Null);
    let home = daemon.ended_by(Signal::SIGTERM);
    std::fs::create_dir(&directory).expect("a directory");
    let daemon = again(home);
    assert_eq!(daemon.pane("w1:p1")["restore_error"], Value::Null);
    until_true("a second start", || starts(&daemon.home).len() == 2);
}

#[test]
fn a_pane_that_could_not_be_started_can_be_closed() {
    let daemon = Daemon::start();
    with_agent(&daemon);
    daemon.workspace();
    let directory = daemon.home.path("home").join("project");
    let home = daemon.ended_by(Signal::SIGTERM);
    std::fs::remove_dir(directory).expect("a directory");
    let daemon = again(home);
    daemon.result("pane.close", json!({ "pane_id": "w1:p1" }));
    let panes = daemon.result("pane.list", json!({}))["panes"].clone();
    assert_eq!(panes.as_array().map(Vec::len), Some(1));
    assert_eq!(
        again(daemon.ended_by(Signal::SIGTERM)).pane("w2:p1")["pane_id"],
        "w2:p1"
    );
}

#[test]
fn a_shell_that_cannot_be_started_is_named() {
    let daemon = Daemon::start();
    daemon.workspace();
    let home = daemon.ended_by(Signal::SIGTERM);
    home.configure("[terminal]\ndefault_shell = \"/no/such/shell\"\n");
    let daemon = again(home);
    let error = daemon.pane("w1:p1")["restore_error"].clone();
    let error = error.as_str().expect("an error");
    assert!(
        error.starts_with("Could not start the saved shell: ") && error.contains("/no/such/shell"),
        "{error}"
    );
}

#[test]
fn text_comes_back_above_the_prompt_only_where_that_is_configured() {
    for (configured, expected) in [(true, 1), (false, 0)] {
        let config = format!("[experimental]\npane_history = {configured}\n");
        let daemon = Setup::new().config(&config).start();
        let pane = daemon.workspace();
        daemon.enter(&pane, r"printf '\033[31mre''member\033[m\n'");
        daemon.wait_for_line(&pane, "remember$");
        let daemon = again(daemon.ended_by(Signal::SIGTERM));
        daemon.enter(&pane, "echo 'a''gain'");
        daemon.wait_for_line(&pane, "again$");
        let read = json!({ "pane_id": pane, "source": "recent", "lines": 100, "format": "ansi" });
        let read = daemon.result("pane.read", read);
        let text = read["read"]["text"].as_str().expect("text");
        let coloured = text
            .lines()
            .filter(|line| line.contains("mremember"))
            .count();
        assert_eq!(coloured, expected, "{text}");
    }
}

#[test]
fn named_sessions_are_separate() {
    let daemon = Daemon::start();
    daemon.workspace();
    let home = &daemon.home;
    let other = |words: &[&str]| {
        let end = home.herdr(&[&["--session", "other"], words].concat());
        assert_eq!(end.code, Some(0), "{end:?}");
        serde_json::from_str::<Value>(&end.stdout).unwrap_or(Value::Null)
    };
    let up = || assert_eq!(home.drover(&["up", "--session", "other"]).code, Some(0));
    up();
    other(&["workspace", "create", "--label", "theirs"]);
    let stop = home.herdr(&["session", "stop", "other"]);
    assert_eq!(stop.code, Some(0), "{stop:?}");
    up();
    let workspaces = other(&["workspace", "list"]);
    // The first one is made by `up`.
    assert_eq!(workspaces["result"]["workspaces"][1]["label"], "theirs");
    let deleted = || home.herdr(&["session", "stop", "other"]).code == Some(0);
    until_true("a stop", deleted);
    let delete = home.herdr(&["session", "delete", "other"]);
    assert_eq!(delete.code, Some(0), "{delete:?}");
    up();
    let workspaces = other(&["workspace", "list"])["result"]["workspaces"].clone();
    assert_eq!(workspaces.as_array().map(Vec::len), Some(1), "{workspaces}");
    home.drover(&["down", "--session", "other"]);
    let mine = daemon.result("workspace.list", json!({}));
    assert_eq!(mine["workspaces"].as_array().map(Vec::len), Some(1));
}
