//! Where lines of packed text wrap at some width.

use crate::pane::width::width;

/// What the grid's characters were packed as; never anything but valid.
pub(super) fn as_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Calls `row_ends` with the byte offset of every place where a row is full and text follows, and
/// returns how far the last row is filled. The first row is filled up to `column` already.
pub(in crate::pane) fn wrap_uneven(
    text: &str,
    mut column: usize,
    columns: usize,
    mut row_ends: impl FnMut(usize),
) -> usize {
    for (offset, character) in text.char_indices() {
        let width = width(character).unwrap_or(0);
        if column + width > columns {
            row_ends(offset);
            column = 0;
        }
        column += width;
    }
    column
}

/// How many rows a line takes so far, and how far the last is filled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapped {
    pub(super) rows: usize,
    column: usize,
}

impl Wrapped {
    pub(super) const START: Wrapped = Wrapped { rows: 1, column: 0 };

    /// Goes on with `cells` characters of one column, or fewer columns than a row has in all.
    pub(super) fn add_even(&mut self, cells: usize, columns: usize) {
        let total = self.column + cells;
        let more = total.saturating_sub(1) / columns;
        self.rows += more;
        self.column = total - more * columns;
    }

    pub(super) fn add(&mut self, text: &str, columns: usize) {
        let rows = &mut self.rows;
        self.column = wrap_uneven(text, self.column, columns, |_| *rows += 1);
    }
}
