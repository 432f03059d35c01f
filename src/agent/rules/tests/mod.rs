//! The format, the evaluation, and the manifests that come with drover on screens of our own.

mod format;
mod quotes;
mod screens;

use std::sync::LazyLock;

use super::bundled::BUNDLE;
use super::*;
use crate::agent::{AgentState, Kind};

fn kind(label: &str) -> Kind {
    Kind::find(label).unwrap()
}

/// The manifests that come along, compiled once for all tests.
static SHIPPED: LazyLock<Vec<(&str, Manifest)>> = LazyLock::new(|| {
    let parse = |(label, text): &(&'static str, &str)| (*label, Manifest::parse(text).unwrap());
    BUNDLE.iter().map(parse).collect()
});

fn shipped(label: &str) -> &'static Manifest {
    let found = SHIPPED.iter().find(|(shipped, _)| *shipped == label);
    &found.unwrap().1
}

#[test]
fn every_manifest_that_comes_along_is_good_and_for_its_agent() {
    for (label, text) in BUNDLE {
        let manifest = Manifest::parse(text).unwrap_or_else(|error| panic!("{label}: {error}"));
        assert!(manifest.is_for(kind(label)), "{label}");
        assert!(manifest.version.is_some(), "{label}");
        assert_eq!(manifest.min_engine_version, Some(ENGINE_VERSION), "{label}");
        let mut ids: Vec<_> = manifest.rules.iter().map(|rule| &rule.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(
            ids.len(),
            manifest.rules.len(),
            "{label}: an id is there twice"
        );
        for rule in &manifest.rules {
            let fits = match rule.state {
                AgentState::Blocked => !rule.visible_idle && !rule.visible_working,
                AgentState::Working => !rule.visible_idle && !rule.visible_blocker,
                AgentState::Idle => !rule.visible_working && !rule.visible_blocker,
                AgentState::Unknown => rule.skip_state_update,
            };
            assert!(fits, "{label}: {}", rule.id);
        }
    }
}

#[test]
fn only_agents_whose_screen_tells_nothing_come_without_a_manifest() {
    let without: Vec<_> = Kind::all()
        .filter(|kind| bundled(*kind).is_none())
        .map(Kind::label)
        .collect();
    assert_eq!(without, ["mastracode"]);
}
