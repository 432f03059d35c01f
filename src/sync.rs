//! Locking without poison: a panic is caught at the edge of a request or a pane, and what it left
//! behind is whole, because every change is made by one call that cannot stop half way.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a thread panicked while it held the lock.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
