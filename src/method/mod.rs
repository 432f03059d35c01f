//! What each method does: one file a family, and the one table that dispatches them.
