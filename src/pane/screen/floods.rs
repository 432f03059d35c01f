//! What a screen shows of text that was received faster than anybody looked, by comparison with the
//! same text fed.

use super::*;

const SIZE: Size = Size { cols: 40, rows: 10 };

/// Lines enough to fill a backlog twice.
const LINES: usize = 4500;

/// One screen that has received all at once, in parts as a terminal gives them, and one that was fed.
fn received_and_fed(stream: &[u8], scrollback_rows: usize) -> [Screen; 2] {
    let [mut received, mut fed] = [(); 2].map(|()| Screen::new(SIZE, scrollback_rows));
    for part in stream.chunks(4095) {
        received.receive(part);
        fed.feed(part);
    }
    received.catch_up();
    [received, fed]
}

fn everything(screen: &Screen) -> String {
    let engine = &screen.engine;
    let rows = rows(engine, 0, engine.history() + engine.rows());
    render::ansi(
        &rows,
        false,
        Some(screen.cursor()).map(|(x, y)| (y.into(), x.into())),
    )
}

fn assert_alike(stream: &str, what: &str) {
    let [received, fed] = received_and_fed(stream.as_bytes(), 1_000_000);
    assert_eq!(received.cursor(), fed.cursor(), "{what}");
    assert_eq!(received.scroll_metrics(), fed.scroll_metrics(), "{what}");
    assert!(everything(&received) == everything(&fed), "{what}");
}

fn flood(line: &str) -> String {
    (0..LINES)
        .map(|number| format!("{number} of the flood\r\n{line}\r\n"))
        .collect()
}

#[test]
fn lines_that_are_more_than_lines_are_shown_as_ever() {
    for line in [
        "",
        "tab\tand\ttab",
        "over\rwritten",
        "back\x08space",
        "\u{301}first",
        "\u{301}",
        &format!("x{}", "\u{301}".repeat(20)),
        "delete\x7f and next line\u{85} and soft\u{ad}hyphen",
        "\n without return",
        &"blanks at the end"
            .repeat(2)
            .replace("end", &" ".repeat(60)),
        &"日".repeat(33),
        &format!("{}日", "x".repeat(39)),
        &"e\u{301}".repeat(80),
        &" ".repeat(40),
        &" ".repeat(41),
        // Looks.
        "\x1b[31mred\x1b[m plain \x1b[1;4;38;5;200munder \x1b[0m",
        "\x1b[31m",
        "\x1b[0m",
        "bold to \x1b[1mthe next\r\nline and\x1b[m not",
        "\x1b[44mon blue\x1b[m",
        "\x1b[44mon blue   \x1b[m",
        "\x1b[4munder   \x1b[m   ",
        "\x1b[7m   \x1b[m",
        "\x1b[1m   \x1b[m",
        "on blue to \x1b[44mthe end",
        "on blue to \x1b[44mthe end\r\nof the next\x1b[m",
        &format!("\x1b[44mon blue {} all along\x1b[m", "x".repeat(60)),
        &format!("\x1b[4munder {} all along\x1b[m", "x".repeat(60)),
        &format!("{}\x1b[44m\x1b[m", "x".repeat(40)),
        &format!("\x1b[4m{}\x1b[m", " ".repeat(70)),
        &format!("{}\x1b[44mx\x1b[m", "x".repeat(39)),
        "\x1b[58:5:1mcoloured line\x1b[59m under it",
        "\x1b[58;5;1mcoloured line\x1b[59m under it",
        "\x1b[58;5;1mcoloured line to the end",
        "\x1b[38:2::1:2:3mcolons\x1b[m",
        "\x1b[4:3mcurl\x1b[4:0m",
        "e\x1b[31m\u{301} on the cell before\x1b[m",
        "日\x1b[31m\u{301}本\x1b[m語",
        "gcc \x1b[01;31m\x1b[Kerror:\x1b[m\x1b[K said",
        "\x1b[44m\x1b[Kon blue\x1b[m",
        "\x1b[44mon blue\x1b[K\x1b[m",
        "erased\r\x1b[K",
        "erased\x1b[1K",
        &format!("{}\x1b[K", "x".repeat(40)),
        &format!("{}\x1b[K", "x".repeat(41)),
        &format!("\x1b[{}m", "1;".repeat(40)),
        "\x1b[31;mgone\x1b[999;1mbold\x1b[;m",
    ] {
        assert_alike(&flood(line), &format!("{line:?}"));
    }
}

#[test]
fn bytes_that_are_no_characters_are_shown_as_ever() {
    for line in [
        b"\xff".as_slice(),
        b"\xe6\x97",
        b"\x9b31m",
        b"\xed\xa0\x80",
        b"\xc0\xaf",
        b"\xf0\x9f\x98",
    ] {
        let line = [b"a line", line, b"\r\n"].concat();
        let [received, fed] = received_and_fed(&line.repeat(LINES), 1_000_000);
        assert!(everything(&received) == everything(&fed), "{line:x?}");
    }
}

#[test]
fn a_flood_meets_any_screen() {
    for before in [
        "text above\r\n",
        "\x1b[5;3Htext below\x1b[2;1H",
        "\x1b[5;3Htext below\x1b[9;1H",
        "\x1b[31m",
        "\x1b[1;3;7m",
        "\x1b[44m",
        "\x1b[4m",
        "\x1b[58:5:1m",
        "\x1b[4h",
        "\x1b[?7l",
        "\x1b(0",
        "\x1b[2;5r",
        "\x1b[?1049h",
        "\x1b]8;;http://x\x07",
        "wrapped text that is longer than the screen is wide\x1b[3;1H\x1b[J\x1b[2;1H",
        "wrapped text that is longer than the screen\r",
    ] {
        for line in ["", "一二三", "a \x1b[32mgreen\x1b[39m line"] {
            assert_alike(
                &format!("{before}{}", flood(line)),
                &format!("{before:?} {line:?}"),
            );
        }
    }
}

#[test]
fn what_follows_a_flood_finds_it_shown() {
    for after in [
        "\x1b[Htop",
        "\x1b[2J",
        "\x1b[10Tdown",
        "\x1b[?1049halt\x1b[?1049l",
        "\x1bMup",
        "\x1b[5b",
    ] {
        assert_alike(
            &format!("{}{after}", flood("一二三")),
            &format!("{after:?}"),
        );
    }
}

#[test]
fn a_flood_leaves_as_much_history_as_is_kept() {
    for scrollback_rows in [0, 10, 200, 500, 10_000] {
        let stream = flood("一二三");
        let [received, _] = received_and_fed(stream.as_bytes(), scrollback_rows);
        let history = received.engine.history();
        assert!(history <= scrollback_rows, "{history} of {scrollback_rows}");
        // The rows that pile up in the grid before they are packed take the place of packed ones.
        assert!(
            history + 64 >= scrollback_rows.min(LINES),
            "{history} of {scrollback_rows}"
        );
        let last = format!("{} of the flood", LINES - 1);
        assert!(everything(&received).contains(&last));
    }
}

#[test]
fn a_scrolled_viewport_stays_on_its_rows_through_a_flood() {
    let mut screen = Screen::new(SIZE, 1_000_000);
    screen.feed(
        (0..100)
            .map(|number| format!("line {number}\r\n"))
            .collect::<String>()
            .as_bytes(),
    );
    screen.scroll_to(50);
    let visible = ReadRequest {
        source: Source::Visible,
        lines: None,
        format: Format::Text,
    };
    let before = screen.read(&visible).text;
    for part in flood("一二三").as_bytes().chunks(4095) {
        screen.receive(part);
    }
    screen.catch_up();
    assert_eq!(screen.read(&visible).text, before);
    assert_eq!(
        screen.scroll_metrics().offset_from_bottom,
        50 + 2 * LINES as u64
    );
}

#[test]
fn changes_of_the_screen_come_after_what_was_received() {
    let text = flood("一二三");
    let changes: [fn(&mut Screen); 3] = [
        |screen| screen.resize(Size { cols: 30, rows: 5 }),
        |screen| assert!(screen.clear()),
        |screen| screen.scroll_to(7),
    ];
    for change in changes {
        let [mut received, mut fed] = [(); 2].map(|()| Screen::new(SIZE, 1_000_000));
        received.receive(text.as_bytes());
        fed.feed(text.as_bytes());
        change(&mut received);
        change(&mut fed);
        assert!(!received.is_behind());
        assert_eq!(received.scroll_metrics(), fed.scroll_metrics());
        assert!(everything(&received) == everything(&fed));
    }
}

#[test]
fn lines_that_grow_during_a_flood_do_not_wait_on() {
    let mut screen = Screen::new(SIZE, 1000);
    let lines = (0..LINES).chain((0..100).map(|round| round * 1000));
    let stream: String = lines
        .map(|length| format!("{}\r\n", "x".repeat(length.min(100_000) / 10)))
        .collect();
    let mut skimmed = false;
    for part in stream.as_bytes().chunks(4095) {
        screen.receive(part);
        skimmed |= screen.skims;
        assert!(
            screen.bytes_behind() < 80 * 1024,
            "{}",
            screen.bytes_behind()
        );
    }
    assert!(skimmed);
}

#[test]
fn only_so_much_waits() {
    let mut screen = Screen::new(SIZE, 1_000_000);
    let long = "一".repeat(100_000);
    for text in [flood("x"), long] {
        for part in text.as_bytes().chunks(4095) {
            screen.receive(part);
            assert!(!screen.backlog.is_full());
        }
    }
}

#[test]
fn whatever_is_not_text_is_answered_at_once() {
    let mut screen = Screen::new(SIZE, 1000);
    screen.receive(b"text\r\nand more\x1b[6n");
    assert_eq!(screen.take_replies(), b"\x1b[2;9R");
    screen.receive(b"\x1b[31mtext\x1b[");
    screen.receive(b"6n");
    assert_eq!(screen.take_replies(), b"\x1b[2;13R");
    screen.receive(b"text \x1b]2;ti");
    screen.receive(b"tle");
    screen.receive(b"\x07 and text");
    assert_eq!(screen.take_notes(), [Note::Title("title".to_owned())]);
    assert!(!screen.is_behind());
}
