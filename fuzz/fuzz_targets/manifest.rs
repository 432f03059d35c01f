//! Hands libFuzzer's bytes to the body of `manifest`.
#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::manifest::run(bytes));
