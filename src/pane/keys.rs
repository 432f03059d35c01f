//! Keys by name, as requests give them (herdr 0.9.3, `pane.send_keys`), and the bytes a program
//! gets for them: the legacy encoding of xterm, or the kitty keyboard protocol when the program
//! asked for it.

use super::modes::Modes;

/// Keys held down with another, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modifiers(u8);

impl Modifiers {
    /// No modifier.
    pub const NONE: Modifiers = Modifiers(0);
    /// Shift.
    pub const SHIFT: Modifiers = Modifiers(1);
    /// Alt, option, meta.
    pub const ALT: Modifiers = Modifiers(2);
    /// Control.
    pub const CTRL: Modifiers = Modifiers(4);
    /// Command, super.
    pub const SUPER: Modifiers = Modifiers(8);
    /// Hyper.
    pub const HYPER: Modifiers = Modifiers(16);

    /// These and the others.
    #[must_use]
    pub const fn with(self, others: Modifiers) -> Modifiers {
        Modifiers(self.0 | others.0)
    }

    /// Whether all of `others` are among these.
    pub const fn contains(self, others: Modifiers) -> bool {
        self.0 & others.0 == others.0
    }

    /// Whether none is held.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number in escape sequences: one more than the bits.
    fn parameter(self) -> u8 {
        self.0 + 1
    }

    fn from_name(name: &str) -> Option<Modifiers> {
        Some(match name {
            "ctrl" | "control" => Modifiers::CTRL,
            "shift" => Modifiers::SHIFT,
            "alt" | "option" | "meta" => Modifiers::ALT,
            "cmd" | "command" | "super" => Modifiers::SUPER,
            "hyper" => Modifiers::HYPER,
            _ => return None,
        })
    }
}

/// What is pressed, without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCode {
    /// A key that types a character; letters of ASCII are lower-case here.
    Character(char),
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Insert.
    Insert,
    /// Delete.
    Delete,
    /// A function key, 1 to 255. From 36 on they exist in no encoding and send nothing.
    Function(u8),
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// What is pressed.
    pub code: KeyCode,
    /// What is held down with it.
    pub modifiers: Modifiers,
}

/// Reads a key: names or one character joined by `+` (herdr 0.9.3, `pane.send_keys`).
///
/// Blanks around a part and the case of names do not matter. `C-c` is control and c, a lone `+` is
/// plus. The keys `home`, `end`, `pageup`, `pagedown`, `insert` and `delete`, which herdr refuses,
/// are keys here. Nothing when it is none.
pub fn parse(key: &str) -> Option<Key> {
    match key.trim() {
        "+" => {
            return Some(Key {
                code: KeyCode::Character('+'),
                modifiers: Modifiers::NONE,
            });
        }
        "C-c" | "c-c" => {
            return Some(Key {
                code: KeyCode::Character('c'),
                modifiers: Modifiers::CTRL,
            });
        }
        _ => {}
    }
    let mut modifiers = Modifiers::NONE;
    let mut code = None;
    for part in key.split('+') {
        let part = part.trim();
        let name = part.to_ascii_lowercase();
        if let Some(modifier) = Modifiers::from_name(&name) {
            modifiers = modifiers.with(modifier);
            continue;
        }
        let found = match named(&name) {
            Some(found) => found,
            None => {
                let mut characters = part.chars();
                let character = characters
                    .next()
                    .filter(|character| !character.is_control())?;
                if characters.next().is_some() {
                    return None;
                }
                if character.is_ascii_uppercase() {
                    modifiers = modifiers.with(Modifiers::SHIFT);
                }
                KeyCode::Character(character.to_ascii_lowercase())
            }
        };
        if code.replace(found).is_some() {
            return None;
        }
    }
    code.map(|code| Key { code, modifiers })
}

fn named(name: &str) -> Option<KeyCode> {
    Some(match name {
        "space" => KeyCode::Character(' '),
        "enter" | "return" => KeyCode::Enter,
        "esc" | "escape" => KeyCode::Escape,
        "tab" => KeyCode::Tab,
        "backspace" | "bs" => KeyCode::Backspace,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        "insert" => KeyCode::Insert,
        "delete" => KeyCode::Delete,
        "minus" => KeyCode::Character('-'),
        "comma" => KeyCode::Character(','),
        "period" => KeyCode::Character('.'),
        "slash" => KeyCode::Character('/'),
        "backslash" => KeyCode::Character('\\'),
        "quote" => KeyCode::Character('\''),
        "double_quote" | "double-quote" => KeyCode::Character('"'),
        "semicolon" => KeyCode::Character(';'),
        "colon" => KeyCode::Character(':'),
        "percent" => KeyCode::Character('%'),
        "ampersand" => KeyCode::Character('&'),
        "backtick" => KeyCode::Character('`'),
        "plus" => KeyCode::Character('+'),
        _ => {
            let digits = name.strip_prefix('f')?;
            // No sign, no leading zero: `f+1` and `f01` are no keys.
            if !digits.starts_with(|first: char| matches!(first, '1'..='9')) {
                return None;
            }
            KeyCode::Function(digits.parse().ok()?)
        }
    })
}

/// Flags of the kitty keyboard protocol that change what a key press sends.
const DISAMBIGUATE: u8 = 1;
const ALTERNATE_KEYS: u8 = 4;
const ALL_AS_ESCAPES: u8 = 8;
const ASSOCIATED_TEXT: u8 = 16;

/// The bytes that a program with these modes gets when the key is pressed. Empty when no encoding
/// has the key.
pub fn encode(key: &Key, modes: &Modes) -> Vec<u8> {
    // Reporting releases or alternate keys alone changes nothing for keys that are not escapes.
    if modes.kitty_keyboard & (DISAMBIGUATE | ALL_AS_ESCAPES) != 0 {
        kitty(key, modes.kitty_keyboard)
    } else {
        legacy(key, modes)
    }
}

/// A key whose sequence ends with a letter or with a number and a tilde.
enum Functional {
    /// `ESC [ A`, with modifiers `ESC [ 1 ; M A`.
    Letter(char),
    /// `ESC [ N ~`, with modifiers `ESC [ N ; M ~`.
    Tilde(u8),
}

fn functional(code: KeyCode) -> Option<Functional> {
    Some(match code {
        KeyCode::Up => Functional::Letter('A'),
        KeyCode::Down => Functional::Letter('B'),
        KeyCode::Right => Functional::Letter('C'),
        KeyCode::Left => Functional::Letter('D'),
        KeyCode::Home => Functional::Letter('H'),
        KeyCode::End => Functional::Letter('F'),
        KeyCode::Insert => Functional::Tilde(2),
        KeyCode::Delete => Functional::Tilde(3),
        KeyCode::PageUp => Functional::Tilde(5),
        KeyCode::PageDown => Functional::Tilde(6),
        KeyCode::Function(number @ 1..=4) => {
            Functional::Letter(['P', 'Q', 'R', 'S'][usize::from(number) - 1])
        }
        KeyCode::Function(number @ 5..=20) => {
            const CODES: [u8; 16] = [
                15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34,
            ];
            Functional::Tilde(CODES[usize::from(number) - 5])
        }
        _ => return None,
    })
}

fn functional_sequence(key: Functional, modifiers: Modifiers) -> Vec<u8> {
    let parameter = modifiers.parameter();
    match key {
        Functional::Letter(letter) if modifiers.is_empty() => format!("\x1b[{letter}"),
        Functional::Letter(letter) => format!("\x1b[1;{parameter}{letter}"),
        Functional::Tilde(number) if modifiers.is_empty() => format!("\x1b[{number}~"),
        Functional::Tilde(number) => format!("\x1b[{number};{parameter}~"),
    }
    .into_bytes()
}

fn legacy(key: &Key, modes: &Modes) -> Vec<u8> {
    let modifiers = key.modifiers;
    if let Some(functional) = functional(key.code) {
        return match (functional, key.code) {
            (Functional::Letter(letter), code) if modifiers.is_empty() => {
                let single_shift = modes.application_cursor || matches!(code, KeyCode::Function(_));
                format!("\x1b{}{letter}", if single_shift { 'O' } else { '[' }).into_bytes()
            }
            (functional, _) => functional_sequence(functional, modifiers),
        };
    }
    // Command and hyper have no legacy form; what they are held with must not be typed instead.
    if modifiers.contains(Modifiers::SUPER) || modifiers.contains(Modifiers::HYPER) {
        return Vec::new();
    }
    let shift = modifiers.contains(Modifiers::SHIFT);
    let control = modifiers.contains(Modifiers::CTRL);
    let mut bytes = Vec::new();
    if modifiers.contains(Modifiers::ALT) {
        bytes.push(0x1b);
    }
    match key.code {
        KeyCode::Enter => bytes.push(b'\r'),
        KeyCode::Escape => bytes.push(0x1b),
        KeyCode::Tab if shift => bytes.extend_from_slice(b"\x1b[Z"),
        KeyCode::Tab => bytes.push(b'\t'),
        KeyCode::Backspace => bytes.push(if control { 0x08 } else { 0x7f }),
        KeyCode::Character(character) => match control_code(character).filter(|_| control) {
            Some(code) => bytes.push(code),
            None => {
                let character = if shift {
                    character.to_ascii_uppercase()
                } else {
                    character
                };
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        },
        _ => return Vec::new(),
    }
    bytes
}

/// The control code of a character, by the rules of xterm for a keyboard of the US.
fn control_code(character: char) -> Option<u8> {
    Some(match character {
        'a'..='z' => character as u8 - b'a' + 1,
        ' ' | '@' | '2' => 0x00,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '6' => 0x1e,
        '_' | '/' | '7' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

fn kitty(key: &Key, flags: u8) -> Vec<u8> {
    let modifiers = key.modifiers;
    let all = flags & ALL_AS_ESCAPES != 0;
    let code = match key.code {
        // F3 would be taken for a cursor position report.
        KeyCode::Function(3) => return functional_sequence(Functional::Tilde(13), modifiers),
        KeyCode::Function(number @ 13..=35) => 57_376 + u32::from(number) - 13,
        KeyCode::Escape => 27,
        KeyCode::Enter => 13,
        KeyCode::Tab => 9,
        KeyCode::Backspace => 127,
        KeyCode::Character(character) => u32::from(character),
        other => {
            return functional(other)
                .map(|key| functional_sequence(key, modifiers))
                .unwrap_or_default();
        }
    };
    let is_text = matches!(key.code, KeyCode::Character(_));
    let only_shift = modifiers == Modifiers::NONE || modifiers == Modifiers::SHIFT;
    let has_plain_form = match key.code {
        KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace => modifiers.is_empty(),
        KeyCode::Character(_) => only_shift,
        _ => false,
    };
    if has_plain_form && !all {
        return legacy(key, &Modes::default());
    }
    let shifted = match key.code {
        KeyCode::Character(letter @ 'a'..='z') if modifiers.contains(Modifiers::SHIFT) => {
            Some(letter.to_ascii_uppercase())
        }
        _ => None,
    };
    let mut sequence = format!("\x1b[{code}");
    if let Some(shifted) = shifted.filter(|_| flags & ALTERNATE_KEYS != 0) {
        sequence.push_str(&format!(":{}", u32::from(shifted)));
    }
    let text = match key.code {
        KeyCode::Character(character) if is_text && only_shift && all => {
            Some(shifted.unwrap_or(character)).filter(|_| flags & ASSOCIATED_TEXT != 0)
        }
        _ => None,
    };
    match (modifiers.is_empty(), text) {
        (true, None) => {}
        (true, Some(text)) => sequence.push_str(&format!(";;{}", u32::from(text))),
        (false, None) => sequence.push_str(&format!(";{}", modifiers.parameter())),
        (false, Some(text)) => {
            sequence.push_str(&format!(";{};{}", modifiers.parameter(), u32::from(text)));
        }
    }
    sequence.push('u');
    sequence.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(key: &str, modes: &Modes) -> String {
        let parsed = parse(key).unwrap_or_else(|| panic!("{key} is a key"));
        String::from_utf8(encode(&parsed, modes)).unwrap()
    }

    fn plain(key: &str) -> String {
        bytes(key, &Modes::default())
    }

    fn kitty_flags(flags: u8) -> Modes {
        Modes {
            kitty_keyboard: flags,
            ..Modes::default()
        }
    }

    #[test]
    fn names_are_read_in_any_case_with_blanks_around_them() {
        for (given, code, modifiers) in [
            ("Enter", KeyCode::Enter, Modifiers::NONE),
            ("RETURN", KeyCode::Enter, Modifiers::NONE),
            (
                " ctrl + shift + Left ",
                KeyCode::Left,
                Modifiers::CTRL.with(Modifiers::SHIFT),
            ),
            ("a+control", KeyCode::Character('a'), Modifiers::CTRL),
            ("ctrl+ctrl+a", KeyCode::Character('a'), Modifiers::CTRL),
            ("A", KeyCode::Character('a'), Modifiers::SHIFT),
            ("É", KeyCode::Character('É'), Modifiers::NONE),
            ("option+x", KeyCode::Character('x'), Modifiers::ALT),
            ("cmd+k", KeyCode::Character('k'), Modifiers::SUPER),
            ("hyper+f255", KeyCode::Function(255), Modifiers::HYPER),
            ("C-c", KeyCode::Character('c'), Modifiers::CTRL),
            ("c-c", KeyCode::Character('c'), Modifiers::CTRL),
            ("+", KeyCode::Character('+'), Modifiers::NONE),
            ("ctrl+plus", KeyCode::Character('+'), Modifiers::CTRL),
            ("double-quote", KeyCode::Character('"'), Modifiers::NONE),
            ("pageup", KeyCode::PageUp, Modifiers::NONE),
        ] {
            assert_eq!(parse(given), Some(Key { code, modifiers }), "{given}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for given in [
            "",
            " ",
            "ctrl",
            "ctrl+",
            "+a",
            "++",
            "ctrl++",
            "a+b",
            "enter+a",
            "nokey",
            "f0",
            "f256",
            "f01",
            "prefix+a",
            "C-d",
            "ab",
            "\x1b",
            "shift+alt",
        ] {
            assert_eq!(parse(given), None, "{given:?}");
        }
    }

    #[test]
    fn legacy_bytes_are_those_of_xterm() {
        for (key, sent) in [
            ("a", "a"),
            ("A", "A"),
            ("é", "é"),
            ("space", " "),
            ("enter", "\r"),
            ("tab", "\t"),
            ("shift+tab", "\x1b[Z"),
            ("esc", "\x1b"),
            ("backspace", "\x7f"),
            ("ctrl+backspace", "\x08"),
            ("up", "\x1b[A"),
            ("ctrl+right", "\x1b[1;5C"),
            ("shift+alt+left", "\x1b[1;4D"),
            ("f1", "\x1bOP"),
            ("ctrl+f1", "\x1b[1;5P"),
            ("f5", "\x1b[15~"),
            ("f12", "\x1b[24~"),
            ("shift+f12", "\x1b[24;2~"),
            ("ctrl+c", "\x03"),
            ("ctrl+space", "\0"),
            ("ctrl+[", "\x1b"),
            ("ctrl+shift+a", "\x01"),
            ("alt+x", "\x1bx"),
            ("alt+X", "\x1bX"),
            ("ctrl+alt+x", "\x1b\x18"),
            ("home", "\x1b[H"),
            ("end", "\x1b[F"),
            ("pagedown", "\x1b[6~"),
            ("delete", "\x1b[3~"),
            ("ctrl+delete", "\x1b[3;5~"),
            ("cmd+c", ""),
            ("f99", ""),
        ] {
            assert_eq!(plain(key), sent, "{key}");
        }
    }

    #[test]
    fn application_mode_changes_bare_cursor_keys_only() {
        let modes = Modes {
            application_cursor: true,
            ..Modes::default()
        };
        assert_eq!(bytes("up", &modes), "\x1bOA");
        assert_eq!(bytes("home", &modes), "\x1bOH");
        assert_eq!(bytes("shift+up", &modes), "\x1b[1;2A");
        assert_eq!(bytes("pageup", &modes), "\x1b[5~");
    }

    #[test]
    fn kitty_disambiguation_leaves_text_alone() {
        let modes = kitty_flags(1);
        for (key, sent) in [
            ("a", "a"),
            ("A", "A"),
            ("enter", "\r"),
            ("tab", "\t"),
            ("backspace", "\x7f"),
            ("esc", "\x1b[27u"),
            ("ctrl+c", "\x1b[99;5u"),
            ("alt+x", "\x1b[120;3u"),
            ("ctrl+shift+a", "\x1b[97;6u"),
            ("shift+enter", "\x1b[13;2u"),
            ("shift+tab", "\x1b[9;2u"),
            ("up", "\x1b[A"),
            ("ctrl+up", "\x1b[1;5A"),
            ("f3", "\x1b[13~"),
            ("f13", "\x1b[57376u"),
            ("cmd+k", "\x1b[107;9u"),
        ] {
            assert_eq!(bytes(key, &modes), sent, "{key}");
        }
        let application = Modes {
            application_cursor: true,
            ..modes
        };
        assert_eq!(bytes("up", &application), "\x1b[A");
    }

    #[test]
    fn kitty_reports_everything_when_asked() {
        assert_eq!(bytes("a", &kitty_flags(8)), "\x1b[97u");
        assert_eq!(bytes("enter", &kitty_flags(9)), "\x1b[13u");
        assert_eq!(bytes("A", &kitty_flags(12)), "\x1b[97:65;2u");
        assert_eq!(bytes("a", &kitty_flags(24)), "\x1b[97;;97u");
        assert_eq!(bytes("A", &kitty_flags(31)), "\x1b[97:65;2;65u");
        assert_eq!(bytes("ctrl+a", &kitty_flags(31)), "\x1b[97;5u");
    }
}
