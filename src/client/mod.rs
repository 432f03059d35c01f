//! One request to the daemon, a stream of its events, or a terminal attached to one of its panes.

mod attach;
mod call;
mod exchange;
mod lending;
mod pending;
pub mod ssh;
mod stop;
mod stream;
mod terminal;
mod whose;

pub use attach::{AttachError, Detached, attach};
pub use call::{CallError, call, call_unguarded};
pub use exchange::{MAX_ANSWER_BYTES, Patience, answers, gone};
pub use lending::Lending;
pub use pending::Pending;
pub use stop::{StopError, stop};
pub use stream::EventStream;
pub use terminal::{CommandSender, TerminalStream};
