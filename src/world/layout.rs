//! The binary tree that divides a tab among its panes.

use super::geometry::Rect;
use super::ids::PaneKey;

/// The smallest share of a split's first child (herdr 0.9.3 clamps everywhere).
pub const MIN_RATIO: f32 = 0.1;
/// The largest share of a split's first child.
pub const MAX_RATIO: f32 = 0.9;
/// The share when none, or one that is not a finite number, was asked for.
pub const DEFAULT_RATIO: f32 = 0.5;

/// The most panes one tab may hold. Far more than a screen can show; it bounds the depth of the
/// tree and thereby the recursion over it, which a client could otherwise drive without limit.
pub const MAX_PANES_PER_TAB: usize = 256;

/// The direction in which a split places its second child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// The second child is to the right of the first.
    Right,
    /// The second child is below the first.
    Down,
}

/// One node of the tree. A leaf is a pane, or what is going to be one.
#[derive(Debug, Clone, PartialEq)]
pub enum Node<L = PaneKey> {
    /// A leaf.
    Pane(L),
    /// Two nodes that share a rectangle.
    Split(Box<Split<L>>),
}

/// A division of a rectangle between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Split<L = PaneKey> {
    /// Where the second child is.
    pub axis: Axis,
    /// The first child's share, [`MIN_RATIO`] to [`MAX_RATIO`].
    pub ratio: f32,
    /// The left or upper child.
    pub first: Node<L>,
    /// The right or lower child.
    pub second: Node<L>,
}

impl<L> Node<L> {
    /// The same tree with other leaves.
    pub fn map<M>(self, leaf: &mut impl FnMut(L) -> M) -> Node<M> {
        match self {
            Node::Pane(pane) => Node::Pane(leaf(pane)),
            Node::Split(split) => Node::Split(Box::new(Split {
                axis: split.axis,
                ratio: split.ratio,
                first: split.first.map(leaf),
                second: split.second.map(leaf),
            })),
        }
    }
}

/// A split and the rectangle that it divides.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitPlace {
    /// `split_<index>_<path>`: the index in pre-order, and `root` or the choices from the root
    /// as digits, `0` for a first and `1` for a second child (herdr 0.9.3, `pane.layout`).
    pub id: String,
    /// Where the second child is.
    pub axis: Axis,
    /// The first child's share.
    pub ratio: f32,
    /// The rectangle before it is divided.
    pub rect: Rect,
}

/// The layout of one tab. It holds at least one pane.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    root: Node,
    len: usize,
}

/// A ratio that a split may have: clamped, and the default when it is not finite.
pub fn clamp_ratio(ratio: f32) -> f32 {
    if ratio.is_finite() {
        ratio.clamp(MIN_RATIO, MAX_RATIO)
    } else {
        DEFAULT_RATIO
    }
}

impl Layout {
    /// A layout of one pane.
    pub fn new(pane: PaneKey) -> Layout {
        Layout {
            root: Node::Pane(pane),
            len: 1,
        }
    }

    /// A layout of a whole tree, its ratios clamped. `None` if it has more panes than a tab may have,
    /// or one of them twice.
    pub fn of(mut root: Node) -> Option<Layout> {
        clamp_ratios(&mut root);
        let mut panes = Vec::new();
        collect(&root, &mut panes);
        let len = panes.len();
        panes.sort_unstable();
        panes.dedup();
        (panes.len() == len && len <= MAX_PANES_PER_TAB).then_some(Layout { root, len })
    }

    /// The tree, for walking.
    pub fn root(&self) -> &Node {
        &self.root
    }

    pub(super) fn root_mut(&mut self) -> &mut Node {
        &mut self.root
    }

    /// How many panes there are, at least 1.
    pub fn pane_count(&self) -> usize {
        self.len
    }

    /// The panes in tree order, first children before second.
    pub fn panes(&self) -> Vec<PaneKey> {
        let mut panes = Vec::with_capacity(self.len);
        collect(&self.root, &mut panes);
        panes
    }

    /// Divides the rectangle of `target` and gives `pane` the second part. False, and no change,
    /// when the target is not here or the tab is full.
    pub fn split(&mut self, target: PaneKey, pane: PaneKey, axis: Axis, ratio: f32) -> bool {
        let ratio = clamp_ratio(ratio);
        let done =
            self.len < MAX_PANES_PER_TAB && split_leaf(&mut self.root, target, pane, axis, ratio);
        if done {
            self.len += 1;
        }
        done
    }

    /// Takes a pane out; its sibling gets the whole rectangle of their split. False, and no
    /// change, when the pane is not here or is the only one.
    pub fn remove(&mut self, pane: PaneKey) -> bool {
        let done = remove_leaf(&mut self.root, pane);
        if done {
            self.len -= 1;
        }
        done
    }

    /// Lets two panes exchange their places; the splits stay as they are. False, and no change, when
    /// one of them is not here.
    pub fn swap(&mut self, one: PaneKey, other: PaneKey) -> bool {
        let panes = self.panes();
        let done = panes.contains(&one) && panes.contains(&other);
        if done {
            swap_leaves(&mut self.root, one, other);
        }
        done
    }

    /// The pane that takes the focus from `pane` when nothing better is known: the next in tree
    /// order, else the one before.
    pub fn neighbour_in_order(&self, pane: PaneKey) -> Option<PaneKey> {
        let panes = self.panes();
        let index = panes.iter().position(|key| *key == pane)?;
        panes
            .get(index + 1)
            .or_else(|| index.checked_sub(1).and_then(|before| panes.get(before)))
            .copied()
    }

    /// Every pane's rectangle in tree order. Together they tile `area`.
    pub fn place_panes(&self, area: Rect) -> Vec<(PaneKey, Rect)> {
        let mut places = Vec::with_capacity(self.len);
        place(&self.root, area, &mut places);
        places
    }

    /// Every split in pre-order with the rectangle it divides.
    pub fn place_splits(&self, area: Rect) -> Vec<SplitPlace> {
        let mut places = Vec::with_capacity(self.len - 1);
        place_splits(&self.root, area, &mut String::new(), &mut places);
        places
    }
}

impl Split {
    /// The rectangles of the two children. The first gets the rounded share, the second the rest.
    pub fn divide(&self, rect: Rect) -> (Rect, Rect) {
        match self.axis {
            Axis::Right => {
                let width = share(rect.width, self.ratio);
                (
                    Rect { width, ..rect },
                    Rect {
                        x: rect.x.saturating_add(width),
                        width: rect.width - width,
                        ..rect
                    },
                )
            }
            Axis::Down => {
                let height = share(rect.height, self.ratio);
                (
                    Rect { height, ..rect },
                    Rect {
                        y: rect.y.saturating_add(height),
                        height: rect.height - height,
                        ..rect
                    },
                )
            }
        }
    }
}

/// The first child's part of `cells`, never more than all of them.
fn share(cells: u16, ratio: f32) -> u16 {
    // A float to integer cast saturates, and a ratio is at most 0.9.
    ((f32::from(cells) * ratio).round() as u16).min(cells)
}

fn collect(node: &Node, panes: &mut Vec<PaneKey>) {
    match node {
        Node::Pane(pane) => panes.push(*pane),
        Node::Split(split) => {
            collect(&split.first, panes);
            collect(&split.second, panes);
        }
    }
}

fn split_leaf(node: &mut Node, target: PaneKey, pane: PaneKey, axis: Axis, ratio: f32) -> bool {
    match node {
        Node::Pane(leaf) if *leaf == target => {
            *node = Node::Split(Box::new(Split {
                axis,
                ratio,
                first: Node::Pane(target),
                second: Node::Pane(pane),
            }));
            true
        }
        Node::Pane(_) => false,
        Node::Split(split) => {
            split_leaf(&mut split.first, target, pane, axis, ratio)
                || split_leaf(&mut split.second, target, pane, axis, ratio)
        }
    }
}

fn remove_leaf(node: &mut Node, pane: PaneKey) -> bool {
    let Node::Split(split) = node else {
        return false;
    };
    let gone = Node::Pane(pane);
    let survivor = if split.first == gone {
        &mut split.second
    } else if split.second == gone {
        &mut split.first
    } else {
        return remove_leaf(&mut split.first, pane) || remove_leaf(&mut split.second, pane);
    };
    let survivor = std::mem::replace(survivor, gone);
    *node = survivor;
    true
}

fn swap_leaves(node: &mut Node, one: PaneKey, other: PaneKey) {
    match node {
        Node::Pane(leaf) if *leaf == one => *leaf = other,
        Node::Pane(leaf) if *leaf == other => *leaf = one,
        Node::Pane(_) => {}
        Node::Split(split) => {
            swap_leaves(&mut split.first, one, other);
            swap_leaves(&mut split.second, one, other);
        }
    }
}

fn clamp_ratios(node: &mut Node) {
    if let Node::Split(split) = node {
        split.ratio = clamp_ratio(split.ratio);
        clamp_ratios(&mut split.first);
        clamp_ratios(&mut split.second);
    }
}

fn place(node: &Node, rect: Rect, places: &mut Vec<(PaneKey, Rect)>) {
    match node {
        Node::Pane(pane) => places.push((*pane, rect)),
        Node::Split(split) => {
            let (first, second) = split.divide(rect);
            place(&split.first, first, places);
            place(&split.second, second, places);
        }
    }
}

fn place_splits(node: &Node, rect: Rect, path: &mut String, places: &mut Vec<SplitPlace>) {
    let Node::Split(split) = node else {
        return;
    };
    let shown = if path.is_empty() {
        "root"
    } else {
        path.as_str()
    };
    let id = format!("split_{}_{shown}", places.len());
    places.push(SplitPlace {
        id,
        axis: split.axis,
        ratio: split.ratio,
        rect,
    });
    let (first, second) = split.divide(rect);
    path.push('0');
    place_splits(&split.first, first, path, places);
    path.pop();
    path.push('1');
    place_splits(&split.second, second, path, places);
    path.pop();
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: PaneKey = PaneKey::new(1);
    const B: PaneKey = PaneKey::new(2);
    const C: PaneKey = PaneKey::new(3);

    fn area(width: u16, height: u16) -> Rect {
        Rect {
            x: 0,
            y: 0,
            width,
            height,
        }
    }

    #[test]
    fn the_first_child_gets_the_rounded_share_and_the_second_the_rest() {
        let mut layout = Layout::new(A);
        assert!(layout.split(A, B, Axis::Down, 0.5));
        let rows: Vec<u16> = layout
            .place_panes(area(94, 39))
            .iter()
            .map(|(_, rect)| rect.height)
            .collect();
        assert_eq!(rows, [20, 19]);

        let mut layout = Layout::new(A);
        layout.split(A, B, Axis::Down, 0.3);
        assert_eq!(layout.place_panes(area(94, 39))[0].1.height, 12);
    }

    #[test]
    fn a_tiny_rectangle_may_leave_the_second_child_nothing() {
        let mut layout = Layout::new(A);
        layout.split(A, B, Axis::Right, 0.9);
        let places = layout.place_panes(area(4, 14));
        assert_eq!((places[0].1.width, places[1].1.width), (4, 0));
    }

    #[test]
    fn ratios_are_clamped_and_nonsense_becomes_one_half() {
        assert_eq!(clamp_ratio(0.0), MIN_RATIO);
        assert_eq!(clamp_ratio(7.0), MAX_RATIO);
        assert_eq!(clamp_ratio(f32::NAN), DEFAULT_RATIO);
        assert_eq!(clamp_ratio(f32::INFINITY), DEFAULT_RATIO);
    }

    #[test]
    fn splits_are_numbered_in_pre_order_and_named_by_their_path() {
        let mut layout = Layout::new(A);
        layout.split(A, B, Axis::Right, 0.5);
        layout.split(A, C, Axis::Down, 0.5);
        let d = PaneKey::new(4);
        layout.split(B, d, Axis::Down, 0.5);
        let ids: Vec<String> = layout
            .place_splits(area(120, 40))
            .into_iter()
            .map(|split| split.id)
            .collect();
        assert_eq!(ids, ["split_0_root", "split_1_0", "split_2_1"]);
        assert_eq!(layout.panes(), [A, C, B, d]);
    }

    #[test]
    fn a_removed_pane_leaves_its_rectangle_to_its_sibling() {
        let mut layout = Layout::new(A);
        layout.split(A, B, Axis::Right, 0.5);
        layout.split(B, C, Axis::Down, 0.25);
        assert!(layout.remove(A));
        assert_eq!(layout.panes(), [B, C]);
        let places = layout.place_panes(area(120, 40));
        assert_eq!((places[0].1.width, places[0].1.height), (120, 10));
    }

    #[test]
    fn swapped_panes_change_places_and_nothing_else_does() {
        let mut layout = Layout::new(A);
        layout.split(A, B, Axis::Right, 0.3);
        layout.split(B, C, Axis::Down, 0.25);
        let before = layout.place_splits(area(120, 40));
        assert!(layout.swap(A, C));
        assert_eq!(layout.panes(), [C, B, A]);
        assert_eq!(layout.place_splits(area(120, 40)), before);
        assert!(!layout.swap(A, PaneKey::new(9)));
        assert_eq!(layout.panes(), [C, B, A]);
    }

    #[test]
    fn a_whole_tree_is_taken_with_its_ratios_clamped_and_no_pane_twice() {
        let tree = |first, second| {
            Node::Split(Box::new(Split {
                axis: Axis::Right,
                ratio: 7.0,
                first: Node::Pane(first),
                second: Node::Pane(second),
            }))
        };
        let layout = Layout::of(tree(A, B)).unwrap();
        assert_eq!(layout.pane_count(), 2);
        assert_eq!(layout.place_splits(area(120, 40))[0].ratio, MAX_RATIO);
        assert_eq!(Layout::of(tree(A, A)), None);
    }

    #[test]
    fn the_last_pane_and_a_stranger_cannot_be_removed() {
        let mut layout = Layout::new(A);
        assert!(!layout.remove(A));
        assert!(!layout.remove(B));
        assert_eq!(layout.pane_count(), 1);
    }

    #[test]
    fn a_tab_takes_no_more_panes_than_its_limit() {
        let mut layout = Layout::new(PaneKey::new(0));
        for number in 1..MAX_PANES_PER_TAB as u64 {
            let target = PaneKey::new(number - 1);
            assert!(layout.split(target, PaneKey::new(number), Axis::Down, 0.5));
        }
        assert!(!layout.split(A, PaneKey::new(9999), Axis::Down, 0.5));
        assert_eq!(layout.place_panes(area(120, 40)).len(), MAX_PANES_PER_TAB);
        assert_eq!(
            layout.place_splits(area(120, 40)).len(),
            MAX_PANES_PER_TAB - 1
        );
    }
}
