//! The lock around a pane's screen. A flooding pane takes it thousands of times a second; with a
//! plain mutex a reader was seen to wait for more than a thousand feeds, here it waits for one or
//! two.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::area::Area;
use super::screen::{Note, Screen, ScrollMetrics};
use crate::sync::lock;

/// A screen behind its lock, with the numbers that lists show readable without it.
pub(super) struct ScreenLock {
    /// Held only while waiting for `screen`. The pane's thread has to pass here too, so it cannot
    /// overtake a waiter.
    turn: Mutex<()>,
    /// Guards the terminal. Order: after the world's lock, and no lock is taken under it but that of
    /// the directory that the program reported.
    screen: Mutex<Screen>,
    /// Gets a checkpoint after every change that cannot be had from the pane's output again.
    area: Area,
    published: Published,
}

/// Copies of what the screen last said. Each is right on its own; read together they may be one
/// feed apart.
#[derive(Default)]
struct Published {
    offset_from_bottom: AtomicU64,
    max_offset_from_bottom: AtomicU64,
    viewport_rows: AtomicU64,
    revision: AtomicU64,
}

impl ScreenLock {
    pub(super) fn new(screen: Screen, area: Area) -> ScreenLock {
        let lock = ScreenLock {
            turn: Mutex::new(()),
            screen: Mutex::new(screen),
            area,
            published: Published::default(),
        };
        lock.lock().changed = true;
        lock
    }

    pub(super) fn area(&self) -> &Area {
        &self.area
    }

    /// Locks the screen for who looks at it or changes it: it shows all that was received.
    pub(super) fn lock(&self) -> ScreenGuard<'_> {
        let mut guard = self.lock_as_it_is();
        if guard.screen.is_behind() {
            guard.catch_up();
        }
        guard
    }

    /// Locks the screen for who only gives it bytes.
    pub(super) fn lock_to_feed(&self) -> FeedGuard<'_> {
        FeedGuard(self.lock_as_it_is())
    }

    fn lock_as_it_is(&self) -> ScreenGuard<'_> {
        let turn = lock(&self.turn);
        // A panic under the lock is the engine's, which resets itself; the screen stays usable.
        let screen = lock(&self.screen);
        drop(turn);
        ScreenGuard {
            screen,
            area: &self.area,
            published: &self.published,
            changed: false,
        }
    }

    pub(super) fn scroll_metrics(&self) -> ScrollMetrics {
        ScrollMetrics {
            offset_from_bottom: self.published.offset_from_bottom.load(Ordering::Relaxed),
            max_offset_from_bottom: self
                .published
                .max_offset_from_bottom
                .load(Ordering::Relaxed),
            viewport_rows: self.published.viewport_rows.load(Ordering::Relaxed),
        }
    }

    pub(super) fn revision(&self) -> u64 {
        self.published.revision.load(Ordering::Acquire)
    }
}

/// The locked screen of a pane. Do not hold it over anything that may block.
pub struct ScreenGuard<'a> {
    screen: MutexGuard<'a, Screen>,
    area: &'a Area,
    published: &'a Published,
    changed: bool,
}

impl Deref for ScreenGuard<'_> {
    type Target = Screen;

    fn deref(&self) -> &Screen {
        &self.screen
    }
}

impl DerefMut for ScreenGuard<'_> {
    fn deref_mut(&mut self) -> &mut Screen {
        self.changed = true;
        &mut self.screen
    }
}

impl Drop for ScreenGuard<'_> {
    fn drop(&mut self) {
        if !self.changed {
            return;
        }
        if self.screen.take_changed_otherwise() {
            self.area.changed(&mut self.screen);
        }
        let metrics = self.screen.scroll_metrics();
        self.published
            .offset_from_bottom
            .store(metrics.offset_from_bottom, Ordering::Relaxed);
        self.published
            .max_offset_from_bottom
            .store(metrics.max_offset_from_bottom, Ordering::Relaxed);
        self.published
            .viewport_rows
            .store(metrics.viewport_rows, Ordering::Relaxed);
        self.published
            .revision
            .store(self.screen.revision(), Ordering::Release);
    }
}

/// The locked screen of a pane that may lag behind what was received, and so cannot be looked at.
pub(super) struct FeedGuard<'a>(ScreenGuard<'a>);

impl FeedGuard<'_> {
    /// Gives it all bytes that were read into the area, see [`Screen::receive`].
    pub(super) fn receive(&mut self, bytes: &[u8]) {
        self.0.receive(bytes);
        self.0.area.fed(&mut self.0.screen);
    }

    /// See [`Screen::take_replies`]. What lags behind is text, which needs no answer.
    pub(super) fn take_replies(&mut self) -> Vec<u8> {
        self.0.take_replies()
    }

    /// See [`Screen::take_notes`]. What lags behind is text, which says nothing else.
    pub(super) fn take_notes(&mut self) -> Vec<Note> {
        self.0.take_notes()
    }

    /// See [`Screen::is_flooded`].
    pub(super) fn is_flooded(&self) -> bool {
        self.0.is_flooded()
    }

    /// See [`Screen::come_to_rest`].
    pub(super) fn come_to_rest(&mut self) {
        self.0.come_to_rest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::Size;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// A thread that lets go of the lock only to take it again, as a flooding pane's does.
    #[test]
    fn whoever_waits_comes_before_the_next_feed() {
        let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 100);
        let area = Area::create(&mut screen).unwrap();
        let lock = Arc::new(ScreenLock::new(screen, area));
        let feeds = Arc::new(AtomicU64::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let flood = {
            let (lock, feeds, stop) = (Arc::clone(&lock), Arc::clone(&feeds), Arc::clone(&stop));
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    lock.lock().feed(&[b'x'; 4096]);
                    feeds.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        let mut overtaken: Vec<u64> = (0..99)
            .map(|turn| {
                // Get in line in the midst of the flood, each time at another point of a feed.
                let before = feeds.load(Ordering::Relaxed) + 2;
                while feeds.load(Ordering::Relaxed) < before {
                    std::hint::spin_loop();
                }
                for _ in 0..turn * 37 {
                    std::hint::spin_loop();
                }
                let before = feeds.load(Ordering::Relaxed);
                let guard = lock.lock();
                let overtaken = feeds.load(Ordering::Relaxed) - before;
                drop(guard);
                overtaken
            })
            .collect();
        stop.store(true, Ordering::Relaxed);
        flood.join().unwrap();
        overtaken.sort_unstable();
        // Not the worst, because this thread may be taken off its core before it gets in line. A
        // plain mutex gives hundreds here.
        assert!(
            overtaken[79] <= 2,
            "overtaken by so many feeds: {overtaken:?}"
        );
    }
}
