//! A daemon's state without its sockets: a workspace of one pane in which `cat` runs, so that whatever is typed there
//! is shown and nothing of it is ever run.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drover::api::envelope::{self, Request};
use drover::config::{Config, ReportAuthority};
use drover::method::{Call, Door, dispatch};
use drover::pane::process::Own;
use drover::state::{Caller, Identity, Launch, Limits, Shared, Slots, Stop};
use drover::sys;

/// Panes there may be: each is a process.
const PANES: u64 = 5;

pub struct House {
    shared: Arc<Shared>,
    /// A client that has gone, so that a wait ends at once and a stream finds nobody.
    gone: UnixStream,
}

impl House {
    pub fn new() -> House {
        let nowhere = PathBuf::from("/nonexistent/drover");
        let identity = Identity {
            session: Default::default(),
            protocol_socket: nowhere.join("drover.sock.herdr"),
            herdr_executable: nowhere.join("herdr"),
            link_dir: None,
            config_file: nowhere.join("config.toml"),
            manifests: Default::default(),
            plugins: Default::default(),
            home: Some(PathBuf::from("/")),
            start_dir: PathBuf::from("/"),
        };
        let mut config = Config::default();
        config.terminal.default_shell = "/bin/cat".to_owned();
        config.limits.panes = PANES;
        config.authority.reports = ReportAuthority::Any;
        let slots = Slots::new(Limits::from(&config.limits));
        let shared = Shared::new(
            identity,
            config,
            slots,
            Stop::new().expect("a descriptor"),
            Arc::new(Own),
            drover::store::Store::nowhere(),
        );
        shared
            .create_workspace(None, true, None, &Launch::default())
            .expect("a workspace");
        let (gone, other) = UnixStream::pair().expect("a pair of sockets");
        other.shutdown(Shutdown::Both).expect("an end");
        House { shared, gone }
    }

    /// Somebody outside every pane: the process that started this one.
    pub fn outside(&self) -> Caller {
        caller(nix::unistd::getppid().as_raw())
    }

    /// The program in one of the panes; somebody outside if there is none.
    pub fn inside(&self) -> Caller {
        let runtimes = self.shared.look().runtimes();
        match runtimes.first() {
            Some(runtime) => caller(runtime.pane.shell_pid()),
            None => self.outside(),
        }
    }

    /// Runs a request as its socket would; the line it answers with.
    pub fn run(&self, request: &Request<'_>, caller: &Caller, door: &Door) -> Option<String> {
        let slot = self
            .shared
            .slots
            .connection(None)
            .expect("the only connection");
        let call = Call {
            shared: &self.shared,
            id: &request.id,
            client: &self.gone,
            slot: &slot,
            caller,
            method: request.method.name,
        };
        dispatch(&call, request, door)
    }

    /// Decodes a line and runs it, unless it may not be run here. What comes back is checked to be one answer to it.
    ///
    /// # Panics
    /// It is none.
    pub fn answer(
        &self,
        line: &str,
        caller: &Caller,
        runs: impl Fn(&Request<'_>) -> bool,
        door: &Door,
    ) -> Option<serde_json::Value> {
        let request = match envelope::decode_as(line.as_bytes(), door.vocabulary) {
            Ok(request) => request,
            Err(_) => return None,
        };
        if !runs(&request) {
            let _ = super::request_line::check_params(&request);
            return None;
        }
        let answer = self.run(&request, caller, door)?;
        assert!(
            answer.ends_with('\n') && answer.matches('\n').count() == 1,
            "one line: {answer:?}"
        );
        let value: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(value["id"], request.id.as_ref(), "{line} -> {answer}");
        assert_ne!(
            value["error"]["code"], "internal_error",
            "{line} -> {answer}"
        );
        Some(value)
    }
}

fn caller(pid: i32) -> Caller {
    Caller {
        pid: Some(pid),
        facts: sys::process_facts(pid),
        is_roots: false,
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let runtimes = self.shared.look().runtimes();
        for runtime in &runtimes {
            runtime.pane.kill();
            runtime.pane.close();
        }
        let deadline = Instant::now() + Duration::from_secs(10);
        for runtime in runtimes {
            runtime.pane.wait_finished(deadline);
        }
        let dying = self.shared.look().dying();
        for pane in dying {
            pane.wait_finished(deadline);
        }
    }
}
