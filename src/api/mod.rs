//! The wire: what goes over the socket, in both directions, as plain types.
//!
//! Everything follows herdr 0.9.3, protocol 22: names, required members, defaults and the order of
//! the methods. One request is one line of JSON, one answer is one line, and events are lines too:
//!
//! - [`method`] lists the methods, each with the type of its parameters ([`params`]);
//! - [`envelope`] turns a line into a request and an answer into a line;
//! - [`results`] and [`records`] are what answers carry, [`error`] what refusals carry;
//! - [`events`] and [`subscription`] are what subscribers get;
//! - [`control`] is what drover's own control socket answers;
//! - [`schema`] describes all of it as a JSON Schema document made from the types.
//!
//! Nothing here does anything: no socket, no clock, no state. Both sides of the socket use it.

pub mod control;
pub mod envelope;
pub mod error;
pub mod events;
pub mod method;
pub mod params;
pub mod records;
pub mod results;
pub mod schema;
pub mod subscription;
pub mod terminal_stream;
pub mod text;
pub mod tokens;

mod omit;
mod wire_enum;

pub use error::ApiError;
pub use events::{EventData, EventEnvelope, EventKind};
pub use method::Method;
pub use results::ResponseResult;

/// What `ping`, `session.snapshot` and `herdr --version` say. Clients compare the part before the
/// plus sign; the rest tells a person which program answers.
pub const VERSION: &str = "0.9.3+drover";

/// Version of the protocol. Clients refuse a server whose number they do not know.
pub const PROTOCOL: u32 = 22;

#[cfg(test)]
mod tests;
