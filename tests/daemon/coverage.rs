//! The table of everything that there is: each method and each command, with a test of its effect and its main error.
//!
//! A new method or command fails here until it has a row in `coverage/methods` or `coverage/commands.rs`. Its effect is a
//! test by name, which has to exist and to use it; its error is in the row itself, and a daemon is asked for it.

mod commands;
mod methods;
mod sources;
