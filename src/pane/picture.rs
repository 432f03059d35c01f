//! What a viewer of a pane is shown at one moment: the viewport as plain cells, fitted to the
//! viewer's size, so that two moments can be compared without the screen's lock.

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use vte::ansi::CursorShape;

use super::modes::Modes;
use super::pen::{Pen, is_unseen};
use super::render::RowView;
use super::screen::{Screen, Size};
use super::width::width;

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glyph {
    pub(super) character: char,
    pub(super) pen: Pen,
    pub(super) part: Part,
    /// What few cells have.
    pub(super) more: Option<Box<More>>,
}

/// Which part of a character a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// The left half of a wide one, and the cell after it the right half.
    Left,
    Right,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct More {
    pub(super) combining: Vec<char>,
    pub(super) link: Option<Hyperlink>,
}

impl Default for Glyph {
    fn default() -> Self {
        Glyph {
            character: ' ',
            pen: Pen::default(),
            part: Part::Whole,
            more: None,
        }
    }
}

/// A viewport at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    columns: usize,
    /// Row by row, each of `columns` cells.
    cells: Vec<Glyph>,
    /// Column and row of the cursor, if it is shown.
    pub(super) cursor: Option<(usize, usize)>,
    /// The cursor's shape as DECSCUSR has it; 0 is the terminal's own.
    pub(super) cursor_style: u8,
    /// What the program asked of its terminal.
    pub modes: Modes,
}

impl Picture {
    /// What `screen` shows on a terminal of this size: cut on the right, and at the top so far that
    /// the cursor is in it.
    pub fn of(screen: &mut Screen, size: Size) -> Picture {
        screen.catch_up();
        let (columns, rows) = (usize::from(size.cols), usize::from(size.rows));
        let modes = screen.modes();
        let viewport = screen.viewport();
        let (column, row) = screen.cursor();
        let (column, row) = (usize::from(column), usize::from(row) + viewport.offset);
        let height = viewport.rows.len();
        let top = if row < height {
            (row + 1).saturating_sub(rows)
        } else {
            height.saturating_sub(rows)
        };
        let mut cells = Vec::with_capacity(columns * rows);
        for view in viewport.rows.iter().skip(top).take(rows) {
            push_row(&mut cells, view, columns);
        }
        cells.resize(columns * rows, Glyph::default());
        let shown = modes.cursor_visible && row < height && column < columns && row >= top;
        Picture {
            columns,
            cells,
            cursor: shown.then_some((column, row - top)),
            cursor_style: viewport.cursor_style,
            modes,
        }
    }

    /// The size it was made for.
    pub fn size(&self) -> Size {
        // Both were u16 when they came in.
        Size {
            cols: self.columns as u16,
            rows: self.rows() as u16,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    pub(super) fn row(&self, row: usize) -> &[Glyph] {
        &self.cells[row * self.columns..][..self.columns]
    }
}

/// DECSCUSR's number for a shape; 0 for what a fresh terminal has.
pub(super) fn cursor_style(shape: CursorShape, blinking: bool) -> u8 {
    match (shape, blinking) {
        (CursorShape::Block, false) => 0,
        (CursorShape::Block, true) => 1,
        (CursorShape::Underline, blinking) => 4 - u8::from(blinking),
        (CursorShape::Beam, blinking) => 6 - u8::from(blinking),
        _ => 0,
    }
}

/// Adds a row, cut or filled up to `columns` cells.
fn push_row(cells: &mut Vec<Glyph>, view: &RowView, columns: usize) {
    let end = cells.len() + columns;
    match view {
        RowView::Hot(row) => {
            let row = &row[..];
            for (column, cell) in row.iter().enumerate().take(columns) {
                let next = row.get(column + 1).filter(|_| column + 1 < columns);
                cells.push(glyph(cell, column.checked_sub(1).map(|at| &row[at]), next));
            }
        }
        RowView::Cold(row) => row.visit_pieces(|piece, pen, link| {
            let link = link.filter(|link| is_harmless(link));
            for character in piece.chars() {
                push_character(cells, character, pen, link, end);
            }
        }),
    }
    cells.truncate(end);
    cells.resize(end, Glyph::default());
}

/// Whether a link can be written into a sequence of ours.
fn is_harmless(link: &Hyperlink) -> bool {
    let mut characters = link.uri().chars().chain(link.id().chars());
    !characters.any(char::is_control)
}

fn glyph(cell: &Cell, before: Option<&Cell>, next: Option<&Cell>) -> Glyph {
    let is = |cell: Option<&Cell>, flag| cell.is_some_and(|cell| cell.flags.contains(flag));
    let mut more = None;
    if cell.extra.is_some() {
        let combining = cell.zerowidth().unwrap_or_default().to_vec();
        let link = cell.hyperlink().filter(is_harmless);
        if !combining.is_empty() || link.is_some() {
            more = Some(Box::new(More { combining, link }));
        }
    }
    if more.is_none() && is_unseen(cell) && !cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
        return Glyph::default();
    }
    let mut glyph = Glyph {
        character: cell.c.max(' '),
        pen: Pen::of(cell),
        part: Part::Whole,
        more,
    };
    if cell.flags.contains(Flags::WIDE_CHAR) {
        glyph.part = Part::Left;
        if !is(next, Flags::WIDE_CHAR_SPACER) {
            // Half a character cannot be drawn.
            return blank(cell);
        }
    } else if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
        if !is(before, Flags::WIDE_CHAR) {
            return blank(cell);
        }
        // Whoever draws the left half draws this one.
        return Glyph {
            part: Part::Right,
            ..Glyph::default()
        };
    }
    glyph
}

/// What is left of a cell without its character.
fn blank(cell: &Cell) -> Glyph {
    let empty = Cell {
        c: ' ',
        extra: None,
        ..cell.clone()
    };
    if is_unseen(&empty) {
        return Glyph::default();
    }
    Glyph {
        pen: Pen::of(&empty),
        ..Glyph::default()
    }
}

/// Adds a character of packed scrollback.
fn push_character(
    cells: &mut Vec<Glyph>,
    character: char,
    pen: Pen,
    link: Option<&Hyperlink>,
    end: usize,
) {
    let more = link.map(|link| {
        Box::new(More {
            combining: Vec::new(),
            link: Some(link.clone()),
        })
    });
    let whole = Glyph {
        character,
        pen,
        more,
        ..Glyph::default()
    };
    match width(character) {
        Some(0) => {
            let last = cells.iter_mut().rfind(|glyph| glyph.part != Part::Right);
            if let Some(last) = last {
                let more = last.more.get_or_insert_with(|| {
                    Box::new(More {
                        combining: Vec::new(),
                        link: None,
                    })
                });
                more.combining.push(character);
            }
        }
        Some(1) => cells.push(whole),
        Some(_) if cells.len() + 2 <= end => {
            cells.push(Glyph {
                part: Part::Left,
                ..whole
            });
            cells.push(Glyph {
                part: Part::Right,
                ..Glyph::default()
            });
        }
        _ => {}
    }
}
