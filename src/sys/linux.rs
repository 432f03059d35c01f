//! Linux: `/proc`, eventfd, pidfd.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, FcntlArg, OFlag, SealFlag, fallocate, fcntl};
use nix::pty::{PtyMaster, ptsname_r};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::socket::{MsgFlags, getsockopt, sockopt};
use nix::unistd::ftruncate;

use super::{Peer, ProcessFacts, StartVariable};

/// A terminal on Linux starts a plain interactive shell; the login shell ran when the person logged
/// in.
pub const LOGIN_SHELL_BY_DEFAULT: bool = false;

/// The program that shows something on the desktop, and its arguments. Desktops read the body as
/// markup, so what would be a tag or an entity in it is written as text.
pub fn desktop_notification(title: &str, body: &str, urgent: bool) -> (&'static str, Vec<String>) {
    let body = body
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let urgency = if urgent { "critical" } else { "normal" };
    let words = [
        "--app-name=drover",
        "--urgency",
        urgency,
        "--",
        title,
        &body,
    ];
    ("notify-send", words.map(str::to_owned).to_vec())
}

/// SIGRTMAX.
pub(super) const LAST_SIGNAL: i32 = 64;

/// Close-on-exec in the same call: another thread may be starting a program right now.
pub(super) const OPEN_MASTER: OFlag = OFlag::O_RDWR.union(OFlag::O_NOCTTY).union(OFlag::O_CLOEXEC);

/// A message to nobody is an error, not a signal.
pub(super) const SEND_FLAGS: MsgFlags = MsgFlags::MSG_NOSIGNAL;

/// Close-on-exec in the same call, as above.
pub(super) const RECEIVE_FLAGS: MsgFlags = MsgFlags::MSG_CMSG_CLOEXEC;

/// `/proc/PID/stat` is about 330 bytes; the name in it is bounded by the kernel.
const STAT_LIMIT: usize = 4096;

/// What one `read` of another file in a process's directory asks for, in bytes.
const READ_SIZE: usize = 4096;

/// The kernel bounds an environment at a quarter of the stack limit, normally 2 MiB. What is beyond
/// this is not searched.
const ENVIRONMENT_LIMIT: u64 = 256 * 1024;

/// How many processes below a shell are looked at for one question. A build with thousands of
/// compilers must not make one look-up take a second.
const WALK_LIMIT: usize = 2048;

/// Who is at the other end of `stream`, as of its connect.
///
/// # Errors
/// When the socket is not connected.
pub fn peer(stream: &UnixStream) -> io::Result<Peer> {
    let credentials = getsockopt(stream, sockopt::PeerCredentials)?;
    // Zero stands for a process of another PID namespace.
    Ok(Peer {
        pid: Some(credentials.pid()).filter(|pid| *pid > 0),
        uid: credentials.uid(),
    })
}

/// Facts about the process at the other end of `stream`, whose number is `pid`; `None` when it is gone.
///
/// A process that has taken over the number does not answer for it: the kernel (6.5 and later) hands out a
/// descriptor of the very process that connected, and that one must still be there once the facts are read.
pub fn peer_facts(stream: &UnixStream, pid: i32) -> Option<ProcessFacts> {
    let pinned = peer_descriptor(stream);
    if matches!(&pinned, Err(error) if error.raw_os_error() != Some(libc::ENOPROTOOPT)) {
        return None;
    }
    let facts = process_facts(pid)?;
    match pinned {
        Ok(process) if !exists(process.as_fd()) => None,
        // Without the descriptor, the start time pins it from now on.
        Ok(_) | Err(_) => Some(facts),
    }
}

/// A descriptor of the process that connected; `ENOPROTOOPT` on kernels that have no such thing.
pub(super) fn peer_descriptor(stream: &UnixStream) -> io::Result<OwnedFd> {
    let mut descriptor: libc::c_int = -1;
    let mut length = libc::socklen_t::try_from(size_of::<libc::c_int>()).unwrap_or_default();
    // SAFETY: the buffer is one integer, and its length is given with it.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERPIDFD,
            (&raw mut descriptor).cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    if descriptor < 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    // SAFETY: the kernel has just made this descriptor, close-on-exec, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Whether the process of a descriptor still has its number: it runs, or nobody has asked for its status yet.
fn exists(process: BorrowedFd<'_>) -> bool {
    let none: *const libc::siginfo_t = std::ptr::null();
    // SAFETY: signal zero is only checked, never sent; the null pointer asks for the kernel's own information.
    let result =
        unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), 0, none, 0) };
    // A process that may not be signalled is there all the same.
    result == 0 || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

/// Facts about one process; `None` when there is no such process.
pub fn process_facts(pid: i32) -> Option<ProcessFacts> {
    let mut stat = [0; STAT_LIMIT];
    // The kernel makes the line when it is asked for, and gives all of it in one read.
    let length = File::open(format!("/proc/{pid}/stat"))
        .ok()?
        .read(&mut stat)
        .ok()?;
    parse_stat(pid, &stat[..length])
}

/// `PID (NAME) STATE PARENT GROUP SESSION TTY ... STARTED ...`; NAME may itself hold blanks and
/// parentheses.
fn parse_stat(pid: i32, stat: &[u8]) -> Option<ProcessFacts> {
    let name_start = stat.iter().position(|byte| *byte == b'(')? + 1;
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let name = stat.get(name_start..name_end)?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let zombie = matches!(fields.next()?, "Z" | "X" | "x");
    let mut number = |skip: usize| fields.nth(skip)?.parse::<i64>().ok();
    let parent = number(0)?;
    let group = number(0)?;
    let session = number(0)?;
    let terminal = number(0)?;
    let started = number(14)?;
    Some(ProcessFacts {
        pid,
        parent: i32::try_from(parent).ok()?,
        group: i32::try_from(group).ok()?,
        session: i32::try_from(session).ok()?,
        terminal: device_of_stat(terminal),
        started: u64::try_from(started).ok()?,
        zombie,
        name: String::from_utf8_lossy(name).into_owned(),
    })
}

/// The kernel packs a device into 32 bits here: minor 7-0, major 19-8, minor 31-20; zero is no
/// terminal.
fn device_of_stat(packed: i64) -> Option<u64> {
    // Printed as a signed number, so large minors come out negative.
    let packed = packed as u32;
    let major = (packed >> 8) & 0xfff;
    let minor = (packed & 0xff) | ((packed >> 12) & 0xfff00);
    (packed != 0).then(|| libc::makedev(major, minor))
}

/// The argument vector, cut after `limit` bytes; `None` when the process is gone, empty for a
/// zombie or kernel thread.
pub fn process_arguments(pid: i32, limit: usize) -> Option<Vec<String>> {
    let mut raw = read_bounded(pid, "cmdline", limit as u64)?;
    // Every argument ends in NUL. Programs that rewrite their title may leave any number of them
    // behind.
    while raw.last() == Some(&0) {
        raw.pop();
    }
    if raw.is_empty() {
        return Some(Vec::new());
    }
    Some(
        raw.split(|byte| *byte == 0)
            .map(|argument| String::from_utf8_lossy(argument).into_owned())
            .collect(),
    )
}

/// The current directory; `None` when it may not be read. A removed directory keeps the kernel's `
/// (deleted)` ending.
pub fn process_directory(pid: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The file that the process runs, all links followed; `None` when it may not be read.
pub fn process_executable(pid: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// One variable of the environment the process was started with; changes it made itself are not
/// seen.
pub fn process_variable(pid: i32, name: &str) -> Option<String> {
    let raw = read_bounded(pid, "environ", ENVIRONMENT_LIMIT)?;
    raw.split(|byte| *byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    })
}

/// The same, told apart from an environment that cannot be read.
pub fn start_variable(pid: i32, name: &str) -> StartVariable {
    let Some(raw) = read_bounded(pid, "environ", ENVIRONMENT_LIMIT) else {
        return StartVariable::Unreadable;
    };
    let found = raw.split(|byte| *byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    });
    match found {
        Some(value) => StartVariable::Is(value),
        None if raw.len() as u64 == ENVIRONMENT_LIMIT => StartVariable::Unreadable,
        // A process that has exited has no environment any more, which reads as an empty one.
        None if raw.is_empty() && process_facts(pid).is_none_or(|facts| facts.zombie) => {
            StartVariable::Unreadable
        }
        None => StartVariable::Absent,
    }
}

/// Living members of process group `group`, its leader first, then in order of their numbers; at
/// most `limit`.
///
/// Looks among the descendants of `root` first, which costs a few files a process. A group whose
/// members have lost their parents is found by reading all of `/proc`.
pub fn group_members(root: i32, group: i32, limit: usize) -> Vec<i32> {
    let mut members = descendants_in_group(root, group);
    if members.is_empty() {
        members = scan_for_group(group);
    }
    members.sort_unstable_by_key(|pid| (*pid != group, *pid));
    members.truncate(limit);
    members
}

fn descendants_in_group(root: i32, group: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut queue = vec![root];
    let mut looked_at = 0;
    while let Some(pid) = queue.get(looked_at).copied() {
        looked_at += 1;
        if is_member(pid, group) {
            found.push(pid);
        }
        let room = WALK_LIMIT.saturating_sub(queue.len());
        queue.extend(child_processes(pid).into_iter().take(room));
    }
    found
}

/// The children of a process, those that have exited as well. Kept for each thread that forked them.
/// Kernels without `CONFIG_PROC_CHILDREN` have
/// no such file; the walk then ends at its root.
pub fn child_processes(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let mut children = Vec::new();
    for thread in threads.flatten() {
        let Ok(list) = fs::read_to_string(thread.path().join("children")) else {
            continue;
        };
        children.extend(
            list.split_ascii_whitespace()
                .filter_map(|child| child.parse::<i32>().ok()),
        );
    }
    children
}

fn is_member(pid: i32, group: i32) -> bool {
    process_facts(pid).is_some_and(|facts| facts.group == group && !facts.zombie)
}

fn scan_for_group(group: i32) -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| is_member(*pid, group))
        .collect()
}

fn read_bounded(pid: i32, file: &str, limit: u64) -> Option<Vec<u8>> {
    // Room for nearly all of them at once: an empty vector grows by a system call for each few bytes.
    let mut content = Vec::with_capacity(READ_SIZE.min(limit as usize));
    File::open(format!("/proc/{pid}/{file}"))
        .ok()?
        .take(limit)
        .read_to_end(&mut content)
        .ok()?;
    Some(content)
}

/// The path of the slave that belongs to `master`.
pub(super) fn slave_path(master: &PtyMaster) -> io::Result<PathBuf> {
    Ok(PathBuf::from(ptsname_r(master)?))
}

/// A descriptor that is readable once process `pid` has exited; kind `Unsupported` on kernels
/// before 5.3.
pub(super) fn process_descriptor(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: pidfd_open takes two integers and touches no memory of ours.
    let result = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    match RawFd::try_from(result) {
        // SAFETY: the kernel has just made this descriptor, close-on-exec, and nobody else knows of
        // it.
        Ok(descriptor) if descriptor >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Received descriptors are close-on-exec already, see [`RECEIVE_FLAGS`].
pub(super) fn close_on_exec(_descriptor: &OwnedFd) -> io::Result<()> {
    Ok(())
}

/// The file of this very program. Its own path while that names it; after it was replaced or removed there, the
/// kernel's reference to what runs, so that a restarted half of the daemon is of the same build as the other.
///
/// # Errors
/// `/proc` is not there.
pub fn own_executable() -> io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    let named = fs::read_link(&running)?;
    let identity = |path: &PathBuf| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    let same = identity(&named).is_some() && identity(&named) == identity(&running);
    Ok(if same { named } else { running })
}

/// Where this program is installed: its own path, also after it was replaced there.
///
/// # Errors
/// `/proc` is not there.
pub fn installed_executable() -> io::Result<PathBuf> {
    let named = std::env::current_exe()?;
    // The kernel's mark of a file that has lost its name.
    let kept = named
        .as_os_str()
        .as_bytes()
        .strip_suffix(b" (deleted)")
        .filter(|_| !named.exists())
        .map(|path| PathBuf::from(OsStr::from_bytes(path)));
    Ok(kept.unwrap_or(named))
}

/// Marks every descriptor from `first` on as close-on-exec. Called between fork and exec: no
/// allocation, no locks.
pub(super) fn close_on_exec_from(first: i32) {
    // CLOSE_RANGE_CLOEXEC, Linux 5.11.
    const CLOSE_ON_EXEC: libc::c_uint = 4;
    // SAFETY: close_range takes three integers; marking descriptors closes none of them before
    // exec.
    let result = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first as libc::c_uint,
            libc::c_uint::MAX,
            CLOSE_ON_EXEC,
        )
    };
    if result == 0 {
        return;
    }
    // Older kernels: ours are all close-on-exec already, and what a starter left open to us has a
    // low number.
    for descriptor in first..256 {
        // SAFETY: sets a flag of a descriptor number; one that is not open gives EBADF.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// Memory of `length` bytes, all zero, behind a descriptor and no name. Its size is sealed: a mapping
/// of memory that somebody made smaller is a trap.
pub(super) fn memory_descriptor(length: usize) -> io::Result<OwnedFd> {
    let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
    let descriptor = memfd_create(c"drover-pane", flags)?;
    ftruncate(
        &descriptor,
        i64::try_from(length).map_err(io::Error::other)?,
    )?;
    let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
    fcntl(&descriptor, FcntlArg::F_ADD_SEALS(seals))?;
    Ok(descriptor)
}

/// Gives pages back to the system; they read as zero afterwards. False where that cannot be done.
pub(super) fn give_memory_back(descriptor: BorrowedFd<'_>, offset: usize, length: usize) -> bool {
    let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
    let (Ok(offset), Ok(length)) = (i64::try_from(offset), i64::try_from(length)) else {
        return false;
    };
    fallocate(descriptor, flags, offset, length).is_ok()
}

/// The two ends of a wake descriptor; one eventfd here.
#[derive(Debug)]
pub(super) struct WakeDescriptors(EventFd);

impl WakeDescriptors {
    pub(super) fn new() -> io::Result<Self> {
        Ok(WakeDescriptors(EventFd::from_flags(
            EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK,
        )?))
    }

    pub(super) fn write(&self) {
        // Fails only when the counter is full, and then the descriptor is readable already.
        let _ = self.0.write(1);
    }

    pub(super) fn read(&self) {
        // One read takes the whole counter; nothing there is nothing to do.
        let _ = self.0.read();
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Tells when something in one of a few folders is removed or renamed, or a folder itself is.
#[derive(Debug)]
pub struct FolderWatch(Inotify);

impl FolderWatch {
    /// Watches those of the folders that are there.
    ///
    /// # Errors
    /// When watches or descriptors have run out.
    pub fn new(folders: &[&Path]) -> io::Result<FolderWatch> {
        let watch = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
        let removals = AddWatchFlags::IN_DELETE
            | AddWatchFlags::IN_MOVED_FROM
            | AddWatchFlags::IN_DELETE_SELF
            | AddWatchFlags::IN_MOVE_SELF
            | AddWatchFlags::IN_ONLYDIR;
        for folder in folders {
            match watch.add_watch(*folder, removals) {
                Ok(_) | Err(Errno::ENOENT | Errno::ENOTDIR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(FolderWatch(watch))
    }

    /// Makes the descriptor quiet again. Call it before looking at what is gone, never after.
    pub fn drain(&self) {
        while self.0.read_events().is_ok_and(|events| !events.is_empty()) {}
    }

    /// What to poll for reading.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Bounds what the allocator keeps for each of many threads. Call once, before the first thread.
///
/// glibc gives every thread an arena of its own, up to eight a core. Measured with fifty panes
/// whose scrollback is full: 166 MB with an arena each, 143 MB with 32, 119 MB with 8. Fewer are
/// no better: when those panes are closed, 30 MB stay with 8, but 65 MB with 2 and 95 MB with 1,
/// because what one pane frees lies between what others still use.
pub fn tune_allocator() {
    #[cfg(target_env = "gnu")]
    {
        const ARENAS: libc::c_int = 8;
        // SAFETY: mallopt only sets a parameter of the allocator, and no other thread exists yet.
        let accepted = unsafe { libc::mallopt(libc::M_ARENA_MAX, ARENAS) };
        if accepted == 0 {
            log::debug!("the allocator takes no limit of arenas");
        }
    }
}

/// The address of a socket that has a name and no file.
///
/// # Errors
/// The name is too long.
pub fn unnamed_address(name: &[u8]) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STAT: &[u8] =
        b"77 (a (b) c) S 70 71 72 34817 77 4194304 1 2 3 4 5 6 7 8 20 0 1 0 998877 9 9\n";

    #[test]
    fn a_name_may_hold_blanks_and_parentheses() {
        let facts = parse_stat(77, STAT).unwrap();
        assert_eq!(facts.name, "a (b) c");
        assert_eq!((facts.parent, facts.group, facts.session), (70, 71, 72));
        // Major 136, minor 1: the second Unix98 terminal.
        assert_eq!(facts.terminal, Some(libc::makedev(136, 1)));
        assert_eq!(facts.started, 998_877);
        assert!(!facts.zombie);
    }

    #[test]
    fn devices_with_large_minors_survive_their_packing() {
        assert_eq!(device_of_stat(0), None);
        // Minor 300: its low byte, the major, and the rest of the minor above.
        assert_eq!(device_of_stat(0x10_882c), Some(libc::makedev(136, 300)));
        assert_eq!(device_of_stat(-1), Some(libc::makedev(0xfff, 0xf_ffff)));
    }

    #[test]
    fn a_zombie_is_known_as_one() {
        let stat = String::from_utf8_lossy(STAT).replace(") S ", ") Z ");
        assert!(parse_stat(77, stat.as_bytes()).unwrap().zombie);
    }

    proptest! {
        #[test]
        fn no_stat_makes_the_parser_panic(
            mut stat in prop::collection::vec(any::<u8>(), 0..80),
            cut in 0..STAT.len(),
        ) {
            let _ = parse_stat(1, &stat);
            let _ = parse_stat(1, &STAT[..cut]);
            stat.extend_from_slice(&STAT[cut..]);
            let _ = parse_stat(1, &stat);
        }
    }
}
