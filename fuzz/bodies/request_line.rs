//! The request line: what arrives on a socket becomes a request, or an answer that says why not.

use drover::api::envelope::{self, IdScan, Request};
use serde_json::Value;

/// An `id` of fewer bytes than this is found without decoding the line.
const ID_BYTES: usize = 8 * 1024;

/// # Panics
/// A refusal cannot be sent as one line of JSON, or is not one of the two codes there are for lines.
pub fn run(bytes: &[u8]) {
    let mut scan = IdScan::default();
    bytes.chunks(7).for_each(|piece| scan.look_at(piece));
    let scanned = scan.id();
    let error = match envelope::decode(bytes) {
        Ok(request) => {
            // Whoever is refused before its line is decoded is told so with the same `id`.
            assert!(request.id == scanned || request.id.len() > ID_BYTES);
            match check_params(&request) {
                None => return,
                Some(error) => (request.id.clone().into_owned(), error),
            }
        }
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
