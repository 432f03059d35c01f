//! What is to be written and removed, worked out before any of it is done.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Refusal;
use crate::replace::replace;

/// Bytes of a file that is read; the settings of people have a few KiB.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What the name of a settings file gets where the one of before is kept.
const BACKUP: &str = ".herdr-backup";

/// Permissions of scripts, and of all else that is new. Settings of agents may hold keys.
const SCRIPT_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o600;

/// The marks in an installed file (herdr 0.9.3).
const VERSION_MARK: &str = "HERDR_INTEGRATION_VERSION=";

/// Steps in the order in which they are carried out.
#[derive(Debug, Default)]
pub(super) struct Plan {
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    /// A file of ours.
    Own {
        path: PathBuf,
        text: String,
        mode: u32,
    },
    /// A file of the person's, as it was and as it is to be.
    Settings {
        path: PathBuf,
        before: Option<String>,
        text: String,
    },
    /// A file of ours that goes.
    Remove(PathBuf),
    /// A folder of ours that goes when nothing is left in it.
    RemoveFolder(PathBuf),
    /// What is told.
    Say(String),
}

impl Plan {
    pub(super) fn script(&mut self, path: PathBuf, text: String) {
        let mode = SCRIPT_MODE;
        self.steps.push(Step::Own { path, text, mode });
    }

    pub(super) fn own(&mut self, path: PathBuf, text: String) {
        let mode = FILE_MODE;
        self.steps.push(Step::Own { path, text, mode });
    }

    pub(super) fn settings(&mut self, path: PathBuf, before: Option<String>, text: String) {
        self.steps.push(Step::Settings { path, before, text });
    }

    /// Whether there is a file, which then goes.
    pub(super) fn remove(&mut self, path: PathBuf) -> bool {
        // A link that leads nowhere is something that goes, too.
        let there = fs::symlink_metadata(&path).is_ok();
        if there {
            self.steps.push(Step::Remove(path));
        }
        there
    }

    pub(super) fn remove_folder(&mut self, path: PathBuf) {
        self.steps.push(Step::RemoveFolder(path));
    }

    pub(super) fn say(&mut self, line: String) {
        self.steps.push(Step::Say(line));
    }

    /// Whether the person's own files would change.
    pub(super) fn changes_settings(&self) -> bool {
        self.steps.iter().any(|step| {
            matches!(step, Step::Settings { before, text, .. } if before.as_ref() != Some(text))
        })
    }

    /// Does it. The lines for a person.
    pub(super) fn carry_out(self) -> Result<Vec<String>, Refusal> {
        let mut lines = Vec::new();
        for step in self.steps {
            match step {
                Step::Own { path, text, mode } => {
                    let written = make_folder(&path).and_then(|()| {
                        replace(&path, text.as_bytes(), mode)?;
                        // One that was there may have been made before it had to be run.
                        set_mode(&path, mode)
                    });
                    written.map_err(|error| failed(&path, &error))?;
                }
                Step::Settings { path, before, text } if before.as_ref() != Some(&text) => {
                    let write = || {
                        make_folder(&path)?;
                        if let Some(before) = &before {
                            let mut backup = path.clone().into_os_string();
                            backup.push(BACKUP);
                            replace(Path::new(&backup), before.as_bytes(), FILE_MODE)?;
                        }
                        replace(&path, text.as_bytes(), FILE_MODE)
                    };
                    write().map_err(|error| failed(&path, &error))?;
                }
                Step::Settings { .. } => {}
                Step::Remove(path) => match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(failed(&path, &error));
                    }
                    _ => {}
                },
                // What somebody else put there stays, and the folder with it.
                Step::RemoveFolder(path) => drop(fs::remove_dir(path)),
                Step::Say(line) => lines.push(line),
            }
        }
        Ok(lines)
    }
}

fn make_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

fn failed(path: &Path, error: &io::Error) -> Refusal {
    Refusal(format!("{}: {error}", path.display()))
}

/// The text of a file; none if there is no file.
///
/// # Errors
/// It cannot be read, or is no text that settings could be.
pub(super) fn text(path: &Path) -> Result<Option<String>, Refusal> {
    let read = || {
        // Anything but a file could make the reader wait for ever.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        let mut text = String::new();
        let length = File::open(path)?
            .take(MAX_BYTES + 1)
            .read_to_string(&mut text)?;
        if length as u64 > MAX_BYTES {
            return Err(io::Error::other("it is too long for settings"));
        }
        Ok(text)
    };
    match read() {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

/// What is wrong with a text that is no TOML, with its place.
pub(super) fn toml_mistake(text: &str, error: &toml_edit::TomlError) -> String {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    format!(
        "line {}, column {}: {}",
        before.matches('\n').count() + 1,
        before[line..].chars().count() + 1,
        error.message()
    )
}

/// The version that an installed file says it is of.
pub(super) fn version(text: &str) -> Option<u32> {
    let (_, behind) = text.split_once(VERSION_MARK)?;
    let digits = behind.find(|c: char| !c.is_ascii_digit());
    behind[..digits.unwrap_or(behind.len())].parse().ok()
}
