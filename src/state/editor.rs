//! A pane's whole text in the person's editor (`pane.edit_scrollback`).

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::pane::Pane;
use crate::world::{Axis, DEFAULT_RATIO, PaneKey, WorldError, ZoomMode};

use super::{CreateError, Launch, Shared};

/// Runs the person's editor on a file and takes the file away afterwards, however the editor ends:
/// the text may have secrets in it. An interrupt is the editor's own business.
const EDIT: &str = r#"trap 'rm -f -- "$1"' EXIT
trap : INT QUIT
trap 'exit 129' HUP
trap 'exit 143' TERM
${VISUAL:-${EDITOR:-vi}} "$1""#;

/// Rows that are given to the editor, the newest ones: more than the default keeps by far, and what
/// an editor still opens at once.
const ROWS_LIMIT: usize = 200_000;

/// Rows that are read in one go.
const BLOCK: usize = 1024;

impl Shared {
    /// Opens the person's editor on the text of a pane, in a new pane that covers its tab and goes
    /// when the editor ends. `creator` is the pane that asks for it.
    ///
    /// # Errors
    /// The text cannot be written, or there is no room for a pane, or no shell.
    pub fn edit_scrollback(
        &self,
        key: PaneKey,
        creator: Option<PaneKey>,
    ) -> Result<(), CreateError> {
        let runtime = self.look().runtime(key).ok_or(WorldError::PaneGone)?;
        let file = self.write_text(&runtime.pane).map_err(CreateError::Spawn)?;
        let shell = ["/bin/sh", "-c", EDIT, "sh"].map(str::to_owned);
        let path = file.to_string_lossy().into_owned();
        let launch = Launch {
            cwd: runtime.follow(),
            argv: Some(shell.into_iter().chain([path]).collect()),
            created_by: creator,
            ..Launch::default()
        };
        let made = self.split(key, Axis::Down, DEFAULT_RATIO, true, &launch);
        let pane = made.inspect_err(|_| {
            let _ = fs::remove_file(&file);
        })?;
        let mut live = self.change();
        let Some(editor) = live.world.find_canonical_pane(&pane.pane_id) else {
            // An editor that could not even start has told why and is gone.
            return Ok(());
        };
        live.world.zoom(editor, ZoomMode::On)?;
        let tab = live.world.pane(editor).map(|pane| pane.tab());
        live.relaid(tab);
        Ok(())
    }

    /// Writes what a pane keeps into a new file for this user alone, beside the sockets.
    fn write_text(&self, pane: &Pane) -> io::Result<PathBuf> {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let text = text_of(pane);
        let name = format!(
            "scrollback-{}-{}.txt",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = self.identity.protocol_socket.with_file_name(name);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| doing("making", &path, &error))?;
        if let Err(error) = file.write_all(text.as_bytes()) {
            let _ = fs::remove_file(&path);
            return Err(doing("writing", &path, &error));
        }
        Ok(path)
    }
}

/// The same error with what was being done.
fn doing(what: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what} {}: {error}", path.display()))
}

/// The text of a pane at one moment. Rows that were wrapped are one line; blank ones at the end are
/// left out.
fn text_of(pane: &Pane) -> String {
    let screen = pane.screen();
    let count = screen.row_count();
    let mut text = String::new();
    let mut from = count.saturating_sub(ROWS_LIMIT);
    while from < count {
        let to = (from + BLOCK).min(count);
        for row in screen.text_rows(from, to) {
            text.push_str(row.text());
            if !row.is_wrapped() {
                text.push('\n');
            }
        }
        from = to;
    }
    drop(screen);
    let kept = text.trim_end_matches('\n').len();
    text.truncate(kept);
    text.push('\n');
    text
}
