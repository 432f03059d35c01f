//! Text that has come from the program and that nobody has looked at yet. Only text and its colours
//! wait here: whatever may want an answer, or says something beside the picture, is never late.

use super::utf8;

/// Bytes after which the backlog is worked off though nobody looks. Far more than the rows that stay
/// in the grid, which are the dear part of it; little enough that whoever looks waits half a
/// millisecond for it at most.
const FULL: usize = 64 * 1024;

/// Bytes less than this are no flood: a Linux terminal gives about 4 KiB at a time as long as the
/// program is the faster one.
const FLOOD: usize = 2 * 1024;

/// Bytes looked at together, which machines with wide registers do as fast as one.
const BLOCK: usize = 64;

/// Bytes of one sequence that may wait: more than ever selects a colour.
const SEQUENCE_MAX: usize = 64;

const ESC: u8 = 0x1b;

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Text,
    /// An ESC came.
    Escape,
    /// So many bytes of a control sequence came.
    Sequence(usize),
}

impl Place {
    /// The place behind a byte that is no text; none if it does not wait.
    #[inline]
    fn after(self, byte: u8) -> Option<Place> {
        match (self, byte) {
            (Place::Text, ESC) => Some(Place::Escape),
            (Place::Escape, b'[') => Some(Place::Sequence(0)),
            // SGR, and EL, which comes with it from compilers and from grep.
            (Place::Sequence(_), b'm' | b'K') => Some(Place::Text),
            (Place::Sequence(length), b'0'..=b';') if length < SEQUENCE_MAX => {
                Some(Place::Sequence(length + 1))
            }
            _ => None,
        }
    }
}

/// Bytes in the order they came, all of them text or colours.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    bytes: Vec<u8>,
    /// What comes behind them.
    place: Place,
}

impl Backlog {
    /// Adds bytes if all of them are characters, controls that keep the cursor in its row or take it
    /// down, and sequences for colours, cut anywhere; says whether they were.
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        let mut place = self.place;
        let mut rest = bytes;
        loop {
            if place == Place::Text {
                rest = &rest[text_length(rest)..];
                let sequence = sequence_length(rest);
                if sequence > 0 {
                    rest = &rest[sequence..];
                    continue;
                }
            }
            let Some((&byte, behind)) = rest.split_first() else {
                break;
            };
            match place.after(byte) {
                Some(next) => place = next,
                None => return false,
            }
            rest = behind;
        }
        self.place = place;
        self.bytes.extend_from_slice(bytes);
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it has to be worked off.
    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= FULL
    }

    /// Whether there is so much that more is to be expected.
    pub(super) fn is_flood(&self) -> bool {
        self.bytes.len() >= FLOOD
    }

    /// Takes the text out, with its memory.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Gives back what was taken out, of which the first `shown` bytes wait no more. They end between
    /// two sequences, or everything was shown.
    pub(super) fn put_back(&mut self, mut text: Vec<u8>, shown: usize) {
        text.drain(..shown.min(text.len()));
        if text.is_empty() {
            self.place = Place::Text;
        }
        self.bytes = text;
    }

    /// Gives memory back, if nothing waits.
    pub(super) fn shrink(&mut self) {
        if self.bytes.is_empty() {
            self.bytes = Vec::new();
        }
    }
}

/// How many bytes at the start are characters, or controls that keep the cursor in its row or take it down.
fn text_length(bytes: &[u8]) -> usize {
    let is_text = |byte: u8| {
        let control = (byte == b'\n') | (byte == b'\r') | (byte == b'\t') | (byte == 0x08);
        (byte >= 0x20) | control
    };
    let mut length = 0;
    loop {
        // Between colours text is short.
        length += utf8::until_control(&bytes[length..], BLOCK);
        match bytes.get(length) {
            None => return length,
            Some(&byte) if !is_text(byte) => return length,
            Some(_) => {}
        }
        // Elsewhere it is long.
        length += BLOCK
            * bytes[length..]
                .chunks_exact(BLOCK)
                .take_while(|block| block.iter().fold(true, |all, &byte| all & is_text(byte)))
                .count();
        if bytes
            .get(length)
            .is_some_and(|byte| *byte < 0x20 && is_text(*byte))
        {
            length += 1;
        }
    }
}

/// How long the sequence at the start is, if it is one that waits and is whole; otherwise 0.
fn sequence_length(bytes: &[u8]) -> usize {
    let [ESC, b'[', parameters @ ..] = bytes else {
        return 0;
    };
    let end = parameters
        .iter()
        .take(SEQUENCE_MAX + 1)
        .position(|byte| !matches!(byte, b'0'..=b';'));
    match end.map(|end| (end, parameters[end])) {
        Some((end, b'm' | b'K')) => 2 + end + 1,
        _ => 0,
    }
}

/// Where the last `lines` lines of a text begin, what comes after the last end of a line not
/// counted. None if there is no end of a line before them.
pub(super) fn last_lines(text: &[u8], lines: usize) -> Option<usize> {
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
        for byte in (0..=u8::MAX).filter(|byte| *byte != ESC) {
            let is_text = byte >= 0x20 || matches!(byte, b'\n' | b'\r' | b'\t' | 0x08);
            for length in [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 5] {
                let mut bytes = vec![b'x'; length];
                bytes.push(byte);
                assert_eq!(
                    Backlog::default().push(&bytes),
                    is_text,
                    "{byte:#x} after {length}"
                );
                bytes.extend(vec![b'x'; length]);
                assert_eq!(
                    Backlog::default().push(&bytes),
                    is_text,
                    "{byte:#x} within {length}"
                );
            }
        }
    }

    #[test]
    fn colours_wait_wherever_they_are_cut() {
        let bytes = b"a\x1b[m\x1b[0;38;5;7mb\x1b[48:2::1:2:3mc\x1b[K\x1b[0Kd";
        for cut in 0..bytes.len() {
            let mut backlog = Backlog::default();
            assert!(backlog.push(&bytes[..cut]) && backlog.push(&bytes[cut..]));
            assert_eq!(backlog.place, Place::Text);
            assert_eq!(backlog.take(), bytes);
        }
    }

    #[test]
    fn no_other_sequence_waits_wherever_it_is_cut() {
        for sequence in [
            "\x1b[6n",
            "\x1b[?25l",
            "\x1b[2J",
            "\x1b[1\n2m",
            "\x1b]2;t",
            "\x1b7",
            "\x1b\x1b[m",
            "\x1b[31$m",
            "\x1b[>4m",
            &format!("\x1b[{}m", "1;".repeat(SEQUENCE_MAX)),
        ] {
            for cut in 0..sequence.len() {
                let (before, after) = sequence.as_bytes().split_at(cut);
                let mut backlog = Backlog::default();
                assert!(
                    !(backlog.push(before) && backlog.push(after)),
                    "{sequence:?}"
                );
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
