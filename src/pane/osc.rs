//! Operating system commands (`ESC ] … ST`): titles, directories, notifications, progress, prompt
//! marks, clipboards, colours and links.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use vte::ansi::{Handler, Hyperlink, NamedColor};

use super::palette;
use super::side::{Note, Progress, PromptMark, Side};

/// Bytes of a link's address that are kept; longer ones are no links.
pub(super) const LINK_MAX: usize = 4096;

/// Bytes a notification in parts (OSC 99) may grow to.
pub(super) const PARTS_MAX: usize = 16 * 1024;

/// Runs one command. `terminator` is how an answer must end: as the question did.
pub(super) fn run(
    term: &mut Term<VoidListener>,
    side: &mut Side,
    params: &[&[u8]],
    terminator: &str,
) {
    let Some((&command, rest)) = params.split_first() else {
        return;
    };
    match command {
        b"0" | b"2" if !rest.is_empty() => side.set_title(&rest.join(&b';')),
        b"4" => palette_colors(term, side, rest, terminator),
        b"7" => {
            if let Some((host, path)) = file_address(&rest.join(&b';')) {
                side.note(Note::Cwd { host, path });
            }
        }
        b"8" if rest.len() >= 2 => link(term, rest),
        b"9" => nine(side, rest),
        b"10" | b"11" | b"12" => dynamic_colors(term, side, command, rest, terminator),
        b"52" if rest.len() >= 2 => clipboard(side, rest[0], rest[1]),
        b"99" if rest.len() >= 2 => parts(side, rest[0], &rest[1..].join(&b';')),
        b"104" => {
            if rest.iter().all(|index| index.is_empty()) {
                (0..256).for_each(|index| term.reset_color(index));
            }
            for index in rest.iter().filter_map(|index| number(index)) {
                term.reset_color(usize::from(index));
            }
        }
        b"110" => term.reset_color(NamedColor::Foreground as usize),
        b"111" => term.reset_color(NamedColor::Background as usize),
        b"112" => term.reset_color(NamedColor::Cursor as usize),
        b"133" => {
            if let Some(mark) = rest
                .first()
                .and_then(|kind| prompt_mark(kind, rest.get(1).copied()))
            {
                side.note(Note::Prompt(mark));
            }
        }
        b"777" if rest.first() == Some(&b"notify".as_slice()) => {
            let body = rest.get(2..).unwrap_or_default().join(&b';');
            side.notify(rest.get(1).copied().unwrap_or_default(), &body);
        }
        _ => {}
    }
}

fn number(text: &[u8]) -> Option<u8> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn palette_colors(
    term: &mut Term<VoidListener>,
    side: &mut Side,
    rest: &[&[u8]],
    terminator: &str,
) {
    for pair in rest.chunks_exact(2) {
        let Some(index) = number(pair[0]) else {
            continue;
        };
        if pair[1] == b"?" {
            answer_color(
                term,
                side,
                &format!("4;{index}"),
                usize::from(index),
                terminator,
            );
        } else if let Some(color) = palette::parse(pair[1]) {
            term.set_color(usize::from(index), color);
        }
    }
}

/// OSC 10 sets the foreground; further colours in the same command go to 11 and 12.
fn dynamic_colors(
    term: &mut Term<VoidListener>,
    side: &mut Side,
    command: &[u8],
    rest: &[&[u8]],
    terminator: &str,
) {
    let Some(first) = number(command) else { return };
    for (code, value) in (first..=12).zip(rest) {
        let index = NamedColor::Foreground as usize + usize::from(code - 10);
        if *value == b"?" {
            answer_color(term, side, &code.to_string(), index, terminator);
        } else if let Some(color) = palette::parse(value) {
            term.set_color(index, color);
        }
    }
}

fn answer_color(
    term: &Term<VoidListener>,
    side: &mut Side,
    prefix: &str,
    index: usize,
    terminator: &str,
) {
    let color = palette::color(term.colors(), index);
    let (r, g, b) = (color.r, color.g, color.b);
    side.reply(&format!(
        "\x1b]{prefix};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{terminator}"
    ));
}

fn link(term: &mut Term<VoidListener>, rest: &[&[u8]]) {
    let address = rest[1..].join(&b';');
    let address = String::from_utf8(address)
        .ok()
        .filter(|address| address.len() <= LINK_MAX);
    let id = rest[0]
        .split(|&byte| byte == b':')
        .find_map(|pair| pair.strip_prefix(b"id="))
        .and_then(|id| std::str::from_utf8(id).ok())
        .filter(|id| id.len() <= LINK_MAX)
        .map(str::to_owned);
    let link = address
        .filter(|address| !address.is_empty())
        .map(|uri| Hyperlink { id, uri });
    term.set_hyperlink(link);
}

/// OSC 9 is a notification (iTerm2) unless it starts with one of ConEmu's numbers.
fn nine(side: &mut Side, rest: &[&[u8]]) {
    match rest {
        [b"4", rest @ ..] => {
            let percent = rest
                .get(1)
                .and_then(|value| number(value))
                .unwrap_or(0)
                .min(100);
            let progress = match rest.first().copied().unwrap_or_default() {
                b"0" | b"" => Progress::None,
                b"1" => Progress::Running(percent),
                b"2" => Progress::Failed(percent),
                b"3" => Progress::Indeterminate,
                b"4" => Progress::Paused(percent),
                _ => return,
            };
            side.report_progress(progress);
        }
        [b"9", path @ ..] => {
            let path = path.join(&b';');
            let path = path
                .strip_prefix(b"\"")
                .and_then(|path| path.strip_suffix(b"\""))
                .unwrap_or(&path);
            if path.first() == Some(&b'/') && !path.contains(&0) {
                let path = PathBuf::from(OsString::from_vec(path.to_vec()));
                side.note(Note::Cwd {
                    host: String::new(),
                    path,
                });
            }
        }
        // The other numbers of ConEmu are for Windows; a message that is just a number is none.
        [code, _, ..] if number(code).is_some_and(|code| code <= 12) => {}
        [] => {}
        text => side.notify(b"", &text.join(&b';')),
    }
}

/// A notification of kitty (OSC 99), which may come in several commands with the same id.
fn parts(side: &mut Side, metadata: &[u8], payload: &[u8]) {
    let (mut id, mut done, mut encoded, mut kind) = ("", true, false, "title");
    for pair in metadata.split(|&byte| byte == b':') {
        match std::str::from_utf8(pair)
            .ok()
            .and_then(|pair| pair.split_once('='))
        {
            Some(("i", value)) => id = value,
            Some(("d", value)) => done = value != "0",
            Some(("e", value)) => encoded = value == "1",
            Some(("p", value)) => kind = value,
            _ => {}
        }
    }
    if !matches!(kind, "title" | "body") || id.len() > LINK_MAX {
        return;
    }
    let decoded = if encoded {
        base64(payload)
    } else {
        Some(payload.to_vec())
    };
    let Some(text) = decoded.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) else {
        return;
    };
    let pending = &mut side.partial_notification;
    if pending.id != id {
        *pending = Default::default();
        pending.id = id.to_owned();
    }
    let part = if kind == "title" {
        &mut pending.title
    } else {
        &mut pending.body
    };
    if part.len() + text.len() <= PARTS_MAX {
        part.push_str(&text);
    }
    if done {
        let whole = std::mem::take(pending);
        side.notify(whole.title.as_bytes(), whole.body.as_bytes());
    }
}

/// OSC 52: only writing is heard. What is in the clipboard is nobody's business in a pane.
fn clipboard(side: &mut Side, selections: &[u8], data: &[u8]) {
    if data == b"?" {
        return;
    }
    let primary = matches!(selections.first(), Some(b'p' | b's'));
    if let Some(text) = base64(data).and_then(|bytes| String::from_utf8(bytes).ok()) {
        side.note(Note::ClipboardWrite { primary, text });
    }
}

fn prompt_mark(kind: &[u8], argument: Option<&[u8]>) -> Option<PromptMark> {
    match kind {
        b"A" => Some(PromptMark::PromptStart),
        b"B" => Some(PromptMark::InputStart),
        b"C" => Some(PromptMark::OutputStart),
        b"D" => {
            let status = argument.and_then(|status| std::str::from_utf8(status).ok()?.parse().ok());
            Some(PromptMark::CommandEnd(status))
        }
        _ => None,
    }
}

/// Host and absolute path of `file://HOST/PATH`, percent-decoded.
fn file_address(address: &[u8]) -> Option<(String, PathBuf)> {
    let rest = address
        .strip_prefix(b"file://")
        .or_else(|| address.strip_prefix(b"kitty-shell-cwd://"))?;
    let slash = rest.iter().position(|&byte| byte == b'/')?;
    let host = std::str::from_utf8(&rest[..slash]).ok()?;
    if host.chars().any(char::is_control) {
        return None;
    }
    let path = percent_decode(&rest[slash..]);
    if path.contains(&0) {
        return None;
    }
    Some((host.to_owned(), PathBuf::from(OsString::from_vec(path))))
}

fn percent_decode(text: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| (byte as char).to_digit(16));
    let mut out = Vec::with_capacity(text.len());
    let mut position = 0;
    while position < text.len() {
        let pair = (
            text[position],
            digit(text.get(position + 1)),
            digit(text.get(position + 2)),
        );
        if let (b'%', Some(high), Some(low)) = pair {
            out.push((high * 16 + low) as u8);
            position += 3;
        } else {
            out.push(text[position]);
            position += 1;
        }
    }
    out
}

/// Standard base64, padded or not.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = text
        .strip_suffix(b"==")
        .or_else(|| text.strip_suffix(b"="))
        .unwrap_or(text);
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.chunks(4) {
        let mut bits = 0_u32;
        for &byte in group {
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        match group.len() {
            4 => out.extend_from_slice(&bits.to_be_bytes()[1..]),
            3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
            2 => out.push((bits >> 4) as u8),
            _ => return None,
        }
    }
    Some(out)
}
