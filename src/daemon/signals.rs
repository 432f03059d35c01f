//! Signals: stop in order, stop at once, read the configuration again.

use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::state::Shared;

/// Takes the signals away from the kernel, which would end the process with its files left behind.
/// What comes before [`start`] is kept for it.
///
/// # Errors
/// The handlers could not be set up.
pub fn catch() -> Result<Signals> {
    Signals::new([SIGTERM, SIGINT, SIGHUP]).context("setting up the handlers of signals")
}

/// Starts the thread that waits for signals. `at_once` runs on the second request to stop, and
/// then the process ends.
///
/// # Errors
/// The thread could not be started.
pub fn start(
    mut signals: Signals,
    shared: Arc<Shared>,
    at_once: impl Fn() + Send + 'static,
) -> Result<()> {
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                match signal {
                    SIGHUP => {
                        let reload = shared.reload_config();
                        shared.reload_manifests();
                        log::info!("configuration read again: {:?}", reload.status);
                    }
                    _ if shared.stop.request() => log::info!("stopping (signal {signal})"),
                    _ => {
                        log::warn!("stopping at once (signal {signal})");
                        at_once();
                        std::process::exit(1);
                    }
                }
            }
        })
        .context("starting the thread for signals")?;
    Ok(())
}
