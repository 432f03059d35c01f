//! The text between two cells.

use super::{Point, Rows};

/// Bytes of text that one selection may have: a full scrollback of ordinary rows, and what an answer
/// can carry.
pub const TEXT_LIMIT: usize = 4 * 1024 * 1024;

/// The text from one cell to another, both included and in either order. Rows that were wrapped are
/// joined, others end in a newline, and blanks at their ends are left out. None if the first cell is
/// below the text, the text changed meanwhile, or there is more than [`TEXT_LIMIT`] of it.
pub fn selected(rows: &mut impl Rows, anchor: Point, cursor: Point) -> Option<String> {
    let (start, end) = (anchor.min(cursor), anchor.max(cursor));
    if start.row >= rows.count() {
        return None;
    }
    let last = end.row.min(rows.count() - 1);
    let mut text = String::new();
    for at in start.row..=last {
        let row = rows.row(at)?;
        let from = if at == start.row { start.col } else { 0 };
        let to = if at == end.row { end.col } else { u16::MAX };
        for (number, glyph) in row.glyphs().iter().enumerate() {
            let reaches = glyph.col + u16::from(glyph.width) > from;
            if reaches && glyph.col <= to {
                text.push_str(row.glyph_text(number));
            }
        }
        if !row.is_wrapped() && at < last {
            text.push('\n');
        }
        if text.len() > TEXT_LIMIT {
            return None;
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::copy::TextRow;

    fn point(row: usize, col: u16) -> Point {
        Point { row, col }
    }

    fn select(anchor: Point, cursor: Point) -> Option<String> {
        let rows = [
            TextRow::of("one two   ", false),
            TextRow::of("long ", true),
            TextRow::of("line", false),
            TextRow::of("", false),
            TextRow::of("a界e\u{301}z", false),
        ];
        selected(&mut &rows[..], anchor, cursor)
    }

    #[test]
    fn both_ends_count_and_their_order_does_not() {
        let text = Some("ne t".to_owned());
        assert_eq!(select(point(0, 1), point(0, 4)), text);
        assert_eq!(select(point(0, 4), point(0, 1)), text);
        assert_eq!(select(point(0, 4), point(0, 90)).unwrap(), "two");
        assert_eq!(select(point(0, 9), point(0, 9)).unwrap(), "");
    }

    #[test]
    fn wrapped_rows_are_one_line_and_others_are_not() {
        let text = select(point(0, 4), point(4, 0)).unwrap();
        assert_eq!(text, "two\nlong line\n\na");
    }

    #[test]
    fn half_a_wide_character_is_all_of_it_and_marks_go_with_their_letter() {
        assert_eq!(select(point(4, 2), point(4, 3)).unwrap(), "界e\u{301}");
        assert_eq!(select(point(4, 0), point(4, 1)).unwrap(), "a界");
    }

    #[test]
    fn below_the_text_there_is_nothing_to_select() {
        assert_eq!(select(point(5, 0), point(9, 0)), None);
        assert_eq!(select(point(4, 4), point(9, 0)).unwrap(), "z");
    }
}
