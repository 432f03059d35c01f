//! A pane's running side as the state sees it: its handle, where its programs are, and the size
//! it should have.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::config::{Config, ProcessDetection};
use crate::pane::{Directories, Pane, Size};
use crate::sync::lock;
use crate::world::TerminalSize;

use super::prompts::Prompts;
use super::viewers::Viewers;

/// herdr's variable for what `[agents] process_detection` says (herdr 0.9.3).
const PROCESS_DETECTION: &str = "HERDR_PROCESS_DETECTION";

/// Shared between the world's entry and whoever works on the pane without the world's lock.
#[derive(Debug)]
pub struct Runtime {
    pub pane: Arc<Pane>,
    place: Mutex<Place>,
    wanted: Mutex<TerminalSize>,
    /// Who drives the pane, and so its size.
    pub(super) viewers: Viewers,
    /// Held while a size is applied, so that the newest one is the one that stays. Guards whether
    /// none is to be applied for now.
    fitting: Mutex<bool>,
    /// Who types a prompt, from the text to its Enter.
    pub prompts: Prompts,
    /// A reader has the program show its past, which says nothing about its present.
    shows_past: AtomicBool,
    /// The revision of the screen whose text was last saved.
    saved_revision: AtomicU64,
}

/// Where a pane is. Its lock is innermost and never held across I/O.
#[derive(Debug, Default)]
struct Place {
    directories: Arc<Directories>,
    label: Option<Label>,
}

/// A derived workspace label and the directory it was derived from.
#[derive(Debug)]
struct Label {
    of: PathBuf,
    text: String,
}

impl Runtime {
    pub fn new(pane: Arc<Pane>, size: TerminalSize) -> Arc<Runtime> {
        Arc::new(Runtime {
            pane,
            place: Mutex::default(),
            wanted: Mutex::new(size),
            viewers: Viewers::default(),
            fitting: Mutex::default(),
            prompts: Prompts::default(),
            shows_past: AtomicBool::new(false),
            saved_revision: AtomicU64::new(0),
        })
    }

    /// Lets the program's screen not be judged until the answer is dropped. For one reader at a time.
    pub fn show_past(&self) -> ShowsPast<'_> {
        self.shows_past.store(true, Ordering::Relaxed);
        ShowsPast(self)
    }

    /// Whether what is on the screen is of the past.
    pub(super) fn shows_past(&self) -> bool {
        self.shows_past.load(Ordering::Relaxed)
    }

    /// Looks again where the programs are, if they did anything since the last look.
    pub fn refresh(&self, home: Option<&Path>) {
        let directories = self.pane.directories();
        let stale = {
            let mut place = lock(&self.place);
            place.directories = directories.clone();
            let known = place.label.as_ref().map(|label| label.of.as_path());
            known != directories.cwd.as_deref()
        };
        if stale && let Some(of) = directories.cwd.clone() {
            let text = derived_label(&of, home);
            lock(&self.place).label = Some(Label { of, text });
        }
    }

    /// Where the programs were at the last look.
    pub fn directories(&self) -> Arc<Directories> {
        lock(&self.place).directories.clone()
    }

    /// Whether a screen of this revision was not saved yet; from now on it counts as saved.
    pub fn is_unsaved(&self, revision: u64) -> bool {
        self.saved_revision.swap(revision, Ordering::Relaxed) != revision
    }

    /// Where a new pane starts that follows this one; reads the operating system.
    pub fn follow(&self) -> Option<PathBuf> {
        self.pane.directories().follow().cloned()
    }

    /// The label of a workspace whose root pane this is and that has no name of its own.
    pub fn workspace_label(&self) -> String {
        lock(&self.place)
            .label
            .as_ref()
            .map(|label| label.text.clone())
            .unwrap_or_default()
    }

    /// Sets how much input may wait for the program, and which job counts as the foreground.
    pub fn configure(&self, config: &Config) {
        let bytes = usize::try_from(config.limits.input_bytes).unwrap_or(usize::MAX);
        self.pane.limit_input(bytes);
        let said = std::env::var(PROCESS_DETECTION).ok();
        let child_groups = said.as_deref().and_then(ProcessDetection::named);
        let detection = child_groups.unwrap_or(config.agents.process_detection);
        self.pane
            .watch_child_groups(detection == ProcessDetection::ChildGroups);
    }

    /// Notes the size the terminal should have. True if that is news; then [`Runtime::fit`] has to
    /// follow, without the world's lock.
    pub fn want(&self, size: TerminalSize) -> bool {
        std::mem::replace(&mut *lock(&self.wanted), size) != size
    }

    /// Gives the terminal the size that its viewers want, or without any the one wanted last.
    pub fn fit(&self) {
        let keeps_size = lock(&self.fitting);
        if !*keeps_size {
            self.apply_size();
        }
    }

    /// From now on only notes which size the terminal should have.
    pub fn keep_size(&self) {
        *lock(&self.fitting) = true;
    }

    /// Gives it the size that was noted last, and any later one at once.
    pub(super) fn keep_size_no_longer(&self) {
        let mut keeps_size = lock(&self.fitting);
        *keeps_size = false;
        self.apply_size();
    }

    /// To be called with `fitting` held.
    fn apply_size(&self) {
        let wanted = *lock(&self.wanted);
        let size = self.viewers.size(wanted);
        self.pane.resize(cells(size));
    }
}

/// While it is there, the program shows its past.
#[derive(Debug)]
pub struct ShowsPast<'a>(&'a Runtime);

impl Drop for ShowsPast<'_> {
    fn drop(&mut self) {
        self.0.shows_past.store(false, Ordering::Relaxed);
    }
}

/// The world's size of a terminal, as a pane takes it.
pub fn cells(size: TerminalSize) -> Size {
    Size {
        cols: size.cols,
        rows: size.rows,
    }
}

/// herdr 0.9.3's label for a workspace without a name: the work tree's folder, else `~` for the
/// home directory, else the folder.
fn derived_label(cwd: &Path, home: Option<&Path>) -> String {
    let base = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    // `.git` is a folder in a repository and a file in a linked work tree.
    let root = cwd.ancestors().find(|folder| folder.join(".git").exists());
    if let Some(name) = root.and_then(base) {
        return name;
    }
    if home == Some(cwd) {
        return "~".to_owned();
    }
    base(cwd).unwrap_or_else(|| cwd.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_called_after_its_work_tree_else_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("project/src/deep");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(derived_label(&deep, None), "deep");
        std::fs::create_dir(dir.path().join("project/.git")).unwrap();
        assert_eq!(derived_label(&deep, None), "project");
        assert_eq!(derived_label(dir.path(), Some(dir.path())), "~");
        assert_eq!(derived_label(Path::new("/"), None), "/");
    }
}
