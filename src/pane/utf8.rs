//! UTF-8 from a stream that may be cut or broken anywhere.

/// How many bytes there are before the first below 0x20, of the first `most`.
#[inline]
pub(super) fn until_control(bytes: &[u8], most: usize) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let bytes = &bytes[..bytes.len().min(most)];
    let (words, tail) = bytes.as_chunks::<8>();
    for (position, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The high bit is left where a subtraction borrowed. A borrow can only reach bytes above one
        // that is marked already, and the lowest mark is what counts.
        let marks = word.wrapping_sub(0x2020_2020_2020_2020) & !word & HIGH;
        if marks != 0 {
            return position * 8 + (marks.trailing_zeros() / 8) as usize;
        }
    }
    let control = tail.iter().position(|byte| *byte < 0x20);
    words.len() * 8 + control.unwrap_or(tail.len())
}

/// How many of the first bytes are printable ASCII.
#[inline]
pub(super) fn printable_ascii(bytes: &[u8]) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let (words, tail) = bytes.as_chunks::<8>();
    for (position, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The first marks what is not below 0x80 or below 0x20, the second what is above 0x7e. As in
        // `until_control`, only the lowest mark is sure to be right.
        let low = word.wrapping_sub(0x2020_2020_2020_2020);
        let high = word.wrapping_add(0x0101_0101_0101_0101);
        let marks = (word | low | high) & HIGH;
        if marks != 0 {
            return position * 8 + (marks.trailing_zeros() / 8) as usize;
        }
    }
    let other = tail.iter().position(|byte| !matches!(byte, 0x20..=0x7e));
    words.len() * 8 + other.unwrap_or(tail.len())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoded {
    /// A character and its length.
    Character(char, usize),
    /// So many bytes that no character starts with.
    Invalid(usize),
    /// The bytes are the start of a character.
    Incomplete,
}

/// The character at the start of `bytes`, which must not be empty.
#[inline(always)]
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    let low = |byte: u8| u32::from(byte & 0x3f);
    let follows = |byte: u8| byte & 0xc0 == 0x80;
    // The common, well-formed cases; `from_u32` and the lower bounds refuse what is none.
    let (value, least, length) = match *bytes {
        [a @ 0xc2..=0xdf, b, ..] if follows(b) => (u32::from(a & 0x1f) << 6 | low(b), 0x80, 2),
        [a @ 0xe0..=0xef, b, c, ..] if follows(b) && follows(c) => {
            (u32::from(a & 0x0f) << 12 | low(b) << 6 | low(c), 0x800, 3)
        }
        [a @ 0xf0..=0xf4, b, c, d, ..] if follows(b) && follows(c) && follows(d) => (
            u32::from(a & 0x07) << 18 | low(b) << 12 | low(c) << 6 | low(d),
            0x1_0000,
            4,
        ),
        _ => (0, 1, 0),
    };
    match char::from_u32(value) {
        Some(character) if value >= least => Decoded::Character(character, length),
        _ => decode_slowly(bytes),
    }
}

#[cold]
fn decode_slowly(bytes: &[u8]) -> Decoded {
    let bytes = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => {
            return error
                .error_len()
                .map_or(Decoded::Incomplete, Decoded::Invalid);
        }
    };
    match valid.chars().next() {
        Some(character) => Decoded::Character(character, character.len_utf8()),
        None => Decoded::Invalid(1),
    }
}

/// A character's bytes and how many of them count.
///
/// Mixed text makes every branch on a character's length a wrong guess, so there is none.
#[inline(always)]
pub(super) fn encode(character: char) -> ([u8; 4], usize) {
    let code = character as u32;
    let length =
        1 + usize::from(code >= 0x80) + usize::from(code >= 0x800) + usize::from(code >= 0x1_0000);
    // Six bits a byte from the right, all marked as following bytes but the first of four.
    let bits =
        (code >> 18) << 24 | (code >> 12 & 0x3f) << 16 | (code >> 6 & 0x3f) << 8 | code & 0x3f;
    let following = bits | 0x0080_8080;
    const LEAD: [u32; 4] = [0, 0x4000_0000, 0x6000_0000, 0xf000_0000];
    let several = following << (8 * (4 - length)) | LEAD[length - 1];
    let word = if length == 1 { code << 24 } else { several };
    (word.to_be_bytes(), length)
}

/// The last character of a text, if there is one.
pub(super) fn last_character(text: &[u8]) -> Option<char> {
    let start = text.iter().rposition(|byte| *byte & 0xc0 != 0x80)?;
    match decode(&text[start..]) {
        Decoded::Character(character, _) => Some(character),
        _ if text[start] < 0x80 => Some(char::from(text[start])),
        _ => None,
    }
}

/// Whether the bytes end with the start of a character that is not all there.
pub(super) fn ends_within_character(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let Some(start) = tail.iter().rposition(|byte| *byte >= 0xc0) else {
        return false;
    };
    decode_slowly(&tail[start..]) == Decoded::Incomplete
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_the_first_control() {
        for length in 0..30 {
            for (other, is_control) in (0..=u8::MAX).map(|byte| (byte, byte < 0x20)) {
                let mut bytes: Vec<u8> = (0..length)
                    .map(|n| [b' ', b'~', 0xff, 0x80][n % 4])
                    .collect();
                bytes.push(other);
                bytes.push(0);
                let end = length + usize::from(!is_control);
                assert_eq!(until_control(&bytes, 100), end, "{other:#x} at {length}");
                assert_eq!(until_control(&bytes, 5), end.min(5));
            }
        }
    }

    #[test]
    fn printable_ascii_ends_at_anything_else() {
        for length in 0..30 {
            for byte in 0..=u8::MAX {
                let mut bytes: Vec<u8> = (0..length).map(|n| [b' ', b'~'][n % 2]).collect();
                bytes.push(byte);
                bytes.extend([0x7f, 0, 0xff, b'x', 0x80, b'y', 0x1f, b'z']);
                let end = length + usize::from(matches!(byte, 0x20..=0x7e));
                assert_eq!(printable_ascii(&bytes), end, "{byte:#x} at {length}");
                assert_eq!(printable_ascii(&bytes[..end]), end);
            }
        }
    }

    #[test]
    fn the_last_character_is_found_whatever_its_length() {
        for text in ["a", "aé", "日本", "x😀", "e\u{301}"] {
            assert_eq!(last_character(text.as_bytes()), text.chars().last());
        }
        assert_eq!(last_character(b""), None);
    }

    #[test]
    fn encoding_agrees_with_the_standard_library() {
        for character in '\0'..=char::MAX {
            let (bytes, length) = encode(character);
            assert_eq!(
                &bytes[..length],
                character.encode_utf8(&mut [0; 4]).as_bytes()
            );
        }
    }

    #[test]
    fn decoding_agrees_with_the_standard_library() {
        let mut seed = 7_u32;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let mut bytes = seed.to_be_bytes();
            bytes[0] |= 0x80;
            if seed & 3 == 0 {
                bytes[1] = bytes[1] & 0x3f | 0x80;
                bytes[2] = bytes[2] & 0x3f | 0x80;
            }
            for length in 1..=4 {
                let bytes = &bytes[..length];
                assert_eq!(decode(bytes), decode_slowly(bytes), "{bytes:x?}");
            }
        }
        for character in ['é', 'ä', '日', '\u{ffff}', '\u{10000}', '😀', '\u{10ffff}'] {
            let text = character.to_string();
            assert_eq!(
                decode(text.as_bytes()),
                Decoded::Character(character, text.len())
            );
        }
    }
}
