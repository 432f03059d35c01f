//! The terminal's stream: any bytes in any pieces, with sizes, reads and scrolling in between.

use drover::pane::{Format, Note, ReadRequest, Screen, Size, Source};

use super::entropy::Entropy;
use super::replies;

/// Rows above the screen: few, so that short inputs reach the bound.
const SCROLLBACK: usize = 40;

/// What a screen with that scrollback may take on the heap, in bytes: cells of the largest size below with the longest
/// links in them, and the answers and notes that wait.
const HEAP: usize = 64 * 1024 * 1024;

/// # Panics
/// What is read has control characters in it, something grows without bound, an answer could be typed into a shell.
pub fn run(bytes: &[u8]) {
    let mut entropy = Entropy::new(bytes);
    let size = |entropy: &mut Entropy<'_>| Size {
        cols: entropy.byte().into(),
        rows: u16::from(entropy.byte()) / 4,
    };
    let mut screen = Screen::new(Size { cols: 20, rows: 5 }, SCROLLBACK);
    while !entropy.is_empty() {
        match entropy.byte() {
            0 => screen.resize(size(&mut entropy)),
            1 => look(&mut screen, &mut entropy),
            2 => screen.scroll_to(u64::from(entropy.byte())),
            3 => {
                screen.clear();
            }
            4 => post(&mut screen),
            // Most bytes are output: a piece ends where its length says, in the middle of anything.
            first => {
                let piece = entropy.take(usize::from(first));
                screen.feed(piece);
            }
        }
    }
    post(&mut screen);
    look(&mut screen, &mut Entropy::new(&[]));
    assert!(screen.heap_bytes() < HEAP, "{} bytes", screen.heap_bytes());
}

fn post(screen: &mut Screen) {
    let answers = screen.take_replies();
    assert!(answers.len() <= 64 * 1024);
    replies::check(&answers);
    let notes = screen.take_notes();
    assert!(notes.len() <= 64);
    let printable = |text: &str, most: usize| {
        assert!(
            text.chars().count() <= most && !text.chars().any(char::is_control),
            "{text:?}"
        );
    };
    for note in &notes {
        match note {
            Note::Title(title) => {
                assert!(!title.is_empty());
                printable(title, 256);
            }
            Note::Notification { title, body } => {
                printable(title, 4096);
                printable(body, 4096);
            }
            Note::Cwd { host, path } => {
                printable(host, usize::MAX);
                assert!(path.is_absolute(), "{path:?}");
            }
            Note::ClipboardWrite { text, .. } => assert!(text.len() <= 768 * 1024),
            _ => {}
        }
    }
    if let Some(title) = screen.title() {
        printable(title, 256);
    }
}

fn look(screen: &mut Screen, entropy: &mut Entropy<'_>) {
    let request = ReadRequest {
        source: *entropy.pick(&[
            Source::Recent,
            Source::Visible,
            Source::RecentUnwrapped,
            Source::Detection,
        ]),
        lines: entropy.once_in(2).then(|| entropy.byte().into()),
        format: *entropy.pick(&[Format::Text, Format::Ansi]),
    };
    let read = if entropy.once_in(4) {
        screen.read_primary(&request)
    } else {
        screen.read(&request)
    };
    let plain = request.format == Format::Text || request.source == Source::Detection;
    for character in read.text.chars().filter(|character| character.is_control()) {
        let allowed = character == '\n' || (!plain && matches!(character, '\x1b' | '\r'));
        assert!(allowed, "{character:?} in {:?}", read.text);
    }
    if !plain {
        colours_only(&read.text);
    }
    let metrics = screen.scroll_metrics();
    assert!(metrics.offset_from_bottom <= metrics.max_offset_from_bottom);
    assert!(metrics.max_offset_from_bottom <= SCROLLBACK as u64 + 2048);
    let Size { cols, rows } = screen.size();
    let (column, row) = screen.cursor();
    assert!(column < cols && row < rows, "the cursor is off the screen");
    let _ = screen.modes();
}

/// Whether every escape sequence of a text sets colours or names a link, and nothing else.
fn colours_only(text: &str) {
    let mut rest = text;
    while let Some((_, sequence)) = rest.split_once('\x1b') {
        let kind = sequence.as_bytes().first();
        match kind {
            Some(b'[') => {
                let end = sequence[1..]
                    .find(|c: char| ('@'..='~').contains(&c))
                    .map(|at| at + 1);
                let end = end.unwrap_or_else(|| panic!("an endless sequence in {text:?}"));
                assert_eq!(sequence.as_bytes()[end], b'm', "{text:?}");
                rest = &sequence[end + 1..];
            }
            other => panic!("ESC {other:?} in {text:?}"),
        }
    }
}
