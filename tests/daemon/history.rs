//! Every state of every agent is kept with its time, and what is made of that: `drover log` and `drover stats`.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::common::{Connection, Daemon, Half, Home, Setup};

fn report(daemon: &Daemon, pane: &str, agent: &str, state: &str) {
    let params = json!({ "pane_id": pane, "source": "test", "agent": agent, "state": state });
    daemon.result("pane.report_agent", params);
}

/// The records of `drover log`.
fn log(home: &Home, words: &[&str]) -> Vec<Value> {
    let end = home.drover(&[&["log", "--json"], words].concat());
    assert_eq!(end.code, Some(0), "{end:?}");
    let line = |line: &str| serde_json::from_str(line).expect("JSON");
    end.stdout.lines().map(line).collect()
}

/// What records tell: the event, or the status where that is it.
fn told(records: &[Value]) -> Vec<&str> {
    let told = |record: &'_ Value| match record["event"].as_str() {
        Some("state") => "status",
        _ => "event",
    };
    records
        .iter()
        .map(|record| record[told(record)].as_str().expect("a word"))
        .collect()
}

#[test]
fn every_state_is_a_record_with_its_time_and_a_report_of_the_same_is_not() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let other = daemon.busy(daemon.tab());
    for state in ["working", "working", "blocked", "working", "idle"] {
        report(&daemon, &pane, "bot", state);
    }
    report(&daemon, &other, "second", "working");
    let of = |agent: &str| log(&daemon.home, &["--kind", "state", "--agent", agent]);
    let records = of("bot");
    let words = told(&records);
    let (session, states) = words.split_first().expect("records");
    assert_eq!(*session, "started");
    assert_eq!(states[..3], ["working", "blocked", "working"]);
    assert!(matches!(states[3..], ["idle" | "done"]), "{words:?}");
    assert_eq!(of(&pane), records, "by its pane");
    let times: Vec<i64> = records
        .iter()
        .map(|r| r["at_ms"].as_i64().expect("a time"))
        .collect();
    assert!(times.is_sorted() && times[0] > 1_700_000_000_000);
    assert_eq!(records[1]["agent"], "bot");
    daemon.result("pane.close", json!({ "pane_id": other }));
    let left = log(&daemon.home, &["--limit", "1", "--agent", "second"]);
    assert_eq!(told(&left), ["left"]);
    assert_eq!(
        (&left[0]["agent"], &left[0]["pane_id"]),
        (&json!("second"), &json!(other))
    );
    let all = log(&daemon.home, &[]);
    assert_eq!(log(&daemon.home, &["--since", "1970-01-02"]), all);
    assert_eq!(log(&daemon.home, &["--since", "0s"]), [] as [Value; 0]);
    assert_eq!(
        daemon.home.drover(&["log", "--since", "soon"]).code,
        Some(2)
    );
}

#[test]
fn states_and_access_are_one_timeline() {
    let daemon = Setup::new()
        .config("[authority]\nreports = \"own-pane\"\n")
        .start();
    let pane = daemon.busy(daemon.workspace());
    let own = format!("herdr pane report-agent {pane} --source x --agent x --state working");
    daemon.home.herdr(&[
        "pane",
        "report-agent",
        &pane,
        "--source",
        "y",
        "--agent",
        "y",
        "--state",
        "idle",
    ]);
    let second = daemon.split(&pane);
    daemon.shell(&second, &own);
    let records = log(&daemon.home, &[]);
    let kinds: Vec<&str> = records
        .iter()
        .map(|r| r["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(kinds, ["state", "access", "access"], "{records:?}");
    let time = |r: &Value| {
        r["at_ms"]
            .as_i64()
            .or(r["last_ms"].as_i64())
            .expect("a time")
    };
    assert!(records.iter().map(time).is_sorted());
    assert_eq!(log(&daemon.home, &["--kind", "access"]).len(), 2);
    let shown = daemon.home.drover(&["log"]).stdout;
    assert!(
        shown.contains("session started") && shown.contains("forbidden"),
        "{shown}"
    );
}

#[test]
fn who_follows_is_told_at_once_and_only_of_what_is_new() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    report(&daemon, &pane, "bot", "working");
    let socket = daemon.home.path("run/drover/drover.sock");
    let mut first = Connection::open(&socket);
    first.request("h", "history.read", json!({ "agent": "bot" }));
    let answer = first.line().expect("an answer");
    let records = answer["result"]["records"].as_array().expect("records");
    assert_eq!(answer["result"]["more"], false);
    let last = &records[records.len() - 1]["number"];
    let mut waiting = Connection::open(&socket);
    waiting.request("w", "history.read", json!({ "after": last, "wait": true }));
    assert!(!waiting.has_something(), "there is nothing yet");
    report(&daemon, &pane, "bot", "working");
    report(&daemon, &pane, "bot", "blocked");
    let answer = waiting.line().expect("an answer");
    assert_eq!(
        answer["result"]["records"][0]["status"], "blocked",
        "{answer}"
    );
    assert_eq!(
        answer["result"]["records"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_long_history_is_read_page_by_page() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    for _ in 0..10 {
        report(&daemon, &pane, "bot", "working");
        report(&daemon, &pane, "bot", "blocked");
    }
    let socket = daemon.home.path("run/drover/drover.sock");
    let mut numbers = Vec::new();
    let mut before = Value::Null;
    loop {
        let mut connection = Connection::open(&socket);
        let params = json!({ "agent": "bot", "limit": 6, "before": before });
        connection.request("h", "history.read", params);
        let result = connection.line().expect("an answer")["result"].clone();
        let page: Vec<i64> = result["records"]
            .as_array()
            .expect("records")
            .iter()
            .map(|record| record["number"].as_i64().expect("a number"))
            .collect();
        assert!(page.is_sorted() && page.len() <= 6);
        before = json!(page[0]);
        numbers.splice(0..0, page);
        if result["more"] == false {
            break;
        }
    }
    assert!(numbers.is_sorted());
    assert_eq!(numbers.len(), 21, "twenty states and the beginning");
}

#[test]
fn the_history_outlives_the_daemon_and_says_when_it_was_down() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    report(&daemon, &pane, "bot", "blocked");
    let home = daemon.ended_by(Signal::SIGTERM);
    let mut daemon = Setup::at(home).start();
    let words = |home: &Home| {
        let records = log(home, &["--kind", "state"]);
        told(&records)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(&daemon.home),
        ["started", "blocked", "stopped", "started"]
    );
    // A worker that takes over has nothing to add.
    let pane = daemon.busy(daemon.workspace());
    report(&daemon, &pane, "bot", "working");
    daemon.kill(Half::Worker);
    assert_eq!(daemon.pane(&pane)["agent_status"], "working");
    assert_eq!(words(&daemon.home)[4..], ["working"]);
}

#[test]
fn stats_tell_how_long_agents_worked_and_waited_and_draw_it() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    for state in ["working", "blocked", "working", "blocked", "idle"] {
        report(&daemon, &pane, "bot", state);
    }
    let end = daemon.home.drover(&["stats", "--json", "--since", "1d"]);
    assert_eq!(end.code, Some(0), "{end:?}");
    let stats: Value = serde_json::from_str(&end.stdout).expect("JSON");
    let days = stats["days"].as_array().expect("days");
    let prompts: i64 = days
        .iter()
        .map(|day| day["prompts"].as_i64().expect("a number"))
        .sum();
    assert_eq!(
        (days[0]["agent"].as_str(), prompts),
        (Some("bot"), 2),
        "{stats}"
    );
    let lines = daemon.home.drover(&["stats", "--agent", "bot"]).stdout;
    assert_eq!(
        lines.lines().next().expect("a line").split('\t').count(),
        8,
        "{lines}"
    );
    assert_eq!(
        daemon.home.drover(&["stats", "--agent", "nobody"]).stdout,
        ""
    );
    let picture = daemon.home.path("home/day.svg");
    let path = picture.display().to_string();
    let end = daemon.home.drover(&["stats", "--svg", &path]);
    assert_eq!((end.code, end.stdout), (Some(0), format!("{path}\n")));
    let picture = std::fs::read_to_string(picture).expect("a file");
    assert!(
        picture.contains("bot w1:p1") && picture.ends_with("</svg>\n"),
        "{picture}"
    );
    let nowhere = daemon
        .home
        .drover(&["stats", "--svg", "/nonexistent/day.svg"]);
    assert_eq!(nowhere.code, Some(1));
    assert!(
        nowhere.stderr.contains("/nonexistent/day.svg"),
        "{nowhere:?}"
    );
}
