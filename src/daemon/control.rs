//! The control socket: the person's own door. It speaks the same lines as the protocol socket,
//! with a set of requests of its own.

use crate::api::envelope::{self, Request};
use crate::api::method::Ping;
use crate::api::{ApiError, Method};
use crate::method::{Call, dispatch};

/// Runs a request of the control socket.
pub fn run(call: &Call<'_>, request: &Request<'_>) -> Option<String> {
    if request.method.index == Ping::INDEX {
        return dispatch(call, request);
    }
    let message = format!(
        "{} is not answered here; send it to {}",
        request.method.name,
        call.shared.identity.protocol_socket.display()
    );
    Some(envelope::error_line(
        call.id,
        &ApiError::invalid_request(message),
    ))
}
