//! Hooks in the agents' own settings, through which they say which session they have open and how it
//! stands with them (herdr 0.9.3, `integration.*`).
//!
//! Everything that is to change is worked out first, from all files, and written last: settings that
//! cannot be read are refused before anything is touched. Each file is replaced in one step, and the
//! one that was there is kept beside it.

mod hooks;
mod json;
mod kimi;
mod look;
mod plan;
mod plugins;
mod report;
mod target;
mod yaml;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::api::records::{IntegrationInfo, IntegrationState};
use crate::paths::Environment;

pub use look::{Flaw, flaws};
pub use report::{Hooked, MAX_PAYLOAD, hooked};
pub use target::{TARGETS, Target, Word};

use plan::Plan;
use target::{Below, Extension, Kind};

/// Where the agents of a person keep things.
pub struct Surroundings<'a> {
    home: Option<PathBuf>,
    config: Option<PathBuf>,
    variable: &'a dyn Fn(&str) -> Option<OsString>,
}

/// Why nothing was installed or removed, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(String);

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// What is there of an integration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Nothing.
    NotInstalled,
    /// All of this version.
    Current(u32),
    /// Of an older version; none: of before there were versions.
    Outdated(Option<u32>),
    /// The file is of this version, but nothing runs it.
    NeedsRepair(u32),
}

impl<'a> Surroundings<'a> {
    /// Those of a process with these variables.
    pub fn new(
        environment: &Environment,
        variable: &'a dyn Fn(&str) -> Option<OsString>,
    ) -> Surroundings<'a> {
        Surroundings {
            home: environment.home.clone(),
            config: environment.xdg_config_home.clone(),
            variable,
        }
    }

    fn set(&self, name: &str) -> Option<PathBuf> {
        let value = (self.variable)(name).filter(|value| !value.is_empty())?;
        let path = PathBuf::from(value);
        match (path.strip_prefix("~"), &self.home) {
            (Ok(below), Some(home)) => Some(home.join(below)),
            _ => Some(path),
        }
    }

    /// The folder of an agent.
    fn folder(&self, target: &Target) -> Result<PathBuf, Refusal> {
        let folder = &target.folder;
        if let Some(path) = folder.variables.iter().find_map(|name| self.set(name)) {
            return absolute(path);
        }
        let home = || {
            let message =
                "HOME is not set, so there is no telling where agents keep their settings";
            self.home.clone().ok_or_else(|| Refusal(message.to_owned()))
        };
        let path = match folder.default {
            Below::Home(below) => home()?.join(below),
            Below::Config(below) => match &self.config {
                Some(config) => config.join(below),
                None => home()?.join(".config").join(below),
            },
            Below::NamedHome(variable, default, below) => {
                let named = self.set(variable).unwrap_or_else(|| default.into());
                home()?.join(named).join(below)
            }
        };
        absolute(path)
    }

    /// Whether the agent's program is on `PATH`.
    fn has(&self, program: &str) -> bool {
        let path = (self.variable)("PATH").unwrap_or_default();
        crate::paths::search::program(program, &path).is_some()
    }
}

/// Hooks run in the agents' directories, so they have to be named whole; and settings are text.
fn absolute(path: PathBuf) -> Result<PathBuf, Refusal> {
    if path.to_str().is_none() {
        let message = format!(
            "{} is no UTF-8, so it cannot be named in settings",
            path.display()
        );
        return Err(Refusal(message));
    }
    std::path::absolute(&path).map_err(|error| Refusal(format!("{}: {error}", path.display())))
}

/// Installs what is missing or out of date. What was done, in lines for a person.
///
/// # Errors
/// The agent is not there, its settings cannot be understood (then nothing was changed), or a file
/// cannot be written.
pub fn install(target: &Target, surroundings: &Surroundings<'_>) -> Result<Vec<String>, Refusal> {
    plan_install(target, surroundings)?.carry_out()
}

/// Takes out what was installed, and nothing else. What was done, in lines for a person; that nothing
/// was installed is no error.
///
/// # Errors
/// As for [`install`].
pub fn uninstall(target: &Target, surroundings: &Surroundings<'_>) -> Result<Vec<String>, Refusal> {
    let folder = surroundings.folder(target)?;
    let mut plan = Plan::default();
    match target.kind {
        Kind::Hooks(hooks) => hooks::plan_removal(target, hooks, &folder, &mut plan)?,
        Kind::Kimi => kimi::plan_removal(&folder, &mut plan)?,
        Kind::Extension(extension) => plugins::remove_extension(extension, &folder, &mut plan),
        Kind::Opencode => plugins::remove_opencode(&folder, &mut plan)?,
        Kind::Kilo => plugins::remove_kilo(&folder, &mut plan),
        Kind::Hermes => plugins::remove_hermes(&folder, &mut plan)?,
    }
    plan.carry_out()
}

fn plan_install(target: &Target, surroundings: &Surroundings<'_>) -> Result<Plan, Refusal> {
    let folder = surroundings.folder(target)?;
    // Told by where its extensions go (herdr 0.9.3), which is made if need be.
    let needed = match target.kind {
        Kind::Extension(_) => folder.join("extensions"),
        _ => folder.clone(),
    };
    if let Some((what, install)) = target.folder.missing
        && !folder.is_dir()
    {
        let needed = needed.display();
        return Err(Refusal(format!(
            "{what} not found at {needed}. install {install} first"
        )));
    }
    let mut plan = Plan::default();
    match target.kind {
        Kind::Hooks(hooks) => hooks::plan_install(target, hooks, &folder, &mut plan)?,
        Kind::Kimi => kimi::plan_install(target, &folder, &mut plan)?,
        Kind::Extension(extension) => {
            if extension == Extension::Omp {
                refuse_pis_folder(&folder, surroundings)?;
            }
            plugins::install_extension(target, extension, &folder, &mut plan);
        }
        Kind::Opencode => plugins::install_opencode(target, &folder, &mut plan)?,
        Kind::Kilo => plugins::install_kilo(target, &folder, &mut plan),
        Kind::Hermes => plugins::install_hermes(target, &folder, &mut plan)?,
    }
    Ok(plan)
}

/// Pi loads every extension in its folder: omp's would report for Pi as well.
fn refuse_pis_folder(folder: &Path, surroundings: &Surroundings<'_>) -> Result<(), Refusal> {
    let pi = Target::find("pi").and_then(|pi| surroundings.folder(pi).ok());
    if pi.as_deref() == Some(folder) {
        let folder = folder.display();
        return Err(Refusal(format!(
            "{folder} is pi's directory as well (PI_CODING_AGENT_DIR); pi would load the omp integration too"
        )));
    }
    Ok(())
}

/// The file that bears the version, and whether an integration is there.
///
/// # Errors
/// There is no home directory.
pub fn status(
    target: &Target,
    surroundings: &Surroundings<'_>,
) -> Result<(PathBuf, Status), Refusal> {
    let folder = surroundings.folder(target)?;
    let path = folder.join(match target.kind {
        Kind::Hooks(hooks) => hooks.script,
        Kind::Kimi => kimi::SCRIPT,
        Kind::Extension(extension) => plugins::extension_file(extension),
        Kind::Opencode => plugins::OPENCODE_PLUGIN,
        Kind::Kilo => plugins::KILO_PLUGIN,
        Kind::Hermes => plugins::HERMES_MODULE,
    });
    let status = match plan::text(&path) {
        Ok(None) => Status::NotInstalled,
        Ok(Some(text)) => match plan::version(&text) {
            Some(version) if version >= target.version => {
                let registered =
                    plan_install(target, surroundings).is_ok_and(|plan| !plan.changes_settings());
                match registered {
                    true => Status::Current(version),
                    false => Status::NeedsRepair(version),
                }
            }
            older => Status::Outdated(older),
        },
        // There is something by its name that is not readable.
        Err(_) => Status::Outdated(None),
    };
    Ok((path, status))
}

/// Whether the agent itself is there: its program is on `PATH`.
pub fn available(target: &Target, surroundings: &Surroundings<'_>) -> bool {
    surroundings.has(target.command)
}

/// What the protocol tells of a target; none for one that it does not know.
pub fn info(target: &Target, surroundings: &Surroundings<'_>) -> Option<IntegrationInfo> {
    let state = match status(target, surroundings) {
        Ok((_, Status::Current(_))) => IntegrationState::Current,
        Ok((_, Status::Outdated(_) | Status::NeedsRepair(_))) => IntegrationState::Outdated,
        Ok((_, Status::NotInstalled)) | Err(_) => IntegrationState::NotInstalled,
    };
    Some(IntegrationInfo {
        target: target.wire?,
        label: target.title.to_owned(),
        command: target.command.to_owned(),
        available: available(target, surroundings),
        state,
    })
}

#[cfg(test)]
mod tests;
