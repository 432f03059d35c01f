//! `herdr tab`: the tabs of a workspace.

use super::ask;
use super::shared::{Focus, NewGrants, Variables};
use crate::api::method;
use crate::api::params::{TabCreateParams, TabListParams, TabRenameParams, TabTarget};
use crate::command::words::{first, joined};
use crate::command::{Caller, Command, Entry, Failure, FreeWords, Group, Outcome, Run};

pub(super) const GROUP: Group = Group::new(
    "tab",
    "Tabs: groups of panes on one screen",
    &[
        Entry::Command(Command::new::<List>(
            "list",
            "[--workspace <workspace_id>]",
            "List the tabs of one workspace or of all",
        )),
        Entry::Command(Command::new::<Create>(
            "create",
            "[--workspace <workspace_id>] [--cwd PATH] [--label TEXT] [--env KEY=VALUE] [--grants WORDS] [--focus] [--no-focus]",
            "Open a tab with one pane",
        )),
        Entry::Command(Command::new::<Get>("get", "<tab_id>", "Show a tab")),
        Entry::Command(Command::new::<FocusOn>(
            "focus",
            "<tab_id>",
            "Make a tab the active one",
        )),
        Entry::Command(Command::free::<Rename>(
            "rename",
            "<tab_id> <label>",
            "Give a tab a name",
        )),
        Entry::Command(Command::new::<Close>(
            "close",
            "<tab_id>",
            "Close a tab; its panes end",
        )),
    ],
);

#[derive(clap::Args)]
struct List {
    /// Only this workspace's
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        let params = TabListParams {
            workspace_id: self.workspace,
        };
        ask::print::<method::TabList>(caller, "cli:tab:list", &params)
    }
}

#[derive(clap::Args)]
struct Create {
    /// The workspace it belongs to; the active one by default
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// Where its pane starts
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
        let params = TabCreateParams {
            grants: self.grants.grants,
            focus: self.focus.or(false),
            workspace_id: self.workspace,
            cwd: self.cwd,
            label: self.label,
            env: self.variables.into_map(),
        };
        ask::print::<method::TabCreate>(caller, "cli:tab:create", &params)
    }
}

#[derive(clap::Args)]
struct Get {
    /// The tab
    tab_id: String,
}

impl Run for Get {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::TabGet>(
            caller,
            "cli:tab:get",
            &TabTarget {
                tab_id: self.tab_id,
            },
        )
    }
}

#[derive(clap::Args)]
struct FocusOn {
    /// The tab
    tab_id: String,
}

impl Run for FocusOn {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::TabFocus>(
            caller,
            "cli:tab:focus",
            &TabTarget {
                tab_id: self.tab_id,
            },
        )
    }
}

#[derive(clap::Args)]
struct Rename {
    /// The tab
    tab_id: String,
    /// Its new name; several words are joined
    #[arg(required = true)]
    label: Vec<String>,
}

impl FreeWords for Rename {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        match first(words)? {
            (_, label) if label.is_empty() => Err(Failure::Usage),
            (tab_id, label) => Ok(Self { tab_id, label }),
        }
    }
}

impl Run for Rename {
    fn run(self, caller: &Caller) -> Outcome {
        let params = TabRenameParams {
            tab_id: self.tab_id,
            label: joined(&self.label),
        };
        ask::print::<method::TabRename>(caller, "cli:tab:rename", &params)
    }
}

#[derive(clap::Args)]
struct Close {
    /// The tab
    tab_id: String,
}

impl Run for Close {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::TabClose>(
            caller,
            "cli:tab:close",
            &TabTarget {
                tab_id: self.tab_id,
            },
        )
    }
}
