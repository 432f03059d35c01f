//! What is seen of the pane's foreground process, and how agents end without saying so.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::effect::Effects;
use super::integration::{Integration, StateOrigin, is_native};
use super::kind::Kind;
use super::pane_agent::{Context, PaneAgent};
use super::sight::Sight;
use super::speaker::Speaker;
use super::status::AgentState;

/// What the pane's foreground job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreground {
    /// A known agent.
    Agent {
        /// Which.
        kind: Kind,
        /// The id of its process group: another id is another run of the agent.
        group: u32,
    },
    /// The pane's own shell, alone at its prompt.
    Shell,
    /// Anything else, such as an editor that an agent opened.
    Other,
}

/// How long an ended agent keeps its last status before the pane counts as empty. herdr 0.8.2 was
/// seen to take 0.3 s.
const EXIT_SETTLES: Duration = Duration::from_millis(300);
/// How long an agent may be out of the foreground, with no shell there, before it counts as gone:
/// herdr's six missed looks at 300 ms.
const VANISH_AFTER: Duration = Duration::from_millis(1800);
/// How long a released agent is not taken up again from its dying process (herdr 0.9.3).
const RELEASE_HOLDS: Duration = Duration::from_secs(1);
/// How old a custom agent's report must be before a shell prompt ends it. herdr 0.9.2 takes 1 to
/// 2 s; a program that reports once and exits deserves the longer.
const PROMPT_ENDS_CLAIM: Duration = Duration::from_secs(2);

/// The known agent that was seen in the foreground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Detection {
    None,
    Running {
        kind: Kind,
        group: u32,
        /// When it counts as gone, while something else is in the foreground.
        #[serde(default, with = "crate::timeline::optional")]
        vanishes: Option<Instant>,
        /// What its screen told last.
        #[serde(default)]
        sight: Sight,
    },
    /// Its process ended; reports about it are late.
    Exited {
        kind: Kind,
        #[serde(with = "crate::timeline")]
        settles: Instant,
    },
}

/// A released agent whose process may still be dying, so that a look at it proves nothing.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Suppression {
    /// This process group, for as long as it stays in the foreground.
    Group { kind: Kind, group: u32 },
    /// Any process of this agent, for a moment: none had been seen.
    Kind {
        kind: Kind,
        #[serde(with = "crate::timeline")]
        until: Instant,
    },
}

impl Detection {
    pub(super) fn running(&self) -> Option<Kind> {
        match self {
            Detection::Running { kind, .. } => Some(*kind),
            Detection::None | Detection::Exited { .. } => None,
        }
    }

    pub(super) fn exited(&self) -> Option<Kind> {
        match self {
            Detection::Exited { kind, .. } => Some(*kind),
            Detection::None | Detection::Running { .. } => None,
        }
    }

    pub(super) fn in_foreground(&self) -> bool {
        matches!(self, Detection::Running { vanishes: None, .. })
    }

    /// A running agent's state is what its screen tells; an ended one is idle.
    pub(super) fn state(&self) -> AgentState {
        match self {
            Detection::None => AgentState::Unknown,
            Detection::Running { sight, .. } => sight.state(),
            Detection::Exited { .. } => AgentState::Idle,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        match self {
            Detection::None => None,
            Detection::Running {
                vanishes, sight, ..
            } => vanishes.iter().copied().chain(sight.deadline()).min(),
            Detection::Exited { settles, .. } => Some(*settles),
        }
    }
}

impl PaneAgent {
    /// Takes a look at the pane's foreground job.
    pub fn foreground_changed(
        &mut self,
        foreground: Foreground,
        context: &mut Context<'_>,
    ) -> Effects {
        let settled = self.settle_detection(context);
        let settled = settled.then(self.settle_resuming(foreground, context));
        settled.then(match foreground {
            Foreground::Agent { kind, group } => self.agent_in_foreground(kind, group, context),
            Foreground::Shell => {
                self.suppression = None;
                let exited = self.process_exited(context);
                exited.then(self.prompt_seen(context))
            }
            Foreground::Other => {
                self.suppression = None;
                if let Detection::Running { vanishes, .. } = &mut self.detection {
                    vanishes.get_or_insert(context.now + VANISH_AFTER);
                }
                Effects::default()
            }
        })
    }

    /// The process of the agent that was seen in the pane ended. Nothing if none was seen.
    pub fn process_exited(&mut self, context: &mut Context<'_>) -> Effects {
        let Some(kind) = self.detection.running() else {
            return Effects::default();
        };
        let label = kind.label();
        let released = self.label() == Some(label);
        self.detection = Detection::Exited {
            kind,
            settles: context.now + EXIT_SETTLES,
        };
        let source = self.claim.as_ref().filter(|claim| claim.label == label);
        let source = source.map(|claim| claim.source.clone());
        self.forget_agent(label, None);
        let tokens = source.is_some_and(|source| self.forget_metadata(&source));
        self.records.forget_label(label);
        self.marks.forget_label(label);
        self.conclude_release(released.then(|| label.to_owned()), tokens, context)
    }

    /// When a look at the foreground job is due although nothing was seen to change: it could end
    /// a claim that no process speaks for, or find an agent that outlived its release.
    pub fn next_look(&self) -> Option<Instant> {
        let released = match self.suppression {
            Some(Suppression::Kind { until, .. }) => Some(until),
            Some(Suppression::Group { .. }) | None => None,
        };
        let resumed = self.resuming.as_ref().and_then(|resuming| resuming.until);
        [self.claim_doubtful_at(), released, resumed]
            .into_iter()
            .flatten()
            .min()
    }

    /// From when on a shell prompt ends the claim: one of a custom agent, or of a full-lifecycle
    /// integration whose process was never seen. Others end with their process.
    fn claim_doubtful_at(&self) -> Option<Instant> {
        let claim = self.claim.as_ref()?;
        let custom = is_custom(&claim.label)
            || Integration::find(&claim.source, &claim.label)
                .is_some_and(|pair| pair.state == StateOrigin::Lifecycle);
        let unwatched = custom && self.detection.running().is_none() && claim.speaker.is_none();
        unwatched.then(|| claim.at + PROMPT_ENDS_CLAIM)
    }

    /// Names the process behind the report that was just taken. As long as it lives, a shell prompt
    /// does not end the claim. Nothing if the report did not count.
    pub fn attribute(&mut self, speaker: Option<Speaker>, context: &Context<'_>) {
        if let Some(claim) = &mut self.claim
            && claim.at == context.now
        {
            claim.speaker = speaker;
        }
    }

    /// The process behind the claim, while it lives.
    pub fn speaker(&self) -> Option<Speaker> {
        self.claim.as_ref()?.speaker
    }

    /// A process that spoke for the agent has ended: a shell prompt may end the claim now.
    pub fn speaker_departed(&mut self, departed: Speaker) {
        if let Some(claim) = &mut self.claim
            && claim.speaker == Some(departed)
        {
            claim.speaker = None;
        }
    }

    fn agent_in_foreground(
        &mut self,
        kind: Kind,
        group: u32,
        context: &mut Context<'_>,
    ) -> Effects {
        if self.is_suppressed(kind, group, context.now) {
            return Effects::default();
        }
        self.suppression = None;
        let mut effects = Effects::default();
        if let Detection::Running {
            kind: former,
            group: former_group,
            vanishes,
            ..
        } = &mut self.detection
            && *former == kind
        {
            if *former_group == group {
                *vanishes = None;
                return effects;
            }
            // The same agent was started anew before anyone saw the shell in between.
            effects = self.process_exited(context);
        }
        self.detection = Detection::Running {
            kind,
            group,
            vanishes: None,
            sight: Sight::default(),
        };
        self.starting = true;
        if let Some(claim) = &self.claim
            && Kind::find(&claim.label).is_some_and(|claimed| claimed != kind)
        {
            // The claim spoke for an agent that is not there; its session may still be resumed.
            let session = self.claim.take().and_then(|claim| claim.session);
            self.stored_session = session.or(self.stored_session.take());
        }
        if self
            .resume
            .as_ref()
            .is_some_and(|resume| resume.label != kind.label() && !is_custom(&resume.label))
        {
            self.resume = None;
        }
        effects.then(self.conclude(context, None))
    }

    /// Ends what time has decided: an exit that settled, an agent out of sight for too long, a screen
    /// that has looked idle for long enough.
    pub(super) fn settle_detection(&mut self, context: &mut Context<'_>) -> Effects {
        if let Detection::Running {
            sight, vanishes, ..
        } = &mut self.detection
            && vanishes.is_none_or(|gone| context.now < gone)
        {
            let before = sight.state();
            sight.settle(context.now);
            return if sight.state() == before {
                Effects::default()
            } else {
                self.conclude(context, None)
            };
        }
        if self
            .detection
            .next_deadline()
            .is_none_or(|deadline| context.now < deadline)
        {
            return Effects::default();
        }
        let before = std::mem::replace(&mut self.detection, Detection::None);
        if let Some(kind) = before.running() {
            let label = kind.label();
            if self
                .claim
                .as_ref()
                .is_some_and(|claim| claim.label == label)
            {
                self.claim = None;
                self.resume = None;
            }
            if self.label().is_none() {
                self.name = None;
            }
        }
        self.conclude(context, None)
    }

    /// The pane's shell waits at its prompt: a custom agent that reported a while ago is gone.
    fn prompt_seen(&mut self, context: &mut Context<'_>) -> Effects {
        let Some(claim) = &self.claim else {
            return Effects::default();
        };
        if self.claim_doubtful_at().is_none_or(|due| context.now < due) {
            return Effects::default();
        }
        let (source, label) = (claim.source.clone(), claim.label.clone());
        self.forget_agent(&label, Some(&source));
        let tokens = self.forget_metadata(&source);
        self.records.forget_label(&label);
        self.conclude_release(Some(label), tokens, context)
    }

    /// Drops what belongs to an agent that is gone: claim, session, resume command and name. With
    /// a source, a session that another source named stays.
    pub(super) fn forget_agent(&mut self, label: &str, source: Option<&str>) {
        if self
            .claim
            .as_ref()
            .is_some_and(|claim| claim.label == label)
        {
            self.claim = None;
        }
        if self.stored_session.as_ref().is_some_and(|session| {
            session.agent == label && source.is_none_or(|source| source == session.source)
        }) {
            self.stored_session = None;
        }
        if self
            .resume
            .as_ref()
            .is_some_and(|resume| resume.label == label)
        {
            self.resume = None;
        }
        if self.label().is_none() {
            self.name = None;
        }
    }

    /// Drops what a source that is gone wanted shown. herdr keeps tokens for whoever set them; a
    /// native reporter's are about its run and go with it. True if a token went.
    pub(super) fn forget_metadata(&mut self, source: &str) -> bool {
        self.records.forget_source(source);
        is_native(source) && self.tokens.forget_source(source)
    }

    /// Keeps a released agent from being taken up from its dying process. Another agent that is
    /// seen in the pane stays.
    pub(super) fn suppress_detection(&mut self, kind: Kind, now: Instant) {
        self.suppression = Some(match self.detection {
            Detection::Running {
                kind: running,
                group,
                ..
            } if running == kind => {
                self.detection = Detection::None;
                Suppression::Group { kind, group }
            }
            _ => Suppression::Kind {
                kind,
                until: now + RELEASE_HOLDS,
            },
        });
    }

    fn is_suppressed(&self, kind: Kind, group: u32, now: Instant) -> bool {
        match self.suppression {
            Some(Suppression::Group {
                kind: released,
                group: dying,
            }) => released == kind && dying == group,
            Some(Suppression::Kind {
                kind: released,
                until,
            }) => released == kind && now < until,
            None => false,
        }
    }
}

/// Whether herdr knows no process for this label, so that only its reports and the shell prompt
/// tell whether it is there.
fn is_custom(label: &str) -> bool {
    !Kind::find(label).is_some_and(Kind::known_to_herdr)
}
