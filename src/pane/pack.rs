//! How a grid row becomes text and runs in a chunk of packed scrollback. All output of a pane goes
//! through here once, so it looks at each cell as little as it can.

use std::ops::Range;

use alacritty_terminal::grid::Row;
use alacritty_terminal::term::cell::{Cell, Flags};

use super::cold::{Chunk, Line, PEN_SLOTS};
use super::drawn::{Drawn, drawn};
use super::pen::{Pen, alike_run, is_unseen};
use super::utf8;

/// Columns of a character by what the grid says of it, which are those that the text takes: the
/// engine marks a cell as wide exactly when its character is.
#[inline]
fn columns_of(cell: &Cell) -> u32 {
    1 + u32::from(cell.flags.contains(Flags::WIDE_CHAR))
}

/// A row on its way into a chunk: turns stretches of cells into text and runs, and leaves runs out
/// while all of the line is in the default pen.
pub(super) struct Packing<'a> {
    chunk: &'a mut Chunk,
    joined: Option<Line>,
    recent_pens: &'a mut [u16; PEN_SLOTS],
    /// Where the line's runs and text begin.
    runs_start: usize,
    line_start: usize,
    /// Where the text of the run being written begins.
    run_start: usize,
    /// What that run is drawn with.
    pen: Pen,
    /// Columns of the row.
    cells: u32,
    /// The row has characters that do not take exactly one column.
    pub(super) uneven: bool,
}

impl<'a> Packing<'a> {
    /// Begins a row of a new line, or of `joined`, which was taken out of the chunk.
    pub(super) fn new(
        chunk: &'a mut Chunk,
        joined: Option<Line>,
        recent_pens: &'a mut [u16; PEN_SLOTS],
    ) -> Self {
        let (line_start, runs_start) = chunk.start(chunk.lines.len());
        let text_end = joined.map_or(line_start, |line| line.text_end as usize);
        let runs_end = joined.map_or(runs_start, |line| line.runs_end as usize);
        chunk.cut(text_end, runs_end);
        Packing {
            chunk,
            joined,
            recent_pens,
            runs_start,
            line_start,
            run_start: text_end,
            pen: Pen::default(),
            cells: 0,
            uneven: false,
        }
    }

    /// Packs the row and returns the entry of its line.
    pub(super) fn pack(&mut self, row: &Row<Cell>) -> Line {
        let cells = &row[..];
        let continues = cells
            .last()
            .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE));
        let end = if continues {
            cells.len()
        } else {
            cells
                .iter()
                .rposition(|cell| !is_unseen(cell))
                .map_or(0, |last| last + 1)
        };
        let mut position = 0;
        while position < end {
            let cell = &cells[position];
            if drawn(cells, position) != Drawn::Nothing {
                let pen = Pen::of(cell);
                if pen != self.pen {
                    self.finish_run();
                    self.pen = pen;
                }
            }
            let run = alike_run(&cells[position..end]);
            let stretch = position..position + run.cells;
            if run.cells == 0 {
                self.push_combined(cells, position);
                position += 1;
            } else if run.ascii {
                self.push_ascii(&cells[stretch]);
            } else {
                self.push_characters(cells, stretch);
            }
            position += run.cells;
        }
        self.finish_run();
        let blank_end = self.joined.is_some() && end == 0;
        self.cells += u32::from(blank_end);
        Line {
            text_end: self.chunk.text.len() as u32,
            runs_end: self.chunk.runs.len() as u32,
            cells: self.joined.map_or(0, |line| line.cells) + self.cells,
            uneven: self.joined.is_some_and(|line| line.uneven) || self.uneven,
            continues,
            blank_end,
        }
    }

    /// Adds cells of one ASCII character each.
    fn push_ascii(&mut self, cells: &[Cell]) {
        // Of control characters the grid holds only tabs.
        self.chunk
            .text
            .extend(cells.iter().map(|cell| (cell.c as u8).max(b' ')));
        self.cells += cells.len() as u32;
    }

    /// Adds cells of a row of no more than one character each.
    fn push_characters(&mut self, row: &[Cell], stretch: Range<usize>) {
        self.uneven = true;
        let text = &mut self.chunk.text;
        let mut end = text.len();
        text.resize(end + stretch.len() * 4, 0);
        let mut columns = 0;
        for column in stretch {
            let cell = &row[column];
            let (character, of_cell) = match drawn(row, column) {
                Drawn::Character => (cell.c.max(' '), columns_of(cell)),
                Drawn::Blank => (' ', 1),
                Drawn::Nothing => continue,
            };
            let (bytes, length) = utf8::encode(character);
            // There are four bytes of room for each cell; as an array they are one store, no call.
            if let Some(room) = text[end..].first_chunk_mut() {
                *room = bytes;
            }
            end += length;
            columns += of_cell;
        }
        text.truncate(end);
        self.cells += columns;
    }

    /// Adds a cell of a row that may hold combining characters, or be a link.
    fn push_combined(&mut self, row: &[Cell], column: usize) {
        let cell = &row[column];
        let start = self.chunk.text.len();
        match drawn(row, column) {
            Drawn::Character => {
                self.uneven |= !cell.c.is_ascii();
                self.cells += columns_of(cell);
                let combining = cell.zerowidth().unwrap_or_default();
                self.uneven |= !combining.is_empty();
                for character in std::iter::once(&cell.c.max(' ')).chain(combining) {
                    let (bytes, length) = utf8::encode(*character);
                    self.chunk.text.extend_from_slice(&bytes[..length]);
                }
            }
            Drawn::Blank => {
                self.cells += 1;
                self.chunk.text.push(b' ');
            }
            Drawn::Nothing => return,
        }
        if let Some(link) = cell.hyperlink() {
            self.chunk.note_link(start, link);
        }
    }

    /// Ends the run that is being written at the end of the text.
    #[inline]
    fn finish_run(&mut self) {
        let bytes = self.chunk.text.len() - self.run_start;
        if bytes == 0 {
            return;
        }
        let line_has_runs = self.chunk.runs.len() > self.runs_start;
        if line_has_runs || !self.pen.is_default() {
            if !line_has_runs {
                self.push_run(self.run_start - self.line_start, Pen::default());
            }
            self.push_run(bytes, self.pen);
        }
        self.run_start = self.chunk.text.len();
    }

    fn push_run(&mut self, bytes: usize, pen: Pen) {
        self.chunk.push_run(bytes, pen, self.recent_pens);
    }
}
