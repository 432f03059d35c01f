//! Before and after a method: may the caller ask for this, and what is kept of it.
//!
//! First the caller is placed, then the method's rule decides, and only then are ids looked up. Up
//! to the decision a name in the request is compared with the caller's own panes and with nothing
//! else, and a refusal does not repeat it, so that a caller without rights learns nothing from the
//! answer about what there is.

use std::borrow::Cow;

use crate::api::ApiError;
use crate::api::envelope::Request;
use crate::authority::{
    Access, Event, Grants, Lack, Needs, Place, Whose, decide, decide_typing, refusal, rules,
};
use crate::pane::InputCheck;
use crate::state::{Live, Shared};
use crate::world::PaneKey;

use super::{Call, Ended, Entry};

/// The refusal's code (herdr has no such rules; tuios calls it the same).
const FORBIDDEN: &str = "forbidden";

/// Runs a method for a caller that may ask for it.
pub fn run(call: &Call<'_>, request: &Request<'_>, entry: &Entry) -> Result<String, Ended> {
    let access = &entry.access;
    if access.needs == Needs::Nothing {
        return (entry.run)(call, request);
    }
    let place = call.place();
    if place == Place::Outside && access.needs != Needs::Report {
        return (entry.run)(call, request);
    }
    let named = access
        .target
        .and_then(|target| Some((target.kind, request.text_parameter(target.field)?)));
    let in_force = call.shared.in_force();
    let (whose, decided) = {
        let live = call.shared.look();
        let whose = match &named {
            Some((kind, text)) => live.whose_named(place, *kind, text),
            None => Whose::Other,
        };
        let standing = live.standing(place, &in_force);
        (whose, decide(access, &standing, whose))
    };
    let outcome = match decided {
        Ok(()) => (entry.run)(call, request),
        Err(lack) => Err(call.forbidden(place, lack).into()),
    };
    let acts = access.needs.acts() && whose != Whose::Own && place != Place::Outside;
    let code = match &outcome {
        Err(Ended::Refused(error)) => error.code.clone(),
        Ok(_) | Err(Ended::Silent) => "ok".into(),
    };
    if acts || code == FORBIDDEN {
        let target = named.map(|(_, text)| text.into_owned());
        call.shared.keep_access(call.event(place, target, code));
    }
    outcome
}

impl Call<'_> {
    /// Where the caller is.
    pub fn place(&self) -> Place {
        self.shared.place(self.caller)
    }

    /// The pane that a new pane comes from; none if the person makes it.
    pub fn creator(&self) -> Option<PaneKey> {
        self.place().pane()
    }

    /// Whether the caller may, as of now, do to this pane what the rule says; without a pane, to the
    /// session. For what a method shows only to some, and for what it shows after a wait.
    ///
    /// # Errors
    /// `forbidden`.
    pub fn may(&self, access: &Access, key: Option<PaneKey>) -> Result<(), ApiError> {
        let place = self.place();
        if place == Place::Outside {
            return Ok(());
        }
        let in_force = self.shared.in_force();
        let decided = {
            let live = self.shared.look();
            let whose = key.map_or(Whose::Other, |key| live.whose(place, key));
            decide(access, &live.standing(place, &in_force), whose)
        };
        decided.map_err(|lack| self.forbidden(place, lack))
    }

    /// The check that has to be made right before bytes are typed into a pane for this caller; none
    /// for the person, who may type anywhere.
    ///
    /// # Errors
    /// `forbidden`, if it may not even now.
    pub fn typing(&self, key: PaneKey) -> Result<Option<InputCheck>, ApiError> {
        let place = self.place();
        if place == Place::Outside {
            return Ok(None);
        }
        may_type(self.shared, place, key).map_err(|lack| self.forbidden(place, lack))?;
        let daemon = self.shared.handle();
        let target = spoken_id(&self.shared.look(), key);
        let event = self.event(place, target, FORBIDDEN.into());
        Ok(Some(Box::new(move || {
            let Some(shared) = daemon.upgrade() else {
                return false;
            };
            let allowed = may_type(&shared, place, key).is_ok();
            if !allowed {
                shared.keep_access(event.clone());
            }
            allowed
        })))
    }

    /// The refusal of a caller that lacks something.
    pub(super) fn forbidden(&self, place: Place, lack: Lack) -> ApiError {
        let in_force = self.shared.in_force();
        let live = self.shared.look();
        let own = place.pane().and_then(|key| {
            let rights = &live.pane(key)?.rights;
            let held: (Grants, bool) = (rights.grants(&in_force), rights.given.is_some());
            Some((spoken_id(&live, key)?, held))
        });
        let own = own
            .as_ref()
            .map(|(id, (held, given))| (id.as_str(), *held, *given));
        ApiError::new(FORBIDDEN, refusal(self.method, lack, place, own))
    }

    fn event(&self, place: Place, target: Option<String>, outcome: Cow<'static, str>) -> Event {
        let caller = match place {
            Place::Outside => "outside".to_owned(),
            Place::Plugin => "plugin".to_owned(),
            Place::Unplaced => "unplaced".to_owned(),
            Place::Pane(key) => {
                let id = spoken_id(&self.shared.look(), key);
                id.unwrap_or_else(|| "a closed pane".to_owned())
            }
        };
        let facts = self.caller.facts.as_ref();
        Event {
            pid: self.caller.pid,
            program: facts.map(|facts| facts.name.clone()).unwrap_or_default(),
            caller,
            method: self.method,
            target,
            outcome,
        }
    }
}

fn may_type(shared: &Shared, place: Place, key: PaneKey) -> Result<(), Lack> {
    let in_force = shared.in_force();
    let live = shared.look();
    let Some(target) = live.typing_target(key, &in_force) else {
        // Nobody is there to be typed at; the queue of a closed pane refuses by itself.
        return Ok(());
    };
    let standing = live.standing(place, &in_force);
    let whose = live.whose(place, key);
    decide(&rules::type_into(rules::PANE), &standing, whose)?;
    decide_typing(&standing, whose, target)
}

/// The id that people and requests use for a pane now.
fn spoken_id(live: &Live, key: PaneKey) -> Option<String> {
    live.world.pane(key).map(|pane| pane.id().to_string())
}

#[cfg(test)]
mod tests;
