//! What is wrong with hooks that are installed, beside their version: what agents run that is not there, or is not what
//! this program puts there.

use std::fs;
use std::path::{Path, PathBuf};

use super::target::{Kind, Target};
use super::{Refusal, Status, Surroundings, hooks, kimi, plan, plugins, status};

/// Something that is not as `install` leaves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// The agent is told to run a file that is not there.
    Missing {
        /// What tells it.
        settings: PathBuf,
        /// What is not there.
        file: PathBuf,
    },
    /// The agent runs a file of the same name that lies where `install` does not write.
    Elsewhere {
        /// What tells it.
        settings: PathBuf,
        /// What it runs.
        file: PathBuf,
    },
    /// The installed file is a link to another one.
    Link {
        /// The link.
        file: PathBuf,
        /// Where it leads; it may not be there.
        leads_to: PathBuf,
    },
    /// The installed file runs a program that is not on `PATH`.
    NoProgram {
        /// What runs it.
        file: PathBuf,
        /// The program.
        program: &'static str,
    },
    /// The settings or the installed file cannot be read.
    Unreadable(String),
}

/// A program that hooks of herdr's own run (herdr 0.9.3). Those of this one run nothing but a shell.
const INTERPRETER: &str = "python3";

/// What is wrong with a target's hooks; nothing if there are none.
///
/// # Errors
/// There is no home directory.
pub fn flaws(target: &Target, surroundings: &Surroundings<'_>) -> Result<Vec<Flaw>, Refusal> {
    let folder = surroundings.folder(target)?;
    let (own, status) = status(target, surroundings)?;
    let mut found = Vec::new();
    match run_by_settings(target, &folder) {
        Ok(run) => {
            for (settings, file) in run {
                let flaw = match (fs::canonicalize(&file), fs::canonicalize(&own)) {
                    (Err(_), _) => Flaw::Missing { settings, file },
                    // A second file of the same integration.
                    (Ok(_), _) if file.file_name() != own.file_name() => continue,
                    // One that is named another way, as through a link to the agent's folder, is the same.
                    (Ok(runs), Ok(own)) if runs == own => continue,
                    (Ok(_), _) => Flaw::Elsewhere { settings, file },
                };
                if !found.contains(&flaw) {
                    found.push(flaw);
                }
            }
        }
        // What a person writes into settings without hooks is not looked at.
        Err(_) if status == Status::NotInstalled => {}
        Err(refusal) => found.push(Flaw::Unreadable(refusal.to_string())),
    }
    if let Ok(leads_to) = fs::read_link(&own) {
        let leads_to = own
            .parent()
            .map_or(leads_to.clone(), |at| at.join(&leads_to));
        found.push(Flaw::Link {
            file: own.clone(),
            leads_to,
        });
    }
    match plan::text(&own) {
        Ok(Some(text)) if text.contains(INTERPRETER) && !surroundings.has(INTERPRETER) => {
            found.push(Flaw::NoProgram {
                file: own,
                program: INTERPRETER,
            });
        }
        Ok(_) => {}
        Err(refusal) => found.push(Flaw::Unreadable(refusal.to_string())),
    }
    Ok(found)
}

/// The files of ours that settings make an agent run, each with the settings.
fn run_by_settings(target: &Target, folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, Refusal> {
    let (settings, files): (PathBuf, Vec<PathBuf>) = match target.kind {
        Kind::Hooks(of) => {
            let settings = folder.join(of.settings);
            let lines = hooks::registered(of, &settings)?;
            let files = lines.iter().filter_map(|line| script(line, of.script));
            (settings, files.collect())
        }
        Kind::Kimi => {
            let settings = folder.join(kimi::CONFIG);
            let lines = kimi::registered(&settings)?;
            let files = lines.iter().filter_map(|line| script(line, kimi::SCRIPT));
            (settings, files.collect())
        }
        Kind::Opencode => {
            let settings = folder.join(plugins::OPENCODE_SCREEN_CONFIG);
            let named = plugins::screen_plugin(folder)?;
            (
                settings,
                named.into_iter().map(|name| folder.join(name)).collect(),
            )
        }
        Kind::Hermes => {
            let settings = folder.join(plugins::HERMES_CONFIG);
            let module = folder.join(plugins::HERMES_MODULE);
            let enabled = plugins::hermes_enabled(folder)?;
            (settings, enabled.then_some(module).into_iter().collect())
        }
        // They are run because they are there.
        Kind::Extension(_) | Kind::Kilo => return Ok(Vec::new()),
    };
    Ok(files
        .into_iter()
        .map(|file| (settings.clone(), file))
        .collect())
}

/// The script that a command line runs: its word that ends in the name of ours, taken apart as a shell does. None if it
/// is not named whole.
fn script(line: &str, own: &str) -> Option<PathBuf> {
    let name = Path::new(own).file_name()?;
    let found = words(line).into_iter().map(PathBuf::from);
    let mut found = found.filter(|word| word.is_absolute() && word.file_name() == Some(name));
    found.next()
}

/// The words of a command line without variables and the like.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == c => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_of_a_command_line_is_found_however_it_is_quoted() {
        let own = "hooks/herdr-agent-state.sh";
        let path = "/home/a person's/hooks/herdr-agent-state.sh";
        let written = hooks::command(Path::new(path), super::super::Word::Session);
        for line in [
            written.as_str(),
            "bash \"/home/a person's/hooks/herdr-agent-state.sh\" session",
            "/home/a\\ person\\'s/hooks/herdr-agent-state.sh",
        ] {
            assert_eq!(script(line, own), Some(path.into()), "{line}");
        }
        for line in [
            "",
            "sh herdr-agent-state.sh",
            "sh \"$HOME/hooks/herdr-agent-state.sh\"",
            "'",
        ] {
            assert_eq!(script(line, own), None, "{line}");
        }
    }
}
