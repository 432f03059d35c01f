//! Which name was I called by? `herdr` is herdr's command line; `drover` takes an applet.

use std::env::{self, ArgsOs};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use drover::command::Exit;
use drover::{applet, herdr};

/// What a name stands for.
type Program = fn(ArgsOs) -> Exit;

/// Every name.
const NAMES: [(&str, Program); 2] = [
    ("drover", |words| applet::run(words)),
    ("herdr", |words| herdr::run(words)),
];

fn main() -> ExitCode {
    let mut words = env::args_os();
    let called = words.next().unwrap_or_else(|| OsString::from(NAMES[0].0));
    let base = Path::new(&called).file_name().unwrap_or(OsStr::new(""));
    let end = match NAMES.iter().find(|(name, _)| base == *name) {
        Some((_, run)) => run(words),
        None => unknown_name(base),
    };
    end.finish()
}

fn unknown_name(base: &OsStr) -> Exit {
    let names = NAMES.map(|(name, _)| name).join(" and ");
    Exit::complaint(
        2,
        format!(
            "error: this program was called by the name {}, but knows only {names}\n\
             call it by one of these, or make a link by that name with `drover links DIR`",
            base.to_string_lossy(),
        ),
    )
}
