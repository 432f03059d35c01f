//! `drover tether`: holds a connection to another machine for the command that started it.

use std::time::Duration;

use crate::client::ssh::{Target, Terms, hold};
use crate::command::{Answer, Caller, Failure, Outcome, Run};

/// Hidden: what it takes and says is a matter between it and [`crate::client::ssh::Link`].
#[derive(clap::Args)]
pub(super) struct Tether {
    /// Where ssh goes
    target: String,
    /// Milliseconds that connecting may take
    #[arg(long)]
    limit_ms: u64,
    /// ssh may ask at the terminal
    #[arg(long)]
    interactive: bool,
    /// Start the daemon there
    #[arg(long)]
    start: bool,
}

impl Run for Tether {
    fn run(self, caller: &Caller) -> Outcome {
        let failed = |error: &dyn std::fmt::Display| Failure::Failed(format!("error: {error}"));
        let target = Target::parse(&self.target).map_err(|error| failed(&error))?;
        let terms = Terms {
            session: caller.session.clone().unwrap_or_default(),
            interactive: self.interactive,
            start: self.start,
            limit: Duration::from_millis(self.limit_ms),
        };
        hold(&target, &terms, &caller.environment).map_err(|error| failed(&error))?;
        Ok(Answer::Nothing)
    }
}
