//! What is wrong with a sink as far as can be seen without sending anything, for `drover doctor`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::config::{NotifySink, SinkKind};
use crate::paths::search;
use crate::sys;

use super::{http, secret};

/// Something that keeps a sink from taking messages, or shows its secrets to others. None holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// Its program is not there, or may not be run.
    NoProgram(String),
    /// An address, a header or a secret cannot be used: why.
    Unusable(String),
    /// A variable of the daemon's environment that is not in the environment of whoever looks: the daemon may have it.
    Unset(String),
    /// The file of its secret is not its user's alone.
    Open {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
        /// Whose it is.
        owner: u32,
    },
    /// Its secret goes over the network in the clear.
    Clear,
}

/// Where somebody looks from.
pub struct Viewpoint<'a> {
    /// Variables of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// Who looks.
    pub user: u32,
}

impl Viewpoint<'_> {
    fn path(&self) -> OsString {
        (self.variable)("PATH").unwrap_or_default()
    }

    fn has(&self, name: &str) -> bool {
        (self.variable)(name).is_some()
    }
}

/// What is wrong with a configured sink. Reads the files it names, and sends nothing.
pub fn flaws(sink: &NotifySink, from: &Viewpoint<'_>) -> Vec<Flaw> {
    if sink.kind == SinkKind::Command {
        let program = sink.command.first().map_or("", String::as_str);
        let home = (from.variable)("HOME").unwrap_or_default();
        // A relative one begins at the person's home, where it is run.
        let file = match program.contains('/') {
            true => Path::new(&home).join(program).display().to_string(),
            false => program.to_owned(),
        };
        return no_program(&file, &from.path()).into_iter().collect();
    }
    let mut found = Vec::new();
    for file in [&sink.url_file, &sink.secret_file] {
        let open = secret::open_to_others(file, from.user);
        found.extend(open.map(|(file, mode, owner)| Flaw::Open { file, mode, owner }));
    }
    let unset: Vec<&String> = [&sink.url_env, &sink.secret_env]
        .into_iter()
        .filter(|name| !name.is_empty() && !from.has(name))
        .collect();
    found.extend(unset.iter().map(|name| Flaw::Unset((*name).clone())));
    let known = |name: &String| !unset.contains(&name);
    if known(&sink.url_env) {
        match http::clear(sink) {
            Ok(true) if has_secret(sink) => found.push(Flaw::Clear),
            Ok(_) => {}
            Err(why) => found.push(Flaw::Unusable(why)),
        }
    }
    if known(&sink.secret_env)
        && let Err(why) = http::sendable(sink)
    {
        found.push(Flaw::Unusable(why));
    }
    found
}

/// Beside the address itself; other headers may be anything.
fn has_secret(sink: &NotifySink) -> bool {
    [
        &sink.secret_file,
        &sink.secret_env,
        &sink.url_file,
        &sink.url_env,
    ]
    .iter()
    .any(|named| !named.is_empty())
}

/// What is wrong with the sink `desktop`.
pub fn desktop_flaw(from: &Viewpoint<'_>) -> Option<Flaw> {
    let (program, _) = sys::desktop_notification("", "", false);
    no_program(program, &from.path())
}

fn no_program(program: &str, path: &OsStr) -> Option<Flaw> {
    let there = search::program(program, path).is_some();
    (!there).then(|| Flaw::NoProgram(program.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn looked(sink: &NotifySink) -> Vec<Flaw> {
        let variable = |name: &str| (name == "PATH").then(|| OsString::from("/usr/bin:/bin"));
        let user = nix::unistd::geteuid().as_raw();
        flaws(
            sink,
            &Viewpoint {
                variable: &variable,
                user,
            },
        )
    }

    fn webhook(url: &str) -> NotifySink {
        NotifySink {
            url: url.to_owned(),
            ..NotifySink::default()
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let sink = |program: &str| NotifySink {
            kind: SinkKind::Command,
            command: vec![program.to_owned(), "x".to_owned()],
            ..NotifySink::default()
        };
        assert_eq!(looked(&sink("sh")), []);
        assert_eq!(looked(&sink("/bin/sh")), []);
        for gone in ["no-such-program", "/nonexistent/program"] {
            assert_eq!(looked(&sink(gone)), [Flaw::NoProgram(gone.to_owned())]);
        }
    }

    #[test]
    fn a_secrets_file_has_to_be_there_and_nobody_elses_to_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        let sink = NotifySink {
            secret_file: path.to_str().unwrap().to_owned(),
            ..webhook("https://example.org/x")
        };
        assert!(matches!(&looked(&sink)[..], [Flaw::Unusable(why)] if why.contains("token")));
        fs::write(&path, "tk_secret\n").unwrap();
        let with = |mode| {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            looked(&sink)
        };
        assert_eq!(with(0o600), []);
        for mode in [0o640, 0o604] {
            let found = with(mode);
            assert!(
                matches!(&found[..], [Flaw::Open { mode: told, .. }] if *told == mode),
                "{found:?}"
            );
        }
        fs::write(&path, "tk_secret\nmore\n").unwrap();
        assert!(!format!("{:?}", with(0o600)).contains("tk_secret"));
        assert!(matches!(&with(0o600)[..], [Flaw::Unusable(_)]));
    }

    #[test]
    fn what_cannot_be_posted_to_is_told_without_the_address() {
        for url in ["http://a b/secret", "https://", "https://[secret/"] {
            let found = looked(&webhook(url));
            assert!(
                matches!(&found[..], [Flaw::Unusable(_)]),
                "{url}: {found:?}"
            );
            assert!(!format!("{found:?}").contains("secret"));
        }
        let header = NotifySink {
            headers: vec!["Bad name: secret".to_owned()],
            ..webhook("https://example.org/")
        };
        let told = format!("{:?}", looked(&header));
        assert!(
            told.contains("header 1") && !told.contains("secret"),
            "{told}"
        );
    }

    #[test]
    fn what_only_the_daemon_knows_is_not_called_wrong() {
        let sink = NotifySink {
            url_env: "DROVER_TEST_ADDRESS".to_owned(),
            secret_env: "DROVER_TEST_SECRET".to_owned(),
            ..NotifySink::default()
        };
        let unset = ["DROVER_TEST_ADDRESS", "DROVER_TEST_SECRET"];
        let unset = unset.map(|name| Flaw::Unset(name.to_owned()));
        assert_eq!(looked(&sink), unset);
    }

    #[test]
    fn a_secret_in_the_clear_is_told_unless_it_stays_on_this_machine() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        fs::write(&path, "tk").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let with = |url| NotifySink {
            secret_file: path.to_str().unwrap().to_owned(),
            ..webhook(url)
        };
        assert_eq!(looked(&with("http://example.org/x")), [Flaw::Clear]);
        assert_eq!(looked(&webhook("http://example.org/x")), []);
        for local in [
            "http://localhost:1/x",
            "http://127.0.0.1/",
            "http://[::1]:2/",
        ] {
            assert_eq!(looked(&with(local)), [], "{local}");
        }
    }
}
