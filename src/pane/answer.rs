//! Answers to what programs ask their terminal. They are always given here, at once: no attached
//! client is asked, so that a program behaves the same whether somebody looks or not.

use alacritty_terminal::term::TermMode;
use vte::ansi::CursorShape;

use super::dispatch::engine_mode;
use super::engine::Engine;
use super::pen::Pen;

/// Size of a cell in pixels, for programs that ask; panes have no pixels, and this is a usual font.
const CELL_WIDTH: usize = 10;
const CELL_HEIGHT: usize = 20;

/// DA1: a VT220 with colour.
pub(super) fn primary_attributes(engine: &mut Engine) {
    engine.side.reply("\x1b[?62;22c");
}

/// DA2: a VT220, firmware version 10, no cartridge.
pub(super) fn secondary_attributes(engine: &mut Engine) {
    engine.side.reply("\x1b[>1;10;0c");
}

/// DA3: no unit number.
pub(super) fn tertiary_attributes(engine: &mut Engine) {
    engine.side.reply("\x1bP!|00000000\x1b\\");
}

/// XTVERSION.
pub(super) fn version(engine: &mut Engine) {
    engine.side.reply(concat!(
        "\x1bP>|drover(",
        env!("CARGO_PKG_VERSION"),
        ")\x1b\\"
    ));
}

/// Row and column of the cursor counted from 1, within the scroll region in origin mode.
fn cursor_place(engine: &Engine) -> (usize, usize) {
    let point = engine.term.grid().cursor.point;
    let row = usize::try_from(point.line.0).unwrap_or(0);
    let top = if engine.term.mode().contains(TermMode::ORIGIN) {
        engine.side.scroll_region.0
    } else {
        0
    };
    (row.saturating_sub(top) + 1, point.column.0 + 1)
}

/// DSR 5 and 6.
pub(super) fn status(engine: &mut Engine, kind: u16) {
    match kind {
        5 => engine.side.reply("\x1b[0n"),
        6 => {
            let (row, column) = cursor_place(engine);
            engine.side.reply(&format!("\x1b[{row};{column}R"));
        }
        _ => {}
    }
}

/// DECXCPR, and whether the colours are dark (996), which they are.
pub(super) fn private_status(engine: &mut Engine, kind: u16) {
    match kind {
        6 => {
            let (row, column) = cursor_place(engine);
            engine.side.reply(&format!("\x1b[?{row};{column};1R"));
        }
        996 => engine.side.reply("\x1b[?997;1n"),
        _ => {}
    }
}

/// Sizes: 14 the text area in pixels, 16 a cell in pixels, 18 the text area in cells.
pub(super) fn window(engine: &mut Engine, kind: u16) {
    let (rows, columns) = (engine.rows(), engine.columns());
    let answer = match kind {
        14 => format!("\x1b[4;{};{}t", rows * CELL_HEIGHT, columns * CELL_WIDTH),
        16 => format!("\x1b[6;{CELL_HEIGHT};{CELL_WIDTH}t"),
        18 => format!("\x1b[8;{rows};{columns}t"),
        _ => return,
    };
    engine.side.reply(&answer);
}

/// The kitty keyboard flags in force.
pub(super) fn kitty_flags(engine: &mut Engine) {
    let flags = engine.side.kitty(engine.is_alternate()).flags();
    engine.side.reply(&format!("\x1b[?{flags}u"));
}

/// XTQMODKEYS: modifyOtherKeys is never on.
pub(super) fn modify_other_keys(engine: &mut Engine) {
    engine.side.reply("\x1b[>4;0m");
}

/// How DECRQM tells a mode: 0 unknown, 1 set, 2 reset.
fn mode_state(state: Option<bool>) -> u8 {
    match state {
        None => 0,
        Some(true) => 1,
        Some(false) => 2,
    }
}

/// DECRQM for the modes without a question mark.
pub(super) fn mode(engine: &mut Engine, mode: u16) {
    let modes = engine.term.mode();
    let state = match mode {
        4 => Some(modes.contains(TermMode::INSERT)),
        20 => Some(modes.contains(TermMode::LINE_FEED_NEW_LINE)),
        _ => None,
    };
    engine
        .side
        .reply(&format!("\x1b[{mode};{}$y", mode_state(state)));
}

/// DECRQM for the private modes.
pub(super) fn private_mode(engine: &mut Engine, mode: u16) {
    let modes = engine.term.mode();
    let flag = match mode {
        1 => TermMode::APP_CURSOR,
        6 => TermMode::ORIGIN,
        7 => TermMode::LINE_WRAP,
        25 => TermMode::SHOW_CURSOR,
        47 | 1047 | 1049 => TermMode::ALT_SCREEN,
        1000 => TermMode::MOUSE_REPORT_CLICK,
        1002 => TermMode::MOUSE_DRAG,
        1003 => TermMode::MOUSE_MOTION,
        1004 => TermMode::FOCUS_IN_OUT,
        1005 => TermMode::UTF8_MOUSE,
        1006 => TermMode::SGR_MOUSE,
        1007 => TermMode::ALTERNATE_SCROLL,
        2004 => TermMode::BRACKETED_PASTE,
        _ => TermMode::NONE,
    };
    let state = match mode {
        12 => Some(engine.term.cursor_style().blinking),
        2026 => Some(engine.side.synchronized_output),
        _ if flag != TermMode::NONE => Some(modes.contains(flag)),
        _ => engine_mode(mode).map(|_| false),
    };
    engine
        .side
        .reply(&format!("\x1b[?{mode};{}$y", mode_state(state)));
}

/// A device control string that asks something: `$` and a setting (DECRQSS), or `+` and names of
/// capabilities (XTGETTCAP).
pub(super) fn query(engine: &mut Engine, query: &[u8]) {
    match query {
        [b'$', setting @ ..] => {
            let answer = match self::setting(engine, setting) {
                Some(value) => format!("\x1bP1$r{value}\x1b\\"),
                None => "\x1bP0$r\x1b\\".to_owned(),
            };
            engine.side.reply(&answer);
        }
        [b'+', names @ ..] => {
            for name in names.split(|&byte| byte == b';') {
                capability(engine, name);
            }
        }
        _ => {}
    }
}

fn setting(engine: &Engine, setting: &[u8]) -> Option<String> {
    match setting {
        b"m" => Some(format!(
            "{}m",
            Pen::of(&engine.term.grid().cursor.template).parameters()
        )),
        b"r" => {
            let (top, bottom) = engine.side.scroll_region;
            Some(format!("{};{}r", top + 1, bottom + 1))
        }
        b" q" => {
            let style = engine.term.cursor_style();
            let steady = match style.shape {
                CursorShape::Underline => 4,
                CursorShape::Beam => 6,
                _ => 2,
            };
            Some(format!("{} q", steady - u8::from(style.blinking)))
        }
        b"\"p" => Some("62;1\"p".to_owned()),
        _ => None,
    }
}

/// One capability, its name in hexadecimal, as is the value in the answer.
fn capability(engine: &mut Engine, name: &[u8]) {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let decoded: Option<Vec<u8>> = name
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some((digit(*high)? * 16 + digit(*low)?) as u8),
            _ => None,
        })
        .collect();
    let value = match decoded.as_deref() {
        Some(b"TN" | b"name") => "xterm-256color",
        Some(b"Co" | b"colors") => "256",
        Some(b"RGB") => "8/8/8",
        _ => return engine.side.reply("\x1bP0+r\x1b\\"),
    };
    let value: String = value.bytes().map(|byte| format!("{byte:02X}")).collect();
    let name = String::from_utf8_lossy(name);
    engine.side.reply(&format!("\x1bP1+r{name}={value}\x1b\\"));
}
