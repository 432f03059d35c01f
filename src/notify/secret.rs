//! Secrets out of files and the environment: read when they are needed, kept nowhere, and never part
//! of what is said about a failure.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

/// Bytes of a secret: the longest tokens that services give out have a few thousand.
const SECRET_BYTES: u64 = 16 * 1024;

/// The permission bits that nobody but a secret's user may have.
const OTHERS: u32 = 0o077;

/// The text of a file, or of a variable of this process's environment, without blanks around it; none
/// if neither is named.
///
/// # Errors
/// Where it should be and why it is not there, without what is there.
pub(super) fn read(file: &str, variable: &str) -> Result<Option<String>, String> {
    let text = if !file.is_empty() {
        let path = below_home(file);
        let bytes = contents(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        String::from_utf8(bytes).map_err(|_| format!("{}: it is no text", path.display()))?
    } else if !variable.is_empty() {
        std::env::var(variable)
            .map_err(|_| format!("the daemon's environment has no text in {variable}"))?
    } else {
        return Ok(None);
    };
    let text = text.trim();
    let place = if file.is_empty() { variable } else { file };
    if text.is_empty() {
        return Err(format!("{place}: there is nothing in it"));
    }
    if text.chars().any(char::is_control) {
        return Err(format!(
            "{place}: it has more than one line, or odd characters"
        ));
    }
    Ok(Some(text.to_owned()))
}

fn contents(path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    // Nobody must wait for the writer of a pipe.
    let file = File::options()
        .read(true)
        .custom_flags(nix::libc::O_NONBLOCK)
        .open(path)?;
    let mut bytes = Vec::new();
    file.take(SECRET_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SECRET_BYTES {
        return Err(std::io::Error::other("it is far too long"));
    }
    Ok(bytes)
}

/// The file, its permissions and whose it is, if others than `user` may read or change it. Nothing of one that is not
/// named or not there: [`read`] says so.
pub(super) fn open_to_others(file: &str, user: u32) -> Option<(PathBuf, u32, u32)> {
    if file.is_empty() {
        return None;
    }
    let path = below_home(file);
    let facts = std::fs::metadata(&path).ok()?;
    let mode = facts.mode() & 0o7777;
    // Root may read every file anyway, and keeps secrets in files of its own for services.
    let owned = facts.uid() == user || facts.uid() == 0;
    (!owned || mode & OTHERS != 0).then_some((path, mode, facts.uid()))
}

fn below_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_one_line_of_a_file_or_a_variable() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        let named = path.to_str().unwrap();
        std::fs::write(&path, " tk_abc\n").unwrap();
        assert_eq!(read(named, ""), Ok(Some("tk_abc".to_owned())));
        assert_eq!(read("", ""), Ok(None));
        assert!(read("", "PATH").unwrap().is_some());
        for text in ["", "hidden\nhidden", "hidden\u{0}"] {
            std::fs::write(&path, text).unwrap();
            let why = read(named, "").unwrap_err();
            assert!(!why.contains("hidden") && why.contains("token"), "{why}");
        }
        assert!(read("/dev/zero", "").is_err());
        assert!(read("", "DROVER_NO_SUCH_VARIABLE").is_err());
    }
}
