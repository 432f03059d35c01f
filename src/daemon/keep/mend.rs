//! Files of the session that somebody has removed are made again, and their folders: a daemon that nobody finds is of
//! no use.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::super::files::{self, SessionLock, SocketFile};
use super::Keep;
use crate::keeper::message::{ToWorker, Which};
use crate::paths::SessionPaths;
use crate::sys::FolderWatch;

/// Time until files that could not be made again are tried once more: what is in the way is a person's doing.
const AGAIN: Duration = Duration::from_secs(5);

/// Looks in a row that find something gone, before somebody who removes files all the time is left to it for a while.
const ROUNDS: usize = 4;

/// Watches the folders that have the session's files in them.
pub(super) fn watch(paths: &SessionPaths) -> Option<FolderWatch> {
    FolderWatch::new(&[&paths.runtime_dir, &paths.link_dir])
        .inspect_err(|error| log::warn!("a removed socket will not be noticed: {error}"))
        .ok()
}

impl Keep {
    /// Looks for what is gone and makes it again.
    pub(super) fn mend(&mut self) {
        self.mend_at = None;
        if self.stopping {
            return;
        }
        for _ in 0..ROUNDS {
            // Before the look, so that what goes after it is noticed, and again after folders were made that the
            // watch before did not know.
            self.watch = watch(&self.paths);
            match self.mend_files() {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    log::warn!("a file of the session is gone and cannot be made again: {error:#}");
                    break;
                }
            }
        }
        self.mend_at = Some(Instant::now() + AGAIN);
    }

    /// Whether anything was gone.
    fn mend_files(&mut self) -> Result<bool> {
        let mut mended = false;
        if !self.guarded.lock.is_there() {
            files::make_socket_folder(&self.paths)?;
            // Another daemon may have taken the place: then this one is left without a name, and says so.
            self.guarded.lock = SessionLock::take(&self.paths.lock, &self.paths.protocol_socket)?;
            self.tell(&ToWorker::Lock, self.guarded.lock.as_fd());
            mended = true;
        }
        for which in [Which::Protocol, Which::Control] {
            mended |= self.mend_socket(which)?;
        }
        for link in &self.guarded.links {
            mended |= link.restore()?;
        }
        Ok(mended)
    }

    fn mend_socket(&mut self, which: Which) -> Result<bool> {
        let (path, file, listener) = match which {
            Which::Protocol => (
                &self.paths.protocol_socket,
                &mut self.guarded.protocol,
                &mut self.protocol,
            ),
            Which::Control => (
                &self.paths.control_socket,
                &mut self.guarded.control,
                &mut self.control,
            ),
        };
        if file.is_there() {
            return Ok(false);
        }
        (*listener, *file) = SocketFile::bind(path)?;
        log::warn!("{} was gone; it is there again", path.display());
        let file = file.identity();
        let descriptor = match which {
            Which::Protocol => self.protocol.as_fd(),
            Which::Control => self.control.as_fd(),
        };
        self.tell(&ToWorker::Socket { which, file }, descriptor);
        Ok(true)
    }

    /// Tells the worker, unless it has yet to be welcomed and learns everything then.
    fn tell(&self, message: &ToWorker, descriptor: BorrowedFd<'_>) {
        if let Some(worker) = &self.worker
            && worker.is_welcomed()
            && let Err(error) = worker.channel.send(message, &[descriptor])
        {
            log::debug!("not said to the worker: {error}");
        }
    }
}
