//! `agent.*`: the agents in the panes, by pane or by name.

use std::sync::Arc;
use std::time::Instant;

use crate::agent::AgentName;
use crate::api::params::{
    AgentReadParams, AgentRenameParams, AgentSendKeysParams, AgentTarget, AgentWaitParams,
    EmptyParams,
};
use crate::api::records::{AgentStatus, ReadFormat, ReadSource};
use crate::api::{ApiError, ResponseResult};
use crate::authority::rules::{AGENT, read_own};
use crate::state::{AgentNews, Live};
use crate::sys::Wake;
use crate::world::PaneKey;

use super::output::Readable;
use super::past::{self, Past};
use super::report::refused;
use super::wait::{self, Woken};
use super::{Call, Ended, find, input};

pub fn list(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    Ok(ResponseResult::AgentList {
        agents: call.shared.look().agent_infos(),
    })
}

pub fn get(call: &Call<'_>, p: AgentTarget) -> Result<ResponseResult, ApiError> {
    let key = find::agent(&call.shared.look(), &p.target)?;
    call.shared.refresh_place(key);
    info(&call.shared.look(), key, &p.target)
}

pub fn read(call: &Call<'_>, p: AgentReadParams) -> Result<ResponseResult, ApiError> {
    let (key, runtime, readable) = {
        let live = call.shared.look();
        let key = find::agent(&live, &p.target)?;
        let runtime = live.pane(key).map(|entry| entry.runtime.clone());
        let readable = Readable::of(&live, key).zip(runtime);
        let (readable, runtime) = readable.ok_or_else(|| not_found(&p.target))?;
        (key, runtime, readable)
    };
    let mut read = readable.read(p.source, p.lines, p.format);
    let recent = matches!(p.source, ReadSource::Recent | ReadSource::RecentUnwrapped);
    if recent && p.format == ReadFormat::Text {
        let lines = p.lines.unwrap_or(RECENT).min(LINES_MAX);
        match past::past(call, key, &runtime, lines) {
            Past::Kept => {}
            Past::Scrolled => {
                if let Some((rows, older)) = past::read(call, key, &runtime, lines as usize) {
                    let text = rows.join("\n");
                    read.text = text.trim_end().to_owned();
                    read.truncated = older;
                }
            }
            // Who did not say how many takes what there is.
            Past::Busy(state) => {
                if let Some(lines) = p.lines {
                    let (target, state) = (&p.target, state.as_str());
                    let message = format!(
                        "cannot read {lines} lines while {target} is {state}: its alternate-screen history can only be captured by scrolling while idle. Wait and retry, or use --source visible"
                    );
                    return Err(ApiError::new("agent_not_idle", message));
                }
            }
        }
    }
    Ok(ResponseResult::PaneRead { read })
}

/// Rows of the recent sources when nothing is said, and at most (herdr 0.9.3).
const RECENT: u32 = 80;
const LINES_MAX: u32 = 1_000;

pub fn send_keys(call: &Call<'_>, p: AgentSendKeysParams) -> Result<ResponseResult, ApiError> {
    let pane = {
        let live = call.shared.look();
        let key = find::agent(&live, &p.target)?;
        let entry = live.pane(key).ok_or_else(|| not_found(&p.target))?;
        if !entry.agent.view().accepts_keys() {
            let message = format!("agent {} is not an active named agent", p.target);
            return Err(ApiError::new("agent_not_ready", message));
        }
        entry.runtime.pane.clone()
    };
    let bytes = input::key_bytes(&p.keys, &pane.screen().modes())?;
    input::write(call, &pane, bytes, "agent_send_keys_failed")
}

pub fn focus(call: &Call<'_>, p: AgentTarget) -> Result<ResponseResult, ApiError> {
    let key = find::agent(&call.shared.look(), &p.target)?;
    call.shared.refresh_place(key);
    let mut live = call.shared.change();
    live.focus_pane(key, &call.shared.deadlines)
        .map_err(|_| not_found(&p.target))?;
    info(&live, key, &p.target)
}

pub fn rename(call: &Call<'_>, p: AgentRenameParams) -> Result<ResponseResult, ApiError> {
    let key = find::agent(&call.shared.look(), &p.target)?;
    call.shared.refresh_place(key);
    let name = p
        .name
        .as_deref()
        .map(AgentName::parse)
        .transpose()
        .map_err(|e| refused(&e))?;
    let mut live = call.shared.change();
    if let Some(name) = &name {
        check_name_is_free(&live, name, Some(key))?;
    }
    live.change_agent(key, &call.shared.deadlines, |agent, context| {
        match agent.rename(name, context) {
            Ok(effects) => (effects, Ok(())),
            Err(error) => (Default::default(), Err(error)),
        }
    })
    .ok_or_else(|| not_found(&p.target))?
    .map_err(|error| refused(&error))?;
    info(&live, key, &p.target)
}

/// Whether no agent but that of `but` has this name.
///
/// # Errors
/// `agent_name_taken`, with those who have it (herdr 0.9.3).
pub fn check_name_is_free(
    live: &Live,
    name: &AgentName,
    but: Option<PaneKey>,
) -> Result<(), ApiError> {
    let has_it = |key: &PaneKey| {
        let view = live.pane(*key).map(|entry| entry.agent.view());
        view.is_some_and(|view| view.name == Some(name.as_str()))
    };
    let holders: Vec<String> = live
        .agents()
        .into_iter()
        .filter(|key| Some(*key) != but)
        .filter(has_it)
        .filter_map(|key| describe(live, key))
        .collect();
    if holders.is_empty() {
        return Ok(());
    }
    let message = format!(
        "agent name {} is already used; candidates: {}",
        name.as_str(),
        holders.join("; ")
    );
    Err(ApiError::new("agent_name_taken", message))
}

/// An agent, for a person who has to choose another name (herdr 0.9.3, `agent_name_taken`).
fn describe(live: &Live, key: PaneKey) -> Option<String> {
    let agent = live.agent_info(key)?;
    let status = format!("{:?}", agent.agent_status);
    Some(format!(
        "terminal_id={} pane_id={} workspace_id={} tab_id={} cwd={} status={status}",
        agent.terminal_id,
        agent.pane_id,
        agent.workspace_id,
        agent.tab_id,
        agent.cwd.unwrap_or_default(),
    ))
}

/// What a wait on an agent has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It had a status that was waited for.
    Matched(AgentStatus),
    /// The agent that the wait was for is not there any more.
    Left,
}

/// A wait on the agent of one pane.
#[derive(Debug)]
struct Awaited<'a> {
    /// The statuses that are waited for.
    until: &'a [AgentStatus],
    /// Whether there is an agent. A pane that only has a name waits for one first.
    hosted: bool,
    /// The agent must first become ready to be talked to; until then only other statuses than idle
    /// and done count.
    unready: bool,
}

impl Awaited<'_> {
    /// Goes through what happened, in its order. An agent that leaves with a status that is waited
    /// for has had it; that of an agent that takes its place counts for nothing.
    fn judge(&mut self, news: impl Iterator<Item = AgentNews>) -> Option<Verdict> {
        let mut left = false;
        for news in news {
            match news {
                AgentNews::Status(status) | AgentNews::Left(status) if self.counts(status) => {
                    return Some(Verdict::Matched(status));
                }
                AgentNews::Ready(status) => {
                    self.unready = false;
                    if self.counts(status) {
                        return Some(Verdict::Matched(status));
                    }
                }
                AgentNews::Unstarted if self.unready => return Some(Verdict::Left),
                AgentNews::Status(_) | AgentNews::Unstarted => {}
                AgentNews::Left(_) => left = true,
                AgentNews::Arrived if !self.hosted && !left => self.hosted = true,
                AgentNews::Arrived | AgentNews::Moved | AgentNews::Closed => {
                    return Some(Verdict::Left);
                }
            }
        }
        left.then_some(Verdict::Left)
    }

    fn counts(&self, status: AgentStatus) -> bool {
        let resting = matches!(status, AgentStatus::Idle | AgentStatus::Done);
        self.until.contains(&status) && !(self.unready && resting)
    }
}

pub fn wait(call: &Call<'_>, p: AgentWaitParams) -> Result<ResponseResult, Ended> {
    let deadline = wait::deadline(call, Instant::now(), p.timeout_ms)?;
    let until = match &p.until[..] {
        [] => &[AgentStatus::Idle, AgentStatus::Done, AgentStatus::Blocked][..],
        until => until,
    };
    let wake = Arc::new(Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?);
    // The pane is pinned here: a name that moves on does not take the wait along.
    let (key, watch, mut awaited, present) = {
        let mut live = call.shared.change();
        let key = find::agent(&live, &p.target)?;
        let watch = live.hub.watch(key, wake.clone());
        let view = live.pane(key).map(|entry| entry.agent.view());
        let awaited = Awaited {
            until,
            hosted: view.as_ref().is_some_and(|view| view.agent.is_some()),
            unready: p.interactive_ready && view.is_some_and(|view| view.launch_pending),
        };
        (key, watch, awaited, live.status(key))
    };
    let mut verdict = awaited.judge(present.map(AgentNews::Status).into_iter());
    loop {
        if verdict.is_none() {
            verdict = awaited.judge(std::iter::from_fn(|| watch.next()));
        }
        if let Some(Verdict::Matched(status)) = verdict {
            call.may(&read_own(AGENT), Some(key))?;
            call.shared.refresh_place(key);
            if let Some(mut agent) = call.shared.look().agent_info(key) {
                agent.agent_status = status;
                return Ok(ResponseResult::AgentInfo { agent });
            }
        }
        if verdict.is_some() {
            let message = "agent is no longer running in the target pane";
            return Err(ApiError::new("agent_not_running", message).into());
        }
        match wait::sleep(call.shared, call.client, Some(&wake), deadline) {
            Woken::Wake => {}
            Woken::Deadline => {
                let message = "timed out waiting for agent status";
                return Err(ApiError::new("timeout", message).into());
            }
            Woken::Over => return Err(Ended::Silent),
        }
    }
}

pub fn info(live: &Live, key: PaneKey, target: &str) -> Result<ResponseResult, ApiError> {
    let agent = live.agent_info(key).ok_or_else(|| not_found(target))?;
    Ok(ResponseResult::AgentInfo { agent })
}

pub fn not_found(target: &str) -> ApiError {
    ApiError::new(
        "agent_not_found",
        format!("agent target {target} not found"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use AgentNews::{Arrived, Closed, Left, Ready, Status, Unstarted};
    use AgentStatus::{Blocked, Done, Idle, Unknown, Working};

    /// The verdict of a wait for idle or done on a pane with an agent.
    fn verdict(news: &[AgentNews]) -> Option<Verdict> {
        let mut awaited = Awaited {
            until: &[Idle, Done],
            hosted: true,
            unready: false,
        };
        awaited.judge(news.iter().copied())
    }

    #[test]
    fn a_status_counts_however_short_and_also_as_the_last_one() {
        assert_eq!(verdict(&[Status(Working)]), None);
        let matched = Some(Verdict::Matched(Idle));
        assert_eq!(verdict(&[Status(Idle), Status(Working)]), matched);
        assert_eq!(verdict(&[Left(Idle), Status(Unknown)]), matched);
        assert_eq!(verdict(&[Left(Unknown), Status(Idle)]), matched);
    }

    #[test]
    fn the_status_of_an_agent_that_took_the_place_of_the_awaited_one_does_not_count() {
        let left = Some(Verdict::Left);
        assert_eq!(verdict(&[Arrived, Status(Idle)]), left);
        assert_eq!(verdict(&[Left(Unknown), Arrived, Status(Idle)]), left);
        assert_eq!(verdict(&[Left(Unknown)]), left);
        assert_eq!(verdict(&[Closed, Status(Idle)]), left);
    }

    #[test]
    fn who_waits_for_a_started_agent_waits_until_it_can_be_talked_to() {
        let verdict = |news: &[AgentNews]| {
            let mut awaited = Awaited {
                until: &[Idle, Done, Blocked],
                hosted: false,
                unready: true,
            };
            awaited.judge(news.iter().copied())
        };
        assert_eq!(verdict(&[Arrived, Status(Idle)]), None);
        let ready = Some(Verdict::Matched(Idle));
        assert_eq!(verdict(&[Arrived, Status(Idle), Ready(Idle)]), ready);
        assert_eq!(verdict(&[Ready(Working), Status(Idle)]), ready);
        let blocked = Some(Verdict::Matched(Blocked));
        assert_eq!(verdict(&[Arrived, Status(Blocked)]), blocked);
        assert_eq!(verdict(&[Arrived, Unstarted]), Some(Verdict::Left));
        assert_eq!(verdict(&[Arrived, Left(Idle)]), Some(Verdict::Left));
    }

    #[test]
    fn a_pane_that_only_has_a_name_may_be_waited_on_for_its_agent() {
        let mut awaited = Awaited {
            until: &[Idle],
            hosted: false,
            unready: false,
        };
        assert_eq!(awaited.judge([Arrived].into_iter()), None);
        let news = [Status(Idle)].into_iter();
        assert_eq!(awaited.judge(news), Some(Verdict::Matched(Idle)));
        assert_eq!(awaited.judge([Arrived].into_iter()), Some(Verdict::Left));
    }
}
