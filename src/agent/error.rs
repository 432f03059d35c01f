//! Why a report was refused: herdr 0.9.3's codes and messages.

use std::borrow::Cow;
use std::fmt;

/// What carries metadata tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetadataHolder {
    /// A pane (`pane.report_metadata`).
    Pane,
    /// A workspace (`workspace.report_metadata`).
    Workspace,
}

impl MetadataHolder {
    fn as_str(self) -> &'static str {
        match self {
            MetadataHolder::Pane => "pane",
            MetadataHolder::Workspace => "workspace",
        }
    }
}

/// A refused report, name or metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentError {
    /// The agent label is empty.
    EmptyLabel,
    /// The agent label or source is longer than drover keeps.
    NameTooLong,
    /// The resume command breaks a rule; the text says which.
    InvalidResumeArgv(&'static str),
    /// The reporter does not hold the pane, so its resume command was not taken.
    ResumeNotAccepted,
    /// The metadata source breaks a rule; the text says which.
    MetadataSource(&'static str),
    /// A token key with a foreign character or of a wrong length.
    TokenKey(String),
    /// More tokens in one report than so many, or none where some are needed.
    TokenCount(Option<usize>),
    /// The time to live is out of range; the text says how.
    MetadataTtl(&'static str),
    /// A state label for a status that does not exist.
    StateLabel(String),
    /// A metadata request that contradicts itself or asks for nothing.
    MetadataRequest(&'static str),
    /// The holder would carry more tokens than it may, which is so many.
    TokenLimit(MetadataHolder, usize),
    /// Too many sources number their token reports: so many may.
    SequenceSourceLimit(MetadataHolder, usize),
    /// The agent name breaks the naming rule.
    InvalidName,
    /// The pane does not host an agent.
    NoAgent,
    /// The agent is still being started under its name.
    LaunchPending,
}

impl AgentError {
    /// The code on the wire.
    pub fn code(&self) -> &'static str {
        match self {
            AgentError::EmptyLabel | AgentError::NameTooLong => "invalid_agent",
            AgentError::InvalidResumeArgv(_) => "invalid_resume_argv",
            AgentError::ResumeNotAccepted => "resume_not_accepted",
            AgentError::MetadataSource(_) => "invalid_metadata_source",
            AgentError::TokenKey(_) | AgentError::TokenCount(_) => "invalid_metadata_token",
            AgentError::MetadataTtl(_) => "invalid_metadata_ttl",
            AgentError::StateLabel(_) => "invalid_state_label",
            AgentError::MetadataRequest(_) => "invalid_metadata_request",
            AgentError::TokenLimit(..) => "metadata_token_limit",
            AgentError::SequenceSourceLimit(..) => "metadata_sequence_source_limit",
            AgentError::InvalidName => "invalid_agent_name",
            AgentError::NoAgent => "agent_not_found",
            AgentError::LaunchPending => "agent_launch_pending",
        }
    }

    /// The message on the wire.
    pub fn message(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            AgentError::EmptyLabel => "agent label must not be empty",
            AgentError::NameTooLong => "agent label and source must be 256 bytes or fewer",
            AgentError::InvalidResumeArgv(message)
            | AgentError::MetadataSource(message)
            | AgentError::MetadataTtl(message)
            | AgentError::MetadataRequest(message) => message,
            AgentError::ResumeNotAccepted => {
                "resume_argv requires the reporter to hold the pane; \
                 report its state with pane.report_agent first"
            }
            AgentError::TokenCount(None) => "missing token to set or clear",
            AgentError::TokenCount(Some(limit)) => {
                return Cow::Owned(format!(
                    "a metadata report may update at most {limit} tokens"
                ));
            }
            AgentError::TokenKey(key) => {
                return Cow::Owned(format!("invalid metadata token key: {key}"));
            }
            AgentError::StateLabel(key) => {
                return Cow::Owned(format!("unknown state label: {key}"));
            }
            AgentError::TokenLimit(holder, limit) => {
                let holder = holder.as_str();
                return Cow::Owned(format!(
                    "{holder} metadata may contain at most {limit} tokens"
                ));
            }
            AgentError::SequenceSourceLimit(holder, limit) => {
                let holder = holder.as_str();
                return Cow::Owned(format!(
                    "{holder} metadata may track at most {limit} sequenced sources"
                ));
            }
            AgentError::InvalidName => {
                "agent name must start with a lowercase letter and contain only lowercase \
                 letters, digits, '-' or '_' (1-32 characters)"
            }
            AgentError::NoAgent => "agent target does not currently host an agent",
            AgentError::LaunchPending => "agent name cannot change while startup is pending",
        })
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message())
    }
}

impl std::error::Error for AgentError {}
