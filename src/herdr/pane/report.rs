//! Commands by which agents and their hooks report. They print nothing and give up soon.

use std::collections::BTreeMap;

use crate::api::method;
use crate::api::params::{
    PaneReleaseAgentParams, PaneReportAgentParams, PaneReportAgentSessionParams,
    PaneReportMetadataParams,
};
use crate::api::records::{AgentStatus, PaneAgentState};
use crate::command::words::{required, required_text, token_pair, tokens};
use crate::command::{BadValue, Caller, Failure, Outcome, Run};
use crate::herdr::{ask, values};

#[derive(clap::Args)]
pub(super) struct ReportAgent {
    /// The pane the agent runs in
    pane_id: String,
    /// Who reports, by a name of its own (required)
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// Which agent (required)
    #[arg(long, value_name = "LABEL")]
    agent: Option<String>,
    /// What it is doing (required)
    #[arg(long, value_name = "STATE", value_parser = values::REPORTED_STATE)]
    state: Option<PaneAgentState>,
    /// A word about it for the person
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Grows with each report of a source; an older one is dropped
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
    /// The agent's open session, by its id
    #[arg(long, value_name = "ID")]
    agent_session_id: Option<String>,
    /// The agent's open session, by its file
    #[arg(long, value_name = "PATH")]
    agent_session_path: Option<String>,
    /// The command that opens the session again
    #[arg(last = true, value_name = "RESUME-COMMAND")]
    resume: Vec<String>,
}

impl Run for ReportAgent {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneReportAgentParams {
            pane_id: self.pane_id,
            source: required_text(self.source, "--source")?,
            agent: required(self.agent, "--agent")?,
            state: required(self.state, "--state")?,
            agent_session_id: self.agent_session_id,
            agent_session_path: self.agent_session_path,
            message: self.message,
            resume_argv: resume(self.resume),
            seq: self.seq,
        };
        ask::report::<method::PaneReportAgent>(caller, &params)
    }
}

#[derive(clap::Args)]
pub(super) struct ReportAgentSession {
    /// The pane the agent runs in
    pane_id: String,
    /// Who reports, by a name of its own (required)
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// Which agent (required)
    #[arg(long, value_name = "LABEL")]
    agent: Option<String>,
    /// Grows with each report of a source; an older one is dropped
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
    /// The agent's open session, by its id
    #[arg(long, value_name = "ID")]
    agent_session_id: Option<String>,
    /// The agent's open session, by its file
    #[arg(long, value_name = "PATH")]
    agent_session_path: Option<String>,
    /// What opened the session: startup, resume, clear, compact, branch, new, fork or select
    #[arg(long, value_name = "SOURCE")]
    session_start_source: Option<String>,
    /// The command that opens the session again
    #[arg(last = true, value_name = "RESUME-COMMAND")]
    resume: Vec<String>,
}

impl Run for ReportAgentSession {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneReportAgentSessionParams {
            pane_id: self.pane_id,
            source: required_text(self.source, "--source")?,
            agent: required(self.agent, "--agent")?,
            agent_session_id: self.agent_session_id,
            agent_session_path: self.agent_session_path,
            resume_argv: resume(self.resume),
            seq: self.seq,
            session_start_source: self.session_start_source,
        };
        ask::report::<method::PaneReportAgentSession>(caller, &params)
    }
}

/// No words mean that nothing was said about resuming.
fn resume(words: Vec<String>) -> Option<Vec<String>> {
    (!words.is_empty()).then_some(words)
}

#[derive(clap::Args)]
pub(super) struct ReleaseAgent {
    /// The pane the agent ran in
    pane_id: String,
    /// Who reported it (required)
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// Which agent (required)
    #[arg(long, value_name = "LABEL")]
    agent: Option<String>,
    /// Grows with each report of a source; an older one is dropped
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
}

impl Run for ReleaseAgent {
    fn run(self, caller: &Caller) -> Outcome {
        let params = PaneReleaseAgentParams {
            pane_id: self.pane_id,
            source: required_text(self.source, "--source")?,
            agent: required(self.agent, "--agent")?,
            seq: self.seq,
        };
        ask::report::<method::PaneReleaseAgent>(caller, &params)
    }
}

#[derive(clap::Args)]
pub(super) struct ReportMetadata {
    /// The pane
    pane_id: String,
    /// Who reports (required)
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// Show it only while this is the pane's agent
    #[arg(long, value_name = "LABEL")]
    agent: Option<String>,
    /// Show it only while this source speaks for the pane
    #[arg(long, value_name = "ID")]
    applies_to_source: Option<String>,
    /// A title for the pane
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Take the title away
    #[arg(long)]
    clear_title: bool,
    /// A name to show instead of the agent's
    #[arg(long, value_name = "TEXT")]
    display_agent: Option<String>,
    /// Take that name away
    #[arg(long)]
    clear_display_agent: bool,
    /// A word to show instead of a status; may be repeated
    #[arg(long = "state-label", value_name = "STATUS=TEXT", value_parser = state_label)]
    state_labels: Vec<(String, String)>,
    /// Take those words away
    #[arg(long)]
    clear_state_labels: bool,
    /// Set a token; may be repeated
    #[arg(long = "token", value_name = "NAME=VALUE", value_parser = token_pair)]
    tokens: Vec<(String, String)>,
    /// Clear a token; may be repeated
    #[arg(long = "clear-token", value_name = "NAME")]
    clear_tokens: Vec<String>,
    /// Grows with each report of a source; an older one is dropped
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
    /// Milliseconds until it expires
    #[arg(long, value_name = "N")]
    ttl_ms: Option<u64>,
}

impl Run for ReportMetadata {
    fn run(self, caller: &Caller) -> Outcome {
        let misuse = |line: &str| Err(Failure::Misuse(line.to_owned()));
        let source = required_text(self.source, "--source")?;
        let applies_to_source = match self.applies_to_source {
            Some(source) if source.trim().is_empty() => {
                return misuse("missing value for --applies-to-source");
            }
            source => source.map(|source| source.trim().to_owned()),
        };
        let state_labels: BTreeMap<String, String> = self.state_labels.into_iter().collect();
        if (self.clear_title && self.title.is_some())
            || (self.clear_display_agent && self.display_agent.is_some())
            || (self.clear_state_labels && !state_labels.is_empty())
        {
            return misuse("cannot set and clear the same metadata field");
        }
        let params = PaneReportMetadataParams {
            pane_id: self.pane_id,
            source,
            seq: self.seq,
            ttl_ms: self.ttl_ms,
            tokens: tokens(self.tokens, self.clear_tokens)?,
            title: self.title,
            display_agent: self.display_agent,
            state_labels,
            clear_title: self.clear_title,
            clear_display_agent: self.clear_display_agent,
            clear_state_labels: self.clear_state_labels,
            agent: self.agent,
            applies_to_source,
        };
        if !says_something(&params) {
            return misuse("missing metadata field to set or clear");
        }
        ask::report::<method::PaneReportMetadata>(caller, &params)
    }
}

fn says_something(params: &PaneReportMetadataParams) -> bool {
    params.title.is_some()
        || params.clear_title
        || params.display_agent.is_some()
        || params.clear_display_agent
        || !params.state_labels.is_empty()
        || params.clear_state_labels
        || !params.tokens.is_empty()
}

/// Splits `STATUS=TEXT`; the status in any case.
fn state_label(word: &str) -> Result<(String, String), BadValue> {
    let expected = || BadValue::new("expected --state-label STATUS=TEXT");
    let (status, text) = word.split_once('=').ok_or_else(expected)?;
    let status = status.trim().to_ascii_lowercase();
    match status.parse::<AgentStatus>() {
        Ok(_) => Ok((status, text.to_owned())),
        Err(_) => Err(BadValue::new(format!("unknown state label: {status}"))),
    }
}
