//! Putting a file in the place of another in one step, so that whoever reads it, and whoever comes
//! after a `kill -9`, finds the old one or the new one and never a part.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg, OFlag};

/// Links that lead to a file at most; the kernel follows as many.
const LINKS: usize = 40;

/// Gives `path` these bytes. A link is followed, and what it leads to replaced; permissions of a file
/// that is there are kept, a new one gets `mode`. The folder must be there.
///
/// # Errors
/// Those of the file system; then the old file is untouched.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let target = resolved(path)?;
    let mode = match fs::metadata(&target) {
        Ok(there) => there.permissions().mode() & 0o7777,
        Err(error) if error.kind() == io::ErrorKind::NotFound => mode,
        Err(error) => return Err(error),
    };
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let name = target
        .file_name()
        .ok_or_else(|| io::Error::other("it has no file name"))?;
    let mut draft_name = OsString::from(".");
    draft_name.push(name);
    draft_name.push(".drover-new");
    let draft = folder.join(draft_name);
    let mut file = open_draft(&draft)?;
    let written = file
        .set_len(0)
        .and_then(|()| file.set_permissions(Permissions::from_mode(mode)))
        .and_then(|()| file.write_all(bytes))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&draft, &target));
    if let Err(error) = written {
        let _ = fs::remove_file(&draft);
        return Err(error);
    }
    // A name that the power takes back again would be the old file: no harm, and no error.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Opens the draft for this process alone, whether or not a killed one has left it behind.
fn open_draft(draft: &Path) -> io::Result<Flock<File>> {
    loop {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(draft)?;
        let file = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| error)?;
        // Whoever had the lock before has renamed what this descriptor leads to: it is the file itself.
        let identity = |facts: fs::Metadata| (facts.dev(), facts.ino());
        let ours = identity(file.metadata()?);
        if fs::symlink_metadata(draft).is_ok_and(|now| identity(now) == ours) {
            return Ok(file);
        }
    }
}

/// Where `path` leads, through links, also if nothing is there yet.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&at) {
            Ok(link) => at = at.parent().unwrap_or(Path::new("")).join(link),
            // No link, or nothing at all.
            Err(_) => return Ok(at),
        }
    }
    Err(io::Error::other("it leads through too many links"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_new_file_gets_the_mode_and_an_old_one_keeps_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        replace(&path, b"one", 0o640).unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), mode(&path)),
            (b"one".to_vec(), 0o640)
        );
        fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();
        replace(&path, b"2", 0o600).unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), mode(&path)),
            (b"2".to_vec(), 0o751)
        );
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("real")).unwrap();
        symlink("real/file", at("link")).unwrap();
        symlink(at("link"), at("outer")).unwrap();
        for text in ["new", "newer"] {
            replace(&at("outer"), text.as_bytes(), 0o600).unwrap();
            assert_eq!(fs::read_to_string(at("real/file")).unwrap(), text);
        }
        assert!(fs::symlink_metadata(at("outer")).unwrap().is_symlink());
        symlink("round", at("round")).unwrap();
        assert!(replace(&at("round"), b"x", 0o600).is_err());
    }

    #[test]
    fn what_a_killed_process_left_behind_is_no_hindrance() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(
            directory.path().join(".file.drover-new"),
            "half of a long text",
        )
        .unwrap();
        replace(&path, b"whole", 0o600).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_refused_write_leaves_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("folder");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "kept").unwrap();
        assert!(replace(&path, b"x", 0o600).is_err());
        assert_eq!(fs::read_to_string(path.join("inside")).unwrap(), "kept");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        assert!(replace(&directory.path().join("no/file"), b"x", 0o600).is_err());
    }

    #[test]
    fn many_at_once_leave_one_whole_text() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::thread::scope(|scope| {
            for letter in b'a'..=b'h' {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        replace(path, &[letter; 10_000], 0o600).unwrap();
                    }
                });
            }
        });
        let text = fs::read(&path).unwrap();
        assert_eq!(text.len(), 10_000);
        assert!(text.iter().all(|letter| *letter == text[0]));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
