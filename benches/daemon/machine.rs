//! Where and what was measured: figures mean nothing without it.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::figure::Figure;

/// How long the processors are watched before anything is measured.
const LOOK: Duration = Duration::from_secs(1);

/// Part of the processors' time from which on figures suffer.
const BUSY: f64 = 0.05;

/// The machine, as it was before the first measurement.
pub struct Machine {
    processors: usize,
    model: String,
    kernel: String,
    /// Part of the processors' time that other programs took, from 0 to 1; unknown without `/proc`.
    busy: Option<f64>,
}

impl Machine {
    /// Looks at the machine, for a second.
    pub fn look() -> Machine {
        let before = times();
        std::thread::sleep(LOOK);
        let busy = before.zip(times()).map(|(before, after)| {
            let all = after.all.saturating_sub(before.all).max(1);
            let idle = after.idle.saturating_sub(before.idle);
            1.0 - idle as f64 / all as f64
        });
        Machine {
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            model: model(),
            kernel: kernel(),
            busy,
        }
    }

    /// Everything that was measured on it.
    pub fn json(&self, drover: &Path, figures: &[(&'static str, Figure)]) -> Value {
        let figures: Vec<Value> = figures
            .iter()
            .map(|(section, figure)| figure.json(section))
            .collect();
        json!({
            "machine": {
                "processors": self.processors,
                "model": self.model,
                "kernel": self.kernel,
                "busy_before": self.busy,
            },
            "executable": drover,
            "executable_bytes": fs::metadata(drover).map(|data| data.len()).unwrap_or(0),
            "figures": figures,
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine {
            processors,
            model,
            kernel,
            busy,
        } = self;
        write!(formatter, "{processors} processors, {model}, {kernel}")?;
        if let Some(busy) = busy.filter(|busy| *busy > BUSY) {
            let percent = busy * 100.0;
            write!(
                formatter,
                "\nnote: other programs take {percent:.0} % of the processors. Times are longer, and ratios of\n\
                 requests and commands nearer to 1, because both sides wait for their turn."
            )?;
        }
        Ok(())
    }
}

/// Time of all processors since the machine's start, in ticks.
struct Times {
    all: u64,
    idle: u64,
}

fn times() -> Option<Times> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let numbers = text.lines().next()?.split_ascii_whitespace().skip(1);
    let ticks: Vec<u64> = numbers.map_while(|number| number.parse().ok()).collect();
    Some(Times {
        // User, nice, system, idle, waiting for a disk, two kinds of interrupt, taken by the host.
        // What follows is counted in the first two already.
        all: ticks.iter().take(8).sum(),
        idle: ticks.get(3)? + ticks.get(4)?,
    })
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
