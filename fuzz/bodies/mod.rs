//! What each fuzz target does with hostile bytes. libFuzzer calls these (`fuzz/fuzz_targets`), and so do the ordinary
//! tests with bytes from a seed (`tests/hostile`), so that a broken promise is found by both.
//!
//! A body panics when a promise is broken, and is silent otherwise.

// Each target and the tests include the whole tree and use a part of it.
#![allow(dead_code)]

pub mod configuration;
pub mod control;
pub mod entropy;
pub mod house;
pub mod keys;
pub mod manifest;
pub mod method;
pub mod parameters;
pub mod replies;
pub mod request_line;
pub mod terminal;
