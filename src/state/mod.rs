//! The world behind its one lock, the event hub and the deadline queue.
