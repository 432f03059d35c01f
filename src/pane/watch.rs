//! Telling threads that wait for a pane's output that there may be some, at a cost of one atomic
//! load when none waits.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex};

use crate::sync::lock;
use crate::sys::Wake;

/// Everyone who watches one pane.
#[derive(Default)]
pub(super) struct Watchers {
    /// How many of `list` are armed. Zero spares the pane's thread the lock.
    armed: AtomicUsize,
    /// Guards the list; no other lock is taken under it.
    list: Mutex<Vec<Arc<Watcher>>>,
}

struct Watcher {
    armed: AtomicBool,
    wake: Arc<Wake>,
}

impl Watchers {
    pub(super) fn add(self: &Arc<Self>, wake: &Arc<Wake>) -> WatchGuard {
        let watcher = Arc::new(Watcher {
            armed: AtomicBool::new(false),
            wake: Arc::clone(wake),
        });
        self.lock().push(Arc::clone(&watcher));
        WatchGuard {
            watchers: Arc::clone(self),
            watcher,
        }
    }

    /// Wakes whoever is armed, and disarms them.
    pub(super) fn notify(&self) {
        // Pairs with the fence in `arm`: either this load sees the watcher, or the watcher's look
        // after arming sees what changed before this call.
        fence(Ordering::SeqCst);
        if self.armed.load(Ordering::Relaxed) == 0 {
            return;
        }
        for watcher in self.lock().iter() {
            if self.disarm(watcher) {
                watcher.wake.notify();
            }
        }
    }

    fn disarm(&self, watcher: &Watcher) -> bool {
        let was_armed = watcher.armed.swap(false, Ordering::AcqRel);
        if was_armed {
            self.armed.fetch_sub(1, Ordering::AcqRel);
        }
        was_armed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Watcher>>> {
        lock(&self.list)
    }
}

/// One thread's watch on one pane; ends when dropped.
pub struct WatchGuard {
    watchers: Arc<Watchers>,
    watcher: Arc<Watcher>,
}

impl WatchGuard {
    /// Asks to be woken, once, by the next output, resize or exit. Arm first, then look, then
    /// sleep: a change before the look is seen by it, a later one wakes.
    pub fn arm(&self) {
        // Counted before it is visible, so that the count never falls below the armed watchers.
        self.watchers.armed.fetch_add(1, Ordering::AcqRel);
        if self.watcher.armed.swap(true, Ordering::AcqRel) {
            self.watchers.armed.fetch_sub(1, Ordering::AcqRel);
        }
        fence(Ordering::SeqCst);
    }
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.watchers.disarm(&self.watcher);
        self.watchers
            .lock()
            .retain(|other| !Arc::ptr_eq(other, &self.watcher));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    fn woken(wake: &Wake) -> bool {
        let mut descriptors = [PollFd::new(wake.as_fd(), PollFlags::POLLIN)];
        let woken = poll(&mut descriptors, PollTimeout::ZERO).unwrap() == 1;
        wake.drain();
        woken
    }

    #[test]
    fn an_armed_watcher_is_woken_once_until_it_arms_again() {
        let watchers = Arc::new(Watchers::default());
        let wake = Arc::new(Wake::new().unwrap());
        let watch = watchers.add(&wake);
        watchers.notify();
        assert!(!woken(&wake), "never armed");
        watch.arm();
        watch.arm();
        watchers.notify();
        assert!(woken(&wake));
        watchers.notify();
        assert!(!woken(&wake), "not armed again");
        watch.arm();
        watchers.notify();
        assert!(woken(&wake));
    }

    #[test]
    fn nobody_is_counted_as_armed_who_was_woken_or_left() {
        let watchers = Arc::new(Watchers::default());
        let wake = Arc::new(Wake::new().unwrap());
        let first = watchers.add(&wake);
        let second = watchers.add(&wake);
        first.arm();
        first.arm();
        second.arm();
        assert_eq!(watchers.armed.load(Ordering::Relaxed), 2);
        drop(first);
        assert_eq!(watchers.armed.load(Ordering::Relaxed), 1);
        watchers.notify();
        assert_eq!(watchers.armed.load(Ordering::Relaxed), 0);
        drop(second);
        assert_eq!(watchers.armed.load(Ordering::Relaxed), 0);
        assert!(watchers.lock().is_empty());
    }
}
