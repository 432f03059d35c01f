//! Where sockets, state, configuration and the herdr link lie.
