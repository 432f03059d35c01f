//! The process that holds a connection: `ssh`, the folder of its sockets, and nothing else.
//!
//! It lives as long as its standard input is open at the other end, which the kernel sees to also when the client is
//! killed, and then takes everything with it. `ssh` cannot be left to that alone: one that hangs reads nothing.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use super::link::{Reached, Terms, Word};
use super::words::{self, Errand, Target};
use crate::paths::{self, Environment, private};
use crate::sys::ExitWatch;

/// What is kept of either stream of `ssh`, in bytes: enough for a login's greeting and the lines that say what is wrong.
const MAX_KEPT_BYTES: usize = 64 * 1024;

/// What of a complaint is repeated, in bytes: its end, where the reason is.
const MAX_COMPLAINT_BYTES: usize = 1024;

/// How long `ssh` has to end by itself before it is killed. It has nothing to save.
const END_TIME: Duration = Duration::from_millis(500);

/// Why a connection is not made, or not waited for any longer.
enum Trouble {
    /// The client has let go, or somebody has asked this process to end.
    Released,
    /// In words for people.
    Failed(String),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Makes a connection, says on standard output what became of it, and holds it until standard input ends.
///
/// # Errors
/// Only the system's, when there is nobody left to tell: a connection that failed is told of.
pub fn hold(target: &Target, terms: &Terms, environment: &Environment) -> io::Result<()> {
    let errand = Errand::new(target.clone(), terms);
    let ends = Ends::new()?;
    let folder = match Folder::new(environment) {
        Ok(folder) => folder,
        Err(error) => return tell(&Word::Failed(error)),
    };
    let deadline = Instant::now() + terms.limit;
    let mut held = None;
    match reach(&errand, &folder.path, &ends, deadline, &mut held) {
        Ok(reached) => {
            tell(&Word::Reached(reached))?;
            if let Some(ssh) = &mut held {
                // Either end may go first.
                let _ = ssh.watch(&ends, None, |_| Ok(None::<()>));
            }
            Ok(())
        }
        Err(Trouble::Released) => Ok(()),
        Err(Trouble::Failed(why)) => tell(&Word::Failed(why)),
    }
}

fn tell(word: &Word) -> io::Result<()> {
    let mut line = serde_json::to_vec(word)?;
    line.push(b'\n');
    io::stdout().write_all(&line)?;
    io::stdout().flush()
}

/// Connects and has the sockets led there. What is in `held` afterwards ends when it is dropped.
fn reach(
    errand: &Errand,
    folder: &Path,
    ends: &Ends,
    deadline: Instant,
    held: &mut Option<Ssh>,
) -> Result<Reached, Trouble> {
    let ssh = held.insert(Ssh::start(
        words::connect(errand, folder).map_err(Trouble::Failed)?,
        errand.interactive,
    )?);
    let there = ssh.watch(ends, Some(deadline), words::answer)?;
    ssh.keeps = false;
    if !there.running {
        return Err(Trouble::Failed(format!(
            "no server is running there in session {}; start it with `drover up` on that machine",
            errand.session
        )));
    }
    let pairs = words::sockets(folder, &there);
    let mut forward = Ssh::start(
        words::forward(&errand.target, folder, &pairs).map_err(Trouble::Failed)?,
        errand.interactive,
    )?;
    match forward.watch(ends, Some(deadline), |_| Ok(None::<()>)) {
        Err(Trouble::Failed(_)) if forward.succeeded() => {}
        Err(trouble) => return Err(trouble),
        // It never says that it is done but by ending.
        Ok(()) => {}
    }
    Ok(Reached {
        protocol_socket: words::protocol_socket(folder),
        home: there.home,
        version: there.version,
    })
}

/// What tells this process to end.
struct Ends {
    /// Readable when a signal has come that asks for it.
    asked: UnixStream,
}

impl Ends {
    fn new() -> io::Result<Self> {
        let (asked, writer) = UnixStream::pair()?;
        pipe::register(SIGTERM, writer)?;
        // A key pressed at the terminal, or its end, is meant for the client; this process hears of that by its input.
        // Handled rather than ignored, so that `ssh` has what is usual.
        for signal in [SIGINT, SIGHUP] {
            flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        }
        Ok(Self { asked })
    }
}

/// The folder of one connection's sockets, gone with the value.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new(environment: &Environment) -> Result<Self, String> {
        let pid = std::process::id();
        let (base, names) = paths::connection_folder(environment, &pid.to_string());
        let path = names
            .iter()
            .fold(base.clone(), |path, name| path.join(name));
        let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
        let made = |names: &[_]| {
            private::make_alone(&base, names, environment.uid).map_err(|error| error.to_string())
        };
        // Nothing is removed below a folder that has not been found to be the user's own.
        made(&names[..names.len() - 1])?;
        if let Some(all) = path.parent() {
            sweep(all);
        }
        made(&names)?;
        Ok(Self { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Whatever is left is swept by the next connection.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the folders of connections whose process was killed before it could: each is called by its number.
fn sweep(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else {
        return;
    };
    for entry in entries.flatten() {
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<i32>().ok());
        let own = |pid: i32| u32::try_from(pid) == Ok(std::process::id());
        if pid.is_some_and(|pid| own(pid) || kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// One running `ssh`. Dropped, it has ended, with all it has started where it leads a group of its own.
struct Ssh {
    child: Child,
    exit: ExitWatch,
    /// Whether it leads a group. One that may ask a person something does not: only the terminal's own group may.
    leads: bool,
    /// Whether what it says is kept: nobody asks for it once the answer is there.
    keeps: bool,
    printed: Vec<u8>,
    complaint: Vec<u8>,
}

impl Ssh {
    fn start(words: Vec<std::ffi::OsString>, interactive: bool) -> Result<Self, Trouble> {
        let mut command = Command::new("ssh");
        command
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if interactive {
                Stdio::inherit()
            } else {
                Stdio::piped()
            });
        if !interactive {
            command.process_group(0);
        }
        let child = command.spawn().map_err(|error| {
            Trouble::Failed(match error.kind() {
                io::ErrorKind::NotFound => "there is no program ssh on PATH".to_owned(),
                _ => format!("ssh cannot be run: {error}"),
            })
        })?;
        let pid = child.id().cast_signed();
        let mut ssh = Self {
            // Of a child that is not reaped yet, so this fails only where descriptors have run out.
            exit: ExitWatch::of(pid).or_else(|_| ExitWatch::passed())?,
            child,
            leads: !interactive,
            keeps: true,
            printed: Vec::new(),
            complaint: Vec::new(),
        };
        for stream in ssh.streams().into_iter().flatten() {
            fcntl(stream, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(io::Error::from)?;
        }
        ssh.printed.reserve(1024);
        Ok(ssh)
    }

    fn streams(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [
            self.child.stdout.as_ref().map(AsFd::as_fd),
            self.child.stderr.as_ref().map(AsFd::as_fd),
        ]
    }

    /// Reads what it prints until `look` finds in it what it looks for.
    ///
    /// # Errors
    /// It has ended, `look` finds a fault, `deadline` is over, or the client has gone.
    fn watch<T>(
        &mut self,
        ends: &Ends,
        deadline: Option<Instant>,
        look: impl Fn(&str) -> Result<Option<T>, String>,
    ) -> Result<T, Trouble> {
        loop {
            let exited = self.sleep(ends, deadline)?;
            self.read();
            let printed = String::from_utf8_lossy(&self.printed);
            if let Some(found) = look(&printed).map_err(Trouble::Failed)? {
                return Ok(found);
            }
            if exited {
                return Err(Trouble::Failed(self.last_words()));
            }
        }
    }

    /// Sleeps until there is something to read or it has exited; true for the latter.
    fn sleep(&self, ends: &Ends, deadline: Option<Instant>) -> Result<bool, Trouble> {
        let stdin = io::stdin();
        let mut polled = vec![
            PollFd::new(stdin.as_fd(), PollFlags::POLLIN),
            PollFd::new(ends.asked.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.exit.as_fd(), PollFlags::POLLIN),
        ];
        for stream in self.streams().into_iter().flatten() {
            polled.push(PollFd::new(stream, PollFlags::POLLIN));
        }
        let timeout = match deadline {
            None => PollTimeout::NONE,
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(Trouble::Failed(
                        "ssh gives no sign within the time for it".to_owned(),
                    ));
                }
                // A millisecond more, so that what is left is never rounded down to nothing.
                PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
            }
        };
        match poll(&mut polled, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let news = |at: usize| polled[at].revents().is_some_and(|news| !news.is_empty());
        // The client writes nothing: news of it is its end.
        if news(0) || news(1) {
            return Err(Trouble::Released);
        }
        Ok(news(2))
    }

    fn read(&mut self) {
        let closed = take(self.child.stdout.as_mut(), &mut self.printed);
        if closed {
            self.child.stdout = None;
        }
        let closed = take(self.child.stderr.as_mut(), &mut self.complaint);
        if closed {
            self.child.stderr = None;
        }
        if !self.keeps {
            self.printed.clear();
            self.complaint.clear();
        }
    }

    /// What it said before it ended, or how it ended.
    fn last_words(&mut self) -> String {
        let text = String::from_utf8_lossy(&self.complaint);
        let mut from = text.len().saturating_sub(MAX_COMPLAINT_BYTES);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let lines: Vec<_> = text[from..]
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        match (lines.is_empty(), self.child.wait()) {
            (false, _) => lines.join("; "),
            (true, Ok(status)) => format!("ssh ended with {status}"),
            (true, Err(error)) => format!("ssh ended: {error}"),
        }
    }

    /// Whether it has ended without a fault.
    fn succeeded(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(status)) if status.success())
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed());
        // It is not reaped yet, so the number is its own.
        let _ = match self.leads {
            true => killpg(pid, signal),
            false => kill(pid, signal),
        };
    }
}

impl Drop for Ssh {
    fn drop(&mut self) {
        // Its group may outlive it.
        if let Ok(Some(_)) = self.child.try_wait() {
            return;
        }
        self.signal(Signal::SIGTERM);
        let mut polled = [PollFd::new(self.exit.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(END_TIME).unwrap_or(PollTimeout::ZERO);
        // Interrupted or not: what has not ended by now is killed.
        let _ = poll(&mut polled, timeout);
        self.signal(Signal::SIGKILL);
        let _ = self.child.wait();
    }
}

/// Takes some of a stream, keeping the end of it; true when nothing more will come. It reads once, and as much as a pipe
/// holds: a machine that prints without end must not keep its reader from the time and from the client's end.
fn take(stream: Option<&mut impl Read>, kept: &mut Vec<u8>) -> bool {
    let Some(stream) = stream else {
        return false;
    };
    let mut room = vec![0; MAX_KEPT_BYTES];
    match stream.read(&mut room) {
        Ok(0) => true,
        Ok(count) => {
            kept.extend_from_slice(&room[..count]);
            let over = kept.len().saturating_sub(MAX_KEPT_BYTES);
            kept.drain(..over);
            false
        }
        Err(error) => !matches!(
            error.kind(),
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_without_end_is_read_once_a_turn_and_its_end_kept() {
        let mut kept = vec![b'a'; 10];
        assert!(!take(Some(&mut io::repeat(b'x')), &mut kept));
        assert_eq!(kept, vec![b'x'; MAX_KEPT_BYTES]);
        assert!(take(Some(&mut io::empty()), &mut kept));
    }

    #[test]
    fn a_linked_folder_is_refused_with_all_that_is_in_it() {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment {
            xdg_runtime_dir: Some(home.path().to_owned()),
            uid: nix::unistd::getuid().as_raw(),
            ..Environment::default()
        };
        // No process has this number.
        let (base, names) = paths::connection_folder(&environment, &i32::MAX.to_string());
        let path = names.iter().fold(base, |path, name| path.join(name));
        let all = path.parent().unwrap();
        let other = home.path().join("other");
        let victim = other.join(i32::MAX.to_string());
        fs::create_dir_all(&victim).unwrap();
        fs::create_dir_all(all.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&other, all).unwrap();
        assert!(Folder::new(&environment).is_err());
        assert!(victim.is_dir());

        fs::remove_file(all).unwrap();
        fs::create_dir_all(&path).unwrap();
        let folder = Folder::new(&environment).unwrap();
        assert!(folder.path.is_dir() && !path.exists());
    }
}
