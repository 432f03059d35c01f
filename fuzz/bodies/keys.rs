//! Key strings and pasted text, as the program in a pane gets them.

use drover::pane::{Screen, Size, keys, paste};

/// Modes that change what a key sends, each a sequence that a program may have written.
const MODES: [&str; 8] = [
    "\x1b[?1h",
    "\x1b=",
    "\x1b[>1u",
    "\x1b[>31u",
    "\x1b[?2004h",
    "\x1b[?1000h",
    "\x1b[?1006h",
    "\x1b[20h",
];

/// Bytes that one key may become: the longest is a kitty sequence with every number in it.
const KEY_BYTES: usize = 64;

/// # Panics
/// A key is longer than any key is, or pasted text can end its own paste.
pub fn run(bytes: &[u8]) {
    let (&chosen, text) = bytes.split_first().unwrap_or((&0, &[]));
    let mut screen = Screen::new(Size { cols: 10, rows: 2 }, 0);
    for (bit, mode) in MODES.iter().enumerate() {
        if chosen & 1 << bit != 0 {
            screen.feed(mode.as_bytes());
        }
    }
    let modes = screen.modes();
    let text = String::from_utf8_lossy(text);
    for word in text.split(['\n', ' ']).chain([text.as_ref()]) {
        if let Some(key) = keys::parse(word) {
            let sent = keys::encode(&key, &modes);
            assert!(sent.len() <= KEY_BYTES, "{word:?} sends {sent:?}");
        }
    }
    let pasted = paste::bracketed(&text, &modes);
    let markers = |wanted: &[u8]| {
        pasted
            .windows(wanted.len())
            .filter(|w| *w == wanted)
            .count()
    };
    assert!(
        markers(b"\x1b[201~") <= 1,
        "a paste that ends early: {pasted:?}"
    );
    assert!(markers(b"\x1b[200~") <= 1, "a paste in a paste: {pasted:?}");
}
