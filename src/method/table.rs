//! The one table of methods: which handler answers which name, in the protocol's order.
//!
//! [`crate::api::method::ALL`] has the names, parameters and purposes in the same order; a test
//! holds the two together.

use crate::api::Method;
use crate::api::envelope::Request;
use crate::api::method::*;
use crate::authority::Access;
use crate::authority::rules::*;

use super::{
    Call, Ended, absent, agent, agent_view, arrange, copy, events, execution, input, integration,
    interaction, layout, link, manifests, notification, output, pane, plugin, plugin_pane, prompt,
    relocate, report, respond, server, ssh_agent, start, tab, turn, viewport, window_title,
    workspace, worktree,
};

/// A method and what runs it.
#[derive(Debug)]
pub struct Entry {
    /// Name on the wire.
    pub name: &'static str,
    /// What a caller must have before anything it names is looked up.
    pub access: Access,
    /// Decodes the parameters, does the work, and gives the line to answer with.
    pub run: fn(&Call<'_>, &Request<'_>) -> Result<String, Ended>,
}

/// A method that answers with a result.
macro_rules! answers {
    ($method:ident, $access:expr, $handler:path) => {
        Entry {
            name: $method::NAME,
            access: $access,
            run: |call, request| respond::<$method, _, _>(call, request, $handler),
        }
    };
}

/// A method that writes to its connection itself.
macro_rules! streams {
    ($method:ident, $access:expr, $handler:path) => {
        Entry {
            name: $method::NAME,
            access: $access,
            run: |call, request| $handler(call, request.decode_params()?),
        }
    };
}

pub(super) use {answers, streams};

/// Every method, at its [`Method::INDEX`].
pub static ENTRIES: [Entry; ALL.len()] = [
    answers!(Ping, ANYONE, server::ping),
    answers!(ServerStop, PERSON, server::stop),
    answers!(ServerLiveHandoff, PERSON, server::live_handoff),
    answers!(ServerReloadConfig, PERSON, server::reload_config),
    streams!(ServerSshAgentRegister, PERSON, ssh_agent::register),
    answers!(ServerAgentManifests, PERSON, manifests::list),
    answers!(ServerReloadAgentManifests, PERSON, manifests::reload),
    answers!(NotificationShow, ANYONE, notification::show),
    answers!(ProductAnnouncementDismiss, ADMIN, absent::announcement),
    answers!(ReleaseNotesDismiss, ADMIN, absent::release_notes),
    answers!(CommandInvoke, PERSON, absent::command),
    answers!(ClientWindowTitleSet, ADMIN, window_title::set),
    answers!(ClientWindowTitleClear, ADMIN, window_title::clear),
    answers!(ClientShellSurfaceSet, ADMIN, server::surface_set),
    answers!(SessionSnapshot, READ, server::snapshot),
    answers!(WorkspaceCreate, ADMIN, workspace::create),
    answers!(WorkspaceList, READ, workspace::list),
    answers!(WorkspaceGet, read(WORKSPACE), workspace::get),
    answers!(WorkspaceFocus, admin(WORKSPACE), workspace::focus),
    answers!(WorkspaceRename, write(WORKSPACE), workspace::rename),
    answers!(WorkspaceMove, admin(WORKSPACE), workspace::move_to),
    answers!(WorkspaceMoveBlock, admin(WORKSPACES), workspace::move_block),
    answers!(
        WorkspaceReportMetadata,
        write(WORKSPACE),
        workspace::report_metadata
    ),
    answers!(WorkspaceClose, admin(WORKSPACE), workspace::close),
    answers!(WorktreeList, read(WORKSPACE), worktree::list),
    answers!(WorktreeCreate, admin(WORKSPACE), worktree::create),
    answers!(WorktreeOpen, admin(WORKSPACE), worktree::open),
    answers!(WorktreeRemove, admin(WORKSPACE), worktree::remove),
    answers!(TabCreate, admin(WORKSPACE), tab::create),
    answers!(TabList, read(WORKSPACE), tab::list),
    answers!(TabGet, read(TAB), tab::get),
    answers!(TabFocus, admin(TAB), tab::focus),
    answers!(TabRename, write(TAB), tab::rename),
    answers!(TabMove, admin(TAB), tab::move_to),
    answers!(TabClose, admin(TAB), tab::close),
    answers!(AgentList, READ, agent::list),
    answers!(AgentGet, read_own(AGENT), agent::get),
    answers!(AgentRead, read_own(AGENT), agent::read),
    answers!(AgentExplain, read_own(AGENT), manifests::explain),
    answers!(AgentSendKeys, type_into(AGENT), agent::send_keys),
    answers!(AgentRename, write(AGENT), agent::rename),
    answers!(AgentViewSet, ADMIN, agent_view::set),
    answers!(AgentViewClear, ADMIN, agent_view::clear),
    answers!(AgentFocus, admin(AGENT), agent::focus),
    answers!(AgentStart, START, start::start),
    answers!(AgentPrompt, type_into(AGENT), prompt::prompt),
    answers!(AgentWait, read_own(AGENT), agent::wait),
    answers!(PaneSplit, admin(BESIDE), pane::split),
    answers!(PaneSwap, admin(PANE), arrange::swap),
    answers!(PaneMove, admin(PANE), relocate::move_to),
    answers!(PaneZoom, admin(PANE), arrange::zoom),
    answers!(PaneLayout, read_own(PANE), arrange::layout),
    answers!(PaneProcessInfo, read_own(PANE), pane::process_info),
    answers!(LayoutExport, read(PANE), layout::export),
    answers!(LayoutApply, admin(TAB), layout::apply),
    answers!(LayoutSetSplitRatio, admin(PANE), layout::set_split_ratio),
    answers!(PaneNeighbor, read(PANE), arrange::neighbor),
    answers!(PaneEdges, read(PANE), arrange::edges),
    answers!(PaneFocusDirection, admin(PANE), arrange::focus_direction),
    answers!(PaneResize, admin(PANE), arrange::resize),
    answers!(PaneScroll, write_own(PANE), viewport::scroll),
    answers!(PaneClear, write_own(PANE), viewport::clear),
    answers!(PaneEditScrollback, admin(PANE), viewport::edit_scrollback),
    answers!(PaneSelectionRead, read_own(PANE), copy::selection),
    answers!(PaneCopyMotion, read_own(PANE), copy::motion),
    answers!(PaneCopySearch, read_own(PANE), copy::search),
    answers!(PaneList, read(WORKSPACE), pane::list),
    answers!(PaneCurrent, read_own(CALLER), pane::current),
    answers!(PaneGet, read_own(PANE), pane::get),
    answers!(PaneFocus, admin(PANE), pane::focus),
    answers!(PaneInputSet, write_own(PANE), arrange::input_set),
    answers!(PaneLinkActivate, admin(PANE), link::activate),
    answers!(PaneLinkResolve, read_own(PANE), link::resolve),
    answers!(PaneRename, write_own(PANE), pane::rename),
    answers!(PaneSendText, type_into(PANE), input::send_text),
    answers!(PaneSendKeys, type_into(PANE), input::send_keys),
    answers!(PaneSendInput, type_into(PANE), input::send_input),
    answers!(PaneRead, read_own(PANE), output::read),
    answers!(PaneReportAgent, REPORT, report::agent),
    answers!(PaneReportAgentSession, REPORT, report::session),
    answers!(PaneReportMetadata, REPORT, report::metadata),
    answers!(PaneClearAgentAuthority, REPORT, report::clear),
    answers!(PaneReleaseAgent, REPORT, report::release),
    answers!(PaneClose, CLOSE, pane::close),
    answers!(PopupClose, ADMIN, plugin_pane::close_popup),
    streams!(EventsSubscribe, READ, events::subscribe),
    answers!(EventsWait, READ, events::wait),
    answers!(PaneWaitForOutput, read_own(PANE), output::wait_for_output),
    answers!(IntegrationList, PERSON, integration::list),
    answers!(IntegrationInstall, PERSON, integration::install),
    answers!(IntegrationUninstall, PERSON, integration::uninstall),
    answers!(PluginLink, PERSON, plugin::link),
    answers!(PluginList, read(PLUGIN), plugin::list),
    answers!(PluginUnlink, person(PLUGIN), plugin::unlink),
    answers!(PluginEnable, person(PLUGIN), plugin::enable),
    answers!(PluginDisable, person(PLUGIN), plugin::disable),
    answers!(PluginActionList, read(PLUGIN), plugin::action_list),
    answers!(PluginActionInvoke, admin(PLUGIN), plugin::action_invoke),
    answers!(PluginLogList, read(PLUGIN), plugin::log_list),
    answers!(PluginPaneOpen, admin(PLUGIN), plugin_pane::open),
    answers!(PluginPaneFocus, admin(PANE), plugin_pane::focus),
    answers!(PluginPaneClose, admin(PANE), plugin_pane::close),
    answers!(PaneReportAgentHeartbeat, REPORT, report::heartbeat),
    answers!(ExecutionStart, admin(WORKSPACE), execution::start),
    answers!(ExecutionResume, admin(WORKSPACE), execution::resume),
    answers!(ExecutionGet, READ, execution::get),
    answers!(ExecutionList, READ, execution::list),
    answers!(ExecutionWait, READ, execution::wait),
    answers!(ExecutionCancel, ADMIN, execution::cancel),
    answers!(AgentTurnReport, REPORT, turn::report),
    answers!(AgentTurnGet, READ, turn::get),
    answers!(AgentTurnList, READ, turn::list),
    answers!(AgentTurnWait, READ, turn::wait),
    answers!(AgentTurnActionGet, REPORT, turn::action_get),
    answers!(AgentTurnActionAck, REPORT, turn::action_ack),
    answers!(AgentInteractionReport, report(ASKING), interaction::report),
    answers!(
        AgentInteractionDeliveryGet,
        report(OWNER),
        interaction::delivery_get
    ),
    answers!(
        AgentInteractionDeliveryAck,
        report(PRODUCER),
        interaction::delivery_ack
    ),
    answers!(
        AgentInteractionRespond,
        type_into(ASKING),
        interaction::respond
    ),
    answers!(AgentInteractionRead, READ, interaction::read),
    answers!(AgentInteractionList, READ, interaction::list),
    answers!(AgentInteractionWait, READ, interaction::wait),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::{Kind, Needs};

    #[test]
    fn every_method_stands_at_its_place_in_the_protocol() {
        let names: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        let order: Vec<_> = ALL.iter().map(|spec| spec.name).collect();
        assert_eq!(names, order);
    }

    /// Members of parameters that name what exists already.
    const NAMING: [&str; 10] = [
        "pane_id",
        "caller_pane_id",
        "target_pane_id",
        "source_pane_id",
        "tab_id",
        "workspace_id",
        "workspace_ids",
        "source_workspace_id",
        "target",
        "plugin_id",
    ];

    #[test]
    fn every_rule_names_a_parameter_that_there_is() {
        let mut generator = schemars::SchemaGenerator::default();
        for (spec, entry) in ALL.iter().zip(&ENTRIES) {
            let reference = (spec.params_schema)(&mut generator);
            let name = reference.get("$ref").and_then(|name| name.as_str());
            let name = name.unwrap().rsplit('/').next().unwrap();
            let members = generator.definitions()[name]["properties"].clone();
            if let Some(target) = entry.access.target {
                let outermost = target.field.split('.').next().unwrap();
                assert!(members.get(outermost).is_some(), "{}", spec.name);
                continue;
            }
            // Nothing for the rule to compare with. What may name a pane then has to need more than
            // that pane's own consent.
            let naming = NAMING.iter().find(|name| members.get(**name).is_some());
            let sweeping = matches!(
                entry.access.needs,
                Needs::Admin | Needs::Person | Needs::Read
            );
            assert!(naming.is_none() || sweeping, "{} {naming:?}", spec.name);
        }
    }

    #[test]
    fn only_what_concerns_one_pane_is_free_for_its_own() {
        for entry in &ENTRIES {
            let access = entry.access;
            if access.own {
                let kind = access.target.unwrap().kind;
                assert!(matches!(kind, Kind::Pane | Kind::Agent), "{}", entry.name);
            }
            if access.needs == Needs::Nothing {
                assert!(["ping", "notification.show"].contains(&entry.name));
            }
        }
    }

    #[test]
    fn reports_and_nothing_else_speak_for_a_pane() {
        let reports: Vec<_> = ENTRIES
            .iter()
            .filter(|entry| entry.access.needs == Needs::Report)
            .map(|entry| entry.name)
            .collect();
        let expected = [
            "pane.report_agent",
            "pane.report_agent_session",
            "pane.report_metadata",
            "pane.clear_agent_authority",
            "pane.release_agent",
            "pane.report_agent_heartbeat",
            "agent.turn.report",
            "agent.turn.action.get",
            "agent.turn.action.ack",
            "agent.interaction.report",
            "agent.interaction.delivery.get",
            "agent.interaction.delivery.ack",
        ];
        assert_eq!(reports, expected);
    }

    #[test]
    fn what_belongs_to_the_person_no_grant_gives() {
        let person: Vec<_> = ENTRIES
            .iter()
            .filter(|entry| entry.access.needs == Needs::Person)
            .map(|entry| entry.name)
            .collect();
        let expected = [
            "server.stop",
            "server.live_handoff",
            "server.reload_config",
            "server.ssh_agent.register",
            "server.agent_manifests",
            "server.reload_agent_manifests",
            "command.invoke",
            "integration.list",
            "integration.install",
            "integration.uninstall",
            "plugin.link",
            "plugin.unlink",
            "plugin.enable",
            "plugin.disable",
        ];
        assert_eq!(person, expected);
    }
}
