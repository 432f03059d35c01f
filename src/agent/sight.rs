//! What the screen of a running agent tells over time: verdicts come one by one, and a screen that
//! shows nothing in particular counts only when it stays.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::effect::Effects;
use super::kind::Kind;
use super::pane_agent::{Claim, Context, PaneAgent};
use super::process::Detection;
use super::rules::Verdict;
use super::status::AgentState;

/// How long a screen must look idle without a clear sign of it before work counts as over, and before
/// an agent of which nothing was seen yet counts as idle. Agents take their status line away some ten
/// milliseconds before they draw the next, and with the up to 100 ms that output takes to settle a
/// person still learns of the end within 0.3 s.
const IDLE_HOLDS: Duration = Duration::from_millis(150);

/// How long a claim of work must be unrenewed before the clear idle screen of a native reporter
/// corrects it. Crush is known to leave its last word at `working` after long sessions.
const CLAIM_OUTLASTS_SCREEN: Duration = Duration::from_secs(2);

/// The source of Crush's reports. It may say `working` while its dialog is up.
const CRUSH: &str = "crush";

/// What the screen told last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Sight {
    state: AgentState,
    /// A dialog that waits for a person is on the screen.
    blocker: bool,
    /// The agent's own idle chrome is on the screen.
    clearly_idle: bool,
    /// A rule, and not the lack of a match, last said that it is idle.
    found_idle: bool,
    /// When what told it was painted. Not saved: the next look tells, and a screen that is painted
    /// all the time would be written down all the time.
    #[serde(skip)]
    painted: Option<Instant>,
    /// When the idle that was last seen counts, unless something else is seen before.
    #[serde(with = "crate::timeline::optional")]
    held: Option<Instant>,
}

impl Sight {
    pub(super) fn state(&self) -> AgentState {
        self.state
    }

    /// Whether it is idle, and a rule has found that.
    pub(super) fn has_found_idle(&self) -> bool {
        self.found_idle && self.state == AgentState::Idle
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.held
    }

    /// Takes a verdict on what was painted at `painted`.
    fn take(&mut self, verdict: &Verdict, painted: Instant, now: Instant) {
        self.painted = Some(painted);
        self.blocker = verdict.visible_blocker && verdict.state == AgentState::Blocked;
        self.clearly_idle = verdict.visible_idle && verdict.state == AgentState::Idle;
        self.found_idle = verdict.fallback.is_none() && verdict.state == AgentState::Idle;
        if verdict.keep {
            self.held = None;
            return;
        }
        let hold = match (verdict.state, self.state) {
            (AgentState::Idle, _) if verdict.visible_idle => None,
            (AgentState::Idle, AgentState::Working | AgentState::Blocked) => Some(IDLE_HOLDS),
            // What is seen on the screen needs no grace.
            (AgentState::Idle, AgentState::Unknown) if verdict.fallback.is_some() => {
                Some(IDLE_HOLDS)
            }
            _ => None,
        };
        match hold {
            Some(hold) => {
                self.held.get_or_insert(now + hold);
            }
            None => {
                self.held = None;
                self.state = verdict.state;
            }
        }
    }

    /// Lets a held idle count once its time has come.
    pub(super) fn settle(&mut self, now: Instant) {
        if self.held.is_some_and(|due| due <= now) {
            self.held = None;
            self.state = AgentState::Idle;
        }
    }

    /// Whether what was seen was painted `age` or more after `claim` was made.
    fn is_after(&self, claim: &Claim, age: Duration) -> bool {
        self.painted.is_some_and(|at| at >= claim.at + age)
    }
}

impl PaneAgent {
    /// The agent whose screen is to be judged: it runs in the foreground, and no integration that
    /// tells everything owns its state.
    pub fn watched(&self) -> Option<Kind> {
        match self.detection {
            Detection::Running {
                kind,
                vanishes: None,
                ..
            } if !self.screen_is_skipped() => Some(kind),
            _ => None,
        }
    }

    /// Takes the verdict on the screen of `kind` as it was painted at `painted`.
    pub fn screen_seen(
        &mut self,
        kind: Kind,
        verdict: &Verdict,
        painted: Instant,
        context: &mut Context<'_>,
    ) -> Effects {
        if self.watched() != Some(kind) {
            // The look was for an agent that is not there any more.
            return Effects::default();
        }
        let settled = self.settle_detection(context);
        if let Detection::Running { sight, .. } = &mut self.detection {
            sight.take(verdict, painted, context.now);
        }
        if self.state() == self.view().state && self.launch.is_none() {
            return settled;
        }
        settled.then(self.conclude(context, None))
    }

    /// What the screen of the agent that `claim` speaks for says against it (herdr 0.9.3): only a
    /// dialog that waits for a person, painted after the report, outranks a report, until the dialog
    /// is gone.
    pub(super) fn screen_overrides(&self, claim: &Claim) -> Option<AgentState> {
        let Detection::Running { kind, sight, .. } = &self.detection else {
            return None;
        };
        if claim.label != kind.label() || self.screen_is_skipped() {
            return None;
        }
        let crush_works = claim.source == CRUSH && claim.state == AgentState::Working;
        let dialog = sight.blocker && claim.state != AgentState::Blocked;
        if dialog && (crush_works || sight.is_after(claim, Duration::ZERO)) {
            return Some(AgentState::Blocked);
        }
        let corrected =
            crush_works && sight.clearly_idle && sight.is_after(claim, CLAIM_OUTLASTS_SCREEN);
        corrected.then_some(AgentState::Idle)
    }
}
