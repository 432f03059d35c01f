//! `drover stats`: how long agents worked, waited for somebody and were idle, by day. Only outside
//! every pane.

mod chart;
mod picture;
mod tally;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::calendar::{self, DAY, Day};
use super::{control, log};
use crate::api::control::{HistoryRead, HistoryReadParams, HistoryRecord};
use crate::command::{Answer, Caller, Failure, Outcome, Run};

use tally::Row;

/// Days that are shown where nothing else is asked for.
const DAYS: i64 = 7;

/// How far before the first moment that is asked for the history is read, to know how agents stood
/// then. One that did nothing for longer had no part in the day.
const BEFORE: i64 = 3 * DAY;

#[derive(clap::Args)]
pub(super) struct Stats {
    /// Only this agent: its label, its name or its pane
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only from then on: 2h or 3d ago, today, yesterday, or a date such as 2026-11-30; by default the last seven days,
    /// and for a picture today
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "svg")]
    json: bool,
    /// Write a picture of each day's timeline to a file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Run for Stats {
    /// A prompt is a time that an agent was blocked; it counts for the day it began on. Without a terminal the lines are
    /// tab-separated and have no heading: day, agent, seconds of working, of being blocked and of being idle, prompts,
    /// their average and their longest wait in seconds.
    fn run(self, caller: &Caller) -> Outcome {
        let now = log::now();
        let zone = &calendar::here;
        let since = match log::since(self.since.as_deref())? {
            Some(since) => since,
            None if self.svg.is_some() => Day::of(now, zone).start(zone),
            None => Day::of(now - (DAYS - 1) * DAY, zone).start(zone),
        };
        let records = records(caller, self.agent.as_deref(), since - BEFORE)?;
        let spans = tally::spans(&records, since, now);
        if let Some(path) = &self.svg {
            let picture = picture::draw(&spans, since, now, zone);
            return write(path, &picture)
                .map(|()| Answer::Text(format!("{}\n", path.display())))
                .map_err(|error| {
                    Failure::Failed(format!("error: writing {}: {error}", path.display()))
                });
        }
        let rows = tally::rows(&spans, zone);
        if self.json {
            let rows: Vec<Value> = rows.iter().map(Row::record).collect();
            return Ok(Answer::Json(
                json!({ "since_ms": since, "until_ms": now, "days": rows }),
            ));
        }
        Ok(Answer::Text(if !io::stdout().is_terminal() {
            rows.iter().map(Row::line).collect()
        } else if rows.is_empty() {
            format!("no agent did anything since {}\n", Day::of(since, zone))
        } else {
            chart::table(&rows)
        }))
    }
}

/// The history since a time, oldest first, page by page.
fn records(
    caller: &Caller,
    agent: Option<&str>,
    since: i64,
) -> Result<Vec<HistoryRecord>, Failure> {
    let mut params = HistoryReadParams {
        since_ms: Some(since),
        agent: agent.map(str::to_owned),
        ..HistoryReadParams::default()
    };
    let mut pages: Vec<Vec<HistoryRecord>> = Vec::new();
    loop {
        let mut answer = control::ask::<HistoryRead>(caller, "drover:stats", &params)?;
        let page: Vec<HistoryRecord> = serde_json::from_value(answer["records"].take())
            .map_err(|error| Failure::Failed(format!("error: reading the history: {error}")))?;
        let first = page.first().map(|record| record.number);
        pages.push(page);
        match first {
            Some(first) if answer["more"] == true => params.before = Some(first),
            _ => break,
        }
    }
    Ok(pages.into_iter().rev().flatten().collect())
}

/// Writes a file as a whole: whoever looks at it sees the old one or the new one.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let mut beside = name.to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(beside);
    fs::write(&beside, text)
        .and_then(|()| fs::rename(&beside, path))
        .inspect_err(|_| {
            // Whatever went wrong has been said; this only tidies.
            let _ = fs::remove_file(&beside);
        })
}
