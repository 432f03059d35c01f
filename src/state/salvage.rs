//! Panes that still run and that no database knows, because it was lost or because the disk took nothing: back into the
//! session, for each process was told where it lives.
//!
//! Labels, layouts and reports of theirs are gone. That a pane can be reached again, under the id that its
//! programs know it by, is what matters: what runs in it is nowhere else.

use std::collections::BTreeMap;

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
use super::save::{SavedPane, SavedWorkspaceRow};

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
    /// The session together with the panes that run and that it does not know: those that were made after it was last
    /// saved, because the disk took nothing, or all of them if nothing is saved. A pane that it knew and that is not in
    /// it was closed.
    ///
    /// # Errors
    /// They do not make one, which cannot be.
    pub fn with_running(
        saved: Option<SavedState>,
        running: &BTreeMap<PaneKey, StartingPane>,
    ) -> Result<Option<SavedState>, Inconsistent> {
        let made = saved
            .as_ref()
            .map_or(0, |saved| saved.session.order.panes_made);
        let unknown: Vec<(PaneKey, i32)> = running
            .iter()
            .filter(|(key, _)| key.number() > made)
            .map(|(key, starting)| (*key, starting.pane().shell_pid()))
            .collect();
        if unknown.is_empty() {
            return Ok(saved);
        }
        log::error!(
            "of {} panes that run nothing is saved; they are put where they were told to be",
            unknown.len()
        );
        let (mut session, mut rows, mut panes) = match saved {
            Some(saved) => (saved.session, saved.workspaces, saved.panes),
            None => Default::default(),
        };
        let mut places: Vec<_> = rows.iter().map(|row| row.place.clone()).collect();
        let mut survivors = Vec::with_capacity(unknown.len());
        for (key, pid) in unknown {
            let told = |name: &str| sys::process_variable(pid, name);
            survivors.push(Survivor {
                key: key.number(),
                pane: told("HERDR_PANE_ID").and_then(|id| id.parse().ok()),
                tab: told("HERDR_TAB_ID").and_then(|id| id.parse().ok()),
            });
            // Who it is stays known by what it carries.
            panes.insert(key, unknown_pane(told(Token::VARIABLE).unwrap_or_default()));
        }
        // Those that were told nothing take no place of one that was.
        survivors.sort_by_key(|survivor| survivor.pane.is_none());
        for survivor in survivors {
            put(&mut session.order, &mut places, survivor);
        }
        let world = World::restore(&session.order, &places)?;
        for place in places {
            match rows.iter_mut().find(|row| row.place.number == place.number) {
                Some(row) => row.place = place,
                None => rows.push(SavedWorkspaceRow::from(place)),
            }
        }
        Ok(Some(SavedState {
            world,
            session,
            workspaces: rows,
            panes,
        }))
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
        state_since: 0,
        muted: false,
        plugin: None,
        token,
        terminal_id: terminal_id(),
        revision: 0,
        title: None,
        state_changes: 0,
    }
}

/// Puts a pane where it was told that it is, or into a workspace of its own.
fn put(order: &mut SavedOrder, workspaces: &mut Vec<SavedWorkspace>, survivor: Survivor) {
    let told = survivor
        .pane
        .filter(|pane| is_likely(*pane) && !is_taken(workspaces, *pane));
    let (number, tab, pane) = match told {
        Some(pane) => {
            let here = |tab: &TabId| tab.workspace == pane.workspace && tab.number <= HIGHEST;
            let tab = survivor.tab.filter(here).map_or(1, |tab| tab.number);
            (pane.workspace.number(), tab, pane.number)
        }
        None => (order.workspaces_made + 1, 1, 1),
    };
    let workspace = match workspaces.iter().position(|known| known.number == number) {
        Some(index) => &mut workspaces[index],
        None => {
            order.workspaces.push(number);
            order.active.get_or_insert(number);
            order.workspaces_made = order.workspaces_made.max(number);
            workspaces.push(SavedWorkspace {
                number,
                label: None,
                tabs: Vec::new(),
                active_tab: tab,
                tabs_made: 0,
                panes_made: 0,
            });
            // It was pushed just now.
            let last = workspaces.len() - 1;
            &mut workspaces[last]
        }
    };
    order.panes_made = order.panes_made.max(survivor.key);
    workspace.panes_made = workspace.panes_made.max(pane);
    let leaf = SavedNode::Pane(SavedPlace {
        key: survivor.key,
        number: pane,
        label: None,
        aliases: Vec::new(),
    });
    let full = |tab: &SavedTab| tab.layout.len() >= 2 * MAX_PANES_PER_TAB - 1;
    let mut number = tab;
    let found = loop {
        let found = workspace
            .tabs
            .iter()
            .position(|known| known.number == number);
        match found {
            Some(index) if full(&workspace.tabs[index]) => number += 1,
            found => break found,
        }
    };
    if let Some(index) = found {
        let tab = &mut workspace.tabs[index];
        // Beside or below all others, with as much room as each of them has.
        let others = tab.layout.len().div_ceil(2);
        let share = others as f32 / (others + 1) as f32;
        let split = match others % 2 {
            1 => SavedNode::Right(share),
            _ => SavedNode::Down(share),
        };
        tab.layout.insert(0, split);
        tab.layout.push(leaf);
        return;
    }
    workspace.tabs_made = workspace.tabs_made.max(number);
    workspace.tabs.push(SavedTab {
        number,
        label: None,
        zoomed: false,
        layout: vec![leaf],
        root: survivor.key,
        focused: survivor.key,
        focused_before: None,
    });
}

fn is_likely(pane: PaneId) -> bool {
    pane.workspace.number() <= HIGHEST && pane.number <= HIGHEST
}

/// Whether a pane has this id, or had it.
fn is_taken(workspaces: &[SavedWorkspace], id: PaneId) -> bool {
    let (workspace, number) = (id.workspace.number(), id.number);
    workspaces.iter().any(|place| {
        let nodes = place.tabs.iter().flat_map(|tab| &tab.layout);
        nodes.into_iter().any(|node| match node {
            SavedNode::Pane(pane) => {
                (place.number, pane.number) == (workspace, number)
                    || pane.aliases.contains(&(workspace, number))
            }
            SavedNode::Right(_) | SavedNode::Down(_) => false,
        })
    })
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

    /// The world of these alone.
    fn session(survivors: &[Survivor]) -> World {
        let (mut order, mut places) = (SavedOrder::default(), Vec::new());
        for survivor in survivors {
            put(&mut order, &mut places, *survivor);
        }
        World::restore(&order, &places).unwrap()
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
        let world = session(&survivors);
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
            (7, "w3:p1", "w3:t1"),
            (9, "w4:p1", "w4:t1"),
            (10, "w5:p1", "w5:t1"),
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
            let world = session(&survivors);
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
