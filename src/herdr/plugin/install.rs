//! `herdr plugin install` and `uninstall`: what it will run is shown before anything of it runs.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write as _};

use super::offline;
use super::show;
use crate::api::params::{PluginLinkParams, PluginListParams, PluginUnlinkParams};
use crate::api::records::InstalledPluginInfo;
use crate::command::{Answer, Caller, Failure, Outcome, Run};
use crate::plugin::install::{self, Fetched, Repository};
use crate::plugin::manifest::Manifest;
use crate::plugin::{Registry, id};
use crate::printable;

#[derive(clap::Args)]
pub(super) struct Install {
    /// The repository on GitHub, and the folder of the plugin in it
    source: String,
    /// A branch, a tag or a commit; by default what the repository shows first
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

impl Run for Install {
    fn run(self, caller: &Caller) -> Outcome {
        let repository = Repository::parse(&self.source).ok_or_else(|| {
            Failure::Misuse(format!(
                "invalid plugin source: {} (expected owner/repo[/subdir...] on GitHub; a plugin on this \
                 machine is let in with `herdr plugin link`)",
                self.source
            ))
        })?;
        let reference = self.reference.as_deref();
        if reference.is_some_and(|it| it.is_empty() || it.starts_with('-') || it.contains(':')) {
            return Err(Failure::Misuse(
                "invalid --ref: it must name a branch, a tag or a commit".to_owned(),
            ));
        }
        if caller.far.is_some() {
            return Err(Failure::Misuse(
                "plugin install works on this machine only".to_owned(),
            ));
        }
        if !self.yes && !io::stdin().is_terminal() {
            return Err(Failure::Misuse(
                "plugin install asks before it runs anything; without a terminal, give --yes"
                    .to_owned(),
            ));
        }
        let registry = offline::registry(caller);
        let fetched = Fetched::fetch(&registry, &repository, reference).map_err(failed)?;
        let before = known(caller, &fetched.manifest.id)?;
        if let Some(other) = before
            .as_ref()
            .filter(|it| !repository.is_source(&it.source))
        {
            return Err(failed(format!(
                "plugin {} is already linked from {}; unlink it first",
                other.plugin_id, other.plugin_root
            )));
        }
        tell(&preview(&fetched, &repository));
        if !self.yes && !agreed() {
            tell("Not installed.\n");
            return Ok(Answer::Nothing);
        }
        let id = fetched.manifest.id.clone();
        let placed = fetched.put().map_err(failed)?;
        placed.build().map_err(failed)?;
        offline::link(
            caller,
            &PluginLinkParams {
                path: placed.root().to_string_lossy().into_owned(),
                // One that the person has turned off stays so.
                enabled: before.is_none_or(|known| known.enabled),
                source: Some(placed.source()),
            },
        )?;
        placed.keep();
        Ok(Answer::Text(installed(&registry, &id, &repository)))
    }
}

#[derive(clap::Args)]
pub(super) struct Uninstall {
    /// The plugin, or the repository it was installed from
    plugin: String,
}

impl Run for Uninstall {
    fn run(self, caller: &Caller) -> Outcome {
        let answer = offline::list(caller, &PluginListParams::default())?;
        let repository = Repository::parse(&self.plugin);
        let is_meant = |plugin: &InstalledPluginInfo| match &repository {
            Some(repository) => repository.is_source(&plugin.source),
            None => plugin.plugin_id == self.plugin.trim(),
        };
        let found = show::plugins(&answer)?.into_iter().find(is_meant);
        let plugin =
            found.ok_or_else(|| failed(format!("plugin not installed: {}", self.plugin)))?;
        let params = PluginUnlinkParams {
            plugin_id: plugin.plugin_id.clone(),
        };
        offline::unlink(caller, &params)?;
        if caller.far.is_none() {
            install::delete(&offline::registry(caller), &plugin.source).map_err(failed)?;
        }
        Ok(Answer::Text(format!("Uninstalled {}.\n", plugin.plugin_id)))
    }
}

fn failed(why: impl Into<String>) -> Failure {
    Failure::Failed(why.into())
}

/// The plugin of an id, as it is linked now.
fn known(caller: &Caller, id: &str) -> Result<Option<InstalledPluginInfo>, Failure> {
    let params = PluginListParams {
        plugin_id: Some(id.to_owned()),
    };
    let answer = offline::list(caller, &params)?;
    Ok(show::plugins(&answer)?.into_iter().next())
}

fn installed(registry: &Registry, id: &str, repository: &Repository) -> String {
    let config = registry.paths().configs.join(id::folder(id));
    format!(
        "Installed {id} from {repository}.\nConfig: {}\n",
        config.display()
    )
}

/// What the person agrees to: everything that it runs by itself, word for word.
fn preview(fetched: &Fetched, repository: &Repository) -> String {
    let Manifest {
        id,
        name,
        version,
        description,
        build,
        startup,
        actions,
        events,
        panes,
        link_handlers,
        warnings,
        ..
    } = &fetched.manifest;
    let mut text = format!(
        "{name} ({id}) {version}\nfrom {repository} at commit {}\n",
        fetched.commit
    );
    // Writing to a String cannot fail.
    if let Some(description) = description {
        let _ = writeln!(text, "{}", printable::line(description));
    }
    let mut tell = |when: &str, command: &[String]| {
        let _ = writeln!(text, "  {when}: {}", printable::line(&command.join(" ")));
    };
    for build in build {
        tell("to build it, now", &build.command);
    }
    for startup in startup {
        tell("at every start", &startup.command);
    }
    for event in events {
        tell(&format!("on {}", event.on), &event.command);
    }
    for action in actions {
        tell(&format!("action {}", action.id), &action.command);
    }
    for pane in panes {
        tell(&format!("pane {}", pane.id), &pane.command);
    }
    for handler in link_handlers {
        let _ = writeln!(
            text,
            "  clicks on {} run action {}",
            handler.pattern, handler.action
        );
    }
    for warning in warnings {
        let _ = writeln!(text, "  warning: {warning}");
    }
    text.push_str(
        "Its commands run as you, and may do in the session what the grant admin allows.\n",
    );
    printable::lines(&text)
}

/// Writes what is for the person; there is no other place to say that it cannot be written.
fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn agreed() -> bool {
    tell("Install this plugin? [y/N] ");
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
