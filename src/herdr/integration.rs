//! `herdr integration`: hooks in the agents' own settings, put there and taken away without a server.

use std::ffi::OsString;
use std::io::{self, Read};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::ask;
use crate::api::method;
use crate::client::Patience;
use crate::command::words::first;
use crate::command::{Answer, Caller, Command, Entry, Failure, FreeWords, Group, Outcome, Run};
use crate::integration::{self, Hooked, MAX_PAYLOAD, Status, Surroundings, TARGETS, Target, Word};

pub(super) const GROUP: Group = Group::new(
    "integration",
    "Hooks through which agents tell how it stands with them",
    &[
        Entry::Command(Command::free::<Install>(
            "install",
            TARGETS_SYNOPSIS,
            "Put an agent's hooks into its settings",
        )),
        Entry::Command(Command::free::<Uninstall>(
            "uninstall",
            TARGETS_SYNOPSIS,
            "Take an agent's hooks out of its settings",
        )),
        Entry::Command(Command::new::<Show>(
            "status",
            "[--outdated-only]",
            "Show which agents have hooks, and of which version",
        )),
        Entry::Command(Command::new::<List>(
            "list",
            "",
            "List the agents that hooks can be installed for, as the server sees them",
        )),
        Entry::Command(
            Command::free::<Hook>("hook", "<target> <word>", "What installed hooks run").hidden(),
        ),
    ],
);

/// A test compares it with the table of targets.
const TARGETS_SYNOPSIS: &str = "<pi|omp|claude|codex|copilot|devin|droid|kimi|opencode|kilo|hermes|qodercli|qwen|cursor|mastracode|antigravity-cli|grok|letta>";

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The one word that there may be, a target.
fn target(words: Vec<String>) -> Result<&'static Target, Failure> {
    let (name, rest) = first(words)?;
    if !rest.is_empty() {
        return Err(Failure::Usage);
    }
    Target::find(&name).ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        Failure::Misuse(format!(
            "unknown integration target: {name}\ncurrently supported: {}",
            names.join(", ")
        ))
    })
}

/// What was done, or why nothing was.
fn told(done: Result<Vec<String>, integration::Refusal>) -> Outcome {
    match done {
        Ok(lines) => Ok(Answer::Text(lines.join("\n") + "\n")),
        Err(refusal) => Err(Failure::Failed(refusal.to_string())),
    }
}

#[derive(clap::Args)]
struct Install {
    /// Which agent
    target: String,
}

impl FreeWords for Install {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let target = target(words)?.name.to_owned();
        Ok(Self { target })
    }
}

impl Run for Install {
    fn run(self, caller: &Caller) -> Outcome {
        let target = target(vec![self.target])?;
        let surroundings = Surroundings::new(&caller.environment, &variable);
        told(integration::install(target, &surroundings))
    }
}

#[derive(clap::Args)]
struct Uninstall {
    /// Which agent
    target: String,
}

impl FreeWords for Uninstall {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let target = target(words)?.name.to_owned();
        Ok(Self { target })
    }
}

impl Run for Uninstall {
    fn run(self, caller: &Caller) -> Outcome {
        let target = target(vec![self.target])?;
        let surroundings = Surroundings::new(&caller.environment, &variable);
        told(integration::uninstall(target, &surroundings))
    }
}

#[derive(clap::Args)]
struct Show {
    /// Only name what is to be done about hooks that are out of date
    #[arg(long)]
    outdated_only: bool,
}

impl Run for Show {
    fn run(self, caller: &Caller) -> Outcome {
        let surroundings = Surroundings::new(&caller.environment, &variable);
        let mut lines = String::new();
        let mut outdated = Vec::new();
        for target in TARGETS {
            let found = integration::status(target, &surroundings);
            let (path, status) = found.map_err(|refusal| Failure::Failed(refusal.to_string()))?;
            let latest = target.version;
            let state = match status {
                Status::NotInstalled => "not installed".to_owned(),
                Status::Current(version) => format!("current (v{version})"),
                Status::NeedsRepair(version) => format!("needs repair (v{version})"),
                Status::Outdated(Some(version)) => format!("outdated (v{version} < v{latest})"),
                Status::Outdated(None) => format!("outdated (legacy < v{latest})"),
            };
            if matches!(status, Status::Outdated(_) | Status::NeedsRepair(_)) {
                outdated.push(format!("`herdr integration install {}`", target.name));
            }
            lines += &format!("{}: {state} ({})\n", target.name, path.display());
        }
        if !self.outdated_only {
            return Ok(Answer::Text(lines));
        }
        if let Some(commands) = joined(&outdated) {
            eprintln!("hooks of agents are out of date: run {commands}");
        }
        Ok(Answer::Nothing)
    }
}

/// `a`, `a and b`, `a, b and c`.
fn joined(words: &[String]) -> Option<String> {
    let (last, others) = words.split_last()?;
    Some(match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    })
}

#[derive(clap::Args)]
struct List {}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        let params = crate::api::params::EmptyParams {};
        ask::print::<method::IntegrationList>(caller, "cli:integration:list", &params)
    }
}

/// How long a hook may take to hand its report in (herdr 0.9.3).
const HOOK_PATIENCE: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
struct Hook {
    /// Whose hook it is
    target: String,
    /// What happened
    word: String,
}

impl FreeWords for Hook {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let mut words = words.into_iter();
        match (words.next(), words.next(), words.next()) {
            (Some(target), Some(word), None) => Ok(Self { target, word }),
            _ => Err(Failure::Usage),
        }
    }
}

impl Run for Hook {
    /// Whatever goes wrong: an agent must not fail because of its hook.
    fn run(self, caller: &Caller) -> Outcome {
        let _ = self.report(caller);
        Ok(Answer::Nothing)
    }
}

impl Hook {
    /// Reads the event's JSON and reports what it tells; nothing if that is nothing.
    fn report(&self, caller: &Caller) -> Option<()> {
        let target = Target::find(&self.target)?;
        let word = Word::find(&self.word)?;
        // As soon as possible: reports are ordered by it.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let now = u64::try_from(now.as_nanos()).ok()?;
        let pane = caller.pane_id()?;
        let mut payload = Vec::new();
        io::stdin()
            .take(MAX_PAYLOAD)
            .read_to_end(&mut payload)
            .ok()?;
        let payload: Value = serde_json::from_slice(&payload).unwrap_or_default();
        let hooked = integration::hooked(target, word, &payload, &pane, now, &variable)?;
        let patience = Patience::Limited(HOOK_PATIENCE);
        let id = format!(
            "{}:{}:{}",
            target.source(),
            now / 1_000_000,
            std::process::id()
        );
        let told = match hooked {
            Hooked::Session(params) => {
                ask::answer::<method::PaneReportAgentSession>(caller, &id, &params, patience)
            }
            Hooked::State(params) => {
                ask::answer::<method::PaneReportAgent>(caller, &id, &params, patience)
            }
        };
        told.ok().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_synopsis_names_every_target() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        assert_eq!(TARGETS_SYNOPSIS, format!("<{}>", names.join("|")));
    }

    #[test]
    fn commands_are_joined_as_people_do() {
        let words = |words: &[&str]| -> Vec<String> {
            words.iter().map(|word| (*word).to_owned()).collect()
        };
        assert_eq!(joined(&[]), None);
        assert_eq!(joined(&words(&["a"])).as_deref(), Some("a"));
        assert_eq!(
            joined(&words(&["a", "b", "c"])).as_deref(),
            Some("a, b and c")
        );
    }
}
