//! Hands libFuzzer's bytes to the body of `keys`.
#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::keys::run(bytes));
