//! Commands that look at panes without touching them.

use crate::api::method;
use crate::api::params::{
    PaneCurrentParams, PaneEdgesParams, PaneLayoutParams, PaneListParams, PaneNeighborParams,
    PaneProcessInfoParams, PaneTarget,
};
use crate::api::records::PaneDirection;
use crate::command::{Caller, Outcome, Run};
use crate::herdr::shared::Selector;
use crate::herdr::{ask, values};

#[derive(clap::Args)]
pub(super) struct List {
    /// Only this workspace's
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneListParams {
            workspace_id: self.workspace,
        };
        ask::print::<method::PaneList>(caller, "cli:pane:list", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Current {
    #[command(flatten)]
    selector: Selector,
}

impl Run for Current {
    fn run(self, caller: &Caller) -> Outcome {
        let caller_pane_id = self.selector.pane(caller).or_else(|| caller.pane_id());
        let params = PaneCurrentParams { caller_pane_id };
        ask::print::<method::PaneCurrent>(caller, "cli:pane:current", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Get {
    /// The pane
    pane_id: String,
}

impl Run for Get {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::PaneGet>(
            caller,
            "cli:pane:get",
            &PaneTarget {
                pane_id: self.pane_id,
            },
        )
    }
}

#[derive(clap::Args)]
pub(super) struct Layout {
    #[command(flatten)]
    selector: Selector,
}

impl Run for Layout {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneLayoutParams {
            pane_id: self.selector.pane(caller),
        };
        ask::print::<method::PaneLayout>(caller, "cli:pane:layout", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct ProcessInfo {
    #[command(flatten)]
    selector: Selector,
}

impl Run for ProcessInfo {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneProcessInfoParams {
            pane_id: self.selector.pane(caller),
        };
        ask::print::<method::PaneProcessInfo>(caller, "cli:pane:process_info", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Edges {
    #[command(flatten)]
    selector: Selector,
}

impl Run for Edges {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneEdgesParams {
            pane_id: self.selector.pane(caller),
        };
        ask::print::<method::PaneEdges>(caller, "cli:pane:edges", &params)
    }
}

#[derive(clap::Args)]
pub(super) struct Neighbor {
    /// On which side
    #[arg(long, required = true, value_name = "SIDE", value_parser = values::PANE_DIRECTION)]
    direction: PaneDirection,
    #[command(flatten)]
    selector: Selector,
}

impl Run for Neighbor {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneNeighborParams {
            direction: self.direction,
            pane_id: self.selector.pane(caller),
        };
        ask::print::<method::PaneNeighbor>(caller, "cli:pane:neighbor", &params)
    }
}
