//! An agent that `agent.start` starts, until it can be talked to (herdr 0.9.3, managed starts).

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::effect::Effects;
use super::kind::Kind;
use super::name::{AgentName, OwnedName};
use super::pane_agent::{Context, PaneAgent};
use super::process::Detection;
use super::status::AgentState;

/// How long an agent must run before an idle screen that no rule knows counts as ready
/// (herdr 0.9.3). One on which its idle chrome is found is ready at once.
const UNPROVEN_IDLE: Duration = Duration::from_secs(3);

/// How far a start has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phase {
    /// The command is about to be typed, or the agent is not ready yet.
    Pending,
    /// It waits for a person before it is ready.
    Blocked,
    /// It can be talked to.
    Active,
}

/// A start and what became of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Launch {
    kind: Kind,
    pub(super) phase: Phase,
    /// When the command was typed.
    #[serde(with = "crate::timeline::optional")]
    typed: Option<Instant>,
    #[serde(with = "crate::timeline")]
    deadline: Instant,
    /// Its process was seen.
    seen: bool,
    /// [`UNPROVEN_IDLE`] is over.
    proven: bool,
    /// The name that the pane had before.
    former_name: Option<OwnedName>,
}

impl Launch {
    pub(super) fn is_pending(&self) -> bool {
        self.phase != Phase::Active
    }

    /// The next time at which something may change by itself.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let proven = self.typed.map(|typed| typed + UNPROVEN_IDLE);
        let unproven = proven.filter(|_| !self.proven);
        self.is_pending()
            .then(|| unproven.map_or(self.deadline, |due| due.min(self.deadline)))
    }
}

impl PaneAgent {
    /// Reserves the pane for an agent that is about to be started, under a name that the caller
    /// knows to be free.
    pub fn begin_launch(
        &mut self,
        name: AgentName,
        kind: Kind,
        deadline: Instant,
        context: &mut Context<'_>,
    ) -> Effects {
        self.launch = Some(Launch {
            kind,
            phase: Phase::Pending,
            typed: None,
            deadline,
            seen: false,
            proven: false,
            former_name: self.name.take(),
        });
        self.name = Some(OwnedName::new(name));
        self.conclude(context, None)
    }

    /// The command that starts the agent has been typed.
    pub fn launch_typed(&mut self, context: &Context<'_>) {
        if let Some(launch) = &mut self.launch {
            launch.typed = Some(context.now);
        }
    }

    /// Gives the pane back as it was: nothing was started.
    pub fn abandon_launch(&mut self, context: &mut Context<'_>) -> Effects {
        let Some(launch) = self.launch.take() else {
            return Effects::default();
        };
        self.name = launch.former_name;
        self.conclude(context, None)
    }

    /// Brings a start up to date with what is seen of the agent; part of every change.
    pub(super) fn follow_launch(&mut self, now: Instant) {
        let state = self.state();
        let (running, found_idle) = match &self.detection {
            Detection::Running { kind, sight, .. } => (Some(*kind), sight.has_found_idle()),
            Detection::None | Detection::Exited { .. } => (None, false),
        };
        let Some(launch) = &mut self.launch else {
            return;
        };
        if launch.phase == Phase::Active {
            if running != Some(launch.kind) {
                self.launch = None;
            }
            return;
        }
        launch.proven = launch
            .typed
            .is_some_and(|typed| now >= typed + UNPROVEN_IDLE);
        let failed = match running {
            Some(kind) if kind == launch.kind => {
                launch.seen = true;
                launch.phase = match state {
                    AgentState::Blocked => Phase::Blocked,
                    AgentState::Idle if found_idle || launch.proven => Phase::Active,
                    _ => Phase::Pending,
                };
                launch.is_pending() && now >= launch.deadline
            }
            Some(_) => true,
            None => launch.seen || now >= launch.deadline,
        };
        if failed {
            self.launch = None;
            self.name = None;
        }
    }
}
