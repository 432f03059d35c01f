//! A session whose database is lost, out of the panes that still run: each process was told where it lives.
//!
//! Labels, layouts and reports are gone with the database. That a pane can be reached again, under the id that its
//! programs know it by, is what matters: what runs in it is nowhere else.

use std::collections::{BTreeMap, HashSet};

use crate::agent::PaneAgent;
use crate::api::records::PaneRightClickTarget;
use crate::authority::{Grants, Token};
use crate::pane::StartingPane;
use crate::sys;
use crate::world::{
    Inconsistent, MAX_PANES_PER_TAB, PaneId, PaneKey, SavedNode, SavedOrder, SavedPlace, SavedTab,
    SavedWorkspace, TabId, World,
};

use super::create::terminal_id;
use super::restore::SavedState;
use super::save::{SavedPane, SavedSession, SavedWorkspaceRow};

/// The highest number that is believed: far more workspaces, tabs or panes than anybody makes, and far from where
/// counting on overflows.
const HIGHEST: u32 = 1 << 24;

/// A pane that runs, and what it was told when it was started.
#[derive(Debug, Clone, Copy)]
struct Survivor {
    key: u64,
    pane: Option<PaneId>,
    tab: Option<TabId>,
}

impl SavedState {
    /// A session of these panes, which nobody has saved.
    ///
    /// # Errors
    /// They do not make one, which cannot be.
    pub fn of_running(
        running: &BTreeMap<PaneKey, StartingPane>,
    ) -> Result<SavedState, Inconsistent> {
        let told = |pid: i32, name: &str| sys::process_variable(pid, name);
        let survivors: Vec<Survivor> = running
            .iter()
            .map(|(key, starting)| {
                let pid = starting.pane().shell_pid();
                Survivor {
                    key: key.number(),
                    pane: told(pid, "HERDR_PANE_ID").and_then(|id| id.parse().ok()),
                    tab: told(pid, "HERDR_TAB_ID").and_then(|id| id.parse().ok()),
                }
            })
            .collect();
        let (order, places) = places(&survivors);
        let panes = running.iter().map(|(key, starting)| {
            // Who it is stays known by what it carries.
            let token = told(starting.pane().shell_pid(), Token::VARIABLE);
            (*key, unknown_pane(token.unwrap_or_default()))
        });
        Ok(SavedState {
            world: World::restore(&order, &places)?,
            session: SavedSession {
                order,
                state_changes: 0,
            },
            workspaces: places.into_iter().map(SavedWorkspaceRow::from).collect(),
            panes: panes.collect(),
        })
    }
}

/// A pane of which only the token is known.
fn unknown_pane(token: String) -> SavedPane {
    SavedPane {
        directory: None,
        launch_argv: None,
        launch_env: BTreeMap::new(),
        agent: PaneAgent::default(),
        // What it held is not known, and nobody gets more than that.
        grants: Some(Grants::NONE),
        created_by: None,
        started_by: None,
        right_click: PaneRightClickTarget::default(),
        token,
        terminal_id: terminal_id(),
        revision: 0,
        title: None,
        state_changes: 0,
    }
}

/// Where each goes: to the place it was told, else to a workspace of its own.
fn places(survivors: &[Survivor]) -> (SavedOrder, Vec<SavedWorkspace>) {
    // By the numbers of workspaces and tabs, the panes as key and number.
    let mut workspaces: BTreeMap<u32, BTreeMap<u32, Vec<(u64, u32)>>> = BTreeMap::new();
    let (mut known, mut unplaced) = (HashSet::new(), Vec::new());
    for survivor in survivors {
        match survivor.pane {
            Some(pane) if is_likely(pane) && known.insert(pane) => {
                let here = |tab: &TabId| tab.workspace == pane.workspace && tab.number <= HIGHEST;
                let tab = survivor.tab.filter(here);
                let tabs = workspaces.entry(pane.workspace.number()).or_default();
                let mut number = tab.map_or(1, |tab| tab.number);
                while tabs
                    .get(&number)
                    .is_some_and(|panes| panes.len() >= MAX_PANES_PER_TAB)
                {
                    number += 1;
                }
                tabs.entry(number)
                    .or_default()
                    .push((survivor.key, pane.number));
            }
            _ => unplaced.push(survivor.key),
        }
    }
    for key in unplaced {
        let number = workspaces.keys().last().map_or(1, |last| last + 1);
        workspaces.insert(number, BTreeMap::from([(1, vec![(key, 1)])]));
    }
    let order = SavedOrder {
        workspaces: workspaces.keys().copied().collect(),
        active: workspaces.keys().next().copied(),
        workspaces_made: workspaces.keys().last().copied().unwrap_or(0),
        panes_made: survivors
            .iter()
            .map(|survivor| survivor.key)
            .max()
            .unwrap_or(0),
    };
    let workspaces = workspaces
        .into_iter()
        .map(|(number, tabs)| workspace(number, tabs));
    (order, workspaces.collect())
}

fn is_likely(pane: PaneId) -> bool {
    pane.workspace.number() <= HIGHEST && pane.number <= HIGHEST
}

fn workspace(number: u32, tabs: BTreeMap<u32, Vec<(u64, u32)>>) -> SavedWorkspace {
    SavedWorkspace {
        number,
        label: None,
        active_tab: tabs.keys().next().copied().unwrap_or(1),
        tabs_made: tabs.keys().last().copied().unwrap_or(1),
        panes_made: tabs
            .values()
            .flatten()
            .map(|(_, number)| *number)
            .max()
            .unwrap_or(1),
        tabs: tabs
            .into_iter()
            .filter_map(|(number, panes)| {
                let (first, _) = *panes.first()?;
                Some(SavedTab {
                    number,
                    label: None,
                    zoomed: false,
                    layout: layout(&panes),
                    root: first,
                    focused: first,
                    focused_before: None,
                })
            })
            .collect(),
    }
}

/// Panes beside and below each other in turn, each with as much room as every other one.
fn layout(panes: &[(u64, u32)]) -> Vec<SavedNode> {
    let mut nodes = Vec::with_capacity(2 * panes.len());
    for (index, (key, number)) in panes.iter().enumerate() {
        let left = panes.len() - index;
        if left > 1 {
            let share = 1.0 / left as f32;
            nodes.push(match index % 2 {
                0 => SavedNode::Right(share),
                _ => SavedNode::Down(share),
            });
        }
        nodes.push(SavedNode::Pane(SavedPlace {
            key: *key,
            number: *number,
            label: None,
            aliases: Vec::new(),
        }));
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn survivor(key: u64, pane: Option<&str>, tab: Option<&str>) -> Survivor {
        Survivor {
            key,
            pane: pane.map(|id| id.parse().unwrap()),
            tab: tab.map(|id| id.parse().unwrap()),
        }
    }

    #[test]
    fn panes_go_back_to_where_they_were_told_they_are_and_the_others_apart() {
        let survivors = [
            survivor(3, Some("w2:p5"), Some("w2:t2")),
            survivor(7, None, None),
            survivor(8, Some("w2:p6"), Some("w2:t2")),
            survivor(9, Some("w4:p1"), Some("w2:t2")),
            // Somebody who says that it is another.
            survivor(10, Some("w2:p5"), Some("w2:t1")),
        ];
        let (order, places) = places(&survivors);
        let world = World::restore(&order, &places).unwrap();
        let found: Vec<_> = world
            .panes()
            .map(|pane| {
                (
                    pane.key().number(),
                    pane.id().to_string(),
                    pane.tab().to_string(),
                )
            })
            .collect();
        let expected = [
            (3, "w2:p5", "w2:t2"),
            (8, "w2:p6", "w2:t2"),
            (9, "w4:p1", "w4:t1"),
            (7, "w5:p1", "w5:t1"),
            (10, "w6:p1", "w6:t1"),
        ];
        let expected = expected.map(|(key, pane, tab)| (key, pane.to_owned(), tab.to_owned()));
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn whatever_panes_say_they_make_a_session_of_all_of_them(
            said in prop::collection::vec((1u32..4, 1u32..40, 1u32..3, any::<bool>()), 0..300),
        ) {
            let survivors: Vec<_> = said
                .iter()
                .enumerate()
                .map(|(index, (workspace, number, tab, told))| {
                    let pane = format!("w{workspace}:p{}", PaneNumber(*number));
                    let tab = format!("w{workspace}:t{tab}");
                    survivor(index as u64 + 1, told.then_some(&*pane), told.then_some(&*tab))
                })
                .collect();
            let (order, places) = places(&survivors);
            let world = World::restore(&order, &places).unwrap();
            prop_assert_eq!(world.panes().count(), survivors.len());
        }
    }

    /// A number as ids spell it.
    struct PaneNumber(u32);

    impl std::fmt::Display for PaneNumber {
        fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            let id = PaneId {
                workspace: crate::world::WorkspaceId::new(1),
                number: self.0,
            };
            formatter.write_str(id.to_string().rsplit('p').next().unwrap_or_default())
        }
    }
}
