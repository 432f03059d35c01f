//! Hands libFuzzer's bytes to the body of `request_line`.
#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::request_line::run(bytes));
