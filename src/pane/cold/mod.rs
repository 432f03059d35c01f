//! Scrollback that has left the grid, packed: the text of logical lines in one growing buffer a
//! chunk, with the runs of equal looks beside it.
//!
//! A grid row costs 24 bytes a column however short its text is; here a row costs its text and 16
//! bytes. Soft-wrapped rows are joined, so a change of width touches nothing: lines are wrapped
//! anew when they are read.

mod chunk;
mod row;
mod wrap;

use std::collections::VecDeque;
use std::ops::Range;

use alacritty_terminal::grid::Row;
use alacritty_terminal::term::cell::{Cell, Hyperlink};

use self::chunk::{CHUNK_TEXT, Linked, NO_PEN, Run};
use self::wrap::{Wrapped, as_text};
use super::pack::Packing;
use super::pen::Pen;

pub(super) use self::chunk::{Chunk, Line, PEN_SLOTS};
pub(super) use self::row::{ColdRow, Piece};
pub(super) use self::wrap::wrap_uneven;

/// What there is to know of a line of text that has never been in the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineShape {
    /// Bytes of its text as it came.
    pub(super) length: usize,
    /// Bytes of that which are kept: blanks at its end are not.
    pub(super) kept: usize,
    /// As in [`Line`], of what is kept.
    pub(super) cells: usize,
    /// Rows it takes at the width it was measured with.
    pub(super) rows: usize,
    /// As in [`Line`].
    pub(super) uneven: bool,
    /// As in [`Line`].
    pub(super) blank_end: bool,
}

/// The packed scrollback of one pane.
#[derive(Debug)]
pub(super) struct Cold {
    chunks: VecDeque<Chunk>,
    columns: usize,
    rows: usize,
    dropped_rows: u64,
    /// The latest number of a pen in the newest chunk, by hash.
    recent_pens: [u16; PEN_SLOTS],
    /// Where the newest line ends when it is wrapped.
    newest_end: Wrapped,
}

impl Cold {
    /// An empty store that counts its rows at a width of `columns`.
    pub(super) fn new(columns: usize) -> Cold {
        Cold {
            chunks: VecDeque::new(),
            columns,
            rows: 0,
            dropped_rows: 0,
            recent_pens: [NO_PEN; PEN_SLOTS],
            newest_end: Wrapped::START,
        }
    }

    /// Rows in the store at its width.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Rows that [`Cold::limit`] and [`Cold::clear`] have taken away in all.
    pub(super) fn dropped_rows(&self) -> u64 {
        self.dropped_rows
    }

    /// Counts rows at another width from now on.
    pub(super) fn set_columns(&mut self, columns: usize) {
        if columns == self.columns {
            return;
        }
        self.columns = columns;
        self.rows = 0;
        for chunk in &mut self.chunks {
            chunk.rows = (chunk.dropped..chunk.lines.len())
                .map(|line| chunk.rows_of(line, columns))
                .sum();
            self.rows += chunk.rows;
        }
        if self.is_open()
            && let Some(chunk) = self.chunks.back()
        {
            self.newest_end = Wrapped::START;
            self.newest_end
                .add(chunk.text(chunk.lines.len() - 1), columns);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.dropped_rows += self.rows as u64;
        self.chunks.clear();
        self.rows = 0;
    }

    /// Drops whole lines, the oldest first, until no more than `rows` are left.
    pub(super) fn limit(&mut self, rows: usize) {
        while self.rows > rows {
            let Some(chunk) = self.chunks.front_mut() else {
                return;
            };
            if self.rows.saturating_sub(chunk.rows) >= rows || chunk.dropped >= chunk.lines.len() {
                self.rows = self.rows.saturating_sub(chunk.rows);
                self.dropped_rows += chunk.rows as u64;
                self.chunks.pop_front();
                continue;
            }
            let line_rows = chunk.rows_of(chunk.dropped, self.columns);
            chunk.dropped += 1;
            chunk.rows = chunk.rows.saturating_sub(line_rows);
            self.rows = self.rows.saturating_sub(line_rows);
            self.dropped_rows += line_rows as u64;
        }
    }

    /// Whether the newest line goes on in the row that will be pushed next.
    pub(super) fn is_open(&self) -> bool {
        self.newest_line().is_some_and(|line| line.continues)
    }

    fn newest_line(&self) -> Option<&Line> {
        self.chunks
            .back()
            .and_then(|chunk| chunk.lines[chunk.dropped..].last())
    }

    /// Begins another chunk if the newest one is full.
    fn make_room(&mut self) {
        if self.chunks.back().is_none_or(Chunk::is_full) {
            if let Some(full) = self.chunks.back_mut() {
                full.text.shrink_to_fit();
                full.runs.shrink_to_fit();
                full.pens.shrink_to_fit();
                full.lines.shrink_to_fit();
                full.links.shrink_to_fit();
            }
            self.chunks.push_back(Chunk {
                text: Vec::with_capacity(CHUNK_TEXT + CHUNK_TEXT / 4),
                ..Chunk::default()
            });
            self.recent_pens = [NO_PEN; PEN_SLOTS];
        }
    }

    /// Adds a whole line in the default pen below the newest one, which must not go on in it. `text`
    /// is what is kept of it, which is UTF-8, and its shape was measured at the width of the store.
    pub(super) fn push_line(&mut self, text: &[u8], shape: &LineShape) {
        debug_assert!(!self.is_open() && text.len() == shape.kept);
        self.make_room();
        let Some(chunk) = self.chunks.back_mut() else {
            return;
        };
        let (text_start, runs_start) = chunk.start(chunk.lines.len());
        chunk.cut(text_start, runs_start);
        chunk.text.extend_from_slice(text);
        chunk.lines.push(Line {
            text_end: chunk.text.len() as u32,
            runs_end: runs_start as u32,
            cells: shape.cells as u32,
            uneven: shape.uneven,
            continues: false,
            blank_end: shape.blank_end,
        });
        chunk.rows += shape.rows;
        self.rows += shape.rows;
    }

    /// Adds a grid row below the newest one.
    pub(super) fn push(&mut self, row: &Row<Cell>) {
        let open = self.is_open();
        self.make_room();
        let columns = self.columns;
        let Some(chunk) = self.chunks.back_mut() else {
            return;
        };
        // A line that was open when its chunk filled up goes on as a new piece in this one.
        let joined = if open { chunk.lines.pop() } else { None };
        let (text_before, rows_before) = match joined {
            Some(line) => (line.text_end as usize, self.newest_end.rows),
            None => {
                self.newest_end = Wrapped::START;
                (chunk.start(chunk.lines.len()).0, 0)
            }
        };
        let mut packing = Packing::new(chunk, joined, &mut self.recent_pens);
        let line = packing.pack(row);
        let uneven = packing.uneven;
        let cells = line.cells - joined.map_or(0, |line| line.cells);
        chunk.lines.push(line);
        if !uneven || (joined.is_none() && cells as usize <= columns) {
            self.newest_end.add_even(cells as usize, columns);
        } else {
            self.newest_end
                .add(as_text(&chunk.text[text_before..]), columns);
        }
        let rows = self.newest_end.rows - rows_before;
        chunk.rows += rows;
        self.rows += rows;
    }

    /// The lines that are kept, the newest first.
    pub(super) fn newest_pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.chunks.iter().rev().flat_map(|chunk| {
            (chunk.dropped..chunk.lines.len()).rev().map(|line| {
                let entry = chunk.lines[line];
                let (text_start, runs_start) = chunk.start(line);
                Piece {
                    text: &chunk.text[text_start..entry.text_end as usize],
                    runs: &chunk.runs[runs_start..entry.runs_end as usize],
                    pens: &chunk.pens,
                    links: &chunk.links,
                    start: text_start,
                    continues: entry.continues,
                    blank_end: entry.blank_end,
                }
            })
        })
    }

    /// Adds what [`Cold::newest_pieces`] gave below the newest line, which goes on in it if it is open. The
    /// runs are bytes of the text and their pen; links are in the order of the text.
    pub(super) fn push_piece(
        &mut self,
        text: &str,
        runs: impl Iterator<Item = (usize, Pen)>,
        links: impl Iterator<Item = (Range<usize>, Hyperlink)>,
        continues: bool,
        blank_end: bool,
    ) {
        self.make_room();
        let columns = self.columns;
        let Some(chunk) = self.chunks.back_mut() else {
            return;
        };
        let (mut added, start) = (0, chunk.text.len());
        for (place, link) in links {
            chunk
                .text
                .extend_from_slice(&text.as_bytes()[added..place.end]);
            chunk.note_link(start + place.start, link);
            added = place.end;
        }
        chunk.text.extend_from_slice(&text.as_bytes()[added..]);
        for (bytes, pen) in runs {
            chunk.push_run(bytes, pen, &mut self.recent_pens);
        }
        let uneven = !text.is_ascii();
        let cells = if uneven {
            wrap_uneven(text, 0, usize::MAX, |_| ())
        } else {
            text.len()
        };
        chunk.lines.push(Line {
            text_end: chunk.text.len() as u32,
            runs_end: chunk.runs.len() as u32,
            cells: cells as u32 + u32::from(blank_end),
            uneven,
            continues,
            blank_end,
        });
        let rows = chunk.rows_of(chunk.lines.len() - 1, columns);
        chunk.rows += rows;
        self.rows += rows;
        if continues {
            self.newest_end = Wrapped::START;
            self.newest_end.add(text, columns);
        }
    }

    /// Gives the rows from `start` up to but without `end` to `visit`, counted from the oldest.
    pub(super) fn visit_rows<'a>(
        &'a self,
        start: usize,
        end: usize,
        mut visit: impl FnMut(ColdRow<'a>),
    ) {
        let mut first = 0;
        for chunk in &self.chunks {
            if first >= end {
                return;
            }
            if first + chunk.rows <= start {
                first += chunk.rows;
                continue;
            }
            for line in chunk.dropped..chunk.lines.len() {
                let rows = chunk.rows_of(line, self.columns);
                if first >= end {
                    return;
                }
                if first + rows > start {
                    chunk.visit_rows(line, self.columns, |number, row| {
                        if (start..end).contains(&(first + number)) {
                            visit(row);
                        }
                    });
                }
                first += rows;
            }
        }
    }

    /// Whether any line has text.
    pub(super) fn has_text(&self) -> bool {
        self.chunks.iter().any(|chunk| {
            (chunk.dropped..chunk.lines.len())
                .any(|line| !chunk.text(line).trim_end_matches(' ').is_empty())
        })
    }

    /// Bytes on the heap, for tests and measurements.
    pub(super) fn heap_bytes(&self) -> usize {
        self.chunks.capacity() * size_of::<Chunk>()
            + self
                .chunks
                .iter()
                .map(|chunk| {
                    chunk.text.capacity()
                        + chunk.runs.capacity() * size_of::<Run>()
                        + chunk.pens.capacity() * size_of::<Pen>()
                        + chunk.lines.capacity() * size_of::<Line>()
                        + chunk.links.capacity() * size_of::<Linked>()
                        + chunk.link_bytes
                })
                .sum::<usize>()
    }
}
