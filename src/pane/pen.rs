//! The look of a cell without its character: what a run of text shares, how two looks are compared
//! and how one is written as escape sequences.

use std::fmt::Write;

use alacritty_terminal::term::cell::{Cell, Flags};
use vte::ansi::{Color, NamedColor, Rgb};

use super::sgr;

/// The cell flags that change how a character is drawn. The others say where it lies.
const DRAWN: Flags = Flags::INVERSE
    .union(Flags::BOLD)
    .union(Flags::ITALIC)
    .union(Flags::ALL_UNDERLINES)
    .union(Flags::DIM)
    .union(Flags::HIDDEN)
    .union(Flags::STRIKEOUT);

/// The drawn flags that can be seen on a blank.
const SEEN_ON_BLANK: Flags = Flags::INVERSE
    .union(Flags::ALL_UNDERLINES)
    .union(Flags::STRIKEOUT);

/// Cells that hold no character of their own: the right half of a wide character, and the gap
/// before a wide character that did not fit at the end of a row.
const SPACER: Flags = Flags::WIDE_CHAR_SPACER.union(Flags::LEADING_WIDE_CHAR_SPACER);

const FOREGROUND: Color = Color::Named(NamedColor::Foreground);
const BACKGROUND: Color = Color::Named(NamedColor::Background);

/// A colour as one number: its kind in the top byte, below that what the kind needs. Comparing the
/// engine's own enumeration is several times as dear, and packing compares one a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shade(u32);

impl Shade {
    const NONE: Shade = Shade(0);
    const NAMED: u32 = 1 << 24;
    const INDEXED: u32 = 2 << 24;
    const DIRECT: u32 = 3 << 24;

    #[inline]
    const fn of(color: Color) -> Shade {
        Shade(match color {
            Color::Named(named) => Shade::NAMED | named as u32,
            Color::Indexed(index) => Shade::INDEXED | index as u32,
            Color::Spec(Rgb { r, g, b }) => {
                Shade::DIRECT | (r as u32) << 16 | (g as u32) << 8 | b as u32
            }
        })
    }

    /// The colour as the engine has it; none for no colour.
    fn color(self) -> Option<Color> {
        let [kind, r, g, b] = self.0.to_be_bytes();
        match u32::from(kind) << 24 {
            Shade::DIRECT => Some(Color::Spec(Rgb { r, g, b })),
            Shade::INDEXED => Some(Color::Indexed(b)),
            Shade::NAMED if g == 0 && b < 16 => Some(sgr::named(b.into())),
            Shade::NAMED if self == Shade::of(BACKGROUND) => Some(BACKGROUND),
            Shade::NAMED => Some(FOREGROUND),
            _ => None,
        }
    }

    /// Parameters that select the colour for layer `base` (38, 48 or 58), none for a default.
    fn parameters(self, base: u8) -> Option<String> {
        let [kind, r, g, b] = self.0.to_be_bytes();
        match u32::from(kind) << 24 {
            Shade::DIRECT => Some(format!("{base};2;{r};{g};{b}")),
            Shade::INDEXED => Some(format!("{base};5;{b}")),
            // The first sixteen names are those of the first sixteen numbers, the others defaults.
            Shade::NAMED if g == 0 && b < 16 => Some(format!("{base};5;{b}")),
            _ => None,
        }
    }
}

/// Colours and attributes of a run of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pen {
    foreground: Shade,
    background: Shade,
    underline: Shade,
    flags: Flags,
}

impl Default for Pen {
    fn default() -> Self {
        Pen {
            foreground: Shade::of(FOREGROUND),
            background: Shade::of(BACKGROUND),
            underline: Shade::NONE,
            flags: Flags::empty(),
        }
    }
}

impl Pen {
    /// The pen a cell was drawn with.
    #[inline]
    pub(super) fn of(cell: &Cell) -> Pen {
        let underline = if cell.extra.is_some() {
            cell.underline_color()
        } else {
            None
        };
        Pen {
            foreground: Shade::of(cell.fg),
            background: Shade::of(cell.bg),
            underline: underline.map_or(Shade::NONE, Shade::of),
            flags: cell.flags & DRAWN,
        }
    }

    /// A blank cell drawn with this pen.
    pub(super) fn cell(&self) -> Cell {
        let mut cell = Cell {
            flags: self.flags,
            ..Cell::default()
        };
        if let (Some(foreground), Some(background)) =
            (self.foreground.color(), self.background.color())
        {
            cell.fg = foreground;
            cell.bg = background;
        }
        if self.underline != Shade::NONE {
            cell.set_underline_color(self.underline.color());
        }
        cell
    }

    /// Whether anything of a blank can be seen that is drawn with this pen.
    pub(super) fn shows_on_blank(&self) -> bool {
        self.background != Shade::of(BACKGROUND) || self.flags.intersects(SEEN_ON_BLANK)
    }

    /// Whether the pen draws like a terminal that was just reset.
    #[inline]
    pub(super) fn is_default(&self) -> bool {
        *self == Pen::default()
    }

    /// A cheap spread of pens over cache slots; no security depends on it.
    #[inline]
    pub(super) fn slot(&self, slots: usize) -> usize {
        let mixed = self.foreground.0.wrapping_mul(0x9E37_79B1)
            ^ self.background.0.wrapping_mul(0x85EB_CA6B)
            ^ u32::from(self.flags.bits()).wrapping_mul(0xC2B2_AE35);
        (mixed >> 16) as usize % slots
    }

    /// Writes a reset followed by what this pen needs, so that the run stands on its own.
    ///
    /// Colours are sequences of their own, `ESC[38;5;Nm` or `ESC[38;2;r;g;bm`, as herdr 0.9.3 has
    /// them in `pane.read` with `format: "ansi"`.
    pub(super) fn push_ansi(&self, out: &mut String) {
        out.push_str("\x1b[0m");
        let mut attributes = self.attributes().peekable();
        if attributes.peek().is_some() {
            out.push_str("\x1b[");
            for (position, code) in attributes.enumerate() {
                if position > 0 {
                    out.push(';');
                }
                out.push_str(code);
            }
            out.push('m');
        }
        for parameters in self.colors() {
            // Writing to a String cannot fail.
            let _ = write!(out, "\x1b[{parameters}m");
        }
    }

    /// Writes a sequence that changes whatever pen a terminal has to this one, as short as can be, and
    /// such that our own engine makes of it the same colours.
    pub(super) fn push_sgr(&self, out: &mut String) {
        out.push_str("\x1b[");
        let start = out.len();
        for code in self.attributes() {
            out.push(';');
            out.push_str(code);
        }
        for (shade, layer) in [(self.foreground, 30), (self.background, 40)] {
            let [kind, r, g, b] = shade.0.to_be_bytes();
            // Writing to a String cannot fail.
            let _ = match u32::from(kind) << 24 {
                Shade::DIRECT => write!(out, ";{};2;{r};{g};{b}", layer + 8),
                Shade::INDEXED => write!(out, ";{};5;{b}", layer + 8),
                Shade::NAMED if g == 0 && b < 8 => write!(out, ";{}", layer + b),
                Shade::NAMED if g == 0 && b < 16 => write!(out, ";{}", layer + 60 + b - 8),
                _ => Ok(()),
            };
        }
        let [kind, r, g, b] = self.underline.0.to_be_bytes();
        let _ = match u32::from(kind) << 24 {
            // With colons, because a terminal that does not know 58 would take the rest for others.
            Shade::DIRECT => write!(out, ";58:2::{r}:{g}:{b}"),
            Shade::INDEXED => write!(out, ";58:5:{b}"),
            Shade::NAMED if g == 0 && b < 16 => write!(out, ";58:5:{b}"),
            _ => Ok(()),
        };
        if out.len() == start {
            out.push('m');
        } else {
            out.insert(start, '0');
            out.push('m');
        }
    }

    fn colors(&self) -> impl Iterator<Item = String> + use<> {
        [
            (38, self.foreground),
            (48, self.background),
            (58, self.underline),
        ]
        .into_iter()
        .filter_map(|(base, shade)| shade.parameters(base))
    }

    /// The SGR parameters of this pen after a reset, joined by semicolons, as DECRQSS answers.
    pub(super) fn parameters(&self) -> String {
        let mut all = vec!["0".to_owned()];
        all.extend(self.attributes().map(str::to_owned));
        all.extend(self.colors());
        all.join(";")
    }

    fn attributes(&self) -> impl Iterator<Item = &'static str> + use<> {
        let flags = self.flags;
        [
            (Flags::BOLD, "1"),
            (Flags::DIM, "2"),
            (Flags::ITALIC, "3"),
            (Flags::UNDERLINE, "4"),
            (Flags::DOUBLE_UNDERLINE, "4:2"),
            (Flags::UNDERCURL, "4:3"),
            (Flags::DOTTED_UNDERLINE, "4:4"),
            (Flags::DASHED_UNDERLINE, "4:5"),
            (Flags::INVERSE, "7"),
            (Flags::HIDDEN, "8"),
            (Flags::STRIKEOUT, "9"),
        ]
        .into_iter()
        .filter(move |(flag, _)| flags.contains(*flag))
        .map(|(_, code)| code)
    }
}

/// Whether two cells are drawn with the same pen.
#[inline]
pub(super) fn same_pen(one: &Cell, other: &Cell) -> bool {
    one.fg == other.fg
        && one.bg == other.bg
        && (one.flags & DRAWN) == (other.flags & DRAWN)
        && ((one.extra.is_none() && other.extra.is_none())
            || one.underline_color() == other.underline_color())
}

/// Whether a cell has no character. A tab is kept by the engine as the cell it started in.
#[inline]
pub(super) fn is_blank(cell: &Cell) -> bool {
    matches!(cell.c, ' ' | '\t')
        && (cell.extra.is_none() || cell.zerowidth().is_none_or(<[char]>::is_empty))
}

/// Whether nothing of a cell can be seen: no character, no background, no line.
#[inline]
pub(super) fn is_unseen(cell: &Cell) -> bool {
    is_blank(cell) && cell.bg == BACKGROUND && !cell.flags.intersects(SEEN_ON_BLANK)
}

/// Cells that look alike.
pub(super) struct AlikeRun {
    /// How many.
    pub(super) cells: usize,
    /// Each holds one ASCII character.
    pub(super) ascii: bool,
}

/// The cells at the start that look alike and hold no more than a character each: what nearly all
/// rows consist of, found with as few looks at a cell as can be. None if the first holds more.
#[inline]
pub(super) fn alike_run(cells: &[Cell]) -> AlikeRun {
    let Some(first) = cells.first() else {
        return AlikeRun {
            cells: 0,
            ascii: true,
        };
    };
    // Comparing with a constant is a fraction of comparing two colours.
    if first.bg != BACKGROUND {
        alike(cells, first, |cell| {
            cell.fg == first.fg && cell.bg == first.bg
        })
    } else if first.fg != FOREGROUND {
        alike(cells, first, |cell| {
            cell.fg == first.fg && cell.bg == BACKGROUND
        })
    } else {
        alike(cells, first, |cell| {
            cell.fg == FOREGROUND && cell.bg == BACKGROUND
        })
    }
}

#[inline(always)]
fn alike(cells: &[Cell], first: &Cell, same_colors: impl Fn(&Cell) -> bool) -> AlikeRun {
    let drawn = first.flags & DRAWN;
    let mut characters = 0;
    let mut flags = Flags::empty();
    let mut count = 0;
    for cell in cells {
        if cell.extra.is_some() || (cell.flags & DRAWN) != drawn || !same_colors(cell) {
            break;
        }
        characters |= cell.c as u32;
        flags |= cell.flags;
        count += 1;
    }
    let apart = flags.intersects(SPACER.union(Flags::WIDE_CHAR));
    AlikeRun {
        cells: count,
        ascii: characters < 0x80 && !apart,
    }
}
