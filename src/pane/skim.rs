//! Lines that scroll through the screen before anybody can look go straight from the stream into
//! packed scrollback. Putting their characters into cells, only to pack the cells and to clear them
//! again, is most of what a flood of text costs.
//!
//! That is the same picture in the end only where a line is nothing but a line: see
//! [`Engine::can_skim`] for the state and [`LineShape::of`] for the text that it takes.

use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use vte::ansi::StandardCharset;

use super::cold::{LineShape, wrap_uneven};
use super::engine::{COMBINING_MAX, Engine};
use super::pen::{Pen, is_unseen};
use super::utf8;
use super::width::columns;

impl Engine {
    /// So many ends of lines after the skimmed ones make a screen, and above it a history, that hold
    /// none of what was there before.
    pub(super) fn rows_after_skim(&self) -> usize {
        self.hot_rows() + self.rows()
    }

    /// Whether the cursor is where a line begins.
    pub(super) fn is_at_line_start(&self) -> bool {
        let cursor = &self.term.grid().cursor;
        cursor.point.column == Column(0) && !cursor.input_needs_wrap
    }

    /// Whether text from the cursor on only ever appends: there is nothing in its row and below, what
    /// is printed looks like nothing special, and all of the screen scrolls.
    pub(super) fn can_skim(&self) -> bool {
        let mode = self.term.mode();
        let grid = self.term.grid();
        let cursor = &grid.cursor;
        let template = &cursor.template;
        let bottom = self.rows() - 1;
        let row = cursor.point.line;
        let is_continued = match usize::try_from(row.0).unwrap_or(0) + self.hot_history() {
            0 => self.cold.is_open(),
            _ => grid[row - 1_usize]
                .last()
                .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE)),
        };
        let is_clear = |cell: &Cell| {
            cell.c == ' ' && cell.flags.is_empty() && cell.extra.is_none() && is_unseen(cell)
        };
        self.packs_history()
            && self.is_at_line_start()
            && !self.is_alternate()
            && mode.contains(TermMode::LINE_WRAP)
            && !mode.contains(TermMode::INSERT)
            && self.side.scroll_region == (0, bottom)
            && cursor.charsets[self.side.active_charset] == StandardCharset::Ascii
            && template.extra.is_none()
            && template.flags.is_empty()
            && Pen::of(template).is_default()
            && !is_continued
            && (row.0..=bottom as i32).all(|row| grid[Line(row)][..].iter().all(is_clear))
    }

    /// Takes the lines at the start of `text` that are nothing but lines, and returns how many bytes
    /// they were. Screen and grid history are empty afterwards, and the cursor is at the top.
    ///
    /// To be called only if [`Engine::can_skim`], and if text with [`Engine::rows_after_skim`] ends
    /// of lines follows: it fills the screen again.
    pub(super) fn skim(&mut self, text: &[u8]) -> usize {
        // Lines of valid text are valid.
        if simdutf8::basic::from_utf8(text).is_err() {
            return 0;
        }
        self.pack_above_cursor();
        let columns = self.columns();
        let mut used = 0;
        let mut last_line: &[u8] = &[];
        while let Some(line) = LineShape::of(&text[used..], columns) {
            let start = used;
            used += line.length + 2;
            self.cold.push_line(&text[start..start + line.kept], &line);
            if line.length > 0 {
                last_line = &text[start..start + line.length];
            }
        }
        if let Some(last) = utf8::last_character(last_line) {
            self.side.last_printed = Some(last);
        }
        used
    }

    /// Packs everything above the cursor's row and puts that row at the top of an empty screen.
    fn pack_above_cursor(&mut self) {
        let cursor_line = self.term.grid().cursor.point.line.0;
        let above = self.hot_history() + usize::try_from(cursor_line).unwrap_or(0);
        if above == 0 {
            return;
        }
        self.push_oldest(above);
        let grid = self.term.grid_mut();
        grid.reset_region(Line(0)..);
        grid.cursor.point.line = Line(0);
        self.drop_hot_history();
    }
}

impl LineShape {
    /// Measures the line at the start of `bytes`, which is to end with CR LF. None if it does not, or
    /// if its cells would hold anything but its characters, one after the other.
    pub(super) fn of(bytes: &[u8], columns: usize) -> Option<LineShape> {
        let Measured { length, cells } = measure(bytes)?;
        let text = &bytes[..length];
        let trimmed = text.iter().rposition(|byte| *byte != b' ');
        let trimmed = trimmed.map_or(0, |last| last + 1);
        let uneven = !text.is_ascii();
        if cells <= columns {
            return Some(LineShape {
                length,
                kept: trimmed,
                cells: cells - (length - trimmed),
                rows: 1,
                uneven,
                blank_end: false,
            });
        }
        // The rows above the last are full whether or not it can be seen.
        let (mut rows, mut last_row) = (1, 0);
        if uneven {
            wrap_uneven(std::str::from_utf8(text).ok()?, 0, columns, |end| {
                rows += 1;
                last_row = end;
            });
        } else {
            rows = cells.div_ceil(columns);
            last_row = (rows - 1) * columns;
        }
        let kept = trimmed.max(last_row);
        let blank_end = kept == last_row;
        Some(LineShape {
            length,
            kept,
            cells: cells - (length - kept) + usize::from(blank_end),
            rows,
            uneven,
            blank_end,
        })
    }
}

struct Measured {
    /// Bytes before the end of the line.
    length: usize,
    cells: usize,
}

/// Goes through one line of valid text up to its CR LF, as far as it is plain.
fn measure(bytes: &[u8]) -> Option<Measured> {
    let ascii = utf8::printable_ascii(bytes);
    // With the character that the first one behind, if it is a mark, is drawn on.
    let from = ascii.saturating_sub(1);
    let (length, cells) = match bytes.get(ascii)? {
        0xc2.. => {
            let length = ascii + utf8::until_control(&bytes[ascii..], bytes.len());
            (length, from + columns(&bytes[from..length], COMBINING_MAX)?)
        }
        _ => (ascii, ascii),
    };
    bytes[length..]
        .starts_with(b"\r\n")
        .then_some(Measured { length, cells })
}
