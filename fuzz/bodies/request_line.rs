//! The request line: what arrives on a socket becomes a request, or an answer that says why not.

use drover::api::envelope::{self, Request};
use serde_json::Value;

/// # Panics
/// A refusal cannot be sent as one line of JSON, or is not one of the two codes there are for lines.
pub fn run(bytes: &[u8]) {
    let error = match envelope::decode(bytes) {
        Ok(request) => match check_params(&request) {
            None => return,
            Some(error) => (request.id.clone().into_owned(), error),
        },
        Err(refused) => (refused.id, refused.error),
    };
    let (id, error) = error;
    let line = envelope::error_line(&id, &error);
    assert_eq!(line.matches('\n').count(), 1, "one line: {line:?}");
    assert!(line.ends_with('\n'), "{line:?}");
    let answer: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(answer["id"], id.as_str());
    let code = answer["error"]["code"].as_str().expect("a code");
    assert!(
        matches!(code, "invalid_request" | "unknown_method"),
        "{line}"
    );
}

/// Reads the parameters as the method's own; none if they are.
pub fn check_params(request: &Request<'_>) -> Option<drover::api::ApiError> {
    (request.method.check_params)(request).err()
}
