//! `drover links`: the program's names in a directory, for people who install by hand.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::command::{Answer, Caller, Failure, Outcome, Run};

/// The names that the program knows itself by.
const NAMES: [&str; 2] = ["drover", "herdr"];

#[derive(clap::Args)]
pub(super) struct Links {
    /// Where to make them; a directory that is made if it is not there
    directory: String,
}

impl Run for Links {
    fn run(self, _: &Caller) -> Outcome {
        let executable = std::env::current_exe().map_err(|error| {
            Failure::Failed(format!("error: finding this program's file: {error}"))
        })?;
        fs::create_dir_all(&self.directory).map_err(|error| {
            Failure::Failed(format!(
                "error: making the directory {}: {error}",
                self.directory
            ))
        })?;
        let mut text = String::new();
        for name in NAMES {
            let link = Path::new(&self.directory).join(name);
            let made = make(&link, &executable).map_err(|error| {
                Failure::Failed(format!("error: making {}: {error}", link.display()))
            })?;
            let verb = if made { "made" } else { "kept" };
            text.push_str(&format!(
                "{verb} {} -> {}\n",
                link.display(),
                executable.display()
            ));
        }
        Ok(Answer::Text(text))
    }
}

/// Makes a link or changes where it points; false if it pointed there already. A file that is no link stays.
fn make(link: &Path, executable: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(link) {
        Ok(_) if fs::canonicalize(link).ok().as_deref() == Some(executable) => return Ok(false),
        Ok(there) if !there.is_symlink() => {
            let message = "something that is no link is there already; move it away first";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        _ => {}
    }
    // Made beside and moved over, so that the name is never missing for whoever calls it meanwhile.
    let temporary = link.with_extension(format!("new-{}", std::process::id()));
    symlink(executable, &temporary)?;
    fs::rename(&temporary, link).inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    })?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_made_changed_and_kept_but_a_file_is_never_replaced() {
        let directory = tempfile::tempdir().expect("a directory");
        let [one, two, link] = ["one", "two", "link"].map(|name| directory.path().join(name));
        fs::write(&one, "").expect("written");
        fs::write(&two, "").expect("written");
        let one = fs::canonicalize(one).expect("a path");
        let two = fs::canonicalize(two).expect("a path");
        assert!(make(&link, &one).expect("made"));
        assert!(!make(&link, &one).expect("kept"));
        assert!(make(&link, &two).expect("changed"));
        assert_eq!(fs::canonicalize(&link).expect("a path"), two);
        assert!(make(&one, &two).is_err());
        let left = fs::read_dir(directory.path()).expect("listed").count();
        assert_eq!(left, 3, "nothing temporary is left");
    }
}
