//! One connection: one line in, one answer out, close.

use std::io;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::api::ApiError;
use crate::api::envelope;
use crate::method::{Call, Door, dispatch, write_all};
use crate::state::{Caller, Shared, Slot};

use super::line::{Line, LineLimits, read_line};

/// Time for the client to take its answer, in all (herdr 0.9.3).
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// Serves one connection to the socket of a door.
pub fn serve(shared: &Shared, stream: &UnixStream, slot: &Slot, caller: &Caller, door: &Door) {
    let limits = LineLimits::from(&shared.config().limits);
    let line = read_line(stream, limits);
    // Counted from here on, so that a stop waits for answers but not for silent clients.
    let _answering = shared.stop.answering();
    let answer = match line {
        Line::Whole(line) => answer(shared, stream, slot, caller, door, &line),
        Line::Nothing => None,
        Line::TooLong(id) => Some(too_long(&id, limits)),
        Line::TooLate(id) => Some(too_late(&id, limits)),
    };
    if let Some(answer) = answer {
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
    door: &Door,
    line: &str,
) -> Option<String> {
    let request = match envelope::decode_as(line.as_bytes(), door.vocabulary) {
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
    catch_unwind(AssertUnwindSafe(|| dispatch(&call, &request, door))).unwrap_or_else(|_| {
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

fn too_long(id: &str, limits: LineLimits) -> String {
    let message = format!(
        "a request line takes at most {} bytes ([limits] request_bytes); send less at once",
        limits.bytes
    );
    envelope::error_line(id, &ApiError::new("request_too_large", message))
}

fn too_late(id: &str, limits: LineLimits) -> String {
    let message = format!(
        "the request line did not end within {} ms ([limits] request_ms); send it whole, with a newline",
        limits.time.as_millis()
    );
    envelope::error_line(id, &ApiError::new("request_timeout", message))
}

/// Writes an answer. A client that has gone is no fault.
fn write_answer(stream: &UnixStream, answer: &str) {
    match write_all(stream, answer.as_bytes(), ANSWER_TIME) {
        Ok(()) => {}
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe) => {}
        Err(error) => log::debug!("an answer was not taken: {error}"),
    }
}
