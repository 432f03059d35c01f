//! Descriptors that travel with bytes through a Unix socket.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

use super::os;

/// Most descriptors of one call: what a pane needs, the sockets and the lock, with room to grow.
pub const MOST_DESCRIPTORS: usize = 8;

/// Writes all of `bytes`; the descriptors arrive with the first of them.
///
/// # Errors
/// Of kind `BrokenPipe` when nobody is at the other end; of kind `InvalidInput` for more than
/// [`MOST_DESCRIPTORS`].
pub fn send_with_descriptors(
    socket: &impl AsRawFd,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    if descriptors.len() > MOST_DESCRIPTORS {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let raw: Vec<RawFd> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
    let rights = [ControlMessage::ScmRights(&raw)];
    let mut control: &[ControlMessage<'_>] = if raw.is_empty() { &[] } else { &rights };
    let mut left = bytes;
    while !left.is_empty() {
        let parts = [IoSlice::new(left)];
        match sendmsg::<()>(socket.as_raw_fd(), &parts, control, os::SEND_FLAGS, None) {
            Ok(count) => {
                left = &left[count..];
                control = &[];
            }
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Reads what is there, at most `room`, and appends the descriptors that came along to `taken`;
/// none of them is inherited by a program that is executed. Zero: the other end is closed.
///
/// # Errors
/// The operating system's; of kind `InvalidData` when more descriptors came than anybody may send.
pub fn receive_with_descriptors(
    socket: &impl AsRawFd,
    room: &mut [u8],
    taken: &mut Vec<OwnedFd>,
) -> io::Result<usize> {
    let mut space = nix::cmsg_space!([RawFd; MOST_DESCRIPTORS]);
    loop {
        let mut parts = [IoSliceMut::new(room)];
        let message = match recvmsg::<()>(
            socket.as_raw_fd(),
            &mut parts,
            Some(&mut space),
            os::RECEIVE_FLAGS,
        ) {
            Ok(message) => message,
            Err(Errno::EINTR) => continue,
            Err(error) => return Err(error.into()),
        };
        let count = message.bytes;
        let whole = !message.flags.contains(MsgFlags::MSG_CTRUNC);
        for control in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(rights) = control {
                for raw in rights {
                    // SAFETY: the kernel has just made this descriptor for us, and nobody else in
                    // this process knows of it.
                    let descriptor = unsafe { OwnedFd::from_raw_fd(raw) };
                    os::close_on_exec(&descriptor)?;
                    taken.push(descriptor);
                }
            }
        }
        if !whole {
            return Err(io::ErrorKind::InvalidData.into());
        }
        return Ok(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_descriptor_arrives_with_its_bytes_and_is_not_inherited() {
        let (near, far) = UnixStream::pair().unwrap();
        let (mut reader, writer) = std::io::pipe().unwrap();
        send_with_descriptors(&near, b"one", &[writer.as_fd()]).unwrap();
        send_with_descriptors(&near, b"two", &[]).unwrap();
        drop(writer);
        let (mut room, mut taken) = ([0; 3], Vec::new());
        assert_eq!(
            receive_with_descriptors(&far, &mut room, &mut taken).unwrap(),
            3
        );
        assert_eq!((&room, taken.len()), (b"one", 1));
        let flags = nix::fcntl::fcntl(&taken[0], nix::fcntl::FcntlArg::F_GETFD).unwrap();
        assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
        let mut passed = std::fs::File::from(taken.remove(0));
        passed.write_all(b"through").unwrap();
        drop(passed);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through");
        assert_eq!(
            receive_with_descriptors(&far, &mut room, &mut taken).unwrap(),
            3
        );
        assert_eq!((&room, taken.len()), (b"two", 0));
        drop(near);
        assert_eq!(
            receive_with_descriptors(&far, &mut room, &mut taken).unwrap(),
            0
        );
    }

    #[test]
    fn nobody_at_the_other_end_is_an_error_and_no_signal() {
        let (near, far) = UnixStream::pair().unwrap();
        drop(far);
        let error = send_with_descriptors(&near, b"x", &[]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
