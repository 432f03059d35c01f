//! Whatever instant the process that fills an area ends at, the area has its screen.

use std::io::Write;
use std::os::fd::AsFd;

use nix::sys::stat::fstat;
use proptest::prelude::*;

use super::layout::{REBUILDS, ring_place, slot_start};
use super::*;
use crate::pane::screen::proof::{Random, configuration, sized_pieces};
use crate::pane::{Format, Note, ReadRequest, Size, Source};

const SIZE: Size = Size { cols: 80, rows: 24 };

/// A pane as its thread sees it, with a pipe for a terminal.
struct Worker {
    screen: Screen,
    area: Area,
    reader: io::PipeReader,
    writer: io::PipeWriter,
    buffer: Vec<u8>,
}

impl Worker {
    fn new(size: Size) -> Worker {
        let mut screen = Screen::new(size, 10_000);
        let area = Area::create(&mut screen).unwrap();
        let (reader, writer) = io::pipe().unwrap();
        Worker {
            screen,
            area,
            reader,
            writer,
            buffer: vec![0; 64 * 1024],
        }
    }

    /// Output that is read but not parsed. At most 4 KiB, which a pipe holds.
    fn read(&mut self, output: &[u8]) -> usize {
        if output.is_empty() {
            return 0;
        }
        self.writer.write_all(output).unwrap();
        let mut total = 0;
        while total < output.len() {
            let count = self
                .area
                .read(self.reader.as_fd(), &mut self.buffer[total..])
                .unwrap();
            total += count;
        }
        total
    }

    fn output(&mut self, output: &[u8]) {
        for piece in output.chunks(4096) {
            let count = self.read(piece);
            self.screen.feed(&self.buffer[..count]);
            self.area.fed(&mut self.screen);
            self.screen.take_replies();
            self.screen.take_notes();
            self.area.answered();
            if self.screen.take_changed_otherwise() {
                self.area.changed(&mut self.screen);
            }
        }
    }

    /// What another process makes of the area.
    fn rebuilt(&self) -> Rebuilt {
        self.opened().rebuild().unwrap()
    }

    fn opened(&self) -> Area {
        Area::open(self.area.descriptor().try_clone_to_owned().unwrap()).unwrap()
    }
}

fn text(screen: &Screen) -> String {
    screen
        .read(&ReadRequest {
            source: Source::Recent,
            lines: Some(1000),
            format: Format::Ansi,
        })
        .text
}

/// Pages of the area that take room.
fn pages(area: &Area) -> i64 {
    fstat(area.descriptor()).unwrap().st_blocks * 512 / 4096
}

fn lines(count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|line| format!("line {line} of many\r\n").into_bytes())
        .collect()
}

/// The same picture and the same future.
fn assert_same(one: &mut Screen, other: &mut Screen) {
    assert_eq!(text(one), text(other));
    assert_eq!(one.size(), other.size());
    assert_eq!(one.modes(), other.modes());
    assert_eq!(one.title(), other.title());
    assert!(one.checkpoint(0)[..] == other.checkpoint(0)[..]);
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn output_resizes_and_clears_are_all_in_the_area(
        (size, mut pieces) in sized_pieces(60),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0_u16..5), 0..6),
    ) {
        // The engine gives every link a name of its own, and so another one the second time.
        pieces.retain(|piece| !piece.contains("8;;http"));
        let mut worker = Worker::new(size);
        for (number, piece) in pieces.iter().enumerate() {
            worker.output(piece.as_bytes());
            for (_, change) in changes.iter().filter(|(at, _)| at.index(pieces.len()) == number) {
                match change {
                    0 => worker.screen.resize(Size { cols: size.cols + 7, rows: size.rows + 2 }),
                    1 => worker.screen.resize(size),
                    2 => worker.screen.scroll_to(3),
                    3 => worker.screen.forget_said(),
                    _ => drop(worker.screen.clear()),
                }
                if worker.screen.take_changed_otherwise() {
                    worker.area.changed(&mut worker.screen);
                }
            }
        }
        let mut rebuilt = worker.rebuilt();
        prop_assert!(!rebuilt.isolated);
        prop_assert_eq!(rebuilt.screen.revision(), worker.screen.revision());
        rebuilt.screen.take_notes();
        assert_same(&mut worker.screen, &mut rebuilt.screen);
    }
}

#[test]
fn output_beyond_the_ring_leaves_checkpoint_and_ring_that_meet() {
    let mut worker = Worker::new(SIZE);
    let mut random = Random(0x0a0b_0c0d_0e0f_0102);
    for round in 0..40 {
        worker.output(&lines(5_000 + random.next(500) as usize));
        let mut rebuilt = worker.rebuilt();
        assert_same(&mut worker.screen, &mut rebuilt.screen);
        let kept = rebuilt.screen.scroll_metrics().max_offset_from_bottom;
        let had = worker.screen.scroll_metrics().max_offset_from_bottom;
        assert!(kept >= had.min(4_000), "round {round}: {kept} of {had}");
        // Two processes took turns; the first goes on with its own idea of the slots.
        worker.area = worker.opened();
        worker.area.rebuild().unwrap();
    }
}

#[test]
fn what_was_read_but_not_parsed_is_parsed_by_the_next_process() {
    let mut worker = Worker::new(SIZE);
    worker.output(b"parsed\r\n");
    let revision = worker.screen.revision();
    worker.read(b"\x1b]2;title\x07\x1b[6nunparsed");
    let mut rebuilt = worker.rebuilt();
    assert!(text(&rebuilt.screen).ends_with("unparsed"));
    assert_eq!(rebuilt.screen.take_replies(), b"\x1b[2;1R");
    assert_eq!(
        rebuilt.screen.take_notes(),
        [Note::Title("title".to_owned())]
    );
    assert!(rebuilt.screen.revision() > revision);
}

#[test]
fn what_the_kernel_had_taken_before_the_process_could_count_it_is_found() {
    for before in [0, 10, 4096, RING as usize - 3, 3 * RING as usize + 100] {
        let mut worker = Worker::new(SIZE);
        worker.output(&vec![b'.'; before]);
        worker.output(b"\r\n");
        // As `read` does it, up to the kernel's part.
        let written = worker.area.word(WRITTEN);
        let (offset, room) = ring_place(written);
        worker.area.zero_ahead(written, room.min(64 * 1024));
        worker.writer.write_all(b"in flight").unwrap();
        let taken = worker
            .area
            .memory
            .read_from(worker.reader.as_fd(), offset, room.min(64 * 1024))
            .unwrap();
        let rebuilt = worker.rebuilt();
        let expected = &"in flight"[..taken];
        assert!(
            text(&rebuilt.screen).ends_with(expected),
            "{before}: {}",
            text(&rebuilt.screen)
        );
    }
}

#[test]
fn old_output_in_the_ring_is_not_taken_for_new() {
    let mut worker = Worker::new(SIZE);
    worker.output(&lines(100_000));
    let before = text(&worker.screen);
    // Killed while it made room.
    worker
        .area
        .memory
        .zero(ring_place(worker.area.word(ZEROED)).0, 1);
    assert_eq!(text(&worker.rebuilt().screen), before);
}

#[test]
fn a_checkpoint_that_was_being_written_is_passed_over_for_the_other() {
    let mut worker = Worker::new(SIZE);
    worker.output(b"before");
    worker.area.changed(&mut worker.screen);
    worker.output(b" after");
    let older = 1 - lock(&worker.area.slots).newest;
    for sequence in [0, 99] {
        worker.area.set(Slot::SEQUENCE.of(older), sequence);
        worker.area.set(Slot::LENGTH.of(older), 500);
        worker.area.memory.copy_in(slot_start(older), &[7; 300]);
        assert!(text(&worker.rebuilt().screen).ends_with("before after"));
        worker.area = worker.opened();
        worker.area.rebuild().unwrap();
    }
}

#[test]
fn answers_given_in_another_life_are_not_given_again() {
    let mut worker = Worker::new(SIZE);
    worker.output(b"\x1b[6n\x1b[5n");
    let mut rebuilt = worker.rebuilt();
    assert_eq!(rebuilt.screen.take_replies(), b"");
    assert_eq!(rebuilt.screen.take_notes(), []);
}

#[test]
fn output_that_no_process_survives_is_dropped_and_said() {
    let mut worker = Worker::new(SIZE);
    worker.output(b"good\r\n");
    worker.area.changed(&mut worker.screen);
    worker.read(b"deadly");
    let position = lock(&worker.area.slots).position;
    let area = worker.opened();
    // Two processes began and died.
    area.set(super::layout::REBUILD_POSITION, position);
    area.set(REBUILDS, 2);
    let rebuilt = area.rebuild().unwrap();
    assert!(rebuilt.isolated);
    let shown = text(&rebuilt.screen);
    assert!(
        shown.contains("good") && !shown.contains("deadly"),
        "{shown}"
    );
    assert!(shown.contains("dropped"), "{shown}");
    // The next goes on from there.
    let again = worker.opened().rebuild().unwrap();
    assert!(!again.isolated);
    assert_eq!(text(&again.screen), shown);
}

#[test]
fn a_checkpoint_that_no_process_survives_is_dropped_too() {
    let mut worker = Worker::new(SIZE);
    worker.output(b"bad");
    let position = lock(&worker.area.slots).position;
    let area = worker.opened();
    area.set(super::layout::REBUILD_POSITION, position);
    area.set(REBUILDS, 3);
    let rebuilt = area.rebuild().unwrap();
    assert!(rebuilt.isolated);
    assert!(!text(&rebuilt.screen).contains("bad"));
    assert_eq!(rebuilt.screen.size(), SIZE);
}

#[test]
fn a_pane_at_rest_takes_a_few_pages() {
    let mut worker = Worker::new(SIZE);
    worker.output(b"$ ");
    let idle = pages(&worker.area);
    assert!(idle <= 4, "{idle} pages");
    worker.output(&lines(200_000));
    let flooded = pages(&worker.area);
    assert!(flooded > 256, "{flooded} pages");
    assert!(worker.area.should_rest());
    worker.area.rest(&mut worker.screen);
    assert!(!worker.area.should_rest());
    // Not every system takes memory back.
    if SharedMemory::create(LENGTH).unwrap().give_back(0, SLOT) {
        let rested = pages(&worker.area);
        assert!(rested <= 140, "{rested} pages");
    }
    let mut rebuilt = worker.rebuilt();
    assert_same(&mut worker.screen, &mut rebuilt.screen);
    worker.area = worker.opened();
    worker.area.rebuild().unwrap();
    worker.output(b"more\r\n");
    let mut rebuilt = worker.rebuilt();
    assert_same(&mut worker.screen, &mut rebuilt.screen);
}

#[test]
fn only_the_area_of_a_pane_is_opened() {
    let other = SharedMemory::create(LENGTH).unwrap();
    let descriptor = other.descriptor().try_clone_to_owned().unwrap();
    assert!(matches!(Area::open(descriptor), Err(AreaError::Unknown)));
    let worker = Worker::new(SIZE);
    worker.area.set(VERSION_WORD, 77);
    let descriptor = worker.area.descriptor().try_clone_to_owned().unwrap();
    let error = Area::open(descriptor).unwrap_err();
    assert!(error.to_string().contains("layout 77"), "{error}");
}

#[test]
fn noise_in_an_area_is_an_error_and_never_a_panic() {
    let mut random = Random(0x5151_5151_7373_7373);
    for _ in 0..200 {
        let mut worker = Worker::new(SIZE);
        worker.output(&lines(10));
        for _ in 0..4 {
            let word = 16 + 8 * random.next(30) as usize;
            let value = [0, 1, random.next(1 << 21), u64::MAX][random.next(4) as usize];
            worker.area.set(word, value);
        }
        if let Ok(mut rebuilt) = worker.opened().rebuild() {
            rebuilt.screen.feed(b"on it goes");
        }
    }
}
