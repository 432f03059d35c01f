//! Lending the person's SSH agent to the panes, for as long as they are attached.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::exchange::{self, Patience};
use crate::api::params::ServerSshAgentRegisterParams;
use crate::api::{envelope, method};

/// How long the daemon may take to answer. The person waits to see the pane, and an agent is a convenience.
const PATIENCE: Patience = Patience::Limited(Duration::from_secs(1));

/// An agent that is lent to a daemon's panes while this lives (herdr 0.9.3, `server.ssh_agent.register`). One that the
/// daemon does not take, because it is gone or the caller is in a pane, is not lent, and that is all.
#[derive(Debug)]
pub struct Lending {
    socket: PathBuf,
    agent: String,
    /// The registration; its end ends it.
    lease: Option<UnixStream>,
}

impl Lending {
    /// The agent that this process was given (`SSH_AUTH_SOCK`), for the daemon at a protocol socket. It is not lent
    /// before [`Lending::renew`].
    #[must_use]
    pub fn of_environment(socket: &Path) -> Option<Self> {
        let agent = std::env::var("SSH_AUTH_SOCK").ok();
        agent
            .filter(|agent| Path::new(agent).is_absolute())
            .map(|agent| Self {
                socket: socket.to_owned(),
                agent,
                lease: None,
            })
    }

    /// Lends it, or lends it again to a daemon that has come back. Whether it is lent now.
    pub fn renew(&mut self) -> bool {
        self.lease = self.register();
        self.lease.is_some()
    }

    fn register(&self) -> Option<UnixStream> {
        let params = ServerSshAgentRegisterParams {
            socket_path: self.agent.clone(),
        };
        let line = envelope::request_line::<method::ServerSshAgentRegister>("ssh-agent", &params);
        let deadline = PATIENCE.deadline();
        let mut stream = exchange::connect(&self.socket, deadline).ok()?;
        exchange::send(&mut stream, line.as_bytes(), deadline).ok()?;
        let answer = exchange::receive(&mut stream, &mut Vec::new(), deadline).ok()?;
        let answer: serde_json::Value = serde_json::from_slice(&answer).ok()?;
        answer.get("result").map(|_| stream)
    }
}
