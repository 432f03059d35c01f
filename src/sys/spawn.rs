//! What happens between fork and exec in a pane's process, and in another process of the daemon.

use std::convert::Infallible;
use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::sys::signal::{SigSet, Signal};

use super::inherited::set_inherited;
use super::{limits, os};

/// Makes the command's process the leader of a new session whose controlling terminal is its
/// standard input, with signals, file creation mask and descriptor limit as the user had them, and
/// no descriptor of ours.
///
/// The standard streams must already be set to the slave of a pseudo-terminal.
pub fn make_session_leader(command: &mut Command) {
    let mask = limits::user_umask();
    let descriptor_limit = limits::user_descriptor_limit();
    // SAFETY: the closure runs in the forked child, where only async-signal-safe functions may be
    // called and nothing may be allocated. It captures two plain values, and every call in
    // `in_child` is a bare system call.
    unsafe {
        command.pre_exec(move || in_child(mask.map(|mask| mask.bits()), descriptor_limit));
    }
}

/// Gives the command's process what the user gave us: the file creation mask and the descriptor limit, and no
/// descriptor but its standard streams. It is another process of this daemon, which narrows and raises them for itself
/// and has to know what they were.
pub fn make_like_us(command: &mut Command) {
    let mask = limits::user_umask().map(|mask| mask.bits());
    let descriptor_limit = limits::user_descriptor_limit();
    // SAFETY: as above; `give_back` is bare system calls on plain values, and so are the others.
    unsafe {
        command.pre_exec(move || {
            // Ignored by us, see `outlive_file_limit`, and inherited across exec.
            libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
            give_back(mask, descriptor_limit);
            os::close_on_exec_from(3);
            Ok(())
        });
    }
}

/// Executes another program in the place of this one: same process, same children, `stdin` as its standard input, no
/// other descriptor but the standard ones and those that are `left` to it under their numbers, and what the user gave us
/// as [`make_like_us`] says. Signals that ask for something wait until the new program calls [`take_signals_again`].
/// There may be no other thread.
///
/// # Errors
/// The program cannot be executed; then everything is as it was.
pub fn execute_in_place(
    program: &Path,
    words: &[OsString],
    stdin: BorrowedFd<'_>,
    left: &[BorrowedFd<'_>],
) -> io::Result<Infallible> {
    let program = CString::new(program.as_os_str().as_bytes())?;
    let words = words
        .iter()
        .map(|word| CString::new(word.as_bytes()))
        .collect::<Result<Vec<CString>, _>>()?;
    let before = io::stdin().as_fd().try_clone_to_owned()?;
    let (mask, descriptor_limit) = (limits::user_umask(), limits::user_descriptor_limit());
    let ours = limits::now()?;
    asking_signals().thread_block()?;
    set_inherited(left, true)?;
    nix::unistd::dup2_stdin(stdin)?;
    give_back(mask.map(|mask| mask.bits()), descriptor_limit);
    let failed = nix::unistd::execv(&program, &words);
    give_back(mask.map(|_| ours.0.bits()), Some(ours.1));
    let restored = nix::unistd::dup2_stdin(&before);
    let kept_to_us = set_inherited(left, false);
    asking_signals().thread_unblock()?;
    restored?;
    kept_to_us?;
    Ok(failed?)
}

/// Lets signals come that were held back by [`execute_in_place`]; to be called when they are handled.
///
/// # Errors
/// The kernel's, which has no reason for one.
pub fn take_signals_again() -> io::Result<()> {
    Ok(asking_signals().thread_unblock()?)
}

/// Those by which a person or the system asks for something.
fn asking_signals() -> SigSet {
    [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP]
        .into_iter()
        .collect()
}

/// Restores what children must not inherit from us. Only bare system calls: it runs between fork and exec.
fn give_back(mask: Option<libc::mode_t>, descriptor_limit: Option<(libc::rlim_t, libc::rlim_t)>) {
    // SAFETY: plain system calls on values of this stack frame; the pointer outlives the call.
    unsafe {
        if let Some(mask) = mask {
            libc::umask(mask);
        }
        if let Some((soft, hard)) = descriptor_limit {
            let limit = libc::rlimit {
                rlim_cur: soft,
                rlim_max: hard,
            };
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}

fn in_child(
    mask: Option<libc::mode_t>,
    descriptor_limit: Option<(libc::rlim_t, libc::rlim_t)>,
) -> io::Result<()> {
    // SAFETY: plain system calls on values of this stack frame; the pointers outlive the calls they
    // are given to.
    unsafe {
        if libc::setsid() == -1 {
            return Err(io::Error::last_os_error());
        }
        if libc::ioctl(libc::STDIN_FILENO, libc::TIOCSCTTY as _, 0) == -1 {
            return Err(io::Error::last_os_error());
        }
        // An ignored signal stays ignored across exec: a shell that inherits an ignored SIGINT can
        // never be interrupted.
        for signal in 1..=os::LAST_SIGNAL {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
    }
    give_back(mask, descriptor_limit);
    os::close_on_exec_from(3);
    Ok(())
}
