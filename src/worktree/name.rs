//! Names for new checkouts: the directory that a branch gets, and a branch for who names none.

use std::hash::{BuildHasher, RandomState};

/// Bytes of a directory's name at most; file systems take 255.
const SLUG_MAX: usize = 100;

const ADJECTIVES: [&str; 16] = [
    "amber", "brave", "calm", "clear", "eager", "fresh", "gentle", "keen", "lively", "mellow",
    "nimble", "quiet", "rapid", "sunny", "swift", "warm",
];

const NOUNS: [&str; 16] = [
    "anchor", "brook", "canyon", "cedar", "comet", "falcon", "garden", "harbor", "island",
    "lantern", "meadow", "orchard", "pebble", "river", "summit", "willow",
];

/// The directory that a branch is checked out in by default: its name in lower case, with one dash
/// for every run of other characters than letters and digits (herdr 0.9.3, `worktree.create`).
pub fn slug(branch: &str) -> String {
    let mut slug = String::with_capacity(branch.len().min(SLUG_MAX));
    for character in branch.chars() {
        if slug.len() >= SLUG_MAX {
            break;
        }
        let letter = character.to_ascii_lowercase();
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() {
        slug.push_str("worktree");
    }
    slug
}

/// `worktree/<adjective>-<noun>-<4 hex>` (herdr 0.9.3, `worktree.create`).
pub fn generated_branch() -> String {
    // The standard library's own seed; nobody has to be kept from guessing it.
    let number = RandomState::new().hash_one(0_u8);
    let pick = |words: &[&'static str], bits: u64| words[bits as usize % words.len()];
    format!(
        "worktree/{}-{}-{:04x}",
        pick(&ADJECTIVES, number >> 32),
        pick(&NOUNS, number >> 48),
        number & 0xffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_named_after_its_branch() {
        for (branch, expected) in [
            ("feat/one", "feat-one"),
            ("Fix_The  Bug!!", "fix-the-bug"),
            ("--x--", "x"),
            ("../../etc", "etc"),
            ("日本語", "worktree"),
            ("", "worktree"),
            ("v1.2", "v1-2"),
        ] {
            assert_eq!(slug(branch), expected, "{branch}");
        }
        let long = slug(&"ab/".repeat(100));
        assert!(long.len() <= SLUG_MAX && !long.ends_with('-'));
    }

    #[test]
    fn generated_branches_differ() {
        let branches: std::collections::HashSet<String> =
            (0..20).map(|_| generated_branch()).collect();
        assert!(branches.len() > 10);
        for branch in branches {
            let directory = slug(&branch);
            assert_eq!(branch.replacen('/', "-", 1), directory);
        }
    }
}
