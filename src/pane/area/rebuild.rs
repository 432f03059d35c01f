//! The screen of a pane out of its area: the newest checkpoint that is whole, and the output behind
//! it parsed again.
//!
//! Output on which a process dies would kill the next one in the same way. So each rebuild is
//! counted before it begins, and when two from the same checkpoint have not come to their end, the
//! third goes without the output, and the fourth without the checkpoint.

use std::io;

use super::layout::{
    ANSWERED, COLUMNS, PARSED, REBUILD_POSITION, REBUILDS, REVISION, RING, ROWS, SLOT, SLOTS, Slot,
    WRITTEN, ZEROED, checksum, ring_place, slot_start,
};
use super::{Area, REST_SCROLLBACK};
use crate::pane::checkpoint::CheckpointError;
use crate::pane::io::READ_SIZE;
use crate::pane::screen::{Screen, Size};
use crate::sync::lock;

/// Rebuilds that may fail to come to an end before the output behind the checkpoint is dropped.
const REBUILDS_WITH_OUTPUT: u64 = 2;

/// The same before the checkpoint is dropped as well.
const REBUILDS_WITH_CHECKPOINT: u64 = 3;

/// Bytes that are parsed in one go; the pane's thread parses as many at most.
const STEP: usize = READ_SIZE;

/// More bytes or revisions than a pane will ever see, and far from where adding overflows.
const COUNT_MAX: u64 = u64::MAX / 2;

/// What a pane shows when its output had to be dropped.
const NOTICE: &[u8] = b"\x1b[m\r\n[drover: output that made it fail was dropped here]\r\n";

/// Why an area cannot be used.
#[derive(Debug)]
pub enum AreaError {
    /// It is not the area of a pane.
    Unknown,
    /// It was laid out by a drover with this other version of the layout.
    Version(u64),
    /// Neither of its checkpoints is whole.
    NoCheckpoint,
    /// Its newest checkpoint cannot be read.
    Checkpoint(CheckpointError),
    /// The operating system refused.
    System(io::Error),
}

impl std::fmt::Display for AreaError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AreaError::Unknown => formatter.write_str("this is not the shared memory of a pane"),
            AreaError::Version(version) => write!(
                formatter,
                "the shared memory of the pane has layout {version}, and this drover knows {}",
                super::layout::VERSION
            ),
            AreaError::NoCheckpoint => {
                formatter.write_str("the shared memory of the pane has no whole checkpoint")
            }
            AreaError::Checkpoint(error) => write!(formatter, "{error}"),
            AreaError::System(error) => {
                write!(formatter, "mapping the memory of the pane: {error}")
            }
        }
    }
}

impl std::error::Error for AreaError {}

/// A screen as it was when the process that had it ended.
pub struct Rebuilt {
    /// The screen. Answers and notes that nobody has had yet wait in it.
    pub screen: Screen,
    /// Output was dropped because processes died on it, and the screen says so.
    pub isolated: bool,
}

/// A checkpoint that is whole.
struct Found {
    slot: usize,
    sequence: u64,
    position: u64,
    bytes: Vec<u8>,
}

impl Area {
    /// The screen, and a new checkpoint of it in the area. Nobody else may be filling the area.
    ///
    /// # Errors
    /// When there is no checkpoint that can be read.
    pub fn rebuild(&self) -> Result<Rebuilt, AreaError> {
        if self.word(WRITTEN).max(self.word(REVISION)) > COUNT_MAX {
            return Err(AreaError::Unknown);
        }
        let written = self.recover_written();
        let found = self.newest().ok_or(AreaError::NoCheckpoint)?;
        {
            let mut slots = lock(&self.slots);
            slots.newest = found.slot;
            slots.sequence = found.sequence;
            slots.position = found.position;
        }
        let before = if self.word(REBUILD_POSITION) == found.position {
            self.word(REBUILDS)
        } else {
            0
        };
        self.set(REBUILDS, before.saturating_add(1));
        self.set(REBUILD_POSITION, found.position);

        let isolated = before >= REBUILDS_WITH_OUTPUT;
        let mut screen = if before >= REBUILDS_WITH_CHECKPOINT {
            self.blank(&found)
        } else {
            Screen::from_checkpoint(&found.bytes).map_err(AreaError::Checkpoint)?
        };
        let told = self.word(REVISION).max(screen.revision());
        if isolated {
            screen.feed(NOTICE);
            screen.take_replies();
        } else {
            // What was answered in another life is not answered again.
            let answered = self.word(ANSWERED).clamp(found.position, written);
            self.replay(&mut screen, found.position, answered);
            screen.take_replies();
            screen.take_notes();
            self.replay(&mut screen, answered, written);
        }
        // Nobody has seen output that was never parsed.
        let unseen = isolated || written > self.word(PARSED);
        screen.set_revision(told + u64::from(unseen));
        self.set(PARSED, written);
        self.set(REVISION, screen.revision());
        self.store(&mut screen, REST_SCROLLBACK);
        self.set(REBUILDS, 0);
        Ok(Rebuilt { screen, isolated })
    }

    /// Up to where output has come, even if the process was killed before it could say so: what the
    /// kernel put behind the known end is not zero, and a zero at its end draws nothing.
    fn recover_written(&self) -> u64 {
        let known = self.word(WRITTEN);
        let (offset, room) = ring_place(known);
        let zeroed = usize::try_from(self.word(ZEROED).saturating_sub(known)).unwrap_or(0);
        let mut ahead = vec![0; room.min(READ_SIZE).min(zeroed)];
        self.memory.copy_out(offset, &mut ahead);
        let more = ahead
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        self.set(WRITTEN, known + more as u64);
        known + more as u64
    }

    /// The newest checkpoint that is whole and whose output is still in the ring.
    fn newest(&self) -> Option<Found> {
        (0..SLOTS)
            .filter_map(|slot| self.checkpoint(slot))
            .max_by_key(|found| found.sequence)
    }

    fn checkpoint(&self, slot: usize) -> Option<Found> {
        let word = |word: Slot| self.word(word.of(slot));
        let (sequence, position) = (word(Slot::SEQUENCE), word(Slot::POSITION));
        let length = usize::try_from(word(Slot::LENGTH)).ok()?;
        let behind = self.word(WRITTEN).checked_sub(position)?;
        if sequence == 0 || length > SLOT || behind > RING {
            return None;
        }
        let mut bytes = vec![0; length];
        self.memory.copy_out(slot_start(slot), &mut bytes);
        (checksum(&bytes) == word(Slot::CHECKSUM)).then_some(Found {
            slot,
            sequence,
            position,
            bytes,
        })
    }

    /// Parses output again.
    fn replay(&self, screen: &mut Screen, mut from: u64, to: u64) {
        let mut bytes = Vec::new();
        while from < to {
            let (offset, room) = ring_place(from);
            let length = room.min(STEP).min((to - from) as usize);
            bytes.resize(length, 0);
            self.memory.copy_out(offset, &mut bytes);
            screen.feed(&bytes);
            from += length as u64;
        }
    }

    /// A blank screen in place of one whose checkpoint is no good.
    fn blank(&self, found: &Found) -> Screen {
        let size = Size {
            cols: u16::try_from(self.word(COLUMNS)).unwrap_or(0),
            rows: u16::try_from(self.word(ROWS)).unwrap_or(0),
        };
        Screen::new(size, Screen::scrollback_of(&found.bytes))
    }
}
