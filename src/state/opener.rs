//! Links are opened with the program that the configuration names.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::sys;

use super::Shared;

/// Openers that may run at once. They hand the address on and end; a client that clicks in a loop
/// must not start a thousand.
const RUNNING_LIMIT: usize = 8;

/// What an address must begin with to be handed to a program. What a pane shows is written by
/// whatever runs in it, and others may start more than a browser or a mail program.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// One of the openers that may run; gives its place back.
struct Running;

impl Running {
    fn begin() -> Option<Running> {
        let more = |count: usize| (count < RUNNING_LIMIT).then_some(count + 1);
        RUNNING
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
            .then_some(Running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    /// Starts the configured opener on an address. False if there is none, or it is not for such an
    /// address, or it cannot be started, which is logged.
    pub fn open_link(&self, address: &str) -> bool {
        let config = self.config();
        let mut words = config.ui.link_opener.split_ascii_whitespace();
        let Some(program) = words.next() else {
            return false;
        };
        let lower = address.to_ascii_lowercase();
        if !SCHEMES.iter().any(|scheme| lower.starts_with(scheme)) {
            return false;
        }
        let Some(running) = Running::begin() else {
            log::warn!("{RUNNING_LIMIT} link openers run already: {program} is not started");
            return false;
        };
        let mut command = Command::new(program);
        command
            .args(words)
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A signal to the daemon's group is not for it.
            .process_group(0);
        if let Some(home) = &self.identity.home {
            command.current_dir(home);
        }
        sys::make_like_us(&mut command);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                log::warn!("cannot start the link opener {program}: {error}");
                return false;
            }
        };
        let waiter = thread::Builder::new().name("link opener".to_owned());
        let program = program.to_owned();
        let waits = waiter.spawn(move || {
            let _running = running;
            match child.wait() {
                Ok(status) if status.success() => {}
                Ok(status) => log::warn!("the link opener {program} failed: {status}"),
                Err(error) => log::warn!("the link opener {program} is lost: {error}"),
            }
        });
        if let Err(error) = waits {
            log::warn!("no thread to wait for the link opener: {error}");
        }
        true
    }
}
