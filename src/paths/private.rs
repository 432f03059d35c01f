//! Folders that must be the user's own: where sockets lie, whoever can write the folder can put another socket there.
//!
//! A folder is judged by its open descriptor, and each one below by the descriptor of the one above, so that nothing
//! that is exchanged in between, a link least of all, is taken for it.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::getegid;

/// What may be done in a folder by others than its owner.
const OTHERS_WRITE: u32 = 0o002;
const GROUP_WRITE: u32 = 0o020;
const ALL_BUT_OWNER: u32 = 0o077;

/// Why a folder is not the user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// It is a link or a file.
    NoFolder,
    /// It belongs to the user of this number.
    OwnedBy(u32),
    /// Others can write it; these are its permissions.
    Writable(u32),
    /// Others can look into it; these are its permissions.
    Open(u32),
}

impl Trouble {
    /// What is to be done about it in `path`.
    #[must_use]
    pub fn remedy(&self, path: &Path) -> String {
        let path = path.display();
        match self {
            Trouble::NoFolder | Trouble::OwnedBy(_) => {
                format!("remove {path}, or set XDG_RUNTIME_DIR to a folder of your own")
            }
            Trouble::Writable(_) => {
                format!("see that nothing in it is somebody else's, then `chmod 700 {path}`")
            }
            Trouble::Open(_) => format!("`chmod 700 {path}`; the next start does it too"),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::NoFolder => write!(formatter, "is a link or a file, not a folder of your own"),
            Trouble::OwnedBy(uid) => {
                write!(formatter, "is not a folder of your own, but of user {uid}")
            }
            Trouble::Writable(mode) => {
                write!(formatter, "can be written by others (mode {mode:04o})")
            }
            Trouble::Open(mode) => write!(formatter, "can be read by others (mode {mode:04o})"),
        }
    }
}

/// How a folder has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// drover made it for itself: nobody else gets in.
    Alone,
    /// The person chose it: nobody else writes there. A group of the user's own may, as where a new file's group is
    /// one that has no other member.
    Chosen,
}

/// Judges a folder by its owner and its mode.
fn judge(owner: u32, group: u32, mode: u32, user: u32, demand: Demand) -> Option<Trouble> {
    let mode = mode & 0o7777;
    let own_group = demand == Demand::Chosen && group == getegid().as_raw();
    if owner != user {
        Some(Trouble::OwnedBy(owner))
    } else if mode & OTHERS_WRITE != 0 || (mode & GROUP_WRITE != 0 && !own_group) {
        Some(Trouble::Writable(mode))
    } else if demand == Demand::Alone && mode & ALL_BUT_OWNER != 0 {
        Some(Trouble::Open(mode))
    } else {
        None
    }
}

/// What is wrong with a folder, if anything is; a link at its end is not followed.
///
/// # Errors
/// It is not there, or cannot be opened.
pub fn look(path: &Path, user: u32, demand: Demand) -> io::Result<Option<Trouble>> {
    match open_below(None, path.as_os_str()) {
        Ok(folder) => judged(&folder, user, demand),
        Err(Errno::ENOTDIR | Errno::ELOOP) => Ok(Some(Trouble::NoFolder)),
        Err(error) => Err(error.into()),
    }
}

fn judged(folder: &File, user: u32, demand: Demand) -> io::Result<Option<Trouble>> {
    let found = folder.metadata()?;
    Ok(judge(found.uid(), found.gid(), found.mode(), user, demand))
}

fn open_below(above: Option<&File>, name: &OsStr) -> Result<File, Errno> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let opened = match above {
        Some(above) => openat(above, name, flags, Mode::empty()),
        None => nix::fcntl::open(name, flags, Mode::empty()),
    };
    opened.map(File::from)
}

/// Why a folder could not be made, or is not taken. Displays with the path and what to do.
#[derive(Debug)]
pub struct NotPrivate {
    path: PathBuf,
    why: Why,
}

#[derive(Debug)]
enum Why {
    Trouble(Trouble),
    System(io::Error),
}

impl fmt::Display for NotPrivate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::Trouble(trouble) => {
                write!(
                    formatter,
                    "{path} {trouble}: {}",
                    trouble.remedy(&self.path)
                )
            }
            Why::System(error) => write!(formatter, "making the folder {path}: {error}"),
        }
    }
}

impl std::error::Error for NotPrivate {}

/// Makes the folders `names`, each in the one before and the first in `base`, and takes none that is not the user's
/// alone. New ones are 0700 from their first moment; one that others could only look into is closed to them.
///
/// # Errors
/// [`NotPrivate`].
pub fn make_alone(base: &Path, names: &[&OsStr], user: u32) -> Result<(), NotPrivate> {
    let mut path = base.to_owned();
    let failed = |path: &Path, error: io::Error| NotPrivate {
        path: path.to_owned(),
        why: Why::System(error),
    };
    // The system's, or the person's: what lies above is theirs to choose.
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(base)
        .map_err(|error| failed(&path, error))?;
    let mut above = File::open(base).map_err(|error| failed(&path, error))?;
    for name in names {
        path.push(name);
        match mkdirat(&above, *name, Mode::S_IRWXU) {
            Ok(()) | Err(Errno::EEXIST) => {}
            Err(error) => return Err(failed(&path, error.into())),
        }
        let trouble = |trouble| NotPrivate {
            path: path.clone(),
            why: Why::Trouble(trouble),
        };
        let folder = match open_below(Some(&above), name) {
            Ok(folder) => folder,
            Err(Errno::ENOTDIR | Errno::ELOOP) => return Err(trouble(Trouble::NoFolder)),
            Err(error) => return Err(failed(&path, error.into())),
        };
        match judged(&folder, user, Demand::Alone).map_err(|error| failed(&path, error))? {
            None => {}
            // Nobody else could put anything there.
            Some(Trouble::Open(_)) => folder
                .set_permissions(std::fs::Permissions::from_mode(0o700))
                .map_err(|error| failed(&path, error))?,
            Some(found) => return Err(trouble(found)),
        }
        above = folder;
    }
    Ok(())
}

/// Makes a folder that the person chose, if it is not there, and takes none that others can write.
///
/// # Errors
/// [`NotPrivate`].
pub fn make_chosen(path: &Path, user: u32) -> Result<(), NotPrivate> {
    let failed = |why| NotPrivate {
        path: path.to_owned(),
        why,
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| failed(Why::System(error)))?;
    match look(path, user, Demand::Chosen).map_err(|error| failed(Why::System(error)))? {
        None => Ok(()),
        Some(trouble) => Err(failed(Why::Trouble(trouble))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn user() -> u32 {
        nix::unistd::geteuid().as_raw()
    }

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
    }

    fn make(base: &Path) -> Result<(), NotPrivate> {
        make_alone(base, &["a".as_ref(), "b".as_ref()], user())
    }

    #[test]
    fn new_folders_are_for_the_user_alone_all_the_way_down() {
        let base = tempfile::tempdir().unwrap();
        make(base.path()).unwrap();
        assert_eq!(mode(&base.path().join("a")), 0o700);
        assert_eq!(mode(&base.path().join("a/b")), 0o700);
        make(base.path()).unwrap();
    }

    #[test]
    fn a_folder_that_others_can_write_is_refused_wherever_it_stands() {
        for (at, bits) in [("a", 0o777), ("a/b", 0o720), ("a", 0o702)] {
            let base = tempfile::tempdir().unwrap();
            make(base.path()).unwrap();
            set_mode(&base.path().join(at), bits);
            let refused = make(base.path()).unwrap_err().to_string();
            assert!(refused.contains("written by others"), "{refused}");
            assert!(refused.contains("chmod 700"), "{refused}");
            assert_eq!(mode(&base.path().join(at)), bits, "it is left alone");
        }
    }

    #[test]
    fn one_that_others_could_only_look_into_is_closed() {
        let base = tempfile::tempdir().unwrap();
        make(base.path()).unwrap();
        set_mode(&base.path().join("a"), 0o755);
        make(base.path()).unwrap();
        assert_eq!(mode(&base.path().join("a")), 0o700);
    }

    #[test]
    fn a_link_is_not_followed_nor_a_file_taken_for_a_folder() {
        let (base, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(elsewhere.path(), base.path().join("a")).unwrap();
        let refused = make(base.path()).unwrap_err().to_string();
        assert!(refused.contains("is a link or a file"), "{refused}");
        assert!(
            !elsewhere.path().join("b").exists(),
            "nothing was made there"
        );
        let link = base.path().join("a");
        assert_eq!(
            look(&link, user(), Demand::Alone).unwrap(),
            Some(Trouble::NoFolder)
        );
        let file = base.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(
            look(&file, user(), Demand::Alone).unwrap(),
            Some(Trouble::NoFolder)
        );
    }

    #[test]
    fn somebody_elses_folder_is_refused() {
        let base = tempfile::tempdir().unwrap();
        make(base.path()).unwrap();
        let refused = make_alone(base.path(), &["a".as_ref()], user() + 1).unwrap_err();
        let words = refused.to_string();
        assert!(words.contains("not a folder of your own"), "{words}");
        assert!(words.contains("set XDG_RUNTIME_DIR"), "{words}");
    }

    #[test]
    fn a_chosen_folder_may_be_looked_into_but_not_written_by_others() {
        let group = getegid().as_raw();
        let judge = |group, mode| judge(7, group, mode, 7, Demand::Chosen);
        assert_eq!(judge(group, 0o755), None);
        assert_eq!(judge(group, 0o775), None, "a group of one's own");
        assert_eq!(judge(group + 1, 0o775), Some(Trouble::Writable(0o775)));
        assert_eq!(judge(group, 0o1777), Some(Trouble::Writable(0o1777)));
        let base = tempfile::tempdir().unwrap();
        make_chosen(&base.path().join("new/er"), user()).unwrap();
        assert_eq!(mode(&base.path().join("new/er")), 0o700);
        set_mode(base.path(), 0o777);
        assert!(make_chosen(base.path(), user()).is_err());
    }
}
