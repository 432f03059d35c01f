//! The control socket: its lines, as they come.

use drover::api::method::{Method, Ping};
use drover::daemon::control;

use super::house::House;

/// # Panics
/// An answer is not the one line that answers its request.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let house = House::new();
    for line in text.lines() {
        house.answer(
            line,
            &house.outside(),
            |request| request.method.index == Ping::INDEX || super::method::may_run(request),
            control::run,
        );
    }
}
