//! Rows of the grid in a checkpoint: runs of equal look, each look written as what differs from a
//! blank cell, and nothing at all for the blank end of a row.

use std::collections::HashMap;

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use vte::ansi::{Color, NamedColor, Rgb};

use super::CheckpointError;
use super::bytes::{Reader, Writer};
use crate::pane::engine::COMBINING_MAX;
use crate::pane::osc::LINK_MAX;
use crate::pane::sgr;

const FOREGROUND: Color = Color::Named(NamedColor::Foreground);
const BACKGROUND: Color = Color::Named(NamedColor::Background);

/// Bytes of link addresses in one checkpoint; text beyond that loses its links.
const LINKS_MAX: usize = 256 * 1024;

/// What the contents of a run are, in the lowest two bits of its first byte.
const ASCII: u8 = 0;
const REPEATED: u8 = 1;
pub(super) const CHARACTERS: u8 = 2;
const COMBINED: u8 = 3;
const CONTENTS: u8 = 3;

/// Which parts of the look follow, in the other bits.
const HAS_FOREGROUND: u8 = 1 << 2;
const HAS_BACKGROUND: u8 = 1 << 3;
const HAS_FLAGS: u8 = 1 << 4;
const HAS_UNDERLINE: u8 = 1 << 5;
const HAS_LINK: u8 = 1 << 6;

/// Cells of the same character from which on they are written as one.
const REPEATED_MIN: usize = 4;

/// The links that a checkpoint has mentioned; each is written out once.
#[derive(Default)]
pub(super) struct Links {
    known: HashMap<Hyperlink, usize>,
    last: Option<(Hyperlink, usize)>,
    bytes: usize,
}

impl Links {
    /// The link's number if it may be written, and whether that is the first time.
    pub(super) fn number(&mut self, link: &Hyperlink) -> Option<(usize, bool)> {
        // Nearly always the same as before, and then the comparison is one of pointers.
        if let Some((last, number)) = &self.last
            && last == link
        {
            return Some((*number, false));
        }
        let next = self.known.len() + 1;
        let (number, new) = match self.known.get(link) {
            Some(number) => (*number, false),
            None => {
                let bytes = self.bytes + link.id().len() + link.uri().len();
                if bytes > LINKS_MAX {
                    return None;
                }
                self.bytes = bytes;
                self.known.insert(link.clone(), next);
                (next, true)
            }
        };
        self.last = Some((link.clone(), number));
        Some((number, new))
    }
}

/// Writes a row without the blank cells at its end.
pub(super) fn write_row(writer: &mut Writer, cells: &[Cell], links: &mut Links) {
    let end = cells
        .iter()
        .rposition(|cell| !is_untouched(cell))
        .map_or(0, |last| last + 1);
    writer.size(end);
    let mut rest = &cells[..end];
    while let Some(first) = rest.first() {
        if has_combining(first) {
            write_look(writer, first, COMBINED, links);
            let combining = first.zerowidth().unwrap_or_default();
            writer.character(first.c);
            writer.size(combining.len());
            combining.iter().for_each(|&c| writer.character(c));
            rest = &rest[1..];
            continue;
        }
        let alike = same_character(rest);
        if alike >= REPEATED_MIN {
            write_look(writer, first, REPEATED, links);
            writer.size(alike);
            writer.character(first.c);
            rest = &rest[alike..];
            continue;
        }
        let (count, ascii) = same_look(rest);
        let run = &rest[..count];
        if ascii {
            write_look(writer, first, ASCII, links);
            writer.size(count);
            writer.raw_each(run.iter().map(|cell| cell.c as u8));
        } else {
            write_look(writer, first, CHARACTERS, links);
            writer.size(count);
            run.iter().for_each(|cell| writer.character(cell.c));
        }
        rest = &rest[count..];
    }
}

/// Whether a cell is as an untouched grid has it.
#[inline]
fn is_untouched(cell: &Cell) -> bool {
    cell.c == ' '
        && cell.flags.is_empty()
        && cell.extra.is_none()
        && cell.bg == BACKGROUND
        && cell.fg == FOREGROUND
}

#[inline]
fn has_combining(cell: &Cell) -> bool {
    cell.extra.is_some() && cell.zerowidth().is_some_and(|all| !all.is_empty())
}

#[inline]
fn looks_like(cell: &Cell, other: &Cell) -> bool {
    cell.flags == other.flags
        && cell.fg == other.fg
        && cell.bg == other.bg
        && match (&cell.extra, &other.extra) {
            (None, None) => true,
            (one, other) => one == other,
        }
}

/// How many cells at the start look alike and hold the same character.
fn same_character(cells: &[Cell]) -> usize {
    let first = &cells[0];
    cells
        .iter()
        .take_while(|cell| cell.c == first.c && looks_like(cell, first))
        .count()
}

/// How many cells at the start look alike up to where a long repetition begins, and whether all
/// are ASCII.
fn same_look(cells: &[Cell]) -> (usize, bool) {
    let first = &cells[0];
    let (mut count, mut repeated) = (0, 0);
    let mut all = 0;
    let mut last = '\0';
    for cell in cells {
        if !looks_like(cell, first) {
            break;
        }
        repeated = if cell.c == last { repeated + 1 } else { 1 };
        last = cell.c;
        if repeated == REPEATED_MIN && count >= REPEATED_MIN {
            // The others of the repetition are in this run already; they go to the next.
            return (count + 1 - REPEATED_MIN, all < 0x80);
        }
        all |= cell.c as u32;
        count += 1;
    }
    (count, all < 0x80)
}

/// Writes what `cell` looks like, and that contents of kind `contents` follow.
pub(super) fn write_look(writer: &mut Writer, cell: &Cell, contents: u8, links: &mut Links) {
    let mut first = contents;
    let (mut underline, mut link, mut number) = (None, None, None);
    if cell.extra.is_some() {
        underline = cell.underline_color();
        link = cell.hyperlink();
        number = link.as_ref().and_then(|link| links.number(link));
    }
    for (present, bit) in [
        (cell.fg != FOREGROUND, HAS_FOREGROUND),
        (cell.bg != BACKGROUND, HAS_BACKGROUND),
        (!cell.flags.is_empty(), HAS_FLAGS),
        (underline.is_some(), HAS_UNDERLINE),
        (number.is_some(), HAS_LINK),
    ] {
        if present {
            first |= bit;
        }
    }
    writer.byte(first);
    if first & HAS_FOREGROUND != 0 {
        write_color(writer, cell.fg);
    }
    if first & HAS_BACKGROUND != 0 {
        write_color(writer, cell.bg);
    }
    if first & HAS_FLAGS != 0 {
        writer.number(cell.flags.bits().into());
    }
    if let Some(color) = underline {
        write_color(writer, color);
    }
    if let (Some((number, new)), Some(link)) = (number, link) {
        writer.size(number);
        if new {
            writer.text(link.id());
            writer.text(link.uri());
        }
    }
}

fn write_color(writer: &mut Writer, color: Color) {
    match color {
        Color::Named(name) => {
            writer.byte(0);
            writer.size(name as usize);
        }
        Color::Indexed(index) => writer.raw(&[1, index]),
        Color::Spec(Rgb { r, g, b }) => writer.raw(&[2, r, g, b]),
    }
}

/// What reads rows back; knows the links that were written before.
#[derive(Default)]
pub(super) struct RowReader {
    links: Vec<Hyperlink>,
}

impl RowReader {
    /// Reads a row into `cells`, all of which are as in an untouched grid.
    pub(super) fn row(
        &mut self,
        reader: &mut Reader,
        cells: &mut [Cell],
    ) -> Result<(), CheckpointError> {
        let end = reader.size(cells.len())?;
        let mut rest = &mut cells[..end];
        while !rest.is_empty() {
            let (mut look, contents) = self.look(reader)?;
            let count = match contents {
                COMBINED => 1,
                _ => reader.size(rest.len())?.max(1),
            };
            let (run, others) = rest.split_at_mut(count);
            rest = others;
            match contents {
                ASCII => {
                    for (cell, &byte) in run.iter_mut().zip(reader.raw(count)?) {
                        if !matches!(byte, b' '..=b'~' | b'\t') {
                            return Err(CheckpointError::Damaged);
                        }
                        look.c = char::from(byte);
                        cell.clone_from(&look);
                    }
                }
                REPEATED => {
                    look.c = reader.character()?;
                    run.fill(look);
                }
                CHARACTERS => {
                    for cell in run {
                        look.c = reader.character()?;
                        cell.clone_from(&look);
                    }
                }
                _ => {
                    look.c = reader.character()?;
                    for _ in 0..reader.size(COMBINING_MAX)? {
                        look.push_zerowidth(reader.character()?);
                    }
                    run[0] = look;
                }
            }
        }
        Ok(())
    }

    /// Reads a look as a cell with a blank, and what contents follow.
    pub(super) fn look(&mut self, reader: &mut Reader) -> Result<(Cell, u8), CheckpointError> {
        let first = reader.byte()?;
        let mut cell = Cell::default();
        if first & HAS_FOREGROUND != 0 {
            cell.fg = read_color(reader)?;
        }
        if first & HAS_BACKGROUND != 0 {
            cell.bg = read_color(reader)?;
        }
        if first & HAS_FLAGS != 0 {
            let bits = reader.size(u16::MAX.into())?;
            cell.flags = Flags::from_bits(bits as u16).ok_or(CheckpointError::Damaged)?;
        }
        if first & HAS_UNDERLINE != 0 {
            cell.set_underline_color(Some(read_color(reader)?));
        }
        if first & HAS_LINK != 0 {
            let number = reader.size(self.links.len() + 1)?;
            if number > self.links.len() {
                let (id, uri) = (reader.text(LINK_MAX)?, reader.text(LINK_MAX)?);
                self.links.push(Hyperlink::new(Some(id), uri.to_owned()));
            }
            let link = number
                .checked_sub(1)
                .and_then(|index| self.links.get(index))
                .ok_or(CheckpointError::Damaged)?;
            cell.set_hyperlink(Some(link.clone()));
        }
        Ok((cell, first & CONTENTS))
    }
}

fn read_color(reader: &mut Reader) -> Result<Color, CheckpointError> {
    Ok(match reader.byte()? {
        0 => match reader.number()? {
            number @ 0..16 => sgr::named(number as u16),
            number if number == NamedColor::Foreground as u64 => FOREGROUND,
            number if number == NamedColor::Background as u64 => BACKGROUND,
            _ => return Err(CheckpointError::Damaged),
        },
        1 => Color::Indexed(reader.byte()?),
        2 => Color::Spec(read_rgb(reader)?),
        _ => return Err(CheckpointError::Damaged),
    })
}

pub(super) fn read_rgb(reader: &mut Reader) -> Result<Rgb, CheckpointError> {
    Ok(Rgb {
        r: reader.byte()?,
        g: reader.byte()?,
        b: reader.byte()?,
    })
}
