//! Start and stop, sockets, one thread per connection, limits, the clock thread.

use std::path::PathBuf;

use crate::paths::SessionPaths;

/// What a daemon is started with.
pub struct ServeOptions {
    /// Where everything of its session lies.
    pub paths: SessionPaths,
    /// The configuration file; it need not exist.
    pub config_file: PathBuf,
    /// Put a link to the protocol socket at `herdr_socket`, whatever the configuration says.
    pub at_herdr: bool,
    /// Where herdr itself has the protocol socket of this session.
    pub herdr_socket: PathBuf,
    /// Called once, when both sockets accept connections.
    pub on_ready: Box<dyn FnOnce() + Send>,
}

/// Runs a daemon until it is stopped.
///
/// # Errors
/// It cannot start: another one is running, or a directory or socket cannot be made.
pub fn serve(options: ServeOptions) -> anyhow::Result<()> {
    anyhow::bail!(
        "the daemon at {} cannot be started by this build",
        options.paths.protocol_socket.display()
    )
}
