//! The control socket: its lines, as they come.

use drover::method::CONTROL;

use super::house::House;

/// # Panics
/// An answer is not the one line that answers its request.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let house = House::new();
    for line in text.lines() {
        for caller in [house.outside(), house.inside()] {
            house.answer(line, &caller, |_| true, &CONTROL);
        }
    }
}
