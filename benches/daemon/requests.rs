//! `ping`, `lists`, `report`: one client, one connection a request.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use crate::Plan;
use crate::daemon::Daemon;
use crate::echo::Echo;
use crate::figure::{Figure, Goal, Unit};
use crate::measure::{compare, rounds};
use crate::wire::{self, Client};

/// Panes of a person who runs many agents.
const MANY: usize = 50;

/// Requests of one batch, whose median is one value: some 30 ms at a time for each side.
const BATCH: usize = 500;

/// Requests of a batch whose lines come a while after the connection.
const LATE_BATCH: usize = 100;

pub fn ping(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let line = wire::line("ping", &json!({}));
    let mut client = daemon.client();
    client.exchange(&line, Duration::ZERO)?;
    let socket = daemon.path("echo");
    let _echo = Echo::start(&socket, client.answer().trim_end())?;
    let mut floor = Client::new(&socket);

    let batch = plan.count(BATCH);
    let late = plan.count(LATE_BATCH);
    let [ours, bare] = rounds(
        plan.pairs * 3,
        [
            &mut || client.batch(batch, Duration::ZERO, |_| &line),
            &mut || floor.batch(batch, Duration::ZERO, |_| &line),
        ],
    )?;
    let mut figures = vec![
        Figure::compared(
            "ping, p50",
            Unit::Microseconds,
            compare(&ours, &bare),
            "bare server",
        )
        .goal(Goal::RatioAtMost(1.3)),
    ];
    for gap in [Duration::from_micros(50), Duration::from_millis(1)] {
        let [ours, bare] = rounds(
            plan.pairs,
            [&mut || client.batch(late, gap, |_| &line), &mut || {
                floor.batch(late, gap, |_| &line)
            }],
        )?;
        let what = format!("line {} us after the connect, p50", gap.as_micros());
        figures.push(
            Figure::compared(
                what,
                Unit::Microseconds,
                compare(&ours, &bare),
                "bare server",
            )
            .goal(Goal::RatioAtMost(1.3)),
        );
    }
    Ok(figures)
}

pub fn lists(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    daemon.panes(MANY)?;
    daemon.settle()?;
    let [ping, list, snapshot] =
        ["ping", "pane.list", "session.snapshot"].map(|method| wire::line(method, &json!({})));
    let [mut first, mut second, mut third] = [daemon.client(), daemon.client(), daemon.client()];
    let batch = plan.count(BATCH / 2);
    let [pings, lists, snapshots] = rounds(
        plan.pairs,
        [
            &mut || first.batch(batch, Duration::ZERO, |_| &ping),
            &mut || second.batch(batch, Duration::ZERO, |_| &list),
            &mut || third.batch(batch, Duration::ZERO, |_| &snapshot),
        ],
    )?;
    let figure = |what: &str, values: &[f64]| {
        let what = format!("{what}, {MANY} panes, p50");
        Figure::compared(what, Unit::Microseconds, compare(values, &pings), "ping")
            .goal(Goal::RatioAtMost(4.0))
    };
    Ok(vec![
        figure("pane.list", &lists),
        figure("session.snapshot", &snapshots),
    ])
}

pub fn report(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1)?;
    daemon.settle()?;
    let ping = wire::line("ping", &json!({}));
    let reports = ["working", "blocked"].map(|state| {
        let params =
            json!({"pane_id": panes[0], "source": "bench", "agent": "claude", "state": state});
        wire::line("pane.report_agent", &params)
    });
    let batch = plan.count(BATCH);
    let [mut first, mut second] = [daemon.client(), daemon.client()];
    let [ours, pings] = rounds(
        plan.pairs * 3,
        [
            &mut || second.batch(batch, Duration::ZERO, |number| &reports[number % 2]),
            &mut || first.batch(batch, Duration::ZERO, |_| &ping),
        ],
    )?;
    let values = compare(&ours, &pings);
    let mut figures = vec![
        Figure::compared("pane.report_agent, p50", Unit::Microseconds, values, "ping")
            .goal(Goal::RatioAtMost(2.0)),
    ];
    figures.extend(saving(plan, &daemon, &panes[0])?);
    Ok(figures)
}

/// What saving adds: reports that change what is saved beside reports that change nothing, because
/// their numbers are stale. Both are decoded, decided and answered alike.
fn saving(plan: &Plan, daemon: &Daemon, pane: &str) -> Result<Vec<Figure>> {
    let numbered = |source: &str, seq: u64| {
        let params = json!({
            "pane_id": pane, "source": source, "agent": "claude", "state": "working", "seq": seq,
        });
        wire::line("pane.report_agent", &params)
    };
    let batch = plan.count(BATCH);
    // Enough for every batch: each line is used once.
    let fresh: Vec<Vec<u8>> = (1..=batch as u64 * 64)
        .map(|seq| numbered("fresh", seq))
        .collect();
    let stale = numbered("fresh", 0);
    let [mut first, mut second] = [daemon.client(), daemon.client()];
    let mut used = 0;
    let [saved, unsaved] = rounds(
        plan.pairs.min(60),
        [
            &mut || {
                let from = used;
                used += batch;
                first.batch(batch, Duration::ZERO, |number| {
                    &fresh[(from + number).min(fresh.len() - 1)]
                })
            },
            &mut || second.batch(batch, Duration::ZERO, |_| &stale),
        ],
    )?;
    let values = compare(&saved, &unsaved);
    Ok(vec![
        Figure::compared(
            "report that is saved, p50",
            Unit::Microseconds,
            values,
            "stale report",
        )
        .goal(Goal::RatioAtMost(2.0)),
    ])
}
