//! What a person types at an attached terminal: bytes for the program, and after the prefix words
//! for ourselves. Pastes are the program's, whatever is in them.

/// `ctrl+b` as terminals have always sent it.
const PREFIX: u8 = 0x02;

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
    /// Within a paste: the last bytes of it, among which its end may begin.
    pasting: Option<Vec<u8>>,
    /// The beginning of a sequence whose end was not in the same read.
    begun: Vec<u8>,
}

/// Bytes that a sequence of ours may have. What is longer is none.
const SEQUENCE_MAX: usize = 64;

impl Keys {
    /// Takes what was read. `wheel` says that the program leaves wheel and page keys to us; then
    /// reports of the mouse are ours, too.
    pub(super) fn read(&mut self, bytes: &[u8], wheel: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut input = Vec::new();
        let joined = [std::mem::take(&mut self.begun), bytes.to_vec()].concat();
        let mut bytes = &joined[..];
        while !bytes.is_empty() {
            if let Some(tail) = self.pasting.take() {
                let end = end_of_paste(&tail, bytes);
                let (pasted, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
                if end.is_none() {
                    let all = [&tail, pasted].concat();
                    let kept = all.len().saturating_sub(PASTE_END.len() - 1);
                    self.pasting = Some(all[kept..].to_vec());
                }
                input.extend_from_slice(pasted);
                bytes = rest;
                continue;
            }
            if is_begun(bytes, wheel) {
                self.begun = bytes.to_vec();
                break;
            }
            let (word, length) = self.word(bytes, wheel);
            let (taken, rest) = bytes.split_at(length.clamp(1, bytes.len()));
            bytes = rest;
            match word {
                Word::Bytes => {
                    self.pasting = (taken == PASTE_BEGIN).then(Vec::new);
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
        }
        if !input.is_empty() {
            actions.push(Action::Input(input));
        }
        actions
    }

    /// What stands at the start, and how many bytes it has.
    fn word(&mut self, bytes: &[u8], wheel: bool) -> (Word, usize) {
        let prefix = prefix(bytes);
        if self.prefixed {
            if is_no_press(bytes) {
                let (_, length) = key(bytes);
                return (Word::Nothing, length);
            }
            self.prefixed = false;
            if let Some(length) = prefix {
                let prefix = bytes[..length].to_vec();
                return (Word::Action(Action::Input(prefix)), length);
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
        if let Some(length) = prefix {
            self.prefixed = true;
            self.scrolling = false;
            return (Word::Nothing, length);
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
        [0x1b, b'[', rest @ ..] => match kitty(bytes) {
            Some((key, length)) => {
                // With shift it may still be what the person means: where `[` lies differs.
                let plain = key.modifiers & !SHIFT == 0;
                (char::from_u32(key.number).filter(|_| plain), length)
            }
            None => {
                let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte));
                (None, end.map_or(bytes.len(), |end| end + 3))
            }
        },
        // `ESC O x`, as cursor keys and the keypad send it.
        [0x1b, b'O', _, ..] => (None, 3),
        [first, ..] => (Some(char::from(*first)), 1),
        [] => (None, 0),
    }
}

/// A key as kitty's keyboard protocol writes it: `CSI number : … ; modifiers : event ; … u`.
struct KittyKey {
    number: u32,
    /// As bits, without those of locks.
    modifiers: u8,
    /// 1 pressed, 2 repeated, 3 let go.
    event: u8,
}

const SHIFT: u8 = 1;
const CONTROL: u8 = 4;

/// Caps lock and num lock.
const LOCKS: u8 = 64 | 128;

/// Numbers of keys that are nothing but modifiers or locks.
const MODIFIER_KEYS: [std::ops::RangeInclusive<u32>; 2] = [57_358..=57_360, 57_441..=57_454];

fn kitty(bytes: &[u8]) -> Option<(KittyKey, usize)> {
    let rest = bytes.strip_prefix(b"\x1b[")?;
    let end = rest
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    if rest[end] != b'u' {
        return None;
    }
    let text = std::str::from_utf8(&rest[..end]).ok()?;
    let mut fields = text.split(';').map(|field| field.split(':'));
    let number = fields.next()?.next()?.parse().ok()?;
    let mut second = fields.next();
    // What is left out is 1: no modifiers, pressed.
    let mut sub = || match second.as_mut().and_then(Iterator::next) {
        None | Some("") => Some(1_u16),
        Some(digits) => digits.parse().ok(),
    };
    let (modifiers, event) = (sub()?, sub()?);
    let modifiers = u8::try_from(modifiers.checked_sub(1)?).ok()? & !LOCKS;
    let key = KittyKey {
        number,
        modifiers,
        event: u8::try_from(event).ok()?,
    };
    Some((key, end + 3))
}

/// Length of the prefix at the start.
fn prefix(bytes: &[u8]) -> Option<usize> {
    if bytes.first() == Some(&PREFIX) {
        return Some(1);
    }
    let (key, length) = kitty(bytes)?;
    let is_prefix = key.number == u32::from('b') && key.modifiers == CONTROL && key.event != 3;
    is_prefix.then_some(length)
}

/// Whether a key at the start is let go, or is only a modifier: what follows the prefix is still to
/// come.
fn is_no_press(bytes: &[u8]) -> bool {
    kitty(bytes).is_some_and(|(key, _)| {
        let is_modifier = MODIFIER_KEYS.iter().any(|keys| keys.contains(&key.number));
        key.event == 3 || is_modifier
    })
}

/// Whether all of this may be the beginning of a sequence that means something to us. Escape alone,
/// and with a bracket, are keys that people press.
fn is_begun(bytes: &[u8], wheel: bool) -> bool {
    if bytes.len() < 3 || bytes.len() > SEQUENCE_MAX {
        return false;
    }
    let Some(rest) = bytes.strip_prefix(b"\x1b[") else {
        return false;
    };
    let numbers = rest.strip_prefix(b"<").filter(|_| wheel).unwrap_or(rest);
    numbers
        .iter()
        .all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'))
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

/// Where in `bytes` a paste is over whose last bytes so far are `tail`.
fn end_of_paste(tail: &[u8], bytes: &[u8]) -> Option<usize> {
    let all = [tail, bytes].concat();
    let mut windows = all.windows(PASTE_END.len());
    let start = windows.position(|window| window == PASTE_END)?;
    Some(start + PASTE_END.len() - tail.len())
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
        for prefix in [
            &b"\x02"[..],
            b"\x1b[98;5u",
            b"\x1b[98;5:1u",
            b"\x1b[98:66;133u",
        ] {
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
    fn keys_that_are_let_go_do_not_come_between() {
        let mut keys = Keys::default();
        assert_eq!(
            read(&mut keys, b"\x1b[98;5u\x1b[98;5:3u\x1b[57442;1:3u"),
            []
        );
        assert_eq!(read(&mut keys, b"\x1b[113;1:1u"), [Action::Detach]);
    }

    #[test]
    fn sequences_may_come_in_pieces() {
        let mut keys = Keys::default();
        assert_eq!(read(&mut keys, b"a\x1b[98;"), input(b"a"));
        assert_eq!(read(&mut keys, b"5u"), []);
        assert_eq!(read(&mut keys, b"q"), [Action::Detach]);
        assert_eq!(read(&mut keys, b"\x1b[<64;1"), []);
        let scroll = Action::Scroll {
            lines: 3,
            pages: false,
        };
        assert_eq!(read(&mut keys, b"0;5M"), [scroll]);
        assert_eq!(read(&mut keys, b"\x1b[200"), []);
        assert_eq!(read(&mut keys, b"~x\x1b[20"), input(b"\x1b[200~x\x1b[20"));
        assert_eq!(read(&mut keys, b"1"), input(b"1"));
        assert_eq!(read(&mut keys, b"~\x02"), input(b"~"));
        assert_eq!(read(&mut keys, b"q"), [Action::Detach]);
        // These are keys, and may be all that comes.
        for key in [&b"\x1b"[..], b"\x1b["] {
            assert_eq!(read(&mut keys, key), input(key));
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
