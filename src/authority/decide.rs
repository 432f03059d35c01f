//! The decision: may this caller do this to that?

use serde::{Deserialize, Serialize};

use super::{Access, Grant, Grants, Needs, Place};

/// The settings that count now. The configuration narrows them at once; only a restart or the
/// person widens them, because a process in a pane can write the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InForce {
    /// What a pane holds that was given nothing else.
    pub default: Grants,
    /// Whether every process of the user may report about every pane, as in herdr.
    pub reports_of_all: bool,
    /// Whether processes of root are served beside the user's own.
    pub root: bool,
}

impl InForce {
    /// What is left when the configuration says `configured`.
    #[must_use]
    pub fn narrowed(self, configured: InForce) -> InForce {
        InForce {
            default: self.default.both(configured.default),
            reports_of_all: self.reports_of_all && configured.reports_of_all,
            root: self.root && configured.root,
        }
    }
}

/// A caller, as far as the decision goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Where it is.
    pub place: Place,
    /// What its pane holds; nothing where it has none.
    pub grants: Grants,
    /// See [`InForce::reports_of_all`].
    pub reports_of_all: bool,
}

/// Whose the target is, seen from the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The caller's own pane.
    Own,
    /// A pane that the caller created.
    Created,
    /// Another one of the caller's fan group.
    Group,
    /// Anything else, also what there is not.
    Other,
}

/// What the caller lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// This grant.
    Grant(Grant),
    /// Being the person.
    Person,
    /// Being in the pane that it speaks for.
    OwnPane,
    /// `respond`, for a pane that waits for a person.
    Respond,
    /// Grants that the target holds: what is typed there runs with them.
    Wider,
}

/// Whether the rule lets the caller through. Nothing about another pane has been looked at by then.
///
/// # Errors
/// What it lacks.
pub fn decide(access: &Access, caller: &Standing, whose: Whose) -> Result<(), Lack> {
    let held = caller.grants;
    let own = access.own && matches!(whose, Whose::Own | Whose::Created);
    let in_group = held.holds(Grant::Fan) && matches!(whose, Whose::Created | Whose::Group);
    let (allowed, lack) = match access.needs {
        Needs::Nothing => return Ok(()),
        Needs::Report => (
            caller.reports_of_all || (whose == Whose::Own && caller.place.pane().is_some()),
            Lack::OwnPane,
        ),
        _ if caller.place == Place::Outside => return Ok(()),
        Needs::Person => (false, Lack::Person),
        Needs::Read => (
            own || in_group || held.holds(Grant::Read),
            Lack::Grant(Grant::Read),
        ),
        Needs::Write | Needs::Type => (
            own || in_group || held.holds(Grant::Write),
            Lack::Grant(Grant::Write),
        ),
        Needs::Start if !held.holds(Grant::Fan) => (false, Lack::Grant(Grant::Fan)),
        Needs::Start => (
            matches!(whose, Whose::Own | Whose::Created | Whose::Group) || held.holds(Grant::Write),
            Lack::Grant(Grant::Write),
        ),
        Needs::OwnOrAdmin => (own || held.holds(Grant::Admin), Lack::Grant(Grant::Admin)),
        Needs::Admin => (held.holds(Grant::Admin), Lack::Grant(Grant::Admin)),
    };
    if allowed { Ok(()) } else { Err(lack) }
}

/// What counts about a pane that is to be typed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypingTarget {
    /// What it holds.
    pub grants: Grants,
    /// Its agent waits for a person.
    pub waits: bool,
}

/// Whether the caller may type into this pane, once the method's rule has let it through; asked
/// again right before the bytes are written.
///
/// # Errors
/// What it lacks.
pub fn decide_typing(caller: &Standing, whose: Whose, target: TypingTarget) -> Result<(), Lack> {
    if caller.place == Place::Outside || whose == Whose::Own {
        return Ok(());
    }
    if target.waits && !caller.grants.holds(Grant::Respond) {
        return Err(Lack::Respond);
    }
    if !caller.grants.holds(Grant::Admin) && !caller.grants.covers(target.grants) {
        return Err(Lack::Wider);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::*;
    use crate::world::PaneKey;
    use Grant::{Admin, Fan, Read, Respond, Write};
    use proptest::prelude::*;

    const EVERY_RULE: [Access; 12] = [
        rules::ANYONE,
        rules::READ,
        rules::read(rules::PANE),
        rules::read_own(rules::PANE),
        rules::write(rules::AGENT),
        rules::write_own(rules::PANE),
        rules::type_into(rules::PANE),
        rules::START,
        rules::CLOSE,
        rules::ADMIN,
        rules::REPORT,
        rules::PERSON,
    ];

    fn inside(grants: &[Grant]) -> Standing {
        Standing {
            place: Place::Pane(PaneKey::new(1)),
            grants: Grants::of(grants),
            reports_of_all: false,
        }
    }

    fn may(access: Access, grants: &[Grant], whose: Whose) -> bool {
        decide(&access, &inside(grants), whose).is_ok()
    }

    #[test]
    fn the_person_may_do_everything_but_speak_for_a_pane() {
        let person = Standing {
            place: Place::Outside,
            ..inside(&[])
        };
        for access in EVERY_RULE {
            let decided = decide(&access, &person, Whose::Other);
            let expected = if access == rules::REPORT {
                Err(Lack::OwnPane)
            } else {
                Ok(())
            };
            assert_eq!(decided, expected, "{access:?}");
        }
        let herdrs = Standing {
            reports_of_all: true,
            ..person
        };
        assert_eq!(decide(&rules::REPORT, &herdrs, Whose::Other), Ok(()));
    }

    #[test]
    fn without_a_grant_a_pane_has_itself_and_nothing_else() {
        for access in EVERY_RULE {
            let own = [
                rules::ANYONE,
                rules::read_own(rules::PANE),
                rules::write_own(rules::PANE),
                rules::type_into(rules::PANE),
                rules::CLOSE,
                rules::REPORT,
            ];
            assert_eq!(
                may(access, &[], Whose::Own),
                own.contains(&access),
                "{access:?}"
            );
            for whose in [Whose::Group, Whose::Other] {
                assert_eq!(
                    may(access, &[], whose),
                    access == rules::ANYONE,
                    "{access:?}"
                );
            }
        }
    }

    #[test]
    fn an_unplaced_caller_may_what_anyone_may() {
        let unplaced = Standing {
            place: Place::Unplaced,
            ..inside(&[])
        };
        for access in EVERY_RULE {
            let allowed = decide(&access, &unplaced, Whose::Other).is_ok();
            assert_eq!(allowed, access == rules::ANYONE, "{access:?}");
        }
    }

    #[test]
    fn each_grant_opens_its_own_door() {
        let other = Whose::Other;
        assert!(
            may(rules::READ, &[Read], other) && !may(rules::READ, &[Write, Fan, Respond], other)
        );
        assert!(may(rules::type_into(rules::PANE), &[Write], other));
        assert!(!may(
            rules::type_into(rules::PANE),
            &[Read, Fan, Respond],
            other
        ));
        assert!(may(rules::type_into(rules::PANE), &[Fan], Whose::Group));
        assert!(may(rules::read(rules::PANE), &[Fan], Whose::Group));
        assert!(!may(rules::START, &[Fan], other) && may(rules::START, &[Fan], Whose::Own));
        assert!(may(rules::START, &[Fan, Write], other) && !may(rules::START, &[Write], other));
        for access in [rules::ADMIN, rules::CLOSE] {
            assert!(may(access, &[Admin], other));
            assert!(!may(access, &[Read, Write, Fan, Respond], other));
        }
        assert!(!may(rules::PERSON, &Grant::ALL, Whose::Own));
        assert!(!may(rules::REPORT, &Grant::ALL, other));
    }

    #[test]
    fn a_pane_that_the_caller_created_is_its_own_but_for_its_reports() {
        assert!(may(rules::read_own(rules::PANE), &[], Whose::Created));
        assert!(may(rules::type_into(rules::PANE), &[], Whose::Created));
        assert!(may(rules::CLOSE, &[], Whose::Created));
        for whose in [Whose::Own, Whose::Created] {
            assert!(may(rules::SIZE, &[], whose));
        }
        for whose in [Whose::Group, Whose::Other] {
            assert!(!may(rules::SIZE, &[Read, Write, Fan, Respond], whose));
            assert!(may(rules::SIZE, &[Admin], whose));
        }
        assert!(!may(rules::REPORT, &[], Whose::Created));
    }

    #[test]
    fn nobody_types_into_a_pane_that_waits_for_a_person_without_respond() {
        let waits = TypingTarget {
            grants: Grants::NONE,
            waits: true,
        };
        let typed = |grants: &[Grant], whose| decide_typing(&inside(grants), whose, waits);
        assert_eq!(typed(&[Admin], Whose::Other), Err(Lack::Respond));
        assert_eq!(typed(&[Admin], Whose::Created), Err(Lack::Respond));
        assert_eq!(typed(&[Admin, Respond], Whose::Other), Ok(()));
        assert_eq!(typed(&[], Whose::Own), Ok(()));
        let person = Standing {
            place: Place::Outside,
            ..inside(&[])
        };
        assert_eq!(decide_typing(&person, Whose::Other, waits), Ok(()));
    }

    #[test]
    fn typing_into_a_pane_gives_nobody_what_they_lack() {
        let holds = |grants: &[Grant]| TypingTarget {
            grants: Grants::of(grants),
            waits: false,
        };
        let typed = |grants: &[Grant], target| decide_typing(&inside(grants), Whose::Other, target);
        assert_eq!(typed(&[Write], holds(&[Read])), Err(Lack::Wider));
        assert_eq!(typed(&[Write], holds(&[Admin])), Err(Lack::Wider));
        assert_eq!(typed(&[Write, Read], holds(&[Read])), Ok(()));
        assert_eq!(typed(&[Admin], holds(&[Respond])), Ok(()));
    }

    fn any_grants() -> impl Strategy<Value = Grants> {
        prop::collection::vec(prop::sample::select(&Grant::ALL[..]), 0..5)
            .prop_map(|grants| Grants::of(&grants))
    }

    proptest! {
        #[test]
        fn more_grants_never_allow_less(a in any_grants(), b in any_grants(), rule in 0..EVERY_RULE.len()) {
            let less = a.both(b);
            for whose in [Whose::Own, Whose::Created, Whose::Group, Whose::Other] {
                let with = |grants| Standing { grants, ..inside(&[]) };
                if decide(&EVERY_RULE[rule], &with(less), whose).is_ok() {
                    prop_assert!(decide(&EVERY_RULE[rule], &with(a), whose).is_ok());
                }
            }
        }

        #[test]
        fn the_file_only_narrows(a in any_grants(), b in any_grants(), reports: bool, root: bool) {
            let before = InForce { default: a, reports_of_all: reports, root };
            let file = InForce { default: b, reports_of_all: true, root: true };
            let after = before.narrowed(file);
            prop_assert!(before.default.covers(after.default) && file.default.covers(after.default));
            prop_assert_eq!((after.reports_of_all, after.root), (reports, root));
        }
    }
}
