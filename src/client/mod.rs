//! One request to the daemon, or a stream of its events.

mod exchange;

pub use exchange::{MAX_ANSWER_BYTES, Patience, answers};
