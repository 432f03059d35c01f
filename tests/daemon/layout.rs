//! A tab as a tree: out, in, and built again with the programs that run.

use serde_json::{Value, json};

use super::common::{Daemon, EVERYTHING, Setup, names};

fn side_by_side(first: Value, second: Value) -> Value {
    json!({ "type": "split", "direction": "right", "ratio": 0.5, "first": first, "second": second })
}

fn above(first: Value, second: Value) -> Value {
    json!({ "type": "split", "direction": "down", "ratio": 0.25, "first": first, "second": second })
}

fn pane(id: &str) -> Value {
    json!({ "type": "pane", "pane_id": id })
}

fn new() -> Value {
    json!({ "type": "pane" })
}

fn apply(daemon: &Daemon, params: Value) -> Value {
    daemon.result("layout.apply", params)["layout"].clone()
}

fn export(daemon: &Daemon, params: Value) -> Value {
    daemon.result("layout.export", params)["layout"].clone()
}

fn panes_of(daemon: &Daemon, tab: &str) -> Vec<String> {
    let panes = daemon.result("pane.list", json!({}))["panes"].clone();
    let panes = panes.as_array().expect("a list").iter();
    panes
        .filter(|pane| pane["tab_id"] == tab)
        .map(|pane| pane["pane_id"].as_str().expect("an id").to_owned())
        .collect()
}

/// The ids of a tree's panes from left to right.
fn leaves(node: &Value) -> Vec<String> {
    match node["type"].as_str() {
        Some("split") => [leaves(&node["first"]), leaves(&node["second"])].concat(),
        _ => vec![node["pane_id"].as_str().expect("an id").to_owned()],
    }
}

#[test]
fn a_tab_is_exported_as_the_tree_that_it_is() {
    let daemon = Daemon::start();
    let none = "layout target not found";
    daemon.refuses("layout.export", json!({}), "layout_not_found", none);
    daemon.workspace();
    daemon.split("w1:p1");
    daemon.result(
        "pane.rename",
        json!({ "pane_id": "w1:p2", "label": "right" }),
    );
    let home = daemon.home.path("home").display().to_string();
    let expected = json!({
        "workspace_id": "w1", "tab_id": "w1:t1", "zoomed": false, "focused_pane_id": "w1:p1",
        "root": side_by_side(
            json!({ "type": "pane", "pane_id": "w1:p1", "cwd": home }),
            json!({ "type": "pane", "pane_id": "w1:p2", "cwd": home, "label": "right" }),
        ),
    });
    for target in [
        json!({}),
        json!({ "tab_id": "w1:t1" }),
        json!({ "pane_id": "w1:p2" }),
    ] {
        assert_eq!(export(&daemon, target), expected);
    }
    for target in [
        json!({ "tab_id": "w1:t1", "pane_id": "w1:p1" }),
        json!({ "tab_id": "w1:t9" }),
        json!({ "pane_id": "w9:p1" }),
    ] {
        daemon.refuses("layout.export", target, "layout_not_found", none);
    }
}

#[test]
fn a_split_is_given_a_ratio_by_its_path() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.split("w1:p1");
    let mut stream = daemon.subscribe_to_everything(&[]);
    let set = |path: Value, ratio: f64| json!({ "path": path, "ratio": ratio });
    let answer = daemon.result("layout.set_split_ratio", set(json!([]), 5.0));
    assert_eq!(answer["layout"]["root"]["ratio"], 0.9);
    daemon.result("layout.set_split_ratio", set(json!([]), 0.9));
    let events = stream.so_far(&daemon);
    assert_eq!(
        names(&events),
        ["layout_updated"; 2],
        "also when it is what it was"
    );
    let method = "layout.set_split_ratio";
    let lost = "split path not found";
    daemon.refuses(method, set(json!([false]), 0.5), "split_not_found", lost);
    daemon.refuses(
        method,
        set(json!([]), 1e39),
        "invalid_ratio",
        "ratio must be finite",
    );
    let unknown = json!({ "tab_id": "w9:t1", "path": [], "ratio": 0.5 });
    daemon.refuses(
        method,
        unknown,
        "layout_not_found",
        "layout target not found",
    );
}

#[test]
fn a_tree_becomes_a_new_tab_with_all_that_it_says() {
    let daemon = Daemon::start();
    daemon.workspace();
    let place = daemon.home.path("tmp").display().to_string();
    let command = json!(["/bin/sh", "-c", "echo command-$X; exec cat"]);
    let root = side_by_side(
        json!({ "type": "pane", "label": "left", "cwd": place }),
        above(
            json!({ "type": "pane", "command": command, "env": { "X": "y" } }),
            new(),
        ),
    );
    let layout = apply(&daemon, json!({ "root": root, "tab_label": "built" }));
    assert_eq!(
        (&layout["tab_id"], &layout["focused_pane_id"]),
        (&json!("w1:t2"), &json!("w1:p2"))
    );
    assert_eq!(leaves(&layout["root"]), ["w1:p2", "w1:p3", "w1:p4"]);
    assert_eq!(layout, export(&daemon, json!({ "tab_id": "w1:t2" })));
    let node = &layout["root"]["second"]["first"];
    assert_eq!(
        (&node["command"], &node["env"]),
        (&command, &json!({ "X": "y" }))
    );
    daemon.wait_for_line("w1:p3", "command-y$");
    assert_eq!(layout["root"]["first"]["label"], "left");
    for pane in ["w1:p2", "w1:p3", "w1:p4"] {
        assert_eq!(
            daemon.pane(pane)["cwd"],
            place.as_str(),
            "as the pane it is split from"
        );
    }
    let tabs = daemon.result("tab.list", json!({}));
    assert_eq!(
        (&tabs["tabs"][1]["label"], &tabs["tabs"][1]["focused"]),
        (&json!("built"), &json!(false))
    );
    assert_eq!(daemon.shell("w1:p4", "stty size").trim(), "28 58");
}

#[test]
fn panes_are_numbered_as_if_the_tab_were_split_from_the_top() {
    let daemon = Daemon::start();
    daemon.workspace();
    let root = side_by_side(above(new(), new()), above(new(), new()));
    let layout = apply(&daemon, json!({ "root": root }));
    assert_eq!(
        leaves(&layout["root"]),
        ["w1:p2", "w1:p4", "w1:p3", "w1:p5"]
    );
}

#[test]
fn named_panes_move_in_with_their_programs_and_the_others_stay() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.split("w1:p1");
    daemon.split("w1:p2");
    daemon.workspace();
    daemon.result("tab.rename", json!({ "tab_id": "w1:t1", "label": "mine" }));
    let shell = |pane: &str| daemon.shell(pane, "echo $PPID");
    let running = ["w1:p2", "w1:p3", "w2:p1"].map(shell);
    let mut stream = daemon.subscribe_to_everything(&[]);
    let root = side_by_side(above(pane("w1:p2"), new()), pane("w2:p1"));
    let layout = apply(&daemon, json!({ "tab_id": "w1:t1", "root": root }));
    assert_eq!(layout["tab_id"], "w1:t2");
    assert_eq!(leaves(&layout["root"]), ["w1:p2", "w1:p4", "w1:p5"]);
    assert_eq!(panes_of(&daemon, "w1:t1"), ["w1:p1", "w1:p3"]);
    assert_eq!(
        ["w1:p2", "w1:p3", "w2:p1"].map(shell),
        running,
        "the same shells"
    );
    let events = stream.so_far(&daemon);
    let expected = [
        "tab_closed",
        "workspace_closed",
        "tab_created",
        "pane_moved",
        "pane_created",
        "pane_moved",
        "layout_updated",
        "layout_updated",
        "workspace_focused",
        "tab_focused",
        "pane_focused",
    ];
    assert_eq!(names(&events), expected);
    assert_eq!(events[0]["data"]["tab_id"], "w2:t1");
    assert_eq!(events[5]["data"]["previous_pane_id"], "w2:p1");
    assert_eq!(events[5]["data"]["closed_workspace_id"], "w2");
    assert_eq!(events[2]["data"]["tab"]["pane_count"], 3);
    assert_eq!(
        events[2]["data"]["tab"]["label"], "mine",
        "the name of the tab it takes over from"
    );
}

#[test]
fn a_tab_goes_when_the_layout_takes_all_its_panes() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.split("w1:p1");
    let mut stream = daemon.subscribe_to_everything(&[]);
    let exported = export(&daemon, json!({}));
    let layout = apply(
        &daemon,
        json!({ "tab_id": "w1:t1", "root": exported["root"] }),
    );
    assert_eq!(layout["root"], exported["root"]);
    assert_eq!(panes_of(&daemon, "w1:t2"), ["w1:p1", "w1:p2"]);
    let events = stream.so_far(&daemon);
    let expected = [
        "tab_closed",
        "tab_created",
        "pane_moved",
        "pane_moved",
        "layout_updated",
    ];
    assert_eq!(names(&events[..5]), expected);
    daemon.refuses(
        "tab.get",
        json!({ "tab_id": "w1:t1" }),
        "tab_not_found",
        "tab w1:t1 not found",
    );
}

#[test]
fn a_tree_of_panes_that_are_gone_is_built_anew() {
    let daemon = Daemon::start();
    daemon.workspace();
    let command = json!(["/bin/sh", "-c", "echo again-$X; exec cat"]);
    let node = json!({ "type": "pane", "command": command, "env": { "X": "y" } });
    let first = apply(&daemon, json!({ "root": node }));
    daemon.result("tab.close", json!({ "tab_id": first["tab_id"] }));
    let second = apply(&daemon, json!({ "root": first["root"] }));
    assert_eq!(leaves(&second["root"]), ["w1:p3"]);
    daemon.wait_for_line("w1:p3", "again-y$");
}

#[test]
fn a_layout_that_cannot_be_leaves_nothing_behind() {
    let daemon = Setup::new().config("[limits]\npanes = 4\n").start();
    daemon.refuses(
        "layout.apply",
        json!({ "root": new() }),
        "workspace_not_found",
        "no active workspace",
    );
    daemon.workspace();
    daemon.split("w1:p1");
    let refuses = |params: Value, code: &str, words: &str| {
        daemon.refuses("layout.apply", params, code, words);
    };
    let unknown = json!({ "root": new(), "tab_id": "w1:t9", "workspace_id": "w1" });
    refuses(unknown, "tab_not_found", "tab w1:t9 not found");
    let both = json!({ "root": new(), "tab_id": "w1:t1", "workspace_id": "w1" });
    refuses(
        both,
        "invalid_target",
        "use either tab_id or workspace_id, not both",
    );
    let unknown = json!({ "root": new(), "workspace_id": "w9" });
    refuses(unknown, "workspace_not_found", "workspace w9 not found");
    let empty = json!({ "root": { "type": "pane", "command": [] } });
    refuses(empty, "invalid_layout", "pane command must not be empty");
    let twice = json!({ "root": side_by_side(pane("w1:p1"), pane("w1:p1")) });
    refuses(twice, "invalid_layout", "pane w1:p1 appears more than once");
    let mut wide = side_by_side(new(), new());
    wide["ratio"] = json!(1e39);
    refuses(
        json!({ "root": wide }),
        "invalid_layout",
        "split ratio must be finite",
    );
    let many = (0..24).fold(new(), |row, _| side_by_side(row, new()));
    assert_eq!(
        daemon.refusal("layout.apply", json!({ "root": many })).0,
        "invalid_layout"
    );
    let deep = (0..17).fold(new(), |row, _| side_by_side(row, new()));
    let (code, message) = daemon.refusal("layout.apply", json!({ "root": deep }));
    assert_eq!(
        (code.as_str(), message.contains("deep")),
        ("invalid_layout", true),
        "{message}"
    );
    let env = json!({ "root": { "type": "pane", "env": { "": "x" } } });
    refuses(env, "invalid_env", "env key must not be empty");

    let missing = json!({ "type": "pane", "command": ["/no/such/program"] });
    let root = side_by_side(new(), missing);
    assert_eq!(
        daemon.refusal("layout.apply", json!({ "root": root })).0,
        "layout_apply_failed"
    );
    let three = side_by_side(new(), side_by_side(new(), new()));
    let (code, message) = daemon.refusal("layout.apply", json!({ "root": three }));
    assert_eq!(
        (code.as_str(), message.contains("[limits] panes")),
        ("layout_apply_failed", true)
    );
    assert_eq!(panes_of(&daemon, "w1:t1"), ["w1:p1", "w1:p2"]);
    let tabs = daemon.result("tab.list", json!({}))["tabs"].clone();
    assert_eq!(tabs.as_array().map(Vec::len), Some(1));
}

/// Every type of event that there is, those of a pane for each of these.
fn every_type(panes: &[String]) -> Vec<Value> {
    let mut entries: Vec<Value> = EVERYTHING
        .iter()
        .map(|kind| json!({ "type": kind }))
        .collect();
    for pane in panes {
        let never = json!({ "type": "substring", "value": "never" });
        entries.extend([
            json!({ "type": "pane.agent_status_changed", "pane_id": pane }),
            json!({ "type": "pane.scroll_changed", "pane_id": pane }),
            json!({ "type": "pane.output_matched", "pane_id": pane, "source": "visible", "match": never }),
        ]);
    }
    entries
}

/// The panes that events tell of, in their order.
fn told(events: &[Value]) -> Vec<&str> {
    let id = |event: &'_ Value| event["data"]["pane"]["pane_id"].is_string();
    assert!(events.iter().all(id), "{events:?}");
    let panes = events.iter().map(|event| &event["data"]["pane"]["pane_id"]);
    panes.filter_map(Value::as_str).collect()
}

/// Fifty panes, somebody who listens to everything, and a layout of eight: the order of herdr's
/// table, each event exactly once.
#[test]
fn a_layout_of_eight_among_fifty_panes_is_told_in_order() {
    let daemon = Setup::new()
        .config("[terminal]\ndefault_shell = \"/bin/cat\"\n")
        .start();
    daemon.workspace();
    for count in 1..50 {
        match count % 7 {
            0 => daemon.tab(),
            _ => daemon.split(&format!("w1:p{}", id_of(count))),
        };
    }
    let panes: Vec<String> = daemon.result("pane.list", json!({}))["panes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pane| pane["pane_id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(panes.len(), 50);
    // The order of what is subscribed to is not that of what is told.
    let mut entries = every_type(&panes);
    let mut stream = daemon.subscribe(json!(entries));
    entries.reverse();
    let mut reverse = daemon.subscribe(json!(entries));
    let quarter = || above(new(), new());
    let half = || side_by_side(quarter(), quarter());
    let focus = ["workspace_focused", "tab_focused", "pane_focused"];

    let root = above(half(), half());
    let layout = apply(&daemon, json!({ "root": root, "focus": true }));
    let events = stream.so_far(&daemon);
    let created = ["pane_created"; 8];
    let expected = [&["tab_created"], &created[..], &["layout_updated"], &focus].concat();
    assert_eq!(names(&events), expected);
    assert_eq!(events[0]["data"]["tab"]["pane_count"], 8);
    let leaves_of = |layout: &Value| leaves(&layout["root"]);
    assert_eq!(
        told(&events[1..9]),
        leaves_of(&layout),
        "in the order of the tree"
    );
    let of_layout = &events[9]["data"]["layout"];
    assert_eq!(of_layout["tab_id"], layout["tab_id"]);
    assert_eq!(of_layout["panes"].as_array().map(Vec::len), Some(8));
    let first = &leaves_of(&layout)[0];
    assert_eq!(events[12]["data"]["pane_id"], first.as_str());
    assert_eq!(reverse.take(events.len()), events);

    // The same eight the other way round, in the place of their tab: they move with their programs.
    let (above, below) = (&layout["root"]["first"], &layout["root"]["second"]);
    let root = json!({ "type": "split", "direction": "down", "ratio": 0.5, "first": below, "second": above });
    let turned = apply(&daemon, json!({ "root": root, "tab_id": layout["tab_id"] }));
    let events = stream.so_far(&daemon);
    let moved = ["pane_moved"; 8];
    let begun = ["tab_closed", "tab_created"];
    let expected = [&begun, &moved[..], &["layout_updated"], &focus].concat();
    assert_eq!(names(&events), expected);
    assert_eq!(events[0]["data"]["tab_id"], layout["tab_id"]);
    assert_eq!(
        told(&events[2..10]),
        leaves_of(&turned),
        "in the order of the tree"
    );
    assert_eq!(
        names(&reverse.take(1)),
        ["workspace_renamed"],
        "the mark before"
    );
    assert_eq!(reverse.take(events.len()), events);
}

/// The spelling of a number in an id.
fn id_of(number: usize) -> String {
    const DIGITS: &[u8; 32] = b"123456789ABCDEFGHJKMNPQRSTVWXYZ0";
    let (high, low) = ((number - 1) / 32, (number - 1) % 32);
    let digit = |index: usize| char::from(DIGITS[index]).to_string();
    match high {
        0 => digit(low),
        high => digit(high - 1) + &digit(low),
    }
}
