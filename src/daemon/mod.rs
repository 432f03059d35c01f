//! Start and stop, sockets, one thread per connection, limits, the clock thread.
