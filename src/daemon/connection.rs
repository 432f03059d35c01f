//! One connection: one line in, one answer out, close.

use std::io;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::api::ApiError;
use crate::api::envelope::{self, Request};
use crate::method::{Call, dispatch, write_all};
use crate::state::{Caller, Full, Shared, Slot};

use super::line::{LINE_TIME, read_line};

/// Time for the client to take its answer, in all (herdr 0.9.3).
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// Time for the line of a client that is refused: long enough for any client that is alive.
const REFUSED_LINE_TIME: Duration = Duration::from_secs(1);

/// How the requests of a socket are run.
pub type Run = fn(&Call<'_>, &Request<'_>) -> Option<String>;

/// Serves one connection to the protocol socket, or to another that runs its requests with `run`.
pub fn serve(shared: &Shared, stream: &UnixStream, slot: &Slot, caller: &Caller, run: Run) {
    let Some(line) = read_line(stream, LINE_TIME) else {
        return;
    };
    // Counted from here on, so that a stop waits for answers but not for silent clients.
    let _answering = shared.stop.answering();
    if let Some(answer) = answer(shared, stream, slot, caller, run, &line) {
        // What the answer tells of is kept before anybody is told.
        shared.commit();
        write_answer(stream, &answer);
    }
}

fn answer(
    shared: &Shared,
    stream: &UnixStream,
    slot: &Slot,
    caller: &Caller,
    run: Run,
    line: &str,
) -> Option<String> {
    let request = match envelope::decode(line.as_bytes()) {
        Ok(request) => request,
        Err(refused) => return Some(envelope::error_line(&refused.id, &refused.error)),
    };
    let call = Call {
        shared,
        id: &request.id,
        client: stream,
        slot,
        caller,
        method: request.method.name,
    };
    // What a request changes, it changes in one step under the world's lock, so a panic leaves
    // nothing half done behind.
    catch_unwind(AssertUnwindSafe(|| run(&call, &request))).unwrap_or_else(|_| {
        log::error!(
            "{} failed; the fault is drover's own, see above",
            request.method.name
        );
        let message = format!("{} failed; the daemon's log says more", request.method.name);
        Some(envelope::error_line(
            &request.id,
            &ApiError::internal(message),
        ))
    })
}

/// Tells a client that it has too many connections. Its line is read first: closing on a client
/// that still writes would break its pipe before it sees the answer.
pub fn refuse(stream: &UnixStream, full: Full) {
    let Some(line) = read_line(stream, REFUSED_LINE_TIME) else {
        return;
    };
    let id = match envelope::decode(line.as_bytes()) {
        Ok(request) => request.id.into_owned(),
        Err(refused) => refused.id,
    };
    let message = match full {
        Full::Process(limit) => format!(
            "this process holds {limit} connections already, as many as one may; \
             close some and try again"
        ),
        Full::Daemon(limit) => {
            format!("the daemon serves {limit} connections already; try again in a moment")
        }
    };
    write_answer(
        stream,
        &envelope::error_line(&id, &ApiError::new("rate_limited", message)),
    );
}

/// Writes an answer. A client that has gone is no fault.
fn write_answer(stream: &UnixStream, answer: &str) {
    match write_all(stream, answer.as_bytes(), ANSWER_TIME) {
        Ok(()) => {}
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe) => {}
        Err(error) => log::debug!("an answer was not taken: {error}"),
    }
}

/// Runs a request of the protocol socket.
pub fn protocol(call: &Call<'_>, request: &Request<'_>) -> Option<String> {
    dispatch(call, request)
}
