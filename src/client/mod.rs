//! One request to the daemon, or a stream of its events.
