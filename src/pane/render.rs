//! Rows as text or as text with escape sequences, the two forms of `pane.read`
//! (herdr 0.9.3, docs of `pane.read`: text form and ansi form).

use alacritty_terminal::grid::Row;
use alacritty_terminal::term::cell::{Cell, Flags};

use super::cold::ColdRow;
use super::copy::TextRow;
use super::drawn::{Drawn, drawn};
use super::pen::{Pen, is_blank, is_unseen, same_pen};
use super::width::width;

/// A row of the screen or of its scrollback, wherever it is kept.
#[derive(Clone, Copy)]
pub(super) enum RowView<'a> {
    /// A row of the grid.
    Hot(&'a Row<Cell>),
    /// A row of packed scrollback.
    Cold(ColdRow<'a>),
}

impl RowView<'_> {
    /// Whether the row below goes on with the same logical line.
    pub(super) fn is_wrapped(&self) -> bool {
        match self {
            RowView::Hot(row) => row
                .last()
                .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE)),
            RowView::Cold(row) => row.is_wrapped(),
        }
    }

    /// Whether the row has no text.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            RowView::Hot(row) => {
                let row = &row[..];
                let mut columns = 0..row.len();
                columns.all(|column| is_blank(&row[column]) || drawn(row, column) == Drawn::Blank)
            }
            RowView::Cold(row) => row.text().bytes().all(|byte| byte == b' '),
        }
    }

    /// Whether nothing of the row can be seen.
    pub(super) fn is_unseen(&self) -> bool {
        match self {
            RowView::Hot(row) => row[..].iter().all(is_unseen),
            RowView::Cold(row) => row.text().is_empty(),
        }
    }

    /// The row by columns.
    pub(super) fn text_row(&self) -> TextRow {
        let mut out = TextRow::default();
        match self {
            RowView::Hot(row) => {
                let row = &row[..];
                for (col, cell) in (0u16..).zip(row) {
                    // The engine keeps a link's name and address behind a pointer that few cells have.
                    if cell.extra.is_some()
                        && let Some(link) = cell.hyperlink()
                    {
                        out.mark_link(col, link.id(), link.uri());
                    }
                    match drawn(row, col.into()) {
                        Drawn::Character => {}
                        Drawn::Blank => {
                            out.push(' ', col, 1);
                            continue;
                        }
                        Drawn::Nothing => continue,
                    }
                    let wide = cell.flags.contains(Flags::WIDE_CHAR);
                    let character = if cell.c == '\t' { ' ' } else { cell.c };
                    out.push(character, col, if wide { 2 } else { 1 });
                    for mark in cell.zerowidth().unwrap_or_default() {
                        out.push(*mark, col, 0);
                    }
                }
            }
            RowView::Cold(row) => {
                let mut col = 0;
                row.visit_pieces(|piece, _, link| {
                    for character in piece.chars() {
                        // What was packed came from cells, which hold no more than two columns.
                        let width = width(character).unwrap_or(0) as u8;
                        if let Some(link) = link {
                            for col in col..col + u16::from(width) {
                                out.mark_link(col, link.id(), link.uri());
                            }
                        }
                        out.push(character, col, width);
                        col += u16::from(width);
                    }
                });
            }
        }
        out.finish(self.is_wrapped());
        out
    }

    /// Appends the row's text. Blanks at its end are left out unless `whole` asks for them.
    fn push_text(&self, out: &mut String, whole: bool) {
        let start = out.len();
        match self {
            RowView::Hot(row) => {
                let cells = &row[..];
                let end = if whole {
                    cells.len()
                } else {
                    cells
                        .iter()
                        .rposition(|cell| !is_blank(cell))
                        .map_or(0, |last| last + 1)
                };
                for column in 0..end {
                    push_cell(out, cells, column);
                }
            }
            RowView::Cold(row) => out.push_str(row.text()),
        }
        if !whole {
            trim_blanks(out, start);
        }
    }

    /// Gives the pieces of equal look, without what cannot be seen at the end of the row unless
    /// the first `at_least` columns are asked for.
    fn visit_runs(&self, at_least: usize, mut visit: impl FnMut(&str, Pen)) {
        match self {
            RowView::Hot(row) => {
                let cells = &row[..];
                let seen = cells
                    .iter()
                    .rposition(|cell| !is_unseen(cell))
                    .map_or(0, |last| last + 1);
                let end = seen.max(at_least.min(cells.len()));
                let mut piece = String::new();
                let mut current: Option<&Cell> = None;
                for (column, cell) in cells[..end].iter().enumerate() {
                    if drawn(cells, column) == Drawn::Nothing {
                        continue;
                    }
                    if let Some(before) = current.filter(|before| !same_pen(before, cell)) {
                        visit(&piece, Pen::of(before));
                        piece.clear();
                    }
                    current = Some(cell);
                    push_cell(&mut piece, cells, column);
                }
                if let Some(last) = current {
                    visit(&piece, Pen::of(last));
                }
            }
            RowView::Cold(row) => row.visit_runs(visit),
        }
    }
}

fn push_cell(out: &mut String, row: &[Cell], column: usize) {
    let cell = &row[column];
    match drawn(row, column) {
        Drawn::Character => {}
        Drawn::Blank => return out.push(' '),
        Drawn::Nothing => return,
    }
    out.push(if cell.c == '\t' { ' ' } else { cell.c });
    if cell.extra.is_some() {
        out.extend(cell.zerowidth().unwrap_or_default());
    }
}

fn trim_blanks(out: &mut String, start: usize) {
    let kept = out[start..].trim_end_matches(' ').len();
    out.truncate(start + kept);
}

/// Rows as text: each without blanks at its end, joined by newlines, without blank rows at the
/// end and without a final newline. With `unwrap`, soft-wrapped rows are one line.
pub(super) fn text(rows: &[RowView], unwrap: bool) -> String {
    let mut out = String::new();
    let mut kept = 0;
    let mut line_start = 0;
    for (position, row) in rows.iter().enumerate() {
        let joins = unwrap && row.is_wrapped() && position + 1 < rows.len();
        row.push_text(&mut out, joins);
        if joins {
            continue;
        }
        trim_blanks(&mut out, line_start);
        if out.len() > line_start {
            kept = out.len();
        }
        out.push('\n');
        line_start = out.len();
    }
    out.truncate(kept);
    out
}

/// Rows with escape sequences: each run of a look other than the default begins with a reset,
/// rows are joined by `\r\n`, unseen rows at the end are left out.
///
/// `cursor` is the place of the cursor as an index into `rows` and a column: blanks before it are
/// kept, so that a prompt keeps the blank after it.
pub(super) fn ansi(rows: &[RowView], unwrap: bool, cursor: Option<(usize, usize)>) -> String {
    let seen = rows
        .iter()
        .rposition(|row| !row.is_unseen())
        .map_or(0, |last| last + 1);
    let mut out = String::new();
    let mut styled = false;
    for (position, row) in rows[..seen].iter().enumerate() {
        let last = position + 1 == seen;
        let joins = unwrap && row.is_wrapped() && !last;
        let at_least = match cursor {
            // The blanks at the end of a wrapped row are part of its line.
            _ if row.is_wrapped() => usize::MAX,
            Some((cursor_row, column)) if last && cursor_row == position => column,
            _ => 0,
        };
        row.visit_runs(at_least, |piece, pen| {
            if pen.is_default() {
                if std::mem::take(&mut styled) {
                    out.push_str("\x1b[0m");
                }
            } else {
                pen.push_ansi(&mut out);
                styled = true;
            }
            out.push_str(piece);
        });
        if !joins {
            if std::mem::take(&mut styled) {
                out.push_str("\x1b[0m");
            }
            if !last {
                out.push_str("\r\n");
            }
        }
    }
    out
}
