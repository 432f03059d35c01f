//! The session's database: whether what changes reaches it, and whether it is the user's alone.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{Finding, Scene};

/// The permission bits that nobody but the user may have.
const OTHERS: u32 = 0o077;

pub(super) fn saves(scene: &Scene) -> Vec<Finding> {
    let mut found = vec![file(&scene.paths.database, scene.user)];
    if let Ok(pong) = &scene.pong
        && let Some(why) = pong["not_saved"].as_str()
    {
        found.push(Finding::wrong(
            format!("nothing is saved: {why}"),
            "what changes is in the daemon's memory only: it survives neither a crash nor a restart",
            "make room on the disk, or mend what is said above; the daemon tries again by itself",
        ));
    }
    found
}

/// What there is to say about the file, beside what the daemon says. The files that SQLite puts beside it have the
/// same mode.
fn file(path: &Path, user: u32) -> Finding {
    let shown = path.display();
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Finding::fine(format!("{shown} is made at the first start"));
        }
        Err(error) => {
            return Finding::wrong(
                format!("{shown} cannot be looked at: {error}"),
                "the daemon can neither bring the session back nor save it",
                format!("see who owns it: `ls -l {shown}`"),
            );
        }
    };
    if !found.is_file() {
        Finding::wrong(
            format!("{shown} is no file"),
            "the daemon saves nothing there, and does not take it away",
            format!("move {shown} away"),
        )
    } else if found.uid() != user || found.mode() & OTHERS != 0 {
        Finding::wrong(
            format!(
                "{shown} is open to others (mode {:04o}, user {})",
                found.mode() & 0o7777,
                found.uid()
            ),
            "it has the commands and directories of your panes, and their text where you turned that on",
            format!("`chmod 600 {shown}`, if it is yours; else move it away"),
        )
    } else {
        Finding::fine(format!("{shown} is yours alone"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_file_is_judged_by_what_it_is_and_whose() {
        let user = nix::unistd::geteuid().as_raw();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drover.db");
        assert_eq!(file(&path, user).level, Level::Fine);
        fs::create_dir(&path).unwrap();
        assert_eq!(file(&path, user).level, Level::Wrong);
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "").unwrap();
        let judged = |mode, user| {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            file(&path, user).level
        };
        assert_eq!(judged(0o600, user), Level::Fine);
        assert_eq!(judged(0o640, user), Level::Wrong);
        assert_eq!(judged(0o600, user + 1), Level::Wrong);
    }
}
