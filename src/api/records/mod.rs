//! What answers and events carry: one struct for each object of the wire.
//!
//! Ids are plain strings here; `world` owns their grammar. An optional member that has no value is left
//! out of the line, never sent as null.

mod agent;
mod execution;
mod integration;
mod interaction;
mod layout;
mod outcome;
mod pane;
mod plugin;
mod server;
mod turn;
mod values;
mod workspace;

pub use agent::*;
pub use execution::*;
pub use integration::*;
pub use interaction::*;
pub use layout::*;
pub use outcome::*;
pub use pane::*;
pub use plugin::*;
pub use server::*;
pub use turn::*;
pub use values::*;
pub use workspace::*;
