//! Nobody acts for somebody else: processes in panes against other panes, with the real commands.

use serde_json::{Value, json};

use nix::sys::signal::Signal;

use super::common::{Daemon, Half, Setup};

/// A daemon with its own rule for reports, where the others here have herdr's.
fn strict_reports() -> Daemon {
    Setup::new().config("[authority]\n").start()
}

impl Daemon {
    /// Runs `drover` outside every pane.
    fn drover(&self, words: &[&str]) -> String {
        let end = self.home.drover(words);
        assert_eq!(end.code, Some(0), "{words:?}: {end:?}");
        end.stdout
    }

    fn records(&self) -> Vec<Value> {
        let text = self.drover(&["log", "--kind", "access", "--json"]);
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }
}

fn report(pane: &str, state: &str) -> String {
    format!("herdr pane report-agent {pane} --source x --agent x --state {state}")
}

#[test]
fn a_pane_without_the_right_is_refused_and_the_other_pane_stays_as_it_was() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let b = daemon.split(&a);
    let refused = |script: &str| {
        let said = daemon.shell(&a, &format!("{script}; echo $?"));
        assert!(
            said.contains(r#""code":"forbidden""#) && said.ends_with("\n1\n"),
            "{script}: {said}"
        );
        assert!(
            !said.contains(&b),
            "{script} is told nothing of the other: {said}"
        );
    };
    refused(&report(&b, "idle"));
    daemon.drover(&["grants", "set", &a, "none"]);
    refused(&format!("herdr pane send-text {b} evil"));
    refused(&format!("herdr pane read {b}"));
    daemon.drover(&["grants", "set", &a, "default"]);
    daemon.enter(
        &b,
        &format!(
            "{}; echo 'bu''sy'; cat",
            report("$HERDR_PANE_ID", "blocked")
        ),
    );
    daemon.wait_for_line(&b, "busy$");
    assert_eq!(daemon.pane(&b)["agent_status"], "blocked");
    let said = daemon.shell(&a, &format!("herdr pane send-text {b} evil"));
    assert!(
        said.contains("forbidden") && said.contains("respond"),
        "{said}"
    );
    assert!(!daemon.text(&b).contains("evil"));

    // The person may read and type there, but not speak for it.
    daemon.enter(&b, "by the pers''on");
    daemon.wait_for_line(&b, "by the pers''on$");
    let herdr = daemon.herdr(&[
        "pane",
        "report-agent",
        &b,
        "--source",
        "y",
        "--agent",
        "y",
        "--state",
        "idle",
    ]);
    assert_eq!(herdr.code, Some(1));
    assert!(herdr.stderr.contains("same-user"), "{herdr:?}");
    assert_eq!(daemon.pane(&b)["agent"], "x");

    let kept: Vec<String> = daemon
        .records()
        .iter()
        .map(|record| {
            let text = |name: &str| record[name].as_str().unwrap_or("-").to_owned();
            assert_eq!(text("target"), b);
            [text("caller"), text("method"), text("outcome")].join(" ")
        })
        .collect();
    assert_eq!(
        kept,
        [
            format!("{a} pane.report_agent forbidden"),
            format!("{a} pane.send_text forbidden"),
            format!("{a} pane.read forbidden"),
            format!("{a} pane.send_text forbidden"),
            "outside pane.report_agent forbidden".to_owned(),
        ]
    );
    assert!(!daemon.drover(&["log"]).contains("evil"));
}

#[test]
fn a_pane_is_made_with_the_grants_that_its_command_names_and_never_with_more_than_its_maker_has() {
    let daemon = strict_reports();
    let made = |end: &str| -> Value { serde_json::from_str(end).expect("JSON") };
    let held = |pane: &str| {
        let listed = made(&daemon.drover(&["grants", "list", "--json"]));
        let panes = listed["panes"].as_array().expect("a list").clone();
        let found = panes.into_iter().find(|known| known["pane_id"] == pane);
        found.expect("the pane")["grants"].clone()
    };
    let person = |words: &[&str]| {
        let end = daemon.herdr(words);
        assert_eq!(end.code, Some(0), "{words:?}: {end:?}");
        made(&end.stdout)["result"].clone()
    };
    let id = |pane: &Value| pane["pane_id"].as_str().expect("an id").to_owned();
    let workspace = person(&["workspace", "create", "--grants", "read,write,respond"]);
    let first = id(&workspace["root_pane"]);
    assert_eq!(held(&first), "read write respond");
    let tab = person(&["tab", "create", "--grants", "none"]);
    assert_eq!(held(&id(&tab["root_pane"])), "none");
    let split = ["pane", "split", &first, "--direction", "right"];
    let with = |grants: &[&'static str]| [&split[..], grants].concat();
    let maker = id(&person(&with(&["--grants", "admin respond"]))["pane"]);
    assert_eq!(held(&maker), "respond admin");
    assert_eq!(held(&id(&person(&split)["pane"])), "admin");

    for wrong in ["everything", "", "none read"] {
        let end = daemon.herdr(&[&split[..], &["--grants", wrong]].concat());
        assert_eq!(end.code, Some(1), "{wrong:?}: {end:?}");
        assert!(end.stderr.contains("invalid_grants"), "{wrong:?}: {end:?}");
    }

    let inside = |grants: &str| {
        let command = format!("herdr pane split --direction down --grants '{grants}'");
        daemon.shell(&maker, &command)
    };
    let given = made(&inside("read"));
    assert_eq!(held(&id(&given["result"]["pane"])), "read");
    let panes = || daemon.result("pane.list", json!({}))["panes"].clone();
    let before = panes();
    assert!(inside("read respond").contains(r#""code":"forbidden""#));
    assert_eq!(panes(), before);
}

#[test]
fn grants_are_listed_set_and_explained_outside_panes_only() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let b = daemon.split(&a);
    let listed = daemon.drover(&["grants", "list"]);
    assert!(
        listed.starts_with("default: admin\nreports: own-pane\n"),
        "{listed}"
    );
    assert_eq!(
        daemon.drover(&["grants", "set", &a, "read", "write"]),
        format!("{a} holds read write\n")
    );
    let listed: Value =
        serde_json::from_str(&daemon.drover(&["grants", "list", "--json"])).expect("JSON");
    assert_eq!(listed["panes"][0]["grants"], "read write");
    assert_eq!(listed["panes"][0]["given"], true);
    assert_eq!(listed["panes"][1]["grants"], "admin");

    let explained = daemon
        .home
        .drover(&["grants", "explain", &a, "pane.close", &b]);
    assert_eq!(explained.code, Some(1));
    assert!(
        explained.stdout.contains("needs the grant admin"),
        "{explained:?}"
    );
    let typed = daemon
        .home
        .drover(&["grants", "explain", &a, "pane.send_text", &b]);
    assert!(typed.stdout.contains("holds a grant that"), "{typed:?}");
    assert!(
        daemon
            .drover(&["grants", "explain", &a, "pane.read", &b])
            .contains("yes")
    );
    assert!(
        daemon
            .drover(&["grants", "explain", &a])
            .contains("respond  no")
    );

    let wrong = daemon.home.drover(&["grants", "set", &a, "everything"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("there is no grant"), "{wrong:?}");
    let executable = daemon.home.path("drover").display().to_string();
    for words in ["grants list", &format!("grants set {a} admin"), "log"] {
        let said = daemon.shell(&a, &format!("{executable} {words}; echo $?"));
        assert!(
            said.contains("forbidden") && said.ends_with("\n1\n"),
            "{words}: {said}"
        );
    }
    assert!(
        daemon
            .drover(&["grants", "set", "default", "read"])
            .contains("default: read\n")
    );
    let listed = daemon.drover(&["grants", "list"]);
    assert!(
        listed.contains("drover grants set default configured"),
        "{listed}"
    );
    assert!(
        daemon
            .drover(&["grants", "set", "default", "configured"])
            .contains("default: admin\n")
    );
}

#[test]
fn a_log_that_is_followed_says_what_comes() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let socket = daemon.home.path("run/drover/drover.sock");
    let mut waiting = super::common::Connection::open(&socket);
    waiting.request("f", "log.read", json!({ "kind": "access", "wait": true }));
    assert!(!waiting.has_something(), "there is nothing yet");
    daemon.shell(&a, &report("w9:p9", "idle"));
    let answer = waiting.line().expect("an answer");
    assert_eq!(
        answer["result"]["records"][0]["target"], "w9:p9",
        "{answer}"
    );
}

/// What a process does to get away from where it was started, and still is in its pane: `REPORT` is a report for it.
#[cfg(target_os = "linux")]
#[test]
fn no_way_of_starting_a_process_takes_it_out_of_its_pane() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let report = format!(
        "{} >$OUT 2>&1; echo $? >>$OUT",
        report("$HERDR_PANE_ID", "idle")
    );
    // Waits until the parent has gone and another has taken its child over.
    let orphaned = |start: &str, report: &str| {
        let wait = "until [ \"$(cut -d\" \" -f4 /proc/$$/stat)\" != \"$FIRST\" ]; do :; done";
        format!("sh -c 'FIRST=$$ {start} sh -c '\\''{wait}; {report}; mv $OUT $OUT.end'\\'' &'")
    };
    let ways = [
        (
            "a session of its own",
            format!("setsid -w sh -c '{report}; mv $OUT $OUT.end'"),
        ),
        ("an orphan", orphaned("", &report)),
        (
            "an orphan with a session of its own",
            orphaned("setsid", &report),
        ),
        (
            "an orphan without an environment",
            orphaned(
                "",
                &format!(
                    "herdr=$(command -v herdr); {}",
                    report.replace(
                        "herdr pane",
                        "env -i HERDR_SOCKET_PATH=$HERDR_SOCKET_PATH $herdr pane"
                    )
                ),
            ),
        ),
    ];
    for (index, (what, way)) in ways.iter().enumerate() {
        let out = daemon.home.path("tmp").join(format!("out{index}"));
        daemon.shell(&a, &format!("export OUT={}; {way}", out.display()));
        let end = out.with_extension("end");
        let said = super::common::until(what, || std::fs::read_to_string(&end).ok());
        assert_eq!(said, "0\n", "{what}");
    }
    // This far nobody gets by accident: a process that leaves on purpose is outside, and so cannot report.
    let leaving = orphaned(
        "setsid",
        &format!(
            "herdr=$(command -v herdr); {}",
            report.replace(
                "herdr pane",
                "env -i HERDR_SOCKET_PATH=$HERDR_SOCKET_PATH $herdr pane"
            )
        ),
    );
    let out = daemon.home.path("tmp").join("left");
    daemon.shell(&a, &format!("export OUT={}; {leaving}", out.display()));
    let end = out.with_extension("end");
    let said = super::common::until("the one that left", || std::fs::read_to_string(&end).ok());
    assert!(said.contains("in none") && said.ends_with("1\n"), "{said}");
}

#[test]
fn a_pane_made_from_a_pane_belongs_to_it() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let split = daemon.shell(&a, "herdr pane split $HERDR_PANE_ID --direction right");
    let split: Value = serde_json::from_str(&split).expect("JSON");
    let made = split["result"]["pane"]["pane_id"].as_str().expect("an id");
    daemon.drover(&["grants", "set", &a, "none"]);
    let said = daemon.shell(
        &a,
        &format!("herdr pane run {made} \"echo 'spo''ken'\"; herdr pane close {made}; echo $?"),
    );
    // Typing there would give it the grants of the pane, which holds more by now.
    assert!(
        said.contains("holds a grant that") && said.ends_with("0\n"),
        "{said}"
    );
    let listed = daemon.drover(&["grants", "list"]);
    assert!(!listed.contains(made), "{listed}");
}

#[test]
fn details_of_processes_are_for_those_who_may_type_there() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let b = daemon.busy(daemon.split(&a));
    let ask = |pane: &str| {
        let text = daemon.shell(&a, &format!("herdr pane process-info --pane {pane}"));
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        answer["result"]["process_info"]["foreground_processes"][0].clone()
    };
    assert!(ask(&b)["argv"].is_array());
    daemon.drover(&["grants", "set", &a, "read"]);
    let process = ask(&b);
    assert_eq!(process["name"], "cat");
    for detail in ["argv", "argv0", "cmdline", "cwd"] {
        assert!(
            process.get(detail).is_none_or(Value::is_null),
            "{detail}: {process}"
        );
    }
    assert!(ask(&a)["argv"].is_array(), "its own");
}

#[test]
fn a_stream_ends_when_the_right_to_it_does() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let b = daemon.split(&a);
    let reports = |state: &str| format!("{}; echo 'bu''sy'; cat", report("$HERDR_PANE_ID", state));
    daemon.enter(&b, &reports("working"));
    daemon.wait_for_line(&b, "busy$");
    let drover = daemon.home.path("drover").display().to_string();
    daemon.enter(&a, &format!("{drover} ps --watch; echo 'end'ed"));
    daemon.wait_for_line(&a, "working");
    daemon.drover(&["grants", "set", &a, "none"]);
    daemon.split(&b);
    assert!(
        daemon.wait_for_line(&a, "forbidden").contains("read"),
        "{}",
        daemon.text(&a)
    );
    daemon.wait_for_line(&a, "ended$");
}

/// Has a pane made whose first process is `command`, together with others that are made after it: until the last of
/// them is there, none is in the world.
fn first_of_many(daemon: &Daemon, command: &Value, env: &Value) {
    let mut root = json!({ "type": "pane", "command": command, "env": env });
    for _ in 0..15 {
        root = json!({
            "type": "split", "direction": "right", "ratio": 0.5,
            "first": root, "second": { "type": "pane" },
        });
    }
    let params = json!({ "workspace_id": "1", "root": root });
    daemon.result("layout.apply", params);
}

#[test]
fn a_hook_is_placed_from_the_first_instant_of_its_pane() {
    let daemon = strict_reports();
    daemon.workspace();
    for number in 0..3 {
        let out = daemon.home.path("tmp").join(format!("early{number}"));
        let script = format!(
            "{} >$OUT 2>&1; echo $? >>$OUT; mv $OUT $OUT.end; read line",
            report("$HERDR_PANE_ID", "working")
        );
        first_of_many(
            &daemon,
            &json!(["/bin/sh", "-c", script]),
            &json!({ "OUT": out }),
        );
        let end = out.with_extension("end");
        let said = super::common::until("the hook's end", || std::fs::read_to_string(&end).ok());
        assert_eq!(said, "0\n");
    }
}

#[test]
fn a_process_without_its_environment_is_no_person_while_its_pane_is_being_made() {
    let daemon = strict_reports();
    daemon.workspace();
    let herdr = daemon.home.path("run/drover/bin/herdr");
    let socket = daemon.home.socket();
    for number in 0..3 {
        let out = daemon.home.path("tmp").join(format!("early{number}"));
        let script = format!(
            "env -i HERDR_SOCKET_PATH={} {} server agent-manifests >{out} 2>&1; mv {out} {out}.end; read line",
            socket.display(),
            herdr.display(),
            out = out.display(),
        );
        let command = json!(["/usr/bin/env", "-i", "/bin/sh", "-c", script]);
        first_of_many(&daemon, &command, &json!({}));
        let end = out.with_extension("end");
        let said = super::common::until("the call's end", || std::fs::read_to_string(&end).ok());
        assert!(said.contains("is for the person"), "{said}");
    }
}

#[test]
fn what_counts_outlives_the_worker_and_a_file_that_gives_more_waits_for_a_restart() {
    let mut daemon = Setup::new()
        .config("[authority]\npanes = \"strict\"\ngrants = \"read\"\n")
        .start();
    let default = |daemon: &Daemon| {
        let listed = daemon.drover(&["grants", "list"]);
        listed.lines().next().expect("a line").to_owned()
    };
    daemon
        .home
        .configure("[authority]\nreports = \"same-user\"\n");
    daemon.kill(Half::Worker);
    assert_eq!(default(&daemon), "default: read");
    assert!(
        daemon
            .drover(&["grants", "list"])
            .contains("reports: own-pane")
    );
    daemon.drover(&["grants", "set", "default", "none"]);
    daemon.kill(Half::Worker);
    assert_eq!(default(&daemon), "default: none");
    daemon.drover(&["grants", "set", "default", "configured"]);
    daemon.kill(Half::Worker);
    assert_eq!(default(&daemon), "default: admin");
    daemon
        .home
        .configure("[authority]\npanes = \"strict\"\ngrants = \"none\"\n");
    daemon.kill(Half::Worker);
    assert_eq!(
        default(&daemon),
        "default: none",
        "what the file takes, it takes at once"
    );
    daemon.home.configure("[authority]\n");
    let home = daemon.ended_by(Signal::SIGTERM);
    let daemon = Setup::at(home).start();
    assert_eq!(default(&daemon), "default: admin");
}

#[test]
fn a_fan_group_outlives_its_middle_and_the_worker() {
    let mut daemon = strict_reports();
    let a = daemon.workspace();
    let made_in = |daemon: &Daemon, pane: &str| {
        let split = daemon.shell(pane, "herdr pane split $HERDR_PANE_ID --direction right");
        let split: Value = serde_json::from_str(&split).expect("JSON");
        let id = split["result"]["pane"]["pane_id"].as_str();
        id.expect("an id").to_owned()
    };
    let b = made_in(&daemon, &a);
    let c = made_in(&daemon, &b);
    daemon.drover(&["grants", "set", &a, "fan"]);
    daemon.result("pane.close", json!({ "pane_id": b }));
    let reads = |daemon: &Daemon| {
        let said = daemon.shell(&a, &format!("herdr pane read {c} >&2; echo code $?"));
        assert!(said.ends_with("code 0\n"), "{said}");
    };
    reads(&daemon);
    daemon.kill(Half::Worker);
    reads(&daemon);
}

#[test]
fn the_access_log_outlives_the_daemon() {
    let mut daemon = strict_reports();
    let a = daemon.workspace();
    daemon.shell(&a, &report("w9:p1", "idle"));
    // The same over and over is one record. The shell's own processes have other numbers each.
    let person = || {
        daemon.rpc(
            "pane.report_agent",
            json!({
                "pane_id": a, "source": "x", "agent": "x", "state": "idle",
            }),
        )
    };
    for _ in 0..5 {
        assert_eq!(person()["error"]["code"], "forbidden");
    }
    let told = |daemon: &Daemon| -> Vec<(u64, String, u64)> {
        let records = daemon.records();
        let row = |record: &Value| {
            let number = |name: &str| record[name].as_u64().expect("a number");
            let target = record["target"].as_str().expect("text").to_owned();
            (number("number"), target, number("count"))
        };
        records.iter().map(row).collect()
    };
    let before = told(&daemon);
    assert_eq!(before, [(1, "w9:p1".to_owned(), 1), (2, a.clone(), 5)]);
    daemon.kill(Half::Worker);
    // Killed between two powers of two, it knows of the power below.
    let [first, (number, _, count)] = &told(&daemon)[..] else {
        panic!("{:?}", told(&daemon));
    };
    assert_eq!((first, *number), (&before[0], 2));
    assert!((4..=5).contains(count), "{count}");
    daemon.shell(&a, &report("w9:p2", "idle"));
    let home = daemon.ended_by(Signal::SIGTERM);
    let daemon = Setup::at(home).config("[authority]\n").start();
    let after = told(&daemon);
    let numbers: Vec<u64> = after.iter().map(|(number, _, _)| *number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(after[2].1, "w9:p2");
    let latest = daemon.drover(&["log", "--kind", "access", "--limit", "1", "--json"]);
    assert!(
        latest.contains("w9:p2") && latest.lines().count() == 1,
        "{latest}"
    );
}

#[test]
fn a_pane_that_may_not_see_another_any_more_gets_no_further_frame_of_it() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let b = daemon.split(&a);
    let out = daemon.home.path("tmp").join("frames");
    let watch = |kind: &str| {
        format!(
            "herdr terminal session {kind} {b} </dev/tty >{} 2>&1; echo 'end'ed",
            out.display()
        )
    };
    for (kind, grants) in [("observe", &["read"][..]), ("control", &["admin"])] {
        daemon.drover(&[&["grants", "set", &a][..], grants].concat());
        daemon.enter(&a, &watch(kind));
        let frames = || std::fs::read_to_string(&out).unwrap_or_default();
        super::common::until_true("a frame", || frames().contains("terminal.frame"));
        daemon.drover(&["grants", "set", &a, "none"]);
        daemon.enter(&b, "echo seen");
        daemon.wait_for_line(&a, "ended$");
        let last = frames().lines().last().expect("a line").to_owned();
        assert!(
            last.contains("the right to this pane was taken away"),
            "{kind}: {last}"
        );
        daemon.enter(&a, "clear");
        std::fs::remove_file(&out).expect("a file");
    }
}

#[test]
fn a_pane_with_write_types_through_a_terminal_stream_and_neither_sizes_nor_takes_over() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let b = daemon.split(&a);
    daemon.drover(&["grants", "set", &b, "none"]);
    let file = daemon.home.path("tmp").join("size");
    let size = |grants: &[&str]| {
        daemon.drover(&[&["grants", "set", &a], grants].concat());
        let _ = std::fs::remove_file(&file);
        let commands = [
            json!({ "type": "terminal.resize", "cols": 71, "rows": 17 }),
            json!({ "type": "terminal.input", "text": format!("stty size >{0}+; mv {0}+ {0}\r", file.display()) }),
        ];
        let [resize, input] = commands.map(|command| command.to_string());
        // The stream lasts until the answer is there: who lets go gives the size back.
        let wait = format!("until [ -e {} ]; do sleep 0.02; done", file.display());
        daemon.shell(
            &a,
            &format!(
                "{{ printf '%s\\n' '{resize}' '{input}'; {wait}; }} | \
                 herdr terminal session control {b} --cols 90 --rows 21 >/dev/null"
            ),
        );
        std::fs::read_to_string(&file).expect("what the shell said")
    };
    let whole = size(&["read", "write"]);
    assert!(!["21 90\n", "17 71\n"].contains(&whole.as_str()), "{whole}");
    let refused = daemon.shell(
        &a,
        &format!("herdr terminal session control {b} --takeover </dev/null"),
    );
    assert!(
        refused.contains("terminal.closed") && refused.contains("admin"),
        "{refused}"
    );
    assert_eq!(size(&["admin"]), "17 71\n");
}

#[test]
fn what_a_new_pane_may_do_is_said_on_the_command_line() {
    let daemon = strict_reports();
    let a = daemon.workspace();
    let made = |words: &[&str]| {
        let end = daemon.herdr(words);
        assert_eq!(end.code, Some(0), "{end:?}");
        let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
        let result = &answer["result"];
        let pane = ["pane", "root_pane"].map(|name| result[name]["pane_id"].as_str());
        let pane = pane.into_iter().flatten().next().expect("a new pane");
        let explained = daemon.drover(&["grants", "list", "--json"]);
        let list: Value = serde_json::from_str(&explained).expect("JSON");
        let panes = list["panes"].as_array().expect("a list");
        let found = panes.iter().find(|record| record["pane_id"] == pane);
        found.expect("the new pane")["grants"].clone()
    };
    let split = ["pane", "split", &a, "--direction", "right"];
    assert_eq!(
        made(&[&split[..], &["--grants", "read fan"]].concat()),
        "read fan"
    );
    assert_eq!(made(&["tab", "create", "--grants", "none"]), "none");
    assert_eq!(
        made(&["workspace", "create", "--grants", "respond"]),
        "respond"
    );
    assert_eq!(made(&["tab", "create"]), "admin");
    let wrong = daemon.herdr(&["tab", "create", "--grants", "everything"]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(
        format!("{}{}", wrong.stdout, wrong.stderr).contains("invalid_grants"),
        "{wrong:?}"
    );
}
