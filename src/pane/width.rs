//! How many columns a character takes: the tables of `unicode-width`, which the engine uses, made
//! flat for the characters nearly all text is made of.

use std::sync::LazyLock;

use unicode_width::UnicodeWidthChar;

use super::utf8::{self, Decoded};

/// Characters the flat table has: the basic plane, which is all but emoji and rare scripts.
const PLANE: usize = 0x1_0000;

/// What the flat table says of a character without a width.
const CONTROL: u8 = 3;

/// Two bits a character, 16 KiB a process. Made when the first character beyond ASCII is printed,
/// in a fraction of a millisecond.
static WIDTHS: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let mut widths = vec![0; PLANE / 4].into_boxed_slice();
    for code in 0..PLANE {
        let width = char::from_u32(code as u32)
            .and_then(UnicodeWidthChar::width)
            .map_or(CONTROL, |width| width.min(2) as u8);
        widths[code / 4] |= width << (code % 4 * 2);
    }
    widths
});

/// Columns of a character: 0, 1 or 2, none for a control.
#[inline]
pub(super) fn width(character: char) -> Option<usize> {
    let code = character as usize;
    match WIDTHS.get(code / 4) {
        Some(four) => match four >> (code % 4 * 2) & 3 {
            CONTROL => None,
            width => Some(usize::from(width)),
        },
        None => character.width().map(|width| width.min(2)),
    }
}

/// What the table of steps says where the bytes before are not enough.
const LOOK_UP: u8 = 4;

/// Bytes that begin a character of several, and one row for all that do not.
const LEADS: usize = 0x100 - 0xbf;

/// For each byte of valid text, by the byte before it: the columns that it adds, which for a character of several
/// bytes the second one does. 16 KiB, made like the other table.
static STEPS: LazyLock<Box<[[u8; 256]; LEADS]>> = LazyLock::new(|| {
    let mut steps = Box::new([[LOOK_UP; 256]; LEADS]);
    steps[0][0x20..0x7f].fill(1);
    steps[0][0x80..].fill(0);
    let all = |mut codes: std::ops::Range<u32>| {
        let of = |code| char::from_u32(code).and_then(width).unwrap_or(0);
        let first = of(codes.start);
        let alike = first > 0 && codes.all(|code| of(code) == first);
        if alike { first as u8 } else { LOOK_UP }
    };
    for code in 0x80..0x800 {
        steps[row(0xc0 | (code >> 6) as u8)][0x80 | code as usize & 0x3f] = all(code..code + 1);
    }
    for block in 0x800 >> 6..0x1_0000 >> 6 {
        let (lead, second) = (0xe0 | (block >> 6) as u8, 0x80 | block as usize & 0x3f);
        steps[row(lead)][second] = all(block << 6..(block + 1) << 6);
    }
    steps
});

/// The row of the table of steps for what follows a byte.
#[inline]
fn row(before: u8) -> usize {
    usize::from(before.saturating_sub(0xbf))
}

/// Columns of a text that begins on no cell, if each of its characters is to have cells of its own but for
/// up to `most_marks` zero-width ones on each. None if one has not, or is a control.
pub(super) fn columns(text: &[u8], most_marks: usize) -> Option<usize> {
    let steps: &[[u8; 256]; LEADS] = &STEPS;
    let (mut position, mut columns) = (0, 0);
    // Zero-width characters on the cell before, and where the last of them ended.
    let (mut marks, mut marked) = (most_marks, 0);
    loop {
        let known = known_columns(text, position, steps);
        columns += known.columns;
        let Some(looked_up) = known.end else {
            return Some(columns);
        };
        let Decoded::Character(character, length) = utf8::decode(&text[looked_up..]) else {
            return None;
        };
        position = looked_up + length;
        match width(character)? {
            0 => {
                marks = if marked == looked_up { marks } else { 0 } + 1;
                marked = position;
                if marks > most_marks {
                    return None;
                }
            }
            width => columns += width,
        }
    }
}

struct Known {
    columns: usize,
    /// Where the first character is that has to be looked up, if there is one.
    end: Option<usize>,
}

/// Columns of the text from `start` on, as far as the table of steps says them.
///
/// Text of several scripts makes every branch on a character a wrong guess, so there is one only where a
/// character has to be looked up. On its own, so that the sum stays in a register.
#[inline(never)]
fn known_columns(text: &[u8], start: usize, steps: &[[u8; 256]; LEADS]) -> Known {
    let mut columns = 0;
    let mut before = 0;
    for (position, &byte) in text.iter().enumerate().skip(start) {
        let step = steps[row(before)][usize::from(byte)];
        if step == LOOK_UP {
            // The second byte of a character, unless it is a control.
            let end = Some(position - usize::from(before >= 0xc0));
            return Known { columns, end };
        }
        columns += usize::from(step);
        before = byte;
    }
    Known { columns, end: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, one character at a time.
    fn columns_one_by_one(text: &str, most_marks: usize) -> Option<usize> {
        let (mut columns, mut marks) = (0, most_marks);
        for character in text.chars() {
            match width(character)? {
                0 => marks += 1,
                width => (columns, marks) = (columns + width, 0),
            }
            if marks > most_marks {
                return None;
            }
        }
        Some(columns)
    }

    #[test]
    fn every_character_counts_as_many_columns_as_it_has_in_any_text() {
        for character in '\0'..=char::MAX {
            for text in [format!("{character}"), format!("a{character}日{character}")] {
                assert_eq!(
                    columns(text.as_bytes(), 8),
                    columns_one_by_one(&text, 8),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn a_cell_takes_so_many_marks_and_no_more() {
        for before in ["", "a", "日", "a\u{301}", "e\u{301}日"] {
            for marks in 0..10 {
                let text = format!("{before}{}", "\u{301}".repeat(marks));
                assert_eq!(
                    columns(text.as_bytes(), 4),
                    columns_one_by_one(&text, 4),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn every_character_has_the_width_of_the_tables() {
        for character in '\0'..=char::MAX {
            let expected = character.width().map(|width| width.min(2));
            assert_eq!(width(character), expected, "{:#x}", character as u32);
        }
    }
}
