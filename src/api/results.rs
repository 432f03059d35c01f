//! Every answer a method can give, told apart by `result.type`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::events::EventEnvelope;
use crate::api::records::{
    AgentInfo, AgentManifestInfo, AgentTurnAction, AgentTurnRecord, ClientWindowTitleReason,
    ConfigReloadStatus, ExecutionRecord, InstalledPluginInfo, IntegrationInfo,
    IntegrationInstallResult, IntegrationTarget, IntegrationUninstallResult, InteractionDelivery,
    InteractionReceipt, InteractionRecord, LayoutDescription, NotificationShowReason,
    PaneEdgesResult, PaneFocusDirectionResult, PaneInfo, PaneLayoutSnapshot, PaneLinkRegion,
    PaneMoveResult, PaneNeighborResult, PaneProcessInfo, PaneReadResult, PaneResizeResult,
    PaneSwapResult, PaneTextPoint, PaneTextRange, PaneZoomResult, PluginActionInfo,
    PluginCommandLogInfo, PluginInvocationContext, PluginPaneInfo, ServerCapabilities,
    SessionSnapshot, TabInfo, WorkspaceInfo, WorktreeInfo, WorktreeSourceInfo,
};

/// The `result` of an answer. The variant is its `type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(
    clippy::large_enum_variant,
    reason = "one is made for each answer and written at once"
)]
pub enum ResponseResult {
    /// The server is there.
    Pong {
        /// The version of herdr that this server answers as.
        version: String,
        protocol: u32,
        #[serde(default)]
        capabilities: Option<ServerCapabilities>,
        /// `drover`, where herdr has nothing. drover's own member.
        #[serde(skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        /// Version of the program that answers. drover's own member.
        #[serde(skip_serializing_if = "Option::is_none")]
        server_version: Option<String>,
        /// Why nothing is saved at present. drover's own member.
        #[serde(skip_serializing_if = "Option::is_none")]
        not_saved: Option<String>,
    },
    SessionSnapshot {
        snapshot: SessionSnapshot,
    },
    WorkspaceInfo {
        workspace: WorkspaceInfo,
    },
    WorkspaceCreated {
        workspace: WorkspaceInfo,
        tab: TabInfo,
        root_pane: PaneInfo,
    },
    WorkspaceList {
        workspaces: Vec<WorkspaceInfo>,
    },
    WorktreeList {
        source: WorktreeSourceInfo,
        worktrees: Vec<WorktreeInfo>,
    },
    WorktreeCreated {
        workspace: WorkspaceInfo,
        tab: TabInfo,
        root_pane: PaneInfo,
        worktree: WorktreeInfo,
    },
    WorktreeOpened {
        workspace: WorkspaceInfo,
        tab: TabInfo,
        root_pane: PaneInfo,
        worktree: WorktreeInfo,
        already_open: bool,
    },
    WorktreeRemoved {
        workspace_id: String,
        path: String,
        forced: bool,
    },
    TabInfo {
        tab: TabInfo,
    },
    TabCreated {
        tab: TabInfo,
        root_pane: PaneInfo,
    },
    TabList {
        tabs: Vec<TabInfo>,
    },
    AgentInfo {
        agent: AgentInfo,
    },
    AgentStarted {
        agent: AgentInfo,
        argv: Vec<String>,
    },
    AgentPrompted {
        agent: AgentInfo,
    },
    AgentList {
        agents: Vec<AgentInfo>,
    },
    AgentView {
        active: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<String>,
    },
    PaneInfo {
        pane: PaneInfo,
    },
    PaneList {
        panes: Vec<PaneInfo>,
    },
    PaneCurrent {
        pane: PaneInfo,
    },
    PaneSwap {
        swap: PaneSwapResult,
    },
    PaneMove {
        move_result: PaneMoveResult,
    },
    PaneZoom {
        zoom: PaneZoomResult,
    },
    PaneLayout {
        layout: PaneLayoutSnapshot,
    },
    PaneProcessInfo {
        process_info: PaneProcessInfo,
    },
    LayoutExport {
        layout: LayoutDescription,
    },
    LayoutApply {
        layout: LayoutDescription,
    },
    LayoutSplitRatioSet {
        layout: LayoutDescription,
    },
    PaneNeighbor {
        neighbor: PaneNeighborResult,
    },
    PaneEdges {
        edges: PaneEdgesResult,
    },
    PaneFocusDirection {
        focus: PaneFocusDirectionResult,
    },
    PaneResize {
        resize: PaneResizeResult,
    },
    PaneRead {
        read: PaneReadResult,
    },
    PaneSelection {
        pane_id: String,
        text: String,
    },
    PaneCopyMotion {
        pane_id: String,
        cursor: PaneTextPoint,
        /// The text the cursor belongs to.
        content_revision: u64,
    },
    PaneCopySearch {
        pane_id: String,
        /// The text the matches belong to.
        content_revision: u64,
        matches: Vec<PaneTextRange>,
        /// Matches in all; `matches` may be a part.
        total: u64,
        /// Index into `matches`.
        #[serde(skip_serializing_if = "Option::is_none")]
        current: Option<u32>,
        /// Index among all matches.
        #[serde(skip_serializing_if = "Option::is_none")]
        current_global: Option<u64>,
    },
    /// A free-form account of how the state was found. The only place with explicit nulls.
    AgentExplain {
        explain: Value,
    },
    /// The stream of events follows on the same connection.
    SubscriptionStarted,
    /// The event that `events.wait` waited for.
    WaitMatched {
        event: EventEnvelope,
    },
    OutputMatched {
        pane_id: String,
        /// That of `read`; herdr 0.9.3 always says 0.
        revision: u64,
        /// The first matching line from the top.
        #[serde(skip_serializing_if = "Option::is_none")]
        matched_line: Option<String>,
        read: PaneReadResult,
    },
    NotificationShow {
        shown: bool,
        reason: NotificationShowReason,
    },
    ClientWindowTitle {
        changed: bool,
        reason: ClientWindowTitleReason,
    },
    IntegrationList {
        integrations: Vec<IntegrationInfo>,
    },
    IntegrationInstall {
        target: IntegrationTarget,
        details: IntegrationInstallResult,
    },
    IntegrationUninstall {
        target: IntegrationTarget,
        details: IntegrationUninstallResult,
    },
    AgentManifestReload {
        manifests: Vec<AgentManifestInfo>,
    },
    AgentManifestStatus {
        manifests: Vec<AgentManifestInfo>,
        /// Seconds since 1970.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_check_unix: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        last_result: Option<String>,
    },
    PluginLinked {
        plugin: InstalledPluginInfo,
    },
    PluginList {
        plugins: Vec<InstalledPluginInfo>,
    },
    PluginUnlinked {
        plugin_id: String,
        removed: bool,
    },
    PluginEnabled {
        plugin: InstalledPluginInfo,
    },
    PluginDisabled {
        plugin: InstalledPluginInfo,
    },
    PluginActionList {
        actions: Vec<PluginActionInfo>,
    },
    PluginActionInvoked {
        action: PluginActionInfo,
        context: PluginInvocationContext,
        log: PluginCommandLogInfo,
    },
    PaneLinkResolved {
        regions: Vec<PaneLinkRegion>,
    },
    PaneLinkActivated {
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        handled: bool,
    },
    PluginLogList {
        logs: Vec<PluginCommandLogInfo>,
    },
    PluginPaneOpened {
        plugin_pane: PluginPaneInfo,
    },
    PluginPaneFocused {
        plugin_pane: PluginPaneInfo,
    },
    PluginPaneClosed {
        pane_id: String,
    },
    ConfigReload {
        status: ConfigReloadStatus,
        diagnostics: Vec<String>,
    },
    /// Never sent on this socket; part of the protocol's vocabulary.
    ClientShellSurfaceSet {
        active: bool,
        projection_revision: u64,
    },
    /// An event of the turn journal. This and all that follow but `Ok` are not in herdr 0.9.3.
    AgentTurn {
        /// It was stored for this request; otherwise it was there before.
        admitted: bool,
        turn: AgentTurnRecord,
    },
    AgentTurnList {
        /// In the order of their revisions; a page, see `docs/turn-journal.md`.
        turns: Vec<AgentTurnRecord>,
    },
    AgentTurnAction {
        admitted: bool,
        action: AgentTurnAction,
    },
    AgentTurnActionList {
        actions: Vec<AgentTurnAction>,
    },
    Execution {
        admitted: bool,
        execution: ExecutionRecord,
    },
    ExecutionList {
        /// In the order of their revisions; a page.
        executions: Vec<ExecutionRecord>,
    },
    AgentInteraction {
        interaction: InteractionRecord,
    },
    AgentInteractionDeliveries {
        deliveries: Vec<InteractionDelivery>,
    },
    AgentInteractionReceipt {
        receipt: InteractionReceipt,
    },
    AgentInteractionList {
        revision: u64,
        /// What the cursor would miss is gone: this is all there is.
        reset: bool,
        interactions: Vec<InteractionRecord>,
        /// Receipts of answers.
        deliveries: Vec<InteractionReceipt>,
    },
    Ok,
}
