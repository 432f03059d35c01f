//! The near end of a connection to another machine: there as long as the value is, and in this process or in none.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::words::{Errand, Target};
use crate::paths::Session;

/// What one connection may do and take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The session there.
    pub session: Session,
    /// Whether a person at the terminal may be asked for a password, or whether a host's key is the right one.
    pub interactive: bool,
    /// Whether the daemon there is started if it is not running.
    pub start: bool,
    /// The time that making it may take in all.
    pub limit: Duration,
}

/// How long a person may take to log in: as long as sshd waits for one by default (`LoginGraceTime`).
const LOGIN_TIME: Duration = Duration::from_secs(120);

impl Terms {
    /// For a command that asks nobody anything.
    #[must_use]
    pub fn batch(session: Session, limit: Duration) -> Self {
        Self {
            session,
            interactive: false,
            start: false,
            limit,
        }
    }

    /// For a person who may be asked.
    #[must_use]
    pub fn login(session: Session) -> Self {
        Self {
            session,
            interactive: true,
            start: false,
            limit: LOGIN_TIME,
        }
    }

    /// The same, and the daemon there is started if it is not running.
    #[must_use]
    pub fn and_start(self) -> Self {
        Self {
            start: true,
            ..self
        }
    }
}

/// A daemon there, reached.
#[derive(Debug)]
pub struct Link {
    tether: Child,
    reached: Reached,
}

/// What the tether says once, on one line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    Reached(Reached),
    Failed(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reached {
    pub(super) protocol_socket: PathBuf,
    pub(super) home: PathBuf,
    pub(super) version: Option<String>,
}

/// Why there is no connection, in words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkError(String);

impl fmt::Display for LinkError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for LinkError {}

/// The longest line that the tether says, in bytes.
const MAX_WORD_BYTES: u64 = 64 * 1024;

impl Link {
    /// Makes a connection, and returns when the sockets here lead there.
    ///
    /// # Errors
    /// `ssh` cannot be run or says why not, the daemon there does not run, or the time is over. Nothing is left then.
    pub fn open(target: &Target, terms: &Terms) -> Result<Self, LinkError> {
        let failed = |error: io::Error| LinkError(format!("starting the connection: {error}"));
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command
            // The name decides what the program is, whatever its file is called.
            .arg0("drover")
            .args(["--session", terms.session.name(), "tether", "--limit-ms"])
            .arg(terms.limit.as_millis().to_string())
            .args(terms.interactive.then_some("--interactive"))
            .args(terms.start.then_some("--start"))
            .arg(target.as_str())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut tether = command.spawn().map_err(failed)?;
        let mut line = String::new();
        let read = match tether.stdout.take() {
            Some(stdout) => BufReader::new(stdout.take(MAX_WORD_BYTES)).read_line(&mut line),
            None => Ok(0),
        };
        let word = read.map_err(failed).and_then(|_| {
            serde_json::from_str(&line)
                .map_err(|_| LinkError("the connection ended without a word".to_owned()))
        });
        match word {
            Ok(Word::Reached(reached)) => Ok(Self { tether, reached }),
            Ok(Word::Failed(why)) => Err(LinkError(why)).inspect_err(|_| end(&mut tether)),
            Err(error) => Err(error).inspect_err(|_| end(&mut tether)),
        }
    }

    /// The socket here that leads to the protocol socket there; its control socket, if the daemon there is drover,
    /// lies where one of this machine would ([`crate::paths::control_socket`]).
    #[must_use]
    pub fn protocol_socket(&self) -> &Path {
        &self.reached.protocol_socket
    }

    /// The person's home directory there.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.reached.home
    }

    /// The daemon's version.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.reached.version.as_deref()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        end(&mut self.tether);
    }
}

/// Lets go of a tether, and waits until it has ended what it holds: it takes no longer than its own limits.
fn end(tether: &mut Child) {
    drop(tether.stdin.take());
    // It is our child, so there is nothing else that could go wrong.
    let _ = tether.wait();
}

impl Errand {
    pub(super) fn new(target: Target, terms: &Terms) -> Self {
        Self {
            target,
            session: terms.session.clone(),
            interactive: terms.interactive,
            start: terms.start,
        }
    }
}
