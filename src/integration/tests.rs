//! Every target, installed into a home of the test's own and taken out again.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::api::records::IntegrationTarget;

struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    fn new() -> Home {
        Home {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// With every agent's own folder.
    fn with_agents() -> Home {
        let home = Home::new();
        for target in TARGETS {
            home.with(|surroundings| {
                let folder = surroundings.folder(target).unwrap();
                fs::create_dir_all(folder).unwrap();
            });
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn with<R>(&self, act: impl FnOnce(&Surroundings<'_>) -> R) -> R {
        self.with_variables(&[], act)
    }

    fn with_variables<R>(
        &self,
        variables: &[(&str, &str)],
        act: impl FnOnce(&Surroundings<'_>) -> R,
    ) -> R {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        act(&Surroundings {
            home: Some(self.directory.path().to_owned()),
            config: None,
            variable: &variable,
        })
    }

    fn install(&self, name: &str) -> Result<Vec<String>, Refusal> {
        self.with(|surroundings| install(Target::find(name).unwrap(), surroundings))
    }

    fn uninstall(&self, name: &str) -> Result<Vec<String>, Refusal> {
        self.with(|surroundings| uninstall(Target::find(name).unwrap(), surroundings))
    }

    fn status(&self, name: &str) -> Status {
        self.with(|surroundings| status(Target::find(name).unwrap(), surroundings))
            .unwrap()
            .1
    }

    /// Every file with its text.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.directory.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(self.directory.path()).unwrap();
                    let text = fs::read_to_string(&path).unwrap();
                    files.insert(name.display().to_string(), text);
                }
            }
        }
        files
    }
}

#[test]
fn every_target_is_installed_once_however_often_and_removed_without_a_trace() {
    for target in TARGETS {
        let home = Home::with_agents();
        let name = target.name;
        assert_eq!(home.status(name), Status::NotInstalled, "{name}");
        let lines = home.install(name).unwrap();
        assert!(lines[0].starts_with("installed "), "{lines:?}");
        assert_eq!(home.status(name), Status::Current(target.version), "{name}");
        let files = home.files();
        assert!(!files.is_empty());
        for text in files.values() {
            assert!(!text.contains('@') || !text.contains("@TARGET@"), "{text}");
            assert!(
                !text.contains("@SOURCE@") && !text.contains("@REPLY@"),
                "{text}"
            );
        }
        assert_eq!(home.install(name).unwrap(), lines, "{name}");
        assert_eq!(home.files(), files, "{name}: a second time changes nothing");
        let lines = home.uninstall(name).unwrap();
        assert!(lines[0].starts_with("removed "), "{name}: {lines:?}");
        assert_eq!(home.status(name), Status::NotInstalled, "{name}");
        for (path, text) in home.files() {
            let kept = path.ends_with("config.toml") || path.ends_with(".herdr-backup");
            assert!(
                kept || !text.contains("herdr"),
                "{name} left {path}: {text}"
            );
        }
        let lines = home.uninstall(name).unwrap();
        assert!(lines[0].starts_with("no "), "{name}: {lines:?}");
    }
}

#[test]
fn an_agent_that_is_not_there_gets_nothing() {
    for target in TARGETS {
        let home = Home::new();
        let Some((what, install)) = target.folder.missing else {
            continue;
        };
        let refusal = home.install(target.name).unwrap_err().to_string();
        assert!(
            refusal.starts_with(&format!("{what} not found at /")),
            "{refusal}"
        );
        assert!(
            refusal.ends_with(&format!(". install {install} first")),
            "{refusal}"
        );
        assert!(home.files().is_empty());
    }
}

const CLAUDE: &str = "{
  // my settings
  \"model\": \"opus\",
  \"hooks\": {
    \"SessionStart\": [
      { \"matcher\": \"*\", \"hooks\": [ { \"type\": \"command\", \"command\": \"mine.sh\" } ] }
    ],
    \"Stop\": [] // none
  },
  \"unknown\": [1, 2,],
}
";

#[test]
fn what_the_person_wrote_stays_to_the_byte() {
    let home = Home::with_agents();
    home.write(".claude/settings.json", CLAUDE);
    let path = home.path(".claude/settings.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    home.install("claude").unwrap();
    let text = home.read(".claude/settings.json");
    let script = home.path(".claude/hooks/herdr-agent-state.sh");
    assert!(
        text.contains(&format!("sh '{}' session", script.display())),
        "{text}"
    );
    for line in [
        "  // my settings\n",
        "\"Stop\": [] // none\n",
        "  \"unknown\": [1, 2,],\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(
        fs::metadata(&script).unwrap().permissions().mode() & 0o777,
        0o755
    );
    assert_eq!(home.read(".claude/settings.json.herdr-backup"), CLAUDE);
    home.uninstall("claude").unwrap();
    assert_eq!(home.read(".claude/settings.json"), CLAUDE);
}

#[test]
fn an_entry_of_an_earlier_version_is_replaced_and_others_in_its_group_stay() {
    let home = Home::with_agents();
    let old = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bash '/old/place/herdr-agent-state.sh' idle\"}, {\"type\": \"command\", \"command\": \"mine\"}]}], \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/x/herdr-agent-state.sh\"}]}]}}";
    home.write(".claude/settings.json", old);
    home.write(
        ".claude/hooks/herdr-agent-state.sh",
        "#!/bin/sh\n# HERDR_INTEGRATION_VERSION=8\n",
    );
    assert_eq!(home.status("claude"), Status::Outdated(Some(8)));
    home.install("claude").unwrap();
    let text = home.read(".claude/settings.json");
    assert_eq!(text.matches("herdr-agent-state.sh").count(), 1, "{text}");
    assert!(
        text.contains("\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]"),
        "{text}"
    );
    home.write(".claude/hooks/herdr-agent-state.sh", "#!/bin/sh\n");
    assert_eq!(home.status("claude"), Status::Outdated(None));
}

#[test]
fn a_script_that_nothing_runs_needs_repair() {
    let home = Home::with_agents();
    home.install("cursor").unwrap();
    home.write(".cursor/hooks.json", "{\"version\": 1, \"hooks\": {}}\n");
    assert_eq!(home.status("cursor"), Status::NeedsRepair(1));
    let info = home.with(|surroundings| info(Target::find("cursor").unwrap(), surroundings));
    assert_eq!(info.unwrap().state, IntegrationState::Outdated);
    home.install("cursor").unwrap();
    assert_eq!(home.status("cursor"), Status::Current(1));
}

#[test]
fn broken_settings_are_refused_with_their_place_and_nothing_is_touched() {
    let broken = "{\n  \"a\": 1\n  \"b\": 2\n}\n";
    for (target, file, text, place) in [
        (
            "claude",
            ".claude/settings.json",
            broken,
            "line 3, column 3",
        ),
        ("codex", ".codex/hooks.json", broken, "line 3, column 3"),
        (
            "codex",
            ".codex/config.toml",
            "a = 1\nb = = 2\n",
            "line 2, column 5",
        ),
        ("cursor", ".cursor/hooks.json", broken, "line 3, column 3"),
        (
            "kimi",
            ".kimi-code/config.toml",
            "a = 1\nb = = 2\n",
            "line 2, column 5",
        ),
        (
            "opencode",
            ".config/opencode/tui.jsonc",
            broken,
            "line 3, column 3",
        ),
        (
            "hermes",
            ".hermes/config.yaml",
            "plugins: &x\n",
            "line 1, column 1",
        ),
        (
            "mastracode",
            ".mastracode/hooks.json",
            broken,
            "line 3, column 3",
        ),
        (
            "claude",
            ".claude/settings.json",
            "{\"hooks\": []}",
            "hooks",
        ),
        (
            "claude",
            ".claude/settings.json",
            "{\"hooks\": {\"SessionStart\": 1}}",
            "SessionStart",
        ),
        ("codex", ".codex/config.toml", "features = 1\n", "features"),
        (
            "opencode",
            ".config/opencode/tui.jsonc",
            "{\"plugin\": \"x\"}",
            "plugin",
        ),
    ] {
        let home = Home::with_agents();
        home.write(file, text);
        let before = home.files();
        let refusal = home.install(target).unwrap_err().to_string();
        assert!(refusal.contains(place), "{target}: {refusal}");
        assert!(
            refusal.ends_with("nothing was changed"),
            "{target}: {refusal}"
        );
        assert_eq!(home.files(), before, "{target}");
    }
    let home = Home::with_agents();
    home.write(".claude/settings.json", broken);
    home.write(".claude/hooks/herdr-agent-state.sh", "old");
    let before = home.files();
    assert!(home.uninstall("claude").is_err());
    assert_eq!(home.files(), before);
}

#[test]
fn settings_behind_a_link_stay_behind_it() {
    let home = Home::with_agents();
    home.write("dotfiles/claude.json", "{}\n");
    symlink(
        home.path("dotfiles/claude.json"),
        home.path(".claude/settings.json"),
    )
    .unwrap();
    home.install("claude").unwrap();
    let link = fs::symlink_metadata(home.path(".claude/settings.json")).unwrap();
    assert!(link.is_symlink());
    assert!(home.read("dotfiles/claude.json").contains("SessionStart"));
}

#[test]
fn codex_gets_its_feature_and_keeps_it() {
    let home = Home::with_agents();
    let config = "# mine\nmodel = \"o\" # best\n\n[features]\ncodex_hooks = true\nother = false\n";
    home.write(".codex/config.toml", config);
    home.install("codex").unwrap();
    let expected = "# mine\nmodel = \"o\" # best\n\n[features]\nother = false\nhooks = true\n";
    assert_eq!(home.read(".codex/config.toml"), expected);
    let lines = home.uninstall("codex").unwrap();
    assert!(
        lines[2].starts_with("left codex config unchanged at "),
        "{lines:?}"
    );
    assert_eq!(home.read(".codex/config.toml"), expected);
}

#[test]
fn droids_old_entries_go() {
    let home = Home::with_agents();
    let old = "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/x/herdr-agent-state.sh\"}]}]}, \"mine\": 1}";
    home.write(".factory/hooks.json", old);
    home.install("droid").unwrap();
    assert_eq!(home.read(".factory/hooks.json"), "{\"mine\": 1}");
    home.write(".factory/hooks.json", old);
    let lines = home.uninstall("droid").unwrap();
    assert!(
        lines[1].starts_with("removed legacy herdr droid hook entries from "),
        "{lines:?}"
    );
}

#[test]
fn the_agents_own_variables_move_its_folder() {
    let home = Home::new();
    fs::create_dir_all(home.path("elsewhere")).unwrap();
    let elsewhere = home.path("elsewhere").display().to_string();
    let variables = [
        ("CLAUDE_CONFIG_DIR", elsewhere.as_str()),
        ("PI_CODING_AGENT_DIR", &elsewhere),
    ];
    home.with_variables(&variables, |surroundings| {
        let target = |name: &str| Target::find(name).unwrap();
        install(target("claude"), surroundings).unwrap();
        install(target("pi"), surroundings).unwrap();
        // Both read the same variable, and pi would load what is meant for omp.
        let refusal = install(target("omp"), surroundings).unwrap_err();
        assert!(refusal.to_string().contains("pi's directory"), "{refusal}");
    });
    assert!(home.path("elsewhere/settings.json").exists());
    assert!(
        home.path("elsewhere/extensions/herdr-agent-state.ts")
            .exists()
    );
    assert!(
        !home
            .path("elsewhere/extensions/herdr-omp-agent-state.ts")
            .exists()
    );
}

#[test]
fn without_a_home_nothing_is_guessed() {
    let surroundings = Surroundings {
        home: None,
        config: None,
        variable: &|_| None,
    };
    let refusal = install(Target::of(IntegrationTarget::Claude), &surroundings).unwrap_err();
    assert!(refusal.to_string().contains("HOME"), "{refusal}");
}
