//! Rows of text in columns, for people.

use unicode_width::UnicodeWidthStr;

/// The rows as lines, each column as wide as its widest cell. An empty cell is a dash.
pub(super) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let shown = |cell: &String| {
        if cell.is_empty() {
            "-".to_owned()
        } else {
            cell.clone()
        }
    };
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(shown)).collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].width());
        widths.max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(cell);
            // The format machinery pads by characters, and some of them are wide.
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
