//! `attach`: what a person's terminal gets of a pane, how soon, in how many bytes, and what it costs
//! while nothing happens.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use base64::Engine;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{Winsize, openpty};
use serde_json::{Value, json};

use crate::Plan;
use crate::daemon::Daemon;
use crate::figure::{Figure, Goal, Unit};
use crate::measure::{compare_at, rounds};
use crate::process::Usage;
use crate::wire::{self, PATIENCE, Stream};

/// Panes that print as fast as they can meanwhile.
const FLOODS: usize = 4;

/// Keys that are pressed.
const KEYS: usize = 500;

/// Between two keys: a person who types very fast.
const KEY_TIME: Duration = Duration::from_millis(40);

/// Letters that end none of the sequences that frames are made of.
const LETTERS: &[u8] = b"abcdefgijknopvwxyz";

/// How long nothing is done.
const IDLE: Duration = Duration::from_secs(10);

/// Lines of the build log, and the time between two: about as a compiler prints them.
const LOG_LINES: usize = 400;
const LOG_PAUSE: &str = "0.005";

/// A command on a terminal of its own.
struct Terminal {
    process: Child,
    master: File,
}

impl Terminal {
    fn start(mut command: Command) -> Result<Terminal> {
        let size = Winsize {
            ws_row: 40,
            ws_col: 120,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let pty = openpty(&size, None)?;
        // Else the command would hold both ends.
        fcntl(&pty.master, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        let process = command
            .stdin(pty.slave.try_clone()?)
            .stdout(pty.slave.try_clone()?)
            .stderr(pty.slave)
            .spawn()?;
        Ok(Terminal {
            process,
            master: pty.master.into(),
        })
    }

    fn attach(daemon: &Daemon, pane: &str) -> Result<Terminal> {
        let mut command = daemon.herdr();
        command.env("TERM", "xterm-256color");
        command.args(["terminal", "attach", pane]);
        Terminal::start(command)
    }

    /// Waits for a byte like this.
    fn wait_for(&mut self, wanted: u8) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let mut buffer = [0; 16 * 1024];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut news = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
            if poll(&mut news, PollTimeout::try_from(left)?)? == 0 {
                bail!("the terminal does not show what was typed");
            }
            let count = self.master.read(&mut buffer)?;
            if buffer[..count].contains(&wanted) {
                return Ok(());
            }
        }
    }

    /// Takes what comes until nothing has come for a while.
    fn drain(&mut self) -> Result<()> {
        let mut buffer = [0; 16 * 1024];
        loop {
            let mut news = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
            if poll(&mut news, 500_u16)? == 0 {
                return Ok(());
            }
            let _ = self.master.read(&mut buffer)?;
        }
    }

    /// Presses a key; milliseconds until it shows.
    fn press(&mut self, key: u8) -> Result<f64> {
        std::thread::sleep(KEY_TIME / 2);
        let start = Instant::now();
        self.master.write_all(&[key])?;
        self.wait_for(key)?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn echo(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1 + FLOODS)?;
    daemon.type_line(&panes[0], "cat")?;
    let mut attached = Terminal::attach(&daemon, &panes[0])?;
    let mut bare = Terminal::start(Command::new("cat"))?;
    attached.drain()?;
    for pane in &panes[1..] {
        // The words are put together, so that the typed line does not show them.
        daemon.type_line(pane, "yes 'a pane that prints'' as fast as it can'")?;
        daemon.wait_for(pane, "prints as fast as it can")?;
    }
    let mut number = 0;
    let key = std::cell::Cell::new(b'a');
    let [ours, floor] = rounds(
        plan.count(KEYS),
        [
            &mut || {
                number += 1;
                key.set(LETTERS[number % LETTERS.len()]);
                attached.press(key.get())
            },
            &mut || bare.press(key.get()),
        ],
    )?;
    let figure = |percent: usize, goal: f64| {
        Figure::compared(
            format!("key to echo, {FLOODS} panes flooding, p{percent}"),
            Unit::Milliseconds,
            compare_at(percent, &ours, &floor),
            "bare terminal",
        )
        .goal(Goal::AtMost(goal))
    };
    Ok(vec![figure(50, 3.0), figure(99, 10.0)])
}

pub fn bytes(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1)?;
    let log: String = (0..plan.count(LOG_LINES))
        .map(|number| {
            let part = number * 7919 % 1000;
            format!(
                "\x1b[1;32m   Compiling\x1b[0m part-{part} v0.{number}.1 (/home/someone/src/part-{part})\n"
            )
        })
        .collect();
    let path = daemon.path("log.txt");
    std::fs::write(&path, &log)?;
    let params = json!({"target": panes[0], "cols": 120, "rows": 40});
    let socket = daemon.socket().with_extension("");
    let mut stream = Stream::open(&socket, &wire::line("terminal.observe", &params))?;
    stream.next()?;
    let script = format!(
        "while read -r l; do printf '%s\\n' \"$l\"; sleep {LOG_PAUSE}; done <{}; printf 'all is %s' printed",
        path.display()
    );
    daemon.type_line(&panes[0], &script)?;
    let (mut shown, mut lines) = (0, 0);
    let mut last = Vec::new();
    while !String::from_utf8_lossy(&last).contains("all is printed") {
        // Frames may come together; each is a line.
        for line in stream.next()?.lines() {
            lines += line.len() + 1;
            let record: Value = serde_json::from_str(line)?;
            let bytes = record["bytes"].as_str().context("a frame has bytes")?;
            last = base64::engine::general_purpose::STANDARD.decode(bytes)?;
            shown += last.len();
        }
    }
    let ratio = |bytes: usize| bytes as f64 / log.len() as f64;
    Ok(vec![
        Figure::alone(
            "bytes for the terminal, of a build log's",
            Unit::Ratio,
            ratio(shown),
        )
        .goal(Goal::AtMost(1.5)),
        Figure::alone("the same as lines of the stream", Unit::Ratio, ratio(lines)),
    ])
}

pub fn idle(plan: &Plan) -> Result<Vec<Figure>> {
    let daemon = Daemon::start(&plan.drover)?;
    let panes = daemon.panes(1)?;
    let mut terminal = Terminal::attach(&daemon, &panes[0])?;
    terminal.drain()?;
    let time = if plan.quick { IDLE / 10 } else { IDLE };
    // As for idle panes: one that has changed is saved within five seconds.
    std::thread::sleep(time + time / 2);
    daemon.settle()?;
    let usage = || -> Result<u64> {
        Ok(daemon.usage()?.switches + Usage::of(terminal.process.id())?.switches)
    };
    let before = usage()?;
    std::thread::sleep(time);
    let switches = usage()?.saturating_sub(before) as f64;
    Ok(vec![
        Figure::alone(
            format!("attached for {} s: context switches", time.as_secs()),
            Unit::Count,
            switches,
        )
        .goal(Goal::AtMost(0.0)),
    ])
}
