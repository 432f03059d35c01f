//! drover's own commands.

use serde_json::{Value, json};

use super::support::{Daemon, End, Home, run};

#[test]
fn drover_alone_shows_its_commands() {
    let home = Home::new();
    let help = home.drover(&["--help"]);
    assert_eq!(home.drover(&[]), End::new("", &help.stdout, 2));
    let list = home.drover(&["--list"]).stdout;
    assert!(
        list.lines()
            .all(|name| help.stdout.contains(&format!("\n  {name} "))),
        "{list}"
    );
    assert_eq!(
        home.drover(&["nosuch"]),
        End::new(
            "",
            "error: unknown command: nosuch\nrun 'drover --help' for usage\n",
            2
        )
    );
}

#[test]
fn drover_herdr_is_herdr() {
    let home = Home::new();
    let daemon = Daemon::answering(&home.socket(Some("x")), json!({ "type": "ok" }));
    let words = ["pane", "run", "w1:p1", "--help", "--session", "x"];
    assert_eq!(
        home.drover(&[&["herdr"], words.as_slice()].concat()),
        home.herdr(&words)
    );
    assert_eq!(daemon.lines()[0], daemon.lines()[1]);
    assert_eq!(
        home.drover(&["--session", "x", "herdr", "pane", "list"])
            .code,
        Some(0)
    );
    assert_eq!(
        daemon.lines().len(),
        3,
        "a session named before the word herdr is the one"
    );
    for words in [
        &["pane"] as &[&str],
        &["pane", "help"],
        &["--help"],
        &["pane", "get", "--help"],
    ] {
        assert_eq!(
            home.drover(&[&["herdr"], words].concat()),
            home.herdr(words),
            "{words:?}"
        );
    }
}

#[test]
fn applets_ignore_what_herdrs_variables_say() {
    let home = Home::new();
    let daemon = Daemon::answering(
        &home.socket(Some("mine")),
        json!({ "type": "session_snapshot", "snapshot": {} }),
    );
    let mut command = home.command("drover");
    command
        .env("HERDR_SOCKET_PATH", "/nowhere")
        .env("HERDR_SESSION", "a/b")
        .args(["ps", "--session", "mine"]);
    assert_eq!(run(&mut command), End::new("", "", 0));
    assert_eq!(
        daemon.lines(),
        ["{\"id\":\"drover:ps\",\"method\":\"session.snapshot\",\"params\":{}}\n"]
    );
}

#[test]
fn ps_prints_tab_separated_lines_without_a_terminal() {
    let home = Home::new();
    let snapshot = json!({
        "workspaces": [{ "workspace_id": "w1", "label": "api" }],
        "panes": [{ "pane_id": "w1:p1", "workspace_id": "w1", "agent": "claude", "agent_status": "blocked",
                    "blocked_kind": "question", "cwd": "/x" }],
        "agents": [],
    });
    let _daemon = Daemon::answering(
        &home.socket(None),
        json!({ "type": "session_snapshot", "snapshot": snapshot }),
    );
    assert_eq!(
        home.drover(&["ps"]),
        End::new("w1:p1\tapi\tclaude\tblocked\tquestion\t\t/x\n", "", 0)
    );
    let answer: Value = serde_json::from_str(&home.drover(&["ps", "--json"]).stdout).expect("JSON");
    assert_eq!(answer["panes"][0]["blocked_kind"], "question");
    assert_eq!(answer["panes"][0]["title"], Value::Null);
}

#[test]
fn without_a_daemon_ps_says_how_to_start_one_and_down_is_content() {
    let home = Home::new();
    let ps = home.drover(&["ps"]);
    assert_eq!(ps.code, Some(1));
    assert!(
        ps.stderr.starts_with("error: no server is running at ")
            && ps.stderr.ends_with("`drover up`\n"),
        "{ps:?}"
    );
    let down = home.drover(&["down"]);
    assert_eq!(down.code, Some(0));
    assert!(
        down.stdout.starts_with("drover was not running"),
        "{down:?}"
    );
}

#[test]
fn up_leaves_a_running_daemon_alone_and_makes_a_workspace_only_where_there_is_none() {
    let home = Home::new();
    let answer = |workspaces: Value| {
        move |request: &Value| {
            let result = match request["method"].as_str() {
                Some("workspace.list") => {
                    json!({ "type": "workspace_list", "workspaces": workspaces })
                }
                _ => json!({ "type": "workspace_created", "root_pane": { "pane_id": "w1:p1" } }),
            };
            super::support::result_line(request, &result)
        }
    };
    let daemon = Daemon::start(&home.socket(None), Box::new(answer(json!([]))));
    let end = home.drover(&["up"]);
    assert_eq!(end.code, Some(0), "{end:?}");
    assert!(
        end.stdout.contains("is already running") && end.stdout.contains("pane run w1:p1"),
        "{end:?}"
    );
    let created: Value = serde_json::from_str(&daemon.lines()[1]).expect("JSON");
    assert_eq!(created["method"], "workspace.create");
    assert_eq!(created["params"]["focus"], true);
    drop(daemon);

    let daemon = Daemon::start(&home.socket(None), Box::new(answer(json!([{}]))));
    assert_eq!(home.drover(&["up"]).code, Some(0));
    assert_eq!(daemon.lines().len(), 1);
}

#[test]
fn links_are_made_by_both_names() {
    let home = Home::new();
    let directory = home.path().join("not/there/yet");
    let end = home.drover(&["links", directory.to_str().expect("text")]);
    assert_eq!(end.code, Some(0), "{end:?}");
    let version = run(std::process::Command::new(directory.join("herdr")).arg("--version"));
    assert_eq!(version.stdout, home.herdr(&["--version"]).stdout);
    let in_the_way = home.path().join("file");
    std::fs::write(&in_the_way, "").expect("a file");
    let refused = home.drover(&["links", in_the_way.to_str().expect("text")]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.starts_with("error: making the directory ")
            && refused.stderr.contains(in_the_way.to_str().expect("text")),
        "{refused:?}"
    );
}

#[test]
fn completions_know_their_shells_and_names() {
    let home = Home::new();
    assert_eq!(home.drover(&["completions", "nosuch"]).code, Some(2));
    assert_eq!(home.drover(&["completions"]).code, Some(2));
    let end = home.drover(&["completions", "bash", "--name", "nosuch"]);
    assert_eq!(
        end,
        End::new("", "unknown name: nosuch (expected drover or herdr)\n", 2)
    );
}
