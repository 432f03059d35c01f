//! Requests to the control socket, as drover's own commands make them.

use serde_json::Value;

use crate::api::Method;
use crate::client::{self, CallError, Patience};
use crate::command::{Caller, Failure, printable};

/// The result of a request that is answered at once.
pub(super) fn ask<M: Method>(
    caller: &Caller,
    id: &str,
    params: &M::Params,
) -> Result<Value, Failure> {
    request::<M>(caller, id, params, Patience::ORDINARY)?.map_err(|error| failure(&error, caller))
}

/// The result, or why there is none, of a request that may take its time.
pub(super) fn request<M: Method>(
    caller: &Caller,
    id: &str,
    params: &M::Params,
    patience: Patience,
) -> Result<Result<Value, CallError>, Failure> {
    let socket = caller.session_paths()?.control_socket;
    Ok(client::call::<M>(&socket, id, params, patience).map(|mut answer| answer["result"].take()))
}

pub(super) fn failure(error: &CallError, caller: &Caller) -> Failure {
    let hint = match (error, &caller.session) {
        (CallError::NotRunning { .. }, Some(session)) => {
            format!("\nstart it with `drover up --session {session}`")
        }
        (CallError::NotRunning { .. }, None) => "\nstart it with `drover up`".to_owned(),
        _ => String::new(),
    };
    Failure::Failed(format!("error: {error}{hint}"))
}

/// A text without anything that could break a line, drive a terminal or look like another; empty for what is no text.
pub(super) fn text(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    // A control character parts words, so that what it stood between does not become one.
    let spaced: String = text
        .chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    printable::line(&spaced)
}
