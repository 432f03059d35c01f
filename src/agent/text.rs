//! Cleaning of texts that come from reporters and are shown to people.

/// The longest source or label, in bytes. herdr has no limit; a pane keeps several of them for
/// long, and no honest name is longer.
pub(super) const MAX_NAME_BYTES: usize = 256;
/// The longest stored message of a state report, in bytes. herdr has no limit; it is a line or two
/// for a person.
const MAX_MESSAGE_BYTES: usize = 4096;

/// The text without control characters, trimmed, cut to `limit` characters; `None` if nothing is left.
pub(super) fn shown(text: &str, limit: usize) -> Option<String> {
    let clean: String = text.chars().filter(|symbol| !symbol.is_control()).collect();
    let cut: String = clean.trim().chars().take(limit).collect();
    (!cut.is_empty()).then_some(cut)
}

/// A message as it is stored: trimmed and cut at a character; `None` if nothing is left.
pub(super) fn message(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = |(start, symbol): &(usize, char)| start + symbol.len_utf8() <= MAX_MESSAGE_BYTES;
    let cut: String = text
        .char_indices()
        .take_while(fits)
        .map(|(_, symbol)| symbol)
        .collect();
    (!cut.is_empty()).then_some(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_text_is_one_clean_line_of_at_most_so_many_characters() {
        assert_eq!(shown("  a\nb\u{1b}c ", 80), Some("abc".into()));
        assert_eq!(shown(" \t\r\n", 80), None);
        for (there, left) in [(79, 79), (80, 80), (81, 80), (200, 80)] {
            let text = shown(&"é".repeat(there), 80).unwrap();
            assert_eq!(text.chars().count(), left);
        }
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let text = format!("x{}", "é".repeat(4096));
        assert_eq!(message(&text).unwrap().len(), 4095);
        assert_eq!(message("  "), None);
    }
}
