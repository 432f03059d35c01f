//! `herdr worktree`: checkouts of a repository, each in a workspace of its own.

use std::path::{Path, PathBuf};

use super::ask;
use super::shared::Focus;
use crate::api::method;
use crate::api::params::{
    WorktreeCreateParams, WorktreeListParams, WorktreeOpenParams, WorktreeRemoveParams,
};
use crate::command::{Caller, Command, Entry, Failure, Group, Outcome, Run};

pub(super) const GROUP: Group = Group::new(
    "worktree",
    "Checkouts of a git repository",
    &[
        Entry::Command(Command::new::<List>(
            "list",
            "[--workspace ID | --cwd PATH] [--trust-repository]",
            "List the checkouts of a repository",
        )),
        Entry::Command(Command::new::<Create>(
            "create",
            "[--workspace ID | --cwd PATH] [--branch NAME] [--base REF] [--path PATH] [--label TEXT] [--focus] [--no-focus] [--trust-repository]",
            "Make a checkout and open a workspace in it",
        )),
        Entry::Command(Command::new::<Open>(
            "open",
            "[--workspace ID | --cwd PATH] (--path PATH | --branch NAME) [--label TEXT] [--focus] [--no-focus] [--trust-repository]",
            "Open a workspace in a checkout",
        )),
        Entry::Command(Command::new::<Remove>(
            "remove",
            "--workspace ID [--force] [--trust-repository]",
            "Remove a checkout and close its workspace; the branch stays",
        )),
    ],
);

/// Which repository is meant.
#[derive(clap::Args)]
struct Source {
    /// A workspace in it; by default the active one
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// A directory in it
    #[arg(long, value_name = "PATH")]
    cwd: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// What every command takes.
#[derive(clap::Args)]
struct Common {
    /// Take a repository that belongs to another user
    #[arg(long)]
    trust_repository: bool,
    /// Print JSON, as without it
    #[arg(long, hide = true)]
    json: bool,
}

impl Source {
    /// The workspace or the directory.
    fn selected(&self, caller: &Caller) -> Result<(Option<String>, Option<String>), Failure> {
        if self.workspace.is_some() && self.cwd.is_some() {
            return Err(Failure::Usage);
        }
        let cwd = in_full(caller, self.cwd.as_deref())?;
        Ok((self.workspace.clone(), cwd))
    }
}

fn in_full(caller: &Caller, path: Option<&str>) -> Result<Option<String>, Failure> {
    path.map(|path| absolute(caller, path)).transpose()
}

/// A path as the daemon can use it, which runs in another directory, and perhaps on another machine: there a path that
/// is relative to nothing there is refused.
fn absolute(caller: &Caller, path: &str) -> Result<String, Failure> {
    let home = || match &caller.far {
        Some(far) => far.home().map(Some),
        None => Ok(std::env::var_os("HOME").map(PathBuf::from)),
    };
    let expanded = match path.strip_prefix('~') {
        Some("") => home()?,
        Some(rest) => match rest.strip_prefix('/') {
            Some(rest) => home()?.map(|home| home.join(rest)),
            None => None,
        },
        None => None,
    };
    let path = expanded.unwrap_or_else(|| Path::new(path).to_owned());
    if caller.far.is_some() && !path.is_absolute() {
        return Err(Failure::Misuse(format!(
            "{}: a path on another machine is absolute, ~ or ~/...",
            path.display()
        )));
    }
    std::path::absolute(&path)
        .map(|path| path.to_string_lossy().into_owned())
        .map_err(|error| Failure::Misuse(format!("{}: {error}", path.display())))
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    source: Source,
}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        let (workspace_id, cwd) = self.source.selected(caller)?;
        let params = WorktreeListParams {
            workspace_id,
            cwd,
            trust_repository: self.source.common.trust_repository,
        };
        ask::wait::<method::WorktreeList>(caller, "cli:worktree:list", &params)
    }
}

#[derive(clap::Args)]
struct Create {
    #[command(flatten)]
    source: Source,
    /// The branch, which need not exist; by default one with a made-up name
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// What a new branch starts from
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// Where to check it out
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// The workspace's name
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    #[command(flatten)]
    focus: Focus,
}

impl Run for Create {
    fn run(self, caller: &Caller) -> Outcome {
        let (workspace_id, cwd) = self.source.selected(caller)?;
        let params = WorktreeCreateParams {
            workspace_id,
            cwd,
            branch: self.branch,
            base: self.base,
            path: in_full(caller, self.path.as_deref())?,
            label: self.label,
            focus: self.focus.or(false),
            trust_repository: self.source.common.trust_repository,
        };
        ask::wait::<method::WorktreeCreate>(caller, "cli:worktree:create", &params)
    }
}

#[derive(clap::Args)]
struct Open {
    #[command(flatten)]
    source: Source,
    /// The checkout's directory
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// The branch that is checked out in it
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// The workspace's name
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    #[command(flatten)]
    focus: Focus,
}

impl Run for Open {
    fn run(self, caller: &Caller) -> Outcome {
        let (workspace_id, cwd) = self.source.selected(caller)?;
        if self.path.is_some() == self.branch.is_some() {
            return Err(Failure::Usage);
        }
        let params = WorktreeOpenParams {
            workspace_id,
            cwd,
            path: in_full(caller, self.path.as_deref())?,
            branch: self.branch,
            label: self.label,
            focus: self.focus.or(false),
            trust_repository: self.source.common.trust_repository,
        };
        ask::wait::<method::WorktreeOpen>(caller, "cli:worktree:open", &params)
    }
}

#[derive(clap::Args)]
struct Remove {
    /// The checkout's workspace (required)
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// Also if work in it is lost; its programs are ended first
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: Common,
}

impl Run for Remove {
    fn run(self, caller: &Caller) -> Outcome {
        let params = WorktreeRemoveParams {
            workspace_id: self.workspace.ok_or(Failure::Usage)?,
            force: self.force,
            trust_repository: self.common.trust_repository,
        };
        ask::wait::<method::WorktreeRemove>(caller, "cli:worktree:remove", &params)
    }
}
