//! `drover turns`: what xcsh's turns do. Only outside every pane.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{columns, control};
use crate::api::control::{TurnsCancel, TurnsList, TurnsListParams};
use crate::api::params::ExecutionTarget;
use crate::client::{CallError, Patience};
use crate::command::{Answer, Caller, Outcome, Run, print_now};

#[derive(clap::Args)]
pub(super) struct Turns {
    /// `cancel`: ask xcsh to end its turn; a program that is not xcsh is ended
    #[arg(value_parser = ["cancel"], requires = "execution")]
    action: Option<String>,
    /// The execution, as the first column has it
    execution: Option<String>,
    /// Go on and print what changes
    #[arg(long, conflicts_with = "action")]
    follow: bool,
    /// Print JSON; with --follow, a turn a line
    #[arg(long, conflicts_with = "action")]
    json: bool,
    /// Only the latest so many
    #[arg(long, value_name = "COUNT", conflicts_with = "action")]
    limit: Option<usize>,
}

impl Run for Turns {
    /// The columns are: execution, generation, pane, what its program and its turn do, for how long, how many questions
    /// wait, and the first line of the result or the reason. What changed last stands last.
    fn run(self, caller: &Caller) -> Outcome {
        if let (Some(_), Some(execution)) = (&self.action, self.execution) {
            return cancel(caller, execution);
        }
        let mut params = TurnsListParams {
            after: None,
            limit: self.limit,
        };
        let first = control::ask::<TurnsList>(caller, "drover:turns", &params)?;
        if !self.follow {
            return Ok(match self.json {
                true => Answer::Json(json!({ "turns": first["turns"] })),
                false => Answer::Text(table(&turns(&first))),
            });
        }
        let mut printed = HashMap::new();
        print_now(&news(&first, &mut printed, self.json))?;
        params.after = first["revision"].as_u64();
        let mut answered = true;
        loop {
            let patience = Patience::Endless;
            match control::request::<TurnsList>(caller, "drover:turns", &params, patience)? {
                Ok(next) => {
                    answered = true;
                    print_now(&news(&next, &mut printed, self.json))?;
                    params.after = next["revision"].as_u64();
                }
                // A worker that died: the next one answers the same question, once it is there.
                Err(CallError::NoAnswer { .. } | CallError::Transport { .. }) if answered => {
                    answered = false;
                }
                // A daemon that stops lets go of those who wait first; that is an end and no failure.
                Err(
                    CallError::NotRunning { .. }
                    | CallError::NoAnswer { .. }
                    | CallError::Transport { .. },
                ) => return Ok(Answer::Nothing),
                Err(error) if error.code() == Some("server_unavailable") => {
                    return Ok(Answer::Nothing);
                }
                Err(error) => return Err(control::failure(&error, caller)),
            }
        }
    }
}

fn cancel(caller: &Caller, execution_id: String) -> Outcome {
    let params = ExecutionTarget { execution_id };
    let done = control::ask::<TurnsCancel>(caller, "drover:turns:cancel", &params)?;
    let id = control::text(&done["execution_id"]);
    let state = control::text(&done["state"]);
    Ok(Answer::Text(match (state.as_str(), &done["asked"]) {
        ("running" | "starting", Value::Bool(true)) => {
            format!("{id} is asked to cancel its turn; its program goes on\n")
        }
        ("running" | "starting", _) => format!("{id} is being ended\n"),
        _ => format!("{id} does not run any more: {state}\n"),
    }))
}

fn turns(answer: &Value) -> Vec<Value> {
    answer["turns"].as_array().cloned().unwrap_or_default()
}

fn table(turns: &[Value]) -> String {
    if turns.is_empty() {
        return "no executions yet; managers start them with execution.start and execution.resume\n"
            .to_owned();
    }
    let heading = [
        "EXECUTION",
        "GEN",
        "PANE",
        "PROGRAM",
        "TURN",
        "TIME",
        "ASKS",
        "SAYS",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(turns.iter().map(row));
    columns::aligned(&rows)
}

/// What of an answer was not printed before: one line for each turn that is another than it was.
fn news(answer: &Value, printed: &mut HashMap<String, String>, json: bool) -> String {
    let mut text = String::new();
    for turn in turns(answer) {
        let name = format!(
            "{}\n{}\n{}",
            turn["name"], turn["generation"], turn["turn_id"]
        );
        let mut same = row(&turn);
        // Time passes without news.
        same[5].clear();
        let same = same.join("\t");
        if printed.get(&name) == Some(&same) {
            continue;
        }
        printed.insert(name, same);
        text += &match json {
            true => format!("{turn}\n"),
            false => format!("{}\n", row(&turn).join("\t")),
        };
    }
    text
}

fn row(turn: &Value) -> [String; 8] {
    let program = control::text(&turn["execution_state"]);
    let program = match (program.as_str(), &turn["cancel_requested"]) {
        ("running", Value::Bool(true)) => "running (cancel)".to_owned(),
        _ => program,
    };
    let questions = turn["questions"].as_u64().unwrap_or_default();
    [
        control::text(&turn["name"]),
        turn["generation"].to_string(),
        control::text(&turn["pane_id"]),
        program,
        control::text(&turn["turn_state"]),
        turn["duration_ms"].as_u64().map(time).unwrap_or_default(),
        match questions {
            0 => String::new(),
            count => count.to_string(),
        },
        control::text(&turn["line"]),
    ]
}

/// A time as people say it.
fn time(milliseconds: u64) -> String {
    match milliseconds / 1_000 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Value {
        json!({ "revision": 9, "turns": [
            { "name": "job-1", "generation": 0, "pane_id": "w1:p4", "execution_state": "running",
              "cancel_requested": false, "questions": 0 },
            { "name": "task-42", "generation": 3, "pane_id": "w1:p2", "execution_state": "running",
              "cancel_requested": true, "turn_id": "t", "turn_state": "waiting_input",
              "duration_ms": 65_000, "questions": 2, "line": "user\u{1b}[2J input required" },
        ]})
    }

    #[test]
    fn a_turn_is_a_line_with_its_phase_its_time_and_what_it_says() {
        assert_eq!(
            table(&turns(&answer())),
            "EXECUTION  GEN  PANE   PROGRAM           TURN           TIME       ASKS  SAYS\n\
             job-1      0    w1:p4  running           -              -          -     -\n\
             task-42    3    w1:p2  running (cancel)  waiting_input  1 min 5 s  2     user [2J input required\n"
        );
        assert!(table(&[]).starts_with("no executions"));
    }

    #[test]
    fn only_what_changed_is_news_and_time_alone_is_none() {
        let mut printed = HashMap::new();
        let mut answer = answer();
        assert_eq!(news(&answer, &mut printed, false).lines().count(), 2);
        answer["turns"][1]["duration_ms"] = json!(66_000);
        assert_eq!(news(&answer, &mut printed, false), "");
        answer["turns"][1]["turn_state"] = json!("completed");
        let line = news(&answer, &mut printed, true);
        let turn: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(turn["turn_state"], "completed");
    }

    #[test]
    fn times_are_said_in_two_units_at_most() {
        for (milliseconds, words) in [
            (999, "0 s"),
            (61_000, "1 min 1 s"),
            (3_661_000, "1 h 1 min"),
        ] {
            assert_eq!(time(milliseconds), words);
        }
    }
}
