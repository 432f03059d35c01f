//! The public ids of workspaces, tabs and panes, and the internal key of a pane.
//!
//! herdr 0.9.3 writes `w<N>`, `w<N>:t<N>` and `w<N>:p<N>`, where `<N>` is a bijective base-32
//! number: there is no zero digit with the value zero, so every number has exactly one spelling.

use std::fmt;
use std::str::FromStr;

/// The digits of values 1 to 32. I, L, O and U are left out because they read like other digits.
const DIGITS: &[u8; 32] = b"123456789ABCDEFGHJKMNPQRSTVWXYZ0";

/// A pane's internal number: unique while the daemon lives, kept when the pane moves, never
/// reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneKey(u64);

impl PaneKey {
    /// The key with the given number.
    pub const fn new(number: u64) -> PaneKey {
        PaneKey(number)
    }

    /// The plain number, as used in the old `p_<number>` spelling.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for PaneKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A workspace's public id, such as `w1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspaceId(u32);

impl WorkspaceId {
    /// The id with the given number, 1 or greater.
    pub const fn new(number: u32) -> WorkspaceId {
        WorkspaceId(number)
    }

    /// The number behind the id, 1 or greater.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A tab's public id, such as `w1:t1`. The number is stable; it is not the tab's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TabId {
    /// The workspace that holds the tab.
    pub workspace: WorkspaceId,
    /// Counted per workspace from 1, never reused.
    pub number: u32,
}

/// A pane's public id, such as `w1:p1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId {
    /// The workspace that holds the pane.
    pub workspace: WorkspaceId,
    /// Counted per workspace from 1, never reused.
    pub number: u32,
}

/// The text is not the canonical spelling of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnId;

impl fmt::Display for NotAnId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("not a canonical id")
    }
}

impl std::error::Error for NotAnId {}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("w")?;
        write_number(formatter, self.0)
    }
}

impl fmt::Display for TabId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:t", self.workspace)?;
        write_number(formatter, self.number)
    }
}

impl fmt::Display for PaneId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:p", self.workspace)?;
        write_number(formatter, self.number)
    }
}

impl FromStr for WorkspaceId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<WorkspaceId, NotAnId> {
        text.strip_prefix('w')
            .and_then(parse_number)
            .map(WorkspaceId)
            .ok_or(NotAnId)
    }
}

impl FromStr for TabId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<TabId, NotAnId> {
        let (workspace, number) = text.split_once(":t").ok_or(NotAnId)?;
        Ok(TabId {
            workspace: workspace.parse()?,
            number: parse_number(number).ok_or(NotAnId)?,
        })
    }
}

impl FromStr for PaneId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<PaneId, NotAnId> {
        let (workspace, number) = text.split_once(":p").ok_or(NotAnId)?;
        Ok(PaneId {
            workspace: workspace.parse()?,
            number: parse_number(number).ok_or(NotAnId)?,
        })
    }
}

/// Writes a number of 1 or greater in bijective base 32. Zero, which no id carries, writes
/// nothing.
fn write_number(formatter: &mut fmt::Formatter<'_>, mut number: u32) -> fmt::Result {
    // 32^6 is 2^30 and a u32 has 32 bits, so seven digits always suffice.
    let mut digits = [0u8; 7];
    let mut start = digits.len();
    while number > 0 {
        let digit = (number - 1) % 32;
        start -= 1;
        digits[start] = DIGITS[digit as usize];
        number = (number - 1) / 32;
    }
    for digit in &digits[start..] {
        fmt::Write::write_char(formatter, char::from(*digit))?;
    }
    Ok(())
}

/// Reads a bijective base-32 number; `None` for an empty text, a foreign character or a number
/// that does not fit.
pub(super) fn parse_number(text: &str) -> Option<u32> {
    if text.is_empty() {
        return None;
    }
    text.bytes().try_fold(0u32, |number, byte| {
        let digit = DIGITS.iter().position(|known| *known == byte)?;
        number.checked_mul(32)?.checked_add(digit as u32 + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn workspace(number: u32) -> String {
        WorkspaceId::new(number).to_string()
    }

    #[test]
    fn numbers_count_through_the_alphabet_and_then_grow_a_digit() {
        assert_eq!(workspace(1), "w1");
        assert_eq!(workspace(9), "w9");
        assert_eq!(workspace(10), "wA");
        assert_eq!(workspace(31), "wZ");
        assert_eq!(workspace(32), "w0");
        assert_eq!(workspace(33), "w11");
        assert_eq!(workspace(32 + 32 * 32), "w00");
        assert_eq!(workspace(33 + 32 * 32), "w111");
    }

    #[test]
    fn tab_and_pane_ids_carry_their_workspace() {
        let id = TabId {
            workspace: WorkspaceId::new(10),
            number: 2,
        };
        assert_eq!(id.to_string(), "wA:t2");
        let id = PaneId {
            workspace: WorkspaceId::new(1),
            number: 10,
        };
        assert_eq!(id.to_string(), "w1:pA");
        assert_eq!("w1:pA".parse(), Ok(id));
    }

    #[test]
    fn only_the_canonical_spelling_parses() {
        for text in [
            "",
            "w",
            "1",
            "W1",
            "wa",
            "wI",
            "w1 ",
            " w1",
            "w-1",
            "w1:p1",
            "w99999999",
        ] {
            assert_eq!(text.parse::<WorkspaceId>(), Err(NotAnId), "{text:?}");
        }
        for text in ["", "p1", "w1", "w1:t1", "w1:p", "w1:pp1", "1:p1", ":p1"] {
            assert_eq!(text.parse::<PaneId>(), Err(NotAnId), "{text:?}");
        }
        for text in ["w1:p1", "w1:1", "w1:t", "w:t1"] {
            assert_eq!(text.parse::<TabId>(), Err(NotAnId), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_number_survives_the_round_trip(workspace in 1u32.., number in 1u32..) {
            let workspace = WorkspaceId::new(workspace);
            let tab = TabId { workspace, number };
            let pane = PaneId { workspace, number };
            prop_assert_eq!(workspace.to_string().parse(), Ok(workspace));
            prop_assert_eq!(tab.to_string().parse(), Ok(tab));
            prop_assert_eq!(pane.to_string().parse(), Ok(pane));
        }

        #[test]
        fn what_parses_is_spelled_the_same(text in "w[0-9A-Z]{1,9}") {
            if let Ok(id) = text.parse::<WorkspaceId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
