//! Finding workspaces, tabs and panes by every spelling that herdr 0.9.3 accepts.
//!
//! Besides its canonical id a thing can be named by position, and a pane by older forms. Only
//! agent targets insist on the canonical id ([`World::find_canonical_pane`]).

use super::ids::{PaneId, PaneKey, TabId, WorkspaceId, parse_number};
use super::tree::{World, WorldError};
use super::workspace::Workspace;

/// The most former ids that one pane keeps. Each costs a few bytes and comes from a move to
/// another workspace; the oldest goes first.
const MAX_ALIASES: usize = 64;

impl World {
    /// A workspace by its id, or as `w_<n>` or `<n>` by its 1-based position.
    pub fn find_workspace(&self, text: &str) -> Option<WorkspaceId> {
        self.spelled_workspace(text).map(Workspace::id)
    }

    /// A tab as `<workspace>:t<N>` by its id, or as `<workspace>:<n>` or `t_<workspace>_<n>` by its
    /// 1-based position.
    pub fn find_tab(&self, text: &str) -> Option<TabId> {
        if let Some((workspace, rest)) = text.rsplit_once(':') {
            let workspace = self.spelled_workspace(workspace)?;
            if let Some(number) = rest.strip_prefix('t') {
                let id = TabId {
                    workspace: workspace.id(),
                    number: parse_number(number)?,
                };
                return workspace.tab(id).map(|tab| tab.id());
            }
            return at_position(workspace.tabs(), rest).map(|tab| tab.id());
        }
        let (workspace, position) = text.strip_prefix("t_")?.rsplit_once('_')?;
        at_position(self.spelled_workspace(workspace)?.tabs(), position).map(|tab| tab.id())
    }

    /// A pane by a former id, as `p_<workspace>_<key>` or `p_<key>` by its internal number, as
    /// `<workspace>:p<N>` by its id, or as `<workspace>-<n>` by its number in decimal.
    pub fn find_pane(&self, text: &str) -> Option<PaneKey> {
        if let Ok(id) = text.parse::<PaneId>() {
            let known = self.aliases.get(&id).or_else(|| self.canonical.get(&id));
            if known.is_some() {
                return known.copied();
            }
        }
        if let Some(rest) = text.strip_prefix("p_") {
            return self.find_by_key(rest);
        }
        let (workspace, number) = if let Some((workspace, number)) = text.rsplit_once(":p") {
            (workspace, parse_number(number)?)
        } else {
            let (workspace, number) = text.rsplit_once('-')?;
            (workspace, decimal(number)?)
        };
        let workspace = self.spelled_workspace(workspace)?.id();
        self.canonical.get(&PaneId { workspace, number }).copied()
    }

    /// A pane only by its current canonical id: no former id and no other form.
    pub fn find_canonical_pane(&self, text: &str) -> Option<PaneKey> {
        self.canonical.get(&text.parse().ok()?).copied()
    }

    /// Lets a pane answer to an id that it had before it moved, for the rest of its life.
    ///
    /// # Errors
    /// [`WorldError::PaneGone`].
    pub fn add_alias(&mut self, key: PaneKey, former: PaneId) -> Result<(), WorldError> {
        let pane = self.panes.get_mut(&key).ok_or(WorldError::PaneGone)?;
        if pane.aliases.len() == MAX_ALIASES {
            let oldest = pane.aliases.remove(0);
            self.aliases.remove(&oldest);
        }
        pane.aliases.push(former);
        self.aliases.insert(former, key);
        Ok(())
    }

    fn spelled_workspace(&self, text: &str) -> Option<&Workspace> {
        if let Ok(id) = text.parse()
            && let Some(workspace) = self.workspace(id)
        {
            return Some(workspace);
        }
        at_position(self.workspaces(), text.strip_prefix("w_").unwrap_or(text))
    }

    fn find_by_key(&self, text: &str) -> Option<PaneKey> {
        let (workspace, key) = match text.rsplit_once('_') {
            Some((workspace, key)) => (Some(self.spelled_workspace(workspace)?.id()), key),
            None => (None, text),
        };
        let pane = self.pane(PaneKey::new(decimal(key)?))?;
        let fits = workspace.is_none_or(|workspace| workspace == pane.id.workspace);
        fits.then_some(pane.key)
    }
}

/// The item at a 1-based position written in decimal.
fn at_position<'a, T>(items: &'a [T], text: &str) -> Option<&'a T> {
    items.get(decimal::<usize>(text)?.checked_sub(1)?)
}

/// A number in decimal digits only: no sign, no blanks.
fn decimal<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Axis;
    use crate::world::properties::{add_pane, add_tab, add_workspace};

    /// w1 with t1 (p1, p2) and t2 (p3), then w2.
    fn world() -> World {
        let mut world = World::new();
        let (first, root) = add_workspace(&mut world);
        add_pane(&mut world, root, Axis::Right);
        add_tab(&mut world, first, false);
        add_workspace(&mut world);
        world
    }

    fn pane(world: &World, text: &str) -> Option<String> {
        let key = world.find_pane(text)?;
        Some(world.pane(key).unwrap().id().to_string())
    }

    #[test]
    fn workspaces_are_found_by_id_and_by_position() {
        let mut world = world();
        let second = world.find_workspace("w2").unwrap();
        assert_eq!(world.find_workspace("2"), Some(second));
        assert_eq!(world.find_workspace("w_2"), Some(second));
        world.move_workspace(second, 0).unwrap();
        assert_eq!(world.find_workspace("1"), Some(second));
        assert_eq!(world.find_workspace("w2"), Some(second));
        for text in ["", "0", "3", "w3", "w_", "w_0", "+1", "-1", "1 ", "w_+1"] {
            assert_eq!(world.find_workspace(text), None, "{text:?}");
        }
    }

    #[test]
    fn tabs_are_found_by_number_and_by_position() {
        let mut world = world();
        let second = world.find_tab("w1:t2").unwrap();
        for text in ["1:t2", "w1:2", "w_1:2", "t_w1_2", "t_1_2", "t_w_1_2"] {
            assert_eq!(world.find_tab(text), Some(second), "{text:?}");
        }
        world.move_tab(second, 0).unwrap();
        assert_eq!(world.find_tab("w1:1"), Some(second));
        assert_eq!(world.find_tab("w1:t2"), Some(second));
        for text in [
            "", "w1", "t2", "w1:", "w1:t", "w1:t9", "w1:0", "w9:t1", "t_2",
        ] {
            assert_eq!(world.find_tab(text), None, "{text:?}");
        }
    }

    #[test]
    fn panes_are_found_in_every_form() {
        let world = world();
        let second = world.find_pane("w1:p2").unwrap().number();
        for text in [
            "w1:p2".to_owned(),
            "1:p2".to_owned(),
            "w_1:p2".to_owned(),
            "w1-2".to_owned(),
            "1-2".to_owned(),
            format!("p_{second}"),
            format!("p_w1_{second}"),
            format!("p_1_{second}"),
            format!("p_w_1_{second}"),
        ] {
            assert_eq!(pane(&world, &text).as_deref(), Some("w1:p2"), "{text:?}");
        }
        let wrong_workspace = format!("p_w2_{second}");
        for text in [
            "",
            "p1",
            "p2",
            "w1",
            "w1:p",
            "w1:p9",
            "w1-",
            "w1-A",
            "p_",
            "p__",
            "p_0",
            &wrong_workspace,
        ] {
            assert_eq!(pane(&world, text), None, "{text:?}");
        }
    }

    #[test]
    fn the_strict_lookup_takes_only_the_current_id() {
        let world = world();
        assert!(world.find_canonical_pane("w1:p2").is_some());
        for text in ["1:p2", "w1-2", "p_2", "w_1:p2", "W1:p2", "w1:p2 "] {
            assert_eq!(world.find_canonical_pane(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_former_id_works_for_life_but_not_strictly() {
        let mut world = world();
        let key = world.find_pane("w2:p1").unwrap();
        let former = "w9:p4".parse().unwrap();
        world.add_alias(key, former).unwrap();
        assert_eq!(world.find_pane("w9:p4"), Some(key));
        assert_eq!(world.find_canonical_pane("w9:p4"), None);
        world.close_pane(key).unwrap();
        assert_eq!(world.find_pane("w9:p4"), None);
    }

    #[test]
    fn a_pane_keeps_a_bounded_number_of_former_ids() {
        let mut world = world();
        let key = world.find_pane("w2:p1").unwrap();
        for number in 1..=MAX_ALIASES as u32 + 1 {
            let workspace = WorkspaceId::new(9);
            world.add_alias(key, PaneId { workspace, number }).unwrap();
        }
        assert_eq!(world.pane(key).unwrap().aliases().len(), MAX_ALIASES);
        assert_eq!(world.find_pane("w9:p1"), None);
        assert_eq!(world.find_pane("w9:p2"), Some(key));
    }
}
