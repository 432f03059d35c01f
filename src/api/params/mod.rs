//! What requests carry: one struct for each method's parameters, grouped by family.
//!
//! Unknown members are ignored. An optional member may be absent or null; this side leaves it out when
//! it has nothing to say. Members with a default are always written, so that a request in a log shows
//! what was asked.

mod agent;
mod agent_view;
mod client;
mod events;
mod execution;
mod integration;
mod interaction;
mod layout;
mod pane;
mod plugin;
mod report;
mod server;
mod tab;
mod terminal;
mod turn;
mod workspace;
mod worktree;

pub use agent::*;
pub use agent_view::*;
pub use client::*;
pub use events::*;
pub use execution::*;
pub use integration::*;
pub use interaction::*;
pub use layout::*;
pub use pane::*;
pub use plugin::*;
pub use report::*;
pub use server::*;
pub use tab::*;
pub use terminal::*;
pub use turn::*;
pub use workspace::*;
pub use worktree::*;
