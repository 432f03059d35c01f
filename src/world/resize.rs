//! Moving the borders between panes: ratios of splits, found by a pane's side or by their path.

use super::ids::PaneKey;
use super::layout::{Layout, MAX_RATIO, MIN_RATIO, Node, Split, clamp_ratio};
use super::neighbour::Side;

/// How much of a split one resize moves when the request does not say (herdr 0.9.3, `pane.resize`).
const DEFAULT_AMOUNT: f32 = 0.05;
/// The most that one resize moves.
const MAX_AMOUNT: f32 = 0.5;

/// By how much a resize moves its border: the sign is ignored, and what is not finite is the
/// default (herdr 0.9.3, `pane.resize`).
pub fn resize_amount(asked: Option<f32>) -> f32 {
    match asked {
        Some(amount) if amount.is_finite() => amount.abs().min(MAX_AMOUNT),
        _ => DEFAULT_AMOUNT,
    }
}

impl Layout {
    /// Moves the border on a side of `pane` by `amount` of its split towards that side. Without a
    /// border there, it moves the nearest one on the opposite side the same way, so that a pane at
    /// an edge shrinks. False if nothing changed: the ratio is at its end, or no split has that
    /// axis, or the pane is not here.
    pub fn resize(&mut self, pane: PaneKey, side: Side, amount: f32) -> bool {
        let Some(path) = self.path_to(pane) else {
            return false;
        };
        let mut node = self.root();
        let mut nearest = None;
        let mut bordering = None;
        for (depth, second) in path.iter().enumerate() {
            let Node::Split(split) = node else { break };
            if split.axis == side.axis() {
                nearest = Some(depth);
                if *second != side.is_forward() {
                    bordering = Some(depth);
                }
            }
            node = if *second { &split.second } else { &split.first };
        }
        let Some(depth) = bordering.or(nearest) else {
            return false;
        };
        let Some(split) = self.split_mut(&path[..depth]) else {
            return false;
        };
        let moved = if side.is_forward() { amount } else { -amount };
        let ratio = (split.ratio + moved).clamp(MIN_RATIO, MAX_RATIO);
        let changed = ratio != split.ratio;
        split.ratio = ratio;
        changed
    }

    /// Gives the split at `path` a ratio, clamped; false is a first child. False, and no change, if
    /// the path leads to a pane or nowhere.
    pub fn set_ratio(&mut self, path: &[bool], ratio: f32) -> bool {
        match self.split_mut(path) {
            Some(split) => {
                split.ratio = clamp_ratio(ratio);
                true
            }
            None => false,
        }
    }

    /// The choices from the root to a pane; false is a first child.
    fn path_to(&self, pane: PaneKey) -> Option<Vec<bool>> {
        fn search(node: &Node, pane: PaneKey, path: &mut Vec<bool>) -> bool {
            match node {
                Node::Pane(leaf) => *leaf == pane,
                Node::Split(split) => [(false, &split.first), (true, &split.second)]
                    .into_iter()
                    .any(|(second, child)| {
                        path.push(second);
                        let found = search(child, pane, path);
                        if !found {
                            path.pop();
                        }
                        found
                    }),
            }
        }
        let mut path = Vec::new();
        search(self.root(), pane, &mut path).then_some(path)
    }

    fn split_mut(&mut self, path: &[bool]) -> Option<&mut Split> {
        let mut node = self.root_mut();
        for second in path {
            let Node::Split(split) = node else {
                return None;
            };
            node = if *second {
                &mut split.second
            } else {
                &mut split.first
            };
        }
        match node {
            Node::Split(split) => Some(split),
            Node::Pane(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Axis, DEFAULT_AREA};

    const A: PaneKey = PaneKey::new(1);
    const B: PaneKey = PaneKey::new(2);
    const C: PaneKey = PaneKey::new(3);

    /// A over C to the left, B to the right.
    fn layout() -> Layout {
        let mut layout = Layout::new(A);
        layout.split(A, B, Axis::Right, 0.5);
        layout.split(A, C, Axis::Down, 0.5);
        layout
    }

    fn ratios(layout: &Layout) -> Vec<f32> {
        layout
            .place_splits(DEFAULT_AREA)
            .into_iter()
            .map(|split| split.ratio)
            .collect()
    }

    #[test]
    fn the_border_on_the_side_moves_to_that_side() {
        let mut layout = layout();
        assert!(layout.resize(A, Side::Right, 0.25));
        assert_eq!(ratios(&layout), [0.75, 0.5]);
        assert!(layout.resize(B, Side::Left, 0.25));
        assert_eq!(ratios(&layout), [0.5, 0.5]);
        assert!(layout.resize(C, Side::Up, 0.25));
        assert_eq!(ratios(&layout), [0.5, 0.25]);
    }

    #[test]
    fn a_pane_at_the_edge_shrinks() {
        let mut layout = layout();
        assert!(layout.resize(A, Side::Up, 0.25));
        assert!(layout.resize(A, Side::Left, 0.25));
        assert_eq!(ratios(&layout), [0.25, 0.25]);
    }

    #[test]
    fn the_nearest_of_several_borders_moves() {
        let mut layout = layout();
        let d = PaneKey::new(4);
        layout.split(A, d, Axis::Right, 0.5);
        assert!(layout.resize(d, Side::Right, 0.25));
        assert_eq!(ratios(&layout), [0.75, 0.5, 0.5]);
        assert!(layout.resize(d, Side::Left, 0.25));
        assert_eq!(ratios(&layout), [0.75, 0.5, 0.25]);
    }

    #[test]
    fn nothing_changes_at_the_end_or_without_a_split_of_that_axis() {
        let mut layout = layout();
        assert!(layout.resize(A, Side::Right, 0.5));
        assert_eq!(ratios(&layout)[0], MAX_RATIO);
        assert!(!layout.resize(A, Side::Right, 0.5));
        assert!(!layout.resize(B, Side::Down, 0.5));
        assert!(!layout.resize(PaneKey::new(9), Side::Down, 0.5));
        assert!(!Layout::new(A).resize(A, Side::Down, 0.5));
    }

    #[test]
    fn a_ratio_is_set_by_path() {
        let mut layout = layout();
        assert!(layout.set_ratio(&[], 5.0));
        assert!(layout.set_ratio(&[false], 0.3));
        assert_eq!(ratios(&layout), [MAX_RATIO, 0.3]);
        assert!(!layout.set_ratio(&[true], 0.3));
        assert!(!layout.set_ratio(&[false, false, true], 0.3));
    }

    #[test]
    fn amounts_have_no_sign_and_an_end() {
        assert_eq!(resize_amount(None), 0.05);
        assert_eq!(resize_amount(Some(f32::NAN)), 0.05);
        assert_eq!(resize_amount(Some(f32::INFINITY)), 0.05);
        assert_eq!(resize_amount(Some(-0.1)), 0.1);
        assert_eq!(resize_amount(Some(9.0)), 0.5);
    }
}
