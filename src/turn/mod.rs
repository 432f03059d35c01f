//! What xcsh does in the executions that a manager starts: a journal of its turns, what is asked of them, and the
//! questions they ask. Pure: time is passed in, and what is to be stored is given back as rows.
//!
//! There are three ledgers, and none is derived from another: [`execution`] keeps facts about processes, [`journal`]
//! keeps what producers say of their turns, [`interaction`] keeps questions and the receipts of their answers.
//! [`Ledger`] holds the first two, because a report is checked against the one and written into the other.
//! `docs/turn-journal.md` has the contract.

mod action;
mod capability;
mod digest;
mod execution;
pub mod interaction;
mod journal;
mod launch;
mod ledger;
mod report;
mod rows;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use action::SAFE_POINT_MS;
pub use capability::{Capability, Proof, Verifier};
pub use digest::hex_sha256;
pub use execution::{Admitted, End, Execution, New, Spec};
pub use journal::{Event, Head, Key};
pub use launch::{Launch, Measured, prepare, shown};
pub use ledger::{Ledger, Reported, Saved, Sought};
pub use report::Report;
pub use rows::Rows;

/// The greatest number that JavaScript counts to: generations are whole numbers for xcsh too.
pub const GREATEST_GENERATION: u64 = (1 << 53) - 1;
