//! What a command says, as far as it is kept.

/// Bytes of each stream that a log keeps (herdr 0.9.3).
const KEPT: usize = 64 * 1024;

/// The beginning of a stream, and how much more there was.
#[derive(Debug, Default)]
pub(super) struct Output {
    bytes: Vec<u8>,
    more: u64,
}

impl Output {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(KEPT - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..kept]);
        self.more += (bytes.len() - kept) as u64;
    }

    /// As text. A cut is told in it, and does not go through a character.
    pub(super) fn text(mut self) -> String {
        if self.more > 0
            && let Err(error) = std::str::from_utf8(&self.bytes)
            && error.error_len().is_none()
        {
            self.more += (self.bytes.len() - error.valid_up_to()) as u64;
            self.bytes.truncate(error.valid_up_to());
        }
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        if self.more > 0 {
            text.push_str(&format!("\n[{} more bytes are not kept]\n", self.more));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_kept_and_the_rest_is_counted() {
        let mut output = Output::default();
        output.push(b"one ");
        output.push(b"two");
        assert_eq!(output.text(), "one two");
        let mut output = Output::default();
        output.push("é".repeat(KEPT / 2 - 1).as_bytes());
        output.push("aéé".as_bytes());
        let text = output.text();
        assert!(
            text.ends_with("éa\n[4 more bytes are not kept]\n"),
            "{}",
            &text[KEPT - 9..]
        );
    }
}
