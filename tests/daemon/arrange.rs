//! Panes change their places, sizes, tabs and workspaces, and their programs run on.

use serde_json::{Value, json};

use super::common::{Daemon, Stream, names};

const FOCUS: [&str; 3] = ["workspace_focused", "tab_focused", "pane_focused"];

/// A tab with `w1:p1` over `w1:p3` to the left and `w1:p2` to the right, and `w2:p1` elsewhere.
fn scene() -> Daemon {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.split("w1:p1");
    let below = json!({ "target_pane_id": "w1:p1", "direction": "down" });
    daemon.result("pane.split", below);
    daemon.workspace();
    daemon
}

/// The panes of a layout in tree order, each with its rectangle.
fn tiles(layout: &Value) -> Vec<(String, [u64; 4])> {
    let tiles = layout["panes"].as_array().expect("panes").iter();
    let tile = |pane: &Value| {
        let cells = |name| pane["rect"][name].as_u64().expect("cells");
        let id = pane["pane_id"].as_str().expect("an id").to_owned();
        (id, ["x", "y", "width", "height"].map(cells))
    };
    tiles.map(tile).collect()
}

fn layout_of(daemon: &Daemon, pane: &str) -> Value {
    daemon.result("pane.layout", json!({ "pane_id": pane }))["layout"].clone()
}

fn listen(daemon: &Daemon) -> Stream {
    daemon.subscribe_to_everything(&[])
}

#[test]
fn a_neighbour_is_found_on_each_side_and_an_edge_where_there_is_none() {
    let daemon = scene();
    let neighbour = |pane: &str, side: &str| {
        let params = json!({ "pane_id": pane, "direction": side });
        let answer = daemon.result("pane.neighbor", params)["neighbor"].clone();
        assert_eq!(
            (&answer["pane_id"], &answer["direction"]),
            (&json!(pane), &json!(side))
        );
        assert_eq!(answer["layout"], layout_of(&daemon, pane));
        answer.get("neighbor_pane_id").cloned()
    };
    assert_eq!(neighbour("w1:p1", "right"), Some(json!("w1:p2")));
    assert_eq!(neighbour("w1:p1", "down"), Some(json!("w1:p3")));
    assert_eq!(neighbour("w1:p2", "left"), Some(json!("w1:p1")));
    assert_eq!(neighbour("w1:p2", "up"), None);
    let edges = daemon.result("pane.edges", json!({ "pane_id": "w1:p3" }))["edges"].clone();
    let touched = ["left", "right", "up", "down"].map(|side| edges[side].as_bool());
    assert_eq!(touched, [Some(true), Some(false), Some(false), Some(true)]);
    let focused = daemon.result("pane.edges", json!({}));
    assert_eq!(focused["edges"]["pane_id"], "w1:p1");
}

#[test]
fn the_focus_moves_to_a_side_as_far_as_there_is_one() {
    let daemon = scene();
    let mut stream = listen(&daemon);
    let focus = |params: Value| daemon.result("pane.focus_direction", params)["focus"].clone();
    let moved = focus(json!({ "direction": "right" }));
    assert_eq!(moved["changed"], true);
    assert_eq!(
        (&moved["source_pane_id"], &moved["focused_pane_id"]),
        (&json!("w1:p1"), &json!("w1:p2"))
    );
    assert!(moved.get("reason").is_none());
    assert_eq!(names(&stream.so_far(&daemon)), FOCUS);
    let stayed = focus(json!({ "pane_id": "w1:p1", "direction": "up" }));
    assert_eq!(
        (&stayed["changed"], &stayed["reason"]),
        (&json!(false), &json!("no_neighbor"))
    );
    assert_eq!(stayed["focused_pane_id"], "w1:p2");
    assert_eq!(names(&stream.so_far(&daemon)), Vec::<&str>::new());
}

#[test]
fn a_border_moves_and_the_terminals_with_it() {
    let daemon = scene();
    let mut stream = listen(&daemon);
    let resize = |params: Value| daemon.result("pane.resize", params)["resize"].clone();
    let moved = resize(json!({ "pane_id": "w1:p1", "direction": "right", "amount": -0.25 }));
    assert_eq!(
        (&moved["changed"], &moved["pane_id"]),
        (&json!(true), &json!("w1:p1"))
    );
    let places = tiles(&moved["layout"]);
    assert_eq!(places[2], ("w1:p2".into(), [90, 0, 30, 40]));
    let events = stream.so_far(&daemon);
    assert_eq!(names(&events), ["layout_updated"]);
    assert_eq!(events[0]["data"]["layout"], moved["layout"]);
    assert_eq!(daemon.shell("w1:p2", "stty size").trim(), "38 28");

    let shrunk = resize(json!({ "pane_id": "w1:p1", "direction": "up" }));
    assert_eq!(tiles(&shrunk["layout"])[0].1[3], 18, "45 % of 40");
    let end = resize(json!({ "pane_id": "w1:p1", "direction": "right", "amount": 9 }));
    assert_eq!(end["layout"]["splits"][0]["ratio"], 0.9);
    let stuck = resize(json!({ "pane_id": "w1:p1", "direction": "right" }));
    assert_eq!(
        (&stuck["changed"], &stuck["reason"]),
        (&json!(false), &json!("unchanged"))
    );
}

#[test]
fn two_panes_change_places_and_the_first_gets_the_focus() {
    let daemon = scene();
    let mut stream = listen(&daemon);
    let swap = |params: Value| daemon.result("pane.swap", params)["swap"].clone();
    let before = tiles(&layout_of(&daemon, "w1:p1"));
    let swapped = swap(json!({ "source_pane_id": "w1:p2", "target_pane_id": "w1:p3" }));
    assert_eq!(
        (&swapped["changed"], &swapped["focused_pane_id"]),
        (&json!(true), &json!("w1:p2"))
    );
    let after = tiles(&swapped["layout"]);
    let order: Vec<&str> = after.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(order, ["w1:p1", "w1:p2", "w1:p3"]);
    let rects = |tiles: &[(String, [u64; 4])]| tiles.iter().map(|tile| tile.1).collect::<Vec<_>>();
    assert_eq!(rects(&after), rects(&before), "the splits stay");
    let told = stream.so_far(&daemon);
    assert_eq!(names(&told), [&["layout_updated"][..], &FOCUS].concat());
    let back = swap(json!({ "pane_id": "w1:p2", "direction": "right" }));
    assert_eq!(
        (&back["changed"], &back["target_pane_id"]),
        (&json!(true), &json!("w1:p3"))
    );

    for (params, reason, target) in [
        (
            json!({ "pane_id": "w1:p1", "direction": "up" }),
            "no_neighbor",
            None,
        ),
        (
            json!({ "source_pane_id": "w1:p1", "target_pane_id": "w1:p1" }),
            "same_pane",
            Some("w1:p1"),
        ),
        (
            json!({ "source_pane_id": "w1:p1", "target_pane_id": "w9:p9" }),
            "not_found",
            Some("w9:p9"),
        ),
        (
            json!({ "source_pane_id": "w1:p1", "target_pane_id": "w2:p1" }),
            "cross_tab",
            Some("w2:p1"),
        ),
    ] {
        let refused = swap(params);
        assert_eq!(
            (&refused["changed"], &refused["reason"]),
            (&json!(false), &json!(reason))
        );
        assert_eq!(
            refused.get("target_pane_id").and_then(Value::as_str),
            target
        );
    }
    let words =
        "provide either direction with optional pane_id, or source_pane_id and target_pane_id";
    daemon.refuses("pane.swap", json!({}), "invalid_pane_swap", words);
    let mixed = json!({ "direction": "up", "source_pane_id": "w1:p1" });
    daemon.refuses("pane.swap", mixed, "invalid_pane_swap", words);
    let half = json!({ "source_pane_id": "w1:p1" });
    daemon.refuses(
        "pane.swap",
        half,
        "invalid_pane_swap",
        "missing target_pane_id",
    );
    let half = json!({ "target_pane_id": "w1:p1" });
    daemon.refuses(
        "pane.swap",
        half,
        "invalid_pane_swap",
        "missing source_pane_id",
    );
}

fn move_to(daemon: &Daemon, pane: &str, destination: Value, focus: bool) -> Value {
    let params = json!({ "pane_id": pane, "destination": destination, "focus": focus });
    daemon.result("pane.move", params)["move_result"].clone()
}

#[test]
fn a_pane_moves_into_a_tab_with_its_program() {
    let daemon = scene();
    let tab = daemon.tab();
    let shell = daemon.shell("w1:p2", "echo $PPID");
    let terminal = daemon.pane("w1:p2")["terminal_id"].clone();
    let mut stream = listen(&daemon);
    let destination = json!({ "type": "tab", "tab_id": "w1:t2", "split": "down", "ratio": 0.25 });
    let moved = move_to(&daemon, "w1:p2", destination.clone(), true);
    assert_eq!(
        (&moved["changed"], &moved["previous_tab_id"]),
        (&json!(true), &json!("w1:t1"))
    );
    assert_eq!(
        (&moved["pane"]["pane_id"], &moved["pane"]["tab_id"]),
        (&json!("w1:p2"), &json!("w1:t2"))
    );
    assert_eq!(
        (&moved["pane"]["terminal_id"], &moved["pane"]["focused"]),
        (&terminal, &json!(true))
    );
    let target = tiles(&moved["target_layout"]);
    assert_eq!(
        target,
        [
            (tab.clone(), [0, 0, 120, 10]),
            ("w1:p2".into(), [0, 10, 120, 30])
        ]
    );
    assert_eq!(moved["source_layout"], layout_of(&daemon, "w1:p1"));
    for absent in [
        "reason",
        "created_tab",
        "created_workspace",
        "closed_tab_id",
        "closed_workspace_id",
    ] {
        assert!(moved.get(absent).is_none(), "{absent}");
    }
    let events = stream.so_far(&daemon);
    let expected = ["pane_moved", "layout_updated", "layout_updated"];
    assert_eq!(names(&events), [&expected[..], &FOCUS].concat());
    assert_eq!(events[0]["data"]["pane"], moved["pane"]);
    assert_eq!(events[1]["data"]["layout"], moved["source_layout"]);
    assert_eq!(events[2]["data"]["layout"], moved["target_layout"]);
    assert_eq!(daemon.shell("w1:p2", "echo $PPID"), shell, "the same shell");
    assert_eq!(daemon.shell("w1:p2", "stty size").trim(), "28 118");

    let again = move_to(&daemon, "w1:p2", destination, true);
    assert_eq!(
        (&again["changed"], &again["reason"]),
        (&json!(false), &json!("same_tab"))
    );
    assert_eq!(again["source_layout"], again["target_layout"]);
    daemon.result("pane.zoom", json!({ "pane_id": "w1:p1", "mode": "on" }));
    let zoomed = move_to(&daemon, "w1:p1", json!({ "type": "new_tab" }), false);
    assert_eq!(
        (&zoomed["changed"], &zoomed["reason"]),
        (&json!(false), &json!("zoomed_tab"))
    );
}

#[test]
fn a_pane_that_moves_to_another_workspace_answers_to_both_ids() {
    let daemon = scene();
    let mut stream = listen(&daemon);
    let moved = move_to(
        &daemon,
        "w1:p2",
        json!({ "type": "new_tab", "workspace_id": "w2", "label": "logs" }),
        false,
    );
    assert_eq!(moved["pane"]["pane_id"], "w2:p2");
    assert_eq!(moved["created_tab"]["tab_id"], "w2:t2");
    assert_eq!(moved["created_tab"]["label"], "logs");
    let expected = [
        "tab_created",
        "pane_moved",
        "layout_updated",
        "layout_updated",
    ];
    assert_eq!(names(&stream.so_far(&daemon)), expected);
    assert_eq!(daemon.pane("w1:p2")["pane_id"], "w2:p2");
    let variable = daemon.shell("w1:p2", "echo $HERDR_PANE_ID");
    assert_eq!(variable.trim(), "w1:p2", "the environment is the old one");
}

#[test]
fn an_emptied_workspace_goes_and_a_new_one_comes() {
    let daemon = scene();
    let mut stream = listen(&daemon);
    let destination = json!({ "type": "new_workspace", "label": "spare", "tab_label": "main" });
    let moved = move_to(&daemon, "w2:p1", destination, true);
    assert_eq!(
        (&moved["closed_tab_id"], &moved["closed_workspace_id"]),
        (&json!("w2:t1"), &json!("w2"))
    );
    assert_eq!(
        (
            &moved["pane"]["pane_id"],
            &moved["created_workspace"]["label"]
        ),
        (&json!("w3:p1"), &json!("spare"))
    );
    assert_eq!(moved["created_tab"]["label"], "main");
    assert!(moved.get("source_layout").is_none());
    let events = stream.so_far(&daemon);
    let expected = [
        "tab_closed",
        "workspace_closed",
        "workspace_created",
        "tab_created",
        "pane_moved",
        "layout_updated",
    ];
    assert_eq!(names(&events), [&expected[..], &FOCUS].concat());
    assert!(events[1]["data"].get("workspace").is_none());
    assert_eq!(
        events[4]["data"]["created_workspace"],
        moved["created_workspace"]
    );
    let workspaces = daemon.result("workspace.list", json!({}));
    assert_eq!(workspaces["workspaces"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_move_to_nowhere_is_refused() {
    let daemon = scene();
    daemon.tab();
    let refuses = |pane: &str, destination: Value, code: &str, words: &str| {
        let params = json!({ "pane_id": pane, "destination": destination });
        daemon.refuses("pane.move", params, code, words);
    };
    let into = |tab: &str, target: &str| json!({ "type": "tab", "tab_id": tab, "split": "right", "target_pane_id": target });
    refuses(
        "w1:p9",
        json!({ "type": "new_tab" }),
        "pane_not_found",
        "source pane not found",
    );
    refuses(
        "w1:p1",
        into("w1:t9", "w1:p4"),
        "tab_not_found",
        "tab w1:t9 not found",
    );
    refuses(
        "w1:p1",
        into("w1:t2", "w1:p9"),
        "target_pane_not_found",
        "target pane w1:p9 not found",
    );
    refuses(
        "w1:p1",
        into("w1:t2", "w1:p2"),
        "target_pane_not_found",
        "target pane w1:p2 is not in tab w1:t2",
    );
    let elsewhere = json!({ "type": "new_tab", "workspace_id": "w9" });
    refuses(
        "w1:p1",
        elsewhere,
        "workspace_not_found",
        "workspace w9 not found",
    );
    assert_eq!(daemon.pane("w1:p1")["tab_id"], "w1:t1");
}

#[test]
fn a_wait_for_an_agent_ends_when_its_pane_moves() {
    let daemon = scene();
    daemon.busy("w1:p2".into());
    let report = json!({ "pane_id": "w1:p2", "source": "me", "agent": "me", "state": "working" });
    daemon.result("pane.report_agent", report);
    // Its number as a pane changes with each move, before the wait has come perhaps.
    daemon.result(
        "agent.rename",
        json!({ "target": "w1:p2", "name": "mover" }),
    );
    let mut waiting = daemon.connect();
    waiting.request(
        "wait",
        "agent.wait",
        json!({ "target": "mover", "until": ["idle"] }),
    );
    // The wait is there once a status that it does not wait for has passed it by; nothing tells, so
    // it is moved until the wait is over.
    let answer = std::thread::scope(|scope| {
        let ended = scope.spawn(|| waiting.line());
        let mut workspace = 1;
        while !ended.is_finished() {
            workspace = 3 - workspace;
            let to = json!({ "type": "new_tab", "workspace_id": format!("w{workspace}") });
            move_to(&daemon, "w1:p2", to, false);
        }
        ended.join().expect("an answer").expect("a line")
    });
    assert_eq!(answer["error"]["code"], "agent_not_running", "{answer}");
}

#[test]
fn right_clicks_can_be_given_to_the_program() {
    let daemon = scene();
    let set = |pane: &str| json!({ "pane_id": pane, "right_click": "pane" });
    assert_eq!(
        daemon.result("pane.input.set", set("w1:p1")),
        json!({ "type": "ok" })
    );
    daemon.refuses(
        "pane.input.set",
        set("w1:p9"),
        "pane_not_found",
        "pane w1:p9 not found",
    );
}

#[test]
fn workspaces_move_together_in_the_order_they_are_named() {
    let daemon = scene();
    daemon.workspace();
    let mut stream = listen(&daemon);
    let order = |answer: &Value| -> Vec<String> {
        let list = answer["workspaces"].as_array().expect("a list").iter();
        list.map(|one| one["workspace_id"].as_str().expect("an id").to_owned())
            .collect()
    };
    let block = json!({ "workspace_ids": ["w3", "w2"], "before_workspace_id": "w1" });
    let answer = daemon.result("workspace.move_block", block.clone());
    assert_eq!(order(&answer), ["w3", "w2", "w1"]);
    let events = stream.so_far(&daemon);
    assert_eq!(
        names(&events),
        [&["workspace_reordered"][..], &FOCUS].concat()
    );
    assert_eq!(events[0]["data"]["workspace_ids"], json!(["w3", "w2"]));
    assert_eq!(events[0]["data"]["before_workspace_id"], "w1");
    assert_eq!(events[0]["data"]["workspaces"], answer["workspaces"]);
    daemon.result("workspace.move_block", block);
    assert_eq!(
        names(&stream.so_far(&daemon)),
        Vec::<&str>::new(),
        "nothing moved"
    );
    let method = "workspace.move_block";
    let failed = "workspace_move_block_failed";
    daemon.refuses(
        method,
        json!({ "workspace_ids": [] }),
        failed,
        "workspace_ids must not be empty",
    );
    let unknown = json!({ "workspace_ids": ["w9"] });
    daemon.refuses(
        method,
        unknown,
        "workspace_not_found",
        "workspace w9 not found",
    );
}
