//! Agents, what is reported about them, and what runs for other programs.

use super::{Row, method};

/// A pane that there is not.
const NO_PANE: &str = r#"{"pane_id":"w9:p9"}"#;

/// An agent that there is not.
const NO_AGENT: &str = r#"{"target":"nobody"}"#;

/// No parameters can be wrong where there are none; but these are no object.
const NOTHING: &str = "[]";

const XCSH: &str = "what only programs say to each other has no command";

pub const ROWS: &[Row] = &[
    method("agent.list")
        .effect("daemon::agents::an_agent_in_the_foreground_is_found_and_its_end_is_told")
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct EmptyParams",
        )
        .command("agent list"),
    method("agent.get")
        .effect("daemon::agents::only_a_panes_present_id_or_a_name_is_an_agent")
        .refuses(NO_AGENT, "agent_not_found", "agent target nobody not found")
        .command("agent get"),
    method("agent.read")
        .effect("daemon::acting::the_past_of_a_full_screen_agent_is_scrolled_to_and_back")
        .refuses(
            r#"{"target":"nobody","source":"recent"}"#,
            "agent_not_found",
            "agent target nobody not found",
        )
        .command("agent read"),
    method("agent.explain")
        .effect("daemon::detection::an_explanation_gives_the_evidence")
        .refuses(NO_AGENT, "agent_not_found", "agent target nobody not found")
        .command("agent explain"),
    method("agent.send_keys")
        .effect("daemon::agents::keys_reach_an_agent_that_holds_its_pane")
        .refuses(
            r#"{"target":"nobody","keys":["enter"]}"#,
            "agent_not_found",
            "agent target nobody not found",
        )
        .command("agent send-keys"),
    method("agent.rename")
        .effect("daemon::agents::only_a_panes_present_id_or_a_name_is_an_agent")
        .refuses(
            r#"{"target":"nobody","name":"x"}"#,
            "agent_not_found",
            "agent target nobody not found",
        )
        .command("agent rename"),
    method("agent.view.set")
        .effect("daemon::views::a_view_orders_what_people_see_and_nothing_else")
        .refuses(
            r#"{"source":" "}"#,
            "invalid_agent_view",
            "agent view source must be non-empty, at most 120 characters, and contain only ASCII letters, digits, colon, dot, underscore, or hyphen",
        )
        .without("plugins order the list of agents"),
    method("agent.view.clear")
        .effect("daemon::views::a_view_is_cleared_by_its_owner_or_by_nobody_in_particular")
        .refuses(
            r#"{"source":1}"#,
            "invalid_request",
            "invalid request: invalid type: integer `1`, expected a string",
        )
        .without("plugins order the list of agents"),
    method("agent.focus")
        .effect("daemon::leaving::three_that_report_by_themselves_leave_or_stay_each_in_its_way")
        .refuses(NO_AGENT, "agent_not_found", "agent target nobody not found")
        .command("agent focus"),
    method("agent.start")
        .effect("daemon::acting::an_agent_is_started_by_its_kind_and_ready_when_its_screen_says_so")
        .refuses(
            r#"{"name":"ann","kind":"pi","pane_id":"w9:p9"}"#,
            "agent_pane_not_found",
            "agent target pane w9:p9 not found",
        )
        .command("agent start"),
    method("agent.prompt")
        .effect("daemon::acting::a_prompt_is_followed_to_its_end")
        .refuses(
            r#"{"target":"nobody","text":"x"}"#,
            "agent_not_found",
            "agent target nobody not found",
        )
        .command("agent prompt"),
    method("agent.wait")
        .effect("daemon::agents::a_wait_looks_at_the_present_status_first")
        .refuses(
            r#"{"target":"nobody","timeout_ms":0}"#,
            "agent_not_found",
            "agent target nobody not found",
        )
        .command("agent wait"),
    method("pane.report_agent")
        .effect("daemon::events::agents_are_told_label_first_and_status_then")
        .refuses(
            r#"{"pane_id":"w9:p9","source":"s","agent":"a","state":"idle"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .command("pane report-agent"),
    method("pane.report_agent_session")
        .effect("daemon::reports::sessions_are_kept_for_official_reporters_only")
        .refuses(
            r#"{"pane_id":"w9:p9","source":"s","agent":"a"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .command("pane report-agent-session"),
    method("pane.report_metadata")
        .effect("daemon::events::agents_are_told_label_first_and_status_then")
        .refuses(
            r#"{"pane_id":"w9:p9","source":"s","title":"t"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .command("pane report-metadata"),
    method("pane.clear_agent_authority")
        .effect("daemon::reports::who_is_not_the_reporter_releases_nothing")
        .refuses(NO_PANE, "pane_not_found", "pane w9:p9 not found")
        .without("herdr 0.9.3 has no command for it; agents release themselves"),
    method("pane.release_agent")
        .effect("daemon::reports::crush_reports_a_session_from_start_to_end")
        .refuses(
            r#"{"pane_id":"w9:p9","source":"s","agent":"a"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .command("pane release-agent"),
    method("pane.report_agent_heartbeat")
        .effect("daemon::turns::panes::a_pane_of_xcsh_is_reported_kept_alive_and_let_go")
        .refuses(
            r#"{"pane_id":"w9:p9","source":"s","agent":"a"}"#,
            "pane_not_found",
            "pane w9:p9 not found",
        )
        .without("the program in the pane sends it for itself"),
    method("execution.start")
        .effect(
            "daemon::turns::executions::a_program_is_told_which_execution_it_is_and_its_end_is_known",
        )
        .refuses(
            r#"{"execution_id":"e","cwd":"relative","mode":"argv","argv":["true"]}"#,
            "invalid_cwd",
            "cwd is no existing directory by its whole path: relative",
        )
        .without(XCSH),
    method("execution.resume")
        .effect(
            "daemon::turns::executions::a_session_is_opened_once_with_the_command_that_is_derived_for_it",
        )
        .error("daemon::turns::executions::a_launch_that_does_not_fit_its_files_starts_nothing")
        .without(XCSH),
    method("execution.get")
        .effect("daemon::turns::executions::a_launch_that_does_not_fit_its_files_starts_nothing")
        .refuses(
            r#"{"execution_id":"nosuch"}"#,
            "execution_not_found",
            "execution nosuch not found",
        )
        .without(XCSH),
    method("execution.list")
        .effect(
            "daemon::turns::executions::a_session_is_opened_once_with_the_command_that_is_derived_for_it",
        )
        .refuses(
            NOTHING,
            "invalid_request",
            "invalid request: invalid type: sequence, expected struct SinceRevisionParams",
        )
        .without(XCSH),
    method("execution.wait")
        .effect(
            "daemon::turns::executions::a_program_is_told_which_execution_it_is_and_its_end_is_known",
        )
        .refuses(
            r#"{"after_revision":-1}"#,
            "invalid_request",
            "invalid request: invalid value: integer `-1`, expected u64",
        )
        .without(XCSH),
    method("execution.cancel")
        .effect(
            "daemon::turns::executions::a_program_is_told_which_execution_it_is_and_its_end_is_known",
        )
        .refuses(
            r#"{"execution_id":"nosuch"}"#,
            "execution_not_found",
            "execution nosuch not found",
        )
        .without(XCSH),
    method("agent.turn.report")
        .effect(
            "daemon::turns::losses::an_event_whose_answer_was_lost_is_there_once_when_it_comes_again",
        )
        .refuses(
            r#"{"execution_id":"nosuch","pane_id":"w1:p1","producer":"xcsh","session_id":"s","turn_id":"t","generation":1,"event_revision":1,"state":"working"}"#,
            "agent_turn_execution_not_found",
            "there is no execution nosuch of generation 1",
        )
        .without(XCSH),
    method("agent.turn.get")
        .effect(
            "daemon::turns::losses::a_turn_whose_program_died_with_the_daemon_is_lost_until_it_is_heard_of_again",
        )
        .refuses(
            r#"{"producer":"xcsh","session_id":"s","turn_id":"t","generation":1}"#,
            "agent_turn_not_found",
            "there is no turn t",
        )
        .without(XCSH),
    method("agent.turn.list")
        .effect(
            "daemon::turns::proof::the_secret_and_the_prompt_are_in_no_file_no_answer_and_no_log",
        )
        .refuses(
            r#"{"since_revision":-1}"#,
            "invalid_request",
            "invalid request: invalid value: integer `-1`, expected u64",
        )
        .without(XCSH),
    method("agent.turn.wait")
        .effect(
            "daemon::turns::journal::a_wait_ends_with_the_event_and_an_empty_list_says_that_there_was_none",
        )
        .refuses(
            r#"{"after_revision":-1}"#,
            "invalid_request",
            "invalid request: invalid value: integer `-1`, expected u64",
        )
        .without(XCSH),
    method("agent.turn.action.get")
        .effect(
            "daemon::turns::actions::a_turn_that_waits_for_a_person_is_cancelled_at_its_safe_point",
        )
        .refuses(
            r#"{"execution_id":"nosuch","pane_id":"w1:p1","producer":"xcsh","session_id":"s","generation":1,"after_revision":0}"#,
            "agent_turn_execution_not_found",
            "there is no execution nosuch of generation 1",
        )
        .without(XCSH),
    method("agent.turn.action.ack")
        .effect(
            "daemon::turns::actions::a_newer_generation_asks_the_older_one_to_end_and_both_go_on",
        )
        .refuses(
            r#"{"execution_id":"nosuch","pane_id":"w1:p1","producer":"xcsh","session_id":"s","generation":1,"after_revision":0,"action_id":"a","action_revision":1,"state":"safe_point"}"#,
            "agent_turn_execution_not_found",
            "there is no execution nosuch of generation 1",
        )
        .without(XCSH),
    method("agent.interaction.report")
        .effect(
            "daemon::turns::interactions::an_answer_finds_its_way_to_whoever_asked_and_is_on_no_disk",
        )
        .refuses(
            r#"{"target":{"owner":{"execution_id":"nosuch","pane_id":"w1:p1","producer":"xcsh","session_id":"s","generation":1},"request_id":"r"},"thread_id":"t","turn_id":"t","item_id":"i","question_ids":["q"],"event_revision":1,"kind":"waiting","state":"pending","payload":{}}"#,
            "interaction_execution_not_found",
            "no such execution",
        )
        .without(XCSH),
    method("agent.interaction.delivery.get")
        .effect(
            "daemon::turns::interactions::an_answer_finds_its_way_to_whoever_asked_and_is_on_no_disk",
        )
        .refuses(
            r#"{"owner":{"execution_id":"nosuch","pane_id":"w1:p1","producer":"xcsh","session_id":"s","generation":1},"after_revision":0,"timeout_ms":0}"#,
            "interaction_execution_not_found",
            "no such execution",
        )
        .without(XCSH),
    method("agent.interaction.delivery.ack")
        .effect(
            "daemon::turns::interactions::an_answer_finds_its_way_to_whoever_asked_and_is_on_no_disk",
        )
        .refuses(
            r#"{"producer":{"owner":{"execution_id":"nosuch","pane_id":"w1:p1","producer":"xcsh","session_id":"s","generation":1}},"request_id":"r","response_id":"x","accepted":true}"#,
            "interaction_execution_not_found",
            "no such execution",
        )
        .without(XCSH),
    method("agent.interaction.respond")
        .effect(
            "daemon::turns::interactions::an_answer_finds_its_way_to_whoever_asked_and_is_on_no_disk",
        )
        .refuses(
            r#"{"target":{"owner":{"execution_id":"nosuch","pane_id":"w1:p1","producer":"xcsh","session_id":"s","generation":1},"request_id":"r"},"response_id":"x","answer":{}}"#,
            "interaction_not_found",
            "there is no such question",
        )
        .without(XCSH),
    method("agent.interaction.read")
        .effect(
            "daemon::turns::interactions::an_answer_finds_its_way_to_whoever_asked_and_is_on_no_disk",
        )
        .refuses(
            r#"{"target":{"owner":{"execution_id":"nosuch","pane_id":"w1:p1","producer":"xcsh","session_id":"s","generation":1},"request_id":"r"}}"#,
            "interaction_not_found",
            "there is no such question",
        )
        .without(XCSH),
    method("agent.interaction.list")
        .effect("daemon::turns::interactions::only_the_execution_itself_asks")
        .refuses(
            r#"{"after_revision":-1}"#,
            "invalid_request",
            "invalid request: invalid value: integer `-1`, expected u64",
        )
        .without(XCSH),
    method("agent.interaction.wait")
        .effect(
            "daemon::turns::interactions::an_answer_finds_its_way_to_whoever_asked_and_is_on_no_disk",
        )
        .refuses(
            r#"{"after_revision":-1}"#,
            "invalid_request",
            "invalid request: invalid value: integer `-1`, expected u64",
        )
        .without(XCSH),
];
