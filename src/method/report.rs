//! `pane.report_*`, `pane.clear_agent_authority`, `pane.release_agent`: what agents say of
//! themselves.
//!
//! Each answers `ok` when it was understood, whether or not it had an effect (herdr 0.9.3). What a
//! report changes is applied before the answer, and stays applied if nobody reads the answer.

use crate::agent::{
    AgentError, AgentState, Clear, Context, Effects, Heartbeat, MetadataLimits, MetadataReport,
    Outcome, PaneAgent, Release, Report, SessionReport,
};
use crate::api::params::{
    PaneClearAgentAuthorityParams, PaneReleaseAgentParams, PaneReportAgentHeartbeatParams,
    PaneReportAgentParams, PaneReportAgentSessionParams, PaneReportMetadataParams,
};
use crate::api::records::PaneAgentState;
use crate::api::{ApiError, ResponseResult};
use crate::state::Speaker;

use super::{Call, find, rate};

pub fn agent(call: &Call<'_>, p: PaneReportAgentParams) -> Result<ResponseResult, ApiError> {
    let report = Report {
        source: &p.source,
        agent: &p.agent,
        state: match p.state {
            PaneAgentState::Idle => AgentState::Idle,
            PaneAgentState::Working => AgentState::Working,
            PaneAgentState::Blocked => AgentState::Blocked,
            PaneAgentState::Unknown => AgentState::Unknown,
        },
        message: p.message.as_deref(),
        seq: p.seq,
        session_id: p.agent_session_id.as_deref(),
        session_path: p.agent_session_path.as_deref(),
        resume_argv: p.resume_argv.as_deref(),
    };
    // Found before the lock is taken: it reads the system's files. Who calls from elsewhere is not below the pane's
    // own process.
    let named = call.shared.look().world.find_pane(&p.pane_id);
    let inside = named.filter(|key| call.place().pane() == Some(*key));
    let speaker = inside.and_then(|key| call.shared.speaker(call.caller, key));
    let answer = apply(call, &p.pane_id, |agent, context| {
        let outcome = agent.report(&report, context);
        agent.attribute(speaker, context);
        outcome
    });
    if speaker.is_some()
        && let Some(key) = inside
    {
        call.shared.watch_speaker(key);
    }
    answer
}

pub fn session(
    call: &Call<'_>,
    p: PaneReportAgentSessionParams,
) -> Result<ResponseResult, ApiError> {
    let report = SessionReport {
        source: &p.source,
        agent: &p.agent,
        seq: p.seq,
        session_id: p.agent_session_id.as_deref(),
        session_path: p.agent_session_path.as_deref(),
        start_source: p.session_start_source.as_deref(),
        resume_argv: p.resume_argv.as_deref(),
    };
    apply(call, &p.pane_id, |agent, context| {
        agent.report_session(&report, context)
    })
}

pub fn metadata(call: &Call<'_>, p: PaneReportMetadataParams) -> Result<ResponseResult, ApiError> {
    // Tokens go out with the pane's whole record.
    let named = call.shared.look().world.find_pane(&p.pane_id);
    if let Some(key) = named {
        rate::take(call, Speaker::Pane(key))?;
        call.shared.refresh_announced_place(key);
    }
    let report = MetadataReport {
        source: &p.source,
        agent: p.agent.as_deref(),
        applies_to_source: p.applies_to_source.as_deref(),
        title: p.title.as_deref(),
        display_agent: p.display_agent.as_deref(),
        state_labels: p
            .state_labels
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect(),
        clear_title: p.clear_title,
        clear_display_agent: p.clear_display_agent,
        clear_state_labels: p.clear_state_labels,
        tokens: p
            .tokens
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_deref()))
            .collect(),
        seq: p.seq,
        ttl_ms: p.ttl_ms,
        limits: MetadataLimits::from(&call.shared.config().limits),
    };
    apply(call, &p.pane_id, |agent, context| {
        match agent.report_metadata(&report, context) {
            Ok(effects) => effects.into(),
            Err(error) => error.into(),
        }
    })
}

/// It says that a claim is alive, and nothing of the agent (the fork's, every 10 s).
pub fn heartbeat(
    call: &Call<'_>,
    p: PaneReportAgentHeartbeatParams,
) -> Result<ResponseResult, ApiError> {
    let beat = Heartbeat {
        source: &p.source,
        agent: &p.agent,
        seq: p.seq,
    };
    apply(call, &p.pane_id, |agent, context| {
        agent.heartbeat(&beat, context)
    })
}

pub fn clear(
    call: &Call<'_>,
    p: PaneClearAgentAuthorityParams,
) -> Result<ResponseResult, ApiError> {
    let clear = Clear {
        source: p.source.as_deref(),
        seq: p.seq,
    };
    apply(call, &p.pane_id, |agent, context| {
        agent.clear_authority(&clear, context).into()
    })
}

pub fn release(call: &Call<'_>, p: PaneReleaseAgentParams) -> Result<ResponseResult, ApiError> {
    let release = Release {
        source: &p.source,
        agent: &p.agent,
        seq: p.seq,
    };
    apply(call, &p.pane_id, |agent, context| {
        agent.release(&release, context)
    })
}

/// Applies a report to the pane it names, announces what it changed, and answers.
fn apply(
    call: &Call<'_>,
    pane_id: &str,
    report: impl FnOnce(&mut PaneAgent, &mut Context<'_>) -> Outcome,
) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let key = find::pane(&live, pane_id)?;
    let split =
        |outcome: Outcome| -> (Effects, Option<AgentError>) { (outcome.effects, outcome.refusal) };
    let refusal = live
        .change_agent(key, &call.shared.deadlines, |agent, context| {
            split(report(agent, context))
        })
        .ok_or_else(|| find::no_pane(pane_id))?;
    match refusal {
        Some(error) => Err(refused(&error)),
        None => Ok(ResponseResult::Ok),
    }
}

/// An agent's refusal, on the wire.
pub fn refused(error: &AgentError) -> ApiError {
    ApiError::new(error.code(), error.message())
}
