//! `drover up`: there is a daemon, and something in it to begin with.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::serve::READY_LINE;
use crate::api::method;
use crate::api::params::{EmptyParams, WorkspaceCreateParams};
use crate::client::{self, CallError, Patience};
use crate::command::{Answer, Caller, Failure, Outcome, Run};
use crate::paths::{Session, SessionPaths};

/// How long a daemon may take to be ready. Restoring many panes from a slow disk takes seconds.
const READY_PATIENCE: Duration = Duration::from_secs(15);

/// How many of the log's last lines are shown when the daemon does not start.
const SHOWN_LOG_LINES: usize = 10;

#[derive(clap::Args)]
pub(super) struct Up {
    /// Also put a link to the protocol socket where herdr has its own, for tools that look only there
    #[arg(long)]
    at_herdr: bool,
}

impl Run for Up {
    fn run(self, caller: &Caller) -> Outcome {
        let paths = caller.session_paths()?;
        let _only = only_one(&paths)?;
        let mut was_running = client::answers(&paths.protocol_socket);
        if !was_running {
            start(caller, &paths, self.at_herdr)?;
        }
        let pane = match first_pane(&paths.protocol_socket) {
            Err(error) if was_running && is_ending(&error) => {
                // What is wanted is a daemon that stays. Its end frees the place for another.
                let _ = client::gone(
                    &paths.protocol_socket,
                    None,
                    Patience::Limited(READY_PATIENCE),
                );
                was_running = false;
                start(caller, &paths, self.at_herdr)?;
                first_pane(&paths.protocol_socket)
            }
            other => other,
        }
        .map_err(|error| Failure::Failed(format!("error: {error}")))?;
        if was_running && self.at_herdr {
            crate::herdr::tell(
                "the daemon was running already; --at-herdr counts when it starts: \
                 `drover down` first\n",
            );
        }
        let verb = if was_running {
            "is already running"
        } else {
            "is running"
        };
        Ok(Answer::Text(next_steps(
            &own_name(),
            &paths.session,
            verb,
            pane.as_deref(),
        )))
    }
}

/// Waits for other `up`s of this session to finish, and keeps later ones waiting until it is dropped: two that find no
/// workspace would both make one.
fn only_one(paths: &SessionPaths) -> Result<Option<Flock<File>>, Failure> {
    crate::herdr::make_parent(&paths.log_file)
        .map_err(|error| Failure::Failed(format!("error: {error}")))?;
    // The directory itself, so that there is no file to clean up. Without it the start will say what is wrong.
    let Some(directory) = paths.log_file.parent().and_then(|at| File::open(at).ok()) else {
        return Ok(None);
    };
    Ok(Flock::lock(directory, FlockArg::LockExclusive).ok())
}

/// Whether a daemon that was there a moment ago refused because it is ending, or has ended since.
fn is_ending(error: &CallError) -> bool {
    match error {
        CallError::NotRunning { .. } | CallError::NoAnswer { .. } => true,
        error => error.code() == Some("server_unavailable"),
    }
}

/// Starts a daemon in the background and returns when it is ready.
fn start(caller: &Caller, paths: &SessionPaths, at_herdr: bool) -> Result<(), Failure> {
    let failed = |doing: &str, error: &dyn std::fmt::Display| {
        Failure::Failed(format!("error: {doing}: {error}"))
    };
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&paths.log_file)
        .map_err(|error| {
            failed(
                &format!("opening the log {}", paths.log_file.display()),
                &error,
            )
        })?;
    let executable =
        std::env::current_exe().map_err(|error| failed("finding this program's file", &error))?;
    let mut command = Command::new(executable);
    // The name decides what the program is, whatever its file is called.
    command.arg0("drover").args(["serve", "--background"]);
    if let Some(session) = &caller.session {
        command.args(["--session", session.name()]);
    }
    if at_herdr {
        command.arg("--at-herdr");
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // What goes wrong before the log is set up, and panics, end up there too.
        .stderr(Stdio::from(log))
        .spawn()
        .map_err(|error| failed("starting the daemon", &error))?;
    let ready = wait_until_ready(&mut child);
    // A daemon that found another one in its place has ended, and that is as good.
    if ready || client::answers(&paths.protocol_socket) {
        return Ok(());
    }
    Err(Failure::Failed(format!(
        "error: the daemon did not start\nits log is {}, and ends:\n{}",
        paths.log_file.display(),
        last_lines(&paths.log_file)
    )))
}

/// Whether the daemon says that it is ready, in time and before it ends.
fn wait_until_ready(child: &mut Child) -> bool {
    let Some(mut pipe) = child.stdout.take() else {
        return false;
    };
    let deadline = Instant::now() + READY_PATIENCE;
    let mut said = Vec::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        let mut waiting = [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waiting, timeout) {
            Ok(0) => return false,
            Err(nix::Error::EINTR) => continue,
            Err(_) => return false,
            Ok(_) => {}
        }
        let mut room = [0; READY_LINE.len()];
        match pipe.read(&mut room) {
            Ok(0) | Err(_) => return false,
            Ok(count) => said.extend_from_slice(&room[..count]),
        }
        if said == READY_LINE.as_bytes() {
            return true;
        }
        if said.len() >= READY_LINE.len() {
            return false;
        }
    }
}

fn last_lines(file: &Path) -> String {
    let text = fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let text = text.unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(SHOWN_LOG_LINES);
    lines[from..]
        .iter()
        .map(|line| format!("  {line}\n"))
        .collect()
}

/// Makes a workspace in the current directory if there is none; its pane, if one was made.
fn first_pane(socket: &Path) -> Result<Option<String>, CallError> {
    let listed = client::call::<method::WorkspaceList>(
        socket,
        "drover:up",
        &EmptyParams {},
        Patience::ORDINARY,
    )?;
    if listed["result"]["workspaces"]
        .as_array()
        .is_some_and(|list| !list.is_empty())
    {
        return Ok(None);
    }
    let directory = std::env::current_dir().ok();
    let params = WorkspaceCreateParams {
        grants: None,
        cwd: directory.map(|directory| directory.to_string_lossy().into_owned()),
        focus: true,
        ..WorkspaceCreateParams::default()
    };
    let created =
        client::call::<method::WorkspaceCreate>(socket, "drover:up", &params, Patience::ORDINARY)?;
    Ok(created["result"]["root_pane"]["pane_id"]
        .as_str()
        .map(str::to_owned))
}

/// What to type for this program: its name where that is found, else its file.
fn own_name() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join("drover").is_file()) {
        return "drover".to_owned();
    }
    std::env::current_exe().map_or("drover".to_owned(), |file| file.display().to_string())
}

fn next_steps(drover: &str, session: &Session, verb: &str, pane: Option<&str>) -> String {
    let option = match session {
        Session::Default => String::new(),
        Session::Named(name) => format!(" --session {}", name.as_str()),
    };
    let mut steps = vec![(
        format!("{drover} ps{option}"),
        "see its panes and what runs in them",
    )];
    if let Some(pane) = pane {
        steps.push((
            format!("{drover} herdr{option} pane run {pane} claude"),
            "start an agent in its first pane",
        ));
    }
    steps.push((format!("{drover} down{option}"), "stop it, and its panes"));
    let width = steps
        .iter()
        .map(|(command, _)| command.len())
        .max()
        .unwrap_or(0);
    let mut text = format!("drover {verb}. Next:\n");
    for (command, effect) in steps {
        text.push_str(&format!("  {command:width$}   {effect}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_steps_name_the_session_and_line_up() {
        let session = Session::parse("work").expect("valid");
        assert_eq!(
            next_steps("drover", &session, "is running", Some("w1:p1")),
            "drover is running. Next:\n\
             \x20 drover ps --session work                            see its panes and what runs in them\n\
             \x20 drover herdr --session work pane run w1:p1 claude   start an agent in its first pane\n\
             \x20 drover down --session work                          stop it, and its panes\n"
        );
        let short = next_steps("drover", &Session::Default, "is already running", None);
        assert!(
            short.starts_with("drover is already running. Next:\n  drover ps     see"),
            "{short}"
        );
    }
}
