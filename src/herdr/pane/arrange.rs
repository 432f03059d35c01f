//! Commands that make, move, name and close panes.

use crate::api::method;
use crate::api::params::{
    PaneFocusDirectionParams, PaneInputSetParams, PaneMoveDestination, PaneMoveParams,
    PaneRenameParams, PaneResizeParams, PaneSplitParams, PaneSwapParams, PaneTarget, PaneZoomMode,
    PaneZoomParams,
};
use crate::api::records::{PaneDirection, PaneRightClickTarget, SplitDirection};
use crate::command::words::{first, joined};
use crate::command::{Caller, Failure, FreeWords, Outcome, Run};
use crate::herdr::shared::{Focus, NewGrants, Selector, Target, Variables};
use crate::herdr::{ask, values};

#[derive(clap::Args)]
pub(super) struct FocusDirection {
    /// On which side
    #[arg(long, required = true, value_name = "SIDE", value_parser = values::PANE_DIRECTION)]
    direction: PaneDirection,
    #[command(flatten)]
    selector: Selector,
}

impl Run for FocusDirection {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneFocusDirectionParams {
            direction: self.direction,
            pane_id: self.selector.pane(caller),
        };
        ask::print::<method::PaneFocusDirection>(caller, "cli:pane:focus", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Resize {
    /// Which way its edge moves
    #[arg(long, required = true, value_name = "SIDE", value_parser = values::PANE_DIRECTION)]
    direction: PaneDirection,
    /// By which share of the split
    #[arg(long, value_name = "FLOAT", value_parser = values::amount)]
    amount: Option<f32>,
    #[command(flatten)]
    selector: Selector,
}

impl Run for Resize {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneResizeParams {
            direction: self.direction,
            amount: self.amount,
            pane_id: self.selector.pane(caller),
        };
        ask::print::<method::PaneResize>(caller, "cli:pane:resize", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Zoom {
    #[command(flatten)]
    target: Target,
    /// Change over; the default
    #[arg(long)]
    toggle: bool,
    /// Zoom
    #[arg(long)]
    on: bool,
    /// Unzoom
    #[arg(long)]
    off: bool,
}

impl Run for Zoom {
    fn run(self, caller: &Caller) -> Outcome {
        let mode = match (self.toggle, self.on, self.off) {
            (_, false, false) => PaneZoomMode::Toggle,
            (false, true, false) => PaneZoomMode::On,
            (false, false, true) => PaneZoomMode::Off,
            _ => {
                let line = "provide only one of --toggle, --on, or --off";
                return Err(Failure::Misuse(line.to_owned()));
            }
        };
        let params = PaneZoomParams {
            mode,
            pane_id: self.target.pane(caller),
        };
        ask::print::<method::PaneZoom>(caller, "cli:pane:zoom", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Rename {
    /// The pane
    pane_id: String,
    /// Its new name; several words are joined
    label: Vec<String>,
    /// Take the name away
    #[arg(long)]
    clear: bool,
}

impl FreeWords for Rename {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let (pane_id, label) = first(words)?;
        match label.as_slice() {
            [] => Err(Failure::Usage),
            [only] if only == "--clear" => Ok(Self {
                pane_id,
                label: Vec::new(),
                clear: true,
            }),
            _ => Ok(Self {
                pane_id,
                label,
                clear: false,
            }),
        }
    }
}

impl Run for Rename {
    fn run(self, caller: &Caller) -> Outcome {
        let label = (!self.clear).then(|| joined(&self.label));
        let params = PaneRenameParams {
            pane_id: self.pane_id,
            label,
        };
        ask::print::<method::PaneRename>(caller, "cli:pane:rename", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Input {
    #[command(flatten)]
    target: Target,
    /// Who gets right clicks: herdr with its menu, or the program in the pane
    #[arg(long, required = true, value_name = "WHO", value_parser = values::RIGHT_CLICK)]
    right_click: PaneRightClickTarget,
}

impl Run for Input {
    fn run(self, caller: &Caller) -> Outcome {
        let pane_id = self.target.strict_pane(caller)?.ok_or(Failure::Usage)?;
        let params = PaneInputSetParams {
            pane_id,
            right_click: self.right_click,
        };
        ask::print::<method::PaneInputSet>(caller, "cli:pane:input:set", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Split {
    #[command(flatten)]
    target: Target,
    /// Where the new pane goes
    #[arg(long, required = true, value_name = "SIDE", value_parser = values::SPLIT_DIRECTION)]
    direction: SplitDirection,
    /// The share that the split pane keeps
    #[arg(long, value_name = "FLOAT", value_parser = values::ratio)]
    ratio: Option<f32>,
    /// Where the new pane starts
    #[arg(long, value_name = "PATH")]
    cwd: Option<String>,
    #[command(flatten)]
    variables: Variables,
    #[command(flatten)]
    grants: NewGrants,
    /// Who gets right clicks in the new pane; herdr by default
    #[arg(long, value_name = "WHO", value_parser = values::RIGHT_CLICK)]
    right_click: Option<PaneRightClickTarget>,
    #[command(flatten)]
    focus: Focus,
}

impl Run for Split {
    /// Without a target the caller's own pane is split, where there is one (herdr 0.9.1 and later).
    fn run(self, caller: &Caller) -> Outcome {
        let target_pane_id = self
            .target
            .strict_pane(caller)?
            .or_else(|| caller.pane_id());
        let params = PaneSplitParams {
            grants: self.grants.grants,
            target_pane_id,
            direction: self.direction,
            ratio: self.ratio,
            cwd: self.cwd,
            env: self.variables.into_map(),
            right_click: self.right_click.unwrap_or_default(),
            focus: self.focus.or(false),
            workspace_id: None,
        };
        ask::print::<method::PaneSplit>(caller, "cli:pane:split", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Swap {
    /// With the neighbour on this side
    #[arg(long, value_name = "SIDE", value_parser = values::PANE_DIRECTION)]
    direction: Option<PaneDirection>,
    #[command(flatten)]
    selector: Selector,
    /// One of two named panes
    #[arg(long, value_name = "ID")]
    source_pane: Option<String>,
    /// The other
    #[arg(long, value_name = "ID")]
    target_pane: Option<String>,
}

impl Run for Swap {
    fn run(self, caller: &Caller) -> Outcome {
        let selected = self.selector.is_given();
        let params = match (self.direction, self.source_pane, self.target_pane) {
            (Some(direction), None, None) => PaneSwapParams {
                direction: Some(direction),
                pane_id: self.selector.pane(caller),
                ..PaneSwapParams::default()
            },
            (None, Some(source), Some(target)) if !selected => PaneSwapParams {
                source_pane_id: Some(source),
                target_pane_id: Some(target),
                ..PaneSwapParams::default()
            },
            _ => return Err(Failure::Usage),
        };
        ask::print::<method::PaneSwap>(caller, "cli:pane:swap", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Move {
    /// The pane
    pane_id: String,
    /// Into this tab
    #[arg(long, value_name = "ID")]
    tab: Option<String>,
    /// With --tab: on which side of a pane there
    #[arg(long, value_name = "SIDE", value_parser = values::SPLIT_DIRECTION)]
    split: Option<SplitDirection>,
    /// With --tab: which pane there; its focused one by default
    #[arg(long, value_name = "ID")]
    target_pane: Option<String>,
    /// With --tab: the share that pane keeps
    #[arg(long, value_name = "FLOAT", value_parser = values::ratio)]
    ratio: Option<f32>,
    /// Into a tab of its own
    #[arg(long)]
    new_tab: bool,
    /// With --new-tab: in which workspace
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// Into a workspace of its own
    #[arg(long)]
    new_workspace: bool,
    /// The name of the new tab or workspace
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// With --new-workspace: the name of its tab
    #[arg(long, value_name = "TEXT")]
    tab_label: Option<String>,
    #[command(flatten)]
    focus: Focus,
}

impl Run for Move {
    fn run(mut self, caller: &Caller) -> Outcome {
        let focus = self.focus.or(true);
        let pane_id = std::mem::take(&mut self.pane_id);
        let destination = self.destination().ok_or(Failure::Usage)?;
        let params = PaneMoveParams {
            pane_id,
            destination,
            focus,
        };
        ask::print::<method::PaneMove>(caller, "cli:pane:move", &params)
    }
}

impl Move {
    /// The one place the options describe; none if they describe several, or mix options of different ones.
    fn destination(self) -> Option<PaneMoveDestination> {
        let beside = self.split.is_some() || self.target_pane.is_some() || self.ratio.is_some();
        let places = (self.tab, self.new_tab, self.new_workspace);
        let others = (beside, self.workspace, self.label, self.tab_label);
        match (places, others) {
            ((Some(tab_id), false, false), (_, None, None, None)) => {
                Some(PaneMoveDestination::Tab {
                    tab_id,
                    split: self.split?,
                    ratio: self.ratio,
                    target_pane_id: self.target_pane,
                })
            }
            ((None, true, false), (false, workspace_id, label, None)) => {
                Some(PaneMoveDestination::NewTab {
                    label,
                    workspace_id,
                })
            }
            ((None, false, true), (false, None, label, tab_label)) => {
                Some(PaneMoveDestination::NewWorkspace { label, tab_label })
            }
            _ => None,
        }
    }
}

#[derive(clap::Args)]
pub(super) struct Close {
    /// The pane
    pane_id: String,
}

impl Run for Close {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneTarget {
            pane_id: self.pane_id,
        };
        ask::print::<method::PaneClose>(caller, "cli:pane:close", &params)
    }
}
