//! `drover lend-agent`: what runs on a machine that a person attaches to from another, when ssh brought an agent along.

use std::io;

use crate::client::Lending;
use crate::command::{Answer, Caller, Failure, Outcome, Run};

/// Hidden: lends the agent in `SSH_AUTH_SOCK` to the panes until standard input ends.
#[derive(clap::Args)]
pub(super) struct LendAgent {}

impl Run for LendAgent {
    fn run(self, caller: &Caller) -> Outcome {
        let failed = |why: &str| Failure::Failed(format!("error: {why}"));
        let mut lending = Lending::of_environment(&caller.socket()?)
            .ok_or_else(|| failed("SSH_AUTH_SOCK names no agent"))?;
        if !lending.renew() {
            return Err(failed("the daemon does not take the agent"));
        }
        // Nothing comes but its end.
        io::copy(&mut io::stdin().lock(), &mut io::sink())
            .map_err(|error| failed(&format!("reading standard input: {error}")))?;
        Ok(Answer::Nothing)
    }
}
