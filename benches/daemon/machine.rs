//! Where and what was measured: figures mean nothing without it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::figure::Figure;

fn processors() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

fn model() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(": "))
        .map_or_else(String::new, |(_, model)| model.to_owned())
}

fn kernel() -> String {
    nix::sys::utsname::uname().map_or_else(
        |_| String::new(),
        |name| {
            let words = [name.sysname(), name.release()];
            words.map(|word| word.to_string_lossy()).join(" ")
        },
    )
}

/// One line for the head of the table.
pub fn describe() -> String {
    format!("{} processors, {}, {}", processors(), model(), kernel())
}

/// Everything that was measured.
pub fn json(drover: &Path, figures: &[(&'static str, Figure)]) -> Value {
    let figures: Vec<Value> = figures
        .iter()
        .map(|(section, figure)| figure.json(section))
        .collect();
    json!({
        "machine": { "processors": processors(), "model": model(), "kernel": kernel() },
        "executable": drover,
        "executable_bytes": fs::metadata(drover).map(|data| data.len()).unwrap_or(0),
        "figures": figures,
    })
}
