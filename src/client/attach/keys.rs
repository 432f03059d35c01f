//! What a person types at an attached terminal: bytes for the program, and after the prefix words
//! for ourselves. Pastes are the program's, whatever is in them.

/// `ctrl+b`, plain and as kitty's keyboard protocol writes it.
const PREFIXES: [&[u8]; 2] = [b"\x02", b"\x1b[98;5u"];

const PASTE_BEGIN: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

const PAGE_UP: &[u8] = b"\x1b[5~";
const PAGE_DOWN: &[u8] = b"\x1b[6~";

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// These bytes are for the program.
    Input(Vec<u8>),
    /// Leave.
    Detach,
    /// Scroll the viewport: lines up, negative ones down; by pages if so.
    Scroll { lines: i32, pages: bool },
}

/// The state between two reads.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// The prefix was typed, and nothing after it yet.
    prefixed: bool,
    /// Keys scroll until that is ended.
    scrolling: bool,
    pasting: bool,
}

impl Keys {
    /// Takes what was read. `wheel` says that the program leaves wheel and page keys to us; then
    /// reports of the mouse are ours, too.
    pub(super) fn read(&mut self, mut bytes: &[u8], wheel: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut input = Vec::new();
        while let Some(&first) = bytes.first() {
            if self.pasting {
                let end = find(bytes, PASTE_END).map(|at| at + PASTE_END.len());
                self.pasting = end.is_none();
                let (pasted, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
                input.extend_from_slice(pasted);
                bytes = rest;
                continue;
            }
            let (word, length) = self.word(bytes, wheel);
            let taken = &bytes[..length.clamp(1, bytes.len())];
            bytes = &bytes[taken.len()..];
            match word {
                Word::Bytes => {
                    self.pasting = taken == PASTE_BEGIN;
                    input.extend_from_slice(taken);
                }
                Word::Nothing => {}
                Word::Action(action) => {
                    if !input.is_empty() {
                        actions.push(Action::Input(std::mem::take(&mut input)));
                    }
                    actions.push(action);
                }
            }
            debug_assert!(first == taken[0]);
        }
        if !input.is_empty() {
            actions.push(Action::Input(input));
        }
        actions
    }

    /// What stands at the start, and how many bytes it has.
    fn word(&mut self, bytes: &[u8], wheel: bool) -> (Word, usize) {
        let prefix = PREFIXES.iter().find(|prefix| bytes.starts_with(prefix));
        if std::mem::take(&mut self.prefixed) {
            if let Some(prefix) = prefix {
                return (Word::Action(Action::Input(prefix.to_vec())), prefix.len());
            }
            return match key(bytes) {
                (Some('q'), length) => (Word::Action(Action::Detach), length),
                (Some('['), length) => {
                    self.scrolling = true;
                    (Word::Nothing, length)
                }
                // No word of ours: nobody gets it.
                (_, length) => (Word::Nothing, length),
            };
        }
        if let Some(prefix) = prefix {
            self.prefixed = true;
            self.scrolling = false;
            return (Word::Nothing, prefix.len());
        }
        let scroll = |lines, pages| Word::Action(Action::Scroll { lines, pages });
        if let (true, Some((code, length))) = (wheel, mouse(bytes)) {
            return match code {
                64 => (scroll(3, false), length),
                65 => (scroll(-3, false), length),
                _ => (Word::Nothing, length),
            };
        }
        if wheel || self.scrolling {
            for (key, lines) in [(PAGE_UP, 1), (PAGE_DOWN, -1)] {
                if bytes.starts_with(key) {
                    return (scroll(lines, true), key.len());
                }
            }
        }
        if self.scrolling {
            return self.scroll_key(bytes);
        }
        if bytes.starts_with(PASTE_BEGIN) {
            return (Word::Bytes, PASTE_BEGIN.len());
        }
        (Word::Bytes, 1)
    }

    fn scroll_key(&mut self, bytes: &[u8]) -> (Word, usize) {
        let scroll = |lines, pages| Word::Action(Action::Scroll { lines, pages });
        match bytes {
            [0x1b, b'[' | b'O', b'A', ..] => (scroll(1, false), 3),
            [0x1b, b'[' | b'O', b'B', ..] => (scroll(-1, false), 3),
            [b'k', ..] => (scroll(1, false), 1),
            [b'j', ..] => (scroll(-1, false), 1),
            [b'g', ..] => (scroll(i32::from(u16::MAX), false), 1),
            _ => {
                // Anything else ends it, and goes to the bottom.
                self.scrolling = false;
                let (_, length) = key(bytes);
                (scroll(-i32::from(u16::MAX), false), length)
            }
        }
    }
}

enum Word {
    Bytes,
    Nothing,
    Action(Action),
}

/// The key at the start, if it is a plain one, and its length.
fn key(bytes: &[u8]) -> (Option<char>, usize) {
    match bytes {
        // Kitty's form: CSI number ; modifiers u.
        [0x1b, b'[', rest @ ..] => {
            let Some(end) = rest.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
                return (None, bytes.len());
            };
            let number = rest[..end]
                .split(|byte| !byte.is_ascii_digit())
                .next()
                .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
                .and_then(char::from_u32)
                .filter(|_| rest[end] == b'u');
            (number, end + 3)
        }
        [first, ..] => (Some(char::from(*first)), 1),
        [] => (None, 0),
    }
}

/// Code and length of a mouse report at the start.
fn mouse(bytes: &[u8]) -> Option<(u16, usize)> {
    let rest = bytes.strip_prefix(b"\x1b[<")?;
    let end = rest
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b';'))?;
    let code = rest[..end].split(|byte| *byte == b';').next()?;
    matches!(rest[end], b'M' | b'm')
        .then_some((std::str::from_utf8(code).ok()?.parse().ok()?, end + 4))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(keys: &mut Keys, bytes: &[u8]) -> Vec<Action> {
        keys.read(bytes, true)
    }

    fn input(bytes: &[u8]) -> Vec<Action> {
        vec![Action::Input(bytes.to_vec())]
    }

    #[test]
    fn what_is_typed_passes_untouched() {
        let mut keys = Keys::default();
        for bytes in [
            &b"ls -l\r"[..],
            "日本".as_bytes(),
            b"\x1b[A\x1bOP\x1b[1;5C",
            b"\x1b[97;3u",
            b"\x03\x04\x1a\x00\xff",
        ] {
            assert_eq!(read(&mut keys, bytes), input(bytes));
        }
    }

    #[test]
    fn the_prefix_is_for_us_and_twice_for_the_program() {
        for prefix in PREFIXES {
            let mut keys = Keys::default();
            let typed = [b"a", prefix].concat();
            assert_eq!(read(&mut keys, &typed), input(b"a"));
            assert_eq!(read(&mut keys, prefix), input(prefix));
            assert_eq!(read(&mut keys, &[prefix, b"q"].concat()), [Action::Detach]);
            assert_eq!(read(&mut keys, prefix), []);
            assert_eq!(read(&mut keys, b"\x1b[113u"), [Action::Detach]);
            assert_eq!(read(&mut keys, &[prefix, b"x"].concat()), []);
            assert_eq!(read(&mut keys, b"x"), input(b"x"));
        }
    }

    #[test]
    fn a_paste_is_the_programs_whatever_is_in_it() {
        let mut keys = Keys::default();
        let paste = b"\x1b[200~one\x02q\x1b[<64;1;1M\x1b[201~";
        assert_eq!(read(&mut keys, paste), input(paste));
        assert_eq!(read(&mut keys, b"\x1b[200~\x02"), input(b"\x1b[200~\x02"));
        assert_eq!(read(&mut keys, b"q\x1b[201~\x02q"), {
            let mut both = input(b"q\x1b[201~");
            both.push(Action::Detach);
            both
        });
    }

    #[test]
    fn wheel_and_page_keys_scroll_where_the_program_leaves_them() {
        let mut keys = Keys::default();
        let scroll = |lines, pages| vec![Action::Scroll { lines, pages }];
        assert_eq!(read(&mut keys, b"\x1b[<64;10;5M"), scroll(3, false));
        assert_eq!(read(&mut keys, b"\x1b[<65;10;5M"), scroll(-3, false));
        assert_eq!(read(&mut keys, b"\x1b[<0;10;5M"), []);
        assert_eq!(read(&mut keys, PAGE_UP), scroll(1, true));
        let program = b"\x1b[<64;10;5M\x1b[5~";
        assert_eq!(keys.read(program, false), input(program));
    }

    #[test]
    fn keys_scroll_after_the_prefix_and_a_bracket_until_another_is_typed() {
        let mut keys = Keys::default();
        let scroll = |lines, pages| vec![Action::Scroll { lines, pages }];
        assert_eq!(keys.read(b"\x02[", false), []);
        assert_eq!(keys.read(b"\x1b[A", false), scroll(1, false));
        assert_eq!(keys.read(b"j", false), scroll(-1, false));
        assert_eq!(keys.read(PAGE_DOWN, false), scroll(-1, true));
        assert_eq!(keys.read(b"q", false), scroll(-65_535, false));
        assert_eq!(keys.read(b"j", false), input(b"j"));
    }
}
