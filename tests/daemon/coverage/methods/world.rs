//! Workspaces, worktrees and tabs.

use super::{Row, method};

/// A workspace that there is not.
const NO_WORKSPACE: &str = r#"{"workspace_id":"w9"}"#;

/// A tab that there is not.
const NO_TAB: &str = r#"{"tab_id":"w1:t9"}"#;

/// No parameters can be wrong where there are none; but these are no object.
const NOTHING: &str = "[]";

pub const ROWS: &[Row] = &[
    method("workspace.create")
        .effect("daemon::events::creating_is_told_from_the_outside_in")
        .refuses(
            r#"{"env":{"A=B":"x"}}"#,
            "invalid_env",
            "env key A=B must not contain '='",
        )
        .command("workspace create"),
    method("workspace.list")
        .effect("daemon::arrange::an_emptied_workspace_goes_and_a_new_one_comes")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("workspace list"),
    method("workspace.get")
        .effect("daemon::environment::a_workspace_is_called_after_where_its_shell_is")
        .refuses(
            NO_WORKSPACE,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("workspace get"),
    method("workspace.focus")
        .effect("daemon::events::focus_is_told_as_a_triple_and_only_when_it_changes")
        .refuses(
            NO_WORKSPACE,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("workspace focus"),
    method("workspace.rename")
        .effect("daemon::world::labels_are_kept_as_given_and_default_to_positions")
        .refuses(
            r#"{"workspace_id":"w9","label":"x"}"#,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("workspace rename"),
    method("workspace.move")
        .effect("daemon::events::names_and_places_are_told_when_they_change")
        .refuses(
            r#"{"workspace_id":"w9","insert_index":0}"#,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .without("a person drags workspaces about in a full-screen client"),
    method("workspace.move_block")
        .effect("daemon::arrange::workspaces_move_together_in_the_order_they_are_named")
        .refuses(
            r#"{"workspace_ids":["w9"]}"#,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .without("a person drags workspaces about in a full-screen client"),
    method("workspace.report_metadata")
        .effect("daemon::reports::a_workspace_carries_tokens_of_its_own")
        .refuses(
            r#"{"workspace_id":"w9","source":"s","tokens":{"a":"b"}}"#,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("workspace report-metadata"),
    method("workspace.close")
        .effect("daemon::events::closing_is_told_once_from_the_inside_out")
        .refuses(
            NO_WORKSPACE,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("workspace close"),
    method("worktree.list")
        .effect("daemon::worktrees::a_repository_is_listed_from_anywhere_in_it")
        .refuses(
            r#"{"cwd":"/"}"#,
            "not_git_worktree",
            "Herdr worktree actions require a path inside a Git work tree",
        )
        .command("worktree list"),
    method("worktree.create")
        .effect("daemon::worktrees::a_repository_that_no_workspace_shows_gets_one_of_its_own")
        .refuses(
            r#"{"cwd":"/","branch":"x"}"#,
            "not_git_worktree",
            "Herdr worktree actions require a path inside a Git work tree",
        )
        .command("worktree create"),
    method("worktree.open")
        .effect("daemon::worktrees::a_checkout_is_opened_once_by_path_or_branch")
        .refuses(
            r#"{"cwd":"/","branch":"x"}"#,
            "not_git_worktree",
            "Herdr worktree actions require a path inside a Git work tree",
        )
        .command("worktree open"),
    method("worktree.remove")
        .effect("daemon::worktrees::a_clean_checkout_is_removed_and_its_branch_stays")
        .refuses(
            NO_WORKSPACE,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("worktree remove"),
    method("tab.create")
        .effect("daemon::world::ids_are_never_given_twice")
        .refuses(
            NO_WORKSPACE,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("tab create"),
    method("tab.list")
        .effect("daemon::world::labels_are_kept_as_given_and_default_to_positions")
        .refuses(
            NO_WORKSPACE,
            "workspace_not_found",
            "workspace w9 not found",
        )
        .command("tab list"),
    method("tab.get")
        .effect("daemon::layout::a_tab_goes_when_the_layout_takes_all_its_panes")
        .refuses(NO_TAB, "tab_not_found", "tab w1:t9 not found")
        .command("tab get"),
    method("tab.focus")
        .effect("daemon::events::focus_is_told_as_a_triple_and_only_when_it_changes")
        .refuses(NO_TAB, "tab_not_found", "tab w1:t9 not found")
        .command("tab focus"),
    method("tab.rename")
        .effect("daemon::world::labels_are_kept_as_given_and_default_to_positions")
        .refuses(
            r#"{"tab_id":"w1:t9","label":"x"}"#,
            "tab_not_found",
            "tab w1:t9 not found",
        )
        .command("tab rename"),
    method("tab.move")
        .effect("daemon::world::tabs_move_within_their_workspace")
        .refuses(
            r#"{"tab_id":"w1:t9","insert_index":0}"#,
            "tab_not_found",
            "tab w1:t9 not found",
        )
        .without("a person drags tabs about in a full-screen client"),
    method("tab.close")
        .effect("daemon::events::closing_is_told_once_from_the_inside_out")
        .refuses(NO_TAB, "tab_not_found", "tab w1:t9 not found")
        .command("tab close"),
];
