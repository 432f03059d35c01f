//! Rectangles of cells and the terminal that fits into a pane's rectangle.

/// A rectangle on the virtual screen, in cells. It may be empty: herdr does not keep tiny panes
/// from losing all their columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rect {
    /// Columns from the left edge.
    pub x: u16,
    /// Rows from the top edge.
    pub y: u16,
    /// Width in columns.
    pub width: u16,
    /// Height in rows.
    pub height: u16,
}

/// The layout area of a server without a client: herdr 0.9.3 defaults to 120 x 40 from the origin.
pub const DEFAULT_AREA: Rect = Rect {
    x: 0,
    y: 0,
    width: 120,
    height: 40,
};

/// What every tab is laid out on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// The whole screen.
    pub area: Rect,
    /// Whether panes that share a tab have a border of one cell each.
    pub borders: bool,
}

impl Default for Geometry {
    fn default() -> Geometry {
        Geometry {
            area: DEFAULT_AREA,
            borders: true,
        }
    }
}

/// The size of a terminal in character cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TerminalSize {
    /// Columns, at least 2.
    pub cols: u16,
    /// Rows, at least 1.
    pub rows: u16,
}

/// A wide character needs two columns, and the terminal engine cannot hold one in fewer.
const MIN_COLS: u16 = 2;
/// A terminal without a row has no cursor.
const MIN_ROWS: u16 = 1;

/// The terminal that fits into `rect`, which loses a cell on each side when it is `bordered`.
/// A rectangle that is too small still gets the smallest terminal that works, 2 x 1.
pub fn terminal_size(rect: Rect, bordered: bool) -> TerminalSize {
    let border = if bordered { 2 } else { 0 };
    TerminalSize {
        cols: rect.width.saturating_sub(border).max(MIN_COLS),
        rows: rect.height.saturating_sub(border).max(MIN_ROWS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: u16, height: u16, bordered: bool) -> (u16, u16) {
        let rect = Rect {
            width,
            height,
            ..Rect::default()
        };
        let size = terminal_size(rect, bordered);
        (size.cols, size.rows)
    }

    #[test]
    fn a_border_takes_one_cell_on_each_side() {
        assert_eq!(size(120, 40, false), (120, 40));
        assert_eq!(size(60, 40, true), (58, 38));
    }

    #[test]
    fn a_terminal_never_shrinks_below_two_by_one() {
        assert_eq!(size(0, 0, false), (2, 1));
        assert_eq!(size(3, 2, true), (2, 1));
    }
}
