//! `herdr plugin list`, for people and for programs.

use std::fmt::Write as _;

use serde_json::Value;

use super::offline;
use crate::api::params::PluginListParams;
use crate::api::records::{InstalledPluginInfo, PluginSourceInfo, PluginSourceKind};
use crate::command::{Answer, Caller, Failure, Outcome, Run};
use crate::plugin::{Registry, id};
use crate::printable;

#[derive(clap::Args)]
pub(super) struct List {
    /// Only this one
    #[arg(long, value_name = "ID")]
    plugin: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginListParams {
            plugin_id: self.plugin,
        };
        let answer = offline::list(caller, &params)?;
        if self.json {
            return Ok(Answer::Json(answer));
        }
        let plugins = plugins(&answer)?;
        Ok(Answer::Text(list(&plugins, &offline::registry(caller))))
    }
}

/// The plugins of an answer to `plugin.list`.
pub(super) fn plugins(answer: &Value) -> Result<Vec<InstalledPluginInfo>, Failure> {
    serde_json::from_value(answer["result"]["plugins"].clone())
        .map_err(|error| Failure::Failed(format!("error: the server's answer is odd: {error}")))
}

fn list(plugins: &[InstalledPluginInfo], registry: &Registry) -> String {
    let mut text = match plugins.len() {
        0 => return "No plugins installed.\n".to_owned(),
        1 => "1 plugin installed:\n".to_owned(),
        count => format!("{count} plugins installed:\n"),
    };
    for plugin in plugins {
        let state = if plugin.enabled {
            "enabled"
        } else {
            "disabled"
        };
        let name = printable::line(&plugin.name);
        let config = registry.paths().configs.join(id::folder(&plugin.plugin_id));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "- {} ({name}) {state} [{}]\n  config: {}",
            plugin.plugin_id,
            printable::line(&source(&plugin.source, plugin)),
            config.display()
        );
        for warning in &plugin.warnings {
            let _ = writeln!(text, "  warning: {}", printable::line(warning));
        }
    }
    text
}

/// Where a plugin came from, in a few words.
fn source(source: &PluginSourceInfo, plugin: &InstalledPluginInfo) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    match source.kind {
        PluginSourceKind::Local => format!("local {}", plugin.plugin_root),
        PluginSourceKind::Github => {
            let subdir = source.subdir.as_ref().map(|subdir| format!("/{subdir}"));
            let commit = part(&source.resolved_commit)
                .chars()
                .take(12)
                .collect::<String>();
            format!(
                "github {}/{}{}@{commit}",
                part(&source.owner),
                part(&source.repo),
                subdir.unwrap_or_default()
            )
        }
    }
}
