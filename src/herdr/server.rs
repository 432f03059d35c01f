//! `herdr server`: run the daemon here, stop it, have it read its configuration again.

use std::path::Path;
use std::time::Duration;

use super::ask;
use crate::api::method;
use crate::api::params::EmptyParams;
use crate::client::{self, CallError, Patience};
use crate::command::{Answer, Caller, Command, Entry, Failure, Group, Outcome, Run};

pub(super) const GROUP: Group = Group::new(
    "server",
    "Run, stop and inspect the server",
    &[
        Entry::Command(Command::new::<Stop>(
            "stop",
            "",
            "Stop the running server; its panes end",
        )),
        Entry::Command(Command::new::<ReloadConfig>(
            "reload-config",
            "",
            "Have the running server read its configuration again",
        )),
        Entry::Command(Command::new::<AgentManifests>(
            "agent-manifests",
            "[--json]",
            "Show where the agent detection rules come from",
        )),
        Entry::Command(Command::new::<ReloadAgentManifests>(
            "reload-agent-manifests",
            "",
            "Have the running server read the agent detection rules again",
        )),
    ],
);

/// How long a server may take to save its state and end its panes (herdr 0.9.3, `server stop`).
const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// Stops the server at a socket and waits until it is gone. The error completes a sentence about the server.
pub(super) fn stop(socket: &Path) -> Result<(), String> {
    let id = "cli:session:stop";
    let stopped = client::call_unguarded::<method::ServerStop>(
        socket,
        id,
        &EmptyParams {},
        Patience::Limited(STOP_PATIENCE),
    );
    match stopped {
        Ok(_) => {}
        // It was on its way out already, or too fast to answer.
        Err(CallError::NoAnswer { .. }) => {}
        Err(CallError::NotRunning { error, .. } | CallError::Transport { error, .. }) => {
            return Err(format!(
                "is not running or cannot be reached at {}: {error}",
                socket.display()
            ));
        }
        Err(error) => return Err(format!("could not be stopped: {error}")),
    }
    if client::gone(socket, Patience::Limited(STOP_PATIENCE)) {
        return Ok(());
    }
    let milliseconds = STOP_PATIENCE.as_millis();
    Err(format!(
        "did not stop within {milliseconds}ms; its socket {} still answers",
        socket.display()
    ))
}

#[derive(clap::Args)]
struct Stop {}

impl Run for Stop {
    fn run(self, caller: &Caller) -> Outcome {
        let stopped = stop(&caller.socket()?);
        stopped
            .map(|()| Answer::Nothing)
            .map_err(|reason| Failure::Failed(format!("server {reason}")))
    }
}

#[derive(clap::Args)]
struct ReloadConfig {}

impl Run for ReloadConfig {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::ServerReloadConfig>(
            caller,
            "cli:server:reload-config",
            &EmptyParams {},
        )
    }
}

#[derive(clap::Args)]
struct AgentManifests {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for AgentManifests {
    fn run(self, caller: &Caller) -> Outcome {
        let id = "cli:server:agent-manifests";
        ask::print::<method::ServerAgentManifests>(caller, id, &EmptyParams {})
    }
}

#[derive(clap::Args)]
struct ReloadAgentManifests {}

impl Run for ReloadAgentManifests {
    fn run(self, caller: &Caller) -> Outcome {
        let id = "cli:server:reload-agent-manifests";
        ask::print::<method::ServerReloadAgentManifests>(caller, id, &EmptyParams {})
    }
}
