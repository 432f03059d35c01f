//! Limits of this process: the file creation mask and the descriptor limit, which its children must not inherit, and
//! the size of files.

use std::io;
use std::sync::OnceLock;

use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use nix::sys::stat::{Mode, umask};

/// The mask the user started us with, once [`restrict_umask`] has replaced it.
static USER_UMASK: OnceLock<Mode> = OnceLock::new();

/// The soft and hard descriptor limits the user started us with, once [`raise_descriptor_limit`]
/// has changed them.
static USER_DESCRIPTOR_LIMIT: OnceLock<(rlim_t, rlim_t)> = OnceLock::new();

/// More than 2,048 connections, 1,000 panes and the database ever need; also below macOS's OPEN_MAX
/// (10,240), above which it refuses the call although the hard limit says infinity.
const WANTED_DESCRIPTORS: rlim_t = 10_240;

/// Puts this process under umask 077, so that no file or socket of ours is ever open to others for
/// an instant. The first call remembers the user's own mask for [`user_umask`]; later calls change
/// nothing.
pub fn restrict_umask() {
    USER_UMASK.get_or_init(|| umask(Mode::S_IRWXG | Mode::S_IRWXO));
}

/// The mask to give back to processes started for the user; `None` while ours is still the user's.
pub fn user_umask() -> Option<Mode> {
    USER_UMASK.get().copied()
}

/// Raises the soft limit of open descriptors as far as is useful and allowed, and returns the limit
/// now in force.
///
/// # Errors
/// When the limit can be neither read nor changed.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let wanted = WANTED_DESCRIPTORS.min(hard);
    if soft >= wanted {
        return Ok(soft);
    }
    USER_DESCRIPTOR_LIMIT.get_or_init(|| (soft, hard));
    setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)?;
    Ok(wanted)
}

/// Has a file that may grow no further (`RLIMIT_FSIZE`) be an error of whoever writes, as a full disk is: by default the
/// kernel ends the process.
pub fn outlive_file_limit() {
    // SAFETY: the signal is ignored; no handler is installed.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// The mask and the soft and hard descriptor limits in force.
pub(super) fn now() -> io::Result<(Mode, (rlim_t, rlim_t))> {
    // Asking is setting; nothing makes a file in between, as the only caller is the only thread.
    let mask = umask(Mode::S_IRWXG | Mode::S_IRWXO);
    umask(mask);
    Ok((mask, getrlimit(Resource::RLIMIT_NOFILE)?))
}

/// What a child gets back: programs exist that close, or select over, every descriptor up to the
/// soft limit.
pub(super) fn user_descriptor_limit() -> Option<(rlim_t, rlim_t)> {
    USER_DESCRIPTOR_LIMIT.get().copied()
}
