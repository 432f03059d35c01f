//! The daemon, from outside: the built executable serves in directories of its own and is talked to over its socket,
//! as agents and other people's tools do.

#[path = "../common/mod.rs"]
mod common;

mod absent;
mod acting;
mod agents;
mod arrange;
mod attach;
mod authority;
mod commands;
mod copying;
mod coverage;
mod day;
mod detection;
mod doctor;
mod environment;
mod events;
mod history;
mod inside;
mod integration;
mod keeper;
mod kills;
mod layout;
mod leaving;
mod lifecycle;
mod limits;
mod logging;
mod machines;
mod manifests;
mod notifying;
mod output;
mod plugins;
mod processes;
mod reports;
mod restarts;
mod ruin;
mod saving;
mod service;
mod ssh_agents;
mod strangers;
mod terminal;
mod tmux;
mod top;
mod transport;
mod traps;
mod turns;
mod typing;
mod views;
mod worktrees;
mod world;
