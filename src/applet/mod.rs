//! drover's own commands, for the person at the keyboard.

use std::ffi::OsString;

use crate::command::Exit;
use crate::herdr;

/// Runs one call. `words` are the arguments without the program's name.
#[must_use]
pub fn run(mut words: impl Iterator<Item = OsString>) -> Exit {
    match words.next() {
        Some(word) if word == "herdr" => herdr::run(words),
        _ => Exit::complaint(2, "usage: drover herdr <command> [arguments]"),
    }
}
