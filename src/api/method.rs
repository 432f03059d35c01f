//! The methods: one table with every name, its parameters and what it is for.
//!
//! The order is the protocol's own. The message for an unknown method lists the names in it, the
//! schema prints it, and the server's table of handlers has the same order, so that
//! [`Method::INDEX`] finds the handler.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ApiError;
use super::envelope::Request;
use super::params::*;

/// A method, as a type: each row of the table below makes one.
pub trait Method {
    /// Name on the wire.
    const NAME: &'static str;

    /// Place in [`ALL`].
    const INDEX: usize;

    /// What a request for it carries.
    type Params: Serialize + DeserializeOwned + JsonSchema;
}

/// A method, as data: a row of [`ALL`].
#[derive(Debug)]
pub struct Spec {
    /// Name on the wire.
    pub name: &'static str,
    /// Place in [`ALL`].
    pub index: usize,
    /// What it is for, in one line.
    pub doc: &'static str,
    /// The schema of its parameters: a reference to a definition that the generator collects.
    pub params_schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether a request's parameters are this method's, without running it.
    pub check_params: fn(&Request<'_>) -> Result<(), ApiError>,
}

/// The methods that one socket answers, for the decoder.
#[derive(Debug)]
pub struct Vocabulary {
    /// The method with this name, if there is one. Case matters.
    pub find: fn(&str) -> Option<&'static Spec>,
    /// All names, for the message that lists them.
    pub names: &'static [&'static str],
    /// Names that answer `unknown_method`; see [`RETIRED`].
    pub retired: &'static [&'static str],
}

/// herdr's protocol.
pub static VOCABULARY: Vocabulary = Vocabulary {
    find,
    names: &NAMES,
    retired: &RETIRED,
};

/// Methods of earlier protocols that answer `unknown_method` instead of `invalid_request`, because
/// clients that still ask for them tell the two apart (herdr 0.9.2 and later).
pub const RETIRED: [&str; 4] = [
    "pane.graphics.info",
    "pane.graphics.set",
    "pane.graphics.clear",
    "pane.graphics.stream",
];

/// Declares the methods of one socket: a type for each, and the table of all.
macro_rules! methods {
    ($(#[doc = $doc:literal] $method:ident = $name:literal: $params:ty,)+) => {
        // Numbers the rows; never a value of its own.
        enum Place { $($method),+ }

        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug)]
            pub struct $method;

            impl $crate::api::Method for $method {
                const NAME: &'static str = $name;
                const INDEX: usize = Place::$method as usize;
                type Params = $params;
            }
        )+

        /// Every method, in the protocol's order.
        pub static ALL: [$crate::api::method::Spec; [$($name),+].len()] = [
            $($crate::api::method::Spec {
                name: $name,
                index: <$method as $crate::api::Method>::INDEX,
                doc: $doc.trim_ascii_start(),
                params_schema: |generator| generator.subschema_for::<$params>(),
                check_params: |request| request.decode_params::<$params>().map(drop),
            }),+
        ];

        /// Their names, in the protocol's order.
        pub static NAMES: [&str; ALL.len()] = [$($name),+];

        /// Reads a request's parameters as its method's and writes them again.
        #[cfg(test)]
        pub(super) fn rewritten(
            request: &$crate::api::envelope::Request<'_>,
        ) -> Result<serde_json::Value, $crate::api::ApiError> {
            match request.method.name {
                $($name => {
                    let params = request.decode_params::<$params>()?;
                    Ok(serde_json::to_value(params).unwrap())
                })+
                _ => unreachable!("a method outside the table"),
            }
        }

        /// The method with this name, if there is one. Case matters.
        pub fn find(name: &str) -> Option<&'static $crate::api::method::Spec> {
            let index = match name {
                $($name => <$method as $crate::api::Method>::INDEX,)+
                _ => return None,
            };
            Some(&ALL[index])
        }
    };
}
pub(super) use methods;

methods! {
    /// Says that the server is there, which version and protocol it speaks, and what it can do.
    Ping = "ping": PingParams,
    /// Saves the session, ends every terminal and stops the server.
    ServerStop = "server.stop": EmptyParams,
    /// Hands every terminal to another executable and ends this one.
    ServerLiveHandoff = "server.live_handoff": ServerLiveHandoffParams,
    /// Reads the configuration again and says how much of it took effect.
    ServerReloadConfig = "server.reload_config": EmptyParams,
    /// Lends an SSH agent to new panes for as long as the connection lives.
    ServerSshAgentRegister = "server.ssh_agent.register": ServerSshAgentRegisterParams,
    /// Lists where the detection rules of each agent come from.
    ServerAgentManifests = "server.agent_manifests": EmptyParams,
    /// Reads the detection rules again and restarts detection in every pane.
    ServerReloadAgentManifests = "server.reload_agent_manifests": EmptyParams,
    /// Shows a notification to the person.
    NotificationShow = "notification.show": NotificationShowParams,
    /// Puts the current product announcement away.
    ProductAnnouncementDismiss = "product_announcement.dismiss": ProductAnnouncementDismissParams,
    /// Puts the current release notes away.
    ReleaseNotesDismiss = "release_notes.dismiss": ReleaseNotesDismissParams,
    /// Runs a command that the person configured.
    CommandInvoke = "command.invoke": CommandInvokeParams,
    /// Sets the title of the person's terminal window.
    ClientWindowTitleSet = "client.window_title.set": ClientWindowTitleSetParams,
    /// Gives the person's terminal window its own title back.
    ClientWindowTitleClear = "client.window_title.clear": EmptyParams,
    /// Belongs to the full-screen client's own endpoint; always refused here.
    ClientShellSurfaceSet = "client_shell.surface.set": ClientShellSurfaceSetParams,
    /// Gives everything a client needs to draw the session.
    SessionSnapshot = "session.snapshot": EmptyParams,
    /// Opens a workspace with one tab and one pane.
    WorkspaceCreate = "workspace.create": WorkspaceCreateParams,
    /// Lists the workspaces in display order.
    WorkspaceList = "workspace.list": EmptyParams,
    /// Gives one workspace.
    WorkspaceGet = "workspace.get": WorkspaceTarget,
    /// Makes a workspace the active one.
    WorkspaceFocus = "workspace.focus": WorkspaceTarget,
    /// Gives a workspace a name.
    WorkspaceRename = "workspace.rename": WorkspaceRenameParams,
    /// Moves a workspace to another place in the list.
    WorkspaceMove = "workspace.move": WorkspaceMoveParams,
    /// Moves several workspaces together, in the given order.
    WorkspaceMoveBlock = "workspace.move_block": WorkspaceMoveBlockParams,
    /// Sets or deletes metadata tokens of a workspace.
    WorkspaceReportMetadata = "workspace.report_metadata": WorkspaceReportMetadataParams,
    /// Closes a workspace and ends its terminals.
    WorkspaceClose = "workspace.close": WorkspaceCloseParams,
    /// Lists the git worktrees of a repository.
    WorktreeList = "worktree.list": WorktreeListParams,
    /// Adds a git worktree and opens a workspace in it.
    WorktreeCreate = "worktree.create": WorktreeCreateParams,
    /// Opens a workspace in an existing git worktree.
    WorktreeOpen = "worktree.open": WorktreeOpenParams,
    /// Removes a git worktree and closes its workspace.
    WorktreeRemove = "worktree.remove": WorktreeRemoveParams,
    /// Opens a tab with one pane.
    TabCreate = "tab.create": TabCreateParams,
    /// Lists the tabs of one workspace or of all.
    TabList = "tab.list": TabListParams,
    /// Gives one tab.
    TabGet = "tab.get": TabTarget,
    /// Makes a tab the active one.
    TabFocus = "tab.focus": TabTarget,
    /// Gives a tab a name.
    TabRename = "tab.rename": TabRenameParams,
    /// Moves a tab to another place in its workspace.
    TabMove = "tab.move": TabMoveParams,
    /// Closes a tab and ends its terminals.
    TabClose = "tab.close": TabTarget,
    /// Lists the panes that have an agent.
    AgentList = "agent.list": EmptyParams,
    /// Gives one agent.
    AgentGet = "agent.get": AgentTarget,
    /// Reads text from an agent's terminal.
    AgentRead = "agent.read": AgentReadParams,
    /// Says how the state of an agent was found.
    AgentExplain = "agent.explain": AgentTarget,
    /// Presses keys in an agent's terminal.
    AgentSendKeys = "agent.send_keys": AgentSendKeysParams,
    /// Gives an agent a name, or takes it away.
    AgentRename = "agent.rename": AgentRenameParams,
    /// Says which agents the person's list shows, and in what order.
    AgentViewSet = "agent.view.set": AgentViewSetParams,
    /// Takes such a view away.
    AgentViewClear = "agent.view.clear": AgentViewClearParams,
    /// Focuses the pane of an agent.
    AgentFocus = "agent.focus": AgentTarget,
    /// Starts an agent in a pane's shell.
    AgentStart = "agent.start": AgentStartParams,
    /// Types a prompt into an agent and, if asked, waits for the outcome.
    AgentPrompt = "agent.prompt": AgentPromptParams,
    /// Waits until an agent has one of the given statuses.
    AgentWait = "agent.wait": AgentWaitParams,
    /// Splits a pane and starts a shell in the new half.
    PaneSplit = "pane.split": PaneSplitParams,
    /// Exchanges the places of two panes.
    PaneSwap = "pane.swap": PaneSwapParams,
    /// Moves a pane to another tab or workspace while its program runs on.
    PaneMove = "pane.move": PaneMoveParams,
    /// Lets a pane fill its tab, or ends that.
    PaneZoom = "pane.zoom": PaneZoomParams,
    /// Says where the panes of a tab lie.
    PaneLayout = "pane.layout": PaneLayoutParams,
    /// Says what runs in a pane.
    PaneProcessInfo = "pane.process_info": PaneProcessInfoParams,
    /// Describes a tab as a tree.
    LayoutExport = "layout.export": LayoutExportParams,
    /// Builds a new tab from a tree.
    LayoutApply = "layout.apply": LayoutApplyParams,
    /// Moves the line of one split.
    LayoutSetSplitRatio = "layout.set_split_ratio": LayoutSetSplitRatioParams,
    /// Names the pane next to another.
    PaneNeighbor = "pane.neighbor": PaneNeighborParams,
    /// Says which edges of its tab a pane touches.
    PaneEdges = "pane.edges": PaneEdgesParams,
    /// Focuses the pane next to another.
    PaneFocusDirection = "pane.focus_direction": PaneFocusDirectionParams,
    /// Makes a pane larger or smaller.
    PaneResize = "pane.resize": PaneResizeParams,
    /// Scrolls a pane's viewport.
    PaneScroll = "pane.scroll": PaneScrollParams,
    /// Clears a pane's screen and scrollback, except the line with the prompt.
    PaneClear = "pane.clear": PaneTarget,
    /// Opens a pane's scrollback in the person's editor.
    PaneEditScrollback = "pane.edit_scrollback": PaneTarget,
    /// Gives the text between two points of a pane.
    PaneSelectionRead = "pane.selection.read": PaneSelectionReadParams,
    /// Says where a movement takes the copy cursor.
    PaneCopyMotion = "pane.copy_motion": PaneCopyMotionParams,
    /// Finds text in a pane.
    PaneCopySearch = "pane.copy_search": PaneCopySearchParams,
    /// Lists the panes of one workspace or of all.
    PaneList = "pane.list": PaneListParams,
    /// Gives the caller's own pane, or the focused one.
    PaneCurrent = "pane.current": PaneCurrentParams,
    /// Gives one pane.
    PaneGet = "pane.get": PaneTarget,
    /// Focuses a pane.
    PaneFocus = "pane.focus": PaneTarget,
    /// Says who gets right clicks in a pane.
    PaneInputSet = "pane.input.set": PaneInputSetParams,
    /// Follows the link at a place on the screen.
    PaneLinkActivate = "pane.link.activate": PaneLinkActivateParams,
    /// Says which cells belong to the link at a place on the screen.
    PaneLinkResolve = "pane.link.resolve": PaneLinkActivateParams,
    /// Gives a pane a label, or takes it away.
    PaneRename = "pane.rename": PaneRenameParams,
    /// Types text into a pane.
    PaneSendText = "pane.send_text": PaneSendTextParams,
    /// Presses keys in a pane.
    PaneSendKeys = "pane.send_keys": PaneSendKeysParams,
    /// Types text into a pane, then presses keys.
    PaneSendInput = "pane.send_input": PaneSendInputParams,
    /// Reads text from a pane.
    PaneRead = "pane.read": PaneReadParams,
    /// Reports what the agent in a pane is doing.
    PaneReportAgent = "pane.report_agent": PaneReportAgentParams,
    /// Reports which session the agent in a pane has open.
    PaneReportAgentSession = "pane.report_agent_session": PaneReportAgentSessionParams,
    /// Sets how an agent is presented, and metadata tokens of a pane.
    PaneReportMetadata = "pane.report_metadata": PaneReportMetadataParams,
    /// Drops a report, so that detection decides again.
    PaneClearAgentAuthority = "pane.clear_agent_authority": PaneClearAgentAuthorityParams,
    /// Reports that the agent has left its pane.
    PaneReleaseAgent = "pane.release_agent": PaneReleaseAgentParams,
    /// Closes a pane and ends its program.
    PaneClose = "pane.close": PaneTarget,
    /// Closes the popup.
    PopupClose = "popup.close": EmptyParams,
    /// Turns the connection into a stream of events.
    EventsSubscribe = "events.subscribe": EventsSubscribeParams,
    /// Waits for one event.
    EventsWait = "events.wait": EventsWaitParams,
    /// Waits until a pane shows matching output.
    PaneWaitForOutput = "pane.wait_for_output": PaneWaitForOutputParams,
    /// Lists the agents that hooks can be installed for.
    IntegrationList = "integration.list": EmptyParams,
    /// Installs the hooks of an agent.
    IntegrationInstall = "integration.install": IntegrationInstallParams,
    /// Removes the hooks of an agent.
    IntegrationUninstall = "integration.uninstall": IntegrationUninstallParams,
    /// Registers a plugin from a directory.
    PluginLink = "plugin.link": PluginLinkParams,
    /// Lists the registered plugins.
    PluginList = "plugin.list": PluginListParams,
    /// Forgets a plugin.
    PluginUnlink = "plugin.unlink": PluginUnlinkParams,
    /// Lets a plugin run.
    PluginEnable = "plugin.enable": PluginSetEnabledParams,
    /// Keeps a plugin from running.
    PluginDisable = "plugin.disable": PluginSetEnabledParams,
    /// Lists the actions that plugins offer.
    PluginActionList = "plugin.action.list": PluginActionListParams,
    /// Runs an action of a plugin.
    PluginActionInvoke = "plugin.action.invoke": PluginActionInvokeParams,
    /// Lists the latest runs of plugins' commands.
    PluginLogList = "plugin.log.list": PluginLogListParams,
    /// Opens a pane of a plugin.
    PluginPaneOpen = "plugin.pane.open": PluginPaneOpenParams,
    /// Focuses a pane of a plugin.
    PluginPaneFocus = "plugin.pane.focus": PluginPaneFocusParams,
    /// Closes a pane of a plugin.
    PluginPaneClose = "plugin.pane.close": PluginPaneCloseParams,
    /// Says that the agent in a pane is still there, and nothing else.
    PaneReportAgentHeartbeat = "pane.report_agent_heartbeat": PaneReportAgentHeartbeatParams,
    /// Starts a program of a manager's in a new tab and keeps track of it.
    ExecutionStart = "execution.start": ExecutionStartParams,
    /// Opens a session of xcsh in a new tab, under a new generation.
    ExecutionResume = "execution.resume": ExecutionResumeParams,
    /// Gives one execution.
    ExecutionGet = "execution.get": ExecutionTarget,
    /// Lists executions that changed after a revision.
    ExecutionList = "execution.list": SinceRevisionParams,
    /// Waits until an execution changes.
    ExecutionWait = "execution.wait": AfterRevisionParams,
    /// Ends a program, or asks xcsh to cancel its turn.
    ExecutionCancel = "execution.cancel": ExecutionTarget,
    /// Takes an event of a turn into the journal.
    AgentTurnReport = "agent.turn.report": AgentTurnReportParams,
    /// Gives the latest event of a turn.
    AgentTurnGet = "agent.turn.get": AgentTurnGetParams,
    /// Lists the events after a revision.
    AgentTurnList = "agent.turn.list": SinceRevisionParams,
    /// Waits for an event after a revision.
    AgentTurnWait = "agent.turn.wait": AfterRevisionParams,
    /// Says what is asked of the running turn.
    AgentTurnActionGet = "agent.turn.action.get": AgentTurnActionGetParams,
    /// Reports that the turn has stopped where it can be cancelled.
    AgentTurnActionAck = "agent.turn.action.ack": AgentTurnActionAckParams,
    /// Reports a question to a person, or what became of it.
    AgentInteractionReport = "agent.interaction.report": AgentInteractionReportParams,
    /// Gives the answers that wait for whoever asked.
    AgentInteractionDeliveryGet = "agent.interaction.delivery.get": InteractionProducer,
    /// Reports whether an answer was taken.
    AgentInteractionDeliveryAck = "agent.interaction.delivery.ack": AgentInteractionAckParams,
    /// Answers a question.
    AgentInteractionRespond = "agent.interaction.respond": AgentInteractionRespondParams,
    /// Gives one question.
    AgentInteractionRead = "agent.interaction.read": AgentInteractionReadParams,
    /// Lists questions and receipts that changed after a revision.
    AgentInteractionList = "agent.interaction.list": AgentInteractionListParams,
    /// Waits until a question or a receipt changes.
    AgentInteractionWait = "agent.interaction.wait": AfterRevisionParams,
}

/// How many methods are herdr 0.9.3's own; those behind them in [`ALL`] are additions.
pub const OF_HERDR: usize = PluginPaneClose::INDEX + 1;
