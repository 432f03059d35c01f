//! Messages between keeper and worker: a length, a JSON text, and descriptors that travel with them.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::sys;

/// The longest message, in bytes. The largest tells of a process to start: its environment, which the kernel bounds
/// at 2 MiB and which JSON spells with up to four bytes for one.
const MOST_BYTES: u32 = 12 * 1024 * 1024;

/// The length, little endian.
const HEADER_BYTES: usize = 4;

/// How long the other end may take to give the rest of a message it began, or to take one. It does nothing else in
/// between, so only a stopped process needs more.
const PATIENCE: Duration = Duration::from_secs(10);

/// One end of the pair.
#[derive(Debug)]
pub struct Channel {
    socket: UnixStream,
}

impl Channel {
    /// # Errors
    /// The timeouts could not be set.
    pub fn new(socket: UnixStream) -> io::Result<Channel> {
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(Channel { socket })
    }

    /// Two ends.
    ///
    /// # Errors
    /// Descriptors have run out.
    pub fn pair() -> io::Result<(Channel, UnixStream)> {
        let (near, far) = UnixStream::pair()?;
        Ok((Channel::new(near)?, far))
    }

    /// Sends one message; whoever sends has to be the only one at that moment.
    ///
    /// # Errors
    /// The other end is gone or takes nothing; then the channel is of no more use. A message that is too long is of
    /// kind `InvalidInput`, and nothing of it was sent.
    pub fn send<Message: Serialize>(
        &self,
        message: &Message,
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        let mut frame = vec![0; HEADER_BYTES];
        serde_json::to_writer(&mut frame, message)?;
        let length = u32::try_from(frame.len() - HEADER_BYTES)
            .ok()
            .filter(|length| *length <= MOST_BYTES)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "too long a message"))?;
        frame[..HEADER_BYTES].copy_from_slice(&length.to_le_bytes());
        sys::send_with_descriptors(&self.socket, &frame, descriptors)
    }

    /// The next message; none when the other end has closed. Waits for ever for its first byte.
    ///
    /// # Errors
    /// It ends in the middle of a message, does not go on with it, or sends what is none.
    pub fn receive<Message: DeserializeOwned>(
        &self,
    ) -> io::Result<Option<(Message, Vec<OwnedFd>)>> {
        let mut descriptors = Vec::new();
        let mut header = [0; HEADER_BYTES];
        let mut have = 0;
        self.socket.set_read_timeout(None)?;
        while have < HEADER_BYTES {
            let room = &mut header[have..];
            match sys::receive_with_descriptors(&self.socket, room, &mut descriptors) {
                Ok(0) if have == 0 => return Ok(None),
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => have += count,
                Err(error) if have == 0 && error.kind() == io::ErrorKind::ConnectionReset => {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
            self.socket.set_read_timeout(Some(PATIENCE))?;
        }
        let length = u32::from_le_bytes(header);
        if length > MOST_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a message of {length} bytes"),
            ));
        }
        // What does not come is not made room for.
        let mut body = Vec::new();
        let read = (&self.socket)
            .take(u64::from(length))
            .read_to_end(&mut body)?;
        if read < length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let message = serde_json::from_slice(&body)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(Some((message, descriptors)))
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn pair() -> (Channel, UnixStream) {
        Channel::pair().unwrap()
    }

    #[test]
    fn messages_keep_their_bounds_and_their_descriptors() {
        let (near, far) = pair();
        let far = Channel::new(far).unwrap();
        let long = "x".repeat(100_000);
        let (reader, writer) = std::io::pipe().unwrap();
        let sending = std::thread::spawn({
            let long = long.clone();
            move || {
                near.send(&"one", &[]).unwrap();
                near.send(&long, &[reader.as_fd(), writer.as_fd()]).unwrap();
                near.send(&3, &[]).unwrap();
            }
        });
        let (first, none) = far.receive::<String>().unwrap().unwrap();
        assert_eq!((first.as_str(), none.len()), ("one", 0));
        let (second, two) = far.receive::<String>().unwrap().unwrap();
        assert_eq!((second, two.len()), (long, 2));
        assert_eq!(far.receive::<u8>().unwrap().unwrap().0, 3);
        sending.join().unwrap();
        assert!(far.receive::<u8>().unwrap().is_none(), "closed");
    }

    #[test]
    fn what_is_no_message_is_an_error_and_takes_no_room() {
        for bytes in [
            &b"\xff\xff\xff\xff"[..],
            b"\x00",
            b"\x00\x00\x00",
            b"\x05\x00\x00\x00\"on",
            b"\x03\x00\x00\x00{]}",
            b"\x00\x00\x00\x00",
        ] {
            let (near, mut far) = pair();
            far.write_all(bytes).unwrap();
            drop(far);
            assert!(near.receive::<String>().is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_message_of_another_kind_is_an_error() {
        let (near, far) = pair();
        Channel::new(far).unwrap().send(&"text", &[]).unwrap();
        assert!(near.receive::<u8>().is_err());
    }
}
