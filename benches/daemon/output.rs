//! `pty`, `flood`, `waits`: a pane that prints as fast as it can.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::Mode;
use serde_json::json;

use crate::Plan;
use crate::daemon::Daemon;
use crate::drain::Drained;
use crate::echo::Echo;
use crate::figure::{Figure, Goal, Unit};
use crate::measure::{compare, percentile, rounds};
use crate::text::{self, Kind};
use crate::wire::{self, Client, PATIENCE, Stream, microseconds};

/// The last words of the script, which nothing else prints.
const LAST_WORDS: &str = "all is printed";

/// A script that prints a text and tells us, past the terminal, when it begins and ends.
struct Script {
    path: PathBuf,
    marks: File,
    bytes: usize,
}

impl Script {
    fn new(plan: &Plan, daemon: &Daemon, kind: Kind) -> Result<Script> {
        let name = kind.name();
        let [text, marks, path] =
            ["text", "marks", "sh"].map(|end| daemon.path(&format!("{name}.{end}")));
        let block = kind.block();
        let times = plan.text_bytes.div_ceil(text::BLOCK);
        fs::write(&text, &block)?;
        nix::unistd::mkfifo(&marks, Mode::S_IRUSR | Mode::S_IWUSR)?;
        let texts = vec![text.display().to_string(); times].join(" ");
        let mark = marks.display();
        fs::write(
            &path,
            format!("printf b >{mark}\ncat {texts}\nprintf e >{mark}\necho {LAST_WORDS}\n"),
        )?;
        Ok(Script {
            // Both ends, so that neither opening nor reading depends on who else has it open.
            marks: OpenOptions::new().read(true).write(true).open(&marks)?,
            bytes: block.len() * times,
            path,
        })
    }

    /// Megabytes a second, once the script is started by somebody else. `meanwhile` is done over
    /// and over while it prints.
    fn rate(&mut self, mut meanwhile: Option<&mut dyn FnMut() -> Result<()>>) -> Result<f64> {
        self.mark(b'b', None)?;
        let start = Instant::now();
        self.mark(b'e', meanwhile.as_mut())?;
        Ok(self.bytes as f64 / 1e6 / start.elapsed().as_secs_f64())
    }

    fn mark(
        &mut self,
        wanted: u8,
        mut meanwhile: Option<&mut &mut dyn FnMut() -> Result<()>>,
    ) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!("the script does not go on");
            }
            let timeout = match &mut meanwhile {
                Some(work) => {
                    work()?;
                    PollTimeout::ZERO
                }
                None => PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX),
            };
            let mut descriptors = [PollFd::new(self.marks.as_fd(), PollFlags::POLLIN)];
            if poll(&mut descriptors, timeout)? == 0 {
                continue;
            }
            let mut mark = [0];
            self.marks.read_exact(&mut mark)?;
            if mark == [wanted] {
                return Ok(());
            }
        }
    }

    /// Runs it in a pane; done when the pane shows the last of it.
    fn run_in(
        &mut self,
        daemon: &Daemon,
        pane: &str,
        meanwhile: Option<&mut dyn FnMut() -> Result<()>>,
    ) -> Result<f64> {
        // Cleared, so that the last words are those of this run.
        let script = self.path.display();
        daemon.type_line(
            pane,
            &format!("printf '\\033[H\\033[2J\\033[3J'; sh {script}"),
        )?;
        let rate = self.rate(meanwhile)?;
        daemon.wait_for(pane, LAST_WORDS)?;
        Ok(rate)
    }

    /// Runs it on a terminal that is only drained.
    fn run_drained(&mut self, meanwhile: Option<&mut dyn FnMut() -> Result<()>>) -> Result<f64> {
        let drained = Drained::start(&self.path)?;
        let rate = self.rate(meanwhile)?;
        drained.finish()?;
        Ok(rate)
    }
}

pub fn throughput(plan: &Plan) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for kind in Kind::ALL {
        let daemon = Daemon::start(&plan.drover)?;
        let panes = daemon.panes(1)?;
        let mut script = Script::new(plan, &daemon, kind)?;
        let script = std::cell::RefCell::new(&mut script);
        let [ours, floor] = rounds(
            plan.pairs,
            [
                &mut || script.borrow_mut().run_in(&daemon, &panes[0], None),
                &mut || script.borrow_mut().run_drained(None),
            ],
        )?;
        let goal = match kind {
            Kind::Plain | Kind::Colours => 0.90,
            Kind::Unicode => 0.85,
        };
        let what = format!("{} MB of {} text", plan.text_bytes / 1_000_000, kind.name());
        let values = compare(&ours, &floor);
        figures.push(
            Figure::compared(what, Unit::MegabytesPerSecond, values, "only drained")
                .goal(Goal::RatioAtLeast(goal)),
        );
    }
    Ok(figures)
}

pub fn flood(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1)?;
    let ping = wire::line("ping", &json!({}));
    daemon.call("ping", &json!({}))?;
    let mut client = daemon.client();
    client.exchange(&ping, Duration::ZERO)?;
    let socket = daemon.path("echo");
    let _echo = Echo::start(&socket, client.answer().trim_end())?;
    let mut bare = Client::new(&socket);
    let mut script = Script::new(plan, &daemon, Kind::Plain)?;
    let script = std::cell::RefCell::new(&mut script);
    let [ours, floor] = rounds(
        plan.pairs,
        [
            &mut || {
                during(&mut client, &ping, |work| {
                    script.borrow_mut().run_in(&daemon, &panes[0], Some(work))
                })
            },
            &mut || {
                during(&mut bare, &ping, |work| {
                    script.borrow_mut().run_drained(Some(work))
                })
            },
        ],
    )?;
    Ok(vec![
        Figure::compared(
            "ping while a pane prints, p99",
            Unit::Milliseconds,
            compare(&ours, &floor),
            "bare, drained",
        )
        .goal(Goal::AtMost(5.0)),
    ])
}

/// The 99th percentile of a request's time while `run` goes on, in milliseconds.
fn during(
    client: &mut Client,
    line: &[u8],
    run: impl FnOnce(&mut dyn FnMut() -> Result<()>) -> Result<f64>,
) -> Result<f64> {
    let mut times = Vec::new();
    run(&mut || {
        let time = client.exchange(line, Duration::ZERO)?;
        times.push(microseconds(time) / 1e3);
        Ok(())
    })?;
    Ok(percentile(99, &times))
}

pub fn waits(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1)?;
    let pane = &panes[0];
    let script = &mut Script::new(plan, &daemon, Kind::Plain)?;
    let script = std::cell::RefCell::new(script);
    let [ours, floor] = rounds(
        plan.pairs,
        [
            &mut || {
                let _wait = pending_wait(&daemon.socket(), pane)?;
                script.borrow_mut().run_in(&daemon, pane, None)
            },
            &mut || script.borrow_mut().run_in(&daemon, pane, None),
        ],
    )?;
    Ok(vec![Figure::compared(
        "plain text with a wait_for_output pending",
        Unit::MegabytesPerSecond,
        compare(&ours, &floor),
        "no wait",
    )])
}

/// A wait for what never comes; given up when dropped.
fn pending_wait(socket: &Path, pane: &str) -> Result<Stream> {
    let matcher = json!({"type": "substring", "value": "what no text of ours contains"});
    let time = PATIENCE.as_millis();
    let params = json!({"pane_id": pane, "source": "recent", "match": matcher, "timeout_ms": time});
    Stream::open(socket, &wire::line("pane.wait_for_output", &params)).context("a wait")
}
