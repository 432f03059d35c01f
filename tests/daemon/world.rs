//! Workspaces, tabs and panes: what the methods do, and what they refuse.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::common::{Daemon, Setup};

fn list(daemon: &Daemon, method: &str) -> Vec<Value> {
    let kind = method.split('.').next().expect("a family");
    let member = format!("{kind}s");
    let list = daemon.result(method, json!({}));
    list[member.as_str()].as_array().expect("a list").clone()
}

fn ids(daemon: &Daemon, method: &str) -> Vec<String> {
    let kind = method.split('.').next().expect("a family");
    let member = format!("{kind}_id");
    let id = |record: &Value| record[member.as_str()].as_str().expect("an id").to_owned();
    list(daemon, method).iter().map(id).collect()
}

/// The focused workspace, tab and pane, by the snapshot; the records must say the same.
fn focus(daemon: &Daemon) -> [String; 3] {
    let snapshot = daemon.result("session.snapshot", json!({}))["snapshot"].clone();
    ["workspace", "tab", "pane"].map(|kind| {
        let id = snapshot[format!("focused_{kind}_id")]
            .as_str()
            .unwrap_or("")
            .to_owned();
        let records = snapshot[format!("{kind}s")]
            .as_array()
            .expect("a list")
            .clone();
        let focused: Vec<_> = records
            .iter()
            .filter(|record| record["focused"] == true)
            .map(|record| record[format!("{kind}_id")].as_str().expect("an id"))
            .collect();
        let expected: Vec<_> = Some(id.as_str())
            .filter(|id| !id.is_empty())
            .into_iter()
            .collect();
        assert_eq!(focused, expected, "{snapshot}");
        id
    })
}

fn close(daemon: &Daemon, kind: &str, id: &str) {
    let method = format!("{kind}.close");
    daemon.result(&method, json!({ (format!("{kind}_id")): id }));
}

fn pane_id(result: &Value) -> String {
    let pane = result["pane"]["pane_id"]
        .as_str()
        .or(result["root_pane"]["pane_id"].as_str());
    pane.expect("an id").to_owned()
}

#[test]
fn ids_are_never_given_twice() {
    let daemon = Daemon::start();
    assert_eq!(daemon.workspace(), "w1:p1");
    assert_eq!(daemon.split("w1:p1"), "w1:p2");
    assert_eq!(daemon.tab(), "w1:p3");
    close(&daemon, "pane", "w1:p2");
    assert_eq!(daemon.split("w1:p1"), "w1:p4");
    assert_eq!(daemon.tab(), "w1:p5");
    close(&daemon, "tab", "w1:t3");
    let tab = daemon.result("tab.create", json!({}));
    assert_eq!(
        (&tab["tab"]["tab_id"], &tab["tab"]["number"]),
        (&json!("w1:t4"), &json!(4))
    );
    assert_eq!(tab["root_pane"]["pane_id"], "w1:p6");
    assert_eq!(daemon.workspace(), "w2:p1");
    close(&daemon, "workspace", "w2");
    close(&daemon, "workspace", "w1");
    assert_eq!(daemon.workspace(), "w3:p1");
    assert_eq!(ids(&daemon, "pane.list"), ["w3:p1"]);
}

#[test]
fn a_failed_creation_leaves_nothing_but_a_used_id() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon
        .home
        .configure("terminal.default_shell = \"/no/such/shell\"\n");
    daemon.result("server.reload_config", json!({}));
    for (method, params) in [
        ("workspace.create", json!({})),
        ("tab.create", json!({})),
        ("pane.split", json!({ "direction": "right" })),
    ] {
        let code = format!("{}_failed", method.replace('.', "_"));
        assert_eq!(daemon.refusal(method, params).0, code);
    }
    assert_eq!(ids(&daemon, "pane.list"), ["w1:p1"]);
    assert_eq!(ids(&daemon, "workspace.list"), ["w1"]);
}

#[test]
fn numbers_count_on_in_base_32_without_letters_that_look_like_digits() {
    let daemon = Daemon::start();
    let mut last = daemon.workspace();
    for _ in 0..32 {
        let pane = daemon.split(&last);
        close(&daemon, "pane", &last);
        last = pane;
    }
    assert_eq!(last, "w1:p11", "33 is 11");
}

#[test]
fn names_of_old_are_understood() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.workspace();
    for id in ["w2", "2", "w_2"] {
        let info = daemon.result("workspace.get", json!({ "workspace_id": id }));
        assert_eq!(info["workspace"]["workspace_id"], "w2", "{id}");
    }
    for id in ["w2:t1", "w2:1", "t_w2_1", "2:t1"] {
        let info = daemon.result("tab.get", json!({ "tab_id": id }));
        assert_eq!(info["tab"]["tab_id"], "w2:t1", "{id}");
    }
    for id in ["w2:p1", "w2-1", "2:p1"] {
        assert_eq!(daemon.pane(id)["pane_id"], "w2:p1", "{id}");
    }
    let terminal = daemon.pane("w2:p1")["terminal_id"].clone();
    for id in [
        terminal.as_str().expect("text"),
        "p1",
        "",
        "w2",
        "w2:p",
        "w2:p2",
        "w99999999999:p1",
    ] {
        let message = format!("pane {id} not found");
        daemon.refuses(
            "pane.get",
            json!({ "pane_id": id }),
            "pane_not_found",
            &message,
        );
    }
}

#[test]
fn every_method_says_what_it_did_not_find() {
    let daemon = Daemon::start();
    daemon.workspace();
    let workspace = |rest: Value| merged(json!({ "workspace_id": "w9" }), rest);
    for (method, rest) in [
        ("workspace.get", json!({})),
        ("workspace.focus", json!({})),
        ("workspace.rename", json!({ "label": "x" })),
        ("workspace.move", json!({ "insert_index": 0 })),
        ("workspace.close", json!({})),
        ("tab.create", json!({})),
        ("tab.list", json!({})),
        ("pane.list", json!({})),
    ] {
        daemon.refuses(
            method,
            workspace(rest),
            "workspace_not_found",
            "workspace w9 not found",
        );
    }
    for (method, rest) in [
        ("tab.get", json!({})),
        ("tab.focus", json!({})),
        ("tab.rename", json!({ "label": "x" })),
        ("tab.move", json!({ "insert_index": 0 })),
        ("tab.close", json!({})),
    ] {
        let params = merged(json!({ "tab_id": "w1:t9" }), rest);
        daemon.refuses(method, params, "tab_not_found", "tab w1:t9 not found");
    }
    for method in ["pane.get", "pane.focus", "pane.rename", "pane.close"] {
        let params = json!({ "pane_id": "w1:p9" });
        daemon.refuses(method, params, "pane_not_found", "pane w1:p9 not found");
    }
    // Those that could do without an id do not repeat it.
    for (method, params) in [
        (
            "pane.split",
            json!({ "target_pane_id": "w1:p9", "direction": "right" }),
        ),
        (
            "pane.split",
            json!({ "workspace_id": "w9", "direction": "right" }),
        ),
        ("pane.current", json!({ "caller_pane_id": "w1:p9" })),
        ("pane.layout", json!({ "pane_id": "w1:p9" })),
        ("pane.zoom", json!({ "pane_id": "w1:p9" })),
    ] {
        daemon.refuses(method, params, "pane_not_found", "pane not found");
    }
}

fn merged(mut one: Value, other: Value) -> Value {
    for (name, value) in other.as_object().expect("an object") {
        one[name.as_str()] = value.clone();
    }
    one
}

#[test]
fn labels_are_kept_as_given_and_default_to_positions() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.tab();
    daemon.tab();
    let labels = || {
        let tabs = list(&daemon, "tab.list");
        tabs.iter()
            .map(|tab| tab["label"].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(labels(), ["1", "2", "3"]);
    close(&daemon, "tab", "w1:t1");
    assert_eq!(labels(), ["1", "2"]);
    assert_eq!(ids(&daemon, "tab.list"), ["w1:t2", "w1:t3"]);
    for label in [" x ", ""] {
        let renamed = daemon.result("tab.rename", json!({ "tab_id": "w1:t2", "label": label }));
        assert_eq!(renamed["tab"]["label"], label);
        let renamed = daemon.result(
            "workspace.rename",
            json!({ "workspace_id": "w1", "label": label }),
        );
        assert_eq!(renamed["workspace"]["label"], label);
    }
    for params in [
        json!({ "tab_id": "w1:t2", "label": null }),
        json!({ "tab_id": "w1:t2" }),
    ] {
        assert_eq!(daemon.refusal("tab.rename", params).0, "invalid_request");
    }
    let created = daemon.result("workspace.create", json!({ "label": " " }));
    assert_eq!(created["workspace"]["label"], " ");
    let pane = |label: Value| {
        let renamed = daemon.result("pane.rename", json!({ "pane_id": "w1:p2", "label": label }));
        renamed["pane"].get("label").cloned()
    };
    assert_eq!(pane(json!("  build ")), Some(json!("build")));
    for nothing in [json!(""), json!("  "), Value::Null] {
        pane(json!("x"));
        assert_eq!(pane(nothing), None);
    }
}

#[test]
fn creating_takes_no_focus_unless_asked_or_nothing_had_it() {
    let daemon = Daemon::start();
    daemon.workspace();
    assert_eq!(focus(&daemon), ["w1", "w1:t1", "w1:p1"], "nothing had it");
    daemon.workspace();
    daemon.tab();
    daemon.split("w1:p1");
    assert_eq!(focus(&daemon), ["w1", "w1:t1", "w1:p1"]);
    let params = json!({ "target_pane_id": "w2:p1", "direction": "down", "focus": true });
    let pane = pane_id(&daemon.result("pane.split", params));
    assert_eq!(focus(&daemon), ["w2", "w2:t1", pane.as_str()]);
    daemon.result("tab.create", json!({ "workspace_id": "w1", "focus": true }));
    assert_eq!(focus(&daemon), ["w1", "w1:t3", "w1:p4"]);
    daemon.result("workspace.create", json!({ "focus": true }));
    assert_eq!(focus(&daemon), ["w3", "w3:t1", "w3:p1"]);
    daemon.result("workspace.focus", json!({ "workspace_id": "w2" }));
    assert_eq!(focus(&daemon), ["w2", "w2:t1", pane.as_str()]);
    daemon.result("tab.focus", json!({ "tab_id": "w1:t2" }));
    assert_eq!(focus(&daemon), ["w1", "w1:t2", "w1:p2"]);
    daemon.result("pane.focus", json!({ "pane_id": "w2:p1" }));
    assert_eq!(focus(&daemon), ["w2", "w2:t1", "w2:p1"]);
    let current = daemon.result("pane.current", json!({}));
    assert_eq!(current["pane"]["pane_id"], "w2:p1");
    let current = daemon.result("pane.current", json!({ "caller_pane_id": "w1:p2" }));
    assert_eq!(current["pane"]["pane_id"], "w1:p2");
}

#[test]
fn focus_after_a_removal_goes_where_it_is_expected() {
    let daemon = Daemon::start();
    daemon.workspace();
    let second = daemon.split("w1:p1");
    let third = daemon.split(&second);
    for pane in [&third, &second] {
        daemon.result("pane.focus", json!({ "pane_id": pane }));
    }
    close(&daemon, "pane", &second);
    assert_eq!(focus(&daemon)[2], third, "the pane that had it before");
    close(&daemon, "pane", "w1:p1");
    assert_eq!(
        focus(&daemon)[2],
        third,
        "another pane's end changes nothing"
    );
    for _ in 0..2 {
        daemon.tab();
    }
    daemon.result("tab.focus", json!({ "tab_id": "w1:t2" }));
    close(&daemon, "tab", "w1:t2");
    assert_eq!(focus(&daemon)[1], "w1:t1", "the left neighbour");
    close(&daemon, "tab", "w1:t1");
    assert_eq!(focus(&daemon)[1], "w1:t3", "the new first");
    for _ in 0..2 {
        daemon.workspace();
    }
    close(&daemon, "workspace", "w2");
    assert_eq!(
        focus(&daemon)[0],
        "w1",
        "another workspace's end changes nothing"
    );
    close(&daemon, "workspace", "w1");
    assert_eq!(focus(&daemon)[0], "w3", "the one that moves up");
    close(&daemon, "pane", "w3:p1");
    assert_eq!(focus(&daemon), ["", "", ""]);
}

#[test]
fn workspaces_move_by_positions_before_the_move() {
    let daemon = Daemon::start();
    for _ in 0..3 {
        daemon.workspace();
    }
    let moved = |id: &str, index: i64| {
        let params = json!({ "workspace_id": id, "insert_index": index });
        let list = daemon.result("workspace.move", params)["workspaces"].clone();
        let list = list.as_array().expect("a list").clone();
        let numbers: Vec<_> = list
            .iter()
            .map(|w| w["number"].as_u64().expect("a number"))
            .collect();
        assert_eq!(numbers, [1, 2, 3], "numbers are positions");
        list.iter()
            .map(|w| w["workspace_id"].as_str().expect("an id").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(moved("w1", 3), ["w2", "w3", "w1"]);
    assert_eq!(moved("w1", 0), ["w1", "w2", "w3"]);
    assert_eq!(moved("w1", 2), ["w2", "w1", "w3"]);
    for same in [1, 2] {
        assert_eq!(moved("w1", same), ["w2", "w1", "w3"], "no move");
    }
    let params = json!({ "workspace_id": "w1", "insert_index": 4 });
    daemon.refuses(
        "workspace.move",
        params,
        "workspace_move_failed",
        "insert_index 4 is out of bounds",
    );
    assert_eq!(focus(&daemon)[0], "w1", "focus follows the workspace");
}

#[test]
fn tabs_move_within_their_workspace() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.tab();
    daemon.tab();
    daemon.workspace();
    let moved = |id: &str, index: i64| {
        let list = daemon.result("tab.move", json!({ "tab_id": id, "insert_index": index }));
        let list = list["tabs"].as_array().expect("a list").clone();
        let labels: Vec<_> = list
            .iter()
            .map(|tab| tab["label"].as_str().expect("text"))
            .collect();
        assert_eq!(labels, ["1", "2", "3"], "labels are positions");
        list.iter()
            .map(|tab| tab["number"].as_u64().expect("a number"))
            .collect::<Vec<_>>()
    };
    assert_eq!(moved("w1:t1", 3), [2, 3, 1]);
    assert_eq!(moved("w1:t1", 2), [2, 3, 1], "no move");
    assert_eq!(moved("w1:t1", 0), [1, 2, 3]);
    let params = json!({ "tab_id": "w1:t1", "insert_index": 4 });
    daemon.refuses(
        "tab.move",
        params,
        "tab_move_failed",
        "insert_index 4 is out of bounds",
    );
}

#[test]
fn splits_share_their_place_by_ratio() {
    let daemon = Daemon::start();
    daemon.workspace();
    let split = |target: &str, direction: &str, ratio: Value| {
        let params = json!({ "target_pane_id": target, "direction": direction, "ratio": ratio });
        pane_id(&daemon.result("pane.split", params))
    };
    let second = split("w1:p1", "right", json!(0.25));
    let third = split(&second, "down", Value::Null);
    split(&third, "down", json!(7));
    let layout = daemon.result("pane.layout", json!({ "pane_id": second }))["layout"].clone();
    let rect = |pane: &str| {
        let panes = layout["panes"].as_array().expect("a list");
        let pane = panes
            .iter()
            .find(|p| p["pane_id"] == pane)
            .expect("the pane");
        ["x", "y", "width", "height"].map(|side| pane["rect"][side].as_u64().expect("a number"))
    };
    assert_eq!(rect("w1:p1"), [0, 0, 30, 40]);
    assert_eq!(rect(&second), [30, 0, 90, 20]);
    assert_eq!(rect(&third), [30, 20, 90, 18], "clamped to nine tenths");
    assert_eq!(rect("w1:p4"), [30, 38, 90, 2]);
    let splits = layout["splits"].as_array().expect("a list");
    let splits: Vec<_> = splits
        .iter()
        .map(|split| split["id"].as_str().expect("an id"))
        .collect();
    assert_eq!(splits, ["split_0_root", "split_1_1", "split_2_11"]);
    assert_eq!(layout["splits"][0]["direction"], "right");
    assert_eq!(layout["splits"][0]["ratio"], 0.25);
    assert_eq!(
        daemon.refusal("pane.split", json!({ "direction": "up" })).0,
        "invalid_request"
    );
}

#[test]
fn zoom_says_why_nothing_changed() {
    let daemon = Daemon::start();
    daemon.workspace();
    let zoom = |pane: &str, mode: &str| {
        let params = json!({ "pane_id": pane, "mode": mode });
        daemon.result("pane.zoom", params)["zoom"].clone()
    };
    let alone = zoom("w1:p1", "toggle");
    assert_eq!(
        (&alone["changed"], &alone["reason"]),
        (&json!(false), &json!("single_pane"))
    );
    let second = daemon.split("w1:p1");
    let on = zoom(&second, "toggle");
    assert_eq!(on["zoom_changed"], true);
    assert_eq!(on["focus_changed"], true);
    assert_eq!(on["zoomed"], true);
    assert!(on.get("reason").is_none(), "{on}");
    assert_eq!(on["focused_pane_id"], second.as_str());
    assert_eq!(on["layout"]["zoomed"], true);
    assert_eq!(
        on["layout"]["panes"].as_array().map(Vec::len),
        Some(2),
        "all are listed"
    );
    let again = zoom(&second, "on");
    assert_eq!(
        (&again["changed"], &again["reason"]),
        (&json!(false), &json!("already_zoomed"))
    );
    let off = zoom(&second, "off");
    assert_eq!(
        (&off["changed"], &off["zoomed"]),
        (&json!(true), &json!(false))
    );
    let again = zoom("w1:p1", "off");
    assert_eq!(again["reason"], "already_unzoomed");
    assert_eq!(again["changed"], true, "the focus did change");
    assert_eq!(again["focus_changed"], true);
    zoom("w1:p1", "on");
    daemon.split("w1:p1");
    let layout = daemon.result("pane.layout", json!({}))["layout"].clone();
    assert_eq!(layout["zoomed"], false, "a split ends it");
}

#[test]
fn a_snapshot_refers_only_to_what_is_in_it() {
    let daemon = Daemon::start();
    for _ in 0..2 {
        daemon.workspace();
    }
    daemon.tab();
    daemon.split("w1:p1");
    let moved = daemon.split("w2:p1");
    let report = json!({ "pane_id": moved, "source": "s", "agent": "a", "state": "working" });
    daemon.result("pane.report_agent", report);
    close(&daemon, "pane", "w2:p1");
    let snapshot = daemon.result("session.snapshot", json!({}))["snapshot"].clone();
    let list = |name: &str| snapshot[name].as_array().expect("a list").clone();
    let set = |name: &str, member: &str| {
        let ids: Vec<_> = list(name)
            .iter()
            .map(|r| r[member].as_str().expect("an id").to_owned())
            .collect();
        let set: BTreeSet<_> = ids.iter().cloned().collect();
        assert_eq!(set.len(), ids.len(), "no {member} twice");
        set
    };
    let workspaces = set("workspaces", "workspace_id");
    let tabs = set("tabs", "tab_id");
    let panes = set("panes", "pane_id");
    let terminals = set("panes", "terminal_id");
    assert_eq!((workspaces.len(), tabs.len(), panes.len()), (2, 3, 4));
    let has = |set: &BTreeSet<String>, id: &Value| {
        assert!(set.contains(id.as_str().expect("an id")), "{id} in {set:?}");
    };
    for workspace in list("workspaces") {
        has(&tabs, &workspace["active_tab_id"]);
        let id = &workspace["workspace_id"];
        for (count, name) in [("tab_count", "tabs"), ("pane_count", "panes")] {
            let found = list(name)
                .iter()
                .filter(|record| record["workspace_id"] == *id)
                .count();
            assert_eq!(workspace[count], found, "{workspace}");
        }
    }
    for tab in list("tabs") {
        has(&workspaces, &tab["workspace_id"]);
        assert_ne!(tab["label"], "");
        let found = list("panes")
            .iter()
            .filter(|pane| pane["tab_id"] == tab["tab_id"])
            .count();
        assert_eq!(tab["pane_count"], found);
    }
    for pane in list("panes") {
        has(&workspaces, &pane["workspace_id"]);
        has(&tabs, &pane["tab_id"]);
    }
    assert_eq!(set("layouts", "tab_id"), tabs, "a layout for each tab");
    for layout in list("layouts") {
        has(&panes, &layout["focused_pane_id"]);
        for pane in layout["panes"].as_array().expect("a list") {
            has(&panes, &pane["pane_id"]);
        }
    }
    for agent in list("agents") {
        has(&panes, &agent["pane_id"]);
        has(&terminals, &agent["terminal_id"]);
    }
    assert_eq!(list("agents").len(), 1);
    let [workspace, tab, pane] = focus(&daemon);
    assert!(workspaces.contains(&workspace) && tabs.contains(&tab) && panes.contains(&pane));
}

#[test]
fn notifications_that_nobody_can_see_say_so() {
    let daemon = Daemon::start();
    let params = json!({ "title": "t", "body": "b", "position": "top-left", "sound": "done" });
    let shown = daemon.result("notification.show", params);
    assert_eq!(
        shown,
        json!({ "type": "notification_show", "shown": false, "reason": "disabled" })
    );
    let long = json!({ "title": "x".repeat(500) });
    assert_eq!(daemon.result("notification.show", long)["shown"], false);
    let empty = json!({ "title": " \n " });
    daemon.refuses(
        "notification.show",
        empty,
        "invalid_params",
        "notification title is empty",
    );
    let sound = json!({ "title": "t", "sound": "bang" });
    assert_eq!(
        daemon.refusal("notification.show", sound).0,
        "invalid_request"
    );
}

#[test]
fn a_surface_belongs_to_a_full_screen_client() {
    let daemon = Daemon::start();
    daemon.refuses(
        "client_shell.surface.set",
        json!({ "active": true }),
        "connection_local_only",
        "client_shell.surface.set is only available through a client shell endpoint",
    );
}

#[test]
fn no_label_is_so_long_that_lists_become_too_long_for_clients() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let before = daemon.result("session.snapshot", json!({}));
    let long = "x".repeat(100_000);
    let message =
        "invalid request: a label takes at most 4096 bytes ([limits] label_bytes), not 100000";
    for (method, params) in [
        ("workspace.create", json!({"label": long})),
        (
            "workspace.rename",
            json!({"workspace_id": "w1", "label": long}),
        ),
        ("tab.create", json!({"workspace_id": "w1", "label": long})),
        ("tab.rename", json!({"tab_id": "w1:t1", "label": long})),
        ("pane.rename", json!({"pane_id": pane, "label": long})),
    ] {
        daemon.refuses(method, params, "invalid_request", message);
    }
    assert_eq!(daemon.result("session.snapshot", json!({})), before);
}

#[test]
fn there_are_no_more_panes_than_the_configuration_allows() {
    let daemon = Setup::new().config("[limits]\npanes = 2\n").start();
    let first = daemon.workspace();
    daemon.rpc(
        "pane.split",
        json!({"target_pane_id": first, "direction": "right"}),
    );
    let full = "there are 2 panes already, as many as [limits] panes allows; close some first";
    daemon.refuses(
        "pane.split",
        json!({"target_pane_id": first, "direction": "right"}),
        "pane_split_failed",
        full,
    );
    daemon.refuses("tab.create", json!({}), "tab_create_failed", full);
    daemon.refuses(
        "workspace.create",
        json!({}),
        "workspace_create_failed",
        full,
    );
    daemon.result("pane.close", json!({"pane_id": first}));
    daemon.result("tab.create", json!({}));
}
