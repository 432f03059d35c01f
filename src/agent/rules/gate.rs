//! Gates: what has to be, and not to be, in a region's text.

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::snapshot::RegionText;

/// How deep gates may stand in each other (herdr 0.9.3).
const MAX_DEPTH: usize = 8;
/// Gates of one manifest (herdr 0.9.3).
const MAX_GATES: usize = 512;
/// Matchers of one gate (herdr 0.9.3).
const MAX_MATCHERS: usize = 32;
/// Matchers of one manifest (herdr 0.9.3).
const MAX_ALL_MATCHERS: usize = 1024;
/// Characters of one matcher (herdr 0.9.3).
const MAX_CHARACTERS: usize = 512;
/// Bytes of one compiled pattern, and of the automaton that matching builds of it. Patterns for
/// screens take some ten kibibytes; counted repetitions of classes take more.
const MAX_COMPILED: usize = 1024 * 1024;

/// A gate as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    #[serde(default)]
    pub(super) all: Vec<Written>,
    #[serde(default)]
    pub(super) any: Vec<Written>,
    #[serde(default)]
    pub(super) not: Vec<Written>,
    #[serde(default)]
    pub(super) contains: Vec<String>,
    #[serde(default)]
    pub(super) regex: Vec<String>,
    #[serde(default)]
    pub(super) line_regex: Vec<String>,
}

/// A gate, ready to match.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) all: Vec<Gate>,
    pub(super) any: Vec<Gate>,
    pub(super) not: Vec<Gate>,
    /// As written, and in lower case.
    pub(super) contains: Vec<(String, String)>,
    pub(super) regex: Vec<Regex>,
    pub(super) line_regex: Vec<Regex>,
}

/// How much one manifest has used of what it may.
#[derive(Debug, Default)]
pub(super) struct Spent {
    gates: usize,
    matchers: usize,
}

impl Gate {
    /// Checks and compiles a gate; `depth` gates are around it. The error completes "rule ID: ...".
    pub(super) fn compile(
        written: &Written,
        depth: usize,
        spent: &mut Spent,
    ) -> Result<Gate, String> {
        if depth > MAX_DEPTH {
            return Err(format!(
                "gates stand more than {MAX_DEPTH} deep in each other"
            ));
        }
        spent.gates += 1;
        if spent.gates > MAX_GATES {
            return Err(format!("the file has more than {MAX_GATES} gates"));
        }
        let own = written.contains.len() + written.regex.len() + written.line_regex.len();
        if own > MAX_MATCHERS {
            return Err(format!("a gate has more than {MAX_MATCHERS} matchers"));
        }
        spent.matchers += own;
        if spent.matchers > MAX_ALL_MATCHERS {
            return Err(format!(
                "the file has more than {MAX_ALL_MATCHERS} matchers"
            ));
        }
        if !written.has_positive_matcher(depth) {
            return Err(
                "every gate needs `contains`, `regex` or `line_regex`, directly or inside `all` or `any`"
                    .to_owned(),
            );
        }
        let mut gates = |list: &[Written]| -> Result<Vec<Gate>, String> {
            list.iter()
                .map(|gate| Gate::compile(gate, depth + 1, spent))
                .collect()
        };
        Ok(Gate {
            all: gates(&written.all)?,
            any: gates(&written.any)?,
            not: gates(&written.not)?,
            contains: written
                .contains
                .iter()
                .map(|text| checked(text).map(|text| (text.to_owned(), text.to_lowercase())))
                .collect::<Result<_, _>>()?,
            regex: patterns(&written.regex)?,
            line_regex: patterns(&written.line_regex)?,
        })
    }

    pub(super) fn matches(&self, region: &RegionText) -> bool {
        self.contains
            .iter()
            .all(|(_, lower)| region.lower().contains(lower.as_str()))
            && self.regex.iter().all(|regex| regex.is_match(&region.text))
            && self
                .line_regex
                .iter()
                .all(|regex| region.text.lines().any(|line| regex.is_match(line)))
            && self.all.iter().all(|gate| gate.matches(region))
            && (self.any.is_empty() || self.any.iter().any(|gate| gate.matches(region)))
            && !self.not.iter().any(|gate| gate.matches(region))
    }
}

impl Written {
    /// Whether something must be there for the gate to be true. What is too deep is refused elsewhere.
    fn has_positive_matcher(&self, depth: usize) -> bool {
        let own = [&self.contains, &self.regex, &self.line_regex];
        own.iter().any(|matchers| !matchers.is_empty())
            || (depth <= MAX_DEPTH
                && self
                    .all
                    .iter()
                    .chain(&self.any)
                    .any(|gate| gate.has_positive_matcher(depth + 1)))
    }
}

fn checked(text: &str) -> Result<&str, String> {
    if text.is_empty() {
        return Err("a matcher is empty".to_owned());
    }
    if text.chars().count() > MAX_CHARACTERS {
        return Err(format!(
            "a matcher has more than {MAX_CHARACTERS} characters"
        ));
    }
    Ok(text)
}

fn patterns(written: &[String]) -> Result<Vec<Regex>, String> {
    let compile = |text: &String| {
        RegexBuilder::new(checked(text)?)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_COMPILED)
            .build()
            .map_err(|error| format!("bad pattern {text:?}: {}", last_line(&error.to_string())))
    };
    written.iter().map(compile).collect()
}

/// The crate draws a picture of the mistake and says in its last line what it is.
fn last_line(message: &str) -> &str {
    message.lines().last().unwrap_or(message).trim()
}
