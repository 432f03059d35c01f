//! The link under a cell of the viewport: one that the program marked (OSC 8), or an address in the
//! text.

use std::sync::LazyLock;

use regex::Regex;

use super::TextRow;

/// An address in plain text. What may follow the scheme is what terminals agree on: anything but
/// blanks, quotes and brackets that addresses are put into.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?:https?|ftp|file)://[^\s<>"'`{}|\\^]+|mailto:[^\s<>"'`{}|\\^]+"#;
    // A constant that the tests compile.
    Regex::new(pattern).expect("a valid pattern")
});

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub address: String,
    /// Its cells, row by row.
    pub regions: Vec<Region>,
}

/// Cells of one row of the viewport, the last column included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    pub row: u16,
    pub start_col: u16,
    pub end_col: u16,
}

/// The link under a cell of a viewport that shows these rows.
pub fn link_at(viewport: &[TextRow], row: u16, col: u16) -> Option<Link> {
    let here = viewport.get(usize::from(row))?;
    let under = |cols: (u16, u16)| (cols.0..=cols.1).contains(&col);
    match here.links().iter().find(|run| under(run.cols)) {
        Some(run) => {
            let same = |other: &&super::LinkRun| other.id == run.id && other.address == run.address;
            let regions = viewport.iter().zip(0u16..).flat_map(|(line, row)| {
                let runs = line.links().iter().filter(same);
                runs.map(move |run| Region {
                    row,
                    start_col: run.cols.0,
                    end_col: run.cols.1,
                })
            });
            Some(Link {
                address: run.address.clone(),
                regions: regions.collect(),
            })
        }
        None => address_at(viewport, usize::from(row), col),
    }
}

/// An address in the text of the line that the cell is in, as far as the viewport shows it.
fn address_at(viewport: &[TextRow], row: usize, col: u16) -> Option<Link> {
    let first = (0..row)
        .rev()
        .take_while(|above| viewport[*above].is_wrapped())
        .last()
        .unwrap_or(row);
    let mut text = String::new();
    let mut starts = Vec::new();
    let mut rows = Vec::new();
    for line in &viewport[first..] {
        starts.push(text.len());
        text.push_str(line.text());
        rows.push(line);
        if !line.is_wrapped() {
            break;
        }
    }
    let glyph = viewport[row].glyph_at(col)?;
    let byte = starts[row - first] + viewport[row].glyphs()[glyph].start as usize;
    let (start, end) = ADDRESS
        .find_iter(&text)
        .map(|found| (found.start(), found.start() + trimmed(found.as_str()).len()))
        .find(|(start, end)| (*start..*end).contains(&byte))?;
    let regions = rows.iter().zip(&starts).enumerate();
    let regions = regions.filter_map(|(number, (line, line_start))| {
        let from = start.max(*line_start);
        let to = end.min(line_start + line.text().len());
        if from >= to {
            return None;
        }
        let cell = |byte: usize| line.glyphs()[line.glyph_of_byte(byte - line_start)];
        let last = cell(to - 1);
        Some(Region {
            row: u16::try_from(first + number).ok()?,
            start_col: cell(from).col,
            end_col: last.col + u16::from(last.width) - 1,
        })
    });
    Some(Link {
        address: text[start..end].to_owned(),
        regions: regions.collect(),
    })
}

/// An address without the punctuation of the sentence that it stands in.
fn trimmed(address: &str) -> &str {
    let mut kept = address;
    loop {
        let Some(last) = kept.chars().next_back() else {
            return kept;
        };
        let unbalanced =
            |open, close| last == close && kept.matches(open).count() < kept.matches(close).count();
        let punctuation = matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_');
        if !punctuation && !unbalanced('(', ')') && !unbalanced('[', ']') {
            return kept;
        }
        kept = &kept[..kept.len() - last.len_utf8()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An address and its regions.
    type Found = (String, Vec<(u16, u16, u16)>);

    fn at(rows: &[TextRow], row: u16, col: u16) -> Option<Found> {
        let link = link_at(rows, row, col)?;
        let regions = link.regions.iter();
        let regions = regions.map(|region| (region.row, region.start_col, region.end_col));
        Some((link.address, regions.collect()))
    }

    #[test]
    fn an_address_ends_where_its_sentence_goes_on() {
        for (text, address) in [
            ("see https://a.example/x.", "https://a.example/x"),
            ("(https://a.example/x)", "https://a.example/x"),
            ("see https://a.example/x_(y)!", "https://a.example/x_(y)"),
            ("see https://a.example/?q=1,2).", "https://a.example/?q=1,2"),
            ("see file:///tmp/a b", "file:///tmp/a"),
            ("see <mailto:me@a.example>", "mailto:me@a.example"),
        ] {
            let rows = [TextRow::of(text, false)];
            assert_eq!(
                at(&rows, 0, 6).map(|found| found.0).as_deref(),
                Some(address)
            );
        }
        let rows = [TextRow::of("see https://a.example/x. and", false)];
        assert_eq!(at(&rows, 0, 2), None);
        assert_eq!(at(&rows, 0, 23), None, "the full stop");
        assert_eq!(at(&rows, 0, 200), None);
        assert_eq!(at(&rows, 1, 0), None);
        assert_eq!(at(&[TextRow::of("no://where", false)], 0, 1), None);
    }

    #[test]
    fn an_address_that_was_wrapped_is_one() {
        let rows = [
            TextRow::of("above", false),
            TextRow::of("界 https://a.e", true),
            TextRow::of("xample/long/pa", true),
            TextRow::of("th rest", false),
        ];
        let expected = (
            "https://a.example/long/path".to_owned(),
            vec![(1, 3, 13), (2, 0, 13), (3, 0, 1)],
        );
        for (row, col) in [(1, 3), (2, 7), (3, 1)] {
            assert_eq!(at(&rows, row, col), Some(expected.clone()), "{row} {col}");
        }
        assert_eq!(at(&rows, 3, 2), None);
    }

    #[test]
    fn a_marked_link_is_all_its_runs_and_wins_over_the_text() {
        let mut rows = [
            TextRow::of("https://text.example/", false),
            TextRow::of("x    more", false),
        ];
        for col in 0..8 {
            rows[0].mark_link(col, "7", "https://marked.example/");
        }
        for col in 5..9 {
            rows[1].mark_link(col, "7", "https://marked.example/");
        }
        rows[1].mark_link(0, "8", "https://marked.example/");
        let expected = (
            "https://marked.example/".to_owned(),
            vec![(0, 0, 7), (1, 5, 8)],
        );
        assert_eq!(at(&rows, 0, 3), Some(expected.clone()));
        assert_eq!(at(&rows, 1, 8), Some(expected));
        assert_eq!(at(&rows, 0, 9).unwrap().0, "https://text.example/");
    }
}
