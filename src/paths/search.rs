//! Programs as `PATH` finds them.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file that `program` is, looked for in the folders of `path` unless it names a folder itself;
/// none if there is none that anybody may run.
pub fn program(program: &str, path: &OsStr) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| runs(file));
    }
    std::env::split_paths(path)
        .map(|folder| folder.join(program))
        .find(|file| runs(file))
}

fn runs(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_first_folder_that_has_it_counts_and_only_what_may_be_run() {
        let root = tempfile::tempdir().unwrap();
        let (one, two) = (root.path().join("one"), root.path().join("two"));
        let file = |folder: &Path, mode| {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("tool"), "").unwrap();
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.join("tool"), mode).unwrap();
        };
        file(&one, 0o644);
        file(&two, 0o755);
        let path = std::env::join_paths([&one, &two]).unwrap();
        assert_eq!(program("tool", &path), Some(two.join("tool")));
        assert_eq!(program("other", &path), None);
        let named = |folder: &Path| folder.join("tool").display().to_string();
        assert_eq!(
            program(&named(&two), OsStr::new("")),
            Some(two.join("tool"))
        );
        assert_eq!(program(&named(&one), &path), None);
    }
}
