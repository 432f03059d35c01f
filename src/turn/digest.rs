//! SHA-256, as the contract writes it.

use sha2::{Digest, Sha256};

/// SHA-256 in lower-case hexadecimal digits.
pub fn hex_sha256(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |number: u8| char::from(b"0123456789abcdef"[usize::from(number)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Whether a text is so many lower-case hexadecimal digits.
pub(super) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_contract() {
        for (text, digest) in [
            (
                "bounded result",
                "dcf69326b6e243c1ff2e85dc9cb39dd2f3edefb314f7f677a6bc4182f8d7a240",
            ),
            (
                "durable result",
                "603e1cb41aa935f04257152ba637eac19bc904545fc537c0b629d4e6172e776b",
            ),
            (
                "Grüße ✓",
                "087c35de16ad400745205d66394e4a98ce8385bc8aba58e0a2fc1f4b4c0e1fdb",
            ),
        ] {
            assert_eq!(hex_sha256(text.as_bytes()), digest);
            assert!(is_hex(digest, 64) && !is_hex(digest, 63));
        }
        assert!(!is_hex("AB", 2) && !is_hex("g0", 2));
    }
}
