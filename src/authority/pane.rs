//! What a pane holds and where it comes from.

use crate::world::PaneKey;

use super::{Grant, Grants, InForce};

/// The rights of one pane, and what says that a process belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneRights {
    /// Grants that were given to this pane; without them it holds the default in force.
    pub given: Option<Grants>,
    /// The pane whose process created it, which may be gone by now; none for the person.
    pub created_by: Option<PaneKey>,
    /// The pane whose process last started an agent here, which makes it one of that pane's fan group.
    pub started_by: Option<PaneKey>,
    /// The value of `DROVER_PANE_TOKEN` that its process was started with.
    pub token: Token,
}

impl PaneRights {
    /// The rights of a new pane. `asked` are grants that its creator wants it to hold; `creator` is
    /// the pane that creates it with what that holds, none for the person.
    ///
    /// Nobody gives more than they hold, and only the person gives `respond`. A creator without
    /// `admin` that asks for nothing passes on its own.
    pub fn new(
        asked: Option<Grants>,
        creator: Option<(PaneKey, Grants)>,
        in_force: &InForce,
        token: Token,
    ) -> PaneRights {
        let given = match creator {
            None => asked,
            Some((_, held)) => {
                let wanted = match asked {
                    Some(asked) => asked,
                    None if held.holds(Grant::Admin) => in_force.default,
                    None => held,
                };
                // `admin` implies all but `respond`.
                let given = held.both(Grants::of(&[Grant::Admin])).both(wanted);
                // What it would hold anyway is not pinned, so that it follows the default.
                (asked.is_some() || given != in_force.default.shortest()).then_some(given)
            }
        };
        PaneRights {
            given,
            created_by: creator.map(|(key, _)| key),
            started_by: None,
            token,
        }
    }

    /// The pane that this one belongs to, with others of its fan group.
    pub fn maker(&self) -> Option<PaneKey> {
        self.started_by.or(self.created_by)
    }

    /// What the pane holds now.
    pub fn grants(&self, in_force: &InForce) -> Grants {
        self.given.unwrap_or(in_force.default)
    }
}

/// What a pane's processes carry in their environment, so that one is still known when it has left
/// the pane's session, its terminal and its ancestors: which pane, and which daemon's.
///
/// It is no secret: whoever may read the environment of a process of this user is this user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The variable.
    pub const VARIABLE: &'static str = "DROVER_PANE_TOKEN";

    /// A token of this daemon, which is named by its socket, with 16 random bytes.
    pub fn new(random: [u8; 16], daemon: &str) -> Token {
        let random = u128::from_ne_bytes(random);
        Token(format!("{random:032x}@{daemon}"))
    }

    /// A token that was kept.
    pub fn kept(text: String) -> Token {
        Token(text)
    }

    /// The value of the variable.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a value of the variable was given by the daemon with this name.
    pub fn is_of(value: &str, daemon: &str) -> bool {
        value
            .split_once('@')
            .is_some_and(|(_, named)| named == daemon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_force(default: &[Grant]) -> InForce {
        InForce {
            default: Grants::of(default),
            ..InForce::default()
        }
    }

    fn created(asked: Option<&[Grant]>, held: &[Grant], in_force: &InForce) -> Grants {
        let creator = Some((PaneKey::new(1), Grants::of(held)));
        let token = Token::new([7; 16], "/run/d.sock");
        PaneRights::new(asked.map(Grants::of), creator, in_force, token).grants(in_force)
    }

    #[test]
    fn nobody_gives_more_than_they_hold_and_nobody_but_the_person_gives_respond() {
        use Grant::{Admin, Fan, Read, Respond, Write};
        let open = in_force(&[Admin]);
        assert!(created(None, &[Admin], &open).holds(Admin));
        assert!(!created(Some(&[Respond, Admin]), &[Admin, Respond], &open).holds(Respond));
        assert_eq!(created(None, &[Read, Respond], &open), Grants::of(&[Read]));
        assert_eq!(
            created(Some(&[Read, Write]), &[Read], &open),
            Grants::of(&[Read])
        );
        assert_eq!(created(None, &[], &open), Grants::NONE);
        let strict = in_force(&[Read, Write, Fan]);
        assert_eq!(
            created(None, &[Admin], &strict),
            Grants::of(&[Read, Write, Fan])
        );
    }

    #[test]
    fn a_pane_of_the_person_and_one_that_got_the_default_follow_the_default() {
        let open = in_force(&[Grant::Admin]);
        let token = || Token::new([7; 16], "/run/d.sock");
        let of_person = PaneRights::new(None, None, &open, token());
        let admin = Some((PaneKey::new(1), Grants::of(&[Grant::Admin])));
        let read = in_force(&[Grant::Read]);
        assert_eq!(of_person.grants(&read), Grants::of(&[Grant::Read]));
        let of_admin = PaneRights::new(None, admin, &open, token());
        assert!(of_admin.grants(&open).holds(Grant::Admin));
        assert_eq!(of_admin.grants(&read), Grants::of(&[Grant::Read]));
    }

    #[test]
    fn a_token_says_whose_it_is() {
        let token = Token::new([0; 16], "/run/user/1/drover/drover.sock");
        assert!(Token::is_of(
            token.as_str(),
            "/run/user/1/drover/drover.sock"
        ));
        assert!(!Token::is_of(
            token.as_str(),
            "/run/user/1/drover/drover.soc"
        ));
        assert!(!Token::is_of("", "") && !Token::is_of("x", "x"));
    }
}
