//! `drover log`: what was refused, and what panes did to others. Only outside every pane.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{columns, control};
use crate::api::control::{LogKind, LogRead, LogReadParams};
use crate::client::{CallError, Patience};
use crate::command::{Answer, Caller, Failure, Outcome, Run, print_now};
use crate::log::timestamp;

#[derive(clap::Args)]
pub(super) struct Log {
    /// Which records
    #[arg(long, value_name = "KIND", default_value = "access", value_parser = ["access"])]
    kind: String,
    /// Only the latest so many
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// Go on and print what comes
    #[arg(long)]
    follow: bool,
    /// Print JSON, one record a line
    #[arg(long)]
    json: bool,
}

impl Run for Log {
    /// The columns are: time in UTC, pane of the caller, program and process, method, what it named, what came of it,
    /// and how often.
    fn run(self, caller: &Caller) -> Outcome {
        let kind: LogKind = self.kind.parse().map_err(|_| Failure::Usage)?;
        let mut params = LogReadParams {
            kind,
            after: 0,
            limit: self.limit,
            wait: false,
        };
        let first = control::ask::<LogRead>(caller, "drover:log", &params)?;
        let text = self.shown(&first, &mut params.after);
        if !self.follow {
            return Ok(Answer::Text(text));
        }
        print_now(&text)?;
        params.wait = true;
        loop {
            let patience = Patience::Endless;
            match control::request::<LogRead>(caller, "drover:log", &params, patience)? {
                Ok(next) => print_now(&self.shown(&next, &mut params.after))?,
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

impl Log {
    /// The records of an answer; `after` becomes the number of the last.
    fn shown(&self, answer: &Value, after: &mut u64) -> String {
        let records = answer["records"].as_array().map_or(&[][..], Vec::as_slice);
        if let Some(last) = records.last() {
            *after = last["number"].as_u64().unwrap_or(*after);
        }
        if self.json {
            return records
                .iter()
                .map(|record| format!("{}\n", json!(record)))
                .collect();
        }
        let rows: Vec<[String; 7]> = records.iter().map(row).collect();
        columns::aligned(&rows)
    }
}

fn row(record: &Value) -> [String; 7] {
    let time = record["last_ms"].as_u64().unwrap_or_default();
    let count = record["count"].as_u64().unwrap_or_default();
    let process = match record["pid"].as_i64() {
        Some(pid) => format!("{} ({pid})", control::text(&record["program"])),
        None => control::text(&record["program"]),
    };
    [
        timestamp(UNIX_EPOCH + Duration::from_millis(time)),
        control::text(&record["caller"]),
        process,
        control::text(&record["method"]),
        control::text(&record["target"]),
        control::text(&record["outcome"]),
        match count {
            0 | 1 => String::new(),
            count => format!("{count} times"),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_line_with_who_what_whom_and_the_outcome() {
        let log = Log {
            kind: "access".to_owned(),
            limit: None,
            follow: false,
            json: false,
        };
        let mut after = 0;
        let answer = json!({ "records": [
            { "number": 4, "last_ms": 86_400_000_u64, "count": 3, "caller": "w1:p1", "pid": 77,
              "program": "herdr", "method": "pane.read", "target": "w1:p2", "outcome": "forbidden" },
            { "number": 5, "last_ms": 86_400_001_u64, "count": 1, "caller": "outside",
              "program": "", "method": "pane.report_agent", "outcome": "forbidden" },
        ]});
        assert_eq!(
            log.shown(&answer, &mut after),
            "1970-01-02T00:00:00.000Z  w1:p1    herdr (77)  pane.read          w1:p2  forbidden  3 times\n\
             1970-01-02T00:00:00.001Z  outside  -           pane.report_agent  -      forbidden  -\n"
        );
        assert_eq!(after, 5);
        assert_eq!(log.shown(&json!({ "records": [] }), &mut after), "");
        assert_eq!(after, 5);
    }
}
