//! What clients in the wild trip over: each of these broke somebody's program against some server.

use serde_json::{Value, json};

use super::common::{Daemon, EVERYTHING, Setup};

/// Every member of every object within.
fn members<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a str, &'a Value)) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                visit(name, value);
                members(value, visit);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| members(value, visit)),
        _ => {}
    }
}

#[test]
fn what_is_not_there_is_left_out_and_never_null() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut stream = daemon.subscribe_to_everything(&[&pane]);
    let report = json!({ "pane_id": pane, "source": "s", "agent": "a", "state": "working" });
    daemon.result("pane.report_agent", report);
    daemon.result("pane.rename", json!({ "pane_id": pane, "label": "x" }));
    let cleared = daemon.result("pane.rename", json!({ "pane_id": pane, "label": null }));
    assert!(cleared["pane"].get("label").is_none(), "{cleared}");
    daemon.tab();
    daemon.split(&pane);
    let mut answers: Vec<_> = [
        "ping",
        "session.snapshot",
        "workspace.list",
        "tab.list",
        "pane.list",
        "agent.list",
        "pane.process_info",
        "pane.layout",
        "pane.current",
    ]
    .map(|method| daemon.result(method, json!({})))
    .into();
    answers.extend(stream.so_far(&daemon));
    for answer in &answers {
        members(answer, &mut |name, value| {
            assert!(!value.is_null(), "{name} is null in {answer}");
        });
    }
    let plain = &daemon.result("pane.list", json!({}))["panes"][1];
    for absent in [
        "label",
        "agent",
        "agent_session",
        "title",
        "display_agent",
        "state_labels",
        "tokens",
        "restore_error",
        "blocked_kind",
    ] {
        assert!(plain.get(absent).is_none(), "{absent} in {plain}");
    }
    let workspace = &daemon.result("workspace.list", json!({}))["workspaces"][0];
    assert!(workspace.get("worktree").is_none() && workspace.get("tokens").is_none());
}

#[test]
fn members_that_nobody_defined_are_passed_over() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let request = json!({
        "jsonrpc": "2.0", "id": "x", "trace": { "deep": [null] }, "method": "pane.get",
        "params": { "pane_id": pane, "nobody": null, "knows": [{}] },
    });
    let answer: Value =
        serde_json::from_slice(&daemon.raw(format!("{request}\n").as_bytes())).expect("JSON");
    assert_eq!(answer["result"]["pane"]["pane_id"], pane.as_str());
}

#[test]
fn a_refused_request_gets_its_id_back() {
    let daemon = Daemon::start();
    // `refusal` checks the id.
    for (method, params) in [
        ("pane.get", json!({ "pane_id": "w9:p9" })),
        ("pane.get", json!({})),
        ("no.such", json!({})),
        (
            "events.subscribe",
            json!({ "subscriptions": [{ "type": "pane.scroll_changed", "pane_id": "w9:p9" }] }),
        ),
        (
            "pane.wait_for_output",
            json!({ "pane_id": "w9:p9", "source": "recent", "match": { "type": "regex", "value": "(" } }),
        ),
        ("agent.wait", json!({ "target": "nobody" })),
    ] {
        daemon.refusal(method, params);
    }
}

#[test]
fn a_report_is_applied_before_it_is_answered() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    for (seq, state) in (1..).zip(["working", "blocked", "unknown", "working"]) {
        let report =
            json!({ "pane_id": pane, "source": "s", "agent": "a", "state": state, "seq": seq });
        assert_eq!(
            daemon.result("pane.report_agent", report),
            json!({ "type": "ok" })
        );
        assert_eq!(daemon.pane(&pane)["agent_status"], state);
    }
}

#[test]
fn version_and_protocol_are_the_same_everywhere() {
    let daemon = Daemon::start();
    let ping = daemon.result("ping", json!({}));
    let snapshot = daemon.result("session.snapshot", json!({}))["snapshot"].clone();
    let version = ping["version"].as_str().expect("text");
    assert!(version.starts_with("0.9.3"), "{version}");
    assert_eq!(ping["protocol"], 22);
    assert_eq!(snapshot["version"], version);
    assert_eq!(snapshot["protocol"], 22);
    let said = daemon.herdr(&["--version"]).stdout;
    assert_eq!(said, format!("herdr {version}\n"));
    let status = daemon.herdr(&["status", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
    for side in ["client", "server"] {
        assert_eq!(status[side]["version"], version, "{status}");
        assert_eq!(status[side]["protocol"], 22, "{status}");
    }
    assert_eq!(status["server"]["compatible"], true, "{status}");
    let capabilities = ping["capabilities"].as_object().expect("an object");
    for (name, value) in capabilities {
        let generation = name == "endpoint_protocol_generation" && *value == 1;
        assert!(generation || value.is_boolean(), "{name} is {value}");
    }
}

#[test]
fn an_empty_daemon_has_an_empty_snapshot() {
    let daemon = Daemon::start();
    let snapshot = daemon.result("session.snapshot", json!({}))["snapshot"].clone();
    for list in ["workspaces", "tabs", "panes", "layouts", "agents"] {
        assert_eq!(snapshot[list], json!([]), "{list}");
    }
    for focus in ["workspace", "tab", "pane"] {
        assert!(snapshot.get(format!("focused_{focus}_id")).is_none());
    }
    daemon.refuses(
        "tab.create",
        json!({}),
        "workspace_not_found",
        "no active workspace",
    );
    daemon.refuses(
        "pane.current",
        json!({}),
        "pane_not_found",
        "pane not found",
    );
}

#[test]
fn results_carry_the_type_that_clients_look_at() {
    let daemon = Daemon::start();
    let created = daemon.result("workspace.create", json!({}));
    assert_eq!(created["type"], "workspace_created");
    let pane = created["root_pane"]["pane_id"].as_str().expect("an id");
    let of_pane = json!({ "pane_id": pane });
    for (method, params, kind) in [
        ("ping", json!({}), "pong"),
        ("session.snapshot", json!({}), "session_snapshot"),
        ("workspace.list", json!({}), "workspace_list"),
        (
            "workspace.get",
            json!({ "workspace_id": "w1" }),
            "workspace_info",
        ),
        (
            "workspace.rename",
            json!({ "workspace_id": "w1", "label": "x" }),
            "workspace_info",
        ),
        ("tab.create", json!({}), "tab_created"),
        ("tab.list", json!({}), "tab_list"),
        ("tab.get", json!({ "tab_id": "w1:t1" }), "tab_info"),
        (
            "tab.rename",
            json!({ "tab_id": "w1:t1", "label": "x" }),
            "tab_info",
        ),
        (
            "tab.move",
            json!({ "tab_id": "w1:t1", "insert_index": 0 }),
            "tab_list",
        ),
        ("pane.split", json!({ "direction": "down" }), "pane_info"),
        ("pane.list", json!({}), "pane_list"),
        ("pane.get", of_pane.clone(), "pane_info"),
        ("pane.current", json!({}), "pane_current"),
        ("pane.rename", of_pane.clone(), "pane_info"),
        ("pane.layout", of_pane.clone(), "pane_layout"),
        ("pane.zoom", of_pane.clone(), "pane_zoom"),
        ("pane.process_info", of_pane.clone(), "pane_process_info"),
        (
            "pane.send_keys",
            json!({ "pane_id": pane, "keys": [] }),
            "ok",
        ),
        ("pane.send_input", of_pane.clone(), "ok"),
        (
            "pane.read",
            json!({ "pane_id": pane, "source": "visible" }),
            "pane_read",
        ),
        ("agent.list", json!({}), "agent_list"),
        (
            "notification.show",
            json!({ "title": "t" }),
            "notification_show",
        ),
        ("server.reload_config", json!({}), "config_reload"),
        ("pane.close", of_pane, "ok"),
        (
            "workspace.close",
            json!({ "workspace_id": "w1", "close_group": true }),
            "ok",
        ),
    ] {
        assert_eq!(daemon.result(method, params)["type"], kind, "{method}");
    }
}

#[test]
fn an_unknown_method_lists_the_known_ones() {
    let daemon = Daemon::start();
    let (code, message) = daemon.refusal("session.nope", json!({}));
    assert_eq!(code, "invalid_request");
    assert!(
        message.contains("unknown variant `session.nope`"),
        "{message}"
    );
    assert!(message.contains("`session.snapshot`"), "{message}");
}

#[test]
fn sources_are_snake_case_on_the_wire_and_kebab_case_in_words() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let read = |source: &str| daemon.rpc("pane.read", json!({ "pane_id": pane, "source": source }));
    assert_eq!(
        read("recent_unwrapped")["result"]["read"]["source"],
        "recent_unwrapped"
    );
    assert_eq!(read("recent-unwrapped")["error"]["code"], "invalid_request");
    let words = |source: &str| {
        daemon
            .herdr(&["pane", "read", &pane, "--source", source])
            .code
    };
    assert_eq!(words("recent-unwrapped"), Some(0));
    assert_eq!(words("recent_unwrapped"), Some(0), "which is taken as well");
    assert_eq!(words("recent_wrapped"), Some(2));
}

#[test]
fn empty_texts_and_null_tokens_are_taken() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let report = json!({
        "pane_id": pane, "source": "crush", "agent": "crush", "state": "working",
        "message": "", "agent_session_id": "", "seq": 1,
    });
    daemon.result("pane.report_agent", report);
    let metadata = json!({
        "pane_id": pane, "source": "crush", "tokens": { "session": null, "model": "m" }, "seq": 2,
    });
    daemon.result("pane.report_metadata", metadata);
    assert_eq!(daemon.pane(&pane)["tokens"], json!({ "model": "m" }));
    let release = json!({
        "pane_id": pane, "source": "crush", "agent": "crush", "state": "",
        "agent_session_id": "s", "seq": 3,
    });
    daemon.result("pane.release_agent", release);
    assert!(daemon.pane(&pane).get("agent").is_none());
    daemon.result("tab.rename", json!({ "tab_id": "w1:t1", "label": "" }));
    daemon.result(
        "workspace.create",
        json!({ "cwd": null, "label": null, "env": {} }),
    );
}

#[test]
fn a_subscription_that_cannot_begin_is_refused_and_not_acknowledged() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let output = |pane: &str, pattern: &str| {
        let matcher = json!({ "type": "regex", "value": pattern });
        json!({ "type": "pane.output_matched", "pane_id": pane, "source": "recent", "match": matcher })
    };
    for (entry, code) in [
        (json!({ "type": "no.such" }), "invalid_request"),
        (json!("pane.created"), "invalid_request"),
        (json!({ "type": "pane.scroll_changed" }), "invalid_request"),
        (
            json!({ "type": "pane.agent_status_changed", "pane_id": "w9:p9" }),
            "pane_not_found",
        ),
        (
            json!({ "type": "pane.scroll_changed", "pane_id": "w9:p9" }),
            "pane_not_found",
        ),
        (output("w9:p9", "x"), "pane_not_found"),
        (output(&pane, "("), "invalid_regex"),
    ] {
        let entries = json!([{ "type": "pane.created" }, entry]);
        let refusal = daemon.refusal("events.subscribe", json!({ "subscriptions": entries }));
        assert_eq!(refusal.0, code, "{entry}");
    }
    daemon.subscribe(json!([{ "type": "pane.created", "pane_id": "stray" }]));
}

#[test]
fn the_command_line_says_json_on_the_right_stream_with_the_right_code() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let end = daemon.herdr(&["pane", "list"]);
    assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)));
    let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(answer["id"], "cli:pane:list");
    assert_eq!(answer["result"]["panes"][0]["pane_id"], pane.as_str());

    let end = daemon.herdr(&["pane", "get", "w9:p9"]);
    assert_eq!((end.stdout.as_str(), end.code), ("", Some(1)));
    let answer: Value = serde_json::from_str(&end.stderr).expect("JSON");
    assert_eq!(answer["error"]["code"], "pane_not_found");

    let end = daemon.herdr(&["pane", "get"]);
    assert_eq!((end.stdout.as_str(), end.code), ("", Some(2)), "{end:?}");

    daemon.enter(&pane, "echo 'ra''w'");
    daemon.wait_for_line(&pane, "raw$");
    let end = daemon.herdr(&["pane", "read", &pane]);
    assert!(end.stdout.contains("raw\n"), "{end:?}");

    for (words, member) in [
        (["status", "--json"].as_slice(), "server"),
        (&["session", "list", "--json"], "sessions"),
    ] {
        let end = daemon.herdr(words);
        let bare: Value = serde_json::from_str(&end.stdout).expect("JSON");
        assert!(
            bare.get(member).is_some() && bare.get("result").is_none(),
            "{bare}"
        );
    }
}

#[test]
fn a_global_subscription_to_each_kind_is_taken() {
    let daemon = Setup::new()
        .config("limits.streams_per_process = 100\n")
        .start();
    for kind in EVERYTHING {
        drop(daemon.subscribe(json!([{ "type": kind }])));
    }
}
