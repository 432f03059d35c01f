//! One run of git: without questions, without what the repository would have run, within a time.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::sys::ExitWatch;

/// For looking. Even a large repository on a slow disk answers within a second or two.
pub(super) const LOOK: Duration = Duration::from_secs(10);

/// For making and removing checkouts, whose files may be gigabytes.
pub(super) const CHANGE: Duration = Duration::from_secs(300);

/// How long output is still awaited once git has exited: something it started may hold the pipe.
const GRACE: Duration = Duration::from_millis(200);

/// Bytes of output taken. A list of ten thousand checkouts is about as long.
const OUTPUT_MAX: usize = 2 * 1024 * 1024;

/// Bytes of what git says of a failure that are passed on.
const REASON_MAX: usize = 4096;

/// Settings that come before those of the repository: nothing is watched, asked or fetched for it.
const ALWAYS: [&str; 6] = [
    "core.fsmonitor=false",
    "core.askPass=",
    "core.pager=cat",
    "advice.detachedHead=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// Has no hook run.
const NO_HOOKS: &str = "core.hooksPath=/dev/null";

/// How git is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Git<'a> {
    /// Where.
    pub(super) directory: &'a Path,
    /// The repository that git shall take although it belongs to somebody else.
    pub(super) trusted: Option<&'a Path>,
    /// Whether the repository's hooks run, as the person has set them up.
    pub(super) hooks: bool,
    pub(super) limit: Duration,
}

/// Why git has no answer.
#[derive(Debug)]
pub enum GitError {
    /// It could not be run.
    NotRun(io::Error),
    /// It took longer than this, and was ended.
    Slow(Duration),
    /// It failed, and said why.
    Failed(String),
    /// Its answer is longer than can be right.
    Endless,
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GitError::NotRun(error) if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "git cannot be run: {error}; is it installed?")
            }
            GitError::NotRun(error) => write!(f, "git cannot be run: {error}"),
            GitError::Slow(limit) => {
                write!(
                    f,
                    "git was not done after {} s and was ended",
                    limit.as_secs()
                )
            }
            GitError::Failed(reason) => f.write_str(reason),
            GitError::Endless => write!(f, "git's answer is longer than {OUTPUT_MAX} bytes"),
        }
    }
}

impl Git<'_> {
    /// Runs a command and gives what it wrote.
    pub(super) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Vec<u8>, GitError> {
        let mut command = self.command();
        command.args(arguments);
        let mut child = command.spawn().map_err(GitError::NotRun)?;
        let [output, reason] = [
            child.stdout.take().map(collect),
            child.stderr.take().map(collect),
        ];
        let group = Pid::from_raw(child.id() as i32);
        let status = match exit_within(child.id() as i32, self.limit) {
            Ok(true) => child.wait().map_err(GitError::NotRun)?,
            outcome => {
                // It leads a group of its own, which is still there as long as it is not reaped.
                let _ = killpg(group, Signal::SIGKILL);
                let _ = child.wait();
                return Err(match outcome {
                    Err(error) => GitError::NotRun(error),
                    Ok(_) => GitError::Slow(self.limit),
                });
            }
        };
        let [output, reason] =
            [output, reason].map(|pipe| pipe.and_then(|pipe| pipe.recv_timeout(GRACE).ok()));
        if !status.success() {
            return Err(GitError::Failed(reason_of(
                &reason.unwrap_or_default(),
                status,
            )));
        }
        let output = output.unwrap_or_default();
        if output.len() > OUTPUT_MAX {
            return Err(GitError::Endless);
        }
        Ok(output)
    }

    /// The same for commands whose answer is one path.
    pub(super) fn path(&self, arguments: &[&str]) -> Result<std::path::PathBuf, GitError> {
        let mut output = self.run(arguments)?;
        // A path may end with a line feed of its own.
        if output.last() == Some(&b'\n') {
            output.pop();
        }
        Ok(os_string(output).into())
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .current_dir("/");
        // Whoever started the daemon may have been inside a git command of another repository.
        for (name, _) in std::env::vars_os() {
            if is_of_one_repository(&name) {
                command.env_remove(name);
            }
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C");
        for setting in ALWAYS {
            command.args(["-c", setting]);
        }
        if !self.hooks {
            command.args(["-c", NO_HOOKS]);
        }
        if let Some(root) = self.trusted {
            let mut setting = OsString::from("safe.directory=");
            setting.push(root);
            command.arg("-c").arg(setting);
        }
        command.arg("-C").arg(self.directory);
        command
    }
}

/// Runs a git command that fetches or makes files in `directory`, for who wants no checkout of a
/// repository of the person's: no hook runs, and nobody is asked for a password.
///
/// # Errors
/// See [`GitError`].
pub fn run_in(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let git = Git {
        directory,
        trusted: None,
        hooks: false,
        limit: CHANGE,
    };
    git.run(arguments)
}

/// Whether a variable says which repository git works on, rather than how the person likes git.
fn is_of_one_repository(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b"GIT_")
        && !matches!(
            name,
            b"GIT_CONFIG_GLOBAL"
                | b"GIT_CONFIG_SYSTEM"
                | b"GIT_CONFIG_NOSYSTEM"
                | b"GIT_EXEC_PATH"
                | b"GIT_CEILING_DIRECTORIES"
        )
}

pub(super) fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// Waits until a child has exited, and leaves it to be reaped. False when it has not in time.
fn exit_within(pid: i32, limit: Duration) -> io::Result<bool> {
    let exit = ExitWatch::of(pid)?;
    let deadline = Instant::now() + limit;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(exit.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) if left.is_zero() => return Ok(false),
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reads a pipe to its end in a thread, so that git never waits for us. A byte more than is allowed
/// is kept, to tell.
fn collect(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    let read = move || {
        let mut bytes = Vec::new();
        let _ = (&mut pipe)
            .take(OUTPUT_MAX as u64 + 1)
            .read_to_end(&mut bytes);
        let _ = io::copy(&mut pipe, &mut io::sink());
        let _ = sender.send(bytes);
    };
    // Without a thread nothing is ever sent, and the answer counts as empty.
    let _ = thread::Builder::new()
        .name("git-output".to_owned())
        .stack_size(64 * 1024)
        .spawn(read);
    receiver
}

fn reason_of(stderr: &[u8], status: ExitStatus) -> String {
    let text = String::from_utf8_lossy(&stderr[..stderr.len().min(REASON_MAX)]);
    match text.trim() {
        "" => format!("git failed without a word: {status}"),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_is_not_done_in_time_is_ended() {
        let directory = tempfile::tempdir().unwrap();
        let git = Git {
            directory: directory.path(),
            trusted: None,
            hooks: false,
            limit: Duration::from_millis(50),
        };
        let endless = ["-c", "alias.endless=!exec sleep 1000", "endless"];
        let start = Instant::now();
        assert!(matches!(git.run(&endless), Err(GitError::Slow(_))));
        assert!(start.elapsed() < Duration::from_secs(100));
    }

    #[test]
    fn output_that_somebody_else_holds_open_is_not_awaited() {
        let directory = tempfile::tempdir().unwrap();
        let git = Git {
            directory: directory.path(),
            trusted: None,
            hooks: false,
            limit: CHANGE,
        };
        let script = "alias.leaves=!sleep 1000 & echo $! >leaver";
        let start = Instant::now();
        git.run(&["-c", script, "leaves"]).unwrap();
        assert!(start.elapsed() < Duration::from_secs(100));
        let pid = std::fs::read_to_string(directory.path().join("leaver")).unwrap();
        let pid = Pid::from_raw(pid.trim().parse().unwrap());
        nix::sys::signal::kill(pid, Signal::SIGKILL).unwrap();
    }

    #[test]
    fn what_another_repository_left_in_the_environment_does_not_count() {
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_CONFIG_COUNT",
        ] {
            assert!(is_of_one_repository(OsStr::new(name)));
        }
        for name in ["GIT_CONFIG_GLOBAL", "HOME", "PATH", "GITHUB_TOKEN"] {
            assert!(!is_of_one_repository(OsStr::new(name)));
        }
    }
}
