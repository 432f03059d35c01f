//! `drover attach`: this terminal shows and drives a pane.

use serde_json::Value;

use crate::api::method;
use crate::api::params::EmptyParams;
use crate::client::{self, Patience};
use crate::command::{Caller, Failure, Outcome, Run};

#[derive(clap::Args)]
pub(super) struct Attach {
    /// A pane, an agent or a terminal; without it the agent that needs somebody most, else the focused pane
    target: Option<String>,
    /// Take the place of other terminals that are attached to it
    #[arg(long)]
    takeover: bool,
}

impl Run for Attach {
    fn run(self, caller: &Caller) -> Outcome {
        let target = match self.target {
            Some(target) => target,
            None => choose(caller)?,
        };
        crate::herdr::attach(caller, &target, self.takeover)
    }
}

/// The pane that a person most likely wants to see.
fn choose(caller: &Caller) -> Result<String, Failure> {
    let socket = caller.socket()?;
    let failed = |error| Failure::Failed(format!("error: {error}"));
    let snapshot = client::call::<method::SessionSnapshot>(
        &socket,
        "drover:attach",
        &EmptyParams {},
        Patience::ORDINARY,
    )
    .map_err(failed)?;
    let snapshot = &snapshot["result"]["snapshot"];
    let none = "error: there is no pane to attach to; make one with `drover up`";
    most_urgent(&snapshot["agents"])
        .or_else(|| snapshot["focused_pane_id"].as_str().map(str::to_owned))
        .ok_or_else(|| Failure::Failed(none.to_owned()))
}

/// The pane of the first agent that waits for a person, else of the first that is done unseen.
fn most_urgent(agents: &Value) -> Option<String> {
    let agents = agents.as_array()?;
    ["blocked", "done"].iter().find_map(|status| {
        agents
            .iter()
            .find(|agent| agent["agent_status"] == *status)
            .and_then(|agent| agent["pane_id"].as_str())
            .map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn who_waits_comes_before_who_is_done_and_nobody_else_is_urgent() {
        let agent = |pane: &str, status: &str| json!({ "pane_id": pane, "agent_status": status });
        let agents = json!([
            agent("p1", "working"),
            agent("p2", "done"),
            agent("p3", "blocked")
        ]);
        assert_eq!(most_urgent(&agents).as_deref(), Some("p3"));
        let agents = json!([agent("p1", "idle"), agent("p2", "done")]);
        assert_eq!(most_urgent(&agents).as_deref(), Some("p2"));
        assert_eq!(most_urgent(&json!([agent("p1", "working")])), None);
    }
}
