//! Downloads that go well and badly, without a network; over loopback in `tests/cli`.

use super::*;
use std::collections::HashMap;
use std::path::PathBuf;

const CATALOG: &str = "https://example.org/rules/index.toml";

struct Web {
    directory: tempfile::TempDir,
    files: HashMap<String, String>,
    asked: Vec<String>,
}

impl Web {
    fn new() -> Web {
        Web {
            directory: tempfile::tempdir().unwrap(),
            files: HashMap::new(),
            asked: Vec::new(),
        }
    }

    fn offers(&mut self, agents: &[(&str, &str)]) {
        let mut catalog = "schema_version = 1\n".to_owned();
        for (id, path) in agents {
            catalog += &format!("[[agents]]\nid = \"{id}\"\npath = \"{path}\"\n");
        }
        self.files.insert(CATALOG.to_owned(), catalog);
    }

    fn file(&mut self, path: &str, text: &str) {
        let address = format!("https://example.org/rules/{path}");
        self.files.insert(address, text.to_owned());
    }

    fn places(&self) -> Places {
        Places {
            overrides: Vec::new(),
            downloaded: Some(self.directory.path().join("agent-detection/remote")),
        }
    }

    fn kept(&self, agent: &str) -> PathBuf {
        let places = self.places();
        places.downloaded.unwrap().join(format!("{agent}.toml"))
    }

    fn update(&mut self, now: u64) -> Result<Status, String> {
        let (files, asked) = (&self.files, &mut self.asked);
        asked.clear();
        let places = Places {
            overrides: Vec::new(),
            downloaded: Some(self.directory.path().join("agent-detection/remote")),
        };
        update_with(&places, CATALOG, now, |address, _| {
            asked.push(address.to_owned());
            let found = files.get(address).cloned();
            found.ok_or_else(|| format!("{address}: 404"))
        })
    }
}

fn rules(id: &str, head: &str) -> String {
    format!(
        "id = \"{id}\"\n{head}\n[[rules]]\nid = \"mine\"\nstate = \"working\"\ncontains = [\"dig\"]\n"
    )
}

fn result<'a>(status: &'a Status, agent: &str) -> (&'a str, Option<&'a str>) {
    let entry = &status.agents[agent];
    (entry.result.as_str(), entry.error.as_deref())
}

const HEAD: &str = "version = \"2.1\"\nmin_engine_version = 3";

#[test]
fn good_rules_are_kept_and_told_of() {
    let mut web = Web::new();
    web.offers(&[("claude-code", "claude.toml"), ("unheard-of", "x.toml")]);
    web.file("claude.toml", &rules("claude", HEAD));
    let status = web.update(100).unwrap();
    assert_eq!(result(&status, "claude"), ("updated", None));
    assert_eq!(status.last_result.as_deref(), Some("1 updated"));
    assert_eq!(web.asked.len(), 2, "nothing is fetched for unknown agents");
    assert_eq!(
        fs::read_to_string(web.kept("claude")).unwrap(),
        rules("claude", HEAD)
    );
    assert_eq!(web.places().status(), status);
    let status = web.update(200).unwrap();
    assert_eq!(result(&status, "claude"), ("current", None));
    assert_eq!(status.last_check_unix, Some(200));
}

#[test]
fn the_last_good_rules_stay_whatever_comes() {
    let mut web = Web::new();
    web.offers(&[("claude", "claude.toml")]);
    let good = rules("claude", HEAD);
    web.file("claude.toml", &good);
    web.update(1).unwrap();
    for (bad, why) in [
        (rules("codex", HEAD), "the file is for codex"),
        (rules("claude", "min_engine_version = 3"), "no version"),
        (rules("claude", "version = \"3\""), "no min_engine_version"),
        (
            rules("claude", "version = \"3\"\nmin_engine_version = 9"),
            "engine 9",
        ),
        ("<html>not found</html>".to_owned(), "line 1"),
        (String::new(), "id"),
    ] {
        web.file("claude.toml", &bad);
        let status = web.update(2).unwrap();
        let (result, error) = result(&status, "claude");
        assert_eq!(result, "failed", "{bad}");
        assert!(error.unwrap().contains(why), "{error:?}");
        assert_eq!(fs::read_to_string(web.kept("claude")).unwrap(), good);
    }
    web.file(
        "claude.toml",
        &rules("claude", "version = \"2.0.9\"\nmin_engine_version = 3"),
    );
    let status = web.update(3).unwrap();
    assert_eq!(result(&status, "claude"), ("older", None));
    assert_eq!(fs::read_to_string(web.kept("claude")).unwrap(), good);
}

#[test]
fn one_that_fails_does_not_keep_the_others_from_coming() {
    let mut web = Web::new();
    web.offers(&[
        ("codex", "../codex.toml"),
        ("claude", "claude.toml"),
        ("gemini", "gemini.toml"),
    ]);
    web.file("claude.toml", &rules("claude", HEAD));
    let status = web.update(1).unwrap();
    assert_eq!(result(&status, "claude").0, "updated");
    assert_eq!(result(&status, "codex").0, "failed");
    assert_eq!(result(&status, "gemini").0, "failed");
    assert_eq!(status.last_result.as_deref(), Some("2 failed, 1 updated"));
}

#[test]
fn without_a_catalog_nothing_changes_but_the_status() {
    let mut web = Web::new();
    web.offers(&[("claude", "claude.toml")]);
    web.file("claude.toml", &rules("claude", HEAD));
    web.update(1).unwrap();
    web.files.remove(CATALOG);
    let error = web.update(2).unwrap_err();
    assert!(error.ends_with("404"), "{error}");
    let status = web.places().status();
    assert_eq!(status.last_check_unix, Some(2));
    assert!(status.last_result.as_ref().unwrap().starts_with("failed: "));
    assert_eq!(result(&status, "claude").0, "updated");
    assert!(web.kept("claude").exists());
}

#[test]
fn only_http_and_https_are_asked() {
    for address in ["ftp://example.org/x", "file:///etc/passwd", "x", ""] {
        assert!(
            update(&Web::new().places(), address, 1).is_err(),
            "{address}"
        );
    }
}
