//! Hooks in agents' settings, without a server.

use super::support::{End, Home};

fn line(home: &Home, name: &str) -> String {
    home.path().join("home").join(name).display().to_string()
}

#[test]
fn hooks_go_in_and_out_with_a_line_for_each_file() {
    let home = Home::new();
    std::fs::create_dir(home.path().join("home/.codex")).expect("a directory");
    let (script, hooks, config) = (
        line(&home, ".codex/herdr-agent-state.sh"),
        line(&home, ".codex/hooks.json"),
        line(&home, ".codex/config.toml"),
    );
    let installed = format!(
        "installed codex integration hook to {script}\nensured codex hooks at {hooks}\nensured codex config at {config}\n"
    );
    let end = home.herdr(&["integration", "install", "codex"]);
    assert_eq!(end, End::new(&installed, "", 0));
    let removed = format!(
        "removed codex hook at {script}\nremoved herdr codex hook entries from {hooks}\nleft codex config unchanged at {config}\n"
    );
    let end = home.herdr(&["integration", "uninstall", "codex"]);
    assert_eq!(end, End::new(&removed, "", 0));
    let absent = format!(
        "no codex hook found at {script}\nno herdr codex hook entries found in {hooks}\nleft codex config unchanged at {config}\n"
    );
    let end = home.herdr(&["integration", "uninstall", "codex"]);
    assert_eq!(end, End::new(&absent, "", 0));
}

#[test]
fn every_target_has_a_line_of_status() {
    let home = Home::new();
    let folder = home.path().join("home/.cursor");
    std::fs::create_dir(&folder).expect("a directory");
    home.herdr(&["integration", "install", "cursor"]);
    let end = home.herdr(&["integration", "status"]);
    assert_eq!(
        (end.code, end.stdout.lines().count()),
        (Some(0), 18),
        "{end:?}"
    );
    let cursor = format!(
        "cursor: current (v1) ({})",
        line(&home, ".cursor/herdr-agent-state.sh")
    );
    assert!(end.stdout.lines().any(|said| said == cursor), "{end:?}");
    let claude = format!(
        "claude: not installed ({})",
        line(&home, ".claude/hooks/herdr-agent-state.sh")
    );
    assert!(end.stdout.lines().any(|said| said == claude), "{end:?}");
    let outdated = ["integration", "status", "--outdated-only"];
    assert_eq!(home.herdr(&outdated), End::new("", "", 0));
    std::fs::write(folder.join("herdr-agent-state.sh"), "#!/bin/sh\n").expect("a file");
    let end = home.herdr(&outdated);
    let expected = "hooks of agents are out of date: run `herdr integration install cursor`\n";
    assert_eq!(end, End::new("", expected, 0));
    let end = home.herdr(&["integration", "status"]);
    assert!(
        end.stdout.contains("\ncursor: outdated (legacy < v1) ("),
        "{end:?}"
    );
    home.herdr(&["integration", "install", "cursor"]);
    std::fs::write(folder.join("hooks.json"), "{}").expect("a file");
    let end = home.herdr(&["integration", "status"]);
    assert!(
        end.stdout.contains("\ncursor: needs repair (v1) ("),
        "{end:?}"
    );
}

#[test]
fn what_is_written_wrongly_or_missing_is_said() {
    let home = Home::new();
    for words in [
        &["integration", "install"][..],
        &["integration", "install", "pi", "more"],
        &["integration", "install", "pi", "--nosuch"],
    ] {
        let end = home.herdr(words);
        assert_eq!((end.code, end.stdout.as_str()), (Some(2), ""), "{words:?}");
        let usage = "usage: herdr integration install <pi|omp|claude|";
        assert!(end.stderr.starts_with(usage), "{end:?}");
    }
    let end = home.herdr(&["integration", "uninstall", "nosuch"]);
    assert_eq!(end.code, Some(2));
    let expected = "unknown integration target: nosuch\ncurrently supported: pi, omp, claude, ";
    assert!(end.stderr.starts_with(expected), "{end:?}");
    let end = home.herdr(&["integration", "install", "antigravity_cli"]);
    let missing = format!(
        "antigravity cli config directory not found at {}. install antigravity cli first\n",
        line(&home, ".gemini/config")
    );
    assert_eq!(end, End::new("", &missing, 1));
    // What hooks run never fails and never speaks.
    for words in [
        &["integration", "hook", "claude", "session"][..],
        &["integration", "hook", "nosuch", "session"],
    ] {
        assert_eq!(home.herdr(words), End::new("", "", 0), "{words:?}");
    }
}
