//! Why a verdict is what it is, for people who write rules (herdr 0.9.3, `agent.explain`).

use serde::Serialize;

use super::evaluate::{Fallback, Verdict, best, fallback};
use super::gate::Gate;
use super::manifest::{Manifest, Rule};
use super::snapshot::{RegionText, Regions, Snapshot};
use crate::agent::Kind;

/// Characters of a region that are shown (herdr 0.9.3).
const PREVIEW: usize = 240;

/// The rules' part of an explanation; `null` members are present.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// What the screen says.
    pub state: &'static str,
    /// The rule that decided.
    pub matched_rule: Option<RuleName>,
    pub visible_idle: bool,
    pub visible_blocker: bool,
    pub visible_working: bool,
    /// The state before stands.
    pub skip_state_update: bool,
    /// Why it does.
    pub skipped_update_reason: Option<String>,
    /// What held when no rule matched.
    pub fallback_reason: Option<&'static str>,
    /// Every rule, in the order of the file.
    pub evaluated_rules: Vec<EvaluatedRule>,
}

/// A rule by name.
#[derive(Debug, Serialize)]
pub struct RuleName {
    id: String,
    priority: i32,
    region: String,
    state: &'static str,
}

/// A rule and what it saw.
#[derive(Debug, Serialize)]
pub struct EvaluatedRule {
    #[serde(flatten)]
    rule: RuleName,
    matched: bool,
    evidence: Evidence,
}

#[derive(Debug, Serialize)]
struct Evidence {
    contains: Vec<String>,
    regex: Vec<String>,
    line_regex: Vec<String>,
    all_count: usize,
    any_count: usize,
    not_count: usize,
    region_bytes: usize,
    region_preview: String,
}

/// Evaluates every rule and tells what each of them saw. Without a kind nothing is known.
pub fn explain(
    kind: Option<Kind>,
    manifest: Option<&Manifest>,
    snapshot: &Snapshot<'_>,
) -> Explanation {
    let mut regions = Regions::new(*snapshot);
    let evaluated_rules = manifest
        .map(|manifest| {
            let rules = manifest.rules.iter();
            rules.map(|rule| evaluated(rule, &mut regions)).collect()
        })
        .unwrap_or_default();
    let winner = manifest.and_then(|manifest| best(manifest, &mut regions));
    let (verdict, fallback_reason) = match (winner, kind) {
        (Some(rule), _) => (Verdict::of_rule(rule), None),
        (None, Some(kind)) => {
            let fallback = match manifest {
                Some(_) => fallback(kind),
                None => Fallback::NoRules,
            };
            (Verdict::of_fallback(fallback), Some(fallback.reason()))
        }
        (None, None) => (
            Verdict::of_fallback(Fallback::NoRules),
            Some("unknown_agent"),
        ),
    };
    Explanation {
        state: verdict.state.as_str(),
        visible_idle: verdict.visible_idle,
        visible_blocker: verdict.visible_blocker,
        visible_working: verdict.visible_working,
        skip_state_update: verdict.keep,
        skipped_update_reason: winner
            .filter(|rule| rule.skip_state_update)
            .map(|rule| format!("rule {} keeps the state before", rule.id)),
        matched_rule: winner.map(RuleName::of),
        fallback_reason,
        evaluated_rules,
    }
}

fn evaluated(rule: &Rule, regions: &mut Regions<'_>) -> EvaluatedRule {
    let region = regions.get(rule.region);
    EvaluatedRule {
        rule: RuleName::of(rule),
        matched: rule.gate.matches(region),
        evidence: Evidence::of(&rule.gate, region),
    }
}

impl RuleName {
    fn of(rule: &Rule) -> RuleName {
        RuleName {
            id: rule.id.clone(),
            priority: rule.priority,
            region: rule.region_name.clone(),
            state: rule.state.as_str(),
        }
    }
}

impl Evidence {
    fn of(gate: &Gate, region: &RegionText) -> Evidence {
        let written = |list: &[regex::Regex]| list.iter().map(|r| r.as_str().to_owned()).collect();
        let mut region_preview: String = region.text.chars().take(PREVIEW).collect();
        if region_preview.len() < region.text.len() {
            region_preview += "...";
        }
        Evidence {
            contains: gate.contains.iter().map(|(text, _)| text.clone()).collect(),
            regex: written(&gate.regex),
            line_regex: written(&gate.line_regex),
            all_count: gate.all.len(),
            any_count: gate.any.len(),
            not_count: gate.not.len(),
            region_bytes: region.text.len(),
            region_preview,
        }
    }
}
