//! A producer that speaks as xcsh does: it pings first, waits five seconds of silence for an answer, ignores lines with
//! other ids, closes after its own, and repeats a call once, with another id, when nobody knows what became of it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use drover::sys;
use drover::turn::hex_sha256;
use serde_json::{Value, json};

use super::super::common::{Daemon, until};
use super::SESSION;

/// Silence after which an attempt has failed.
const SILENCE: Duration = Duration::from_secs(5);

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Result(Value),
    /// The code of a refusal, which is the last word.
    Refused(String),
    /// No answer: nobody knows.
    Unknown,
}

/// One call on one connection.
pub fn attempt(socket: &Path, method: &str, params: &Value) -> Outcome {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let id = format!("xcsh:{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let Ok(mut stream) = UnixStream::connect(socket) else {
        return Outcome::Unknown;
    };
    stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
    let line = json!({ "id": id, "method": method, "params": params });
    if stream.write_all(format!("{line}\n").as_bytes()).is_err() {
        return Outcome::Unknown;
    }
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else {
            return Outcome::Unknown;
        };
        let Ok(answer) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        if answer["id"] != id {
            continue;
        }
        if let Some(error) = answer["error"].as_object() {
            return Outcome::Refused(error["code"].as_str().expect("a code").to_owned());
        }
        assert!(answer["result"].is_object(), "{answer}");
        return Outcome::Result(answer["result"].clone());
    }
    Outcome::Unknown
}

/// One run of xcsh in an execution.
#[derive(Debug, Clone)]
pub struct Producer {
    pub socket: PathBuf,
    pub execution_id: String,
    pub generation: u64,
    pub pane_id: String,
    pub session_id: String,
    pub turn_id: String,
    pub capability: Option<String>,
    /// The last event's number.
    pub revision: u64,
    pinged: bool,
}

impl Producer {
    /// What xcsh would be in this execution, as the environment of its process says.
    pub fn of(daemon: &Daemon, record: &Value) -> Producer {
        let pid = record["pid"].as_i64().expect("a process");
        let pid = i32::try_from(pid).expect("a process number");
        // While a process puts another program into its place, it has no environment to be read.
        let told = |name: &str| until(name, || sys::process_variable(pid, name));
        let generation = told("HERDR_EXECUTION_GENERATION");
        assert_eq!(told("HERDR_ENV"), "1");
        Producer {
            socket: told("HERDR_SOCKET_PATH").into(),
            execution_id: told("HERDR_EXECUTION_ID"),
            generation: generation.parse().expect("a number"),
            pane_id: told("HERDR_PANE_ID"),
            session_id: SESSION.to_owned(),
            turn_id: "7e0f6f1c-7f0e-4a0e-9a52-0a4b2f0f6b11".to_owned(),
            capability: Some(told("HERDR_NATIVE_CAPABILITY")),
            revision: 0,
            pinged: false,
        }
        .at(daemon)
    }

    fn at(self, daemon: &Daemon) -> Producer {
        assert_eq!(self.socket, daemon.home.socket());
        self
    }

    /// A call that is repeated once if nobody knows what became of it.
    pub fn call(&mut self, method: &str, params: &Value) -> Outcome {
        if !self.pinged {
            match attempt(&self.socket, "ping", &json!({})) {
                Outcome::Result(pong) => self.check(&pong),
                other => return other,
            }
            self.pinged = true;
        }
        match attempt(&self.socket, method, params) {
            Outcome::Unknown => attempt(&self.socket, method, params),
            known => known,
        }
    }

    fn check(&self, pong: &Value) {
        assert_eq!(pong["type"], "pong");
        assert!((22..=26).contains(&pong["protocol"].as_u64().expect("a number")));
        assert_eq!(pong["capabilities"]["agent_turn_journal"], true);
    }

    /// The parameters of an event.
    pub fn event(&self, state: &str, revision: u64) -> Value {
        let mut params = json!({
            "execution_id": self.execution_id, "pane_id": self.pane_id, "producer": "xcsh",
            "session_id": self.session_id, "turn_id": self.turn_id, "generation": self.generation,
            "event_revision": revision, "state": state,
        });
        if let Some(capability) = &self.capability {
            params["native_capability"] = json!(capability);
        }
        match state {
            "completed" => {
                params["result"] = json!("durable result");
                params["result_digest"] = json!(hex_sha256(b"durable result"));
            }
            "waiting_input" => params["reason"] = json!("user input required"),
            "failed" => params["reason"] = json!("xcsh turn failed"),
            "cancelled" => params["reason"] = json!("xcsh turn cancelled"),
            "interrupted" => {
                params["reason"] = json!("xcsh restarted before semantic settlement");
            }
            _ => {}
        }
        params
    }

    /// Reports an event of a given number; whether it was news, or the code of the refusal.
    pub fn reports(&mut self, state: &str, revision: u64) -> Result<bool, String> {
        let params = self.event(state, revision);
        self.sends(&params)
    }

    /// Reports the next event, which must be taken as news.
    pub fn next(&mut self, state: &str) {
        self.revision += 1;
        assert_eq!(self.reports(state, self.revision), Ok(true), "{state}");
    }

    pub fn sends(&mut self, params: &Value) -> Result<bool, String> {
        match self.call("agent.turn.report", params) {
            Outcome::Result(result) => {
                assert_eq!(result["type"], "agent_turn");
                let turn = &result["turn"];
                assert_eq!(turn["event_revision"], params["event_revision"]);
                assert!(turn.get("native_capability").is_none(), "{result}");
                Ok(result["admitted"].as_bool().expect("a boolean"))
            }
            Outcome::Refused(code) => Err(code),
            Outcome::Unknown => panic!("no answer: {params}"),
        }
    }

    /// What an action is asked by.
    pub fn target(&self) -> Value {
        json!({
            "execution_id": self.execution_id, "pane_id": self.pane_id, "producer": "xcsh",
            "session_id": self.session_id, "generation": self.generation,
            "native_capability": self.capability, "after_revision": 0,
        })
    }

    /// The states of the actions that are asked for.
    pub fn actions(&mut self) -> Result<Vec<Value>, String> {
        let target = self.target();
        match self.call("agent.turn.action.get", &target) {
            Outcome::Result(result) => {
                assert_eq!(result["type"], "agent_turn_action_list");
                Ok(result["actions"].as_array().expect("a list").clone())
            }
            Outcome::Refused(code) => Err(code),
            Outcome::Unknown => panic!("no answer"),
        }
    }

    pub fn acknowledgement(&self) -> Value {
        let mut params = self.target();
        params["action_id"] = json!("cancel");
        params["action_revision"] = json!(1);
        params["state"] = json!("safe_point");
        params
    }

    /// Says that the turn has stopped; whether that was news.
    pub fn acknowledges(&mut self) -> Result<bool, String> {
        let params = self.acknowledgement();
        match self.call("agent.turn.action.ack", &params) {
            Outcome::Result(result) => {
                let action = &result["action"];
                assert_eq!(result["type"], "agent_turn_action");
                assert_eq!(action["turn_id"], self.turn_id.as_str());
                assert_eq!(
                    (&action["action_id"], &action["state"]),
                    (&json!("cancel"), &json!("safe_point"))
                );
                Ok(result["admitted"].as_bool().expect("a boolean"))
            }
            Outcome::Refused(code) => Err(code),
            Outcome::Unknown => panic!("no answer"),
        }
    }
}

/// The words that run this program as a producer inside a pane: the call, what it says, and the file for the outcome.
pub fn script(method: &str, params: &str, outcome: &Path) -> String {
    let program = std::env::current_exe().expect("a path");
    format!(
        "{ROLE}='{method}' {ROLE}_PARAMS='{params}' {ROLE}_OUTCOME='{}' '{}' --exact \
         turns::producer::a_call_that_nobody_answers_is_unknown_and_one_in_a_pane_is_made",
        outcome.display(),
        program.display(),
    )
}

/// The outcome of such a call, once it is there.
pub fn outcome(path: &Path) -> String {
    until("the outcome of a call in a pane", || {
        std::fs::read_to_string(path).ok()
    })
}

const ROLE: &str = "TEST_PRODUCER";

/// Also what a process of this program does in a pane; see [`script`].
#[test]
fn a_call_that_nobody_answers_is_unknown_and_one_in_a_pane_is_made() {
    let Ok(method) = std::env::var(ROLE) else {
        let nowhere = Path::new("/nonexistent/drover.sock");
        assert_eq!(attempt(nowhere, "ping", &json!({})), Outcome::Unknown);
        return;
    };
    let told = |name: &str| std::env::var(name).unwrap_or_default();
    // In its words `@NAME@` is what the environment says.
    let mut params = told(&format!("{ROLE}_PARAMS"));
    for name in [
        "HERDR_EXECUTION_ID",
        "HERDR_EXECUTION_GENERATION",
        "HERDR_PANE_ID",
        "HERDR_NATIVE_CAPABILITY",
    ] {
        params = params.replace(&format!("@{name}@"), &told(name));
    }
    let params = serde_json::from_str(&params).expect("JSON");
    let socket = PathBuf::from(told("HERDR_SOCKET_PATH"));
    let text = match attempt(&socket, &method, &params) {
        Outcome::Result(result) => result.to_string(),
        Outcome::Refused(code) => code,
        Outcome::Unknown => "unknown".to_owned(),
    };
    let outcome = told(&format!("{ROLE}_OUTCOME"));
    // In one step, for whoever waits for it.
    std::fs::write(format!("{outcome}.new"), text).expect("a file");
    std::fs::rename(format!("{outcome}.new"), outcome).expect("a file");
}

/// What every other test here relies on: that this speaks as xcsh does.
#[test]
fn a_call_is_made_after_a_ping_and_repeated_once_with_the_same_words_under_another_id() {
    let folder = tempfile::tempdir().expect("a directory");
    let socket = folder.path().join("socket");
    let listener = UnixListener::bind(&socket).expect("a socket");
    let pong =
        json!({ "type": "pong", "protocol": 22, "capabilities": { "agent_turn_journal": true } });
    // One for each connection; none lets go of it without an answer.
    let answers = [
        Some(pong),
        None,
        Some(json!({ "type": "agent_turn", "admitted": false, "turn": { "event_revision": 1 } })),
        None,
        None,
    ];
    let server = std::thread::spawn(move || {
        answers.map(|answer| {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().expect("a descriptor"));
            reader.read_line(&mut line).expect("a line");
            let request: Value = serde_json::from_str(&line).expect("JSON");
            if let Some(result) = answer {
                let other =
                    json!({ "id": "xcsh:another", "error": { "code": "not_ours", "message": "" } });
                let own = json!({ "id": request["id"], "result": result });
                write!(stream, "\n{other}\n{own}\n").expect("written");
                // It goes with its line, whatever the server has still to say.
                let mut rest = String::new();
                assert_eq!(reader.read_line(&mut rest).unwrap_or_default(), 0);
            }
            request
        })
    });
    let mut xcsh = Producer {
        socket,
        execution_id: "task-42".to_owned(),
        generation: 3,
        pane_id: "w1:p2".to_owned(),
        session_id: SESSION.to_owned(),
        turn_id: "t".to_owned(),
        capability: Some("secret".to_owned()),
        revision: 0,
        pinged: false,
    };
    assert_eq!(xcsh.reports("starting", 1), Ok(false));
    let params = xcsh.event("working", 2);
    assert_eq!(xcsh.call("agent.turn.report", &params), Outcome::Unknown);
    let requests = server.join().expect("a server that did not fail");
    let methods: Vec<_> = requests.iter().map(|one| one["method"].as_str()).collect();
    let report = Some("agent.turn.report");
    assert_eq!(methods, [Some("ping"), report, report, report, report]);
    for [first, again] in [[1, 2], [3, 4]] {
        assert_eq!(requests[first]["params"], requests[again]["params"]);
        assert_ne!(requests[first]["id"], requests[again]["id"]);
    }
}
