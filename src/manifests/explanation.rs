//! The whole of an explanation: what the rules said, and where they come from (herdr 0.9.3,
//! `agent.explain`). `null` members are present.

use serde_json::{Map, Value, json};

use super::Chosen;
use crate::agent::Kind;
use crate::agent::rules::{self, Snapshot};

/// Why the rules of `kind` see what they see.
pub fn explanation(kind: Kind, chosen: &Chosen, snapshot: &Snapshot<'_>) -> Value {
    let explained = rules::explain(Some(kind), chosen.manifest.as_ref(), snapshot);
    whole(kind.label(), Some(chosen), json!(explained))
}

/// The same for a label that no agent has.
pub fn unknown_explanation(label: &str, snapshot: &Snapshot<'_>) -> Value {
    whole(label, None, json!(rules::explain(None, None, snapshot)))
}

/// The same for an agent whose integration tells everything, so that the screen is not looked at.
pub fn skipped_explanation(kind: Kind, state: &str, chosen: &Chosen) -> Value {
    let explained = rules::explain(Some(kind), None, &Snapshot::default());
    let mut explanation = whole(kind.label(), Some(chosen), json!(explained));
    explanation["state"] = json!(state);
    explanation["fallback_reason"] = Value::Null;
    explanation["skip_state_update"] = json!(false);
    explanation["screen_detection_skipped"] = json!(true);
    explanation["screen_detection_skip_reason"] = json!("full_lifecycle_hook_authority");
    explanation
}

fn whole(label: &str, chosen: Option<&Chosen>, explained: Value) -> Value {
    let mut members = match explained {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let origin = chosen.map(|chosen| chosen.origin.name());
    let download = chosen.and_then(|chosen| chosen.download.as_ref());
    let facts = json!({
        "agent": label,
        "manifest_source": origin.unwrap_or_else(|| "none".to_owned()),
        "manifest_version": chosen.and_then(Chosen::version),
        "cached_remote_version": chosen
            .and_then(|chosen| chosen.downloaded_version.as_ref())
            .map(rules::Version::as_str),
        "local_override_shadowing_remote": chosen.is_some_and(Chosen::shadows_download),
        "remote_update_status": download.map(|download| download.result.as_str()),
        "remote_update_error": download.and_then(|download| download.error.as_deref()),
        "screen_detection_skipped": false,
        "warning": chosen.and_then(|chosen| chosen.warning.clone()),
    });
    if let Value::Object(facts) = facts {
        members.extend(facts);
    }
    Value::Object(members)
}
