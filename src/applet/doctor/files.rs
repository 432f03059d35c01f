//! The sockets, the folders they lie in, and the link by the name `herdr`.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::{Finding, Scene};
use crate::paths::private::{self, Demand};

/// The permission bits that nobody but the user may have.
const OTHERS: u32 = 0o077;

pub(super) fn folders(scene: &Scene) -> Vec<Finding> {
    let mut looked: Vec<(PathBuf, Demand)> = Vec::new();
    match scene.paths.own_folders() {
        Some((base, names)) => {
            let mut path = base.to_owned();
            for name in names {
                path.push(name);
                looked.push((path.clone(), Demand::Alone));
            }
        }
        None => looked.push((scene.paths.runtime_dir.clone(), Demand::Chosen)),
    }
    looked.push((scene.paths.state_dir.clone(), Demand::Chosen));
    looked
        .iter()
        .map(|(path, demand)| folder(path, scene.user, *demand))
        .collect()
}

fn folder(path: &Path, user: u32, demand: Demand) -> Finding {
    let shown = path.display();
    match private::look(path, user, demand) {
        Ok(None) => Finding::fine(format!("{shown} is yours alone to write")),
        Ok(Some(trouble)) => Finding::wrong(
            format!("{shown} {trouble}"),
            "others could put a socket of theirs there, or the daemon does not start",
            trouble.remedy(path),
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Finding::fine(format!("{shown} is made at the first start"))
        }
        Err(error) => Finding::wrong(
            format!("{shown} cannot be looked into: {error}"),
            "the daemon cannot start there",
            format!("see who owns it: `ls -ld {shown}`"),
        ),
    }
}

pub(super) fn sockets(scene: &Scene) -> Vec<Finding> {
    let runs = scene.pong.is_ok();
    [&scene.paths.protocol_socket, &scene.paths.control_socket]
        .map(|path| socket(path, scene.user, runs))
        .to_vec()
}

fn socket(path: &Path, user: u32, runs: bool) -> Finding {
    let shown = path.display();
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !runs => {
            return Finding::fine(format!("{shown} is made when the daemon starts"));
        }
        Err(error) => {
            return Finding::wrong(
                format!("{shown} is not there: {error}"),
                "the daemon runs, and nobody can reach it by this name",
                "stop the daemon and start it again",
            );
        }
    };
    if !found.file_type().is_socket() {
        Finding::wrong(
            format!("{shown} is no socket"),
            "the daemon does not replace what it has not made",
            format!("move {shown} away"),
        )
    } else if found.uid() != user || found.mode() & OTHERS != 0 {
        Finding::wrong(
            format!(
                "{shown} is open to others (mode {:04o}, user {})",
                found.mode() & 0o7777,
                found.uid()
            ),
            "what is typed and read there may not be yours alone",
            "stop the daemon and start it again; it makes its sockets for you alone",
        )
    } else if runs {
        Finding::fine(format!("{shown} is yours alone"))
    } else {
        Finding::note(
            format!("{shown} was left behind"),
            "the daemon ended without taking it away",
            "nothing: the next start replaces it",
        )
    }
}

pub(super) fn link(scene: &Scene) -> Vec<Finding> {
    let link = &scene.paths.herdr_link;
    let shown = link.display();
    let own = std::env::current_exe().and_then(fs::canonicalize);
    vec![match (fs::read_link(link), scene.pong.is_ok()) {
        (Err(_), false) => Finding::fine(format!("{shown} is made when the daemon starts")),
        (Err(error), true) => Finding::wrong(
            format!("{shown} is no link: {error}"),
            "agents in panes do not find the command `herdr`",
            "stop the daemon and start it again",
        ),
        (Ok(target), _) => match (fs::canonicalize(&target), own) {
            (Err(error), _) => Finding::wrong(
                format!(
                    "{shown} leads to {}, which is not there: {error}",
                    target.display()
                ),
                "agents in panes cannot run `herdr`; the executable was moved or removed",
                "put it back, or start the daemon again from where it is now",
            ),
            (Ok(target), Ok(own)) if target != own => Finding::note(
                format!("{shown} leads to {}, not to this program", target.display()),
                "panes use another copy of drover than you do now",
                "nothing, if that is meant; else start the daemon again with this one",
            ),
            (Ok(target), _) => Finding::fine(format!("{shown} leads to {}", target.display())),
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_socket_is_judged_by_what_it_is_and_whose() {
        let user = nix::unistd::geteuid().as_raw();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        assert_eq!(socket(&path, user, false).level, Level::Fine);
        assert_eq!(socket(&path, user, true).level, Level::Wrong);
        fs::write(&path, "").unwrap();
        assert_eq!(socket(&path, user, true).level, Level::Wrong);
        fs::remove_file(&path).unwrap();
        let _listener = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(socket(&path, user, true).level, Level::Fine);
        assert_eq!(socket(&path, user, false).level, Level::Note);
        assert_eq!(socket(&path, user + 1, true).level, Level::Wrong);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(socket(&path, user, true).level, Level::Wrong);
    }
}
