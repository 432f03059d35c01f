//! What a cell of the grid draws in its row. Sequences that erase, insert or delete cells cut wide
//! characters in half; half a character cannot be drawn, and is a blank, so that what follows keeps
//! its column.

use alacritty_terminal::term::cell::{Cell, Flags};

/// What is to be drawn for a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawn {
    /// Its character, in as many columns as that takes.
    Character,
    /// A blank: the other half of its character is gone, or it is filled with nothing.
    Blank,
    /// Nothing: the character before reaches into it, or the one that had no room in the row is the
    /// first of the next.
    Nothing,
}

/// Cells that cannot be judged on their own.
const APART: Flags = Flags::WIDE_CHAR
    .union(Flags::WIDE_CHAR_SPACER)
    .union(Flags::LEADING_WIDE_CHAR_SPACER);

/// What the cell at `column` of a whole row draws.
#[inline]
pub(super) fn drawn(row: &[Cell], column: usize) -> Drawn {
    let flags = row[column].flags;
    if !flags.intersects(APART) {
        return Drawn::Character;
    }
    let next = row.get(column + 1);
    let before = column.checked_sub(1).map(|before| &row[before]);
    let is = |cell: Option<&Cell>, flag| cell.is_some_and(|cell| cell.flags.contains(flag));
    if flags.contains(Flags::WIDE_CHAR) {
        match is(next, Flags::WIDE_CHAR_SPACER) {
            true => Drawn::Character,
            false => Drawn::Blank,
        }
    } else if flags.contains(Flags::WIDE_CHAR_SPACER) {
        match is(before, Flags::WIDE_CHAR) {
            true => Drawn::Nothing,
            false => Drawn::Blank,
        }
    } else {
        // At the end of a row it stands for a character that is the first of the next.
        match next {
            None => Drawn::Nothing,
            Some(_) => Drawn::Blank,
        }
    }
}

#[cfg(test)]
mod tests;
