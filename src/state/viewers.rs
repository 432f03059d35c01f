//! Who drives a pane from a terminal of their own, and the size that the pane has because of them.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::sync::lock;
use crate::sys::Wake;
use crate::world::TerminalSize;

use super::{Due, Runtime, Shared};

/// How long panes keep the size they have after a worker's death. Attached terminals are back within a
/// fraction of it, one after the other; the program whose viewers all come back hears of nothing.
const RETURN_TIME: Duration = Duration::from_secs(1);

/// How a viewer drives the pane. Who only watches is none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// A program that controls it, alone: its size counts.
    Controller,
    /// A person's terminal; there may be several, and then the smallest counts.
    Attached,
}

#[derive(Debug, Clone)]
struct Viewer {
    driver: Driver,
    /// None for one that may type and not size: it sees the pane as it is.
    size: Option<TerminalSize>,
    end: Arc<End>,
}

/// How a viewer learns that another took its place.
#[derive(Debug)]
pub struct End {
    /// Notified then.
    wake: Arc<Wake>,
    taken: OnceLock<()>,
}

impl End {
    /// Whether another took the place.
    pub fn is_taken(&self) -> bool {
        self.taken.get().is_some()
    }
}

/// The viewers of one pane that drive it. Innermost of locks.
#[derive(Debug, Default)]
pub(super) struct Viewers(Mutex<Vec<Viewer>>);

impl Viewers {
    /// The size that the pane should have; without viewers it is `otherwise`.
    pub(super) fn size(&self, otherwise: TerminalSize) -> TerminalSize {
        decide(&lock(&self.0), otherwise)
    }
}

fn decide(viewers: &[Viewer], otherwise: TerminalSize) -> TerminalSize {
    let controller = viewers
        .iter()
        .filter(|viewer| viewer.driver == Driver::Controller)
        .find_map(|viewer| viewer.size);
    let smallest = || {
        viewers
            .iter()
            .filter_map(|viewer| viewer.size)
            .reduce(|one, other| TerminalSize {
                cols: one.cols.min(other.cols),
                rows: one.rows.min(other.rows),
            })
    };
    controller.or_else(smallest).unwrap_or(otherwise)
}

impl Shared {
    /// Panes were taken over with the sizes that their viewers had given them.
    pub(super) fn await_viewers(&self) {
        for runtime in self.look().runtimes() {
            runtime.keep_size();
        }
        self.deadlines.add(Instant::now() + RETURN_TIME, Due::Sizes);
    }

    /// Gives every pane the size that it should have by now, and lets it change again.
    pub fn fit_all(&self) {
        let runtimes = self.look().runtimes();
        for runtime in runtimes {
            runtime.keep_size_no_longer();
        }
    }
}

/// A viewer's place at a pane; given up when dropped, and then the pane gets its size back.
#[derive(Debug)]
pub struct Driving {
    runtime: Arc<Runtime>,
    pub end: Arc<End>,
}

/// Another client controls the pane.
#[derive(Debug)]
pub struct Occupied;

impl Runtime {
    /// Has a client drive the pane, which takes its size if it has one to give. With `takeover`, other clients of its kind
    /// lose their place and are told by `wake`.
    ///
    /// # Errors
    /// When it wants to control what another controls.
    pub fn drive(
        self: &Arc<Self>,
        driver: Driver,
        size: Option<TerminalSize>,
        takeover: bool,
        wake: &Arc<Wake>,
    ) -> Result<Driving, Occupied> {
        let end = Arc::new(End {
            wake: Arc::clone(wake),
            taken: OnceLock::new(),
        });
        {
            let mut viewers = lock(&self.viewers.0);
            let rivals = |viewer: &Viewer| viewer.driver == driver;
            if driver == Driver::Controller && !takeover && viewers.iter().any(rivals) {
                return Err(Occupied);
            }
            if takeover {
                for rival in viewers.extract_if(.., |viewer| rivals(viewer)) {
                    let _ = rival.end.taken.set(());
                    rival.end.wake.notify();
                }
            }
            viewers.push(Viewer {
                driver,
                size,
                end: Arc::clone(&end),
            });
        }
        self.fit();
        Ok(Driving {
            runtime: Arc::clone(self),
            end,
        })
    }
}

impl Runtime {
    /// Whether a person's terminal is attached to the pane.
    pub fn is_attached(&self) -> bool {
        let viewers = lock(&self.viewers.0);
        viewers
            .iter()
            .any(|viewer| viewer.driver == Driver::Attached)
    }
}

impl Driving {
    /// Whether the client's terminal has a say in the pane's size.
    pub fn sizes(&self) -> bool {
        lock(&self.runtime.viewers.0)
            .iter()
            .any(|viewer| Arc::ptr_eq(&viewer.end, &self.end) && viewer.size.is_some())
    }

    /// The client's terminal has another size, or none that counts.
    pub fn resize(&self, size: Option<TerminalSize>) {
        for viewer in lock(&self.runtime.viewers.0).iter_mut() {
            if Arc::ptr_eq(&viewer.end, &self.end) {
                viewer.size = size;
            }
        }
        self.runtime.fit();
    }
}

impl Drop for Driving {
    fn drop(&mut self) {
        lock(&self.runtime.viewers.0).retain(|viewer| !Arc::ptr_eq(&viewer.end, &self.end));
        self.runtime.fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewer(driver: Driver, cols: u16, rows: u16) -> Viewer {
        Viewer {
            driver,
            size: Some(TerminalSize { cols, rows }),
            end: Arc::new(End {
                wake: Arc::new(Wake::new().unwrap()),
                taken: OnceLock::new(),
            }),
        }
    }

    #[test]
    fn the_controller_decides_else_the_smallest_attached_else_the_layout() {
        let layout = TerminalSize {
            cols: 118,
            rows: 38,
        };
        assert_eq!(decide(&[], layout), layout);
        let mut viewers = vec![
            viewer(Driver::Attached, 200, 30),
            viewer(Driver::Attached, 90, 60),
        ];
        let smallest = TerminalSize { cols: 90, rows: 30 };
        assert_eq!(decide(&viewers, layout), smallest);
        viewers.push(viewer(Driver::Controller, 150, 70));
        let controlled = TerminalSize {
            cols: 150,
            rows: 70,
        };
        assert_eq!(decide(&viewers, layout), controlled);
        viewers[2].size = None;
        assert_eq!(
            decide(&viewers, layout),
            smallest,
            "one that may not size the pane"
        );
    }
}
