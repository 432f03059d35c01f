//! Terminal titles, as herdr 0.9.3 shows them.

/// Glyphs that agents put before a title to show that they are busy, besides Braille cells.
const ACTIVITY: &str = "·✢✳✶✻✽◐◓◑◒";

/// A title without one leading activity glyph, if that glyph stands alone or before white space.
/// None when nothing is left.
pub fn stripped(title: &str) -> Option<&str> {
    let mut rest = title.trim();
    if let Some(first) = rest.chars().next()
        && (ACTIVITY.contains(first) || ('\u{2800}'..='\u{28ff}').contains(&first))
    {
        let after = &rest[first.len_utf8()..];
        if after.is_empty() || after.starts_with(char::is_whitespace) {
            rest = after.trim();
        }
    }
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::stripped;

    #[test]
    fn one_leading_activity_glyph_does_not_count() {
        assert_eq!(stripped("⠋ fix"), Some("fix"));
        assert_eq!(stripped("✻  two  words "), Some("two  words"));
        assert_eq!(stripped("⠋"), None);
        assert_eq!(stripped("✳ ⠋ x"), Some("⠋ x"), "only one");
        assert_eq!(stripped("·fix"), Some("·fix"), "it has to stand alone");
        assert_eq!(stripped("plain"), Some("plain"));
        assert_eq!(stripped("  "), None);
    }
}
