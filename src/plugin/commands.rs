//! The commands of plugins while they run, and the log of those that ran.
//!
//! Each runs in a process group of its own, in its plugin's folder, without a shell; what it writes is
//! read to the end by a thread of its own, so that it never waits for us, and kept as far as a log
//! keeps it.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::output::Output;
use crate::api::ApiError;
use crate::api::records::{PluginCommandLogInfo, PluginCommandStatus};
use crate::sync::lock;
use crate::sys::{self, ExitWatch};

/// Commands that run at once (herdr 0.9.3).
pub const RUNNING_LIMIT: usize = 32;

/// Logs that are kept (herdr 0.9.3).
const LOGS: usize = 200;

/// How long output is still awaited once a command has exited: something that it left running may hold
/// the pipes.
const GRACE: Duration = Duration::from_millis(200);

/// How long commands have to end when the daemon does, before they are killed.
const FAREWELL: Duration = Duration::from_secs(1);

/// A command to run.
#[derive(Debug, Clone)]
pub struct Job {
    pub plugin_id: String,
    pub action_id: Option<String>,
    /// The event, or `startup`.
    pub event: Option<String>,
    /// A program and its arguments.
    pub command: Vec<String>,
    pub directory: PathBuf,
    /// Its whole environment.
    pub variables: Vec<(OsString, OsString)>,
}

/// A daemon's commands.
#[derive(Debug, Default)]
pub struct Commands {
    /// Innermost: nothing is locked under it.
    state: Mutex<State>,
    /// Notified when a command has ended.
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// By the number of their log: the leader of each one's group; none until it is started.
    running: BTreeMap<u64, Option<Leader>>,
    logs: VecDeque<(u64, PluginCommandLogInfo)>,
    /// Logs there were.
    count: u64,
    stopping: bool,
}

/// A process that leads the group of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Leader {
    pid: i32,
    started: Option<u64>,
}

impl Commands {
    /// Starts a command; its log as of now.
    ///
    /// # Errors
    /// `plugin_command_limit_reached`; `server_unavailable` when the daemon ends. That a command cannot
    /// be started is told by its log.
    pub fn start(self: &Arc<Commands>, job: Job) -> Result<PluginCommandLogInfo, ApiError> {
        let number = self.reserve(&job)?;
        match spawn(&job) {
            Ok(child) => self.watch(number, child),
            Err(error) => {
                let program = job.command.first().map_or("", String::as_str);
                self.finish(number, |log| {
                    log.error = Some(format!("{program} cannot be started: {error}"));
                });
            }
        }
        let state = lock(&self.state);
        let log = state.logs.iter().find(|(known, _)| *known == number);
        log.map(|(_, log)| log.clone())
            .ok_or_else(|| ApiError::internal("the log of a command is gone already"))
    }

    /// Waits until fewer commands run than may, or the daemon ends.
    pub fn wait_for_room(&self) {
        let mut state = lock(&self.state);
        while !state.stopping && state.running.len() >= RUNNING_LIMIT {
            let waited = self.ended.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Logs something that was to run and did not.
    pub fn note(&self, plugin_id: &str, event: &str, why: String) {
        let now = now_ms();
        lock(&self.state).push(PluginCommandLogInfo {
            log_id: String::new(),
            plugin_id: plugin_id.to_owned(),
            action_id: None,
            event: Some(event.to_owned()),
            command: Vec::new(),
            status: PluginCommandStatus::Failed,
            started_unix_ms: now,
            finished_unix_ms: Some(now),
            exit_code: None,
            stdout: None,
            stderr: None,
            error: Some(why),
        });
    }

    /// The latest logs, of one plugin or of all, the newest last.
    pub fn logs(&self, plugin_id: Option<&str>, limit: usize) -> Vec<PluginCommandLogInfo> {
        let state = lock(&self.state);
        let of = |log: &&PluginCommandLogInfo| plugin_id.is_none_or(|id| log.plugin_id == id);
        let logs = state.logs.iter().map(|(_, log)| log);
        let mut logs: Vec<_> = logs.rev().filter(of).take(limit).cloned().collect();
        logs.reverse();
        logs
    }

    /// Whether a process is the leader of a command's group, or in such a group.
    pub fn has(&self, pid: i32, group: i32, started: u64) -> bool {
        let state = lock(&self.state);
        state.running.values().flatten().any(|leader| {
            // A number that is another's by now came with a later start, and a group keeps its own.
            let is_leader = pid == leader.pid && leader.started == Some(started);
            is_leader || (group == leader.pid && leader.started.is_some_and(|of| started >= of))
        })
    }

    /// Ends all commands, and starts none any more. Waits for them a moment.
    pub fn stop(&self) {
        let mut state = lock(&self.state);
        state.stopping = true;
        self.ended.notify_all();
        state.signal(Signal::SIGTERM);
        let deadline = Instant::now() + FAREWELL;
        while !state.running.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.signal(Signal::SIGKILL);
                return;
            }
            let waited = self.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn reserve(&self, job: &Job) -> Result<u64, ApiError> {
        let mut state = lock(&self.state);
        if state.stopping {
            return Err(ApiError::new(
                "server_unavailable",
                "server is shutting down",
            ));
        }
        if state.running.len() >= RUNNING_LIMIT {
            return Err(ApiError::new(
                "plugin_command_limit_reached",
                format!("maximum concurrent plugin commands reached ({RUNNING_LIMIT})"),
            ));
        }
        let number = state.push(PluginCommandLogInfo {
            log_id: String::new(),
            plugin_id: job.plugin_id.clone(),
            action_id: job.action_id.clone(),
            event: job.event.clone(),
            command: job.command.clone(),
            status: PluginCommandStatus::Running,
            started_unix_ms: now_ms(),
            finished_unix_ms: None,
            exit_code: None,
            stdout: None,
            stderr: None,
            error: None,
        });
        state.running.insert(number, None);
        Ok(number)
    }

    /// Has a thread of its own follow a command to its end.
    fn watch(self: &Arc<Commands>, number: u64, child: Child) {
        let pid = child.id() as i32;
        let leader = Leader {
            pid,
            started: sys::process_facts(pid).map(|facts| facts.started),
        };
        let mut state = lock(&self.state);
        state.running.insert(number, Some(leader));
        if state.stopping {
            state.signal(Signal::SIGKILL);
        }
        drop(state);
        let commands = Arc::clone(self);
        let child = Arc::new(Mutex::new(Some(child)));
        let taken = Arc::clone(&child);
        let thread = thread::Builder::new()
            .name("plugin-command".to_owned())
            .stack_size(128 * 1024)
            .spawn(move || {
                if let Some(child) = lock(&taken).take() {
                    commands.follow(number, child);
                }
            });
        if let Err(error) = thread {
            let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
            self.finish(number, |log| {
                log.error = Some(format!("there is no thread to follow it: {error}"));
            });
            if let Some(mut child) = lock(&child).take() {
                let _ = child.wait();
            }
        }
    }

    fn follow(&self, number: u64, mut child: Child) {
        let (output, errors, lost) = read_to_end(&mut child);
        // From here on nobody signals a group whose number may soon be another's.
        lock(&self.state).running.insert(number, None);
        let ended = child.wait();
        self.finish(number, |log| {
            log.stdout = Some(output.text());
            log.stderr = Some(errors.text());
            match (ended, lost) {
                (_, Err(error)) => log.error = Some(format!("it was lost: {error}")),
                (Err(error), _) => log.error = Some(format!("its end is not known: {error}")),
                (Ok(status), Ok(())) => {
                    log.exit_code = status.code();
                    log.error = why_failed(status);
                    if status.success() {
                        log.status = PluginCommandStatus::Succeeded;
                    }
                }
            }
        });
    }

    fn finish(&self, number: u64, tell: impl FnOnce(&mut PluginCommandLogInfo)) {
        let mut state = lock(&self.state);
        state.running.remove(&number);
        if let Some((_, log)) = state.logs.iter_mut().find(|(known, _)| *known == number) {
            log.status = PluginCommandStatus::Failed;
            log.finished_unix_ms = Some(now_ms());
            tell(log);
        }
        drop(state);
        self.ended.notify_all();
    }
}

impl State {
    /// Keeps a log, in the place of the oldest if there are many; its number.
    fn push(&mut self, mut log: PluginCommandLogInfo) -> u64 {
        self.count += 1;
        log.log_id = format!("plugin-log-{}", self.count);
        if self.logs.len() == LOGS {
            // One that runs is told of in the end; there are fewer of those than logs.
            let oldest = self
                .logs
                .iter()
                .position(|(number, _)| !self.running.contains_key(number));
            self.logs.remove(oldest.unwrap_or(0));
        }
        self.logs.push_back((self.count, log));
        self.count
    }

    fn signal(&self, signal: Signal) {
        for leader in self.running.values().flatten() {
            // It leads its group and is not reaped, or it would not be here.
            let _ = killpg(Pid::from_raw(leader.pid), signal);
        }
    }
}

fn spawn(job: &Job) -> io::Result<Child> {
    let [program, arguments @ ..] = &job.command[..] else {
        return Err(io::Error::other("it has no words"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&job.directory)
        .env_clear()
        .envs(job.variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    sys::make_like_us(&mut command);
    command.spawn()
}

/// Reads what a command writes until it has exited and its pipes are closed, or nothing comes for a
/// while after the exit.
fn read_to_end(child: &mut Child) -> (Output, Output, io::Result<()>) {
    let (mut output, mut errors) = (Output::default(), Output::default());
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let exit = match ExitWatch::of(child.id() as i32) {
        Ok(exit) => exit,
        Err(error) => {
            let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
            return (output, errors, Err(error));
        }
    };
    let mut end: Option<Instant> = None;
    let mut bytes = [0; 8192];
    while end.is_none() || stdout.is_some() || stderr.is_some() {
        let timeout = match end {
            None => PollTimeout::NONE,
            Some(end) => {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
            }
        };
        let mut sources = Vec::with_capacity(3);
        if let Some(pipe) = &stdout {
            sources.push((0, PollFd::new(pipe.as_fd(), PollFlags::POLLIN)));
        }
        if let Some(pipe) = &stderr {
            sources.push((1, PollFd::new(pipe.as_fd(), PollFlags::POLLIN)));
        }
        if end.is_none() {
            sources.push((2, PollFd::new(exit.as_fd(), PollFlags::POLLIN)));
        }
        let mut polled: Vec<PollFd<'_>> = sources.iter().map(|(_, fd)| fd.clone()).collect();
        match poll(&mut polled, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return (output, errors, Err(error.into())),
        }
        let ready = |fd: &PollFd<'_>| fd.revents().is_some_and(|events| !events.is_empty());
        let ready: Vec<i32> = sources
            .iter()
            .zip(&polled)
            .filter(|(_, fd)| ready(fd))
            .map(|((which, _), _)| *which)
            .collect();
        for which in ready {
            match which {
                0 => take(&mut stdout, &mut bytes, &mut output),
                1 => take(&mut stderr, &mut bytes, &mut errors),
                _ => end = Some(Instant::now() + GRACE),
            }
        }
    }
    (output, errors, Ok(()))
}

/// Takes what a pipe has, which is ready; takes the pipe away at its end.
fn take(pipe: &mut Option<impl Read>, bytes: &mut [u8], output: &mut Output) {
    let Some(open) = pipe else { return };
    match open.read(bytes) {
        Ok(0) => *pipe = None,
        Ok(count) => output.push(&bytes[..count]),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(_) => *pipe = None,
    }
}

/// Why a command failed, where its exit code does not say.
fn why_failed(status: ExitStatus) -> Option<String> {
    status
        .signal()
        .map(|signal| format!("it was ended by signal {signal}"))
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(script: &str) -> Job {
        Job {
            plugin_id: "p".to_owned(),
            action_id: Some("a".to_owned()),
            event: None,
            command: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
            directory: PathBuf::from("/"),
            variables: vec![("PATH".into(), "/usr/bin:/bin".into())],
        }
    }

    /// The log of a command once it has ended.
    fn ended(commands: &Commands, id: &str) -> PluginCommandLogInfo {
        let deadline = Instant::now() + Duration::from_secs(30);
        let mut state = lock(&commands.state);
        loop {
            let log = state.logs.iter().find(|(_, log)| log.log_id == id);
            let log = log.map(|(_, log)| log.clone()).expect("a log");
            if log.status != PluginCommandStatus::Running {
                return log;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{log:?}");
            state = commands.ended.wait_timeout(state, left).unwrap().0;
        }
    }

    #[test]
    fn a_command_is_running_and_then_what_became_of_it_is_known() {
        let commands = Arc::new(Commands::default());
        let log = commands
            .start(job("echo out; echo err >&2; exit 3"))
            .unwrap();
        assert_eq!(log.log_id, "plugin-log-1");
        let log = ended(&commands, &log.log_id);
        assert_eq!(
            (log.status, log.exit_code),
            (PluginCommandStatus::Failed, Some(3))
        );
        assert_eq!(log.stdout.as_deref(), Some("out\n"));
        assert_eq!(log.stderr.as_deref(), Some("err\n"));
        let fine = commands.start(job("pwd")).unwrap();
        let fine = ended(&commands, &fine.log_id);
        assert_eq!(fine.status, PluginCommandStatus::Succeeded);
        assert_eq!(fine.stdout.as_deref(), Some("/\n"));
    }

    #[test]
    fn a_command_that_cannot_be_started_says_why() {
        let commands = Arc::new(Commands::default());
        let nothing = Job {
            command: vec!["/nonexistent/program".to_owned()],
            ..job("")
        };
        let log = commands.start(nothing).unwrap();
        assert_eq!(log.status, PluginCommandStatus::Failed);
        let why = log.error.unwrap();
        assert!(
            why.starts_with("/nonexistent/program cannot be started: "),
            "{why}"
        );
    }

    #[test]
    fn what_a_command_leaves_running_is_not_waited_for_and_floods_are_cut() {
        let commands = Arc::new(Commands::default());
        let script = "sleep 1000 & echo $!; head -c 1000000 /dev/zero | tr '\\0' x";
        let log = commands.start(job(script)).unwrap();
        let log = ended(&commands, &log.log_id);
        let text = log.stdout.unwrap();
        let pid: i32 = text.lines().next().unwrap().parse().unwrap();
        nix::sys::signal::kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
        assert_eq!(log.status, PluginCommandStatus::Succeeded);
        assert!(text.len() < 70_000 && text.contains("more bytes are not kept"));
    }

    #[test]
    fn as_many_run_as_may_and_all_end_with_the_daemon() {
        let commands = Arc::new(Commands::default());
        let endless = || commands.start(job("trap '' TERM; echo; sleep 1000"));
        let logs: Vec<_> = (0..RUNNING_LIMIT).map(|_| endless().unwrap()).collect();
        assert_eq!(endless().unwrap_err().code, "plugin_command_limit_reached");
        commands.stop();
        for log in logs {
            let log = ended(&commands, &log.log_id);
            assert_eq!(log.status, PluginCommandStatus::Failed);
            assert_eq!(log.error.as_deref(), Some("it was ended by signal 9"));
        }
        assert_eq!(endless().unwrap_err().code, "server_unavailable");
        commands.wait_for_room();
    }

    #[test]
    fn the_newest_logs_are_kept_and_those_of_running_commands() {
        let commands = Arc::new(Commands::default());
        let first = commands.start(job("sleep 1000")).unwrap();
        for number in 0..LOGS + 5 {
            commands.note("q", "tab.created", format!("{number}"));
        }
        let logs = commands.logs(None, usize::MAX);
        assert_eq!((logs.len(), &logs[0].log_id), (LOGS, &first.log_id));
        let newest = commands.logs(Some("q"), 2);
        let why: Vec<_> = newest
            .iter()
            .filter_map(|log| log.error.as_deref())
            .collect();
        assert_eq!(why, ["203", "204"]);
        assert_eq!(commands.logs(Some("p"), 50).len(), 1);
        commands.stop();
    }

    #[test]
    fn a_process_of_a_command_is_known_while_the_command_runs() {
        let commands = Arc::new(Commands::default());
        let log = commands.start(job("read x; exit")).unwrap();
        ended(&commands, &log.log_id);
        let log = commands.start(job("exec sleep 1000")).unwrap();
        let leader = lock(&commands.state)
            .running
            .values()
            .flatten()
            .next()
            .copied();
        let leader = leader.unwrap();
        let started = leader.started.unwrap();
        assert!(commands.has(leader.pid, leader.pid, started));
        assert!(
            commands.has(1, leader.pid, started + 1),
            "a member of the group"
        );
        assert!(
            !commands.has(leader.pid, 1, started + 1),
            "another with the number"
        );
        assert!(!commands.has(1, 1, started));
        commands.stop();
        ended(&commands, &log.log_id);
        assert!(!commands.has(leader.pid, leader.pid, started));
    }
}
