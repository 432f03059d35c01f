//! Random bytes of the system.

use std::fs::File;
use std::io::{self, Read};

/// Sixteen bytes that nobody can foretell.
///
/// # Errors
/// There is no `/dev/urandom`, or no descriptor left to read it with.
pub fn random_bytes() -> io::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}
