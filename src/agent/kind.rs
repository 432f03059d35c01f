//! The agents that are known by name: their label, the aliases they answer to, their executable.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One row of the table.
struct Known {
    label: &'static str,
    aliases: &'static [&'static str],
    executable: &'static str,
}

const fn known(
    label: &'static str,
    aliases: &'static [&'static str],
    executable: &'static str,
) -> Known {
    Known {
        label,
        aliases,
        executable,
    }
}

/// How many rows at the end of the table herdr 0.9.3 does not know. They report natively, without
/// an integration script, and herdr treats them as custom labels.
const NATIVE_ROWS: usize = 2;

/// herdr 0.9.3's recognised agents, then the native reporters.
const TABLE: &[Known] = &[
    known("pi", &[], "pi"),
    known("claude", &["claude-code"], "claude"),
    known("codex", &[], "codex"),
    known("gemini", &[], "gemini"),
    known("cursor", &["cursor-agent"], "cursor-agent"),
    known("devin", &["devin-cli", "devin cli"], "devin"),
    known("agy", &["antigravity", "antigravity-cli"], "agy"),
    known("cline", &[], "cline"),
    known("omp", &[], "omp"),
    known("mastracode", &["mastra-code", "mastra code"], "mastracode"),
    known("opencode", &["opencode2", "open-code"], "opencode"),
    known("copilot", &["github-copilot", "ghcs"], "copilot"),
    known("kimi", &["kimi-code", "kimi code"], "kimi"),
    known("kiro", &["kiro-cli"], "kiro-cli"),
    known("droid", &[], "droid"),
    known("amp", &["amp-local"], "amp"),
    known("grok", &["grok-build"], "grok"),
    known("hermes", &["hermes-agent"], "hermes"),
    known("kilo", &["kilo-code", "kilo code"], "kilo"),
    known("qodercli", &["qoderclicn", "qoder", "qodercn"], "qodercli"),
    known("qwen", &["qwen-code", "qwen code"], "qwen"),
    known("maki", &[], "maki"),
    known("letta", &[], "letta"),
    known("muse", &[], "muse"),
    known("crush", &[], "crush"),
    known("xcsh", &[], "xcsh"),
];

/// A known agent.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind(u8);

/// Written down by its label: rows of the table may move.
impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.label().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Kind, D::Error> {
        let label = String::deserialize(from)?;
        Kind::find(&label)
            .ok_or_else(|| serde::de::Error::custom(format!("no agent is called {label}")))
    }
}

impl Kind {
    /// Every known agent.
    pub fn all() -> impl Iterator<Item = Kind> {
        // The table has far fewer than 256 rows.
        (0..TABLE.len()).map(|row| Kind(row as u8))
    }

    /// The agent with this label or alias, in any case, with or without a path and `.exe`.
    pub fn find(text: &str) -> Option<Kind> {
        let name = base_name(text);
        Kind::all().find(|kind| {
            let row = kind.row();
            row.label.eq_ignore_ascii_case(name) || kind.answers_as_process(name)
        })
    }

    /// The agent whose process has this name, in any case, with or without a path and `.exe`. A
    /// label that is not also an executable does not count: `cursor` and `kiro` are editors.
    pub fn of_executable(text: &str) -> Option<Kind> {
        let name = base_name(text);
        Kind::all().find(|kind| kind.answers_as_process(name))
    }

    /// The canonical label, which is also herdr's `kind`.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// The name of the program to start.
    pub fn executable(self) -> &'static str {
        self.row().executable
    }

    /// Whether herdr 0.9.3 knows the agent too. The others are custom labels to it.
    pub fn known_to_herdr(self) -> bool {
        usize::from(self.0) < TABLE.len() - NATIVE_ROWS
    }

    fn row(self) -> &'static Known {
        // A kind is only made from an index of the table.
        &TABLE[usize::from(self.0)]
    }

    fn answers_as_process(self, name: &str) -> bool {
        let row = self.row();
        row.executable.eq_ignore_ascii_case(name)
            || row
                .aliases
                .iter()
                .any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Kind({})", self.label())
    }
}

/// The last component of a path of either style, without `.exe`.
pub(super) fn base_name(text: &str) -> &str {
    let name = text.trim().rsplit(['/', '\\']).next().unwrap_or("");
    let stem = name.len().saturating_sub(".exe".len());
    match name.get(stem..) {
        Some(suffix) if stem > 0 && suffix.eq_ignore_ascii_case(".exe") => &name[..stem],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> Option<&'static str> {
        Kind::find(text).map(Kind::label)
    }

    #[test]
    fn labels_and_aliases_lead_to_the_canonical_label() {
        assert_eq!(label("claude"), Some("claude"));
        assert_eq!(label("Claude-Code"), Some("claude"));
        assert_eq!(label(" mastra code "), Some("mastracode"));
        assert_eq!(label("ghcs"), Some("copilot"));
        assert_eq!(label("cursor"), Some("cursor"));
        assert_eq!(label("kiro"), Some("kiro"));
        assert_eq!(label("my-bot"), None);
        assert_eq!(label(""), None);
        assert_eq!(label(".exe"), None);
    }

    #[test]
    fn a_path_and_the_windows_suffix_are_ignored() {
        assert_eq!(label("/usr/local/bin/claude"), Some("claude"));
        assert_eq!(label("C:\\bin\\Codex.EXE"), Some("codex"));
    }

    #[test]
    fn every_label_alias_and_executable_names_one_agent_only() {
        for kind in Kind::all() {
            let row = kind.row();
            for text in row.aliases.iter().chain([&row.label, &row.executable]) {
                assert_eq!(Kind::find(text), Some(kind), "{text}");
            }
            assert_eq!(Kind::of_executable(row.executable), Some(kind));
        }
    }

    #[test]
    fn an_editor_of_the_same_name_is_not_the_agent() {
        assert_eq!(Kind::of_executable("cursor"), None);
        assert_eq!(
            Kind::of_executable("cursor-agent").map(Kind::label),
            Some("cursor")
        );
    }

    #[test]
    fn native_reporters_are_known_here_but_not_to_herdr() {
        let native: Vec<&str> = Kind::all()
            .filter(|kind| !kind.known_to_herdr())
            .map(Kind::label)
            .collect();
        assert_eq!(native, ["crush", "xcsh"]);
    }
}
