//! `Screen`: the terminal of a pane, and the only terminal type the rest of the program sees.
//!
//! Bytes of the PTY go in, answers and notes come out, and what is shown can be read at any time.
//! Rows are numbered from the oldest retained one: packed scrollback, then history rows that are
//! still in the grid, then the screen. The alternate screen has no history; while it is up, reads
//! see it alone, and [`Screen::read_primary`] sees the other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use alacritty_terminal::index::Line;

use super::backlog::Backlog;
use super::copy::TextRow;
use super::engine::Engine;
use super::modes::Modes;
use super::picture::cursor_style;
use super::render::{self, RowView};
use super::stream::Stream;

pub use super::side::{Note, Progress, PromptMark, Said};

/// Rows of a recent read when the request does not say (herdr 0.9.3, `pane.read`).
const RECENT_LINES: u32 = 80;

/// Rows of a read at most, whatever the request says (herdr 0.9.3, `pane.read`).
const LINES_MAX: u32 = 1000;

/// The engine needs two columns for a wide character. The upper bounds keep a size from the
/// network from becoming gigabytes; they are four times the largest monitor.
pub(super) const COLUMNS: (u16, u16) = (2, 1024);
pub(super) const ROWS: (u16, u16) = (1, 1024);

/// Scrollback rows when nothing is configured.
pub const DEFAULT_SCROLLBACK_ROWS: usize = 10_000;

/// Size of a terminal in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns; a screen has 2 to 1,024 and takes the nearest of these.
    pub cols: u16,
    /// Rows; a screen has 1 to 1,024 and takes the nearest of these.
    pub rows: u16,
}

impl Size {
    fn clamped(self) -> Size {
        Size {
            cols: self.cols.clamp(COLUMNS.0, COLUMNS.1),
            rows: self.rows.clamp(ROWS.0, ROWS.1),
        }
    }
}

/// Which rows to read (herdr 0.9.3, `pane.read`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The viewport, as it is scrolled.
    Visible,
    /// The newest rows of scrollback and screen. On the primary screen they end at the cursor or
    /// at the last row with text, whichever is lower; on the alternate one at its bottom.
    Recent,
    /// The same rows, those that were soft-wrapped joined.
    RecentUnwrapped,
    /// The screen whether or not the viewport is scrolled; always as text.
    Detection,
}

/// In which form to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Plain text.
    Text,
    /// Text with SGR sequences.
    Ansi,
}

/// What to read (herdr 0.9.3, `pane.read`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadRequest {
    /// Which rows.
    pub source: Source,
    /// How many at most, counted from the end; over 1,000 is 1,000. Without it 80 of the recent
    /// sources, all of the others.
    pub lines: Option<u32>,
    /// In which form.
    pub format: Format,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOutput {
    /// The text in the requested form.
    pub text: String,
    /// Something of the source was left out: the text would be different without a limit.
    pub truncated: bool,
}

/// Where the viewport is, in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScrollMetrics {
    /// Rows between the viewport's bottom and that of the screen.
    pub offset_from_bottom: u64,
    /// The most that can be: rows above the screen.
    pub max_offset_from_bottom: u64,
    /// Rows of the viewport.
    pub viewport_rows: u64,
}

/// The terminal of a pane.
pub struct Screen {
    pub(super) engine: Engine,
    pub(super) stream: Stream,
    /// Comes after all that the engine shows.
    backlog: Backlog,
    /// Lines were skimmed and nothing was shown since, so that more of them can be.
    skims: bool,
    pub(super) scrollback_rows: usize,
    /// Rows the viewport is scrolled up.
    pub(super) offset: usize,
    pub(super) revision: u64,
    /// Something else than output has changed the screen since that was last asked.
    changed_otherwise: bool,
    /// How often the revision grew because of the viewport alone.
    pub(super) scrolls: u64,
}

impl Screen {
    /// A blank screen that keeps up to `scrollback_rows` rows above it.
    pub fn new(size: Size, scrollback_rows: usize) -> Screen {
        let size = size.clamped();
        Screen {
            engine: Engine::new(size.cols.into(), size.rows.into(), scrollback_rows),
            stream: Stream::new(),
            backlog: Backlog::default(),
            skims: false,
            scrollback_rows,
            offset: 0,
            revision: 0,
            scrolls: 0,
            changed_otherwise: false,
        }
    }

    /// Shows what the program in the pane wrote.
    ///
    /// A stream on which the engine fails costs the picture: the screen is blank afterwards,
    /// scrollback is kept and [`Note::EngineReset`] tells of it.
    pub fn feed(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.catch_up();
        self.show(bytes);
        self.revision += 1;
    }

    /// As [`feed`](Screen::feed), but text may wait until somebody looks, which spares most of the
    /// work if it has scrolled away by then. Before the screen is read, [`catch_up`](Screen::catch_up)
    /// has to be called; what changes the screen does so itself.
    pub fn receive(&mut self, bytes: &[u8]) {
        if !self.stream.is_between_sequences() || !Backlog::takes(bytes) {
            self.feed(bytes);
            return;
        }
        self.backlog.push(bytes);
        self.revision += 1;
        if self.backlog.is_full() {
            self.work_off();
        }
    }

    /// Shows what was received and still waits.
    pub fn catch_up(&mut self) {
        if self.is_behind() {
            let text = self.backlog.take();
            self.show(&text);
            let all = text.len();
            self.backlog.put_back(text, all);
        }
    }

    /// Whether something was received that is not shown yet.
    pub fn is_behind(&self) -> bool {
        !self.backlog.is_empty()
    }

    /// Bytes that were received and are not shown yet.
    pub(super) fn bytes_behind(&self) -> usize {
        self.backlog.len()
    }

    /// Whether so much was received since somebody looked that more is to be expected.
    pub(super) fn is_flooded(&self) -> bool {
        self.backlog.is_flood()
    }

    /// Shows everything, now that no more comes, and keeps no memory at hand for it.
    pub(super) fn come_to_rest(&mut self) {
        self.catch_up();
        self.backlog.shrink();
    }

    /// Shows what of a full backlog will soon be history, and has the rest wait on. Lines that are
    /// above the grid's history at the end of the text never come into the grid.
    #[cold]
    fn work_off(&mut self) {
        let text = self.backlog.take();
        let mut shown = 0;
        if let Some(end) = Backlog::skimmable(&text, self.engine.rows_after_skim()) {
            if !self.engine.is_at_line_start() || self.stream.is_within_character() {
                let line_end = text[..end].iter().position(|byte| *byte == b'\n');
                shown = line_end.map_or(0, |line_end| line_end + 1);
                self.show(&text[..shown]);
            }
            debug_assert!(!self.skims || self.engine.can_skim());
            if self.skims || self.engine.can_skim() {
                self.skims = true;
                let lines = &text[shown..end];
                self.scrolling(|screen| shown += screen.engine.skim(lines));
            }
            if shown == end {
                self.backlog.put_back(text, end);
                return;
            }
        }
        self.show(&text[shown..]);
        let all = text.len();
        self.backlog.put_back(text, all);
    }

    /// Runs bytes through the engine.
    fn show(&mut self, bytes: &[u8]) {
        self.skims = false;
        self.scrolling(|screen| screen.stream.advance(&mut screen.engine, bytes));
    }

    /// Answers for the program since the last call, at most 64 KiB.
    pub fn take_replies(&mut self) -> Vec<u8> {
        self.engine.side.take_replies()
    }

    /// What the stream said beside the picture since the last call, oldest first, at most 64. Of
    /// titles, directories, progress, bells and clipboards only the latest is kept.
    pub fn take_notes(&mut self) -> Vec<Note> {
        self.engine.side.take_notes()
    }

    /// Changes the size. Lines of the primary screen and its scrollback are wrapped anew.
    pub fn resize(&mut self, size: Size) {
        let size = size.clamped();
        if size == self.size() {
            return;
        }
        self.catch_up();
        self.guarded(|screen| screen.engine.resize(size.cols.into(), size.rows.into()));
        if self.size() != size {
            // The engine failed; the new one still has the old size.
            self.engine = self.rebuilt(size);
        }
        self.offset = self.offset.min(self.engine.history());
        self.revision += 1;
        self.changed_otherwise = true;
    }

    /// The size in force, which may differ from the one asked for.
    pub fn size(&self) -> Size {
        // Both were u16 when they came in.
        Size {
            cols: self.engine.columns() as u16,
            rows: self.engine.rows() as u16,
        }
    }

    /// Reads the screen that is up, with its scrollback if it is the primary one.
    pub fn read(&self, request: &ReadRequest) -> ReadOutput {
        debug_assert!(!self.is_behind());
        read(&self.engine, request, self.offset)
    }

    /// Reads the primary screen even while the alternate one is up.
    pub fn read_primary(&mut self, request: &ReadRequest) -> ReadOutput {
        self.catch_up();
        self.engine.on_primary(|engine| read(engine, request, 0))
    }

    /// Where the viewport is.
    pub fn scroll_metrics(&self) -> ScrollMetrics {
        ScrollMetrics {
            offset_from_bottom: self.offset as u64,
            max_offset_from_bottom: self.engine.history() as u64,
            viewport_rows: self.engine.rows() as u64,
        }
    }

    /// Scrolls the viewport to so many rows above the bottom, or as far as there are rows
    /// (herdr 0.9.3, `pane.scroll`). A scrolled viewport stays on its rows when more come.
    pub fn scroll_to(&mut self, offset_from_bottom: u64) {
        self.catch_up();
        let history = self.engine.history();
        let offset = usize::try_from(offset_from_bottom)
            .unwrap_or(usize::MAX)
            .min(history);
        if offset != self.offset {
            self.offset = offset;
            self.revision += 1;
            self.scrolls += 1;
            self.changed_otherwise = true;
        }
    }

    /// Clears screen and scrollback but for the row of the cursor, which is the prompt (herdr 0.9.3,
    /// `pane.clear`). A program on the alternate screen is left alone; says whether it was not.
    pub fn clear(&mut self) -> bool {
        self.catch_up();
        if self.engine.is_alternate() {
            return false;
        }
        self.guarded(|screen| screen.engine.clear_to_prompt());
        self.offset = 0;
        self.revision += 1;
        self.changed_otherwise = true;
        true
    }

    /// Rows that are kept, of the screen that is up with its history.
    pub fn row_count(&self) -> usize {
        self.engine.history() + self.engine.rows()
    }

    /// Rows `start` to `end` by columns, counted from the oldest one kept; fewer if there are not as
    /// many.
    pub fn text_rows(&self, start: usize, end: usize) -> Vec<TextRow> {
        let end = end.min(self.row_count());
        let rows = rows(&self.engine, start.min(end), end);
        rows.iter().map(RowView::text_row).collect()
    }

    /// The number, as for [`Screen::text_rows`], of the first row of the viewport.
    pub fn viewport_top(&self) -> usize {
        self.engine.history().saturating_sub(self.offset)
    }

    /// Grows with everything that may have changed the rows or their numbers, and not with the
    /// viewport. Never odd: herdr 0.9.3 marks text that is being changed so.
    pub fn content_revision(&self) -> u64 {
        2 * (self.revision - self.scrolls)
    }

    /// Grows with every feed, resize and scroll that may have changed what is shown.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Goes on counting revisions from another one.
    pub(super) fn set_revision(&mut self, revision: u64) {
        self.revision = revision;
    }

    /// Whether anything but output, of which the program could be shown again, has changed the screen
    /// since the last call.
    pub(super) fn take_changed_otherwise(&mut self) -> bool {
        std::mem::take(&mut self.changed_otherwise)
    }

    /// The modes the program has set.
    pub fn modes(&self) -> Modes {
        let kitty = self.engine.side.kitty(self.engine.is_alternate()).flags();
        Modes::new(
            self.engine.term.mode(),
            kitty,
            self.engine.side.synchronized_output,
        )
    }

    /// The window title the program set.
    pub fn title(&self) -> Option<&str> {
        self.engine.side.title()
    }

    /// What the program said beside its picture since [`forget_said`](Screen::forget_said).
    pub fn said(&self) -> &Said {
        debug_assert!(!self.is_behind());
        &self.engine.side.said
    }

    /// Forgets what was said, because whoever said it is gone. The window keeps its title.
    pub fn forget_said(&mut self) {
        self.catch_up();
        let said = std::mem::take(&mut self.engine.side.said);
        self.changed_otherwise |= said != Said::default();
    }

    /// Column and row of the cursor on the screen, counted from 0.
    pub fn cursor(&self) -> (u16, u16) {
        debug_assert!(!self.is_behind());
        let point = self.engine.term.grid().cursor.point;
        (
            point.column.0 as u16,
            u16::try_from(point.line.0).unwrap_or(0),
        )
    }

    /// The rows of the viewport, as it is scrolled, and how the cursor looks.
    pub(super) fn viewport(&self) -> Viewport<'_> {
        let (history, height) = (self.engine.history(), self.engine.rows());
        let top = history - self.offset.min(history);
        let style = self.engine.term.cursor_style();
        Viewport {
            rows: rows(&self.engine, top, top + height),
            offset: history - top,
            cursor_style: cursor_style(style.shape, style.blinking),
        }
    }

    /// Bytes on the heap that this screen needs at least, for measurements.
    pub fn heap_bytes(&self) -> usize {
        self.engine.heap_bytes()
    }

    /// Runs `action`; if the engine fails, starts a new one.
    fn guarded(&mut self, action: impl FnOnce(&mut Screen)) {
        if catch_unwind(AssertUnwindSafe(|| action(self))).is_err() {
            let size = self.size();
            self.engine = self.rebuilt(size);
            self.skims = false;
            self.stream = Stream::new();
            self.changed_otherwise = true;
        }
    }

    /// Runs what may scroll. A scrolled viewport stays on its rows.
    fn scrolling(&mut self, action: impl FnOnce(&mut Screen)) {
        let before = self.scrolled_rows();
        self.guarded(|screen| {
            action(screen);
            screen.engine.finish();
        });
        self.follow(before);
    }

    /// A blank engine with the scrollback, answers and notes of the present one.
    fn rebuilt(&mut self, size: Size) -> Engine {
        let mut engine = Engine::new(size.cols.into(), size.rows.into(), self.scrollback_rows);
        std::mem::swap(&mut engine.cold, &mut self.engine.cold);
        std::mem::swap(&mut engine.side, &mut self.engine.side);
        engine.side.reset(size.cols.into(), size.rows.into());
        engine.side.note(Note::EngineReset);
        engine.cold.set_columns(size.cols.into());
        engine
    }

    /// Rows that have ever gone up into history.
    fn scrolled_rows(&self) -> u64 {
        self.engine.history() as u64 + self.engine.cold.dropped_rows()
    }

    /// Keeps a scrolled viewport on its rows.
    fn follow(&mut self, before: u64) {
        if self.offset > 0 {
            let more = self.scrolled_rows().saturating_sub(before);
            let offset = self
                .offset
                .saturating_add(usize::try_from(more).unwrap_or(usize::MAX));
            self.offset = offset.min(self.engine.history());
        }
    }
}

/// What is in view.
pub(super) struct Viewport<'a> {
    pub(super) rows: Vec<RowView<'a>>,
    /// How many rows it is scrolled up.
    pub(super) offset: usize,
    /// See [`cursor_style`].
    pub(super) cursor_style: u8,
}

/// Rows `start` to `end` of the screen that is up with its history.
fn rows(engine: &Engine, start: usize, end: usize) -> Vec<RowView<'_>> {
    let mut rows = Vec::with_capacity(end.saturating_sub(start));
    let cold = if engine.is_alternate() {
        0
    } else {
        engine.cold.rows()
    };
    if start < cold {
        engine
            .cold
            .visit_rows(start, end.min(cold), |row| rows.push(RowView::Cold(row)));
    }
    let top = cold + engine.hot_history();
    let grid = engine.term.grid();
    rows.extend(
        (start.max(cold)..end).map(|row| RowView::Hot(&grid[Line(row as i32 - top as i32)])),
    );
    rows
}

fn read(engine: &Engine, request: &ReadRequest, offset: usize) -> ReadOutput {
    let (history, height) = (engine.history(), engine.rows());
    let cursor_row = history + usize::try_from(engine.term.grid().cursor.point.line.0).unwrap_or(0);
    let format = match request.source {
        Source::Detection => Format::Text,
        _ => request.format,
    };
    let limit = request.lines.map(|lines| lines.min(LINES_MAX));
    match request.source {
        Source::Visible | Source::Detection => {
            let offset = if request.source == Source::Visible {
                offset.min(history)
            } else {
                0
            };
            let top = history - offset;
            let mut rows = rows(engine, top, top + height);
            let is_empty = |row: &RowView| match format {
                Format::Text => row.is_blank(),
                Format::Ansi => row.is_unseen(),
            };
            rows.truncate(
                rows.iter()
                    .rposition(|row| !is_empty(row))
                    .map_or(0, |last| last + 1),
            );
            let cut = limit.map_or(0, |limit| rows.len().saturating_sub(limit as usize));
            let text = form(
                engine,
                &rows[cut..],
                format,
                false,
                cursor_row.checked_sub(top + cut),
            );
            ReadOutput {
                text,
                truncated: cut > 0,
            }
        }
        Source::Recent | Source::RecentUnwrapped => {
            let bottom = if engine.is_alternate() {
                height
            } else {
                let screen = rows(engine, history, history + height);
                let last = screen.iter().rposition(|row| !row.is_blank()).unwrap_or(0);
                cursor_row.max(history + last) + 1
            };
            let start = bottom.saturating_sub(limit.unwrap_or(RECENT_LINES) as usize);
            let window = rows(engine, start, bottom);
            let unwrap = request.source == Source::RecentUnwrapped;
            let text = form(
                engine,
                &window,
                format,
                unwrap,
                cursor_row.checked_sub(start),
            );
            // Blank rows alone are no text, so leaving them out leaves nothing out.
            let truncated = start > 0 && (!text.is_empty() || has_text(engine, start));
            ReadOutput { text, truncated }
        }
    }
}

/// Whether a row above `end` has text.
fn has_text(engine: &Engine, end: usize) -> bool {
    let cold = if engine.is_alternate() {
        0
    } else {
        engine.cold.rows()
    };
    (cold > 0 && engine.cold.has_text())
        || (cold..end)
            .rev()
            .any(|row| rows(engine, row, row + 1).iter().any(|row| !row.is_blank()))
}

fn form(
    engine: &Engine,
    rows: &[RowView],
    format: Format,
    unwrap: bool,
    cursor_row: Option<usize>,
) -> String {
    match format {
        Format::Text => {
            let mut text = render::text(rows, unwrap);
            if !unwrap && !text.is_empty() {
                text.push('\n');
            }
            text
        }
        Format::Ansi => {
            let column = engine.term.grid().cursor.point.column.0;
            render::ansi(rows, unwrap, cursor_row.map(|row| (row, column)))
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod floods;

#[cfg(test)]
pub(super) mod proof;
