//! Where everything is in the shared memory of a pane. Whatever changes here changes the version.

use std::num::NonZeroUsize;

use crate::pane::area::REST_SCROLLBACK;
use crate::pane::checkpoint::CHECKPOINT_MAX;

/// "drovarea".
pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"drovarea");

/// Raised with every change of the layout. The checkpoint within has a version of its own.
pub(super) const VERSION: u64 = 1;

/// Offsets of words in the header.
pub(super) const MAGIC_WORD: usize = 0;
pub(super) const VERSION_WORD: usize = 8;
/// Position of the output: how many bytes have ever been read.
pub(super) const WRITTEN: usize = 16;
/// How many of them are on the screen.
pub(super) const PARSED: usize = 24;
/// How many of them the program got its answers to.
pub(super) const ANSWERED: usize = 32;
/// Position up to which the ring is zero from [`WRITTEN`] on.
pub(super) const ZEROED: usize = 40;
/// The revision of the screen that was last told.
pub(super) const REVISION: usize = 48;
/// The size of the screen, for the case that no checkpoint can be read.
pub(super) const COLUMNS: usize = 56;
pub(super) const ROWS: usize = 64;
/// Position of the checkpoint that a rebuild began from, and how many did without coming to an end.
pub(super) const REBUILD_POSITION: usize = 72;
pub(super) const REBUILDS: usize = 80;
/// Not zero once somebody has typed into the pane. Builds that did not know it have left it zero.
pub(super) const TYPED: usize = 88;

/// Checkpoints that there is room for.
pub(super) const SLOTS: usize = 2;

/// Words in the header that describe a checkpoint.
#[derive(Clone, Copy)]
pub(super) struct Slot(usize);

impl Slot {
    /// Its number; zero while it is not whole.
    pub(super) const SEQUENCE: Slot = Slot(128);
    /// Position of the output that it was made at.
    pub(super) const POSITION: Slot = Slot(136);
    /// Bytes.
    pub(super) const LENGTH: Slot = Slot(144);
    pub(super) const CHECKSUM: Slot = Slot(152);

    /// Bytes in the header for one checkpoint.
    const SIZE: usize = 64;

    /// The offset of this word for the slot with this number.
    pub(super) fn of(self, slot: usize) -> usize {
        self.0 + slot * Self::SIZE
    }
}

/// Large enough for the largest pages there are, so that giving back pages of one part never
/// touches another.
const PAGE: usize = 16 * 1024;

/// Bytes of the ring. A checkpoint is made whenever half of it was filled, so that it sets how much
/// checkpoints cost a flood: one takes about a tenth of a millisecond, and half of this is parsed in
/// three to five.
pub(super) const RING: u64 = 1 << 20;

/// Parts of the ring after one of which a checkpoint is made.
pub(super) const HALVES: u64 = 2;

pub(super) const RING_START: usize = PAGE;

/// Bytes for one checkpoint.
pub(super) const SLOT: usize = CHECKPOINT_MAX + REST_SCROLLBACK;

/// Bytes of the whole area; hardly any of them are ever touched.
pub(super) const LENGTH: NonZeroUsize =
    NonZeroUsize::new(RING_START + RING as usize + SLOTS * SLOT).unwrap();

const _: () = assert!(SLOT.is_multiple_of(PAGE) && (RING as usize).is_multiple_of(PAGE));

pub(super) fn slot_start(slot: usize) -> usize {
    RING_START + RING as usize + slot * SLOT
}

/// Where a position of the output is in the memory, and how many bytes lie together from there on.
pub(super) fn ring_place(position: u64) -> (usize, usize) {
    let offset = (position % RING) as usize;
    (RING_START + offset, RING as usize - offset)
}

/// Tells a checkpoint that is whole from one that was being written: no defence against malice. Four
/// lanes, because one would wait for its own multiplications.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [1_u64, 2, 3, 4];
    let (blocks, tail) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = (*lane ^ u64::from_le_bytes(*word))
                .wrapping_mul(FACTOR)
                .rotate_left(29);
        }
    }
    let mut sum = bytes.len() as u64;
    for lane in lanes {
        sum = (sum ^ lane).wrapping_mul(FACTOR).rotate_left(31);
    }
    for byte in tail {
        sum = (sum ^ u64::from(*byte))
            .wrapping_mul(FACTOR)
            .rotate_left(31);
    }
    sum
}
