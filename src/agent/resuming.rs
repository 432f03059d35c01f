//! Agents over a cold start: which command brings a saved one back, and what is shown until it is.
//!
//! Nothing of an agent runs any more then. A pane whose agent can be resumed shows it as idle from
//! the start, until its process is seen, it reports, or the command turned out to start nothing
//! (herdr 0.9.3, session restore).

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::effect::Effects;
use super::pane_agent::{Context, PaneAgent};
use super::process::Foreground;
use super::session::{SessionKind, SessionReference};

/// How long after its command was typed an agent may take to show itself. Agents that load a long
/// session take seconds.
const SHOWS_ITSELF: Duration = Duration::from_secs(10);

/// A saved agent that is being brought back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Resuming {
    pub(super) label: String,
    /// When the pane's foreground job decides whether it is there. None until the command is typed.
    #[serde(default, with = "crate::timeline::optional")]
    pub(super) until: Option<Instant>,
}

/// The command that brings back an agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResumePlan {
    /// The agent's label.
    pub label: String,
    /// The words of the command.
    pub argv: Vec<String>,
    /// Whether the agent named the command itself. The same command in two directories is then not
    /// the same session.
    pub reported: bool,
}

impl ResumePlan {
    /// The command as it is typed into a shell, without the Enter (herdr 0.9.3: plain words are
    /// bare, others in single quotes).
    pub fn typed(&self) -> String {
        let words: Vec<String> = self.argv.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:@%+=-".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// herdr 0.9.3's built-in commands, and the fork's for xcsh, by the reporting source.
fn built_in(session: &SessionReference) -> Option<Vec<String>> {
    let value = session.value.as_str();
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    let agent = session.source.strip_prefix("herdr:")?;
    // A value that begins with a dash would be read as an option.
    if value.starts_with('-') {
        return None;
    }
    if session.kind == SessionKind::Path && !matches!(agent, "pi" | "omp") {
        return None;
    }
    match agent {
        "claude" | "devin" | "droid" | "hermes" | "qodercli" | "qwen" | "grok" => {
            words(&[agent, "--resume", value])
        }
        "codex" => words(&[agent, "resume", value]),
        "copilot" | "omp" => words(&[agent, &format!("--resume={value}")]),
        "kimi" | "opencode" | "kilo" | "pi" => words(&[agent, "--session", value]),
        "mastracode" => words(&[agent, "--thread", value]),
        "cursor" => words(&["cursor-agent", "--resume", value]),
        "antigravity_cli" => words(&["agy", "--conversation", value]),
        "letta" => match value.strip_prefix("default:") {
            Some(of) => words(&[agent, "--conversation", "default", "--agent", of]),
            None => words(&[agent, "--conversation", value]),
        },
        _ => None,
    }
}

impl PaneAgent {
    /// How a saved agent can be brought back: by the command it reported, else by the built-in one
    /// of its session.
    pub fn resume_plan(&self) -> Option<ResumePlan> {
        if let Some(resume) = &self.resume {
            return Some(ResumePlan {
                label: resume.label.clone(),
                argv: resume.argv.clone(),
                reported: true,
            });
        }
        let session = self.session()?;
        Some(ResumePlan {
            label: session.agent.clone(),
            argv: built_in(session)?,
            reported: false,
        })
    }

    /// What is left of a saved agent when nothing of it runs any more and nothing brings it back
    /// now: what could do so another time.
    pub fn dormant(&self) -> PaneAgent {
        let mut agent = PaneAgent::default();
        agent.stored_session = self.session().cloned();
        agent.resume = self.resume.clone();
        agent
    }

    /// A saved agent that is about to be brought back by its plan. It shows as idle, which
    /// completes nothing.
    pub fn resuming(&self, plan: &ResumePlan, context: &mut Context<'_>) -> PaneAgent {
        let mut agent = self.dormant();
        agent.name = self.name.clone();
        agent.resuming = Some(Resuming {
            label: plan.label.clone(),
            until: None,
        });
        agent.starting = true;
        // Nobody listens yet; a restored pane is not news.
        let _ = agent.conclude(context, None);
        agent
    }

    /// The command was typed. From now on the agent has to show itself.
    pub fn resume_typed(&mut self, context: &Context<'_>) -> Effects {
        let Some(resuming) = &mut self.resuming else {
            return Effects::default();
        };
        resuming.until = Some(context.now + SHOWS_ITSELF);
        Effects {
            list: Vec::new(),
            changed: true,
        }
    }

    /// Whether a saved agent is still awaited.
    pub fn is_resuming(&self) -> bool {
        self.resuming.is_some()
    }

    /// A look at the foreground job after the time to show itself: what was awaited is not there.
    /// At a shell's prompt it never will be; another program may be the agent without being known.
    pub(super) fn settle_resuming(
        &mut self,
        foreground: Foreground,
        context: &mut Context<'_>,
    ) -> Effects {
        let due = |resuming: &Resuming| resuming.until.is_some_and(|until| until <= context.now);
        if !self.resuming.as_ref().is_some_and(due) {
            return Effects::default();
        }
        self.resuming = None;
        match foreground {
            // Taken up by the look itself.
            Foreground::Agent { .. } => return Effects::default(),
            Foreground::Shell => {
                self.resume = None;
                self.stored_session = None;
                self.name = None;
            }
            Foreground::Other => {}
        }
        self.conclude(context, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(source: &str, kind: SessionKind, value: &str) -> SessionReference {
        SessionReference {
            source: source.to_owned(),
            agent: source.trim_start_matches("herdr:").to_owned(),
            kind,
            value: value.to_owned(),
        }
    }

    fn typed(source: &str, value: &str) -> Option<String> {
        let mut agent = PaneAgent::default();
        agent.stored_session = Some(session(source, SessionKind::Id, value));
        agent.resume_plan().map(|plan| plan.typed())
    }

    #[test]
    fn each_integration_has_its_command() {
        for (source, expected) in [
            ("herdr:claude", "claude --resume s1"),
            ("herdr:codex", "codex resume s1"),
            ("herdr:copilot", "copilot --resume=s1"),
            ("herdr:qwen", "qwen --resume s1"),
            ("herdr:kimi", "kimi --session s1"),
            ("herdr:pi", "pi --session s1"),
            ("herdr:omp", "omp --resume=s1"),
            ("herdr:mastracode", "mastracode --thread s1"),
            ("herdr:cursor", "cursor-agent --resume s1"),
            ("herdr:antigravity_cli", "agy --conversation s1"),
            ("herdr:letta", "letta --conversation s1"),
        ] {
            assert_eq!(typed(source, "s1").as_deref(), Some(expected), "{source}");
        }
        assert_eq!(
            typed("herdr:letta", "default:a1").as_deref(),
            Some("letta --conversation default --agent a1")
        );
        assert_eq!(typed("custom:x", "s1"), None);
    }

    #[test]
    fn only_plain_words_are_typed_bare_and_no_value_becomes_an_option() {
        assert_eq!(
            typed("herdr:claude", "a b; rm -rf ~").as_deref(),
            Some("claude --resume 'a b; rm -rf ~'")
        );
        assert_eq!(
            typed("herdr:claude", "it's").as_deref(),
            Some(r"claude --resume 'it'\''s'")
        );
        assert_eq!(typed("herdr:claude", "--dangerous"), None);
    }

    #[test]
    fn a_path_is_only_for_those_who_take_one() {
        let plan = |source| {
            let mut agent = PaneAgent::default();
            agent.stored_session = Some(session(source, SessionKind::Path, "/s.jsonl"));
            agent.resume_plan().map(|plan| plan.typed())
        };
        assert_eq!(plan("herdr:pi").as_deref(), Some("pi --session /s.jsonl"));
        assert_eq!(plan("herdr:claude"), None);
    }
}
