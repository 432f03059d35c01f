//! Lines of packed scrollback that are kept and dropped together.

use alacritty_terminal::term::cell::Hyperlink;

use super::row::ColdRow;
use super::wrap::{as_text, wrap_uneven};
use crate::pane::pen::Pen;

/// Bytes of text after which a chunk takes no more rows. Large enough that the chunk's own cost
/// vanishes, small enough that dropping the oldest gives memory back in small steps.
pub(super) const CHUNK_TEXT: usize = 32 * 1024;

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
pub(in crate::pane) const PEN_SLOTS: usize = 64;

/// Number of a pen that is not there.
pub(super) const NO_PEN: u16 = u16::MAX;

/// So many bytes of a line, drawn with one pen of its chunk.
#[derive(Debug, Clone, Copy)]
pub(in crate::pane) struct Run {
    pub(in crate::pane) bytes: u16,
    pub(in crate::pane) pen: u16,
}

/// A logical line or, where a chunk ended within one, a piece of it.
#[derive(Debug, Clone, Copy)]
pub(in crate::pane) struct Line {
    /// Where its text and runs end in the chunk; they begin where those of the line before end.
    /// A line without runs is drawn with the default pen.
    pub(in crate::pane) text_end: u32,
    pub(in crate::pane) runs_end: u32,
    /// Columns it takes when it is not wrapped.
    pub(in crate::pane) cells: u32,
    /// It has characters that do not take exactly one column.
    pub(in crate::pane) uneven: bool,
    /// It is not the end of the logical line.
    pub(in crate::pane) continues: bool,
    /// It was wrapped into a row that stayed blank. That row has no text but counts a column.
    pub(in crate::pane) blank_end: bool,
}

/// A piece of a chunk's text that is a link.
#[derive(Debug, Clone)]
pub(in crate::pane) struct Linked {
    /// Where it begins and ends in the text of the chunk.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) link: Hyperlink,
}

/// Lines that are kept and dropped together.
#[derive(Debug, Default)]
pub(in crate::pane) struct Chunk {
    /// UTF-8; checked when it is read, which is rare, rather than when it is written.
    pub(in crate::pane) text: Vec<u8>,
    pub(in crate::pane) runs: Vec<Run>,
    pub(in crate::pane) pens: Vec<Pen>,
    pub(in crate::pane) lines: Vec<Line>,
    /// From left to right and from top to bottom.
    pub(super) links: Vec<Linked>,
    /// Bytes of the addresses in `links`, each counted once where it stands side by side.
    pub(super) link_bytes: usize,
    /// Lines at the start that no longer count.
    pub(super) dropped: usize,
    /// Rows of the lines that count, at the store's width.
    pub(super) rows: usize,
}

impl Chunk {
    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= CHUNK_TEXT
            || self.lines.len() >= CHUNK_LINES
            || self.runs.len() >= CHUNK_RUNS
    }

    /// Where the text and runs of a line begin.
    pub(in crate::pane) fn start(&self, line: usize) -> (usize, usize) {
        match line.checked_sub(1).map(|before| self.lines[before]) {
            Some(before) => (before.text_end as usize, before.runs_end as usize),
            None => (0, 0),
        }
    }

    /// Adds a run of the last line, `bytes` long. `recent_pens` finds the latest numbers of pens.
    pub(in crate::pane) fn push_run(
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
    pub(in crate::pane) fn cut(&mut self, text_end: usize, runs_end: usize) {
        self.text.truncate(text_end);
        self.runs.truncate(runs_end);
        while self
            .links
            .pop_if(|piece| piece.end as usize > text_end)
            .is_some()
        {}
    }

    /// Notes that the text from `start` to its present end is a link.
    pub(in crate::pane) fn note_link(&mut self, start: usize, link: Hyperlink) {
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

    pub(super) fn text(&self, line: usize) -> &str {
        let (start, _) = self.start(line);
        as_text(&self.text[start..self.lines[line].text_end as usize])
    }

    /// Rows a line takes at this width.
    pub(super) fn rows_of(&self, line: usize, columns: usize) -> usize {
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
    pub(super) fn visit_rows<'a>(
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
