//! A manifest: the rules of one agent, read from TOML and checked (herdr 0.9.3's format).

use std::fmt;

use serde::Deserialize;

use super::gate::{Gate, Spent, Written};
use super::region::Region;
use super::version::Version;
use crate::agent::{AgentState, Kind};

/// What manifests may ask for with `min_engine_version` (herdr 0.9.3).
pub const ENGINE_VERSION: u32 = 3;

/// Rules of one manifest (herdr 0.9.3).
const MAX_RULES: usize = 128;
/// Bytes of a manifest, the most that herdr downloads.
pub(super) const MAX_BYTES: usize = 256 * 1024;

/// The rules of one agent.
#[derive(Debug)]
pub struct Manifest {
    /// The agent's label or an alias, as the file says.
    pub id: String,
    /// Absent when the file has none.
    pub version: Option<Version>,
    /// The engine it needs; absent when the file does not say.
    pub min_engine_version: Option<u32>,
    /// Further names that the file claims.
    pub aliases: Vec<String>,
    pub(super) rules: Vec<Rule>,
}

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) state: AgentState,
    pub(super) priority: i32,
    /// As written.
    pub(super) region_name: String,
    pub(super) region: Region,
    pub(super) visible_idle: bool,
    pub(super) visible_blocker: bool,
    pub(super) visible_working: bool,
    pub(super) skip_state_update: bool,
    pub(super) gate: Gate,
}

/// Why a manifest is no good; one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestError(String);

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ManifestError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenManifest {
    id: String,
    version: Option<String>,
    min_engine_version: Option<u32>,
    /// For people.
    #[serde(rename = "updated_at")]
    _updated_at: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    rules: Vec<WrittenRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    id: String,
    state: WrittenState,
    #[serde(default)]
    priority: i32,
    region: Option<String>,
    #[serde(default)]
    visible_idle: bool,
    #[serde(default)]
    visible_blocker: bool,
    #[serde(default)]
    visible_working: bool,
    #[serde(default)]
    skip_state_update: bool,
    // The gate's own keys stand beside the rule's.
    #[serde(default)]
    all: Vec<Written>,
    #[serde(default)]
    any: Vec<Written>,
    #[serde(default)]
    not: Vec<Written>,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    regex: Vec<String>,
    #[serde(default)]
    line_regex: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenState {
    Idle,
    Working,
    Blocked,
    Unknown,
}

impl Manifest {
    /// Reads and checks a file's text.
    ///
    /// # Errors
    /// Anything that herdr 0.9.3 does not take either: unknown keys, regions and states, limits that
    /// are exceeded, patterns that cannot be compiled, an engine that is newer than
    /// [`ENGINE_VERSION`].
    pub fn parse(text: &str) -> Result<Manifest, ManifestError> {
        if text.len() > MAX_BYTES {
            return Err(ManifestError(format!(
                "the file has more than {MAX_BYTES} bytes"
            )));
        }
        let written: WrittenManifest =
            toml::from_str(text).map_err(|error| ManifestError(place(text, &error)))?;
        let version = match written.version.as_deref().map(Version::parse) {
            None => None,
            Some(Some(version)) => Some(version),
            Some(None) => return Err(ManifestError("`version` must be dotted numbers".to_owned())),
        };
        if let Some(needed) = written.min_engine_version
            && needed > ENGINE_VERSION
        {
            return Err(ManifestError(format!(
                "it needs engine {needed}, this is engine {ENGINE_VERSION}"
            )));
        }
        if written.id.trim().is_empty() {
            return Err(ManifestError("`id` must not be empty".to_owned()));
        }
        match written.rules.len() {
            0 => return Err(ManifestError("at least one rule is needed".to_owned())),
            1..=MAX_RULES => {}
            _ => {
                return Err(ManifestError(format!(
                    "the file has more than {MAX_RULES} rules"
                )));
            }
        }
        let mut spent = Spent::default();
        let engine = written.min_engine_version;
        let rules = written
            .rules
            .into_iter()
            .map(|rule| Rule::check(rule, engine, &mut spent))
            .collect::<Result<_, _>>()?;
        Ok(Manifest {
            id: written.id,
            version,
            min_engine_version: written.min_engine_version,
            aliases: written.aliases,
            rules,
        })
    }

    /// Whether the file says that it is for this agent.
    pub fn is_for(&self, kind: Kind) -> bool {
        Kind::find(&self.id) == Some(kind)
    }
}

impl Rule {
    fn check(
        written: WrittenRule,
        engine: Option<u32>,
        spent: &mut Spent,
    ) -> Result<Rule, ManifestError> {
        let id = written.id;
        if id.trim().is_empty() {
            return Err(ManifestError("a rule has an empty `id`".to_owned()));
        }
        let refuse = |why: &str| Err(ManifestError(format!("rule {id}: {why}")));
        let region_name = written.region.unwrap_or_else(|| "whole_recent".to_owned());
        let Some(region) = Region::parse(&region_name) else {
            return refuse(&format!("unknown region {region_name}"));
        };
        if engine.is_some_and(|engine| engine < region.since_engine()) {
            let needed = region.since_engine();
            return refuse(&format!(
                "{region_name} needs min_engine_version = {needed}"
            ));
        }
        let state = match written.state {
            WrittenState::Idle => AgentState::Idle,
            WrittenState::Working => AgentState::Working,
            WrittenState::Blocked => AgentState::Blocked,
            WrittenState::Unknown => AgentState::Unknown,
        };
        let visible = written.visible_idle || written.visible_blocker || written.visible_working;
        if written.skip_state_update && (state != AgentState::Unknown || visible) {
            return refuse("skip_state_update goes with state = \"unknown\" and no visible flag");
        }
        let gate = Written {
            all: written.all,
            any: written.any,
            not: written.not,
            contains: written.contains,
            regex: written.regex,
            line_regex: written.line_regex,
        };
        let gate = match Gate::compile(&gate, 0, spent) {
            Ok(gate) => gate,
            Err(why) => return refuse(&why),
        };
        Ok(Rule {
            state,
            priority: written.priority,
            region,
            visible_idle: written.visible_idle,
            visible_blocker: written.visible_blocker,
            visible_working: written.visible_working,
            skip_state_update: written.skip_state_update,
            gate,
            region_name,
            id,
        })
    }
}

/// What is wrong with the TOML, with its line.
fn place(text: &str, error: &toml::de::Error) -> String {
    let message = error.message();
    match error.span() {
        Some(span) => {
            let before = &text.as_bytes()[..span.start.min(text.len())];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            format!("line {line}: {message}")
        }
        None => message.to_owned(),
    }
}
