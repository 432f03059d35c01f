//! Git worktrees, by the real git: the repository that a directory is in, its checkouts, new ones and
//! removed ones.
//!
//! Everything here runs programs and reads files, for seconds if the repository is large: never call
//! it under a lock. Repositories and their settings are foreign: looking at one runs nothing that it
//! brings along.

mod checkouts;
mod git;
mod name;
mod operations;
mod repository;

pub use checkouts::{Checkout, RemoveError, add, list, remove};
pub use git::{GitError, run_in};
pub use name::{generated_branch, slug};
pub use operations::Operations;
pub use repository::{InspectError, Repository, contains, inspect};
