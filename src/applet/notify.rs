//! `drover notify`: whether notifications reach the person, and of whom they are told.

use std::time::Duration;

use serde_json::{Value, json};

use super::{columns, control};
use crate::api::control::{NotifyMute, NotifyMuteParams, NotifyTest, NotifyTestParams};
use crate::client::Patience;
use crate::command::{Answer, Caller, Command, Entry, Group, Outcome, Run};

/// The longest a sink may take (`timeout_ms` of a `[[notify.sink]]`), and a little more.
const TEST_TIME: Duration = Duration::from_secs(70);

pub(super) const GROUP: Group = Group::new(
    "notify",
    "Be told what agents do",
    &[
        Entry::Command(Command::new::<Test>(
            "test",
            "[<sink>] [--json]",
            "Send a message through each sink, and say what became of it",
        )),
        Entry::Command(Command::new::<Mute>(
            "mute",
            "<pane>",
            "Tell nobody what the agent in a pane does",
        )),
        Entry::Command(Command::new::<Unmute>(
            "unmute",
            "<pane>",
            "Tell of it again",
        )),
    ],
);

#[derive(clap::Args)]
struct Test {
    /// Only this sink
    #[arg(value_name = "SINK")]
    sink: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for Test {
    /// The columns are: sink, kind, whether a rule or ui.toast.delivery uses it, whether it took the message, what
    /// there is to say about that, and how long it took. The exit code is 1 if a sink did not take it that is used or
    /// was named.
    fn run(self, caller: &Caller) -> Outcome {
        let named = self.sink.is_some();
        let params = NotifyTestParams { sink: self.sink };
        let patience = Patience::Limited(TEST_TIME);
        let found =
            control::request::<NotifyTest>(caller, "drover:notify:test", &params, patience)?
                .map_err(|error| control::failure(&error, caller))?;
        let sinks = found["sinks"].as_array().map_or(&[][..], Vec::as_slice);
        let text = if self.json {
            format!("{}\n", json!({ "sinks": sinks }))
        } else {
            columns::aligned(&rows(sinks))
        };
        let failed = |sink: &Value| sink["sent"] != true && (named || sink["used"] == true);
        Ok(if sinks.iter().any(failed) {
            Answer::Found(text)
        } else {
            Answer::Text(text)
        })
    }
}

fn rows(sinks: &[Value]) -> Vec<[String; 6]> {
    let mut rows = vec![["SINK", "KIND", "USED", "SENT", "HOW", "TIME"].map(str::to_owned)];
    let word = |value: &Value| if *value == true { "yes" } else { "no" }.to_owned();
    rows.extend(sinks.iter().map(|sink| {
        [
            control::text(&sink["sink"]),
            control::text(&sink["kind"]),
            word(&sink["used"]),
            word(&sink["sent"]),
            control::text(&sink["detail"]),
            format!("{} ms", sink["milliseconds"].as_u64().unwrap_or_default()),
        ]
    }));
    rows
}

#[derive(clap::Args)]
struct Mute {
    /// The pane
    #[arg(value_name = "PANE")]
    pane: String,
}

impl Run for Mute {
    fn run(self, caller: &Caller) -> Outcome {
        set(caller, self.pane, true)
    }
}

#[derive(clap::Args)]
struct Unmute {
    /// The pane
    #[arg(value_name = "PANE")]
    pane: String,
}

impl Run for Unmute {
    fn run(self, caller: &Caller) -> Outcome {
        set(caller, self.pane, false)
    }
}

fn set(caller: &Caller, pane_id: String, muted: bool) -> Outcome {
    let params = NotifyMuteParams { pane_id, muted };
    let found = control::ask::<NotifyMute>(caller, "drover:notify:mute", &params)?;
    let pane = control::text(&found["pane_id"]);
    Ok(Answer::Text(if muted {
        format!("nobody is told what the agent in {pane} does\n")
    } else {
        format!("{pane} is told of again\n")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sink_is_a_line_with_what_became_of_the_message() {
        let sinks = json!([
            { "sink": "desktop", "kind": "desktop", "used": false, "sent": false,
              "detail": "there is no program notify-send", "milliseconds": 1 },
            { "sink": "phone", "kind": "ntfy", "used": true, "sent": true, "detail": "HTTP 200", "milliseconds": 230 },
        ]);
        assert_eq!(
            columns::aligned(&rows(sinks.as_array().unwrap())),
            "SINK     KIND     USED  SENT  HOW                              TIME\n\
             desktop  desktop  no    no    there is no program notify-send  1 ms\n\
             phone    ntfy     yes   yes   HTTP 200                         230 ms\n"
        );
    }
}
