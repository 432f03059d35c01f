//! Values on a command line: what several commands take, and the texts for what they refuse.
//!
//! The texts are herdr 0.9.3's: scripts and tests look for them.

use std::collections::BTreeMap;

use super::{BadValue, Failure};

/// Splits `KEY=VALUE` at the first `=`.
///
/// # Errors
/// No `=`, an empty key, or a NUL byte, which no environment can hold.
pub fn environment_pair(word: &str) -> Result<(String, String), BadValue> {
    let (key, value) = word
        .split_once('=')
        .ok_or(BadValue::new("env must use KEY=VALUE"))?;
    if key.is_empty() {
        return Err(BadValue::new("env key must not be empty"));
    }
    if word.contains('\0') {
        return Err(BadValue::new("env must not contain NUL bytes"));
    }
    Ok((key.to_owned(), value.to_owned()))
}

/// Splits `NAME=VALUE` of a metadata token at the first `=`.
///
/// # Errors
/// No `=`, or an empty name.
pub fn token_pair(word: &str) -> Result<(String, String), BadValue> {
    let (name, value) = word
        .split_once('=')
        .ok_or(BadValue::new("token must use NAME=VALUE"))?;
    if name.is_empty() {
        return Err(BadValue::new("token name must not be empty"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// The tokens to set and to clear as one map, where a cleared one has no value.
///
/// # Errors
/// One token is to be both set and cleared, or a name to clear is empty.
pub fn tokens(
    set: Vec<(String, String)>,
    clear: Vec<String>,
) -> Result<BTreeMap<String, Option<String>>, Failure> {
    let mut tokens: BTreeMap<String, Option<String>> = set
        .into_iter()
        .map(|(name, value)| (name, Some(value)))
        .collect();
    for name in clear {
        if name.is_empty() {
            return Err(Failure::Misuse("token name must not be empty".to_owned()));
        }
        if tokens.insert(name, None).flatten().is_some() {
            return Err(Failure::Misuse(
                "cannot set and clear the same metadata field".to_owned(),
            ));
        }
    }
    Ok(tokens)
}

/// The value of an option that has to be there.
///
/// # Errors
/// It is not there.
pub fn required<T>(value: Option<T>, option: &str) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::Misuse(format!("missing required {option}")))
}

/// The value of an option that has to be there and hold something but blanks, trimmed.
///
/// # Errors
/// It is not there, or blank.
pub fn required_text(value: Option<String>, option: &str) -> Result<String, Failure> {
    let trimmed = value
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty());
    required(trimmed, option)
}

/// A finite number for `--ratio` or `--amount`.
///
/// # Errors
/// No number, or none that JSON can carry.
pub fn finite(word: &str) -> Option<f32> {
    word.parse::<f32>().ok().filter(|number| number.is_finite())
}

/// The words of a label, joined as herdr joins them.
#[must_use]
pub fn joined(words: &[String]) -> String {
    words.join(" ")
}

/// The first word and all after it.
///
/// # Errors
/// There is no word.
pub fn first(words: Vec<String>) -> Result<(String, Vec<String>), Failure> {
    let mut words = words.into_iter();
    let first = words.next().ok_or(Failure::Usage)?;
    Ok((first, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_split_at_the_first_equals_sign() {
        assert_eq!(environment_pair("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert_eq!(environment_pair("A="), Ok(("A".into(), String::new())));
        assert_eq!(
            environment_pair("A"),
            Err(BadValue::new("env must use KEY=VALUE"))
        );
        assert_eq!(
            environment_pair("=b"),
            Err(BadValue::new("env key must not be empty"))
        );
        assert_eq!(
            environment_pair("A=\0"),
            Err(BadValue::new("env must not contain NUL bytes"))
        );
        assert_eq!(
            token_pair("bad"),
            Err(BadValue::new("token must use NAME=VALUE"))
        );
        assert_eq!(
            token_pair("=v"),
            Err(BadValue::new("token name must not be empty"))
        );
    }

    #[test]
    fn a_token_is_set_or_cleared_but_not_both() {
        let set = || vec![("a".to_owned(), "1".to_owned())];
        let map = tokens(set(), vec!["b".into()]).expect("valid");
        assert_eq!(map["a"].as_deref(), Some("1"));
        assert_eq!(map["b"], None);
        assert!(tokens(set(), vec!["a".into()]).is_err());
        assert!(tokens(set(), vec![String::new()]).is_err());
    }

    #[test]
    fn a_required_text_is_trimmed_and_blank_counts_as_missing() {
        assert_eq!(
            required_text(Some(" x ".into()), "--source"),
            Ok("x".into())
        );
        let missing = Err(Failure::Misuse("missing required --source".into()));
        assert_eq!(required_text(Some("  ".into()), "--source"), missing);
        assert_eq!(required_text(None, "--source"), missing);
    }

    #[test]
    fn only_finite_numbers_are_ratios() {
        assert_eq!(finite("0.5"), Some(0.5));
        assert_eq!(finite("inf"), None);
        assert_eq!(finite("1e99"), None);
        assert_eq!(finite("x"), None);
    }
}
