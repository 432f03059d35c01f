//! The table of everything that there is: each method and each command, with a test of its effect and its main error.
//!
//! A new method or command fails here until it has a row in `coverage/methods` or `coverage/commands.rs`. Its effect is a
//! test by name, which has to exist and to use it; its error is in the row itself, and a daemon is asked for it.

mod commands;
mod methods;
mod sources;

use drover::method::ENTRIES;
use serde_json::json;

use super::common::Daemon;

/// Methods that are refused as `unsupported`. Whoever makes one work moves its line to a row of the table.
const UNSUPPORTED: &[&str] = &[];

#[test]
fn what_is_not_offered_yet_says_so() {
    let daemon = Daemon::start();
    for name in UNSUPPORTED {
        assert!(
            ENTRIES.iter().any(|entry| entry.name == *name),
            "{name} is no method"
        );
        let (code, message) = daemon.refusal(name, json!({}));
        // Parameters are checked all the same, and some methods need some.
        let missing = code == "invalid_request" && message.contains("missing field");
        assert!(
            missing || code == "unsupported",
            "{name}: {code}: {message}"
        );
    }
}
