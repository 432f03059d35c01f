//! `drover upgrade`: another build of drover serves, and no pane has noticed.

use std::path::PathBuf;

use crate::api::method;
use crate::api::params::ServerLiveHandoffParams;
use crate::client::{self, Patience};
use crate::command::{Answer, Caller, Failure, Outcome, Run};
use crate::herdr::{HANDOFF_PATIENCE, whole};

#[derive(clap::Args)]
pub(super) struct Upgrade {
    /// The executable that takes over; by default this one
    path: Option<PathBuf>,
}

impl Run for Upgrade {
    fn run(self, caller: &Caller) -> Outcome {
        let socket = caller.socket()?;
        let executable = match self.path {
            Some(path) => path,
            None => std::env::current_exe().map_err(|error| {
                Failure::Failed(format!("error: finding this program's file: {error}"))
            })?,
        };
        let executable = whole(&executable)?;
        let params = ServerLiveHandoffParams {
            import_exe: Some(executable.clone()),
            ..ServerLiveHandoffParams::default()
        };
        let patience = Patience::Limited(HANDOFF_PATIENCE);
        match client::call::<method::ServerLiveHandoff>(
            &socket,
            "drover:upgrade",
            &params,
            patience,
        ) {
            Ok(_) => Ok(Answer::Text(format!(
                "{executable} serves now; the panes live on.\n"
            ))),
            Err(error) => Err(Failure::Failed(format!("error: {error}"))),
        }
    }
}
