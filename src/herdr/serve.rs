//! Running the daemon in this process, for `herdr server` and `drover serve`.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use crate::command::{Answer, Caller, Failure, Outcome};
use crate::daemon::{self, ServeOptions};
use crate::keeper::estate::Left;
use crate::keeper::start::Half;
use crate::log::{self, Destination};
use crate::paths::{self, SessionPaths};

/// How a daemon is started, besides where.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start {
    /// Put a link to the protocol socket where herdr has its own.
    pub at_herdr: bool,
    /// Keep the saved session aside and begin anew.
    pub fresh: bool,
}

// The hidden words by which one half of a daemon starts the other. (A documentation comment would become the command's.)
#[derive(clap::Args)]
pub(crate) struct HalfWords {
    /// Be the worker of the keeper at the other end of standard input
    #[arg(long, hide = true)]
    worker: bool,
    /// Be the keeper of the worker at the other end of standard input
    #[arg(long, hide = true)]
    keeper: bool,
    /// What the keeper before has left to this one, in the same process
    #[arg(long, hide = true, value_name = "PLACE")]
    left: Option<Left>,
}

impl HalfWords {
    pub(crate) fn half(&self) -> Half {
        match (self.worker, self.keeper) {
            (true, _) => Half::Worker,
            (_, true) => Half::Keeper(self.left),
            _ => Half::First,
        }
    }
}

/// Runs the daemon until it is stopped. `on_ready` is called once, when its sockets accept connections.
pub(crate) fn serve(
    caller: &Caller,
    half: Half,
    paths: SessionPaths,
    start: Start,
    destination: &Destination,
    on_ready: impl FnOnce() + Send + 'static,
) -> Outcome {
    start_log(destination).map_err(|error| Failure::Failed(format!("error: {error}")))?;
    let options = ServeOptions {
        half,
        config_file: paths::config_file(&caller.environment),
        at_herdr: start.at_herdr,
        fresh: start.fresh,
        herdr_socket: paths::herdr_socket(&caller.environment, &paths.session),
        on_ready: Box::new(on_ready),
        paths,
    };
    match daemon::serve(options) {
        Ok(()) => Ok(Answer::Nothing),
        Err(error) => Err(Failure::Failed(format!("error: {error:#}"))),
    }
}

/// Says something to whoever watches the daemon start. If nobody does, that is no reason to stop.
pub(crate) fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn start_log(destination: &Destination) -> Result<(), String> {
    if let Destination::File(file) = destination {
        make_parent(file)?;
    }
    log::start(destination, log::level_from_environment())
        .map_err(|error| format!("opening the log {destination:?}: {error}"))
}

/// Makes the directory of a file, private to the user.
pub(crate) fn make_parent(file: &Path) -> Result<(), String> {
    let Some(directory) = file.parent() else {
        return Ok(());
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .map_err(|error| format!("making the directory {}: {error}", directory.display()))
}
