//! How fast a screen takes in what programs write, and what a full pane costs in memory.
//!
//! Run with `cargo bench --bench screen`. Feeds are 4 KiB, which is what a PTY master hands out on
//! Linux. Figures are megabytes of stream a second of processor time, the best of several passes,
//! also as a multiple of what the engine does with its own processor; compare them within one run.
//! The last is what a pane does that floods while nobody looks at it.

use std::fmt::Write;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::term::Config;
use alacritty_terminal::term::test::TermSize;
use alacritty_terminal::vte::ansi::Processor;
use drover::pane::{DEFAULT_SCROLLBACK_ROWS, Format, ReadRequest, Screen, Size, Source};

const SIZE: Size = Size {
    cols: 120,
    rows: 40,
};
const STREAM: usize = 32 * 1024 * 1024;
const FEED: usize = 4096;
const PASSES: usize = 4;

/// A small generator, so that runs are alike.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

const WORDS: [&str; 16] = [
    "the",
    "pane",
    "reads",
    "terminal",
    "of",
    "an",
    "agent",
    "working",
    "in",
    "compile",
    "error:",
    "src/main.rs:42",
    "warning",
    "test",
    "passed",
    "->",
];

fn plain(out: &mut String, random: &mut Random) {
    let start = out.len();
    while out.len() - start < 60 + random.next(50) {
        out.push_str(WORDS[random.next(WORDS.len())]);
        out.push(' ');
    }
    out.push_str("\r\n");
}

fn colours(out: &mut String, random: &mut Random) {
    for _ in 0..12 {
        let _ = match random.next(4) {
            0 => write!(out, "\x1b[{}m", 30 + random.next(8)),
            1 => write!(out, "\x1b[1;38;5;{}m", random.next(256)),
            2 => write!(
                out,
                "\x1b[38;2;{};{};{}m",
                random.next(256),
                random.next(256),
                random.next(256)
            ),
            _ => write!(out, "\x1b[0m"),
        };
        out.push_str(WORDS[random.next(WORDS.len())]);
        out.push(' ');
    }
    out.push_str("\r\n");
}

fn unicode(out: &mut String, random: &mut Random) {
    const PIECES: [&str; 10] = [
        "日本語",
        "端末",
        "émigré",
        "Ωμέγα",
        "😀",
        "👍🏽",
        "e\u{301}",
        "─│┌┐",
        "한국어",
        " plain ",
    ];
    for _ in 0..14 {
        out.push_str(PIECES[random.next(PIECES.len())]);
    }
    out.push_str("\r\n");
}

fn full_screen(out: &mut String, random: &mut Random) {
    if out.is_empty() {
        out.push_str("\x1b[?1049h");
    }
    let row = 1 + random.next(40);
    let _ = match random.next(6) {
        0 => write!(out, "\x1b[5;35r\x1b[{row}H\x1b[L\x1b[r"),
        1 => write!(out, "\x1b[{row}H\x1b[3P\x1b[2@"),
        2 => write!(out, "\x1b[5;35r\x1b[35H\n\x1b[r"),
        _ => write!(out, "\x1b[{row};{}H\x1b[7m", 1 + random.next(60)),
    };
    for _ in 0..6 {
        out.push_str(WORDS[random.next(WORDS.len())]);
        out.push(' ');
    }
    out.push_str("\x1b[m\x1b[K");
}

fn inline(out: &mut String, random: &mut Random) {
    out.push_str("\x1b[?2026h\x1b[12A\x1b[J");
    for _ in 0..12 {
        let _ = write!(out, "\x1b[2m│\x1b[22m ");
        for _ in 0..10 {
            out.push_str(WORDS[random.next(WORDS.len())]);
            out.push(' ');
        }
        out.push_str("\r\n");
    }
    out.push_str("\x1b[?2026l");
}

/// Appends a line or a frame of a workload.
type Generator = fn(&mut String, &mut Random);

fn stream(line: Generator) -> String {
    let mut out = String::with_capacity(STREAM + 4096);
    let mut random = Random(42);
    while out.len() < STREAM {
        line(&mut out, &mut random);
    }
    out
}

fn resident_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap_or("0");
    line.split_whitespace()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

/// Time this thread has had a processor, so that other work on the machine counts little.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat
        .split_whitespace()
        .next()
        .and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map_or_else(wall_seconds, |nanoseconds| nanoseconds / 1e9)
}

/// Where there is no such file.
fn wall_seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Time the engine takes with its own processor and all history in its grid: the same machine at
/// the same moment, to compare with.
fn stock_seconds(stream: &str) -> f64 {
    let config = Config {
        scrolling_history: DEFAULT_SCROLLBACK_ROWS,
        ..Config::default()
    };
    let size = TermSize::new(SIZE.cols.into(), SIZE.rows.into());
    let mut term = Term::new(config, &size, VoidListener);
    let mut processor: Processor = Processor::new();
    // Rows are made before the clock starts, as they are in a pane that has been in use.
    let start_up = "\r\n".repeat(DEFAULT_SCROLLBACK_ROWS + 100);
    processor.advance(&mut term, start_up.as_bytes());
    let start = processor_seconds();
    for feed in stream.as_bytes().chunks(FEED) {
        processor.advance(&mut term, feed);
    }
    black_box(&term);
    processor_seconds() - start
}

fn main() {
    let only = std::env::args()
        .nth(1)
        .filter(|argument| !argument.starts_with('-'));
    let workloads: [(&str, Generator); 5] = [
        ("plain", plain),
        ("sgr", colours),
        ("unicode", unicode),
        ("full screen", full_screen),
        ("inline", inline),
    ];
    let before = resident_kib();
    let idle: Vec<Screen> = (0..20)
        .map(|_| Screen::new(SIZE, DEFAULT_SCROLLBACK_ROWS))
        .collect();
    println!(
        "idle pane: {} KiB resident",
        (resident_kib() - before) / idle.len()
    );
    drop(idle);
    for (name, line) in workloads {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let stream = stream(line);
        let before = resident_kib();
        let (mut best, mut flood, mut stock) = (f64::MAX, f64::MAX, f64::MAX);
        let mut screen = Screen::new(SIZE, DEFAULT_SCROLLBACK_ROWS);
        for _ in 0..PASSES {
            let start = processor_seconds();
            for feed in stream.as_bytes().chunks(FEED) {
                screen.feed(feed);
            }
            best = best.min(processor_seconds() - start);
            black_box(screen.take_notes());
        }
        for _ in 0..PASSES {
            let start = processor_seconds();
            for feed in stream.as_bytes().chunks(FEED) {
                screen.receive(feed);
            }
            screen.catch_up();
            flood = flood.min(processor_seconds() - start);
            black_box(screen.take_notes());
        }
        let [rate, flood] = [best, flood].map(|seconds| stream.len() as f64 / 1e6 / seconds);
        let grown = resident_kib().saturating_sub(before);
        let heap = screen.heap_bytes() / 1024;
        for _ in 0..PASSES {
            stock = stock.min(stock_seconds(&stream));
        }
        let times = stock / best;
        println!(
            "{name:12} {rate:6.0} MB/s, {times:.2} times stock, {flood:.0} MB/s if nobody looks; full pane: {grown} KiB resident, {heap} KiB counted"
        );
        for (what, source, lines, format) in [
            ("visible text", Source::Visible, None, Format::Text),
            ("visible ansi", Source::Visible, None, Format::Ansi),
            (
                "1000 unwrapped",
                Source::RecentUnwrapped,
                Some(1000),
                Format::Text,
            ),
            ("1000 ansi", Source::Recent, Some(1000), Format::Ansi),
        ] {
            let request = ReadRequest {
                source,
                lines,
                format,
            };
            let start = Instant::now();
            for _ in 0..100 {
                black_box(screen.read(&request));
            }
            let micros = start.elapsed().as_secs_f64() * 1e4;
            println!("             {what:15} {micros:7.1} us");
        }
    }
}
