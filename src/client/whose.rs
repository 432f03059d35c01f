//! Whether it is the caller's own daemon that listens at a socket: asked of the kernel before a byte is
//! sent, for what is sent may be a secret, and what comes back is believed.

use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::paths::Environment;
use crate::sys;

/// The user that daemons of others may serve (`[authority] root`), and that they have to be named to.
const ROOT: u32 = 0;

/// Another user's process listens there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Foreign {
    /// The number of that user.
    pub(super) user: u32,
}

impl fmt::Display for Foreign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a process of user {} listens there", self.user)
    }
}

impl std::error::Error for Foreign {}

impl Foreign {
    /// What [`check`] found, if that is what an error is about.
    pub(super) fn of(error: &io::Error) -> Option<Foreign> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// Whether what was connected to at `path` may be talked to.
///
/// # Errors
/// Of kind `PermissionDenied` with a [`Foreign`] in it; or the kernel does not say who listens.
pub(super) fn check(stream: &UnixStream, path: &Path) -> io::Result<()> {
    let user = sys::peer(stream)?.uid;
    let own = nix::unistd::geteuid().as_raw();
    if user == own || (own == ROOT && is_named(path, &Environment::from_process())) {
        return Ok(());
    }
    let foreign = Foreign { user };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, foreign))
}

/// Whether the environment names this very socket, or its sibling for the control requests.
fn is_named(path: &Path, environment: &Environment) -> bool {
    let named = environment.herdr_socket_path.as_deref();
    named.is_some_and(|named| named.is_absolute() && named.parent() == path.parent())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::os::unix::net::UnixListener;

    #[test]
    fn ones_own_is_talked_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listener = UnixListener::bind(&path).unwrap();
        let stream = UnixStream::connect(&path).unwrap();
        assert!(check(&stream, &path).is_ok());
    }

    #[test]
    fn only_a_socket_that_is_named_is_named() {
        let named = |value: &'static str| {
            let find = |name: &str| (name == "HERDR_SOCKET_PATH").then(|| OsString::from(value));
            Environment::from_lookup(find, ROOT)
        };
        let is_named = |value, path: &str| super::is_named(Path::new(path), &named(value));
        let socket = "/run/user/7/drover/drover.sock.herdr";
        assert!(is_named(socket, socket));
        assert!(is_named(socket, "/run/user/7/drover/drover.sock"));
        assert!(!is_named(socket, "/tmp/drover-0/drover.sock.herdr"));
        assert!(!is_named("", socket) && !is_named("drover.sock.herdr", "drover.sock"));
    }

    #[test]
    fn an_error_tells_whose_it_is() {
        let foreign = Foreign { user: 7 };
        let error = io::Error::new(io::ErrorKind::PermissionDenied, foreign);
        assert_eq!(Foreign::of(&error), Some(foreign));
        assert_eq!(Foreign::of(&io::ErrorKind::PermissionDenied.into()), None);
    }
}
