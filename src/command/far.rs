//! A daemon on another machine, as a command has to know it: what it does with the daemon's socket is the same.

use std::fmt;
use std::path::PathBuf;

use super::Failure;

/// A daemon that is reached through something that has to be made first.
pub trait Far: fmt::Debug {
    /// The protocol socket, which is on this machine and leads there. Made with the first call, so that whatever
    /// needs no daemon waits for none.
    ///
    /// # Errors
    /// The daemon cannot be reached.
    fn protocol_socket(&self) -> Result<PathBuf, Failure>;

    /// The person's home directory there.
    ///
    /// # Errors
    /// As for [`Far::protocol_socket`].
    fn home(&self) -> Result<PathBuf, Failure>;

    /// What stands for the socket where people read it: a path on this machine would mislead (herdr 0.9.3:
    /// `machine:ID/SESSION`).
    fn address(&self) -> String;

    /// The session there.
    fn session(&self) -> &str;
}
