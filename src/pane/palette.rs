//! The colours a program is told when it asks (OSC 4, 10, 11, 12). A pane has no window of its
//! own, so unless the program set a colour the answer is a plain dark theme.

use alacritty_terminal::term::color::Colors;
use vte::ansi::{NamedColor, Rgb};

/// Text, background and cursor of the dark theme.
const FOREGROUND: Rgb = Rgb {
    r: 0xd8,
    g: 0xd8,
    b: 0xd8,
};
const BACKGROUND: Rgb = Rgb {
    r: 0x18,
    g: 0x18,
    b: 0x18,
};

/// The sixteen named colours as xterm has them.
const NAMED: [(u8, u8, u8); 16] = [
    (0x00, 0x00, 0x00),
    (0xcd, 0x00, 0x00),
    (0x00, 0xcd, 0x00),
    (0xcd, 0xcd, 0x00),
    (0x00, 0x00, 0xee),
    (0xcd, 0x00, 0xcd),
    (0x00, 0xcd, 0xcd),
    (0xe5, 0xe5, 0xe5),
    (0x7f, 0x7f, 0x7f),
    (0xff, 0x00, 0x00),
    (0x00, 0xff, 0x00),
    (0xff, 0xff, 0x00),
    (0x5c, 0x5c, 0xff),
    (0xff, 0x00, 0xff),
    (0x00, 0xff, 0xff),
    (0xff, 0xff, 0xff),
];

/// The colour with the engine's number `index`: 0 to 255, foreground 256, background 257,
/// cursor 258.
pub(super) fn color(colors: &Colors, index: usize) -> Rgb {
    if let Some(set) = colors[index] {
        return set;
    }
    match index {
        0..16 => {
            let (r, g, b) = NAMED[index];
            Rgb { r, g, b }
        }
        16..232 => {
            // A cube of six steps a channel.
            let step = |value: usize| {
                if value == 0 {
                    0
                } else {
                    (55 + 40 * value) as u8
                }
            };
            let place = index - 16;
            Rgb {
                r: step(place / 36),
                g: step(place / 6 % 6),
                b: step(place % 6),
            }
        }
        232..256 => {
            let grey = (8 + 10 * (index - 232)) as u8;
            Rgb {
                r: grey,
                g: grey,
                b: grey,
            }
        }
        _ if index == NamedColor::Background as usize => BACKGROUND,
        _ => FOREGROUND,
    }
}

/// A colour as X11 writes it: `#rgb`, `#rrggbb`, …, or `rgb:r/g/b` with one to four digits each.
pub(super) fn parse(text: &[u8]) -> Option<Rgb> {
    let text = std::str::from_utf8(text).ok()?;
    let scaled = |digits: &str| -> Option<u8> {
        if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(digits, 16).ok()?;
        let most = (1_u32 << (4 * digits.len())) - 1;
        u8::try_from(value * 255 / most).ok()
    };
    if let Some(digits) = text.strip_prefix('#') {
        if !digits.is_ascii() || !matches!(digits.len(), 3 | 6 | 9 | 12) {
            return None;
        }
        let (red, rest) = digits.split_at(digits.len() / 3);
        let (green, blue) = rest.split_at(rest.len() / 2);
        return Some(Rgb {
            r: scaled(red)?,
            g: scaled(green)?,
            b: scaled(blue)?,
        });
    }
    let mut channels = text.strip_prefix("rgb:")?.split('/').map(scaled);
    let color = Rgb {
        r: channels.next()??,
        g: channels.next()??,
        b: channels.next()??,
    };
    channels.next().is_none().then_some(color)
}
