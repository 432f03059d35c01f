//! xcsh's turns: executions, the journal, cancel actions and questions, with a producer of our own that speaks as xcsh
//! does. `docs/turn-journal.md` has a table of the contract's cases and the tests here that show them.

mod actions;
mod executions;
mod interactions;
mod journal;
mod losses;
mod order;
mod panes;
mod people;
pub mod producer;
mod proof;
mod workspaces;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::common::{Daemon, Home, until};

/// The session that is opened, and what its file begins with.
pub const SESSION: &str = "0123abcd4567ef89";
pub const HEADER: &str =
    "{\"type\":\"session\",\"version\":3,\"id\":\"0123abcd4567ef89\",\"cwd\":\"/tmp\"}\n";

/// The record of `task-42` of generation 3.
pub const BACKEND: &str = "xcsh-7a627f831766204c4d7ff6d1";

impl Home {
    /// A session's file, and a stand-in for xcsh that stays until its terminal goes.
    pub fn session(&self) {
        let folder = self.path("home").join("sessions");
        std::fs::create_dir_all(&folder).expect("a directory");
        std::fs::write(folder.join("one.jsonl"), HEADER).expect("a file");
        self.script("xcsh", "#!/bin/sh\nexec sleep 1000000\n");
    }

    pub fn native_launch(&self) -> Value {
        json!({
            "version": 3,
            "xcsh_executable": self.path("bin/xcsh"),
            "session_dir": self.path("home/sessions"),
            "session_path": self.path("home/sessions/one.jsonl"),
            "session_header": {
                "id": SESSION,
                "sha256": "74fedeb526cf3b43af5910af1da1e838dc1710e9207797f0c7bd7d4835a257aa",
            },
            "model": "openai/gpt-5", "discovery": "reduced-v1", "tools": "read", "interactive": false,
            "lifecycle_mode": "managed_turn_v1",
        })
    }
}

impl Daemon {
    /// A daemon with a workspace and a session to open.
    pub fn with_session() -> Daemon {
        let daemon = Daemon::start();
        daemon.home.session();
        daemon.workspace();
        daemon
    }

    pub fn resume_params(&self, generation: u64) -> Value {
        json!({
            "execution_id": "task-42", "generation": generation, "text": "a private prompt", "cwd": "/",
            "native_launch": self.home.native_launch(),
        })
    }

    /// Opens the session as `task-42` of this generation; its record.
    pub fn resume(&self, generation: u64) -> Value {
        let result = self.result("execution.resume", self.resume_params(generation));
        assert_eq!(
            (&result["type"], &result["admitted"]),
            (&json!("execution"), &json!(true))
        );
        result["execution"].clone()
    }

    pub fn execution(&self, id: &str) -> Value {
        self.result("execution.get", json!({ "execution_id": id }))["execution"].clone()
    }

    /// Waits until the execution is in this state; its record.
    pub fn execution_becomes(&self, id: &str, state: &str) -> Value {
        until(&format!("{id} is {state}"), || {
            let record = self.execution(id);
            (record["state"] == state).then_some(record)
        })
    }

    pub fn turns_after(&self, revision: u64) -> Vec<Value> {
        let list = self.result("agent.turn.list", json!({ "since_revision": revision }));
        assert_eq!(list["type"], "agent_turn_list");
        list["turns"].as_array().expect("a list").clone()
    }
}

/// The states of events, in order.
pub fn states(turns: &[Value]) -> Vec<&str> {
    turns
        .iter()
        .map(|turn| turn["state"].as_str().expect("a state"))
        .collect()
}

/// Every file below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a directory");
    entries
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}
