//! `event`: how long news takes to whoever waits for it.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::Plan;
use crate::daemon::Daemon;
use crate::figure::{Figure, Goal, Unit};
use crate::measure::compare;
use crate::wire::{self, Client, Stream, microseconds};

/// Events of each kind.
const EVENTS: usize = 300;

/// Between two events: their lines go to a listener that sleeps, as it mostly does. It varies so
/// that it cannot fall into step with a server that looks at intervals.
fn rest(number: usize) {
    let micros = 3_000 + (number as u64 * 1_370) % 7_000;
    std::thread::sleep(Duration::from_micros(micros));
}

pub fn run(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1)?;
    let pane = &panes[0];
    daemon.settle()?;
    let tab = daemon.call("pane.get", &json!({"pane_id": pane}))?["pane"]["tab_id"].take();

    let renames = subscribed(plan, &daemon, &json!({"type": "tab.renamed"}), |number| {
        let params = json!({"tab_id": tab, "label": format!("name {number}")});
        wire::line("tab.rename", &params)
    })?;
    let wanted = json!({"type": "pane.agent_status_changed", "pane_id": pane});
    let reports = subscribed(plan, &daemon, &wanted, |number| {
        let state = ["working", "blocked"][number % 2];
        let params = json!({"pane_id": pane, "source": "bench", "agent": "claude", "state": state});
        wire::line("pane.report_agent", &params)
    })?;
    // A program that says nothing by itself, so that what is typed is all that shows.
    daemon.type_line(pane, "exec cat")?;
    daemon.settle()?;
    let outputs = waited(plan, &daemon, pane)?;

    let figure = |what: &str, times: Times| {
        let values = compare(&times.news, &times.pings);
        Figure::compared(what, Unit::Microseconds, values, "ping").goal(Goal::AtMost(1_000.0))
    };
    Ok(vec![
        figure("tab.rename to the subscriber's line", renames),
        figure("report_agent to the subscriber's line", reports),
        figure("send_input to wait_for_output's answer", outputs),
    ])
}

/// Times of the news and of pings between them, in microseconds.
#[derive(Default)]
struct Times {
    news: Vec<f64>,
    pings: Vec<f64>,
}

impl Times {
    fn ping(&mut self, client: &mut Client) -> Result<()> {
        let ping = wire::line("ping", &json!({}));
        let time = client.exchange(&ping, Duration::ZERO)?;
        self.pings.push(microseconds(time));
        Ok(())
    }
}

/// From the write of a request to the line that it causes at a subscriber.
fn subscribed(
    plan: &Plan,
    daemon: &Daemon,
    subscription: &Value,
    request: impl Fn(usize) -> Vec<u8>,
) -> Result<Times> {
    let subscribe = wire::line(
        "events.subscribe",
        &json!({"subscriptions": [subscription]}),
    );
    let mut events = Stream::open(&daemon.socket(), &subscribe)?;
    let accepted = events.next()?;
    if !accepted.contains("\"result\"") {
        bail!("no subscription: {accepted}");
    }
    let mut times = Times::default();
    let mut client = daemon.client();
    for number in 0..plan.count(EVENTS) {
        rest(number);
        let line = request(number);
        let mut sender = Stream::connect(&daemon.socket())?;
        let start = Instant::now();
        sender.send(&line)?;
        events.next()?;
        times.news.push(microseconds(start.elapsed()));
        sender.next()?;
        rest(number);
        times.ping(&mut client)?;
    }
    Ok(times)
}

/// From the write of an input to the answer of a wait for what it shows.
fn waited(plan: &Plan, daemon: &Daemon, pane: &str) -> Result<Times> {
    let mut times = Times::default();
    let mut client = daemon.client();
    for number in 0..plan.count(EVENTS) {
        let words = format!("[mark {number}]");
        let matcher = json!({"type": "substring", "value": words});
        let params =
            json!({"pane_id": pane, "source": "visible", "match": matcher, "timeout_ms": 60_000});
        let wait = wire::line("pane.wait_for_output", &params);
        let mut answer = Stream::open(&daemon.socket(), &wait)?;
        // The wait has begun before there is anything to find.
        rest(number);
        let params = json!({"pane_id": pane, "text": words, "keys": ["enter"]});
        let line = wire::line("pane.send_input", &params);
        let mut sender = Stream::connect(&daemon.socket())?;
        let start = Instant::now();
        sender.send(&line)?;
        let found = answer.next()?;
        times.news.push(microseconds(start.elapsed()));
        if !found.contains("output_matched") {
            bail!("the wait ended with {found}");
        }
        sender.next()?;
        rest(number);
        times.ping(&mut client)?;
    }
    Ok(times)
}
