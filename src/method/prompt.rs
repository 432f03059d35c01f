//! `agent.prompt`: giving an agent a text, and seeing what it makes of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthChar;

use crate::agent::AgentState;
use crate::api::params::{AgentPromptParams, AgentPromptWaitOptions};
use crate::api::records::AgentStatus;
use crate::api::{ApiError, ResponseResult};
use crate::pane::{Format, ReadRequest, Screen, Source, paste};
use crate::state::{AgentNews, AgentWatch, Runtime};
use crate::sys::Wake;
use crate::world::PaneKey;

use super::wait::{self, Woken};
use super::{Call, Ended, agent, find, input};

/// Time between the text and Enter (herdr 0.9.3): an agent that reads them in one piece takes the
/// Enter for a line of the text.
const ENTER_AFTER: Duration = Duration::from_millis(300);

/// How soon an agent must show that it has taken a prompt (herdr 0.9.3).
const TAKES: Duration = Duration::from_millis(5000);

/// Copilot drops what is typed while it believes that its terminal has no focus (herdr 0.9.3).
const FOCUS_IN: &[u8] = b"\x1b[I";

pub fn prompt(call: &Call<'_>, p: AgentPromptParams) -> Result<ResponseResult, Ended> {
    let timeout = p.wait.as_ref().and_then(|wait| wait.timeout_ms);
    let deadline = wait::deadline(call, Instant::now(), timeout)?;
    if p.text.is_empty() {
        let message = "agent prompt must not be empty";
        return Err(ApiError::new("empty_agent_prompt", message).into());
    }
    let wake = Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?;
    let wake = Arc::new(wake);
    let (key, runtime, watch, before) = {
        let mut live = call.shared.change();
        let key = find::agent(&live, &p.target)?;
        let entry = live.pane(key).ok_or_else(|| agent::not_found(&p.target))?;
        let runtime = entry.runtime.clone();
        let before = entry.agent.view().state;
        let watch = live.hub.watch(key, wake.clone());
        (key, runtime, watch, before)
    };
    let prompt = Prompt {
        call,
        target: &p.target,
        key,
        runtime,
        watch,
        wake,
    };
    prompt.check()?;
    prompt.submit(&p.text, deadline)?;
    let status = match &p.wait {
        Some(wait) => Some(prompt.follow(wait, deadline, before == AgentState::Working)?),
        None => None,
    };
    call.shared.refresh_place(key);
    let info = call.shared.look().agent_info(key);
    let mut agent = info.ok_or_else(|| agent::not_found(&p.target))?;
    if let Some(status) = status {
        agent.agent_status = status;
    }
    Ok(ResponseResult::AgentPrompted { agent })
}

/// One prompt on its way.
struct Prompt<'a> {
    call: &'a Call<'a>,
    target: &'a str,
    key: PaneKey,
    runtime: Arc<Runtime>,
    watch: Arc<AgentWatch>,
    wake: Arc<Wake>,
}

impl Prompt<'_> {
    /// Whether the agent can take a prompt now; whether it is Copilot.
    fn check(&self) -> Result<bool, ApiError> {
        let live = self.call.shared.look();
        let entry = live.pane(self.key);
        let view = entry
            .ok_or_else(|| agent::not_found(self.target))?
            .agent
            .view();
        let target = self.target;
        if view.state == AgentState::Blocked {
            let message = format!("agent {target} is blocked and requires interactive input");
            return Err(ApiError::new("agent_blocked", message));
        }
        let not_ready =
            |why: &str| ApiError::new("agent_not_ready", format!("agent {target} {why}"));
        match view.kind {
            Some(_) if view.launch_pending => Err(not_ready("is not an active named agent")),
            None => Err(not_ready("is not an active named agent")),
            Some(_) if !view.in_foreground => {
                Err(not_ready("is no longer the pane foreground process"))
            }
            Some(kind) => Ok(kind.label() == "copilot"),
        }
    }

    /// Types the text, waits, and presses Enter; one prompt at a time. A client that leaves before
    /// its turn has come takes its prompt along.
    fn submit(&self, text: &str, deadline: Option<Instant>) -> Result<(), Ended> {
        let place = self.runtime.prompts.line_up(&self.wake);
        while !place.is_first() {
            match wait::sleep(
                self.call.shared,
                self.call.client,
                Some(&self.wake),
                deadline,
            ) {
                Woken::Wake => {}
                Woken::Over => return Err(Ended::Silent),
                Woken::Deadline => return Err(timed_out().into()),
            }
        }
        // Others may have been typed while this one waited for its turn.
        let is_copilot = self.check()?;
        let pane = &self.runtime.pane;
        let (modes, draft) = {
            let screen = pane.screen();
            (screen.modes(), draft(&screen))
        };
        if let Some(draft) = draft {
            let message = format!(
                "agent {} has unsent text in its input field ({draft:?}); send or clear it first",
                self.target
            );
            return Err(ApiError::new("agent_not_ready", message).into());
        }
        let mut bytes = Vec::new();
        if is_copilot {
            bytes.extend_from_slice(FOCUS_IN);
        }
        bytes.extend(paste::bracketed(text, &modes));
        input::write(self.call, pane, bytes, "agent_prompt_failed")?;
        let enter_at = Instant::now() + ENTER_AFTER;
        // A client that leaves now has still asked for its prompt to be sent.
        wait::rest(self.call.shared, enter_at);
        // Enter would answer whatever came up in the meantime.
        self.check().map_err(|error| {
            let message = format!("{}; the text was typed and not sent", error.message);
            ApiError::new(error.code, message)
        })?;
        input::write(self.call, pane, b"\r".to_vec(), "agent_prompt_failed")?;
        Ok(())
    }

    /// Waits until the agent has taken the prompt and then has one of the statuses that are waited
    /// for; that status. Turns are not told apart: the end of an older one counts too (herdr 0.9.3).
    fn follow(
        &self,
        wait: &AgentPromptWaitOptions,
        deadline: Option<Instant>,
        was_working: bool,
    ) -> Result<AgentStatus, Ended> {
        let until = match &wait.until[..] {
            [] => &[AgentStatus::Idle, AgentStatus::Done, AgentStatus::Blocked][..],
            until => until,
        };
        let taken_by = Instant::now() + TAKES;
        let mut taken = was_working;
        loop {
            while let Some(news) = self.watch.next() {
                match news {
                    AgentNews::Status(AgentStatus::Working | AgentStatus::Blocked) => taken = true,
                    AgentNews::Left(status) if taken && until.contains(&status) => {
                        return Ok(status);
                    }
                    AgentNews::Left(_)
                    | AgentNews::Arrived
                    | AgentNews::Moved
                    | AgentNews::Closed => {
                        let message = "agent is no longer running in the target pane";
                        return Err(ApiError::new("agent_not_running", message).into());
                    }
                    AgentNews::Status(_) | AgentNews::Ready(_) | AgentNews::Unstarted => {}
                }
                if let AgentNews::Status(status) = news
                    && taken
                    && until.contains(&status)
                {
                    return Ok(status);
                }
            }
            let limit = match (deadline, taken) {
                (deadline, true) => deadline,
                (Some(deadline), false) => Some(deadline.min(taken_by)),
                (None, false) => Some(taken_by),
            };
            match wait::sleep(self.call.shared, self.call.client, Some(&self.wake), limit) {
                Woken::Wake => {}
                Woken::Over => return Err(Ended::Silent),
                Woken::Deadline if limit == deadline => return Err(timed_out().into()),
                Woken::Deadline => return Err(self.stalled().into()),
            }
        }
    }

    fn stalled(&self) -> ApiError {
        let status = self.call.shared.look().status(self.key);
        let status = status.map_or("unknown", AgentStatus::as_str);
        let message = format!(
            "agent prompt produced no observed working or blocked state within {} ms; current status is {status}",
            TAKES.as_millis()
        );
        ApiError::new("agent_prompt_stalled", message)
    }
}

fn timed_out() -> ApiError {
    ApiError::new("timeout", "timed out waiting for agent status")
}

/// Signs that stand before the text of an input field.
const PROMPT_SIGNS: &[char] = &['❯', '›', '>', '⟩', '❭', '→'];

/// What somebody has typed into the agent's input field and not sent, if it can be seen: text between
/// the sign of the prompt and the cursor. A placeholder stands behind the cursor. An agent that
/// draws a cursor of its own elsewhere shows nothing here.
fn draft(screen: &Screen) -> Option<String> {
    let (column, row) = screen.cursor();
    let request = ReadRequest {
        source: Source::Detection,
        lines: None,
        format: Format::Text,
    };
    let text = screen.read(&request).text;
    typed_before(text.lines().nth(row.into())?, column.into())
}

fn typed_before(line: &str, column: usize) -> Option<String> {
    let mut width = 0;
    let before: String = line
        .chars()
        .take_while(|character| {
            width += character.width().unwrap_or(0);
            width <= column
        })
        .collect();
    let field = before.trim_start_matches([' ', '│', '┃', '|']);
    let typed = field.strip_prefix(PROMPT_SIGNS)?.trim();
    (!typed.is_empty()).then(|| typed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_prompt_and_the_cursor_is_a_draft() {
        assert_eq!(typed_before("❯ fix it", 8).as_deref(), Some("fix it"));
        assert_eq!(typed_before("│ > 日本 │", 8).as_deref(), Some("日本"));
        assert_eq!(typed_before("❯ fix it", 5).as_deref(), Some("fix"));
    }

    #[test]
    fn a_placeholder_behind_the_cursor_or_another_line_is_none() {
        assert_eq!(typed_before("❯ Try \"fix it\"", 2), None);
        assert_eq!(typed_before("❯", 2), None);
        assert_eq!(typed_before("some output", 11), None);
        assert_eq!(typed_before("", 0), None);
    }
}
