//! One of the two processes starts the other: the same words that this one was started with, and which half it is to
//! be. Its standard input is the channel between them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::estate::{Left, Packed};
use super::frame::Channel;
use crate::sys;

/// Which half of the daemon a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Half {
    /// The one that a person or a service manager starts. It becomes the keeper.
    #[default]
    First,
    /// Started by the keeper.
    Worker,
    /// Started by a worker whose keeper has died; or in the place of a keeper of another build, which has left it
    /// something.
    Keeper(Option<Left>),
}

/// The hidden options that say so.
pub const WORKER: &str = "--worker";
pub const KEEPER: &str = "--keeper";

/// The hidden option that says where an [`estate`](super::estate) lies: with its value in the same word.
pub const LEFT: &str = "--left";

/// What only the very first worker is told: state that was moved aside once stays there.
const ONCE: &str = "--fresh";

/// Starts `executable` as one half; the answer is this side of the channel.
///
/// # Errors
/// The executable cannot be run, or descriptors have run out.
pub fn start(executable: &Path, half: &str, first: bool) -> io::Result<(Child, Channel)> {
    let (near, far) = Channel::pair()?;
    let (name, words) = words(env::args_os(), half, first);
    let mut command = Command::new(executable);
    command
        .arg0(name)
        .args(words)
        .stdin(Stdio::from(OwnedFd::from(far)))
        // What is said there is the first process's to say.
        .stdout(Stdio::null());
    sys::make_like_us(&mut command);
    Ok((command.spawn()?, near))
}

/// Becomes a keeper of another build: same process, same children, `channel` to the worker, and what is left to it.
/// Comes back only when that fails, and then nothing has changed.
pub fn become_keeper(executable: &Path, channel: &Channel, left: Option<&Packed<'_>>) -> io::Error {
    let (name, mut words) = words(env::args_os(), KEEPER, false);
    let mut descriptors = Vec::new();
    if let Some(left) = left {
        words.push(OsString::from(format!("{LEFT}={}", left.place())));
        descriptors = left.descriptors();
    }
    let words: Vec<OsString> = std::iter::once(name).chain(words).collect();
    match sys::execute_in_place(executable, &words, channel.as_fd(), &descriptors) {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

/// This side of the channel, in a process that was started by [`start`].
///
/// # Errors
/// Standard input is no socket: nobody started this process in that way.
pub fn channel() -> io::Result<Channel> {
    // The duplicate is not inherited by programs that are executed; the original gives way to nothing.
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    let null = OpenOptions::new().read(true).open("/dev/null")?;
    let channel = Channel::new(UnixStream::from(socket))?;
    nix::unistd::dup2_stdin(&null)?;
    Ok(channel)
}

/// The name and the words of the other half's command line.
fn words(
    own: impl IntoIterator<Item = OsString>,
    half: &str,
    first: bool,
) -> (OsString, Vec<OsString>) {
    let mut own = own.into_iter();
    let name = own.next().unwrap_or_else(|| OsString::from("drover"));
    let unwanted = |word: &OsStr| {
        word == WORKER
            || word == KEEPER
            || word.as_bytes().starts_with(LEFT.as_bytes())
            || (word == ONCE && !first)
    };
    let mut words: Vec<OsString> = own.filter(|word| !unwanted(word)).collect();
    words.push(OsString::from(half));
    (name, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(own: &[&str], half: &str, first: bool) -> Vec<String> {
        let (name, words) = words(own.iter().map(OsString::from), half, first);
        std::iter::once(name)
            .chain(words)
            .map(|word| word.into_string().unwrap())
            .collect()
    }

    #[test]
    fn the_other_half_is_told_what_this_one_was_but_to_begin_afresh_only_once() {
        let own = ["drover", "serve", "--session", "x", "--fresh"];
        assert_eq!(
            spelled(&own, WORKER, true),
            ["drover", "serve", "--session", "x", "--fresh", "--worker"]
        );
        let worker = ["drover", "serve", "--fresh", "--session", "x", "--worker"];
        assert_eq!(
            spelled(&worker, KEEPER, false),
            ["drover", "serve", "--session", "x", "--keeper"]
        );
        assert_eq!(
            spelled(
                &["herdr", "server", "--keeper", "--left=7,96"],
                WORKER,
                false
            ),
            ["herdr", "server", "--worker"]
        );
    }
}
