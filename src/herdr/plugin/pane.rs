//! `herdr plugin pane`: programs of plugins that a person sees.

use super::super::ask;
use super::super::shared::{Focus, Variables};
use super::super::values;
use super::{ID, absolute, only};
use crate::api::method;
use crate::api::params::{PluginPaneCloseParams, PluginPaneFocusParams, PluginPaneOpenParams};
use crate::api::records::{PluginPanePlacement, PopupSize, SplitDirection};
use crate::command::{BadValue, Caller, Command, Entry, Failure, FreeWords, Group, Outcome, Run};

pub(super) const GROUP: Group = Group::new(
    "pane",
    "Panes of plugins",
    &[
        Entry::Command(Command::new::<Open>(
            "open",
            "--plugin ID --entrypoint ID [--placement overlay|popup|split|tab|zoomed] [--width SIZE] [--height SIZE] [--workspace ID] [--target-pane PANE] [--direction right|down] [--cwd PATH] [--env KEY=VALUE] [--focus|--no-focus]",
            "Open a pane of a plugin",
        )),
        Entry::Command(Command::free::<ToFocus>(
            "focus",
            "<pane_id>",
            "Focus a pane that a plugin opened",
        )),
        Entry::Command(Command::free::<Close>(
            "close",
            "<pane_id>",
            "Close a pane that a plugin opened",
        )),
    ],
);

fn placement(word: &str) -> Result<PluginPanePlacement, BadValue> {
    // What it was called before (herdr 0.9.3 still takes it).
    let word = if word == "fullscreen" { "zoomed" } else { word };
    word.parse()
        .map_err(|_| BadValue::new(format!("invalid placement: {word}")))
}

fn size(word: &str) -> Result<PopupSize, BadValue> {
    let value = match word.parse::<u16>() {
        Ok(cells) => serde_json::Value::from(cells),
        Err(_) => serde_json::Value::from(word),
    };
    serde_json::from_value(value).map_err(|_| {
        BadValue::new(format!(
            "invalid size: {word} (expected a number of cells, or a percentage such as 80%)"
        ))
    })
}

#[derive(clap::Args)]
struct Open {
    /// The plugin (required)
    #[arg(long, required = true, value_name = "ID")]
    plugin: String,
    /// The pane, as the plugin's manifest calls it (required)
    #[arg(long, required = true, value_name = "ID")]
    entrypoint: String,
    /// Where it opens, if not where the manifest says
    #[arg(long, value_name = "WHERE", value_parser = placement)]
    placement: Option<PluginPanePlacement>,
    /// Width of a popup, in cells or as a share of the area
    #[arg(long, value_name = "SIZE", value_parser = size)]
    width: Option<PopupSize>,
    /// Height of a popup
    #[arg(long, value_name = "SIZE", value_parser = size)]
    height: Option<PopupSize>,
    /// The workspace of a new tab
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// The pane to split
    #[arg(long, value_name = "PANE")]
    target_pane: Option<String>,
    /// Which way to split it
    #[arg(long, value_name = "SIDE", value_parser = values::SPLIT_DIRECTION)]
    direction: Option<SplitDirection>,
    /// Where it starts; by default in the plugin's folder
    #[arg(long, value_name = "PATH")]
    cwd: Option<String>,
    #[command(flatten)]
    variables: Variables,
    #[command(flatten)]
    focus: Focus,
}

impl Run for Open {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginPaneOpenParams {
            plugin_id: self.plugin,
            entrypoint: self.entrypoint,
            placement: self.placement,
            target_pane_id: self.target_pane,
            workspace_id: self.workspace,
            direction: self.direction,
            cwd: self.cwd.as_deref().map(absolute).transpose()?,
            env: self.variables.into_map(),
            focus: self.focus.or(true),
            width: self.width,
            height: self.height,
        };
        ask::print::<method::PluginPaneOpen>(caller, ID, &params)
    }
}

#[derive(clap::Args)]
struct ToFocus {
    /// The pane
    pane_id: String,
}

impl FreeWords for ToFocus {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let pane_id = only(words)?;
        Ok(Self { pane_id })
    }
}

impl Run for ToFocus {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginPaneFocusParams {
            pane_id: self.pane_id,
        };
        ask::print::<method::PluginPaneFocus>(caller, ID, &params)
    }
}

#[derive(clap::Args)]
struct Close {
    /// The pane
    pane_id: String,
}

impl FreeWords for Close {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let pane_id = only(words)?;
        Ok(Self { pane_id })
    }
}

impl Run for Close {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PluginPaneCloseParams {
            pane_id: self.pane_id,
        };
        ask::print::<method::PluginPaneClose>(caller, ID, &params)
    }
}
