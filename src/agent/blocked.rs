//! What a blocked agent waits for, guessed from its message. herdr has no such distinction; only
//! drover's own listing shows it.

/// What a blocked agent wants from a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockedKind {
    /// A yes or no to something it wants to do.
    Approval,
    /// An answer, a choice, a login.
    Question,
}

/// Words that ask for leave to do something.
const APPROVAL_WORDS: &[&str] = &[
    "approval",
    "permission",
    "allow",
    "proceed",
    "confirm",
    "trust",
];

impl BlockedKind {
    /// What the agent `label`, blocked with this message, waits for. Crush blocks without a message
    /// or with one that starts with `Permission` when it wants approval, and with other text when
    /// it asks; of others the words decide, and no text tells nothing.
    pub(super) fn of(label: &str, message: Option<&str>) -> Option<BlockedKind> {
        let message = message.unwrap_or("").trim();
        if label == "crush" {
            let approval = message.is_empty() || message.starts_with("Permission");
            return Some(if approval {
                BlockedKind::Approval
            } else {
                BlockedKind::Question
            });
        }
        if message.is_empty() {
            return None;
        }
        let message = message.to_ascii_lowercase();
        let approval = APPROVAL_WORDS.iter().any(|word| message.contains(word));
        Some(if approval {
            BlockedKind::Approval
        } else {
            BlockedKind::Question
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BlockedKind::{self, *};

    #[test]
    fn crush_without_words_or_with_permission_wants_approval() {
        assert_eq!(BlockedKind::of("crush", None), Some(Approval));
        assert_eq!(BlockedKind::of("crush", Some("")), Some(Approval));
        let message = Some("Permission: bash - ls");
        assert_eq!(BlockedKind::of("crush", message), Some(Approval));
        let message = Some("Re-authentication required: x");
        assert_eq!(BlockedKind::of("crush", message), Some(Question));
    }

    #[test]
    fn of_others_the_words_decide() {
        let of = |message| BlockedKind::of("my-bot", message);
        assert_eq!(of(None), None);
        assert_eq!(of(Some("  ")), None);
        assert_eq!(of(Some("Allow this command?")), Some(Approval));
        assert_eq!(of(Some("Do you TRUST this folder")), Some(Approval));
        assert_eq!(of(Some("Which colour?")), Some(Question));
    }
}
