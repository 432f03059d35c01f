//! The checkouts of a repository: git's list of them, another one, one less.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git::{CHANGE, Git, GitError, LOOK, os_string};
use super::repository::Repository;

/// One checkout, as `git worktree list` has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checkout {
    /// Where.
    pub path: PathBuf,
    /// Its branch without `refs/heads/`; none when it is detached.
    pub branch: Option<String>,
    /// There are no files: it is the repository itself.
    pub is_bare: bool,
    pub is_detached: bool,
    /// Its directory is gone.
    pub is_prunable: bool,
}

/// Why a checkout was not removed.
#[derive(Debug)]
pub enum RemoveError {
    /// There is work in it that would be lost; what git said.
    Dirty(String),
    /// Anything else.
    Git(GitError),
}

/// The checkouts of a repository, the primary one first.
///
/// # Errors
/// When git fails.
pub fn list(repository: &Repository, trust: bool) -> Result<Vec<Checkout>, GitError> {
    list_with(&git(repository, trust))
}

pub(super) fn list_with(git: &Git<'_>) -> Result<Vec<Checkout>, GitError> {
    match git.run(&["worktree", "list", "--porcelain", "-z"]) {
        Ok(output) => Ok(parse(&output, 0)),
        // git before 2.36 does not know how to separate paths with line feeds in them.
        Err(GitError::Failed(reason)) if reason.contains("unknown switch") => {
            let output = git.run(&["worktree", "list", "--porcelain"])?;
            Ok(parse(&output, b'\n'))
        }
        Err(error) => Err(error),
    }
}

/// Git on a repository for looking at it.
fn git(repository: &Repository, trust: bool) -> Git<'_> {
    Git {
        directory: &repository.root,
        trusted: trust.then_some(&*repository.root),
        hooks: false,
        limit: LOOK,
    }
}

/// Reads `git worktree list --porcelain`: a paragraph a checkout, `end` after each line.
fn parse(output: &[u8], end: u8) -> Vec<Checkout> {
    let mut all = Vec::new();
    for line in output.split(|byte| *byte == end) {
        let (word, rest) = match line.iter().position(|byte| *byte == b' ') {
            Some(space) => (&line[..space], &line[space + 1..]),
            None => (line, &[][..]),
        };
        if word == b"worktree" {
            all.push(Checkout {
                path: os_string(rest.to_vec()).into(),
                ..Checkout::default()
            });
        }
        let Some(checkout) = all.last_mut() else {
            continue;
        };
        match word {
            b"branch" => {
                let name = String::from_utf8_lossy(rest);
                let name = name.strip_prefix("refs/heads/").unwrap_or(&name);
                checkout.branch = Some(name.to_owned());
            }
            b"bare" => checkout.is_bare = true,
            b"detached" => checkout.is_detached = true,
            b"prunable" => checkout.is_prunable = true,
            _ => {}
        }
    }
    all
}

/// Makes a checkout of `branch` at `path`: of the branch there is, or of a new one from `base`, by
/// default from where the primary checkout is.
///
/// # Errors
/// When git fails, or a directory above it cannot be made.
pub fn add(
    repository: &Repository,
    branch: &str,
    base: Option<&str>,
    path: &Path,
    trust: bool,
) -> Result<Checkout, GitError> {
    let refused = |reason: String| Err(GitError::Failed(reason));
    // git hands both on to commands of its own, which would take them for options.
    if branch.starts_with('-') {
        return refused(format!("fatal: '{branch}' is not a valid branch name"));
    }
    let base = base.unwrap_or("HEAD");
    if base.starts_with('-') {
        return refused(format!("fatal: invalid reference: {base}"));
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| {
            GitError::Failed(format!("cannot create {}: {error}", parent.display()))
        })?;
    }
    let reference = format!("refs/heads/{branch}");
    let look = git(repository, trust);
    let exists = look
        .run(&["show-ref", "--verify", "--quiet", "--", &reference])
        .is_ok();
    let change = Git {
        // Hooks are those of whoever owns the repository.
        hooks: !trust,
        limit: CHANGE,
        ..look
    };
    let path_word = path.as_os_str();
    let words: Vec<&OsStr> = if exists {
        let words = ["worktree", "add", "--"].map(OsStr::new);
        [&words[..], &[path_word, OsStr::new(branch)]].concat()
    } else {
        let words = ["worktree", "add", "-b", branch, "--"].map(OsStr::new);
        [&words[..], &[path_word, OsStr::new(base)]].concat()
    };
    change.run(&words)?;
    Ok(Checkout {
        path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        branch: Some(branch.to_owned()),
        ..Checkout::default()
    })
}

/// Removes a checkout; its branch stays. With `force` also if work in it is lost, and if git has
/// forgotten it.
///
/// # Errors
/// See [`RemoveError`].
pub fn remove(
    repository: &Repository,
    path: &Path,
    force: bool,
    trust: bool,
) -> Result<(), RemoveError> {
    let git = Git {
        limit: CHANGE,
        ..git(repository, trust)
    };
    let mut words = vec![OsStr::new("worktree"), OsStr::new("remove")];
    if force {
        words.push(OsStr::new("--force"));
    }
    words.extend([OsStr::new("--"), path.as_os_str()]);
    let error = match git.run(&words) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    match error {
        GitError::Failed(reason) if !force && reason.contains("use --force") => {
            Err(RemoveError::Dirty(reason))
        }
        GitError::Failed(reason)
            if force && reason.contains("is not a working tree") && was_of(repository, path) =>
        {
            // Symbolic links are removed, not followed.
            fs::remove_dir_all(path).map_err(|error| {
                let reason = format!("cannot remove {}: {error}", path.display());
                RemoveError::Git(GitError::Failed(reason))
            })
        }
        error => Err(RemoveError::Git(error)),
    }
}

/// Whether the `.git` file of a directory points into a repository.
fn was_of(repository: &Repository, path: &Path) -> bool {
    let file = path.join(".git");
    // A file of this kind holds one path.
    let is_small = |data: &fs::Metadata| data.is_file() && data.len() < 64 * 1024;
    if !file.symlink_metadata().is_ok_and(|data| is_small(&data)) {
        return false;
    }
    let Ok(content) = fs::read(&file) else {
        return false;
    };
    let Some(target) = content.strip_prefix(b"gitdir: ") else {
        return false;
    };
    let target = Path::new(OsStr::from_bytes(target.trim_ascii_end()));
    let own = repository.key.join("worktrees");
    target.parent().is_some_and(|parent| {
        parent == own || parent.canonicalize().is_ok_and(|parent| parent == own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gits_list_is_read_whatever_the_names() {
        let output = b"worktree /r\0HEAD 1\0branch refs/heads/main\0\0\
            worktree /w t\n/branch x\0HEAD 2\0detached\0locked why\0\0\
            worktree /gone\0HEAD 3\0branch refs/heads/feat/one\0prunable gitdir file points to non-existent location\0\0\
            worktree /b.git\0bare\0\0";
        let at = |path: &str| Checkout {
            path: path.into(),
            ..Checkout::default()
        };
        assert_eq!(
            parse(output, 0),
            [
                Checkout {
                    branch: Some("main".to_owned()),
                    ..at("/r")
                },
                Checkout {
                    is_detached: true,
                    ..at("/w t\n/branch x")
                },
                Checkout {
                    branch: Some("feat/one".to_owned()),
                    is_prunable: true,
                    ..at("/gone")
                },
                Checkout {
                    is_bare: true,
                    ..at("/b.git")
                },
            ]
        );
        assert_eq!(parse(b"", 0), []);
        assert_eq!(parse(b"branch x\0bare", 0), []);
        assert_eq!(
            parse(b"worktree /r\nHEAD 1\n\nworktree /s\n", b'\n'),
            [at("/r"), at("/s")]
        );
    }

    #[test]
    fn only_a_directory_that_was_a_checkout_counts_as_one() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let key = root.join("r/.git");
        fs::create_dir_all(key.join("worktrees")).unwrap();
        let repository = Repository {
            key: key.clone(),
            name: "r".to_owned(),
            root: root.join("r"),
            checkout: root.join("r"),
            is_linked: false,
        };
        let checkout = root.join("c");
        fs::create_dir(&checkout).unwrap();
        assert!(!was_of(&repository, &checkout));
        let write = |text: String| fs::write(checkout.join(".git"), text).unwrap();
        write(format!("gitdir: {}/worktrees/c\n", key.display()));
        assert!(was_of(&repository, &checkout));
        for other in [
            "/",
            "/other/.git/worktrees/c",
            "../r/.git/worktrees/c/..",
            "",
        ] {
            write(format!("gitdir: {other}\n"));
            assert!(!was_of(&repository, &checkout), "{other}");
        }
        write(format!("{}/worktrees/c\n", key.display()));
        assert!(!was_of(&repository, &checkout));
    }
}
