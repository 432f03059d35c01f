//! What processes use, as Linux's `/proc` tells it.

use std::collections::HashMap;
use std::fs;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

/// What the threads of processes have used so far.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    /// Time on a processor, to the nanosecond.
    pub time: Duration,
    /// Context switches, wanted or not: each ends a time of doing something.
    pub switches: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.time += other.time;
        self.switches += other.switches;
    }
}

impl Usage {
    /// Of all threads that a process has now.
    pub fn of(pid: u32) -> Result<Usage> {
        let mut sum = Usage::default();
        for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
            // A thread may end while we look; it then counts no more.
            sum += Usage::of_thread(&thread?.path()).unwrap_or_default();
        }
        Ok(sum)
    }

    fn of_thread(folder: &Path) -> Option<Usage> {
        let schedule = fs::read_to_string(folder.join("schedstat")).ok()?;
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let switches = ["voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"];
        let counts = switches.map(|name| field(&status, name));
        Some(Usage {
            time: Duration::from_nanos(schedule.split(' ').next()?.parse().ok()?),
            switches: counts.into_iter().flatten().sum(),
        })
    }
}

/// Memory of a process in bytes, with pages that others map too counted in parts.
pub fn proportional_set(pid: u32) -> Result<f64> {
    let path = format!("/proc/{pid}/smaps_rollup");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let kib = field(&text, "Pss").with_context(|| format!("no Pss in {path}"))?;
    Ok(kib as f64 * 1024.0)
}

/// The number of a `Name: number ...` line.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?.strip_prefix(':')?;
        rest.split_ascii_whitespace().next()?.parse().ok()
    })
}

/// A process and those of its descendants that run the same executable.
pub fn tree(root: u32, executable: &Path) -> Result<Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").context("this section needs /proc")? {
        let Ok(pid) = entry?.file_name().to_string_lossy().parse() else {
            continue;
        };
        if let Some(parent) = parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = vec![root];
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        let own = children.remove(&pid).unwrap_or_default();
        found.extend(own.into_iter().filter(|&child| runs(child) == executable));
        next += 1;
    }
    Ok(found)
}

fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    field(&status, "PPid").and_then(|parent| parent.try_into().ok())
}

fn runs(pid: u32) -> PathBuf {
    fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default()
}
