//! Plugins: a registry for all sessions, commands that run on request and on events, panes and the popup.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::common::{Daemon, End, Half, Home, Setup, run, until, until_true};

const HEAD: &str = "name = 'Smoke'\nversion = '0.1.0'\nmin_herdr_version = '0.6.10'\n\
                    platforms = ['linux', 'macos']\n";

/// A plugin of this id whose manifest goes on with `rest`; its folder.
fn plugin(home: &Home, id: &str, rest: &str) -> PathBuf {
    let folder = home.path("home").join(id);
    std::fs::create_dir_all(&folder).expect("a directory");
    let text = format!("id = '{id}'\n{HEAD}{rest}");
    std::fs::write(folder.join("herdr-plugin.toml"), text).expect("a file");
    folder
}

/// An entry of a list whose command is a script.
fn entry(list: &str, keys: &str, script: &str) -> String {
    format!("[[{list}]]\n{keys}\ncommand = ['/bin/sh', '-c', '''{script}''']\n")
}

fn action(id: &str, script: &str) -> String {
    entry("actions", &format!("id = '{id}'\ntitle = '{id}'"), script)
}

/// A daemon with one workspace and one linked plugin, `example.smoke`.
fn started(rest: &str) -> Daemon {
    let daemon = Daemon::start();
    daemon.result("workspace.create", json!({ "label": "one", "focus": true }));
    let folder = plugin(&daemon.home, "example.smoke", rest);
    daemon.result("plugin.link", json!({ "path": folder }));
    daemon
}

fn invoke(daemon: &Daemon, action: &str) -> Value {
    daemon.result("plugin.action.invoke", json!({ "action_id": action }))
}

/// The logs of a daemon, once `count` commands have ended.
fn ended(daemon: &Daemon, count: usize) -> Vec<Value> {
    until("the end of commands", || {
        let list = daemon.result("plugin.log.list", json!({ "limit": 200 }));
        let logs = list["logs"].as_array().expect("a list").clone();
        let done = logs.iter().filter(|log| log["status"] != "running").count();
        (done >= count).then_some(logs)
    })
}

fn panes(daemon: &Daemon) -> Vec<String> {
    let list = daemon.result("pane.list", json!({}));
    let panes = list["panes"].as_array().expect("a list").iter();
    panes
        .map(|pane| pane["pane_id"].as_str().expect("an id").to_owned())
        .collect()
}

fn focused(daemon: &Daemon) -> Value {
    daemon.result("pane.current", json!({}))["pane"]["pane_id"].clone()
}

#[test]
fn the_registry_is_one_for_all_sessions_and_needs_no_daemon() {
    let home = Home::new();
    let folder = plugin(&home, "example.smoke", &action("a", "true"));
    let herdr = |words: &[&str]| {
        let mut command = home.command(&home.path("drover"));
        std::os::unix::process::CommandExt::arg0(&mut command, "herdr");
        run(command.args(words))
    };
    let said = |end: &End| (end.code, end.stdout.lines().next().unwrap_or("").to_owned());
    let none = herdr(&["plugin", "list"]);
    assert_eq!(said(&none), (Some(0), "No plugins installed.".to_owned()));
    let linked = herdr(&["plugin", "link", "example.smoke"]);
    assert_eq!(linked.code, Some(0), "{}", linked.stderr);
    assert!(
        linked.stdout.contains("\"type\":\"plugin_linked\""),
        "{linked:?}"
    );
    let listed = herdr(&["plugin", "list"]);
    let path = folder.display();
    assert!(
        listed
            .stdout
            .starts_with("1 plugin installed:\n- example.smoke (Smoke) enabled [local "),
        "{path}: {listed:?}"
    );
    // A daemon has it, and one of another session has what that one changes.
    let daemon = Setup::at(home.clone()).start();
    let second = Setup::at(home.clone())
        .word("--session")
        .word("two")
        .start();
    daemon.result("plugin.disable", json!({ "plugin_id": "example.smoke" }));
    let there = home.herdr(&["--session", "two", "plugin", "list", "--json"]);
    let there: Value = serde_json::from_str(&there.stdout).expect("JSON");
    assert_eq!(there["id"], "cli:plugin");
    assert_eq!(there["result"]["plugins"][0]["enabled"], false);
    let unlinked = home.herdr(&["plugin", "unlink", "example.smoke"]);
    assert!(unlinked.stdout.contains("\"removed\":true"), "{unlinked:?}");
    let config = home.herdr(&["plugin", "config-dir", "example.smoke"]);
    assert!(Path::new(config.stdout.trim()).is_dir(), "{config:?}");
    drop((daemon, second));
    let gone = herdr(&["plugin", "unlink", "example.smoke"]);
    assert_eq!(
        gone.code,
        Some(1),
        "only linking and listing go without a daemon"
    );
}

#[test]
fn a_plugin_is_what_its_manifest_says_and_what_is_wrong_with_one_is_said() {
    let daemon = started(&action("a", "true"));
    let list = daemon.result("plugin.list", json!({ "plugin_id": "example.smoke" }));
    assert_eq!(list["plugins"][0]["actions"][0]["id"], "a");
    assert_eq!(list["plugins"][0]["source"], json!({ "kind": "local" }));
    let none = daemon.result("plugin.list", json!({ "plugin_id": "nosuch" }));
    assert_eq!(none["plugins"], json!([]));
    let home = daemon.home.path("home");
    let refused = |path: &Path| daemon.refusal("plugin.link", json!({ "path": path }));
    let (code, message) = refused(&home.join("nosuch"));
    assert_eq!(code, "plugin_manifest_not_found");
    assert!(message.contains("nosuch: No such file"), "{message}");
    let broken = plugin(&daemon.home, "broken", "[[actions]]\nid = 'a'\n");
    let (code, message) = refused(&broken);
    assert_eq!(code, "plugin_manifest_parse_failed");
    assert!(message.contains("line 6, column 1"), "{message}");
    daemon.refuses(
        "plugin.link",
        json!({ "path": "relative" }),
        "invalid_plugin_manifest_path",
        "relative is not an absolute path",
    );
    let unlink = |id: &str| daemon.result("plugin.unlink", json!({ "plugin_id": id }));
    for method in ["plugin.enable", "plugin.disable"] {
        let params = json!({ "plugin_id": "nosuch" });
        daemon.refuses(method, params, "plugin_not_found", "plugin not found");
        let (code, _) = daemon.refusal(method, json!({ "plugin_id": "a b" }));
        assert_eq!(code, "invalid_plugin_id");
    }
    assert_eq!(unlink("nosuch")["removed"], false);
    assert_eq!(unlink("example.smoke")["removed"], true);
}

#[test]
fn an_action_runs_in_its_plugins_folder_and_is_told_where_it_was_called_from() {
    let script = "pwd; echo $HERDR_PLUGIN_ID $HERDR_PLUGIN_ACTION_ID $HERDR_WORKSPACE_ID \
                  $HERDR_TAB_ID $HERDR_PANE_ID; echo \"$HERDR_PLUGIN_CONTEXT_JSON\"; \
                  test -d \"$HERDR_PLUGIN_CONFIG_DIR\" && test -d \"$HERDR_PLUGIN_STATE_DIR\" && \
                  herdr workspace list && \"$HERDR_BIN_PATH\" pane split w1:p1 --direction right";
    let daemon = started(&action("run", script));
    let invoked = invoke(&daemon, "example.smoke.run");
    assert_eq!(invoked["log"]["status"], "running");
    assert_eq!(invoked["context"]["workspace_label"], "one");
    assert_eq!(invoked["context"]["focused_pane_id"], "w1:p1");
    assert_eq!(invoked["context"]["invocation_source"], "api");
    assert_eq!(
        invoked["context"]["correlation_id"],
        "test:plugin.action.invoke"
    );
    let log = ended(&daemon, 1).remove(0);
    assert_eq!(log["exit_code"], 0, "{log}");
    let text = log["stdout"].as_str().expect("text");
    let mut lines = text.lines();
    let folder = daemon.home.path("home").join("example.smoke");
    assert_eq!(lines.next(), folder.to_str());
    assert_eq!(lines.next(), Some("example.smoke run w1 w1:t1 w1:p1"));
    let context: Value = serde_json::from_str(lines.next().expect("a line")).expect("JSON");
    assert_eq!(context, invoked["context"]);
    assert!(lines.next().expect("a line").contains("workspace_list"));
    assert_eq!(panes(&daemon).len(), 2, "what a plugin asks for is done");
    // What the caller says wins.
    let given = json!({ "action_id": "run", "plugin_id": "example.smoke",
        "context": { "workspace_label": "mine", "selected_text": "s" } });
    let invoked = daemon.result("plugin.action.invoke", given);
    assert_eq!(invoked["context"]["workspace_label"], "mine");
    assert_eq!(invoked["context"]["selected_text"], "s");
    assert_eq!(invoked["context"]["workspace_id"], "w1");
}

#[test]
fn what_is_asked_for_by_command_is_done() {
    let board = entry("panes", "id = 'board'\ntitle = 'Board'", "exec sleep 1000");
    let daemon = started(&[action("a", "true"), board].concat());
    let said = |words: &[&str], text: &str| {
        let end = daemon.herdr(words);
        assert_eq!(end.code, Some(0), "{words:?}: {end:?}");
        assert!(end.stdout.contains(text), "{words:?}: {end:?}");
    };
    said(&["plugin", "disable", "example.smoke"], "plugin_disabled");
    said(&["plugin", "enable", "example.smoke"], "plugin_enabled");
    said(&["plugin", "action", "list"], "\"action_id\":\"a\"");
    let invoked = [
        "plugin",
        "action",
        "invoke",
        "a",
        "--plugin",
        "example.smoke",
    ];
    said(&invoked, "\"invocation_source\":\"cli\"");
    said(&["plugin", "log"], "plugin-log-1");
    said(&["plugin", "log", "list", "--limit", "1"], "plugin-log-1");
    said(&["plugin", "logs", "--plugin", "nosuch"], "\"logs\":[]");
    let which = "--plugin example.smoke --entrypoint board --placement fullscreen";
    let mut open = vec!["plugin", "pane", "open"];
    open.extend(which.split(' '));
    said(&open, "\"pane_id\":\"w1:p2\"");
    said(&["plugin", "pane", "focus", "w1:p2"], "plugin_pane_focused");
    said(&["plugin", "pane", "close", "w1:p2"], "plugin_pane_closed");
    assert_eq!(panes(&daemon), ["w1:p1"]);
}

#[test]
fn an_action_that_may_not_run_is_refused_with_the_first_reason() {
    let only_there = format!("{}platforms = ['windows']\n", action("there", "true"));
    let daemon = started(&[action("a", "true"), only_there].concat());
    let other = plugin(&daemon.home, "other", &action("a", "true"));
    daemon.result("plugin.link", json!({ "path": other }));
    let refuses = |params: Value, code: &str, message: &str| {
        daemon.refuses("plugin.action.invoke", params, code, message);
    };
    let not_found = ("plugin_action_not_found", "plugin action not found");
    refuses(json!({ "action_id": "nosuch" }), not_found.0, not_found.1);
    let params = json!({ "action_id": "nosuch", "plugin_id": "other" });
    refuses(params, not_found.0, not_found.1);
    let params = json!({ "action_id": "a", "plugin_id": "nosuch" });
    refuses(params, "plugin_not_found", "plugin not found");
    let params = json!({ "action_id": "a b" });
    refuses(
        params,
        "invalid_plugin_action_id",
        "invalid plugin action id",
    );
    let candidates = "plugin action 'a' is ambiguous; candidates: example.smoke.a, other.a";
    refuses(
        json!({ "action_id": "a" }),
        "ambiguous_plugin_action",
        candidates,
    );
    let system = if cfg!(target_os = "macos") {
        "macos"
    } else {
        "linux"
    };
    let message =
        format!("action 'example.smoke.there' does not support the current platform ({system})");
    refuses(
        json!({ "action_id": "there" }),
        "platform_unsupported",
        &message,
    );
    daemon.result("plugin.disable", json!({ "plugin_id": "other" }));
    let disabled = "plugin other is disabled";
    refuses(
        json!({ "action_id": "other.a" }),
        "plugin_disabled",
        disabled,
    );
    std::fs::write(other.join("herdr-plugin.toml"), "x").expect("a file");
    let (code, _) = daemon.refusal("plugin.action.invoke", json!({ "action_id": "other.a" }));
    assert_eq!(code, "plugin_manifest_unavailable");
    let actions = daemon.result("plugin.action.list", json!({}));
    let ids = actions["actions"].as_array().expect("a list").iter();
    let ids: Vec<_> = ids.map(|action| action["action_id"].clone()).collect();
    assert_eq!(ids, ["a", "there"], "a broken plugin has none");
}

#[test]
fn hooks_run_when_the_session_starts_and_on_events() {
    let home = Home::new();
    let hooks = [
        entry("startup", "", "echo $HERDR_PLUGIN_EVENT"),
        entry(
            "events",
            "on = 'tab.created'",
            "echo $HERDR_TAB_ID; echo \"$HERDR_PLUGIN_EVENT_JSON\"",
        ),
        entry(
            "events",
            "on = 'pane.agent_status_changed'",
            "echo $HERDR_PLUGIN_EVENT",
        ),
    ];
    plugin(&home, "example.smoke", &hooks.concat());
    let daemon = Setup::at(home).start();
    let path = daemon.home.path("home").join("example.smoke");
    daemon.result("plugin.link", json!({ "path": path }));
    // Linking is no start.
    daemon.result("workspace.create", json!({ "focus": true }));
    let logs = ended(&daemon, 1);
    let happened = |log: &Value| log["event"].as_str().expect("an event").to_owned();
    assert_eq!(happened(&logs[0]), "tab.created");
    let text = logs[0]["stdout"].as_str().expect("text");
    let (tab, line) = text.split_once('\n').expect("two lines");
    assert_eq!(tab, "w1:t1");
    let line: Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(line["event"], "tab_created");
    daemon.result(
        "pane.report_agent",
        json!({ "pane_id": "w1:p1", "source": "me", "agent": "my-agent", "state": "blocked" }),
    );
    assert_eq!(happened(&ended(&daemon, 2)[1]), "pane.agent_status_changed");
    daemon.result("plugin.disable", json!({ "plugin_id": "example.smoke" }));
    daemon.result("tab.create", json!({}));
    daemon.result("plugin.enable", json!({ "plugin_id": "example.smoke" }));
    let daemon = Setup::at(daemon.ended_by(Signal::SIGTERM)).start();
    let log = ended(&daemon, 1).remove(0);
    assert_eq!(
        (happened(&log), log["log_id"].as_str()),
        ("startup".to_owned(), Some("plugin-log-1"))
    );
    assert_eq!(log["stdout"], "startup\n");
}

#[test]
fn hooks_follow_what_another_session_changes() {
    let home = Home::new();
    let daemon = Setup::at(home.clone()).start();
    let other = Setup::at(home.clone())
        .word("--session")
        .word("two")
        .start();
    let hook = entry("events", "on = 'workspace.created'", "true");
    let folder = plugin(&home, "example.smoke", &hook);
    let folder = folder.to_str().expect("text");
    let linked = home.herdr(&["--session", "two", "plugin", "link", folder]);
    assert_eq!(linked.code, Some(0), "{linked:?}");
    // The daemon is told by the file system, a moment later.
    until_true("a hook", || {
        daemon.result("workspace.create", json!({}));
        let list = daemon.result("plugin.log.list", json!({}));
        !list["logs"].as_array().expect("a list").is_empty()
    });
    drop(other);
}

#[test]
fn commands_end_with_the_daemon() {
    let daemon = started(&action("long", "echo $$ >pid; exec sleep 1000"));
    invoke(&daemon, "long");
    let file = daemon.home.path("home").join("example.smoke/pid");
    let pid: i32 = until("a process", || {
        std::fs::read_to_string(&file).ok()?.trim().parse().ok()
    });
    let _home = daemon.ended_by(Signal::SIGTERM);
    until_true("its end", || drover::sys::process_facts(pid).is_none());
}

#[test]
fn no_pane_links_or_enables_a_plugin_and_only_with_admin_it_uses_one() {
    let home = Home::new();
    home.configure("[authority]\npanes = \"strict\"\n");
    let daemon = Setup::at(home).start();
    let inside = |command: &str| {
        let out = daemon.home.path("home").join("out");
        let _ = std::fs::remove_file(&out);
        let text = format!("{{ herdr {command}; }} >out.new 2>&1; mv out.new out\n");
        daemon.result(
            "pane.send_text",
            json!({ "pane_id": "w1:p1", "text": text }),
        );
        until("an answer", || std::fs::read_to_string(&out).ok())
    };
    daemon.result(
        "workspace.create",
        json!({ "focus": true, "cwd": daemon.home.path("home") }),
    );
    let folder = plugin(
        &daemon.home,
        "example.smoke",
        &action("a", "herdr plugin disable example.smoke"),
    );
    let path = folder.display();
    for command in [
        format!("plugin link {path}"),
        "plugin unlink example.smoke".to_owned(),
        "plugin enable example.smoke".to_owned(),
    ] {
        let answer = inside(&command);
        assert!(
            answer.contains("\"code\":\"forbidden\"") && answer.contains("is for the person"),
            "{answer}"
        );
    }
    daemon.result("plugin.link", json!({ "path": folder }));
    let answer = inside("plugin action invoke a");
    assert!(answer.contains("needs the grant admin"), "{answer}");
    let granted = daemon.home.drover(&["grants", "set", "w1:p1", "admin"]);
    assert_eq!(granted.code, Some(0), "{granted:?}");
    let answer = inside("plugin action invoke a");
    assert!(answer.contains("plugin_action_invoked"), "{answer}");
    let log = ended(&daemon, 1).remove(0);
    let errors = log["stderr"].as_str().expect("text");
    assert!(errors.contains("plugin.disable is for the person"), "{log}");
}

#[test]
fn panes_of_plugins_open_where_they_are_asked_to_and_are_told_what_they_are() {
    let board = entry(
        "panes",
        "id = 'board'\ntitle = 'Board'",
        "echo $HERDR_PLUGIN_ID $HERDR_PLUGIN_ENTRYPOINT_ID $HERDR_PANE_ID $A; exec sleep 1000",
    );
    let daemon = started(&board);
    let open = |more: Value| {
        let mut params = json!({ "plugin_id": "example.smoke", "entrypoint": "board" });
        let members = params.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        daemon.result("plugin.pane.open", params)["plugin_pane"].clone()
    };
    let close = |id: &str| daemon.result("plugin.pane.close", json!({ "pane_id": id }));
    let overlay = open(json!({ "env": { "A": "b", "HERDR_PLUGIN_ID": "forged" } }));
    assert_eq!(
        (&overlay["plugin_id"], &overlay["entrypoint"]),
        (&json!("example.smoke"), &json!("board"))
    );
    assert_eq!(overlay["pane"]["label"], "Board");
    assert_eq!(
        (&overlay["pane"]["pane_id"], &overlay["pane"]["focused"]),
        (&json!("w1:p2"), &json!(true))
    );
    let layout = daemon.result("pane.layout", json!({ "pane_id": "w1:p2" }));
    assert_eq!(layout["layout"]["zoomed"], true);
    let told = "example.smoke board w1:p2 b";
    daemon.result(
        "pane.wait_for_output",
        json!({ "pane_id": "w1:p2", "source": "visible", "timeout_ms": 30_000,
            "match": { "type": "substring", "value": told } }),
    );
    close("w1:p2");
    assert_eq!(focused(&daemon), "w1:p1");
    let split =
        open(json!({ "placement": "split", "target_pane_id": "w1:p1", "direction": "down" }));
    assert_eq!(
        (&split["pane"]["pane_id"], &split["pane"]["focused"]),
        (&json!("w1:p3"), &json!(false))
    );
    let shown = daemon.result("plugin.pane.focus", json!({ "pane_id": "w1:p3" }));
    assert_eq!(shown["plugin_pane"]["pane"]["focused"], true);
    close("w1:p3");
    let tab = open(json!({ "placement": "tab", "focus": true }));
    assert_eq!(
        (&tab["pane"]["tab_id"], &tab["pane"]["focused"]),
        (&json!("w1:t2"), &json!(true))
    );
    close("w1:p4");
    let zoomed = open(json!({ "placement": "zoomed" }));
    let id = zoomed["pane"]["pane_id"].clone();
    let layout = daemon.result("pane.layout", json!({ "pane_id": id }));
    assert_eq!(layout["layout"]["zoomed"], true);
    assert_eq!(focused(&daemon), id);
    for (method, id) in [
        ("plugin.pane.focus", "w9:p9"),
        ("plugin.pane.close", "w1:p1"),
    ] {
        let params = json!({ "pane_id": id });
        daemon.refuses(
            method,
            params,
            "plugin_pane_not_found",
            "plugin pane not found",
        );
    }
}

#[test]
fn a_pane_of_a_plugin_stays_one_when_a_worker_takes_over() {
    let board = entry("panes", "id = 'board'\ntitle = 'Board'", "exec sleep 1000");
    let mut daemon = started(&board);
    let params = json!({ "plugin_id": "example.smoke", "entrypoint": "board" });
    daemon.result("plugin.pane.open", params);
    daemon.kill(Half::Worker);
    let shown = daemon.result("plugin.pane.focus", json!({ "pane_id": "w1:p2" }));
    assert_eq!(shown["plugin_pane"]["entrypoint"], "board");
    daemon.result("plugin.pane.close", json!({ "pane_id": "w1:p2" }));
    assert_eq!(focused(&daemon), "w1:p1");
}

#[test]
fn what_nobody_may_ask_for_together_is_refused_before_anything_is_opened() {
    let board = entry("panes", "id = 'board'\ntitle = 'Board'", "exec sleep 1000");
    let daemon = started(&board);
    let refused = |more: Value| {
        let mut params = json!({ "plugin_id": "example.smoke", "entrypoint": "board" });
        let members = params.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        daemon.refusal("plugin.pane.open", params)
    };
    for (more, code, message) in [
        (json!({ "plugin_id": "a b" }), "invalid_plugin_id", ""),
        (
            json!({ "plugin_id": "nosuch" }),
            "plugin_not_found",
            "plugin not found",
        ),
        (
            json!({ "entrypoint": "a b" }),
            "invalid_plugin_entrypoint",
            "",
        ),
        (
            json!({ "entrypoint": "zzz" }),
            "plugin_pane_not_found",
            "plugin pane entrypoint 'zzz' not found",
        ),
        (
            json!({ "width": 40 }),
            "invalid_params",
            "width and height are only supported when placement is popup",
        ),
        (
            json!({ "target_pane_id": "w1:p1" }),
            "invalid_params",
            "overlay and popup plugin panes target the active pane",
        ),
        (
            json!({ "placement": "split", "workspace_id": "w1" }),
            "invalid_params",
            "split and zoomed plugin panes target an existing pane; use target_pane_id",
        ),
        (
            json!({ "placement": "tab", "direction": "right" }),
            "invalid_params",
            "tab plugin panes support workspace_id but not target_pane_id or direction",
        ),
        (
            json!({ "placement": "split", "target_pane_id": "w9:p9" }),
            "pane_not_found",
            "pane w9:p9 not found",
        ),
        (
            json!({ "placement": "tab", "workspace_id": "w9" }),
            "workspace_not_found",
            "workspace w9 not found",
        ),
        (
            json!({ "env": { "": "x" } }),
            "invalid_env",
            "env key must not be empty",
        ),
    ] {
        let (found, said) = refused(more.clone());
        assert_eq!(found, code, "{more}");
        assert!(said.contains(message), "{more}: {said}");
    }
    assert_eq!(panes(&daemon), ["w1:p1"]);
    daemon.result("plugin.disable", json!({ "plugin_id": "example.smoke" }));
    assert_eq!(refused(json!({})).0, "plugin_disabled");
}

#[test]
fn there_is_one_popup_and_it_is_no_pane() {
    let ask = entry(
        "panes",
        "id = 'ask'\ntitle = 'Ask'\nplacement = 'popup'\nwidth = '50%'",
        "{ stty size; echo pane=$HERDR_PANE_ID. workspace=$HERDR_WORKSPACE_ID; } >said; \
         herdr workspace list >>said; mv said told; exec sleep 1000",
    );
    let brief = entry(
        "panes",
        "id = 'brief'\ntitle = 'Brief'\nplacement = 'popup'",
        "true",
    );
    let daemon = started(&[ask, brief].concat());
    let open = |id: &str| json!({ "plugin_id": "example.smoke", "entrypoint": id });
    daemon.refuses(
        "popup.close",
        json!({}),
        "popup_not_open",
        "no popup is open",
    );
    assert_eq!(
        daemon.result("plugin.pane.open", open("ask")),
        json!({ "type": "ok" })
    );
    let (code, message) = daemon.refusal("plugin.pane.open", open("ask"));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("plugin_pane_open_failed", "popup already open")
    );
    let told = daemon.home.path("home").join("example.smoke/told");
    let told = until("what the popup says", || {
        std::fs::read_to_string(&told).ok()
    });
    let mut lines = told.lines();
    let size = lines
        .next()
        .expect("a size")
        .split_once(' ')
        .expect("two numbers");
    assert!(
        size.0.parse::<u16>().is_ok() && size.1.parse::<u16>().is_ok(),
        "{told}"
    );
    assert_eq!(lines.next(), Some("pane=. workspace=w1"));
    assert!(told.contains("workspace_list"), "{told}");
    assert_eq!(panes(&daemon), ["w1:p1"]);
    daemon.result("popup.close", json!({}));
    // The next pane's number is the next one: the popup took none.
    let split = daemon.result("pane.split", json!({ "direction": "right" }));
    assert_eq!(split["pane"]["pane_id"], "w1:p2");
    // One that ends by itself makes room.
    daemon.result("plugin.pane.open", open("brief"));
    until_true("room for another popup", || {
        daemon.rpc("plugin.pane.open", open("ask"))["result"]["type"] == "ok"
    });
    let worker = daemon.home.path("home").join("example.smoke/told");
    until_true("the second popup", || worker.exists());
}

#[test]
fn a_view_is_its_plugins_as_long_as_that_may_run() {
    let daemon = started(&action("a", "true"));
    let view = json!({ "source": "plugin:example.smoke", "label": "mine" });
    daemon.result("agent.view.set", view.clone());
    daemon.result("plugin.disable", json!({ "plugin_id": "example.smoke" }));
    daemon.refuses(
        "agent.view.set",
        view,
        "plugin_disabled",
        "plugin example.smoke is disabled",
    );
    let cleared = daemon.result("agent.view.clear", json!({ "source": "other" }));
    assert_eq!(cleared["active"], false, "disabling took it away");
}

/// A git that has a repository of this machine in the place of one on GitHub.
fn github(home: &Home, repository: &Path) -> PathBuf {
    let file = home.path("home").join(".gitconfig");
    let text = format!(
        "[url \"file://{}\"]\n\tinsteadOf = https://github.com/someone/tools.git\n\
         [user]\n\tname = t\n\temail = t@example.com\n[init]\n\tdefaultBranch = main\n",
        repository.display()
    );
    std::fs::write(&file, text).expect("a file");
    file
}

fn git(home: &Home, directory: &Path, words: &str) -> String {
    let mut command = home.command(Path::new("/usr/bin/git"));
    let end = run(command.current_dir(directory).args(words.split(' ')));
    assert_eq!(end.code, Some(0), "git {words}: {}", end.stderr);
    end.stdout
}

#[test]
fn a_plugin_is_fetched_shown_built_and_let_in_and_leaves_no_trace_when_that_fails() {
    let home = Home::new();
    let source = home.path("home").join("source");
    std::fs::create_dir_all(source.join("diary")).expect("a directory");
    let manifest = |build: &str| {
        let text = format!(
            "id = 'example.tool'\n{HEAD}{}{}",
            entry("build", "", build),
            action("a", "cat built")
        );
        std::fs::write(source.join("diary/herdr-plugin.toml"), text).expect("a file");
        git(&home, &source, "add .");
        git(&home, &source, "commit --quiet -m manifest");
    };
    github(&home, &source);
    git(&home, &source, "init --quiet");
    manifest("echo one >built; test -z \"$HERDR_SOCKET_PATH$HERDR_PLUGIN_ID\"");
    let daemon = Setup::at(home.clone()).start();
    let herdr = |words: &[&str]| home.herdr(words);
    let from = "someone/tools/diary";
    let asked = herdr(&["plugin", "install", from]);
    assert_eq!(
        asked.code,
        Some(2),
        "nobody is there to be asked: {asked:?}"
    );
    for bad in ["https://github.com/a/b", "git@host:a", "a", "a/b/../c"] {
        assert_eq!(
            herdr(&["plugin", "install", bad, "--yes"]).code,
            Some(2),
            "{bad}"
        );
    }
    let done = herdr(&["plugin", "install", "--yes", from]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let config = home.path("config/drover/plugins/config/example.tool");
    let said = format!(
        "Installed example.tool from {from}.\nConfig: {}\n",
        config.display()
    );
    assert_eq!(done.stdout, said);
    assert!(
        done.stderr
            .contains("to build it, now: /bin/sh -c echo one >built"),
        "{done:?}"
    );
    let listed = daemon.result("plugin.list", json!({}))["plugins"][0].clone();
    assert_eq!(listed["source"]["owner"], "someone");
    let commit = git(&home, &source, "rev-parse HEAD");
    assert_eq!(listed["source"]["resolved_commit"], commit.trim());
    invoke(&daemon, "example.tool.a");
    assert_eq!(ended(&daemon, 1)[0]["stdout"], "one\n");
    // A build that fails leaves the one before.
    manifest("echo two >built; exit 3");
    let failed = herdr(&["plugin", "install", "--yes", from]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stderr.contains("build command failed"), "{failed:?}");
    let checkouts = home.path("config/drover/plugins/github");
    let folders = || {
        let entries = std::fs::read_dir(&checkouts).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names.filter(|name| name != ".lock").count()
    };
    assert_eq!(folders(), 1);
    invoke(&daemon, "example.tool.a");
    assert_eq!(ended(&daemon, 2)[1]["stdout"], "one\n");
    let missing = herdr(&["plugin", "install", "--yes", from, "--ref", "nosuch"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(
        missing.stderr.contains("fetching someone/tools/diary"),
        "{missing:?}"
    );
    // One that is linked from elsewhere is not replaced.
    let gone = herdr(&["plugin", "uninstall", from]);
    assert_eq!(
        (gone.code, gone.stdout.as_str()),
        (Some(0), "Uninstalled example.tool.\n")
    );
    assert_eq!(folders(), 0);
    let own = plugin(&home, "example.tool", "");
    daemon.result("plugin.link", json!({ "path": own }));
    let refused = herdr(&["plugin", "install", "--yes", from]);
    assert!(
        refused.stderr.contains("is already linked from"),
        "{refused:?}"
    );
    assert_eq!((refused.code, folders()), (Some(1), 0));
    let kept = herdr(&["plugin", "uninstall", "example.tool"]);
    assert_eq!(kept.code, Some(0));
    assert!(
        own.join("herdr-plugin.toml").exists(),
        "what was not fetched is not deleted"
    );
    let none = herdr(&["plugin", "uninstall", "example.tool"]);
    assert_eq!(
        (none.code, none.stderr.as_str()),
        (Some(1), "plugin not installed: example.tool\n")
    );
}

#[test]
fn the_example_does_what_it_says() {
    let daemon = Daemon::start();
    let copy = daemon.home.path("home").join("diary");
    std::fs::create_dir(&copy).expect("a directory");
    for name in ["herdr-plugin.toml", "diary"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("examples/plugin")
            .join(name);
        std::fs::copy(from, copy.join(name)).expect("a copy");
    }
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(copy.join("diary"), executable).expect("permissions");
    daemon.result("workspace.create", json!({ "focus": true }));
    let linked = daemon.result("plugin.link", json!({ "path": copy }));
    assert_eq!(linked["plugin"].get("warnings"), None, "{linked}");
    daemon.result(
        "pane.report_agent",
        json!({ "pane_id": "w1:p1", "source": "me", "agent": "my-agent", "state": "blocked" }),
    );
    let log = ended(&daemon, 1).remove(0);
    assert_eq!(log["status"], "succeeded", "{log}");
    assert_eq!(log["event"], "pane.agent_status_changed");
    invoke(&daemon, "show");
    let shown = ended(&daemon, 2).remove(1);
    let text = shown["stdout"].as_str().expect("text");
    assert!(text.ends_with("w1:p1 waits\n"), "{log} {shown}");
    // A click on a link goes to the plugin that handles it.
    let link = "printf 'https://diary.example/1\\n'\n";
    daemon.result(
        "pane.send_text",
        json!({ "pane_id": "w1:p1", "text": link }),
    );
    let row = until("a link", || {
        let read = daemon.result(
            "pane.read",
            json!({ "pane_id": "w1:p1", "source": "visible" }),
        );
        let text = read["read"]["text"].as_str().expect("text").to_owned();
        text.lines()
            .position(|line| line.starts_with("https://diary"))
    });
    let params = json!({ "pane_id": "w1:p1", "viewport_row": row, "col": 2 });
    let clicked = daemon.result("pane.link.activate", params);
    assert_eq!(clicked["handled"], true, "{clicked}");
    assert_eq!(ended(&daemon, 3)[2]["action_id"], "note-link");
    let open = json!({ "plugin_id": "drover.diary", "entrypoint": "diary" });
    let pane = daemon.result("plugin.pane.open", open)["plugin_pane"]["pane"]["pane_id"].clone();
    daemon.result(
        "pane.wait_for_output",
        json!({ "pane_id": pane, "source": "visible", "timeout_ms": 30_000,
            "match": { "type": "substring", "value": "https://diary.example/1" } }),
    );
    let logs = daemon.result(
        "plugin.log.list",
        json!({ "plugin_id": "drover.diary", "limit": 1 }),
    );
    assert_eq!(logs["logs"].as_array().map(Vec::len), Some(1));
}
