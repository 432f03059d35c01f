//! `grants.list`, `grants.set`, `grants.explain`: what panes may do to others, by the person.

use crate::api::ApiError;
use crate::api::control::{
    ControlResult, Decision, DefaultGrants, GrantsExplainParams, GrantsSetParams, PaneGrants,
};
use crate::api::params::EmptyParams;
use crate::authority::{
    Grant, Grants, InForce, Lack, Needs, NotGrants, Place, Whose, decide, decide_typing, refusal,
};
use crate::state::Live;
use crate::world::PaneKey;

use super::{Call, ENTRIES, Entry, find};

pub fn list(call: &Call<'_>, _: EmptyParams) -> Result<ControlResult, ApiError> {
    let in_force = call.shared.in_force();
    let live = call.shared.look();
    let keys: Vec<PaneKey> = live.world.panes().map(|pane| pane.key()).collect();
    Ok(ControlResult::GrantsList {
        panes: keys
            .into_iter()
            .filter_map(|key| pane_grants(&live, key, &in_force))
            .collect(),
        default: default_grants(call, &in_force),
    })
}

pub fn set(call: &Call<'_>, p: GrantsSetParams) -> Result<ControlResult, ApiError> {
    let grants = p.grants.as_deref().map(parsed).transpose()?;
    let Some(pane_id) = p.pane_id else {
        match grants {
            Some(grants) => call.shared.set_default_grants(grants),
            None => call.shared.apply_configured_authority(),
        }
        return Ok(ControlResult::GrantsDefaultSet {
            default: default_grants(call, &call.shared.in_force()),
        });
    };
    let in_force = call.shared.in_force();
    let mut live = call.shared.change();
    let key = find::pane(&live, &pane_id)?;
    live.give(key, grants);
    let pane = pane_grants(&live, key, &in_force).ok_or_else(|| find::no_pane(&pane_id))?;
    Ok(ControlResult::GrantsSet { pane })
}

pub fn explain(call: &Call<'_>, p: GrantsExplainParams) -> Result<ControlResult, ApiError> {
    let in_force = call.shared.in_force();
    let live = call.shared.look();
    let key = find::pane(&live, &p.pane_id)?;
    let pane = pane_grants(&live, key, &in_force).ok_or_else(|| find::no_pane(&p.pane_id))?;
    let decision = match &p.method {
        None => None,
        Some(method) => {
            let entry = ENTRIES.iter().find(|entry| entry.name == method);
            let entry = entry.ok_or_else(|| {
                ApiError::new("unknown_method", format!("there is no method {method:?}"))
            })?;
            let lack = decision(&live, &in_force, key, entry, p.target.as_deref()).err();
            let held = live.pane(key).map(|pane| pane.rights.grants(&in_force));
            let own = held.map(|held| (pane.pane_id.as_str(), held, pane.given));
            Some(Decision {
                method: method.clone(),
                allowed: lack.is_none(),
                reason: lack.map(|lack| refusal(entry.name, lack, Place::Pane(key), own)),
            })
        }
    };
    Ok(ControlResult::GrantsExplained { pane, decision })
}

/// What a new pane is to hold, if its creator says.
///
/// # Errors
/// `invalid_grants`; or `forbidden`, if its creator does not hold so much itself. Nothing of it is left out in silence.
pub fn of_new(call: &Call<'_>, words: Option<&str>) -> Result<Option<Grants>, ApiError> {
    let Some(words) = words else {
        return Ok(None);
    };
    let asked = parsed(words)?;
    let place = call.place();
    let held = call.shared.standing(place).grants;
    if place != Place::Outside && (asked.holds(Grant::Respond) || !held.covers(asked)) {
        return Err(ApiError::new(
            "forbidden",
            format!(
                "{} gives a new pane no more than its creator holds, which is {held}, and respond only if the person \
                 creates it",
                call.method
            ),
        ));
    }
    Ok(Some(asked))
}

fn parsed(words: &str) -> Result<Grants, ApiError> {
    words
        .parse()
        .map_err(|error: NotGrants| ApiError::new("invalid_grants", error.to_string()))
}

/// What would become of a call from a pane: the same questions, in the same order, as for a real one.
fn decision(
    live: &Live,
    in_force: &InForce,
    caller: PaneKey,
    entry: &Entry,
    named: Option<&str>,
) -> Result<(), Lack> {
    let place = Place::Pane(caller);
    let standing = live.standing(place, in_force);
    let whose = match (entry.access.target, named) {
        (Some(target), Some(text)) => live.whose_named(place, target.kind, text),
        _ => Whose::Other,
    };
    decide(&entry.access, &standing, whose)?;
    let types = matches!(entry.access.needs, Needs::Type | Needs::Start);
    let target = named.filter(|_| types).and_then(|text| {
        let key = live.world.find_pane(text);
        key.or_else(|| find::agent(live, text).ok())
    });
    match target.and_then(|key| Some((key, live.typing_target(key, in_force)?))) {
        Some((key, typed)) => decide_typing(&standing, live.whose(place, key), typed),
        None => Ok(()),
    }
}

fn pane_grants(live: &Live, key: PaneKey, in_force: &InForce) -> Option<PaneGrants> {
    let entry = live.pane(key)?;
    let id = |key: PaneKey| live.world.pane(key).map(|pane| pane.id().to_string());
    let grants = entry.rights.grants(in_force);
    Some(PaneGrants {
        pane_id: id(key)?,
        grants: grants.to_string(),
        given: entry.rights.given.is_some(),
        wider: !in_force.default.covers(grants),
        agent: entry.agent.view().agent.map(str::to_owned),
        created_by: entry.rights.created_by.and_then(id),
    })
}

fn default_grants(call: &Call<'_>, in_force: &InForce) -> DefaultGrants {
    let configured = call.shared.configured_authority();
    DefaultGrants {
        grants: in_force.default.to_string(),
        configured_grants: configured.default.to_string(),
        reports: reports(in_force).to_owned(),
        configured_reports: reports(&configured).to_owned(),
        root: in_force.root,
    }
}

/// The word of the configuration.
fn reports(in_force: &InForce) -> &'static str {
    if in_force.reports_of_all {
        "same-user"
    } else {
        "own-pane"
    }
}
