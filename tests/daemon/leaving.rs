//! Agents that leave: with a word, without one, killed; and those that stay.

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::common::{Daemon, Stopwatch, until, until_true};

/// An agent that reports by itself: it does what it is told, line by line.
const NATIVE: &str = "#!/bin/sh
stty -echo
say() { \"$HERDR_BIN_PATH\" pane report-agent \"$HERDR_PANE_ID\" --source crush --agent crush \"$@\"; }
quit() { \"$HERDR_BIN_PATH\" pane release-agent \"$HERDR_PANE_ID\" --source crush --agent crush; exit; }
printf 'native is here\\r\\n'
while read -r line; do eval \"$line\"; done
";

/// Starts one in a tab that nobody looks at.
fn native(daemon: &Daemon) -> String {
    let params = json!({ "workspace_id": "1", "focus": false });
    let pane = daemon.pane_of("tab.create", params);
    daemon.enter(&pane, "crush");
    daemon.wait_for_line(&pane, "native is here$");
    pane
}

fn told(daemon: &Daemon, pane: &str, line: &str, status: &str) {
    daemon.enter(pane, line);
    until_true(status, || daemon.pane(pane)["agent_status"] == status);
}

/// The process that leads the job in the foreground.
fn leader(daemon: &Daemon, pane: &str) -> Pid {
    let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
    let group = info["process_info"]["foreground_process_group_id"].as_i64();
    let group = group.unwrap_or_else(|| panic!("{info}"));
    Pid::from_raw(group.try_into().expect("a process number"))
}

fn is_gone(daemon: &Daemon, pane: &str) -> bool {
    daemon.pane(pane).get("agent").is_none() && daemon.pane(pane)["agent_status"] == "unknown"
}

#[test]
fn three_that_report_by_themselves_leave_or_stay_each_in_its_way() {
    let daemon = Daemon::start();
    daemon.home.script("crush", NATIVE);
    daemon.workspace();
    let [approval, question, plain] = [(); 3].map(|()| native(&daemon));
    told(
        &daemon,
        &approval,
        "say --state blocked --message 'Permission: bash'",
        "blocked",
    );
    told(
        &daemon,
        &question,
        "say --state blocked --message 'Which bed?'",
        "blocked",
    );
    told(&daemon, &plain, "say --state working", "working");
    assert_eq!(daemon.pane(&approval)["blocked_kind"], "approval");
    assert_eq!(daemon.pane(&question)["blocked_kind"], "question");
    told(&daemon, &plain, "say --state idle", "done");

    daemon.enter(&approval, "quit");
    until_true("the one that quit is gone", || is_gone(&daemon, &approval));
    let watch = Stopwatch::start(&daemon.home);
    kill(leader(&daemon, &question), Signal::SIGKILL).expect("a process");
    until_true("the one that was killed is gone", || {
        is_gone(&daemon, &question)
    });
    let took = watch.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");

    assert_eq!(daemon.pane(&plain)["agent_status"], "done");
    daemon.result("agent.focus", json!({ "target": plain }));
    assert_eq!(daemon.pane(&plain)["agent_status"], "idle");
    assert_eq!(daemon.pane(&plain)["agent"], "crush");
}

#[test]
fn an_agent_that_is_killed_without_a_word_on_the_terminal_is_missed() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.home.script(
        "codex",
        "#!/bin/sh\necho $$ >\"$HOME/pid\"\necho here\nread line\n",
    );
    // Nothing is printed when its child ends, and it stays in the foreground.
    let wrapper = "#!/bin/sh\nexec 2>/dev/null\ncodex\nread line\n";
    daemon.home.script("wrapper", wrapper);
    daemon.enter(&pane, "wrapper");
    until_true("the agent", || daemon.pane(&pane)["agent"] == "codex");
    let pid = std::fs::read_to_string(daemon.home.path("home/pid")).expect("a number");
    kill(
        Pid::from_raw(pid.trim().parse().expect("a number")),
        Signal::SIGKILL,
    )
    .expect("a process");
    until_true("its end", || daemon.pane(&pane).get("agent").is_none());
}

#[test]
fn an_agent_in_the_background_lasts_as_long_as_its_process() {
    let daemon = Daemon::start();
    let bot = "#!/bin/sh
\"$HERDR_BIN_PATH\" pane report-agent \"$HERDR_PANE_ID\" --source bot --agent bot --state working
echo $$ >\"$HOME/bot\"
exec sleep 1000
";
    daemon.home.script("bot", bot);
    let stays = daemon.workspace();
    let lapses = daemon.split(&stays);
    daemon.enter(&stays, "bot &");
    let pid = until("the bot", || {
        let text = std::fs::read_to_string(daemon.home.path("home/bot")).ok()?;
        text.trim().parse().ok().map(Pid::from_raw)
    });
    assert_eq!(daemon.pane(&stays)["agent"], "bot");
    // Said later, by a command that is gone at once: when this is doubted, so was the other.
    let say = "\"$HERDR_BIN_PATH\" pane report-agent \"$HERDR_PANE_ID\" --source bot --agent bot --state working";
    daemon.enter(&lapses, say);
    until_true("the claim", || daemon.pane(&lapses)["agent"] == "bot");
    until_true("its end", || daemon.pane(&lapses).get("agent").is_none());
    assert_eq!(daemon.pane(&stays)["agent"], "bot");
    kill(pid, Signal::SIGKILL).expect("a process");
    until_true("the end of the bot", || {
        daemon.pane(&stays).get("agent").is_none()
    });
}
