//! How many columns a character takes: the tables of `unicode-width`, which the engine uses, made
//! flat for the characters nearly all text is made of.

use std::sync::LazyLock;

use unicode_width::UnicodeWidthChar;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_width_of_the_tables() {
        for character in '\0'..=char::MAX {
            let expected = character.width().map(|width| width.min(2));
            assert_eq!(width(character), expected, "{:#x}", character as u32);
        }
    }
}
