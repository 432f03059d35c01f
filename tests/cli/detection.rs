//! Explaining the screen in a file, and the list of rules: what a person who writes rules uses.

use serde_json::{Value, json};

use super::support::{Daemon, Home};

const SCREEN: &str = "● Sweeping.\n\n✢ Brushing… (2s)\n\n──────────\n❯\n──────────\n";

#[test]
fn the_screen_in_a_file_is_explained_without_a_server() {
    let home = Home::new();
    let path = home.path().join("screen.txt");
    std::fs::write(&path, SCREEN).expect("a file");
    let file = path.display().to_string();
    let explain = |agent: &str| {
        let end = home.herdr(&[
            "agent", "explain", "--file", &file, "--agent", agent, "--json",
        ]);
        assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
        serde_json::from_str::<Value>(&end.stdout).expect("JSON")
    };
    let explained = explain("claude-code");
    assert_eq!(explained["agent"], "claude");
    assert_eq!(explained["state"], "working");
    assert_eq!(explained["matched_rule"]["id"], "status_line");
    assert_eq!(explained["manifest_source"], "bundled");
    let unknown = explain("nobody");
    assert_eq!(unknown["agent"], "nobody");
    assert_eq!(unknown["state"], "unknown");
    assert_eq!(unknown["fallback_reason"], "unknown_agent");
    let text = home.herdr(&[
        "agent", "explain", "--file", &file, "--agent", "claude", "-v",
    ]);
    assert!(
        text.stdout
            .contains("\nrule: status_line (region=above_prompt_box priority=650)\n"),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout.contains("  ✗ title_working "),
        "{}",
        text.stdout
    );
}

#[test]
fn a_persons_own_rules_explain_a_file_too() {
    let home = Home::new();
    let screen = home.path().join("screen.txt");
    std::fs::write(&screen, SCREEN).expect("a file");
    let folder = home.path().join("home/.config/herdr/agent-detection");
    std::fs::create_dir_all(&folder).expect("a directory");
    let rules = "id = \"claude\"\n[[rules]]\nid = \"mine\"\nstate = \"blocked\"\ncontains = [\"sweeping\"]\n";
    std::fs::write(folder.join("claude.toml"), rules).expect("a file");
    let file = screen.display().to_string();
    let end = home.herdr(&["agent", "explain", "--file", &file, "--agent", "claude"]);
    assert!(
        end.stdout.starts_with("agent: claude\nstate: blocked\n"),
        "{end:?}"
    );
    assert!(
        end.stdout.contains("herdr/agent-detection/claude.toml"),
        "{end:?}"
    );
}

#[test]
fn what_cannot_be_explained_says_so() {
    let home = Home::new();
    let missing = home.path().join("nowhere").display().to_string();
    let end = home.herdr(&["agent", "explain", "--file", &missing, "--agent", "claude"]);
    assert_eq!(end.code, Some(1));
    let error: Value = serde_json::from_str(&end.stderr).expect("JSON");
    assert_eq!(error["id"], "cli:agent:explain");
    assert_eq!(error["error"]["code"], "agent_explain_file_failed");
    for words in [
        &["agent", "explain", "--file", "x"][..],
        &["agent", "explain", "ann", "--file", "x"],
        &["agent", "explain", "ann", "--agent", "claude"],
        &["agent", "explain"],
    ] {
        assert_eq!(home.herdr(words).code, Some(2), "{words:?}");
    }
}

#[test]
fn the_list_of_rules_is_a_table() {
    let home = Home::new();
    let entry = |agent: &str, shadows: bool, warning: Option<&str>| {
        json!({
            "agent": agent, "source": "bundled", "source_kind": "bundled", "active_version": "1.2",
            "local_override_shadowing_remote": shadows, "warning": warning,
        })
    };
    let manifests = [entry("pi", false, None), entry("claude", true, Some("odd"))];
    let answer = json!({ "type": "agent_manifest_status", "manifests": manifests });
    let _daemon = Daemon::answering(&home.socket(None), answer);
    let end = home.herdr(&["server", "agent-manifests"]);
    let expected = "last check: never\n\n\
        \x20 pi        bundled        active 1.2            remote\n\
        ! claude    bundled        active 1.2            remote\n\
        \x20   a local override hides the downloaded rules\n    odd\n";
    assert_eq!(end.stdout, expected);
}
