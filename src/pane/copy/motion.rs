//! Where a copy cursor goes, by the rules of vi's motions of the same names.

use super::{Point, Rows, TextRow};

/// A movement (herdr 0.9.3, `pane.copy_motion`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// The last character of the row.
    LineEnd,
    /// The first character of the row that is no blank.
    FirstNonBlank,
    /// The start of the next word.
    NextWordStart(Words),
    /// The start of this word, or of the one before.
    PreviousWordStart(Words),
    /// The end of this word, or of the next.
    NextWordEnd(Words),
    /// The blank row above this paragraph, or the first row.
    PreviousParagraph,
    /// The blank row below this paragraph, or the last row.
    NextParagraph,
}

/// What counts as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Letters, digits and underscores are one, other characters another.
    Small,
    /// Everything between blanks.
    Big,
}

/// What a character is to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Between words.
    Blank,
    Letter,
    Mark,
    /// A row without any character, which is a word of its own.
    EmptyRow,
}

/// A character's number within its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    row: usize,
    at: usize,
}

/// Where the cursor is after a motion; it stays where it can go no further. None if its row is not
/// there, or the text changed meanwhile.
pub fn moved(rows: &mut impl Rows, cursor: Point, motion: Motion) -> Option<Point> {
    let row = rows.row(cursor.row)?;
    let in_row = |at: Option<usize>| Point {
        row: cursor.row,
        col: at.map_or(0, |at| row.glyphs()[at].col),
    };
    match motion {
        Motion::LineEnd => Some(in_row(row.glyphs().len().checked_sub(1))),
        Motion::FirstNonBlank => {
            let found = (0..row.glyphs().len()).find(|at| row.glyph_text(*at) != " ");
            Some(in_row(found))
        }
        Motion::NextWordStart(words) => {
            let place = place(row, cursor);
            Walk { rows, words }.next_start(place)
        }
        Motion::PreviousWordStart(words) => {
            let place = place(row, cursor);
            Walk { rows, words }.previous_start(place)
        }
        Motion::NextWordEnd(words) => {
            let place = place(row, cursor);
            Walk { rows, words }.next_end(place)
        }
        Motion::PreviousParagraph => paragraph(rows, cursor.row, |row| row.checked_sub(1)),
        Motion::NextParagraph => {
            let last = rows.count().saturating_sub(1);
            paragraph(rows, cursor.row, |row| (row < last).then_some(row + 1))
        }
    }
}

/// Out of the blank rows that the cursor is among, and then to the first one beyond.
fn paragraph(
    rows: &mut impl Rows,
    from: usize,
    step: impl Fn(usize) -> Option<usize>,
) -> Option<Point> {
    let mut row = from;
    let mut within = false;
    loop {
        let blank = rows.row(row)?.is_blank();
        if blank && within {
            break;
        }
        within |= !blank;
        match step(row) {
            Some(next) => row = next,
            None => break,
        }
    }
    Some(Point { row, col: 0 })
}

/// The character under a cursor; in the blank at the end of a row, one past the last.
fn place(row: &TextRow, cursor: Point) -> Place {
    let at = row.glyph_at(cursor.col).unwrap_or(row.glyphs().len());
    Place {
        row: cursor.row,
        at,
    }
}

/// A walk from character to character.
struct Walk<'a, R> {
    rows: &'a mut R,
    words: Words,
}

impl<R: Rows> Walk<'_, R> {
    fn class(&mut self, place: Place) -> Option<Class> {
        let words = self.words;
        let row = self.rows.row(place.row)?;
        Some(if row.glyphs().is_empty() {
            Class::EmptyRow
        } else if place.at >= row.glyphs().len() {
            Class::Blank
        } else {
            match row.glyph_text(place.at).chars().next() {
                None | Some(' ') => Class::Blank,
                Some(_) if words == Words::Big => Class::Letter,
                Some(first) if first.is_alphanumeric() || first == '_' => Class::Letter,
                Some(_) => Class::Mark,
            }
        })
    }

    fn point(&mut self, place: Place) -> Option<Point> {
        let row = self.rows.row(place.row)?;
        let glyphs = row.glyphs();
        let glyph = glyphs.get(place.at).or(glyphs.last());
        Some(Point {
            row: place.row,
            col: glyph.map_or(0, |glyph| glyph.col),
        })
    }

    /// The next character, and whether a line ended before it. The inner none: there is no next.
    #[allow(clippy::option_option, reason = "text that changed is not its end")]
    fn next(&mut self, place: Place) -> Option<Option<(Place, bool)>> {
        let row = self.rows.row(place.row)?;
        if place.at + 1 < row.glyphs().len() {
            let at = place.at + 1;
            return Some(Some((Place { at, ..place }, false)));
        }
        let ended = !row.is_wrapped();
        let next = place.row + 1;
        Some((next < self.rows.count()).then_some((Place { row: next, at: 0 }, ended)))
    }

    /// The same backwards.
    #[allow(clippy::option_option, reason = "text that changed is not its end")]
    fn previous(&mut self, place: Place) -> Option<Option<(Place, bool)>> {
        if let Some(at) = place.at.checked_sub(1) {
            return Some(Some((Place { at, ..place }, false)));
        }
        let Some(row) = place.row.checked_sub(1) else {
            return Some(None);
        };
        let above = self.rows.row(row)?;
        let at = above.glyphs().len().saturating_sub(1);
        Some(Some((Place { row, at }, !above.is_wrapped())))
    }

    fn next_start(&mut self, from: Place) -> Option<Point> {
        let start = self.class(from)?;
        let mut left = false;
        let mut place = from;
        while let Some((next, ended)) = self.next(place)? {
            let class = self.class(next)?;
            left |= ended || class != start;
            match class {
                Class::EmptyRow => return self.point(next),
                Class::Blank => left = true,
                Class::Letter | Class::Mark if left => return self.point(next),
                Class::Letter | Class::Mark => {}
            }
            place = next;
        }
        self.point(place)
    }

    fn next_end(&mut self, from: Place) -> Option<Point> {
        let mut place = from;
        let mut word = None;
        while let Some((next, ended)) = self.next(place)? {
            let class = self.class(next)?;
            let inside = matches!(class, Class::Letter | Class::Mark);
            match word {
                Some(word) if ended || class != word => return self.point(place),
                None if inside => word = Some(class),
                _ => {}
            }
            place = next;
        }
        match word {
            Some(_) => self.point(place),
            // Only blanks are left: there is no word to go to the end of.
            None => self.point(from),
        }
    }

    fn previous_start(&mut self, from: Place) -> Option<Point> {
        let mut place = from;
        let mut word = None;
        while let Some((before, ended)) = self.previous(place)? {
            let class = self.class(before)?;
            match word {
                Some(word) if ended || class != word => return self.point(place),
                Some(_) => {}
                None if class == Class::EmptyRow => return self.point(before),
                None if class != Class::Blank => word = Some(class),
                None => {}
            }
            place = before;
        }
        self.point(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: [(&str, bool); 6] = [
        ("  fn main() {", false),
        ("", false),
        ("a long wor", true),
        ("d, 世界 x_1", false),
        ("   ", false),
        ("end", false),
    ];

    fn after(motion: Motion, row: usize, col: u16) -> (usize, u16) {
        let rows: Vec<TextRow> = TEXT
            .iter()
            .map(|(text, wrapped)| TextRow::of(text, *wrapped))
            .collect();
        let point = moved(&mut &rows[..], Point { row, col }, motion).unwrap();
        (point.row, point.col)
    }

    /// Every stop from here until the cursor stays.
    fn stops(motion: Motion, row: usize, col: u16) -> Vec<(usize, u16)> {
        let mut stops = Vec::new();
        let mut at = (row, col);
        loop {
            let next = after(motion, at.0, at.1);
            if next == at {
                return stops;
            }
            stops.push(next);
            at = next;
        }
    }

    #[test]
    fn within_a_row_the_cursor_goes_to_the_first_and_the_last_character() {
        assert_eq!(after(Motion::LineEnd, 0, 0), (0, 12));
        assert_eq!(after(Motion::LineEnd, 3, 0), (3, 10));
        assert_eq!(after(Motion::FirstNonBlank, 0, 12), (0, 2));
        assert_eq!(after(Motion::LineEnd, 1, 7), (1, 0));
        assert_eq!(after(Motion::FirstNonBlank, 4, 1), (4, 0));
    }

    #[test]
    fn words_start_after_blanks_and_where_the_kind_of_character_changes() {
        let small = stops(Motion::NextWordStart(Words::Small), 0, 0);
        let expected = [
            (0, 2),
            (0, 5),
            (0, 9),
            (0, 12),
            (1, 0),
            (2, 0),
            (2, 2),
            (2, 7),
            (3, 1),
            (3, 3),
            (3, 8),
            (4, 0),
            (5, 0),
            (5, 2),
        ];
        assert_eq!(small, expected);
        let big = stops(Motion::NextWordStart(Words::Big), 2, 0);
        assert_eq!(big[..4], [(2, 2), (2, 7), (3, 3), (3, 8)]);
    }

    #[test]
    fn words_end_before_blanks_also_across_a_wrap() {
        let small = stops(Motion::NextWordEnd(Words::Small), 2, 0);
        assert_eq!(small, [(2, 5), (3, 0), (3, 1), (3, 5), (3, 10), (5, 2)]);
        let big = stops(Motion::NextWordEnd(Words::Big), 2, 5);
        assert_eq!(big[..2], [(3, 1), (3, 5)]);
    }

    #[test]
    fn backwards_the_cursor_stops_at_the_same_starts() {
        let small = stops(Motion::PreviousWordStart(Words::Small), 5, 2);
        assert_eq!(small[..5], [(5, 0), (4, 0), (3, 8), (3, 3), (3, 1)]);
        assert_eq!(small[5..9], [(2, 7), (2, 2), (2, 0), (1, 0)]);
        assert_eq!(small[9..], [(0, 12), (0, 9), (0, 5), (0, 2), (0, 0)]);
    }

    #[test]
    fn paragraphs_lie_between_blank_rows() {
        assert_eq!(stops(Motion::NextParagraph, 0, 5), [(1, 0), (4, 0), (5, 0)]);
        assert_eq!(
            stops(Motion::PreviousParagraph, 5, 1),
            [(4, 0), (1, 0), (0, 0)]
        );
    }

    #[test]
    fn a_row_that_is_not_there_is_no_place_to_move_from() {
        let mut none: &[TextRow] = &[];
        let cursor = Point { row: 0, col: 0 };
        assert_eq!(moved(&mut none, cursor, Motion::LineEnd), None);
    }
}
