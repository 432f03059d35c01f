//! Starting agents and giving them prompts.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::common::{Daemon, Half, Setup, Stopwatch, until, until_true};

fn start(pane: &str, name: &str, kind: &str) -> Value {
    json!({ "name": name, "kind": kind, "pane_id": pane })
}

/// A pane whose shell waits at its prompt.
fn at_prompt(daemon: &Daemon) -> String {
    let pane = daemon.workspace();
    daemon.enter(&pane, "echo 'rea''dy'");
    daemon.wait_for_line(&pane, "ready$");
    pane
}

const IDLE: &str = "● Here.\n──────────\n❯\n──────────\n";

#[test]
fn an_agent_is_started_by_its_kind_and_ready_when_its_screen_says_so() {
    let daemon = Daemon::start();
    daemon.home.stand_in("claude");
    daemon.home.screen("idle", "", IDLE);
    let pane = at_prompt(&daemon);
    let mut params = start(&pane, "ann", "Claude-Code");
    params["args"] = json!(["--model", "it's big"]);
    let started = daemon.result("agent.start", params);
    assert_eq!(started["type"], "agent_started");
    assert_eq!(started["argv"], json!(["claude", "--model", "it's big"]));
    let agent = &started["agent"];
    assert_eq!(agent["name"], "ann");
    assert_eq!(agent["agent"], "claude");
    assert_eq!(agent["launch_pending"], true, "{agent}");
    let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
    assert!(info.to_string().contains("it's big"), "{info}");
    // A shell types no second agent over the first.
    let message = format!("agent target pane {pane} is not an available shell");
    daemon.refuses(
        "agent.start",
        start(&pane, "bob", "codex"),
        "agent_pane_busy",
        &message,
    );
    daemon.enter(&pane, "idle");
    until_true("readiness", || {
        let agent = daemon.result("agent.get", json!({ "target": "ann" }))["agent"].clone();
        agent["interactive_ready"] == true && agent.get("launch_pending").is_none()
    });
    daemon.result(
        "pane.send_keys",
        json!({ "pane_id": pane, "keys": ["ctrl+d"] }),
    );
    until_true("no agent by that name", || {
        daemon.rpc("agent.get", json!({ "target": "ann" }))["error"]["code"] == "agent_not_found"
    });
}

#[test]
fn a_start_waits_for_a_shell_that_is_still_starting() {
    let daemon = Setup::new().variable("ENV", "/nonexistent").start();
    daemon.home.stand_in("claude");
    let rc = daemon.home.path("home/rc");
    std::fs::write(&rc, "echo 'in no hurry'\nsleep 3\n").expect("a file");
    let env = json!({ "env": { "ENV": rc.display().to_string() } });
    let pane = daemon.pane_of("workspace.create", env);
    daemon.wait_for_line(&pane, "in no hurry$");
    let began = Instant::now();
    let started = daemon.result("agent.start", start(&pane, "ann", "claude"));
    assert!(began.elapsed() > Duration::from_secs(1), "it slept");
    assert_eq!(started["agent"]["agent"], "claude");
}

#[test]
fn a_program_that_is_not_there_is_an_error_with_the_shells_own_words() {
    let daemon = Daemon::start();
    let pane = at_prompt(&daemon);
    let refused = || {
        let watch = Stopwatch::start(&daemon.home);
        let (code, message) = daemon.refusal("agent.start", start(&pane, "ann", "maki"));
        let took = watch.elapsed();
        assert_eq!(code, "agent_start_failed");
        assert!(
            message.starts_with("agent ann did not start: "),
            "{message}"
        );
        assert!(message.ends_with("not found"), "{message}");
        assert!(took < Duration::from_secs(1), "{took:?}");
    };
    for _ in 0..3 {
        refused();
    }
    // The name is free again, and so is the pane.
    daemon.home.stand_in("maki");
    daemon.result("agent.start", start(&pane, "ann", "maki"));
}

#[test]
fn what_runs_in_a_pane_is_somebodys_work_for_the_next_worker_too() {
    let mut daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    daemon.kill(Half::Worker);
    let message = format!("agent target pane {pane} is not an available shell");
    let began = Instant::now();
    // A shell's startup files would be waited for.
    daemon.refuses(
        "agent.start",
        start(&pane, "ann", "maki"),
        "agent_pane_busy",
        &message,
    );
    assert!(began.elapsed() < Duration::from_secs(15), "it waited");
}

#[test]
fn a_wait_for_a_started_agent_ends_when_the_start_comes_to_nothing() {
    let daemon = Daemon::start();
    // It is seen, and gone before it could be talked to.
    daemon.home.script("claude", "#!/bin/sh\nread line\n");
    let pane = at_prompt(&daemon);
    daemon.result("agent.start", start(&pane, "ann", "claude"));
    let mut asked = daemon.connect();
    let params = json!({ "target": "ann", "interactive_ready": true });
    asked.request("w", "agent.wait", params);
    daemon.enter(&pane, "");
    let answer = asked.line().expect("an answer");
    assert_eq!(answer["error"]["code"], "agent_not_running", "{answer}");
}

#[test]
fn what_cannot_be_started_is_refused_before_anything_is_typed() {
    let daemon = Daemon::start();
    let pane = at_prompt(&daemon);
    let before = daemon.text(&pane);
    let refused = |params: Value, code: &str, message: &str| {
        daemon.refuses("agent.start", params, code, message);
    };
    let (code, _) = daemon.refusal("agent.start", start(&pane, "Ann", "claude"));
    assert_eq!(code, "invalid_agent_name");
    refused(
        start(&pane, "ann", "clod"),
        "unsupported_agent_kind",
        "unsupported interactive agent kind clod",
    );
    let mut params = start(&pane, "ann", "claude");
    params["args"] = json!(["a\nb"]);
    let message = "agent arguments cannot be encoded safely for the target shell";
    refused(params, "invalid_agent_argument", message);
    let message = "agent target pane w9:p9 not found";
    refused(
        start("w9:p9", "ann", "claude"),
        "agent_pane_not_found",
        message,
    );
    for timeout in [0, 3000, 300_001] {
        let mut params = start(&pane, "ann", "claude");
        params["timeout_ms"] = json!(timeout);
        let message = "agent start timeout must be greater than 3000ms and at most 300000ms";
        refused(params, "invalid_agent_timeout", message);
    }
    let busy = daemon.busy(daemon.split(&pane));
    let message = format!("agent target pane {busy} is not an available shell");
    refused(start(&busy, "ann", "claude"), "agent_pane_busy", &message);
    assert_eq!(daemon.text(&pane), before);
}

/// Reads all that is typed, as it comes, into a file; takes pastes.
const READER: &str = "#!/bin/sh
printf '\\033[?2004h'
stty raw -echo
printf 'reader is here\\r\\n'
cat -v >\"$HOME/typed\"
";

#[test]
fn a_prompt_of_many_lines_is_one_paste_and_one_enter() {
    let daemon = Daemon::start();
    daemon.home.script("claude", READER);
    let pane = daemon.workspace();
    daemon.enter(&pane, "claude");
    daemon.wait_for_line(&pane, "reader is here$");
    until_true("the agent", || daemon.pane(&pane)["agent"] == "claude");
    let lines: Vec<String> = (1..=200).map(|number| format!("line {number}")).collect();
    let params = json!({ "target": pane, "text": lines.join("\n") });
    assert_eq!(
        daemon.result("agent.prompt", params)["type"],
        "agent_prompted"
    );
    let expected = format!("^[[200~{}^[[201~^M", lines.join("\n"));
    until("all of it", || {
        let typed = std::fs::read_to_string(daemon.home.path("home/typed")).ok()?;
        assert!(expected.starts_with(&typed), "{typed}");
        (typed == expected).then_some(())
    });
}

#[test]
fn a_prompt_that_nothing_comes_of_has_stalled() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.enter(&pane, "HERDR_AGENT=claude cat");
    until_true("the agent", || daemon.pane(&pane)["agent_status"] == "idle");
    let mut params = json!({ "target": pane, "text": "hello", "wait": {} });
    let message = "agent prompt produced no observed working or blocked state within 5000 ms; current status is idle";
    daemon.refuses(
        "agent.prompt",
        params.clone(),
        "agent_prompt_stalled",
        message,
    );
    params["wait"]["timeout_ms"] = json!(400);
    daemon.refuses(
        "agent.prompt",
        params,
        "timeout",
        "timed out waiting for agent status",
    );
    daemon.wait_for_line(&pane, "hello$");
}

#[test]
fn a_prompt_is_followed_to_its_end() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.home.screen("idle", "", IDLE);
    daemon.home.screen("working", "⠂ Busy", "working\n");
    daemon.start_stand_in(&pane, "claude");
    daemon.enter(&pane, "idle");
    until_true("idle", || daemon.pane(&pane)["agent_status"] == "idle");
    let mut asked = daemon.connect();
    // The stand-in shows the screen that the prompt names.
    let params = json!({ "target": pane, "text": "working", "wait": {} });
    asked.request("p", "agent.prompt", params);
    until_true("working", || {
        daemon.pane(&pane)["agent_status"] == "working"
    });
    daemon.enter(&pane, "idle");
    let answer = asked.line().expect("an answer");
    let agent = &answer["result"]["agent"];
    assert_eq!(agent["agent_status"], "idle", "{answer}");
}

#[test]
fn prompts_at_one_time_arrive_one_after_the_other() {
    let daemon = Daemon::start();
    daemon.home.script("claude", READER);
    let pane = daemon.workspace();
    daemon.enter(&pane, "claude");
    daemon.wait_for_line(&pane, "reader is here$");
    until_true("the agent", || daemon.pane(&pane)["agent"] == "claude");
    std::thread::scope(|scope| {
        for text in ["first", "second", "third"] {
            let (daemon, pane) = (&daemon, &pane);
            scope.spawn(move || {
                daemon.result("agent.prompt", json!({ "target": pane, "text": text }));
            });
        }
    });
    let typed = until("all of it", || {
        let typed = std::fs::read_to_string(daemon.home.path("home/typed")).ok()?;
        (typed.matches("^M").count() == 3).then_some(typed)
    });
    let mut parts: Vec<&str> = typed.split_terminator("^M").collect();
    parts.sort_unstable();
    assert_eq!(
        parts,
        [
            "^[[200~first^[[201~",
            "^[[200~second^[[201~",
            "^[[200~third^[[201~"
        ]
    );
}

#[test]
fn what_cannot_take_a_prompt_gets_none() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let prompt = |text: &str| json!({ "target": pane, "text": text });
    let message = "agent prompt must not be empty";
    daemon.refuses("agent.prompt", prompt(""), "empty_agent_prompt", message);
    let message = format!("agent target {pane} not found");
    daemon.refuses("agent.prompt", prompt("x"), "agent_not_found", &message);
    let report = |state: &str| {
        let params = json!({ "pane_id": pane, "source": "bot", "agent": "bot", "state": state });
        daemon.result("pane.report_agent", params);
    };
    report("blocked");
    let message = format!("agent {pane} is blocked and requires interactive input");
    daemon.refuses("agent.prompt", prompt("x"), "agent_blocked", &message);
    report("idle");
    let message = format!("agent {pane} is not an active named agent");
    daemon.refuses("agent.prompt", prompt("x"), "agent_not_ready", &message);
    let before = daemon.text(&pane);
    assert!(!before.contains('x'), "{before}");
}

#[test]
fn somebody_elses_draft_is_not_sent() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    // The cursor stands where a person's next letter would.
    daemon.home.screen(
        "draft",
        "",
        "──────────\n\n──────────\x1b[2;1H❯ delete it all",
    );
    daemon.start_stand_in(&pane, "claude");
    daemon.enter(&pane, "draft");
    daemon.wait_for_line(&pane, "delete it all$");
    until_true("idle", || daemon.pane(&pane)["agent_status"] == "idle");
    let message = format!(
        "agent {pane} has unsent text in its input field (\"delete it all\"); send or clear it first"
    );
    let params = json!({ "target": pane, "text": "hello" });
    daemon.refuses("agent.prompt", params, "agent_not_ready", &message);
}

#[test]
fn the_command_waits_until_the_agent_can_be_talked_to() {
    let daemon = Daemon::start();
    let agent = format!(
        "#!/bin/sh\nprintf '{}'\nread line\n",
        IDLE.replace('\n', "\\r\\n")
    );
    daemon.home.script("claude", &agent);
    let pane = at_prompt(&daemon);
    let end = daemon.herdr(&[
        "agent", "start", "ann", "--kind", "claude", "--pane", &pane, "--", "-x",
    ]);
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(answer["id"], "cli:agent:start");
    assert_eq!(answer["result"]["type"], "agent_started");
    assert_eq!(answer["result"]["argv"], json!(["claude", "-x"]));
    let agent = &answer["result"]["agent"];
    assert_eq!(agent["interactive_ready"], true, "{agent}");
    assert_eq!(agent["agent_status"], "idle", "{agent}");
    let end = daemon.herdr(&["agent", "start", "bob", "--kind", "pi", "--pane", &pane]);
    assert_eq!(end.code, Some(1));
    assert!(end.stderr.contains("\"agent_pane_busy\""), "{}", end.stderr);
}

/// A full-screen agent that keeps its text to itself: 36 rows of 200, moved by the wheel, in one
/// frame. What is typed first is the state that it shows.
const FULL_SCREEN: &str = "#!/bin/sh
stty -echo -icanon min 1
offset=0
draw() {
  last=$((200 - offset))
  printf '\\033[?2026h\\033[H\\033[2J%s\\n%s\\n──────────\\n❯\\n──────────\\033[?2026l' \\
    \"$(seq -f 'row %g' $((last - 34)) $last)\" \"$1\"
}
printf '\\033[?1049h\\033[?1000h\\033[?1006h'
draw \"$1\"
while event=$(head -c 12) && [ -n \"$event\" ]; do
  case $event in
    *'<64;'*) offset=$((offset + 3)) ;;
    *'<65;'*) offset=$((offset - 3)) ;;
  esac
  [ $offset -gt 165 ] && offset=165
  [ $offset -lt 0 ] && offset=0
  draw \"$1\"
done
";

fn full_screen(daemon: &Daemon, status_line: &str, status: &str) -> String {
    daemon.home.script("claude", FULL_SCREEN);
    let pane = daemon.workspace();
    daemon.enter(&pane, &format!("claude '{status_line}'"));
    until_true(status, || daemon.pane(&pane)["agent_status"] == status);
    pane
}

#[test]
fn the_past_of_a_full_screen_agent_is_scrolled_to_and_back() {
    let daemon = Daemon::start();
    let pane = full_screen(&daemon, "", "idle");
    let params = |lines: u32| json!({ "target": pane, "source": "recent", "lines": lines });
    let before = daemon.text(&pane);
    // A machine that is busy with other things may be taken for a program at its top.
    let read = until("150 rows", || {
        let read = daemon.result("agent.read", params(150))["read"].clone();
        let text = read["text"].as_str().expect("text");
        let mut rows = text.lines().filter_map(|line| line.strip_prefix("row "));
        let first: usize = rows.next()?.parse().expect("a number");
        let expected: Vec<String> = (first + 1..=200).map(|row| row.to_string()).collect();
        assert_eq!(
            rows.collect::<Vec<_>>(),
            expected,
            "each row once, in order"
        );
        until_true("its present again", || daemon.text(&pane) == before);
        (50..=60).contains(&first).then_some(read)
    });
    assert_eq!(read["truncated"], true);
    until_true("its present again", || daemon.text(&pane) == before);
    // What it showed meanwhile was no news.
    assert_eq!(daemon.pane(&pane)["agent_status"], "idle");
    let read = until("all rows", || {
        let read = daemon.result("agent.read", params(1000))["read"].clone();
        let all = read["text"].as_str().expect("text").starts_with("row 1\n");
        all.then_some(read)
    });
    assert_eq!(read["truncated"], false);
    until_true("its present again", || daemon.text(&pane) == before);
}

#[test]
fn a_full_screen_agent_is_not_scrolled_while_it_works() {
    let daemon = Daemon::start();
    let pane = full_screen(&daemon, "✢ Hammering… (3s)", "working");
    let params = json!({ "target": pane, "source": "recent", "lines": 150 });
    let message = format!(
        "cannot read 150 lines while {pane} is working: its alternate-screen history can only be captured by scrolling while idle. Wait and retry, or use --source visible"
    );
    daemon.refuses("agent.read", params, "agent_not_idle", &message);
    let params = json!({ "target": pane, "source": "recent" });
    let text = daemon.result("agent.read", params)["read"]["text"].clone();
    assert!(text.as_str().expect("text").contains("row 200"), "{text}");
}
