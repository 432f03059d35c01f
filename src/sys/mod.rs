//! What differs between operating systems, and all unsafe code.
//!
//! Everything above asks through these functions and never names an operating system. `linux` and
//! `macos` offer the same set; the files beside them hold what both share. Facts about a process
//! are a snapshot: the process may be gone, or its number reused, before the caller looks at the
//! answer, so every question about one is an `Option`.

mod activation;
mod connect;
mod executable;
mod exit_watch;
mod inherited;
mod limits;
mod local_time;
mod passing;
mod pty;
mod random;
mod shared_memory;
mod spawn;
mod terminal_guard;
mod wake;

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod os;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod os;

pub use activation::given_descriptors;
pub use connect::{connect, listen_again};
pub use executable::forget_start;
pub use exit_watch::ExitWatch;
pub use inherited::take_inherited;
pub use limits::{outlive_file_limit, raise_descriptor_limit, restrict_umask, user_umask};
pub use local_time::local_offset;
pub use os::{
    FolderWatch, LOGIN_SHELL_BY_DEFAULT, child_processes, desktop_notification, group_members,
    installed_executable, own_executable, peer, peer_facts, process_arguments, process_directory,
    process_executable, process_facts, process_variable, start_variable, tune_allocator,
    unnamed_address,
};
pub use passing::{MOST_DESCRIPTORS, receive_with_descriptors, send_with_descriptors};
pub use pty::{PtyPair, foreground_group, open_pty, set_window_size, window_size};
pub use random::random_bytes;
pub use shared_memory::SharedMemory;
pub use spawn::{execute_in_place, make_like_us, make_session_leader, take_signals_again};
pub use terminal_guard::TerminalGuard;
pub use wake::Wake;

/// Who is at the other end of a Unix socket, as the kernel recorded it when that end connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// The process that connected; absent when the kernel cannot name it (another PID namespace).
    pub pid: Option<i32>,
    /// Its effective user at that moment.
    pub uid: u32,
}

/// What the kernel says about one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Process number.
    pub pid: i32,
    /// Process number of its parent.
    pub parent: i32,
    /// Process group.
    pub group: i32,
    /// Session; its leader's process number.
    pub session: i32,
    /// Device number of the controlling terminal, comparable with [`PtyPair::device`].
    pub terminal: Option<u64>,
    /// When it started, in a unit of the operating system's own: together with `pid` it names a
    /// process for good, because a reused number comes with a later start.
    pub started: u64,
    /// It has exited, and its parent has not asked for its status yet.
    pub zombie: bool,
    /// The kernel's short name: at most 15 bytes on Linux.
    pub name: String,
}

/// A variable of the environment that a process was started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartVariable {
    /// It was started without.
    Absent,
    /// It was started with this value.
    Is(String),
    /// The environment is not to be read, or not to its end.
    Unreadable,
}

#[cfg(test)]
mod tests;
