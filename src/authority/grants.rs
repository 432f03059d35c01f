//! What a pane may do to others: a small set, with its spelling.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One right over other panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Grant {
    /// See the session: lists, text, states, waits, events.
    Read = 1,
    /// Type into panes that hold nothing the typist lacks, rename them, set their metadata.
    Write = 2,
    /// Read and write in the own fan group, and start agents.
    Fan = 4,
    /// Type into a pane that waits for a person.
    Respond = 8,
    /// Everything that creates, closes, moves, resizes, zooms or focuses; implies all but `respond`.
    Admin = 16,
}

impl Grant {
    /// Every grant, in the order they are written.
    pub const ALL: [Grant; 5] = [
        Grant::Read,
        Grant::Write,
        Grant::Fan,
        Grant::Respond,
        Grant::Admin,
    ];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Grant::Read => "read",
            Grant::Write => "write",
            Grant::Fan => "fan",
            Grant::Respond => "respond",
            Grant::Admin => "admin",
        }
    }

    /// What it gives, in a line for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Grant::Read => "list, read and wait for other panes, and follow events",
            Grant::Write => {
                "type into other panes that hold no grant it lacks, rename them, set their metadata"
            }
            Grant::Fan => "read and type in the panes it started, and start agents",
            Grant::Respond => "type into another pane that waits for a person",
            Grant::Admin => {
                "create, close, move, resize, zoom and focus; includes read, write and fan"
            }
        }
    }
}

/// The set of grants that a pane holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grants(u8);

impl Grants {
    /// No grant: a pane that may only speak for itself.
    pub const NONE: Grants = Grants(0);

    /// These grants.
    pub const fn of(grants: &[Grant]) -> Grants {
        let mut bits = 0;
        let mut at = 0;
        while at < grants.len() {
            bits |= grants[at] as u8;
            at += 1;
        }
        Grants(bits)
    }

    /// Whether the set has this grant or one that implies it.
    pub const fn holds(self, grant: Grant) -> bool {
        let implied = match grant {
            Grant::Read | Grant::Write | Grant::Fan => Grant::Admin as u8,
            Grant::Respond | Grant::Admin => 0,
        };
        self.0 & (grant as u8 | implied) != 0
    }

    /// Whether everything that `other` gives is given by this set too.
    pub fn covers(self, other: Grants) -> bool {
        other.listed().all(|grant| self.holds(grant))
    }

    /// What both sets give.
    #[must_use]
    pub fn both(self, other: Grants) -> Grants {
        let both = |grant: &Grant| self.holds(*grant) && other.holds(*grant);
        let set = Grant::ALL.into_iter().filter(both);
        set.fold(Grants::NONE, |set, grant| Grants(set.0 | grant as u8))
            .shortest()
    }

    /// The same rights without the grants that others in the set imply.
    #[must_use]
    pub fn shortest(self) -> Grants {
        const IMPLIED: u8 = Grant::Read as u8 | Grant::Write as u8 | Grant::Fan as u8;
        match self.0 & Grant::Admin as u8 {
            0 => self,
            _ => Grants(self.0 & !IMPLIED),
        }
    }

    /// The grants that were named, in their order, without what they imply.
    pub fn listed(self) -> impl Iterator<Item = Grant> {
        Grant::ALL
            .into_iter()
            .filter(move |grant| self.0 & *grant as u8 != 0)
    }
}

impl fmt::Display for Grants {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Grants::NONE {
            return formatter.write_str("none");
        }
        for (index, grant) in self.listed().enumerate() {
            if index > 0 {
                formatter.write_str(" ")?;
            }
            formatter.write_str(grant.word())?;
        }
        Ok(())
    }
}

/// The text is no set of grants. Displays as the message for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotGrants {
    /// There is no such grant.
    Unknown(String),
    /// `none` beside a grant.
    NoneAndMore,
    /// Nothing at all: the empty set has to be called `none`.
    Empty,
}

impl fmt::Display for NotGrants {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotGrants::Unknown(word) => write!(
                formatter,
                "there is no grant {word:?}; there are read, write, fan, respond, admin, and none for no grant"
            ),
            NotGrants::NoneAndMore => formatter.write_str("none goes with no other grant"),
            NotGrants::Empty => formatter.write_str("no grant is named; the empty set is none"),
        }
    }
}

impl std::error::Error for NotGrants {}

impl FromStr for Grants {
    type Err = NotGrants;

    /// Words between blanks or commas, in any order.
    fn from_str(text: &str) -> Result<Grants, NotGrants> {
        let words = text.split([' ', ',', '\t']).filter(|word| !word.is_empty());
        let (mut set, mut count, mut none) = (Grants::NONE, 0, false);
        for word in words {
            count += 1;
            if word == "none" {
                none = true;
                continue;
            }
            let grant = Grant::ALL.into_iter().find(|grant| grant.word() == word);
            let grant = grant.ok_or_else(|| {
                // A word of any length would come back in the message.
                NotGrants::Unknown(word.chars().take(32).collect())
            })?;
            set.0 |= grant as u8;
        }
        match (count, none) {
            (0, _) => Err(NotGrants::Empty),
            (1, true) | (_, false) => Ok(set),
            _ => Err(NotGrants::NoneAndMore),
        }
    }
}

impl Serialize for Grants {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Grants {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Grants, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_grants() -> impl Strategy<Value = Grants> {
        (0_u8..32).prop_map(Grants)
    }

    #[test]
    fn admin_is_everything_but_answering_for_the_person() {
        let admin = Grants::of(&[Grant::Admin]);
        for grant in Grant::ALL {
            assert_eq!(admin.holds(grant), grant != Grant::Respond, "{grant:?}");
            assert!(!Grants::NONE.holds(grant));
        }
        assert!(admin.covers(Grants::of(&[Grant::Read, Grant::Write, Grant::Fan])));
        assert!(!admin.covers(Grants::of(&[Grant::Respond])));
        assert!(!Grants::of(&[Grant::Read, Grant::Write, Grant::Fan]).covers(admin));
    }

    #[test]
    fn words_are_read_with_blanks_or_commas_and_wrong_ones_are_named() {
        let read_write = Grants::of(&[Grant::Read, Grant::Write]);
        for text in [
            "read write",
            "write,read",
            " read,  write ",
            "read,write,read",
        ] {
            assert_eq!(text.parse(), Ok(read_write), "{text:?}");
        }
        assert_eq!("none".parse(), Ok(Grants::NONE));
        assert_eq!("".parse::<Grants>(), Err(NotGrants::Empty));
        assert_eq!("none read".parse::<Grants>(), Err(NotGrants::NoneAndMore));
        assert_eq!(
            "read Write".parse::<Grants>(),
            Err(NotGrants::Unknown("Write".to_owned()))
        );
    }

    proptest! {
        #[test]
        fn a_set_survives_being_written(set in any_grants()) {
            prop_assert_eq!(set.to_string().parse(), Ok(set));
            let json = serde_json::to_string(&set).unwrap();
            prop_assert_eq!(serde_json::from_str::<Grants>(&json).unwrap(), set);
        }

        #[test]
        fn what_both_give_is_covered_by_both_and_nothing_else_is(a in any_grants(), b in any_grants()) {
            let both = a.both(b);
            prop_assert!(a.covers(both) && b.covers(both));
            for grant in Grant::ALL {
                prop_assert_eq!(both.holds(grant), a.holds(grant) && b.holds(grant));
            }
            prop_assert_eq!(a.covers(b) && b.covers(a), Grant::ALL.iter().all(|g| a.holds(*g) == b.holds(*g)));
        }
    }
}
