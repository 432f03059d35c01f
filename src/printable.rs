//! Text from outside on the person's terminal: it shows as text and does nothing else.

/// Characters that reorder or hide what stands beside them: a name could read as another, or a line as two. Those that
/// join letters and emoji (U+200C, U+200D) are not among them: they change only what they stand in.
fn deceives(character: char) -> bool {
    matches!(
        character,
        '\u{061c}' // Arabic letter mark
        | '\u{200b}' // zero width space
        | '\u{200e}' | '\u{200f}' // directional marks
        | '\u{2028}' | '\u{2029}' // line and paragraph separators
        | '\u{202a}'..='\u{202e}' // embeddings and overrides
        | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, isolates, deprecated ones
        | '\u{feff}' // zero width no-break space
        | '\u{fff9}'..='\u{fffb}' // interlinear annotation
        | '\u{e0000}'..='\u{e007f}' // tags
    )
}

/// Whether a character may be shown.
#[must_use]
pub fn is_printable(character: char) -> bool {
    !character.is_control() && !deceives(character)
}

/// Text as part of a line: line breaks and tabs are blanks, and what is not text (C0 and C1 controls, with them every
/// escape sequence, and characters that reorder or hide) is left out.
#[must_use]
pub fn line(text: &str) -> String {
    clean(text, false)
}

/// Text of several lines: the same, but its own line breaks stay.
#[must_use]
pub fn lines(text: &str) -> String {
    clean(text, true)
}

/// Text of several lines with colours (`pane read --ansi`): SGR sequences stay as well, and carriage returns before
/// line breaks.
#[must_use]
pub fn coloured(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let sequence = colour(rest);
        if sequence > 0 {
            out.push_str(&rest[..sequence]);
            rest = &rest[sequence..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        let kept = match character {
            '\n' | '\t' => true,
            '\r' => rest.starts_with('\n'),
            character => is_printable(character),
        };
        if kept {
            out.push(character);
        }
    }
    out
}

/// Bytes of the SGR sequence that a text begins with; none if it begins with something else.
fn colour(text: &str) -> usize {
    let Some(body) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let end = body.find(|c: char| !matches!(c, '0'..='9' | ';' | ':'));
    match end {
        Some(end) if body[end..].starts_with('m') => text.len() - body.len() + end + 1,
        _ => 0,
    }
}

/// JSON whose strings have escapes for what is not to be shown. It says the same: JSON has such characters in strings
/// only.
#[must_use]
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units = [0; 2];
    for character in text.chars() {
        if character == '\n' || is_printable(character) {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// The same as [`line`], of at most so many characters and without blanks at its ends.
#[must_use]
pub fn short_line(text: &str, characters: usize) -> String {
    // What is left out counts, too: a text of nothing else must not be walked to its end.
    let text: String = text.chars().take(characters.saturating_mul(2)).collect();
    let mut short: String = line(&text).trim().chars().take(characters).collect();
    short.truncate(short.trim_end().len());
    short
}

fn clean(text: &str, breaks: bool) -> String {
    text.chars()
        .filter_map(|character| match character {
            '\n' if breaks => Some('\n'),
            '\n' | '\r' | '\t' => Some(' '),
            character => is_printable(character).then_some(character),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_drives_a_terminal_gets_through() {
        assert_eq!(line("a\u{1b}]52;c;eA==\u{7}b"), "a]52;c;eA==b");
        assert_eq!(line("\u{9b}31m\u{90}q\u{9c}"), "31mq");
        assert_eq!(line("a\r\nb\tc\u{8}\u{7f}\0"), "a  b c");
        assert_eq!(lines("a\r\nb\u{1b}[2J"), "a \nb[2J");
    }

    #[test]
    fn a_short_line_is_cut_after_it_was_cleaned() {
        assert_eq!(short_line(" \u{1b}[31m\ta\n", 5), "[31m");
        assert_eq!(short_line("žluťoučký", 4), "žluť");
        assert_eq!(short_line("one  two", 4), "one");
        assert_eq!(short_line("\u{7}\u{202e} ", 80), "");
    }

    #[test]
    fn of_sequences_only_colours_stay() {
        let kept = "\u{1b}[0m\u{1b}[38;5;9mred\u{1b}[m\tx\r\n\u{1b}[4:3mcurly\n";
        assert_eq!(coloured(kept), kept);
        assert_eq!(
            coloured("\u{1b}[2J\u{1b}]0;t\u{7}\u{1b}[?1m\u{1b}[6n\u{1b}["),
            "[2J]0;t[?1m[6n["
        );
        assert_eq!(coloured("a\rb\u{1b}\u{1b}[1mc"), "ab\u{1b}[1mc");
    }

    #[test]
    fn json_says_the_same_with_escapes() {
        let text = serde_json::json!({ "t": "a\u{9b}31m\u{202e}\u{e0041}\u{7f}ž\n" }).to_string();
        let shown = json(&text);
        assert!(shown.chars().all(is_printable), "{shown:?}");
        let (before, after): (serde_json::Value, serde_json::Value) = (
            serde_json::from_str(&text).unwrap(),
            serde_json::from_str(&shown).unwrap(),
        );
        assert_eq!(before, after);
        assert!(shown.contains("\\udb40\\udc41"), "{shown}");
    }

    #[test]
    fn nothing_that_reorders_or_hides_gets_through_and_writing_does() {
        assert_eq!(
            line("safe\u{202e}txt.exe\u{2066}\u{200b}\u{feff}\u{2028}"),
            "safetxt.exe"
        );
        assert_eq!(line("tag\u{e0041}"), "tag");
        for text in ["žluťoučký", "漢字", "👩‍👩‍👧", "می\u{200c}خواهم", "שלום"]
        {
            assert_eq!(line(text), text);
        }
    }
}
