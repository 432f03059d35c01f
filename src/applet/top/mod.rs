//! `drover top`: the agents, live, with the last lines of the selected one's pane beside them. Only
//! outside every pane.
//!
//! One thread, asleep in one `poll`: on the keyboard, on signals, and on two requests that the daemon
//! answers when there is something new (`agents.watch`), one for the agents and one for the pane.
//! It wakes by itself only for the ages that it shows.

mod model;
mod screen;
mod view;

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::Value;

use super::{control, log};
use crate::api::control::{AgentsWatch, AgentsWatchParams, NotifyMute, NotifyMuteParams};
use crate::api::method;
use crate::api::params::{PaneSendInputParams, PaneTarget};
use crate::client::{self, CallError, Patience, Pending};
use crate::command::{Answer, Caller, Failure, Outcome, Run};

use model::{Action, Model};
use screen::{Screen, Signals};
use view::Style;

/// Between two looks: twenty a second are more than anybody reads, and a pane that floods makes no more.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a daemon that has gone is tried again: one that was killed is back within a second.
const RETURN_TIME: Duration = Duration::from_secs(10);

/// Lines of a pane that are asked for: as many as a tall terminal shows.
const PREVIEW_LINES: u32 = 120;

#[derive(clap::Args)]
pub(super) struct Top {
    /// No colours, as with NO_COLOR in the environment
    #[arg(long)]
    no_colour: bool,
}

impl Run for Top {
    /// Keys: up and down (or k and j) select; enter or r writes a line to the agent, which enter sends and escape takes
    /// back; f focuses its pane, a attaches this terminal to it, m mutes its notifications; q leaves.
    fn run(self, caller: &Caller) -> Outcome {
        let quiet = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let style = Style {
            colours: !self.no_colour && !quiet("NO_COLOR") && !dumb,
        };
        screen::guarded(|| watch(caller, style))
    }
}

/// Shows the list, and gives the terminal away while another command has it.
fn watch(caller: &Caller, style: Style) -> Outcome {
    let mut top = Running {
        control: caller.session_paths()?.control_socket,
        protocol: caller.socket()?,
        model: Model::default(),
        version: None,
        revision: None,
        agents: None,
        preview: None,
        look_at: Instant::now(),
        gone: None,
    };
    // Before the terminal is touched: why it cannot be shown is for where the person is now.
    top.begin()
        .map_err(|error| control::failure(&error, caller))?;
    loop {
        let leaving = {
            // Around the time that the screen is there, so that no signal ends the process within it.
            let signals = Signals::catch()
                .map_err(|error| Failure::Failed(format!("error: catching signals: {error}")))?;
            let mut screen = Screen::enter()
                .map_err(|error| Failure::Failed(format!("error: the terminal: {error}")))?;
            top.run(&mut screen, &signals, style)
        };
        match leaving {
            Ok(Leaving::Quit) => return Ok(Answer::Nothing),
            Ok(Leaving::DaemonGone) => {
                crate::herdr::tell("drover has stopped.\n");
                return Ok(Answer::Nothing);
            }
            Ok(Leaving::Attach(pane)) => {
                if let Err(failure) = crate::herdr::attach(caller, &pane, false) {
                    top.model.note = match failure {
                        Failure::Failed(text) | Failure::Refused(text) => text,
                        _ => "it cannot be attached to".to_owned(),
                    };
                }
            }
            Err(error) => return Err(Failure::Failed(format!("error: the terminal: {error}"))),
        }
    }
}

/// Why the list lets go of the terminal.
enum Leaving {
    Quit,
    /// The daemon stopped, or does not come back.
    DaemonGone,
    /// The person wants to see a pane whole.
    Attach(String),
}

struct Running {
    control: PathBuf,
    protocol: PathBuf,
    model: Model,
    /// What the list shows is as of this one.
    version: Option<u64>,
    /// What the preview shows is as of this one; none before the first.
    revision: Option<u64>,
    agents: Option<Pending>,
    /// Of which pane.
    preview: Option<(String, Pending)>,
    /// Requests are made again from then on.
    look_at: Instant,
    /// Since when the daemon cannot be reached.
    gone: Option<Instant>,
}

impl Running {
    /// The first look, which says whether there is anything to look at.
    fn begin(&mut self) -> Result<(), CallError> {
        let pending = self.ask(AgentsWatchParams::default())?;
        let answer = pending.result()?;
        self.take_agents(&answer);
        Ok(())
    }

    fn ask(&self, params: AgentsWatchParams) -> Result<Pending, CallError> {
        Pending::send::<AgentsWatch>(&self.control, "drover:top", &params)
    }

    fn run(&mut self, screen: &mut Screen, signals: &Signals, style: Style) -> io::Result<Leaving> {
        loop {
            if let Err(error) = self.request()
                && !self.may_return(&error)
            {
                return Ok(Leaving::DaemonGone);
            }
            let (cols, rows) = screen.size();
            let lines = view::draw(&self.model, cols.into(), rows.into(), log::now(), style);
            screen.show(lines)?;
            let [typed, resized, ended, agents, preview] = self.wait(signals)?;
            if ended {
                return Ok(Leaving::Quit);
            }
            if resized {
                let _ = (&signals.resized).read(&mut [0; 64]);
            }
            if agents && let Some(pending) = self.agents.take() {
                match pending.result() {
                    Ok(answer) => self.take_agents(&answer),
                    Err(error) if !self.may_return(&error) => return Ok(Leaving::DaemonGone),
                    Err(_) => {}
                }
                self.look_at = Instant::now() + PAUSE;
            }
            if preview && let Some((_, pending)) = self.preview.take() {
                if let Ok(answer) = pending.result() {
                    let preview = &answer["preview"];
                    self.revision = preview["revision"].as_u64();
                    self.model.take_preview(preview);
                }
                self.look_at = Instant::now() + PAUSE;
            }
            if typed && let Some(leaving) = self.type_in()? {
                return Ok(leaving);
            }
        }
    }

    /// Makes the requests that are not under way, if it is time.
    fn request(&mut self) -> Result<(), CallError> {
        let selected = self.model.selected.clone();
        let of = self.preview.as_ref().map(|(pane, _)| pane);
        if of.is_some() && of != selected.as_ref() {
            // Closing it takes it back.
            self.preview = None;
            self.revision = None;
        } else if self.look_at > Instant::now() {
            return Ok(());
        }
        if self.agents.is_none() {
            self.agents = Some(self.ask(AgentsWatchParams {
                version: self.version,
                ..AgentsWatchParams::default()
            })?);
            self.gone = None;
        }
        if self.preview.is_none()
            && let Some(pane) = selected
        {
            let pending = self.ask(AgentsWatchParams {
                pane_id: Some(pane.clone()),
                revision: self.revision,
                lines: PREVIEW_LINES,
                ..AgentsWatchParams::default()
            })?;
            self.preview = Some((pane, pending));
        }
        Ok(())
    }

    /// Whether a daemon that does not answer may be back soon: one that was killed is.
    fn may_return(&mut self, error: &CallError) -> bool {
        if error.code() == Some("server_unavailable") {
            return false;
        }
        if matches!(error, CallError::Refused(_) | CallError::Foreign { .. }) {
            return false;
        }
        let since = *self.gone.get_or_insert_with(Instant::now);
        // It counts from the beginning in a process that it does not know.
        (self.version, self.revision, self.preview) = (None, None, None);
        self.look_at = Instant::now() + PAUSE * 4;
        since.elapsed() < RETURN_TIME
    }

    fn take_agents(&mut self, answer: &Value) {
        self.version = answer["version"].as_u64();
        let before = self.model.selected.clone();
        self.model.take_agents(&answer["agents"]);
        if self.model.selected != before {
            self.revision = None;
        }
    }

    /// Sleeps until there is something: typed, another size, the end, an answer about the agents or the
    /// pane, or an age that is not true any more.
    fn wait(&self, signals: &Signals) -> io::Result<[bool; 5]> {
        let stdin = io::stdin();
        let mut descriptors = vec![
            PollFd::new(stdin.as_fd(), PollFlags::POLLIN),
            PollFd::new(signals.resized.as_fd(), PollFlags::POLLIN),
            PollFd::new(signals.ended.as_fd(), PollFlags::POLLIN),
        ];
        let agents = self.agents.as_ref().map(|pending| {
            descriptors.push(PollFd::new(pending.as_fd(), PollFlags::POLLIN));
            descriptors.len() - 1
        });
        let preview = self.preview.as_ref().map(|(_, pending)| {
            descriptors.push(PollFd::new(pending.as_fd(), PollFlags::POLLIN));
            descriptors.len() - 1
        });
        let timeout = PollTimeout::try_from(self.patience()).unwrap_or(PollTimeout::MAX);
        match poll(&mut descriptors, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = |at: usize| descriptors[at].any().unwrap_or(false);
        Ok([
            ready(0),
            ready(1),
            ready(2),
            agents.is_some_and(ready),
            preview.is_some_and(ready),
        ])
    }

    fn patience(&self) -> Duration {
        let now = log::now();
        let young = |age: i64| (0..60_000).contains(&age);
        let counts_seconds = self
            .model
            .agents
            .iter()
            .any(|agent| young(now - agent.since));
        let age = Duration::from_secs(if counts_seconds { 1 } else { 60 });
        let under_way =
            self.agents.is_some() && (self.preview.is_some() || self.model.selected.is_none());
        if under_way {
            age
        } else {
            let left = self.look_at.saturating_duration_since(Instant::now());
            // Rounded up, or the last millisecond would be waited for in a circle.
            age.min(left + Duration::from_millis(1))
        }
    }

    /// Takes what was typed; where to go, if that was meant.
    fn type_in(&mut self) -> io::Result<Option<Leaving>> {
        let mut buffer = [0; 4096];
        let count = match nix::unistd::read(io::stdin(), &mut buffer) {
            // The terminal is gone.
            Ok(0) | Err(Errno::EIO) => return Ok(Some(Leaving::Quit)),
            Err(Errno::EINTR | Errno::EAGAIN) => return Ok(None),
            other => other?,
        };
        for key in model::keys(&buffer[..count]) {
            let before = self.model.selected.clone();
            let action = self.model.key(key);
            if self.model.selected != before {
                self.revision = None;
            }
            match action {
                Action::Nothing => {}
                Action::Quit => return Ok(Some(Leaving::Quit)),
                Action::Attach(pane) => return Ok(Some(Leaving::Attach(pane))),
                other => self.act(other),
            }
        }
        Ok(None)
    }

    /// Does what was asked for, and notes what became of it.
    fn act(&mut self, action: Action) {
        let patience = Patience::ORDINARY;
        let (done, outcome) = match action {
            Action::Focus(pane_id) => (
                format!("{pane_id} is focused"),
                client::call::<method::PaneFocus>(
                    &self.protocol,
                    "drover:top",
                    &PaneTarget { pane_id },
                    patience,
                ),
            ),
            Action::Answer(pane_id, text) => (
                format!("sent to {pane_id}"),
                client::call::<method::PaneSendInput>(
                    &self.protocol,
                    "drover:top",
                    &PaneSendInputParams {
                        pane_id,
                        text,
                        keys: vec!["enter".to_owned()],
                    },
                    patience,
                ),
            ),
            Action::Mute(pane_id, muted) => (
                if muted {
                    format!("nobody is told what the agent in {pane_id} does")
                } else {
                    format!("{pane_id} is told of again")
                },
                client::call::<NotifyMute>(
                    &self.control,
                    "drover:top",
                    &NotifyMuteParams { pane_id, muted },
                    patience,
                ),
            ),
            Action::Nothing | Action::Quit | Action::Attach(_) => return,
        };
        self.model.note = match outcome {
            Ok(_) => done,
            Err(error) => crate::command::printable::line(&error.to_string()),
        };
    }
}
