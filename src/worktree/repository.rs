//! Which repository a directory is in.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::checkouts;
use super::git::{Git, GitError, LOOK};

/// A repository, as seen from one of its checkouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The canonical path of the git directory that all checkouts share.
    pub key: PathBuf,
    /// What people call it.
    pub name: String,
    /// Its primary checkout.
    pub root: PathBuf,
    /// The checkout that the directory is in.
    pub checkout: PathBuf,
    /// That is not the primary one.
    pub is_linked: bool,
}

/// Why there is no repository to be told of.
#[derive(Debug)]
pub enum InspectError {
    /// The directory is in no work tree, or in none that git takes.
    NotAWorkTree,
    /// Its owner is another user, and nobody said that this is right.
    Foreign,
    /// Git did not answer.
    Git(GitError),
}

/// Looks which repository `directory` is in. With `trust` also if it belongs to another user.
///
/// # Errors
/// See [`InspectError`].
pub fn inspect(directory: &Path, trust: bool) -> Result<Repository, InspectError> {
    if !directory.is_dir() {
        return Err(InspectError::NotAWorkTree);
    }
    let trusted = if trust {
        work_tree_above(directory)
    } else {
        None
    };
    let git = Git {
        directory,
        trusted: trusted.as_deref(),
        hooks: false,
        limit: LOOK,
    };
    let ask = |what| git.path(&["rev-parse", "--path-format=absolute", what]);
    let checkout = ask("--show-toplevel").map_err(|error| match error {
        GitError::Failed(reason) if reason.contains("dubious ownership") => InspectError::Foreign,
        GitError::Failed(_) => InspectError::NotAWorkTree,
        other => InspectError::Git(other),
    })?;
    let shared = ask("--git-common-dir").map_err(InspectError::Git)?;
    let own = ask("--git-dir").map_err(InspectError::Git)?;
    let [key, own] = [shared, own].map(|path| path.canonicalize().unwrap_or(path));
    let is_linked = own != key;
    let root = if is_linked {
        primary(&git, &key).map_err(InspectError::Git)?
    } else {
        checkout.clone()
    };
    Ok(Repository {
        name: name(&key),
        key,
        root,
        checkout,
        is_linked,
    })
}

/// The first checkout that git lists is the primary one. Of a bare repository it is the repository.
fn primary(git: &Git<'_>, key: &Path) -> Result<PathBuf, GitError> {
    let all = checkouts::list_with(git)?;
    Ok(all
        .into_iter()
        .next()
        .map_or_else(|| key.to_owned(), |first| first.path))
}

/// The name of the directory that has the git directory in it, or of a bare repository itself (herdr
/// 0.9.3, `repo_name`).
fn name(key: &Path) -> String {
    let own = key.file_name().unwrap_or_default();
    let holder = key.parent().and_then(Path::file_name);
    let name = match holder {
        Some(holder) if own == OsStr::new(".git") || own == OsStr::new(".bare") => holder,
        _ => own,
    };
    name.to_string_lossy().into_owned()
}

/// The nearest directory from here upwards with a `.git` in it.
fn work_tree_above(directory: &Path) -> Option<PathBuf> {
    let directory = directory.canonicalize().ok()?;
    let has_git = |directory: &&Path| directory.join(".git").symlink_metadata().is_ok();
    directory.ancestors().find(has_git).map(Path::to_owned)
}

/// Whether a directory lies in a checkout, and not in another repository within it.
pub fn contains(checkout: &Path, directory: &Path) -> bool {
    directory.starts_with(checkout)
        && !directory
            .ancestors()
            .take_while(|above| *above != checkout)
            .any(|above| above.join(".git").symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_after_where_it_lies() {
        for (key, expected) in [
            ("/src/api/.git", "api"),
            ("/src/api/.bare", "api"),
            ("/srv/api.git", "api.git"),
            ("/src/api/.git/modules/lib", "lib"),
            ("/.git", ".git"),
        ] {
            assert_eq!(name(Path::new(key)), expected, "{key}");
        }
    }

    #[test]
    fn another_repository_within_a_checkout_is_not_part_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::create_dir_all(root.join("inner/.git")).unwrap();
        std::fs::create_dir_all(root.join("inner/deep")).unwrap();
        std::fs::create_dir_all(root.join("own/deep")).unwrap();
        std::fs::create_dir(root.join(".git")).unwrap();
        assert!(contains(root, root));
        assert!(contains(root, &root.join("own/deep")));
        assert!(!contains(root, &root.join("inner/deep")));
        assert!(!contains(&root.join("own"), root));
    }
}
