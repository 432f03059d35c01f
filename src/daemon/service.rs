//! Living under a service manager: taking the sockets that it made, telling it how things stand.
//! Under nobody, all of this does nothing.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;

use anyhow::{Context, Result};

use crate::sys;

use super::files::SocketFile;

/// The sockets that the service manager gave, until they are taken.
pub(super) struct Given(Vec<(String, OwnedFd)>);

impl Given {
    /// To be called once, before anything else is opened.
    pub(super) fn take() -> Given {
        Given(sys::given_descriptors())
    }

    /// The socket with this name, if it was given, else a new one at `path`.
    ///
    /// # Errors
    /// As [`SocketFile::bind`]; or the one that was given cannot be used.
    pub(super) fn listener(
        &mut self,
        name: &str,
        path: &Path,
    ) -> Result<(UnixListener, SocketFile)> {
        let Some(index) = self.0.iter().position(|(given, _)| given == name) else {
            return SocketFile::bind(path);
        };
        let listener = UnixListener::from(self.0.swap_remove(index).1);
        // systemd's do not wait; a thread that accepts has nothing else to do.
        listener
            .set_nonblocking(false)
            .with_context(|| format!("taking the {name} socket of the service manager"))?;
        // Clients ask whose process listens; a service manager of the system's would be root's.
        sys::listen_again(listener.as_fd())
            .with_context(|| format!("listening at the {name} socket of the service manager"))?;
        Ok((listener, SocketFile::lent(path)))
    }
}

/// Tells the service manager something, such as `READY=1` (systemd's `sd_notify`).
pub(super) fn tell(what: &str) {
    let Some(address) = std::env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    if let Err(error) = send(&address, what) {
        log::warn!("the service manager was not told {what}: {error}");
    }
}

fn send(address: &OsStr, what: &str) -> std::io::Result<()> {
    let address = match address.as_bytes() {
        // Only Linux has names without a file.
        [b'@', name @ ..] => sys::unnamed_address(name)?,
        _ => SocketAddr::from_pathname(address)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.send_to_addr(what.as_bytes(), &address)?;
    Ok(())
}
