//! A screen as bytes and back: all that decides what later output does and what any read shows, so
//! that a screen outlives the process that drew it.
//!
//! Taken at any byte of the stream, within a sequence too. Not in it are answers and notes that
//! nobody has taken yet, and scrollback beyond the bound that the caller names. Whatever is too
//! large for a checkpoint (it would have to be noise on a screen of a thousand columns) is left
//! blank rather than failing it.

mod bytes;
mod cells;
mod packed;
mod side;

use std::panic::{AssertUnwindSafe, catch_unwind};

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Cursor;
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::term::cell::Cell;
use alacritty_terminal::term::{TermMode, color};
use vte::ansi::{
    CharsetIndex, CursorShape, CursorStyle, Handler, Mode, NamedMode, NamedPrivateMode,
    PrivateMode, StandardCharset, TabulationClearMode,
};

pub(super) use bytes::{Reader, Writer};

use self::cells::{Links, RowReader};
use super::engine::Engine;
use super::screen::{COLUMNS, DEFAULT_SCROLLBACK_ROWS, ROWS, Screen, Size};
use super::side::Side;
use super::stream::Stream;

/// What every checkpoint begins with.
const MAGIC: &[u8] = b"drvscr";

/// Raised by one with every change that an older reader would misread.
const VERSION: u64 = 3;

/// The oldest version that is read, in which nothing of what the program said is kept but the title
/// of its window.
const OLDEST_VERSION: u64 = 2;

/// Scrollback rows that may be asked for; the configuration allows fewer.
const SCROLLBACK_MAX: usize = 100_000_000;

/// More revisions than a screen will ever have, and far from where adding one overflows.
const REVISION_MAX: usize = usize::MAX / 2;

/// Cells of history rows in the grid that a checkpoint may claim: more than the largest screen
/// keeps, and 48 MB.
const HOT_CELLS_MAX: usize = 2 << 20;

/// History rows in the grid that a checkpoint may claim: many times what is kept of any screen that
/// was not made tiny while a program had the alternate screen up.
const HOT_ROWS_MAX: usize = 128 * 1024;

/// Bytes of a checkpoint from which on rows are left blank, a byte each, so that it ends soon after.
/// The largest screens anybody looks at need a tenth of it.
const LIMIT: usize = 3 << 20;

/// The most that a checkpoint can have beside its packed scrollback: beyond [`LIMIT`], the row that
/// was begun and its links, and a byte for each of the others.
pub const CHECKPOINT_MAX: usize = LIMIT + (1 << 20);

/// Why bytes are no checkpoint that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointError {
    /// They do not begin like one.
    Unknown,
    /// They were written by another drover, in this version of the format.
    Other(u64),
    /// They break off, or say what no screen can be.
    Damaged,
}

impl std::fmt::Display for CheckpointError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckpointError::Unknown => formatter.write_str("this is no checkpoint of a screen"),
            CheckpointError::Other(version) => write!(
                formatter,
                "the checkpoint has version {version}, and this drover knows version {VERSION}"
            ),
            CheckpointError::Damaged => {
                formatter.write_str("the checkpoint of a screen is damaged")
            }
        }
    }
}

impl std::error::Error for CheckpointError {}

impl Screen {
    /// The screen as bytes, with at most about `scrollback` bytes of packed scrollback, the newest.
    /// Nothing about the screen changes; it is borrowed for writing because the hidden of its two
    /// grids is only to be had by putting it up.
    pub fn checkpoint(&mut self, scrollback: usize) -> Vec<u8> {
        self.catch_up();
        let mut out = Vec::new();
        self.write_checkpoint(&mut out, scrollback);
        out
    }

    /// The same in place of what is in `out`, but without what was received and is not shown yet.
    pub(super) fn write_checkpoint(&mut self, out: &mut Vec<u8>, scrollback: usize) {
        out.clear();
        let mut writer = Writer::new(out, LIMIT);
        writer.raw(MAGIC);
        writer.number(VERSION);
        writer.size(self.engine.columns());
        writer.size(self.engine.rows());
        writer.size(self.scrollback_rows);
        writer.size(self.offset);
        writer.number(self.revision);
        self.stream.save(&mut writer);
        self.engine.side.save(&mut writer);
        side::save_said(&self.engine.side.said, &mut writer);
        save_modes(&self.engine.term, &mut writer);
        save_grids(&mut self.engine, &mut writer);
        packed::save(&self.engine.cold, &mut writer, scrollback);
    }

    /// How many rows of scrollback a checkpoint's screen keeps, without making the screen; as by
    /// default if the checkpoint does not say.
    pub(super) fn scrollback_of(checkpoint: &[u8]) -> usize {
        read_start(&mut Reader::new(checkpoint))
            .map_or(DEFAULT_SCROLLBACK_ROWS, |start| start.scrollback_rows)
    }

    /// The screen that was written by [`checkpoint`](Screen::checkpoint).
    ///
    /// # Errors
    /// When the bytes are no checkpoint, or a newer one, or damaged; whatever they are, nothing
    /// worse happens.
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Screen, CheckpointError> {
        // Everything is looked at before the engine gets it; this is for what the engine makes of
        // it all the same.
        catch_unwind(AssertUnwindSafe(|| read(&mut Reader::new(bytes))))
            .unwrap_or(Err(CheckpointError::Damaged))
    }
}

/// What a checkpoint begins with.
struct Start {
    version: u64,
    size: Size,
    scrollback_rows: usize,
    offset: usize,
    revision: u64,
}

fn read_start(reader: &mut Reader) -> Result<Start, CheckpointError> {
    if reader.raw(MAGIC.len()) != Ok(MAGIC) {
        return Err(CheckpointError::Unknown);
    }
    let version = reader.number()?;
    if !(OLDEST_VERSION..=VERSION).contains(&version) {
        return Err(CheckpointError::Other(version));
    }
    let columns = reader.size(COLUMNS.1.into())?;
    let rows = reader.size(ROWS.1.into())?;
    if columns < usize::from(COLUMNS.0) || rows < usize::from(ROWS.0) {
        return Err(CheckpointError::Damaged);
    }
    Ok(Start {
        version,
        size: Size {
            cols: columns as u16,
            rows: rows as u16,
        },
        scrollback_rows: reader.size(SCROLLBACK_MAX)?,
        offset: reader.size(usize::MAX)?,
        revision: reader.size(REVISION_MAX)? as u64,
    })
}

fn read(reader: &mut Reader) -> Result<Screen, CheckpointError> {
    let start = read_start(reader)?;
    let mut screen = Screen::new(start.size, start.scrollback_rows);
    screen.stream = Stream::restore(reader)?;
    let engine = &mut screen.engine;
    engine.side = Side::restore(reader, engine.columns(), engine.rows())?;
    if start.version == OLDEST_VERSION {
        engine.side.said.title.clone_from(&engine.side.title);
    } else {
        engine.side.said = side::restore_said(reader)?;
    }
    restore_modes(engine, reader)?;
    restore_grids(engine, reader)?;
    packed::restore(&mut engine.cold, reader)?;
    if !reader.is_at_end() {
        return Err(CheckpointError::Damaged);
    }
    engine.finish();
    screen.offset = start.offset.min(engine.history());
    screen.revision = start.revision;
    Ok(screen)
}

/// The modes that the engine keeps, with what switches them, in the order of their bits in a
/// checkpoint. Which screen is up is a matter of the grids.
const MODES: [(TermMode, Switch); 15] = [
    (
        TermMode::SHOW_CURSOR,
        Switch::Private(NamedPrivateMode::ShowCursor),
    ),
    (
        TermMode::APP_CURSOR,
        Switch::Private(NamedPrivateMode::CursorKeys),
    ),
    (TermMode::APP_KEYPAD, Switch::Keypad),
    (
        TermMode::MOUSE_REPORT_CLICK,
        Switch::Private(NamedPrivateMode::ReportMouseClicks),
    ),
    (
        TermMode::MOUSE_DRAG,
        Switch::Private(NamedPrivateMode::ReportCellMouseMotion),
    ),
    (
        TermMode::MOUSE_MOTION,
        Switch::Private(NamedPrivateMode::ReportAllMouseMotion),
    ),
    (
        TermMode::BRACKETED_PASTE,
        Switch::Private(NamedPrivateMode::BracketedPaste),
    ),
    (
        TermMode::SGR_MOUSE,
        Switch::Private(NamedPrivateMode::SgrMouse),
    ),
    (
        TermMode::UTF8_MOUSE,
        Switch::Private(NamedPrivateMode::Utf8Mouse),
    ),
    (
        TermMode::LINE_WRAP,
        Switch::Private(NamedPrivateMode::LineWrap),
    ),
    (
        TermMode::LINE_FEED_NEW_LINE,
        Switch::Ansi(NamedMode::LineFeedNewLine),
    ),
    (TermMode::ORIGIN, Switch::Private(NamedPrivateMode::Origin)),
    (TermMode::INSERT, Switch::Ansi(NamedMode::Insert)),
    (
        TermMode::FOCUS_IN_OUT,
        Switch::Private(NamedPrivateMode::ReportFocusInOut),
    ),
    (
        TermMode::ALTERNATE_SCROLL,
        Switch::Private(NamedPrivateMode::AlternateScroll),
    ),
];

#[derive(Clone, Copy)]
enum Switch {
    Private(NamedPrivateMode),
    Ansi(NamedMode),
    Keypad,
}

fn save_modes(term: &Term<VoidListener>, writer: &mut Writer) {
    let mut bits = 0;
    for (position, (mode, _)) in MODES.iter().enumerate() {
        bits |= u64::from(term.mode().contains(*mode)) << position;
    }
    writer.number(bits);
    let style = term.cursor_style();
    writer.byte(match style.shape {
        CursorShape::Underline => 1,
        CursorShape::Beam => 2,
        _ => 0,
    });
    writer.flag(style.blinking);
    let colors = term.colors();
    let set = || (0..color::COUNT).filter_map(|index| Some((index, colors[index]?)));
    writer.size(set().count());
    for (index, color) in set() {
        writer.size(index);
        writer.raw(&[color.r, color.g, color.b]);
    }
}

fn restore_modes(engine: &mut Engine, reader: &mut Reader) -> Result<(), CheckpointError> {
    let rows = engine.rows();
    let (top, bottom) = engine.side.scroll_region;
    let term = &mut engine.term;
    if (top, bottom) != (0, rows - 1) {
        // A region of one row is the last, and has to be asked for as one that goes further.
        let bottom = bottom.max(top + 1);
        term.set_scrolling_region(top + 1, Some(bottom + 1));
    }
    let bits = reader.number()?;
    for (position, (mode, switch)) in MODES.into_iter().enumerate() {
        let on = bits >> position & 1 == 1;
        if on == term.mode().contains(mode) {
            continue;
        }
        match (switch, on) {
            (Switch::Private(mode), true) => term.set_private_mode(PrivateMode::Named(mode)),
            (Switch::Private(mode), false) => term.unset_private_mode(PrivateMode::Named(mode)),
            (Switch::Ansi(mode), true) => term.set_mode(Mode::Named(mode)),
            (Switch::Ansi(mode), false) => term.unset_mode(Mode::Named(mode)),
            (Switch::Keypad, true) => term.set_keypad_application_mode(),
            (Switch::Keypad, false) => term.unset_keypad_application_mode(),
        }
    }
    let shape = match reader.byte()? {
        0 => CursorShape::Block,
        1 => CursorShape::Underline,
        2 => CursorShape::Beam,
        _ => return Err(CheckpointError::Damaged),
    };
    let blinking = reader.flag()?;
    term.set_cursor_style(Some(CursorStyle { shape, blinking }));
    for _ in 0..reader.size(color::COUNT)? {
        let index = reader.size(color::COUNT - 1)?;
        term.set_color(index, cells::read_rgb(reader)?);
    }
    term.set_active_charset(engine.side.active_charset);
    term.clear_tabs(TabulationClearMode::All);
    for (column, stop) in engine.side.tabs.columns().iter().enumerate() {
        if *stop {
            term.grid_mut().cursor.point.column = Column(column);
            term.set_horizontal_tabstop();
        }
    }
    Ok(())
}

/// Both grids with their cursors, and the history rows that are in the grid.
fn save_grids(engine: &mut Engine, writer: &mut Writer) {
    let mut links = Links::default();
    let alternate = engine.is_alternate();
    writer.flag(alternate);
    if alternate {
        let grid = engine.term.grid();
        save_cursor(&grid.cursor, writer, &mut links);
        save_cursor(&grid.saved_cursor, writer, &mut links);
        save_rows(engine, writer, &mut links);
        engine.on_primary(|engine| {
            save_cursor(&engine.term.grid().cursor, writer, &mut links);
            save_primary(engine, writer, &mut links);
        });
    } else {
        // Of the alternate screen only the saved cursor outlives the time it is up.
        engine.on_parked_alternate(|grid| save_cursor(&grid.saved_cursor, writer, &mut links));
        let grid = engine.term.grid();
        save_cursor(&grid.cursor, writer, &mut links);
        save_cursor(&grid.saved_cursor, writer, &mut links);
        save_primary(engine, writer, &mut links);
    }
}

fn restore_grids(engine: &mut Engine, reader: &mut Reader) -> Result<(), CheckpointError> {
    let mut rows = RowReader::default();
    if reader.flag()? {
        let cursor = read_cursor(engine, reader, &mut rows)?;
        let saved_cursor = read_cursor(engine, reader, &mut rows)?;
        // The primary screen is filled first, because the way to the other leads over it.
        engine.enter_alternate();
        restore_rows(engine, reader, &mut rows)?;
        let alternate = engine.term.grid().clone();
        engine.leave_alternate(false);
        let primary = read_cursor(engine, reader, &mut rows)?;
        restore_primary(engine, reader, &mut rows)?;
        engine.term.grid_mut().cursor = primary;
        engine.enter_alternate();
        let grid = engine.term.grid_mut();
        *grid = alternate;
        grid.cursor = cursor;
        grid.saved_cursor = saved_cursor;
    } else {
        let alternate = read_cursor(engine, reader, &mut rows)?;
        engine.on_parked_alternate(|grid| grid.saved_cursor = alternate);
        let cursor = read_cursor(engine, reader, &mut rows)?;
        let saved_cursor = read_cursor(engine, reader, &mut rows)?;
        restore_primary(engine, reader, &mut rows)?;
        let grid = engine.term.grid_mut();
        grid.cursor = cursor;
        grid.saved_cursor = saved_cursor;
    }
    Ok(())
}

const CHARSETS: [CharsetIndex; 4] = [
    CharsetIndex::G0,
    CharsetIndex::G1,
    CharsetIndex::G2,
    CharsetIndex::G3,
];

fn save_cursor(cursor: &Cursor<Cell>, writer: &mut Writer, links: &mut Links) {
    writer.size(usize::try_from(cursor.point.line.0).unwrap_or(0));
    writer.size(cursor.point.column.0);
    let mut bits = u8::from(cursor.input_needs_wrap);
    for (position, index) in CHARSETS.into_iter().enumerate() {
        let drawing = cursor.charsets[index] == StandardCharset::SpecialCharacterAndLineDrawing;
        bits |= u8::from(drawing) << (position + 1);
    }
    writer.byte(bits);
    cells::write_look(writer, &cursor.template, 0, links);
}

fn read_cursor(
    engine: &Engine,
    reader: &mut Reader,
    rows: &mut RowReader,
) -> Result<Cursor<Cell>, CheckpointError> {
    let line = reader.size(engine.rows() - 1)?;
    let column = reader.size(engine.columns() - 1)?;
    let bits = reader.byte()?;
    let (template, _) = rows.look(reader)?;
    let mut cursor = Cursor {
        point: Point::new(Line(line as i32), Column(column)),
        template,
        input_needs_wrap: bits & 1 == 1,
        ..Cursor::default()
    };
    for (position, index) in CHARSETS.into_iter().enumerate() {
        if bits >> (position + 1) & 1 == 1 {
            cursor.charsets[index] = StandardCharset::SpecialCharacterAndLineDrawing;
        }
    }
    Ok(cursor)
}

/// The rows of the screen that is up.
fn save_rows(engine: &Engine, writer: &mut Writer, links: &mut Links) {
    for line in 0..engine.rows() {
        save_row(engine, Line(line as i32), writer, links);
    }
}

fn restore_rows(
    engine: &mut Engine,
    reader: &mut Reader,
    rows: &mut RowReader,
) -> Result<(), CheckpointError> {
    for line in 0..engine.rows() {
        rows.row(reader, &mut engine.term.grid_mut()[Line(line as i32)][..])?;
    }
    Ok(())
}

fn hot_rows_max(engine: &Engine) -> usize {
    HOT_ROWS_MAX.min(HOT_CELLS_MAX / engine.columns())
}

/// The primary screen, which is up, and the history rows in its grid, the newest first: that is who
/// should have the room.
fn save_primary(engine: &Engine, writer: &mut Writer, links: &mut Links) {
    let count = engine.hot_history().min(hot_rows_max(engine));
    writer.size(count);
    save_rows(engine, writer, links);
    for row in 1..=count {
        save_row(engine, Line(-(row as i32)), writer, links);
    }
}

fn restore_primary(
    engine: &mut Engine,
    reader: &mut Reader,
    rows: &mut RowReader,
) -> Result<(), CheckpointError> {
    let count = reader.size(hot_rows_max(engine))?;
    engine.add_history(count);
    restore_rows(engine, reader, rows)?;
    for row in 1..=count {
        rows.row(reader, &mut engine.term.grid_mut()[Line(-(row as i32))][..])?;
    }
    engine.limit_history();
    Ok(())
}

fn save_row(engine: &Engine, line: Line, writer: &mut Writer, links: &mut Links) {
    if writer.is_full() {
        writer.size(0);
    } else {
        cells::write_row(writer, &engine.term.grid()[line][..], links);
    }
}

#[cfg(test)]
mod tests;
