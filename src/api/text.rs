//! Two kinds of text that xcsh sends and that a plain `String` would treat wrongly.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// Text that may have been cut in the middle of a character by a program that counts UTF-16 units.
///
/// The half that is left is written as a lone `\ud83d`, which is no text in Rust. It is read as
/// U+FFFD: the byte length stays the same, and so does the digest, because Node hashes a lone half as
/// that character too.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct CutText(pub String);

impl<'de> Deserialize<'de> for CutText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CutText, D::Error> {
        struct CutVisitor;

        impl Visitor<'_> for CutVisitor {
            type Value = CutText;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<CutText, E> {
                Ok(CutText(text.to_owned()))
            }

            // What serde_json gives for a string when asked for bytes: lone halves in the form that
            // UTF-8 would give them, three bytes each.
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<CutText, E> {
                String::from_utf8(with_replaced_halves(bytes))
                    .map(CutText)
                    .map_err(|_| E::custom("invalid unicode code point"))
            }
        }

        deserializer.deserialize_bytes(CutVisitor)
    }
}

/// Puts U+FFFD, which has three bytes as well, in the place of each lone half.
fn with_replaced_halves(bytes: &[u8]) -> Vec<u8> {
    let mut text = bytes.to_vec();
    let mut at = 0;
    while at + 2 < text.len() {
        // U+D800 to U+DFFF; in well-formed UTF-8 no byte after 0xED is above 0x9F.
        if text[at] == 0xED && text[at + 1] >= 0xA0 {
            text[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
            at += 3;
        } else {
            at += 1;
        }
    }
    text
}

impl JsonSchema for CutText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "CutText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// A secret on its way: no log, no panic message and no debug output shows it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<String, serde_json::Error> {
        serde_json::from_str::<CutText>(json).map(|text| text.0)
    }

    #[test]
    fn a_half_of_a_character_becomes_the_one_that_stands_for_what_cannot_be_read() {
        assert_eq!(read(r#""a\ud83d""#).unwrap(), "a\u{fffd}");
        assert_eq!(read(r#""\udc00b\ud800""#).unwrap(), "\u{fffd}b\u{fffd}");
        assert_eq!(read(r#""\ud83d\ud83d\ude00""#).unwrap(), "\u{fffd}😀");
    }

    #[test]
    fn whole_text_stays_as_it_is() {
        for text in ["", "plain", "퟿ Grüße ✓ 😀", "tab\tline\n"] {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(read(&json).unwrap(), text);
        }
        assert_eq!(
            read(r#""\u00e9\ud83d\ude00\ud7ff""#).unwrap(),
            "é😀\u{d7ff}"
        );
    }

    #[test]
    fn anything_but_a_string_is_refused() {
        for json in ["7", "null", "{}", "[97,98]", "true"] {
            assert!(read(json).is_err(), "{json}");
        }
        let optional: Option<CutText> = serde_json::from_str("null").unwrap();
        assert_eq!(optional, None);
    }

    #[test]
    fn a_secret_shows_itself_on_the_wire_only() {
        let secret = Secret("4b1f0d8e".to_owned());
        assert_eq!(format!("{secret:?}"), "[secret]");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"4b1f0d8e\"");
    }
}
