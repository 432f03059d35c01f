//! What must hold after any sequence of operations, and short ways to build a world for tests.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

/// Appends an unfocused workspace; gives its id and its root pane.
pub fn add_workspace(world: &mut World) -> (WorkspaceId, PaneKey) {
    let new = world.reserve_workspace().unwrap();
    let made = (new.workspace(), new.key());
    world.insert_workspace(new, None, false);
    made
}

/// Appends a tab; gives its id and its root pane.
pub fn add_tab(world: &mut World, workspace: WorkspaceId, focus: bool) -> (TabId, PaneKey) {
    let new = world.reserve_tab(workspace).unwrap();
    let made = (new.tab(), new.key());
    world.insert_tab(new, None, focus).unwrap();
    made
}

/// Splits a pane in half without focusing the new one.
pub fn add_pane(world: &mut World, target: PaneKey, axis: Axis) -> PaneKey {
    let new = world.reserve_pane(target).unwrap();
    let key = new.key();
    world.insert_pane(new, axis, DEFAULT_RATIO, false).unwrap();
    key
}

/// One step. Indices pick an existing thing, modulo how many there are.
#[derive(Debug, Clone)]
enum Step {
    AddWorkspace(bool),
    AddTab(usize, bool),
    Split(usize, Axis, f32, bool),
    /// Reserves a split, closes something, then tries to insert.
    LateSplit(usize, usize),
    LateTab(usize, usize),
    ClosePane(usize),
    CloseTab(usize),
    CloseWorkspace(usize),
    FocusPane(usize),
    FocusTab(usize),
    FocusWorkspace(usize),
    MoveWorkspace(usize, usize),
    MoveTab(usize, usize),
    Zoom(usize, ZoomMode),
    RenameTab(usize, String),
    MoveBlock(Vec<usize>, Option<usize>),
    Swap(usize, usize),
    Resize(usize, Side, f32),
    SetRatio(usize, Vec<bool>, f32),
    MoveBeside(usize, usize, Axis, f32, bool),
    MoveToTab(usize, usize, bool),
    MoveToWorkspace(usize, bool),
    /// So many new panes and these present ones, and whether one of those is closed meanwhile.
    Rebuild(usize, usize, Vec<usize>, bool, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let any_index = 0usize..12;
    let index = move || any_index.clone();
    let axis = || prop_oneof![Just(Axis::Right), Just(Axis::Down)];
    let mode = prop_oneof![
        Just(ZoomMode::Toggle),
        Just(ZoomMode::On),
        Just(ZoomMode::Off)
    ];
    let side = prop_oneof![
        Just(Side::Left),
        Just(Side::Right),
        Just(Side::Up),
        Just(Side::Down)
    ];
    prop_oneof![
        2 => any::<bool>().prop_map(Step::AddWorkspace),
        3 => (index(), any::<bool>()).prop_map(|(at, focus)| Step::AddTab(at, focus)),
        6 => (index(), axis(), any::<f32>(), any::<bool>())
            .prop_map(|(at, axis, ratio, focus)| Step::Split(at, axis, ratio, focus)),
        1 => (index(), index()).prop_map(|(at, gone)| Step::LateSplit(at, gone)),
        1 => (index(), index()).prop_map(|(at, gone)| Step::LateTab(at, gone)),
        3 => index().prop_map(Step::ClosePane),
        1 => index().prop_map(Step::CloseTab),
        1 => index().prop_map(Step::CloseWorkspace),
        2 => index().prop_map(Step::FocusPane),
        1 => index().prop_map(Step::FocusTab),
        1 => index().prop_map(Step::FocusWorkspace),
        1 => (index(), index()).prop_map(|(at, to)| Step::MoveWorkspace(at, to)),
        1 => (index(), index()).prop_map(|(at, to)| Step::MoveTab(at, to)),
        2 => (index(), mode).prop_map(|(at, mode)| Step::Zoom(at, mode)),
        1 => (index(), "[ a-z]{0,3}").prop_map(|(at, label)| Step::RenameTab(at, label)),
        1 => (prop::collection::vec(index(), 0..4), prop::option::of(index()))
            .prop_map(|(block, anchor)| Step::MoveBlock(block, anchor)),
        2 => (index(), index()).prop_map(|(one, other)| Step::Swap(one, other)),
        2 => (index(), side, any::<f32>())
            .prop_map(|(at, side, amount)| Step::Resize(at, side, amount)),
        1 => (index(), prop::collection::vec(any::<bool>(), 0..4), any::<f32>())
            .prop_map(|(at, path, ratio)| Step::SetRatio(at, path, ratio)),
        3 => (index(), index(), axis(), any::<f32>(), any::<bool>()).prop_map(
            |(at, target, axis, ratio, focus)| Step::MoveBeside(at, target, axis, ratio, focus)
        ),
        2 => (index(), index(), any::<bool>())
            .prop_map(|(at, to, focus)| Step::MoveToTab(at, to, focus)),
        1 => (index(), any::<bool>()).prop_map(|(at, focus)| Step::MoveToWorkspace(at, focus)),
        2 => (
            index(),
            0usize..4,
            prop::collection::vec(index(), 0..6),
            any::<bool>(),
            prop::bool::weighted(0.2),
        )
            .prop_map(|(to, new, present, focus, gone)| {
                Step::Rebuild(to, new, present, focus, gone)
            }),
    ]
}

fn pick<T: Copy>(items: &[T], index: usize) -> Option<T> {
    (!items.is_empty()).then(|| items[index % items.len()])
}

/// Every id that was ever handed out, to see that none comes twice.
#[derive(Default)]
struct Issued {
    tabs: HashSet<TabId>,
    panes: HashSet<PaneId>,
    keys: HashSet<PaneKey>,
}

impl Issued {
    fn pane(&mut self, key: PaneKey, id: PaneId) {
        assert!(self.keys.insert(key), "key {key} came twice");
        assert!(self.panes.insert(id), "pane id {id} came twice");
    }

    fn tab(&mut self, id: TabId) {
        assert!(self.tabs.insert(id), "tab id {id} came twice");
    }

    /// A move within a workspace keeps the id, one to another gives a fresh one, and the old one
    /// goes on naming the pane.
    fn moved(&mut self, world: &World, relocation: &Relocation) {
        let pane = world.pane(relocation.key).unwrap();
        let previous = relocation.previous_pane;
        if pane.id().workspace == previous.workspace {
            assert_eq!(pane.id(), previous);
        } else {
            assert!(
                self.panes.insert(pane.id()),
                "pane id {} came twice",
                pane.id()
            );
        }
        assert_eq!(world.find_pane(&previous.to_string()), Some(pane.key()));
        assert_eq!(pane.tab(), relocation.tab);
    }
}

fn apply(world: &mut World, issued: &mut Issued, step: Step) -> Option<()> {
    let panes: Vec<PaneKey> = world.panes().map(Pane::key).collect();
    let tabs: Vec<TabId> = world.tabs().map(Tab::id).collect();
    let workspaces: Vec<WorkspaceId> = world.workspaces().iter().map(Workspace::id).collect();
    match step {
        Step::AddWorkspace(focus) => {
            let new = world.reserve_workspace().unwrap();
            issued.tab(new.tab());
            issued.pane(new.key(), new.pane());
            world.insert_workspace(new, None, focus);
        }
        Step::AddTab(at, focus) => {
            let new = world.reserve_tab(pick(&workspaces, at)?).unwrap();
            issued.tab(new.tab());
            issued.pane(new.key(), new.pane());
            world.insert_tab(new, None, focus).unwrap();
        }
        Step::Split(at, axis, ratio, focus) => {
            let new = world.reserve_pane(pick(&panes, at)?).unwrap();
            issued.pane(new.key(), new.pane());
            world.insert_pane(new, axis, ratio, focus).unwrap();
        }
        Step::LateSplit(at, gone) => {
            let target = pick(&panes, at)?;
            let new = world.reserve_pane(target).unwrap();
            issued.pane(new.key(), new.pane());
            let closed = pick(&panes, gone)?;
            world.close_pane(closed).unwrap();
            let inserted = world.insert_pane(new, Axis::Right, 0.5, true);
            assert_eq!(inserted.is_ok(), closed != target);
        }
        Step::LateTab(at, gone) => {
            let target = pick(&workspaces, at)?;
            let new = world.reserve_tab(target).unwrap();
            issued.tab(new.tab());
            issued.pane(new.key(), new.pane());
            let closed = pick(&workspaces, gone)?;
            world.close_workspace(closed).unwrap();
            let inserted = world.insert_tab(new, None, true);
            assert_eq!(inserted.is_ok(), closed != target);
        }
        Step::ClosePane(at) => {
            let key = pick(&panes, at)?;
            let extent = world.extent_of_pane(key).unwrap();
            let removal = world.close_pane(key).unwrap();
            assert_eq!(removal.extent, extent);
            assert!(removal.panes.iter().any(|pane| pane.key() == key));
        }
        Step::CloseTab(at) => {
            let id = pick(&tabs, at)?;
            let expected = world.tab(id).unwrap().panes();
            let removal = world.close_tab(id).unwrap();
            let gone: Vec<PaneKey> = removal.panes.iter().map(Pane::key).collect();
            assert_eq!(gone, expected);
        }
        Step::CloseWorkspace(at) => {
            let id = pick(&workspaces, at)?;
            assert_eq!(
                world.close_workspace(id).unwrap().closed_workspace(),
                Some(id)
            );
        }
        Step::FocusPane(at) => {
            let key = pick(&panes, at)?;
            world.focus_pane(key).unwrap();
            assert!(world.is_focused(key));
        }
        Step::FocusTab(at) => {
            world.focus_tab(pick(&tabs, at)?).unwrap();
        }
        Step::FocusWorkspace(at) => {
            world.focus_workspace(pick(&workspaces, at)?).unwrap();
        }
        Step::MoveWorkspace(at, to) => {
            let result = world.move_workspace(pick(&workspaces, at)?, to);
            assert_eq!(result.is_err(), to > workspaces.len());
        }
        Step::MoveTab(at, to) => {
            let id = pick(&tabs, at)?;
            let count = world.workspace(id.workspace).unwrap().tabs().len();
            assert_eq!(world.move_tab(id, to).is_err(), to > count);
        }
        Step::Zoom(at, mode) => {
            world.zoom(pick(&panes, at)?, mode).unwrap();
        }
        Step::RenameTab(at, label) => {
            world.rename_tab(pick(&tabs, at)?, label).unwrap();
        }
        Step::MoveBlock(block, anchor) => {
            let block: Vec<_> = block
                .iter()
                .filter_map(|at| pick(&workspaces, *at))
                .collect();
            let anchor = anchor.and_then(|at| pick(&workspaces, at));
            let moved = world.move_block(&block, anchor);
            let after: Vec<_> = world.workspaces().iter().map(Workspace::id).collect();
            assert_eq!(moved == Ok(true), after != workspaces);
        }
        Step::Swap(one, other) => {
            let (one, other) = (pick(&panes, one)?, pick(&panes, other)?);
            if world.swap_panes(one, other).unwrap().is_ok() {
                assert!(world.is_focused(one));
            }
        }
        Step::Resize(at, side, amount) => {
            let amount = resize_amount(Some(amount));
            world.resize_pane(pick(&panes, at)?, side, amount).unwrap();
        }
        Step::SetRatio(at, path, ratio) => {
            world
                .set_split_ratio(pick(&tabs, at)?, &path, ratio)
                .unwrap();
        }
        Step::MoveBeside(at, target, axis, ratio, focus) => {
            let destination = Destination::Beside {
                target: pick(&panes, target)?,
                axis,
                ratio,
            };
            move_pane(world, issued, pick(&panes, at)?, destination, focus);
        }
        Step::MoveToTab(at, to, focus) => {
            let destination = Destination::NewTab {
                workspace: pick(&workspaces, to)?,
                label: None,
            };
            move_pane(world, issued, pick(&panes, at)?, destination, focus);
        }
        Step::MoveToWorkspace(at, focus) => {
            let destination = Destination::NewWorkspace {
                label: None,
                tab_label: None,
            };
            move_pane(world, issued, pick(&panes, at)?, destination, focus);
        }
        Step::Rebuild(to, new, present, focus, gone) => {
            let workspace = pick(&workspaces, to)?;
            let mut keys: Vec<PaneKey> =
                present.iter().filter_map(|at| pick(&panes, *at)).collect();
            keys.sort();
            keys.dedup();
            let new = world.reserve_layout(workspace, new).unwrap();
            issued.tab(new.tab());
            for (key, id) in new.panes() {
                issued.pane(*key, *id);
                keys.push(*key);
            }
            let layout = column(&keys)?;
            if gone {
                world.close_pane(pick(&panes, to)?).unwrap();
            }
            let before = world.pane_count();
            let made = new.panes().len();
            let tab = new.tab();
            match world.insert_layout(new, layout, None, focus) {
                Ok(moved) => {
                    assert_eq!(world.pane_count(), before + made);
                    assert_eq!(world.tab(tab).unwrap().panes(), keys);
                    for one in moved {
                        issued.moved(world, &one);
                    }
                }
                Err(_) => {
                    assert!(gone);
                    assert_eq!(world.pane_count(), before);
                }
            }
        }
    }
    Some(())
}

/// Panes below each other.
fn column(keys: &[PaneKey]) -> Option<Layout> {
    let mut nodes = keys.iter().rev().map(|key| Node::Pane(*key));
    let last = nodes.next()?;
    Layout::of(nodes.fold(last, |below, node| {
        Node::Split(Box::new(Split {
            axis: Axis::Down,
            ratio: 0.3,
            first: node,
            second: below,
        }))
    }))
}

/// Moves a pane: none comes or goes by it, and a refusal changes nothing.
fn move_pane(
    world: &mut World,
    issued: &mut Issued,
    key: PaneKey,
    destination: Destination,
    focus: bool,
) {
    let before = (world.pane_count(), world.pane(key).unwrap().clone());
    match world.move_pane(key, destination, focus).unwrap() {
        Ok(relocation) => {
            if relocation.made_tab {
                issued.tab(relocation.tab);
            }
            issued.moved(world, &relocation);
            assert_eq!(
                world.tab(relocation.previous_tab).is_none(),
                relocation.closed_tab
            );
            assert!(!focus || world.is_focused(key));
        }
        Err(_) => {
            let pane = world.pane(key).unwrap();
            assert_eq!((pane.id(), pane.tab()), (before.1.id(), before.1.tab()));
        }
    }
    assert_eq!(world.pane_count(), before.0);
}

fn check_ratios(node: &Node) {
    if let Node::Split(split) = node {
        assert!((MIN_RATIO..=MAX_RATIO).contains(&split.ratio));
        check_ratios(&split.first);
        check_ratios(&split.second);
    }
}

/// Every cell of the area belongs to exactly one rectangle.
fn check_tiling(rects: &[Rect], area: Rect) {
    let mut cells = vec![0u8; usize::from(area.width) * usize::from(area.height)];
    for rect in rects {
        for y in rect.y..rect.y + rect.height {
            for x in rect.x..rect.x + rect.width {
                cells[usize::from(y - area.y) * usize::from(area.width)
                    + usize::from(x - area.x)] += 1;
            }
        }
    }
    assert!(cells.iter().all(|count| *count == 1));
}

fn check(world: &World) {
    let area = Rect {
        x: 3,
        y: 1,
        width: 37,
        height: 19,
    };
    let mut leaves = HashSet::new();
    for workspace in world.workspaces() {
        assert!(!workspace.tabs().is_empty());
        assert!(workspace.tab(workspace.active_tab()).is_some());
        assert_eq!(
            world.find_workspace(&workspace.id().to_string()),
            Some(workspace.id())
        );
        for tab in workspace.tabs() {
            assert_eq!(tab.id().workspace, workspace.id());
            assert_eq!(world.find_tab(&tab.id().to_string()), Some(tab.id()));
            let panes = tab.panes();
            assert_eq!(panes.len(), tab.pane_count());
            assert!(panes.contains(&tab.focused()) && panes.contains(&tab.root()));
            assert!(!tab.zoomed() || panes.len() > 1);
            assert!(tab.custom_label().is_some() || !world.tab_label(tab.id()).unwrap().is_empty());
            for key in panes {
                assert!(leaves.insert(key), "pane {key} is in two leaves");
                let pane = world.pane(key).unwrap();
                assert_eq!(
                    (pane.tab(), pane.id().workspace),
                    (tab.id(), workspace.id())
                );
                assert_eq!(world.find_pane(&pane.id().to_string()), Some(key));
                assert_eq!(world.find_canonical_pane(&pane.id().to_string()), Some(key));
            }
            check_ratios(tab.layout().root());
            let snapshot = world.layout_snapshot(tab.id(), area).unwrap();
            assert_eq!(snapshot.splits.len() + 1, snapshot.panes.len());
            let rects: Vec<Rect> = snapshot.panes.iter().map(|place| place.rect).collect();
            check_tiling(&rects, area);
        }
    }
    assert_eq!(leaves.len(), world.pane_count());
    assert_eq!(world.canonical.len(), world.pane_count());
    let aliases: usize = world.panes().map(|pane| pane.aliases().len()).sum();
    assert_eq!(world.aliases.len(), aliases);
    for key in world.aliases.values() {
        assert!(leaves.contains(key));
    }
    assert_eq!(world.focus().is_some(), !world.workspaces().is_empty());
}

proptest! {
    #[test]
    fn the_world_stays_whole(steps in prop::collection::vec(step(), 1..60)) {
        let mut world = World::new();
        let mut issued = Issued::default();
        for step in steps {
            apply(&mut world, &mut issued, step);
            check(&world);
        }
    }

    #[test]
    fn any_text_can_be_looked_up(text in "[wtp_:0-9A-Z-]{0,12}|\\PC{0,12}") {
        let mut world = World::new();
        add_workspace(&mut world);
        world.find_workspace(&text);
        world.find_tab(&text);
        world.find_pane(&text);
        world.find_canonical_pane(&text);
    }
}
