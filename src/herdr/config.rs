//! `herdr config`: the configuration file.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::command::{Answer, Caller, Command, Entry, Failure, Group, HelpWords, Outcome, Run};
use crate::config::{self, Config};
use crate::paths;
use crate::replace::replace;

pub(super) const GROUP: Group = Group::new(
    "config",
    "The configuration file",
    &[
        Entry::Command(
            Command::new::<Check>("check", "", "Check the configuration file")
                .help_words(HelpWords::Anywhere),
        ),
        Entry::Command(Command::new::<ResetKeys>(
            "reset-keys",
            "",
            "Take key bindings out of the configuration file, and keep it as it was beside it",
        )),
    ],
);

#[derive(clap::Args)]
struct Check {}

impl Run for Check {
    fn run(self, caller: &Caller) -> Outcome {
        let file = paths::config_file(&caller.environment);
        let diagnostics = config::load(&file, &Config::default()).diagnostics;
        if diagnostics.is_empty() {
            return Ok(Answer::Text("config: ok\n".to_owned()));
        }
        let mut text = "config: issues found\n".to_owned();
        for diagnostic in diagnostics {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{diagnostic}");
        }
        Ok(Answer::Found(text))
    }
}

/// drover has no key bindings of its own; a file that serves herdr too may have some.
#[derive(clap::Args)]
struct ResetKeys {}

impl Run for ResetKeys {
    fn run(self, caller: &Caller) -> Outcome {
        let file = paths::config_file(&caller.environment);
        let failed = |error: &dyn std::fmt::Display| {
            let shown = file.display();
            Failure::Failed(format!("error: {shown}: {error}; nothing was changed"))
        };
        let text = match config::file_text(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other.map_err(|error| failed(&error))?,
        };
        let Some(kept) = config::without(&text, "keys").map_err(|error| failed(&error))? else {
            let shown = file.display();
            return Ok(Answer::Text(format!(
                "No [keys] config found in {shown}.\n"
            )));
        };
        let backup = back_up(&file, &text).map_err(|error| failed(&error))?;
        replace(&file, kept.as_bytes(), 0o600).map_err(|error| failed(&error))?;
        Ok(Answer::Text(format!(
            "Created backup: {backup}\n\
             Removed [keys], [keys.indexed], and [[keys.command]] from {}.\n\
             If a server is running, run `herdr server reload-config`.\n",
            file.display()
        )))
    }
}

/// Backups with the name of one second.
const MOST_BACKUPS: usize = 100;

/// Keeps a file's text beside it, under herdr's name for such a copy (herdr 0.9.3, `config reset-keys`).
fn back_up(file: &Path, text: &str) -> io::Result<String> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_err(io::Error::other)?
        .as_secs();
    let name = format!("{}.bak-keybind-v2-{now}", file.display());
    // Another one may have been made within the same second.
    let names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
    for backup in names.take(MOST_BACKUPS) {
        let made = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&backup);
        let mut made = match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        let kept = made
            .write_all(text.as_bytes())
            .and_then(|()| made.sync_all());
        return match kept {
            Ok(()) => Ok(backup),
            Err(error) => {
                // Half a copy is none.
                let _ = fs::remove_file(&backup);
                Err(error)
            }
        };
    }
    Err(io::Error::other(
        "there are too many backups of this second",
    ))
}
