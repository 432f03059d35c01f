//! One request to the daemon, or a stream of its events.

mod call;
mod exchange;
mod stop;
mod stream;

pub use call::{CallError, call, call_unguarded};
pub use exchange::{MAX_ANSWER_BYTES, Patience, answers, gone};
pub use stop::{StopError, stop};
pub use stream::EventStream;
