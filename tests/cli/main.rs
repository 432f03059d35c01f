//! The command lines, from outside: the built executable is run by both of its names against a socket that records what
//! it is sent and answers what it is told to.

mod applets;
mod config;
mod daemon;
mod detection;
mod failures;
mod help;
mod integration;
mod own_texts;
mod requests;
mod sessions;
mod status;
mod support;
mod usage;
