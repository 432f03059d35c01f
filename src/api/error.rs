//! The one form a refusal has on the wire: a code for programs and a message for people.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a request was refused (herdr 0.9.3, `error` of an answer).
///
/// Codes are part of the protocol and never change; messages are for people, except where herdr's
/// tests and tools look into them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ErrorBody")]
pub struct ApiError {
    pub code: Cow<'static, str>,
    pub message: String,
}

impl ApiError {
    /// A refusal with this code and message.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> ApiError {
        ApiError {
            code: code.into(),
            message: message.into(),
        }
    }

    /// A request that could not be decoded, or whose parameters contradict each other.
    pub fn invalid_request(message: impl Into<String>) -> ApiError {
        ApiError::new("invalid_request", message)
    }

    /// A fault of the server's own, never of the request.
    pub fn internal(message: impl Into<String>) -> ApiError {
        ApiError::new("internal_error", message)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ApiError {}
