//! Plugins: programs of somebody else that the person has let in. What one declares ([`manifest`]),
//! which there are ([`Registry`]), its commands while they run ([`Commands`]), and how one gets onto
//! the machine ([`install`]). Nothing here knows of panes or sessions: the registry is a file of the
//! user's, shared by all sessions, and works without any.

mod commands;
pub mod event;
pub mod id;
pub mod install;
pub mod manifest;
mod output;
mod registry;

pub use commands::{Commands, Job, RUNNING_LIMIT};
pub use registry::{Plugin, Registry};
