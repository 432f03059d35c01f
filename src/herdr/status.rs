//! `herdr status`: this program, the running server, and whether they fit. Never an error when there is no server.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::api::params::PingParams;
use crate::api::{PROTOCOL, VERSION, method};
use crate::client::{self, CallError, Patience};
use crate::command::{Answer, Caller, Command, Entry, Failure, Group, Outcome, Run};
use crate::paths::Session;

use super::update::CHANNEL;

pub(super) const GROUP: Group = Group::new(
    "status",
    "Show this program and the running server",
    &[
        Entry::Command(Command::new::<ServerStatus>(
            "server",
            "[--json]",
            "Show the running server",
        )),
        Entry::Command(Command::new::<ClientStatus>(
            "client",
            "[--json]",
            "Show this program",
        )),
    ],
)
.with_alone(Command::new::<Status>(
    "",
    "[--json]",
    "Show this program and the running server",
));

#[derive(clap::Args)]
struct Status {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for Status {
    fn run(self, caller: &Caller) -> Outcome {
        let client = client_status(caller)?;
        let server = server_status(caller)?;
        let update = json!({
            "restart_needed": server["restart_needed"],
            "server_binary_stale": server["server_binary_stale"],
        });
        if self.json {
            return Ok(Answer::Json(
                json!({ "client": client, "server": server, "update": update }),
            ));
        }
        let mut client_lines = client_lines(&client);
        // The full form leaves the path out; `status client` has it.
        client_lines.retain(|(key, _)| *key != "binary");
        let update_lines = vec![
            ("restart_needed", yes_or_no(&update["restart_needed"])),
            (
                "server_binary_stale",
                yes_or_no(&update["server_binary_stale"]),
            ),
        ];
        let blocks = [
            block("client", &client_lines),
            block("server", &server_lines(&server)),
            block("update", &update_lines),
        ];
        Ok(Answer::Text(blocks.join("\n")))
    }
}

#[derive(clap::Args)]
struct ServerStatus {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for ServerStatus {
    fn run(self, caller: &Caller) -> Outcome {
        let server = server_status(caller)?;
        Ok(match self.json {
            true => Answer::Json(server),
            false => Answer::Text(plain(&server_lines(&server))),
        })
    }
}

#[derive(clap::Args)]
struct ClientStatus {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for ClientStatus {
    fn run(self, caller: &Caller) -> Outcome {
        let client = client_status(caller)?;
        Ok(match self.json {
            true => Answer::Json(client),
            false => Answer::Text(plain(&client_lines(&client))),
        })
    }
}

/// What there is to say about this program. There is no full-screen client, so it has no endpoint protocol.
fn client_status(caller: &Caller) -> Result<Value, Failure> {
    let binary = std::env::current_exe()
        .ok()
        .map(|path| path.to_string_lossy().into_owned());
    Ok(json!({
        "version": VERSION,
        "channel": CHANNEL,
        "protocol": PROTOCOL,
        "endpoint_protocol_generation": null,
        "endpoint_capabilities": [],
        "binary": binary,
        "session": session(caller)?,
    }))
}

/// What there is to say about the server. A member nobody can know is null.
fn server_status(caller: &Caller) -> Result<Value, Failure> {
    let socket = caller.socket()?;
    let mut status = Map::new();
    match pong(&socket) {
        Some(pong) => {
            let protocol = pong["protocol"].as_u64();
            let version = pong["version"].as_str();
            status.extend(members(json!({
                "status": "running",
                "running": true,
                "version": version,
                "protocol": protocol,
                "capabilities": pong["capabilities"],
                "compatible": protocol.map(|protocol| protocol == u64::from(PROTOCOL)),
                "server_binary_stale": version.map(|version| version != VERSION),
            })));
            if let Some(why) = pong["not_saved"].as_str() {
                status.insert("not_saved".to_owned(), why.into());
            }
        }
        None => status.extend(members(json!({
            "status": "not_running",
            "running": false,
            "version": null,
            "protocol": null,
            "capabilities": null,
            "compatible": null,
            "server_binary_stale": false,
        }))),
    }
    status.extend(members(json!({
        "endpoint_compatible": null,
        "restart_needed": false,
        "socket": socket,
        "session": session(caller)?,
    })));
    if let Some(far) = &caller.far {
        // Whether it is stale is a question to the program that is installed there (herdr 0.9.3).
        status.extend(members(json!({
            "socket": far.address(),
            "session": far.session(),
            "server_binary_stale": null,
        })));
    }
    Ok(Value::Object(status))
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// The running server's account of itself. A server that refuses or stays silent still runs.
fn pong(socket: &Path) -> Option<Value> {
    let id = "api-client:status";
    match client::call_unguarded::<method::Ping>(socket, id, &PingParams {}, Patience::REPORT) {
        Ok(mut answer) => Some(answer["result"].take()),
        Err(
            CallError::NotRunning { .. } | CallError::Foreign { .. } | CallError::Transport { .. },
        ) => None,
        Err(_) => Some(Value::Object(Map::new())),
    }
}

/// The named session that the call is for.
fn session(caller: &Caller) -> Result<Option<String>, Failure> {
    Ok(match caller.chosen()?.session {
        Some(Session::Named(name)) => Some(name.as_str().to_owned()),
        Some(Session::Default) | None => None,
    })
}

type Lines = Vec<(&'static str, String)>;

fn client_lines(client: &Value) -> Lines {
    vec![
        ("version", text(&client["version"])),
        ("channel", text(&client["channel"])),
        ("protocol", text(&client["protocol"])),
        ("binary", text(&client["binary"])),
    ]
}

fn server_lines(server: &Value) -> Lines {
    if server["running"] == false {
        return vec![
            ("status", "not running".to_owned()),
            ("socket", text(&server["socket"])),
        ];
    }
    let mut lines = vec![
        ("status", "running".to_owned()),
        ("version", text(&server["version"])),
        (
            "endpoint_compatible",
            yes_or_no(&server["endpoint_compatible"]),
        ),
        ("private_protocol", text(&server["protocol"])),
        (
            "private_protocol_compatible",
            yes_or_no(&server["compatible"]),
        ),
        ("socket", text(&server["socket"])),
    ];
    if let Some(why) = server["not_saved"].as_str() {
        lines.push(("saving", format!("nothing is saved: {why}")));
    }
    lines
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "unknown".to_owned(),
        other => other.to_string(),
    }
}

fn yes_or_no(value: &Value) -> String {
    match value.as_bool() {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    }
    .to_owned()
}

fn block(head: &str, lines: &Lines) -> String {
    let mut block = format!("{head}:\n");
    for (key, value) in lines {
        // Writing to a String cannot fail.
        let _ = writeln!(block, "  {key}: {value}");
    }
    block
}

fn plain(lines: &Lines) -> String {
    lines
        .iter()
        .map(|(key, value)| format!("{key}: {value}\n"))
        .collect()
}
