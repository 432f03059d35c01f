//! A pane: its PTY, its I/O thread, its terminal screen.

mod answer;
mod cold;
mod dispatch;
mod engine;
pub mod keys;
pub mod modes;
mod osc;
mod pack;
mod palette;
pub mod paste;
mod pen;
mod render;
pub mod screen;
mod sgr;
mod side;
mod stream;
mod utf8;
mod width;
