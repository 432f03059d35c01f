//! The state of agents that say nothing, read off their screens; the rules that read them.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::common::{Daemon, Half, Setup, Stopwatch, until_true};

/// A stand-in's screens, each with its title: idle, working, blocked.
struct Cast {
    agent: &'static str,
    idle: (&'static str, &'static str),
    working: (&'static str, &'static str),
    blocked: (&'static str, &'static str),
}

const CASTS: &[Cast] = &[
    Cast {
        agent: "claude",
        idle: (
            "✳ Roof",
            "● Their prompt was:\n    Permission Required\n    Press enter to confirm or esc to cancel\n\n────────────\n❯\n────────────\n",
        ),
        working: (
            "zsh",
            "● Up the ladder.\n\n✢ Hammering… (3s)\n\n────────────\n❯\n────────────\n",
        ),
        blocked: (
            "✳ Roof",
            "────────────\n Bash command\n   hammer tile\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n",
        ),
    },
    Cast {
        agent: "codex",
        idle: (
            "roof",
            "• Up the ladder.\n  Do you want to proceed? [y/n]\n\n› \n\n  model · ~/roof\n",
        ),
        working: (
            "roof",
            "• Hammering (2s • esc to interrupt)\n\n› \n\n  model · ~/roof\n",
        ),
        blocked: (
            "roof",
            "• Hammer\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to cancel\n",
        ),
    },
    Cast {
        agent: "gemini",
        idle: ("◇  Ready (roof)", " > \n"),
        working: ("✦  Hammering", " > \n"),
        blocked: (
            "✋  Action Required",
            " │ Apply this change?\n │ ● 1. Yes\n",
        ),
    },
    Cast {
        agent: "cursor-agent",
        idle: ("roof", " Up the ladder.\n\n → Add a follow-up\n"),
        working: (
            "roof",
            " ⬡ Hammering  40 tokens\n\n → Add a follow-up\n  ctrl+c to stop\n",
        ),
        blocked: (
            "roof",
            " Run this command?\n  → Run (once) (y)\n    Skip (esc or n)\n",
        ),
    },
    Cast {
        agent: "devin",
        idle: (
            "roof",
            "────────────\n❭ Ask Devin to build a roof\n────────────\n",
        ),
        working: (
            "roof",
            " Running tools 3s (esc to interrupt)\n────────────\n❭ Guide Devin while it works\n────────────\n",
        ),
        blocked: (
            "roof",
            " 1 Yes (Approve once)\n 2 No\n ↑↓ select ↵ confirm esc cancel\n",
        ),
    },
    Cast {
        agent: "copilot",
        idle: ("roof", "● Up.\n\n❯ \n"),
        working: ("roof", "◎ Hammering (Esc to cancel)\n\n❯ \n"),
        blocked: (
            "roof",
            "╭────────╮\n│ Hammer?  │\n│ ❯ 1. Yes │\n╰────────╯\n enter to select · esc to cancel\n",
        ),
    },
    Cast {
        agent: "droid",
        idle: ("roof", "│ >  │\n ? for help\n"),
        working: ("roof", " Hammering (Press ESC to stop)\n│ >  │\n"),
        blocked: (
            "roof",
            " EXECUTE\n > Yes, allow\n   No, cancel\n Enter select  Esc cancel  ↑/↓ navigate\n",
        ),
    },
    Cast {
        agent: "grok",
        idle: ("roof - grok", "│ ❯ │\n Shift+Tab:mode\n"),
        working: ("roof - grok", " Hammering 2s [stop]\n│ ❯ │\n Esc:cancel\n"),
        blocked: ("roof - grok", "┃ 1 (●) Yes, proceed\n┃ 2 (○) No\n"),
    },
    Cast {
        agent: "qwen",
        idle: ("roof", " >   Type your message\n"),
        working: (
            "roof",
            " ⠙ Hammering (2s · esc to cancel)\n\n >   Type your message\n",
        ),
        blocked: (
            "roof",
            " Shell Command Execution\n › 1. Yes, allow once\n   2. No\n ⠏ Waiting for user confirmation...\n",
        ),
    },
    Cast {
        agent: "opencode",
        idle: ("OC | Roof", "┃\n╹▀▀▀▀▀▀\n  ctrl+p commands\n"),
        working: (
            "OC | Roof",
            "┃\n╹▀▀▀▀▀▀\n ■■■■⬝⬝ esc interrupt  ctrl+p commands\n",
        ),
        blocked: (
            "OC | Roof",
            " △ Permission required\n   Hammer\n Allow once   Reject\n",
        ),
    },
    Cast {
        agent: "maki",
        idle: ("", "❯ \n [BUILD] model\n"),
        working: ("", "❯ \n ⠋ [BUILD] model\n"),
        blocked: ("", " Permission required\n y allow  n deny\n"),
    },
    Cast {
        agent: "kimi",
        idle: ("", "│ >    │\n context: 2%\n"),
        working: ("", " 🌕\n│ >    │\n context: 2%\n"),
        blocked: (
            "",
            "▶ Write this file?\n❯ 1 approve\n 1/2/3/4 choose  ↵ confirm\n",
        ),
    },
];

impl Cast {
    /// Plays a turn in a pane nobody looks at; the time that the daemon took from the output to the
    /// event that tells of it, for each step.
    fn play(&self, daemon: &Daemon, pane: &str) -> [Duration; 5] {
        let shown = daemon.home.path("home").join(format!("shown-{pane}"));
        for (name, (title, text)) in [
            ("idle", self.idle),
            ("working", self.working),
            ("blocked", self.blocked),
        ] {
            let name = format!("{}-{name}", self.agent);
            daemon.home.screen(&name, title, text);
        }
        let entry = json!({ "type": "pane.agent_status_changed", "pane_id": pane });
        let mut stream = daemon.subscribe(json!([entry]));
        daemon.start_stand_in(pane, self.agent);
        [
            ("idle", "idle"),
            ("working", "working"),
            ("blocked", "blocked"),
            ("working", "working"),
            ("idle", "done"),
        ]
        .map(|(screen, status)| {
            let watch = Stopwatch::start(&daemon.home);
            daemon.enter(pane, &format!("{}-{screen}", self.agent));
            let event = stream.next();
            let took = watch.elapsed_since_writing(&shown);
            let seen = &event["data"]["agent_status"];
            assert_eq!(
                seen,
                status,
                "{}: {event}\n{}",
                self.agent,
                daemon.text(pane)
            );
            took
        })
    }
}

/// How soon a person is to know of each step.
const SOON: Duration = Duration::from_millis(300);

#[test]
fn a_turn_of_an_agent_is_followed_on_its_screen() {
    // One stream a pane.
    let daemon = Setup::new()
        .config("[limits]\nstreams_per_process = 64\n")
        .start();
    daemon.workspace();
    let next: Mutex<std::slice::Iter<'_, Cast>> = Mutex::new(CASTS.iter());
    thread::scope(|scope| {
        // A few at a time, so that they do not wait for each other.
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let Some(cast) = next.lock().expect("lock").next() else {
                        return;
                    };
                    let params = json!({ "workspace_id": "1", "focus": false });
                    let pane = daemon.pane_of("tab.create", params);
                    let took = cast.play(&daemon, &pane);
                    assert!(
                        took.iter().all(|took| *took < SOON),
                        "{}: {took:?}",
                        cast.agent
                    );
                    daemon.result("pane.close", json!({ "pane_id": pane }));
                }
            });
        }
    });
}

#[test]
fn fifty_panes_with_idle_agents_cost_no_wake_up() {
    let daemon = Daemon::start();
    daemon.workspace();
    let [idle, ..] = CASTS else { panic!("no cast") };
    daemon.home.stand_in(idle.agent);
    daemon.home.screen("idle", idle.idle.0, idle.idle.1);
    let panes: Vec<String> = (0..50)
        .map(|_| daemon.pane_of("tab.create", json!({ "workspace_id": "1", "focus": false })))
        .collect();
    for pane in &panes {
        daemon.enter(pane, idle.agent);
    }
    for pane in &panes {
        daemon.wait_for_line(pane, "stand-in is here$");
        daemon.enter(pane, "idle");
    }
    for pane in &panes {
        until_true("idle", || status(&daemon, pane) == "idle");
    }
    daemon.rests_for(Duration::from_secs(10));
}

#[test]
fn the_newest_job_counts_where_the_configuration_says_so() {
    let config = "agents.process_detection = \"child-groups\"\n";
    let daemon = Setup::new().config(config).start();
    daemon.home.script("claude", "#!/bin/sh\nsleep 1000\n");
    let pane = daemon.workspace();
    // The terminal is never its own.
    daemon.enter(&pane, "claude & wait");
    until_true("the agent", || daemon.pane(&pane)["agent"] == "claude");
}

#[test]
fn a_link_to_an_agents_package_is_seen_through() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let script = daemon
        .home
        .path("home/node_modules/@anthropic-ai/claude-code/cli.sh");
    std::fs::create_dir_all(script.parent().expect("a folder")).expect("a directory");
    std::fs::write(&script, "read line\n").expect("a file");
    std::os::unix::fs::symlink(&script, daemon.home.path("home/helper")).expect("a link");
    daemon.enter(&pane, "sh ./helper");
    until_true("the agent", || daemon.pane(&pane)["agent"] == "claude");
}

fn status(daemon: &Daemon, pane: &str) -> Value {
    daemon.pane(pane)["agent_status"].clone()
}

fn shows(daemon: &Daemon, pane: &str, title: &str, text: &str, expected: &str) {
    daemon.home.screen("now", title, text);
    daemon.enter(pane, "now");
    until_true(expected, || status(daemon, pane) == expected);
}

const WORKING: &str = "✢ Hammering… (3s)\n\n────────────\n❯\n────────────\n";
const DIALOG: &str =
    "────────────\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n";

#[test]
fn the_end_of_an_agent_ends_what_its_screen_told() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.start_stand_in(&pane, "claude");
    shows(
        &daemon,
        &pane,
        "◓ Roof",
        "────────────\n❯\n────────────\n",
        "working",
    );
    daemon.result(
        "pane.send_keys",
        json!({ "pane_id": pane, "keys": ["ctrl+d"] }),
    );
    until_true("its end", || daemon.pane(&pane).get("agent").is_none());
    until_true("no status", || status(&daemon, &pane) == "unknown");
    // The title of the last run says nothing about the next.
    daemon.start_stand_in(&pane, "claude");
    until_true("idle", || status(&daemon, &pane) == "idle");
}

#[test]
fn a_title_or_progress_that_alone_tells_the_state_counts_for_another_worker() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    for (agent, said, rule) in [
        ("claude", "\x1b]2;◓ Roof\x07", "title_working"),
        ("qwen", "\x1b]9;4;3\x07", "progress_working"),
    ] {
        let (_, composer) = CASTS
            .iter()
            .find(|cast| cast.agent == agent)
            .expect("one")
            .idle;
        daemon.start_stand_in(&pane, agent);
        daemon
            .home
            .draws("says", &format!("{said}\x1b[2J\x1b[H{composer}"));
        daemon
            .home
            .draws("draws", &format!("\x1b[2J\x1b[Hredrawn\r\n{composer}"));
        daemon.enter(&pane, "says");
        until_true("working", || status(&daemon, &pane) == "working");
        for _ in 0..2 {
            daemon.kill(Half::Worker);
            daemon.enter(&pane, "draws");
            daemon.wait_for_line(&pane, "^redrawn");
            let explain = daemon.result("agent.explain", json!({ "target": pane }));
            assert_eq!(explain["explain"]["matched_rule"]["id"], rule, "{explain}");
        }
        let (title, dialog) = CASTS
            .iter()
            .find(|cast| cast.agent == agent)
            .expect("one")
            .blocked;
        shows(&daemon, &pane, title, dialog, "blocked");
        let states = history(&daemon, agent).into_iter();
        let states: Vec<String> = states.skip_while(|state| state != "working").collect();
        assert_eq!(
            states,
            ["working", "blocked"],
            "and no wrong one in between"
        );
        let keys = json!({ "pane_id": pane, "keys": ["ctrl+d"] });
        daemon.result("pane.send_keys", keys);
        until_true("its end", || daemon.pane(&pane).get("agent").is_none());
    }
}

#[test]
fn what_an_agent_said_before_it_left_is_not_said_by_the_next_whoever_was_alive_then() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    let (_, composer) = CASTS[0].idle;
    let leave = |daemon: &Daemon| {
        let keys = json!({ "pane_id": pane, "keys": ["ctrl+d"] });
        daemon.result("pane.send_keys", keys);
        until_true("its end", || daemon.pane(&pane).get("agent").is_none());
    };
    daemon.start_stand_in(&pane, "claude");
    shows(&daemon, &pane, "◓ Roof", composer, "working");
    leave(&daemon);
    daemon.kill(Half::Worker);
    daemon.start_stand_in(&pane, "claude");
    until_true("idle", || status(&daemon, &pane) == "idle");
    // The window has had this title all the time.
    shows(&daemon, &pane, "◓ Roof", composer, "working");
    leave(&daemon);
}

/// The states that an agent was in, oldest first.
fn history(daemon: &Daemon, agent: &str) -> Vec<String> {
    let words = ["log", "--json", "--kind", "state", "--agent", agent];
    let end = daemon.home.drover(&words);
    assert_eq!(end.code, Some(0), "{end:?}");
    let status = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let told = if record["event"] == "state" {
            "status"
        } else {
            "event"
        };
        record[told].as_str().expect("a word").to_owned()
    };
    end.stdout.lines().map(status).collect()
}

#[test]
fn a_dialog_outranks_a_report_until_it_is_gone() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.start_stand_in(&pane, "claude");
    shows(&daemon, &pane, "", WORKING, "working");
    let params =
        json!({ "pane_id": pane, "source": "custom:x", "agent": "claude", "state": "working" });
    daemon.result("pane.report_agent", params);
    shows(&daemon, &pane, "", DIALOG, "blocked");
    shows(
        &daemon,
        &pane,
        "",
        "────────────\n❯\n────────────\n",
        "working",
    );
}

#[test]
fn an_explanation_gives_the_evidence() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let nobody = json!({ "target": pane });
    let message = format!("agent target {pane} not found");
    daemon.refuses("agent.explain", nobody.clone(), "agent_not_found", &message);
    daemon.start_stand_in(&pane, "claude");
    shows(&daemon, &pane, "✳ Roof", DIALOG, "blocked");
    let explain = daemon.result("agent.explain", nobody)["explain"].clone();
    assert_eq!(explain["agent"], "claude");
    assert_eq!(explain["state"], "blocked");
    assert_eq!(explain["manifest_source"], "bundled");
    assert_eq!(explain["matched_rule"]["id"], "tool_permission");
    assert_eq!(explain["visible_blocker"], true);
    assert_eq!(explain["screen_detection_skipped"], false);
    assert!(
        explain.get("fallback_reason").is_some_and(Value::is_null),
        "{explain}"
    );
    let rules = explain["evaluated_rules"].as_array().expect("rules");
    let title = rules
        .iter()
        .find(|rule| rule["id"] == "title_working")
        .expect("a rule");
    assert_eq!(title["evidence"]["region_preview"], "✳ Roof");
    assert_eq!(title["matched"], false);
}

#[test]
fn what_has_a_label_that_no_agent_has_cannot_be_explained() {
    let daemon = Daemon::start();
    let pane = daemon.busy(daemon.workspace());
    let report = |source: &str, agent: &str| {
        let params =
            json!({ "pane_id": pane, "source": source, "agent": agent, "state": "working" });
        daemon.result("pane.report_agent", params);
    };
    report("bot", "bot");
    let target = json!({ "target": pane });
    let message = format!("agent target {pane} does not have a detected agent label");
    daemon.refuses(
        "agent.explain",
        target.clone(),
        "agent_explain_unavailable",
        &message,
    );
    report("herdr:pi", "pi");
    let explain = daemon.result("agent.explain", target)["explain"].clone();
    assert_eq!(explain["screen_detection_skipped"], true);
    assert_eq!(
        explain["screen_detection_skip_reason"],
        "full_lifecycle_hook_authority"
    );
    assert_eq!(explain["state"], "working");
    assert_eq!(explain["evaluated_rules"], json!([]));
}

#[test]
fn a_persons_own_rules_count_from_the_next_reload_on() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    daemon.start_stand_in(&pane, "claude");
    shows(&daemon, &pane, "", "My own spinner.\n", "idle");
    let folder = daemon.home.path("config").join("drover/agent-detection");
    std::fs::create_dir_all(&folder).expect("a directory");
    let file = folder.join("claude.toml");
    let of = |list: &Value| {
        let list = list["manifests"].as_array().expect("a list");
        list.iter()
            .find(|one| one["agent"] == "claude")
            .expect("an entry")
            .clone()
    };
    let list = daemon.result("server.agent_manifests", json!({}));
    assert_eq!(of(&list)["source_kind"], "bundled");
    let rules = "id = \"claude\"\nversion = \"1.0\"\n[[rules]]\nid = \"mine\"\nstate = \"working\"\ncontains = [\"own spinner\"]\n";
    std::fs::write(&file, rules).expect("a file");
    let list = daemon.result("server.reload_agent_manifests", json!({}));
    let entry = of(&list);
    assert_eq!(entry["source_kind"], "local override");
    assert_eq!(entry["source"], file.display().to_string());
    assert_eq!(entry["active_version"], "1.0");
    // Without a word from the agent.
    until_true("working", || status(&daemon, &pane) == "working");
    std::fs::write(&file, "id = \"claude\"\nrules = 1\n").expect("a file");
    let list = daemon.result("server.reload_agent_manifests", json!({}));
    let entry = of(&list);
    assert_eq!(entry["source_kind"], "bundled");
    assert!(
        entry["warning"]
            .as_str()
            .expect("text")
            .contains("claude.toml: line 2"),
        "{entry}"
    );
    until_true("idle", || status(&daemon, &pane) == "idle");
}
