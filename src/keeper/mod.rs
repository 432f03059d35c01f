//! The keeper: the process that panes belong to, so that they outlive the one that does everything else.
//!
//! `drover serve` is two processes of the same executable. The keeper holds the session's lock, the listening sockets
//! and, for each pane, its pseudo-terminal and its process; it starts processes, collects them, and starts the
//! **worker**, which is the daemon as everybody knows it. Each holds what the other needs to go on alone: the worker
//! has duplicates of every descriptor, so either can be killed and is started again by the other.
//!
//! They talk over a pair of sockets: [`frame`] carries messages and descriptors, [`message`] says which there are,
//! [`client`] is the worker's end, [`kept`] what the keeper knows of panes, [`start`] how one process starts the
//! other, [`restarts`] when, [`estate`] what one keeper leaves to the next in the same process. The keeper's loop is in `daemon::keep`, beside the files that it guards.
//!
//! The keeper reads nothing that comes from outside: no client, no terminal, no file.

pub mod client;
pub mod estate;
pub mod frame;
pub mod kept;
pub mod message;
pub mod restarts;
pub mod start;
