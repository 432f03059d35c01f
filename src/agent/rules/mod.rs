//! What an agent does, read off its screen: rules in herdr's manifest format, and their evaluation.
//!
//! A [`Manifest`] is checked once and then only matched. [`evaluate`] gives a [`Verdict`] on a
//! [`Snapshot`]; [`explain`] says the same with the evidence of every rule. Nothing here does I/O or
//! knows a clock: where manifests lie is `crate::manifests`' business, and what a verdict means for
//! a pane is decided in [`super::sight`].

mod bundled;
mod evaluate;
mod explain;
mod gate;
mod manifest;
mod region;
mod snapshot;
mod version;

pub use bundled::bundled;
pub use evaluate::{Fallback, Verdict, evaluate};
pub use explain::{Explanation, explain};
pub use manifest::{ENGINE_VERSION, Manifest, ManifestError};
pub use snapshot::Snapshot;
pub use version::Version;

#[cfg(test)]
mod tests;
