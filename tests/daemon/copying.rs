//! Scrolling, clearing, selecting, searching and following links in what a pane has shown.

use serde_json::{Value, json};

use super::common::{Daemon, Setup, names, until, until_true};

/// A focused pane that shows what a script prints and then nothing more.
fn shows(daemon: &Daemon, script: &str) -> String {
    daemon.workspace();
    let script = format!("{script}; echo 'shown'; exec cat");
    let root = json!({ "type": "pane", "command": ["/bin/sh", "-c", script] });
    let layout = daemon.result("layout.apply", json!({ "root": root, "focus": true }));
    let pane = layout["layout"]["focused_pane_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    daemon.wait_for_line(&pane, "^shown$");
    pane
}

fn point(row: u64, col: u64) -> Value {
    json!({ "row": row, "col": col })
}

/// The revision of a pane's text.
fn revision(daemon: &Daemon, pane: &str) -> u64 {
    let params = json!({ "pane_id": pane, "cursor": point(0, 0), "motion": "line_end" });
    let answer = daemon.result("pane.copy_motion", params);
    answer["content_revision"].as_u64().expect("a number")
}

#[test]
fn a_viewport_scrolls_as_far_as_there_are_rows() {
    let daemon = Daemon::start();
    let pane = shows(&daemon, "seq 1 200");
    let mut stream = daemon.subscribe(json!([{ "type": "pane.scroll_changed", "pane_id": pane }]));
    let scroll = |offset: u64| {
        let params = json!({ "pane_id": pane, "offset_from_bottom": offset });
        daemon.result("pane.scroll", params)["pane"]["scroll"].clone()
    };
    let visible = || {
        let params = json!({ "pane_id": pane, "source": "visible", "lines": 1000 });
        let read = daemon.result("pane.read", params);
        let text = read["read"]["text"].as_str().expect("text");
        text.lines().next().expect("a line").to_owned()
    };
    let before = revision(&daemon, &pane);
    assert_eq!(scroll(10)["offset_from_bottom"], 10);
    assert_eq!(
        visible(),
        "153",
        "161 tops the screen of 40 rows with the cursor's"
    );
    assert_eq!(stream.next()["data"]["scroll"]["offset_from_bottom"], 10);
    let top = scroll(u64::MAX);
    assert_eq!(top["offset_from_bottom"], top["max_offset_from_bottom"]);
    assert_eq!(visible(), "1");
    scroll(0);
    assert_eq!(revision(&daemon, &pane), before, "the text is the same");
    daemon.refuses(
        "pane.scroll",
        json!({ "pane_id": "w9:p9", "offset_from_bottom": 0 }),
        "pane_not_found",
        "pane w9:p9 not found",
    );
}

#[test]
fn a_cleared_pane_keeps_its_prompt_and_a_full_screen_program_its_picture() {
    let daemon = Daemon::start();
    let pane = shows(&daemon, "seq 1 200");
    let text = |source: &str| {
        let params = json!({ "pane_id": pane, "source": source, "lines": 1000 });
        let read = daemon.result("pane.read", params);
        read["read"]["text"].as_str().expect("text").to_owned()
    };
    daemon.result(
        "pane.send_text",
        json!({ "pane_id": pane, "text": "prompt" }),
    );
    daemon.wait_for_line(&pane, "^prompt$");
    assert_eq!(
        daemon.result("pane.clear", json!({ "pane_id": pane })),
        json!({ "type": "ok" })
    );
    assert_eq!(text("recent"), "prompt\n");
    assert_eq!(daemon.pane(&pane)["scroll"]["max_offset_from_bottom"], 0);

    let full = shows(&daemon, "printf '\\033[?1049hpicture\\n'");
    daemon.result("pane.clear", json!({ "pane_id": full }));
    let params = json!({ "pane_id": full, "source": "visible" });
    let read = daemon.result("pane.read", params)["read"]["text"].clone();
    assert_eq!(read, "picture\nshown\n");
    let unknown = json!({ "pane_id": "w9:p9" });
    daemon.refuses(
        "pane.clear",
        unknown,
        "pane_not_found",
        "pane w9:p9 not found",
    );
}

#[test]
fn a_selection_is_read_as_lines_not_as_rows() {
    let daemon = Daemon::start();
    let pane = shows(
        &daemon,
        "echo one two; printf '%0130d\\n' 7; echo; echo end",
    );
    let select = |anchor: Value, cursor: Value| {
        let params = json!({ "pane_id": pane, "anchor": anchor, "cursor": cursor });
        daemon.result("pane.selection.read", params)
    };
    let read = select(point(0, 4), point(0, 6));
    assert_eq!(
        read,
        json!({ "type": "pane_selection", "pane_id": pane, "text": "two" })
    );
    let text = select(point(4, 2), point(0, 4))["text"].clone();
    assert_eq!(text, format!("two\n{}7\n\nend", "0".repeat(129)));

    let method = "pane.selection.read";
    let params = |pane: &str, row: u64| json!({ "pane_id": pane, "anchor": point(row, 0), "cursor": point(row, 1) });
    daemon.refuses(
        method,
        params("w9:p9", 0),
        "pane_not_found",
        "pane not found: w9:p9",
    );
    let beyond = "selection text is unavailable";
    daemon.refuses(method, params(&pane, 9999), "selection_unavailable", beyond);
    let mut looked_at = params(&pane, 0);
    looked_at["content_revision"] = json!(revision(&daemon, &pane));
    assert_eq!(daemon.result(method, looked_at.clone())["text"], "on");
    daemon.enter(&pane, "more");
    daemon.wait_for_line(&pane, "^more$");
    daemon.refuses(method, looked_at, "stale_content", "pane content changed");
}

#[test]
fn a_copy_cursor_moves_by_words_lines_and_paragraphs() {
    let daemon = Daemon::start();
    let pane = shows(&daemon, "echo '  let x = y(1);'; echo; echo next");
    let moves = |row: u64, col: u64, motion: &str| {
        let params = json!({ "pane_id": pane, "cursor": point(row, col), "motion": motion });
        let answer = daemon.result("pane.copy_motion", params);
        assert_eq!(answer["pane_id"], pane.as_str());
        answer["cursor"].clone()
    };
    assert_eq!(moves(0, 0, "line_end"), point(0, 14));
    assert_eq!(moves(0, 9, "first_non_blank"), point(0, 2));
    assert_eq!(moves(0, 2, "next_word_start"), point(0, 6));
    assert_eq!(moves(0, 10, "next_word_start"), point(0, 11));
    assert_eq!(moves(0, 10, "next_big_word_start"), point(1, 0));
    assert_eq!(moves(0, 8, "previous_word_start"), point(0, 6));
    assert_eq!(moves(0, 12, "previous_big_word_start"), point(0, 10));
    assert_eq!(moves(0, 2, "next_word_end"), point(0, 4));
    assert_eq!(moves(0, 10, "next_big_word_end"), point(0, 14));
    assert_eq!(moves(0, 0, "next_paragraph"), point(1, 0));
    assert_eq!(moves(2, 0, "previous_paragraph"), point(1, 0));
    let beyond = json!({ "pane_id": pane, "cursor": point(9999, 0), "motion": "line_end" });
    let words = "terminal row is unavailable";
    daemon.refuses("pane.copy_motion", beyond, "copy_motion_unavailable", words);
    let old = json!({ "pane_id": pane, "cursor": point(0, 0), "motion": "line_end", "content_revision": 1 });
    daemon.refuses(
        "pane.copy_motion",
        old,
        "stale_content",
        "pane content changed",
    );
}

#[test]
fn a_search_tells_where_and_how_often() {
    let daemon = Daemon::start();
    let pane = shows(&daemon, "seq 1 3000; echo 'Error at 7'");
    let looked_at = revision(&daemon, &pane);
    let search = |query: &str, direction: &str, cursor: Value| {
        let params = json!({
            "pane_id": pane, "query": query, "direction": direction, "cursor": cursor,
            "content_revision": looked_at,
        });
        daemon.result("pane.copy_search", params)
    };
    let found = search("2999", "backward", point(3000, 0));
    assert_eq!((&found["total"], &found["current"]), (&json!(1), &json!(0)));
    let place = json!({ "start": point(2998, 0), "end": point(2998, 3) });
    assert_eq!(found["matches"], json!([place]));
    let many = search("7", "forward", point(3000, 0));
    assert_eq!(
        many["total"], 901,
        "300 on each of three digits, and one after them"
    );
    assert_eq!(many["matches"].as_array().map(Vec::len), Some(501));
    let last = many["current_global"].as_u64().expect("a number");
    assert_eq!(many["total"], last + 1);
    assert_eq!(search("error", "forward", point(0, 0))["total"], 1);
    assert_eq!(search("ERROR", "forward", point(0, 0))["total"], 0);
    assert!(
        search("nowhere", "forward", point(0, 0))
            .get("current")
            .is_none()
    );
    let stale = json!({
        "pane_id": pane, "query": "x", "direction": "forward", "cursor": point(0, 0),
        "content_revision": looked_at + 1,
    });
    daemon.refuses(
        "pane.copy_search",
        stale,
        "stale_content",
        "pane content changed",
    );
}

#[test]
fn a_link_is_found_shown_whole_and_left_to_the_client_without_an_opener() {
    let daemon = Daemon::start();
    let marked = r"printf '\033]8;;https://marked.example/\033\\here\033]8;;\033\\\n'";
    let pane = shows(
        &daemon,
        &format!("echo see https://text.example/x.; {marked}"),
    );
    let at = |row: u64, col: u64| json!({ "pane_id": pane, "viewport_row": row, "col": col });
    let resolved = daemon.result("pane.link.resolve", at(0, 10));
    let region = json!({ "row": 0, "start_col": 4, "end_col": 25 });
    assert_eq!(
        resolved,
        json!({ "type": "pane_link_resolved", "regions": [region] })
    );
    let region = json!({ "row": 1, "start_col": 0, "end_col": 3 });
    assert_eq!(
        daemon.result("pane.link.resolve", at(1, 2))["regions"],
        json!([region])
    );
    assert_eq!(
        daemon.result("pane.link.resolve", at(0, 0))["regions"],
        json!([])
    );
    let told = json!({
        "type": "pane_link_activated", "handled": false, "url": "https://marked.example/",
    });
    assert_eq!(daemon.result("pane.link.activate", at(1, 0)), told);
    let nothing = json!({ "type": "pane_link_activated", "handled": false });
    assert_eq!(daemon.result("pane.link.activate", at(0, 0)), nothing);

    let mut scrolled = at(1, 0);
    scrolled["offset_from_bottom"] = json!(3);
    let words = "pane viewport changed before link activation";
    daemon.refuses("pane.link.activate", scrolled, "stale_content", words);
    let mut changed = at(1, 0);
    changed["content_revision"] = json!(1);
    let words = "pane content changed before link activation";
    daemon.refuses("pane.link.resolve", changed, "stale_content", words);
    let hidden = json!({ "pane_id": "w1:p1", "viewport_row": 0, "col": 0 });
    daemon.refuses(
        "pane.link.activate",
        hidden,
        "stale_target",
        "pane is no longer visible",
    );
    let unknown = json!({ "pane_id": "w9:p1", "viewport_row": 0, "col": 0 });
    daemon.refuses(
        "pane.link.resolve",
        unknown,
        "pane_not_found",
        "pane w9:p1 not found",
    );
}

#[test]
fn links_open_with_the_configured_program_and_only_where_that_is_safe() {
    let setup = Setup::new().config("ui.link_opener = \"opener --new\"\n");
    let daemon = setup.start();
    let opened = daemon.home.path("tmp/opened");
    let script = format!("#!/bin/sh\necho \"$@\" >>{}\n", opened.display());
    daemon.home.script("opener", &script);
    let pane = shows(&daemon, "echo https://a.example/x; echo file:///etc/passwd");
    let activate = |row: u64| {
        let params = json!({ "pane_id": pane, "viewport_row": row, "col": 0 });
        daemon.result("pane.link.activate", params)
    };
    let refused = activate(1);
    assert_eq!(
        (&refused["handled"], &refused["url"]),
        (&json!(false), &json!("file:///etc/passwd"))
    );
    assert_eq!(activate(0)["handled"], true);
    let text = until("the opener", || {
        std::fs::read_to_string(&opened)
            .ok()
            .filter(|text| text.ends_with('\n'))
    });
    assert_eq!(text, "--new https://a.example/x\n");
}

#[test]
fn the_scrollback_is_edited_in_a_pane_that_covers_the_tab() {
    let setup = Setup::new().variable("VISUAL", "my-editor -x");
    let daemon = setup.start();
    let seen = daemon.home.path("tmp/seen");
    let script = format!(
        "#!/bin/sh\ncp \"$2\" {}\necho \"edits $2\"\nread -r done\n",
        seen.display()
    );
    daemon.home.script("my-editor", &script);
    let pane = shows(&daemon, "seq 1 200; printf '%0130d\\n' 7");
    let behind = json!({ "pane_id": "w1:p1" });
    let words = "pane is no longer focused";
    daemon.refuses("pane.edit_scrollback", behind, "stale_pane_target", words);
    let mut stream = daemon.subscribe_to_everything(&[]);
    let answer = daemon.result("pane.edit_scrollback", json!({ "pane_id": pane }));
    assert_eq!(answer, json!({ "type": "ok" }));
    let editor = "w1:p3";
    let line = daemon.wait_for_line(editor, "edits .*");
    let file = line.trim_start_matches("edits ").to_owned();
    let text = std::fs::read_to_string(&seen).expect("a copy");
    let numbers: String = (1..=200).map(|number| format!("{number}\n")).collect();
    assert_eq!(text, format!("{numbers}{}7\nshown\n", "0".repeat(129)));
    let layout = daemon.result("pane.layout", json!({ "pane_id": editor }))["layout"].clone();
    assert_eq!(
        (&layout["zoomed"], &layout["focused_pane_id"]),
        (&json!(true), &json!(editor))
    );
    assert!(std::path::Path::new(&file).exists());
    daemon.enter(editor, "done");
    until_true("the end of the editor", || {
        let panes = daemon.result("pane.list", json!({}))["panes"].clone();
        panes.as_array().is_some_and(|panes| panes.len() == 2)
    });
    until_true("the end of the file", || {
        !std::path::Path::new(&file).exists()
    });
    let events = stream.so_far(&daemon);
    let told = names(&events);
    assert_eq!(told[..2], ["pane_created", "layout_updated"]);
    assert!(told.contains(&"pane_exited"), "{told:?}");
    let focus = daemon.result("pane.current", json!({}));
    assert_eq!(focus["pane"]["pane_id"], pane.as_str());
}
