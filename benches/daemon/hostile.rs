//! `hostile`: what clients that misbehave cost those that do not.
//!
//! The clients are processes of this executable, several of each kind, so that no limit for one process keeps them out.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::json;

use crate::Plan;
use crate::daemon::Daemon;
use crate::figure::{Figure, Goal, Unit};
use crate::measure::{compare, percentile};
use crate::wire;

/// Clients of each kind.
const CLIENTS: usize = 200;

/// Clients of one process: fewer than one may hold.
const OF_A_PROCESS: usize = 50;

/// Panes, so that an answer that nobody reads is a long one.
const PANES: usize = 50;

/// How often a client does what it does.
const PACE: Duration = Duration::from_secs(1);

/// Requests of one round, of which the 99th percentile is one value.
const BATCH: usize = 2_000;

/// Time until all of them are at it.
const BEGIN: Duration = Duration::from_secs(3);

/// What a hostile client does, once a second.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Kind {
    /// Sends another byte of its line.
    Drip,
    /// Asks for a long answer and does not read it.
    Deaf,
    /// Ends its side in the middle of a line.
    Half,
    /// Asks for a long answer and is gone.
    Vanish,
}

/// Hostile processes; ended with the value.
struct Crowd(Vec<Child>);

impl Crowd {
    fn gather(socket: &Path, clients: usize) -> Result<Crowd> {
        let executable = std::env::current_exe().context("finding this executable")?;
        let mut crowd = Crowd(Vec::new());
        for kind in Kind::value_variants() {
            for _ in 0..clients.div_ceil(OF_A_PROCESS) {
                let child = Command::new(&executable)
                    .arg("--hostile")
                    .arg(socket)
                    .args(["--kind", &format!("{kind:?}").to_lowercase()])
                    .args(["--clients", &clients.min(OF_A_PROCESS).to_string()])
                    // Closed when this process ends, however it ends; they end with it.
                    .stdin(Stdio::piped())
                    .spawn()
                    .context("starting a hostile process")?;
                crowd.0.push(child);
            }
        }
        Ok(crowd)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub fn run(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    daemon.panes(PANES)?;
    daemon.settle()?;
    let ping = wire::line("ping", &json!({}));
    let mut client = daemon.client();
    let count = plan.count(BATCH);
    let mut p99 = || -> Result<f64> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let time = client.exchange(&ping, Duration::ZERO)?;
            times.push(time.as_secs_f64() * 1e6);
        }
        Ok(percentile(99, &times))
    };
    p99()?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..plan.pairs {
        without.push(p99()?);
        let _crowd = Crowd::gather(&daemon.socket(), plan.count(CLIENTS))?;
        std::thread::sleep(if plan.quick { PACE } else { BEGIN });
        with.push(p99()?);
    }
    let what = format!("ping beside {CLIENTS} hostile clients of each kind, p99");
    Ok(vec![
        Figure::compared(what, Unit::Microseconds, compare(&with, &without), "alone")
            .goal(Goal::RatioAtMost(2.0)),
    ])
}

/// Is `clients` hostile clients until stdin ends.
pub fn be(socket: &Path, kind: Kind, clients: usize) -> Result<()> {
    let threads = (0..clients).map(|number| {
        let socket = socket.to_owned();
        std::thread::Builder::new()
            .stack_size(64 * 1024)
            .spawn(move || {
                // Spread over the second, as those of many processes are.
                std::thread::sleep(PACE * number as u32 / OF_A_PROCESS as u32);
                loop {
                    // Refused or closed: the next time.
                    let _ = misbehave(&socket, kind);
                    std::thread::sleep(PACE);
                }
            })
    });
    for thread in threads {
        thread.context("starting a client")?;
    }
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn misbehave(socket: &Path, kind: Kind) -> std::io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    let line = wire::line("session.snapshot", &json!({}));
    match kind {
        Kind::Drip => {
            for byte in &line {
                stream.write_all(&[*byte])?;
                std::thread::sleep(PACE);
            }
        }
        Kind::Deaf => {
            stream.write_all(&line)?;
            std::thread::sleep(PACE * 5);
        }
        Kind::Half => {
            stream.write_all(&line[..line.len() / 2])?;
            stream.shutdown(Shutdown::Write)?;
            stream.read_to_end(&mut Vec::new())?;
        }
        Kind::Vanish => stream.write_all(&line)?,
    }
    Ok(())
}
