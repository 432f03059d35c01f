//! `herdr update` and `herdr channel`: this program does not replace itself, and says what does.

use crate::command::{Answer, Caller, Command, Entry, Failure, FreeWords, Group, Outcome, Run};

pub(super) const COMMAND: Command =
    Command::free::<Update>("update", "[--handoff]", "Say how this program is updated");

pub(super) const GROUP: Group = Group::new(
    "channel",
    "Releases to update to",
    &[
        Entry::Command(Command::new::<Show>("show", "", "Print the update channel")),
        Entry::Command(Command::new::<Set>(
            "set",
            "<stable|preview>",
            "Say why there is nothing to choose",
        )),
    ],
);

/// The one channel that there is, by herdr's name for it.
pub(super) const CHANNEL: &str = "stable";

/// What to do instead.
const HOW: &str = "drover does not update itself: install the new build the way this one came, then run \
                   'drover upgrade' to have the running daemon replaced with its panes alive";

#[derive(clap::Args)]
struct Update {
    /// Have the running server replaced by the new build
    #[arg(long)]
    handoff: bool,
}

impl FreeWords for Update {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        match words.iter().find(|word| *word != "--handoff") {
            Some(word) => Err(Failure::Misuse(format!(
                "unknown update option: {word}\nusage: herdr update [--handoff]"
            ))),
            None => Ok(Self {
                handoff: !words.is_empty(),
            }),
        }
    }
}

impl Run for Update {
    fn run(self, _: &Caller) -> Outcome {
        Err(Failure::Failed(format!("update failed: {HOW}")))
    }
}

#[derive(clap::Args)]
struct Show {}

impl Run for Show {
    fn run(self, _: &Caller) -> Outcome {
        Ok(Answer::Text(format!("{CHANNEL}\n")))
    }
}

#[derive(clap::Args)]
struct Set {
    /// The channel
    channel: String,
}

impl Run for Set {
    fn run(self, _: &Caller) -> Outcome {
        match self.channel.as_str() {
            CHANNEL | "preview" => Err(Failure::Failed(format!(
                "error: there is one channel, {CHANNEL}, and nothing was changed; {HOW}"
            ))),
            _ => Err(Failure::Usage),
        }
    }
}
