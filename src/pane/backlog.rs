//! Text that has come from the program and that nobody has looked at yet. Only text waits here:
//! whatever may want an answer, or says something beside the picture, is never late.

/// Bytes after which the backlog is worked off though nobody looks. Far more than the rows that stay
/// in the grid, which are the dear part of it; little enough that whoever looks waits half a
/// millisecond for it at most.
const FULL: usize = 64 * 1024;

/// Bytes less than this are no flood: a Linux terminal gives about 4 KiB at a time as long as the
/// program is the faster one.
const FLOOD: usize = 2 * 1024;

/// Bytes after which a backlog from which lines were skimmed is worked off again. The kernel keeps
/// 12 KiB of a terminal's output: a program that is not read from for longer has to wait.
const STEP: usize = 8 * 1024;

/// Bytes looked at together, which machines with wide registers do as fast as one.
const BLOCK: usize = 64;

/// Bytes in the order they came, all of them text.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    text: Vec<u8>,
    /// What has waited since lines were last skimmed, in bytes.
    waited: usize,
}

impl Backlog {
    /// Whether bytes are nothing but characters and the controls that keep the cursor in its row or
    /// take it down, if no sequence has begun before them.
    pub(super) fn takes(bytes: &[u8]) -> bool {
        let moves_on = |byte: u8| {
            let control = (byte == b'\n') | (byte == b'\r') | (byte == b'\t') | (byte == 0x08);
            (byte >= 0x20) | control
        };
        bytes
            .chunks(BLOCK)
            .all(|block| block.iter().fold(true, |all, &byte| all & moves_on(byte)))
    }

    /// Adds bytes that it takes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether it has to be worked off.
    pub(super) fn is_full(&self) -> bool {
        match self.waited {
            0 => self.text.len() >= FULL,
            waited => self.text.len() >= waited + STEP,
        }
    }

    /// Whether there is so much that more is to be expected.
    pub(super) fn is_flood(&self) -> bool {
        self.text.len() >= FLOOD
    }

    /// Up to where a backlog that was taken out may be skimmed if so many lines have to stay. None if
    /// they are not there, or are too long to wait on.
    pub(super) fn skimmable(text: &[u8], lines: usize) -> Option<usize> {
        last_lines(text, lines).filter(|end| text.len() - end < FULL)
    }

    /// Takes the text out, with its memory.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }

    /// Gives back what was taken out, of which the first `shown` bytes wait no more.
    pub(super) fn put_back(&mut self, mut text: Vec<u8>, shown: usize) {
        text.drain(..shown.min(text.len()));
        self.waited = text.len();
        self.text = text;
    }

    /// Gives memory back, if nothing waits.
    pub(super) fn shrink(&mut self) {
        if self.text.is_empty() {
            self.text = Vec::new();
        }
    }
}

/// Where the last `lines` lines of a text begin, what comes after the last end of a line not
/// counted. None if there is no end of a line before them.
fn last_lines(text: &[u8], lines: usize) -> Option<usize> {
    let mut missing = lines + 1;
    let mut end = text.len();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let block = &text[start..end];
        let ends = block.iter().filter(|byte| **byte == b'\n').count();
        if ends >= missing {
            let mut ends = (0..block.len()).rev().filter(|at| block[*at] == b'\n');
            return ends.nth(missing - 1).map(|at| start + at + 1);
        }
        missing -= ends;
        end = start;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_waits() {
        for byte in 0..=u8::MAX {
            let is_text = byte >= 0x20 || matches!(byte, b'\n' | b'\r' | b'\t' | 0x08);
            for length in [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 5] {
                let mut bytes = vec![b'x'; length];
                bytes.push(byte);
                assert_eq!(Backlog::takes(&bytes), is_text, "{byte:#x} after {length}");
                bytes.extend(vec![b'x'; length]);
                assert_eq!(Backlog::takes(&bytes), is_text, "{byte:#x} within {length}");
            }
        }
    }

    #[test]
    fn the_last_lines_begin_after_the_end_of_the_one_above() {
        let text: Vec<u8> = (0..100)
            .flat_map(|n| [vec![b'x'; n * 7 % 90], vec![b'\n']].concat())
            .collect();
        for unended in ["", "rest"] {
            let text = [&text, unended.as_bytes()].concat();
            for lines in 0..99 {
                let start = last_lines(&text, lines).expect("there are more");
                assert_eq!(text[start - 1], b'\n');
                assert_eq!(
                    text[start..].iter().filter(|byte| **byte == b'\n').count(),
                    lines
                );
            }
            assert_eq!(last_lines(&text, 100), None);
        }
        assert_eq!(last_lines(b"", 0), None);
    }
}
