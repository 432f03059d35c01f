//! What is read of a screen has each character in the column in which a viewer is shown it, whatever
//! was cut in half. The viewer's picture is the measure: it has a cell for each column.

use proptest::prelude::*;

use crate::pane::picture::{Part, Picture};
use crate::pane::screen::proof::{configuration, sized_pieces};
use crate::pane::{Format, ReadRequest, Screen, Size, Source};

fn visible(screen: &Screen, format: Format) -> String {
    let request = ReadRequest {
        source: Source::Visible,
        lines: None,
        format,
    };
    screen.read(&request).text
}

/// A row of a picture as text, and the columns that its characters begin in, both up to the last
/// that is no blank.
fn shown(picture: &Picture, row: usize) -> (String, Vec<u16>) {
    let (mut text, mut columns) = (String::new(), Vec::new());
    for (column, glyph) in (0..).zip(picture.row(row)) {
        if glyph.part == Part::Right {
            continue;
        }
        text.push(glyph.character);
        columns.push(column);
        if let Some(more) = &glyph.more {
            text.extend(&more.combining);
        }
    }
    let kept = text.trim_end_matches(' ').len();
    columns.truncate(columns.len() - (text.len() - kept));
    text.truncate(kept);
    (text, columns)
}

/// Compares all forms in which the viewport can be read with what a viewer is shown.
fn check(screen: &mut Screen, size: Size) -> Result<(), TestCaseError> {
    let picture = Picture::of(screen, size);
    let text = visible(screen, Format::Text);
    let mut lines = text.split('\n');
    let top = screen.viewport_top();
    let rows = screen.text_rows(top, top + usize::from(size.rows));
    for (number, row) in rows.iter().enumerate() {
        let (text, columns) = shown(&picture, number);
        prop_assert_eq!(lines.next().unwrap_or_default(), &text, "row {}", number);
        prop_assert_eq!(row.text().trim_end_matches(' '), &text, "row {}", number);
        let glyphs = row.glyphs().iter().map(|glyph| glyph.col);
        let glyphs: Vec<u16> = glyphs.take(columns.len()).collect();
        prop_assert_eq!(glyphs, columns, "row {}", number);
    }
    let mut terminal = Screen::new(size, 0);
    terminal.feed(visible(screen, Format::Ansi).as_bytes());
    let drawn = Picture::of(&mut terminal, size);
    for number in 0..picture.rows() {
        prop_assert_eq!(
            shown(&drawn, number),
            shown(&picture, number),
            "row {} as ansi",
            number
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn what_is_read_is_in_the_columns_that_a_viewer_is_shown(
        (size, pieces) in sized_pieces(60),
        scrolled in 0_u64..300,
    ) {
        let mut screen = Screen::new(size, 1_000_000);
        for piece in &pieces {
            screen.feed(piece.as_bytes());
            check(&mut screen, size)?;
        }
        screen.scroll_to(scrolled);
        check(&mut screen, size)?;
    }

    #[test]
    fn scrollback_keeps_the_columns_of_the_screen((size, mut pieces) in sized_pieces(60)) {
        // Scrollback keeps lines, and wraps those that are longer than a row by their text.
        pieces.retain(|piece| !piece.contains("\x1b[?7h"));
        let mut screen = Screen::new(size, 1_000_000);
        screen.feed(b"\x1b[?7l");
        screen.feed(pieces.concat().as_bytes());
        screen.feed(b"\x1b[?1049l\x1b[?6l\x1b[r\x1b[m\x1b[999;1H\r\n");
        // But the row of the cursor.
        let end = screen.row_count() - 1;
        let before = screen.text_rows(0, end);
        for number in 0..3_000 {
            screen.feed(format!("line {number}\r\n").as_bytes());
        }
        for (number, (row, before)) in screen.text_rows(0, end).iter().zip(&before).enumerate() {
            prop_assert_eq!(row.text(), before.text(), "row {}", number);
            let columns = |row: &crate::pane::copy::TextRow| -> Vec<u16> {
                row.glyphs().iter().map(|glyph| glyph.col).collect()
            };
            prop_assert_eq!(columns(row), columns(before), "row {}", number);
        }
    }
}

#[test]
fn half_a_character_is_a_blank_in_its_column() {
    let size = Size { cols: 10, rows: 3 };
    for (sequence, expected) in [
        ("漢字x\x1b[1;2H\x1b[X", "  字x"),
        ("漢字x\x1b[1;1H\x1b[X", "  字x"),
        ("漢字x\x1b[1;2H\x1b[P", " 字x"),
        ("漢字x\x1b[1;2H\x1b[@", "   字x"),
        ("漢字x\x1b[1;3H\x1b[1K", "    x"),
        ("漢字x\x1b[1;2H\x1b[K", ""),
        ("漢字x\x1b[1;2Hy", " y字x"),
        // What had no room at the end of the row is the first of the next; the gap moves.
        ("123456789漢\x1b[1;1H\x1b[2P\x1b[1;9Hz", "3456789 z"),
    ] {
        let mut screen = Screen::new(size, 100);
        screen.feed(sequence.as_bytes());
        check(&mut screen, size).unwrap();
        let text = visible(&screen, Format::Text);
        assert_eq!(
            text.lines().next().unwrap_or_default(),
            expected,
            "{sequence:?}"
        );
    }
}
