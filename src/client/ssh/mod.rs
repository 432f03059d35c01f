//! A daemon on another machine, through OpenSSH: its sockets are forwarded to sockets here, and what is said over them
//! is what is said over any.
//!
//! One `ssh` is one connection. It runs a few words of shell there ([`words::script`]), which print where the daemon's
//! sockets are and then wait; over the same connection `ssh -O forward` leads a socket here to each. A process of its
//! own, the tether, keeps both: it ends them and removes the sockets when this one goes away, however that happens.

mod link;
mod tether;
mod words;

pub use link::{Link, LinkError, Terms};
pub use tether::hold;
pub use words::{BadTarget, Target};
