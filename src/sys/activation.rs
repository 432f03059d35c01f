//! Sockets that a service manager made, and descriptors that it kept, which it gives to the process it starts (systemd's
//! `sd_listen_fds`; the protocol is three variables and descriptors from 3 on).

use std::env;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};

/// The first descriptor that is given.
const FIRST: RawFd = 3;

/// The most that are taken: two sockets, and three for each of as many panes as there may be by default, with room.
const MOST: RawFd = 4096;

/// The descriptors that were given to this very process, by their names. To be called once, before
/// anything else is opened.
pub fn given_descriptors() -> Vec<(String, OwnedFd)> {
    let variable = |name| env::var(name).unwrap_or_default();
    // The variables are inherited by processes that they are not for.
    if variable("LISTEN_PID") != std::process::id().to_string() {
        return Vec::new();
    }
    let count = variable("LISTEN_FDS").parse().unwrap_or(0).min(MOST);
    let names = variable("LISTEN_FDNAMES");
    let mut names = names.split(':');
    (FIRST..FIRST + count)
        .map(|number| {
            // SAFETY: the service manager opened this number for this process before it was started,
            // and nobody here has it yet: this is called once, first thing.
            let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
            // Panes must not inherit it.
            if let Err(error) = fcntl(&descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)) {
                log::warn!("descriptor {number} of the service manager is none: {error}");
            }
            (names.next().unwrap_or_default().to_owned(), descriptor)
        })
        .collect()
}
