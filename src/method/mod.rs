//! What each method does: one file a family, and the one table that dispatches them.
//!
//! A method gets decoded parameters and a [`Call`], and answers with a result or a refusal. Most
//! answer at once; a few wait or stream in their connection's thread.

mod absent;
mod access_log;
mod admission;
mod agent;
mod agent_view;
mod agents_watch;
mod arrange;
mod control;
mod copy;
mod events;
mod execution;
mod find;
mod grants;
mod history;
mod input;
mod integration;
mod interaction;
mod label;
mod layout;
mod link;
mod manifests;
mod notification;
mod output;
mod pages;
mod pane;
mod past;
mod plugin;
mod plugin_pane;
mod prompt;
mod rate;
mod relocate;
mod report;
mod server;
mod shell_words;
mod ssh_agent;
mod start;
mod tab;
mod table;
mod terminal;
mod turn;
mod turns_list;
mod viewport;
mod wait;
mod window_title;
mod workspace;
mod worktree;

use std::os::unix::net::UnixStream;

use serde::Serialize;

use crate::api::envelope::{self, Request};
use crate::api::method::Vocabulary;
use crate::api::{ApiError, Method, control as wire, method};
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

/// A socket's methods: how they are written, and what runs them.
#[derive(Debug)]
pub struct Door {
    pub vocabulary: &'static Vocabulary,
    /// At each method's [`Method::INDEX`].
    pub entries: &'static [Entry],
}

/// The protocol socket: herdr's methods.
pub static PROTOCOL: Door = Door {
    vocabulary: &method::VOCABULARY,
    entries: &ENTRIES,
};

/// The control socket: drover's own requests, for the person.
pub static CONTROL: Door = Door {
    vocabulary: &wire::VOCABULARY,
    entries: &control::ENTRIES,
};

/// Runs a request that came through a door. The line to answer with, if there is one.
pub fn dispatch(call: &Call<'_>, request: &Request<'_>, door: &Door) -> Option<String> {
    let outcome = if call.shared.stop.requested() {
        Err(ApiError::new("server_unavailable", "server is shutting down").into())
    } else {
        admission::run(call, request, &door.entries[request.method.index])
    };
    match outcome {
        Ok(line) => Some(line),
        Err(Ended::Refused(error)) => Some(envelope::error_line(call.id, &error)),
        Err(Ended::Silent) => None,
    }
}

/// Decodes the parameters of method `M`, runs its handler and writes the answer.
fn respond<M: Method, R: Serialize, E: Into<Ended>>(
    call: &Call<'_>,
    request: &Request<'_>,
    handler: fn(&Call<'_>, M::Params) -> Result<R, E>,
) -> Result<String, Ended> {
    let result = handler(call, request.decode_params()?).map_err(Into::into)?;
    Ok(envelope::success_line(call.id, &result))
}
