//! Panes, where they lie, and what is in them.

use super::{Row, method};

/// A workspace that there is not.
const NO_WORKSPACE: &str = r#"{"workspace_id":"w9"}"#;

/// A tab that there is not.
const NO_TAB: &str = r#"{"tab_id":"w1:t9"}"#;

/// A pane that there is not.
const NO_PANE: &str = r#"{"pane_id":"w9:p9"}"#;

const CLIENT: &str = "herdr 0.9.3 has no command for what only a full-screen client does";

const TREE: &str = "a tree is no argument of a command line";

pub const ROWS: &[Row] = &[
    method("pane.split")
        .effect("daemon::world::splits_share_their_place_by_ratio")
        .refuses(
            r#"{"target_pane_id":"w9:p9","direction":"right"}"#,
            "pane_not_found",
            "pane not found",
        )
        .command("pane split"),
    method("pane.swap")
        .effect("daemon::arrange::two_panes_change_places_and_the_first_gets_the_focus")
        .refuses(
            r#"{"source_pane_id":"w1:p1"}"#,
            "invalid_pane_swap",
            "missing target_pane_id",
        )
        .command("pane swap"),
    method("pane.move")
        .effect("daemon::arrange::an_emptied_workspace_goes_and_a_new_one_comes")
        .refuses(
            r#"{"pane_id":"w9:p9","destination":{"type":"new_tab"}}"#,
            "pane_not_found",
            "source pane not found",
        )
        .command("pane move"),
    method("pane.zoom")
        .effect("daemon::events::zoom_is_told_as_a_layout")
        .refuses(NO_PANE, "pane_not_found", "pane not found")
        .command("pane zoom"),
    method("pane.layout")
        .effect("daemon::processes::a_pane_alone_has_the_whole_headless_screen")
        .refuses(NO_PANE, "pane_not_found", "pane not found")
        .command("pane layout"),
    method("pane.process_info")
        .effect("daemon::processes::process_info_tells_who_is_in_the_foreground")
        .refuses(NO_PANE, "pane_not_found", "pane not found")
        .command("pane process-info"),
    method("layout.export")
        .effect("daemon::layout::a_tab_is_exported_as_the_tree_that_it_is")
        .refuses(NO_TAB, "layout_not_found", "layout target not found")
        .without(TREE),
    method("layout.apply")
        .effect("daemon::layout::named_panes_move_in_with_their_programs_and_the_others_stay")
        .refuses(
            r#"{"tab_id":"w1:t9","root":{"type":"pane"}}"#,
            "tab_not_found",
            "tab w1:t9 not found",
        )
        .without(TREE),
    method("layout.set_split_ratio")
        .effect("daemon::layout::a_split_is_given_a_ratio_by_its_path")
        .refuses(
            r#"{"path":[true],"ratio":0.5,"tab_id":"w1:t1"}"#,
            "split_not_found",
            "split path not found",
        )
        .without(TREE),
    method("pane.neighbor")
        .effect(
            "daemon::arrange::a_neighbour_is_found_on_each_side_and_an_edge_where_there_is_none",
        )
        .refuses(
            r#"{"direction":"left","pane_id":"w9:p9"}"#,
            "pane_not_found",
            "pane not found",
        )
        .command("pane neighbor"),
    method("pane.edges")
        .effect(
            "daemon::arrange::a_neighbour_is_found_on_each_side_and_an_edge_where_there_is_none",
        )
        .refuses(NO_PANE, "pane_not_found", "pane not found")
        .command("pane edges"),
    method("pane.focus_direction")
        .effect("daemon::arrange::the_focus_moves_to_a_side_as_far_as_there_is_one")
        .refuses(
            r#"{"direction":"left","pane_id":"w9:p9"}"#,
            "pane_not_found",
            "pane not found",
        )
        .command("pane focus"),
    method("pane.resize")
        .effect("daemon::arrange::a_border_moves_and_the_terminals_with_it")
        .refuses(
            r#"{"direction":"left","pane_id":"w9:p9"}"#,
            "pane_not_found",
            "pane not found",
        )
        .command("pane resize"),
    method("pane.scroll")
        .effect("daemon::copying::a_viewport_scrolls_as_far_as_there_are_rows")
        .refuses(
            r#"{"pane_id":"w9:p9","offset_from_bottom":1}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .without(CLIENT),
    method("pane.clear")
        .effect(
            "daemon::copying::a_cleared_pane_keeps_its_prompt_and_a_full_screen_program_its_picture",
        )
        .refuses(NO_PANE, "pane_not_found", "pane w9:p9 not found")
        .without(CLIENT),
    method("pane.edit_scrollback")
        .effect("daemon::copying::the_scrollback_is_edited_in_a_pane_that_covers_the_tab")
        .refuses(NO_PANE, "pane_not_found", "pane w9:p9 not found")
        .without(CLIENT),
    method("pane.selection.read")
        .effect("daemon::copying::a_selection_is_read_as_lines_not_as_rows")
        .refuses(
            r#"{"pane_id":"w9:p9","anchor":{"row":0,"col":0},"cursor":{"row":0,"col":1}}"#,
            "pane_not_found",
            "pane not found: w9:p9",
        )
        .without(CLIENT),
    method("pane.copy_motion")
        .effect("daemon::copying::a_copy_cursor_moves_by_words_lines_and_paragraphs")
        .refuses(
            r#"{"pane_id":"w9:p9","cursor":{"row":0,"col":0},"motion":"line_end"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .without(CLIENT),
    method("pane.copy_search")
        .effect("daemon::copying::a_search_tells_where_and_how_often")
        .refuses(
            r#"{"pane_id":"w9:p9","cursor":{"row":0,"col":0},"direction":"forward","query":"x","content_revision":0}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .without(CLIENT),
    method("pane.list")
        .effect("daemon::world::ids_are_never_given_twice")
        .refuses(
            NO_WORKSPACE,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("pane list"),
    method("pane.current")
        .effect("daemon::world::creating_takes_no_focus_unless_asked_or_nothing_had_it")
        .refuses(
            r#"{"caller_pane_id":"w9:p9"}"#,
            "pane_not_found",
            "pane not found",
        )
        .command("pane current"),
    method("pane.get")
        .effect("daemon::processes::a_program_that_ends_takes_its_pane_along")
        .refuses(NO_PANE, "pane_not_found", "pane w9:p9 not found")
        .command("pane get"),
    method("pane.focus")
        .effect("daemon::events::focus_is_told_as_a_triple_and_only_when_it_changes")
        .refuses(NO_PANE, "pane_not_found", "pane w9:p9 not found")
        .without("`pane focus` moves to a side; by id an agent's pane has `agent focus`"),
    method("pane.input.set")
        .effect("daemon::arrange::right_clicks_can_be_given_to_the_program")
        .refuses(
            r#"{"pane_id":"w9:p9","right_click":"pane"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .command("pane input"),
    method("pane.link.activate")
        .effect(
            "daemon::copying::links_open_with_the_configured_program_and_only_where_that_is_safe",
        )
        .refuses(
            r#"{"pane_id":"w9:p9","col":0,"viewport_row":0}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .without(CLIENT),
    method("pane.link.resolve")
        .effect(
            "daemon::copying::a_link_is_found_shown_whole_and_left_to_the_client_without_an_opener",
        )
        .refuses(
            r#"{"pane_id":"w9:p9","col":0,"viewport_row":0}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .without(CLIENT),
    method("pane.rename")
        .effect("daemon::world::labels_are_kept_as_given_and_default_to_positions")
        .refuses(NO_PANE, "pane_not_found", "pane w9:p9 not found")
        .command("pane rename"),
    method("pane.send_text")
        .effect("daemon::typing::text_of_one_line_goes_as_it_is")
        .refuses(
            r#"{"pane_id":"w9:p9","text":"x"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .command("pane send-text"),
    method("pane.send_keys")
        .effect("daemon::typing::keys_become_what_terminals_send")
        .refuses(
            r#"{"pane_id":"w1:p1","keys":["a","nosuchkey"]}"#,
            "invalid_key",
            "unsupported key nosuchkey",
        )
        .command("pane send-keys"),
    method("pane.send_input")
        .effect("daemon::typing::input_is_a_paste_and_then_keys")
        .refuses(
            r#"{"pane_id":"w9:p9","text":"x"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .command("pane run"),
    method("pane.read")
        .effect("daemon::output::colours_are_read_when_asked_for")
        .refuses(
            r#"{"pane_id":"w9:p9","source":"recent"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .command("pane read"),
    method("pane.wait_for_output")
        .effect("daemon::output::a_wait_finds_what_is_there_already")
        .refuses(
            r#"{"pane_id":"w1:p1","source":"recent","match":{"type":"regex","value":"("}}"#,
            "invalid_regex",
            "regex parse error:\n    (\n    ^\nerror: unclosed group",
        )
        .command("pane wait-output"),
    method("pane.close")
        .effect("daemon::processes::a_closed_pane_ends_everything_in_it")
        .refuses(NO_PANE, "pane_not_found", "pane w9:p9 not found")
        .command("pane close"),
];
