//! Where the detection rules of each agent come from: the person's own file, a downloaded one, or
//! the one that comes with drover (herdr 0.9.3, `server.agent_manifests`).
//!
//! A file is read when its agent is first met, and again after [`Library::reload`]. One that is no
//! good is skipped with a warning; the next source takes its place.

mod catalog;
mod explanation;
mod fetch;
mod source;
mod status;
mod update;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::agent::Kind;
use crate::paths::{self, Environment, Session};
use crate::sync::lock;

pub use catalog::{CATALOG_VARIABLE, DEFAULT_CATALOG};
pub use explanation::{explanation, skipped_explanation, unknown_explanation};
pub use source::{Chosen, Origin};
pub use status::{AgentStatus, Status};
pub use update::update;

/// The directories that manifests are looked for in.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Where a person puts `LABEL.toml`, the first directory first.
    pub overrides: Vec<PathBuf>,
    /// Where downloaded ones are kept; none when there is no state directory.
    pub downloaded: Option<PathBuf>,
}

/// The folder of manifests, in a configuration directory and in the state directory (herdr 0.9.3).
const FOLDER: &str = "agent-detection";

impl Places {
    /// The places of a person's session: beside drover's configuration file, in herdr's configuration
    /// directory, so that files made for herdr go on to count, and in drover's state directory.
    pub fn of(environment: &Environment) -> Places {
        let own = paths::config_file(environment);
        let own = own.parent().map(|directory| directory.join(FOLDER));
        let herdr = paths::herdr_config_dir(environment).join(FOLDER);
        let state = paths::session_paths(environment, &Session::Default).state_dir;
        let mut overrides: Vec<PathBuf> = own.into_iter().chain([herdr]).collect();
        overrides.dedup();
        Places {
            overrides,
            downloaded: Some(state.join(FOLDER).join("remote")),
        }
    }

    /// What came of the last download. Reads a file.
    pub fn status(&self) -> Status {
        match &self.downloaded {
            Some(folder) => status::read(&self.status_file(folder)),
            None => Status::default(),
        }
    }

    /// The file for that lies beside the folder of downloaded rules.
    fn status_file(&self, folder: &Path) -> PathBuf {
        folder.with_file_name("status.toml")
    }
}

/// What is known of every agent's rules, read as needed.
#[derive(Debug)]
struct Shelf {
    chosen: HashMap<Kind, OnceLock<Arc<Chosen>>>,
}

/// The rules of all agents.
#[derive(Debug)]
pub struct Library {
    places: Places,
    /// Guards which shelf is the present one. Innermost: nothing is locked or read under it.
    shelf: Mutex<Arc<Shelf>>,
    generation: AtomicU64,
}

impl Library {
    /// The rules in these places; nothing is read yet.
    pub fn new(places: Places) -> Library {
        Library {
            places,
            shelf: Mutex::new(Shelf::empty()),
            generation: AtomicU64::new(0),
        }
    }

    /// The rules of an agent. Reads files when it is asked for the agent for the first time, so never
    /// to be called under another lock.
    pub fn of(&self, kind: Kind) -> Arc<Chosen> {
        let shelf = lock(&self.shelf).clone();
        match shelf.chosen.get(&kind) {
            Some(slot) => slot
                .get_or_init(|| Arc::new(source::choose(kind, &self.places)))
                .clone(),
            // Every kind has a slot; this is the same without keeping it.
            None => Arc::new(source::choose(kind, &self.places)),
        }
    }

    /// What came of the last download. Reads a file, so never to be called under another lock.
    pub fn status(&self) -> Status {
        self.places.status()
    }

    /// Forgets what was read, so that the files are read again.
    pub fn reload(&self) {
        *lock(&self.shelf) = Shelf::empty();
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Grows with every reload: verdicts of another generation are out of date.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }
}

impl Shelf {
    fn empty() -> Arc<Shelf> {
        Arc::new(Shelf {
            chosen: Kind::all().map(|kind| (kind, OnceLock::new())).collect(),
        })
    }
}

#[cfg(test)]
mod tests;
