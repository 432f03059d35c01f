//! From one picture of a pane to the next, as bytes for a terminal: a full frame shows it on a fresh
//! terminal, a delta on one that shows the picture before.
//!
//! Only what nearly every terminal knows is used: the cursor is put by row and column, a row is
//! never wrapped, and what moved up or down moves by scrolling within margins.

use std::fmt::Write;

use super::modes::{Modes, MouseTracking};
use super::pen::Pen;
use super::picture::{Glyph, Part, Picture};

/// Cells that are equal and lie between others that are not, up to which they are drawn again:
/// putting the cursor behind them takes as many bytes.
const GAP: usize = 6;

/// The bytes that show `current` on a terminal that shows `previous`, or on a fresh one of its size.
/// Nothing if nothing changes.
pub fn frame(previous: Option<&Picture>, current: &Picture) -> Vec<u8> {
    let mut drawing = Drawing {
        out: String::new(),
        pen: Pen::default(),
        at: None,
    };
    let previous = previous.filter(|previous| previous.size() == current.size());
    match previous {
        None => {
            drawing.out.push_str("\x1b[m\x1b[r\x1b[H\x1b[2J");
            let blank = vec![Glyph::default(); usize::from(current.size().cols)];
            for row in 0..current.rows() {
                drawing.row(row, &blank, current.row(row));
            }
        }
        Some(previous) => drawing.changes(previous, current),
    }
    drawing.plain();
    let (style, cursor) = previous.map_or((0, None), |was| (was.cursor_style, was.cursor));
    if current.cursor_style != style {
        let _ = write!(drawing.out, "\x1b[{} q", current.cursor_style);
    }
    let is_fresh = previous.is_none();
    if current.cursor.is_some() != cursor.is_some() || is_fresh {
        let end = if current.cursor.is_some() { 'h' } else { 'l' };
        let _ = write!(drawing.out, "\x1b[?25{end}");
    }
    if let Some((column, row)) = current.cursor
        && (current.cursor != cursor || drawing.at.is_some() || is_fresh)
    {
        drawing.go(row, column);
    }
    drawing.out.into_bytes()
}

/// The bytes that give a terminal the modes by which a program gets its input as it wants it:
/// paste marks, cursor keys, keypad, mouse, focus, kitty's keyboard. `previous` is what the terminal
/// has now; a fresh one has the default.
pub fn input_modes(previous: &Modes, current: &Modes) -> Vec<u8> {
    let mut out = String::new();
    let mut switch = |was: bool, is: bool, mode: &str| {
        if was != is {
            let end = if is { 'h' } else { 'l' };
            let _ = write!(out, "\x1b[?{mode}{end}");
        }
    };
    switch(previous.application_cursor, current.application_cursor, "1");
    for (tracking, mode) in [
        (MouseTracking::Click, "1000"),
        (MouseTracking::Drag, "1002"),
        (MouseTracking::Motion, "1003"),
    ] {
        let (was, is) = (previous.mouse == tracking, current.mouse == tracking);
        switch(was, is, mode);
    }
    switch(previous.sgr_mouse, current.sgr_mouse, "1006");
    switch(previous.focus_events, current.focus_events, "1004");
    switch(previous.bracketed_paste, current.bracketed_paste, "2004");
    if previous.application_keypad != current.application_keypad {
        out.push_str(if current.application_keypad {
            "\x1b="
        } else {
            "\x1b>"
        });
    }
    if previous.kitty_keyboard != current.kitty_keyboard {
        let _ = write!(out, "\x1b[={}u", current.kitty_keyboard);
    }
    out.into_bytes()
}

/// What has been written, and the state it leaves the terminal in.
struct Drawing {
    out: String,
    pen: Pen,
    /// Row and column of the cursor, if known; none before the first move.
    at: Option<(usize, usize)>,
}

impl Drawing {
    fn changes(&mut self, previous: &Picture, current: &Picture) {
        let mut shown: Vec<&[Glyph]> = (0..previous.rows()).map(|row| previous.row(row)).collect();
        let blank = vec![Glyph::default(); usize::from(current.size().cols)];
        if let Some(shift) = find_shift(&shown, current) {
            self.scroll(&shift);
            let region = &mut shown[shift.top..=shift.bottom];
            let lines = shift.lines.unsigned_abs();
            if shift.lines > 0 {
                region.rotate_left(lines);
                let kept = region.len() - lines;
                region[kept..].fill(&blank);
            } else {
                region.rotate_right(lines);
                region[..lines].fill(&blank);
            }
        }
        for (row, shown) in shown.into_iter().enumerate() {
            self.row(row, shown, current.row(row));
        }
    }

    /// Moves rows, so that new ones are blank.
    fn scroll(&mut self, shift: &Shift) {
        self.plain();
        let (lines, end) = (
            shift.lines.unsigned_abs(),
            if shift.lines > 0 { 'S' } else { 'T' },
        );
        if shift.whole {
            let _ = write!(self.out, "\x1b[{lines}{end}");
        } else {
            let (top, bottom) = (shift.top + 1, shift.bottom + 1);
            let _ = write!(self.out, "\x1b[{top};{bottom}r\x1b[{lines}{end}\x1b[r");
            self.at = Some((0, 0));
        }
        self.at = self.at.or(Some((usize::MAX, 0)));
    }

    /// Draws what is different in a row.
    fn row(&mut self, row: usize, shown: &[Glyph], wanted: &[Glyph]) {
        // From here on nothing is to be seen.
        let end = wanted
            .iter()
            .rposition(|glyph| *glyph != Glyph::default())
            .map_or(0, |last| last + 1);
        let mut column = 0;
        while column < end {
            if shown[column] == wanted[column] {
                column += 1;
                continue;
            }
            let start = whole_start(shown, wanted, column);
            let mut stop = column + 1;
            let mut equal = 0;
            for next in column + 1..end {
                equal = if shown[next] == wanted[next] {
                    equal + 1
                } else {
                    0
                };
                if equal > GAP {
                    break;
                }
                if equal == 0 {
                    stop = next + 1;
                }
            }
            let stop = whole_stop(shown, wanted, stop).min(wanted.len());
            self.run(row, start, &wanted[start..stop]);
            column = stop;
        }
        let tail = column.max(end);
        if shown[tail..].iter().any(|glyph| *glyph != Glyph::default()) {
            self.plain();
            self.go(row, tail);
            self.out.push_str("\x1b[K");
        }
    }

    /// Draws cells side by side.
    fn run(&mut self, row: usize, start: usize, glyphs: &[Glyph]) {
        let mut link = None;
        for (offset, glyph) in glyphs.iter().enumerate() {
            if glyph.part == Part::Right {
                continue;
            }
            self.go(row, start + offset);
            // Blanks between words are drawn with the words' pen, as programs do it.
            let is_blank = *glyph == Glyph::default();
            if glyph.pen != self.pen && (!is_blank || self.pen.shows_on_blank()) {
                glyph.pen.push_sgr(&mut self.out);
                self.pen = glyph.pen;
            }
            let more = glyph.more.as_deref();
            let wanted = more.and_then(|more| more.link.as_ref());
            if wanted != link {
                match wanted {
                    Some(link) => {
                        let _ = write!(self.out, "\x1b]8;id={};{}\x1b\\", link.id(), link.uri());
                    }
                    None => self.out.push_str("\x1b]8;;\x1b\\"),
                }
                link = wanted;
            }
            self.out.push(glyph.character);
            let width = if glyph.part == Part::Left { 2 } else { 1 };
            self.at = Some((row, start + offset + width));
            if let Some(more) = more.filter(|more| !more.combining.is_empty()) {
                self.out.extend(&more.combining);
                // Terminals do not agree on what that takes.
                self.at = Some((usize::MAX, 0));
            }
        }
        if link.is_some() {
            self.out.push_str("\x1b]8;;\x1b\\");
        }
    }

    fn go(&mut self, row: usize, column: usize) {
        if self.at == Some((row, column)) {
            return;
        }
        self.at = Some((row, column));
        let _ = match (row, column) {
            (0, 0) => self.out.write_str("\x1b[H"),
            (row, 0) => write!(self.out, "\x1b[{}H", row + 1),
            (row, column) => write!(self.out, "\x1b[{};{}H", row + 1, column + 1),
        };
    }

    fn plain(&mut self) {
        if self.pen != Pen::default() {
            self.out.push_str("\x1b[m");
            self.pen = Pen::default();
        }
    }
}

/// The first column that has to be drawn with `column`, so that no character is cut in two.
fn whole_start(shown: &[Glyph], wanted: &[Glyph], mut column: usize) -> usize {
    while column > 0
        && [shown, wanted]
            .iter()
            .any(|row| row[column].part == Part::Right)
    {
        column -= 1;
    }
    column
}

/// The same for the end.
fn whole_stop(shown: &[Glyph], wanted: &[Glyph], mut stop: usize) -> usize {
    let cut = |row: &[Glyph], at: usize| row.get(at).is_some_and(|glyph| glyph.part == Part::Right);
    while cut(shown, stop) || cut(wanted, stop) {
        stop += 1;
    }
    stop
}

/// Rows that have moved.
struct Shift {
    /// First and last row of the region that moves.
    top: usize,
    bottom: usize,
    /// How far up; down if negative.
    lines: isize,
    /// The region is the whole screen.
    whole: bool,
}

/// The move that saves the most rows from being drawn again, if it saves more than it makes new.
fn find_shift(shown: &[&[Glyph]], current: &Picture) -> Option<Shift> {
    let rows = shown.len();
    let changed: Vec<bool> = (0..rows)
        .map(|row| shown[row] != current.row(row))
        .collect();
    if changed.iter().filter(|changed| **changed).count() < 2 {
        return None;
    }
    let mut best: Option<(usize, Shift)> = None;
    let most = rows as isize - 1;
    for lines in (-most..=most).filter(|lines| *lines != 0) {
        let mut row = 0;
        while row < rows {
            // A block of rows that are where they were, `lines` further down.
            let first = row;
            let mut saved = 0;
            while let Some(from) = row.checked_add_signed(lines).filter(|from| *from < rows)
                && row < rows
                && shown[from] == current.row(row)
            {
                saved += usize::from(changed[row]);
                row += 1;
            }
            if saved > best.as_ref().map_or(1, |(saved, _)| *saved) {
                let (top, bottom) = if lines > 0 {
                    (first, row - 1 + lines.unsigned_abs())
                } else {
                    (first - lines.unsigned_abs(), row - 1)
                };
                let whole = (top, bottom) == (0, rows - 1);
                best = Some((
                    saved,
                    Shift {
                        top,
                        bottom,
                        lines,
                        whole,
                    },
                ));
            }
            row = row.max(first + 1);
        }
    }
    best.map(|(_, shift)| shift)
}

#[cfg(test)]
mod tests;
