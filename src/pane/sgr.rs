//! SGR: parameters of `CSI … m` as attributes of the engine.

use vte::ansi::{Attr, Color, NamedColor, Rgb};

/// Calls `apply` for every attribute the parameters name, each given as its subparameters; unknown
/// ones are skipped.
#[inline]
pub(super) fn attributes<'a>(
    mut params: impl Iterator<Item = &'a [u16]>,
    mut apply: impl FnMut(Attr),
) {
    while let Some(param) = params.next() {
        if let Some(attribute) = attribute(param, &mut params) {
            apply(attribute);
        }
    }
}

#[inline]
fn attribute<'a>(param: &[u16], rest: &mut impl Iterator<Item = &'a [u16]>) -> Option<Attr> {
    let attribute = match *param {
        [0] => Attr::Reset,
        [1] => Attr::Bold,
        [2] => Attr::Dim,
        [3] => Attr::Italic,
        [4, 0] => Attr::CancelUnderline,
        [4, 2] => Attr::DoubleUnderline,
        [4, 3] => Attr::Undercurl,
        [4, 4] => Attr::DottedUnderline,
        [4, 5] => Attr::DashedUnderline,
        [4, ..] => Attr::Underline,
        [7] => Attr::Reverse,
        [8] => Attr::Hidden,
        [9] => Attr::Strike,
        // ECMA-48 says double underline; the engine's own processor and the Linux console say
        // that it ends bold.
        [21] => Attr::CancelBold,
        [22] => Attr::CancelBoldDim,
        [23] => Attr::CancelItalic,
        [24] => Attr::CancelUnderline,
        [27] => Attr::CancelReverse,
        [28] => Attr::CancelHidden,
        [29] => Attr::CancelStrike,
        [code @ 30..=37] => Attr::Foreground(named(code - 30)),
        [38] => Attr::Foreground(separate_color(rest)?),
        [38, ref color @ ..] => Attr::Foreground(joined_color(color)?),
        [39] => Attr::Foreground(Color::Named(NamedColor::Foreground)),
        [code @ 40..=47] => Attr::Background(named(code - 40)),
        [48] => Attr::Background(separate_color(rest)?),
        [48, ref color @ ..] => Attr::Background(joined_color(color)?),
        [49] => Attr::Background(Color::Named(NamedColor::Background)),
        [58] => Attr::UnderlineColor(Some(separate_color(rest)?)),
        [58, ref color @ ..] => Attr::UnderlineColor(Some(joined_color(color)?)),
        [59] => Attr::UnderlineColor(None),
        [code @ 90..=97] => Attr::Foreground(named(code - 90 + 8)),
        [code @ 100..=107] => Attr::Background(named(code - 100 + 8)),
        _ => return None,
    };
    Some(attribute)
}

/// The sixteen colours in the order of their numbers.
pub(super) fn named(number: u16) -> Color {
    const NAMES: [NamedColor; 16] = [
        NamedColor::Black,
        NamedColor::Red,
        NamedColor::Green,
        NamedColor::Yellow,
        NamedColor::Blue,
        NamedColor::Magenta,
        NamedColor::Cyan,
        NamedColor::White,
        NamedColor::BrightBlack,
        NamedColor::BrightRed,
        NamedColor::BrightGreen,
        NamedColor::BrightYellow,
        NamedColor::BrightBlue,
        NamedColor::BrightMagenta,
        NamedColor::BrightCyan,
        NamedColor::BrightWhite,
    ];
    Color::Named(NAMES[usize::from(number) % NAMES.len()])
}

/// A colour in the parameters after 38: `5;N` or `2;R;G;B`.
fn separate_color<'a>(rest: &mut impl Iterator<Item = &'a [u16]>) -> Option<Color> {
    color(&mut rest.map(|param| param[0]))
}

/// A colour in subparameters: `5:N`, `2:R:G:B` or `2:SPACE:R:G:B`.
fn joined_color(parts: &[u16]) -> Option<Color> {
    let (&kind, values) = parts.split_first()?;
    let values = if values.len() > 3 {
        &values[1..]
    } else {
        values
    };
    color(&mut std::iter::once(kind).chain(values.iter().copied()))
}

fn color<I: Iterator<Item = u16>>(values: &mut I) -> Option<Color> {
    let byte = |values: &mut I| u8::try_from(values.next()?).ok();
    match values.next()? {
        2 => Some(Color::Spec(Rgb {
            r: byte(values)?,
            g: byte(values)?,
            b: byte(values)?,
        })),
        5 => Some(Color::Indexed(byte(values)?)),
        _ => None,
    }
}
