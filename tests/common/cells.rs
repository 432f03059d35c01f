//! What can be seen of text with colours: two texts that look alike are one.

use drover::pane::{Picture, Screen, Size, frame};

/// Larger than any screen of a test, so that no row is wrapped that was not.
const SIZE: Size = Size {
    cols: 200,
    rows: 60,
};

/// Drawn anew in one way, whichever way it was written. Which colour a blank would have is not seen.
pub fn seen(text: &str) -> String {
    let mut screen = Screen::new(SIZE, 0);
    screen.feed(text.as_bytes());
    // Wherever its cursor stands.
    screen.feed(b"\x1b[m\x1b[H");
    let picture = Picture::of(&mut screen, SIZE);
    String::from_utf8(frame(None, &picture)).expect("text")
}
