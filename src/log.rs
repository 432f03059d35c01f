//! The daemon's log: one line a record, to stderr or a size-capped file.
