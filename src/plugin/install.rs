//! From a repository on GitHub to a checkout that can be linked, and away again (herdr 0.9.3, `herdr
//! plugin install`).
//!
//! What is fetched lies in a folder of its own until the person has agreed to it. Only then does it
//! take its place, where it is built; what was there before comes back if anything fails, also after a
//! `kill -9`: the next installation finds it aside.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use nix::fcntl::Flock;
use sha2::{Digest, Sha256};

use super::manifest::{self, Manifest};
use super::registry::{Registry, take};
use crate::api::records::{PluginSourceInfo, PluginSourceKind};
use crate::worktree::run_in;

/// Of a repository whose installation has not come to its end.
const NEW: &str = ".new-";

/// Of the checkout that was in the place of one that is being installed.
const OLD: &str = ".old-";

/// Bytes of a place's name that are readable, before the part that no other place has.
const READABLE: usize = 60;

/// Bytes of an owner, a repository, a folder in it: GitHub's own are shorter.
const NAME: usize = 100;

/// What a build command must not see: which daemon is meant, and where in it.
const REMOVED: [&str; 8] = [
    "HERDR_SOCKET_PATH",
    "HERDR_CLIENT_SOCKET_PATH",
    "HERDR_SESSION",
    "HERDR_BIN_PATH",
    "HERDR_ENV",
    "HERDR_WORKSPACE_ID",
    "HERDR_TAB_ID",
    "HERDR_PANE_ID",
];

/// A repository on GitHub, and a folder in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    pub owner: String,
    pub name: String,
    pub subdir: Option<String>,
}

impl Repository {
    /// Reads `OWNER/REPO[/SUBDIR…]`; none if it is not written so.
    pub fn parse(text: &str) -> Option<Repository> {
        let is_name = |part: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
            (1..=NAME).contains(&part.len())
                && !part.starts_with(['.', '-'])
                && part.bytes().all(plain)
        };
        let mut parts = text.trim_end_matches('/').splitn(3, '/');
        let (owner, name) = (parts.next()?, parts.next()?);
        let subdir = parts.next().map(str::to_owned);
        let is_inside =
            |part: &str| is_name(part) || (part.starts_with('.') && is_name(&part[1..]));
        let whole = is_name(owner)
            && is_name(name)
            && subdir
                .as_deref()
                .is_none_or(|subdir| subdir.split('/').all(is_inside));
        whole.then(|| Repository {
            owner: owner.to_owned(),
            name: name.strip_suffix(".git").unwrap_or(name).to_owned(),
            subdir,
        })
    }

    fn address(&self) -> String {
        format!("https://github.com/{}/{}.git", self.owner, self.name)
    }

    /// The name of its checkout, which no other has.
    fn folder(&self) -> String {
        let whole = self.to_string().to_ascii_lowercase();
        let readable: String = whole
            .chars()
            .take(READABLE)
            .map(|character| if character == '/' { '-' } else { character })
            .collect();
        let digest = Sha256::digest(whole.as_bytes());
        let short: String = digest[..6]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("{readable}-{short}")
    }

    /// Whether a plugin came from here.
    pub fn is_source(&self, source: &PluginSourceInfo) -> bool {
        let same = |known: &Option<String>, name: &str| {
            known
                .as_deref()
                .is_some_and(|known| known.eq_ignore_ascii_case(name))
        };
        source.kind == PluginSourceKind::Github
            && same(&source.owner, &self.owner)
            && same(&source.repo, &self.name)
            && source.subdir == self.subdir
    }
}

impl std::fmt::Display for Repository {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.name)?;
        match &self.subdir {
            Some(subdir) => write!(formatter, "/{subdir}"),
            None => Ok(()),
        }
    }
}

/// A repository that was fetched and is not in its place. Dropped so, it is deleted.
#[derive(Debug)]
pub struct Fetched {
    pub manifest: Manifest,
    pub commit: String,
    repository: Repository,
    reference: Option<String>,
    /// Where it lies.
    staging: PathBuf,
    place: PathBuf,
    aside: PathBuf,
    /// Only one installs at a time.
    _lock: Flock<File>,
}

impl Fetched {
    /// Fetches a repository: `reference`, which is a branch, a tag or a commit, or what it shows first.
    ///
    /// # Errors
    /// What failed, and why.
    pub fn fetch(
        registry: &Registry,
        repository: &Repository,
        reference: Option<&str>,
    ) -> Result<Fetched, String> {
        let checkouts = &registry.paths().checkouts;
        let trouble = |error: io::Error| format!("{}: {error}", checkouts.display());
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(checkouts)
            .map_err(trouble)?;
        let lock = take(&checkouts.join(".lock"))
            .map_err(|error| format!("another plugin is being installed: {error}"))?;
        tidy(checkouts).map_err(trouble)?;
        let folder = repository.folder();
        let staging = checkouts.join(format!("{NEW}{folder}"));
        DirBuilder::new()
            .mode(0o700)
            .create(&staging)
            .map_err(trouble)?;
        let fetched = fetch(&staging, repository, reference);
        match fetched {
            Ok((manifest, commit)) => Ok(Fetched {
                manifest,
                commit,
                repository: repository.clone(),
                reference: reference.map(str::to_owned),
                place: checkouts.join(&folder),
                aside: checkouts.join(format!("{OLD}{folder}")),
                staging,
                _lock: lock,
            }),
            Err(error) => {
                let _ = fs::remove_dir_all(&staging);
                Err(error)
            }
        }
    }

    /// Puts it in its place, and what was there aside.
    ///
    /// # Errors
    /// The file system's; then everything is as it was.
    pub fn put(self) -> Result<Placed, String> {
        let trouble = |error: io::Error| format!("{}: {error}", self.place.display());
        let had_one = match fs::rename(&self.place, &self.aside) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(trouble(error)),
        };
        if let Err(error) = fs::rename(&self.staging, &self.place) {
            if had_one {
                let _ = fs::rename(&self.aside, &self.place);
            }
            return Err(trouble(error));
        }
        Ok(Placed {
            fetched: self,
            had_one,
            is_kept: false,
        })
    }
}

impl Drop for Fetched {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.staging);
    }
}

/// A checkout in its place. Dropped before it is kept, it makes way for the one before.
#[derive(Debug)]
pub struct Placed {
    fetched: Fetched,
    had_one: bool,
    is_kept: bool,
}

impl Placed {
    /// The folder of the plugin's manifest.
    pub fn root(&self) -> PathBuf {
        root(&self.fetched.place, &self.fetched.repository)
    }

    /// Runs what the plugin is built with, in the foreground.
    ///
    /// # Errors
    /// Which command failed, and how.
    pub fn build(&self) -> Result<(), String> {
        let plugin = &self.fetched.manifest;
        for build in &plugin.build {
            let platforms = build.platforms.as_deref();
            if !manifest::runs_here(platforms, plugin.platforms.as_deref()) {
                continue;
            }
            let [program, arguments @ ..] = &build.command[..] else {
                continue;
            };
            let mut command = Command::new(program);
            command
                .args(arguments)
                .current_dir(self.root())
                .stdin(Stdio::null())
                // Standard output is for what was installed.
                .stdout(io::stderr());
            for (name, _) in std::env::vars_os() {
                let text = name.to_string_lossy();
                if REMOVED.contains(&&*text) || text.starts_with("HERDR_PLUGIN_") {
                    command.env_remove(&name);
                }
            }
            let words = build.command.join(" ");
            match command.status() {
                Ok(status) if status.success() => {}
                Ok(status) => return Err(format!("build command failed: {words}: {status}")),
                Err(error) => return Err(format!("build command failed: {words}: {error}")),
            }
        }
        Ok(())
    }

    /// What the registry keeps of where it came from.
    pub fn source(&self) -> PluginSourceInfo {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let ms = since.map(|since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        let fetched = &self.fetched;
        PluginSourceInfo {
            kind: PluginSourceKind::Github,
            owner: Some(fetched.repository.owner.clone()),
            repo: Some(fetched.repository.name.clone()),
            subdir: fetched.repository.subdir.clone(),
            requested_ref: fetched.reference.clone(),
            resolved_commit: Some(fetched.commit.clone()),
            managed_path: Some(fetched.place.to_string_lossy().into_owned()),
            installed_unix_ms: ms.ok(),
        }
    }

    /// It is linked: the one before is not needed any more.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        let (place, aside) = (&self.fetched.place, &self.fetched.aside);
        if !self.is_kept {
            let _ = fs::remove_dir_all(place);
            if self.had_one {
                let _ = fs::rename(aside, place);
            }
        } else if self.had_one {
            let _ = fs::remove_dir_all(aside);
        }
    }
}

/// Deletes the checkout of a plugin that is not linked any more. One that is not ours stays.
///
/// # Errors
/// The file system's.
pub fn delete(registry: &Registry, source: &PluginSourceInfo) -> Result<(), String> {
    let Some(path) = source.managed_path.as_deref().map(Path::new) else {
        return Ok(());
    };
    if source.kind != PluginSourceKind::Github || !registry.is_checkout(path) {
        return Ok(());
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

fn root(checkout: &Path, repository: &Repository) -> PathBuf {
    match &repository.subdir {
        Some(subdir) => checkout.join(subdir),
        None => checkout.to_owned(),
    }
}

fn fetch(
    staging: &Path,
    repository: &Repository,
    reference: Option<&str>,
) -> Result<(Manifest, String), String> {
    let address = repository.address();
    let git = |arguments: &[&str]| {
        run_in(staging, arguments).map_err(|error| format!("fetching {repository}: {error}"))
    };
    git(&["init", "--quiet", "."])?;
    let wanted = reference.unwrap_or("HEAD");
    git(&[
        "fetch",
        "--quiet",
        "--depth",
        "1",
        "--no-tags",
        "--",
        &address,
        wanted,
    ])?;
    git(&["checkout", "--quiet", "--detach", "FETCH_HEAD"])?;
    let commit = git(&["rev-parse", "HEAD"])?;
    let root = root(staging, repository);
    let (file, manifest) = manifest::read(&root)
        .map_err(|error| format!("{repository} has no usable {}: {error}", manifest::FILE))?;
    // A link in the repository could lead to any file of the person's.
    let real = |path: &Path| {
        path.canonicalize()
            .map_err(|error| format!("{}: {error}", path.display()))
    };
    if !real(&file)?.starts_with(real(staging)?) {
        return Err(format!(
            "the manifest of {repository} leads out of the repository"
        ));
    }
    Ok((manifest, String::from_utf8_lossy(&commit).trim().to_owned()))
}

/// Clears away what installations left that were killed, and puts back what they had put aside.
fn tidy(checkouts: &Path) -> io::Result<()> {
    for entry in fs::read_dir(checkouts)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name.starts_with(NEW) {
            fs::remove_dir_all(entry.path())?;
        } else if let Some(place) = name.strip_prefix(OLD) {
            // Whether the new one was linked is not known, and it may be half built: the old one was
            // whole.
            let place = checkouts.join(place);
            match fs::remove_dir_all(&place) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => fs::rename(entry.path(), place)?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_an_owner_a_name_and_perhaps_a_folder() {
        let parsed = |text: &str| Repository::parse(text).map(|it| it.to_string());
        for text in ["a/b", "A-1/b.c_d", "a/b/c", "a/b/.hidden/d"] {
            assert_eq!(parsed(text).as_deref(), Some(text));
        }
        assert_eq!(parsed("a/b.git").as_deref(), Some("a/b"));
        for text in [
            "",
            "a",
            "a/",
            "/b",
            "a/..",
            "../b",
            "a/b/..",
            "a/b//c",
            "a/b/c/../d",
            "-o/b",
            "a/-b",
            "https://github.com/a/b",
            "git@github.com:a/b",
            "a b/c",
            "a/b/.",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn no_two_repositories_share_a_checkout() {
        let folder = |text: &str| Repository::parse(text).unwrap().folder();
        assert_ne!(folder("a/b-c"), folder("a-b/c"));
        assert_ne!(folder("a/b"), folder("a/b/c"));
        assert_eq!(
            folder("A/b"),
            folder("a/B"),
            "GitHub does not tell them apart"
        );
        assert!(!folder("a/b").starts_with('.'));
    }

    #[test]
    fn what_a_killed_installation_left_is_cleared_and_the_old_checkout_is_back() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for name in [".new-x", ".old-a", "a", ".old-b", "c"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("from"), name).unwrap();
        }
        tidy(directory.path()).unwrap();
        let from = |name: &str| fs::read_to_string(at(name).join("from")).unwrap();
        assert_eq!(
            (from("a"), from("b"), from("c")),
            (".old-a".into(), ".old-b".into(), "c".into())
        );
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
    }
}
