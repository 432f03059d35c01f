//! The manifests that come with drover, composed from what the agents are known to show.

use crate::agent::Kind;

macro_rules! bundle {
    ($($label:literal),* $(,)?) => {
        /// Labels and texts, in the order of the table of kinds.
        pub(super) const BUNDLE: &[(&str, &str)] = &[
            $(($label, include_str!(concat!("bundled/", $label, ".toml")))),*
        ];
    };
}

bundle!(
    "pi", "claude", "codex", "gemini", "cursor", "devin", "agy", "cline", "omp", "opencode",
    "copilot", "kimi", "kiro", "droid", "amp", "grok", "hermes", "kilo", "qodercli", "qwen",
    "maki", "letta", "muse", "crush", "xcsh",
);

/// The text of the manifest that comes with drover for an agent. Mastra Code has none: its screen
/// tells nothing reliable.
pub fn bundled(kind: Kind) -> Option<&'static str> {
    BUNDLE
        .iter()
        .find(|(label, _)| *label == kind.label())
        .map(|(_, text)| *text)
}
