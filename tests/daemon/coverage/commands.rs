//! A row for each command of `herdr`.

use std::collections::BTreeSet;

use drover::command::{Entry, Group};
use serde_json::Value;

use super::super::common::{Daemon, executable};
use super::sources::Sources;

/// One command.
struct Row {
    path: &'static str,
    /// The test that shows what it does.
    effect: &'static str,
    /// Words that it cannot do anything with, on a daemon with one workspace of two panes.
    refused: &'static str,
    /// How it ends then: 1 is refused, 2 written wrongly. A stream begins well and says in its last line why it ended.
    code: i32,
    /// The first line that it prints; of an error as JSON, its code and its message. `$HOME`, `$RUN` and `$DROVER`
    /// stand for paths of the test.
    says: &'static str,
}

const fn command(path: &'static str) -> Row {
    Row {
        path,
        effect: "",
        refused: "",
        code: 0,
        says: "",
    }
}

impl Row {
    const fn effect(self, effect: &'static str) -> Row {
        Row { effect, ..self }
    }

    const fn refuses(self, refused: &'static str, code: i32, says: &'static str) -> Row {
        Row {
            refused,
            code,
            says,
            ..self
        }
    }
}

const ROWS: &[Row] = &[
    command("status")
        .effect("cli::status::with_a_daemon_client_and_server_agree")
        .refuses("status nosuch", 2, "herdr status commands:"),
    command("status server")
        .effect("cli::status::with_a_daemon_client_and_server_agree")
        .refuses(
            "status server extra",
            2,
            "usage: herdr status server [--json]",
        ),
    command("status client")
        .effect("cli::status::with_a_daemon_client_and_server_agree")
        .refuses(
            "status client --nosuch",
            2,
            "usage: herdr status client [--json]",
        ),
    command("server")
        .effect("cli::daemon::herdr_server_says_where_it_listens_and_ends_when_stopped")
        .refuses("server", 1, "error: herdr server is already running"),
    command("server stop")
        .effect("cli::daemon::herdr_server_says_where_it_listens_and_ends_when_stopped")
        .refuses("server stop --nosuch", 2, "usage: herdr server stop"),
    command("server live-handoff")
        .effect(
            "daemon::commands::a_server_that_is_handed_over_by_request_or_command_keeps_its_panes",
        )
        .refuses(
            "server live-handoff --expected-protocol 1",
            1,
            "handoff_failed: $DROVER has protocol 22, expected was 1",
        ),
    command("server reload-config")
        .effect("daemon::commands::the_server_is_asked_by_command")
        .refuses(
            "server reload-config extra",
            2,
            "usage: herdr server reload-config",
        ),
    command("server agent-manifests")
        .effect("daemon::commands::the_server_is_asked_by_command")
        .refuses(
            "server agent-manifests extra",
            2,
            "usage: herdr server agent-manifests [--json]",
        ),
    command("server update-agent-manifests")
        .effect("daemon::manifests::downloaded_rules_judge_the_screens_at_once")
        .refuses(
            "server update-agent-manifests extra",
            2,
            "usage: herdr server update-agent-manifests [--json]",
        ),
    command("server reload-agent-manifests")
        .effect("daemon::commands::the_server_is_asked_by_command")
        .refuses(
            "server reload-agent-manifests extra",
            2,
            "usage: herdr server reload-agent-manifests",
        ),
    command("session list")
        .effect("cli::sessions::running_sessions_are_told_from_stopped_ones")
        .refuses(
            "session list --nosuch",
            2,
            "usage: herdr session list [--json]",
        ),
    command("session attach")
        .effect("daemon::commands::a_terminal_is_attached_by_each_of_the_commands_that_do_so")
        .refuses(
            "session attach a b",
            2,
            "error: usage: herdr session attach <name>",
        ),
    command("session stop")
        .effect("daemon::restarts::named_sessions_are_separate")
        .refuses(
            "session stop nosuch",
            1,
            "session_stop_failed: session nosuch is not running or cannot be reached at $RUN/drover/sessions/nosuch/drover.sock.herdr: No such file or directory (os error 2)",
        ),
    command("session delete")
        .effect("cli::sessions::a_running_session_is_not_deleted_and_a_stopped_one_is_gone_after")
        .refuses(
            "session delete default",
            1,
            "session_delete_failed: deleting the default session is not supported",
        ),
    command("machine list")
        .effect("daemon::machines::a_saved_machine_is_driven_as_this_one_is")
        .refuses(
            "machine list extra",
            2,
            "usage: herdr machine list [--json]",
        ),
    command("machine status")
        .effect("daemon::machines::a_dead_host_a_hung_one_and_a_refused_key_are_told_apart_in_time")
        .refuses(
            "machine status no",
            2,
            "error: unknown machine 'no'; `herdr machine list` shows the saved ones",
        ),
    command("machine reconnect")
        .effect("daemon::machines::a_dead_host_a_hung_one_and_a_refused_key_are_told_apart_in_time")
        .refuses(
            "machine reconnect no",
            2,
            "error: unknown machine 'no'; `herdr machine list` shows the saved ones",
        ),
    command("machine add")
        .effect("daemon::machines::a_saved_machine_is_driven_as_this_one_is")
        .refuses("machine add -oProxyCommand=x", 2, "unknown option: -o"),
    command("machine rename")
        .effect("daemon::machines::what_is_written_wrongly_reaches_no_machine")
        .refuses(
            "machine rename no --label x",
            1,
            "error: unknown machine 'no'; `herdr machine list` has their ids",
        ),
    command("machine remove")
        .effect("daemon::machines::what_is_written_wrongly_reaches_no_machine")
        .refuses(
            "machine remove no",
            1,
            "error: unknown machine 'no'; `herdr machine list` has their ids",
        ),
    command("machine enable")
        .effect("daemon::machines::what_is_written_wrongly_reaches_no_machine")
        .refuses(
            "machine enable no",
            1,
            "error: unknown machine 'no'; `herdr machine list` has their ids",
        ),
    command("machine disable")
        .effect("daemon::machines::what_is_written_wrongly_reaches_no_machine")
        .refuses(
            "machine disable no",
            1,
            "error: unknown machine 'no'; `herdr machine list` has their ids",
        ),
    command("workspace list")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses("workspace list extra", 2, "usage: herdr workspace list"),
    command("workspace create")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses("workspace create --env =x", 2, "env key must not be empty"),
    command("workspace get")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses(
            "workspace get w9",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("workspace focus")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses(
            "workspace focus w9",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("workspace rename")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses(
            "workspace rename w9 x",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("workspace report-metadata")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses(
            "workspace report-metadata w9 --source s --token a=b",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("workspace close")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses(
            "workspace close w9",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("worktree list")
        .effect("daemon::worktrees::the_command_does_the_same")
        .refuses(
            "worktree list --cwd /",
            1,
            "not_git_worktree: Herdr worktree actions require a path inside a Git work tree",
        ),
    command("worktree create")
        .effect("daemon::worktrees::the_command_does_the_same")
        .refuses(
            "worktree create --cwd / --branch x",
            1,
            "not_git_worktree: Herdr worktree actions require a path inside a Git work tree",
        ),
    command("worktree open")
        .effect("daemon::worktrees::the_command_does_the_same")
        .refuses(
            "worktree open --workspace w9 --branch x",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("worktree remove")
        .effect("daemon::worktrees::the_command_does_the_same")
        .refuses(
            "worktree remove --workspace w9",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("tab list")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses(
            "tab list --workspace w9",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("tab create")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses(
            "tab create --workspace w9",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("tab get")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses("tab get w1:t9", 1, "tab_not_found: tab w1:t9 not found"),
    command("tab focus")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses("tab focus w1:t9", 1, "tab_not_found: tab w1:t9 not found"),
    command("tab rename")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses(
            "tab rename w1:t9 x",
            1,
            "tab_not_found: tab w1:t9 not found",
        ),
    command("tab close")
        .effect("daemon::commands::workspaces_and_tabs_come_and_go_by_command")
        .refuses("tab close w1:t9", 1, "tab_not_found: tab w1:t9 not found"),
    command("pane list")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane list --workspace w9",
            1,
            "workspace_not_found: workspace w9 not found",
        ),
    command("pane current")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane current --pane w9:p9",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane get")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses("pane get w9:p9", 1, "pane_not_found: pane w9:p9 not found"),
    command("pane layout")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane layout --pane w9:p9",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane process-info")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane process-info --pane w9:p9",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane edges")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane edges --pane w9:p9",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane neighbor")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane neighbor --direction left --pane w9:p9",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane focus")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane focus --direction left --pane w9:p9",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane resize")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane resize --direction left --pane w9:p9",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane zoom")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses("pane zoom w9:p9", 1, "pane_not_found: pane not found"),
    command("pane rename")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane rename w9:p9 x",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("pane input")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane input w9:p9 --right-click pane",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("pane split")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane split w9:p9 --direction right",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane swap")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane swap --direction left --pane w9:p9",
            1,
            "pane_not_found: pane not found",
        ),
    command("pane move")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane move w9:p9 --new-tab",
            1,
            "pane_not_found: source pane not found",
        ),
    command("pane close")
        .effect("daemon::commands::panes_are_arranged_by_command")
        .refuses(
            "pane close w9:p9",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("pane read")
        .effect("daemon::commands::text_goes_into_a_pane_and_comes_out_of_it_by_command")
        .refuses("pane read w9:p9", 1, "pane_not_found: pane w9:p9 not found"),
    command("pane send-text")
        .effect("daemon::commands::text_goes_into_a_pane_and_comes_out_of_it_by_command")
        .refuses(
            "pane send-text w9:p9 x",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("pane send-keys")
        .effect("daemon::commands::text_goes_into_a_pane_and_comes_out_of_it_by_command")
        .refuses(
            "pane send-keys w1:p1 nosuchkey",
            1,
            "invalid_key: unsupported key nosuchkey",
        ),
    command("pane run")
        .effect("daemon::commands::text_goes_into_a_pane_and_comes_out_of_it_by_command")
        .refuses(
            "pane run w9:p9 true",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("pane wait-output")
        .effect("daemon::commands::text_goes_into_a_pane_and_comes_out_of_it_by_command")
        .refuses(
            "pane wait-output w1:p1 --match never --timeout 1",
            1,
            "timeout: timed out waiting for output match",
        ),
    command("pane report-agent")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "pane report-agent w9:p9 --source s --agent a --state idle",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("pane report-agent-session")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "pane report-agent-session w9:p9 --source s --agent a --agent-session-id i",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("pane release-agent")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "pane release-agent w9:p9 --source s --agent a",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("pane report-metadata")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "pane report-metadata w9:p9 --source s --title t",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("agent list")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses("agent list extra", 2, "usage: herdr agent list"),
    command("agent get")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "agent get nobody",
            1,
            "agent_not_found: agent target nobody not found",
        ),
    command("agent read")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "agent read nobody",
            1,
            "agent_not_found: agent target nobody not found",
        ),
    command("agent send-keys")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "agent send-keys nobody enter",
            1,
            "agent_not_found: agent target nobody not found",
        ),
    command("agent prompt")
        .effect("cli::requests::each_command_sends_one_line_and_prints_the_answer_with_sorted_keys")
        .refuses(
            "agent prompt nobody x",
            1,
            "agent_not_found: agent target nobody not found",
        ),
    command("agent start")
        .effect("daemon::acting::the_command_waits_until_the_agent_can_be_talked_to")
        .refuses(
            "agent start ann --kind pi --pane w9:p9",
            1,
            "pane_not_found: pane w9:p9 not found",
        ),
    command("agent rename")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "agent rename nobody x",
            1,
            "agent_not_found: agent target nobody not found",
        ),
    command("agent focus")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "agent focus nobody",
            1,
            "agent_not_found: agent target nobody not found",
        ),
    command("agent attach")
        .effect("daemon::commands::a_terminal_is_attached_by_each_of_the_commands_that_do_so")
        .refuses(
            "agent attach nobody",
            2,
            "error: attaching needs a terminal on standard input and output",
        ),
    command("agent wait")
        .effect("daemon::commands::agents_are_reported_and_found_by_command")
        .refuses(
            "agent wait nobody",
            1,
            "agent_not_found: agent target nobody not found",
        ),
    command("agent explain")
        .effect("cli::requests::an_explanation_is_printed_without_the_answer_around_it")
        .refuses(
            "agent explain nobody",
            1,
            "agent_not_found: agent target nobody not found",
        ),
    command("terminal attach")
        .effect("daemon::commands::a_terminal_is_attached_by_each_of_the_commands_that_do_so")
        .refuses(
            "terminal attach w9:p9",
            2,
            "error: attaching needs a terminal on standard input and output",
        ),
    command("terminal session observe")
        .effect("daemon::commands::a_pane_is_observed_by_command_until_it_closes")
        .refuses(
            "terminal session observe w9:p9",
            0,
            r#"{"reason":"terminal session observe failed: terminal target w9:p9 not found","type":"terminal.closed"}"#,
        ),
    command("terminal session control")
        .effect(
            "daemon::terminal::commands_come_from_standard_input_and_its_end_gives_the_pane_back",
        )
        .refuses(
            "terminal session control w9:p9",
            0,
            r#"{"reason":"terminal session control failed: terminal target w9:p9 not found","type":"terminal.closed"}"#,
        ),
    command("terminal title set")
        .effect("daemon::attach::the_title_of_windows_is_set_for_all_and_given_back")
        .refuses(
            "terminal title set",
            2,
            "usage: herdr terminal title set <title>",
        ),
    command("terminal title clear")
        .effect("daemon::attach::the_title_of_windows_is_set_for_all_and_given_back")
        .refuses(
            "terminal title clear extra",
            2,
            "usage: herdr terminal title clear",
        ),
    command("notification show")
        .effect("daemon::commands::the_server_is_asked_by_command")
        .refuses(
            "notification show T --sound x",
            2,
            "invalid sound: x (expected none, done, or request)",
        ),
    command("integration install")
        .effect("cli::integration::hooks_go_in_and_out_with_a_line_for_each_file")
        .refuses(
            "integration install pi",
            1,
            "pi extension directory not found at $HOME/.pi/agent/extensions. install pi first",
        ),
    command("integration uninstall")
        .effect("cli::integration::hooks_go_in_and_out_with_a_line_for_each_file")
        .refuses(
            "integration uninstall nosuch",
            2,
            "unknown integration target: nosuch",
        ),
    command("integration status")
        .effect("cli::integration::every_target_has_a_line_of_status")
        .refuses("integration status extra", 2, "unexpected argument: extra"),
    command("integration hook")
        .effect("daemon::commands::a_hook_tells_by_command_which_session_is_open")
        .refuses(
            "integration hook claude",
            2,
            "usage: herdr integration hook <target> <word>",
        ),
    command("integration list")
        .effect("daemon::commands::the_server_is_asked_by_command")
        .refuses("integration list extra", 2, "usage: herdr integration list"),
    command("plugin install")
        .effect("daemon::plugins::a_plugin_is_fetched_shown_built_and_let_in_and_leaves_no_trace_when_that_fails")
        .refuses("plugin install a", 2, "invalid plugin source: a (expected owner/repo[/subdir...] on GitHub; a plugin on this machine is let in with `herdr plugin link`)"),
    command("plugin uninstall")
        .effect("daemon::plugins::a_plugin_is_fetched_shown_built_and_let_in_and_leaves_no_trace_when_that_fails")
        .refuses("plugin uninstall nosuch", 1, "plugin not installed: nosuch"),
    command("plugin link")
        .effect("daemon::plugins::the_registry_is_one_for_all_sessions_and_needs_no_daemon")
        .refuses("plugin link nosuch", 1, "plugin_manifest_not_found: $HOME/nosuch: No such file or directory (os error 2)"),
    command("plugin list")
        .effect("daemon::plugins::the_registry_is_one_for_all_sessions_and_needs_no_daemon")
        .refuses("plugin list extra", 2, "unexpected argument: extra"),
    command("plugin config-dir")
        .effect("daemon::plugins::the_registry_is_one_for_all_sessions_and_needs_no_daemon")
        .refuses("plugin config-dir", 2, "usage: herdr plugin config-dir <plugin_id>"),
    command("plugin unlink")
        .effect("daemon::plugins::the_registry_is_one_for_all_sessions_and_needs_no_daemon")
        .refuses("plugin unlink", 2, "usage: herdr plugin unlink <plugin_id>"),
    command("plugin enable")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin enable nosuch", 1, "plugin_not_found: plugin not found"),
    command("plugin disable")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin disable nosuch", 1, "plugin_not_found: plugin not found"),
    command("plugin action list")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin action list extra", 2, "unexpected argument: extra"),
    command("plugin action invoke")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin action invoke nosuch", 1, "plugin_action_not_found: plugin action not found"),
    command("plugin log")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin log nosuch", 2, "herdr plugin log commands:"),
    command("plugin log list")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin log list --limit x", 2, "invalid value for --limit: x"),
    command("plugin pane open")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin pane open --plugin nosuch --entrypoint b", 1, "plugin_not_found: plugin not found"),
    command("plugin pane focus")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin pane focus w1:p1", 1, "plugin_pane_not_found: plugin pane not found"),
    command("plugin pane close")
        .effect("daemon::plugins::what_is_asked_for_by_command_is_done")
        .refuses("plugin pane close w1:p1", 1, "plugin_pane_not_found: plugin pane not found"),
    command("api snapshot")
        .effect("daemon::commands::the_server_is_asked_by_command")
        .refuses("api snapshot --nosuch", 2, "usage: herdr api snapshot"),
    command("api schema")
        .effect("daemon::commands::the_server_is_asked_by_command")
        .refuses("api schema --nosuch", 2, "unknown option: --nosuch"),
    command("config check")
        .effect("cli::config::a_file_is_checked_with_code_one_for_issues")
        .refuses("config check extra", 2, "usage: herdr config check"),
    command("config reset-keys")
        .effect("cli::config::key_bindings_are_taken_out_and_the_file_is_kept_as_it_was")
        .refuses("config reset-keys x", 2, "usage: herdr config reset-keys"),
    command("channel show")
        .effect("cli::own_texts::updating_is_explained_and_fails")
        .refuses("channel show extra", 2, "usage: herdr channel show"),
    command("channel set")
        .effect("cli::own_texts::updating_is_explained_and_fails")
        .refuses(
            "channel set nightly",
            2,
            "usage: herdr channel set <stable|preview>",
        ),
    command("update")
        .effect("cli::own_texts::updating_is_explained_and_fails")
        .refuses("update --now", 2, "unknown update option: --now"),
    command("completion")
        .effect("cli::help::completions_are_as_committed_and_the_same_from_both_names")
        .refuses("completion nosuch", 2, "unknown shell: nosuch"),
];

/// The words of every command, those that no list shows included.
pub fn paths() -> Vec<String> {
    let mut paths = Vec::new();
    collect(&drover::herdr::ROOT, "", &mut paths);
    paths
}

fn collect(group: &Group, above: &str, paths: &mut Vec<String>) {
    for entry in group.entries {
        let path = format!("{above} {}", entry.name()).trim_start().to_owned();
        match entry {
            Entry::Command(_) => paths.push(path),
            Entry::Group(group) => {
                paths.extend(group.alone.is_some().then(|| path.clone()));
                collect(group, &path, paths);
            }
        }
    }
}

#[test]
fn every_command_has_a_row() {
    let there: BTreeSet<_> = paths().into_iter().collect();
    let mut listed = BTreeSet::new();
    for row in ROWS {
        assert!(
            listed.insert(row.path.to_owned()),
            "{} is there twice",
            row.path
        );
    }
    assert_eq!(listed, there);
}

#[test]
fn every_command_has_a_test_that_shows_what_it_does() {
    let sources = Sources::read();
    let complaints: Vec<String> = ROWS
        .iter()
        .filter_map(|row| {
            let words = row.path.replace(' ', "\", \"");
            let used = [
                format!("\"{}\"", row.path),
                format!("\"{} ", row.path),
                format!("\"{words}\""),
                format!("herdr {} ", row.path),
            ];
            sources.complaint(row.effect, &used)
        })
        .collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// The first line; of an error as JSON, its code and its message.
fn said(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let error = serde_json::from_str::<Value>(line).unwrap_or_default()["error"].clone();
    match (error["code"].as_str(), error["message"].as_str()) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        _ => line.to_owned(),
    }
}

#[test]
fn every_command_says_what_it_cannot_do() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.split("w1:p1");
    for row in ROWS {
        assert!(row.refused.starts_with(row.path), "{}", row.path);
        let end = daemon.herdr(&row.refused.split(' ').collect::<Vec<_>>());
        let (text, silent) = match row.code {
            0 => (&end.stdout, &end.stderr),
            _ => (&end.stderr, &end.stdout),
        };
        let says = row
            .says
            .replace("$HOME", &daemon.home.path("home").display().to_string())
            .replace("$RUN", &daemon.home.path("run").display().to_string())
            .replace("$DROVER", &executable().display().to_string());
        assert_eq!((said(text), end.code), (says, Some(row.code)), "{end:?}");
        assert_eq!(silent, "", "{}", row.path);
    }
}
