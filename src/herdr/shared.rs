//! Options that several commands take.

use std::collections::BTreeMap;

use crate::command::words::environment_pair;
use crate::command::{Caller, Failure};

/// Whether what is made becomes the focused one; of both flags the last counts.
#[derive(clap::Args)]
pub(super) struct Focus {
    /// Focus it
    #[arg(long, overrides_with = "no_focus")]
    focus: bool,
    /// Leave the focus where it is
    #[arg(long, overrides_with = "focus")]
    no_focus: bool,
}

impl Focus {
    /// What was asked for, or `default` if nothing was.
    pub(super) fn or(&self, default: bool) -> bool {
        match (self.focus, self.no_focus) {
            (true, _) => true,
            (_, true) => false,
            _ => default,
        }
    }
}

/// The environment of a new pane's process.
#[derive(clap::Args)]
pub(super) struct Variables {
    /// Set a variable in the new pane; may be repeated
    #[arg(long = "env", value_name = "KEY=VALUE", value_parser = environment_pair)]
    env: Vec<(String, String)>,
}

impl Variables {
    /// The variables; of a repeated name the last counts.
    pub(super) fn into_map(self) -> BTreeMap<String, String> {
        self.env.into_iter().collect()
    }
}

/// What a new pane may do to others (an addition of drover's).
#[derive(clap::Args)]
pub(super) struct NewGrants {
    /// What the new pane may do to others: words between blanks, or none; by default what is configured
    #[arg(long, value_name = "WORDS")]
    pub(super) grants: Option<String>,
}

/// Which pane is meant, where that need not be said.
#[derive(clap::Args)]
pub(super) struct Selector {
    /// The pane
    #[arg(long, value_name = "ID", overrides_with = "current")]
    pane: Option<String>,
    /// The pane this command runs in
    #[arg(long, overrides_with = "pane")]
    current: bool,
}

impl Selector {
    /// Whether a pane was selected at all.
    pub(super) fn is_given(&self) -> bool {
        self.pane.is_some() || self.current
    }

    /// The named pane, or with `--current` the caller's if it has one; none means the focused pane.
    pub(super) fn pane(self, caller: &Caller) -> Option<String> {
        match self.pane {
            Some(pane) => Some(pane),
            None if self.current => caller.pane_id(),
            None => None,
        }
    }
}

/// The same for commands where the pane may also be the first word.
#[derive(clap::Args)]
pub(super) struct Target {
    /// The pane
    pane_id: Option<String>,
    #[command(flatten)]
    selector: Selector,
}

impl Target {
    /// The named pane, if there is one; as for [`Selector::pane`].
    pub(super) fn pane(self, caller: &Caller) -> Option<String> {
        match self.pane_id {
            Some(pane) => Some(pane),
            None => self.selector.pane(caller),
        }
    }

    /// The named pane, or the caller's.
    ///
    /// # Errors
    /// `--current` was asked for and the caller runs in no pane.
    pub(super) fn strict_pane(self, caller: &Caller) -> Result<Option<String>, Failure> {
        let current = self.selector.current && self.pane_id.is_none();
        match self.pane(caller) {
            None if current => Err(Failure::Misuse(
                "--current requires HERDR_PANE_ID".to_owned(),
            )),
            pane => Ok(pane),
        }
    }
}
