//! `herdr plugin`: programs of somebody else that the person lets in.

mod install;
mod offline;
mod pane;
mod show;

use std::path::{Path, PathBuf};

use super::ask;
use crate::api::method;
use crate::api::params::{
    PluginActionInvokeParams, PluginActionListParams, PluginLinkParams, PluginLogListParams,
    PluginSetEnabledParams, PluginUnlinkParams,
};
use crate::api::records::PluginInvocationContext;
use crate::command::words::first;
use crate::command::{Answer, Caller, Command, Entry, Failure, FreeWords, Group, Outcome, Run};
use crate::plugin::id;

/// The id of every request (herdr 0.9.3).
const ID: &str = "cli:plugin";

pub(super) const GROUP: Group = Group::new(
    "plugin",
    "Programs of others that act in a session",
    &[
        Entry::Command(Command::new::<install::Install>(
            "install",
            "<owner>/<repo>[/subdir...] [--ref REF] [--yes]",
            "Fetch a plugin from GitHub, build it and let it run",
        )),
        Entry::Command(Command::new::<install::Uninstall>(
            "uninstall",
            "<plugin_id|owner/repo[/subdir...]>",
            "Unlink a plugin and delete what was fetched of it",
        )),
        Entry::Command(Command::new::<Link>(
            "link",
            "<path> [--disabled] [--enabled]",
            "Let a plugin run that is on this machine",
        )),
        Entry::Command(Command::new::<show::List>(
            "list",
            "[--plugin ID] [--json]",
            "List the plugins of all sessions",
        )),
        Entry::Command(Command::free::<ConfigDir>(
            "config-dir",
            "<plugin_id>",
            "Print the folder of a plugin's settings, which is made if need be",
        )),
        Entry::Command(Command::free::<Unlink>(
            "unlink",
            "<plugin_id>",
            "Take a plugin off the list; its files stay",
        )),
        Entry::Command(Command::free::<Enable>(
            "enable",
            "<plugin_id>",
            "Let a plugin run again",
        )),
        Entry::Command(Command::free::<Disable>(
            "disable",
            "<plugin_id>",
            "Let a plugin run nothing any more",
        )),
        Entry::Group(Group::new(
            "action",
            "What plugins can do when asked",
            &[
                Entry::Command(Command::new::<ActionList>(
                    "list",
                    "[--plugin ID]",
                    "List the actions of plugins",
                )),
                Entry::Command(Command::new::<ActionInvoke>(
                    "invoke",
                    "<action_id> [--plugin ID]",
                    "Start an action",
                )),
            ],
        )),
        Entry::Group(Group {
            name: "log",
            aliases: &["logs"],
            about: "What the commands of plugins did",
            alone: Some(Command::new::<LogList>("", LOG_SYNOPSIS, LOG_ABOUT)),
            entries: &[Entry::Command(Command::new::<LogList>(
                "list",
                LOG_SYNOPSIS,
                LOG_ABOUT,
            ))],
        }),
        Entry::Group(pane::GROUP),
    ],
);

const LOG_SYNOPSIS: &str = "[--plugin ID] [--limit N]";
const LOG_ABOUT: &str = "List the latest commands of plugins, the newest last";

/// A path as the daemon can use it, which runs in another directory.
fn absolute(path: &str) -> Result<String, Failure> {
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    let expanded = match path.strip_prefix('~') {
        Some("") => home(),
        Some(rest) => rest
            .strip_prefix('/')
            .and_then(|rest| Some(home()?.join(rest))),
        None => None,
    };
    let path = expanded.unwrap_or_else(|| Path::new(path).to_owned());
    std::path::absolute(&path)
        .map(|path| path.to_string_lossy().into_owned())
        .map_err(|error| Failure::Misuse(format!("{}: {error}", path.display())))
}

#[derive(clap::Args)]
struct Link {
    /// The plugin's manifest, or the folder it is in
    path: String,
    /// Let it run nothing yet
    #[arg(long, overrides_with = "enabled")]
    disabled: bool,
    /// Let it run, as without it
    #[arg(long, overrides_with = "disabled")]
    enabled: bool,
}

impl Run for Link {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginLinkParams {
            path: absolute(&self.path)?,
            enabled: !self.disabled,
            source: None,
        };
        offline::link(caller, &params).map(Answer::Json)
    }
}

/// The only word of a command.
fn only(words: Vec<String>) -> Result<String, Failure> {
    match first(words)? {
        (word, rest) if rest.is_empty() && !word.is_empty() => Ok(word),
        _ => Err(Failure::Usage),
    }
}

/// A command whose only word is a plugin.
macro_rules! of_plugin {
    ($name:ident) => {
        #[derive(clap::Args)]
        struct $name {
            /// The plugin
            plugin_id: String,
        }

        impl FreeWords for $name {
            fn from_words(words: Vec<String>) -> Result<Self, Failure> {
                let plugin_id = only(words)?;
                Ok(Self { plugin_id })
            }
        }
    };
}

of_plugin!(ConfigDir);
of_plugin!(Unlink);
of_plugin!(Enable);
of_plugin!(Disable);

impl Run for ConfigDir {
    fn run(self, caller: &Caller) -> Outcome {
        let failed = |error: crate::api::ApiError| Failure::Failed(error.message);
        let id = id::plugin(&self.plugin_id).map_err(failed)?;
        let folder = offline::registry(caller).config_dir(id).map_err(failed)?;
        Ok(Answer::Text(format!("{}\n", folder.display())))
    }
}

impl Run for Unlink {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginUnlinkParams {
            plugin_id: self.plugin_id,
        };
        ask::print::<method::PluginUnlink>(caller, ID, &params)
    }
}

impl Run for Enable {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginSetEnabledParams {
            plugin_id: self.plugin_id,
        };
        ask::print::<method::PluginEnable>(caller, ID, &params)
    }
}

impl Run for Disable {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginSetEnabledParams {
            plugin_id: self.plugin_id,
        };
        ask::print::<method::PluginDisable>(caller, ID, &params)
    }
}

#[derive(clap::Args)]
struct ActionList {
    /// Only those of one plugin
    #[arg(long, value_name = "ID")]
    plugin: Option<String>,
}

impl Run for ActionList {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginActionListParams {
            plugin_id: self.plugin,
        };
        ask::print::<method::PluginActionList>(caller, ID, &params)
    }
}

#[derive(clap::Args)]
struct ActionInvoke {
    /// The action, with its plugin and a dot before it where it is not the only one of its name
    action_id: String,
    /// The plugin
    #[arg(long, value_name = "ID")]
    plugin: Option<String>,
}

impl Run for ActionInvoke {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginActionInvokeParams {
            action_id: self.action_id,
            plugin_id: self.plugin,
            context: Some(PluginInvocationContext {
                invocation_source: Some("cli".to_owned()),
                ..PluginInvocationContext::default()
            }),
        };
        ask::print::<method::PluginActionInvoke>(caller, ID, &params)
    }
}

#[derive(clap::Args)]
struct LogList {
    /// Only those of one plugin
    #[arg(long, value_name = "ID")]
    plugin: Option<String>,
    /// How many at most, 1 to 200; by default 50
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl Run for LogList {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginLogListParams {
            plugin_id: self.plugin,
            limit: self.limit,
        };
        ask::print::<method::PluginLogList>(caller, ID, &params)
    }
}
