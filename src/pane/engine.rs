//! The grid and what surrounds it: one place that prints, scrolls, resizes and swaps screens, and
//! moves rows that scrolled far enough up into packed scrollback.

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, TermMode};
use vte::ansi::{ClearMode, Handler, StandardCharset};

use super::cold::Cold;
use super::side::Side;
use super::utf8::{self, Decoded};
use super::width::width;

/// History rows that stay in the grid, at least: growing the window pulls them back. Also at
/// least the screen's height.
const HOT_ROWS: usize = 128;

/// Rows that pile up beyond that before they are packed. Packing one by one would cost more.
const HOT_SLACK: usize = 64;

/// History limit while rows must not be lost: more than reflow can make of the hot rows, far from
/// the arithmetic limits of the engine.
const UNLIMITED: usize = 1 << 24;

/// Spare rows the engine keeps for itself before it gives memory back.
const ENGINE_SPARE_ROWS: usize = 1000;

/// Zero-width characters kept on one cell. Real scripts stack a few; a hostile stream millions.
pub(super) const COMBINING_MAX: usize = 8;

/// How many history rows the grid may hold.
#[derive(Debug, Clone, Copy)]
struct HotLimits {
    /// Rows that stay when the others are packed.
    keep: usize,
    /// Rows beyond which packing begins.
    high: usize,
    /// The grid's own limit. One step of the engine scrolls at most a screenful, so that no row
    /// is lost between two looks.
    cap: usize,
}

impl HotLimits {
    fn new(rows: usize, scrollback_rows: usize) -> HotLimits {
        let keep = HOT_ROWS.max(rows);
        let high = keep + HOT_SLACK;
        if scrollback_rows <= high {
            // Little scrollback: the grid holds all of it and drops the oldest by itself.
            HotLimits {
                keep: scrollback_rows,
                high: usize::MAX,
                cap: scrollback_rows,
            }
        } else {
            HotLimits {
                keep,
                high,
                cap: high + rows + 1,
            }
        }
    }
}

/// Repetitions that even the smallest screen takes.
const REPEAT_MIN: usize = 256;

struct Dims {
    columns: usize,
    rows: usize,
}

impl Dimensions for Dims {
    fn total_lines(&self) -> usize {
        self.rows
    }

    fn screen_lines(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }
}

/// A terminal without its parser.
pub(super) struct Engine {
    pub(super) term: Term<VoidListener>,
    pub(super) side: Side,
    pub(super) cold: Cold,
    scrollback_rows: usize,
    hot: HotLimits,
    /// The grid owns exactly the rows it may need, see [`Engine::finish`].
    reserved: bool,
}

impl Engine {
    pub(super) fn new(columns: usize, rows: usize, scrollback_rows: usize) -> Engine {
        let hot = HotLimits::new(rows, scrollback_rows);
        let config = Config {
            scrolling_history: hot.cap,
            ..Config::default()
        };
        let mut engine = Engine {
            term: Term::new(config, &Dims { columns, rows }, VoidListener),
            side: Side::new(columns, rows),
            cold: Cold::new(columns),
            scrollback_rows,
            hot,
            reserved: false,
        };
        engine.park_alternate();
        engine
    }

    pub(super) fn columns(&self) -> usize {
        self.term.columns()
    }

    pub(super) fn rows(&self) -> usize {
        self.term.screen_lines()
    }

    pub(super) fn is_alternate(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// History rows in the grid; none while the alternate screen is up.
    pub(super) fn hot_history(&self) -> usize {
        self.term.grid().history_size()
    }

    /// History rows that stay in the grid whenever others are packed.
    pub(super) fn hot_rows(&self) -> usize {
        self.hot.keep
    }

    /// Whether history is packed at all.
    pub(super) fn packs_history(&self) -> bool {
        self.hot.high != usize::MAX
    }

    /// Forgets the history rows in the grid.
    pub(super) fn drop_hot_history(&mut self) {
        let grid = self.term.grid_mut();
        grid.update_history(0);
        grid.update_history(self.hot.cap);
        self.rows_may_be_gone();
    }

    /// Rows above the screen that is up.
    pub(super) fn history(&self) -> usize {
        if self.is_alternate() {
            0
        } else {
            self.cold.rows() + self.hot_history()
        }
    }

    /// Prints one character, whatever it is.
    pub(super) fn print(&mut self, character: char) {
        self.side.last_printed = Some(character);
        match width(character) {
            None => {}
            Some(0) => self.combine(character),
            Some(_) => {
                self.term.input(character);
                self.settle();
            }
        }
    }

    /// Puts a zero-width character on the cell before the cursor, as the engine does it, unless that
    /// is full.
    fn combine(&mut self, character: char) {
        let grid = self.term.grid_mut();
        let cursor = &grid.cursor;
        let line = cursor.point.line;
        let mut column = cursor.point.column;
        if !cursor.input_needs_wrap {
            column.0 = column.0.saturating_sub(1);
        }
        if grid[line][column].flags.contains(Flags::WIDE_CHAR_SPACER) {
            column.0 = column.0.saturating_sub(1);
        }
        let cell = &mut grid[line][column];
        if cell.zerowidth().map_or(0, <[char]>::len) < COMBINING_MAX {
            cell.push_zerowidth(character);
        }
    }

    /// Prints as much text at the start of `bytes` as can be put straight into the row, and returns
    /// how many bytes that was.
    ///
    /// It ends at the end of the row, at a wide character that would be cut, and at anything that is
    /// not a character of one or two columns. It does nothing at all when the cursor waits to wrap
    /// or a mode makes each character a case of its own. What is left is for [`Engine::print`].
    #[inline]
    pub(super) fn print_straight(&mut self, bytes: &[u8]) -> usize {
        const WIDE: Flags = Flags::WIDE_CHAR.union(Flags::WIDE_CHAR_SPACER);
        if self.term.mode().contains(TermMode::INSERT) {
            return 0;
        }
        let charset = self.side.active_charset;
        let grid = self.term.grid_mut();
        let columns = grid.columns();
        let cursor = &grid.cursor;
        if cursor.input_needs_wrap
            || cursor.template.extra.is_some()
            || cursor.charsets[charset] != StandardCharset::Ascii
        {
            return 0;
        }
        let point = cursor.point;
        let (fg, bg, flags) = (
            cursor.template.fg,
            cursor.template.bg,
            cursor.template.flags,
        );
        let put = |cell: &mut Cell, character: char, flags: Flags| {
            cell.c = character;
            cell.fg = fg;
            cell.bg = bg;
            cell.flags = flags;
            if cell.extra.is_some() {
                cell.extra = None;
            }
        };
        let start = point.column.0;
        // A character takes no more columns than bytes. The row remembers how far it was borrowed and
        // clears as much when it scrolls away, so no more is borrowed than may be written.
        let end = columns.min(start + utf8::until_control(bytes, (columns - start) * 4));
        let cells = &mut grid[point.line][Column(start)..Column(end)];
        let (mut column, mut used) = (0, 0);
        let mut last = None;
        while let Some(&byte) = bytes.get(used) {
            if matches!(byte, 0x20..=0x7e) {
                match cells.get_mut(column) {
                    Some(cell) if !cell.flags.intersects(WIDE) => {
                        put(cell, char::from(byte), flags)
                    }
                    _ => break,
                }
                last = Some(char::from(byte));
                column += 1;
                used += 1;
                continue;
            }
            if byte < 0xc2 {
                break;
            }
            let Decoded::Character(character, length) = utf8::decode(&bytes[used..]) else {
                break;
            };
            let Some(width @ 1..=2) = width(character) else {
                break;
            };
            match cells.get_mut(column..column + width) {
                Some([cell]) if !cell.flags.intersects(WIDE) => put(cell, character, flags),
                Some([left, right]) if !(left.flags | right.flags).intersects(WIDE) => {
                    put(left, character, flags | Flags::WIDE_CHAR);
                    put(right, ' ', flags | Flags::WIDE_CHAR_SPACER);
                }
                _ => break,
            }
            last = Some(character);
            column += width;
            used += length;
        }
        if let Some(last) = last {
            self.side.last_printed = Some(last);
            let column = start + column;
            if column < columns {
                grid.cursor.point.column = Column(column);
            } else {
                grid.cursor.point.column = Column(columns - 1);
                grid.cursor.input_needs_wrap = true;
            }
        }
        used
    }

    /// Prints the last character again, at most a screenful of times: a few bytes must not cost a
    /// million characters.
    pub(super) fn repeat(&mut self, times: usize) {
        let most = (self.columns() * self.rows()).max(REPEAT_MIN);
        if let Some(character) = self.side.last_printed {
            for _ in 0..times.min(most) {
                self.print(character);
            }
        }
    }

    /// Moves the cursor down, scrolling at the bottom.
    #[inline]
    pub(super) fn newline(&mut self) {
        self.term.newline();
        self.settle();
    }

    /// Looks whether enough rows have scrolled up to be packed. To be called after every step
    /// that may scroll.
    #[inline]
    pub(super) fn settle(&mut self) {
        if self.hot_history() > self.hot.high {
            self.pack();
        }
    }

    /// Packs the oldest rows of the grid's history and drops the oldest packed ones beyond the
    /// scrollback limit. Not while the alternate screen is up.
    fn pack(&mut self) {
        let history = self.hot_history();
        let most = history.saturating_sub(self.hot.keep);
        let grid = self.term.grid();
        let line = |row: usize| Line(row as i32 - history as i32);
        let ends = |row: usize| {
            !grid[line(row)]
                .last()
                .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
        };
        // The border should lie between two logical lines, so that reflow sees whole ones. Where no
        // line ends in what may be packed, it is cut.
        let least = history.saturating_sub(self.hot.high).max(1);
        let count = (least..=most)
            .rev()
            .find(|&count| ends(count - 1))
            .unwrap_or(most);
        self.push_oldest(count);
        let grid = self.term.grid_mut();
        grid.update_history(history - count);
        grid.update_history(self.hot.cap);
        self.cold
            .limit(self.scrollback_rows.saturating_sub(history - count));
    }

    /// Adds the oldest rows of history and screen to the packed ones, which does not take them out of
    /// the grid.
    pub(super) fn push_oldest(&mut self, rows: usize) {
        let history = self.hot_history() as i32;
        let grid = self.term.grid();
        for row in 0..rows as i32 {
            self.cold.push(&grid[Line(row - history)]);
        }
    }

    /// What is to be done once after a stretch of the stream: keeps scrollback at its limit, and
    /// makes the grid own exactly the rows it may need.
    ///
    /// Left alone, the engine adds a thousand rows whenever it lacks one: megabytes a pane for
    /// history that is packed anyway. Once the rows are there it never needs more.
    pub(super) fn finish(&mut self) {
        if self.cold.rows() > 0 && !self.is_alternate() {
            self.cold
                .limit(self.scrollback_rows.saturating_sub(self.hot_history()));
        }
        if self.reserved || self.is_alternate() || self.hot_history() == 0 {
            return;
        }
        let (history, cap) = (self.hot_history(), self.hot.cap);
        let grid = self.term.grid_mut();
        grid.update_history(cap);
        grid.initialize_all();
        grid.truncate();
        grid.update_history(history);
        grid.update_history(cap);
        self.reserved = true;
    }

    /// The rows the grid owned may have been given back.
    fn rows_may_be_gone(&mut self) {
        if self.hot.cap >= ENGINE_SPARE_ROWS {
            self.reserved = false;
        }
    }

    /// Empties the scrollback.
    pub(super) fn clear_history(&mut self) {
        if self.is_alternate() {
            self.on_primary(|engine| engine.term.clear_screen(ClearMode::Saved));
        } else {
            self.term.clear_screen(ClearMode::Saved);
        }
        self.cold.clear();
        self.rows_may_be_gone();
    }

    /// Empties screen and scrollback but for the row of the cursor, which goes to the top.
    pub(super) fn clear_to_prompt(&mut self) {
        let rows = Line(self.rows() as i32);
        let grid = self.term.grid_mut();
        let above = usize::try_from(grid.cursor.point.line.0).unwrap_or(0);
        grid.scroll_up(&(Line(0)..rows), above);
        grid.cursor.point.line = Line(0);
        if rows > Line(1) {
            grid.reset_region(Line(1)..);
        }
        self.clear_history();
    }

    /// RIS.
    pub(super) fn reset(&mut self) {
        self.term.reset_state();
        self.term.grid_mut().update_history(self.hot.cap);
        self.cold.clear();
        let (columns, rows) = (self.columns(), self.rows());
        self.side.reset(columns, rows);
        self.rows_may_be_gone();
        self.park_alternate();
    }

    /// Puts up the alternate screen, empty. The primary screen's history gets no limit until it
    /// is back, because it cannot be packed meanwhile and a resize must not cut it.
    pub(super) fn enter_alternate(&mut self) {
        if self.is_alternate() {
            return;
        }
        let (columns, rows) = (self.columns(), self.rows());
        self.term.grid_mut().update_history(UNLIMITED);
        self.term.swap_alt();
        let parked = self.term.grid_mut();
        let mut grid = Grid::new(rows, columns, 0);
        grid.cursor = std::mem::take(&mut parked.cursor);
        grid.saved_cursor = std::mem::take(&mut parked.saved_cursor);
        grid.reset_region(..);
        *parked = grid;
    }

    /// Gives back the memory of the alternate screen, which is down: it is empty whenever it comes
    /// up, and only its saved cursor outlives that.
    fn park_alternate(&mut self) {
        let last = (Line(self.rows() as i32 - 1), Column(self.columns() - 1));
        self.on_parked_alternate(|grid| {
            let mut saved_cursor = std::mem::take(&mut grid.saved_cursor);
            let point = &mut saved_cursor.point;
            point.line = point.line.min(last.0);
            point.column = point.column.min(last.1);
            *grid = Grid::new(1, 1, 0);
            grid.saved_cursor = saved_cursor;
        });
    }

    /// Runs `action` with the grid of the alternate screen, which is down: one cell and the saved
    /// cursor.
    pub(super) fn on_parked_alternate<T>(
        &mut self,
        action: impl FnOnce(&mut Grid<Cell>) -> T,
    ) -> T {
        // The engine lends only the grid that is up, and going there and back loses this.
        let saved_cursor = self.term.grid().saved_cursor.clone();
        self.term.swap_alt();
        let result = action(self.term.grid_mut());
        self.term.swap_alt();
        self.term.grid_mut().saved_cursor = saved_cursor;
        result
    }

    /// Puts the primary screen back. Where the old modes 47 and 1047 share one cursor between the
    /// screens, `keep_cursor` carries it over.
    pub(super) fn leave_alternate(&mut self, keep_cursor: bool) {
        if !self.is_alternate() {
            return;
        }
        let cursor = self.term.grid().cursor.clone();
        self.term.swap_alt();
        if keep_cursor {
            self.term.grid_mut().cursor = cursor;
        }
        self.settle();
        self.term.grid_mut().update_history(self.hot.cap);
        self.park_alternate();
    }

    /// Changes the size. The primary screen reflows, the alternate one is cut.
    pub(super) fn resize(&mut self, columns: usize, rows: usize) {
        if !self.is_alternate() {
            self.term.grid_mut().update_history(UNLIMITED);
        }
        self.term.resize(Dims { columns, rows });
        self.side.scroll_region = (0, rows - 1);
        self.side.tabs.resize(columns);
        self.hot = HotLimits::new(rows, self.scrollback_rows);
        self.cold.set_columns(columns);
        self.reserved = false;
        if self.is_alternate() {
            self.term.grid_mut().truncate();
            self.on_primary(|engine| engine.settle_after_resize(UNLIMITED));
        } else {
            let cap = self.hot.cap;
            self.settle_after_resize(cap);
            self.park_alternate();
        }
    }

    fn settle_after_resize(&mut self, limit: usize) {
        self.settle();
        self.cold
            .limit(self.scrollback_rows.saturating_sub(self.hot_history()));
        let packs_history = self.packs_history();
        let grid = self.term.grid_mut();
        if !packs_history {
            grid.update_history(self.hot.cap);
        }
        grid.update_history(limit);
        grid.truncate();
    }

    /// Runs `action` with the primary screen up. The alternate screen is put back as it was.
    pub(super) fn on_primary<T>(&mut self, action: impl FnOnce(&mut Engine) -> T) -> T {
        if !self.is_alternate() {
            return action(self);
        }
        // Coming up empties the alternate screen, so it is kept aside. The primary screen's saved
        // cursor becomes its cursor, which is what going to the alternate screen made of it.
        let alternate = std::mem::replace(self.term.grid_mut(), Grid::new(1, 1, 0));
        self.term.swap_alt();
        let result = action(self);
        self.term.swap_alt();
        *self.term.grid_mut() = alternate;
        result
    }

    /// Makes `count` blank history rows in the grid of the primary screen, which is up and has none:
    /// the room for those of a checkpoint.
    pub(super) fn add_history(&mut self, count: usize) {
        let rows = self.rows();
        let grid = self.term.grid_mut();
        grid.update_history(UNLIMITED);
        let mut left = count;
        while left > 0 {
            let step = left.min(rows);
            grid.scroll_up(&(Line(0)..Line(rows as i32)), step);
            left -= step;
        }
        grid.truncate();
    }

    /// Gives the history of the primary screen, which is up, its usual limit.
    pub(super) fn limit_history(&mut self) {
        self.term.grid_mut().update_history(self.hot.cap);
    }

    /// Bytes on the heap that grids and scrollback need at least, for tests and measurements.
    pub(super) fn heap_bytes(&self) -> usize {
        let cell = size_of::<Cell>();
        let hot = if self.reserved { self.hot.cap } else { 0 };
        let screens = if self.is_alternate() { 2 } else { 1 };
        (screens * self.rows() + hot) * self.columns() * cell + self.cold.heap_bytes()
    }
}
