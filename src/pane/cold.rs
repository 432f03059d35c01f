//! Scrollback that has left the grid, packed: the text of logical lines in one growing buffer a
//! chunk, with the runs of equal looks beside it.
//!
//! A grid row costs 24 bytes a column however short its text is; here a row costs its text and 16
//! bytes. Soft-wrapped rows are joined, so a change of width touches nothing: lines are wrapped
//! anew when they are read.

use std::collections::VecDeque;
use std::ops::Range;

use alacritty_terminal::grid::Row;
use alacritty_terminal::term::cell::{Cell, Hyperlink};

use super::pack::Packing;
use super::pen::Pen;
use super::width::width;

/// Bytes of text after which a chunk takes no more rows. Large enough that the chunk's own cost
/// vanishes, small enough that dropping the oldest gives memory back in small steps.
const CHUNK_TEXT: usize = 32 * 1024;

/// Lines after which a chunk takes no more rows: blank lines have no text to fill it.
const CHUNK_LINES: usize = 1024;

/// Runs after which a chunk takes no more rows. A row adds at most one run a column, so a pen's
/// number always fits 16 bits.
const CHUNK_RUNS: usize = 16 * 1024;

/// Links in a chunk, in pieces and in bytes of their addresses. What goes beyond stays as text: whole
/// screens of links have a few hundred, and a chunk's links must not cost many times its text.
const CHUNK_LINKS: usize = 4 * 1024;
const CHUNK_LINK_BYTES: usize = 64 * 1024;

/// Slots of the table that finds a pen used before in the same chunk. A miss costs 16 bytes.
pub(super) const PEN_SLOTS: usize = 64;

/// Number of a pen that is not there.
const NO_PEN: u16 = u16::MAX;

/// So many bytes of a line, drawn with one pen of its chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) bytes: u16,
    pub(super) pen: u16,
}

/// A logical line or, where a chunk ended within one, a piece of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// Where its text and runs end in the chunk; they begin where those of the line before end.
    /// A line without runs is drawn with the default pen.
    pub(super) text_end: u32,
    pub(super) runs_end: u32,
    /// Columns it takes when it is not wrapped.
    pub(super) cells: u32,
    /// It has characters that do not take exactly one column.
    pub(super) uneven: bool,
    /// It is not the end of the logical line.
    pub(super) continues: bool,
    /// It was wrapped into a row that stayed blank. That row has no text but counts a column.
    pub(super) blank_end: bool,
}

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

/// A piece of a chunk's text that is a link.
#[derive(Debug, Clone)]
pub(super) struct Linked {
    /// Where it begins and ends in the text of the chunk.
    start: u32,
    end: u32,
    link: Hyperlink,
}

/// Lines that are kept and dropped together.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// UTF-8; checked when it is read, which is rare, rather than when it is written.
    pub(super) text: Vec<u8>,
    pub(super) runs: Vec<Run>,
    pub(super) pens: Vec<Pen>,
    pub(super) lines: Vec<Line>,
    /// From left to right and from top to bottom.
    links: Vec<Linked>,
    /// Bytes of the addresses in `links`, each counted once where it stands side by side.
    link_bytes: usize,
    /// Lines at the start that no longer count.
    dropped: usize,
    /// Rows of the lines that count, at the store's width.
    rows: usize,
}

impl Chunk {
    fn is_full(&self) -> bool {
        self.text.len() >= CHUNK_TEXT
            || self.lines.len() >= CHUNK_LINES
            || self.runs.len() >= CHUNK_RUNS
    }

    /// Where the text and runs of a line begin.
    pub(super) fn start(&self, line: usize) -> (usize, usize) {
        match line.checked_sub(1).map(|before| self.lines[before]) {
            Some(before) => (before.text_end as usize, before.runs_end as usize),
            None => (0, 0),
        }
    }

    /// Adds a run of the last line, `bytes` long. `recent_pens` finds the latest numbers of pens.
    pub(super) fn push_run(
        &mut self,
        mut bytes: usize,
        pen: Pen,
        recent_pens: &mut [u16; PEN_SLOTS],
    ) {
        if bytes == 0 {
            return;
        }
        let slot = pen.slot(PEN_SLOTS);
        let known = recent_pens[slot];
        let number = if self.pens.get(usize::from(known)) == Some(&pen) {
            known
        } else {
            let number = self.pens.len() as u16;
            self.pens.push(pen);
            recent_pens[slot] = number;
            number
        };
        while bytes > 0 {
            let part = bytes.min(usize::from(u16::MAX));
            self.runs.push(Run {
                bytes: part as u16,
                pen: number,
            });
            bytes -= part;
        }
    }

    /// Forgets text and runs from here on. A row that was being packed when the engine failed left
    /// both without a line.
    pub(super) fn cut(&mut self, text_end: usize, runs_end: usize) {
        self.text.truncate(text_end);
        self.runs.truncate(runs_end);
        while self
            .links
            .pop_if(|piece| piece.end as usize > text_end)
            .is_some()
        {}
    }

    /// Notes that the text from `start` to its present end is a link.
    pub(super) fn note_link(&mut self, start: usize, link: Hyperlink) {
        let (start, end) = (start as u32, self.text.len() as u32);
        if let Some(last) = self.links.last_mut()
            && last.end == start
            && last.link == link
        {
            last.end = end;
            return;
        }
        let is_known = self.links.last().is_some_and(|last| last.link == link);
        let bytes = if is_known {
            0
        } else {
            link.uri().len() + link.id().len()
        };
        if self.links.len() < CHUNK_LINKS && self.link_bytes + bytes <= CHUNK_LINK_BYTES {
            self.link_bytes += bytes;
            self.links.push(Linked { start, end, link });
        }
    }

    fn text(&self, line: usize) -> &str {
        let (start, _) = self.start(line);
        as_text(&self.text[start..self.lines[line].text_end as usize])
    }

    /// Rows a line takes at this width.
    fn rows_of(&self, line: usize, columns: usize) -> usize {
        let entry = self.lines[line];
        if entry.cells as usize <= columns {
            1
        } else if entry.uneven {
            let mut rows = 1;
            let column = wrap_uneven(self.text(line), 0, columns, |_| rows += 1);
            rows + usize::from(entry.blank_end && column == columns)
        } else {
            (entry.cells as usize).div_ceil(columns)
        }
    }

    /// Gives every row of a line to `visit`, the first with number 0.
    fn visit_rows<'a>(
        &'a self,
        line: usize,
        columns: usize,
        mut visit: impl FnMut(usize, ColdRow<'a>),
    ) {
        let entry = self.lines[line];
        let (text_start, runs_start) = self.start(line);
        let text = as_text(&self.text[text_start..entry.text_end as usize]);
        let runs = &self.runs[runs_start..entry.runs_end as usize];
        let mut number = 0;
        let mut row_start = 0;
        let mut emit = |end: usize, wrapped: bool| {
            let row = ColdRow {
                text: &text[row_start..end],
                runs,
                pens: &self.pens,
                links: &self.links,
                start: text_start + row_start,
                skip: row_start,
                wrapped,
            };
            visit(number, row);
            number += 1;
            row_start = end;
        };
        let column = if entry.uneven {
            wrap_uneven(text, 0, columns, |end| emit(end, true))
        } else {
            let mut end = columns;
            while end < text.len() {
                emit(end, true);
                end += columns;
            }
            text.len() + columns - end
        };
        if entry.blank_end && column == columns {
            emit(text.len(), true);
        }
        emit(text.len(), entry.continues);
    }
}

/// What the grid's characters were packed as; never anything but valid.
fn as_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Calls `row_ends` with the byte offset of every place where a row is full and text follows, and
/// returns how far the last row is filled. The first row is filled up to `column` already.
pub(super) fn wrap_uneven(
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
struct Wrapped {
    rows: usize,
    column: usize,
}

impl Wrapped {
    const START: Wrapped = Wrapped { rows: 1, column: 0 };

    /// Goes on with `cells` characters of one column, or fewer columns than a row has in all.
    fn add_even(&mut self, cells: usize, columns: usize) {
        let total = self.column + cells;
        let more = total.saturating_sub(1) / columns;
        self.rows += more;
        self.column = total - more * columns;
    }

    fn add(&mut self, text: &str, columns: usize) {
        let rows = &mut self.rows;
        self.column = wrap_uneven(text, self.column, columns, |_| *rows += 1);
    }
}

/// One row of packed scrollback at some width.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColdRow<'a> {
    text: &'a str,
    /// The runs of the whole line, of which the first `skip` bytes lie in rows above.
    runs: &'a [Run],
    pens: &'a [Pen],
    skip: usize,
    /// The links of the whole chunk, in whose text the row's begins at `start`.
    links: &'a [Linked],
    start: usize,
    wrapped: bool,
}

impl<'a> ColdRow<'a> {
    /// The row's text, with blanks where it was drawn as blanks.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the row below goes on with the same logical line.
    pub(super) fn is_wrapped(&self) -> bool {
        self.wrapped
    }

    /// Gives the row's pieces of equal look and of one link, or none, left to right.
    pub(super) fn visit_pieces(&self, mut visit: impl FnMut(&'a str, Pen, Option<&'a Hyperlink>)) {
        let mut at = self.start;
        self.visit_runs(|run, pen| {
            let mut rest = run;
            while !rest.is_empty() {
                let (length, link) = self.link_at(at, rest.len());
                // Links begin and end where characters do; what is damaged is no link.
                let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
                visit(piece, pen, link);
                at += piece.len();
                rest = behind;
            }
        });
    }

    /// How many of the next bytes of text, at most `most`, are one link or none, and which.
    fn link_at(&self, at: usize, most: usize) -> (usize, Option<&'a Hyperlink>) {
        let next = self.links.partition_point(|piece| piece.end as usize <= at);
        match self.links.get(next) {
            None => (most, None),
            Some(piece) if piece.start as usize <= at => {
                (most.min(piece.end as usize - at), Some(&piece.link))
            }
            Some(piece) => (most.min(piece.start as usize - at), None),
        }
    }

    /// Gives the row's pieces of equal look, left to right.
    pub(super) fn visit_runs(&self, mut visit: impl FnMut(&'a str, Pen)) {
        if self.runs.is_empty() {
            visit(self.text, Pen::default());
            return;
        }
        let row_end = self.skip + self.text.len();
        let mut run_start = 0;
        // Runs end where rows once ended, so two in a row may look the same.
        let mut piece = 0..0;
        let mut drawn = Pen::default();
        for run in self.runs {
            let run_end = run_start + usize::from(run.bytes);
            let (from, to) = (run_start.max(self.skip), run_end.min(row_end));
            if from < to {
                let pen = self
                    .pens
                    .get(usize::from(run.pen))
                    .copied()
                    .unwrap_or_default();
                if pen != drawn && !piece.is_empty() {
                    visit(&self.text[piece.clone()], drawn);
                    piece.start = piece.end;
                }
                drawn = pen;
                piece.end = to - self.skip;
            }
            if run_end >= row_end {
                break;
            }
            run_start = run_end;
        }
        if !piece.is_empty() {
            visit(&self.text[piece], drawn);
        }
    }
}

/// A line as it is kept, or a piece of one where a chunk ended within it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    /// UTF-8.
    pub(super) text: &'a [u8],
    /// None if all of it is in the default pen.
    pub(super) runs: &'a [Run],
    /// What the runs' numbers mean; the same slice in all pieces of a chunk.
    pub(super) pens: &'a [Pen],
    /// The links of the whole chunk, in whose text this one's begins at `start`.
    links: &'a [Linked],
    start: usize,
    /// As in [`Line`].
    pub(super) continues: bool,
    /// As in [`Line`].
    pub(super) blank_end: bool,
}

impl<'a> Piece<'a> {
    /// Which bytes of the text are links.
    pub(super) fn links(&self) -> impl Iterator<Item = (Range<usize>, &'a Hyperlink)> {
        let (start, end) = (self.start, self.start + self.text.len());
        let first = self
            .links
            .partition_point(|piece| piece.end as usize <= start);
        self.links[first..]
            .iter()
            .take_while(move |piece| (piece.start as usize) < end)
            .map(move |piece| {
                let from = (piece.start as usize).max(start) - start;
                let to = (piece.end as usize).min(end) - start;
                (from..to, &piece.link)
            })
    }
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
