//! A tab built from a tree, of new panes and of present ones that move in (`layout.apply`), and the
//! tree of a tab as it is (`layout.export`).

use std::collections::HashMap;
use std::sync::Arc;

use crate::api::records::{LayoutDescription, LayoutNode, SplitDirection};
use crate::world::{
    Axis, Layout, Node, PaneKey, TabId, WorkspaceId, WorldError, splitting_order, terminal_size,
};

use super::create::Ids;
use super::starts::Started;
use super::{CreateError, Launch, Live, PaneEntry, Runtime, Shared};

/// A leaf of a tree that is to become a tab.
#[derive(Debug)]
pub struct Leaf {
    /// What goes there.
    pub content: Content,
    /// The pane's label; none leaves a present pane its own.
    pub label: Option<String>,
}

/// What goes into a leaf.
#[derive(Debug)]
pub enum Content {
    /// A pane that is there and keeps its program.
    Present(PaneKey),
    /// A new one.
    New(Launch),
}

/// Where a tree becomes a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// A tab there whose name and place in front the new one takes over.
    pub instead_of: Option<TabId>,
}

impl Shared {
    /// A new tab at the end of a workspace, laid out as the tree says. Present panes move into it
    /// with their programs; those of the replaced tab that the tree does not name stay there, and it
    /// goes only when none is left.
    ///
    /// # Errors
    /// See [`CreateError`]. Nothing is left of the attempt.
    pub fn apply_layout(
        &self,
        place: Place,
        root: Node<Leaf>,
        label: Option<String>,
        focus: bool,
    ) -> Result<TabId, CreateError> {
        let mut leaves = Vec::new();
        let root = root.map(&mut |leaf| {
            leaves.push(leaf);
            leaves.len() - 1
        });
        let order = splitting_order(&root);
        let is_new = |at: usize| matches!(leaves[at].content, Content::New(_));
        let fresh: Vec<usize> = order
            .iter()
            .map(|(at, _)| *at)
            .filter(|at| is_new(*at))
            .collect();
        self.room_for(fresh.len())?;
        let (new, geometry, follow) = {
            let mut live = self.look();
            let followed = match place.instead_of {
                Some(tab) => live.world.tab(tab).map(|tab| tab.focused()),
                None => live.world.focused_pane_of(place.workspace),
            };
            let follow = followed.and_then(|key| live.runtime(key));
            let new = live.world.reserve_layout(place.workspace, fresh.len())?;
            (new, live.geometry(), follow)
        };
        let ids: HashMap<usize, Ids> = fresh
            .iter()
            .zip(new.panes())
            .map(|(at, (key, pane))| {
                let ids = Ids {
                    key: *key,
                    pane: *pane,
                    tab: new.tab(),
                };
                (*at, ids)
            })
            .collect();
        let key_of = |at: usize| match &leaves[at].content {
            Content::Present(key) => *key,
            // Every new leaf got its ids above.
            Content::New(_) => ids[&at].key,
        };
        // No pane stands in the tree twice: whoever made it looked, and new ones are new.
        let layout = Layout::of(root.map(&mut |at| key_of(at))).ok_or(WorldError::TabFull)?;
        let bordered = geometry.borders && layout.pane_count() > 1;
        let places: HashMap<PaneKey, _> = layout.place_panes(geometry.area).into_iter().collect();
        let mut started: HashMap<PaneKey, (Started, PaneEntry)> = HashMap::new();
        for (at, from) in order {
            let Content::New(launch) = &leaves[at].content else {
                continue;
            };
            let launch = match from {
                // The configuration has a say only in where the first one starts (herdr 0.9.3).
                Some(from) if launch.cwd.is_none() => Launch {
                    cwd: self.beside(key_of(from), &started),
                    ..launch.clone()
                },
                _ => launch.clone(),
            };
            let size = terminal_size(places[&ids[&at].key], bordered);
            let one = self.start(&ids[&at], &launch, follow.clone(), size)?;
            started.insert(ids[&at].key, one);
        }

        let tab = new.tab();
        let labels: Vec<(PaneKey, String)> = leaves
            .iter()
            .enumerate()
            .filter_map(|(at, leaf)| Some((key_of(at), leaf.label.clone()?)))
            .collect();
        let panes = layout.panes();
        let mut live = self.change();
        let replaced = place.instead_of.and_then(|tab| live.world.tab(tab));
        let label = label.or(replaced.and_then(|tab| tab.custom_label().map(str::to_owned)));
        let in_front = live.world.focus().map(|focus| focus.tab);
        let focus = focus || (in_front.is_some() && in_front == place.instead_of);
        let moved = live.world.insert_layout(new, layout, label, focus)?;
        let mut waiting = Vec::with_capacity(started.len());
        for (key, (starting, entry)) in started {
            live.panes.insert(key, entry);
            waiting.push(starting);
        }
        for (key, label) in labels {
            live.world.rename_pane(key, Some(&label))?;
        }
        for relocation in &moved {
            live.leave(relocation);
        }
        live.announce_tab_created(tab);
        for key in panes {
            match moved.iter().find(|relocation| relocation.key == key) {
                Some(relocation) => live.announce_moved(relocation),
                None => live.announce_pane_created(key),
            }
        }
        let mut left: Vec<TabId> = Vec::new();
        for relocation in &moved {
            let source = relocation.previous_tab;
            if !left.contains(&source) && live.world.tab(source).is_some() {
                left.push(source);
            }
        }
        for tab in left.into_iter().chain([tab]) {
            live.relaid(Some(tab));
        }
        if focus {
            live.mark_active_tab_seen(&self.deadlines);
        }
        drop(live);
        for starting in waiting {
            self.begin(starting.pane);
        }
        Ok(tab)
    }

    /// Where the program of a pane is, which may have been started just now.
    fn beside(
        &self,
        key: PaneKey,
        started: &HashMap<PaneKey, (Started, PaneEntry)>,
    ) -> Option<std::path::PathBuf> {
        match started.get(&key) {
            Some((starting, _)) => Some(starting.pane().start_directory().to_owned()),
            None => {
                let runtime = self.look().runtime(key);
                // Reads the operating system, hence without the lock.
                runtime.and_then(|runtime| runtime.follow())
            }
        }
    }
}

impl Live {
    /// The handle of a pane.
    pub fn runtime(&self, key: PaneKey) -> Option<Arc<Runtime>> {
        Some(self.panes.get(&key)?.runtime.clone())
    }

    /// A tab as a tree that `layout.apply` can build again, with everything its panes were started
    /// with (herdr 0.9.3 leaves the environment out).
    pub fn layout_description(&self, id: TabId) -> Option<LayoutDescription> {
        let tab = self.world.tab(id)?;
        Some(LayoutDescription {
            workspace_id: id.workspace.to_string(),
            tab_id: id.to_string(),
            zoomed: tab.zoomed(),
            focused_pane_id: self.world.pane(tab.focused())?.id().to_string(),
            root: self.described(tab.layout().root())?,
        })
    }

    fn described(&self, node: &Node) -> Option<LayoutNode> {
        Some(match node {
            Node::Pane(key) => {
                let place = self.world.pane(*key)?;
                let entry = self.panes.get(key)?;
                let directories = entry.runtime.directories();
                LayoutNode::Pane {
                    pane_id: Some(place.id().to_string()),
                    label: place.label().map(str::to_owned),
                    cwd: directories
                        .cwd
                        .as_deref()
                        .map(|cwd| cwd.to_string_lossy().into_owned()),
                    command: entry.launch_argv.clone(),
                    env: entry.launch_env.clone(),
                }
            }
            Node::Split(split) => LayoutNode::Split {
                direction: match split.axis {
                    Axis::Right => SplitDirection::Right,
                    Axis::Down => SplitDirection::Down,
                },
                ratio: split.ratio,
                first: Box::new(self.described(&split.first)?),
                second: Box::new(self.described(&split.second)?),
            },
        })
    }
}
