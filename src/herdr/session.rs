//! `herdr session`: the sessions of this machine, by their files and sockets.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{fs, io};

use serde_json::{Value, json};

use crate::client;
use crate::command::{Answer, Caller, Command, Entry, Failure, Group, Outcome, Run};
use crate::paths::{self, Session, SessionName};

pub(super) const GROUP: Group = Group::new(
    "session",
    "List, attach to, stop and delete named sessions",
    &[
        Entry::Command(Command::new::<List>(
            "list",
            "[--json]",
            "List the sessions",
        )),
        Entry::Command(Command::new::<Attach>(
            "attach",
            "<name>",
            "Attach to a session in this terminal",
        )),
        Entry::Command(Command::new::<Stop>(
            "stop",
            "<name> [--json]",
            "Stop the server of a session; its panes end",
        )),
        Entry::Command(Command::new::<Delete>(
            "delete",
            "<name> [--json]",
            "Delete the files of a stopped session",
        )),
    ],
);

/// A session as the commands show it.
struct Listed {
    session: Session,
    running: bool,
    directory: PathBuf,
    socket: PathBuf,
}

impl Listed {
    fn of(caller: &Caller, session: Session) -> Self {
        let paths = paths::session_paths(&caller.environment, &session);
        Self {
            session,
            running: client::answers(&paths.protocol_socket),
            directory: paths.state_dir,
            socket: paths.protocol_socket,
        }
    }

    fn record(&self) -> Value {
        json!({
            "default": self.session == Session::Default,
            "name": self.session.name(),
            "running": self.running,
            "session_dir": self.directory,
            "socket_path": self.socket,
        })
    }
}

#[derive(clap::Args)]
struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        let sessions = std::iter::once(Session::Default).chain(named(caller));
        let listed: Vec<_> = sessions
            .map(|session| Listed::of(caller, session))
            .collect();
        if self.json {
            let records: Vec<_> = listed.iter().map(Listed::record).collect();
            return Ok(Answer::Json(json!({ "sessions": records })));
        }
        let mut table = row("name", "status", "directory", "socket");
        for entry in &listed {
            table.push_str(&row(
                entry.session.name(),
                if entry.running { "running" } else { "stopped" },
                &entry.directory.to_string_lossy(),
                &entry.socket.to_string_lossy(),
            ));
        }
        Ok(Answer::Text(table))
    }
}

/// A line with herdr's column widths, which scripts cut by.
fn row(name: &str, status: &str, directory: &str, socket: &str) -> String {
    format!("{name:<20} {status:<8} {directory:<48} {socket}\n")
}

/// The named sessions that have a directory, in order.
fn named(caller: &Caller) -> BTreeSet<Session> {
    paths::sessions_dirs(&caller.environment)
        .iter()
        .filter_map(|directory| fs::read_dir(directory).ok())
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| SessionName::parse(&name).ok())
        .map(Session::Named)
        .collect()
}

#[derive(clap::Args)]
struct Attach {
    /// The session
    name: String,
}

impl Run for Attach {
    /// Never with a name: `session attach NAME` is a launch, and taken before the commands.
    fn run(self, _: &Caller) -> Outcome {
        Err(Failure::Usage)
    }
}

#[derive(clap::Args)]
struct Stop {
    /// The session; "default" is the default one
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for Stop {
    fn run(self, caller: &Caller) -> Outcome {
        let session = parse(&self.name)?;
        let socket = paths::session_paths(&caller.environment, &session).protocol_socket;
        client::stop(&socket).map_err(|error| {
            refused("session_stop_failed", &format!("session {session} {error}"))
        })?;
        let listed = Listed {
            running: false,
            ..Listed::of(caller, session)
        };
        done(self.json, "stopped", &listed)
    }
}

#[derive(clap::Args)]
struct Delete {
    /// The session
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for Delete {
    fn run(self, caller: &Caller) -> Outcome {
        let failed = |message: &str| refused("session_delete_failed", message);
        let session = parse(&self.name)?;
        if session == Session::Default {
            return Err(failed("deleting the default session is not supported"));
        }
        let listed = Listed::of(caller, session);
        if listed.running {
            let message = format!(
                "session {} is running; stop it before deleting",
                listed.session
            );
            return Err(failed(&message));
        }
        let paths = paths::session_paths(&caller.environment, &listed.session);
        for directory in [paths.runtime_dir, paths.state_dir] {
            match fs::remove_dir_all(&directory) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let message = format!("cannot delete {}: {error}", directory.display());
                    return Err(failed(&message));
                }
                _ => {}
            }
        }
        done(self.json, "deleted", &listed)
    }
}

fn parse(name: &str) -> Result<Session, Failure> {
    Session::parse(name).map_err(|error| refused("invalid_session_name", &error.to_string()))
}

/// These errors carry no id: no request was made in their name.
fn refused(code: &str, message: &str) -> Failure {
    Failure::Refused(json!({ "error": { "code": code, "message": message } }).to_string())
}

fn done(as_json: bool, what: &str, listed: &Listed) -> Outcome {
    if as_json {
        return Ok(Answer::Json(
            json!({ what: true, "session": listed.record() }),
        ));
    }
    let mut line = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(line, "{what} session {}", listed.session);
    Ok(Answer::Text(line))
}
