//! The daemon's files: its lock, its sockets, the `herdr` link. Each is a guard that takes its
//! file away again, so that a stopped daemon leaves nothing that looks alive.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::keeper::message::FileIdentity;
use crate::paths::{SessionPaths, private};
use crate::sys;

/// The session's lock: whoever holds it is the daemon. The kernel lets go of it when the process
/// ends, however it ends; an orderly end takes the file away as well.
#[derive(Debug)]
pub struct SessionLock {
    path: PathBuf,
    file: Flock<File>,
}

impl SessionLock {
    /// Takes the lock, or says that another daemon has it. `socket` is where that one serves, and what the message
    /// names. One that is ending, or was killed a moment ago, is waited for: the kernel takes its time to end a process
    /// of many threads, and its last thread still has the lock.
    pub fn take(path: &Path, socket: &Path) -> Result<SessionLock> {
        let deadline = Instant::now() + ENDING_TIME;
        loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .mode(0o600)
                // A pipe of that name is an error at once, not a wait for its reader; so is a link.
                .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW)
                .open(path)
                .with_context(|| format!("opening the lock file {}", path.display()))?;
            let mut locked = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(locked) => locked,
                Err((_, Errno::EWOULDBLOCK)) => {
                    if Instant::now() > deadline || (is_alive(socket) && is_signer_alive(path)) {
                        return Err(busy(socket));
                    }
                    thread::sleep(SHORT_PAUSE);
                    continue;
                }
                Err((_, error)) => {
                    return Err(error)
                        .with_context(|| format!("locking the lock file {}", path.display()));
                }
            };
            // The holder before may have taken the file away after it was opened here: then this
            // lock is on a file that nobody else will find, and another must be taken.
            let same = fs::metadata(path)
                .ok()
                .zip(locked.metadata().ok())
                .is_some_and(|(named, held)| identity(&named) == identity(&held));
            if !same {
                continue;
            }
            sign(&mut locked, path);
            return Ok(SessionLock {
                path: path.to_owned(),
                file: locked,
            });
        }
    }

    /// Goes on with a lock that was taken before: `file` is a duplicate of the descriptor that holds it.
    pub fn go_on(path: &Path, file: OwnedFd) -> Result<SessionLock> {
        // Of a descriptor that has the lock this is granted, and changes nothing.
        let mut locked = Flock::lock(File::from(file), FlockArg::LockExclusiveNonblock)
            .map_err(|(_, error)| error)
            .with_context(|| format!("going on with the lock file {}", path.display()))?;
        sign(&mut locked, path);
        Ok(SessionLock {
            path: path.to_owned(),
            file: locked,
        })
    }
}

/// Writes who holds the lock: for people who look, and for [`is_signer_alive`].
fn sign(file: &mut File, path: &Path) {
    let written = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    if let Err(error) = written {
        log::debug!("the lock file {} takes no pid: {error}", path.display());
    }
}

/// Whether the process that signed a lock file last is there. A file that says nothing is being signed, and one that is
/// gone was taken away by a holder that ends.
fn is_signer_alive(path: &Path) -> bool {
    let signed = match fs::read_to_string(path) {
        Ok(signed) => signed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return false,
        Err(_) => String::new(),
    };
    match signed.trim().parse() {
        Ok(pid) => sys::process_facts(pid).is_some_and(|facts| !facts.zombie),
        Err(_) => true,
    }
}

impl SessionLock {
    /// Whether the file is still the one that is locked; if not, another daemon could lock another one.
    pub fn is_there(&self) -> bool {
        let named = fs::metadata(&self.path).ok();
        named
            .zip(self.file.metadata().ok())
            .is_some_and(|(named, held)| identity(&named) == identity(&held))
    }
}

impl AsFd for SessionLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // While the lock is still held, so that nobody else can have taken it on this file.
        if self.is_there() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// What tells one file from another of the same name.
fn identity(file: &fs::Metadata) -> FileIdentity {
    FileIdentity(file.dev(), file.ino())
}

/// "Somebody already serves here", as an error that a caller can recognise.
#[derive(Debug)]
pub struct AlreadyRunning {
    /// The socket that is taken.
    pub socket: PathBuf,
}

impl std::fmt::Display for AlreadyRunning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "drover is already running (socket busy at {})",
            self.socket.display()
        )
    }
}

impl std::error::Error for AlreadyRunning {}

fn busy(socket: &Path) -> anyhow::Error {
    AlreadyRunning {
        socket: socket.to_owned(),
    }
    .into()
}

/// Makes the folder of `path` for this user alone.
pub fn make_parent(path: &Path) -> Result<()> {
    let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) else {
        return Ok(());
    };
    // Under the daemon's umask of 077 every folder that is new is 0700.
    fs::create_dir_all(parent).with_context(|| format!("making the folder {}", parent.display()))
}

/// Makes the folder that a session's sockets lie in. Sockets are only as private as their folder: one that is not
/// the user's own is refused.
pub fn make_socket_folder(paths: &SessionPaths) -> Result<()> {
    let user = nix::unistd::geteuid().as_raw();
    match paths.own_folders() {
        Some((base, names)) => private::make_alone(base, &names, user)?,
        None => private::make_chosen(&paths.runtime_dir, user)?,
    }
    Ok(())
}

/// How long a daemon that has the lock and does not serve is waited for: three seconds are what an orderly stop gives
/// its panes, and one that starts has its sockets within milliseconds.
const ENDING_TIME: Duration = Duration::from_secs(5);

/// How long a socket may still answer that nobody can serve any more, as the lock is ours.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// Between two looks at what is ending.
const SHORT_PAUSE: Duration = Duration::from_millis(5);

/// How long a full queue of connections is waited for, before whoever lets it fill counts as alive.
const QUEUE_TIME: Duration = Duration::from_millis(100);

/// Whether somebody listens on the socket file `path`.
///
/// Anything but "refused" and "not there" counts as alive: a full queue is that of a daemon that is
/// stopped or busy.
pub fn is_alive(path: &Path) -> bool {
    match sys::connect(path, Some(QUEUE_TIME)) {
        Ok(_) => true,
        Err(error) => {
            !matches!(
                error.kind(),
                io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
            ) && fs::symlink_metadata(path).is_ok()
        }
    }
}

/// A listening socket file; the file goes when this is dropped, if it is still the same file.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    identity: FileIdentity,
}

impl SocketFile {
    /// Goes on guarding a file that another process has made.
    pub fn go_on(path: &Path, identity: FileIdentity) -> SocketFile {
        SocketFile {
            path: path.to_owned(),
            identity,
        }
    }

    /// A file that somebody else made and takes away, such as a service manager.
    pub fn lent(path: &Path) -> SocketFile {
        SocketFile::go_on(path, LENT)
    }

    /// Which file it is.
    pub fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// Binds `path`, after taking away a file that nobody listens on any more. To be called with the session's lock:
    /// then a daemon of drover's that still listens is just being ended by the kernel, and is waited for.
    ///
    /// The mode is 0700 from the first instant, because the daemon runs under umask 077.
    pub fn bind(path: &Path) -> Result<(UnixListener, SocketFile)> {
        make_parent(path)?;
        if let Ok(found) = fs::symlink_metadata(path) {
            let deadline = Instant::now() + CLOSING_TIME;
            while is_alive(path) {
                if Instant::now() > deadline {
                    return Err(busy(path));
                }
                thread::sleep(SHORT_PAUSE);
            }
            if found.is_dir() {
                bail!(
                    "cannot listen at {}: a folder is in the way; move it",
                    path.display()
                );
            }
            fs::remove_file(path)
                .with_context(|| format!("removing the stale socket {}", path.display()))?;
        }
        if SocketAddr::from_pathname(path).is_err() {
            bail!(
                "cannot listen at {}: a socket's path may not have {} bytes; \
                 set XDG_RUNTIME_DIR to a shorter one",
                path.display(),
                path.as_os_str().len()
            );
        }
        let listener = UnixListener::bind(path)
            .with_context(|| format!("binding the socket {}", path.display()))?;
        let made = fs::symlink_metadata(path)
            .with_context(|| format!("looking at the new socket {}", path.display()))?;
        let file = SocketFile {
            path: path.to_owned(),
            identity: identity(&made),
        };
        Ok((listener, file))
    }
}

/// What stands for the file of a [`SocketFile::lent`]: no file has this number.
const LENT: FileIdentity = FileIdentity(0, 0);

impl SocketFile {
    /// Whether the file is still there.
    pub fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.path)
            .is_ok_and(|found| self.identity == LENT || identity(&found) == self.identity)
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.identity != LENT && self.is_there() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A symbolic link that the daemon made; it goes when this is dropped, if it still points there.
#[derive(Debug)]
pub struct Link {
    path: PathBuf,
    target: PathBuf,
}

impl Link {
    /// Points `path` at `target`, replacing what was there in one step.
    pub fn place(path: &Path, target: &Path) -> Result<Link> {
        make_parent(path)?;
        if fs::read_link(path).is_ok_and(|old| old == target) {
            return Ok(Link {
                path: path.to_owned(),
                target: target.to_owned(),
            });
        }
        let mut fresh = path.as_os_str().to_owned();
        fresh.push(format!(".{}", std::process::id()));
        let fresh = PathBuf::from(fresh);
        let _ = fs::remove_file(&fresh);
        symlink(target, &fresh)
            .and_then(|()| fs::rename(&fresh, path))
            .with_context(|| format!("linking {} to {}", path.display(), target.display()))?;
        Ok(Link {
            path: path.to_owned(),
            target: target.to_owned(),
        })
    }
}

impl Link {
    /// Makes the link again if it is gone, and says whether it was. One that points elsewhere is somebody else's now.
    pub fn restore(&self) -> Result<bool> {
        if fs::symlink_metadata(&self.path).is_ok() {
            return Ok(false);
        }
        Link::place(&self.path, &self.target)?.hand_over();
        Ok(true)
    }

    /// Goes on guarding a link that another process has made.
    pub fn go_on(path: PathBuf, target: PathBuf) -> Link {
        Link { path, target }
    }

    /// Where it lies and where it points.
    pub fn ends(&self) -> (&Path, &Path) {
        (&self.path, &self.target)
    }

    /// Where it lies and where it points, for another process to guard.
    pub fn hand_over(self) -> (PathBuf, PathBuf) {
        let mut link = std::mem::ManuallyDrop::new(self);
        (
            std::mem::take(&mut link.path),
            std::mem::take(&mut link.target),
        )
    }

    /// Points the place where herdr has its socket at ours, but never over a herdr that lives.
    pub fn place_beside_herdr(path: &Path, socket: &Path) -> Result<Link> {
        if let Ok(found) = fs::symlink_metadata(path) {
            let ours = fs::read_link(path).is_ok_and(|target| target == socket);
            if !ours && is_alive(path) {
                bail!("a herdr is running at {}; stop it first", path.display());
            }
            if !found.is_symlink() && !found.file_type().is_socket() {
                bail!("{} is neither a socket nor a link; move it", path.display());
            }
        }
        Link::place(path, socket)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if fs::read_link(&self.path).is_ok_and(|now| now == self.target) {
            let _ = fs::remove_file(&self.path);
            // The folder that was made for the link alone goes too; one with anything in it stays.
            if let Some(folder) = self.path.parent() {
                let _ = fs::remove_dir(folder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_daemon_is_told_at_once_which_socket_is_busy() {
        let dir = tempfile::tempdir().unwrap();
        let (lock, socket) = (dir.path().join("l"), dir.path().join("s"));
        let held = SessionLock::take(&lock, &socket).unwrap();
        let listener = UnixListener::bind(&socket).unwrap();
        let asked = Instant::now();
        let error = SessionLock::take(&lock, &socket).unwrap_err();
        assert!(asked.elapsed() < ENDING_TIME / 2, "{:?}", asked.elapsed());
        assert_eq!(
            error.downcast_ref::<AlreadyRunning>().unwrap().socket,
            socket
        );
        drop((held, listener));
        SessionLock::take(&lock, &socket).unwrap();
    }

    #[test]
    fn a_daemon_that_was_killed_is_waited_for_until_its_last_thread_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let (lock, socket) = (dir.path().join("l"), dir.path().join("s"));
        let held = SessionLock::take(&lock, &socket).unwrap();
        let listener = UnixListener::bind(&socket).unwrap();
        // No process has this number.
        fs::write(&lock, "2147483647\n").unwrap();
        thread::scope(|scope| {
            let next = scope.spawn(|| {
                let next = SessionLock::take(&lock, &socket)?;
                Ok::<_, anyhow::Error>((next, SocketFile::bind(&socket)?))
            });
            // It has looked whether somebody serves.
            listener.accept().unwrap();
            // The kernel closes one after the other.
            drop(held);
            let own = format!("{}\n", std::process::id());
            while fs::read_to_string(&lock).unwrap_or_default() != own {
                assert!(!next.is_finished(), "it gave up");
                thread::yield_now();
            }
            drop(listener);
            next.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_holder_that_has_taken_its_file_away_is_ending() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("l");
        assert!(!is_signer_alive(&path));
        fs::write(&path, "").unwrap();
        assert!(is_signer_alive(&path), "it is being signed");
    }

    #[test]
    fn a_pipe_in_the_place_of_the_lock_is_an_error_and_no_wait() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("l");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let error = SessionLock::take(&path, &dir.path().join("s")).unwrap_err();
        assert!(
            error.to_string().contains(&path.display().to_string()),
            "{error}"
        );
    }

    #[test]
    fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/s");
        let (listener, file) = SocketFile::bind(&path).unwrap();
        assert!(SocketFile::bind(&path).unwrap_err().is::<AlreadyRunning>());
        drop(listener);
        std::mem::forget(file);
        assert!(!is_alive(&path));
        let (_listener, file) = SocketFile::bind(&path).unwrap();
        drop(file);
        assert!(!path.exists(), "the file goes with its guard");
    }

    #[test]
    fn whoever_lets_the_queue_fill_is_alive() {
        use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, bind, listen, socket};
        use std::os::fd::AsRawFd;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let flags = SockFlag::empty();
        let server = socket(AddressFamily::Unix, SockType::Stream, flags, None).unwrap();
        bind(server.as_raw_fd(), &UnixAddr::new(&path).unwrap()).unwrap();
        listen(&server, nix::sys::socket::Backlog::new(0).unwrap()).unwrap();
        let mut queued = Vec::new();
        let error = loop {
            match sys::connect(&path, Some(QUEUE_TIME)) {
                Ok(stream) => queued.push(stream),
                Err(error) => break error,
            }
        };
        // Some systems do not tell a full queue from none.
        let told = error.kind() != io::ErrorKind::ConnectionRefused;
        assert_eq!(is_alive(&path), told);
    }

    #[test]
    fn a_guard_leaves_alone_what_is_not_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let (_listener, file) = SocketFile::bind(&path).unwrap();
        // A name kept alive so that the new file cannot get the old one's inode number.
        fs::hard_link(&path, dir.path().join("old")).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "someone else's").unwrap();
        drop(file);
        assert!(path.exists());

        let link = Link::place(&dir.path().join("bin/herdr"), Path::new("/one")).unwrap();
        let newer = Link::place(&dir.path().join("bin/herdr"), Path::new("/two")).unwrap();
        drop(link);
        assert_eq!(
            fs::read_link(dir.path().join("bin/herdr")).unwrap(),
            Path::new("/two")
        );
        drop(newer);
        assert!(!dir.path().join("bin/herdr").exists());
    }

    #[test]
    fn a_path_too_long_for_a_socket_says_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("long".repeat(40)).join("s");
        let error = SocketFile::bind(&path).unwrap_err().to_string();
        assert!(error.contains("set XDG_RUNTIME_DIR"), "{error}");
    }

    #[test]
    fn a_folder_where_the_socket_should_be_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = SocketFile::bind(dir.path()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains(&dir.path().display().to_string()),
            "{error}"
        );
    }
}
