//! Which of several files counts.

use super::*;
use crate::agent::rules::Snapshot;

struct Disk {
    directory: tempfile::TempDir,
}

impl Disk {
    fn new() -> Disk {
        Disk {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, id: &str, version: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = format!(
            "id = \"{id}\"\n{version}\n[[rules]]\nid = \"mine\"\nstate = \"working\"\ncontains = [\"dig\"]\n"
        );
        std::fs::write(path, text).unwrap();
    }

    fn library(&self) -> Library {
        Library::new(Places {
            overrides: vec![self.path("own"), self.path("herdr")],
            downloaded: Some(self.path("remote")),
        })
    }
}

fn claude() -> Kind {
    Kind::find("claude").unwrap()
}

#[test]
fn what_comes_along_counts_while_nothing_else_is_there() {
    let disk = Disk::new();
    let chosen = disk.library().of(claude());
    assert_eq!(chosen.origin, Origin::Bundled);
    assert!(chosen.version().is_some() && chosen.warning.is_none());
    let none = disk.library().of(Kind::find("mastracode").unwrap());
    assert_eq!(none.origin, Origin::Nowhere);
}

#[test]
fn a_persons_own_file_counts_however_old_and_droves_before_herdrs() {
    let disk = Disk::new();
    disk.write("herdr/claude.toml", "claude-code", "version = \"0.1\"");
    let chosen = disk.library().of(claude());
    assert_eq!(
        chosen.origin,
        Origin::Override(disk.path("herdr/claude.toml"))
    );
    assert_eq!(chosen.version(), Some("0.1"));
    disk.write("own/claude.toml", "claude", "");
    disk.write("remote/claude.toml", "claude", "version = \"9999.1\"");
    let chosen = disk.library().of(claude());
    assert_eq!(
        chosen.origin,
        Origin::Override(disk.path("own/claude.toml"))
    );
    assert!(chosen.shadows_download());
}

#[test]
fn of_downloaded_and_bundled_rules_the_newer_count() {
    let disk = Disk::new();
    disk.write("remote/claude.toml", "claude", "version = \"1.1\"");
    let chosen = disk.library().of(claude());
    assert_eq!(chosen.origin, Origin::Bundled);
    assert_eq!(chosen.downloaded_version.as_ref().unwrap().as_str(), "1.1");
    disk.write("remote/claude.toml", "claude", "version = \"9999.1\"");
    let chosen = disk.library().of(claude());
    assert_eq!(
        chosen.origin,
        Origin::Downloaded(disk.path("remote/claude.toml"))
    );
    disk.write(
        "remote/claude.toml",
        "claude",
        "version = \"9999.1\"\nmin_engine_version = 4",
    );
    let chosen = disk.library().of(claude());
    assert_eq!(chosen.origin, Origin::Bundled);
    assert!(chosen.warning.as_ref().unwrap().contains("engine 4"));
}

#[test]
fn a_file_that_is_no_good_is_skipped_with_a_warning() {
    let disk = Disk::new();
    let warning = |disk: &Disk| {
        let chosen = disk.library().of(claude());
        assert_eq!(chosen.origin, Origin::Bundled);
        chosen.warning.clone().unwrap()
    };
    disk.write("own/claude.toml", "codex", "");
    assert!(warning(&disk).contains("it is for codex"));
    disk.write("own/claude.toml", "claude", "nonsense = 1");
    let said = warning(&disk);
    assert!(
        said.contains("own/claude.toml: line 2: unknown field `nonsense`"),
        "{said}"
    );
    std::fs::remove_file(disk.path("own/claude.toml")).unwrap();
    std::fs::create_dir(disk.path("own/claude.toml")).unwrap();
    assert!(warning(&disk).contains("no file"));
    std::fs::remove_dir(disk.path("own/claude.toml")).unwrap();
    std::fs::write(disk.path("own/claude.toml"), [0xff_u8; 8]).unwrap();
    assert!(warning(&disk).contains("skipped"));
    std::fs::write(disk.path("own/claude.toml"), "#".repeat(300_000)).unwrap();
    assert!(warning(&disk).contains("bytes"));
}

#[test]
fn files_are_read_once_until_they_are_read_again() {
    let disk = Disk::new();
    let library = disk.library();
    assert_eq!(library.of(claude()).origin, Origin::Bundled);
    disk.write("own/claude.toml", "claude", "");
    assert_eq!(library.of(claude()).origin, Origin::Bundled);
    let before = library.generation();
    library.reload();
    assert!(library.generation() > before);
    let chosen = library.of(claude());
    assert_eq!(
        chosen.origin,
        Origin::Override(disk.path("own/claude.toml"))
    );
    let snapshot = Snapshot {
        screen: "let us dig",
        ..Snapshot::default()
    };
    let why = explanation(claude(), &chosen, &snapshot);
    assert_eq!(
        (&why["state"], &why["agent"]),
        (&"working".into(), &"claude".into())
    );
    assert_eq!(
        why["manifest_source"],
        disk.path("own/claude.toml").display().to_string()
    );
    assert!(why["manifest_version"].is_null() && why.get("warning").is_some());
}
