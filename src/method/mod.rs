//! What each method does: one file a family, and the one table that dispatches them.
//!
//! A method gets decoded parameters and a [`Call`], and answers with a result or a refusal. Most
//! answer at once; a few wait or stream in their connection's thread.

mod admission;
mod agent;
mod arrange;
mod events;
mod find;
mod input;
mod label;
mod layout;
mod manifests;
mod notification;
mod output;
mod pane;
mod prompt;
mod rate;
mod relocate;
mod report;
mod server;
mod shell_words;
mod start;
mod tab;
mod table;
mod wait;
mod workspace;

use std::os::unix::net::UnixStream;

use crate::api::envelope::{self, Request};
use crate::api::{ApiError, Method, ResponseResult};
use crate::state::{Caller, Shared, Slot};

pub use table::{ENTRIES, Entry};
pub use wait::write_all;

/// One request, besides its parameters.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub shared: &'a Shared,
    /// Repeated in the answer.
    pub id: &'a str,
    /// The connection, for methods that wait or stream.
    pub client: &'a UnixStream,
    pub slot: &'a Slot,
    /// The process that asks, as of the accept.
    pub caller: &'a Caller,
    /// The method's name.
    pub method: &'static str,
}

/// How a request ends other than with its result.
#[derive(Debug)]
pub enum Ended {
    /// It is refused.
    Refused(ApiError),
    /// There is nothing to write: the client is gone, or a stream is over.
    Silent,
}

impl From<ApiError> for Ended {
    fn from(error: ApiError) -> Ended {
        Ended::Refused(error)
    }
}

/// Runs a request. The line to answer with, if there is one.
pub fn dispatch(call: &Call<'_>, request: &Request<'_>) -> Option<String> {
    let outcome = if call.shared.stop.requested() {
        Err(ApiError::new("server_unavailable", "server is shutting down").into())
    } else {
        admission::run(call, request, &ENTRIES[request.method.index])
    };
    match outcome {
        Ok(line) => Some(line),
        Err(Ended::Refused(error)) => Some(envelope::error_line(call.id, &error)),
        Err(Ended::Silent) => None,
    }
}

/// Decodes the parameters of method `M`, runs its handler and writes the answer.
fn respond<M: Method, E: Into<Ended>>(
    call: &Call<'_>,
    request: &Request<'_>,
    handler: fn(&Call<'_>, M::Params) -> Result<ResponseResult, E>,
) -> Result<String, Ended> {
    let result = handler(call, request.decode_params()?).map_err(Into::into)?;
    Ok(envelope::success_line(call.id, &result))
}
