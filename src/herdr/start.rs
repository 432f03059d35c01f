//! `herdr agent start`: starting an agent in a pane and waiting until it can be talked to.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::ask;
use crate::agent::Kind;
use crate::api::params::{AgentStartParams, AgentWaitParams, PaneTarget};
use crate::api::{ApiError, envelope, method};
use crate::client::Patience;
use crate::command::words::first;
use crate::command::{Answer, Caller, Failure, FreeWords, Outcome, Run};

const ID: &str = "cli:agent:start";

/// How long a start may take when nothing is said, in milliseconds (herdr 0.9.3).
const DEFAULT_TIMEOUT: u64 = 30_000;

#[derive(clap::Args)]
pub(super) struct Start {
    /// The name that the agent gets
    name: String,
    /// Which agent
    #[arg(long, value_name = "KIND")]
    kind: String,
    /// A pane whose shell waits at its prompt
    #[arg(long, value_name = "ID")]
    pane: String,
    /// Give up after so many milliseconds [default: 30000]
    #[arg(long, value_name = "MS")]
    timeout: Option<u64>,
    /// Arguments of the agent, after --
    #[arg(last = true)]
    args: Vec<String>,
}

impl FreeWords for Start {
    /// The name comes first; what follows `--` is the agent's.
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let (name, words) = first(words)?;
        let misuse = |line: String| Err(Failure::Misuse(line));
        let (mut kind, mut pane, mut timeout) = (None, None, None);
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            if word == "--" {
                break;
            }
            let (option, mut value) = match word.split_once('=') {
                Some((option, value)) => (option.to_owned(), Some(value.to_owned())),
                None => (word.clone(), None),
            };
            let slot = match option.as_str() {
                "--kind" => &mut kind,
                "--pane" => &mut pane,
                "--timeout" => &mut timeout,
                _ => return misuse(format!("unknown option: {word}")),
            };
            if value.is_none() {
                value = words.next();
            }
            match value {
                Some(value) => *slot = Some(value),
                None => return misuse(format!("missing value for {option}")),
            }
        }
        let Some(kind) = kind else {
            return misuse("missing required --kind".to_owned());
        };
        let Some(pane) = pane else {
            return misuse("missing required --pane".to_owned());
        };
        if Kind::find(&kind).is_none() {
            return misuse(format!("unsupported interactive agent kind: {kind}"));
        }
        let timeout = match timeout.map(|text: String| text.parse::<u64>().map_err(|_| text)) {
            None => None,
            Some(Ok(timeout)) => Some(timeout),
            Some(Err(text)) => return misuse(format!("invalid value for --timeout: {text}")),
        };
        Ok(Self {
            name,
            kind,
            pane,
            timeout,
            args: words.collect(),
        })
    }
}

impl Run for Start {
    /// Prints the answer to the start with the agent as it is once it can be talked to.
    fn run(self, caller: &Caller) -> Outcome {
        let deadline =
            Instant::now() + Duration::from_millis(self.timeout.unwrap_or(DEFAULT_TIMEOUT));
        let target = PaneTarget {
            pane_id: self.pane.clone(),
        };
        let id = "cli:agent:start:pane";
        let pane = ask::answer::<method::PaneGet>(caller, id, &target, Patience::ORDINARY)?;
        let terminal = pane["result"]["pane"]["terminal_id"].clone();
        let params = AgentStartParams {
            name: self.name.clone(),
            kind: self.kind.clone(),
            pane_id: self.pane.clone(),
            args: self.args.clone(),
            timeout_ms: self.timeout,
        };
        // It waits for a shell that is still starting.
        let mut started =
            ask::answer::<method::AgentStart>(caller, ID, &params, Patience::Endless)?;
        let wait = AgentWaitParams {
            target: self.name.clone(),
            // One millisecond at least, so that a start that just made it is found.
            timeout_ms: Some(left(deadline).max(1)),
            until: Vec::new(),
            interactive_ready: true,
        };
        match ask::answer::<method::AgentWait>(caller, ID, &wait, Patience::Endless) {
            Ok(mut answer) => {
                let agent = answer["result"]["agent"].take();
                if agent["terminal_id"] != terminal {
                    let message = format!("agent name {} no longer belongs to the pane", self.name);
                    return Err(failed("agent_name_not_found", &message));
                }
                if agent["agent_status"] == "blocked" {
                    let message = format!("agent {} waits for a person during startup", self.name);
                    return Err(failed("agent_not_ready", &message));
                }
                started["result"]["agent"] = agent;
                Ok(Answer::Json(started))
            }
            Err(Failure::Refused(line)) => Err(self.unready(caller, &target, line)),
            Err(other) => Err(other),
        }
    }
}

impl Start {
    /// Why the agent did not become ready, after the wait for it was refused.
    fn unready(&self, caller: &Caller, pane: &PaneTarget, line: String) -> Failure {
        match code_of(&line).as_deref() {
            Some("timeout") => failed("timeout", "timed out waiting for agent startup"),
            // The server takes the name away from a start that came to nothing.
            Some("agent_not_running" | "agent_not_found") => {
                let found = ask::answer::<method::PaneGet>(caller, ID, pane, Patience::ORDINARY);
                let found = found.map(|answer| answer["result"]["pane"]["agent"].clone());
                match found.ok().as_ref().and_then(Value::as_str) {
                    Some(other) if Kind::find(other) != Kind::find(&self.kind) => {
                        let message = format!("expected {}, detected {other}", self.kind);
                        failed("agent_kind_mismatch", &message)
                    }
                    _ => {
                        let message = format!("agent {} ended before it was ready", self.name);
                        failed("agent_start_failed", &message)
                    }
                }
            }
            _ => Failure::Refused(line),
        }
    }
}

/// Milliseconds until then.
fn left(deadline: Instant) -> u64 {
    let left = deadline.saturating_duration_since(Instant::now());
    u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
}

/// The code of an error line.
fn code_of(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    Some(line["error"]["code"].as_str()?.to_owned())
}

fn failed(code: &'static str, message: &str) -> Failure {
    Failure::Refused(envelope::error_line(ID, &ApiError::new(code, message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Start, Failure> {
        Start::from_words(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn misuse(words: &[&str], line: &str) {
        match parse(words) {
            Err(Failure::Misuse(said)) => assert_eq!(said, line),
            other => panic!("{:?}", other.err()),
        }
    }

    #[test]
    fn the_name_comes_first_and_the_agents_own_words_last() {
        let start = parse(&[
            "ann",
            "--kind=codex",
            "--pane",
            "w1:p1",
            "--",
            "--kind",
            "-m",
        ]);
        let start = start.ok().unwrap();
        assert_eq!((start.name.as_str(), start.kind.as_str()), ("ann", "codex"));
        assert_eq!(start.pane, "w1:p1");
        assert_eq!(start.args, ["--kind", "-m"]);
        assert_eq!(start.timeout, None);
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        assert!(matches!(parse(&[]), Err(Failure::Usage)));
        misuse(&["ann"], "missing required --kind");
        misuse(&["ann", "--kind", "pi"], "missing required --pane");
        misuse(
            &["ann", "--kind", "clod", "--pane", "w1:p1"],
            "unsupported interactive agent kind: clod",
        );
        misuse(&["ann", "--nosuch"], "unknown option: --nosuch");
        misuse(&["ann", "extra"], "unknown option: extra");
    }
}
