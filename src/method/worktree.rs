//! `worktree.*`. Git runs in the connection's thread, with no lock held; what it found is matched
//! with the workspaces that there are once it is done.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::api::events::{EventData, EventKind};
use crate::api::params::{
    WorktreeCreateParams, WorktreeListParams, WorktreeOpenParams, WorktreeRemoveParams,
};
use crate::api::records::{WorkspaceWorktreeInfo, WorktreeInfo, WorktreeSourceInfo};
use crate::api::{ApiError, ResponseResult};
use crate::state::{Launch, Live, WorkspacePlace};
use crate::worktree::{self, Checkout, GitError, InspectError, RemoveError, Repository};
use crate::world::WorkspaceId;

use super::{Call, find, label, workspace};

/// How long the programs of a workspace have to end before its checkout is removed by force.
const ENDING: Duration = Duration::from_secs(5);

pub fn list(call: &Call<'_>, p: WorktreeListParams) -> Result<ResponseResult, ApiError> {
    let named = (p.workspace_id.as_deref(), p.cwd.as_deref());
    let repository = source(call, named, p.trust_repository)?;
    let _look = look(call)?;
    let checkouts = worktree::list(&repository, p.trust_repository).map_err(list_failed)?;
    let shown = shown(call, &checkouts);
    let of = |path: &Path| {
        let index = checkouts
            .iter()
            .position(|checkout| checkout.path == path)?;
        shown[index].map(|id| id.to_string())
    };
    Ok(ResponseResult::WorktreeList {
        source: WorktreeSourceInfo {
            repo_key: text(&repository.key),
            repo_name: repository.name.clone(),
            repo_root: text(&repository.root),
            source_checkout_path: text(&repository.root),
            source_workspace_id: of(&repository.root),
        },
        worktrees: checkouts
            .iter()
            .map(|checkout| record(&repository, checkout, of(&checkout.path)))
            .collect(),
    })
}

pub fn create(call: &Call<'_>, p: WorktreeCreateParams) -> Result<ResponseResult, ApiError> {
    label::check(call, p.label.as_deref())?;
    let trust = p.trust_repository;
    let named = (p.workspace_id.as_deref(), p.cwd.as_deref());
    let repository = primary_source(call, named, trust)?;
    let branch = match p.branch.as_deref().map(str::trim) {
        None => worktree::generated_branch(),
        Some("") => return Err(invalid("branch is required")),
        Some(branch) => branch.to_owned(),
    };
    let path = match &p.path {
        Some(path) => absolute(call, path)?,
        None => {
            let directory = absolute(call, &call.shared.config().worktrees.directory)?;
            directory
                .join(&repository.name)
                .join(worktree::slug(&branch))
        }
    };
    let _change = change(call, &path)?;
    let checkout = worktree::add(&repository, &branch, p.base.as_deref(), &path, trust)
        .map_err(|error| ApiError::new("worktree_create_failed", error.to_string()))?;
    let opening = Opening {
        repository: &repository,
        checkout: &checkout,
        label: p.label,
        focus: p.focus,
        made: true,
    };
    opening.open(call).map_err(|error| {
        let reason = &error.message;
        let message = format!("created worktree but failed to open workspace: {reason}");
        ApiError::new("worktree_open_failed", message)
    })
}

pub fn open(call: &Call<'_>, p: WorktreeOpenParams) -> Result<ResponseResult, ApiError> {
    label::check(call, p.label.as_deref())?;
    let trust = p.trust_repository;
    let named = (p.workspace_id.as_deref(), p.cwd.as_deref());
    if p.path.is_some() == p.branch.is_some() {
        return Err(invalid("exactly one of path or branch is required"));
    }
    let repository = primary_source(call, named, trust)?;
    let wanted = p.path.map(|path| absolute(call, &path)).transpose()?;
    let look = look(call)?;
    let checkouts = worktree::list(&repository, trust).map_err(list_failed)?;
    drop(look);
    let not_found = |message: &'static str| ApiError::new("worktree_not_found", message);
    let checkout = match (wanted, p.branch) {
        (Some(path), _) => {
            let path = path.canonicalize().unwrap_or(path);
            let mut matching = checkouts.iter().filter(|checkout| checkout.path == path);
            matching
                .next()
                .ok_or_else(|| not_found("worktree path not found"))?
        }
        (None, branch) => {
            let mut matching = checkouts.iter().filter(|c| c.branch == branch);
            let first = matching.next();
            if matching.next().is_some() {
                let message = "multiple worktrees matched branch";
                return Err(ApiError::new("ambiguous_worktree_branch", message));
            }
            first.ok_or_else(|| not_found("worktree branch not found"))?
        }
    };
    if checkout.is_bare || checkout.is_prunable {
        return Err(not_found("worktree cannot be opened"));
    }
    let opening = Opening {
        repository: &repository,
        checkout,
        label: p.label,
        focus: p.focus,
        made: false,
    };
    opening.open(call)
}

pub fn remove(call: &Call<'_>, p: WorktreeRemoveParams) -> Result<ResponseResult, ApiError> {
    let (id, worktree) = {
        let live = call.shared.look();
        let id = find::workspace(&live, &p.workspace_id)?;
        (id, live.worktree(id).cloned())
    };
    let not_linked = |message: &'static str| ApiError::new("not_linked_worktree", message);
    let worktree =
        worktree.ok_or_else(|| not_linked("workspace is not a Herdr-managed worktree checkout"))?;
    if !worktree.is_linked_worktree {
        return Err(not_linked("workspace is not a linked worktree checkout"));
    }
    let path = PathBuf::from(&worktree.checkout_path);
    let _change = change(call, &path)?;
    let repository = repository(&worktree);
    let trust = p.trust_repository;
    // What it was is only known as long as it is there; if git does not say, the path is enough.
    let known = worktree::list(&repository, trust).unwrap_or_default();
    let checkout = known.into_iter().find(|checkout| checkout.path == path);
    let checkout = checkout.unwrap_or_else(|| Checkout {
        path: path.clone(),
        ..Checkout::default()
    });
    let mut last = None;
    if p.force {
        // What still runs there would write into what git removes.
        last = close(call, id, &worktree.repo_key);
    }
    worktree::remove(&repository, &path, p.force, trust).map_err(|error| match error {
        RemoveError::Dirty(reason) => ApiError::new("dirty_worktree_requires_force", reason),
        RemoveError::Git(error) => ApiError::new("worktree_remove_failed", error.to_string()),
    })?;
    call.shared.refresh_places();
    let mut live = call.shared.change();
    if !p.force {
        last = live.workspace_info(id);
        leave(&mut live, id, &worktree.repo_key, call);
    }
    live.emit(EventKind::WorktreeRemoved, |_| {
        Some(EventData::WorktreeRemoved {
            workspace_id: id.to_string(),
            workspace: last,
            worktree: record(&repository, &checkout, None),
            forced: p.force,
        })
    });
    Ok(ResponseResult::WorktreeRemoved {
        workspace_id: id.to_string(),
        path: worktree.checkout_path,
        forced: p.force,
    })
}

/// Closes a workspace and waits for its programs to end. What it was.
fn close(
    call: &Call<'_>,
    id: WorkspaceId,
    repo_key: &str,
) -> Option<crate::api::records::WorkspaceInfo> {
    call.shared.refresh_places();
    let mut live = call.shared.change();
    let last = live.workspace_info(id);
    let panes: Vec<_> = live.world.workspace(id).map_or_else(Vec::new, |workspace| {
        let entries = workspace.panes().filter_map(|key| live.pane(key));
        entries.map(|entry| entry.runtime.pane.clone()).collect()
    });
    leave(&mut live, id, repo_key, call);
    drop(live);
    let deadline = Instant::now() + ENDING;
    for pane in panes {
        pane.wait_finished(deadline);
    }
    last
}

/// Closes a workspace if it is still there. If it was the active one, its repository's own is next.
fn leave(live: &mut Live, id: WorkspaceId, repo_key: &str, call: &Call<'_>) {
    if live.world.active_workspace() == Some(id)
        && let Some(primary) = live.primary_workspace(repo_key)
        && live.world.focus_workspace(primary).is_ok()
    {
        live.mark_active_tab_seen(&call.shared.deadlines);
    }
    // Gone already is as good.
    let _ = live.remove_workspace(id);
}

/// A checkout that is to be shown in a workspace.
struct Opening<'a> {
    repository: &'a Repository,
    checkout: &'a Checkout,
    label: Option<String>,
    focus: bool,
    /// It was made just now.
    made: bool,
}

impl Opening<'_> {
    /// Finds the workspace that shows it, or opens one; the repository's own comes with it.
    fn open(self, call: &Call<'_>) -> Result<ResponseResult, ApiError> {
        let (repository, checkout) = (self.repository, self.checkout);
        let is_linked = checkout.path != repository.root;
        if is_linked {
            open_primary(call, repository)?;
        }
        let worktree = membership(repository, &checkout.path, is_linked);
        let present = shown(call, std::slice::from_ref(checkout))[0];
        let id = match present {
            Some(id) => {
                self.reuse(call, id, worktree)?;
                id
            }
            None => {
                let launch = Launch {
                    cwd: Some(checkout.path.clone()),
                    created_by: call.creator(),
                    ..Launch::default()
                };
                let announce = |live: &mut Live, id| self.announce(live, id, false);
                let opened = call.shared.create_workspace_with(
                    (self.label.clone(), self.focus, None),
                    Some(worktree),
                    &launch,
                    announce,
                );
                let (workspace, _, _) = opened
                    .map_err(|error| workspace::creation_failed(error, "worktree_open_failed"))?;
                let live = call.shared.look();
                find::workspace(&live, &workspace.workspace_id)?
            }
        };
        let live = call.shared.look();
        let gone = || find::no_workspace(id);
        let workspace = live.workspace_info(id).ok_or_else(gone)?;
        let tab = live.world.workspace(id).ok_or_else(gone)?.active_tab();
        let root = live.world.tab(tab).ok_or_else(gone)?.root();
        let tab = live.tab_info(tab).ok_or_else(gone)?;
        let root_pane = live.pane_info(root).ok_or_else(gone)?;
        let worktree = record(repository, checkout, Some(id.to_string()));
        Ok(if self.made {
            ResponseResult::WorktreeCreated {
                workspace,
                tab,
                root_pane,
                worktree,
            }
        } else {
            ResponseResult::WorktreeOpened {
                workspace,
                tab,
                root_pane,
                worktree,
                already_open: present.is_some(),
            }
        })
    }

    /// Takes the workspace that shows the checkout already.
    fn reuse(
        &self,
        call: &Call<'_>,
        id: WorkspaceId,
        worktree: WorkspaceWorktreeInfo,
    ) -> Result<(), ApiError> {
        let gone = |error| find::gone(error, "workspace_not_found");
        let mut live = call.shared.change();
        live.record_worktree(id, worktree);
        if let Some(label) = &self.label {
            live.world
                .rename_workspace(id, label.clone())
                .map_err(gone)?;
            live.emit(EventKind::WorkspaceRenamed, |_| {
                Some(EventData::WorkspaceRenamed {
                    workspace_id: id.to_string(),
                    label: label.clone(),
                })
            });
        }
        if self.focus {
            live.world.focus_workspace(id).map_err(gone)?;
            live.mark_active_tab_seen(&call.shared.deadlines);
        }
        self.announce(&mut live, id, true);
        Ok(())
    }

    fn announce(&self, live: &mut Live, id: WorkspaceId, already_open: bool) {
        let worktree = record(self.repository, self.checkout, Some(id.to_string()));
        if self.made {
            live.emit(EventKind::WorktreeCreated, |live| {
                Some(EventData::WorktreeCreated {
                    workspace: live.workspace_info(id)?,
                    worktree,
                })
            });
        } else {
            live.emit(EventKind::WorktreeOpened, |live| {
                Some(EventData::WorktreeOpened {
                    workspace: live.workspace_info(id)?,
                    worktree,
                    already_open,
                })
            });
        }
    }
}

/// Finds or opens the workspace of a repository's primary checkout, and records that it is one.
fn open_primary(call: &Call<'_>, repository: &Repository) -> Result<(), ApiError> {
    let root = Checkout {
        path: repository.root.clone(),
        ..Checkout::default()
    };
    let worktree = membership(repository, &repository.root, false);
    match shown(call, &[root])[0] {
        Some(id) => call.shared.change().record_worktree(id, worktree),
        None => {
            let launch = Launch {
                cwd: Some(repository.root.clone()),
                created_by: call.creator(),
                ..Launch::default()
            };
            call.shared
                .create_workspace_with((None, false, None), Some(worktree), &launch, |_, _| ())
                .map_err(|error| workspace::creation_failed(error, "worktree_open_failed"))?;
        }
    }
    Ok(())
}

/// The repository that a request names, seen from where it names it.
fn source(
    call: &Call<'_>,
    (workspace_id, cwd): (Option<&str>, Option<&str>),
    trust: bool,
) -> Result<Repository, ApiError> {
    let (directory, what) = match (workspace_id, cwd) {
        (Some(_), Some(_)) => {
            return Err(invalid("only one of workspace_id or cwd may be supplied"));
        }
        (None, Some(cwd)) => (
            Some(absolute(call, cwd)?),
            "Herdr worktree actions require a path inside a Git work tree",
        ),
        (workspace_id, None) => {
            call.shared.refresh_places();
            let live = call.shared.look();
            let id = match workspace_id {
                Some(id) => find::workspace(&live, id)?,
                None => live.world.active_workspace().ok_or_else(|| {
                    invalid("workspace_id or cwd is required when no workspace is active")
                })?,
            };
            (
                live.workspace_place(id).map(|place| place.path),
                "Herdr worktree actions require a workspace inside a Git work tree",
            )
        }
    };
    let none = || ApiError::new("not_git_worktree", what);
    let directory = directory.ok_or_else(none)?;
    let _look = look(call)?;
    worktree::inspect(&directory, trust).map_err(|error| match error {
        InspectError::NotAWorkTree => none(),
        InspectError::Foreign => ApiError::new(
            "not_git_worktree",
            format!(
                "the repository of {} belongs to another user; say trust_repository (--trust-repository) if you trust it",
                directory.display()
            ),
        ),
        InspectError::Git(error) => list_failed(error),
    })
}

/// The same for what starts from the primary checkout only.
fn primary_source(
    call: &Call<'_>,
    named: (Option<&str>, Option<&str>),
    trust: bool,
) -> Result<Repository, ApiError> {
    let repository = source(call, named, trust)?;
    if repository.is_linked {
        let message = "New and open worktree actions start from the repo parent workspace.";
        return Err(ApiError::new("linked_worktree_source", message));
    }
    Ok(repository)
}

/// The workspace that shows each checkout: one that was opened for it, or else one whose root pane is
/// in it.
fn shown(call: &Call<'_>, checkouts: &[Checkout]) -> Vec<Option<WorkspaceId>> {
    call.shared.refresh_places();
    let places = call.shared.look().workspace_places();
    let shows = |checkout: &Checkout, place: &&WorkspacePlace| match place.is_recorded {
        true => place.path == checkout.path,
        false => worktree::contains(&checkout.path, &place.path),
    };
    let of = |checkout: &Checkout| {
        let mut fitting: Vec<_> = places
            .iter()
            .filter(|place| shows(checkout, place))
            .collect();
        fitting.sort_by_key(|place| !place.is_recorded);
        fitting.first().map(|place| place.workspace)
    };
    checkouts.iter().map(of).collect()
}

/// A path of a request: absolute, or in the person's home.
fn absolute(call: &Call<'_>, path: &str) -> Result<PathBuf, ApiError> {
    let home = call.shared.identity.home.as_deref();
    let path = match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    };
    if !path.is_absolute() || path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(invalid("worktree path must be absolute"));
    }
    Ok(path)
}

fn look<'a>(call: &Call<'a>) -> Result<impl Drop + use<'a>, ApiError> {
    let busy = "too many worktree checks are pending; retry shortly";
    let look = call.shared.worktrees.look();
    look.ok_or_else(|| ApiError::new("worktree_busy", busy))
}

fn change<'a>(call: &Call<'a>, checkout: &Path) -> Result<impl Drop + use<'a>, ApiError> {
    let running = "worktree operation is already in progress for this checkout";
    let change = call.shared.worktrees.change(checkout);
    change.ok_or_else(|| ApiError::new("worktree_operation_in_progress", running))
}

fn record(repository: &Repository, checkout: &Checkout, open: Option<String>) -> WorktreeInfo {
    WorktreeInfo {
        path: text(&checkout.path),
        is_bare: checkout.is_bare,
        is_detached: checkout.is_detached,
        is_prunable: checkout.is_prunable,
        is_linked_worktree: checkout.path != repository.root,
        label: repository.name.clone(),
        branch: checkout.branch.clone(),
        open_workspace_id: open,
    }
}

fn membership(repository: &Repository, checkout: &Path, is_linked: bool) -> WorkspaceWorktreeInfo {
    WorkspaceWorktreeInfo {
        repo_key: text(&repository.key),
        repo_name: repository.name.clone(),
        repo_root: text(&repository.root),
        checkout_path: text(checkout),
        is_linked_worktree: is_linked,
    }
}

/// The repository that a workspace was recorded for.
fn repository(worktree: &WorkspaceWorktreeInfo) -> Repository {
    Repository {
        key: worktree.repo_key.clone().into(),
        name: worktree.repo_name.clone(),
        root: worktree.repo_root.clone().into(),
        checkout: worktree.checkout_path.clone().into(),
        is_linked: worktree.is_linked_worktree,
    }
}

fn invalid(message: &'static str) -> ApiError {
    ApiError::new("invalid_request", message)
}

fn list_failed(error: GitError) -> ApiError {
    ApiError::new("worktree_list_failed", error.to_string())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
