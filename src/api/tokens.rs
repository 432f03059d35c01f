//! Limits of metadata tokens that are part of the protocol's published shape.

use serde_json::{Value, json};

/// Tokens that one report may set or delete (herdr 0.9.3, `pane.report_metadata` and
/// `workspace.report_metadata`).
pub const MAX_PER_REPORT: usize = 16;

/// Tokens that a pane or a workspace holds at most.
pub const MAX_HELD: usize = 32;

/// What a token's key looks like, as a regular expression.
pub const NAME_PATTERN: &str = "^[A-Za-z0-9_-]{1,32}$";

/// The schema of a token's key.
pub(super) fn name_schema() -> Value {
    json!({ "pattern": NAME_PATTERN })
}
