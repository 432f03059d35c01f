//! macOS: libproc, `sysctl`, pipes.
//!
//! What libproc and `KERN_PROCARGS2` tell about processes of other users is nothing; so are the
//! answers here.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs::File;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::pty::PtyMaster;
use nix::sys::event::{EvFlags, EventFilter, FilterFlag, KEvent, Kqueue};
use nix::sys::mman::{shm_open, shm_unlink};
use nix::sys::socket::{MsgFlags, getsockopt, sockopt};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, ftruncate, getpeereid, getsid, pipe, read, write};

use super::{Peer, ProcessFacts, StartVariable};

/// Terminals of this system start login shells: nothing else reads the user's profile.
pub const LOGIN_SHELL_BY_DEFAULT: bool = true;

/// The program that shows something on the desktop, and its arguments. The texts are arguments of the
/// script and not part of it, so nothing in them is ever run.
pub fn desktop_notification(title: &str, body: &str, urgent: bool) -> (&'static str, Vec<String>) {
    let script = if urgent {
        "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv) sound name \"Ping\"\nend run"
    } else {
        "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
    };
    let words = ["-e", script, "--", title, body];
    ("osascript", words.map(str::to_owned).to_vec())
}

/// SIGUSR2.
pub(super) const LAST_SIGNAL: c_int = 31;

/// `posix_openpt` is documented for no other flags here; close-on-exec is set right after.
pub(super) const OPEN_MASTER: OFlag = OFlag::O_RDWR.union(OFlag::O_NOCTTY);

/// A broken pipe is an error already: Rust programs ignore the signal.
pub(super) const SEND_FLAGS: MsgFlags = MsgFlags::empty();

/// There is no flag for close-on-exec here; see [`close_on_exec`].
pub(super) const RECEIVE_FLAGS: MsgFlags = MsgFlags::empty();

/// The kernel bounds arguments and environment together at 1 MiB (`KERN_ARGMAX`), and adds the
/// executable's path.
const ARGUMENT_AREA_LIMIT: usize = 1024 * 1024 + 64 * 1024;

/// `PROC_PGRP_ONLY` of `<sys/proc_info.h>`: list the processes of one group.
const PROCESSES_OF_GROUP: u32 = 2;

/// `PROC_PPID_ONLY`: list the children of one process.
const CHILDREN_OF_PROCESS: u32 = 6;

/// Most members asked of one group, and children of one process.
const GROUP_LIMIT: usize = 1024;

/// `SZOMB` of `<sys/proc.h>`.
const ZOMBIE: u32 = 5;

/// Who is at the other end of `stream`, as of its connect.
///
/// # Errors
/// When the socket is not connected.
pub fn peer(stream: &UnixStream) -> io::Result<Peer> {
    let (uid, _) = getpeereid(stream)?;
    // The number is missing once the peer has closed; who it was still counts.
    let pid = getsockopt(stream, sockopt::LocalPeerPid)
        .ok()
        .filter(|pid| *pid > 0);
    Ok(Peer {
        pid,
        uid: uid.as_raw(),
    })
}

/// Facts about the process at the other end of a stream, whose number is `pid`; `None` when it is
/// gone. The start time in them pins it from now on.
pub fn peer_facts(_: &UnixStream, pid: i32) -> Option<ProcessFacts> {
    process_facts(pid)
}

/// Facts about one process; `None` when there is no such process, it is another user's, or it has
/// exited.
pub fn process_facts(pid: i32) -> Option<ProcessFacts> {
    let information: libc::proc_bsdinfo = process_information(pid, libc::PROC_PIDTBSDINFO)?;
    let session = getsid(Some(Pid::from_raw(pid))).ok()?.as_raw();
    let name = if information.pbi_name[0] == 0 {
        text(&information.pbi_comm)
    } else {
        text(&information.pbi_name)
    };
    Some(ProcessFacts {
        pid,
        parent: i32::try_from(information.pbi_ppid).ok()?,
        group: i32::try_from(information.pbi_pgid).ok()?,
        session,
        // NODEV is all ones.
        terminal: (information.e_tdev != u32::MAX).then(|| u64::from(information.e_tdev)),
        started: information
            .pbi_start_tvsec
            .wrapping_mul(1_000_000)
            .wrapping_add(information.pbi_start_tvusec),
        zombie: information.pbi_status == ZOMBIE,
        name,
    })
}

/// One of the fixed-size records that `proc_pidinfo` fills in.
fn process_information<Record: Copy>(pid: i32, flavor: c_int) -> Option<Record> {
    let mut record = MaybeUninit::<Record>::zeroed();
    let size = c_int::try_from(size_of::<Record>()).ok()?;
    // SAFETY: the buffer is valid for writing `size` bytes, and the kernel writes no more than it
    // is told.
    let written =
        unsafe { libc::proc_pidinfo(pid, flavor, 0, record.as_mut_ptr().cast::<c_void>(), size) };
    // SAFETY: the records are plain integers and byte arrays, for which zeroes and whatever the
    // kernel wrote are valid; a short answer is not used at all.
    (written == size).then(|| unsafe { record.assume_init() })
}

/// The text of a C array up to its first NUL.
fn text(bytes: &[c_char]) -> String {
    let bytes: Vec<u8> = bytes
        .iter()
        .take_while(|byte| **byte != 0)
        .map(|byte| byte.to_ne_bytes()[0])
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The argument vector, cut after `limit` bytes; `None` when the process is gone or another user's.
pub fn process_arguments(pid: i32, limit: usize) -> Option<Vec<String>> {
    let area = argument_area(pid)?;
    let mut left = limit;
    let mut kept = Vec::new();
    for argument in ArgumentArea::parse(&area)?.arguments {
        let length = argument.len().min(left);
        kept.push(String::from_utf8_lossy(&argument[..length]).into_owned());
        left = left.saturating_sub(argument.len() + 1);
        if left == 0 {
            break;
        }
    }
    Some(kept)
}

/// One variable of the environment the process was started with. The system hides it for its own
/// protected programs.
pub fn process_variable(pid: i32, name: &str) -> Option<String> {
    let area = argument_area(pid)?;
    ArgumentArea::parse(&area)?
        .environment
        .into_iter()
        .find_map(|entry| {
            let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
            Some(String::from_utf8_lossy(value).into_owned())
        })
}

/// The same, told apart from an environment that cannot be read. A protected program of the
/// system's counts as one without the variable: the system gives its arguments and hides the rest.
pub fn start_variable(pid: i32, name: &str) -> StartVariable {
    let Some(area) = argument_area(pid) else {
        return StartVariable::Unreadable;
    };
    let Some(parsed) = ArgumentArea::parse(&area) else {
        return StartVariable::Unreadable;
    };
    let found = parsed.environment.into_iter().find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    });
    found.map_or(StartVariable::Absent, StartVariable::Is)
}

/// The raw area of arguments and environment: a count, the executable's path, padding, then the
/// strings.
fn argument_area(pid: i32) -> Option<Vec<u8>> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
    let mut size = 0;
    // SAFETY: `name` has the length given with it; a null buffer only asks for the size, which is
    // written to `size`.
    let result = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            3,
            std::ptr::null_mut(),
            &raw mut size,
            std::ptr::null_mut(),
            0,
        )
    };
    // A smaller buffer than asked for would get the end of the area, not its beginning.
    if result != 0 || size > ARGUMENT_AREA_LIMIT {
        return None;
    }
    let mut area = vec![0_u8; size];
    // SAFETY: `area` is valid for writing `size` bytes, and the kernel is told so and reports what
    // it wrote.
    let result = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            3,
            area.as_mut_ptr().cast::<c_void>(),
            &raw mut size,
            std::ptr::null_mut(),
            0,
        )
    };
    if result != 0 {
        return None;
    }
    area.truncate(size);
    Some(area)
}

/// What lies in an argument area.
struct ArgumentArea<'a> {
    arguments: Vec<&'a [u8]>,
    /// `NAME=VALUE`.
    environment: Vec<&'a [u8]>,
}

impl<'a> ArgumentArea<'a> {
    fn parse(area: &'a [u8]) -> Option<ArgumentArea<'a>> {
        let (count, rest) = area.split_first_chunk::<4>()?;
        let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
        let path_end = rest.iter().position(|byte| *byte == 0)?;
        let strings_start = path_end + rest[path_end..].iter().position(|byte| *byte != 0)?;
        let mut strings = rest[strings_start..].split(|byte| *byte == 0);
        let arguments = strings.by_ref().take(count).collect();
        // The environment ends at the first empty string; behind it are strings of the loader.
        let environment = strings.take_while(|entry| !entry.is_empty()).collect();
        Some(ArgumentArea {
            arguments,
            environment,
        })
    }
}

/// The current directory; `None` when it may not be read.
pub fn process_directory(pid: i32) -> Option<PathBuf> {
    let information: libc::proc_vnodepathinfo =
        process_information(pid, libc::PROC_PIDVNODEPATHINFO)?;
    let path = information.pvi_cdir.vip_path.as_flattened();
    let path: Vec<u8> = path
        .iter()
        .take_while(|byte| **byte != 0)
        .map(|byte| byte.to_ne_bytes()[0])
        .collect();
    (!path.is_empty()).then(|| PathBuf::from(std::ffi::OsString::from_vec(path)))
}

/// The file that the process runs; `None` when it may not be read.
pub fn process_executable(pid: i32) -> Option<PathBuf> {
    let mut path = vec![0_u8; libc::PROC_PIDPATHINFO_MAXSIZE as usize];
    let size = u32::try_from(path.len()).ok()?;
    // SAFETY: the buffer is valid for writing `size` bytes, and the kernel writes no more than it
    // is told.
    let written = unsafe { libc::proc_pidpath(pid, path.as_mut_ptr().cast::<c_void>(), size) };
    path.truncate(usize::try_from(written).ok()?);
    (!path.is_empty()).then(|| PathBuf::from(std::ffi::OsString::from_vec(path)))
}

/// The children of a process, those that have exited as well.
pub fn child_processes(pid: i32) -> Vec<i32> {
    listed(CHILDREN_OF_PROCESS, pid)
}

/// Living members of process group `group`, its leader first, then in order of their numbers; at
/// most `limit`. The kernel keeps the list, so `root` is not needed here.
pub fn group_members(_root: i32, group: i32, limit: usize) -> Vec<i32> {
    let mut members = listed(PROCESSES_OF_GROUP, group);
    members.retain(|pid| process_facts(*pid).is_some_and(|facts| !facts.zombie));
    members.sort_unstable_by_key(|pid| (*pid != group, *pid));
    members.truncate(limit);
    members
}

/// The process numbers that the kernel lists under `kind` for `of`.
fn listed(kind: u32, of: i32) -> Vec<i32> {
    let Ok(wanted) = u32::try_from(of) else {
        return Vec::new();
    };
    let mut members = vec![0_i32; GROUP_LIMIT];
    let Ok(size) = c_int::try_from(members.len() * size_of::<i32>()) else {
        return Vec::new();
    };
    // SAFETY: the buffer is valid for writing `size` bytes of process numbers.
    let written =
        unsafe { libc::proc_listpids(kind, wanted, members.as_mut_ptr().cast::<c_void>(), size) };
    members.truncate(usize::try_from(written).unwrap_or(0) / size_of::<i32>());
    members.retain(|pid| *pid > 0);
    members
}

/// The path of the slave that belongs to `master`.
pub(super) fn slave_path(master: &PtyMaster) -> io::Result<PathBuf> {
    // The size is part of the request's definition.
    let mut name = [0_u8; 128];
    // SAFETY: TIOCPTYGNAME writes at most 128 bytes to the buffer; the descriptor is borrowed.
    let result = unsafe {
        libc::ioctl(
            master.as_raw_fd(),
            libc::TIOCPTYGNAME as libc::c_ulong,
            name.as_mut_ptr(),
        )
    };
    if result == -1 {
        return Err(io::Error::last_os_error());
    }
    let path = CStr::from_bytes_until_nul(&name).map_err(io::Error::other)?;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(
        path.to_bytes().to_vec(),
    )))
}

/// A descriptor that is readable once process `pid` has exited: a queue of that one event, which is never taken from
/// it. It needs not be a child of ours.
pub(super) fn process_descriptor(pid: i32) -> io::Result<OwnedFd> {
    let queue = Kqueue::new()?;
    let number = usize::try_from(pid).map_err(io::Error::other)?;
    let exit = KEvent::new(
        number,
        EventFilter::EVFILT_PROC,
        EvFlags::EV_ADD,
        FilterFlag::NOTE_EXIT,
        0,
        0,
    );
    queue.kevent(&[exit], &mut [], None)?;
    // Queues are not inherited over a fork, so close-on-exec need not be set.
    Ok(OwnedFd::from(queue))
}

/// Marks a received descriptor as not to be inherited.
pub(super) fn close_on_exec(descriptor: &OwnedFd) -> io::Result<()> {
    fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    Ok(())
}

/// The file of this program, by the path it was started with: there is no reference to what runs here.
///
/// # Errors
/// The kernel does not tell.
pub fn own_executable() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Where this program is installed.
///
/// # Errors
/// The kernel does not tell.
pub fn installed_executable() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Marks the descriptors from `first` on as close-on-exec. Called between fork and exec: no
/// allocation, no locks.
pub(super) fn close_on_exec_from(first: c_int) {
    // Ours are close-on-exec already, and what a starter left open to us has a low number.
    for descriptor in first..256 {
        // SAFETY: sets a flag of a descriptor number; one that is not open gives EBADF.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// Memory of `length` bytes, all zero, behind a descriptor. It has a name for the instant between
/// these two calls only, one that nobody else has; close-on-exec is how shared memory is opened here.
pub(super) fn memory_descriptor(length: usize) -> io::Result<OwnedFd> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // Names have 31 bytes at most (PSHMNAMLEN).
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("/drover.{}.{count}", std::process::id());
    let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL;
    let descriptor = match shm_open(name.as_str(), flags, Mode::S_IRUSR | Mode::S_IWUSR) {
        Err(Errno::EEXIST) => {
            // Left by a process of this number that was killed in that instant.
            shm_unlink(name.as_str())?;
            shm_open(name.as_str(), flags, Mode::S_IRUSR | Mode::S_IWUSR)?
        }
        opened => opened?,
    };
    shm_unlink(name.as_str())?;
    ftruncate(
        &descriptor,
        i64::try_from(length).map_err(io::Error::other)?,
    )?;
    Ok(descriptor)
}

/// Shared memory has no holes here.
pub(super) fn give_memory_back(_: BorrowedFd<'_>, _: usize, _: usize) -> bool {
    false
}

/// The two ends of a wake descriptor; a pipe here.
#[derive(Debug)]
pub(super) struct WakeDescriptors {
    reader: OwnedFd,
    writer: OwnedFd,
}

impl WakeDescriptors {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = pipe()?;
        for end in [&reader, &writer] {
            fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
            fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        Ok(WakeDescriptors { reader, writer })
    }

    pub(super) fn write(&self) {
        // Fails only when the pipe is full, and then the descriptor is readable already.
        let _ = write(&self.writer, &[1]);
    }

    pub(super) fn read(&self) {
        // The pending flag allows one byte at a time, and rarely a second one in a race.
        let mut bytes = [0; 16];
        let _ = read(&self.reader, &mut bytes);
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

/// Tells when something in one of a few folders is removed or renamed, or a folder itself is. Also tells when something
/// is made there: the kernel does not say which.
#[derive(Debug)]
pub struct FolderWatch {
    queue: Kqueue,
    /// Watched as long as they are open.
    _folders: Vec<File>,
}

impl FolderWatch {
    /// Watches those of the folders that are there.
    ///
    /// # Errors
    /// When descriptors have run out.
    pub fn new(folders: &[&Path]) -> io::Result<FolderWatch> {
        let queue = Kqueue::new()?;
        let mut open = Vec::new();
        for folder in folders {
            let folder = match File::open(folder) {
                Ok(folder) => folder,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let number = usize::try_from(folder.as_raw_fd()).map_err(io::Error::other)?;
            let changes = KEvent::new(
                number,
                EventFilter::EVFILT_VNODE,
                EvFlags::EV_ADD | EvFlags::EV_CLEAR,
                FilterFlag::NOTE_WRITE | FilterFlag::NOTE_DELETE | FilterFlag::NOTE_RENAME,
                0,
                0,
            );
            queue.kevent(&[changes], &mut [], None)?;
            open.push(folder);
        }
        Ok(FolderWatch {
            queue,
            _folders: open,
        })
    }

    /// Makes the descriptor quiet again. Call it before looking at what is gone, never after.
    pub fn drain(&self) {
        let none = KEvent::new(
            0,
            EventFilter::EVFILT_VNODE,
            EvFlags::empty(),
            FilterFlag::empty(),
            0,
            0,
        );
        // One for each folder; the time makes it no wait.
        let mut events = [none; 4];
        let at_once = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let _ = self.queue.kevent(&[], &mut events, Some(at_once));
    }

    /// What to poll for reading.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}

/// The system's allocator needs no advice.
pub fn tune_allocator() {}

/// There are no sockets that have a name and no file here.
///
/// # Errors
/// Always.
pub fn unnamed_address(_: &[u8]) -> io::Result<SocketAddr> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_environment_are_told_apart_by_the_count() {
        let mut area = 2_i32.to_ne_bytes().to_vec();
        area.extend(b"/bin/sleep\0\0\0\0sleep\0long\0A=b\0C=d\0\0loader\0");
        let parsed = ArgumentArea::parse(&area).unwrap();
        assert_eq!(parsed.arguments, [&b"sleep"[..], b"long"]);
        assert_eq!(parsed.environment, [&b"A=b"[..], b"C=d"]);
    }

    #[test]
    fn an_area_that_ends_early_is_refused() {
        for area in [
            &b""[..],
            b"\x01\0",
            b"\x01\0\0\0",
            b"\x01\0\0\0/bin/sleep",
            b"\x01\0\0\0/bin/sleep\0",
        ] {
            assert!(ArgumentArea::parse(area).is_none());
        }
    }
}
