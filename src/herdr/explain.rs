//! `herdr agent explain`: how the state of an agent was found, for people who write detection rules.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ask, values};
use crate::agent::Kind;
use crate::agent::rules::Snapshot;
use crate::api::params::AgentTarget;
use crate::api::{ApiError, envelope, method};
use crate::client::Patience;
use crate::command::{Answer, Caller, Failure, Outcome, Run};
use crate::manifests::{self, Library, Places};

#[derive(clap::Args)]
pub(super) struct Explain {
    /// The agent's name or its pane
    target: Option<String>,
    /// Explain the screen in this file instead; needs no server
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// With --file: the agent whose screen it is
    #[arg(long, value_name = "LABEL")]
    agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How to write it; text by default
    #[arg(long, value_name = "FORMAT", value_parser = values::EXPLAIN_FORMAT)]
    format: Option<ExplainFormat>,
    /// Also say what every rule saw
    #[arg(long, short)]
    verbose: bool,
}

/// How an explanation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExplainFormat {
    Text,
    Json,
}

impl Run for Explain {
    /// The JSON is the explanation alone, without the answer around it (herdr 0.9.3).
    fn run(self, caller: &Caller) -> Outcome {
        let explanation = match (self.target, self.file, self.agent) {
            (Some(target), None, None) => live(caller, target)?,
            (None, Some(file), Some(agent)) => of_file(caller, &file, &agent)?,
            _ => return Err(Failure::Usage),
        };
        Ok(
            match self.json || self.format == Some(ExplainFormat::Json) {
                true => Answer::Json(explanation),
                false => Answer::Text(text(&explanation, self.verbose)),
            },
        )
    }
}

const ID: &str = "cli:agent:explain";

/// Bytes of a screen's file that are read: more than a terminal of 1,024 rows and columns can show.
const MAX_SCREEN: u64 = 4 * 1024 * 1024;

/// What the server says of an agent that is there.
fn live(caller: &Caller, target: String) -> Result<Value, Failure> {
    let params = AgentTarget { target };
    let mut answer = ask::answer::<method::AgentExplain>(caller, ID, &params, Patience::ORDINARY)?;
    Ok(answer["result"]["explain"].take())
}

/// What the rules, those that the server would use, say of a screen in a file.
fn of_file(caller: &Caller, file: &Path, label: &str) -> Result<Value, Failure> {
    let mut screen = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MAX_SCREEN).read_to_end(&mut screen));
    if let Err(error) = read {
        let message = format!("cannot read the screen in {}: {error}", file.display());
        let error = ApiError::new("agent_explain_file_failed", message);
        return Err(Failure::Refused(envelope::error_line(ID, &error)));
    }
    let screen = String::from_utf8_lossy(&screen);
    let snapshot = Snapshot {
        screen: screen.trim_end_matches(['\n', ' ']),
        ..Snapshot::default()
    };
    Ok(match Kind::find(label) {
        Some(kind) => {
            let library = Library::new(Places::of(&caller.environment));
            manifests::explanation(kind, &library.of(kind), &snapshot)
        }
        None => manifests::unknown_explanation(label, &snapshot),
    })
}

/// The members that are worth a line when they say something.
const REASONS: [&str; 4] = [
    "fallback_reason",
    "screen_detection_skip_reason",
    "skipped_update_reason",
    "warning",
];

/// The same, for those who want all of it.
const VERBOSE_REASONS: [&str; 4] = [
    "cached_remote_version",
    "local_override_shadowing_remote",
    "remote_update_status",
    "remote_update_error",
];

fn text(explanation: &Value, verbose: bool) -> String {
    let mut lines = Lines(String::new());
    let of = |name: &str| word(&explanation[name]);
    lines.add("agent", &of("agent"));
    lines.add("state", &of("state"));
    lines.add(
        "manifest",
        format!("{} {}", of("manifest_source"), of("manifest_version")).trim_end(),
    );
    match &explanation["matched_rule"] {
        Value::Null => lines.add("rule", "none"),
        rule => {
            let (id, region, priority) = (
                word(&rule["id"]),
                word(&rule["region"]),
                word(&rule["priority"]),
            );
            lines.add(
                "rule",
                &format!("{id} (region={region} priority={priority})"),
            );
            let evidence = rules(explanation)
                .iter()
                .find(|other| other["id"] == rule["id"]);
            let preview = evidence.map(|rule| word(&rule["evidence"]["region_preview"]));
            lines.add("evidence", &format!("{:?}", preview.unwrap_or_default()));
        }
    }
    lines.add_known(explanation, &REASONS);
    if verbose {
        let seen = ["visible_idle", "visible_blocker", "visible_working"].map(of);
        let [idle, blocker, working] = seen;
        lines.add(
            "visible",
            &format!("idle={idle} blocker={blocker} working={working}"),
        );
        lines.add_known(explanation, &VERBOSE_REASONS);
        lines.0.push_str("evaluated_rules:\n");
        for rule in rules(explanation) {
            lines.add_rule(rule);
        }
    }
    lines.0
}

fn rules(explanation: &Value) -> &[Value] {
    explanation["evaluated_rules"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, text: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{name}: {text}");
    }

    fn add_known(&mut self, explanation: &Value, names: &[&str]) {
        for name in names {
            let text = word(&explanation[name]);
            if !text.is_empty() {
                self.add(name, &text);
            }
        }
    }

    fn add_rule(&mut self, rule: &Value) {
        let evidence = &rule["evidence"];
        let sign = if rule["matched"] == true {
            '✓'
        } else {
            '✗'
        };
        let head = ["id", "priority", "region", "state"].map(|name| word(&rule[name]));
        let [id, priority, region, state] = head;
        let matchers = [
            "contains",
            "regex",
            "line_regex",
            "all_count",
            "any_count",
            "not_count",
        ]
        .map(|name| format!("{}={}", name.trim_end_matches("_count"), evidence[name]));
        let preview = word(&evidence["region_preview"]);
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.0,
            "  {sign} {id} priority={priority} region={region} state={state}"
        );
        let _ = writeln!(self.0, "    matchers: {}", matchers.join(" "));
        let _ = writeln!(
            self.0,
            "    region: bytes={} preview={preview:?}",
            evidence["region_bytes"]
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn explanation() -> Value {
        json!({
            "agent": "claude", "state": "blocked", "manifest_source": "bundled", "manifest_version": "2026.08.21.1",
            "matched_rule": { "id": "ask", "priority": 10, "region": "whole_recent", "state": "blocked" },
            "fallback_reason": null, "warning": "old", "visible_idle": false, "visible_blocker": true,
            "visible_working": false,
            "evaluated_rules": [{
                "id": "ask", "priority": 10, "region": "whole_recent", "state": "blocked", "matched": true,
                "evidence": {
                    "contains": ["proceed?"], "regex": [], "line_regex": [], "all_count": 0, "any_count": 1,
                    "not_count": 0, "region_bytes": 12, "region_preview": "Do you\nproceed?\u{1b}",
                },
            }],
        })
    }

    #[test]
    fn the_short_text_names_state_rule_and_evidence() {
        assert_eq!(
            text(&explanation(), false),
            "agent: claude\nstate: blocked\nmanifest: bundled 2026.08.21.1\n\
             rule: ask (region=whole_recent priority=10)\nevidence: \"Do you\\nproceed?\\u{1b}\"\nwarning: old\n"
        );
    }

    #[test]
    fn the_long_text_goes_through_the_rules() {
        let text = text(&explanation(), true);
        assert!(
            text.ends_with(
                "visible: idle=false blocker=true working=false\nevaluated_rules:\n  \
             ✓ ask priority=10 region=whole_recent state=blocked\n    \
             matchers: contains=[\"proceed?\"] regex=[] line_regex=[] all=0 any=1 not=0\n    \
             region: bytes=12 preview=\"Do you\\nproceed?\\u{1b}\"\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn without_a_rule_there_is_none() {
        let text = text(
            &json!({ "state": "idle", "fallback_reason": "unknown_agent" }),
            false,
        );
        assert_eq!(
            text,
            "agent: \nstate: idle\nmanifest: \nrule: none\nfallback_reason: unknown_agent\n"
        );
    }
}
