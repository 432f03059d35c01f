//! Signals: stop in order, stop at once, read the configuration again.

use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::state::Shared;

/// Starts the thread that waits for signals. `at_once` runs on the second request to stop, and
/// then the process ends.
///
/// # Errors
/// The handlers or the thread could not be set up.
pub fn start(shared: Arc<Shared>, at_once: impl Fn() + Send + 'static) -> Result<()> {
    let mut signals =
        Signals::new([SIGTERM, SIGINT, SIGHUP]).context("setting up the handlers of signals")?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                match signal {
                    SIGHUP => {
                        let reload = shared.reload_config();
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
