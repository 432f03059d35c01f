//! The rows of a pane, read in blocks, so that its screen is locked for a moment at a time however
//! much text there is.

use super::{Rows, TextRow};
use crate::pane::Pane;

/// Rows that are read at once: a few screens, and a fraction of a millisecond under the lock.
const BLOCK: usize = 512;

/// The retained rows of a pane as of one content revision.
pub struct Retained<'a> {
    pane: &'a Pane,
    revision: u64,
    count: usize,
    first: usize,
    block: Vec<TextRow>,
    stale: bool,
}

impl<'a> Retained<'a> {
    /// The rows of `pane` as they are now.
    pub fn of(pane: &'a Pane) -> Retained<'a> {
        let screen = pane.screen();
        Retained {
            pane,
            revision: screen.content_revision(),
            count: screen.row_count(),
            first: 0,
            block: Vec::new(),
            stale: false,
        }
    }

    /// What they are a copy of; see [`Screen::content_revision`](crate::pane::Screen::content_revision).
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the text changed while it was read: what was made of it is of two minds.
    pub fn is_stale(&self) -> bool {
        self.stale
    }
}

impl Rows for Retained<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn row(&mut self, row: usize) -> Option<&TextRow> {
        if row >= self.count || self.stale {
            return None;
        }
        let first = row - row % BLOCK;
        if self.block.is_empty() || self.first != first {
            let screen = self.pane.screen();
            if screen.content_revision() != self.revision {
                self.stale = true;
                return None;
            }
            self.block = screen.text_rows(first, (first + BLOCK).min(self.count));
            self.first = first;
        }
        self.block.get(row - first)
    }
}
