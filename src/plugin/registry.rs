//! Which plugins the user has: one file for all sessions, replaced in one step, changed by one writer
//! at a time. What a plugin can do is read from its manifest whenever it is asked for.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};
use serde::{Deserialize, Serialize};

use super::id;
use super::manifest::{self, Manifest};
use crate::api::ApiError;
use crate::api::records::{InstalledPluginInfo, PluginSourceInfo, PluginSourceKind};
use crate::paths::PluginPaths;
use crate::replace;

/// Version of the file's form. One that is higher is another program's to change.
const VERSION: u32 = 1;

/// Bytes of the file: some thousand plugins, as each entry repeats its manifest.
const BYTES: u64 = 16 * 1024 * 1024;

/// Plugins there may be. Every listing reads all their manifests.
const PLUGINS: usize = 256;

/// How long a writer waits for another, which has a file of some kilobytes to write.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two attempts at the lock, which tells nobody that it is free.
const PAUSE: Duration = Duration::from_millis(5);

/// Where the plugins are listed.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    paths: PluginPaths,
}

/// A plugin that is listed.
#[derive(Debug, Clone)]
pub struct Plugin {
    /// As its manifest says now; if that cannot be read, what is known from the last time, less what
    /// it could do, and with a warning.
    pub info: InstalledPluginInfo,
    /// Why the manifest is not to be had.
    pub broken: Option<ApiError>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    version: u32,
    #[serde(default)]
    plugins: Vec<InstalledPluginInfo>,
}

impl Registry {
    pub fn new(paths: PluginPaths) -> Registry {
        Registry { paths }
    }

    pub fn paths(&self) -> &PluginPaths {
        &self.paths
    }

    /// Every plugin, in the order of the ids. Reads all manifests.
    ///
    /// # Errors
    /// `plugin_registry_load_failed`.
    pub fn list(&self) -> Result<Vec<Plugin>, ApiError> {
        Ok(self.load()?.into_iter().map(Plugin::refreshed).collect())
    }

    /// One plugin; none if there is none of this id.
    ///
    /// # Errors
    /// See [`list`](Registry::list).
    pub fn find(&self, id: &str) -> Result<Option<Plugin>, ApiError> {
        let found = self.load()?.into_iter().find(|info| info.plugin_id == id);
        Ok(found.map(Plugin::refreshed))
    }

    /// Adds the plugin whose manifest is at `path`, in the place of one with the same id.
    ///
    /// # Errors
    /// Those of [`manifest::read`]; `invalid_plugin_manifest_path`, `invalid_plugin_source`; those of
    /// the registry's file.
    pub fn link(
        &self,
        path: &str,
        enabled: bool,
        source: Option<PluginSourceInfo>,
    ) -> Result<InstalledPluginInfo, ApiError> {
        let path = Path::new(path);
        if !path.is_absolute() {
            let message = format!("{} is not an absolute path", path.display());
            return Err(ApiError::new("invalid_plugin_manifest_path", message));
        }
        let (file, manifest) = manifest::read(path)?;
        let source = source.unwrap_or_default();
        self.check_source(&source, &file)?;
        let info = installed(&file, manifest, enabled, source)?;
        self.change(|plugins| {
            plugins.retain(|known| known.plugin_id != info.plugin_id);
            if plugins.len() >= PLUGINS {
                let message = format!("there are {PLUGINS} plugins already; unlink one first");
                return Err(ApiError::new("plugin_registry_save_failed", message));
            }
            plugins.push(info.clone());
            Ok(info.clone())
        })
    }

    /// Takes a plugin off the list; false if it is not on it.
    ///
    /// # Errors
    /// Those of the registry's file.
    pub fn unlink(&self, id: &str) -> Result<bool, ApiError> {
        self.change(|plugins| {
            let before = plugins.len();
            plugins.retain(|known| known.plugin_id != id);
            Ok(plugins.len() != before)
        })
    }

    /// Lets a plugin run, or not any more.
    ///
    /// # Errors
    /// `plugin_not_found`; those of the registry's file.
    pub fn set_enabled(&self, id: &str, enabled: bool) -> Result<InstalledPluginInfo, ApiError> {
        let info = self.change(|plugins| {
            let plugin = plugins
                .iter_mut()
                .find(|known| known.plugin_id == id)
                .ok_or_else(not_found)?;
            plugin.enabled = enabled;
            Ok(plugin.clone())
        })?;
        Ok(Plugin::refreshed(info).info)
    }

    /// The directory of a plugin's settings, which is there afterwards.
    ///
    /// # Errors
    /// `plugin_user_dir_create_failed`.
    pub fn config_dir(&self, id: &str) -> Result<PathBuf, ApiError> {
        made(self.paths.configs.join(id::folder(id)))
    }

    /// The directory of what a plugin keeps, which is there afterwards.
    ///
    /// # Errors
    /// `plugin_user_dir_create_failed`.
    pub fn state_dir(&self, id: &str) -> Result<PathBuf, ApiError> {
        made(self.paths.states.join(id::folder(id)))
    }

    /// A plugin that says it was fetched has to be where fetched ones are: what is uninstalled is
    /// deleted there.
    fn check_source(&self, source: &PluginSourceInfo, file: &Path) -> Result<(), ApiError> {
        if source.kind != PluginSourceKind::Github {
            return Ok(());
        }
        let invalid = |message: &str| Err(ApiError::new("invalid_plugin_source", message));
        if source.owner.is_none() || source.repo.is_none() {
            return invalid("a plugin from GitHub needs owner and repo");
        }
        let Some(managed) = source.managed_path.as_deref().map(Path::new) else {
            return invalid("a plugin from GitHub needs the path of its managed checkout");
        };
        if !self.is_checkout(managed) || !file.starts_with(managed) {
            return invalid("a plugin from GitHub must be in a managed checkout of this user");
        }
        Ok(())
    }

    /// Whether a path is that of a checkout that `herdr plugin install` makes, with nothing in it that
    /// leads elsewhere.
    pub fn is_checkout(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        path.parent() == Some(&self.paths.checkouts)
            && name.is_some_and(|name| !name.starts_with('.'))
    }

    fn load(&self) -> Result<Vec<InstalledPluginInfo>, ApiError> {
        let failed = |why: &dyn std::fmt::Display| {
            let path = self.paths.registry.display();
            ApiError::new("plugin_registry_load_failed", format!("{path}: {why}"))
        };
        let text = match contents(&self.paths.registry) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&error)),
        };
        let listed: Listed = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        if listed.version > VERSION {
            let why = format!(
                "it is of version {}, and this program knows {VERSION}; upgrade it",
                listed.version
            );
            return Err(failed(&why));
        }
        let mut plugins = listed.plugins;
        // Somebody may have written into it.
        plugins.retain(|plugin| id::is_plugin(&plugin.plugin_id));
        plugins.sort_by(|a, b| a.plugin_id.cmp(&b.plugin_id));
        plugins.dedup_by(|a, b| a.plugin_id == b.plugin_id);
        plugins.truncate(PLUGINS);
        Ok(plugins)
    }

    /// Reads the file, changes what it says, and writes it, while nobody else does. Reading the file
    /// when it is not written is safe without the lock, because it is replaced in one step.
    fn change<R>(
        &self,
        change: impl FnOnce(&mut Vec<InstalledPluginInfo>) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        let failed = |error: io::Error| {
            let path = self.paths.registry.display();
            ApiError::new("plugin_registry_save_failed", format!("{path}: {error}"))
        };
        make_folder(&self.paths.folder).map_err(failed)?;
        let _lock = take(&self.paths.lock).map_err(failed)?;
        let mut plugins = self.load()?;
        let before = plugins.clone();
        let result = change(&mut plugins)?;
        plugins.sort_by(|a, b| a.plugin_id.cmp(&b.plugin_id));
        if plugins != before {
            let listed = Listed {
                version: VERSION,
                plugins,
            };
            let mut text = serde_json::to_string_pretty(&listed)
                .map_err(|error| failed(io::Error::other(error)))?;
            text.push('\n');
            replace::replace(&self.paths.registry, text.as_bytes(), 0o600).map_err(failed)?;
        }
        Ok(result)
    }
}

impl Plugin {
    /// With what the manifest says now.
    fn refreshed(known: InstalledPluginInfo) -> Plugin {
        let read = manifest::read(Path::new(&known.manifest_path)).and_then(|(file, manifest)| {
            if manifest.id != known.plugin_id {
                let message = format!(
                    "{} is the manifest of {} now; link it again",
                    file.display(),
                    manifest.id
                );
                return Err(ApiError::new("plugin_manifest_unavailable", message));
            }
            installed(&file, manifest, known.enabled, known.source.clone())
        });
        match read {
            Ok(info) => Plugin { info, broken: None },
            Err(error) => Plugin {
                info: InstalledPluginInfo {
                    build: Vec::new(),
                    startup: Vec::new(),
                    actions: Vec::new(),
                    events: Vec::new(),
                    panes: Vec::new(),
                    link_handlers: Vec::new(),
                    warnings: vec![error.message.clone()],
                    ..known
                },
                broken: Some(error),
            },
        }
    }

    /// The refusal when its manifest is needed and not to be had.
    ///
    /// # Errors
    /// `plugin_manifest_unavailable`, with the reason.
    pub fn whole(&self) -> Result<&InstalledPluginInfo, ApiError> {
        match &self.broken {
            None => Ok(&self.info),
            Some(error) => {
                let id = &self.info.plugin_id;
                let message = format!(
                    "the manifest of plugin {id} cannot be used: {}",
                    error.message
                );
                Err(ApiError::new("plugin_manifest_unavailable", message))
            }
        }
    }
}

/// The refusal for an id that no plugin has (herdr 0.9.3).
pub(super) fn not_found() -> ApiError {
    ApiError::new("plugin_not_found", "plugin not found")
}

fn installed(
    file: &Path,
    manifest: Manifest,
    enabled: bool,
    source: PluginSourceInfo,
) -> Result<InstalledPluginInfo, ApiError> {
    let root = file.parent().unwrap_or(Path::new("/"));
    let text = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| {
            let message = format!("{} is not UTF-8", path.display());
            ApiError::new("invalid_plugin_manifest_path", message)
        })
    };
    Ok(InstalledPluginInfo {
        plugin_id: manifest.id,
        name: manifest.name,
        version: manifest.version,
        min_herdr_version: manifest.min_herdr_version,
        description: manifest.description,
        manifest_path: text(file)?,
        plugin_root: text(root)?,
        enabled,
        source,
        platforms: manifest.platforms,
        build: manifest.build,
        startup: manifest.startup,
        actions: manifest.actions,
        events: manifest.events,
        panes: manifest.panes,
        link_handlers: manifest.link_handlers,
        warnings: manifest.warnings,
    })
}

fn contents(path: &Path) -> io::Result<String> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlag::O_NONBLOCK.bits())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    file.take(BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > BYTES {
        return Err(io::Error::other(format!("it has more than {BYTES} bytes")));
    }
    Ok(text)
}

fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn made(path: PathBuf) -> Result<PathBuf, ApiError> {
    make_folder(&path).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        ApiError::new("plugin_user_dir_create_failed", message)
    })?;
    Ok(path)
}

/// Takes a lock that others hold for a moment at most.
pub(super) fn take(path: &Path) -> io::Result<Flock<File>> {
    let deadline = Instant::now() + PATIENCE;
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlag::O_NOFOLLOW.bits())
        .open(path)?;
    loop {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => return Ok(locked),
            Err((unlocked, Errno::EWOULDBLOCK)) if Instant::now() < deadline => file = unlocked,
            Err((_, Errno::EWOULDBLOCK)) => {
                return Err(io::Error::other(format!(
                    "another program has held {} for {} s",
                    path.display(),
                    PATIENCE.as_secs()
                )));
            }
            Err((_, error)) => return Err(error.into()),
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::{Environment, plugin_paths};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn registry(directory: &Path) -> Registry {
        Registry::new(plugin_paths(&Environment {
            home: Some(directory.to_owned()),
            ..Environment::default()
        }))
    }

    fn plugin(directory: &Path, id: &str) -> String {
        let folder = directory.join("plugins").join(id);
        fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "id = '{id}'\nname = 'N'\nversion = '1'\nmin_herdr_version = '0.6.0'\n\
             [[actions]]\nid = 'a'\ntitle = 'A'\ncommand = ['true']\n"
        );
        fs::write(folder.join(manifest::FILE), text).unwrap();
        folder.to_str().unwrap().to_owned()
    }

    fn ids(registry: &Registry) -> Vec<String> {
        let plugins = registry.list().unwrap();
        plugins
            .into_iter()
            .map(|plugin| plugin.info.plugin_id)
            .collect()
    }

    #[test]
    fn what_is_linked_is_listed_by_id_until_it_is_unlinked() {
        let directory = tempfile::tempdir().unwrap();
        let registry = registry(directory.path());
        assert_eq!(ids(&registry), [""; 0]);
        for id in ["b", "a"] {
            let path = plugin(directory.path(), id);
            assert!(registry.link(&path, true, None).unwrap().enabled);
        }
        assert_eq!(ids(&registry), ["a", "b"]);
        assert!(!registry.set_enabled("a", false).unwrap().enabled);
        let again = registry
            .link(&plugin(directory.path(), "a"), true, None)
            .unwrap();
        assert!(again.enabled, "linking again replaces");
        assert_eq!(registry.unlink("a"), Ok(true));
        assert_eq!(registry.unlink("a"), Ok(false));
        assert_eq!(registry.set_enabled("a", true).unwrap_err(), not_found());
        assert_eq!(ids(&registry), ["b"]);
    }

    #[test]
    fn a_manifest_counts_as_it_is_now_and_a_broken_one_is_kept_with_a_warning() {
        let directory = tempfile::tempdir().unwrap();
        let registry = registry(directory.path());
        let path = plugin(directory.path(), "a");
        registry.link(&path, true, None).unwrap();
        let file = Path::new(&path).join(manifest::FILE);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("'N'", "'M'")).unwrap();
        assert_eq!(registry.find("a").unwrap().unwrap().info.name, "M");
        for broken in [
            text.replace("id = 'a'\nname", "id = 'z'\nname"),
            "x".to_owned(),
        ] {
            fs::write(&file, broken).unwrap();
            let found = registry.find("a").unwrap().unwrap();
            assert_eq!(
                (found.info.name.as_str(), found.info.actions.len()),
                ("N", 0)
            );
            assert_eq!(found.info.warnings.len(), 1);
            assert_eq!(
                found.whole().unwrap_err().code,
                "plugin_manifest_unavailable"
            );
        }
    }

    #[test]
    fn a_registry_that_cannot_be_read_is_named_and_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let registry = registry(directory.path());
        let path = plugin(directory.path(), "a");
        fs::create_dir_all(&registry.paths.folder).unwrap();
        for text in ["{", "{\"version\":99,\"plugins\":[]}", "[]"] {
            fs::write(&registry.paths.registry, text).unwrap();
            let error = registry.list().unwrap_err();
            assert_eq!(error.code, "plugin_registry_load_failed");
            assert!(error.message.contains("plugins.json: "), "{error}");
            assert!(registry.link(&path, true, None).is_err());
            assert_eq!(fs::read_to_string(&registry.paths.registry).unwrap(), text);
        }
    }

    #[test]
    fn many_writers_lose_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let (directory, done) = (directory.path(), &done);
                scope.spawn(move || {
                    for number in 0..4 {
                        let path = plugin(directory, &format!("p{writer}{number}"));
                        registry(directory).link(&path, true, None).unwrap();
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(ids(&registry(directory.path())).len(), done.into_inner());
    }

    #[test]
    fn only_a_managed_checkout_passes_for_one() {
        let directory = tempfile::tempdir().unwrap();
        let registry = registry(directory.path());
        let elsewhere = plugin(directory.path(), "a");
        let source = |managed: Option<&str>| PluginSourceInfo {
            kind: PluginSourceKind::Github,
            owner: Some("o".to_owned()),
            repo: Some("r".to_owned()),
            managed_path: managed.map(str::to_owned),
            ..PluginSourceInfo::default()
        };
        let above = registry.paths.checkouts.join("..");
        for managed in [None, Some(elsewhere.as_str()), above.to_str()] {
            let refused = registry.link(&elsewhere, true, Some(source(managed)));
            assert_eq!(refused.unwrap_err().code, "invalid_plugin_source");
        }
        assert!(registry.is_checkout(&registry.paths.checkouts.join("o-r-123")));
        assert!(!registry.is_checkout(&registry.paths.checkouts));
        assert!(!registry.is_checkout(&registry.paths.checkouts.join(".new-1")));
    }

    #[test]
    fn the_folders_of_a_plugin_are_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let registry = registry(directory.path());
        for id in ["a.b", "..", "."] {
            let config = registry.config_dir(id).unwrap();
            assert!(config.is_dir());
            assert_eq!(
                config.canonicalize().unwrap().parent().unwrap(),
                registry.paths.configs.canonicalize().unwrap()
            );
        }
    }
}
