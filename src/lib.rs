//! drover: one executable that keeps coding agents in panes and answers as herdr.
//!
//! The modules are floors. A module may use the ones below it, never above:
//!
//! ```text
//! herdr  applet            command lines: one file a command group
//! client  command          one request, an event stream; a command line as data
//! ------------------------ client side above, daemon side below: they meet only in api
//! daemon                   sockets, connections, limits, the clock thread
//! method                   what each method does, one file a family
//! state                    the world behind its one lock; events; deadlines
//! authority                where a caller is, grants, the decision, the access log: pure
//! integration              hooks in the agents' own settings
//! manifests                where the rules that read agents' screens come from
//! plugin                   programs of somebody else that the person let in
//! notify                   who is told of what, and how it reaches them
//! agent  pane              who works in a pane; the PTY and the terminal of a pane
//! turn                     executions, the journal of their turns, questions: pure but for one file
//! world                    workspaces, tabs, panes, layout, focus: pure data
//! api                      the wire: requests, replies, records, events, errors: pure types
//! sys                      what differs between operating systems; the only unsafe code
//! config paths log timeline printable replace
//!                          small and shared
//! ```
//!
//! `ARCHITECTURE.md` tells the journey of one report through them.

pub mod agent;
pub mod api;
pub mod applet;
pub mod authority;
pub mod client;
pub mod command;
pub mod config;
pub mod daemon;
pub mod herdr;
pub mod integration;
pub mod keeper;
pub mod log;
pub mod manifests;
pub mod method;
pub mod notify;
pub mod pane;
pub mod paths;
pub mod plugin;
pub mod printable;
pub mod replace;
pub mod state;
pub mod store;
pub mod sync;
pub mod sys;
pub mod timeline;
pub mod turn;
pub mod worktree;
pub mod world;
