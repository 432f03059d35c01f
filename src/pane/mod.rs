//! A pane: its PTY, its I/O thread, its terminal screen.

mod directories;
pub mod environment;
mod foreground;
mod handle;
mod input;
mod io;
pub mod process;
mod screen_lock;
mod standin;
mod watch;

pub use directories::Directories;
pub use environment::Environment;
pub use foreground::{ForegroundJob, ForegroundProcess};
pub use handle::{Pane, PaneEvents, ProcessInfo, StartingPane};
pub use input::{InputCheck, SendError};
pub use process::{Launch, Program, ShellMode};
pub use screen_lock::ScreenGuard;
pub use standin::{Note, Screen, ScrollMetrics, Size};
pub use watch::WatchGuard;

#[cfg(test)]
mod tests;
