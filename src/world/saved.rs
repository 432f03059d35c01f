//! The world as it is written down: plain records, and the way back, which believes nothing.
//!
//! A record is one workspace, so that a change writes what it changed. The layout tree is written
//! flat, in pre-order: nested text would be as deep as the tree, and readers of JSON stop at 128.

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::ids::{PaneId, PaneKey, TabId, WorkspaceId};
use super::layout::{Axis, Layout, MAX_PANES_PER_TAB, Node, Split, clamp_ratio};
use super::tab::Tab;
use super::tree::{Pane, World};
use super::workspace::Workspace;

/// What belongs to no workspace: order, focus, and counters that never go back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SavedOrder {
    /// The numbers of the workspaces in display order.
    pub workspaces: Vec<u32>,
    /// The number of the active one.
    pub active: Option<u32>,
    /// The last number that was given to a workspace.
    pub workspaces_made: u32,
    /// The last key that was given to a pane.
    pub panes_made: u64,
}

/// One workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedWorkspace {
    /// The number behind its id.
    pub number: u32,
    /// Its custom label.
    #[serde(default)]
    pub label: Option<String>,
    /// Its tabs in display order.
    pub tabs: Vec<SavedTab>,
    /// The number of its active tab.
    pub active_tab: u32,
    /// The last number that was given to a tab.
    pub tabs_made: u32,
    /// The last number that was given to a pane.
    pub panes_made: u32,
}

/// One tab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedTab {
    /// The number behind its id.
    pub number: u32,
    /// Its custom label.
    #[serde(default)]
    pub label: Option<String>,
    /// Whether the focused pane covers it.
    #[serde(default)]
    pub zoomed: bool,
    /// The tree in pre-order.
    pub layout: Vec<SavedNode>,
    /// The key of the pane that stands for the tab.
    pub root: u64,
    /// The key of its focused pane.
    pub focused: u64,
    /// The key of the pane that had the focus before.
    #[serde(default)]
    pub focused_before: Option<u64>,
}

/// One node of a layout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedNode {
    /// A leaf.
    Pane(SavedPlace),
    /// Two nodes side by side; they follow. The number is the first one's share.
    Right(f32),
    /// Two nodes one above the other; they follow.
    Down(f32),
}

/// Where a pane is and what it is called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedPlace {
    /// The internal key.
    pub key: u64,
    /// The number behind its id.
    pub number: u32,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Workspace and pane numbers of its former ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<(u32, u32)>,
}

/// Why records do not make a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inconsistent(String);

impl fmt::Display for Inconsistent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Inconsistent {}

impl World {
    /// What belongs to no workspace.
    pub fn save_order(&self) -> SavedOrder {
        SavedOrder {
            workspaces: self.workspaces.iter().map(|w| w.id.number()).collect(),
            active: self.active.map(WorkspaceId::number),
            workspaces_made: self.workspaces_made,
            panes_made: self.panes_made,
        }
    }

    /// A workspace with its tabs and the places of its panes.
    pub fn save_workspace(&self, workspace: &Workspace) -> SavedWorkspace {
        SavedWorkspace {
            number: workspace.id.number(),
            label: workspace.custom_label.clone(),
            tabs: workspace.tabs.iter().map(|t| self.save_tab(t)).collect(),
            active_tab: workspace.active.number,
            tabs_made: workspace.tabs_made,
            panes_made: workspace.panes_made,
        }
    }

    fn save_tab(&self, tab: &Tab) -> SavedTab {
        let mut layout = Vec::new();
        self.save_node(tab.layout().root(), &mut layout);
        SavedTab {
            number: tab.id.number,
            label: tab.custom_label.clone(),
            zoomed: tab.zoomed,
            layout,
            root: tab.root().number(),
            focused: tab.focused().number(),
            focused_before: tab.focused_before.map(PaneKey::number),
        }
    }

    fn save_node(&self, node: &Node, nodes: &mut Vec<SavedNode>) {
        match node {
            // Every pane of a tree is in the index.
            Node::Pane(key) => nodes.extend(self.panes.get(key).map(|pane| {
                SavedNode::Pane(SavedPlace {
                    key: key.number(),
                    number: pane.id.number,
                    label: pane.label.clone(),
                    aliases: pane
                        .aliases
                        .iter()
                        .map(|former| (former.workspace.number(), former.number))
                        .collect(),
                })
            })),
            Node::Split(split) => {
                nodes.push(match split.axis {
                    Axis::Right => SavedNode::Right(split.ratio),
                    Axis::Down => SavedNode::Down(split.ratio),
                });
                self.save_node(&split.first, nodes);
                self.save_node(&split.second, nodes);
            }
        }
    }

    /// The world of these records. Counters that lie behind what is there are moved past it; all
    /// else that does not fit together is refused.
    ///
    /// # Errors
    /// What does not fit together.
    pub fn restore(
        order: &SavedOrder,
        workspaces: &[SavedWorkspace],
    ) -> Result<World, Inconsistent> {
        let mut world = World {
            workspaces_made: order.workspaces_made,
            panes_made: order.panes_made,
            ..World::default()
        };
        for number in &order.workspaces {
            let saved = workspaces
                .iter()
                .find(|saved| saved.number == *number)
                .ok_or_else(|| wrong(format!("workspace {number} is listed and not there")))?;
            world.restore_workspace(saved)?;
        }
        if world.workspaces.len() != workspaces.len() {
            return Err(wrong("a workspace is there and not listed"));
        }
        world.active = order.active.map(WorkspaceId::new);
        match world.active {
            Some(id) if world.workspace(id).is_none() => {
                return Err(wrong("the active workspace is not there"));
            }
            None if !world.workspaces.is_empty() => {
                return Err(wrong("no workspace is active"));
            }
            _ => {}
        }
        Ok(world)
    }

    fn restore_workspace(&mut self, saved: &SavedWorkspace) -> Result<(), Inconsistent> {
        let id = WorkspaceId::new(saved.number);
        if saved.number == 0 || self.workspace(id).is_some() {
            return Err(wrong(format!("workspace {} is there twice", saved.number)));
        }
        let mut workspace = Workspace {
            id,
            custom_label: saved.label.clone(),
            tabs: Vec::with_capacity(saved.tabs.len()),
            active: TabId {
                workspace: id,
                number: saved.active_tab,
            },
            tabs_made: saved.tabs_made,
            panes_made: saved.panes_made,
        };
        for tab in &saved.tabs {
            let tab_id = TabId {
                workspace: id,
                number: tab.number,
            };
            if tab.number == 0 || workspace.tab(tab_id).is_some() {
                return Err(wrong(format!("tab {tab_id} is there twice")));
            }
            let restored = self.restore_tab(tab_id, tab, &mut workspace.panes_made)?;
            workspace.tabs.push(restored);
            workspace.tabs_made = workspace.tabs_made.max(tab.number);
        }
        if workspace.tab(workspace.active).is_none() {
            return Err(wrong(format!("the active tab of {id} is not there")));
        }
        self.workspaces_made = self.workspaces_made.max(saved.number);
        self.workspaces.push(workspace);
        Ok(())
    }

    fn restore_tab(
        &mut self,
        id: TabId,
        saved: &SavedTab,
        panes_made: &mut u32,
    ) -> Result<Tab, Inconsistent> {
        if saved.layout.len() > 2 * MAX_PANES_PER_TAB - 1 {
            return Err(wrong(format!("tab {id} has more panes than a tab may")));
        }
        let mut nodes = saved.layout.iter();
        let mut keys = HashSet::new();
        let root = self.restore_node(id, &mut nodes, &mut keys, panes_made)?;
        if nodes.next().is_some() {
            return Err(wrong(format!("the layout of {id} does not end")));
        }
        let has = |key: u64| keys.contains(&PaneKey::new(key));
        if !has(saved.root) || !has(saved.focused) || !saved.focused_before.is_none_or(has) {
            return Err(wrong(format!("tab {id} names a pane that is not in it")));
        }
        Ok(Tab {
            id,
            custom_label: saved.label.clone(),
            zoomed: saved.zoomed && keys.len() > 1,
            layout: Layout::of(root)
                .ok_or_else(|| wrong(format!("tab {id} has more panes than a tab may")))?,
            root: PaneKey::new(saved.root),
            focused: PaneKey::new(saved.focused),
            focused_before: saved.focused_before.map(PaneKey::new),
        })
    }

    fn restore_node(
        &mut self,
        tab: TabId,
        nodes: &mut std::slice::Iter<'_, SavedNode>,
        keys: &mut HashSet<PaneKey>,
        panes_made: &mut u32,
    ) -> Result<Node, Inconsistent> {
        let cut = || wrong(format!("the layout of {tab} is cut off"));
        let (axis, ratio) = match nodes.next().ok_or_else(cut)? {
            SavedNode::Pane(place) => {
                let key = self.restore_place(tab, place)?;
                keys.insert(key);
                *panes_made = (*panes_made).max(place.number);
                return Ok(Node::Pane(key));
            }
            SavedNode::Right(ratio) => (Axis::Right, ratio),
            SavedNode::Down(ratio) => (Axis::Down, ratio),
        };
        // The depth is bounded by the number of nodes, which was checked.
        let first = self.restore_node(tab, nodes, keys, panes_made)?;
        let second = self.restore_node(tab, nodes, keys, panes_made)?;
        Ok(Node::Split(Box::new(Split {
            axis,
            ratio: clamp_ratio(*ratio),
            first,
            second,
        })))
    }

    fn restore_place(&mut self, tab: TabId, saved: &SavedPlace) -> Result<PaneKey, Inconsistent> {
        let key = PaneKey::new(saved.key);
        let id = PaneId {
            workspace: tab.workspace,
            number: saved.number,
        };
        if saved.key == 0 || saved.number == 0 || self.panes.contains_key(&key) {
            return Err(wrong(format!("pane {} is there twice", saved.key)));
        }
        if self.canonical.insert(id, key).is_some() {
            return Err(wrong(format!("two panes are {id}")));
        }
        let aliases: Vec<PaneId> = saved
            .aliases
            .iter()
            .map(|(workspace, number)| PaneId {
                workspace: WorkspaceId::new(*workspace),
                number: *number,
            })
            .collect();
        self.aliases
            .extend(aliases.iter().map(|alias| (*alias, key)));
        self.panes_made = self.panes_made.max(saved.key);
        let pane = Pane {
            key,
            id,
            tab,
            label: saved.label.clone(),
            aliases,
        };
        self.panes.insert(key, pane);
        Ok(key)
    }
}

fn wrong(what: impl Into<String>) -> Inconsistent {
    Inconsistent(what.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::properties::{add_pane, add_tab, add_workspace};

    fn saved(world: &World) -> (SavedOrder, Vec<SavedWorkspace>) {
        let workspaces = world.workspaces().iter();
        (
            world.save_order(),
            workspaces.map(|w| world.save_workspace(w)).collect(),
        )
    }

    /// Two workspaces, two tabs, a nested split, a zoom, labels, an alias and a spent id.
    fn world() -> World {
        let mut world = World::new();
        let (first, pane) = add_workspace(&mut world);
        let (second, _) = add_workspace(&mut world);
        add_tab(&mut world, first, true);
        let right = add_pane(&mut world, pane, Axis::Right);
        let below = add_pane(&mut world, right, Axis::Down);
        world.rename_pane(below, Some("build")).unwrap();
        world.rename_workspace(second, "deploy".into()).unwrap();
        let former = "w9:p4".parse().unwrap();
        world.add_alias(right, former).unwrap();
        world.zoom(right, crate::world::ZoomMode::On).unwrap();
        let spent = add_pane(&mut world, right, Axis::Down);
        world.close_pane(spent).unwrap();
        world.move_workspace(second, 0).unwrap();
        world
    }

    #[test]
    fn what_is_saved_comes_back_the_same_also_as_text() {
        let world = world();
        let text = serde_json::to_string(&saved(&world)).unwrap();
        let (order, workspaces): (SavedOrder, Vec<SavedWorkspace>) =
            serde_json::from_str(&text).unwrap();
        let back = World::restore(&order, &workspaces).unwrap();
        assert_eq!(saved(&back), (order, workspaces));
        assert_eq!(back.focus(), world.focus());
        assert_eq!(back.find_pane("w9:p4"), world.find_pane("w9:p4"));
        assert!(back.find_canonical_pane("w1:p2").is_some());
    }

    #[test]
    fn ids_go_on_where_they_were_also_those_that_are_gone() {
        let (order, workspaces) = saved(&world());
        let mut back = World::restore(&order, &workspaces).unwrap();
        assert_eq!(back.reserve_workspace().unwrap().workspace().number(), 3);
        let pane = back.find_pane("w1:p1").unwrap();
        assert_eq!(
            back.reserve_pane(pane).unwrap().pane().to_string(),
            "w1:p6",
            "p5 was closed"
        );
    }

    #[test]
    fn counters_that_lie_behind_are_moved_past_what_is_there() {
        let (mut order, mut workspaces) = saved(&world());
        order.panes_made = 0;
        order.workspaces_made = 0;
        workspaces[1].panes_made = 0;
        workspaces[1].tabs_made = 0;
        let mut back = World::restore(&order, &workspaces).unwrap();
        assert_eq!(back.reserve_workspace().unwrap().workspace().number(), 3);
        let first = WorkspaceId::new(1);
        assert_eq!(back.reserve_tab(first).unwrap().tab().number, 3);
    }

    #[test]
    fn a_tree_as_deep_as_a_tab_allows_survives_as_text() {
        let mut world = World::new();
        let (_, mut pane) = add_workspace(&mut world);
        for _ in 1..MAX_PANES_PER_TAB {
            pane = add_pane(&mut world, pane, Axis::Right);
        }
        let text = serde_json::to_string(&saved(&world)).unwrap();
        let (order, workspaces): (SavedOrder, Vec<SavedWorkspace>) =
            serde_json::from_str(&text).unwrap();
        let back = World::restore(&order, &workspaces).unwrap();
        assert_eq!(back.pane_count(), MAX_PANES_PER_TAB);
    }

    #[test]
    fn records_that_do_not_fit_together_are_refused_by_what_is_wrong() {
        type Break = fn(&mut SavedOrder, &mut Vec<SavedWorkspace>);
        let cases: &[(Break, &str)] = &[
            (|order, _| order.workspaces.push(7), "not there"),
            (|order, _| order.workspaces.truncate(1), "not listed"),
            (|order, _| order.workspaces = vec![2, 2], "twice"),
            (|order, _| order.active = Some(9), "active workspace"),
            (|order, _| order.active = None, "no workspace is active"),
            (|_, all| all[1].active_tab = 9, "active tab"),
            (|_, all| all[1].tabs[1].number = 1, "twice"),
            (|_, all| drop(all[1].tabs[0].layout.pop()), "is cut off"),
            (
                |_, all| {
                    let again = all[1].tabs[0].layout[1].clone();
                    all[1].tabs[0].layout.push(again);
                },
                "does not end",
            ),
            (|_, all| all[1].tabs[0].focused = 99, "not in it"),
            (
                |_, all| {
                    let again = all[0].tabs[0].layout[0].clone();
                    all[1].tabs[0].layout[1] = again;
                },
                "twice",
            ),
        ];
        for (broken, expected) in cases {
            let (mut order, mut workspaces) = saved(&world());
            broken(&mut order, &mut workspaces);
            let error = World::restore(&order, &workspaces).unwrap_err().to_string();
            assert!(error.contains(expected), "{error} / {expected}");
        }
    }
}
