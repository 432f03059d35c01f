//! What agents report about themselves, and what is made of it.

use serde_json::{Value, json};

use super::common::{Daemon, Stream, names};

fn report(daemon: &Daemon, pane: &str, state: &str, rest: Value) -> Value {
    let mut params = json!({ "pane_id": pane, "source": "bot", "agent": "bot", "state": state });
    for (name, value) in rest.as_object().expect("an object") {
        params[name.as_str()] = value.clone();
    }
    daemon.rpc("pane.report_agent", params)
}

fn status(daemon: &Daemon, pane: &str) -> String {
    daemon.pane(pane)["agent_status"]
        .as_str()
        .expect("text")
        .to_owned()
}

/// Name and status of each event, as far as it has one.
fn told(events: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    events
        .iter()
        .map(|event| (text(&event["event"]), text(&event["data"]["agent_status"])))
        .collect()
}

fn everything(daemon: &Daemon, pane: &str) -> Stream {
    daemon.subscribe_to_everything(&[pane])
}

#[test]
fn crush_reports_a_session_from_start_to_end() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let mut stream = everything(&daemon, &pane);
    let start = 1_790_000_000_000_000_000_u64;
    let lines = [
        (
            "init",
            "pane.report_agent",
            json!({ "state": "idle", "agent_session_id": "" }),
        ),
        (
            "report",
            "pane.report_agent",
            json!({ "state": "working", "agent_session_id": "s-1" }),
        ),
        (
            "report",
            "pane.report_agent",
            json!({ "state": "blocked", "agent_session_id": "s-1" }),
        ),
        (
            "report",
            "pane.report_agent",
            json!({ "state": "idle", "agent_session_id": "s-1" }),
        ),
        (
            "release",
            "pane.release_agent",
            json!({ "state": "", "agent_session_id": "s-1" }),
        ),
    ];
    for (seq, (verb, method, rest)) in (start..).zip(lines) {
        let id = format!("crush:{verb}:{seq}");
        let mut params =
            json!({ "pane_id": pane, "source": "crush", "agent": "crush", "seq": seq });
        for (name, value) in rest.as_object().expect("an object") {
            params[name.as_str()] = value.clone();
        }
        let request = json!({ "id": id, "method": method, "params": params });
        let answer = daemon.raw(format!("{request}\n").as_bytes());
        let answer: Value = serde_json::from_slice(&answer).expect("one line, then the end");
        assert_eq!(answer, json!({ "id": id, "result": { "type": "ok" } }));
    }
    let events = stream.so_far(&daemon);
    let status = |status: &str| ("pane.agent_status_changed".to_owned(), status.to_owned());
    let detected = ("pane_agent_detected".to_owned(), String::new());
    let expected = [
        detected.clone(),
        status("idle"),
        status("working"),
        status("blocked"),
        status("idle"),
        detected,
        status("unknown"),
    ];
    assert_eq!(told(&events), expected);
    let released = &events[5]["data"];
    assert_eq!(released["agent"], "crush");
    assert_eq!(released["released"], true);
    assert_eq!(released["final_status"], "unknown");
    assert!(events[0]["data"].get("released").is_none());
    assert!(daemon.pane(&pane).get("agent").is_none());
    assert_eq!(daemon.result("agent.list", json!({}))["agents"], json!([]));
}

#[test]
fn a_report_that_is_not_newer_changes_nothing() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let ok = |answer: Value| assert_eq!(answer["result"], json!({ "type": "ok" }));
    ok(report(&daemon, &pane, "working", json!({})));
    assert_eq!(status(&daemon, &pane), "working", "no number, none before");
    ok(report(&daemon, &pane, "blocked", json!({ "seq": 5 })));
    assert_eq!(status(&daemon, &pane), "blocked");
    let mut stream = everything(&daemon, &pane);
    for rest in [json!({ "seq": 5 }), json!({ "seq": 4 }), json!({})] {
        ok(report(&daemon, &pane, "working", rest));
        assert_eq!(status(&daemon, &pane), "blocked");
    }
    ok(daemon.rpc(
        "pane.clear_agent_authority",
        json!({ "pane_id": pane, "source": "bot" }),
    ));
    ok(daemon.rpc(
        "pane.release_agent",
        json!({ "pane_id": pane, "source": "bot", "agent": "bot", "seq": 5 }),
    ));
    assert_eq!(
        status(&daemon, &pane),
        "blocked",
        "neither cleared nor released"
    );
    ok(report(&daemon, &pane, "blocked", json!({ "seq": 6 })));
    assert_eq!(
        names(&stream.so_far(&daemon)),
        Vec::<&str>::new(),
        "the same again is no news"
    );
    // Every pane and every source has its own.
    let other = daemon.busy(daemon.split(&pane));
    ok(report(&daemon, &other, "working", json!({ "seq": 1 })));
    assert_eq!(status(&daemon, &other), "working");
    ok(report(
        &daemon,
        &pane,
        "working",
        json!({ "source": "else", "agent": "else", "seq": 1 }),
    ));
    assert_eq!(daemon.pane(&pane)["agent"], "else");
    ok(daemon.rpc(
        "pane.clear_agent_authority",
        json!({ "pane_id": pane, "source": "else", "seq": 2 }),
    ));
    assert!(daemon.pane(&pane).get("agent").is_none());
    ok(report(
        &daemon,
        &pane,
        "working",
        json!({ "seq": u64::MAX }),
    ));
    assert_eq!(status(&daemon, &pane), "working");
}

#[test]
fn who_is_not_the_reporter_releases_nothing() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    report(&daemon, &pane, "working", json!({}));
    for (source, agent) in [("other", "bot"), ("bot", "other")] {
        daemon.result(
            "pane.release_agent",
            json!({ "pane_id": pane, "source": source, "agent": agent }),
        );
        assert_eq!(daemon.pane(&pane)["agent"], "bot");
    }
    daemon.result(
        "pane.clear_agent_authority",
        json!({ "pane_id": pane, "source": "other" }),
    );
    assert_eq!(daemon.pane(&pane)["agent"], "bot");
    daemon.result("pane.clear_agent_authority", json!({ "pane_id": pane }));
    assert!(daemon.pane(&pane).get("agent").is_none());
}

#[test]
fn what_ends_unseen_is_done_until_somebody_looks() {
    let daemon = Daemon::start();
    let seen = daemon.busy(daemon.workspace());
    let unseen = daemon.busy(daemon.tab());
    for pane in [&seen, &unseen] {
        report(&daemon, pane, "working", json!({}));
        report(&daemon, pane, "idle", json!({}));
    }
    assert_eq!(status(&daemon, &seen), "idle");
    assert_eq!(status(&daemon, &unseen), "done");
    let roll_up = |method: &str, params: Value, member: &str| {
        daemon.result(method, params)[member]["agent_status"].clone()
    };
    assert_eq!(
        roll_up("tab.get", json!({ "tab_id": "w1:t2" }), "tab"),
        "done"
    );
    report(&daemon, &seen, "working", json!({}));
    let workspace = || {
        roll_up(
            "workspace.get",
            json!({ "workspace_id": "w1" }),
            "workspace",
        )
    };
    assert_eq!(workspace(), "done", "which counts for more than working");
    let mut stream = daemon.subscribe(json!([
        { "type": "pane.agent_status_changed", "pane_id": unseen }, { "type": "pane.focused" },
    ]));
    daemon.result(
        "pane.read",
        json!({ "pane_id": unseen, "source": "recent" }),
    );
    assert_eq!(status(&daemon, &unseen), "done", "reading is not looking");
    let focused = daemon.result("agent.focus", json!({ "target": unseen }));
    assert_eq!(focused["agent"]["agent_status"], "idle");
    let events = stream.take(2);
    assert_eq!(
        names(&events),
        ["pane.agent_status_changed", "pane_focused"]
    );
    assert_eq!(events[0]["data"]["agent_status"], "idle");
    report(&daemon, &seen, "blocked", json!({}));
    assert_eq!(workspace(), "blocked");
}

#[test]
fn looking_by_workspace_tab_or_pane_counts_the_same() {
    for (method, params) in [
        ("workspace.focus", json!({ "workspace_id": "w2" })),
        ("tab.focus", json!({ "tab_id": "w2:t1" })),
        ("pane.focus", json!({ "pane_id": "w2:p1" })),
    ] {
        let daemon = Daemon::start();
        daemon.workspace();
        let pane = daemon.busy(daemon.workspace());
        report(&daemon, &pane, "working", json!({}));
        report(&daemon, &pane, "idle", json!({}));
        assert_eq!(status(&daemon, &pane), "done");
        daemon.result(method, params);
        assert_eq!(status(&daemon, &pane), "idle", "{method}");
    }
}

#[test]
fn changes_are_counted_over_all_panes() {
    let daemon = Daemon::start();
    let one = daemon.busy(daemon.workspace());
    let two = daemon.busy(daemon.split(&one));
    let agent = |pane: &str| daemon.result("agent.get", json!({ "target": pane }))["agent"].clone();
    report(&daemon, &one, "working", json!({}));
    report(&daemon, &two, "working", json!({}));
    assert_eq!(agent(&one)["state_change_seq"], 1);
    assert_eq!(agent(&two)["state_change_seq"], 2);
    assert!(agent(&one).get("completion_seq").is_none());
    report(&daemon, &one, "working", json!({}));
    report(&daemon, &one, "idle", json!({}));
    assert_eq!(agent(&one)["state_change_seq"], 3);
    assert_eq!(agent(&one)["completion_seq"], 3);
    report(&daemon, &one, "blocked", json!({}));
    assert!(agent(&one).get("completion_seq").is_none());
}

#[test]
fn labels_are_trimmed_and_known_by_their_own_name() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    for (label, shown) in [
        ("  my bot ", "my bot"),
        ("Claude-Code", "claude"),
        ("github-copilot", "copilot"),
    ] {
        report(&daemon, &pane, "working", json!({ "agent": label }));
        assert_eq!(daemon.pane(&pane)["agent"], shown);
    }
    let empty = "agent label must not be empty";
    for label in ["", "  "] {
        let params = json!({ "pane_id": pane, "source": "s", "agent": label, "state": "idle" });
        daemon.refuses("pane.report_agent", params.clone(), "invalid_agent", empty);
        daemon.refuses("pane.release_agent", params.clone(), "invalid_agent", empty);
        daemon.refuses(
            "pane.report_agent_session",
            params.clone(),
            "invalid_agent",
            empty,
        );
        daemon.refuses("pane.report_metadata", params, "invalid_agent", empty);
    }
    for method in [
        "pane.report_agent",
        "pane.release_agent",
        "pane.report_agent_session",
        "pane.report_metadata",
        "pane.clear_agent_authority",
    ] {
        let params = json!({ "pane_id": "w9:p9", "source": "s", "agent": "a", "state": "idle" });
        daemon.refuses(method, params, "pane_not_found", "pane w9:p9 not found");
    }
}

#[test]
fn what_a_blocked_agent_wants_is_told_from_its_message() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    for (agent, message, kind) in [
        ("bot", "Permission: bash - ls", json!("approval")),
        ("bot", "Which one?", json!("question")),
        ("bot", "", Value::Null),
        ("crush", "", json!("approval")),
        ("crush", "Re-authentication required: x", json!("question")),
    ] {
        report(
            &daemon,
            &pane,
            "blocked",
            json!({ "agent": agent, "message": message }),
        );
        assert_eq!(
            daemon.pane(&pane)["blocked_kind"],
            kind,
            "{agent}: {message}"
        );
    }
    report(
        &daemon,
        &pane,
        "working",
        json!({ "message": "Permission" }),
    );
    assert!(daemon.pane(&pane).get("blocked_kind").is_none());
}

#[test]
fn sessions_are_kept_for_official_reporters_only() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let session = |source: &str, agent: &str, rest: Value| {
        let mut params = json!({ "pane_id": pane, "source": source, "agent": agent });
        for (name, value) in rest.as_object().expect("an object") {
            params[name.as_str()] = value.clone();
        }
        daemon.result("pane.report_agent_session", params);
        daemon.pane(&pane).get("agent_session").cloned()
    };
    assert_eq!(
        session("bot", "bot", json!({ "agent_session_id": "x" })),
        None
    );
    assert_eq!(session("herdr:claude", "claude", json!({})), None);
    let stored = session(
        "herdr:claude",
        "claude",
        json!({ "agent_session_id": "one", "seq": 1 }),
    );
    let expected =
        json!({ "source": "herdr:claude", "agent": "claude", "kind": "id", "value": "one" });
    assert_eq!(stored, Some(expected.clone()));
    assert!(
        daemon.pane(&pane).get("agent").is_none(),
        "a session is no agent"
    );
    let other = json!({ "agent_session_id": "two", "seq": 2 });
    assert_eq!(
        session("herdr:claude", "claude", other),
        Some(expected),
        "not without a reason"
    );
    let reason = json!({ "agent_session_id": "two", "seq": 3, "session_start_source": "clear" });
    let stored = session("herdr:claude", "claude", reason).expect("a session");
    assert_eq!(stored["value"], "two");
}

#[test]
fn a_command_to_resume_with_is_checked_and_needs_the_pane() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let refused = |argv: Value, message: &str| {
        let params = json!({
            "pane_id": pane, "source": "bot", "agent": "bot", "state": "working", "resume_argv": argv,
        });
        daemon.refuses("pane.report_agent", params, "invalid_resume_argv", message);
        assert!(
            daemon.pane(&pane).get("agent").is_none(),
            "nothing of it is applied"
        );
    };
    let not_plain = "resume_argv must start with a plain command name, not a path";
    refused(json!([]), "resume_argv must not be empty");
    refused(
        json!(vec!["a"; 65]),
        "resume_argv allows at most 64 arguments",
    );
    refused(
        json!(["a", "x".repeat(8192)]),
        "resume_argv allows at most 8192 bytes",
    );
    refused(
        json!(["a", "b\n"]),
        "resume_argv must not contain control characters",
    );
    refused(
        json!(["a", "it's"]),
        "resume_argv must not contain apostrophes",
    );
    for first in ["/bin/a", "./a", "-a", "", "a b", "a;b"] {
        refused(json!([first]), not_plain);
    }
    let good = json!({ "resume_argv": ["bot", "--resume", "s 1"] });
    assert_eq!(
        report(&daemon, &pane, "working", good)["result"]["type"],
        "ok"
    );
    let params =
        json!({ "pane_id": pane, "source": "other", "agent": "other", "resume_argv": ["other"] });
    daemon.refuses(
        "pane.report_agent_session",
        params,
        "resume_not_accepted",
        "resume_argv requires the reporter to hold the pane; report its state with pane.report_agent first",
    );
    let stale = json!({ "seq": 1, "resume_argv": ["bot"] });
    report(&daemon, &pane, "working", json!({ "seq": 2 }));
    assert_eq!(
        report(&daemon, &pane, "idle", stale)["result"]["type"],
        "ok"
    );
    assert_eq!(status(&daemon, &pane), "working");
}

fn metadata(daemon: &Daemon, pane: &str, params: Value) {
    let mut whole = json!({ "pane_id": pane, "source": "s" });
    for (name, value) in params.as_object().expect("an object") {
        whole[name.as_str()] = value.clone();
    }
    daemon.result("pane.report_metadata", whole);
}

/// What a pane shows, of these members.
fn shown(daemon: &Daemon, pane: &str) -> Value {
    let record = daemon.pane(pane);
    let members = ["title", "display_agent", "state_labels", "tokens"];
    members
        .iter()
        .filter_map(|name| Some((name.to_string(), record.get(*name)?.clone())))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[test]
fn metadata_replaces_its_sources_record_unless_it_clears_some() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    metadata(
        &daemon,
        &pane,
        json!({ "title": " One\u{7} ", "state_labels": { "Idle": "zzz" } }),
    );
    assert_eq!(
        shown(&daemon, &pane),
        json!({ "title": "One", "state_labels": { "idle": "zzz" } })
    );
    metadata(&daemon, &pane, json!({ "display_agent": "Bot" }));
    assert_eq!(
        shown(&daemon, &pane),
        json!({ "display_agent": "Bot" }),
        "replaced"
    );
    metadata(
        &daemon,
        &pane,
        json!({ "title": "x".repeat(100), "clear_state_labels": true }),
    );
    assert_eq!(
        shown(&daemon, &pane),
        json!({ "display_agent": "Bot", "title": "x".repeat(80) }),
        "edited"
    );
    metadata(&daemon, &pane, json!({ "clear_title": true }));
    assert_eq!(shown(&daemon, &pane), json!({ "display_agent": "Bot" }));
    metadata(
        &daemon,
        &pane,
        json!({ "source": "t", "display_agent": "Newer", "title": "T" }),
    );
    assert_eq!(
        shown(&daemon, &pane),
        json!({ "display_agent": "Newer", "title": "T" }),
        "the newest"
    );
    metadata(
        &daemon,
        &pane,
        json!({ "source": "t", "clear_display_agent": true }),
    );
    assert_eq!(
        shown(&daemon, &pane),
        json!({ "display_agent": "Bot", "title": "T" })
    );
}

#[test]
fn metadata_may_be_meant_for_one_agent_only() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    metadata(
        &daemon,
        &pane,
        json!({ "title": "For bot", "agent": "bot" }),
    );
    assert_eq!(shown(&daemon, &pane), json!({}));
    report(&daemon, &pane, "working", json!({}));
    assert_eq!(shown(&daemon, &pane), json!({ "title": "For bot" }));
    metadata(
        &daemon,
        &pane,
        json!({ "title": "For else", "applies_to_source": "else" }),
    );
    assert_eq!(shown(&daemon, &pane), json!({}));
    report(
        &daemon,
        &pane,
        "working",
        json!({ "source": "else", "agent": "else" }),
    );
    assert_eq!(shown(&daemon, &pane), json!({ "title": "For else" }));
}

#[test]
fn tokens_are_set_and_deleted_key_by_key() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let revision = || daemon.pane(&pane)["revision"].as_u64().expect("a number");
    let start = revision();
    metadata(
        &daemon,
        &pane,
        json!({ "tokens": { "a": " 1 ", "b": "2" } }),
    );
    assert_eq!(
        shown(&daemon, &pane),
        json!({ "tokens": { "a": "1", "b": "2" } })
    );
    assert_eq!(revision(), start + 1);
    metadata(
        &daemon,
        &pane,
        json!({ "source": "t", "tokens": { "a": null, "c": "3" } }),
    );
    metadata(&daemon, &pane, json!({ "tokens": { "c": "", "d": "4" } }));
    assert_eq!(
        shown(&daemon, &pane),
        json!({ "tokens": { "b": "2", "d": "4" } })
    );
    let before = revision();
    metadata(&daemon, &pane, json!({ "tokens": { "b": "2" } }));
    assert_eq!(revision(), before, "the same again is no change");
}

#[test]
fn metadata_expires_and_that_is_told() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let mut stream = everything(&daemon, &pane);
    metadata(
        &daemon,
        &pane,
        json!({ "title": "T", "tokens": { "k": "v" }, "ttl_ms": 30 }),
    );
    let events = stream.take(4);
    let titles: Vec<_> = events
        .iter()
        .filter(|event| event["event"] == "pane.agent_status_changed")
        .collect();
    assert_eq!(titles[0]["data"]["title"], "T");
    assert!(titles[1]["data"].get("title").is_none(), "{events:?}");
    let panes: Vec<_> = events
        .iter()
        .filter(|event| event["event"] == "pane_updated")
        .collect();
    assert_eq!(panes[0]["data"]["pane"]["tokens"], json!({ "k": "v" }));
    assert!(
        panes[1]["data"]["pane"].get("tokens").is_none(),
        "{events:?}"
    );
    assert_eq!(shown(&daemon, &pane), json!({}));
    metadata(
        &daemon,
        &pane,
        json!({ "title": "Stays", "ttl_ms": 86_400_000 }),
    );
    assert_eq!(shown(&daemon, &pane), json!({ "title": "Stays" }));
}

#[test]
fn metadata_has_numbers_of_its_own() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    report(
        &daemon,
        &pane,
        "working",
        json!({ "source": "s", "seq": 10 }),
    );
    metadata(&daemon, &pane, json!({ "title": "1", "seq": 1 }));
    metadata(&daemon, &pane, json!({ "title": "stale", "seq": 1 }));
    assert_eq!(shown(&daemon, &pane), json!({ "title": "1" }));
    metadata(&daemon, &pane, json!({ "title": "without" }));
    assert_eq!(shown(&daemon, &pane), json!({ "title": "without" }));
}

#[test]
fn metadata_is_checked_before_anything_is_taken() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let many: serde_json::Map<_, _> = (0..17).map(|n| (format!("k{n}"), json!("v"))).collect();
    for (params, code, message) in [
        (
            json!({ "source": " ", "title": "x" }),
            "invalid_metadata_source",
            "metadata source must not be empty",
        ),
        (
            json!({ "source": "x".repeat(81), "title": "x" }),
            "invalid_metadata_source",
            "metadata source must be 80 characters or fewer",
        ),
        (
            json!({ "source": "a b", "title": "x" }),
            "invalid_metadata_source",
            "metadata source may contain only ASCII letters, digits, colon, dot, underscore, and hyphen",
        ),
        (
            json!({ "tokens": { "a b": "x" } }),
            "invalid_metadata_token",
            "invalid metadata token key: a b",
        ),
        (
            json!({ "tokens": many }),
            "invalid_metadata_token",
            "a metadata report may update at most 16 tokens",
        ),
        (
            json!({ "title": "x", "ttl_ms": 0 }),
            "invalid_metadata_ttl",
            "metadata ttl_ms must be at least 1",
        ),
        (
            json!({ "title": "x", "ttl_ms": 86_400_001 }),
            "invalid_metadata_ttl",
            "metadata ttl_ms must be 86400000 or less",
        ),
        (
            json!({ "state_labels": { "busy": "x" } }),
            "invalid_state_label",
            "unknown state label: busy",
        ),
        (
            json!({ "title": "x", "clear_title": true }),
            "invalid_metadata_request",
            "cannot set and clear the same metadata field",
        ),
        (
            json!({}),
            "invalid_metadata_request",
            "missing metadata field to set or clear",
        ),
        (
            json!({ "title": " " }),
            "invalid_metadata_request",
            "missing metadata field to set or clear",
        ),
    ] {
        let mut whole = json!({ "pane_id": pane, "source": "s" });
        for (name, value) in params.as_object().expect("an object") {
            whole[name.as_str()] = value.clone();
        }
        daemon.refuses("pane.report_metadata", whole, code, message);
    }
    for part in 0..2 {
        let tokens: serde_json::Map<_, _> = (0..16)
            .map(|n| (format!("k{}", part * 16 + n), json!("v")))
            .collect();
        metadata(&daemon, &pane, json!({ "tokens": tokens }));
    }
    let over = json!({ "pane_id": pane, "source": "s", "tokens": { "one": "more" } });
    assert_eq!(
        daemon.refusal("pane.report_metadata", over).0,
        "metadata_token_limit"
    );
}

#[test]
fn a_workspace_carries_tokens_of_its_own() {
    let daemon = Daemon::start();
    daemon.workspace();
    let mut stream = daemon.subscribe_to_everything(&[]);
    let report = |rest: Value| {
        let mut params = json!({ "workspace_id": "w1", "source": "ci" });
        for (name, value) in rest.as_object().expect("an object") {
            params[name.as_str()] = value.clone();
        }
        daemon.rpc("workspace.report_metadata", params)
    };
    let tokens = || {
        let info = daemon.result("workspace.get", json!({ "workspace_id": "w1" }));
        info["workspace"].get("tokens").cloned()
    };
    for params in [
        json!({ "tokens": { "phase": " plan\u{7} ", "gone": "x" }, "seq": 1 }),
        json!({ "tokens": { "gone": null }, "seq": 2 }),
        json!({ "tokens": { "phase": "stale" }, "seq": 2 }),
        json!({ "tokens": { "phase": "plan" } }),
    ] {
        assert_eq!(report(params)["result"], json!({ "type": "ok" }));
    }
    assert_eq!(tokens(), Some(json!({ "phase": "plan" })));
    let events = stream.so_far(&daemon);
    assert_eq!(
        names(&events),
        ["workspace_metadata_updated"; 2],
        "what changed nothing is no news"
    );
    assert_eq!(
        events[1]["data"]["workspace"]["tokens"],
        json!({ "phase": "plan" })
    );
    report(json!({ "tokens": { "phase": "brief" }, "ttl_ms": 30 }));
    let events = stream.take(2);
    assert_eq!(names(&events), ["workspace_metadata_updated"; 2]);
    assert!(events[1]["data"]["workspace"].get("tokens").is_none());
    assert_eq!(tokens(), None);
    for (params, code, message) in [
        (
            json!({ "tokens": {} }),
            "invalid_metadata_token",
            "missing token to set or clear",
        ),
        (
            json!({ "tokens": { "a b": "x" } }),
            "invalid_metadata_token",
            "invalid metadata token key: a b",
        ),
        (
            json!({ "tokens": { "a": "x" }, "ttl_ms": 0 }),
            "invalid_metadata_ttl",
            "metadata ttl_ms must be at least 1",
        ),
        (
            json!({ "tokens": { "a": "x" }, "source": "" }),
            "invalid_metadata_source",
            "metadata source must not be empty",
        ),
        (
            json!({ "tokens": { "a": "x" }, "workspace_id": "w9" }),
            "workspace_not_found",
            "workspace w9 not found",
        ),
    ] {
        let error = report(params.clone())["error"].clone();
        assert_eq!(
            error,
            json!({ "code": code, "message": message }),
            "{params}"
        );
    }
}
