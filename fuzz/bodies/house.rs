//! A daemon's state without its sockets: a workspace of one pane in which `cat` runs, so that whatever is typed there
//! is shown and nothing of it is ever run.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drover::api::envelope::{self, Request};
use drover::config::Config;
use drover::method::Call;
use drover::pane::process::Own;
use drover::state::{Identity, Launch, Limits, Shared, Slots, Stop};

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
            protocol_socket: nowhere.join("drover.sock.herdr"),
            herdr_executable: nowhere.join("herdr"),
            link_dir: None,
            config_file: nowhere.join("config.toml"),
            home: Some(PathBuf::from("/")),
            start_dir: PathBuf::from("/"),
        };
        let mut config = Config::default();
        config.terminal.default_shell = "/bin/cat".to_owned();
        config.limits.panes = PANES;
        let slots = Slots::new(Limits::from(&config.limits));
        let shared = Shared::new(
            identity,
            config,
            slots,
            Stop::new().expect("a descriptor"),
            Arc::new(Own),
        );
        shared
            .create_workspace(None, true, None, &Launch::default())
            .expect("a workspace");
        let (gone, other) = UnixStream::pair().expect("a pair of sockets");
        other.shutdown(Shutdown::Both).expect("an end");
        House { shared, gone }
    }

    /// Runs a request as its socket would; the line it answers with.
    pub fn run(
        &self,
        request: &Request<'_>,
        run: fn(&Call<'_>, &Request<'_>) -> Option<String>,
    ) -> Option<String> {
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
        };
        run(&call, request)
    }

    /// Decodes a line and runs it, unless it may not be run here. What comes back is checked to be one answer to it.
    ///
    /// # Panics
    /// It is none.
    pub fn answer(
        &self,
        line: &str,
        runs: impl Fn(&Request<'_>) -> bool,
        run: fn(&Call<'_>, &Request<'_>) -> Option<String>,
    ) -> Option<serde_json::Value> {
        let request = match envelope::decode(line.as_bytes()) {
            Ok(request) => request,
            Err(_) => return None,
        };
        if !runs(&request) {
            let _ = super::request_line::check_params(&request);
            return None;
        }
        let answer = self.run(&request, run)?;
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
        for pane in self.shared.look().dying() {
            pane.wait_finished(deadline);
        }
    }
}
