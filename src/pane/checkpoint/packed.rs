//! Packed scrollback in a checkpoint: line by line as it is kept, so that writing it, which a flood pays for
//! again and again, is hardly more than copying its text.

use std::ops::Range;

use alacritty_terminal::term::cell::Hyperlink;

use super::CheckpointError;
use super::bytes::{Reader, Writer};
use super::cells::{CHARACTERS, Links, RowReader, write_look};
use crate::pane::cold::{Cold, Piece};
use crate::pane::engine::COMBINING_MAX;
use crate::pane::osc::LINK_MAX;
use crate::pane::pen::Pen;
use crate::pane::width::width;

/// What a line, or a piece of one, begins with; nothing stands behind the last.
const END: u8 = 0;
const PIECE: u8 = 1;
/// In the same byte: the line goes on in the next piece.
const CONTINUES: u8 = 1 << 1;
/// The same: it was wrapped into a row that stayed blank.
const BLANK_END: u8 = 1 << 2;

/// What stands behind the last link of a piece; they are numbered from 1.
const NO_LINK: usize = 0;

/// Bytes of text in one piece. A chunk takes more rows until it has 32 KiB; a line that came at once is
/// no longer than what may wait to be drawn, and a row no longer than a screen is wide.
const TEXT_MAX: usize = 256 * 1024;

/// Runs in one piece: a chunk takes more rows until it has half as many, and numbers of pens have 16 bits.
const RUNS_MAX: usize = 32 * 1024;

/// Writes the newest lines that fit into `most` bytes, newest first, from the start of a line on.
pub(super) fn save(cold: &Cold, writer: &mut Writer, most: usize) {
    let limit = writer.length() + if writer.is_full() { 0 } else { most };
    let (mut pens, mut links) = (Numbers::default(), Links::default());
    // Where the pieces end that make whole lines.
    let mut kept = writer.length();
    let mut pieces = cold.newest_pieces().peekable();
    while let Some(piece) = pieces.next() {
        write_piece(writer, &piece, &mut pens, &mut links);
        if writer.length() > limit {
            break;
        }
        if !pieces.peek().is_some_and(|before| before.continues) {
            kept = writer.length();
        }
    }
    writer.truncate(kept);
    writer.byte(END);
}

/// The numbers in the checkpoint of the pens that it has mentioned. Each chunk has its own numbers, and its
/// pens are written once for each chunk.
#[derive(Default)]
struct Numbers<'a> {
    pens: &'a [Pen],
    /// By the number in the chunk.
    known: Vec<Option<usize>>,
    count: usize,
}

impl<'a> Numbers<'a> {
    fn enter(&mut self, pens: &'a [Pen]) {
        if !std::ptr::eq(self.pens, pens) {
            self.pens = pens;
            self.known.clear();
            self.known.resize(pens.len(), None);
        }
    }
}

fn write_piece<'a>(
    writer: &mut Writer,
    piece: &Piece<'a>,
    numbers: &mut Numbers<'a>,
    links: &mut Links,
) {
    let mut first = PIECE;
    if piece.continues {
        first |= CONTINUES;
    }
    if piece.blank_end {
        first |= BLANK_END;
    }
    writer.byte(first);
    writer.bytes(piece.text);
    writer.size(piece.runs.len());
    numbers.enter(piece.pens);
    for run in piece.runs {
        writer.number(run.bytes.into());
        let index = usize::from(run.pen);
        if let Some(number) = numbers.known[index] {
            writer.size(number);
        } else {
            writer.size(numbers.count);
            let look = piece.pens[index].cell();
            write_look(writer, &look, CHARACTERS, &mut Links::default());
            numbers.known[index] = Some(numbers.count);
            numbers.count += 1;
        }
    }
    for (place, link) in piece.links() {
        // Beyond the bound, text loses its links.
        if let Some((number, new)) = links.number(link) {
            writer.size(number);
            if new {
                writer.text(link.id());
                writer.text(link.uri());
            }
            writer.size(place.start);
            writer.size(place.len());
        }
    }
    writer.size(NO_LINK);
}

/// A piece that was read and proved.
struct Read<'a> {
    text: &'a str,
    /// Which of the runs are its own.
    runs: Range<usize>,
    /// The same of links.
    links: Range<usize>,
    continues: bool,
    blank_end: bool,
}

/// Everything that the pieces refer to.
#[derive(Default)]
struct Parts {
    runs: Vec<ReadRun>,
    pens: Vec<Pen>,
    /// Bytes of the piece's text, and which of the addresses they lead to.
    links: Vec<(Range<usize>, usize)>,
    addresses: Vec<Hyperlink>,
}

/// So many bytes of a piece, drawn with one of the pens that were read.
struct ReadRun {
    bytes: usize,
    pen: usize,
}

/// Reads what [`save`] wrote into an empty store.
pub(super) fn restore(cold: &mut Cold, reader: &mut Reader) -> Result<(), CheckpointError> {
    // The oldest is the first to be packed again, and the last in the checkpoint.
    let mut pieces = Vec::new();
    let mut parts = Parts::default();
    while let Some(piece) = read_piece(reader, &mut parts)? {
        pieces.push(piece);
    }
    for piece in pieces.iter().rev() {
        let runs = parts.runs[piece.runs.clone()].iter();
        let links = parts.links[piece.links.clone()].iter();
        cold.push_piece(
            piece.text,
            runs.map(|run| (run.bytes, parts.pens[run.pen])),
            links.map(|(place, address)| (place.clone(), parts.addresses[*address].clone())),
            piece.continues,
            piece.blank_end,
        );
    }
    Ok(())
}

/// Reads one piece; none if it was the mark behind the last.
fn read_piece<'a>(
    reader: &mut Reader<'a>,
    parts: &mut Parts,
) -> Result<Option<Read<'a>>, CheckpointError> {
    let first = reader.byte()?;
    if first == END {
        return Ok(None);
    }
    if first & !(CONTINUES | BLANK_END) != PIECE {
        return Err(CheckpointError::Damaged);
    }
    let text = reader.text(TEXT_MAX)?;
    prove(text)?;
    let Parts { runs, pens, .. } = parts;
    let start = runs.len();
    let mut end = 0;
    for _ in 0..reader.size(RUNS_MAX)? {
        let bytes = reader.size(u16::MAX.into())?;
        end += bytes;
        // Where runs end, rows may be cut out of the text.
        if bytes == 0 || !text.is_char_boundary(end) {
            return Err(CheckpointError::Damaged);
        }
        let pen = reader.size(pens.len())?;
        if pen == pens.len() {
            let (look, _) = RowReader::default().look(reader)?;
            pens.push(Pen::of(&look));
        }
        runs.push(ReadRun { bytes, pen });
    }
    if runs.len() > start && end != text.len() {
        return Err(CheckpointError::Damaged);
    }
    let runs = start..runs.len();
    let start = parts.links.len();
    read_links(reader, text, parts)?;
    Ok(Some(Read {
        text,
        runs,
        links: start..parts.links.len(),
        continues: first & CONTINUES != 0,
        blank_end: first & BLANK_END != 0,
    }))
}

/// Reads the links of a piece.
fn read_links(reader: &mut Reader, text: &str, parts: &mut Parts) -> Result<(), CheckpointError> {
    let mut end = 0;
    loop {
        let number = reader.size(parts.addresses.len() + 1)?;
        let Some(address) = number.checked_sub(1) else {
            return Ok(());
        };
        if address == parts.addresses.len() {
            let (id, uri) = (reader.text(LINK_MAX)?, reader.text(LINK_MAX)?);
            let link = Hyperlink::new(Some(id), uri.to_owned());
            parts.addresses.push(link);
        }
        let start = reader.size(text.len())?;
        let length = reader.size(text.len() - start)?;
        let is_in_order = start >= end && length > 0;
        end = start + length;
        if !is_in_order || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            return Err(CheckpointError::Damaged);
        }
        parts.links.push((start..end, address));
    }
}

/// Whether a grid could have held the characters.
fn prove(text: &str) -> Result<(), CheckpointError> {
    // Zero-width characters on the cell before; there is none to begin with.
    let mut marks = COMBINING_MAX;
    for character in text.chars() {
        match width(character) {
            None => return Err(CheckpointError::Damaged),
            Some(0) => marks += 1,
            Some(_) => marks = 0,
        }
        if marks > COMBINING_MAX {
            return Err(CheckpointError::Damaged);
        }
    }
    Ok(())
}
