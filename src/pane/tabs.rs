//! Tab stops. The engine has them too but does not tell, and a checkpoint needs them.

/// Columns between the stops of a fresh terminal.
const INTERVAL: usize = 8;

/// Which columns are tab stops, changed by the same sequences as the engine's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TabStops(Vec<bool>);

impl TabStops {
    /// A stop in every eighth column.
    pub(super) fn new(columns: usize) -> TabStops {
        TabStops((0..columns).map(|column| column % INTERVAL == 0).collect())
    }

    /// Changes the width; columns that are added have the usual stops.
    pub(super) fn resize(&mut self, columns: usize) {
        let before = self.0.len();
        self.0.truncate(columns);
        self.0
            .extend((before..columns).map(|column| column % INTERVAL == 0));
    }

    /// Makes a column a stop, or takes its stop away.
    pub(super) fn set(&mut self, column: usize, stop: bool) {
        if let Some(slot) = self.0.get_mut(column) {
            *slot = stop;
        }
    }

    /// Takes all stops away.
    pub(super) fn clear(&mut self) {
        self.0.fill(false);
    }

    /// For each column whether it is a stop.
    pub(super) fn columns(&self) -> &[bool] {
        &self.0
    }
}
