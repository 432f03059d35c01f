//! The daemon under test, in directories of its own.

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::process::{self, Usage};
use crate::wire::{self, Client};

/// Time until the socket is there.
const START_TIME: Duration = Duration::from_secs(20);

/// Time for a stop in order; a daemon that takes longer is killed.
const STOP_TIME: Duration = Duration::from_secs(10);

/// A time without one context switch after which the daemon counts as settled: above the interval
/// of any look that follows output.
const QUIET: Duration = Duration::from_secs(2);

/// How long the daemon may take to settle.
const SETTLE_TIME: Duration = Duration::from_secs(60);

/// A running `drover serve`; stopped with the value.
pub struct Daemon {
    home: tempfile::TempDir,
    process: Child,
    executable: PathBuf,
}

impl Daemon {
    pub fn start(executable: &Path) -> Result<Daemon> {
        let home = tempfile::tempdir()?;
        for name in ["run", "tmp", "work"] {
            std::fs::create_dir(home.path().join(name))?;
        }
        // Reports come from here, which is in no pane.
        std::fs::create_dir_all(home.path().join("config/drover"))?;
        let config = home.path().join("config/drover/config.toml");
        std::fs::write(config, "authority.reports = \"same-user\"\n")?;
        let mut command = Command::new(executable);
        private(&mut command, home.path());
        let log = home.path().join("log");
        let process = command
            .arg("serve")
            .current_dir(home.path().join("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log)?)
            .spawn()
            .with_context(|| format!("starting {}", executable.display()))?;
        let mut daemon = Daemon {
            home,
            process,
            executable: executable.canonicalize()?,
        };
        let deadline = Instant::now() + START_TIME;
        while let Err(error) = UnixStream::connect(daemon.socket()) {
            if daemon.process.try_wait()?.is_some() || Instant::now() > deadline {
                let log = std::fs::read_to_string(&log).unwrap_or_default();
                bail!("the daemon does not start: {error}\n{log}");
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(daemon)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The socket with herdr's protocol.
    pub fn socket(&self) -> PathBuf {
        self.path("run/drover/drover.sock.herdr")
    }

    pub fn client(&self) -> Client {
        Client::new(&self.socket())
    }

    /// The executable by the name `herdr`, as a hook in a pane calls it.
    pub fn herdr(&self) -> Command {
        let mut command = Command::new(self.path("run/drover/bin/herdr"));
        private(&mut command, self.home.path());
        command
            .env("HERDR_ENV", "1")
            .env("HERDR_SOCKET_PATH", self.socket());
        command
    }

    /// The result of one request whose time does not matter.
    pub fn call(&self, method: &str, params: &Value) -> Result<Value> {
        let mut client = self.client();
        client
            .exchange(&wire::line(method, params), Duration::ZERO)
            .with_context(|| method.to_owned())?;
        let mut answer: Value = serde_json::from_str(&client.answer())?;
        Ok(answer["result"].take())
    }

    /// Creates `count` panes, each in a tab of its own as agents have them; their ids.
    pub fn panes(&self, count: usize) -> Result<Vec<String>> {
        let mut panes = Vec::new();
        for number in 0..count {
            let created = if number == 0 {
                self.call("workspace.create", &json!({"focus": true}))?
            } else {
                self.call("tab.create", &json!({}))?
            };
            let pane = created["root_pane"]["pane_id"].as_str();
            panes.push(pane.context("a created pane has an id")?.to_owned());
        }
        Ok(panes)
    }

    /// Types a line into a pane.
    pub fn type_line(&self, pane: &str, text: &str) -> Result<()> {
        let params = json!({"pane_id": pane, "text": text, "keys": ["enter"]});
        self.call("pane.send_input", &params).map(drop)
    }

    /// Waits until a pane's text contains `words`.
    pub fn wait_for(&self, pane: &str, words: &str) -> Result<()> {
        let time = wire::PATIENCE.as_millis();
        let matcher = json!({"type": "substring", "value": words});
        let params =
            json!({"pane_id": pane, "source": "recent", "match": matcher, "timeout_ms": time});
        self.call("pane.wait_for_output", &params).map(drop)
    }

    /// What all processes of the daemon, but not those in its panes, have used so far.
    pub fn usage(&self) -> Result<Usage> {
        let mut sum = Usage::default();
        for pid in self.processes()? {
            sum += Usage::of(pid)?;
        }
        Ok(sum)
    }

    /// Memory of all processes of the daemon, in bytes, shared pages counted in parts (PSS).
    pub fn memory(&self) -> Result<f64> {
        let mut sum = 0.0;
        for pid in self.processes()? {
            sum += process::proportional_set(pid)?;
        }
        Ok(sum)
    }

    fn processes(&self) -> Result<Vec<u32>> {
        process::tree(self.process.id(), &self.executable)
    }

    /// Waits until the daemon does nothing any more.
    pub fn settle(&self) -> Result<()> {
        let deadline = Instant::now() + SETTLE_TIME;
        let mut last = self.usage()?;
        loop {
            std::thread::sleep(QUIET);
            let usage = self.usage()?;
            if usage.switches == last.switches {
                return Ok(());
            }
            if Instant::now() > deadline {
                eprintln!("note: the daemon never settles; the figure is of one that is at work");
                return Ok(());
            }
            last = usage;
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Ok(pid) = i32::try_from(self.process.id()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        let deadline = Instant::now() + STOP_TIME;
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Gives a command nothing of this process's environment, and `home` to live in.
fn private(command: &mut Command, home: &Path) {
    command
        .env_clear()
        .env("HOME", home)
        .env("TMPDIR", home.join("tmp"))
        .env("XDG_RUNTIME_DIR", home.join("run"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("SHELL", "/bin/sh")
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
}
