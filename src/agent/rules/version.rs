//! Versions of manifests: dotted numbers, compared number by number.

use std::cmp::Ordering;
use std::fmt;

/// Numbers of one version at most; `2026.08.21.1` has four.
const MAX_PARTS: usize = 16;

/// A manifest's version (herdr 0.9.3). `1.2` and `1.2.0` are the same.
#[derive(Debug, Clone)]
pub struct Version {
    text: String,
    parts: Vec<u64>,
}

impl Version {
    /// Reads dotted numbers; none for anything else.
    pub fn parse(text: &str) -> Option<Version> {
        let parts: Vec<u64> = text
            .split('.')
            .map(|part| {
                let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
                digits.then(|| part.parse().ok()).flatten()
            })
            .collect::<Option<_>>()?;
        (parts.len() <= MAX_PARTS).then(|| Version {
            text: text.to_owned(),
            parts,
        })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let length = self.parts.len().max(other.parts.len());
        let part = |version: &Version, at| version.parts.get(at).copied().unwrap_or(0);
        (0..length)
            .map(|at| part(self, at).cmp(&part(other, at)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Version) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn versions_are_compared_number_by_number() {
        assert!(version("2026.08.21.1") < version("2026.8.21.10"));
        assert!(version("9999.1") > version("2026.12.31"));
        assert_eq!(version("1.2"), version("1.2.0"));
        assert!(version("1.2") < version("1.2.0.1"));
    }

    #[test]
    fn only_dotted_numbers_are_versions() {
        for text in [
            "",
            ".",
            "1.",
            "1..2",
            "1.x",
            "-1",
            "+1",
            "v1",
            " 1",
            "99999999999999999999",
        ] {
            assert!(Version::parse(text).is_none(), "{text:?}");
        }
    }
}
