//! Finding the `id` of a line that is not kept: one that is too long, comes too late, or comes from a client that is
//! refused whatever it asks. Whoever is refused is told so with its own `id`, and costs no memory.

/// Bytes of an `id` that are kept, with its escapes. Clients count or name their requests; a longer one is answered
/// as if it had none.
const ID_BYTES: usize = 64 * 1024;

/// Bytes of a member's name that are kept: `id`, with both letters as escapes, and no more.
const NAME_BYTES: usize = 12;

/// Looks for the one string `id` of the object that a line holds, in as many pieces as it comes.
#[derive(Debug, Default)]
pub struct IdScan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// In the outermost object a name comes next, not a value.
    at_name: bool,
    /// The value that comes next is that of an `id`.
    at_id: bool,
    /// The string that is being read, if it may matter.
    text: Option<Vec<u8>>,
    ids: usize,
    id: Option<String>,
    begun: bool,
    /// The line is no object: nothing in it counts.
    hopeless: bool,
}

impl IdScan {
    /// Looks at more bytes of the line.
    pub fn look_at(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.hopeless {
                return;
            }
            if self.in_string {
                self.inside(byte);
            } else {
                self.between(byte);
            }
        }
    }

    /// Whether nothing but blanks came so far.
    pub fn is_blank(&self) -> bool {
        !self.begun && !self.hopeless
    }

    /// The `id`, if there was exactly one and it was a string; else empty (herdr 0.9.2 and later).
    pub fn id(self) -> String {
        match self.ids {
            1 => self.id.unwrap_or_default(),
            _ => String::new(),
        }
    }

    fn inside(&mut self, byte: u8) {
        if !self.escaped && byte == b'"' {
            self.in_string = false;
            return self.string_ended();
        }
        self.escaped = !self.escaped && byte == b'\\';
        let most = if self.at_name { NAME_BYTES } else { ID_BYTES };
        if let Some(text) = &mut self.text {
            if text.len() < most {
                text.push(byte);
            } else {
                self.text = None;
            }
        }
    }

    fn string_ended(&mut self) {
        let text = self.text.take().and_then(|raw| unescaped(&raw));
        if self.depth != 1 {
            return;
        }
        if self.at_name {
            self.at_id = text.as_deref() == Some("id");
            self.ids += usize::from(self.at_id);
        } else if self.at_id {
            self.id = text;
        }
    }

    fn between(&mut self, byte: u8) {
        if !self.begun && !byte.is_ascii_whitespace() {
            self.begun = true;
            self.hopeless = byte != b'{';
        }
        match byte {
            b'"' => {
                self.in_string = true;
                let matters = self.depth == 1 && (self.at_name || self.at_id);
                self.text = matters.then(Vec::new);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.at_name |= self.depth == 1;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b':' if self.depth == 1 => self.at_name = false,
            b',' if self.depth == 1 => {
                self.at_name = true;
                self.at_id = false;
            }
            _ => {}
        }
    }
}

/// The text of a JSON string from what stands between its quotes.
fn unescaped(raw: &[u8]) -> Option<String> {
    let quoted = [b"\"", raw, b"\""].concat();
    serde_json::from_slice(&quoted).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(line: &str) -> String {
        let mut scan = IdScan::default();
        // In pieces, as it may come.
        for piece in line.as_bytes().chunks(3) {
            scan.look_at(piece);
        }
        scan.id()
    }

    #[test]
    fn the_id_is_found_wherever_it_stands_and_however_it_is_written() {
        for line in [
            r#"{"id":"a","method":"ping","params":{}}"#,
            r#"{"params":{"id":"no","x":["id",{"id":"no"}]},"method":"id","id":"a"}"#,
            r#" { "x" : "\"id\":\\" , "\u0069\u0064" : "a" } "#,
            r#"{"id":"\u0061","params":{"text":"never ends"#,
            r#"{"a long name of a member":"id","id":"a""#,
        ] {
            assert_eq!(id_of(line), "a", "{line}");
        }
        assert_eq!(id_of(r#"{"id":"ž\n\ud83d\ude00"}"#), "ž\n😀");
    }

    #[test]
    fn a_line_without_one_usable_id_has_none() {
        for line in [
            "",
            "  ",
            "ping",
            r#"["id","a"]"#,
            r#"{"id":1}"#,
            r#"{"id":null,"x":"a"}"#,
            r#"{"id":["a"]}"#,
            r#"{"id":{"id":"a"}}"#,
            r#"{"id":"a","id":"a"}"#,
            r#"{"id":"a","id":1}"#,
            r#"{"x":"id"}"#,
            r#"{"id":"\ud800"}"#,
            r#"{"id":"cut o"#,
        ] {
            assert_eq!(id_of(line), "", "{line}");
        }
    }

    #[test]
    fn no_id_is_longer_than_what_is_kept() {
        let line = |length| format!(r#"{{"id":"{}"}}"#, "x".repeat(length));
        assert_eq!(id_of(&line(ID_BYTES)).len(), ID_BYTES);
        assert_eq!(id_of(&line(ID_BYTES + 1)), "");
    }
}
