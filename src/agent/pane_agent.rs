//! What is known of the agent in one pane, and how that adds up to what is shown.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::blocked::BlockedKind;
use super::effect::{Effect, Effects};
use super::error::AgentError;
use super::integration::{Integration, StateOrigin};
use super::kind::Kind;
use super::launch::{Launch, Phase};
use super::marks::Marks;
use super::name::{AgentName, OwnedName};
use super::presentation::{Presentation, Records};
use super::process::{Detection, Suppression};
use super::resume::ResumeCommand;
use super::resuming::Resuming;
use super::session::SessionReference;
use super::speaker::Speaker;
use super::status::{AgentState, Status};
use super::tokens::TokenStore;

/// What a change needs to know about the rest of the world.
#[derive(Debug)]
pub struct Context<'a> {
    /// The time of the change. It must not run backwards from call to call.
    pub now: Instant,
    /// Whether the pane is where a person would see it: in the active tab of the active workspace, or
    /// in one that an attached terminal shows.
    pub in_active_tab: bool,
    /// Whether the terminal in which a person watches has the focus; `None` without one, which
    /// counts as focused.
    pub outer_focused: Option<bool>,
    /// The server's counter of state changes over all panes.
    pub state_changes: &'a mut u64,
}

/// The last accepted state report of a pane: who speaks for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Claim {
    pub(super) source: String,
    pub(super) label: String,
    pub(super) state: AgentState,
    pub(super) message: Option<String>,
    pub(super) session: Option<SessionReference>,
    #[serde(with = "crate::timeline")]
    pub(super) at: Instant,
    /// The process behind it, while it lives.
    #[serde(default)]
    pub(super) speaker: Option<Speaker>,
}

impl Claim {
    pub(super) fn belongs_to(&self, source: &str, label: &str) -> bool {
        self.source == source && self.label == label
    }
}

/// What was announced last; the next change is compared with it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Shown {
    label: Option<String>,
    state: AgentState,
    status: Status,
    presentation: Presentation,
    name: Option<AgentName>,
    launch: Option<Phase>,
}

/// The agent of one pane: its claim, sequence marks, session, resume command, metadata, name and
/// whether a person has seen it.
///
/// Written down as it is, so that another worker can take the pane over.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneAgent {
    pub(super) claim: Option<Claim>,
    pub(super) detection: Detection,
    pub(super) suppression: Option<Suppression>,
    /// A session without a live claim, or one named by another than the claimant.
    pub(super) stored_session: Option<SessionReference>,
    pub(super) resume: Option<ResumeCommand>,
    /// An agent of before a cold start that is being brought back.
    pub(super) resuming: Option<Resuming>,
    pub(super) marks: Marks,
    pub(super) name: Option<OwnedName>,
    pub(super) records: Records,
    pub(super) tokens: TokenStore,
    /// A start by `agent.start`.
    pub(super) launch: Option<Launch>,
    /// A process or session was just taken up, so that settling into idle completes nothing.
    pub(super) starting: bool,
    seen: bool,
    state_change_seq: u64,
    completion_seq: Option<u64>,
    shown: Shown,
}

/// What records show of a pane's agent, as of the last change.
#[derive(Debug, Clone, PartialEq)]
pub struct View<'a> {
    /// The effective label. A pane without one, and without a name, hosts no agent.
    pub agent: Option<&'a str>,
    /// The known agent with that label.
    pub kind: Option<Kind>,
    /// The unique alias.
    pub name: Option<&'a str>,
    /// The effective state.
    pub state: AgentState,
    /// The public status.
    pub status: Status,
    /// What a blocked agent waits for; not part of herdr's records.
    pub blocked: Option<BlockedKind>,
    /// The message of the last state report; not part of herdr's records.
    pub message: Option<&'a str>,
    /// Title, display name and status words.
    pub presentation: &'a Presentation,
    /// The session of the claim, else the stored one. It may outlive the agent.
    pub session: Option<&'a SessionReference>,
    /// The command that opens the session again.
    pub resume_argv: Option<&'a [String]>,
    /// An integration that tells everything owns the state, so the screen is not looked at.
    pub screen_detection_skipped: bool,
    /// The server's state change counter when the state last changed; 0 if it never did.
    pub state_change_seq: u64,
    /// The same, while the current idle period began by completing work.
    pub completion_seq: Option<u64>,
    /// `agent.start` has begun, and the agent is not ready yet.
    pub launch_pending: bool,
    /// An agent that `agent.start` started can be talked to.
    pub interactive_ready: bool,
    /// Whether a reporter holds the pane.
    pub claimed: bool,
    /// Whether the known agent's process is the pane's foreground job.
    pub in_foreground: bool,
}

impl View<'_> {
    /// Whether the pane appears in agent lists.
    pub fn hosts_agent(&self) -> bool {
        self.agent.is_some() || self.name.is_some()
    }

    /// Whether keys may be sent to the agent: a reporter holds the pane, or a known agent's process
    /// is its foreground job. herdr refuses custom labels; a live claim is as good a proof.
    pub fn accepts_keys(&self) -> bool {
        self.claimed || self.in_foreground
    }
}

impl Default for PaneAgent {
    fn default() -> PaneAgent {
        PaneAgent {
            claim: None,
            detection: Detection::None,
            suppression: None,
            stored_session: None,
            resume: None,
            resuming: None,
            marks: Marks::default(),
            name: None,
            records: Records::default(),
            tokens: TokenStore::default(),
            launch: None,
            starting: false,
            seen: true,
            state_change_seq: 0,
            completion_seq: None,
            shown: Shown::default(),
        }
    }
}

impl PaneAgent {
    /// A pane without an agent.
    pub fn new() -> PaneAgent {
        PaneAgent::default()
    }

    /// What records show.
    pub fn view(&self) -> View<'_> {
        let claim = self.claim.as_ref();
        let message = claim.and_then(|claim| claim.message.as_deref());
        View {
            agent: self.shown.label.as_deref(),
            kind: self.shown.label.as_deref().and_then(Kind::find),
            name: self.name.as_ref().map(|owned| owned.name.as_str()),
            state: self.shown.state,
            status: self.shown.status,
            blocked: claim
                .filter(|claim| claim.state == AgentState::Blocked)
                .and_then(|claim| BlockedKind::of(&claim.label, message)),
            message,
            presentation: &self.shown.presentation,
            session: self.session(),
            resume_argv: self.resume.as_ref().map(|resume| resume.argv.as_slice()),
            screen_detection_skipped: self.screen_is_skipped(),
            state_change_seq: self.state_change_seq,
            completion_seq: self.completion_seq,
            launch_pending: self.launch.as_ref().is_some_and(Launch::is_pending),
            interactive_ready: self
                .launch
                .as_ref()
                .is_some_and(|launch| !launch.is_pending()),
            claimed: claim.is_some(),
            in_foreground: self.detection.in_foreground(),
        }
    }

    /// The tokens in the order of their keys.
    pub fn tokens(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tokens.iter()
    }

    /// Gives the agent a name, whether one is there yet or about to be started. The caller knows
    /// that the name is free.
    pub fn set_name(&mut self, name: AgentName, context: &mut Context<'_>) -> Effects {
        if self.name.as_ref().is_some_and(|owned| owned.name == name) {
            return Effects::default();
        }
        self.name = Some(OwnedName::new(name));
        self.conclude(context, None)
    }

    /// Takes the agent's name away.
    pub fn clear_name(&mut self, context: &mut Context<'_>) -> Effects {
        if self.name.take().is_none() {
            return Effects::default();
        }
        self.conclude(context, None)
    }

    /// Sets or clears the name of an agent that is there (herdr 0.9.3, `agent.rename`).
    ///
    /// # Errors
    /// [`AgentError::NoAgent`], [`AgentError::LaunchPending`].
    pub fn rename(
        &mut self,
        name: Option<AgentName>,
        context: &mut Context<'_>,
    ) -> Result<Effects, AgentError> {
        if !self.view().hosts_agent() {
            return Err(AgentError::NoAgent);
        }
        if self.launch.as_ref().is_some_and(Launch::is_pending) {
            return Err(AgentError::LaunchPending);
        }
        Ok(match name {
            Some(name) => self.set_name(name, context),
            None => self.clear_name(context),
        })
    }

    /// A person looked at the pane: `done` becomes `idle`.
    pub fn mark_seen(&mut self) -> Effects {
        if self.seen {
            return Effects::default();
        }
        self.seen = true;
        let status = Status::of(self.shown.state, true);
        let mut effects = Effects {
            list: Vec::new(),
            changed: true,
        };
        if status != self.shown.status {
            self.shown.status = status;
            effects.list.push(Effect::Seen {
                agent: self.shown.label.clone(),
                presentation: self.shown.presentation.clone(),
            });
        }
        effects
    }

    /// The next time at which [`PaneAgent::expire`] has something to do.
    pub fn next_deadline(&self) -> Option<Instant> {
        [
            self.records.next_deadline(),
            self.tokens.next_deadline(),
            self.detection.next_deadline(),
            self.launch.as_ref().and_then(Launch::next_deadline),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Lets time take its course: metadata runs out, a process exit or disappearance settles.
    pub fn expire(&mut self, context: &mut Context<'_>) -> Effects {
        let records = self.records.expire(context.now);
        let tokens = self.tokens.expire(context.now);
        let mut effects = self.settle_detection(context);
        let launch = self.launch.as_ref().and_then(Launch::next_deadline);
        if records || launch.is_some_and(|due| due <= context.now) {
            effects = effects.then(self.conclude(context, None));
        }
        if tokens {
            effects.list.push(Effect::TokensChanged);
            effects.changed = true;
        }
        effects
    }

    /// The label that the pane has now: the claim's, else the running known agent's, else that of
    /// one that is being brought back.
    pub(super) fn label(&self) -> Option<&str> {
        match &self.claim {
            Some(claim) => Some(&claim.label),
            None => self.detection.running().map(Kind::label).or_else(|| {
                let resuming = self.resuming.as_ref()?;
                Some(&resuming.label)
            }),
        }
    }

    /// The session of the claim, else the stored one.
    pub(super) fn session(&self) -> Option<&SessionReference> {
        self.claim
            .as_ref()
            .and_then(|claim| claim.session.as_ref())
            .or(self.stored_session.as_ref())
    }

    /// The state that the pane has now: the claim's, unless the screen outranks it, else what is seen
    /// of the running agent.
    pub(super) fn state(&self) -> AgentState {
        match &self.claim {
            Some(claim) => self.screen_overrides(claim).unwrap_or(claim.state),
            None if self.resuming.is_some() => AgentState::Idle,
            None => self.detection.state(),
        }
    }

    /// Whether an integration that tells everything owns the state.
    pub(super) fn screen_is_skipped(&self) -> bool {
        self.claim.as_ref().is_some_and(|claim| {
            Integration::find(&claim.source, &claim.label)
                .is_some_and(|pair| pair.state == StateOrigin::Lifecycle)
        })
    }

    /// Ends every change: brings what is shown up to date and says what of it is news. `released`
    /// is the label of an agent that ended or let go of the pane.
    pub(super) fn conclude(
        &mut self,
        context: &mut Context<'_>,
        released: Option<String>,
    ) -> Effects {
        if self.claim.is_some() || self.detection.running().is_some() {
            self.resuming = None;
        }
        self.follow_launch(context.now);
        let label = self.label().map(str::to_owned);
        let state = self.state();
        self.follow_state(state, label.as_deref(), context);
        let session = self.session().cloned();
        if let Some(owned) = &mut self.name
            && !owned.still_fits(label.as_deref(), session.as_ref())
        {
            self.name = None;
        }
        let claimant = self.claim.as_ref().map(|claim| claim.source.as_str());
        let now = Shown {
            presentation: self.records.effective(label.as_deref(), claimant),
            status: Status::of(state, self.seen),
            name: self.name.as_ref().map(|owned| owned.name.clone()),
            launch: self.launch.as_ref().map(|launch| launch.phase),
            label,
            state,
        };
        let before = std::mem::replace(&mut self.shown, now);
        let now = &self.shown;

        let mut list = Vec::new();
        if before.name != now.name || before.launch != now.launch {
            list.push(Effect::NameChanged);
        }
        let known = if released.is_some() {
            None
        } else {
            before.label
        };
        if released.is_some() {
            list.push(Effect::Detected {
                agent: released,
                released: Some(now.status),
            });
        }
        if known != now.label {
            list.push(Effect::Detected {
                agent: now.label.clone(),
                released: None,
            });
        }
        if before.status != now.status || before.presentation != now.presentation {
            list.push(Effect::StatusChanged {
                status: now.status,
                agent: now.label.clone(),
                presentation: now.presentation.clone(),
            });
        }
        Effects {
            list,
            changed: true,
        }
    }

    /// Counts a change of state and decides whether it completed work that nobody has seen.
    fn follow_state(&mut self, state: AgentState, label: Option<&str>, context: &mut Context<'_>) {
        let before = self.shown.state;
        if state == before {
            return;
        }
        // A counter of 64 bits does not run out.
        *context.state_changes = context.state_changes.saturating_add(1);
        self.state_change_seq = *context.state_changes;
        self.completion_seq = None;
        if state != AgentState::Idle {
            self.seen = true;
            if state != AgentState::Unknown {
                self.starting = false;
            }
            return;
        }
        let completed = match before {
            // As of the last change: the idle that makes it ready completes nothing either.
            _ if self
                .shown
                .launch
                .is_some_and(|phase| phase != Phase::Active) =>
            {
                false
            }
            AgentState::Working | AgentState::Blocked => true,
            AgentState::Unknown => {
                !self.starting && label.is_some() && self.shown.label.as_deref() == label
            }
            AgentState::Idle => false,
        };
        self.starting = false;
        if completed {
            self.completion_seq = Some(self.state_change_seq);
            self.seen = context.in_active_tab && context.outer_focused != Some(false);
        }
    }
}
