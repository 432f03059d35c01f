//! The official reporters, by their pair of source and label, and how their reports count.

use super::session::StartSource::{self, *};

/// Where the state of an integration's agent comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateOrigin {
    /// From its reports.
    Reports,
    /// From its reports alone: they tell everything, and the screen is not looked at.
    Lifecycle,
    /// From the screen: its reports only give the session (herdr's reserved native pairs).
    Screen,
    /// From the screen, and its state reports are ignored completely (identity-only pairs).
    IdentityOnly,
}

/// When a new session may take the place of another of the same pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// Only when the agent began it for one of these reasons.
    On(&'static [StartSource]),
    /// Only when no reason was given.
    Unexplained,
}

impl Replacement {
    pub(super) fn allows(self, start: Option<StartSource>) -> bool {
        match self {
            Replacement::On(reasons) => start.is_some_and(|start| reasons.contains(&start)),
            Replacement::Unexplained => start.is_none(),
        }
    }
}

/// One official pair of source and label.
#[derive(Debug)]
pub(super) struct Integration {
    pub(super) source: &'static str,
    pub(super) label: &'static str,
    pub(super) state: StateOrigin,
    /// Whether a session path is taken before an id.
    pub(super) prefers_path: bool,
    pub(super) replacement: Replacement,
}

const fn row(
    source: &'static str,
    label: &'static str,
    state: StateOrigin,
    replacement: Replacement,
) -> Integration {
    Integration {
        source,
        label,
        state,
        prefers_path: false,
        replacement,
    }
}

const fn by_path(integration: Integration) -> Integration {
    Integration {
        prefers_path: true,
        ..integration
    }
}

const NEVER: Replacement = Replacement::On(&[]);

/// The pairs of herdr 0.9.3, and `herdr:xcsh` as the fork that xcsh is made for has it.
const TABLE: &[Integration] = &[
    row(
        "herdr:claude",
        "claude",
        StateOrigin::Screen,
        Replacement::On(&[Clear, Resume, Compact]),
    ),
    row(
        "herdr:codex",
        "codex",
        StateOrigin::Reports,
        Replacement::On(&[Startup, Clear, Resume, Compact]),
    ),
    row("herdr:copilot", "copilot", StateOrigin::Screen, NEVER),
    row("herdr:devin", "devin", StateOrigin::Screen, NEVER),
    row("herdr:droid", "droid", StateOrigin::Screen, NEVER),
    row("herdr:kimi", "kimi", StateOrigin::Lifecycle, NEVER),
    by_path(row(
        "herdr:omp",
        "omp",
        StateOrigin::Lifecycle,
        Replacement::On(&[Startup, New, Resume, Fork]),
    )),
    row(
        "herdr:mastracode",
        "mastracode",
        StateOrigin::Lifecycle,
        Replacement::On(&[Startup]),
    ),
    by_path(row(
        "herdr:pi",
        "pi",
        StateOrigin::Lifecycle,
        Replacement::On(&[New, Resume, Fork]),
    )),
    row(
        "herdr:hermes",
        "hermes",
        StateOrigin::IdentityOnly,
        Replacement::On(&[Startup, New, Resume]),
    ),
    row(
        "herdr:opencode",
        "opencode",
        StateOrigin::Lifecycle,
        Replacement::On(&[Select]),
    ),
    row("herdr:kilo", "kilo", StateOrigin::Lifecycle, NEVER),
    row("herdr:qodercli", "qodercli", StateOrigin::Screen, NEVER),
    // qwen is also identity-only, but herdr asks whether the pair is reserved first.
    row(
        "herdr:qwen",
        "qwen",
        StateOrigin::Screen,
        Replacement::On(&[Startup, Clear, Resume, Compact, Branch]),
    ),
    row("herdr:cursor", "cursor", StateOrigin::Screen, NEVER),
    row("herdr:grok", "grok", StateOrigin::Screen, NEVER),
    row(
        "herdr:antigravity_cli",
        "agy",
        StateOrigin::IdentityOnly,
        Replacement::Unexplained,
    ),
    row("herdr:letta", "letta", StateOrigin::Reports, NEVER),
    by_path(row(
        "herdr:xcsh",
        "xcsh",
        StateOrigin::Lifecycle,
        Replacement::On(&[New, Resume, Fork]),
    )),
];

impl Integration {
    /// The integration with exactly this source and canonical label.
    pub(super) fn find(source: &str, label: &str) -> Option<&'static Integration> {
        TABLE
            .iter()
            .find(|row| row.source == source && row.label == label)
    }

    /// Whether the server itself can open a session of this integration again.
    pub(super) fn can_resume(&self) -> bool {
        !is_native(self.source)
    }
}

/// Sources of agents that report natively, from within their own process: they know best when they
/// are gone, and number their reports by the clock.
pub(super) fn is_native(source: &str) -> bool {
    matches!(source, "crush" | "herdr:xcsh")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Kind;

    #[test]
    fn every_integration_belongs_to_a_known_agent() {
        for row in TABLE {
            let kind = Kind::find(row.label).unwrap();
            assert_eq!(kind.label(), row.label);
        }
    }

    #[test]
    fn a_foreign_label_under_an_official_source_is_a_custom_reporter() {
        assert!(Integration::find("herdr:pi", "pi").is_some());
        assert!(Integration::find("herdr:pi", "prime-agent").is_none());
        assert!(Integration::find("herdr:agy", "agy").is_none());
    }
}
