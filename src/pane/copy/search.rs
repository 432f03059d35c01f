//! Where a text occurs in the retained rows.

use std::collections::VecDeque;

use regex::{Regex, RegexBuilder};

use super::{Point, Rows, Span, TextRow};

/// Matches in one answer: as many as anybody pages through, and little enough to send.
const MATCHES_LIMIT: usize = 1000;

/// Bytes of a text to search for; a person types a few words.
const QUERY_LIMIT: usize = 1024;

/// Rows that are joined to one line to look in. A program that never ends a line must not make one of
/// all its output.
const JOINED_ROWS: usize = 256;

/// Which way a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards newer rows.
    Forward,
    /// Towards older rows.
    Backward,
}

/// A text to search for.
#[derive(Debug)]
pub struct Query {
    pattern: Option<Regex>,
}

impl Query {
    /// The text as it is; without a capital letter in it, capitals do not count. None if it is too
    /// long.
    pub fn new(text: &str) -> Option<Query> {
        if text.len() > QUERY_LIMIT {
            return None;
        }
        if text.is_empty() {
            return Some(Query { pattern: None });
        }
        let pattern = RegexBuilder::new(&regex::escape(text))
            .case_insensitive(!text.chars().any(char::is_uppercase))
            .build()
            .ok()?;
        Some(Query {
            pattern: Some(pattern),
        })
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The matches around the current one, oldest first, at most a thousand.
    pub matches: Vec<Span>,
    /// How many there are in all.
    pub total: u64,
    /// The current one among `matches`.
    pub current: Option<usize>,
    /// The current one among all.
    pub current_global: Option<u64>,
}

/// Searches all rows. The current match is the next one in the direction: from `previous` on if it is
/// given, else the one under the cursor counts too; past the end it goes on at the other. None if the
/// text changed meanwhile.
pub fn search(
    rows: &mut impl Rows,
    query: &Query,
    direction: Direction,
    cursor: Point,
    previous: Option<Span>,
) -> Option<Found> {
    let Some(pattern) = &query.pattern else {
        return Some(Found::default());
    };
    let mut window = Window::default();
    let mut row = 0;
    while row < rows.count() {
        let line = Line::read(rows, row)?;
        for found in pattern.find_iter(&line.text) {
            let span = line.span(found.start(), found.end());
            let start = span.start;
            let is_after = match (direction, previous) {
                (Direction::Forward, Some(previous)) => start > previous.start,
                (Direction::Forward, None) => start >= cursor,
                (Direction::Backward, Some(previous)) => start >= previous.start,
                (Direction::Backward, None) => start > cursor,
            };
            window.add(span, is_after);
        }
        row += line.rows.len();
    }
    Some(window.found(direction))
}

/// Matches as they come, of which only those near the current one are kept, whichever that will be.
#[derive(Debug, Default)]
struct Window {
    total: u64,
    /// How many lie before where the search starts.
    before_count: u64,
    before: VecDeque<Span>,
    after: Vec<Span>,
    first: Vec<Span>,
    last: VecDeque<Span>,
}

impl Window {
    fn add(&mut self, span: Span, is_after: bool) {
        self.total += 1;
        keep_last(&mut self.last, span, MATCHES_LIMIT);
        if self.first.len() < MATCHES_LIMIT {
            self.first.push(span);
        }
        if !is_after {
            self.before_count += 1;
            keep_last(&mut self.before, span, MATCHES_LIMIT / 2);
        } else if self.after.len() < MATCHES_LIMIT / 2 {
            self.after.push(span);
        }
    }

    fn found(self, direction: Direction) -> Found {
        let (global, near) = match direction {
            _ if self.total == 0 => return Found::default(),
            Direction::Forward if self.after.is_empty() => (0, Some(0)),
            Direction::Backward if self.before.is_empty() => (self.total - 1, None),
            Direction::Forward => (self.before_count, Some(self.before.len())),
            Direction::Backward => (self.before_count - 1, self.before.len().checked_sub(1)),
        };
        let wraps = match direction {
            Direction::Forward => self.after.is_empty(),
            Direction::Backward => self.before.is_empty(),
        };
        let matches: Vec<Span> = match (direction, wraps) {
            (_, false) => self.before.into_iter().chain(self.after).collect(),
            (Direction::Forward, true) => self.first,
            (Direction::Backward, true) => self.last.into(),
        };
        Found {
            current: near.or(matches.len().checked_sub(1)),
            current_global: Some(global),
            total: self.total,
            matches,
        }
    }
}

fn keep_last(spans: &mut VecDeque<Span>, span: Span, limit: usize) {
    if spans.len() == limit {
        spans.pop_front();
    }
    spans.push_back(span);
}

/// Rows that are one line.
struct Line {
    first: usize,
    text: String,
    /// Where the text of each row begins.
    starts: Vec<usize>,
    rows: Vec<TextRow>,
}

impl Line {
    fn read(rows: &mut impl Rows, first: usize) -> Option<Line> {
        let mut line = Line {
            first,
            text: String::new(),
            starts: Vec::new(),
            rows: Vec::new(),
        };
        let count = rows.count();
        for at in first..count.min(first + JOINED_ROWS) {
            let row = rows.row(at)?;
            line.starts.push(line.text.len());
            line.text.push_str(row.text());
            let wrapped = row.is_wrapped();
            line.rows.push(row.clone());
            if !wrapped {
                break;
            }
        }
        Some(line)
    }

    /// The cells of a piece of the text, which is not empty.
    fn span(&self, start: usize, end: usize) -> Span {
        let (first, _) = self.cell(start);
        let (last, width) = self.cell(end - 1);
        Span {
            start: first,
            end: Point {
                col: last.col + width - 1,
                ..last
            },
        }
    }

    /// The first cell of the character that a byte belongs to, and its width.
    fn cell(&self, byte: usize) -> (Point, u16) {
        let number = self.starts.partition_point(|start| *start <= byte) - 1;
        let row = &self.rows[number];
        let at = row.glyph_of_byte(byte - self.starts[number]);
        let glyph = row.glyphs().get(at);
        let point = Point {
            row: self.first + number,
            col: glyph.map_or(0, |glyph| glyph.col),
        };
        (point, glyph.map_or(1, |glyph| u16::from(glyph.width)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<TextRow> {
        vec![
            TextRow::of("error: no", false),
            TextRow::of("an Err", true),
            TextRow::of("or and 界 error", false),
            TextRow::of("nothing", false),
        ]
    }

    fn find(text: &str, direction: Direction, cursor: (usize, u16)) -> Found {
        let rows = rows();
        let cursor = Point {
            row: cursor.0,
            col: cursor.1,
        };
        let query = Query::new(text).unwrap();
        search(&mut &rows[..], &query, direction, cursor, None).unwrap()
    }

    fn span(start: (usize, u16), end: (usize, u16)) -> Span {
        let point = |(row, col)| Point { row, col };
        Span {
            start: point(start),
            end: point(end),
        }
    }

    #[test]
    fn matches_cross_wraps_and_are_counted_in_columns() {
        let found = find("error", Direction::Forward, (0, 0));
        let expected = [
            span((0, 0), (0, 4)),
            span((1, 3), (2, 1)),
            span((2, 10), (2, 14)),
        ];
        assert_eq!(found.matches, expected);
        assert_eq!((found.total, found.current), (3, Some(0)));
        let wide = find("界", Direction::Forward, (0, 0));
        assert_eq!(wide.matches, [span((2, 7), (2, 8))]);
    }

    #[test]
    fn a_capital_letter_makes_capitals_count() {
        assert_eq!(find("Error", Direction::Forward, (0, 0)).total, 1);
        assert_eq!(find("ERROR", Direction::Forward, (0, 0)).total, 0);
        assert_eq!(find("(", Direction::Forward, (0, 0)).total, 0, "no pattern");
    }

    #[test]
    fn the_current_match_is_the_next_in_the_direction_and_goes_round() {
        let current = |direction, cursor| find("error", direction, cursor).current_global;
        assert_eq!(current(Direction::Forward, (0, 1)), Some(1));
        assert_eq!(current(Direction::Forward, (3, 0)), Some(0));
        assert_eq!(current(Direction::Backward, (2, 10)), Some(2));
        assert_eq!(current(Direction::Backward, (2, 9)), Some(1));
        let rows: Vec<TextRow> = rows().into_iter().skip(1).collect();
        let query = Query::new("error").unwrap();
        let top = Point { row: 0, col: 0 };
        let found = search(&mut &rows[..], &query, Direction::Backward, top, None).unwrap();
        assert_eq!((found.current, found.current_global), (Some(1), Some(1)));
    }

    #[test]
    fn from_a_match_on_that_one_does_not_count_again() {
        let rows = rows();
        let query = Query::new("error").unwrap();
        let mut at = None;
        let mut seen = Vec::new();
        for _ in 0..4 {
            let cursor = Point { row: 0, col: 0 };
            let found = search(&mut &rows[..], &query, Direction::Backward, cursor, at).unwrap();
            seen.push(found.current_global);
            at = found.current.map(|current| found.matches[current]);
        }
        assert_eq!(seen, [Some(0), Some(2), Some(1), Some(0)]);
    }

    #[test]
    fn of_very_many_matches_those_around_the_current_are_given() {
        let rows: Vec<TextRow> = (0..5000).map(|_| TextRow::of("x", false)).collect();
        let query = Query::new("x").unwrap();
        let look = |direction, row| {
            let cursor = Point { row, col: 0 };
            search(&mut &rows[..], &query, direction, cursor, None).unwrap()
        };
        for (direction, row) in [
            (Direction::Forward, 2500),
            (Direction::Backward, 2500),
            (Direction::Forward, 0),
            (Direction::Backward, 4999),
            (Direction::Forward, 4999),
        ] {
            let found = look(direction, row);
            assert_eq!(found.total, 5000);
            assert_eq!(found.current_global, Some(row as u64));
            assert_eq!(found.matches[found.current.unwrap()].start.row, row);
            assert!(found.matches.len() <= MATCHES_LIMIT);
        }
        let round = look(Direction::Forward, 6000);
        assert_eq!((round.current, round.matches[0].start.row), (Some(0), 0));
    }

    #[test]
    fn nothing_and_too_much_are_not_searched_for() {
        assert_eq!(find("", Direction::Forward, (0, 0)), Found::default());
        assert!(Query::new(&"x".repeat(QUERY_LIMIT + 1)).is_none());
    }
}
