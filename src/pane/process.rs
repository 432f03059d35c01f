//! A pane's process: `spawn`, `resize`, `signal`, `reap`. Nothing else in the program forks for a
//! pane or knows how its pseudo-terminal is made. Whose child the process is, is the business of a
//! [`Terminals`]: this process's own, or that of one which outlives it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{AccessFlags, Pid, access};

use super::environment::Environment;
use super::screen::Size;
use crate::sys;
use crate::world::PaneKey;

/// The shell of last resort: POSIX has it everywhere.
const LAST_SHELL: &str = "/bin/sh";

/// What to run in a new pane.
#[derive(Debug, Clone)]
pub struct Launch {
    /// What to run.
    pub program: Program,
    /// Where to start. A directory that cannot be entered (also a relative one) becomes `$HOME`,
    /// else `/`.
    pub directory: Option<PathBuf>,
    /// All of the process's environment but `PWD`.
    pub environment: Environment,
    /// The terminal's size before the program can ask for it.
    pub size: Size,
}

/// The program of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// An interactive shell. The path is `terminal.default_shell`; empty for `$SHELL`, else
    /// `/bin/sh`.
    Shell {
        /// A path, or a name that is looked up in the pane's `PATH`; may be empty.
        path: OsString,
        /// Whether it is a login shell.
        mode: ShellMode,
    },
    /// A program and its arguments, run directly; a bare name is looked up in the pane's `PATH`.
    Command(Vec<String>),
}

/// Whether a shell is started as a login shell (`terminal.shell_mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShellMode {
    /// As terminals of this operating system do it: a login shell on macOS only.
    #[default]
    Auto,
    /// Always a login shell.
    Login,
    /// Never one.
    NonLogin,
}

/// Who starts the processes of panes, and is their parent.
pub trait Terminals: Send + Sync + std::fmt::Debug {
    /// Starts the process of the pane `key`; see [`spawn`]. `area` is what the pane can be rebuilt
    /// from, for whoever does that.
    ///
    /// # Errors
    /// See [`spawn`].
    fn open(&self, key: PaneKey, launch: &Launch, area: BorrowedFd<'_>) -> io::Result<Spawned>;

    /// The pane `key` is rebuilt from `area` from now on.
    fn replace_area(&self, key: PaneKey, area: BorrowedFd<'_>);

    /// The number of the process whose children the panes' first processes are.
    fn parent(&self) -> i32;
}

/// This process is the parent.
#[derive(Debug, Clone, Copy)]
pub struct Own;

impl Terminals for Own {
    fn open(&self, _: PaneKey, launch: &Launch, _: BorrowedFd<'_>) -> io::Result<Spawned> {
        spawn(launch)
    }

    /// It does not outlive this process.
    fn replace_area(&self, _: PaneKey, _: BorrowedFd<'_>) {}

    fn parent(&self) -> i32 {
        std::process::id().cast_signed()
    }
}

/// What only a process's parent can do. Dropped when nothing more will be asked, so that the parent
/// may forget it.
pub trait Parent: Send + std::fmt::Debug {
    /// See [`reap`].
    ///
    /// # Errors
    /// See [`reap`].
    fn reap(&mut self) -> io::Result<Option<ExitStatus>>;

    /// Collects a process that was killed; it need not wait until that is done.
    ///
    /// # Errors
    /// See [`reap`].
    fn bury(&mut self) -> io::Result<()>;
}

/// A running pane process, still to be reaped.
#[derive(Debug)]
pub struct PaneProcess {
    parent: Box<dyn Parent>,
    /// The shell's, or command's, process number; also its process group and session.
    pub pid: i32,
    /// The programs' end of the pseudo-terminal, held open: otherwise the master reports a hang-up,
    /// again and again, whenever no program happens to have the terminal open, though one may open
    /// it again the next moment.
    slave: Arc<OwnedFd>,
}

impl PaneProcess {
    /// A process that runs already, or has exited and is not reaped.
    pub fn new(parent: Box<dyn Parent>, pid: i32, slave: Arc<OwnedFd>) -> PaneProcess {
        PaneProcess { parent, pid, slave }
    }

    /// The programs' end of the pseudo-terminal.
    pub fn slave(&self) -> &Arc<OwnedFd> {
        &self.slave
    }
}

impl Parent for Child {
    fn reap(&mut self) -> io::Result<Option<ExitStatus>> {
        self.try_wait()
    }

    fn bury(&mut self) -> io::Result<()> {
        self.wait().map(drop)
    }
}

/// What [`spawn`] made.
#[derive(Debug)]
pub struct Spawned {
    /// The process.
    pub process: PaneProcess,
    /// Our end of the pseudo-terminal; never blocks.
    pub master: Arc<OwnedFd>,
    /// Device number of the terminal, as process facts give it.
    pub terminal: u64,
    /// Where the process was really started.
    pub directory: PathBuf,
    /// It is known to have exited.
    pub gone: bool,
}

/// Starts a pane's process on a pseudo-terminal of its own, leader of its session and of the
/// foreground group.
///
/// # Errors
/// The operating system's: the program does not exist or may not be run, or processes or
/// descriptors have run out.
pub fn spawn(launch: &Launch) -> io::Result<Spawned> {
    let directory = starting_directory(launch.directory.as_deref(), &launch.environment);
    let sys::PtyPair {
        master,
        slave,
        device,
    } = sys::open_pty(launch.size.cols, launch.size.rows)?;
    let mut command = command_for(&launch.program, &launch.environment)?;
    command
        .env_clear()
        .envs(launch.environment.iter())
        // Programs trust it over asking the kernel when it names the directory they are in.
        .env("PWD", &directory)
        .current_dir(&directory)
        .stdin(Stdio::from(slave.try_clone()?))
        .stdout(Stdio::from(slave.try_clone()?))
        .stderr(Stdio::from(slave.try_clone()?));
    sys::make_session_leader(&mut command);
    let child = command.spawn().map_err(|error| {
        let program = Path::new(command.get_program()).display();
        io::Error::new(error.kind(), format!("starting {program}: {error}"))
    })?;
    // Process numbers are positive and far below this limit on every system we run on.
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    Ok(Spawned {
        process: PaneProcess::new(Box::new(child), pid, Arc::new(slave)),
        master: Arc::new(master),
        terminal: device,
        directory,
        gone: false,
    })
}

/// Sets the window size; the foreground group is told once if it changed.
///
/// # Errors
/// When the terminal is gone.
pub fn resize(master: BorrowedFd<'_>, size: Size) -> io::Result<()> {
    sys::set_window_size(master, size.cols, size.rows)
}

/// What can be asked of the processes of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupSignal {
    /// The terminal is gone. Stopped processes are continued, or they would not hear of it.
    HangUp,
    /// There is no saying no.
    Kill,
}

/// Signals every process of `group`. A group that is gone, or that belongs to another user, is no
/// error: there is nothing left that could be done.
pub fn signal(group: i32, what: GroupSignal) {
    // Zero and one would mean our own group and every process there is.
    if group <= 1 {
        return;
    }
    let signals: &[Signal] = match what {
        GroupSignal::HangUp => &[Signal::SIGHUP, Signal::SIGCONT],
        GroupSignal::Kill => &[Signal::SIGKILL],
    };
    for signal in signals {
        match killpg(Pid::from_raw(group), *signal) {
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => log::debug!("cannot send {signal} to process group {group}: {error}"),
        }
    }
}

/// True while `group` has a process that could be signalled.
pub fn group_exists(group: i32) -> bool {
    group > 1 && killpg(Pid::from_raw(group), None).is_ok()
}

/// Collects the exit status if the process has exited; never blocks.
///
/// # Errors
/// When the process is no child of ours any more: somebody else collected the status.
pub fn reap(process: &mut PaneProcess) -> io::Result<Option<ExitStatus>> {
    process.parent.reap()
}

/// Collects a process that was killed.
///
/// # Errors
/// As [`reap`].
pub fn bury(process: &mut PaneProcess) -> io::Result<()> {
    process.parent.bury()
}

fn command_for(program: &Program, environment: &Environment) -> io::Result<Command> {
    match program {
        Program::Shell { path, mode } => {
            let path = shell(path, environment);
            let mut command = Command::new(&path);
            if is_login(*mode) {
                // The old convention by which a shell knows that it is a login shell.
                let mut name = OsString::from("-");
                name.push(Path::new(&path).file_name().unwrap_or(&path));
                command.arg0(name);
            }
            Ok(command)
        }
        Program::Command(arguments) => match arguments.split_first() {
            Some((program, rest)) if !program.is_empty() => {
                let mut command = Command::new(program);
                command.args(rest);
                Ok(command)
            }
            _ => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "pane command must not be empty",
            )),
        },
    }
}

fn is_login(mode: ShellMode) -> bool {
    match mode {
        ShellMode::Auto => sys::LOGIN_SHELL_BY_DEFAULT,
        ShellMode::Login => true,
        ShellMode::NonLogin => false,
    }
}

/// A configured shell is taken at its word; `$SHELL` only if it can be run, because the person may
/// never have set it.
fn shell(configured: &OsStr, environment: &Environment) -> OsString {
    if !configured.is_empty() {
        return configured.to_owned();
    }
    environment
        .get("SHELL")
        .filter(|path| Path::new(path).is_absolute() && access(*path, AccessFlags::X_OK).is_ok())
        .unwrap_or(OsStr::new(LAST_SHELL))
        .to_owned()
}

/// herdr 0.9.3: what cannot be entered becomes `$HOME`, and the records show the real directory.
fn starting_directory(wanted: Option<&Path>, environment: &Environment) -> PathBuf {
    let home = environment.get("HOME").map(Path::new);
    [wanted, home]
        .into_iter()
        .flatten()
        .find(|directory| {
            directory.is_absolute()
                && directory.is_dir()
                && access(*directory, AccessFlags::X_OK).is_ok()
        })
        .unwrap_or(Path::new("/"))
        .to_owned()
}
