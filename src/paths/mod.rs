//! Where sockets, state, configuration and the herdr link lie.
//!
//! But for [`private`], which judges folders, everything here is a pure function of an [`Environment`]: the process's own environment is read once, by
//! [`Environment::from_process`], so that every rule can be tested without touching it.

mod environment;
mod locate;
pub mod private;
pub mod search;
mod session;

pub use environment::Environment;
pub use locate::{
    Chosen, PluginPaths, SessionPaths, choose, config_file, connection_folder, control_socket,
    herdr_config_dir, herdr_session_dir, herdr_socket, machines_file, plugin_paths, session_paths,
    sessions_dirs,
};
pub use session::{Session, SessionName, SessionNameError};
