//! A pane: its PTY, its I/O thread, its terminal screen.
