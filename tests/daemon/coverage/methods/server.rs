//! The daemon itself, its events, its notifications and its integrations.

use super::{Row, method};

/// No parameters can be wrong where there are none; but these are no object.
const NOTHING: &str = "[]";

pub const ROWS: &[Row] = &[
    method("ping")
        .effect("daemon::lifecycle::the_ready_line_names_a_socket_that_answers")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct PingParams",
        )
        .command("status server"),
    method("server.stop")
        .effect("daemon::transport::while_it_stops_waits_end_and_requests_are_refused")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("server stop"),
    method("server.live_handoff")
        .effect(
            "daemon::commands::a_server_that_is_handed_over_by_request_or_command_keeps_its_panes",
        )
        .refuses(
            r#"{"expected_protocol":1}"#,
            "handoff_failed",
            "$DROVER has protocol 22, expected was 1",
        )
        .command("server live-handoff"),
    method("server.reload_config")
        .effect("daemon::lifecycle::reload_says_what_it_took")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("server reload-config"),
    method("server.agent_manifests")
        .effect("daemon::detection::a_persons_own_rules_count_from_the_next_reload_on")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("server agent-manifests"),
    method("server.reload_agent_manifests")
        .effect("daemon::detection::a_persons_own_rules_count_from_the_next_reload_on")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("server reload-agent-manifests"),
    method("server.ssh_agent.register")
        .effect(
            "daemon::ssh_agents::panes_use_the_agent_of_the_latest_client_that_is_still_there",
        )
        .refuses(
            r#"{"socket_path":"agent"}"#,
            "invalid_ssh_agent",
            "socket_path must be a whole path, as SSH_AUTH_SOCK has it, not \"agent\"",
        )
        .without("herdr 0.9.3 has no command for it; attached terminals lend their agents"),
    method("notification.show")
        .effect("daemon::world::notifications_that_nobody_can_see_say_so")
        .refuses(
            r#"{"title":"  "}"#,
            "invalid_params",
            "notification title is empty",
        )
        .command("notification show"),
    method("product_announcement.dismiss")
        .effect("daemon::absent::what_is_not_shown_cannot_be_dismissed")
        .refuses(
            r#"{"id":"news","version":"0.9.3"}"#,
            "stale_announcement",
            "the product announcement is no longer current",
        )
        .without("the announcements of a full-screen client"),
    method("release_notes.dismiss")
        .effect("daemon::absent::what_is_not_shown_cannot_be_dismissed")
        .refuses(
            r#"{"version":"0.9.3"}"#,
            "stale_release_notes",
            "the release notes are no longer current",
        )
        .without("the release notes of a full-screen client"),
    method("command.invoke")
        .effect("daemon::absent::no_command_has_an_id")
        .refuses(
            r#"{"command_id":"build"}"#,
            "command_not_found",
            "custom command manifest is stale; reload configuration",
        )
        .without("bound to keys of a full-screen client"),
    method("client.window_title.set")
        .effect("daemon::attach::the_title_of_windows_is_set_for_all_and_given_back")
        .refuses(r#"{"title":""}"#, "invalid_params", "window title is empty")
        .command("terminal title set"),
    method("client.window_title.clear")
        .effect("daemon::attach::the_title_of_windows_is_set_for_all_and_given_back")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("terminal title clear"),
    method("client_shell.surface.set")
        .effect("daemon::world::a_surface_belongs_to_a_full_screen_client")
        .refuses(
            r#"{"active":true}"#,
            "connection_local_only",
            "client_shell.surface.set is only available through a client shell endpoint",
        )
        .without("about the connection that it comes over"),
    method("session.snapshot")
        .effect("daemon::traps::an_empty_daemon_has_an_empty_snapshot")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("api snapshot"),
    method("events.subscribe")
        .effect("daemon::events::the_first_workspace_is_told_with_all_it_has_and_then_the_focus")
        .refuses(
            r#"{"subscriptions":[{"type":"pane.scroll_changed","pane_id":"w9:p9"}]}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .without("a stream; `drover ps --watch` prints the states of agents"),
    method("events.wait")
        .effect("daemon::events::a_wait_for_an_event_answers_with_it")
        .refuses(
            r#"{"match_event":{"event":"pane_created"}}"#,
            "unsupported_event_wait_match",
            "events.wait currently supports pane agent status matches",
        )
        .without("`agent wait` waits for a status"),
    method("integration.list")
        .effect("daemon::integration::hooks_are_put_in_and_taken_out_over_the_socket")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("integration list"),
    method("integration.install")
        .effect("daemon::integration::hooks_are_put_in_and_taken_out_over_the_socket")
        .refuses(
            r#"{"target":"pi"}"#,
            "integration_install_failed",
            "pi extension directory not found at $HOME/.pi/agent/extensions. install pi first",
        )
        .command("integration install"),
    method("integration.uninstall")
        .effect("daemon::integration::hooks_are_put_in_and_taken_out_over_the_socket")
        .refuses(
            r#"{"target":"nosuch"}"#,
            "invalid_request",
            "invalid request: unknown variant `nosuch`, expected one of `pi`, `omp`, `claude`, `codex`, `copilot`, `devin`, `droid`, `kimi`, `opencode`, `kilo`, `hermes`, `qodercli`, `qwen`, `cursor`, `mastracode`, `antigravity_cli`, `grok`",
        )
        .command("integration uninstall"),
];
