//! Plugins, their panes and the popup.

use super::{Row, method};

/// What is no text.
const NUMBER: &str = r#"{"plugin_id":1}"#;
const NO_TEXT: &str = "invalid request: invalid type: integer `1`, expected a string";

pub const ROWS: &[Row] = &[
    method("popup.close")
        .effect("daemon::plugins::there_is_one_popup_and_it_is_no_pane")
        .refuses("{}", "popup_not_open", "no popup is open")
        .without("herdr has none: a popup ends with its program"),
    method("plugin.link")
        .effect("daemon::plugins::a_plugin_is_what_its_manifest_says_and_what_is_wrong_with_one_is_said")
        .refuses(
            r#"{"path":"relative"}"#,
            "invalid_plugin_manifest_path",
            "relative is not an absolute path",
        )
        .command("plugin link"),
    method("plugin.list")
        .effect("daemon::plugins::a_plugin_is_what_its_manifest_says_and_what_is_wrong_with_one_is_said")
        .refuses(NUMBER, "invalid_request", NO_TEXT)
        .command("plugin list"),
    method("plugin.unlink")
        .effect("daemon::plugins::a_plugin_is_what_its_manifest_says_and_what_is_wrong_with_one_is_said")
        .refuses(
            r#"{"plugin_id":"a b"}"#,
            "invalid_plugin_id",
            "plugin id must be non-empty, <= 120 characters, and contain only ASCII letters, digits, colon, dot, underscore, or hyphen",
        )
        .command("plugin unlink"),
    method("plugin.enable")
        .effect("daemon::plugins::hooks_run_when_the_session_starts_and_on_events")
        .refuses(r#"{"plugin_id":"nosuch"}"#, "plugin_not_found", "plugin not found")
        .command("plugin enable"),
    method("plugin.disable")
        .effect("daemon::plugins::a_view_is_its_plugins_as_long_as_that_may_run")
        .refuses(r#"{"plugin_id":"nosuch"}"#, "plugin_not_found", "plugin not found")
        .command("plugin disable"),
    method("plugin.action.list")
        .effect("daemon::plugins::an_action_that_may_not_run_is_refused_with_the_first_reason")
        .refuses(NUMBER, "invalid_request", NO_TEXT)
        .command("plugin action list"),
    method("plugin.action.invoke")
        .effect("daemon::plugins::an_action_runs_in_its_plugins_folder_and_is_told_where_it_was_called_from")
        .refuses(
            r#"{"action_id":"nosuch"}"#,
            "plugin_action_not_found",
            "plugin action not found",
        )
        .command("plugin action invoke"),
    method("plugin.log.list")
        .effect("daemon::plugins::the_example_does_what_it_says")
        .refuses(NUMBER, "invalid_request", NO_TEXT)
        .command("plugin log list"),
    method("plugin.pane.open")
        .effect("daemon::plugins::panes_of_plugins_open_where_they_are_asked_to_and_are_told_what_they_are")
        .refuses(
            r#"{"plugin_id":"nosuch","entrypoint":"board"}"#,
            "plugin_not_found",
            "plugin not found",
        )
        .command("plugin pane open"),
    method("plugin.pane.focus")
        .effect("daemon::plugins::panes_of_plugins_open_where_they_are_asked_to_and_are_told_what_they_are")
        .refuses(
            r#"{"pane_id":"w1:p1"}"#,
            "plugin_pane_not_found",
            "plugin pane not found",
        )
        .command("plugin pane focus"),
    method("plugin.pane.close")
        .effect("daemon::plugins::panes_of_plugins_open_where_they_are_asked_to_and_are_told_what_they_are")
        .refuses(
            r#"{"pane_id":"w1:p1"}"#,
            "plugin_pane_not_found",
            "plugin pane not found",
        )
        .command("plugin pane close"),
];
