//! `herdr workspace`: the groups of tabs that belong together, one a project.

use super::ask;
use super::shared::{Focus, NewGrants, Variables};
use crate::api::method;
use crate::api::params::{
    EmptyParams, WorkspaceCloseParams, WorkspaceCreateParams, WorkspaceRenameParams,
    WorkspaceReportMetadataParams, WorkspaceTarget,
};
use crate::command::words::{first, joined, required_text, token_pair, tokens};
use crate::command::{Caller, Command, Entry, Failure, FreeWords, Group, Outcome, Run};

pub(super) const GROUP: Group = Group::new(
    "workspace",
    "Workspaces: groups of tabs",
    &[
        Entry::Command(Command::new::<List>("list", "", "List the workspaces")),
        Entry::Command(Command::new::<Create>(
            "create",
            "[--cwd PATH] [--label TEXT] [--env KEY=VALUE] [--grants WORDS] [--focus] [--no-focus]",
            "Open a workspace with one tab and one pane",
        )),
        Entry::Command(Command::new::<Get>(
            "get",
            "<workspace_id>",
            "Show a workspace",
        )),
        Entry::Command(Command::new::<FocusOn>(
            "focus",
            "<workspace_id>",
            "Make a workspace the active one",
        )),
        Entry::Command(Command::free::<Rename>(
            "rename",
            "<workspace_id> <label>",
            "Give a workspace a name",
        )),
        Entry::Command(Command::new::<ReportMetadata>(
            "report-metadata",
            "<workspace_id> --source ID [--token NAME=VALUE] [--clear-token NAME] [--seq N] [--ttl-ms N]",
            "Set or clear metadata tokens of a workspace",
        )),
        Entry::Command(Command::new::<Close>(
            "close",
            "<workspace_id> [--group]",
            "Close a workspace; its panes end",
        )),
    ],
);

#[derive(clap::Args)]
struct List {}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::WorkspaceList>(caller, "cli:workspace:list", &EmptyParams {})
    }
}

#[derive(clap::Args)]
struct Create {
    /// Where its first pane starts
    #[arg(long, value_name = "PATH")]
    cwd: Option<String>,
    /// Its name
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    #[command(flatten)]
    variables: Variables,
    #[command(flatten)]
    grants: NewGrants,
    #[command(flatten)]
    focus: Focus,
}

impl Run for Create {
    fn run(self, caller: &Caller) -> Outcome {
        let params = WorkspaceCreateParams {
            grants: self.grants.grants,
            focus: self.focus.or(false),
            cwd: self.cwd,
            label: self.label,
            env: self.variables.into_map(),
            source_workspace_id: None,
        };
        ask::print::<method::WorkspaceCreate>(caller, "cli:workspace:create", &params)
    }
}

#[derive(clap::Args)]
struct Get {
    /// The workspace
    workspace_id: String,
}

impl Run for Get {
    fn run(self, caller: &Caller) -> Outcome {
        let params = WorkspaceTarget {
            workspace_id: self.workspace_id,
        };
        ask::print::<method::WorkspaceGet>(caller, "cli:workspace:get", &params)
    }
}

#[derive(clap::Args)]
struct FocusOn {
    /// The workspace
    workspace_id: String,
}

impl Run for FocusOn {
    fn run(self, caller: &Caller) -> Outcome {
        let params = WorkspaceTarget {
            workspace_id: self.workspace_id,
        };
        ask::print::<method::WorkspaceFocus>(caller, "cli:workspace:focus", &params)
    }
}

#[derive(clap::Args)]
struct Rename {
    /// The workspace
    workspace_id: String,
    /// Its new name; several words are joined
    #[arg(required = true)]
    label: Vec<String>,
}

impl FreeWords for Rename {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        match first(words)? {
            (_, label) if label.is_empty() => Err(Failure::Usage),
            (workspace_id, label) => Ok(Self {
                workspace_id,
                label,
            }),
        }
    }
}

impl Run for Rename {
    fn run(self, caller: &Caller) -> Outcome {
        let params = WorkspaceRenameParams {
            workspace_id: self.workspace_id,
            label: joined(&self.label),
        };
        ask::print::<method::WorkspaceRename>(caller, "cli:workspace:rename", &params)
    }
}

#[derive(clap::Args)]
struct ReportMetadata {
    /// The workspace
    workspace_id: String,
    /// Who reports (required)
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// Set a token; may be repeated
    #[arg(long = "token", value_name = "NAME=VALUE", value_parser = token_pair)]
    tokens: Vec<(String, String)>,
    /// Clear a token; may be repeated
    #[arg(long = "clear-token", value_name = "NAME")]
    clear_tokens: Vec<String>,
    /// Grows with each report of a source; an older one is dropped
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
    /// Milliseconds until it expires
    #[arg(long, value_name = "N")]
    ttl_ms: Option<u64>,
}

impl Run for ReportMetadata {
    fn run(self, caller: &Caller) -> Outcome {
        let source = required_text(self.source, "--source")?;
        let tokens = tokens(self.tokens, self.clear_tokens)?;
        if tokens.is_empty() {
            return Err(Failure::Misuse("missing token to set or clear".to_owned()));
        }
        let params = WorkspaceReportMetadataParams {
            workspace_id: self.workspace_id,
            source,
            tokens,
            seq: self.seq,
            ttl_ms: self.ttl_ms,
        };
        ask::report::<method::WorkspaceReportMetadata>(caller, &params)
    }
}

#[derive(clap::Args)]
struct Close {
    /// The workspace
    workspace_id: String,
    /// Also close the workspaces of its linked worktrees
    #[arg(long)]
    group: bool,
}

impl Run for Close {
    fn run(self, caller: &Caller) -> Outcome {
        let params = WorkspaceCloseParams {
            workspace_id: self.workspace_id,
            close_group: self.group,
        };
        ask::print::<method::WorkspaceClose>(caller, "cli:workspace:close", &params)
    }
}
