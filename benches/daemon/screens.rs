//! `screens`: what it costs to read an agent's screen while the agent floods it.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use nix::sys::stat::Mode;
use serde_json::json;

use crate::Plan;
use crate::daemon::Daemon;
use crate::figure::{Figure, Goal, Unit};
use crate::measure::{compare, median, rounds};
use crate::wire::PATIENCE;

/// Bytes that are printed between two pauses.
const PIECE: usize = 1_000_000;

/// Seconds of a pause, as `sleep` takes them: with the time that printing a piece and starting two
/// programs takes, about 50 MB come a second.
const PAUSE: &str = "0.008";

/// The last words of the script, which nothing else prints.
const LAST_WORDS: &str = "all is printed";

/// Makes the script count as an agent's, whose screen is read.
const AS_AGENT: &str = "HERDR_AGENT=claude ";

/// What an agent draws, over and over: text, and a status line below it that changes.
fn frames() -> String {
    const FRAMES: [&str; 6] = ["·", "✢", "✳", "✶", "✻", "✽"];
    let rule = "─".repeat(100);
    let mut text = String::with_capacity(PIECE + 4096);
    let mut number = 0;
    while text.len() < PIECE {
        number += 1;
        let glyph = FRAMES[number % FRAMES.len()];
        text += &format!(
            "\x1b[?2026h\x1b[6A\x1b[J● \x1b[1mUpdate(src/main.rs)\x1b[0m\n  ⎿ step {number} of the \
             work, with a few \x1b[32mwords\x1b[0m about it\n\n\x1b[35m{glyph} Hammering… ({number}s · \
             ↑ 2.1k tokens · esc to interrupt)\x1b[0m\n\n{rule}\n❯ \n{rule}\n\x1b[?2026l"
        );
    }
    text
}

/// A script that prints at an agent's worst pace, and tells us past the terminal when it is over.
struct Script {
    path: PathBuf,
    marks: PathBuf,
    bytes: usize,
}

impl Script {
    fn new(plan: &Plan, daemon: &Daemon) -> Result<Script> {
        let [text, marks, path] = ["text", "marks", "sh"].map(|end| daemon.path(end));
        let frames = frames();
        let times = plan.text_bytes.div_ceil(frames.len());
        fs::write(&text, &frames)?;
        nix::unistd::mkfifo(&marks, Mode::S_IRUSR | Mode::S_IWUSR)?;
        let (text, mark) = (text.display(), marks.display());
        fs::write(
            &path,
            format!(
                "i=0; while [ $i -lt {times} ]; do cat {text}; sleep {PAUSE}; i=$((i+1)); done\n\
                 printf '\\033[2J%s\\n' '{LAST_WORDS}'\nprintf e >{mark}\n"
            ),
        )?;
        Ok(Script {
            path,
            marks,
            bytes: frames.len() * times,
        })
    }

    /// Processor time of the daemon, in milliseconds, while it runs in a pane; and its pace in MB/s.
    fn run(&self, daemon: &Daemon, pane: &str, before: &str) -> Result<(f64, f64)> {
        let mut marks = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&self.marks)?;
        daemon.settle()?;
        let used = daemon.usage()?;
        let began = Instant::now();
        daemon.type_line(pane, &format!("{before}sh {}", self.path.display()))?;
        marks.read_exact(&mut [0])?;
        let pace = self.bytes as f64 / 1e6 / began.elapsed().as_secs_f64();
        daemon.wait_for(pane, LAST_WORDS)?;
        let time = daemon.usage()?.time.saturating_sub(used.time);
        daemon.type_line(pane, "clear")?;
        Ok((time.as_secs_f64() * 1e3, pace))
    }
}

/// Without this a broken detection would cost nothing.
fn check_that_it_is_seen(daemon: &Daemon, pane: &str) -> Result<()> {
    daemon.type_line(pane, &format!("{AS_AGENT}cat"))?;
    let deadline = Instant::now() + PATIENCE;
    while daemon.call("pane.get", &json!({ "pane_id": pane }))?["pane"]["agent"] != "claude" {
        if Instant::now() > deadline {
            bail!("the agent is not seen");
        }
    }
    let params = json!({ "pane_id": pane, "keys": ["ctrl+d"] });
    daemon.call("pane.send_keys", &params).map(drop)
}

pub fn run(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1)?;
    check_that_it_is_seen(&daemon, &panes[0])?;
    let script = Script::new(plan, &daemon)?;
    let paces = std::cell::RefCell::new(Vec::new());
    let time = |before: &str| {
        let (time, pace) = script.run(&daemon, &panes[0], before)?;
        paces.borrow_mut().push(pace);
        Ok(time)
    };
    let [on, off] = rounds(plan.pairs, [&mut || time(AS_AGENT), &mut || time("")])?;
    let what = format!("{} MB of an agent's frames", plan.text_bytes / 1_000_000);
    let pace = median(&paces.borrow());
    Ok(vec![
        Figure::alone(format!("{what}: pace"), Unit::MegabytesPerSecond, pace),
        Figure::compared(
            format!("{what}: processor time"),
            Unit::Milliseconds,
            compare(&on, &off),
            "no agent",
        )
        .goal(Goal::RatioAtMost(1.1)),
    ])
}
