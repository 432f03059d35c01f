//! What each command sends, byte for byte, and what it prints.

use serde_json::{Value, json};

use super::support::{Daemon, End, Home, run};

/// The words of a call, and the request line it makes. `~` stands for a space inside a word.
const REQUESTS: &[(&str, &str)] = &[
    (
        "api snapshot",
        r#"{"id":"cli:api:snapshot","method":"session.snapshot","params":{}}"#,
    ),
    (
        "server reload-config",
        r#"{"id":"cli:server:reload-config","method":"server.reload_config","params":{}}"#,
    ),
    (
        "server agent-manifests --json",
        r#"{"id":"cli:server:agent-manifests","method":"server.agent_manifests","params":{}}"#,
    ),
    (
        "integration list",
        r#"{"id":"cli:integration:list","method":"integration.list","params":{}}"#,
    ),
    (
        "server reload-agent-manifests",
        r#"{"id":"cli:server:reload-agent-manifests","method":"server.reload_agent_manifests","params":{}}"#,
    ),
    (
        "workspace list",
        r#"{"id":"cli:workspace:list","method":"workspace.list","params":{}}"#,
    ),
    (
        "workspace create",
        r#"{"id":"cli:workspace:create","method":"workspace.create","params":{"focus":false}}"#,
    ),
    (
        "workspace create --cwd ~/p --label my~work --env A=1 --env B=x=y --focus",
        r#"{"id":"cli:workspace:create","method":"workspace.create","params":{"cwd":" /p","env":{"A":"1","B":"x=y"},"focus":true,"label":"my work"}}"#,
    ),
    (
        "workspace create --focus --no-focus",
        r#"{"id":"cli:workspace:create","method":"workspace.create","params":{"focus":false}}"#,
    ),
    (
        "workspace create --label=a=b",
        r#"{"id":"cli:workspace:create","method":"workspace.create","params":{"focus":false,"label":"a=b"}}"#,
    ),
    (
        "workspace get w1",
        r#"{"id":"cli:workspace:get","method":"workspace.get","params":{"workspace_id":"w1"}}"#,
    ),
    (
        "workspace focus w1",
        r#"{"id":"cli:workspace:focus","method":"workspace.focus","params":{"workspace_id":"w1"}}"#,
    ),
    (
        "workspace rename w1 a -- --b",
        r#"{"id":"cli:workspace:rename","method":"workspace.rename","params":{"workspace_id":"w1","label":"a -- --b"}}"#,
    ),
    (
        "workspace close w1",
        r#"{"id":"cli:workspace:close","method":"workspace.close","params":{"workspace_id":"w1"}}"#,
    ),
    (
        "workspace close w1 --group",
        r#"{"id":"cli:workspace:close","method":"workspace.close","params":{"workspace_id":"w1","close_group":true}}"#,
    ),
    (
        "worktree list",
        r#"{"id":"cli:worktree:list","method":"worktree.list","params":{}}"#,
    ),
    (
        "worktree list --cwd /a~b --trust-repository --json",
        r#"{"id":"cli:worktree:list","method":"worktree.list","params":{"cwd":"/a b","trust_repository":true}}"#,
    ),
    (
        "worktree create --workspace w1 --branch feat/x --base main --path /p --label L --focus",
        r#"{"id":"cli:worktree:create","method":"worktree.create","params":{"workspace_id":"w1","branch":"feat/x","base":"main","path":"/p","label":"L","focus":true}}"#,
    ),
    (
        "worktree open --workspace w1 --branch x",
        r#"{"id":"cli:worktree:open","method":"worktree.open","params":{"workspace_id":"w1","branch":"x","focus":false}}"#,
    ),
    (
        "worktree remove --workspace w2 --force",
        r#"{"id":"cli:worktree:remove","method":"worktree.remove","params":{"workspace_id":"w2","force":true}}"#,
    ),
    (
        "tab list",
        r#"{"id":"cli:tab:list","method":"tab.list","params":{}}"#,
    ),
    (
        "tab list --workspace w1",
        r#"{"id":"cli:tab:list","method":"tab.list","params":{"workspace_id":"w1"}}"#,
    ),
    (
        "tab create --workspace w1 --cwd /x --label t --env A=",
        r#"{"id":"cli:tab:create","method":"tab.create","params":{"cwd":"/x","env":{"A":""},"focus":false,"label":"t","workspace_id":"w1"}}"#,
    ),
    (
        "tab get w1:t1",
        r#"{"id":"cli:tab:get","method":"tab.get","params":{"tab_id":"w1:t1"}}"#,
    ),
    (
        "tab focus w1:t1",
        r#"{"id":"cli:tab:focus","method":"tab.focus","params":{"tab_id":"w1:t1"}}"#,
    ),
    (
        "tab rename w1:t1 two words",
        r#"{"id":"cli:tab:rename","method":"tab.rename","params":{"tab_id":"w1:t1","label":"two words"}}"#,
    ),
    (
        "tab close w1:t1",
        r#"{"id":"cli:tab:close","method":"tab.close","params":{"tab_id":"w1:t1"}}"#,
    ),
    (
        "pane list",
        r#"{"id":"cli:pane:list","method":"pane.list","params":{}}"#,
    ),
    (
        "pane list --workspace w1",
        r#"{"id":"cli:pane:list","method":"pane.list","params":{"workspace_id":"w1"}}"#,
    ),
    (
        "pane current",
        r#"{"id":"cli:pane:current","method":"pane.current","params":{}}"#,
    ),
    (
        "pane current --pane w1:p2",
        r#"{"id":"cli:pane:current","method":"pane.current","params":{"caller_pane_id":"w1:p2"}}"#,
    ),
    (
        "pane get w1:p1",
        r#"{"id":"cli:pane:get","method":"pane.get","params":{"pane_id":"w1:p1"}}"#,
    ),
    (
        "pane layout",
        r#"{"id":"cli:pane:layout","method":"pane.layout","params":{}}"#,
    ),
    (
        "pane process-info --pane w1:p1",
        r#"{"id":"cli:pane:process_info","method":"pane.process_info","params":{"pane_id":"w1:p1"}}"#,
    ),
    (
        "pane edges --current",
        r#"{"id":"cli:pane:edges","method":"pane.edges","params":{}}"#,
    ),
    (
        "pane neighbor --direction up",
        r#"{"id":"cli:pane:neighbor","method":"pane.neighbor","params":{"direction":"up"}}"#,
    ),
    (
        "pane focus --direction left --pane w1:p1",
        r#"{"id":"cli:pane:focus","method":"pane.focus_direction","params":{"direction":"left","pane_id":"w1:p1"}}"#,
    ),
    (
        "pane resize --direction right --amount 0.25",
        r#"{"id":"cli:pane:resize","method":"pane.resize","params":{"direction":"right","amount":0.25}}"#,
    ),
    (
        "pane zoom",
        r#"{"id":"cli:pane:zoom","method":"pane.zoom","params":{"mode":"toggle"}}"#,
    ),
    (
        "pane zoom w1:p1 --off",
        r#"{"id":"cli:pane:zoom","method":"pane.zoom","params":{"mode":"off","pane_id":"w1:p1"}}"#,
    ),
    (
        "pane rename w1:p1 --clear",
        r#"{"id":"cli:pane:rename","method":"pane.rename","params":{"pane_id":"w1:p1"}}"#,
    ),
    (
        "pane rename w1:p1 --clear x",
        r#"{"id":"cli:pane:rename","method":"pane.rename","params":{"pane_id":"w1:p1","label":"--clear x"}}"#,
    ),
    (
        "pane input w1:p1 --right-click pane",
        r#"{"id":"cli:pane:input:set","method":"pane.input.set","params":{"pane_id":"w1:p1","right_click":"pane"}}"#,
    ),
    (
        "pane split --direction right",
        r#"{"id":"cli:pane:split","method":"pane.split","params":{"direction":"right","focus":false,"right_click":"herdr"}}"#,
    ),
    (
        "pane split --direction right --grants read~fan",
        r#"{"id":"cli:pane:split","method":"pane.split","params":{"direction":"right","focus":false,"right_click":"herdr","grants":"read fan"}}"#,
    ),
    (
        "pane split w1:p1 --direction down --ratio 0.5 --cwd /x --env A=b --right-click=pane --focus",
        r#"{"id":"cli:pane:split","method":"pane.split","params":{"direction":"down","cwd":"/x","env":{"A":"b"},"focus":true,"ratio":0.5,"right_click":"pane","target_pane_id":"w1:p1"}}"#,
    ),
    (
        "pane swap --direction left --pane w1:p1",
        r#"{"id":"cli:pane:swap","method":"pane.swap","params":{"direction":"left","pane_id":"w1:p1"}}"#,
    ),
    (
        "pane swap --source-pane a --target-pane b",
        r#"{"id":"cli:pane:swap","method":"pane.swap","params":{"source_pane_id":"a","target_pane_id":"b"}}"#,
    ),
    (
        "pane move w1:p1 --tab w1:t2 --split down --ratio 0.5 --target-pane w1:p3",
        r#"{"id":"cli:pane:move","method":"pane.move","params":{"pane_id":"w1:p1","destination":{"type":"tab","tab_id":"w1:t2","split":"down","ratio":0.5,"target_pane_id":"w1:p3"},"focus":true}}"#,
    ),
    (
        "pane move w1:p1 --new-tab --no-focus",
        r#"{"id":"cli:pane:move","method":"pane.move","params":{"pane_id":"w1:p1","destination":{"type":"new_tab"},"focus":false}}"#,
    ),
    (
        "pane move w1:p1 --new-workspace --label a --tab-label b",
        r#"{"id":"cli:pane:move","method":"pane.move","params":{"pane_id":"w1:p1","destination":{"type":"new_workspace","label":"a","tab_label":"b"},"focus":true}}"#,
    ),
    (
        "pane close w1:p1",
        r#"{"id":"cli:pane:close","method":"pane.close","params":{"pane_id":"w1:p1"}}"#,
    ),
    (
        "pane wait-output --match -x --timeout=500 w1:p1 --source recent-unwrapped --lines 5",
        r#"{"id":"cli:pane:wait-output","method":"pane.wait_for_output","params":{"pane_id":"w1:p1","source":"recent_unwrapped","match":{"type":"substring","value":"-x"},"lines":5,"strip_ansi":true,"timeout_ms":500}}"#,
    ),
    (
        "pane wait-output w1:p1 --regex ^a|b$ --raw",
        r#"{"id":"cli:pane:wait-output","method":"pane.wait_for_output","params":{"pane_id":"w1:p1","source":"recent","match":{"type":"regex","value":"^a|b$"},"strip_ansi":false}}"#,
    ),
    (
        "agent list",
        r#"{"id":"cli:agent:list","method":"agent.list","params":{}}"#,
    ),
    (
        "agent get ann",
        r#"{"id":"cli:agent:get","method":"agent.get","params":{"target":"ann"}}"#,
    ),
    (
        "agent focus ann",
        r#"{"id":"cli:agent:focus","method":"agent.focus","params":{"target":"ann"}}"#,
    ),
    (
        "agent send-keys ann esc -- y",
        r#"{"id":"cli:agent:send-keys","method":"agent.send_keys","params":{"target":"ann","keys":["esc","--","y"]}}"#,
    ),
    (
        "agent rename ann bob",
        r#"{"id":"cli:agent:rename","method":"agent.rename","params":{"target":"ann","name":"bob"}}"#,
    ),
    (
        "agent rename ann --clear",
        r#"{"id":"cli:agent:rename","method":"agent.rename","params":{"target":"ann"}}"#,
    ),
    (
        "agent prompt ann --wait",
        r#"{"id":"cli:agent:prompt","method":"agent.prompt","params":{"target":"ann","text":"--wait"}}"#,
    ),
    (
        "agent prompt ann do~it --wait --until idle --until=done --timeout 9",
        r#"{"id":"cli:agent:prompt","method":"agent.prompt","params":{"target":"ann","text":"do it","wait":{"timeout_ms":9,"until":["idle","done"]}}}"#,
    ),
    (
        "agent wait ann",
        r#"{"id":"cli:agent:wait","method":"agent.wait","params":{"target":"ann"}}"#,
    ),
    (
        "agent wait ann --until done --timeout 1",
        r#"{"id":"cli:agent:wait","method":"agent.wait","params":{"target":"ann","timeout_ms":1,"until":["done"]}}"#,
    ),
    (
        "notification show Hi~there",
        r#"{"id":"cli:notification:show","method":"notification.show","params":{"title":"Hi there"}}"#,
    ),
    (
        "notification show T --body -x --position top-left --sound done",
        r#"{"id":"cli:notification:show","method":"notification.show","params":{"title":"T","body":"-x","position":"top-left","sound":"done"}}"#,
    ),
];

/// Commands that print nothing when all is well.
const SILENT: &[(&str, &str)] = &[
    (
        "pane send-text w1:p1 a -- -b --help",
        r#"{"id":"cli:request","method":"pane.send_text","params":{"pane_id":"w1:p1","text":"a -- -b --help"}}"#,
    ),
    (
        "pane send-keys w1:p1 ctrl+c Enter -",
        r#"{"id":"cli:request","method":"pane.send_keys","params":{"pane_id":"w1:p1","keys":["ctrl+c","Enter","-"]}}"#,
    ),
    (
        "pane run w1:p1 ls --help -- x",
        r#"{"id":"cli:request","method":"pane.send_input","params":{"pane_id":"w1:p1","keys":["Enter"],"text":"ls --help -- x"}}"#,
    ),
    (
        "pane report-agent w1:p1 --source my-agent --agent my-agent --state working --seq 18446744073709551615",
        r#"{"id":"cli:request","method":"pane.report_agent","params":{"pane_id":"w1:p1","source":"my-agent","agent":"my-agent","state":"working","seq":18446744073709551615}}"#,
    ),
    (
        "pane report-agent --state=blocked --agent=a --source=~s~ --message - w1:p1 --agent-session-id i --agent-session-path /p -- a --resume --session x",
        r#"{"id":"cli:request","method":"pane.report_agent","params":{"pane_id":"w1:p1","source":"s","agent":"a","state":"blocked","agent_session_id":"i","agent_session_path":"/p","message":"-","resume_argv":["a","--resume","--session","x"]}}"#,
    ),
    (
        "pane report-agent-session w1:p1 --source s --agent a --seq 1 --agent-session-id= --session-start-source resume",
        r#"{"id":"cli:request","method":"pane.report_agent_session","params":{"pane_id":"w1:p1","source":"s","agent":"a","agent_session_id":"","seq":1,"session_start_source":"resume"}}"#,
    ),
    (
        "pane release-agent w1:p1 --source s --agent a --seq 2",
        r#"{"id":"cli:request","method":"pane.release_agent","params":{"pane_id":"w1:p1","source":"s","agent":"a","seq":2}}"#,
    ),
    (
        "pane report-metadata w1:p1 --source s --title T --clear-display-agent --state-label BLOCKED=help --token a=b=c --clear-token d --ttl-ms 5 --applies-to-source s --agent a",
        r#"{"id":"cli:request","method":"pane.report_metadata","params":{"pane_id":"w1:p1","source":"s","ttl_ms":5,"tokens":{"a":"b=c","d":null},"title":"T","state_labels":{"blocked":"help"},"clear_title":false,"clear_display_agent":true,"clear_state_labels":false,"agent":"a","applies_to_source":"s"}}"#,
    ),
    (
        "workspace report-metadata w1 --source s --token a= --clear-token b --seq 3",
        r#"{"id":"cli:request","method":"workspace.report_metadata","params":{"workspace_id":"w1","source":"s","tokens":{"a":"","b":null},"seq":3}}"#,
    ),
];

/// A request line is compact JSON in one line, `id`, `method` and `params` in this order. In which order a method has its
/// parameters is the protocol's types' business.
fn assert_sent(line: &str, sent: &str, expected: &str) {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(parsed(sent), parsed(expected), "{line}");
    let (head, _) = expected.split_once("\"params\":").expect("parameters");
    assert!(sent.starts_with(head), "{line}: {sent}");
    // The same members without a blank between them.
    assert_eq!(sent.len(), expected.len(), "{line}: {sent}");
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(|word| word.replace('~', " ")).collect()
}

fn sent_by(home: &Home, daemon: &Daemon, line: &str) -> (End, String) {
    let before = daemon.lines().len();
    let end = run(home.command("herdr").args(words(line)));
    let lines = daemon.lines().split_off(before);
    assert_eq!(
        lines.len(),
        1,
        "{line}: one request and no ping before it, but {lines:?}; {end:?}"
    );
    (end, lines.concat())
}

#[test]
fn each_command_sends_one_line_and_prints_the_answer_with_sorted_keys() {
    let home = Home::new();
    let daemon = Daemon::answering(
        &home.socket(None),
        json!({ "type": "ok", "b": [1], "a": null }),
    );
    for (line, request) in REQUESTS {
        let (end, sent) = sent_by(&home, &daemon, line);
        assert_sent(line, &sent, &format!("{request}\n"));
        let id = &request[7..7 + request[7..].find('"').expect("an id")];
        let printed =
            format!("{{\"id\":\"{id}\",\"result\":{{\"a\":null,\"b\":[1],\"type\":\"ok\"}}}}\n");
        assert_eq!(end, End::new(&printed, "", 0), "{line}");
    }
}

#[test]
fn commands_whose_answer_says_nothing_print_nothing() {
    let home = Home::new();
    let daemon = Daemon::answering(&home.socket(None), json!({ "type": "ok" }));
    for (line, request) in SILENT {
        let (end, sent) = sent_by(&home, &daemon, line);
        assert_sent(line, &sent, &format!("{request}\n"));
        assert_eq!(end, End::new("", "", 0), "{line}");
    }
}

#[test]
fn reads_print_the_text_byte_for_byte() {
    let home = Home::new();
    let read = json!({ "type": "pane_read", "read": { "text": "one\n two\u{1b}[0m" } });
    let daemon = Daemon::answering(&home.socket(None), read);
    for (line, method_and_params) in [
        (
            "pane read w1:p1",
            r#""pane.read","params":{"pane_id":"w1:p1","source":"recent","format":"text","strip_ansi":true}"#,
        ),
        (
            "pane read --lines=5 --source recent_unwrapped w1:p1 --ansi",
            r#""pane.read","params":{"pane_id":"w1:p1","source":"recent_unwrapped","format":"ansi","lines":5,"strip_ansi":true}"#,
        ),
        (
            "pane read w1:p1 --source detection --raw",
            r#""pane.read","params":{"pane_id":"w1:p1","source":"detection","format":"ansi","strip_ansi":false}"#,
        ),
        (
            "agent read ann --source visible --format ansi",
            r#""agent.read","params":{"target":"ann","source":"visible","format":"ansi","strip_ansi":true}"#,
        ),
    ] {
        let (end, sent) = sent_by(&home, &daemon, line);
        let (group, _) = line.split_once(' ').expect("two words");
        let request = format!("{{\"id\":\"cli:{group}:read\",\"method\":{method_and_params}}}\n");
        assert_sent(line, &sent, &request);
        assert_eq!(end, End::new("one\n two\u{1b}[0m", "", 0), "{line}");
    }
}

#[test]
fn an_explanation_is_printed_without_the_answer_around_it() {
    let home = Home::new();
    let explain = json!({ "type": "agent_explain", "explain": { "state": "idle", "agent": "pi" } });
    let daemon = Daemon::answering(&home.socket(None), explain);
    for line in [
        "agent explain ann --json",
        "agent explain --format json ann",
    ] {
        let (end, sent) = sent_by(&home, &daemon, line);
        let request =
            r#"{"id":"cli:agent:explain","method":"agent.explain","params":{"target":"ann"}}"#;
        assert_sent(line, &sent, &format!("{request}\n"));
        assert_eq!(
            end,
            End::new("{\"agent\":\"pi\",\"state\":\"idle\"}\n", "", 0),
            "{line}"
        );
    }
    let (end, _) = sent_by(&home, &daemon, "agent explain ann -v");
    assert!(
        end.stdout.starts_with("agent: pi\nstate: idle\n"),
        "{end:?}"
    );
}

#[test]
fn the_callers_pane_is_meant_where_herdr_means_it() {
    let home = Home::new();
    let daemon = Daemon::answering(&home.socket(None), json!({ "type": "ok" }));
    for (line, params) in [
        ("pane current", r#"{"caller_pane_id":"w1:p9"}"#),
        ("pane layout", "{}"),
        ("pane layout --current", r#"{"pane_id":"w1:p9"}"#),
        (
            "pane zoom --current",
            r#"{"mode":"toggle","pane_id":"w1:p9"}"#,
        ),
        (
            "pane split --direction right",
            r#"{"direction":"right","focus":false,"right_click":"herdr","target_pane_id":"w1:p9"}"#,
        ),
        (
            "pane split --pane a --direction right",
            r#"{"direction":"right","focus":false,"right_click":"herdr","target_pane_id":"a"}"#,
        ),
        (
            "pane input --current --right-click herdr",
            r#"{"pane_id":"w1:p9","right_click":"herdr"}"#,
        ),
    ] {
        let before = daemon.lines().len();
        run(home
            .command("herdr")
            .env("HERDR_PANE_ID", "w1:p9")
            .args(words(line)));
        let sent = daemon.lines().split_off(before).concat();
        let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(parsed(&sent)["params"], parsed(params), "{line}");
    }
}

#[test]
fn the_session_is_taken_out_of_free_text_too_but_not_after_two_dashes() {
    let home = Home::new();
    let daemon = Daemon::answering(&home.socket(Some("x")), json!({ "type": "ok" }));
    home.herdr(&["pane", "run", "w1:p1", "ls", "--session", "x", "-l"]);
    home.herdr(&[
        "--session=x",
        "pane",
        "run",
        "w1:p1",
        "--",
        "--session",
        "y",
    ]);
    let texts: Vec<String> = daemon
        .lines()
        .iter()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")["params"]["text"]
                .to_string()
        })
        .collect();
    assert_eq!(texts, ["\"ls -l\"", "\"-- --session y\""]);
}
