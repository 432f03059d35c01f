//! What subscribers are told, in which order, and what they are not told.

use serde_json::{Value, json};

use super::common::{Daemon, Stream, names, until};

const FOCUS: [&str; 3] = ["workspace_focused", "tab_focused", "pane_focused"];

/// A daemon with two workspaces, the first with two tabs, the first of them with two panes; and
/// somebody who listens to everything.
fn scene() -> (Daemon, Stream) {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.workspace();
    assert_eq!(daemon.split("w1:p1"), "w1:p2");
    assert_eq!(daemon.tab(), "w1:p3");
    let stream = daemon.subscribe_to_everything(&["w1:p1", "w1:p3"]);
    (daemon, stream)
}

/// What a request that must succeed makes known.
fn caused(method: &str, params: Value) -> Vec<Value> {
    let (daemon, mut stream) = scene();
    daemon.result(method, params);
    stream.so_far(&daemon)
}

#[track_caller]
fn causes(method: &str, params: Value, expected: &[&[&str]]) -> Vec<Value> {
    let events = caused(method, params);
    assert_eq!(names(&events), expected.concat(), "{method}");
    events
}

#[test]
fn the_first_workspace_is_told_with_all_it_has_and_then_the_focus() {
    let daemon = Daemon::start();
    let mut stream = daemon.subscribe_to_everything(&[]);
    daemon.workspace();
    let events = stream.take(7);
    let created = [
        "workspace_created",
        "tab_created",
        "pane_created",
        "layout_updated",
    ];
    assert_eq!(names(&events), [&created[..], &FOCUS].concat());
    assert_eq!(events[0]["data"]["workspace"]["workspace_id"], "w1");
    assert_eq!(events[1]["data"]["tab"]["tab_id"], "w1:t1");
    assert_eq!(events[2]["data"]["pane"]["pane_id"], "w1:p1");
    assert_eq!(events[3]["data"]["layout"]["panes"][0]["pane_id"], "w1:p1");
    for event in &events {
        assert_eq!(event["data"]["type"], event["event"], "{event}");
        assert!(event.get("id").is_none(), "{event}");
    }
    let focus = json!({ "type": "pane_focused", "pane_id": "w1:p1", "workspace_id": "w1" });
    assert_eq!(events[6]["data"], focus);
    assert_eq!(names(&stream.so_far(&daemon)), Vec::<&str>::new());
}

#[test]
fn creating_is_told_from_the_outside_in() {
    let created = [
        "workspace_created",
        "tab_created",
        "pane_created",
        "layout_updated",
    ];
    causes("workspace.create", json!({ "label": "x" }), &[&created]);
    causes(
        "workspace.create",
        json!({ "focus": true }),
        &[&created, &FOCUS],
    );
    causes("tab.create", json!({}), &[&created[1..]]);
    causes(
        "tab.create",
        json!({ "workspace_id": "w2", "focus": true }),
        &[&created[1..], &FOCUS],
    );
    let split = json!({ "target_pane_id": "w1:p1", "direction": "down" });
    causes("pane.split", split, &[&created[2..]]);
    let split = json!({ "target_pane_id": "w1:p3", "direction": "down", "focus": true });
    causes("pane.split", split, &[&created[2..], &FOCUS]);
}

#[test]
fn focus_is_told_as_a_triple_and_only_when_it_changes() {
    causes(
        "workspace.focus",
        json!({ "workspace_id": "w2" }),
        &[&FOCUS],
    );
    causes("workspace.focus", json!({ "workspace_id": "w1" }), &[]);
    causes("tab.focus", json!({ "tab_id": "w1:t2" }), &[&FOCUS]);
    causes("tab.focus", json!({ "tab_id": "w1:t1" }), &[]);
    causes("pane.focus", json!({ "pane_id": "w1:p2" }), &[&FOCUS]);
    causes("pane.focus", json!({ "pane_id": "w1:p1" }), &[]);
}

#[test]
fn names_and_places_are_told_when_they_change() {
    for label in ["x", "1"] {
        let events = causes(
            "tab.rename",
            json!({ "tab_id": "w1:t1", "label": label }),
            &[&["tab_renamed"]],
        );
        let data = json!({ "type": "tab_renamed", "tab_id": "w1:t1", "workspace_id": "w1", "label": label });
        assert_eq!(events[0]["data"], data);
    }
    let renamed = json!({ "workspace_id": "w2", "label": "~" });
    causes("workspace.rename", renamed, &[&["workspace_renamed"]]);
    let moved = json!({ "tab_id": "w1:t2", "insert_index": 0 });
    let events = causes("tab.move", moved, &[&["tab_moved"]]);
    assert_eq!(events[0]["data"]["tabs"][0]["tab_id"], "w1:t2");
    assert_eq!(events[0]["data"]["insert_index"], 0);
    causes(
        "tab.move",
        json!({ "tab_id": "w1:t2", "insert_index": 1 }),
        &[],
    );
    let moved = json!({ "workspace_id": "w2", "insert_index": 0 });
    // The active workspace's position counts as focus (herdr 0.9.3).
    let events = causes("workspace.move", moved, &[&["workspace_moved"], &FOCUS]);
    assert_eq!(events[0]["data"]["workspaces"][0]["workspace_id"], "w2");
    causes(
        "workspace.move",
        json!({ "workspace_id": "w2", "insert_index": 2 }),
        &[],
    );
}

#[test]
fn reading_typing_and_naming_a_pane_are_not_told() {
    for (method, params) in [
        ("pane.rename", json!({ "pane_id": "w1:p1", "label": "x" })),
        ("pane.send_text", json!({ "pane_id": "w1:p1", "text": "x" })),
        (
            "pane.send_keys",
            json!({ "pane_id": "w1:p1", "keys": ["enter"] }),
        ),
        (
            "pane.send_input",
            json!({ "pane_id": "w1:p1", "text": "cd /\n" }),
        ),
        (
            "pane.read",
            json!({ "pane_id": "w1:p1", "source": "recent" }),
        ),
        ("session.snapshot", json!({})),
    ] {
        causes(method, params, &[]);
    }
}

#[test]
fn zoom_is_told_as_a_layout() {
    let layout = &["layout_updated"][..];
    let events = causes("pane.zoom", json!({ "pane_id": "w1:p1" }), &[layout]);
    assert_eq!(events[0]["data"]["layout"]["zoomed"], true);
    causes(
        "pane.zoom",
        json!({ "pane_id": "w1:p2" }),
        &[layout, &FOCUS],
    );
    causes(
        "pane.zoom",
        json!({ "pane_id": "w1:p1", "mode": "off" }),
        &[],
    );
    causes(
        "pane.zoom",
        json!({ "pane_id": "w2:p1" }),
        &[layout, &FOCUS],
    );
}

#[test]
fn closing_is_told_once_from_the_inside_out() {
    let closed = &["pane_closed"][..];
    let layout = &["layout_updated"][..];
    causes(
        "pane.close",
        json!({ "pane_id": "w1:p2" }),
        &[closed, layout],
    );
    causes(
        "pane.close",
        json!({ "pane_id": "w1:p1" }),
        &[closed, layout, &FOCUS],
    );
    causes("pane.close", json!({ "pane_id": "w1:p3" }), &[closed]);
    let events = causes(
        "pane.close",
        json!({ "pane_id": "w2:p1" }),
        &[closed, &["workspace_closed"]],
    );
    assert_eq!(
        events[0]["data"],
        json!({ "type": "pane_closed", "pane_id": "w2:p1", "workspace_id": "w2" })
    );
    assert_eq!(events[1]["data"]["workspace_id"], "w2");
    assert_eq!(events[1]["data"]["workspace"]["pane_count"], 1, "as it was");
    causes(
        "tab.close",
        json!({ "tab_id": "w1:t2" }),
        &[&["tab_closed"]],
    );
    causes(
        "tab.close",
        json!({ "tab_id": "w1:t1" }),
        &[&["tab_closed"], &FOCUS],
    );
    causes(
        "tab.close",
        json!({ "tab_id": "w2:t1" }),
        &[&["tab_closed", "workspace_closed"]],
    );
    causes(
        "workspace.close",
        json!({ "workspace_id": "w2" }),
        &[&["workspace_closed"]],
    );
    causes(
        "workspace.close",
        json!({ "workspace_id": "w1" }),
        &[&["workspace_closed"], &FOCUS],
    );
}

#[test]
fn an_exit_is_told_as_an_exit() {
    for (pane, count, expected) in [
        ("w1:p2", 2, &["pane_exited", "layout_updated"][..]),
        ("w1:p3", 1, &["pane_exited"]),
        ("w2:p1", 1, &["pane_exited"]),
    ] {
        let (daemon, mut stream) = scene();
        daemon.enter(pane, "exit");
        let mut events = stream.take(count);
        events.extend(stream.so_far(&daemon));
        assert_eq!(names(&events), expected, "{pane}");
        assert_eq!(events[0]["data"]["pane_id"], pane);
    }
    let (daemon, mut stream) = scene();
    daemon.enter("w1:p1", "exit");
    let events = stream.take(5);
    assert_eq!(
        names(&events),
        [&["pane_exited", "layout_updated"][..], &FOCUS].concat()
    );
    assert_eq!(names(&stream.so_far(&daemon)), Vec::<&str>::new());
}

#[test]
fn agents_are_told_label_first_and_status_then() {
    let report =
        |pane: &str| json!({ "pane_id": pane, "source": "s", "agent": "bot", "state": "working" });
    let status = "pane.agent_status_changed";
    let events = causes(
        "pane.report_agent",
        report("w1:p1"),
        &[&["pane_agent_detected", status]],
    );
    let detected = json!({
        "type": "pane_agent_detected", "pane_id": "w1:p1", "workspace_id": "w1", "agent": "bot",
    });
    assert_eq!(events[0]["data"], detected);
    let changed = json!({
        "pane_id": "w1:p1", "workspace_id": "w1", "agent_status": "working", "agent": "bot",
    });
    assert_eq!(events[1]["data"], changed, "without a type");
    // Nobody asked for this pane's status.
    causes(
        "pane.report_agent",
        report("w1:p2"),
        &[&["pane_agent_detected"]],
    );
    let tokens = json!({ "pane_id": "w1:p1", "source": "s", "tokens": { "k": "v" } });
    let events = causes("pane.report_metadata", tokens, &[&["pane_updated"]]);
    assert_eq!(events[0]["data"]["pane"]["tokens"], json!({ "k": "v" }));
    let title = json!({ "pane_id": "w1:p1", "source": "s", "title": "T" });
    let events = causes("pane.report_metadata", title, &[&[status]]);
    assert_eq!(events[0]["data"]["title"], "T");
}

#[test]
fn six_hundred_of_six_hundred_come_in_order() {
    let daemon = Daemon::start();
    daemon.workspace();
    let mut stream = daemon.subscribe(json!([{ "type": "workspace.renamed" }]));
    for number in 0..600 {
        let params = json!({ "workspace_id": "w1", "label": number.to_string() });
        daemon.result("workspace.rename", params);
    }
    for number in 0..600 {
        assert_eq!(stream.next()["data"]["label"], number.to_string());
    }
}

#[test]
fn a_subscription_begins_with_its_acknowledgement() {
    let daemon = Daemon::start();
    daemon.workspace();
    for round in 0..100 {
        let before = json!({ "workspace_id": "w1", "label": format!("before {round}") });
        daemon.result("workspace.rename", before);
        let mut stream = daemon.subscribe(json!([{ "type": "workspace.renamed" }]));
        let after = format!("after {round}");
        let params = json!({ "workspace_id": "w1", "label": after });
        daemon.result("workspace.rename", params);
        assert_eq!(
            stream.next()["data"]["label"],
            after,
            "nothing replayed, nothing missed"
        );
    }
}

#[test]
fn an_entry_that_is_listed_twice_is_told_twice() {
    let daemon = Daemon::start();
    daemon.workspace();
    let entry = json!({ "type": "tab.renamed" });
    let mut stream = daemon.subscribe(json!([entry, { "type": "workspace.renamed" }, entry]));
    daemon.result("tab.rename", json!({ "tab_id": "w1:t1", "label": "x" }));
    assert_eq!(
        names(&stream.so_far(&daemon)),
        ["tab_renamed", "tab_renamed"]
    );
}

fn report(daemon: &Daemon, pane: &str, state: &str) {
    let report = json!({ "pane_id": pane, "source": "s", "agent": "bot", "state": state });
    daemon.result("pane.report_agent", report);
}

#[test]
fn a_status_filter_tells_the_present_status_and_then_only_its_own() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    report(&daemon, &pane, "working");
    let entry = |status: Value| {
        let entry =
            json!({ "type": "pane.agent_status_changed", "pane_id": pane, "agent_status": status });
        json!([entry, { "type": "workspace.renamed" }])
    };
    let mut working = daemon.subscribe(entry(json!("working")));
    let mut blocked = daemon.subscribe(entry(json!("blocked")));
    let mut any = daemon.subscribe(entry(Value::Null));
    assert_eq!(working.next()["data"]["agent_status"], "working");
    for state in ["blocked", "working", "working"] {
        report(&daemon, &pane, state);
    }
    let statuses = |stream: &mut Stream| {
        let events = stream.so_far(&daemon);
        let status = |event: &Value| {
            event["data"]["agent_status"]
                .as_str()
                .expect("text")
                .to_owned()
        };
        events.iter().map(status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&mut working), ["working"]);
    assert_eq!(blocked.next()["data"]["agent_status"], "blocked");
    assert_eq!(
        names(&blocked.so_far(&daemon)),
        ["workspace_renamed"],
        "the first one's mark"
    );
    assert_eq!(any.take(2)[1]["data"]["agent_status"], "working");
}

#[test]
fn a_pattern_is_told_when_it_begins_to_match() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let entry = |pattern: &str| {
        let matcher = json!({ "type": "regex", "value": pattern });
        json!({ "type": "pane.output_matched", "pane_id": pane, "source": "visible", "match": matcher })
    };
    let print = |text: &str| {
        let quoted = format!("'{}''{}'", &text[..1], &text[1..]);
        daemon.enter(&pane, &format!("clear; echo {quoted}"));
    };
    print("tick1");
    daemon.wait_for_line(&pane, "tick1$");
    // Entries are looked at in their order: when the first is told, the second has been looked at since.
    let mut stream = daemon.subscribe(json!([entry("other$"), entry("tick[0-9]$")]));
    let mut told = |line: &str| {
        let event = stream.next();
        assert_eq!(event["event"], "pane.output_matched");
        assert_eq!(event["data"]["pane_id"], pane.as_str());
        assert!(event["data"].get("type").is_none(), "{event}");
        assert!(event["data"]["read"]["text"].is_string(), "{event}");
        let matched = event["data"]["matched_line"].as_str().expect("text");
        assert!(matched.ends_with(line), "{event}");
    };
    told("tick1");
    // Still matching is no news; matching again is.
    daemon.enter(&pane, "echo 'ti''ck2'");
    daemon.wait_for_line(&pane, "tick2$");
    print("other");
    told("other");
    print("tick3");
    told("tick3");
}

#[test]
fn scrolling_is_told_with_its_measures() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut stream = daemon.subscribe(json!([{ "type": "pane.scroll_changed", "pane_id": pane }]));
    daemon.enter(
        &pane,
        "i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo $i; done; echo 'en''d'",
    );
    daemon.wait_for_line(&pane, "end$");
    let lines = daemon.pane(&pane)["scroll"]["max_offset_from_bottom"].clone();
    let event = until("the last measures", || {
        let event = stream.next();
        assert_eq!(event["event"], "pane.scroll_changed");
        (event["data"]["scroll"]["max_offset_from_bottom"].as_u64() >= lines.as_u64())
            .then_some(event)
    });
    assert_eq!(event["data"]["pane_id"], pane.as_str());
    assert_eq!(event["data"]["workspace_id"], "w1");
    assert_eq!(event["data"]["scroll"]["offset_from_bottom"], 0);
    assert_eq!(event["data"]["scroll"]["viewport_rows"], 40);
}

#[test]
fn a_stream_outlives_the_pane_of_an_entry() {
    let daemon = Daemon::start();
    let first = daemon.workspace();
    let second = daemon.split(&first);
    let entries = json!([
        { "type": "pane.agent_status_changed", "pane_id": second },
        { "type": "pane.scroll_changed", "pane_id": second },
        { "type": "pane.output_matched", "pane_id": second, "source": "recent",
          "match": { "type": "substring", "value": "never" } },
        { "type": "workspace.renamed" },
    ]);
    let mut stream = daemon.subscribe(entries);
    daemon.result("pane.close", json!({ "pane_id": second }));
    assert_eq!(names(&stream.so_far(&daemon)), Vec::<&str>::new());
}

#[test]
fn a_subscriber_that_does_not_read_loses_its_stream_and_is_told() {
    let daemon = Daemon::start();
    daemon.workspace();
    // Each event is told fifty times, so that the queue of 1,024 lines is full before the daemon gives
    // up on writing to somebody who does not read.
    let copies = 50;
    let entries = vec![json!({ "type": "workspace.renamed" }); copies];
    let mut stream = daemon.subscribe(json!(entries));
    let long = "x".repeat(4_000);
    for number in 0..100 {
        let params = json!({ "workspace_id": "w1", "label": format!("{number} {long}") });
        daemon.result("workspace.rename", params);
    }
    let mut expected = 0;
    let last = loop {
        let line = stream.next();
        if line["event"].is_null() {
            break line;
        }
        let label = line["data"]["label"].as_str().expect("text");
        let number = format!("{} ", expected / copies);
        assert!(label.starts_with(&number), "none is missing in between");
        expected += 1;
    };
    assert!(expected > 1_000, "{expected}");
    assert_eq!(last["id"], "stream");
    assert_eq!(last["error"]["code"], "events_lost");
    stream.ended();
}

#[test]
fn a_wait_for_an_event_answers_with_it() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let params = |status: &str, timeout: Value| {
        let event = json!({ "event": "pane_agent_status_changed", "pane_id": pane, "agent_status": status });
        json!({ "match_event": event, "timeout_ms": timeout })
    };
    let wait = |status: &str, timeout: Value| daemon.rpc("events.wait", params(status, timeout));
    let timeout = wait("working", json!(0));
    let error = json!({ "code": "timeout", "message": "timed out waiting for event match" });
    assert_eq!(timeout["error"], error);
    let mut waiting = daemon.connect();
    waiting.request("w", "events.wait", params("working", Value::Null));
    report(&daemon, &pane, "working");
    let answer = waiting.line().expect("an answer");
    assert_eq!(answer["result"]["type"], "wait_matched");
    let event = &answer["result"]["event"];
    assert_eq!(event["event"], "pane_agent_status_changed");
    assert_eq!(event["data"]["agent_status"], "working");
    assert_eq!(event["data"]["pane_id"], pane.as_str());
    let at_once = wait("working", json!(0));
    assert_eq!(at_once["result"]["type"], "wait_matched");
    daemon.refuses(
        "events.wait",
        json!({ "match_event": { "event": "pane_created" } }),
        "unsupported_event_wait_match",
        "events.wait currently supports pane agent status matches",
    );
    let unknown = json!({ "match_event": {
        "event": "pane_agent_status_changed", "pane_id": "w9:p9", "agent_status": "idle",
    } });
    daemon.refuses(
        "events.wait",
        unknown,
        "pane_not_found",
        "pane w9:p9 not found",
    );
    let mut waiting = daemon.connect();
    waiting.request("w", "events.wait", params("blocked", Value::Null));
    let other = daemon.split(&pane);
    daemon.result("pane.close", json!({ "pane_id": pane }));
    let error = waiting.line().expect("an answer")["error"].clone();
    assert_eq!(error["code"], "pane_not_found", "closed: {other} is left");
}
