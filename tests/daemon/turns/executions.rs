//! Executions: how programs are started, what they are told, and what is known of their end.

use drover::sys;
use serde_json::json;

use super::super::common::{Daemon, until};
use super::BACKEND;

fn start(daemon: &Daemon, id: &str, argv: &[&str]) -> serde_json::Value {
    let params = json!({ "execution_id": id, "cwd": "/", "mode": "argv", "argv": argv });
    let result = daemon.result("execution.start", params);
    assert_eq!(result["admitted"], true);
    result["execution"].clone()
}

#[test]
fn a_session_is_opened_once_with_the_command_that_is_derived_for_it() {
    let daemon = Daemon::with_session();
    let record = daemon.resume(3);
    assert_eq!(record["execution_id"], BACKEND);
    assert_eq!(record["backend_execution_id"], BACKEND);
    assert_eq!(record["semantic_execution_id"], "task-42");
    assert_eq!(
        (&record["state"], &record["generation"]),
        (&json!("running"), &json!(3))
    );
    let injected = json!({ "HERDR_EXECUTION_ID": "task-42", "HERDR_EXECUTION_GENERATION": "3" });
    assert_eq!(record["injected_env"], injected);
    let again = daemon.result("execution.resume", daemon.resume_params(3));
    assert_eq!(again["admitted"], false);
    assert_eq!(again["execution"]["pid"], record["pid"]);
    let mut other = daemon.resume_params(3);
    other["text"] = json!("another prompt");
    assert_eq!(
        daemon.refusal("execution.resume", other).0,
        "execution_generation_conflict"
    );
    let pane = daemon.pane(record["pane_id"].as_str().expect("an id"));
    assert_eq!(pane["focused"], false);
    let listed = daemon.result("execution.list", json!({}));
    assert_eq!(listed["executions"].as_array().expect("a list").len(), 1);
}

#[test]
fn a_launch_that_does_not_fit_its_files_starts_nothing() {
    let daemon = Daemon::with_session();
    let mut params = daemon.resume_params(3);
    params["native_launch"]["session_header"]["sha256"] = json!("0".repeat(64));
    let refused = daemon.refusal("execution.resume", params);
    assert_eq!(refused.0, "invalid_xcsh_session_header");
    let mut params = daemon.resume_params(3);
    params["cwd"] = json!("relative");
    assert_eq!(daemon.refusal("execution.resume", params).0, "invalid_cwd");
    assert_eq!(
        daemon
            .refusal("execution.get", json!({ "execution_id": "task-42" }))
            .0,
        "execution_not_found"
    );
    assert_eq!(
        daemon.resume(3)["state"],
        "running",
        "the generation was not used up"
    );
}

#[test]
fn a_program_is_told_which_execution_it_is_and_its_end_is_known() {
    let daemon = Daemon::with_session();
    daemon
        .home
        .script("job", "#!/bin/sh\necho done; exec sleep 1000000\n");
    let record = start(&daemon, "job-1", &["job"]);
    let pid = i32::try_from(record["pid"].as_i64().expect("a process")).expect("a number");
    let told = |name: &str| sys::process_variable(pid, name);
    assert_eq!(told("HERDR_EXECUTION_ID").as_deref(), Some("job-1"));
    assert_eq!(told("HERDR_EXECUTION_GENERATION").as_deref(), Some("0"));
    assert_eq!(told("HERDR_PANE_ID").as_deref(), record["pane_id"].as_str());
    assert_eq!(told("HERDR_NATIVE_CAPABILITY").expect("a secret").len(), 64);
    let printed = until("what it prints", || {
        let record = daemon.execution("job-1");
        let tail = record["stdout_tail"].as_str().expect("text").to_owned();
        tail.contains("done").then_some(record)
    });
    assert!(printed["stdout_bytes"].as_u64().expect("a number") >= 4);
    let cursor = printed["revision"].clone();
    let cancelled = daemon.result("execution.cancel", json!({ "execution_id": "job-1" }));
    assert_eq!(cancelled["execution"]["cancel_requested"], true);
    let ended = daemon.execution_becomes("job-1", "cancelled");
    assert!(
        ended["signal_name"].is_string() && ended["output_complete"] == true,
        "{ended}"
    );
    assert!(
        ended["stdout_tail"]
            .as_str()
            .expect("text")
            .contains("done")
    );
    let waited = daemon.result(
        "execution.wait",
        json!({ "after_revision": cursor, "timeout_ms": 10_000 }),
    );
    assert_eq!(waited["executions"][0]["execution_id"], "job-1");
}

#[test]
fn an_exit_code_is_kept_and_a_program_that_cannot_be_started_says_why() {
    let daemon = Daemon::with_session();
    daemon.home.script("short", "#!/bin/sh\nexit 7\n");
    start(&daemon, "short-1", &["short"]);
    let ended = daemon.execution_becomes("short-1", "exited");
    assert_eq!(ended["exit_code"], 7);
    let shell = json!({ "execution_id": "shell-1", "cwd": "/", "mode": "shell", "shell": "bash", "text": "exit 3" });
    daemon.result("execution.start", shell);
    assert_eq!(
        daemon.execution_becomes("shell-1", "exited")["exit_code"],
        3
    );
    let params = json!({ "execution_id": "none-1", "cwd": "/", "mode": "argv", "argv": ["/nonexistent/program"] });
    assert_eq!(
        daemon.refusal("execution.start", params.clone()).0,
        "execution_start_failed"
    );
    let lost = daemon.execution("none-1");
    assert_eq!(lost["state"], "lost");
    assert!(
        lost["evidence_gap"]
            .as_str()
            .expect("text")
            .contains("/nonexistent/program")
    );
    for wrong in [
        json!({ "mode": "argv", "argv": [] }),
        json!({ "mode": "argv", "argv": [""] }),
        json!({ "mode": "argv", "argv": ["a\0b"] }),
        json!({ "mode": "shell", "shell": "zsh", "text": "" }),
        json!({ "mode": "shell", "argv": ["a"] }),
    ] {
        let mut params = wrong;
        params["execution_id"] = json!("wrong");
        params["cwd"] = json!("/");
        assert_eq!(
            daemon.refusal("execution.start", params).0,
            "invalid_execution_command"
        );
    }
}

#[test]
fn a_secret_that_a_program_prints_is_not_in_what_is_told_of_it() {
    let daemon = Daemon::with_session();
    daemon.home.script(
        "leak",
        "#!/bin/sh\necho leaked $HERDR_NATIVE_CAPABILITY end; exec sleep 1000000\n",
    );
    start(&daemon, "leak-1", &["leak"]);
    let tail = until("what it prints", || {
        let record = daemon.execution("leak-1");
        let tail = record["stdout_tail"].as_str().expect("text").to_owned();
        tail.contains("end").then_some(tail)
    });
    assert!(tail.contains("leaked [secret] end"), "{tail}");
}
