//! Hooks in agents' settings: installed over the socket, and what they tell once they run.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use super::common::{Daemon, Home, run, until_true};

fn messages(result: &Value) -> Vec<String> {
    let lines = result["details"]["messages"].as_array().expect("lines");
    lines
        .iter()
        .map(|line| line.as_str().expect("text").to_owned())
        .collect()
}

fn folder(home: &Home, name: &str) {
    std::fs::create_dir_all(home.path("home").join(name)).expect("a directory");
}

/// The entry of a target in `integration.list`.
fn listed(daemon: &Daemon, target: &str) -> Value {
    let list = daemon.result("integration.list", json!({}));
    let list = list["integrations"].as_array().expect("a list").clone();
    let found = list.into_iter().find(|entry| entry["target"] == target);
    found.expect("an entry")
}

#[test]
fn hooks_are_put_in_and_taken_out_over_the_socket() {
    let daemon = Daemon::start();
    let target = json!({ "target": "claude" });
    let home = daemon.home.path("home");
    let missing = format!(
        "claude directory not found at {}. install claude code first",
        home.join(".claude").display()
    );
    daemon.refuses(
        "integration.install",
        target.clone(),
        "integration_install_failed",
        &missing,
    );
    folder(&daemon.home, ".claude");
    let before = listed(&daemon, "claude");
    assert_eq!(before["state"], "not_installed");
    assert_eq!(before["available"], false);
    assert_eq!(before["command"], "claude");
    daemon.home.script("claude", "#!/bin/sh\n");
    assert_eq!(listed(&daemon, "claude")["available"], true);

    let script = home.join(".claude/hooks/herdr-agent-state.sh");
    let settings = home.join(".claude/settings.json");
    let (script, settings) = (script.display(), settings.display());
    let installed = daemon.result("integration.install", target.clone());
    assert_eq!(installed["type"], "integration_install");
    assert_eq!(
        messages(&installed),
        [
            format!("installed claude integration hook to {script}"),
            format!("ensured claude settings at {settings}")
        ]
    );
    assert_eq!(listed(&daemon, "claude")["state"], "current");
    let removed = daemon.result("integration.uninstall", target.clone());
    assert_eq!(
        messages(&removed),
        [
            format!("removed claude hook at {script}"),
            format!("removed herdr claude hook entries from {settings}")
        ]
    );
    assert_eq!(listed(&daemon, "claude")["state"], "not_installed");
    std::fs::write(home.join(".claude/settings.json"), "{\n  \"a\" 1\n}\n").expect("a file");
    let (code, message) = daemon.refusal("integration.uninstall", target);
    assert_eq!(code, "integration_uninstall_failed");
    assert!(message.contains("line 2, column 7"), "{message}");
}

#[test]
fn a_pane_may_not_change_the_persons_settings() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    folder(&daemon.home, ".claude");
    let said = daemon.shell(&pane, "herdr integration list");
    assert!(said.contains("\"forbidden\""), "{said}");
}

/// Stands in for an agent that runs a hook for each line: the word, then the JSON.
const AGENT: &str = "#!/bin/sh
stty -echo
echo 'agent is here'
while read -r word json; do printf '%s' \"$json\" | sh \"$HOME/HOOK\" \"$word\"; done
";

fn agent(daemon: &Daemon, name: &str, hook: &str) -> String {
    let pane = daemon.workspace();
    daemon.home.script(name, &AGENT.replace("HOOK", hook));
    daemon.enter(&pane, name);
    daemon.wait_for_line(&pane, "agent is here$");
    until_true("the agent", || daemon.pane(&pane)["agent"] == name);
    pane
}

#[test]
fn a_hook_tells_which_session_is_open() {
    let daemon = Daemon::start();
    folder(&daemon.home, ".claude");
    daemon.result("integration.install", json!({ "target": "claude" }));
    let pane = agent(&daemon, "claude", ".claude/hooks/herdr-agent-state.sh");
    daemon.enter(&pane, r#"session {"session_id": "sub", "agent_id": "x"}"#);
    daemon.enter(&pane, "session nonsense");
    daemon.enter(
        &pane,
        r#"session {"session_id": "one", "source": "startup"}"#,
    );
    until_true("the session", || {
        daemon.pane(&pane)["agent_session"]["value"] == "one"
    });
    let session = daemon.pane(&pane)["agent_session"].clone();
    assert_eq!(session["source"], "herdr:claude", "{session}");
    daemon.enter(&pane, r#"session {"session_id": "two", "source": "clear"}"#);
    until_true("the next", || {
        daemon.pane(&pane)["agent_session"]["value"] == "two"
    });
}

#[test]
fn hooks_of_an_agent_that_tells_everything_tell_how_it_stands() {
    let daemon = Daemon::start();
    folder(&daemon.home, ".kimi-code");
    daemon.result("integration.install", json!({ "target": "kimi" }));
    let pane = agent(&daemon, "kimi", ".kimi-code/hooks/herdr-agent-state.sh");
    daemon.enter(&pane, r#"session {"session_id": "k"}"#);
    for state in ["working", "blocked", "working"] {
        daemon.enter(&pane, &format!(r#"{state} {{"session_id": "k"}}"#));
        until_true(state, || daemon.pane(&pane)["agent_status"] == state);
    }
    assert_eq!(daemon.pane(&pane)["agent_session"]["value"], "k");
}

#[test]
fn a_hook_outside_every_pane_says_nothing_and_fails_nothing() {
    let home = Home::new();
    folder(&home, ".gemini/config");
    folder(&home, ".claude");
    for (target, script, output) in [
        ("claude", ".claude/hooks/herdr-agent-state.sh", ""),
        (
            "antigravity-cli",
            ".gemini/config/hooks/herdr-agent-state.sh",
            "{}\n",
        ),
    ] {
        let drover = home.path("drover");
        let end = run(home
            .command(&drover)
            .args(["herdr", "integration", "install", target]));
        assert_eq!(end.code, Some(0), "{end:?}");
        for inside in [false, true] {
            let mut command = home.command(Path::new("/bin/sh"));
            command.arg(home.path("home").join(script)).arg("session");
            if inside {
                // A daemon that is gone.
                command
                    .env("HERDR_ENV", "1")
                    .env("HERDR_SOCKET_PATH", "/nonexistent")
                    .env("HERDR_PANE_ID", "w1:p1")
                    .env("HERDR_BIN_PATH", &drover);
            }
            let end = run(command.stdin(Stdio::null()));
            assert_eq!((end.stdout.as_str(), end.stderr.as_str()), (output, ""));
            assert_eq!(end.code, Some(0));
        }
    }
}

/// Loads what an agent would load, and does each line that is typed.
const HOST: &str = "import { createInterface } from 'node:readline';
const handlers = {};
const on = (name, handler) => { handlers[name] = handler; };
const ctx = { mode: 'tui', hasUI: true, isIdle: () => true, sessionManager: { getSessionFile: () => '/sessions/a.jsonl' } };
const loaded = await import(process.env.HOME + '/MODULE');
const plugin = (await loaded.default({ on, events: { on } })) ?? {};
process.stdout.write('host is here\\r\\n');
for await (const line of createInterface({ input: process.stdin })) await eval(line);
";

/// Starts `module` in a host by an agent's name. None where there is no JavaScript to run it.
fn host(daemon: &Daemon, name: &str, module: &str) -> Option<String> {
    let node = ["/usr/local/bin/node", "/usr/bin/node"]
        .into_iter()
        .find(|path| Path::new(path).exists())?;
    let pane = daemon.workspace();
    let home = daemon.home.path("home");
    std::fs::copy(home.join(module), home.join("module.mjs")).expect("a copy");
    let host = HOST.replace("MODULE", "module.mjs");
    std::fs::write(home.join(format!("{name}.mjs")), host).expect("a file");
    daemon.enter(&pane, &format!("{node} ./{name}.mjs"));
    daemon.wait_for_line(&pane, "host is here$");
    until_true("the agent", || daemon.pane(&pane)["agent"] == name);
    Some(pane)
}

fn told(daemon: &Daemon, pane: &str, line: &str, status: &str) {
    daemon.enter(pane, line);
    until_true(&format!("{status} after {line}"), || {
        daemon.pane(pane)["agent_status"] == status
    });
}

#[test]
fn the_extension_for_pi_tells_how_it_stands() {
    let daemon = Daemon::start();
    folder(&daemon.home, ".pi/agent");
    daemon.result("integration.install", json!({ "target": "pi" }));
    let file = ".pi/agent/extensions/herdr-agent-state.ts";
    let Some(pane) = host(&daemon, "pi", file) else {
        return;
    };
    told(
        &daemon,
        &pane,
        "handlers.session_start({ reason: 'startup' }, ctx)",
        "idle",
    );
    until_true("the session", || {
        daemon.pane(&pane)["agent_session"]["value"] == "/sessions/a.jsonl"
    });
    told(&daemon, &pane, "handlers.agent_start({}, ctx)", "working");
    let blocked = "handlers['herdr:blocked']({ active: true, label: 'Which bed?' })";
    told(&daemon, &pane, blocked, "blocked");
    told(
        &daemon,
        &pane,
        "handlers['herdr:blocked']({ active: false })",
        "working",
    );
    // Somebody looks at it, so it is not done but idle.
    told(&daemon, &pane, "handlers.agent_settled({}, ctx)", "idle");
}

#[test]
fn the_extension_for_omp_waits_before_it_calls_a_turn_over() {
    let daemon = Daemon::start();
    folder(&daemon.home, ".omp/agent");
    daemon.result("integration.install", json!({ "target": "omp" }));
    let file = ".omp/agent/extensions/herdr-omp-agent-state.ts";
    let Some(pane) = host(&daemon, "omp", file) else {
        return;
    };
    told(&daemon, &pane, "handlers.session_start({}, ctx)", "idle");
    told(&daemon, &pane, "handlers.agent_start({})", "working");
    let asks = "handlers.tool_approval_requested({ reason: 'run it?' })";
    told(&daemon, &pane, asks, "blocked");
    told(
        &daemon,
        &pane,
        "handlers.tool_approval_resolved({})",
        "working",
    );
    let ask = "handlers.tool_execution_start({ toolName: 'ask', args: {} })";
    told(&daemon, &pane, ask, "blocked");
    told(
        &daemon,
        &pane,
        "handlers.tool_execution_end({ toolName: 'ask' })",
        "working",
    );
    told(
        &daemon,
        &pane,
        "handlers.agent_end({ messages: [] })",
        "idle",
    );
    // What is tried again is still work, and then waits for a person.
    told(&daemon, &pane, "handlers.agent_start({})", "working");
    let failed = "handlers.agent_end({ messages: [{ role: 'assistant', stopReason: 'error', errorMessage: '529 overloaded' }] })";
    told(&daemon, &pane, failed, "blocked");
}

#[test]
fn the_plugin_for_opencode_follows_the_session_in_front_of_the_person() {
    let daemon = Daemon::start();
    folder(&daemon.home, ".config/opencode");
    daemon.result("integration.install", json!({ "target": "opencode" }));
    let file = ".config/opencode/plugins/herdr-agent-state.js";
    let Some(pane) = host(&daemon, "opencode", file) else {
        return;
    };
    let event = |kind: &str, properties: &str| {
        format!("plugin.event({{ event: {{ type: '{kind}', properties: {properties} }} }})")
    };
    told(
        &daemon,
        &pane,
        "plugin['chat.message']({ sessionID: 'a' })",
        "working",
    );
    until_true("the session", || {
        daemon.pane(&pane)["agent_session"]["value"] == "a"
    });
    told(
        &daemon,
        &pane,
        &event("session.idle", "{ sessionID: 'a' }"),
        "idle",
    );
    // A session that this one has started works by itself, but asks through it.
    let child = event("session.created", "{ info: { id: 'b', parentID: 'a' } }");
    daemon.enter(&pane, &child);
    let asks = event("permission.asked", "{ sessionID: 'b', title: 'Edit?' }");
    told(&daemon, &pane, &asks, "blocked");
    let replied = event("permission.replied", "{ sessionID: 'b' }");
    told(&daemon, &pane, &replied, "working");
    assert_eq!(daemon.pane(&pane)["agent_session"]["value"], "a");
}
