//! What a screen shows and says for streams that programs really write.

use std::path::PathBuf;

use super::*;
use crate::pane::modes::MouseTracking;

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(Size { cols, rows }, DEFAULT_SCROLLBACK_ROWS)
}

fn fed(cols: u16, rows: u16, stream: &str) -> Screen {
    let mut screen = screen(cols, rows);
    screen.feed(stream.as_bytes());
    screen
}

fn request(source: Source, lines: Option<u32>, format: Format) -> ReadRequest {
    ReadRequest {
        source,
        lines,
        format,
    }
}

fn text(screen: &Screen, source: Source, lines: impl Into<Option<u32>>) -> (String, bool) {
    let output = screen.read(&request(source, lines.into(), Format::Text));
    (output.text, output.truncated)
}

fn ansi(screen: &Screen, source: Source) -> String {
    screen.read(&request(source, None, Format::Ansi)).text
}

fn replies(stream: &str) -> String {
    let mut screen = fed(80, 24, stream);
    String::from_utf8(screen.take_replies()).unwrap()
}

fn notes(stream: &str) -> Vec<Note> {
    fed(80, 24, stream).take_notes()
}

fn numbered_lines(count: usize) -> String {
    (0..count)
        .map(|number| format!("line {number}\r\n"))
        .collect()
}

#[test]
fn a_fresh_screen_reads_as_nothing_and_nothing_is_left_out() {
    let screen = screen(80, 24);
    for source in [
        Source::Visible,
        Source::Recent,
        Source::RecentUnwrapped,
        Source::Detection,
    ] {
        for lines in [None, Some(0), Some(1)] {
            assert_eq!(
                text(&screen, source, lines),
                (String::new(), false),
                "{source:?} {lines:?}"
            );
        }
    }
}

#[test]
fn text_ends_with_one_newline_unless_it_is_unwrapped() {
    let screen = fed(20, 5, "$ ls\r\n\r\na b   \r\n$ ");
    let shown = "$ ls\n\na b\n$";
    assert_eq!(
        text(&screen, Source::Visible, None),
        (format!("{shown}\n"), false)
    );
    assert_eq!(
        text(&screen, Source::Recent, None),
        (format!("{shown}\n"), false)
    );
    assert_eq!(
        text(&screen, Source::Detection, None),
        (format!("{shown}\n"), false)
    );
    assert_eq!(
        text(&screen, Source::RecentUnwrapped, None),
        (shown.to_owned(), false)
    );
}

#[test]
fn recent_rows_end_at_the_cursor_or_the_last_text_whichever_is_lower() {
    let half_empty = fed(20, 10, "a\r\nb\r\nc");
    assert_eq!(
        text(&half_empty, Source::Recent, 2),
        ("b\nc\n".to_owned(), true)
    );
    let cursor_above = fed(20, 10, "a\r\nb\r\nc\x1b[H");
    assert_eq!(
        text(&cursor_above, Source::Recent, 2),
        ("b\nc\n".to_owned(), true)
    );
    let cursor_below = fed(20, 10, "a\r\nb\r\nc\r\n\r\n");
    assert_eq!(
        text(&cursor_below, Source::Recent, 3),
        ("c\n".to_owned(), true)
    );
    let alternate = fed(20, 10, "\x1b[?1049h\x1b[Ha\r\nb");
    assert_eq!(text(&alternate, Source::Recent, 2), (String::new(), true));
    assert_eq!(
        text(&alternate, Source::Recent, 10),
        ("a\nb\n".to_owned(), false)
    );
}

#[test]
fn soft_wrapped_rows_are_joined_and_hard_ones_are_not() {
    let screen = fed(10, 5, "0123456789abcdefghij\r\nshort");
    assert_eq!(
        text(&screen, Source::Recent, None).0,
        "0123456789\nabcdefghij\nshort\n"
    );
    assert_eq!(
        text(&screen, Source::RecentUnwrapped, None).0,
        "0123456789abcdefghij\nshort"
    );
    // The limit counts rows before they are joined.
    assert_eq!(
        text(&screen, Source::RecentUnwrapped, 2),
        ("abcdefghij\nshort".to_owned(), true)
    );
}

#[test]
fn recent_reaches_from_the_first_packed_line_to_the_screen() {
    let screen = fed(40, 10, &numbered_lines(990));
    let (all, truncated) = text(&screen, Source::Recent, 1000);
    assert!(!truncated);
    let expected: String = (0..990).map(|number| format!("line {number}\n")).collect();
    assert_eq!(all, expected);
    let (some, truncated) = text(&screen, Source::Recent, None);
    assert!(truncated);
    assert_eq!(
        some.lines().count(),
        79,
        "eighty rows, the last of them empty"
    );
    assert!(some.starts_with("line 911\n"));
}

#[test]
fn limits_above_a_thousand_are_a_thousand_and_say_so() {
    let screen = fed(40, 10, &numbered_lines(1500));
    let (all, truncated) = text(&screen, Source::Recent, 5000);
    assert!(truncated);
    assert!(all.starts_with("line 501\n"));
    assert_eq!(text(&screen, Source::Recent, 0), (String::new(), true));
}

#[test]
fn visible_lines_are_cut_from_the_top() {
    let screen = fed(20, 6, "a\r\nb\r\nc\r\n");
    assert_eq!(
        text(&screen, Source::Visible, 2),
        ("b\nc\n".to_owned(), true)
    );
    assert_eq!(
        text(&screen, Source::Visible, 3),
        ("a\nb\nc\n".to_owned(), false)
    );
    assert_eq!(text(&screen, Source::Visible, 0), (String::new(), true));
}

#[test]
fn blank_rows_above_the_window_are_left_out_only_if_there_is_text() {
    let screen = fed(20, 6, "\r\n\r\n\r\n");
    assert_eq!(text(&screen, Source::Recent, 1), (String::new(), false));
    let screen = fed(20, 6, "a\r\n\r\n\r\n");
    assert_eq!(text(&screen, Source::Recent, 1), (String::new(), true));
}

#[test]
fn ansi_has_colours_in_sequences_of_their_own_after_a_reset() {
    let screen = fed(
        40,
        5,
        "\x1b[1;31mred\x1b[0m plain \x1b[48;2;1;2;3mbg\x1b[m\r\n$ ",
    );
    assert_eq!(
        ansi(&screen, Source::Visible),
        "\x1b[0m\x1b[1m\x1b[38;5;1mred\x1b[0m plain \x1b[0m\x1b[48;2;1;2;3mbg\x1b[0m\r\n$ "
    );
    let detection = screen.read(&request(Source::Detection, None, Format::Ansi));
    assert_eq!(detection.text, "red plain bg\n$\n");
}

#[test]
fn packed_rows_keep_their_colours() {
    let mut stream = String::from("\x1b[32mgreen\x1b[m and \x1b[4;58;5;9mlined\x1b[m\r\n");
    stream.push_str(&numbered_lines(600));
    let screen = fed(40, 10, &stream);
    let output = screen.read(&request(Source::Recent, Some(1000), Format::Ansi));
    assert!(output.text.starts_with(
        "\x1b[0m\x1b[38;5;2mgreen\x1b[0m and \x1b[0m\x1b[4m\x1b[58;5;9mlined\x1b[0m\r\nline 0\r\n"
    ));
}

#[test]
fn wide_and_combining_characters_take_one_entry() {
    let screen = fed(6, 4, "日本語x\r\ne\u{301}\u{302}!");
    assert_eq!(
        text(&screen, Source::Visible, None).0,
        "日本語\nx\ne\u{301}\u{302}!\n"
    );
    let odd = fed(5, 4, "日本語");
    assert_eq!(text(&odd, Source::RecentUnwrapped, None).0, "日本語");
}

#[test]
fn tabs_read_as_blanks() {
    let screen = fed(40, 4, "a\tb\r\n\t\r\nc");
    assert_eq!(text(&screen, Source::Visible, None).0, "a       b\n\nc\n");
}

#[test]
fn a_cell_takes_no_more_than_eight_combining_characters() {
    let stream = format!("a{}b", "\u{301}".repeat(100_000));
    let screen = fed(40, 4, &stream);
    let expected = format!("a{}b\n", "\u{301}".repeat(8));
    assert_eq!(text(&screen, Source::Visible, None).0, expected);
}

#[test]
fn the_alternate_screen_has_no_history_and_hides_that_of_the_primary() {
    let mut screen = fed(40, 10, &numbered_lines(500));
    screen.feed(b"prompt\x1b[?1049h\x1b[2J\x1b[Halternate");
    assert_eq!(
        text(&screen, Source::Recent, 1000),
        ("alternate\n".to_owned(), false)
    );
    assert_eq!(screen.scroll_metrics().max_offset_from_bottom, 0);
    assert!(screen.modes().alternate_screen);
    let primary = screen.read_primary(&request(Source::Recent, Some(1000), Format::Text));
    assert!(primary.text.starts_with("line 0\n"));
    assert!(primary.text.ends_with("line 499\nprompt\n"));
    assert_eq!(text(&screen, Source::Visible, None).0, "alternate\n");
    screen.feed(b"\x1b[?1049l");
    assert_eq!(screen.cursor(), (6, 9));
    let (all, truncated) = text(&screen, Source::Recent, 1000);
    assert!(all.ends_with("line 499\nprompt\n") && !truncated);
}

#[test]
fn a_resize_under_the_alternate_screen_loses_nothing_of_the_primary() {
    let mut screen = fed(40, 10, &numbered_lines(600));
    let before = text(&screen, Source::RecentUnwrapped, 1000);
    screen.feed(b"\x1b[?1049hfull screen");
    for (cols, rows) in [(5, 3), (100, 50), (40, 10)] {
        screen.resize(Size { cols, rows });
    }
    screen.feed(b"\x1b[?1049l");
    assert_eq!(text(&screen, Source::RecentUnwrapped, 1000), before);
}

#[test]
fn lines_are_whole_at_any_width_also_where_packed_and_hot_rows_meet() {
    let line = |number: usize| format!("{number}:{}", "x".repeat(number % 97));
    let mut screen = screen(30, 10);
    for number in 0..400 {
        screen.feed(format!("{}\r\n", line(number)).as_bytes());
    }
    let expected: Vec<String> = (0..400).map(line).collect();
    for (cols, rows) in [(30, 10), (80, 24), (200, 60), (200, 5), (61, 24)] {
        screen.resize(Size { cols, rows });
        let (unwrapped, _) = text(&screen, Source::RecentUnwrapped, 1000);
        let lines: Vec<&str> = unwrapped.lines().collect();
        let shown = expected.len().min(lines.len());
        // The first line of the window may begin within a line.
        assert_eq!(
            lines[1..],
            expected[expected.len() - shown + 1..],
            "{cols}x{rows}"
        );
    }
    // Wide enough for every line on one row: all of them, from the first on.
    screen.resize(Size {
        cols: 200,
        rows: 24,
    });
    assert_eq!(
        text(&screen, Source::Recent, 1000)
            .0
            .lines()
            .collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn a_line_longer_than_all_hot_rows_stays_one_line() {
    let long: String = (0..60_000)
        .map(|n| char::from(b'a' + (n % 26) as u8))
        .collect();
    let mut screen = fed(100, 10, &format!("start\r\n{long}\r\nend"));
    let expected = format!("start\n{long}\nend");
    assert_eq!(text(&screen, Source::RecentUnwrapped, 1000).0, expected);
    screen.resize(Size { cols: 77, rows: 12 });
    assert_eq!(text(&screen, Source::RecentUnwrapped, 1000).0, expected);
}

#[test]
fn growing_the_window_pulls_rows_back() {
    let mut screen = fed(40, 10, &numbered_lines(500));
    screen.resize(Size { cols: 40, rows: 50 });
    let (shown, _) = text(&screen, Source::Visible, None);
    assert!(shown.starts_with("line 451\n"));
    assert_eq!(shown.lines().count(), 49);
}

#[test]
fn scrollback_keeps_no_more_than_its_limit() {
    for limit in [0, 7, 300, 1000] {
        let mut screen = Screen::new(Size { cols: 40, rows: 10 }, limit);
        screen.feed(numbered_lines(3000).as_bytes());
        let metrics = screen.scroll_metrics();
        assert!(
            metrics.max_offset_from_bottom <= limit as u64,
            "limit {limit}"
        );
        assert!(
            metrics.max_offset_from_bottom + 1 >= limit as u64,
            "limit {limit}"
        );
        let (all, truncated) = text(&screen, Source::Recent, 1000);
        assert!(all.ends_with("line 2999\n"));
        assert_eq!(truncated, metrics.max_offset_from_bottom + 10 > 1000);
        screen.resize(Size { cols: 20, rows: 5 });
        assert!(screen.scroll_metrics().max_offset_from_bottom <= limit as u64);
    }
}

#[test]
fn clearing_the_scrollback_clears_packed_rows_too() {
    let mut screen = fed(40, 10, &numbered_lines(900));
    screen.feed(b"\x1b[3J");
    assert_eq!(screen.scroll_metrics().max_offset_from_bottom, 0);
    assert!(
        text(&screen, Source::Recent, 1000)
            .0
            .starts_with("line 891\n")
    );
    screen.feed(numbered_lines(900).as_bytes());
    screen.feed(b"\x1bc");
    assert_eq!(text(&screen, Source::Recent, 1000), (String::new(), false));
}

#[test]
fn clearing_the_scrollback_reaches_the_primary_under_the_alternate_screen() {
    let mut screen = fed(40, 10, &numbered_lines(900));
    screen.feed(b"\x1b[?1049h\x1b[Hpage\x1b[3J");
    assert_eq!(text(&screen, Source::Visible, None).0, "page\n");
    screen.feed(b"\x1b[?1049l");
    assert_eq!(screen.scroll_metrics().max_offset_from_bottom, 0);
}

#[test]
fn clearing_a_pane_keeps_its_prompt_and_spares_full_screen_programs() {
    let mut screen = fed(40, 10, &numbered_lines(900));
    screen.feed(b"$ make\r\nbelow\x1b[A\x1b[3G");
    assert!(screen.clear());
    assert_eq!(
        text(&screen, Source::Recent, 1000),
        ("$ make\n".to_owned(), false)
    );
    assert_eq!(screen.cursor(), (2, 0));
    assert_eq!(screen.scroll_metrics().max_offset_from_bottom, 0);
    screen.feed(b"\x1b[?1049h\x1b[Hpage");
    assert!(!screen.clear());
    assert_eq!(text(&screen, Source::Visible, None).0, "page\n");
}

#[test]
fn a_scrolled_viewport_stays_on_its_rows() {
    let mut screen = fed(40, 10, &numbered_lines(500));
    screen.scroll_to(300);
    let (before, _) = text(&screen, Source::Visible, None);
    assert!(before.starts_with("line 191\n"));
    screen.feed(numbered_lines(321).as_bytes());
    assert_eq!(text(&screen, Source::Visible, None).0, before);
    assert_eq!(screen.scroll_metrics().offset_from_bottom, 621);
    assert!(
        text(&screen, Source::Detection, None)
            .0
            .ends_with("line 320\n")
    );
    screen.scroll_to(u64::MAX);
    assert!(
        text(&screen, Source::Visible, None)
            .0
            .starts_with("line 0\n")
    );
    screen.scroll_to(0);
    assert!(
        text(&screen, Source::Visible, None)
            .0
            .ends_with("line 320\n")
    );
}

#[test]
fn sizes_are_brought_into_range() {
    let mut screen = Screen::new(Size { cols: 0, rows: 0 }, 100);
    assert_eq!(screen.size(), Size { cols: 2, rows: 1 });
    screen.feed("日本語 text".as_bytes());
    screen.resize(Size {
        cols: u16::MAX,
        rows: u16::MAX,
    });
    assert_eq!(
        screen.size(),
        Size {
            cols: 1024,
            rows: 1024
        }
    );
    screen.resize(Size { cols: 1, rows: 1 });
    assert_eq!(screen.size(), Size { cols: 2, rows: 1 });
}

#[test]
fn the_revision_grows_with_what_may_have_changed() {
    let mut screen = screen(80, 24);
    let mut last = screen.revision();
    let mut grew =
        |screen: &Screen| std::mem::replace(&mut last, screen.revision()) < screen.revision();
    screen.feed(b"");
    assert!(!grew(&screen));
    screen.feed(b"x");
    assert!(grew(&screen));
    screen.resize(Size { cols: 80, rows: 24 });
    assert!(!grew(&screen));
    screen.resize(Size { cols: 81, rows: 24 });
    assert!(grew(&screen));
}

#[test]
fn modes_follow_the_program() {
    let mut screen = screen(80, 24);
    assert_eq!(
        screen.modes(),
        Modes {
            cursor_visible: true,
            alternate_scroll: true,
            ..Modes::default()
        }
    );
    screen.feed(b"\x1b[?1;1003;1006;1004;2004;2026h\x1b[?25l\x1b[>5u\x1b=");
    let modes = screen.modes();
    assert!(modes.application_cursor && modes.bracketed_paste && modes.focus_events);
    assert!(modes.sgr_mouse && modes.synchronized_output && modes.application_keypad);
    assert!(!modes.cursor_visible);
    assert_eq!(
        (modes.mouse, modes.kitty_keyboard),
        (MouseTracking::Motion, 5)
    );
    screen.feed(b"\x1b[!p");
    let modes = screen.modes();
    assert!(!modes.application_cursor && modes.cursor_visible);
    assert_eq!(modes.kitty_keyboard, 0);
}

#[test]
fn kitty_flags_are_kept_per_screen_and_their_stack_is_bounded() {
    let mut screen = screen(80, 24);
    screen.feed(b"\x1b[>1u\x1b[?1049h");
    assert_eq!(screen.modes().kitty_keyboard, 0);
    screen.feed(b"\x1b[>3u\x1b[=4;2u\x1b[?u\x1b[=2;3u\x1b[?u\x1b[?1049l");
    assert_eq!(screen.modes().kitty_keyboard, 1);
    assert_eq!(screen.take_replies(), b"\x1b[?7u\x1b[?5u");
    screen.feed("\x1b[>1u".repeat(5000).as_bytes());
    assert_eq!(screen.modes().kitty_keyboard, 1);
    screen.feed(b"\x1b[<65535u");
    assert_eq!(screen.modes().kitty_keyboard, 0);
}

#[test]
fn queries_are_answered() {
    let version = env!("CARGO_PKG_VERSION");
    for (asked, answered) in [
        ("\x1b[c", "\x1b[?62;22c".to_owned()),
        ("\x1bZ", "\x1b[?62;22c".to_owned()),
        ("\x1b[>c", "\x1b[>1;10;0c".to_owned()),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\".to_owned()),
        ("\x1b[5n", "\x1b[0n".to_owned()),
        ("\x1b[3;7H\x1b[6n", "\x1b[3;7R".to_owned()),
        ("\x1b[5;20r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R".to_owned()),
        ("\x1b[>q", format!("\x1bP>|drover({version})\x1b\\")),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y".to_owned()),
        ("\x1b[?2026$p", "\x1b[?2026;2$y".to_owned()),
        ("\x1b[?9999$p", "\x1b[?9999;0$y".to_owned()),
        ("\x1b[4h\x1b[4$p", "\x1b[4;1$y".to_owned()),
        ("\x1b[18t", "\x1b[8;24;80t".to_owned()),
        ("\x1b[14t", "\x1b[4;480;800t".to_owned()),
        ("\x1b[?u", "\x1b[?0u".to_owned()),
        (
            "\x1b[1;38;5;7m\x1bP$qm\x1b\\",
            "\x1bP1$r0;1;38;5;7m\x1b\\".to_owned(),
        ),
        ("\x1b[2;9r\x1bP$qr\x1b\\", "\x1bP1$r2;9r\x1b\\".to_owned()),
        ("\x1b[5 q\x1bP$q q\x1b\\", "\x1bP1$r5 q\x1b\\".to_owned()),
        ("\x1bP$qx\x1b\\", "\x1bP0$r\x1b\\".to_owned()),
        (
            "\x1bP+q544E\x1b\\",
            "\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\".to_owned(),
        ),
        ("\x1bP+q7878\x1b\\", "\x1bP0+r\x1b\\".to_owned()),
        ("\x1b]11;?\x07", "\x1b]11;rgb:1818/1818/1818\x07".to_owned()),
        (
            "\x1b]10;#ff0000\x07\x1b]10;?\x1b\\",
            "\x1b]10;rgb:ffff/0000/0000\x1b\\".to_owned(),
        ),
        (
            "\x1b]4;196;?\x07",
            "\x1b]4;196;rgb:ffff/0000/0000\x07".to_owned(),
        ),
        ("\x1b]52;c;?\x07", String::new()),
    ] {
        assert_eq!(replies(asked), answered, "{asked:?}");
    }
}

#[test]
fn answers_nobody_takes_are_bounded() {
    let mut screen = screen(80, 24);
    screen.feed("\x1b[c".repeat(100_000).as_bytes());
    assert!(screen.take_replies().len() <= 64 * 1024);
    screen.feed(b"\x1b[5n");
    assert_eq!(screen.take_replies(), b"\x1b[0n");
}

#[test]
fn titles_are_cleaned_bounded_and_told_once() {
    assert_eq!(
        notes("\x1b]0;one\x07\x1b]2;two; too\x1b\\"),
        [Note::Title("two; too".into())]
    );
    assert_eq!(
        notes("\x1b]0;  a\u{85}b c  \x07"),
        [Note::Title("a b c".into())]
    );
    let long = notes(&format!("\x1b]2;{}\x07", "é".repeat(10_000)));
    assert_eq!(long, [Note::Title("é".repeat(256))]);
    let mut screen = fed(80, 24, "\x1b]0;x\x07");
    screen.take_notes();
    screen.feed(b"\x1b]0;x\x07");
    assert_eq!(screen.take_notes(), []);
    screen.feed(b"\x1b[22;0t\x1b]0;vim\x07\x1b[23;0t");
    assert_eq!(screen.title(), Some("x"));
    screen.feed(b"\x1b]0;\x07");
    assert_eq!(screen.take_notes(), [Note::TitleCleared]);
    screen.feed(b"\x1b]2;y\x07");
    screen.forget_said();
    assert_eq!(
        (screen.title(), screen.said()),
        (Some("y"), &Said::default())
    );
    screen.take_notes();
    screen.feed(b"\x1b]2;y\x07\x1b]9;4;1;40\x07");
    let said = Said {
        title: Some("y".to_owned()),
        progress: Some(Progress::Running(40)),
    };
    assert_eq!(screen.said(), &said, "also the same title again");
    assert_eq!(screen.take_notes(), [Note::Progress(Progress::Running(40))]);
    screen.feed(b"\x1bc");
    assert_eq!(screen.said(), &Said::default());
}

#[test]
fn commands_become_notes() {
    let cwd = |host: &str, path: &str| Note::Cwd {
        host: host.into(),
        path: PathBuf::from(path),
    };
    let told = |title: &str, body: &str| Note::Notification {
        title: title.into(),
        body: body.into(),
    };
    let prompt = Note::Prompt;
    for (stream, expected) in [
        (
            "\x1b]7;file://box/home/a%20b%zz\x07",
            vec![cwd("box", "/home/a b%zz")],
        ),
        ("\x1b]7;file:///tmp\x1b\\", vec![cwd("", "/tmp")]),
        ("\x1b]7;/tmp\x07", vec![]),
        ("\x1b]9;9;\"/srv\"\x07", vec![cwd("", "/srv")]),
        ("\x1b]9;done; really\x07", vec![told("", "done; really")]),
        (
            "\x1b]9;4;1;42\x07",
            vec![Note::Progress(Progress::Running(42))],
        ),
        (
            "\x1b]9;4;1;250\x07\x1b]9;4;3\x07",
            vec![Note::Progress(Progress::Indeterminate)],
        ),
        (
            "\x1b]777;notify;Build;ok;fine\x07",
            vec![told("Build", "ok;fine")],
        ),
        ("\x1b]99;;hello\x1b\\", vec![told("hello", "")]),
        (
            "\x1b]99;i=1:d=0;Ti\x07\x1b]99;i=1:d=0;tle\x07\x1b]99;i=1:p=body:e=1;Ym9keQ==\x07",
            vec![told("Title", "body")],
        ),
        (
            "\x1b]133;A\x07\x1b]133;D;3\x07",
            vec![
                prompt(PromptMark::PromptStart),
                prompt(PromptMark::CommandEnd(Some(3))),
            ],
        ),
        (
            "\x1b]52;c;aGVsbG8=\x07",
            vec![Note::ClipboardWrite {
                primary: false,
                text: "hello".into(),
            }],
        ),
        ("\x1b]52;c;!!!\x07", vec![]),
        ("\x07\x07\x07", vec![Note::Bell]),
        ("\x1b]1337;x\x07\x1b]\x07\x1b];\x07", vec![]),
    ] {
        assert_eq!(notes(stream), expected, "{stream:?}");
    }
}

#[test]
fn notes_nobody_takes_are_bounded() {
    let mut screen = screen(80, 24);
    for number in 0..1000 {
        screen.feed(format!("\x1b]9;message {number}\x07").as_bytes());
    }
    let notes = screen.take_notes();
    assert_eq!(notes.len(), 64);
    assert_eq!(
        notes[63],
        Note::Notification {
            title: String::new(),
            body: "message 999".into()
        }
    );
}

#[test]
fn a_command_that_is_too_long_is_dropped_whole() {
    for terminator in ["\x07", "\x1b\\", "\x18"] {
        let mut screen = screen(80, 24);
        screen.feed(b"\x1b]0;");
        screen.feed("x".repeat(10_000_000).as_bytes());
        screen.feed(terminator.as_bytes());
        screen.feed(b"after");
        assert_eq!(screen.take_notes(), [], "{terminator:?}");
        assert_eq!(
            text(&screen, Source::Visible, None).0,
            "after\n",
            "{terminator:?}"
        );
    }
    let clipboard = |length: usize| notes(&format!("\x1b]52;c;{}\x07", "QUJD".repeat(length / 4)));
    assert_eq!(clipboard(1_000_000).len(), 1);
    assert_eq!(clipboard(2_000_000).len(), 0);
    // Strings that are not kept have no limit.
    let screen = fed(
        80,
        24,
        &format!(
            "\x1b_G{}\x1b\\\x1bP{}\x1b\\ok",
            "A".repeat(300_000),
            "q".repeat(300_000)
        ),
    );
    assert_eq!(text(&screen, Source::Visible, None).0, "ok\n");
}

#[test]
fn a_malformed_sequence_does_not_swallow_the_text_after_it() {
    let stream = "\x1b[1?2xtext é\x1b[31m!\r\n\x1b[<?5zé".as_bytes();
    for cut in 0..stream.len() {
        let mut screen = screen(80, 24);
        screen.feed(&stream[..cut]);
        screen.feed(&stream[cut..]);
        assert_eq!(
            text(&screen, Source::Visible, None).0,
            "text é!\né\n",
            "cut at {cut}"
        );
    }
}

#[test]
fn text_cut_within_characters_is_whole() {
    let stream = "aé日😀\u{301}b\x1b]0;日本\x07é".as_bytes();
    let mut screen = screen(80, 24);
    for byte in stream {
        screen.feed(std::slice::from_ref(byte));
    }
    assert_eq!(text(&screen, Source::Visible, None).0, "aé日😀\u{301}bé\n");
    assert_eq!(screen.take_notes(), [Note::Title("日本".into())]);
}

#[test]
fn modes_47_and_1047_carry_the_cursor_and_1049_does_not() {
    for (mode, cursor) in [(47, (9, 4)), (1047, (9, 4)), (1049, (2, 0))] {
        let mut screen = fed(80, 24, "ab");
        screen.feed(format!("\x1b[?{mode}h\x1b[5;10H\x1b[?{mode}l").as_bytes());
        assert_eq!(screen.cursor(), cursor, "{mode}");
        assert_eq!(text(&screen, Source::Visible, None).0, "ab\n");
    }
}

#[test]
fn of_an_alternate_screen_that_is_down_only_the_saved_cursor_is_kept() {
    let size = |cols, rows| Size { cols, rows };
    let mut screen = Screen::new(size(20, 6), 100);
    let idle = screen.heap_bytes();
    screen.feed(b"\x1b[?1047h\x1b[2Jtext\x1b[6;20H\x1b7");
    assert!(screen.heap_bytes() > idle);
    screen.feed(b"\x1b[?1047l");
    assert_eq!(screen.heap_bytes(), idle);
    screen.resize(size(30, 8));
    screen.resize(size(10, 4));
    screen.feed(b"\x1b[?1047h\x1b8x");
    assert_eq!(text(&screen, Source::Visible, None).0, "\n\n\n         x\n");
    screen.feed(b"\x1bc\x1b[?1047h\x1b8y");
    assert_eq!(text(&screen, Source::Visible, None).0, "y\n");
}

#[test]
fn panes_cost_what_they_hold() {
    let size = Size {
        cols: 120,
        rows: 40,
    };
    let idle = Screen::new(size, DEFAULT_SCROLLBACK_ROWS);
    assert!(idle.heap_bytes() < 130_000, "{}", idle.heap_bytes());
    let mut full = Screen::new(size, DEFAULT_SCROLLBACK_ROWS);
    for number in 0..12_000 {
        full.feed(format!("{number:8} {}\r\n", "text of a row ".repeat(6)).as_bytes());
    }
    assert!(full.scroll_metrics().max_offset_from_bottom >= 9_999);
    assert!(full.heap_bytes() < 3_000_000, "{}", full.heap_bytes());
}

#[test]
fn a_stream_with_a_colour_for_every_word_stays_bounded() {
    let mut screen = Screen::new(
        Size {
            cols: 120,
            rows: 40,
        },
        DEFAULT_SCROLLBACK_ROWS,
    );
    let mut color = 0_u32;
    for _ in 0..12_000 {
        let mut row = String::new();
        for _ in 0..15 {
            color = color.wrapping_add(0x9e37_79b1);
            let [r, g, b, _] = color.to_be_bytes();
            row.push_str(&format!("\x1b[38;2;{r};{g};{b}mword "));
        }
        row.push_str("\r\n");
        screen.feed(row.as_bytes());
    }
    assert!(screen.heap_bytes() < 7_000_000, "{}", screen.heap_bytes());
}

#[test]
fn a_failing_engine_costs_the_picture_and_nothing_else() {
    let mut screen = fed(40, 10, &numbered_lines(500));
    screen.feed(b"\x1b]0;title\x07\x1b[?2004h\x1b[5n");
    let packed = screen.engine.cold.rows();
    assert!(packed > 0);
    screen.guarded(|_| panic!("the engine fails on purpose"));
    let notes = screen.take_notes();
    assert_eq!(notes, [Note::TitleCleared, Note::EngineReset]);
    assert_eq!(screen.take_replies(), b"\x1b[0n");
    assert!(!screen.modes().bracketed_paste);
    assert_eq!(text(&screen, Source::Visible, None).0, "");
    assert_eq!(screen.engine.cold.rows(), packed);
    screen.feed(b"on it goes");
    assert!(
        text(&screen, Source::Recent, 1000)
            .0
            .starts_with("line 0\n")
    );
    assert!(
        text(&screen, Source::Recent, 1000)
            .0
            .ends_with("\non it goes\n")
    );
}
