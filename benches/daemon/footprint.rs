//! `memory` and `idle`: what the daemon costs while nobody asks it anything.

use std::time::Duration;

use anyhow::Result;

use crate::Plan;
use crate::daemon::Daemon;
use crate::figure::{Figure, Goal, Unit};
use crate::text::Kind;

/// Panes of a person who runs many agents.
const MANY: usize = 50;

/// Panes that get a full history.
const FULL: usize = 5;

/// Rows that a pane keeps by default.
const ROWS: usize = 10_000;

/// How long nothing is done.
const IDLE: Duration = Duration::from_secs(10);

pub fn memory(plan: &Plan) -> Result<Vec<Figure>> {
    let megabytes = |bytes: f64| bytes / 1e6;
    let daemon = Daemon::start(&plan.drover)?;
    daemon.settle()?;
    let at_start = daemon.memory()?;
    daemon.panes(MANY)?;
    daemon.settle()?;
    let with_panes = daemon.memory()?;
    drop(daemon);

    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(FULL)?;
    daemon.settle()?;
    let before = daemon.memory()?;
    let text = daemon.path("text");
    std::fs::write(&text, Kind::Plain.block())?;
    for pane in &panes {
        // Beyond the limit, so that the history is full, the screen as well, and rows are dropped.
        let lines = ROWS + ROWS / 5;
        // The words are put together, so that the typed line does not show them.
        let command = format!(
            "head -n {lines} {}; printf 'all is %s' printed",
            text.display()
        );
        daemon.type_line(pane, &command)?;
        daemon.wait_for(pane, "all is printed")?;
    }
    daemon.settle()?;
    let full = (daemon.memory()? - before) / panes.len() as f64;

    let figure = |what: String, bytes: f64, goal: f64| {
        Figure::alone(what, Unit::Megabytes, megabytes(bytes)).goal(Goal::AtMost(goal))
    };
    Ok(vec![
        figure("PSS at start".to_owned(), at_start, 8.0),
        figure(format!("PSS with {MANY} idle panes"), with_panes, 22.0),
        figure(format!("PSS of {ROWS} rows of text, a pane"), full, 5.0),
    ])
}

pub fn idle(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    daemon.panes(MANY)?;
    daemon.settle()?;
    let time = if plan.quick { IDLE / 10 } else { IDLE };
    // Panes that have changed are saved within five seconds, which is work that idleness does not cause.
    std::thread::sleep(time + time / 2);
    daemon.settle()?;
    let before = daemon.usage()?;
    std::thread::sleep(time);
    let after = daemon.usage()?;
    let processor = after.time.saturating_sub(before.time).as_secs_f64() * 1e3;
    let switches = after.switches.saturating_sub(before.switches) as f64;
    let span = format!("{MANY} panes, {} s", time.as_secs());
    Ok(vec![
        Figure::alone(
            format!("{span}: processor time"),
            Unit::Milliseconds,
            processor,
        )
        .goal(Goal::AtMost(0.0)),
        Figure::alone(format!("{span}: context switches"), Unit::Count, switches)
            .goal(Goal::AtMost(0.0)),
    ])
}
