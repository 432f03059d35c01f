//! A terminal that is given the frames shows the pane at every one; our own screen is the terminal.

use proptest::prelude::*;

use super::*;
use crate::pane::screen::proof::{Random, configuration, sized_pieces};
use crate::pane::{Screen, Size};

/// A viewer with a terminal of its own.
struct Viewer {
    terminal: Screen,
    size: Size,
    shown: Option<Picture>,
    bytes: usize,
}

impl Viewer {
    fn new(size: Size) -> Viewer {
        Viewer {
            terminal: Screen::new(size, 0),
            size,
            shown: None,
            bytes: 0,
        }
    }

    fn look(&mut self, pane: &mut Screen) -> (Picture, Picture) {
        let wanted = Picture::of(pane, self.size);
        let bytes = frame(self.shown.as_ref(), &wanted);
        self.bytes += bytes.len();
        let text = std::str::from_utf8(&bytes).expect("text");
        let harmless = |character: char| character == '\x1b' || !character.is_control();
        assert!(text.chars().all(harmless), "{text:?}");
        self.terminal.feed(&bytes);
        self.shown = Some(wanted.clone());
        let mut shown = Picture::of(&mut self.terminal, self.size);
        shown.modes = wanted.modes;
        (wanted, shown)
    }
}

fn assert_same(wanted: &Picture, shown: &Picture) -> Result<(), TestCaseError> {
    prop_assert_eq!(wanted.size(), shown.size());
    for row in 0..wanted.rows() {
        for (column, (wanted, shown)) in wanted.row(row).iter().zip(shown.row(row)).enumerate() {
            prop_assert_eq!(wanted, shown, "row {} column {}", row, column);
        }
    }
    prop_assert_eq!(wanted.cursor, shown.cursor);
    prop_assert_eq!(wanted.cursor_style, shown.cursor_style);
    Ok(())
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn every_frame_shows_the_pane((size, pieces) in sized_pieces(60), skip in 1_usize..4) {
        let mut pane = Screen::new(size, 1_000);
        let mut viewer = Viewer::new(size);
        for (number, piece) in pieces.iter().enumerate() {
            pane.feed(piece.as_bytes());
            if number % skip == 0 {
                let (wanted, shown) = viewer.look(&mut pane);
                assert_same(&wanted, &shown)?;
            }
        }
        let (wanted, fresh) = Viewer::new(size).look(&mut pane);
        assert_same(&wanted, &fresh)?;
        prop_assert_eq!(frame(Some(&wanted), &wanted), b"");
    }

    #[test]
    fn a_viewer_of_any_size_sees_a_part_and_the_cursor(
        (size, pieces) in sized_pieces(40),
        viewed in (2_u16..60, 1_u16..20),
        scrolled in 0_u64..300,
    ) {
        let mut pane = Screen::new(size, 1_000);
        let mut viewer = Viewer::new(Size { cols: viewed.0, rows: viewed.1 });
        for piece in &pieces {
            pane.feed(piece.as_bytes());
            let (wanted, shown) = viewer.look(&mut pane);
            assert_same(&wanted, &shown)?;
        }
        pane.scroll_to(scrolled);
        let (wanted, shown) = viewer.look(&mut pane);
        assert_same(&wanted, &shown)?;
    }
}

#[test]
fn hostile_streams_are_shown_like_any_other() {
    let mut random = Random(0x00c0_ffee_00c0_ffee);
    for round in 0..60 {
        let size = Size {
            cols: [2, 3, 20, 80][random.next(4) as usize],
            rows: [1, 2, 5, 24][random.next(4) as usize],
        };
        let mut pane = Screen::new(size, 500);
        let mut viewer = Viewer::new(size);
        for _ in 0..30 {
            let mut stream = Vec::new();
            for _ in 0..random.next(12) {
                random.bytes(&mut stream);
            }
            pane.feed(&stream);
            let (wanted, shown) = viewer.look(&mut pane);
            if let Err(error) = assert_same(&wanted, &shown) {
                panic!("round {round}: {error}: {stream:?}");
            }
        }
    }
}

const SIZE: Size = Size { cols: 80, rows: 24 };

/// What a full-screen program wrote, in the pieces in which it came: an editor with a title, a gutter
/// and a status line, which scrolls its text both ways, opens a window with a frame, and leaves.
fn recorded() -> Vec<String> {
    let mut all = vec![
        "\x1b[?1049h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[22;2t\x1b[?25l\x1b[2J".to_owned(),
        "\x1b[H\x1b[48;2;40;44;52m\x1b[38;2;171;178;191m ~/src/日本語.rs \x1b[K\x1b[m".to_owned(),
    ];
    let line = |number: usize| {
        let tint = number * 37 % 256;
        format!(
            "\x1b[38;5;240m{number:4} \x1b[38;2;{tint};120;200mfn\x1b[m \x1b[1mname_{number}\x1b[22m(e\u{301}: \x1b[4:3;58:2::255:0:0m漢字\x1b[m) {{}}\x1b[K"
        )
    };
    for row in 2..=23 {
        all.push(format!("\x1b[{row};1H{}", line(row)));
    }
    all.push("\x1b[24;1H\x1b[7m NORMAL \x1b[27m\x1b[0K\x1b[3;6H\x1b[2 q\x1b[?25h".to_owned());
    // Down a few lines, then a page, then up again, within the rows of the text.
    for number in 24..30 {
        all.push(format!(
            "\x1b[?2026h\x1b[2;23r\x1b[23;1H\n{}\x1b[r\x1b[?2026l",
            line(number)
        ));
    }
    all.push(format!("\x1b[2;23r\x1b[10S\x1b[r\x1b[14;1H{}", line(30)));
    for number in (1..4).rev() {
        all.push(format!("\x1b[2;23r\x1b[2;1H\x1bM{}\x1b[r", line(number)));
    }
    // Words typed and taken back in the middle of a row, and one that ends at the margin.
    all.push("\x1b[5;10H\x1b[4hword \x1b[4l\x1b[3P\x1b[2@日\x1b[5 q".to_owned());
    all.push("\x1b[6;77Hwide 漢字 wraps\x1b[7;1H\x1b[1L\x1b[12;1H\x1b[2M".to_owned());
    // A window over all that, over halves of wide characters too.
    for row in 8..14 {
        let text = if row == 8 {
            "┌──────────┐"
        } else {
            "│ 選択 abc │"
        };
        all.push(format!("\x1b[{row};23H\x1b[48;2;1;2;3m{text}\x1b[m"));
    }
    all.push(
        "\x1b]8;id=1;https://example.org/\x1b\\a link\x1b]8;;\x1b\\\x1b[9;24H\x1b[3X".to_owned(),
    );
    all.push("\x1b[?1049l\x1b[?2004l\x1b[?1002l\x1b[?1006l\x1b[0 q\x1b[23;2t$ ".to_owned());
    all
}

#[test]
fn a_full_screen_program_is_shown_at_every_frame_and_at_another_size() {
    let smaller = Size { cols: 61, rows: 17 };
    let mut pane = Screen::new(SIZE, 1_000);
    let (mut observer, mut other) = (Viewer::new(SIZE), Viewer::new(smaller));
    for piece in recorded() {
        pane.feed(piece.as_bytes());
        for viewer in [&mut observer, &mut other] {
            let (wanted, shown) = viewer.look(&mut pane);
            assert_same(&wanted, &shown).unwrap();
        }
    }
    // Who controls it gives it another size, in the midst of it, and it draws itself again.
    for size in [
        smaller,
        Size {
            cols: 132,
            rows: 43,
        },
    ] {
        let mut controller = Viewer::new(size);
        for (number, piece) in recorded().iter().enumerate() {
            if number == 9 {
                pane.resize(size);
                controller.look(&mut pane);
            }
            pane.feed(piece.as_bytes());
            for viewer in [&mut observer, &mut controller] {
                let (wanted, shown) = viewer.look(&mut pane);
                assert_same(&wanted, &shown).unwrap();
            }
        }
    }
}

#[test]
fn a_scrolling_log_takes_little_more_than_the_program_wrote() {
    let mut pane = Screen::new(SIZE, 1_000);
    let mut viewer = Viewer::new(SIZE);
    let mut written = 0;
    for number in 0..500 {
        let line = format!(
            "\x1b[1;32m   Compiling\x1b[0m crate-{} v0.{number}.1 (/home/someone/src/crate-{number})\r\n",
            number * 7919 % 1000
        );
        written += line.len();
        pane.feed(line.as_bytes());
        let (wanted, shown) = viewer.look(&mut pane);
        assert_same(&wanted, &shown).unwrap();
    }
    assert!(
        viewer.bytes * 2 <= written * 3,
        "{} bytes for {written}",
        viewer.bytes
    );
}

#[test]
fn a_key_echo_takes_a_few_bytes() {
    let mut pane = Screen::new(SIZE, 1_000);
    let mut viewer = Viewer::new(SIZE);
    pane.feed(b"\x1b[2J\x1b[Hprompt $ ");
    viewer.look(&mut pane);
    pane.feed(b"l");
    let (wanted, _) = (Picture::of(&mut pane, SIZE), ());
    assert_eq!(frame(viewer.shown.as_ref(), &wanted), b"\x1b[1;10Hl");
}

#[test]
fn lines_scrolled_within_margins_are_not_drawn_again() {
    let mut pane = Screen::new(SIZE, 1_000);
    let mut viewer = Viewer::new(SIZE);
    for row in 1..=24 {
        pane.feed(format!("\x1b[{row};1Hrow {row} {}", "=".repeat(60)).as_bytes());
    }
    viewer.look(&mut pane);
    viewer.bytes = 0;
    for scroll in ["\x1b[3;20r\x1b[20;1H\nnew", "\x1b[3;20r\x1b[3;1H\x1bMnew"] {
        pane.feed(scroll.as_bytes());
        let (wanted, shown) = viewer.look(&mut pane);
        assert_same(&wanted, &shown).unwrap();
    }
    assert!(viewer.bytes < 100, "{}", viewer.bytes);
}

#[test]
fn the_modes_of_input_are_passed_on_and_taken_back() {
    let mut pane = Screen::new(SIZE, 0);
    let before = pane.modes();
    pane.feed(b"\x1b[?1h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b=\x1b[>5u");
    let after = pane.modes();
    let mut terminal = Screen::new(SIZE, 0);
    terminal.feed(&input_modes(&before, &after));
    assert_eq!(terminal.modes(), after);
    terminal.feed(&input_modes(&after, &before));
    assert_eq!(terminal.modes(), before);
    assert_eq!(input_modes(&after, &after), b"");
}

#[test]
fn links_are_kept_in_packed_scrollback_and_over_a_checkpoint() {
    let mut pane = Screen::new(SIZE, 5_000);
    pane.feed(b"see \x1b]8;id=one;https://example.org/a\x1b\\a \xe6\xbc\xa2e\xcc\x81 link\x1b]8;;\x1b\\ and more\r\n");
    pane.scroll_to(0);
    let wanted = Picture::of(&mut pane, SIZE);
    for number in 0..3_000 {
        pane.feed(format!("line {number}\r\n").as_bytes());
    }
    let written = pane.checkpoint(1 << 20);
    let mut restored = Screen::from_checkpoint(&written).unwrap();
    for pane in [&mut pane, &mut restored] {
        pane.scroll_to(u64::MAX);
        let shown = Picture::of(pane, SIZE);
        assert_eq!(shown.row(0), wanted.row(0));
        let links = shown.row(0).iter().filter(|glyph| glyph.more.is_some());
        // The right half of a wide character is drawn with its left one.
        assert_eq!(
            links.count(),
            "a 漢é link".chars().filter(|c| *c != '\u{301}').count()
        );
        let row = &pane.text_rows(0, 1)[0];
        let [link] = row.links() else {
            panic!("one link: {:?}", row.links());
        };
        assert_eq!(link.address, "https://example.org/a");
        assert_eq!(link.cols, (4, 13));
    }
}
