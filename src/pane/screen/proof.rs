//! Proof by comparison: generated streams, cut anywhere, must give the same cells and cursor as the
//! engine with its own processor and all history in its grid; and no stream may break a screen.

use std::time::{Duration, Instant};

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Dimensions, Grid, Row};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::test::TermSize;
use alacritty_terminal::term::{Config, TermMode};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use vte::ansi::Processor;

use super::*;

/// The engine as it comes, with a history that nothing falls out of.
struct Stock {
    term: Term<VoidListener>,
    processor: Processor,
}

impl Stock {
    fn new(size: Size) -> Stock {
        let config = Config {
            scrolling_history: 1_000_000,
            ..Config::default()
        };
        let size = TermSize::new(size.cols.into(), size.rows.into());
        Stock {
            term: Term::new(config, &size, VoidListener),
            processor: Processor::new(),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.processor.advance(&mut self.term, bytes);
    }

    fn resize(&mut self, size: Size) {
        self.term
            .resize(TermSize::new(size.cols.into(), size.rows.into()));
    }

    /// Logical lines of history and screen, or of the alternate screen.
    fn lines(&self) -> Vec<String> {
        let grid = self.term.grid();
        let mut lines = Vec::new();
        let mut line = String::new();
        for number in grid.topmost_line().0..=grid.bottommost_line().0 {
            let row = &grid[Line(number)];
            line.push_str(&row_text(row));
            if !row
                .last()
                .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
            {
                lines.push(std::mem::take(&mut line).trim_end_matches(' ').to_owned());
            }
        }
        lines.push(line.trim_end_matches(' ').to_owned());
        lines.truncate(
            lines
                .iter()
                .rposition(|line| !line.is_empty())
                .map_or(0, |last| last + 1),
        );
        lines
    }
}

/// Half a wide character is a blank, as is a gap that has left the end of its row.
fn row_text(row: &Row<Cell>) -> String {
    let has = |column: usize, flag| column < row.len() && row[Column(column)].flags.contains(flag);
    let mut text = String::new();
    for (column, cell) in row.into_iter().enumerate() {
        let blank = if cell.flags.contains(Flags::WIDE_CHAR) {
            !has(column + 1, Flags::WIDE_CHAR_SPACER)
        } else if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            if column > 0 && has(column - 1, Flags::WIDE_CHAR) {
                continue;
            }
            true
        } else if cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
            if column + 1 == row.len() {
                continue;
            }
            true
        } else {
            false
        };
        if blank {
            text.push(' ');
            continue;
        }
        text.push(cell.c.max(' '));
        text.extend(cell.zerowidth().unwrap_or_default());
    }
    text
}

/// What of a cell must be the same. Links differ in their generated identifiers.
pub(in crate::pane) fn same_cell(one: &Cell, other: &Cell) -> bool {
    (one.c, one.fg, one.bg, one.flags) == (other.c, other.fg, other.bg, other.flags)
        && one.zerowidth().unwrap_or_default() == other.zerowidth().unwrap_or_default()
        && one.underline_color() == other.underline_color()
        && one.hyperlink().map(|link| link.uri().to_owned())
            == other.hyperlink().map(|link| link.uri().to_owned())
}

pub(in crate::pane) fn assert_same_rows(
    ours: &Grid<Cell>,
    stock: &Grid<Cell>,
    from: i32,
) -> Result<(), TestCaseError> {
    for number in from..ours.screen_lines() as i32 {
        let (one, other) = (&ours[Line(number)], &stock[Line(number)]);
        for (column, (one, other)) in one.into_iter().zip(other).enumerate() {
            prop_assert!(
                same_cell(one, other),
                "row {number} column {column}: {one:?} {other:?}"
            );
        }
    }
    Ok(())
}

fn assert_same(screen: &Screen, stock: &Stock) -> Result<(), TestCaseError> {
    let (ours, theirs) = (&screen.engine.term, &stock.term);
    let hot = screen.engine.hot_history() as i32;
    if !has_halves(theirs.grid()) {
        prop_assert_eq!(screen.engine.history(), theirs.grid().history_size());
    }
    assert_same_rows(ours.grid(), theirs.grid(), -hot)?;
    let (our_cursor, their_cursor) = (&ours.grid().cursor, &theirs.grid().cursor);
    prop_assert_eq!(our_cursor.point, their_cursor.point);
    prop_assert_eq!(our_cursor.input_needs_wrap, their_cursor.input_needs_wrap);
    prop_assert!(same_cell(&our_cursor.template, &their_cursor.template));
    let kept = TermMode::all().difference(TermMode::URGENCY_HINTS);
    prop_assert_eq!(*ours.mode() & kept, *theirs.mode() & kept);
    Ok(())
}

/// Whether a sequence cut a wide character in two, or left the gap before one alone. Packed rows hold
/// characters whole and no gaps, which may take a row more or less.
fn has_halves(grid: &Grid<Cell>) -> bool {
    let is_left = |cell: &Cell| cell.flags.contains(Flags::WIDE_CHAR);
    (grid.topmost_line().0..=grid.bottommost_line().0).any(|number| {
        let cells = &grid[Line(number)][..];
        let halves = (0..cells.len()).any(|column| {
            let right = cells.get(column + 1);
            is_left(&cells[column])
                != right.is_some_and(|cell| cell.flags.contains(Flags::WIDE_CHAR_SPACER))
        });
        let next = (number < grid.bottommost_line().0).then(|| &grid[Line(number + 1)][..][0]);
        let gap = cells
            .iter()
            .any(|cell| cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER));
        halves || (gap && !next.is_some_and(is_left))
    })
}

fn assert_same_lines(screen: &Screen, stock: &Stock) -> Result<(), TestCaseError> {
    let (ours, theirs) = (lines(screen), stock.lines());
    for (number, (one, other)) in ours.iter().zip(&theirs).enumerate() {
        prop_assert_eq!(one, other, "line {} of {}", number, theirs.len());
    }
    prop_assert_eq!(ours.len(), theirs.len());
    Ok(())
}

/// All logical lines of a screen.
fn lines(screen: &Screen) -> Vec<String> {
    let engine = &screen.engine;
    let all = rows(engine, 0, engine.history() + engine.rows());
    render::text(&all, true)
        .lines()
        .map(str::to_owned)
        .collect()
}

fn number() -> impl Strategy<Value = u16> {
    prop_oneof![Just(0), 1_u16..8, 1_u16..60, Just(9999)]
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~]{1,40}",
        1 => "[ -~]{100,300}",
        2 => "[a-zéüΩж─│█日本語한글😀👍]{1,20}",
        1 => "(e\u{301}|a\u{302}\u{303}|x\u{200d}|日\u{fe0f}|[a-z]){1,12}",
    ]
}

fn sgr() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        (0_u16..110).prop_map(|code| code.to_string()),
        any::<u8>().prop_map(|index| format!("38;5;{index}")),
        any::<u8>().prop_map(|index| format!("48;5;{index}")),
        any::<(u8, u8, u8)>().prop_map(|(r, g, b)| format!("38;2;{r};{g};{b}")),
        any::<(u8, u8)>().prop_map(|(r, g)| format!("48:2::{r}:{g}:7")),
        any::<u8>().prop_map(|index| format!("58:5:{index}")),
        Just("4:3".to_owned()),
        Just("59".to_owned()),
        Just(String::new()),
        Just("38;7".to_owned()),
    ];
    proptest::collection::vec(one, 1..4).prop_map(|all| format!("\x1b[{}m", all.join(";")))
}

/// Pieces of a stream that both sides are meant to take alike.
fn piece(screen_rows: u16) -> impl Strategy<Value = String> {
    let control = proptest::sample::select(vec![
        "\n", "\r\n", "\r\n", "\r\n", "\r", "\x08", "\t", "\x0b", "\x0e", "\x0f", "\0", "\x7f",
        "\u{85}",
    ]);
    let escape = proptest::sample::select(vec![
        "\x1bD",
        "\x1bE",
        "\x1bM",
        "\x1bH",
        "\x1b7",
        "\x1b8",
        "\x1b(0",
        "\x1b(B",
        "\x1b)0",
        "\x1b[4h",
        "\x1b[4l",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[?6h",
        "\x1b[?6l",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?25l",
        "\x1b[?1h",
        "\x1b[g",
        "\x1b[3g",
        "\x1b[?5W",
        "\x1b#8",
        "\x1b=",
        "\x1b[1?2m",
        "\x1b[31\x18",
        "\x1b[1\nm",
        "\x1bPq#0\x1b\\",
        "\x1b_G\x1b\\",
        "\x1b]8;;http://x\x07",
        "\x1b]8;;\x1b\\",
        "\x1b]2;title\x07",
        "\x1b]2;\x07",
        "\x1b]9;4;1;40\x07",
        "\x1b]9;4;3\x07",
        "\x1b[?2004h",
        "\x1b[s",
        "\x1b[u",
        "\x1b[0$p",
    ]);
    let motion = (
        proptest::sample::select("ABCDEFGHIJKLMPSTXZ@`adef".chars().collect::<Vec<_>>()),
        number(),
        number(),
    );
    // Stock takes a region below the screen for an empty one; we ignore it.
    let region = (1..=screen_rows, 1_u16..14);
    prop_oneof![
        8 => words(),
        6 => control.prop_map(str::to_owned),
        3 => sgr(),
        2 => escape.prop_map(str::to_owned),
        // Erasing saved lines is left out: stock keeps what it scrolls out of a cleared screen.
        3 => motion.prop_filter("ED 3 has its own test", |(action, first, _)| !(*action == 'J' && *first == 3))
            .prop_map(|(action, first, second)| match action {
                'H' | 'f' => format!("\x1b[{first};{second}{action}"),
                _ => format!("\x1b[{first}{action}"),
            }),
        1 => region.prop_map(|(top, more)| format!("\x1b[{top};{}r", top + more)),
        1 => Just("\x1b[r".to_owned()),
        1 => (1_u16..30).prop_map(|times| format!("z\x1b[{times}b")),
        1 => (20_usize..120).prop_map(|count| "line\r\n".repeat(count)),
    ]
}

pub(in crate::pane) fn size() -> impl Strategy<Value = Size> {
    (2_u16..50, 1_u16..16).prop_map(|(cols, rows)| Size { cols, rows })
}

pub(in crate::pane) fn sized_pieces(most: usize) -> impl Strategy<Value = (Size, Vec<String>)> {
    size().prop_flat_map(move |size| {
        (
            Just(size),
            proptest::collection::vec(piece(size.rows), 1..most),
        )
    })
}

/// Bytes of a flood: enough that a backlog is full several times.
const FLOOD: usize = 200_000;

/// Lines of a flood: most are nothing but lines, some are not.
fn flood_line() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just("a\tb".to_owned()),
        Just("over\rwritten".to_owned()),
        Just("ab\x08c".to_owned()),
        Just("\u{301}e".to_owned()),
        Just(format!("x{}", "\u{301}".repeat(8))),
        Just("\x7f\u{85}\u{ad}".to_owned()),
        Just("no return\n".to_owned()),
    ];
    let text = prop_oneof![
        8 => words(),
        2 => Just(String::new()),
        2 => (0_usize..150).prop_map(|count| " ".repeat(count)),
        4 => (words(), 0_usize..120).prop_map(|(text, blanks)| text + &" ".repeat(blanks)),
    ];
    prop_oneof![
        40 => text.prop_map(|text| text + "\r\n"),
        1 => odd.prop_map(|text| text + "\r\n"),
    ]
}

fn flood() -> impl Strategy<Value = (Size, Vec<String>, Vec<String>, Vec<String>)> {
    size().prop_flat_map(|size| {
        (
            Just(size),
            proptest::collection::vec(piece(size.rows), 0..12),
            proptest::collection::vec(flood_line(), 1..60),
            proptest::collection::vec(piece(size.rows), 0..12),
        )
    })
}

/// Cuts `bytes` where `cuts` say.
fn parts<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    places.push(bytes.len());
    let mut start = 0;
    let part = |place| &bytes[std::mem::replace(&mut start, place)..place];
    places.into_iter().map(part).collect()
}

/// Cuts `bytes` where `cuts` say and feeds the parts.
fn feed_cut(screen: &mut Screen, bytes: &[u8], cuts: &[prop::sample::Index]) {
    for part in parts(bytes, cuts) {
        screen.feed(part);
    }
}

/// The same cases every time: a failure must be the fault of a change. With `PROOF_CASES` set, that
/// many others.
pub(in crate::pane) fn configuration() -> ProptestConfig {
    let cases = std::env::var("PROOF_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: cases.unwrap_or(96),
        rng_seed: if cases.is_some() {
            RngSeed::Random
        } else {
            RngSeed::Fixed(2026)
        },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn a_stream_cut_anywhere_shows_what_stock_shows(
        (size, pieces) in sized_pieces(120),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let stream = pieces.concat();
        let mut screen = Screen::new(size, 1_000_000);
        let mut stock = Stock::new(size);
        feed_cut(&mut screen, stream.as_bytes(), &cuts);
        stock.feed(stream.as_bytes());
        assert_same(&screen, &stock)?;
        assert_same_lines(&screen, &stock)?;
    }

    #[test]
    fn a_stream_fed_by_single_bytes_shows_what_stock_shows(
        (size, pieces) in sized_pieces(40),
    ) {
        let stream = pieces.concat();
        let mut screen = Screen::new(size, 1_000_000);
        let mut stock = Stock::new(size);
        for byte in stream.as_bytes() {
            screen.feed(std::slice::from_ref(byte));
        }
        stock.feed(stream.as_bytes());
        assert_same(&screen, &stock)?;
    }

    #[test]
    fn resizes_lose_and_double_no_line(
        size in size_change(),
        steps in proptest::collection::vec((proptest::collection::vec(text_piece(), 1..60), size_change()), 1..6),
    ) {
        let mut screen = Screen::new(size, 1_000_000);
        let mut stock = Stock::new(size);
        for (pieces, size) in steps {
            let stream = pieces.concat();
            screen.feed(stream.as_bytes());
            stock.feed(stream.as_bytes());
            assert_same_lines(&screen, &stock)?;
            screen.resize(size);
            stock.resize(size);
            assert_same_lines(&screen, &stock)?;
        }
    }

    #[test]
    fn packed_rows_are_what_they_were_in_the_grid(
        cols in 2_u16..60,
        pieces in proptest::collection::vec(prop_oneof![words(), sgr(), Just("\r\n".to_owned()), Just("\t".to_owned())], 1..60),
    ) {
        let size = Size { cols, rows: 400 };
        let stream = format!("{}\x1b[m\r\n", pieces.concat());
        let mut screen = Screen::new(size, 1_000_000);
        screen.feed(stream.as_bytes());
        let used = usize::from(screen.cursor().1);
        prop_assume!(screen.engine.history() == 0);
        let hot = render::ansi(&rows(&screen.engine, 0, used), false, None);
        let hot_text = render::text(&rows(&screen.engine, 0, used), true);
        screen.feed("\x1b[400H".as_bytes());
        screen.feed("\n".repeat(1200).as_bytes());
        prop_assert!(screen.engine.cold.rows() >= used);
        prop_assert_eq!(render::ansi(&rows(&screen.engine, 0, used), false, None), hot);
        prop_assert_eq!(render::text(&rows(&screen.engine, 0, used), true), hot_text);
    }
}

proptest! {
    // A flood is long.
    #![proptest_config(ProptestConfig { cases: configuration().cases / 8, ..configuration() })]

    #[test]
    fn a_flood_received_shows_what_stock_shows(
        (size, before, lines, after) in flood(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 40..80),
        looks in proptest::collection::vec(0_usize..60, 0..3),
    ) {
        let mut screen = Screen::new(size, 1_000_000);
        let mut stock = Stock::new(size);
        let flood = lines.concat().repeat(FLOOD / lines.concat().len().max(1) + 1);
        let stream = [before.concat(), flood, after.concat()].concat();
        // Stock drops what follows a character that was cut, so it gets whole ones.
        let (mut received, mut seen) = (0, 0);
        for (number, part) in parts(stream.as_bytes(), &cuts).into_iter().enumerate() {
            screen.receive(part);
            received += part.len();
            if looks.contains(&number) && stream.is_char_boundary(received) {
                stock.feed(&stream.as_bytes()[seen..received]);
                seen = received;
                screen.catch_up();
                assert_same(&screen, &stock)?;
            }
        }
        stock.feed(&stream.as_bytes()[seen..]);
        screen.catch_up();
        assert_same(&screen, &stock)?;
        assert_same_lines(&screen, &stock)?;
        // What repeats the last character shows which it was.
        screen.feed(b"\x1b[3b");
        stock.feed(b"\x1b[3b");
        assert_same(&screen, &stock)?;
    }
}

/// Text and ends of lines: what history is made of.
fn text_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => words(),
        3 => Just("\r\n".to_owned()),
        // No backgrounds: stock wraps coloured blanks into rows of their own, which later text joins.
        1 => (30_u16..38).prop_map(|code| format!("\x1b[1;{code}m")),
        1 => (1_usize..100).prop_map(|count| "some text on a line\r\n".repeat(count)),
    ]
}

/// Sizes between which hot rows always fill the screen again. Beyond that the engine, having no more
/// rows, leaves blank ones at the bottom, where stock would bring rows back. On a screen of one row
/// stock's own reflow makes and loses blank lines.
fn size_change() -> impl Strategy<Value = Size> {
    (30_u16..100, 3_u16..30).prop_map(|(cols, rows)| Size { cols, rows })
}

/// A small generator, so that a failure can be found again.
pub(in crate::pane) struct Random(pub(in crate::pane) u64);

impl Random {
    pub(in crate::pane) fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    pub(in crate::pane) fn bytes(&mut self, out: &mut Vec<u8>) {
        match self.next(10) {
            0 => out.extend((0..self.next(20)).map(|_| self.next(256) as u8)),
            1 => out.extend_from_slice("日😀e\u{301}\u{200d}─".as_bytes()),
            2 => {
                out.extend_from_slice(b"\x1b]");
                out.extend_from_slice(self.next(140).to_string().as_bytes());
                out.extend(
                    (0..self.next(30)).map(|_| b";?:/=aA0%\x80\xe6"[self.next(11) as usize]),
                );
                out.extend_from_slice(
                    [b"\x07".as_slice(), b"\x1b\\", b"", b"\x18"][self.next(4) as usize],
                );
            }
            3 => {
                out.extend_from_slice(b"\x1bP$q");
                out.extend((0..self.next(8)).map(|_| self.next(128) as u8));
                out.extend_from_slice(b"\x1b\\");
            }
            4 => out.extend_from_slice(b"\r\n"),
            5 => out.extend((0..self.next(200)).map(|_| b' ' + self.next(95) as u8)),
            6 => out.extend([0x1b, self.next(128) as u8]),
            _ => {
                out.extend_from_slice(b"\x1b[");
                out.extend_from_slice(
                    [b"".as_slice(), b"?", b">", b"=", b"!", b"<"][self.next(6) as usize],
                );
                for _ in 0..self.next(4) {
                    let value = [
                        self.next(5),
                        self.next(60),
                        self.next(3000),
                        self.next(100_000),
                    ];
                    out.extend_from_slice(value[self.next(4) as usize].to_string().as_bytes());
                    out.push(b";:"[usize::from(self.next(9) == 0)]);
                }
                if self.next(8) == 0 {
                    out.push(b" $\"'"[self.next(4) as usize]);
                }
                out.push(0x40 + self.next(63) as u8);
            }
        }
    }
}

#[test]
fn no_stream_breaks_a_screen() {
    let mut random = Random(0x5eed_5eed_5eed_5eed);
    let deadline = Instant::now() + Duration::from_secs(2);
    let mut rounds = 0;
    while Instant::now() < deadline || rounds < 20 {
        rounds += 1;
        let size = |random: &mut Random| Size {
            cols: [0, 1, 2, 3, 80, 120][random.next(6) as usize],
            rows: [0, 1, 2, 5, 24, 40][random.next(6) as usize],
        };
        let mut screen = Screen::new(
            size(&mut random),
            [0, 10, 500, 10_000][random.next(4) as usize],
        );
        for _ in 0..60 {
            let mut bytes = Vec::new();
            for _ in 0..random.next(60) {
                random.bytes(&mut bytes);
            }
            screen.feed(&bytes);
            assert!(
                !screen.take_notes().contains(&Note::EngineReset),
                "round {rounds}: {bytes:?}"
            );
            assert!(screen.take_replies().len() <= 64 * 1024);
            if random.next(3) == 0 {
                screen.resize(size(&mut random));
                assert!(
                    !screen.take_notes().contains(&Note::EngineReset),
                    "round {rounds}"
                );
            }
            screen.scroll_to(random.next(700));
            for source in [
                Source::Visible,
                Source::Recent,
                Source::RecentUnwrapped,
                Source::Detection,
            ] {
                let lines = [None, Some(random.next(1100) as u32)][random.next(2) as usize];
                for format in [Format::Text, Format::Ansi] {
                    screen.read(&ReadRequest {
                        source,
                        lines,
                        format,
                    });
                }
            }
            screen.read_primary(&ReadRequest {
                source: Source::Recent,
                lines: Some(1000),
                format: Format::Text,
            });
            let metrics = screen.scroll_metrics();
            assert!(metrics.offset_from_bottom <= metrics.max_offset_from_bottom);
        }
    }
}
