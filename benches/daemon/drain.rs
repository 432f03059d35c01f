//! The floor of terminal output: a program that reads the terminal and throws the bytes away.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::{self, JoinHandle};

use anyhow::{Result, anyhow};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::pty::{Winsize, openpty};

/// Size of the panes that are compared with it.
const SIZE: Winsize = Winsize {
    ws_row: 40,
    ws_col: 120,
    ws_xpixel: 0,
    ws_ypixel: 0,
};

/// What one `read` asks for; Linux hands out at most 4 KiB at a time.
const READ_SIZE: usize = 64 * 1024;

/// A script that runs on a terminal of its own, which a thread drains.
pub struct Drained {
    process: Child,
    drain: JoinHandle<()>,
}

impl Drained {
    pub fn start(script: &Path) -> Result<Drained> {
        let pty = openpty(&SIZE, None)?;
        // Else the script would hold both ends.
        fcntl(&pty.master, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        let drain = thread::spawn(move || read_all(pty.master));
        let process = Command::new("/bin/sh")
            .arg(script)
            .stdin(pty.slave.try_clone()?)
            .stdout(pty.slave.try_clone()?)
            .stderr(pty.slave)
            .spawn()?;
        Ok(Drained { process, drain })
    }

    /// Waits until the script is over and all it printed is read.
    pub fn finish(mut self) -> Result<()> {
        self.process.wait()?;
        self.drain.join().map_err(|_| anyhow!("the drain failed"))
    }
}

/// Reads until the last holder of the other end is gone, which is an error on Linux.
fn read_all(master: OwnedFd) {
    let mut master = File::from(master);
    let mut buffer = vec![0; READ_SIZE];
    while matches!(master.read(&mut buffer), Ok(count) if count > 0) {}
}
