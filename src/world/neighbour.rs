//! Which pane lies next to another on a side, as herdr 0.9.3 searches it (`pane.neighbor`).

use std::cmp::Reverse;

use super::geometry::Rect;
use super::ids::PaneKey;
use super::layout::{Axis, Layout};

/// A side of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Towards the first column.
    Left,
    /// Towards the last column.
    Right,
    /// Towards the first row.
    Up,
    /// Towards the last row.
    Down,
}

impl Side {
    /// The axis of the splits whose border lies on this side.
    pub fn axis(self) -> Axis {
        match self {
            Side::Left | Side::Right => Axis::Right,
            Side::Up | Side::Down => Axis::Down,
        }
    }

    /// Whether it is the side of a split's second child.
    pub fn is_forward(self) -> bool {
        matches!(self, Side::Right | Side::Down)
    }
}

impl Layout {
    /// The pane next to `pane` on a side when the layout fills `area`: the one at the smallest
    /// distance, then with the longest common border, then with the nearest centre, then the first
    /// in tree order. None at the edge of the area, and for a stranger.
    pub fn neighbour(&self, pane: PaneKey, side: Side, area: Rect) -> Option<PaneKey> {
        let places = self.place_panes(area);
        let (_, from) = *places.iter().find(|(key, _)| *key == pane)?;
        places
            .iter()
            .filter(|(key, _)| *key != pane)
            .filter_map(|(key, rect)| Some((rank(from, *rect, side)?, *key)))
            // Of equals the first, and `places` are in tree order.
            .min_by_key(|(rank, _)| *rank)
            .map(|(_, key)| key)
    }
}

/// The cells that a rectangle takes on one axis. Wider than the wire's numbers, so that sums fit.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn new(start: u16, length: u16) -> Span {
        let start = u32::from(start);
        Span {
            start,
            end: start + u32::from(length),
        }
    }

    fn overlap(self, other: Span) -> u32 {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        end.saturating_sub(start)
    }

    /// Twice the distance between the centres.
    fn centre_distance(self, other: Span) -> u32 {
        (self.start + self.end).abs_diff(other.start + other.end)
    }
}

/// How good a neighbour `to` is, the smaller the better. None if it is none.
fn rank(from: Rect, to: Rect, side: Side) -> Option<(u32, Reverse<u32>, u32)> {
    let columns = |rect: Rect| Span::new(rect.x, rect.width);
    let rows = |rect: Rect| Span::new(rect.y, rect.height);
    let (along, across) = match side.axis() {
        Axis::Right => ((columns(from), columns(to)), (rows(from), rows(to))),
        Axis::Down => ((rows(from), rows(to)), (columns(from), columns(to))),
    };
    let distance = if side.is_forward() {
        along.1.start.checked_sub(along.0.end)?
    } else {
        along.0.start.checked_sub(along.1.end)?
    };
    let overlap = across.0.overlap(across.1);
    (overlap > 0).then(|| {
        (
            distance,
            Reverse(overlap),
            across.0.centre_distance(across.1),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::DEFAULT_AREA;

    const A: PaneKey = PaneKey::new(1);
    const B: PaneKey = PaneKey::new(2);
    const C: PaneKey = PaneKey::new(3);
    const D: PaneKey = PaneKey::new(4);

    const SIDES: [Side; 4] = [Side::Left, Side::Right, Side::Up, Side::Down];

    /// A to the left; B over C over D to the right, with these shares of the right half.
    fn column(upper: f32, middle: f32) -> Layout {
        let mut layout = Layout::new(A);
        layout.split(A, B, Axis::Right, 0.5);
        layout.split(B, C, Axis::Down, upper);
        layout.split(C, D, Axis::Down, middle);
        layout
    }

    fn neighbours(layout: &Layout, pane: PaneKey) -> [Option<PaneKey>; 4] {
        SIDES.map(|side| layout.neighbour(pane, side, DEFAULT_AREA))
    }

    #[test]
    fn a_lone_pane_and_a_stranger_have_no_neighbours() {
        let layout = Layout::new(A);
        assert_eq!(neighbours(&layout, A), [None; 4]);
        assert_eq!(neighbours(&layout, B), [None; 4]);
    }

    #[test]
    fn the_longest_common_border_wins() {
        let layout = column(0.2, 0.75);
        assert_eq!(neighbours(&layout, A), [None, Some(C), None, None]);
        assert_eq!(neighbours(&layout, C), [Some(A), None, Some(B), Some(D)]);
        assert_eq!(neighbours(&layout, D), [Some(A), None, Some(C), None]);
    }

    #[test]
    fn of_equal_borders_the_nearest_centre_wins_and_then_the_first() {
        // B and C have 10 rows each, D has 20 and wins; without it the tie goes to tree order.
        let layout = column(0.25, 1.0 / 3.0);
        assert_eq!(layout.neighbour(A, Side::Right, DEFAULT_AREA), Some(D));
        let mut halves = Layout::new(A);
        halves.split(A, B, Axis::Right, 0.5);
        halves.split(B, C, Axis::Down, 0.5);
        assert_eq!(halves.neighbour(A, Side::Right, DEFAULT_AREA), Some(B));
    }

    #[test]
    fn what_only_touches_a_corner_is_no_neighbour() {
        let mut layout = Layout::new(A);
        layout.split(A, B, Axis::Right, 0.5);
        layout.split(A, C, Axis::Down, 0.5);
        layout.split(B, D, Axis::Down, 0.5);
        assert_eq!(neighbours(&layout, A), [None, Some(B), None, Some(C)]);
        assert_eq!(neighbours(&layout, D), [Some(C), None, Some(B), None]);
    }
}
