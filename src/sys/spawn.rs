//! What happens between fork and exec in a pane's process.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

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
    // SAFETY: as above; `give_back` is bare system calls on plain values, and so is the marking.
    unsafe {
        command.pre_exec(move || {
            give_back(mask, descriptor_limit);
            os::close_on_exec_from(3);
            Ok(())
        });
    }
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
