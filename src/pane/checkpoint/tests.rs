//! A restored screen goes on as the one it was taken from, and no bytes break the reader.

use proptest::prelude::*;

use super::*;
use crate::pane::screen::proof::{Random, assert_same_rows, configuration, size, sized_pieces};
use crate::pane::{Format, ReadRequest, Source};

const ALL: usize = usize::MAX / 2;

fn restored(screen: &mut Screen) -> Screen {
    Screen::from_checkpoint(&screen.checkpoint(ALL)).unwrap()
}

fn assert_same(one: &mut Screen, other: &mut Screen) -> Result<(), TestCaseError> {
    prop_assert_eq!(one.size(), other.size());
    prop_assert_eq!(one.modes(), other.modes());
    prop_assert_eq!(one.engine.term.mode(), other.engine.term.mode());
    prop_assert_eq!(one.title(), other.title());
    prop_assert_eq!(one.said(), other.said());
    prop_assert_eq!(one.scroll_metrics(), other.scroll_metrics());
    prop_assert_eq!(one.revision(), other.revision());
    prop_assert_eq!(one.engine.hot_history(), other.engine.hot_history());
    let (ours, theirs) = (one.engine.term.grid(), other.engine.term.grid());
    assert_same_rows(ours, theirs, -(one.engine.hot_history() as i32))?;
    for (ours, theirs) in [
        (&ours.cursor, &theirs.cursor),
        (&ours.saved_cursor, &theirs.saved_cursor),
    ] {
        prop_assert_eq!(ours.point, theirs.point);
        prop_assert_eq!(ours.input_needs_wrap, theirs.input_needs_wrap);
        prop_assert_eq!(ours.charsets, theirs.charsets);
        prop_assert_eq!(&ours.template.fg, &theirs.template.fg);
        prop_assert_eq!(&ours.template.bg, &theirs.template.bg);
        prop_assert_eq!(ours.template.flags, theirs.template.flags);
    }
    for source in [
        Source::Visible,
        Source::Recent,
        Source::RecentUnwrapped,
        Source::Detection,
    ] {
        for format in [Format::Text, Format::Ansi] {
            let request = ReadRequest {
                source,
                lines: Some(1000),
                format,
            };
            prop_assert_eq!(one.read(&request), other.read(&request));
            prop_assert_eq!(one.read_primary(&request), other.read_primary(&request));
        }
    }
    prop_assert_eq!(one.take_replies(), other.take_replies());
    prop_assert_eq!(one.take_notes(), other.take_notes());
    Ok(())
}

/// Takes what is waiting, as the thread of a pane does after every feed.
fn feed(screen: &mut Screen, bytes: &[u8]) {
    screen.feed(bytes);
    screen.take_replies();
    screen.take_notes();
}

/// Asks about much of what cannot be seen.
const QUESTIONS: &[u8] =
    b"\x1b[6n\x1b[?6n\x1bP$qm\x1b\\\x1bP$qr\x1b\\\x1bP$q q\x1b\\\x1b[?u\x1b]4;1;?\x07\
    \x1b]11;?\x07\x1b[?2026$p\x1b[23t\x1b[18t\x1b[2b\x1b[I\x1b[I*\x1b[2Z*";

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn a_restored_screen_goes_on_as_the_old_one(
        (size, pieces) in sized_pieces(200),
        at in any::<prop::sample::Index>(),
        scrolled in 0_u64..40,
    ) {
        let stream = pieces.concat().into_bytes();
        let (before, after) = stream.split_at(at.index(stream.len() + 1));
        let mut one = Screen::new(size, 1_000_000);
        feed(&mut one, before);
        one.scroll_to(scrolled);
        let mut other = restored(&mut one);
        assert_same(&mut one, &mut other)?;
        one.feed(after);
        other.feed(after);
        assert_same(&mut one, &mut other)?;
        one.feed(QUESTIONS);
        other.feed(QUESTIONS);
        assert_same(&mut one, &mut other)?;
    }

    #[test]
    fn a_restored_screen_takes_other_sizes_as_the_old_one(
        (first, before) in sized_pieces(120),
        after in sized_pieces(60),
        sizes in proptest::collection::vec(size(), 1..4),
    ) {
        let mut one = Screen::new(first, 1_000_000);
        feed(&mut one, before.concat().as_bytes());
        for size in sizes {
            one.resize(size);
            let mut other = restored(&mut one);
            assert_same(&mut one, &mut other)?;
            one = other;
        }
        let mut other = restored(&mut one);
        for screen in [&mut one, &mut other] {
            screen.resize(after.0);
            screen.feed(after.1.concat().as_bytes());
            screen.feed(QUESTIONS);
        }
        assert_same(&mut one, &mut other)?;
    }

    #[test]
    fn a_checkpoint_of_a_restored_screen_is_the_same_checkpoint((size, pieces) in sized_pieces(200)) {
        let mut screen = Screen::new(size, 1_000_000);
        screen.feed(pieces.concat().as_bytes());
        let checkpoint = screen.checkpoint(ALL);
        prop_assert!(restored(&mut screen).checkpoint(ALL) == checkpoint);
    }
}

/// Hostile streams, cut at every place that a checkpoint may be taken: anywhere.
#[test]
fn a_checkpoint_within_any_sequence_is_as_good_as_one_between() {
    let mut random = Random(0x0dd5_eed5_0dd5_eed5);
    for round in 0..120 {
        let size = Size {
            cols: [2, 3, 20, 80][random.next(4) as usize],
            rows: [1, 2, 5, 24][random.next(4) as usize],
        };
        let scrollback = [0, 10, 500, 10_000][random.next(4) as usize];
        let mut one = Screen::new(size, scrollback);
        let mut stream = Vec::new();
        for _ in 0..random.next(120) {
            random.bytes(&mut stream);
        }
        let cut = random.next(stream.len() as u64 + 1) as usize;
        feed(&mut one, &stream[..cut]);
        let mut other = restored(&mut one);
        for screen in [&mut one, &mut other] {
            screen.feed(&stream[cut..]);
            screen.feed(QUESTIONS);
        }
        if let Err(error) = assert_same(&mut one, &mut other) {
            panic!("round {round}: {error}: cut at {cut} of {stream:?}");
        }
    }
}

#[test]
fn a_checkpoint_of_the_version_before_says_what_the_title_says() {
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 100);
    feed(&mut screen, b"\x1b]2;Roof\x07text");
    let mut old = screen.checkpoint(ALL);
    let said = b"\x01\x04Roof\x00";
    let at = old.windows(said.len()).rposition(|bytes| bytes == said);
    let at = at.unwrap();
    old.drain(at..at + said.len());
    old[MAGIC.len()] = OLDEST_VERSION as u8;
    let mut restored = Screen::from_checkpoint(&old).unwrap();
    assert_same(&mut screen, &mut restored).unwrap();
    old[MAGIC.len()] = OLDEST_VERSION as u8 - 1;
    let other = Screen::from_checkpoint(&old).err();
    assert_eq!(other, Some(CheckpointError::Other(OLDEST_VERSION - 1)));
}

#[test]
fn a_checkpoint_in_the_midst_of_a_long_command_or_string_keeps_the_place() {
    let title = format!("\x1b]2;{}\x07", "t".repeat(200));
    let clipboard = format!("\x1b]52;c;{}\x07", "QUJD".repeat(20_000));
    let image = format!("\x1bPq{}\x1b\\", "#0!9~".repeat(4_000));
    let question = "\x1bP$qm\x1b\\".to_owned();
    for (sequence, step) in [
        (title, 1),
        (clipboard, 7_001),
        (image, 997),
        (question, 1),
        ("\x1b[38;2;1;2;3m".to_owned(), 1),
        ("\x1b]99;i=1:d=0;Hel\x07\x1b]99;i=1;lo\x07".to_owned(), 1),
        ("日本\u{301}".to_owned(), 1),
        (format!("\x1b]2;{}\x07after", "x".repeat(100_000)), 30_011),
    ] {
        for cut in (0..=sequence.len()).step_by(step) {
            let (before, after) = sequence.as_bytes().split_at(cut);
            let mut one = Screen::new(Size { cols: 80, rows: 24 }, 100);
            feed(&mut one, before);
            let mut other = restored(&mut one);
            for screen in [&mut one, &mut other] {
                screen.feed(after);
                screen.feed(b"x");
            }
            if let Err(error) = assert_same(&mut one, &mut other) {
                panic!(
                    "{:?} cut at {cut}: {error}",
                    &sequence[..sequence.len().min(40)]
                );
            }
        }
    }
}

#[test]
fn a_control_character_within_a_sequence_is_not_run_again() {
    let mut one = Screen::new(Size { cols: 80, rows: 24 }, 100);
    feed(&mut one, b"a\x1b[1\n\n;");
    let mut other = restored(&mut one);
    for screen in [&mut one, &mut other] {
        screen.feed(b"31mb");
    }
    assert_same(&mut one, &mut other).unwrap();
    assert_eq!(other.cursor(), (2, 2));
}

fn numbered_lines(count: usize) -> String {
    (0..count).map(|line| format!("line {line}\r\n")).collect()
}

#[test]
fn scrollback_beyond_the_bound_is_left_behind_from_the_oldest_line_on() {
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 10_000);
    screen.feed(numbered_lines(8_000).as_bytes());
    let whole = screen.checkpoint(ALL);
    let bounded = screen.checkpoint(20_000);
    assert!(bounded.len() < 26_000, "{}", bounded.len());
    assert!(whole.len() > 90_000, "{}", whole.len());
    let kept = Screen::from_checkpoint(&bounded).unwrap();
    let history = kept.scroll_metrics().max_offset_from_bottom;
    assert!((1_000..2_500).contains(&history), "{history}");
    let first = 8_001 - 24 - history;
    let mut kept = kept;
    kept.scroll_to(history);
    let top = kept.read(&ReadRequest {
        source: Source::Visible,
        lines: None,
        format: Format::Text,
    });
    assert!(
        top.text.starts_with(&format!("line {first}\n")),
        "{}",
        top.text
    );
}

#[test]
fn bounded_scrollback_begins_with_a_whole_line() {
    let mut screen = Screen::new(Size { cols: 20, rows: 5 }, 10_000);
    for line in 0..400 {
        screen.feed(format!("begin {line} {}end\r\n", "and so on ".repeat(9)).as_bytes());
    }
    for bound in 3_000..3_200 {
        let mut kept = Screen::from_checkpoint(&screen.checkpoint(bound)).unwrap();
        kept.scroll_to(u64::MAX);
        let top = kept.read(&ReadRequest {
            source: Source::Visible,
            lines: None,
            format: Format::Text,
        });
        assert!(top.text.starts_with("begin "), "{bound}: {}", top.text);
    }
}

/// A screen with a bit of everything.
fn varied() -> Screen {
    let mut screen = Screen::new(Size { cols: 40, rows: 6 }, 10_000);
    screen.feed(numbered_lines(600).as_bytes());
    screen.feed(
        "\x1b]2;title\x07\x1b[22t\x1b]2;other\x07\x1b[>5u\x1b]8;id=1;http://x\x07link\x1b]8;;\x07\
        \x1b[1;31;48;2;1;2;3mred 日本 e\u{301}\x1b[58:5:3;4:3mwavy\x1b[m----------\x1b[3;5r\
        \x1b]4;1;#123456\x07\x1b[4 q\x1b(0qqq\x1b7\x1b[?1049h\x1b[?1002;1006;2004hover\x1b[31"
            .as_bytes(),
    );
    screen
}

#[test]
fn damaged_bytes_are_an_error_or_another_screen_and_never_a_panic() {
    let mut screen = varied();
    let checkpoint = screen.checkpoint(2_000);
    for length in 0..checkpoint.len() {
        assert!(Screen::from_checkpoint(&checkpoint[..length]).is_err());
    }
    let mut errors = 0;
    for place in 0..checkpoint.len() {
        for change in [0x01, 0xff] {
            let mut damaged = checkpoint.clone();
            damaged[place] ^= change;
            match Screen::from_checkpoint(&damaged) {
                Err(_) => errors += 1,
                Ok(mut screen) => {
                    screen.feed(b"mtext\x1b[?1049l\r\n\n\n\ttext\x1b[2J\x1b[Z");
                    screen.resize(Size { cols: 13, rows: 3 });
                    screen.checkpoint(ALL);
                }
            }
        }
    }
    assert!(errors > checkpoint.len() / 4, "{errors}");
}

#[test]
fn noise_is_an_error() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..1_000 {
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION as u8);
        bytes.extend((0..random.next(300)).map(|_| random.next(256) as u8));
        let _ = Screen::from_checkpoint(&bytes);
    }
    assert_eq!(
        Screen::from_checkpoint(b"something else").err(),
        Some(CheckpointError::Unknown)
    );
}

#[test]
fn a_checkpoint_of_another_version_says_so() {
    let mut checkpoint = varied().checkpoint(0);
    checkpoint[MAGIC.len()] = 9;
    let error = Screen::from_checkpoint(&checkpoint).err().unwrap();
    assert_eq!(error, CheckpointError::Other(9));
    assert!(error.to_string().contains("version 9"), "{error}");
}

#[test]
fn a_screen_too_large_for_a_checkpoint_loses_rows_rather_than_the_checkpoint() {
    let mut screen = Screen::new(
        Size {
            cols: 1024,
            rows: 1024,
        },
        10_000,
    );
    let mut stream = Vec::new();
    for cell in 0..1024 * 1024_u32 {
        let [r, g, b, _] = cell.wrapping_mul(0x9e37_79b1).to_le_bytes();
        stream.extend_from_slice(format!("\x1b[38;2;{r};{g};{b}mx").as_bytes());
    }
    screen.feed(&stream);
    let checkpoint = screen.checkpoint(ALL);
    assert!(checkpoint.len() <= CHECKPOINT_MAX, "{}", checkpoint.len());
    let restored = Screen::from_checkpoint(&checkpoint).unwrap();
    assert_eq!(restored.cursor(), screen.cursor());
    let row = |screen: &Screen| screen.engine.term.grid()[Line(0)][Column(1023)].clone();
    assert_eq!(row(&restored), row(&screen));
}
