//! `command`: the whole process that an agent's hook starts, from spawn to exit.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::Plan;
use crate::daemon::Daemon;
use crate::figure::{Figure, Goal, Unit};
use crate::measure::compare_at;
use crate::wire::microseconds;

/// Processes of each side, one of ours and one of the floor in turn.
const PROCESSES: usize = 500;

/// First processes that do not count: they find the executables out of the caches.
const WARM_UP: usize = 5;

pub fn run(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1)?;
    daemon.settle()?;
    let empty = empty_program(&daemon.path("tmp"))?;
    let mut hooks = ["working", "blocked"].map(|state| {
        let mut hook = daemon.herdr();
        let words = ["pane", "report-agent", &panes[0], "--source", "bench"];
        hook.args(words)
            .args(["--agent", "claude", "--state", state]);
        hook
    });
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for number in 0..WARM_UP + plan.count(PROCESSES) {
        let hook = run_once(&mut hooks[number % 2])?;
        let nothing = run_once(&mut Command::new(&empty))?;
        if number >= WARM_UP {
            ours.push(hook);
            floor.push(nothing);
        }
    }
    let figure = |percent| {
        Figure::compared(
            format!("herdr pane report-agent, p{percent}"),
            Unit::Microseconds,
            compare_at(percent, &ours, &floor),
            "empty program",
        )
        .goal(Goal::RatioAtMost(1.5))
    };
    Ok(vec![figure(50), figure(95)])
}

/// From before the spawn to the collected exit, in microseconds.
fn run_once(command: &mut Command) -> Result<f64> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    let time = start.elapsed();
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(microseconds(time))
}

/// A program with an empty `main`, linked as Rust does by default.
fn empty_program(folder: &Path) -> Result<PathBuf> {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    std::fs::write(&source, "fn main() {}\n")?;
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(compiler)
        .arg("-O")
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status()
        .context("starting rustc")?;
    if !status.success() {
        bail!("rustc ended with {status}");
    }
    Ok(program)
}
