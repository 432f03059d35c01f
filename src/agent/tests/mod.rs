//! The rules of herdr 0.9.3 and drover's own, played through on one pane.

mod endings;
mod launches;
mod metadata;
mod reporters;
mod reports;
mod restarts;
mod screens;
mod sessions;
mod status;

use std::time::{Duration, Instant};

use super::*;

/// A pane, its clock and the server's counter.
pub struct Desk {
    pub agent: PaneAgent,
    pub now: Instant,
    pub changes: u64,
    pub in_active_tab: bool,
    pub outer_focused: Option<bool>,
}

impl Desk {
    pub fn new() -> Desk {
        Desk {
            agent: PaneAgent::new(),
            now: Instant::now(),
            changes: 0,
            in_active_tab: true,
            outer_focused: None,
        }
    }

    pub fn in_background() -> Desk {
        Desk {
            in_active_tab: false,
            ..Desk::new()
        }
    }

    pub fn pass(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
    }

    pub fn with<T>(&mut self, act: impl FnOnce(&mut PaneAgent, &mut Context<'_>) -> T) -> T {
        let mut context = Context {
            now: self.now,
            in_active_tab: self.in_active_tab,
            outer_focused: self.outer_focused,
            state_changes: &mut self.changes,
        };
        act(&mut self.agent, &mut context)
    }

    /// Sends a report that must be understood; gives what it announces, as short words.
    pub fn report(&mut self, report: Report<'_>) -> Vec<String> {
        let outcome = self.with(|agent, context| agent.report(&report, context));
        assert_eq!(outcome.refusal, None);
        words(&outcome.effects)
    }

    pub fn state(&mut self, source: &str, agent: &str, state: AgentState) -> Vec<String> {
        self.report(report(source, agent, state, None))
    }

    pub fn numbered(
        &mut self,
        source: &str,
        agent: &str,
        state: AgentState,
        seq: u64,
    ) -> Vec<String> {
        self.report(report(source, agent, state, Some(seq)))
    }

    pub fn session(&mut self, report: SessionReport<'_>) -> Vec<String> {
        let outcome = self.with(|agent, context| agent.report_session(&report, context));
        assert_eq!(outcome.refusal, None);
        words(&outcome.effects)
    }

    pub fn release(&mut self, source: &str, agent: &str, seq: Option<u64>) -> Vec<String> {
        let release = Release { source, agent, seq };
        let outcome = self.with(|agent, context| agent.release(&release, context));
        assert_eq!(outcome.refusal, None);
        words(&outcome.effects)
    }

    pub fn clear(&mut self, source: Option<&str>, seq: Option<u64>) -> Vec<String> {
        let clear = Clear { source, seq };
        words(&self.with(|agent, context| agent.clear_authority(&clear, context)))
    }

    pub fn metadata(&mut self, report: &MetadataReport<'_>) -> Result<Vec<String>, AgentError> {
        self.with(|agent, context| agent.report_metadata(report, context))
            .map(|effects| words(&effects))
    }

    pub fn process(&mut self, label: &str, group: u32) -> Vec<String> {
        let kind = Kind::find(label).unwrap();
        self.foreground(Foreground::Agent { kind, group })
    }

    pub fn foreground(&mut self, foreground: Foreground) -> Vec<String> {
        words(&self.with(|agent, context| agent.foreground_changed(foreground, context)))
    }

    pub fn expire(&mut self) -> Vec<String> {
        words(&self.with(|agent, context| agent.expire(context)))
    }

    pub fn name(&mut self, name: &str) -> Vec<String> {
        let name = AgentName::parse(name).unwrap();
        words(&self.with(|agent, context| agent.set_name(name, context)))
    }

    pub fn status(&self) -> Status {
        self.agent.view().status
    }

    pub fn label(&self) -> Option<&str> {
        self.agent.view().agent
    }

    pub fn session_value(&self) -> Option<&str> {
        self.agent
            .view()
            .session
            .map(|session| session.value.as_str())
    }

    pub fn title(&self) -> Option<&str> {
        self.agent.view().presentation.title.as_deref()
    }
}

pub fn report<'a>(
    source: &'a str,
    agent: &'a str,
    state: AgentState,
    seq: Option<u64>,
) -> Report<'a> {
    Report {
        source,
        agent,
        state,
        message: None,
        seq,
        session_id: None,
        session_path: None,
        resume_argv: None,
    }
}

pub fn session<'a>(
    source: &'a str,
    agent: &'a str,
    id: &'a str,
    start_source: Option<&'a str>,
) -> SessionReport<'a> {
    SessionReport {
        source,
        agent,
        seq: None,
        session_id: Some(id),
        session_path: None,
        start_source,
        resume_argv: None,
    }
}

/// Effects as short words: `name`, `detected X`, `released X STATUS`, `status S`, `tokens`.
pub fn words(effects: &Effects) -> Vec<String> {
    let word = |agent: &Option<String>| agent.clone().unwrap_or_else(|| "none".into());
    effects
        .list
        .iter()
        .map(|effect| match effect {
            Effect::NameChanged => "name".into(),
            Effect::Detected {
                agent,
                released: None,
            } => format!("detected {}", word(agent)),
            Effect::Detected {
                agent,
                released: Some(status),
            } => format!("released {} {}", word(agent), status.as_str()),
            Effect::StatusChanged { status, .. } => format!("status {}", status.as_str()),
            Effect::Seen { .. } => "seen".into(),
            Effect::TokensChanged => "tokens".into(),
        })
        .collect()
}

pub const NOTHING: [&str; 0] = [];
