//! The one table of methods: which handler answers which name, in the protocol's order.
//!
//! [`crate::api::method::ALL`] has the names, parameters and purposes in the same order; a test
//! holds the two together.

use crate::api::envelope::Request;
use crate::api::method::*;
use crate::api::{ApiError, Method};

use super::{
    Call, Ended, agent, events, input, layout, manifests, notification, output, pane, report,
    respond, server, tab, workspace,
};

/// A method and what runs it.
#[derive(Debug)]
pub struct Entry {
    /// Name on the wire.
    pub name: &'static str,
    /// Decodes the parameters, does the work, and gives the line to answer with.
    pub run: fn(&Call<'_>, &Request<'_>) -> Result<String, Ended>,
}

/// A method that answers with a result.
macro_rules! answers {
    ($method:ident, $handler:path) => {
        Entry {
            name: $method::NAME,
            run: |call, request| respond::<$method, _>(call, request, $handler),
        }
    };
}

/// A method that writes to its connection itself.
macro_rules! streams {
    ($method:ident, $handler:path) => {
        Entry {
            name: $method::NAME,
            run: |call, request| $handler(call, request.decode_params()?),
        }
    };
}

/// A method of herdr's that drover does not offer yet. Its parameters are checked all the same.
macro_rules! unsupported {
    ($method:ident) => {
        Entry {
            name: $method::NAME,
            run: |_, request| {
                request.decode_params::<<$method as Method>::Params>()?;
                let message = "drover does not offer this method yet";
                Err(ApiError::new("unsupported", format!("{message}: {}", $method::NAME)).into())
            },
        }
    };
}

/// Every method, at its [`Method::INDEX`].
pub static ENTRIES: [Entry; ALL.len()] = [
    answers!(Ping, server::ping),
    answers!(ServerStop, server::stop),
    unsupported!(ServerLiveHandoff),
    answers!(ServerReloadConfig, server::reload_config),
    unsupported!(ServerSshAgentRegister),
    answers!(ServerAgentManifests, manifests::list),
    answers!(ServerReloadAgentManifests, manifests::reload),
    answers!(NotificationShow, notification::show),
    unsupported!(ProductAnnouncementDismiss),
    unsupported!(ReleaseNotesDismiss),
    unsupported!(CommandInvoke),
    unsupported!(ClientWindowTitleSet),
    unsupported!(ClientWindowTitleClear),
    answers!(ClientShellSurfaceSet, server::surface_set),
    answers!(SessionSnapshot, server::snapshot),
    answers!(WorkspaceCreate, workspace::create),
    answers!(WorkspaceList, workspace::list),
    answers!(WorkspaceGet, workspace::get),
    answers!(WorkspaceFocus, workspace::focus),
    answers!(WorkspaceRename, workspace::rename),
    answers!(WorkspaceMove, workspace::move_to),
    unsupported!(WorkspaceMoveBlock),
    answers!(WorkspaceReportMetadata, workspace::report_metadata),
    answers!(WorkspaceClose, workspace::close),
    unsupported!(WorktreeList),
    unsupported!(WorktreeCreate),
    unsupported!(WorktreeOpen),
    unsupported!(WorktreeRemove),
    answers!(TabCreate, tab::create),
    answers!(TabList, tab::list),
    answers!(TabGet, tab::get),
    answers!(TabFocus, tab::focus),
    answers!(TabRename, tab::rename),
    answers!(TabMove, tab::move_to),
    answers!(TabClose, tab::close),
    answers!(AgentList, agent::list),
    answers!(AgentGet, agent::get),
    answers!(AgentRead, agent::read),
    answers!(AgentExplain, manifests::explain),
    answers!(AgentSendKeys, agent::send_keys),
    answers!(AgentRename, agent::rename),
    unsupported!(AgentViewSet),
    unsupported!(AgentViewClear),
    answers!(AgentFocus, agent::focus),
    unsupported!(AgentStart),
    unsupported!(AgentPrompt),
    answers!(AgentWait, agent::wait),
    answers!(PaneSplit, pane::split),
    unsupported!(PaneSwap),
    unsupported!(PaneMove),
    answers!(PaneZoom, layout::zoom),
    answers!(PaneLayout, layout::layout),
    answers!(PaneProcessInfo, pane::process_info),
    unsupported!(LayoutExport),
    unsupported!(LayoutApply),
    unsupported!(LayoutSetSplitRatio),
    unsupported!(PaneNeighbor),
    unsupported!(PaneEdges),
    unsupported!(PaneFocusDirection),
    unsupported!(PaneResize),
    unsupported!(PaneScroll),
    unsupported!(PaneClear),
    unsupported!(PaneEditScrollback),
    unsupported!(PaneSelectionRead),
    unsupported!(PaneCopyMotion),
    unsupported!(PaneCopySearch),
    answers!(PaneList, pane::list),
    answers!(PaneCurrent, pane::current),
    answers!(PaneGet, pane::get),
    answers!(PaneFocus, pane::focus),
    unsupported!(PaneInputSet),
    unsupported!(PaneLinkActivate),
    unsupported!(PaneLinkResolve),
    answers!(PaneRename, pane::rename),
    answers!(PaneSendText, input::send_text),
    answers!(PaneSendKeys, input::send_keys),
    answers!(PaneSendInput, input::send_input),
    answers!(PaneRead, output::read),
    answers!(PaneReportAgent, report::agent),
    answers!(PaneReportAgentSession, report::session),
    answers!(PaneReportMetadata, report::metadata),
    answers!(PaneClearAgentAuthority, report::clear),
    answers!(PaneReleaseAgent, report::release),
    answers!(PaneClose, pane::close),
    unsupported!(PopupClose),
    streams!(EventsSubscribe, events::subscribe),
    answers!(EventsWait, events::wait),
    answers!(PaneWaitForOutput, output::wait_for_output),
    unsupported!(IntegrationList),
    unsupported!(IntegrationInstall),
    unsupported!(IntegrationUninstall),
    unsupported!(PluginLink),
    unsupported!(PluginList),
    unsupported!(PluginUnlink),
    unsupported!(PluginEnable),
    unsupported!(PluginDisable),
    unsupported!(PluginActionList),
    unsupported!(PluginActionInvoke),
    unsupported!(PluginLogList),
    unsupported!(PluginPaneOpen),
    unsupported!(PluginPaneFocus),
    unsupported!(PluginPaneClose),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_stands_at_its_place_in_the_protocol() {
        let names: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        let order: Vec<_> = ALL.iter().map(|spec| spec.name).collect();
        assert_eq!(names, order);
    }
}
