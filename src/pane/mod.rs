//! A pane: its PTY, its I/O thread, its terminal screen.

mod answer;
mod area;
mod backlog;
mod checkpoint;
mod cold;
pub mod copy;
mod directories;
mod dispatch;
mod drawn;
mod ending;
mod engine;
pub mod environment;
mod foreground;
mod frame;
mod handle;
mod input;
mod io;
pub mod keys;
mod modes;
mod osc;
mod pack;
mod palette;
pub mod paste;
mod pen;
mod picture;
pub mod process;
mod render;
mod screen;
mod screen_lock;
mod sgr;
mod side;
mod skim;
mod stream;
mod tabs;
mod utf8;
mod watch;
mod width;

pub use area::{Area, AreaError, Rebuilt};
pub use checkpoint::CheckpointError;
pub use directories::Directories;
pub use environment::Environment;
pub use foreground::{ForegroundJob, ForegroundProcess};
pub use frame::{frame, input_modes};
pub use handle::{Pane, PaneEvents, ProcessInfo, StartingPane};
pub use input::{InputCheck, SendError};
pub use modes::{Modes, MouseTracking};
pub use picture::Picture;
pub use process::{Launch, Program, ShellMode, Terminals};
pub use screen::{
    DEFAULT_SCROLLBACK_ROWS, Format, Note, Progress, PromptMark, ReadOutput, ReadRequest, Said,
    Screen, ScrollMetrics, Size, Source,
};
pub use screen_lock::ScreenGuard;
pub use watch::WatchGuard;

#[cfg(test)]
mod tests;
