//! `herdr notification`: tell the person something.

use super::{ask, values};
use crate::api::method;
use crate::api::params::{NotificationShowParams, NotificationShowSound, ToastHerdrPosition};
use crate::command::{Caller, Command, Entry, Group, Outcome, Run};

pub(super) const GROUP: Group = Group::new(
    "notification",
    "Notifications for the person",
    &[Entry::Command(Command::new::<Show>(
        "show",
        "<title> [--body TEXT] [--position top-left|top-right|bottom-left|bottom-right] [--sound none|done|request]",
        "Show a notification",
    ))],
);

#[derive(clap::Args)]
struct Show {
    /// Its title
    title: String,
    /// More text
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// The corner it appears in
    #[arg(long, value_name = "CORNER", value_parser = values::POSITION)]
    position: Option<ToastHerdrPosition>,
    /// The sound it makes; none by default
    #[arg(long, value_name = "SOUND", value_parser = values::SOUND)]
    sound: Option<NotificationShowSound>,
}

impl Run for Show {
    /// A notification that nobody could see is no failure: the answer says so.
    fn run(self, caller: &Caller) -> Outcome {
        let params = NotificationShowParams {
            title: self.title,
            body: self.body,
            position: self.position,
            sound: self.sound.unwrap_or_default(),
        };
        ask::print::<method::NotificationShow>(caller, "cli:notification:show", &params)
    }
}
