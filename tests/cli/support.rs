//! A private home for one test, the executable under both names, and a daemon that is only a socket.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// No command of these tests takes more than milliseconds; this is for a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// Directories and links of one test; gone with it.
pub struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["drover", "herdr", "other"] {
            symlink(env!("CARGO_BIN_EXE_drover"), directory.path().join(name)).expect("a link");
        }
        for name in ["run", "home", "tmp"] {
            std::fs::create_dir(directory.path().join(name)).expect("a directory");
        }
        Self { directory }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The protocol socket of a session, made ready to be bound.
    pub fn socket(&self, session: Option<&str>) -> PathBuf {
        let mut runtime = self.path().join("run/drover");
        if let Some(name) = session {
            runtime = runtime.join("sessions").join(name);
        }
        std::fs::create_dir_all(&runtime).expect("a directory");
        runtime.join("drover.sock.herdr")
    }

    /// The executable by one of its names, with nothing of the test's own environment.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.path().join(name));
        command
            .env_clear()
            .env("HOME", self.path().join("home"))
            .env("TMPDIR", self.path().join("tmp"))
            .env("XDG_RUNTIME_DIR", self.path().join("run"))
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    pub fn herdr(&self, words: &[&str]) -> End {
        run(self.command("herdr").args(words))
    }

    pub fn drover(&self, words: &[&str]) -> End {
        run(self.command("drover").args(words))
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

impl End {
    pub fn new(stdout: &str, stderr: &str, code: i32) -> Self {
        Self {
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            code: Some(code),
        }
    }
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
    let Output {
        status,
        stdout,
        stderr,
    } = match ended.recv_timeout(PATIENCE) {
        Ok(output) => output.expect("an ended process"),
        Err(_) => panic!("process {id} does not end: {command:?}"),
    };
    End {
        stdout: String::from_utf8(stdout).expect("text"),
        stderr: String::from_utf8(stderr).expect("text"),
        code: status.code(),
    }
}

type Answer = dyn Fn(&Value) -> String + Send;

/// A socket that records each request line and answers it; the thread ends with the value.
pub struct Daemon {
    path: PathBuf,
    lines: Arc<Mutex<Vec<String>>>,
    thread: Option<thread::JoinHandle<()>>,
    stop: Arc<Mutex<bool>>,
}

impl Daemon {
    /// Answers every request with this result and the request's own id.
    pub fn answering(path: &Path, result: Value) -> Self {
        Self::start(path, Box::new(move |request| result_line(request, &result)))
    }

    /// Answers every request with this line, whatever it says.
    pub fn saying(path: &Path, line: &str) -> Self {
        let line = line.to_owned();
        Self::start(path, Box::new(move |_| line.clone()))
    }

    /// Answers each request as the function says; no text closes the connection without an answer.
    pub fn start(path: &Path, answer: Box<Answer>) -> Self {
        let listener = UnixListener::bind(path).expect("a bound socket");
        let lines = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(Mutex::new(false));
        let thread = thread::spawn({
            let (lines, stop) = (lines.clone(), stop.clone());
            move || {
                for connection in listener.incoming() {
                    if *stop.lock().expect("lock") {
                        return;
                    }
                    serve(connection.expect("a connection"), &lines, &answer);
                }
            }
        });
        Self {
            path: path.to_owned(),
            lines,
            thread: Some(thread),
            stop,
        }
    }

    /// The request lines so far, newlines included.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("lock").clone()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        *self.stop.lock().expect("lock") = true;
        // Wakes the thread, which then sees the flag.
        let _ = UnixStream::connect(&self.path);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = std::fs::remove_file(&self.path);
    }
}

fn serve(stream: UnixStream, lines: &Mutex<Vec<String>>, answer: &Answer) {
    let mut line = String::new();
    let mut reader = BufReader::new(&stream);
    // A connection without a request is somebody looking whether there is a daemon.
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let request = serde_json::from_str(&line).unwrap_or(Value::Null);
    lines.lock().expect("lock").push(line);
    // A client may have given up already.
    let _ = (&stream).write_all(answer(&request).as_bytes());
}

/// A successful answer to a request.
pub fn result_line(request: &Value, result: &Value) -> String {
    format!("{}\n", json!({ "id": request["id"], "result": result }))
}

/// A refusal of a request.
pub fn error_line(request: &Value, code: &str, message: &str) -> String {
    let error = json!({ "code": code, "message": message });
    format!("{}\n", json!({ "id": request["id"], "error": error }))
}

/// Compares a text with the committed one; `DROVER_UPDATE_SNAPSHOTS=1` writes it instead.
pub fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("DROVER_UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(&path, text).expect("a written file");
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    if committed != text {
        let line = committed
            .lines()
            .zip(text.lines())
            .position(|(one, other)| one != other);
        let line = line.unwrap_or_else(|| committed.lines().count().min(text.lines().count()));
        panic!(
            "{name} differs from line {}: committed {:?}, now {:?}; \
             if that is meant, run the test with DROVER_UPDATE_SNAPSHOTS=1",
            line + 1,
            committed.lines().nth(line),
            text.lines().nth(line),
        );
    }
}
