//! The bodies of the fuzz targets with bytes from a seed: a short run of what `cargo fuzz` does for long.

#[path = "../../fuzz/bodies/mod.rs"]
mod bodies;

mod answers;
mod seeded;
