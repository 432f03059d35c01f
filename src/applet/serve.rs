//! `drover serve`: the daemon, in the foreground, or for `drover up` in the background.

use std::fs::OpenOptions;
use std::io::{self, Write};

use crate::command::{Caller, Failure, Outcome, Run};
use crate::herdr::{HalfWords, Start};
use crate::keeper::start::Half;
use crate::log::Destination;

/// What a daemon in the background writes on stdout, once, when it is ready.
pub(super) const READY_LINE: &str = "ready\n";

#[derive(clap::Args)]
pub(super) struct Serve {
    /// Also put a link to the protocol socket where herdr has its own, for tools that look only there
    #[arg(long)]
    at_herdr: bool,
    /// Keep the saved session aside and begin with an empty one
    #[arg(long)]
    fresh: bool,
    /// Leave the terminal's session, log to the session's file, and say on stdout when it is ready
    #[arg(long, hide = true)]
    background: bool,
    #[command(flatten)]
    words: HalfWords,
}

impl Run for Serve {
    fn run(self, caller: &Caller) -> Outcome {
        let paths = caller.session_paths()?;
        let half = self.words.half();
        let start = Start {
            at_herdr: self.at_herdr,
            fresh: self.fresh,
        };
        if !self.background {
            let protocol = paths.protocol_socket.display().to_string();
            let control = paths.control_socket.display().to_string();
            let say = move || {
                crate::herdr::tell(&format!(
                    "drover is ready; herdr's protocol is at {protocol}, drover's own at {control}\n"
                ))
            };
            let log = Destination::Stderr;
            return crate::herdr::serve(caller, half, paths, start, &log, say);
        }
        if half != Half::First {
            let log = Destination::File(paths.log_file.clone());
            return crate::herdr::serve(caller, half, paths, start, &log, || ());
        }
        // From here on neither the terminal's end nor a signal to the caller's process group reaches the daemon.
        // It fails only for the leader of a group, which a process just started by `drover up` is not.
        nix::unistd::setsid()
            .map_err(|error| Failure::Failed(format!("error: leaving the session: {error}")))?;
        let log = Destination::File(paths.log_file.clone());
        crate::herdr::serve(caller, half, paths, start, &log, || {
            if let Err(error) = announce() {
                ::log::warn!("the starting process was not told that all is ready: {error}");
            }
        })
    }
}

/// Says that the daemon is ready, and lets go of the pipe that it was said into.
fn announce() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(READY_LINE.as_bytes())?;
    stdout.flush()?;
    let null = OpenOptions::new().write(true).open("/dev/null")?;
    nix::unistd::dup2_stdout(&null)?;
    Ok(())
}
