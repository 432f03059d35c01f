//! Connecting to a Unix socket without waiting for ever: the standard library has no such call.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::socket::{self, AddressFamily, Backlog, SockFlag, SockType, UnixAddr, sockopt};
use nix::sys::time::{TimeVal, TimeValLike};

/// Connects to the socket file `path`, but waits no longer than `patience` for room in the queue of
/// whoever listens there; `None` waits for ever. The time is also the write timeout of the stream.
///
/// # Errors
/// Of kind `TimedOut` when there was no room: somebody listens but does not accept. (macOS refuses
/// at once in that case.)
pub fn connect(path: &Path, patience: Option<Duration>) -> io::Result<UnixStream> {
    let address = UnixAddr::new(path)?;
    let flags = SockFlag::empty();
    let descriptor = socket::socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    // Not every system can make it so at once.
    fcntl(&descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    if let Some(patience) = patience {
        // On Linux the send timeout also bounds connect. Zero would mean "for ever".
        let microseconds = i64::try_from(patience.as_micros()).unwrap_or(i64::MAX);
        let timeout = TimeVal::microseconds(microseconds.max(1));
        socket::setsockopt(&descriptor, sockopt::SendTimeout, &timeout)?;
    }
    loop {
        match socket::connect(descriptor.as_raw_fd(), &address) {
            Ok(()) | Err(Errno::EISCONN) => return Ok(UnixStream::from(descriptor)),
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => return Err(io::ErrorKind::TimedOut.into()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Makes this process the one that a listening socket's clients are told of. They keep their place in its queue.
///
/// # Errors
/// It is no listening socket.
pub fn listen_again(socket: BorrowedFd<'_>) -> io::Result<()> {
    Ok(socket::listen(&socket, Backlog::MAXCONN)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::socket::{bind, listen};

    #[test]
    fn a_full_queue_of_connections_does_not_hang_the_caller() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let flags = SockFlag::empty();
        let listener = socket::socket(AddressFamily::Unix, SockType::Stream, flags, None).unwrap();
        bind(listener.as_raw_fd(), &UnixAddr::new(&path).unwrap()).unwrap();
        listen(&listener, Backlog::new(0).unwrap()).unwrap();
        let mut held = Vec::new();
        let error = loop {
            match connect(&path, Some(Duration::from_millis(50))) {
                Ok(stream) => held.push(stream),
                Err(error) => break error,
            }
            assert!(held.len() < 1_000, "the queue never fills");
        };
        assert!(matches!(
            error.kind(),
            io::ErrorKind::TimedOut | io::ErrorKind::ConnectionRefused
        ));
    }
}
