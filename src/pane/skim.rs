//! Lines that scroll through the screen before anybody can look go straight from the stream into
//! packed scrollback. Putting their characters into cells, only to pack the cells and to clear them
//! again, is most of what a flood of text costs.
//!
//! That is the same picture in the end only where a line is nothing but characters and their looks: see
//! [`Engine::can_skim`] for the state and [`Engine::read_line`] for the text that it takes.

use std::collections::VecDeque;

use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use vte::ansi::StandardCharset;

use super::cold::{LineShape, wrap_uneven};
use super::dispatch::{self, PARAMETERS_MAX};
use super::engine::{COMBINING_MAX, Engine};
use super::pen::{Pen, has_background, is_unseen};
use super::stream::simple_csi;
use super::utf8;
use super::width::columns;

const ESC: u8 = 0x1b;

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

    /// Whether text from the cursor on only ever appends: there is nothing in its row and below, rows
    /// that come from below are blank, and all of the screen scrolls.
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
            && !has_background(template)
            && !is_continued
            && (row.0..=bottom as i32).all(|row| grid[Line(row)][..].iter().all(is_clear))
    }

    /// Takes lines at the start of `text`, as long as they are nothing but lines, into packed
    /// scrollback. Screen and grid history are empty afterwards, and the cursor is at the top.
    ///
    /// The last of them, a screenful, are left to be shown, so that what follows scrolls as it would
    /// have: a row that scrolls in may get a background. If there are no more, nothing is done.
    ///
    /// To be called only if [`Engine::can_skim`], and if text with [`Engine::rows_after_skim`] ends
    /// of lines follows: it fills the screen again.
    pub(super) fn skim(&mut self, text: &[u8]) -> Skimmed {
        let rows = self.rows();
        let mut line = DrawnLine::default();
        // Lines of valid text are valid.
        if simdutf8::basic::from_utf8(text).is_err() || !self.has_lines(text, rows, &mut line) {
            return Skimmed::default();
        }
        self.pack_above_cursor();
        // Where the last lines begin, and how what they begin with looks.
        let mut last = VecDeque::with_capacity(rows + 1);
        let mut used = 0;
        loop {
            let template = self.term.grid().cursor.template.clone();
            let Some((length, shape)) = self.read_line(&text[used..], &mut line) else {
                break;
            };
            let drawn = line.text(&text[used..]);
            self.cold
                .push_line(&drawn[..shape.kept], &shape, &line.runs);
            if let Some(character) = utf8::last_character(drawn) {
                self.side.last_printed = Some(character);
            }
            last.push_back((used, template));
            if last.len() > rows {
                last.pop_front();
            }
            used += length;
        }
        for _ in &last {
            self.cold.pop_line();
        }
        let whole = used == text.len();
        if let Some((start, template)) = last.pop_front() {
            used = start;
            self.term.grid_mut().cursor.template = template;
        }
        Skimmed { used, whole }
    }

    /// Whether `text` begins with so many lines that are nothing but lines.
    fn has_lines(&mut self, text: &[u8], lines: usize, line: &mut DrawnLine) -> bool {
        let template = self.term.grid().cursor.template.clone();
        let mut used = 0;
        let found = (0..lines).all(|_| match self.read_line(&text[used..], line) {
            Some((length, _)) => {
                used += length;
                true
            }
            None => false,
        });
        self.term.grid_mut().cursor.template = template;
        found
    }

    /// Takes apart the line at the start of `bytes`, which is to end with CR LF, and returns how many
    /// bytes it is with them, and its shape. None if it does not, or if its cells would hold anything
    /// but its characters, one after the other, or if it may leave a background to the next row.
    ///
    /// The engine's look becomes that at the end of the line, or anything if there is none.
    fn read_line(&mut self, bytes: &[u8], line: &mut DrawnLine) -> Option<(usize, LineShape)> {
        line.clear();
        let mut pen = Pen::of(&self.term.grid().cursor.template);
        let (mut position, mut cells) = (0, 0);
        // Where the characters begin that have not been added to the line.
        let mut start = 0;
        loop {
            let ascii = utf8::printable_ascii(&bytes[position..]);
            position += ascii;
            cells += ascii;
            match bytes.get(position)? {
                0xc2.. => {
                    // With the character that the first one, if it is a mark, would be drawn on.
                    let from = if position > start {
                        position - 1
                    } else {
                        position
                    };
                    let end = position + utf8::until_control(&bytes[position..], bytes.len());
                    cells += columns(&bytes[from..end], COMBINING_MAX)? - (position - from);
                    position = end;
                    line.ascii = false;
                }
                &ESC => {
                    line.push(&bytes[start..position], pen);
                    position += self.take_look(&bytes[position..])?;
                    pen = Pen::of(&self.term.grid().cursor.template);
                    start = position;
                }
                b'\r' if bytes.get(position + 1) == Some(&b'\n') => break,
                _ => return None,
            }
        }
        if start > 0 {
            line.push(&bytes[start..position], pen);
        } else {
            line.whole = Some(position);
            if !pen.is_default() && position > 0 {
                line.runs.push((position, pen));
            }
        }
        line.cells = cells;
        let template = &self.term.grid().cursor.template;
        if has_background(template) || template.extra.is_some() {
            return None;
        }
        let shape = LineShape::of(line.text(bytes), line, self.columns())?;
        Some((position + 2, shape))
    }

    /// Runs the sequence at the start of `bytes` if it only changes how characters look, and returns its
    /// length.
    fn take_look(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut values = [0; PARAMETERS_MAX];
        let csi = simple_csi(bytes, &mut values)?;
        let values = &values[..csi.count];
        match (csi.private, csi.action) {
            (false, 'm') => dispatch::csi(self, values, b"", 'm'),
            // There is nothing to erase right of the cursor.
            (false, 'K')
                if *values == [0] && !has_background(&self.term.grid().cursor.template) => {}
            _ => return None,
        }
        Some(csi.length)
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

/// What [`Engine::skim`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Skimmed {
    /// Bytes of the text that are in packed scrollback.
    pub(super) used: usize,
    /// All of the text was nothing but lines.
    pub(super) whole: bool,
}

/// The characters of a line and how they look.
#[derive(Debug, Default)]
struct DrawnLine {
    /// Bytes of the stream that are the text, if it is in one piece there.
    whole: Option<usize>,
    /// The text otherwise.
    text: Vec<u8>,
    /// Bytes that look alike; none if all are in the default pen and in one piece.
    runs: Vec<(usize, Pen)>,
    /// Columns that it takes.
    cells: usize,
    /// All characters are ASCII.
    ascii: bool,
}

impl DrawnLine {
    fn clear(&mut self) {
        self.whole = None;
        self.text.clear();
        self.runs.clear();
        self.cells = 0;
        self.ascii = true;
    }

    fn push(&mut self, text: &[u8], pen: Pen) {
        if text.is_empty() {
            return;
        }
        self.text.extend_from_slice(text);
        match self.runs.last_mut() {
            Some((bytes, last)) if *last == pen => *bytes += text.len(),
            _ => self.runs.push((text.len(), pen)),
        }
    }

    /// The text of the line that `bytes` begins with.
    fn text<'a>(&'a self, bytes: &'a [u8]) -> &'a [u8] {
        match self.whole {
            Some(length) => &bytes[..length],
            None => &self.text,
        }
    }

    /// Bytes of the text without the blanks at its end that cannot be seen.
    fn seen(&self, text: &[u8]) -> usize {
        let mut end = text.len();
        let mut runs = self.runs.iter().rev();
        loop {
            let run = runs.next();
            if run.is_some_and(|(_, pen)| pen.is_seen_on_blank()) {
                return end;
            }
            let start = run.map_or(0, |(bytes, _)| end.saturating_sub(*bytes));
            let last = text[start..end].iter().rposition(|byte| *byte != b' ');
            match last {
                Some(last) => return start + last + 1,
                None if start == 0 => return 0,
                None => end = start,
            }
        }
    }
}

impl LineShape {
    /// Measures a line. None if it is wrapped and its background might go on in the next row.
    fn of(text: &[u8], line: &DrawnLine, columns: usize) -> Option<LineShape> {
        let cells = line.cells;
        let seen = line.seen(text);
        let uneven = !line.ascii;
        if cells <= columns {
            return Some(LineShape {
                kept: seen,
                cells: cells - (text.len() - seen),
                rows: 1,
                uneven,
                blank_end: false,
            });
        }
        if line.runs.iter().any(|(_, pen)| pen.has_background()) {
            return None;
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
        let kept = seen.max(last_row);
        let blank_end = kept == last_row;
        Some(LineShape {
            kept,
            cells: cells - (text.len() - kept) + usize::from(blank_end),
            rows,
            uneven,
            blank_end,
        })
    }
}
