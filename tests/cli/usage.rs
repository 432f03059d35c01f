//! Words that do not fit: exit code 2, stdout empty, herdr's texts.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::support::{End, Home, run};

/// The words, and what stderr says. No daemon runs: nothing here may try to reach one.
const MISTAKES: &[(&str, &str)] = &[
    (
        "--nosuch",
        "unknown option: --nosuch\nrun 'herdr --help' for usage\n",
    ),
    ("-x", "unknown option: -x\nrun 'herdr --help' for usage\n"),
    (
        "nosuch",
        "unknown command: nosuch\nrun 'herdr --help' for usage\n",
    ),
    (
        "help",
        "unknown command: help\nrun 'herdr --help' for usage\n",
    ),
    (
        "--session",
        "error: missing value for --session\nrun 'herdr --help' for usage\n",
    ),
    (
        "pane list --session",
        "error: missing value for --session\nrun 'herdr --help' for usage\n",
    ),
    (
        "--session bad/name status",
        "error: session name may only contain ASCII letters, numbers, '.', '_' and '-'\nrun 'herdr --help' for usage\n",
    ),
    (
        "--session= status",
        "error: session name cannot be empty\nrun 'herdr --help' for usage\n",
    ),
    (
        "session attach",
        "error: usage: herdr session attach <name>\nrun 'herdr --help' for usage\n",
    ),
    (
        "session attach a b",
        "error: usage: herdr session attach <name>\nrun 'herdr --help' for usage\n",
    ),
    (
        "status server extra",
        "usage: herdr status server [--json]\n",
    ),
    (
        "status client --nosuch",
        "usage: herdr status client [--json]\n",
    ),
    ("server stop --nosuch", "usage: herdr server stop\n"),
    (
        "server reload-config extra",
        "usage: herdr server reload-config\n",
    ),
    ("api snapshot --nosuch", "usage: herdr api snapshot\n"),
    ("api schema --nosuch", "unknown option: --nosuch\n"),
    ("api schema --output", "missing value for --output\n"),
    ("workspace list extra", "usage: herdr workspace list\n"),
    ("workspace create --nosuch", "unknown option: --nosuch\n"),
    ("workspace create --env novalue", "env must use KEY=VALUE\n"),
    ("workspace create --env =x", "env key must not be empty\n"),
    ("workspace create --cwd", "missing value for --cwd\n"),
    (
        "workspace get",
        "usage: herdr workspace get <workspace_id>\n",
    ),
    (
        "workspace get w1 extra",
        "usage: herdr workspace get <workspace_id>\n",
    ),
    (
        "workspace rename",
        "usage: herdr workspace rename <workspace_id> <label>\n",
    ),
    (
        "workspace rename w1",
        "usage: herdr workspace rename <workspace_id> <label>\n",
    ),
    (
        "workspace report-metadata w1 --token a=b",
        "missing required --source\n",
    ),
    (
        "workspace report-metadata w1 --source s",
        "missing token to set or clear\n",
    ),
    (
        "workspace report-metadata w1 --source s --token bad",
        "token must use NAME=VALUE\n",
    ),
    (
        "workspace report-metadata w1 --source s --token =v",
        "token name must not be empty\n",
    ),
    ("tab list --nosuch", "unknown option: --nosuch\n"),
    ("tab get w1:t1 --nosuch", "usage: herdr tab get <tab_id>\n"),
    ("tab get w1:t1 --help", "usage: herdr tab get <tab_id>\n"),
    (
        "tab rename w1:t1",
        "usage: herdr tab rename <tab_id> <label>\n",
    ),
    ("pane get", "usage: herdr pane get <pane_id>\n"),
    (
        "pane close w1:p1 extra",
        "usage: herdr pane close <pane_id>\n",
    ),
    ("pane list --help-me", "unknown option: --help-me\n"),
    (
        "pane split w1:p1 --direction left",
        "invalid split direction: left\n",
    ),
    (
        "pane split w1:p1 --direction right --ratio x",
        "invalid ratio: x\n",
    ),
    (
        "pane split w1:p1 --direction right --ratio nan",
        "invalid ratio: nan\n",
    ),
    (
        "pane split --current --direction right",
        "--current requires HERDR_PANE_ID\n",
    ),
    (
        "pane input --current --right-click pane",
        "--current requires HERDR_PANE_ID\n",
    ),
    (
        "pane input w1:p1 --right-click x",
        "invalid right-click target: x\n",
    ),
    (
        "pane input --right-click pane",
        "usage: herdr pane input [<pane_id>|--pane ID|--current] --right-click herdr|pane\n",
    ),
    (
        "pane resize --direction right --amount x",
        "invalid amount: x\n",
    ),
    (
        "pane neighbor --pane w1:p1",
        "usage: herdr pane neighbor --direction left|right|up|down [--pane ID|--current]\n",
    ),
    (
        "pane zoom w1:p1 --on --off",
        "provide only one of --toggle, --on, or --off\n",
    ),
    (
        "pane swap --source-pane w1:p1",
        "usage: herdr pane swap --direction left|right|up|down [--pane ID|--current]\n       herdr pane swap --source-pane ID --target-pane ID\n",
    ),
    ("pane read w1:p1 extra", "unexpected argument: extra\n"),
    ("pane read w1:p1 --source x", "invalid read source: x\n"),
    ("pane read w1:p1 --format x", "invalid read format: x\n"),
    (
        "pane read w1:p1 --lines x",
        "invalid value for --lines: x\n",
    ),
    ("pane read w1:p1 --lines", "missing value for --lines\n"),
    (
        "pane rename w1:p1",
        "usage: herdr pane rename <pane_id> <label>|--clear\n",
    ),
    (
        "pane send-text w1:p1",
        "usage: herdr pane send-text <pane_id> <text>\n",
    ),
    (
        "pane send-keys w1:p1",
        "usage: herdr pane send-keys <pane_id> <key> [key ...]\n",
    ),
    (
        "pane run w1:p1",
        "usage: herdr pane run <pane_id> <command>\n",
    ),
    (
        "pane wait-output w1:p1",
        "missing required --match or --regex\n",
    ),
    (
        "pane wait-output w1:p1 --match a --regex b",
        "--match and --regex are mutually exclusive\n",
    ),
    (
        "pane wait-output w1:p1 --match a --timeout x",
        "invalid value for --timeout: x\n",
    ),
    (
        "pane report-agent w1:p1 --agent a --state idle",
        "missing required --source\n",
    ),
    (
        "pane report-agent w1:p1 --source= --agent a --state idle",
        "missing required --source\n",
    ),
    (
        "pane report-agent w1:p1 --source s --state idle",
        "missing required --agent\n",
    ),
    (
        "pane report-agent w1:p1 --source s --agent a",
        "missing required --state\n",
    ),
    (
        "pane report-agent w1:p1 --source s --agent a --state done",
        "invalid pane agent state: done (expected idle, working, blocked, or unknown)\n",
    ),
    (
        "pane report-agent w1:p1 --source s --agent a --state idle --seq -1",
        "invalid value for --seq: -1\n",
    ),
    (
        "pane report-agent w1:p1 w1:p2 --source s",
        "unexpected argument: w1:p2\n",
    ),
    (
        "pane report-agent w1:p1 --source",
        "missing value for --source\n",
    ),
    (
        "pane report-metadata w1:p1 --source s",
        "missing metadata field to set or clear\n",
    ),
    (
        "pane report-metadata w1:p1 --source s --title t --clear-title",
        "cannot set and clear the same metadata field\n",
    ),
    (
        "pane report-metadata w1:p1 --source s --state-label x",
        "expected --state-label STATUS=TEXT\n",
    ),
    (
        "pane report-metadata w1:p1 --source s --state-label busy=x",
        "unknown state label: busy\n",
    ),
    (
        "pane report-metadata w1:p1 --source s --applies-to-source=",
        "missing value for --applies-to-source\n",
    ),
    (
        "agent rename ann two words",
        "usage: herdr agent rename <target> <name>|--clear\n",
    ),
    (
        "agent wait ann --until x",
        "invalid agent status: x (expected idle, working, blocked, done, or unknown)\n",
    ),
    (
        "agent wait ann --timeout x",
        "invalid value for --timeout: x\n",
    ),
    ("agent prompt ann", "agent prompt requires text\n"),
    (
        "agent prompt ann hi --until idle",
        "--until requires --wait\n",
    ),
    (
        "agent prompt ann hi --timeout 5",
        "--timeout requires --wait\n",
    ),
    ("agent prompt ann hi there", "unexpected argument: there\n"),
    (
        "notification show T --sound x",
        "invalid sound: x (expected none, done, or request)\n",
    ),
    (
        "notification show T --position x",
        "invalid position: x (expected top-left, top-right, bottom-left, or bottom-right)\n",
    ),
    (
        "session list --nosuch",
        "usage: herdr session list [--json]\n",
    ),
    (
        "session stop",
        "usage: herdr session stop <name> [--json]\n",
    ),
    (
        "session delete x y",
        "usage: herdr session delete <name> [--json]\n",
    ),
    (
        "completion",
        "usage: herdr completion <bash|elvish|fish|powershell|zsh>\n",
    ),
    (
        "completion nosuch",
        "unknown shell: nosuch\nusage: herdr completion <bash|elvish|fish|powershell|zsh>\n",
    ),
    ("config check extra", "usage: herdr config check\n"),
];

#[test]
fn every_mistake_is_named_in_herdrs_words_with_code_two() {
    let home = Home::new();
    for (line, stderr) in MISTAKES {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(home.herdr(&words), End::new("", stderr, 2), "{line}");
    }
}

#[test]
fn a_group_alone_or_with_an_unknown_word_lists_its_commands_on_stderr() {
    let home = Home::new();
    for group in [
        "api",
        "workspace",
        "tab",
        "pane",
        "agent",
        "notification",
        "session",
        "config",
    ] {
        let list = home.herdr(&[group]);
        assert_eq!((list.stdout.as_str(), list.code), ("", Some(2)), "{group}");
        assert!(
            list.stderr
                .starts_with(&format!("herdr {group} commands:\n  herdr {group} ")),
            "{list:?}"
        );
        for word in ["nosuch", "--nosuch"] {
            assert_eq!(home.herdr(&[group, word]), list, "{group} {word}");
        }
        // Asked for, the same list is no mistake.
        assert_eq!(
            home.herdr(&[group, "help"]),
            End {
                code: Some(0),
                ..list
            },
            "{group} help"
        );
    }
    for line in [
        ["status", "nosuch"],
        ["status", "--nosuch"],
        ["server", "nosuch"],
        ["server", "--nosuch"],
    ] {
        let end = home.herdr(&line);
        assert_eq!(end.code, Some(2), "{line:?}");
        assert!(
            end.stderr
                .starts_with(&format!("herdr {} commands:\n", line[0])),
            "{end:?}"
        );
    }
}

#[test]
fn an_argument_that_is_no_text_is_named_by_its_place() {
    let home = Home::new();
    let end = run(home
        .command("herdr")
        .arg("pane")
        .arg(OsStr::from_bytes(b"\xff")));
    assert_eq!(
        end,
        End::new(
            "",
            "error: argument 2 is not valid UTF-8\nrun 'herdr --help' for usage\n",
            2
        )
    );
}

#[test]
fn a_bad_session_variable_is_a_mistake_unless_something_else_decides() {
    let home = Home::new();
    let with = |words: &[&str]| {
        run(home
            .command("herdr")
            .env("HERDR_SESSION", "a/b")
            .args(words))
    };
    assert_eq!(with(&["config", "check"]).code, Some(2));
    assert_eq!(with(&["config", "check", "--session", "x"]).code, Some(0));
    let placed = run(home
        .command("herdr")
        .env("HERDR_SESSION", "a/b")
        .env("HERDR_SOCKET_PATH", "/x")
        .args(["config", "check"]));
    assert_eq!(placed.code, Some(0));
}

#[test]
fn bare_herdr_says_what_there_is_instead_of_a_client_and_never_nests() {
    let home = Home::new();
    let end = home.herdr(&[]);
    assert_eq!((end.stdout.as_str(), end.code), ("", Some(2)));
    assert!(
        end.stderr.contains("needs a terminal") && end.stderr.contains("--help"),
        "{end:?}"
    );
    assert_eq!(home.herdr(&["session", "attach", "work"]), end);

    let nested = run(home.command("herdr").env("HERDR_ENV", "1"));
    assert_eq!(nested.code, Some(1));
    let file = home.path().join("nested.toml");
    std::fs::write(&file, "[experimental]\nallow_nested = true\n").expect("written");
    let allowed = run(home
        .command("herdr")
        .env("HERDR_ENV", "1")
        .env("HERDR_CONFIG_PATH", &file));
    assert_eq!(allowed, end);
}

#[test]
fn another_name_than_the_programs_own_is_an_error_that_lists_them() {
    let home = Home::new();
    let end = run(home.command("other").arg("pane"));
    assert_eq!(end.code, Some(2));
    assert!(
        end.stderr
            .contains("by the name other, but knows only drover and herdr"),
        "{end:?}"
    );
}
