//! The panes that a worker and its keeper share: how one is started, taken over and let go of.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::super::kept::Kept;
use super::super::message::{Exit, LaunchText, ToKeeper, ToWorker};
use super::{Client, PATIENCE, unexpected};
use crate::pane::process::{PaneProcess, Parent, Spawned};
use crate::pane::{Launch, Terminals};
use crate::sync::lock;
use crate::world::PaneKey;

impl Client {
    /// A pane that runs already: its process, and what its screen is rebuilt from.
    ///
    /// # Errors
    /// There is none of this number, or descriptors have run out.
    pub fn take(self: &Arc<Self>, pane: PaneKey) -> io::Result<(Spawned, Option<OwnedFd>)> {
        let held = lock(&self.held);
        let kept = held
            .panes
            .get(&pane.number())
            .ok_or(io::ErrorKind::NotFound)?;
        let area = kept.area.as_ref().map(OwnedFd::try_clone).transpose()?;
        Ok((self.spawned(kept), area))
    }

    /// Lets go of a pane with this process; what is left of that is killed.
    fn forget(&self, pane: u64, pid: i32) {
        // In this order, so that a keeper that takes over either never hears of it or is told to forget it.
        let line = lock(&self.line);
        if line.leaving {
            return;
        }
        let mut held = lock(&self.held);
        if held
            .panes
            .get(&pane)
            .is_some_and(|kept| kept.pane.pid == pid)
        {
            held.panes.remove(&pane);
            line.say(&ToKeeper::Forget { pane, pid });
        }
    }

    fn spawned(self: &Arc<Self>, kept: &Kept) -> Spawned {
        let parent = KeeperIsParent {
            client: Arc::clone(self),
            pane: kept.pane.pane,
            pid: kept.pane.pid,
        };
        Spawned {
            process: PaneProcess::new(Box::new(parent), kept.pane.pid, Arc::clone(&kept.slave)),
            master: Arc::clone(&kept.master),
            terminal: kept.pane.terminal,
            directory: PathBuf::from(&kept.pane.directory.0),
            gone: kept.is_gone(),
        }
    }

    /// Remembers an exit for the next keeper, which could not learn it any more.
    fn note_exit(&self, pane: u64, exit: Exit) {
        if exit != Exit::Running
            && let Some(kept) = lock(&self.held).panes.get_mut(&pane)
        {
            kept.pane.exit = Some(exit);
        }
    }
}

impl Terminals for Arc<Client> {
    fn open(&self, key: PaneKey, launch: &Launch, area: BorrowedFd<'_>) -> io::Result<Spawned> {
        let launch = Box::new(LaunchText::from(launch));
        let pane = key.number();
        let question = |request| ToKeeper::Open {
            request,
            pane,
            launch: launch.clone(),
        };
        let (answer, mut descriptors) = self.ask_within(PATIENCE, question, &[area])?;
        let ToWorker::Opened { pane, .. } = answer else {
            return Err(unexpected(&answer));
        };
        descriptors.push(area.try_clone_to_owned()?);
        let kept = Kept::received(pane, descriptors)?;
        let spawned = self.spawned(&kept);
        lock(&self.held).panes.insert(kept.pane.pane, kept);
        Ok(spawned)
    }

    fn replace_area(&self, key: PaneKey, area: BorrowedFd<'_>) {
        let pane = key.number();
        let line = lock(&self.line);
        if let Some(kept) = lock(&self.held).panes.get_mut(&pane) {
            kept.area = area.try_clone_to_owned().ok();
        }
        line.say_with(&ToKeeper::Area { pane }, &[area]);
    }

    fn parent(&self) -> i32 {
        self.keeper.load(Ordering::Relaxed)
    }
}

/// The parent of a pane's process, as the pane sees it.
#[derive(Debug)]
struct KeeperIsParent {
    client: Arc<Client>,
    pane: u64,
    pid: i32,
}

impl Parent for KeeperIsParent {
    fn reap(&mut self) -> io::Result<Option<ExitStatus>> {
        let pane = self.pane;
        match self
            .client
            .ask(|request| ToKeeper::Reap { request, pane })?
        {
            (ToWorker::Reaped { exit, .. }, _) => {
                self.client.note_exit(pane, exit);
                match exit {
                    Exit::Running => Ok(None),
                    Exit::Status(status) => Ok(Some(ExitStatus::from_raw(status))),
                    Exit::Unknown => Err(io::Error::other(
                        "it was the child of a keeper that has died, so its status is lost",
                    )),
                }
            }
            (other, _) => Err(unexpected(&other)),
        }
    }

    fn bury(&mut self) -> io::Result<()> {
        // The keeper kills and collects whatever is forgotten.
        self.client.forget(self.pane, self.pid);
        Ok(())
    }
}

impl Drop for KeeperIsParent {
    fn drop(&mut self) {
        self.client.forget(self.pane, self.pid);
    }
}
