//! Who works in a pane and how it stands with them, as plain data.
//!
//! One [`PaneAgent`] per pane takes reports, what is seen of the foreground process, and the
//! clock, and decides what herdr's records show. Every mutation answers with [`Effects`]: what to
//! announce, in the order of herdr 0.9.3. Nothing here does I/O or reads a clock; the room above
//! looks at processes, knows where panes are, and sends the events.
//!
//! Where no report speaks, the state is read off the screen of the agent that runs in the
//! foreground: [`rules`] judges one picture, `sight` what pictures mean over time.

mod blocked;
mod detect;
mod effect;
mod error;
mod integration;
mod kind;
mod launch;
mod marks;
mod metadata;
mod name;
mod pane_agent;
mod presentation;
mod process;
mod program;
mod report;
mod resume;
mod resuming;
pub mod rules;
mod session;
mod sight;
mod speaker;
mod status;
mod text;
mod tokens;
mod view;
mod workspace_tokens;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use blocked::BlockedKind;
pub use detect::{ForegroundProcess, detect};
pub use effect::{Effect, Effects, Outcome};
pub use error::{AgentError, MetadataHolder};
pub use kind::Kind;
pub use metadata::MetadataReport;
pub use name::AgentName;
pub use pane_agent::{Context, PaneAgent, View};
pub use presentation::Presentation;
pub use process::Foreground;
pub use report::{Clear, Heartbeat, Release, Report, SessionReport};
pub use resuming::ResumePlan;
pub use session::{SessionKind, SessionReference};
pub use speaker::{Ancestor, Speaker, is_shell, speaker};
pub use status::{AgentState, Status};
pub use tokens::MetadataLimits;
pub use view::{AgentView, Current, Facts, InvalidView};
pub use workspace_tokens::{WorkspaceMetadata, WorkspaceTokens};
