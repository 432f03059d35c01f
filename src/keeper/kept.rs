//! What the keeper holds of each pane: its process, both ends of its terminal, and what its screen is rebuilt from.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use nix::errno::Errno;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::message::{Exit, KeptPane, OsText};
use crate::pane::Launch;
use crate::pane::process::{self, GroupSignal, Spawned};
use crate::sys;

/// A pane's record and its descriptors.
#[derive(Debug)]
pub struct Kept {
    /// What is told of it.
    pub pane: KeptPane,
    /// Our end of the pseudo-terminal.
    pub master: Arc<OwnedFd>,
    /// The programs' end.
    pub slave: Arc<OwnedFd>,
    /// What the screen is rebuilt from; nothing here looks into it.
    pub area: Option<OwnedFd>,
}

impl Kept {
    /// One that was handed over.
    ///
    /// # Errors
    /// Descriptors are missing.
    pub fn received(pane: KeptPane, descriptors: Vec<OwnedFd>) -> io::Result<Kept> {
        let mut descriptors = descriptors.into_iter();
        let (Some(master), Some(slave)) = (descriptors.next(), descriptors.next()) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("pane {} came without its terminal", pane.pane),
            ));
        };
        Ok(Kept {
            pane,
            master: Arc::new(master),
            slave: Arc::new(slave),
            area: descriptors.next(),
        })
    }

    /// The descriptors, in the order in which [`received`](Kept::received) takes them.
    pub fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        let area = self.area.as_ref().map(AsFd::as_fd);
        [self.master.as_fd(), self.slave.as_fd()]
            .into_iter()
            .chain(area)
            .collect()
    }

    /// Whether the process is known to have exited and to have been collected, so that its number may be another's.
    pub fn is_gone(&self) -> bool {
        self.pane.exit.is_some()
            || sys::process_facts(self.pane.pid)
                .is_none_or(|facts| Some(facts.started) != self.pane.started)
    }

    /// Collects the process if it has exited.
    pub fn reap(&mut self) -> Exit {
        let exit = match self.pane.exit {
            Some(exit) => return exit,
            None => collect(self.pane.pid, self.pane.started),
        };
        if exit != Exit::Running {
            self.pane.exit = Some(exit);
        }
        exit
    }
}

/// All of them, by their numbers in the world.
#[derive(Debug, Default)]
pub struct KeptPanes {
    panes: BTreeMap<u64, Kept>,
    /// Killed, and not collected yet.
    dying: Vec<i32>,
}

impl KeptPanes {
    /// Starts a pane's process.
    ///
    /// # Errors
    /// See [`process::spawn`].
    pub fn open(&mut self, pane: u64, launch: &Launch, area: Option<OwnedFd>) -> io::Result<&Kept> {
        // A worker that asks twice did not get the first answer, or is another one that never heard of it.
        self.drop_pane(pane);
        let Spawned {
            process,
            master,
            terminal,
            directory,
            gone: _,
        } = process::spawn(launch)?;
        let kept = Kept {
            pane: KeptPane {
                pane,
                pid: process.pid,
                started: sys::process_facts(process.pid).map(|facts| facts.started),
                terminal,
                directory: OsText::from(directory.as_path()),
                exit: None,
            },
            master,
            slave: Arc::clone(process.slave()),
            area,
        };
        self.panes.insert(pane, kept);
        Ok(&self.panes[&pane])
    }

    /// Takes over one that runs already.
    pub fn insert(&mut self, kept: Kept) {
        self.panes.insert(kept.pane.pane, kept);
    }

    /// Takes over one as another process knows it. An exit that is known here stays known; another process that had
    /// the pane's number ends.
    pub fn take_in(&mut self, mut kept: Kept) {
        let number = kept.pane.pane;
        match self.panes.get(&number) {
            Some(known) if known.pane.pid == kept.pane.pid => {
                kept.pane.exit = kept.pane.exit.or(known.pane.exit);
            }
            _ => self.drop_pane(number),
        }
        self.panes.insert(number, kept);
    }

    /// Collects this child, too, once it has ended.
    pub fn collect_later(&mut self, pid: i32) {
        self.dying.push(pid);
    }

    /// Children that are collected once they have ended, and are no pane's.
    pub fn collected_later(&self) -> &[i32] {
        &self.dying
    }

    /// Collects a pane's process if it has exited. One that is not there is nobody's.
    pub fn reap(&mut self, pane: u64) -> Exit {
        self.panes.get_mut(&pane).map_or(Exit::Unknown, Kept::reap)
    }

    /// A pane's screen is rebuilt from this from now on. None if there is no such pane.
    pub fn replace_area(&mut self, pane: u64, area: Option<OwnedFd>) -> Option<&Kept> {
        let kept = self.panes.get_mut(&pane)?;
        kept.area = area;
        Some(kept)
    }

    /// Lets go of a pane that has this process, and ends that if it still runs. Whether there was such a pane.
    pub fn forget(&mut self, pane: u64, pid: i32) -> bool {
        let there = |kept: &Kept| kept.pane.pid == pid;
        let found = self.panes.get(&pane).is_some_and(there);
        if found {
            self.drop_pane(pane);
        }
        found
    }

    fn drop_pane(&mut self, pane: u64) {
        let Some(mut kept) = self.panes.remove(&pane) else {
            return;
        };
        if kept.reap() == Exit::Running {
            process::signal(kept.pane.pid, GroupSignal::Kill);
            self.dying.push(kept.pane.pid);
            self.bury();
        }
    }

    /// Collects what has died since it was killed; to be called when a child has ended.
    pub fn bury(&mut self) {
        self.dying
            .retain(|pid| collect(*pid, None) == Exit::Running);
    }

    /// Kills every pane's process, and what runs in the foreground of its terminal.
    pub fn kill(&mut self) {
        for (_, mut kept) in std::mem::take(&mut self.panes) {
            if let Some(group) = sys::foreground_group(kept.master.as_fd()) {
                process::signal(group, GroupSignal::Kill);
            }
            if kept.reap() == Exit::Running {
                process::signal(kept.pane.pid, GroupSignal::Kill);
            }
        }
    }

    /// All panes.
    pub fn iter(&self) -> impl Iterator<Item = &Kept> {
        self.panes.values()
    }
}

/// Collects process `pid` if it is a child of ours that has exited. Of one that is not, it can only be told whether
/// the process that was started then is there.
fn collect(pid: i32, started: Option<u64>) -> Exit {
    match waitpid(Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG)) {
        // As `wait` packs them, on every system we run on.
        Ok(WaitStatus::Exited(_, code)) => Exit::Status((code & 0xff) << 8),
        Ok(WaitStatus::Signaled(_, signal, core)) => {
            Exit::Status(signal as i32 | if core { 0x80 } else { 0 })
        }
        Ok(_) | Err(Errno::EINTR) => Exit::Running,
        Err(_) => match sys::process_facts(pid) {
            Some(facts) if !facts.zombie && Some(facts.started) == started => Exit::Running,
            _ => Exit::Unknown,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::{Environment, Program, Size};
    use std::time::{Duration, Instant};

    fn launch(script: &str) -> Launch {
        Launch {
            program: Program::Command(["/bin/sh", "-c", script].map(str::to_owned).to_vec()),
            directory: None,
            environment: Environment::default(),
            size: Size { cols: 80, rows: 24 },
        }
    }

    fn until(what: &str, mut look: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !look() {
            assert!(Instant::now() < deadline, "waited in vain: {what}");
            std::thread::yield_now();
        }
    }

    #[test]
    fn an_exit_is_told_as_often_as_it_is_asked_for() {
        let mut panes = KeptPanes::default();
        panes.open(1, &launch("exit 7"), None).unwrap();
        let mut exit = Exit::Running;
        until("the exit", || {
            exit = panes.reap(1);
            exit != Exit::Running
        });
        assert_eq!(exit, Exit::Status(7 << 8));
        assert_eq!(panes.reap(1), exit, "also to a worker that comes later");
        let pid = panes.iter().next().unwrap().pane.pid;
        assert!(panes.forget(1, pid));
        assert_eq!(panes.reap(1), Exit::Unknown);
        assert_eq!(panes.iter().count(), 0);
    }

    #[test]
    fn what_is_forgotten_while_it_runs_is_killed_and_collected() {
        let mut panes = KeptPanes::default();
        let kept = panes.open(1, &launch("read line"), None).unwrap();
        let (pid, started) = (kept.pane.pid, kept.pane.started);
        assert_eq!(collect(pid, started), Exit::Running);
        assert!(panes.forget(1, pid));
        until("nobody to collect", || {
            panes.bury();
            panes.dying.is_empty()
        });
        assert_eq!(collect(pid, started), Exit::Unknown);
    }

    #[test]
    fn who_lets_go_of_a_process_late_does_not_mean_the_next_one_of_that_number() {
        let mut panes = KeptPanes::default();
        let before = panes.open(1, &launch("read line"), None).unwrap().pane.pid;
        let kept = panes.open(1, &launch("read line"), None).unwrap();
        let (pid, started) = (kept.pane.pid, kept.pane.started);
        assert!(!panes.forget(1, before));
        assert_eq!(collect(pid, started), Exit::Running);
        assert_eq!(panes.reap(1), Exit::Running);
        panes.kill();
    }

    #[test]
    fn a_process_that_is_no_child_is_known_by_when_it_started() {
        let parent = nix::unistd::getppid().as_raw();
        let started = sys::process_facts(parent).map(|facts| facts.started);
        assert!(started.is_some());
        assert_eq!(collect(parent, started), Exit::Running);
        assert_eq!(
            collect(parent, Some(1)),
            Exit::Unknown,
            "another of that number"
        );
    }

    #[test]
    fn a_pane_without_a_terminal_is_refused() {
        let pane = KeptPane {
            pane: 1,
            pid: 2,
            started: None,
            terminal: 3,
            directory: OsText(Default::default()),
            exit: None,
        };
        assert!(Kept::received(pane, Vec::new()).is_err());
    }
}
