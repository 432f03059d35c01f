//! Living under a service manager: taking the sockets that it made and the panes that it held, telling it how things
//! stand. Under nobody, all of this does nothing.

mod descriptors;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;

use anyhow::{Context, Result};

use crate::keeper::kept::Kept;
use crate::sys;

use super::files::SocketFile;

pub(super) use descriptors::{DescriptorStore, is_there as holds_descriptors};

/// What the service manager gave, until it is taken.
pub(super) struct Given(Vec<(String, OwnedFd)>);

impl Given {
    /// To be called once, before anything else is opened.
    pub(super) fn take() -> Given {
        Given(sys::given_descriptors())
    }

    /// The panes that it held.
    pub(super) fn panes(&mut self) -> Vec<Kept> {
        descriptors::take_panes(&mut self.0)
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
        // Clients ask whose process listens: a service manager of the system's would be root's, and `drover down` waits
        // for the end of the one that serves.
        sys::listen_again(listener.as_fd())
            .with_context(|| format!("listening at the {name} socket of the service manager"))?;
        Ok((listener, SocketFile::lent(path)))
    }
}

/// Tells the service manager something, such as `READY=1` (systemd's `sd_notify`).
pub(super) fn tell(what: &str) {
    let manager = Manager::of_environment();
    if manager.0.is_none() {
        return;
    }
    let told = manager
        .connect()
        .and_then(|socket| socket.send(what.as_bytes()));
    if let Err(error) = told {
        log::warn!("the service manager was not told {what}: {error}");
    }
}

/// Where the service manager listens, if there is one.
struct Manager(Option<OsString>);

impl Manager {
    fn of_environment() -> Manager {
        Manager(std::env::var_os("NOTIFY_SOCKET"))
    }

    fn connect(&self) -> io::Result<UnixDatagram> {
        let name = self.0.as_deref().unwrap_or(OsStr::new(""));
        let address = match name.as_bytes() {
            // Only Linux has names without a file.
            [b'@', name @ ..] => sys::unnamed_address(name)?,
            _ => SocketAddr::from_pathname(name)?,
        };
        let socket = UnixDatagram::unbound()?;
        socket.connect_addr(&address)?;
        Ok(socket)
    }
}
