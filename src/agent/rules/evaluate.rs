//! The verdict of a manifest on a snapshot.

use super::manifest::{Manifest, Rule};
use super::snapshot::{Regions, Snapshot};
use crate::agent::{AgentState, Kind};

/// What the screen of a known agent tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The state; [`AgentState::Unknown`] when `keep` is set.
    pub state: AgentState,
    /// The screen says nothing about the turn: the state before stands.
    pub keep: bool,
    /// The agent's own idle chrome is there, which it does not draw while it works.
    pub visible_idle: bool,
    /// The dialog that waits for a person is there.
    pub visible_blocker: bool,
    /// The sign of work is there.
    pub visible_working: bool,
    /// No rule matched.
    pub fallback: Option<Fallback>,
}

/// What holds when no rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// A known agent that shows nothing in particular is idle (herdr 0.9.3).
    Idle,
    /// Codex scrolls through screens without chrome: nothing is said (herdr 0.9.3).
    Nothing,
    /// There are no rules for this agent: only its reports tell.
    NoRules,
}

impl Fallback {
    /// The word that explanations give.
    pub fn reason(self) -> &'static str {
        match self {
            Fallback::Idle => "default_known_agent_idle_fallback",
            Fallback::Nothing => "known_agent_without_idle_fallback",
            Fallback::NoRules => "no_manifest",
        }
    }
}

/// The best of a manifest's rules for a snapshot: the one of highest priority that matches, of
/// equals the first.
pub(super) fn best<'a>(manifest: &'a Manifest, regions: &mut Regions<'_>) -> Option<&'a Rule> {
    let mut best: Option<&Rule> = None;
    for rule in &manifest.rules {
        // Matching is what costs, so rules that could not win are not matched.
        if best.is_some_and(|best| best.priority >= rule.priority) {
            continue;
        }
        if rule.gate.matches(regions.get(rule.region)) {
            best = Some(rule);
        }
    }
    best
}

/// What `manifest` says of the agent `kind` that shows `snapshot`.
pub fn evaluate(kind: Kind, manifest: Option<&Manifest>, snapshot: &Snapshot<'_>) -> Verdict {
    let Some(manifest) = manifest else {
        return Verdict::of_fallback(Fallback::NoRules);
    };
    match best(manifest, &mut Regions::new(*snapshot)) {
        Some(rule) => Verdict::of_rule(rule),
        None => Verdict::of_fallback(fallback(kind)),
    }
}

pub(super) fn fallback(kind: Kind) -> Fallback {
    if kind.label() == "codex" {
        Fallback::Nothing
    } else {
        Fallback::Idle
    }
}

impl Verdict {
    pub(super) fn of_rule(rule: &Rule) -> Verdict {
        Verdict {
            state: rule.state,
            keep: rule.skip_state_update,
            visible_idle: rule.visible_idle,
            visible_blocker: rule.visible_blocker,
            visible_working: rule.visible_working,
            fallback: None,
        }
    }

    pub(super) fn of_fallback(fallback: Fallback) -> Verdict {
        Verdict {
            state: match fallback {
                Fallback::Idle => AgentState::Idle,
                Fallback::Nothing | Fallback::NoRules => AgentState::Unknown,
            },
            keep: fallback != Fallback::Idle,
            visible_idle: false,
            visible_blocker: false,
            visible_working: false,
            fallback: Some(fallback),
        }
    }
}
