//! Accepting: one thread per socket, one thread per connection, and a bounded lane for refusals.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::state::{Full, Shared};
use crate::sys;

use super::connection::{self, Run};

/// Stack of a connection's thread, in bytes. The deepest work is decoding JSON, which nests at
/// most 128 levels.
const STACK: usize = 256 * 1024;

/// Threads that tell clients that there is no room. Beyond that a connection is just closed.
const REFUSALS: usize = 32;

/// Pause after an accept that failed for want of descriptors: they come back when connections end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Starts the thread that accepts connections of `listener` and runs their requests with `run`.
///
/// # Errors
/// No thread could be started.
pub fn start(name: &str, listener: UnixListener, shared: Arc<Shared>, run: Run) -> io::Result<()> {
    // It ends with the process: nothing else can wake it from its accept for sure.
    thread::Builder::new()
        .name(format!("accept {name}"))
        .stack_size(STACK)
        .spawn(move || accept(&listener, &shared, run))
        .map(drop)
}

fn accept(listener: &UnixListener, shared: &Arc<Shared>, run: Run) {
    let refusing = Arc::new(AtomicUsize::new(0));
    let user = nix::unistd::geteuid().as_raw();
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                log::warn!("accepting a connection: {error}; trying again");
                thread::sleep(ACCEPT_PAUSE);
                continue;
            }
        };
        let process = match sys::peer(&stream) {
            Ok(peer) if peer.uid == user => peer.pid,
            Ok(peer) => {
                log::warn!("a connection of user {} was refused", peer.uid);
                continue;
            }
            // On some systems a client that is gone already cannot be asked about.
            Err(error) => {
                log::debug!("a connection without credentials was dropped: {error}");
                continue;
            }
        };
        match shared.slots.connection(process) {
            Ok(slot) => {
                let shared = shared.clone();
                let spawned = spawn("connection", move || {
                    connection::serve(&shared, &stream, &slot, run);
                    // Before the client sees the end: it may open its next connection on that.
                    drop(slot);
                });
                if let Err(error) = spawned {
                    log::warn!("a connection was dropped, no thread for it: {error}");
                }
            }
            Err(full) => refuse(stream, full, &refusing),
        }
    }
}

fn refuse(stream: UnixStream, full: Full, refusing: &Arc<AtomicUsize>) {
    if refusing.fetch_add(1, Ordering::Relaxed) >= REFUSALS {
        refusing.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let counted = Refusing(refusing.clone());
    let spawned = spawn("refusal", move || {
        let _counted = counted;
        connection::refuse(&stream, full);
    });
    if let Err(error) = spawned {
        log::debug!("a connection was closed unanswered, no thread for it: {error}");
    }
}

/// One thread of the lane; gives its place back however it ends, also when it never began.
struct Refusing(Arc<AtomicUsize>);

impl Drop for Refusing {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(move || {
            // A panic was logged by the hook; it ends this connection and nothing else.
            let _ = catch_unwind(AssertUnwindSafe(work));
        })
        .map(drop)
}
