//! What most commands do: one request, and its answer as it comes.

use serde_json::Value;

use crate::api::{ApiError, Method, envelope};
use crate::client::{self, CallError, Patience};
use crate::command::{Answer, Caller, Failure, Outcome};
use crate::paths::{Chosen, Session};

/// The id of requests whose answer is not printed (herdr 0.9.3).
const SILENT_ID: &str = "cli:request";

/// Makes a request and prints the whole answer.
pub(super) fn print<M: Method>(caller: &Caller, id: &str, params: &M::Params) -> Outcome {
    answer::<M>(caller, id, params, Patience::ORDINARY).map(Answer::Json)
}

/// Makes a request that waits for something to happen, and prints the whole answer.
pub(super) fn wait<M: Method>(caller: &Caller, id: &str, params: &M::Params) -> Outcome {
    answer::<M>(caller, id, params, Patience::Endless).map(Answer::Json)
}

/// Makes a request and prints the text that was read, byte for byte.
pub(super) fn print_text<M: Method>(caller: &Caller, id: &str, params: &M::Params) -> Outcome {
    let answer = answer::<M>(caller, id, params, Patience::ORDINARY)?;
    match answer["result"]["read"]["text"].as_str() {
        Some(text) => Ok(Answer::Text(text.to_owned())),
        None => Err(Failure::Failed(
            "error: the server's answer has no text".to_owned(),
        )),
    }
}

/// Makes a request whose answer says nothing but that it was done.
pub(super) fn silent<M: Method>(caller: &Caller, params: &M::Params) -> Outcome {
    answer::<M>(caller, SILENT_ID, params, Patience::ORDINARY).map(|_| Answer::Nothing)
}

/// Hands in a report: as [`silent`], but soon given up, because an agent stands still meanwhile.
pub(super) fn report<M: Method>(caller: &Caller, params: &M::Params) -> Outcome {
    answer::<M>(caller, SILENT_ID, params, Patience::REPORT).map(|_| Answer::Nothing)
}

/// Makes a request and gives its answer.
pub(super) fn answer<M: Method>(
    caller: &Caller,
    id: &str,
    params: &M::Params,
    patience: Patience,
) -> Result<Value, Failure> {
    let chosen = caller.chosen()?;
    client::call::<M>(&chosen.protocol_socket, id, params, patience)
        .map_err(|error| failure(id, error, &chosen))
}

/// A failed call as herdr reports it: JSON where the daemon or the lack of one is the reason, plain text elsewhere.
pub(super) fn failure(id: &str, error: CallError, chosen: &Chosen) -> Failure {
    let refused = |code: &'static str, message: String| {
        let line = envelope::error_line(id, &ApiError::new(code, message));
        Failure::Refused(line)
    };
    match error {
        CallError::Refused(answer) => Failure::Refused(answer.to_string()),
        CallError::NotRunning { socket, .. } => {
            let start = start_command(chosen);
            let path = socket.display();
            refused(
                "server_not_running",
                format!("no server is running at {path}; start one with `{start}`"),
            )
        }
        CallError::ProtocolMismatch { client, server } if server < u64::from(client) => refused(
            "protocol_mismatch",
            format!(
                "this program speaks protocol {client}, the running server the older protocol {server}\n\
                 the server has to be replaced by the new version, which ends the programs in its panes\n\
                 stop it with `{}`\n\
                 then start the new one with `{}`",
                stop_command(chosen),
                start_command(chosen),
            ),
        ),
        CallError::ProtocolMismatch { client, server } => refused(
            "protocol_mismatch",
            format!(
                "this program speaks protocol {client}, the running server the newer protocol {server}; \
                 this program has to be upgraded"
            ),
        ),
        other => Failure::Failed(format!("error: {other}")),
    }
}

fn start_command(chosen: &Chosen) -> String {
    match &chosen.session {
        Some(Session::Default) => "drover up".to_owned(),
        Some(Session::Named(name)) => format!("drover up --session {}", name.as_str()),
        None => format!(
            "HERDR_SOCKET_PATH={} herdr server",
            chosen.protocol_socket.display()
        ),
    }
}

fn stop_command(chosen: &Chosen) -> String {
    match &chosen.session {
        Some(Session::Default) => "herdr server stop".to_owned(),
        Some(Session::Named(name)) => format!("herdr session stop {}", name.as_str()),
        None => format!(
            "HERDR_SOCKET_PATH={} herdr server stop",
            chosen.protocol_socket.display()
        ),
    }
}
