//! `drover log`: what agents did and when, what was refused, and what panes did to others, on one
//! timeline. Only outside every pane.

use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{calendar, columns, control};
use crate::api::control::{HistoryRead, HistoryReadParams, LogKind, LogRead, LogReadParams};
use crate::client::{self, CallError, Patience};
use crate::command::{Answer, Caller, Failure, Outcome, Run, print_now};
use crate::log::timestamp;

#[derive(clap::Args)]
pub(super) struct Log {
    /// Only these records: state (agents' states) or access (what was refused and what panes did to others)
    #[arg(long, value_name = "KIND", value_parser = ["state", "access"])]
    kind: Option<String>,
    /// Only what is about this agent: its label, its name or its pane
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only from then on: 90s, 15m, 2h or 3d ago, today, yesterday, or a date such as 2026-11-30
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
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
    /// The columns of an access record are: time in UTC, pane of the caller, program and process, method, what it named,
    /// what came of it, and how often; of a state: time, pane, agent, the word state, and the state.
    fn run(self, caller: &Caller) -> Outcome {
        let since = since(self.since.as_deref())?;
        let mut sources: Vec<Source> = [Kind::State, Kind::Access]
            .into_iter()
            .filter(|kind| self.kind.as_deref().is_none_or(|word| word == kind.word()))
            .map(|kind| Source {
                kind,
                agent: self.agent.clone(),
                since,
                after: 0,
            })
            .collect();
        let socket = caller.session_paths()?.control_socket;
        let mut records = Vec::new();
        for source in &mut sources {
            let found = source.read(&socket, self.limit, false);
            records.extend(found.map_err(|error| control::failure(&error, caller))?);
        }
        records.sort_by_key(|record| record.at);
        let surplus = records
            .len()
            .saturating_sub(self.limit.unwrap_or(usize::MAX));
        let text = self.shown(&records[surplus..]);
        if !self.follow {
            return Ok(Answer::Text(text));
        }
        print_now(&text)?;
        let (sender, news) = mpsc::channel();
        for source in sources {
            let (socket, sender) = (socket.clone(), sender.clone());
            thread::Builder::new()
                .name(source.kind.word().to_owned())
                .spawn(move || source.follow(&socket, &sender))
                .map_err(|error| Failure::Failed(format!("error: {error}")))?;
        }
        loop {
            match news.recv() {
                Ok(Ok(records)) => print_now(&self.shown(&records))?,
                // A daemon that stops lets go of those who wait first; that is an end and no failure.
                Ok(Err(
                    CallError::NotRunning { .. }
                    | CallError::NoAnswer { .. }
                    | CallError::Transport { .. },
                ))
                | Err(_) => return Ok(Answer::Nothing),
                Ok(Err(error)) if error.code() == Some("server_unavailable") => {
                    return Ok(Answer::Nothing);
                }
                Ok(Err(error)) => return Err(control::failure(&error, caller)),
            }
        }
    }
}

/// What `--since` says, in milliseconds since 1970.
pub(super) fn since(text: Option<&str>) -> Result<Option<i64>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let found = calendar::since(text, now(), &calendar::here);
    found.map(Some).ok_or_else(|| {
        Failure::Misuse(format!(
            "error: {text:?} is no time; write 90s, 15m, 2h, 3d, today, yesterday or a date such as 2026-11-30"
        ))
    })
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

impl Log {
    fn shown(&self, records: &[Record]) -> String {
        if self.json {
            let line = |record: &Record| format!("{}\n", record.value);
            return records.iter().map(line).collect();
        }
        let rows: Vec<[String; 7]> = records.iter().map(Record::row).collect();
        columns::aligned(&rows)
    }
}

/// Which list of the daemon's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    State,
    Access,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::State => "state",
            Kind::Access => "access",
        }
    }
}

/// One list, and how far it was read.
#[derive(Debug)]
struct Source {
    kind: Kind,
    agent: Option<String>,
    since: Option<i64>,
    /// The number of the last record that was read.
    after: u64,
}

impl Source {
    /// What came after what was read before, oldest first.
    fn read(
        &mut self,
        socket: &Path,
        limit: Option<usize>,
        wait: bool,
    ) -> Result<Vec<Record>, CallError> {
        let patience = if wait {
            Patience::Endless
        } else {
            Patience::ORDINARY
        };
        let answer = match self.kind {
            Kind::State => {
                let params = HistoryReadParams {
                    after: i64::try_from(self.after).unwrap_or(i64::MAX),
                    agent: self.agent.clone(),
                    since_ms: self.since,
                    limit,
                    wait,
                    ..HistoryReadParams::default()
                };
                client::call::<HistoryRead>(socket, "drover:log", &params, patience)?
            }
            Kind::Access => {
                let params = LogReadParams {
                    kind: LogKind::Access,
                    after: self.after,
                    // What is sorted out here must not use the limit up.
                    limit: limit.filter(|_| self.agent.is_none()),
                    wait,
                };
                client::call::<LogRead>(socket, "drover:log", &params, patience)?
            }
        };
        Ok(self.take(&answer["result"]))
    }

    /// The records of an answer that are wanted.
    fn take(&mut self, answer: &Value) -> Vec<Record> {
        let records = answer["records"].as_array().map_or(&[][..], Vec::as_slice);
        if let Some(last) = records.last() {
            self.after = last["number"].as_u64().unwrap_or(self.after);
        }
        records
            .iter()
            .map(|record| Record::of(self.kind, record))
            .filter(|record| self.since.is_none_or(|since| record.at >= since))
            .filter(|record| record.is_about(self.agent.as_deref()))
            .collect()
    }

    fn follow(mut self, socket: &Path, sender: &Sender<Result<Vec<Record>, CallError>>) {
        loop {
            let read = self.read(socket, None, true);
            let over = read.is_err();
            if sender.send(read).is_err() || over {
                return;
            }
        }
    }
}

/// One line of the timeline.
#[derive(Debug)]
struct Record {
    kind: Kind,
    /// Milliseconds since 1970.
    at: i64,
    value: Value,
}

impl Record {
    fn of(kind: Kind, record: &Value) -> Record {
        let mut value = record.clone();
        if let Some(members) = value.as_object_mut() {
            members.insert("kind".to_owned(), json!(kind.word()));
        }
        let time = match kind {
            Kind::State => &record["at_ms"],
            Kind::Access => &record["last_ms"],
        };
        Record {
            kind,
            at: time.as_i64().unwrap_or_default(),
            value,
        }
    }

    /// Whether it is about an agent. Of states the daemon has chosen; a call is about the pane that
    /// made it and the one that it named.
    fn is_about(&self, agent: Option<&str>) -> bool {
        let (Some(agent), Kind::Access) = (agent, self.kind) else {
            return true;
        };
        self.value["caller"] == agent || self.value["target"] == agent
    }

    fn row(&self) -> [String; 7] {
        let time = Duration::from_millis(self.at.max(0).unsigned_abs());
        let time = timestamp(UNIX_EPOCH + time);
        match self.kind {
            Kind::State => state_row(time, &self.value),
            Kind::Access => access_row(time, &self.value),
        }
    }
}

fn state_row(time: String, record: &Value) -> [String; 7] {
    let agent = control::text(&record["agent"]);
    let agent = match control::text(&record["name"]) {
        name if name.is_empty() => agent,
        name => format!("{agent} ({name})"),
    };
    let state = match control::text(&record["event"]).as_str() {
        "state" => control::text(&record["status"]),
        "started" => "session started".to_owned(),
        "stopped" => "session stopped".to_owned(),
        other => other.to_owned(),
    };
    let state = match control::text(&record["blocked_kind"]) {
        kind if kind.is_empty() => state,
        kind => format!("{state} ({kind})"),
    };
    [
        time,
        control::text(&record["pane_id"]),
        agent,
        Kind::State.word().to_owned(),
        String::new(),
        state,
        String::new(),
    ]
}

fn access_row(time: String, record: &Value) -> [String; 7] {
    let count = record["count"].as_u64().unwrap_or_default();
    let process = match record["pid"].as_i64() {
        Some(pid) => format!("{} ({pid})", control::text(&record["program"])),
        None => control::text(&record["program"]),
    };
    [
        time,
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

    fn log() -> Log {
        Log {
            kind: None,
            agent: None,
            since: None,
            limit: None,
            follow: false,
            json: false,
        }
    }

    fn source(kind: Kind) -> Source {
        Source {
            kind,
            agent: None,
            since: None,
            after: 0,
        }
    }

    #[test]
    fn a_record_is_a_line_with_who_what_whom_and_the_outcome() {
        let mut source = source(Kind::Access);
        let answer = json!({ "records": [
            { "number": 4, "last_ms": 86_400_000_u64, "count": 3, "caller": "w1:p1", "pid": 77,
              "program": "herdr", "method": "pane.read", "target": "w1:p2", "outcome": "forbidden" },
            { "number": 5, "last_ms": 86_400_001_u64, "count": 1, "caller": "outside",
              "program": "", "method": "pane.report_agent", "outcome": "forbidden" },
        ]});
        assert_eq!(
            log().shown(&source.take(&answer)),
            "1970-01-02T00:00:00.000Z  w1:p1    herdr (77)  pane.read          w1:p2  forbidden  3 times\n\
             1970-01-02T00:00:00.001Z  outside  -           pane.report_agent  -      forbidden  -\n"
        );
        assert_eq!(source.after, 5);
        assert_eq!(log().shown(&source.take(&json!({ "records": [] }))), "");
        assert_eq!(source.after, 5);
    }

    #[test]
    fn a_state_is_a_line_with_the_agent_and_what_it_waits_for() {
        let answer = json!({ "records": [
            { "number": 1, "at_ms": 5, "event": "started" },
            { "number": 2, "at_ms": 6, "event": "state", "pane_id": "w1:p1", "agent": "claude", "name": "ann",
              "status": "blocked", "blocked_kind": "approval" },
            { "number": 3, "at_ms": 7, "event": "left", "pane_id": "w1:p1", "agent": "claude", "status": "unknown" },
        ]});
        assert_eq!(
            log().shown(&source(Kind::State).take(&answer)),
            "1970-01-01T00:00:00.005Z  -      -             state  -  session started     -\n\
             1970-01-01T00:00:00.006Z  w1:p1  claude (ann)  state  -  blocked (approval)  -\n\
             1970-01-01T00:00:00.007Z  w1:p1  claude        state  -  left                -\n"
        );
    }

    #[test]
    fn of_calls_those_that_the_pane_made_or_that_named_it_are_about_it() {
        let answer = json!({ "records": [
            { "number": 1, "last_ms": 1, "caller": "w1:p1", "target": "w1:p2" },
            { "number": 2, "last_ms": 2, "caller": "outside", "target": "w1:p1" },
            { "number": 3, "last_ms": 3, "caller": "w1:p2" },
        ]});
        let mut source = source(Kind::Access);
        source.agent = Some("w1:p1".to_owned());
        assert_eq!(source.take(&answer).len(), 2);
        source.since = Some(2);
        assert_eq!(source.take(&answer).len(), 1);
        assert_eq!(source.after, 3, "what is sorted out was read all the same");
    }
}
