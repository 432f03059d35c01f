//! A real daemon for a test: its own directories, its sockets, and an end that comes however the test ends.

mod cells;
mod connection;
mod pane;
mod person;
mod stand_in;
mod stopwatch;
mod stream;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use drover::sys;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

pub use cells::seen;
pub use connection::Connection;
pub use person::Person;
pub use stopwatch::Stopwatch;
pub use stream::{EVERYTHING, Stream, names};

/// Everything here takes milliseconds; this is for a machine that is busy with other things.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How often to look for what nothing tells: seldom enough to leave the processor to the daemon.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// Looks until there is something, and fails the test when that does not come.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        thread::sleep(BETWEEN_LOOKS);
    }
}

/// Looks until it is so.
pub fn until_true(what: &str, mut look: impl FnMut() -> bool) {
    until(what, || look().then_some(()));
}

/// The executable that is tested: the one that was built with the tests, or the one that `DROVER_EXE` names, such as a
/// release build whose figures are wanted.
pub fn executable() -> PathBuf {
    let other = std::env::var_os("DROVER_EXE").map(PathBuf::from);
    let path = other.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_drover")));
    std::fs::canonicalize(path).expect("an executable")
}

/// Directories of one test, gone with the last daemon and with it.
#[derive(Clone)]
pub struct Home {
    directory: Arc<tempfile::TempDir>,
}

impl Home {
    pub fn new() -> Home {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["home", "run", "tmp", "config", "state", "bin"] {
            std::fs::create_dir(directory.path().join(name)).expect("a directory");
        }
        // As a runtime directory is.
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(directory.path().join("run"), private).expect("permissions");
        symlink(executable(), directory.path().join("drover")).expect("a link");
        let home = Home {
            directory: Arc::new(directory),
        };
        home.configure("");
        home
    }

    /// A file or directory of this test, as the kernel names it.
    pub fn path(&self, name: &str) -> PathBuf {
        let root = std::fs::canonicalize(self.directory.path()).expect("a path");
        if name.is_empty() {
            root
        } else {
            root.join(name)
        }
    }

    /// The protocol socket of the default session.
    pub fn socket(&self) -> PathBuf {
        self.path("run/drover/drover.sock.herdr")
    }

    /// A program with nothing of this test's own environment.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.path("home"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("TMPDIR", self.path("tmp"))
            .env("SHELL", "/bin/sh")
            // Scripts that a test puts there are found first.
            .env(
                "PATH",
                format!(
                    "{}:/usr/local/bin:/usr/bin:/bin",
                    self.path("bin").display()
                ),
            )
            .current_dir(self.path("home"))
            .stdin(Stdio::null());
        command
    }

    /// Runs `drover` to its end.
    pub fn drover(&self, words: &[&str]) -> End {
        run(self.command(&self.path("drover")).args(words))
    }

    /// Runs `herdr`, by the link that the daemon made, to its end.
    pub fn herdr(&self, words: &[&str]) -> End {
        run(self.command(&self.path("run/drover/bin/herdr")).args(words))
    }

    /// Writes the configuration file. A test stands outside every pane and reports for panes all
    /// the same, as herdr lets it; one that says something about authority is on its own.
    pub fn configure(&self, text: &str) {
        let reports = if text.contains("authority") {
            ""
        } else {
            "authority.reports = \"same-user\"\n"
        };
        std::fs::create_dir_all(self.path("config/drover")).expect("a directory");
        let text = format!("{reports}{text}");
        std::fs::write(self.path("config/drover/config.toml"), text).expect("a file");
    }

    /// Puts a program on `PATH`.
    pub fn script(&self, name: &str, text: &str) {
        let path = self.path("bin").join(name);
        std::fs::write(&path, text).expect("a file");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(path, executable).expect("permissions");
    }
}

/// How a process ended.
#[derive(Debug, PartialEq, Eq)]
pub struct End {
    pub stdout: String,
    pub stderr: String,
    /// None: ended by a signal.
    pub code: Option<i32>,
}

/// Runs to the end, or fails the test when that does not come.
pub fn run(command: &mut Command) -> End {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a started process");
    let id = child.id();
    let (done, ended) = std::sync::mpsc::channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(PATIENCE) else {
        panic!("process {id} does not end: {command:?}");
    };
    let Output {
        status,
        stdout,
        stderr,
    } = output.expect("an ended process");
    End {
        stdout: String::from_utf8(stdout).expect("text"),
        stderr: String::from_utf8(stderr).expect("text"),
        code: status.code(),
    }
}

/// What a daemon is started with.
pub struct Setup {
    home: Home,
    words: Vec<String>,
    variables: Vec<(String, String)>,
    umask: Option<&'static str>,
}

impl Setup {
    pub fn new() -> Setup {
        Setup::at(Home::new())
    }

    pub fn at(home: Home) -> Setup {
        Setup {
            home,
            words: vec!["serve".to_owned()],
            variables: Vec::new(),
            umask: None,
        }
    }

    pub fn config(self, text: &str) -> Setup {
        self.home.configure(text);
        self
    }

    pub fn word(mut self, word: &str) -> Setup {
        self.words.push(word.to_owned());
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> Setup {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn umask(mut self, umask: &'static str) -> Setup {
        self.umask = Some(umask);
        self
    }

    /// Starts the daemon and waits for its ready line.
    pub fn start(self) -> Daemon {
        let mut command = match self.umask {
            None => self.home.command(&self.home.path("drover")),
            Some(umask) => {
                let mut shell = self.home.command(Path::new("/bin/sh"));
                let script = format!("umask {umask}; exec \"$0\" \"$@\"");
                shell.args(["-c", &script]).arg(self.home.path("drover"));
                shell
            }
        };
        command.args(&self.words).envs(self.variables);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a started daemon");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let mut daemon = Daemon {
            home: self.home,
            child: Some(child),
            log: log.clone(),
            ready: String::new(),
        };
        let (is_ready, ready) = std::sync::mpsc::channel();
        // Reads to the end, so that the daemon never waits for room in the pipe.
        thread::spawn(move || {
            while let Some(Ok(line)) = lines.next() {
                if line.starts_with("drover is ready") {
                    let _ = is_ready.send(line.clone());
                }
                *log.lock().expect("lock") += &(line + "\n");
            }
        });
        daemon.ready = ready
            .recv_timeout(PATIENCE)
            .expect("a daemon that is ready");
        daemon
    }
}

/// A running daemon.
pub struct Daemon {
    pub home: Home,
    child: Option<Child>,
    log: Arc<Mutex<String>>,
    /// What it said when it was ready.
    pub ready: String,
}

impl Daemon {
    pub fn start() -> Daemon {
        Setup::new().start()
    }

    /// A daemon that somebody else starts and ends, such as a service manager.
    pub fn of_another(home: Home) -> Daemon {
        Daemon {
            home,
            child: None,
            log: Arc::default(),
            ready: String::new(),
        }
    }

    pub fn pid(&self) -> i32 {
        let child = self.child.as_ref().expect("a running daemon");
        child.id().try_into().expect("a process number")
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("lock").clone()
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid()), signal).expect("a signalled daemon");
    }

    /// Waits for its end; the exit code, or minus the signal that ended it.
    pub fn wait(&mut self) -> i32 {
        let child = self.child.as_mut().expect("a running daemon");
        let status = until("the daemon's end", || child.try_wait().expect("a child"));
        self.child = None;
        status
            .code()
            .unwrap_or_else(|| -status.signal().unwrap_or_default())
    }

    /// Ends the daemon with a signal, both halves of it; its directories, for the next one.
    pub fn ended_by(mut self, signal: Signal) -> Home {
        if signal == Signal::SIGKILL {
            self.kill_both();
        } else {
            self.signal(signal);
            self.wait();
        }
        self.home.clone()
    }

    pub fn connect(&self) -> Connection {
        Connection::open(&self.home.socket())
    }

    /// Sends these bytes and nothing more; everything that comes back until the daemon closes.
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut connection = self.connect();
        connection.send(bytes);
        connection.rest()
    }

    /// One request by the rules every client goes by: one line out, one line back, closed. The
    /// answer as it is.
    pub fn rpc(&self, method: &str, params: Value) -> Value {
        let id = format!("test:{method}");
        let request = json!({ "id": id, "method": method, "params": params });
        let bytes = self.raw(format!("{request}\n").as_bytes());
        let text = String::from_utf8(bytes).expect("text");
        let line = text
            .strip_suffix('\n')
            .unwrap_or_else(|| panic!("no whole line for {request}: {text:?}"));
        let answer: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{text:?}"));
        let members: Vec<_> = answer.as_object().expect("an object").keys().collect();
        assert_eq!(members.len(), 2, "two members and no more: {answer}");
        assert_eq!(answer["id"], id.as_str());
        answer
    }

    /// The result of a request that must succeed.
    pub fn result(&self, method: &str, params: Value) -> Value {
        let answer = self.rpc(method, params.clone());
        let result = answer.get("result").cloned();
        let result = result.unwrap_or_else(|| panic!("{method} {params}: {answer}"));
        assert!(result["type"].is_string(), "{answer}");
        result
    }

    /// The code and the message of a request that must be refused.
    pub fn refusal(&self, method: &str, params: Value) -> (String, String) {
        let answer = self.rpc(method, params.clone());
        let error = answer["error"].as_object();
        let error = error.unwrap_or_else(|| panic!("{method} {params}: {answer}"));
        assert_eq!(error.len(), 2, "{answer}");
        let text = |member: &str| error[member].as_str().expect("text").to_owned();
        (text("code"), text("message"))
    }

    /// The same, compared.
    #[track_caller]
    pub fn refuses(&self, method: &str, params: Value, code: &str, message: &str) {
        let refusal = self.refusal(method, params.clone());
        assert_eq!(
            (refusal.0.as_str(), refusal.1.as_str()),
            (code, message),
            "{method} {params}"
        );
    }

    /// Starts a subscription to lifecycle events by name and to whole entries.
    pub fn subscribe(&self, entries: Value) -> Stream {
        Stream::open(self, entries)
    }

    /// A subscription to every lifecycle event, and to the status of these panes.
    pub fn subscribe_to_everything(&self, panes: &[&str]) -> Stream {
        let mut entries: Vec<Value> = EVERYTHING
            .iter()
            .map(|kind| json!({ "type": kind }))
            .collect();
        entries.extend(
            panes
                .iter()
                .map(|pane| json!({ "type": "pane.agent_status_changed", "pane_id": pane })),
        );
        self.subscribe(json!(entries))
    }

    pub fn herdr(&self, words: &[&str]) -> End {
        self.home.herdr(words)
    }
}

/// The two halves of a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Keeper,
    Worker,
}

impl Home {
    /// The processes of this test's daemons, whoever started them.
    pub fn halves(&self) -> Vec<(Half, i32)> {
        let group = nix::unistd::getpgrp().as_raw();
        let run = self.path("run").display().to_string();
        let half = |pid: i32| {
            let words = sys::process_arguments(pid, 4096)?;
            if !words.iter().any(|word| word == "serve" || word == "server") {
                return None;
            }
            if sys::process_variable(pid, "XDG_RUNTIME_DIR")? != run {
                return None;
            }
            let worker = words.last().is_some_and(|word| word == "--worker");
            Some((if worker { Half::Worker } else { Half::Keeper }, pid))
        };
        // All tests of this program and their daemons are in one group.
        sys::group_members(1, group, usize::MAX)
            .into_iter()
            .filter_map(half)
            .collect()
    }

    /// The process number of one half, once there is exactly one of them.
    pub fn half(&self, wanted: Half) -> i32 {
        until("one such process", || {
            let halves = self.halves();
            let mut found = halves.iter().filter(|(half, _)| *half == wanted);
            match (found.next(), found.next()) {
                (Some((_, pid)), None) => Some(*pid),
                _ => None,
            }
        })
    }
}

impl Daemon {
    /// Ends one half without a warning, and waits until it is gone.
    pub fn kill(&mut self, half: Half) {
        self.kill_process(self.home.half(half));
    }

    /// The same, of a half whose process number is known.
    pub fn kill_process(&mut self, pid: i32) {
        kill(Pid::from_raw(pid), Signal::SIGKILL).expect("a killed process");
        self.was_killed(pid);
    }

    /// Waits until a half that was killed is gone.
    pub fn was_killed(&mut self, pid: i32) {
        if self
            .child
            .as_ref()
            .is_some_and(|child| child.id() == pid.cast_unsigned())
        {
            assert_eq!(self.wait(), -9);
        }
        until_true("its end", || {
            sys::process_facts(pid).is_none_or(|facts| facts.zombie)
        });
    }
}

impl Daemon {
    /// Ends both halves without a warning, so that neither starts the other again.
    pub fn kill_both(&mut self) {
        // A stopped one does not see the end of the other.
        let keeper = Pid::from_raw(self.home.half(Half::Keeper));
        kill(keeper, Signal::SIGSTOP).expect("a stopped process");
        self.kill(Half::Worker);
        self.kill(Half::Keeper);
    }
}

impl Daemon {
    /// Waits until neither half has run for `time`.
    pub fn rests_for(&self, time: Duration) {
        let switches = || -> u64 {
            let halves = [Half::Keeper, Half::Worker].map(|half| self.home.half(half));
            halves.iter().map(|pid| context_switches(*pid)).sum()
        };
        let deadline = Instant::now() + PATIENCE.max(time * 3);
        loop {
            let (began, before) = (Instant::now(), switches());
            while began.elapsed() < time {
                thread::park_timeout(time - began.elapsed());
            }
            if switches() == before {
                return;
            }
            assert!(Instant::now() < deadline, "it never rests for {time:?}");
        }
    }
}

/// How often the threads of a process were taken off their cores.
fn context_switches(pid: i32) -> u64 {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return 0;
    };
    threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("status")).ok())
        .flat_map(|status| {
            status
                .lines()
                .filter_map(|line| line.split_once("ctxt_switches:")?.1.trim().parse().ok())
                .collect::<Vec<u64>>()
        })
        .sum()
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end();
        // Halves that another half has started are nobody's children here.
        let deadline = Instant::now() + PATIENCE;
        loop {
            let halves = self.home.halves();
            if halves.is_empty() {
                break;
            }
            let late = Instant::now() > deadline;
            for (half, pid) in halves {
                let signal = match half {
                    _ if late => Signal::SIGKILL,
                    Half::Keeper => Signal::SIGTERM,
                    Half::Worker => continue,
                };
                let _ = kill(Pid::from_raw(pid), signal);
            }
            thread::sleep(BETWEEN_LOOKS * 20);
        }
        if thread::panicking() {
            eprintln!("the daemon's log:\n{}", self.log());
        }
    }
}

impl Daemon {
    fn end(&mut self) {
        if let Some(child) = &mut self.child {
            let pid = Pid::from_raw(child.id().try_into().expect("a process number"));
            let _ = kill(pid, Signal::SIGTERM);
            let deadline = Instant::now() + PATIENCE;
            while child.try_wait().is_ok_and(|status| status.is_none()) {
                if Instant::now() > deadline {
                    let _ = child.kill();
                    let _ = child.wait();
                }
                thread::sleep(BETWEEN_LOOKS);
            }
        }
    }
}
