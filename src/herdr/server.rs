//! `herdr server`: run the daemon here, stop it, have it read its configuration again.

use super::{ask, serve};
use crate::api::method;
use crate::api::params::EmptyParams;
use crate::client;
use crate::command::{Answer, Caller, Command, Entry, Failure, Group, Outcome, Run};
use crate::keeper::start::Half;
use crate::log::Destination;

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
)
.with_alone(Command::new::<RunServer>(
    "",
    "",
    "Run the server in the foreground",
));

#[derive(clap::Args)]
struct RunServer {
    #[command(flatten)]
    words: serve::HalfWords,
}

impl Run for RunServer {
    /// The daemon, with its protocol socket where herdr's rules put it.
    fn run(self, caller: &Caller) -> Outcome {
        let paths = caller.session_paths()?;
        let socket = paths.protocol_socket.clone();
        let half = self.words.half();
        if half == Half::First && client::answers(&socket) {
            return Err(Failure::Failed(format!(
                "error: herdr server is already running\napi socket: {}",
                socket.display()
            )));
        }
        let lines = format!(
            "herdr server running; this is drover\n\
             api socket: {}\n\
             control socket: {}\n\
             log: this terminal; DROVER_LOG sets its level\n\
             see its panes with `drover ps` or `herdr pane list`\n",
            socket.display(),
            paths.control_socket.display(),
        );
        serve::serve(
            caller,
            half,
            paths,
            false,
            &Destination::Stderr,
            move || serve::tell(&lines),
        )
    }
}

#[derive(clap::Args)]
struct Stop {}

impl Run for Stop {
    fn run(self, caller: &Caller) -> Outcome {
        let stopped = client::stop(&caller.socket()?);
        stopped
            .map(|()| Answer::Nothing)
            .map_err(|error| Failure::Failed(format!("server {error}")))
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
