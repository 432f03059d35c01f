//! What parsed sequences do: our own `vte::Perform` over the engine's handler, so that queries,
//! stacks and modes are ours to answer and to bound.

use vte::ansi::{
    CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, LineClearMode, Mode, NamedMode,
    NamedPrivateMode, PrivateMode, StandardCharset, TabulationClearMode,
};
use vte::{Params, Perform};

use super::engine::Engine;
use super::{answer, osc, sgr};

/// Bytes of a device control string that are kept. The queries we answer are shorter; images and
/// the like are not for us.
pub(super) const DCS_MAX: usize = 4096;

/// Parameters of a control sequence that the parser takes; one with more is not run.
pub(super) const PARAMETERS_MAX: usize = 32;

/// Where the parser is after it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// In a sequence, as far as callbacks tell.
    Within,
    /// Surely between sequences.
    Ground,
    /// A device control string ended; the last byte says whether a sequence begins.
    StringEnd,
    /// Text was printed, so that it was between sequences.
    Printed,
}

/// Receives the parser's callbacks for one stretch of bytes.
pub(super) struct Dispatch<'a> {
    engine: &'a mut Engine,
    outcome: Outcome,
    /// Commands are not run: the one that ends was cut.
    deaf: bool,
}

impl<'a> Dispatch<'a> {
    pub(super) fn new(engine: &'a mut Engine) -> Self {
        Dispatch {
            engine,
            outcome: Outcome::Within,
            deaf: false,
        }
    }

    /// One that does not run operating system commands.
    pub(super) fn deaf(engine: &'a mut Engine) -> Self {
        Dispatch {
            engine,
            outcome: Outcome::Within,
            deaf: true,
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.outcome
    }
}

/// Runs a control character.
#[inline]
pub(super) fn control(engine: &mut Engine, byte: u8) {
    match byte {
        b'\n' | 0x0b | 0x0c => engine.newline(),
        b'\r' => engine.term.carriage_return(),
        b'\t' => {
            engine.term.put_tab(1);
            engine.settle();
        }
        0x08 => engine.term.backspace(),
        0x07 => engine.side.note(super::side::Note::Bell),
        0x0e => set_charset(engine, CharsetIndex::G1),
        0x0f => set_charset(engine, CharsetIndex::G0),
        _ => {}
    }
}

fn set_charset(engine: &mut Engine, index: CharsetIndex) {
    engine.side.active_charset = index;
    engine.term.set_active_charset(index);
}

impl Perform for Dispatch<'_> {
    fn print(&mut self, character: char) {
        self.outcome = Outcome::Printed;
        self.engine.print(character);
    }

    fn execute(&mut self, byte: u8) {
        // CAN and SUB end any sequence.
        if matches!(byte, 0x18 | 0x1a) {
            self.outcome = Outcome::Ground;
        }
        control(self.engine, byte);
    }

    fn hook(&mut self, _: &Params, intermediates: &[u8], ignore: bool, action: char) {
        let wanted = !ignore && action == 'q' && matches!(intermediates, [b'$'] | [b'+']);
        self.engine.side.query = wanted.then(|| intermediates.to_vec());
    }

    fn put(&mut self, byte: u8) {
        let query = &mut self.engine.side.query;
        if let Some(collected) = query {
            if collected.len() < DCS_MAX {
                collected.push(byte);
            } else {
                *query = None;
            }
        }
    }

    fn unhook(&mut self) {
        self.outcome = Outcome::StringEnd;
        if let Some(query) = self.engine.side.query.take() {
            answer::query(self.engine, &query);
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], bell_terminated: bool) {
        if bell_terminated {
            self.outcome = Outcome::Ground;
        }
        if !self.deaf {
            let terminator = if bell_terminated { "\x07" } else { "\x1b\\" };
            osc::run(
                &mut self.engine.term,
                &mut self.engine.side,
                params,
                terminator,
            );
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        self.outcome = Outcome::Ground;
        if ignore {
            return;
        }
        if (action, intermediates) == ('m', &[]) {
            let term = &mut self.engine.term;
            sgr::attributes(params.iter(), |attribute| {
                term.terminal_attribute(attribute)
            });
            return;
        }
        // The parser gives no more than this many.
        let mut values = [0; PARAMETERS_MAX];
        let mut count = 0;
        for (value, param) in values.iter_mut().zip(params) {
            *value = param[0];
            count += 1;
        }
        csi(self.engine, &values[..count], intermediates, action);
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], ignore: bool, byte: u8) {
        self.outcome = Outcome::Ground;
        if !ignore {
            escape(self.engine, intermediates, byte);
            self.engine.settle();
        }
    }

    fn terminated(&self) -> bool {
        self.outcome != Outcome::Within
    }
}

fn escape(engine: &mut Engine, intermediates: &[u8], byte: u8) {
    let term = &mut engine.term;
    match (byte, intermediates) {
        (b'D', []) => term.linefeed(),
        (b'E', []) => {
            term.linefeed();
            term.carriage_return();
        }
        (b'H', []) => {
            let column = term.grid().cursor.point.column.0;
            term.set_horizontal_tabstop();
            engine.side.tabs.set(column, true);
        }
        (b'M', []) => term.reverse_index(),
        (b'Z', []) => answer::primary_attributes(engine),
        (b'c', []) => engine.reset(),
        (b'7', []) => term.save_cursor_position(),
        (b'8', []) => term.restore_cursor_position(),
        (b'8', [b'#']) => term.decaln(),
        (b'=', []) => term.set_keypad_application_mode(),
        (b'>', []) => term.unset_keypad_application_mode(),
        (b'n', []) => set_charset(engine, CharsetIndex::G2),
        (b'o', []) => set_charset(engine, CharsetIndex::G3),
        (b'0' | b'B', [slot]) => {
            let index = match slot {
                b'(' => CharsetIndex::G0,
                b')' => CharsetIndex::G1,
                b'*' => CharsetIndex::G2,
                b'+' => CharsetIndex::G3,
                _ => return,
            };
            let charset = match byte {
                b'0' => StandardCharset::SpecialCharacterAndLineDrawing,
                _ => StandardCharset::Ascii,
            };
            term.configure_charset(index, charset);
        }
        _ => {}
    }
}

/// Runs a control sequence. Of subparameters only the first counts, except in SGR, which comes here
/// without any.
pub(super) fn csi(engine: &mut Engine, params: &[u16], intermediates: &[u8], action: char) {
    let mut values = params.iter().copied();
    let mut next = |default: u16| match values.next() {
        Some(0) | None => default,
        Some(value) => value,
    };
    let columns = engine.columns();
    let alternate = engine.is_alternate();
    let term = &mut engine.term;
    match (action, intermediates) {
        ('m', []) => {
            sgr::attributes(params.chunks(1), |attribute| {
                term.terminal_attribute(attribute)
            });
        }
        ('A', []) => term.move_up(next(1).into()),
        ('B' | 'e', []) => term.move_down(next(1).into()),
        ('C' | 'a', []) => term.move_forward(next(1).into()),
        ('D', []) => term.move_backward(next(1).into()),
        ('E', []) => term.move_down_and_cr(next(1).into()),
        ('F', []) => term.move_up_and_cr(next(1).into()),
        ('G' | '`', []) => term.goto_col(usize::from(next(1)) - 1),
        ('H' | 'f', []) => {
            let (row, column) = (next(1), next(1));
            term.goto(i32::from(row) - 1, usize::from(column) - 1);
        }
        ('d', []) => term.goto_line(i32::from(next(1)) - 1),
        ('J', []) => match next(0) {
            0 => term.clear_screen(ClearMode::Below),
            1 => term.clear_screen(ClearMode::Above),
            2 => term.clear_screen(ClearMode::All),
            3 => engine.clear_history(),
            _ => {}
        },
        ('K', []) => match next(0) {
            0 => term.clear_line(LineClearMode::Right),
            1 => term.clear_line(LineClearMode::Left),
            2 => term.clear_line(LineClearMode::All),
            _ => {}
        },
        ('@', []) => term.insert_blank(next(1).into()),
        ('L', []) => term.insert_blank_lines(next(1).into()),
        ('M', []) => term.delete_lines(next(1).into()),
        ('P', []) => term.delete_chars(next(1).into()),
        ('X', []) => term.erase_chars(next(1).into()),
        ('S', []) => term.scroll_up(next(1).into()),
        ('T', []) => term.scroll_down(next(1).into()),
        ('b', []) => engine.repeat(next(1).into()),
        // There are no more tab stops than columns, and the engine would go on looking.
        ('I', []) => term.move_forward_tabs(next(1).min(columns as u16)),
        ('Z', []) => term.move_backward_tabs(next(1).min(columns as u16)),
        ('g', []) => match next(0) {
            0 => {
                let column = term.grid().cursor.point.column.0;
                term.clear_tabs(TabulationClearMode::Current);
                engine.side.tabs.set(column, false);
            }
            3 => {
                term.clear_tabs(TabulationClearMode::All);
                engine.side.tabs.clear();
            }
            _ => {}
        },
        ('W', [b'?']) if next(0) == 5 => term.set_tabs(8),
        ('r', []) => {
            let (top, bottom) = (next(1), next(0));
            scroll_region(engine, top.into(), bottom.into());
        }
        ('s', []) => term.save_cursor_position(),
        ('u', []) => term.restore_cursor_position(),
        ('h', []) => values.for_each(|mode| set_mode(engine, mode, true)),
        ('l', []) => values.for_each(|mode| set_mode(engine, mode, false)),
        ('h', [b'?']) => values.for_each(|mode| set_private_mode(engine, mode, true)),
        ('l', [b'?']) => values.for_each(|mode| set_private_mode(engine, mode, false)),
        ('p', [b'!']) => soft_reset(engine),
        ('q', [b' ']) => cursor_style(engine, next(0)),
        ('u', [b'>']) => engine.side.kitty_mut(alternate).push(next(0) as u8),
        ('u', [b'<']) => engine.side.kitty_mut(alternate).pop(next(1).into()),
        ('u', [b'=']) => {
            let (flags, how) = (next(0), next(1));
            engine.side.kitty_mut(alternate).set(flags as u8, how);
        }
        ('u', [b'?']) => answer::kitty_flags(engine),
        ('t', []) => match next(1) {
            22 => engine.side.push_title(),
            23 => engine.side.pop_title(),
            kind => answer::window(engine, kind),
        },
        ('c', []) if next(0) == 0 => answer::primary_attributes(engine),
        ('c', [b'>']) if next(0) == 0 => answer::secondary_attributes(engine),
        ('c', [b'=']) if next(0) == 0 => answer::tertiary_attributes(engine),
        ('q', [b'>']) if next(0) == 0 => answer::version(engine),
        ('n', []) => answer::status(engine, next(0)),
        ('n', [b'?']) => answer::private_status(engine, next(0)),
        ('p', [b'$']) => answer::mode(engine, next(0)),
        ('p', [b'?', b'$']) => answer::private_mode(engine, next(0)),
        ('m', [b'?']) if next(0) == 4 => answer::modify_other_keys(engine),
        _ => {}
    }
    engine.settle();
}

/// DECSTBM. A region that is none, or begins below the screen, is ignored.
fn scroll_region(engine: &mut Engine, top: usize, bottom: usize) {
    let rows = engine.rows();
    let bottom = if bottom == 0 { rows } else { bottom };
    if top < bottom && top <= rows {
        engine.side.scroll_region = (top - 1, bottom.min(rows) - 1);
        engine.term.set_scrolling_region(top, Some(bottom));
    }
}

fn set_mode(engine: &mut Engine, mode: u16, on: bool) {
    let mode = match mode {
        4 => Mode::Named(NamedMode::Insert),
        20 => Mode::Named(NamedMode::LineFeedNewLine),
        _ => return,
    };
    if on {
        engine.term.set_mode(mode)
    } else {
        engine.term.unset_mode(mode)
    }
}

/// The private modes that the engine keeps.
pub(super) fn engine_mode(mode: u16) -> Option<NamedPrivateMode> {
    Some(match mode {
        1 => NamedPrivateMode::CursorKeys,
        3 => NamedPrivateMode::ColumnMode,
        6 => NamedPrivateMode::Origin,
        7 => NamedPrivateMode::LineWrap,
        12 => NamedPrivateMode::BlinkingCursor,
        25 => NamedPrivateMode::ShowCursor,
        1000 => NamedPrivateMode::ReportMouseClicks,
        1002 => NamedPrivateMode::ReportCellMouseMotion,
        1003 => NamedPrivateMode::ReportAllMouseMotion,
        1004 => NamedPrivateMode::ReportFocusInOut,
        1005 => NamedPrivateMode::Utf8Mouse,
        1006 => NamedPrivateMode::SgrMouse,
        1007 => NamedPrivateMode::AlternateScroll,
        2004 => NamedPrivateMode::BracketedPaste,
        _ => return None,
    })
}

fn set_private_mode(engine: &mut Engine, mode: u16, on: bool) {
    match (mode, on) {
        (47 | 1047 | 1049, true) => engine.enter_alternate(),
        (47 | 1047, false) => engine.leave_alternate(true),
        (1049, false) => engine.leave_alternate(false),
        (1048, true) => engine.term.save_cursor_position(),
        (1048, false) => engine.term.restore_cursor_position(),
        (2026, on) => engine.side.synchronized_output = on,
        _ => {
            let Some(named) = engine_mode(mode) else {
                return;
            };
            let named = PrivateMode::Named(named);
            if on {
                engine.term.set_private_mode(named);
            } else {
                engine.term.unset_private_mode(named);
            }
            if mode == 3 {
                engine.side.scroll_region = (0, engine.rows() - 1);
            }
        }
    }
}

fn cursor_style(engine: &mut Engine, style: u16) {
    let shape = match style {
        0 => return engine.term.set_cursor_style(None),
        1 | 2 => CursorShape::Block,
        3 | 4 => CursorShape::Underline,
        5 | 6 => CursorShape::Beam,
        _ => return,
    };
    engine.term.set_cursor_style(Some(CursorStyle {
        shape,
        blinking: style % 2 == 1,
    }));
}

/// DECSTR: modes and pens as after a start; the picture, the cursor's place and the title stay.
fn soft_reset(engine: &mut Engine) {
    let rows = engine.rows();
    let alternate = engine.is_alternate();
    set_charset(engine, CharsetIndex::G0);
    let term = &mut engine.term;
    for mode in [NamedPrivateMode::ShowCursor, NamedPrivateMode::LineWrap] {
        term.set_private_mode(PrivateMode::Named(mode));
    }
    for mode in [NamedPrivateMode::CursorKeys, NamedPrivateMode::Origin] {
        term.unset_private_mode(PrivateMode::Named(mode));
    }
    term.unset_mode(Mode::Named(NamedMode::Insert));
    term.unset_keypad_application_mode();
    // Setting the region moves the cursor home, which a soft reset does not.
    let point = term.grid().cursor.point;
    term.set_scrolling_region(1, Some(rows));
    let grid = term.grid_mut();
    grid.cursor.template = Default::default();
    grid.cursor.charsets = Default::default();
    grid.saved_cursor = Default::default();
    grid.cursor.point = point;
    engine.side.scroll_region = (0, rows - 1);
    *engine.side.kitty_mut(alternate) = Default::default();
}
