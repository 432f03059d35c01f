//! Retained text by rows and columns, for selecting, moving a cursor through it, searching it and
//! finding links in it. Everything but the reading is decided on plain rows.

mod link;
mod motion;
mod retained;
mod search;
mod selection;

pub use link::{Link, Region, link_at};
pub use motion::{Motion, Words, moved};
pub use retained::Retained;
pub use search::{Direction, Found, Query, search};
pub use selection::{TEXT_LIMIT, selected};

/// A cell of the retained text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Counted from the oldest row that is kept.
    pub row: usize,
    /// Counted from 0.
    pub col: u16,
}

/// An inclusive run of cells in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: Point,
    pub end: Point,
}

/// A character with what combines with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyph {
    /// Its first column.
    pub col: u16,
    /// Columns that it takes, 1 or 2.
    pub width: u8,
    /// Where its text begins in that of the row; it ends where that of the next begins.
    start: u32,
}

/// One row of retained text. Blanks at its end are left out, unless the row below goes on with the
/// same line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextRow {
    text: String,
    glyphs: Vec<Glyph>,
    wrapped: bool,
    links: Vec<LinkRun>,
}

/// A run of cells that a program marked as a link (OSC 8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRun {
    /// First and last column.
    pub cols: (u16, u16),
    /// What joins the runs of one link: the program's own name for it, or one that was made up.
    pub id: String,
    pub address: String,
}

impl TextRow {
    /// Adds a character; one of no width joins the one before.
    pub(super) fn push(&mut self, character: char, col: u16, width: u8) {
        if width > 0 {
            // A row has at most 1,024 columns with a few combining characters each.
            let start = self.text.len() as u32;
            self.glyphs.push(Glyph { col, width, start });
        }
        self.text.push(character);
    }

    /// Ends the row: `wrapped` if the row below goes on with its line.
    pub(super) fn finish(&mut self, wrapped: bool) {
        self.wrapped = wrapped;
        while !wrapped && self.text.ends_with(' ') {
            // A blank takes one column and one byte, and nothing has combined with the last one.
            self.text.pop();
            self.glyphs.pop();
        }
    }

    /// Lets a cell belong to a link; cells come from left to right.
    pub(super) fn mark_link(&mut self, col: u16, id: &str, address: &str) {
        match self.links.last_mut() {
            Some(run) if run.cols.1 + 1 == col && run.id == id && run.address == address => {
                run.cols.1 = col;
            }
            _ => self.links.push(LinkRun {
                cols: (col, col),
                id: id.to_owned(),
                address: address.to_owned(),
            }),
        }
    }

    /// A row of plain text at its columns, for tests.
    #[cfg(test)]
    pub(super) fn of(text: &str, wrapped: bool) -> TextRow {
        let mut row = TextRow::default();
        let mut col = 0;
        for character in text.chars() {
            let width = super::width::width(character).unwrap_or(0) as u8;
            row.push(character, col, width);
            col += u16::from(width);
        }
        row.finish(wrapped);
        row
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The characters, left to right.
    pub fn glyphs(&self) -> &[Glyph] {
        &self.glyphs
    }

    /// Whether the row below goes on with the same line.
    pub fn is_wrapped(&self) -> bool {
        self.wrapped
    }

    /// Whether there is nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.text.bytes().all(|byte| byte == b' ')
    }

    /// The runs of cells that are links, left to right.
    pub fn links(&self) -> &[LinkRun] {
        &self.links
    }

    /// The text of the character with this number.
    fn glyph_text(&self, at: usize) -> &str {
        let start = self.glyphs[at].start as usize;
        let next = self.glyphs.get(at + 1);
        let end = next.map_or(self.text.len(), |next| next.start as usize);
        &self.text[start..end]
    }

    /// The number of the character on a column; none in the blank at the end.
    fn glyph_at(&self, col: u16) -> Option<usize> {
        let after = self.glyphs.partition_point(|glyph| glyph.col <= col);
        let at = after.checked_sub(1)?;
        let glyph = self.glyphs[at];
        (col < glyph.col + u16::from(glyph.width)).then_some(at)
    }

    /// The number of the character that this byte of the text belongs to.
    fn glyph_of_byte(&self, byte: usize) -> usize {
        let after = self
            .glyphs
            .partition_point(|glyph| glyph.start as usize <= byte);
        after.saturating_sub(1)
    }
}

/// Rows of retained text, oldest first.
pub trait Rows {
    /// How many there are.
    fn count(&self) -> usize;

    /// One of them; none beyond the last, or if the text changed meanwhile.
    fn row(&mut self, row: usize) -> Option<&TextRow>;
}

impl Rows for &[TextRow] {
    fn count(&self) -> usize {
        self.len()
    }

    fn row(&mut self, row: usize) -> Option<&TextRow> {
        self.get(row)
    }
}
