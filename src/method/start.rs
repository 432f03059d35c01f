//! `agent.start`: typing an agent's command into a shell, and seeing that it takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::agent::{AgentName, Kind, is_shell};
use crate::api::params::AgentStartParams;
use crate::api::{ApiError, ResponseResult};
use crate::pane::{Format, Pane, ReadRequest, Source, paste};
use crate::state::{AgentWatch, Runtime};
use crate::sys::{self, Wake};
use crate::world::PaneKey;

use super::report::refused;
use super::shell_words::{Dialect, command_line};
use super::wait::{self, Woken};
use super::{Call, Ended, agent, input};

/// How long a start may take when the request does not say (herdr 0.9.3).
const DEFAULT_TIMEOUT: u64 = 30_000;
/// What the request may say, in milliseconds: more than the first, at most the second
/// (herdr 0.9.3).
const TIMEOUTS: (u64, u64) = (3_000, 300_000);

/// After this much time the agent's process must have been seen or the shell be busy with the
/// command; a shell that is back at its prompt by then could not start it.
const TAKES: Duration = Duration::from_secs(1);

/// What the shell does with a command is looked at when its output has rested for so long.
const RESTS: Duration = Duration::from_millis(150);

/// A shell with an empty screen is taken to be still reading its startup files for so long; a prompt
/// may be empty, but few are.
const SILENT_START: Duration = Duration::from_secs(2);

pub fn start(call: &Call<'_>, p: AgentStartParams) -> Result<ResponseResult, Ended> {
    let name = AgentName::parse(&p.name).map_err(|error| refused(&error))?;
    let kind = Kind::find(&p.kind).ok_or_else(|| {
        let message = format!("unsupported interactive agent kind {}", p.kind);
        ApiError::new("unsupported_agent_kind", message)
    })?;
    let mut argv = vec![kind.executable().to_owned()];
    argv.extend(p.args);
    if argv.iter().any(|word| word.chars().any(char::is_control)) {
        return Err(unsafe_arguments().into());
    }
    let timeout = p.timeout_ms.unwrap_or(DEFAULT_TIMEOUT);
    let deadline = Instant::now() + Duration::from_millis(timeout.min(TIMEOUTS.1));
    let mut start = Start::reserve(call, &p.pane_id, name, kind, timeout, deadline)?;
    let dialect = start.wait_for_prompt(deadline)?;
    let line = command_line(&argv, dialect).ok_or_else(unsafe_arguments)?;
    let before = start.type_in(&line)?;
    start.see_it_take(&line, before)?;
    start.committed = true;
    call.shared.refresh_place(start.key);
    let live = call.shared.look();
    let agent = live
        .agent_info(start.key)
        .ok_or_else(|| pane_not_found(&p.pane_id))?;
    Ok(ResponseResult::AgentStarted { agent, argv })
}

/// A start in progress. Dropped before it is committed, it gives the pane back.
struct Start<'a> {
    call: &'a Call<'a>,
    key: PaneKey,
    kind: Kind,
    name: String,
    runtime: Arc<Runtime>,
    wake: Arc<Wake>,
    watch: Arc<AgentWatch>,
    committed: bool,
}

impl Drop for Start<'_> {
    fn drop(&mut self) {
        if !self.committed {
            let shared = self.call.shared;
            shared
                .change()
                .change_agent(self.key, &shared.deadlines, |agent, context| {
                    (agent.abandon_launch(context), ())
                });
        }
    }
}

impl<'a> Start<'a> {
    /// Makes herdr's checks in herdr's order and reserves the pane and the name, all at once.
    fn reserve(
        call: &'a Call<'a>,
        pane_id: &str,
        name: AgentName,
        kind: Kind,
        timeout: u64,
        deadline: Instant,
    ) -> Result<Start<'a>, ApiError> {
        let wake = Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?;
        let wake = Arc::new(wake);
        let mut live = call.shared.change();
        agent::check_name_is_free(&live, &name, None)?;
        let key = live
            .world
            .find_pane(pane_id)
            .ok_or_else(|| pane_not_found(pane_id))?;
        let entry = live.pane(key).ok_or_else(|| pane_not_found(pane_id))?;
        let view = entry.agent.view();
        if view.agent.is_some() || view.launch_pending {
            return Err(busy(pane_id));
        }
        let runtime = entry.runtime.clone();
        if runtime.pane.has_exited() {
            let message = format!("agent target pane {pane_id} has no live terminal");
            return Err(ApiError::new("agent_pane_unavailable", message));
        }
        if timeout <= TIMEOUTS.0 || timeout > TIMEOUTS.1 {
            let message = "agent start timeout must be greater than 3000ms and at most 300000ms";
            return Err(ApiError::new("invalid_agent_timeout", message));
        }
        let watch = live.hub.watch(key, wake.clone());
        let spoken = name.as_str().to_owned();
        live.change_agent(key, &call.shared.deadlines, |agent, context| {
            (agent.begin_launch(name, kind, deadline, context), ())
        });
        Ok(Start {
            call,
            key,
            kind,
            name: spoken,
            runtime,
            wake,
            watch,
            committed: false,
        })
    }

    fn pane(&self) -> &Arc<Pane> {
        &self.runtime.pane
    }

    /// Waits until the pane's shell is at its prompt; a shell that still reads its startup files
    /// gets there. Anything else in the foreground is somebody's work.
    fn wait_for_prompt(&self, deadline: Instant) -> Result<Dialect, Ended> {
        let output = self.pane().watch(&self.wake);
        let began = Instant::now();
        let mut woken = Woken::Wake;
        let mut rested = None;
        loop {
            output.arm();
            let revision = self.pane().revision();
            match shell(self.pane()) {
                Shell::Prompt(dialect) if self.has_drawn() || began.elapsed() >= SILENT_START => {
                    // Between two commands a shell is alone for a moment.
                    if rested == Some(revision) {
                        return Ok(dialect);
                    }
                    rested = Some(revision);
                }
                Shell::Prompt(_) | Shell::Starting => rested = None,
                Shell::Busy => return Err(busy(&self.pane_id()).into()),
            }
            if Instant::now() >= deadline {
                return Err(busy(&self.pane_id()).into());
            }
            // The end of the startup files is followed by a prompt, and that wakes this wait. Its
            // bytes may come before the shell is alone, hence one more look after a rest.
            let pause = match woken {
                Woken::Wake => RESTS,
                _ => SILENT_START,
            };
            woken = self.sleep((Instant::now() + pause).min(deadline))?;
        }
    }

    /// Whether anything is on the screen.
    fn has_drawn(&self) -> bool {
        !screen_text(self.pane()).trim().is_empty()
    }

    /// Types the command; the screen's revision before that.
    fn type_in(&self, line: &str) -> Result<u64, ApiError> {
        let before = self.pane().revision();
        let modes = self.pane().screen().modes();
        let mut bytes = paste::bracketed(line, &modes);
        bytes.push(b'\r');
        input::write(self.call, self.pane(), bytes, "agent_start_input_failed")?;
        let shared = self.call.shared;
        shared
            .change()
            .change_agent(self.key, &shared.deadlines, |agent, context| {
                agent.launch_typed(context);
                (Default::default(), ())
            });
        Ok(before)
    }

    /// Waits until the agent is seen, or the shell is back without it.
    fn see_it_take(&self, line: &str, before: u64) -> Result<(), Ended> {
        let output = self.pane().watch(&self.wake);
        let deadline = Instant::now() + TAKES;
        loop {
            output.arm();
            while self.watch.next().is_some() {}
            let (seen, gone) = {
                let live = self.call.shared.look();
                let view = live.pane(self.key).map(|entry| entry.agent.view());
                let seen = view.as_ref().and_then(|view| view.agent) == Some(self.kind.label());
                (seen, view.is_none_or(|view| view.name.is_none()))
            };
            if seen {
                return Ok(());
            }
            let pane = self.pane();
            if gone || pane.has_exited() {
                return Err(self.failed("it ended at once").into());
            }
            let revision = pane.revision();
            if self.sleep((Instant::now() + RESTS).min(deadline))? == Woken::Wake {
                // Something is going on; it is judged when it rests.
                if Instant::now() < deadline {
                    continue;
                }
            }
            let rested = pane.revision() == revision;
            let back = matches!(shell(pane), Shell::Prompt(_));
            let over = Instant::now() >= deadline;
            if back && revision != before && (rested || over) {
                let text = screen_text(pane);
                // A command that stands on the last line was not read yet.
                if !text.trim_end().ends_with(line) {
                    return Err(self.failed(last_line(&text)).into());
                }
            }
            if over {
                log::debug!("agent {} is not seen yet", self.name);
                return Ok(());
            }
        }
    }

    fn failed(&self, why: &str) -> ApiError {
        let message = format!("agent {} did not start: {why}", self.name);
        ApiError::new("agent_start_failed", message)
    }

    fn pane_id(&self) -> String {
        let live = self.call.shared.look();
        let pane = live.world.pane(self.key);
        pane.map(|pane| pane.id().to_string()).unwrap_or_default()
    }

    fn sleep(&self, until: Instant) -> Result<Woken, Ended> {
        match wait::sleep(
            self.call.shared,
            self.call.client,
            Some(&self.wake),
            Some(until),
        ) {
            Woken::Over => Err(Ended::Silent),
            woken => Ok(woken),
        }
    }
}

/// What the shell of a pane does.
enum Shell {
    /// It waits for a command.
    Prompt(Dialect),
    /// It reads its startup files, or runs something within itself.
    Starting,
    /// Another program has the terminal, or the pane's own process is no shell.
    Busy,
}

/// At its prompt a known shell is alone in the foreground (herdr 0.9.3).
fn shell(pane: &Pane) -> Shell {
    let Some(job) = pane.process_info().foreground else {
        return Shell::Busy;
    };
    let leader = job
        .processes
        .first()
        .filter(|first| first.pid == job.shell_pid);
    match leader {
        Some(leader) if job.group == job.shell_pid && is_shell(&leader.name) => {
            if job.processes.len() == 1 {
                Shell::Prompt(Dialect::of(&leader.name))
            } else {
                Shell::Starting
            }
        }
        // It is not there yet.
        None if job.group == job.shell_pid => Shell::Starting,
        // What runs before anything was typed, the startup files have started.
        None if !pane.was_typed_into() && is_shell_process(job.shell_pid) => Shell::Starting,
        _ => Shell::Busy,
    }
}

fn is_shell_process(pid: i32) -> bool {
    sys::process_facts(pid).is_some_and(|facts| is_shell(&facts.name))
}

fn screen_text(pane: &Pane) -> String {
    let request = ReadRequest {
        source: Source::RecentUnwrapped,
        lines: None,
        format: Format::Text,
    };
    pane.screen().read(&request).text
}

/// What a shell said last, above its new prompt.
fn last_line(text: &str) -> &str {
    let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty());
    let prompt = lines.next();
    lines
        .next()
        .or(prompt)
        .map_or("the shell said nothing", str::trim)
}

fn unsafe_arguments() -> ApiError {
    ApiError::new(
        "invalid_agent_argument",
        "agent arguments cannot be encoded safely for the target shell",
    )
}

fn pane_not_found(pane_id: &str) -> ApiError {
    let message = format!("agent target pane {pane_id} not found");
    ApiError::new("agent_pane_not_found", message)
}

fn busy(pane_id: &str) -> ApiError {
    let message = format!("agent target pane {pane_id} is not an available shell");
    ApiError::new("agent_pane_busy", message)
}
