//! The programs in panes: their terminal's size, and their end.

use serde_json::{Value, json};

use super::common::{Daemon, Setup, names, until, until_true};

fn size(daemon: &Daemon, pane: &str) -> String {
    daemon.shell(pane, "stty size </dev/tty").trim().to_owned()
}

#[test]
fn a_pane_alone_has_the_whole_headless_screen() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    assert_eq!(size(&daemon, &pane), "40 120");
    let layout = daemon.result("pane.layout", json!({}))["layout"].clone();
    assert_eq!(
        layout["area"],
        json!({ "x": 0, "y": 0, "width": 120, "height": 40 })
    );
    assert_eq!(layout["panes"][0]["rect"], layout["area"]);
}

#[test]
fn the_screen_follows_the_configuration() {
    let daemon = Setup::new()
        .config("[server]\nheadless_cols = 100\nheadless_rows = 30\n")
        .start();
    let pane = daemon.workspace();
    assert_eq!(size(&daemon, &pane), "30 100");
}

#[test]
fn a_program_learns_of_every_change_of_its_size() {
    let daemon = Setup::new().config("ui.pane_borders = false\n").start();
    let first = daemon.workspace();
    let log = "trap 'stty size' WINCH; echo 'rea'dy; while :; do read line; done";
    daemon.enter(
        &first,
        &format!("sh -c '{}'; true", log.replace('\'', "'\"'\"'")),
    );
    daemon.wait_for_line(&first, "ready$");
    let params = json!({ "target_pane_id": first, "direction": "right", "ratio": 0.25 });
    let second = daemon.result("pane.split", params)["pane"]["pane_id"].clone();
    let second = second.as_str().expect("an id");
    // A read may go on through the signal, so each size is waited for with a line of its own.
    let seen = |size: &str| {
        until(&format!("the size {size}"), || {
            daemon.enter(&first, "");
            let text = daemon.text(&first);
            text.lines().any(|line| line == size).then_some(())
        });
    };
    seen("40 30");
    assert_eq!(size(&daemon, second), "40 90");
    let params = json!({ "target_pane_id": second, "direction": "down" });
    daemon.result("pane.split", params);
    assert_eq!(size(&daemon, second), "20 90");
    daemon.result("pane.close", json!({ "pane_id": second }));
    daemon.result("pane.zoom", json!({ "pane_id": first }));
    seen("40 120");
}

#[test]
fn panes_that_share_a_tab_lose_a_cell_on_each_side() {
    let daemon = Daemon::start();
    let first = daemon.workspace();
    let second = daemon.split(&first);
    let columns = |pane: &str| {
        let size = size(&daemon, pane);
        let (rows, columns) = size.split_once(' ').expect("two numbers");
        assert_eq!(rows, "38");
        columns.parse::<u16>().expect("a number")
    };
    for pane in [&first, &second] {
        let columns = columns(pane);
        assert!((57..=58).contains(&columns), "{columns}");
    }
}

#[test]
fn process_info_tells_who_is_in_the_foreground() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let shell = daemon.shell(&pane, "echo $PPID; ps -o ppid= -p $PPID");
    assert!(!shell.is_empty());
    daemon.enter(&pane, "cat -u");
    let info = until("cat in the foreground", || {
        let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
        let info = info["process_info"].clone();
        (info["foreground_processes"][0]["name"] == "cat").then_some(info)
    });
    assert_eq!(info["pane_id"], pane.as_str());
    let cat = &info["foreground_processes"][0];
    assert_eq!(cat["argv"], json!(["cat", "-u"]));
    assert_eq!(cat["cmdline"], "cat -u");
    assert_eq!(cat["cwd"], daemon.home.path("home").display().to_string());
    assert_eq!(cat["pid"], info["foreground_process_group_id"]);
    assert_ne!(cat["pid"], info["shell_pid"]);
    let params = json!({ "pane_id": "w9:p9" });
    daemon.refuses(
        "pane.process_info",
        params,
        "pane_not_found",
        "pane not found",
    );
}

#[test]
fn a_program_that_ends_takes_its_pane_along() {
    let daemon = Daemon::start();
    let first = daemon.workspace();
    let second = daemon.split(&first);
    let mut stream =
        daemon.subscribe(json!([{ "type": "pane.exited" }, { "type": "pane.closed" }]));
    daemon.enter(&second, "exit 3");
    let event = stream.next();
    assert_eq!(event["event"], "pane_exited");
    assert_eq!(event["data"]["pane_id"], second.as_str());
    assert_eq!(event["data"]["workspace_id"], "w1");
    let message = format!("pane {second} not found");
    daemon.refuses(
        "pane.get",
        json!({ "pane_id": second }),
        "pane_not_found",
        &message,
    );
    daemon.enter(&first, "kill -9 $$");
    assert_eq!(stream.next()["data"]["pane_id"], first.as_str());
    let lists = daemon.result("workspace.list", json!({}));
    assert_eq!(
        lists["workspaces"],
        json!([]),
        "the last takes its workspace along"
    );
}

#[test]
fn a_closed_pane_ends_everything_in_it() {
    let daemon = Daemon::start();
    let first = daemon.workspace();
    let second = daemon.split(&first);
    daemon.enter(
        &second,
        "trap '' HUP TERM; sh -c 'trap \"\" HUP TERM; echo \"job\" $$; cat; cat'",
    );
    let job = daemon.wait_for_line(&second, "job [0-9]+$");
    let job = job
        .rsplit(' ')
        .next()
        .and_then(|job| job.parse::<i32>().ok());
    let job = job.expect("a process number");
    let alive = || nix::sys::signal::kill(nix::unistd::Pid::from_raw(job), None).is_ok();
    assert!(alive());
    daemon.result("pane.close", json!({ "pane_id": second }));
    until_true("the end of the job", || !alive());
}

#[test]
fn a_title_is_shown_and_told_but_a_spinner_in_it_is_not_news() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let mut stream =
        daemon.subscribe(json!([{ "type": "pane.updated" }, { "type": "workspace.renamed" }]));
    let title = |text: &str, mark: &str| {
        daemon.enter(
            &pane,
            &format!("printf '\\033]2;{text}\\007'; echo 'mark'{mark}"),
        );
        daemon.wait_for_line(&pane, &format!("mark{mark}$"));
    };
    title("⠋ fix it", "1");
    let event = stream.next();
    assert_eq!(event["data"]["pane"]["terminal_title"], "⠋ fix it");
    assert_eq!(event["data"]["pane"]["terminal_title_stripped"], "fix it");
    let revision = event["data"]["pane"]["revision"]
        .as_u64()
        .expect("a number");
    title("⠙ fix it", "2");
    assert_eq!(names(&stream.so_far(&daemon)), Vec::<&str>::new());
    let record = daemon.pane(&pane);
    assert_eq!(record["terminal_title"], "⠙ fix it");
    assert_eq!(record["revision"], Value::from(revision));
    title("other", "3");
    assert_eq!(
        stream.next()["data"]["pane"]["revision"],
        Value::from(revision + 1)
    );
}

#[test]
fn a_shell_that_cannot_be_started_is_named_and_leaves_nothing_behind() {
    let config = "[terminal]\ndefault_shell = \"/no/such/shell\"\n";
    let daemon = Setup::new().config(config).start();
    let (code, message) = daemon.refusal("workspace.create", json!({}));
    assert_eq!(code, "workspace_create_failed");
    assert!(message.contains("/no/such/shell"), "{message}");
    assert_eq!(
        daemon.result("workspace.list", json!({}))["workspaces"],
        json!([])
    );
}
