//! `drover down`: there is no daemon any more.

use crate::client;
use crate::command::{Answer, Caller, Failure, Outcome, Run};

#[derive(clap::Args)]
pub(super) struct Down {}

impl Run for Down {
    /// Stopping what does not run is no failure: what was wanted is so.
    fn run(self, caller: &Caller) -> Outcome {
        let socket = caller.socket()?;
        match client::stop(&socket) {
            Ok(()) => Ok(Answer::Text("drover has stopped.\n".to_owned())),
            Err(error) if error.was_not_running() => Ok(Answer::Text(format!(
                "drover was not running at {}.\n",
                socket.display()
            ))),
            Err(error) => Err(Failure::Failed(format!("error: drover {error}"))),
        }
    }
}
