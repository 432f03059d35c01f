//! `herdr server`: run the daemon here, stop it, have it read its configuration again.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::{ask, serve};
use crate::api::params::{EmptyParams, ServerLiveHandoffParams};
use crate::api::{ApiError, envelope, method};
use crate::client::{self, Patience};
use crate::command::{Answer, Caller, Command, Entry, Failure, Group, Outcome, Run};
use crate::keeper::start::Half;
use crate::log::Destination;
use crate::manifests;

pub(super) const GROUP: Group = Group::new(
    "server",
    "Run, stop and inspect the server",
    &[
        Entry::Command(Command::new::<Stop>(
            "stop",
            "",
            "Stop the running server; its panes end",
        )),
        Entry::Command(Command::new::<LiveHandoff>(
            "live-handoff",
            "[--import-exe PATH] [--expected-protocol N] [--expected-version VERSION]",
            "Replace the running server by another executable; its panes live on",
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
        Entry::Command(Command::new::<UpdateAgentManifests>(
            "update-agent-manifests",
            "[--json]",
            "Download newer agent detection rules and have the running server use them",
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
            serve::Start::default(),
            &Destination::Stderr,
            move || serve::tell(&lines),
        )
    }
}

#[derive(clap::Args)]
struct Stop {}

impl Run for Stop {
    fn run(self, caller: &Caller) -> Outcome {
        if caller.far.is_some() {
            // The socket here is ssh's and outlives the daemon there, so that it has nothing to tell.
            let patience = Patience::ORDINARY;
            return ask::answer::<method::ServerStop>(
                caller,
                "cli:session:stop",
                &EmptyParams {},
                patience,
            )
            .map(|_| Answer::Nothing);
        }
        let stopped = client::stop(&caller.socket()?);
        stopped
            .map(|()| Answer::Nothing)
            .map_err(|error| Failure::Failed(format!("server {error}")))
    }
}

#[derive(clap::Args)]
struct LiveHandoff {
    /// The executable that takes over; by default the one that is installed where the server's was
    #[arg(long, value_name = "PATH")]
    import_exe: Option<PathBuf>,
    /// The protocol that it has to speak
    #[arg(long, value_name = "N")]
    expected_protocol: Option<u32>,
    /// The version that it has to have
    #[arg(long, value_name = "VERSION")]
    expected_version: Option<String>,
}

impl Run for LiveHandoff {
    fn run(self, caller: &Caller) -> Outcome {
        let params = ServerLiveHandoffParams {
            expected_protocol: self.expected_protocol,
            expected_version: self.expected_version,
            import_exe: self.import_exe.as_deref().map(whole).transpose()?,
        };
        let patience = Patience::Limited(HANDOFF_PATIENCE);
        ask::answer::<method::ServerLiveHandoff>(
            caller,
            "cli:server:live-handoff",
            &params,
            patience,
        )?;
        serve::tell("the server was replaced; its panes live on\n");
        Ok(Answer::Nothing)
    }
}

/// How long another executable may take over: it has to start, to read the saved session and to rebuild every screen.
pub(crate) const HANDOFF_PATIENCE: Duration = Duration::from_secs(60);

/// A path as the server needs it, which is somewhere else.
pub(crate) fn whole(path: &Path) -> Result<String, Failure> {
    let whole = std::path::absolute(path)
        .map_err(|error| Failure::Failed(format!("error: {}: {error}", path.display())))?;
    whole.into_os_string().into_string().map_err(|path| {
        let path = path.display();
        Failure::Failed(format!(
            "error: a path that is not UTF-8 cannot be sent: {path}"
        ))
    })
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
        show(caller, "cli:server:agent-manifests", self.json)
    }
}

/// Where the rules come from, as JSON or as a table.
fn show(caller: &Caller, id: &str, json: bool) -> Outcome {
    if json {
        return ask::print::<method::ServerAgentManifests>(caller, id, &EmptyParams {});
    }
    let patience = Patience::ORDINARY;
    let answer =
        ask::answer::<method::ServerAgentManifests>(caller, id, &EmptyParams {}, patience)?;
    Ok(Answer::Text(table(&answer["result"])))
}

#[derive(clap::Args)]
struct UpdateAgentManifests {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for UpdateAgentManifests {
    /// The download happens here: the server does not reach out by itself.
    fn run(self, caller: &Caller) -> Outcome {
        let id = "cli:server:update-agent-manifests";
        let said = std::env::var(manifests::CATALOG_VARIABLE).ok();
        let catalog = said
            .as_deref()
            .filter(|address| !address.is_empty())
            .unwrap_or(manifests::DEFAULT_CATALOG);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        // A clock that stands before 1970 says nothing.
        let now = now.map_or(0, |since| since.as_secs());
        let places = manifests::Places::of(&caller.environment);
        manifests::update(&places, catalog, now).map_err(|error| {
            let message = format!("failed to update agent detection manifests: {error}");
            if self.json {
                let error = ApiError::new("agent_manifest_update_failed", message);
                Failure::Refused(envelope::error_line(id, &error))
            } else {
                Failure::Failed(message)
            }
        })?;
        let patience = Patience::ORDINARY;
        ask::answer::<method::ServerReloadAgentManifests>(caller, id, &EmptyParams {}, patience)?;
        show(caller, id, self.json)
    }
}

/// One line an agent, and what is odd about it below (herdr 0.9.3).
fn table(result: &Value) -> String {
    let word = |value: &Value, without: &str| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => without.to_owned(),
    };
    let mut text = format!(
        "last check: {}\n",
        word(&result["last_check_unix"], "never")
    );
    if let Some(last) = result["last_result"].as_str() {
        text += &format!("result: {last}\n");
    }
    text.push('\n');
    for manifest in result["manifests"].as_array().into_iter().flatten() {
        let shadows = manifest["local_override_shadowing_remote"] == true;
        let failed = manifest["remote_update_error"].is_string();
        let mark = match (shadows, failed) {
            (true, _) => '!',
            (false, true) => 'x',
            (false, false) => ' ',
        };
        let of = |name: &str| word(&manifest[name], "-");
        let line = format!(
            "{mark} {:<9} {:<14} active {:<14} remote {:<14} {}",
            of("agent"),
            of("source_kind"),
            of("active_version"),
            of("cached_remote_version"),
            of("remote_update_result"),
        );
        text += line.trim_end_matches([' ', '-']);
        text.push('\n');
        if shadows {
            text += "    a local override hides the downloaded rules\n";
        }
        for odd in ["remote_update_error", "warning"] {
            if let Some(odd) = manifest[odd].as_str() {
                text += &format!("    {odd}\n");
            }
        }
    }
    text
}

#[derive(clap::Args)]
struct ReloadAgentManifests {}

impl Run for ReloadAgentManifests {
    fn run(self, caller: &Caller) -> Outcome {
        let id = "cli:server:reload-agent-manifests";
        ask::print::<method::ServerReloadAgentManifests>(caller, id, &EmptyParams {})
    }
}
