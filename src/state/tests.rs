//! The state with real panes behind it, without sockets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::pane::Size;

/// The state of a daemon whose configuration file is in a folder of its own. Its panes end with it.
pub(super) struct House {
    pub(super) shared: Arc<Shared>,
    folder: tempfile::TempDir,
}

impl House {
    pub(super) fn new() -> House {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let identity = Identity {
            protocol_socket: path.join("socket"),
            herdr_executable: path.join("herdr"),
            link_dir: None,
            config_file: path.join("config.toml"),
            home: Some(path.clone()),
            start_dir: path,
            manifests: Default::default(),
        };
        let mut config = Config::default();
        config.terminal.default_shell = "/bin/cat".to_owned();
        let slots = Slots::new(Limits::from(&config.limits));
        let shared = Shared::new(
            identity,
            config,
            slots,
            Stop::new().unwrap(),
            Arc::new(crate::pane::process::Own),
            Store::nowhere(),
        );
        House { shared, folder }
    }

    /// A workspace with one pane.
    pub(super) fn workspace(&self) -> PaneKey {
        let made = self
            .shared
            .create_workspace(None, true, None, &Launch::default());
        let (_, _, pane) = made.unwrap();
        self.shared.look().world.find_pane(&pane.pane_id).unwrap()
    }

    /// A pane beside another.
    pub(super) fn split(&self, pane: PaneKey) -> PaneKey {
        let made = self
            .shared
            .split(pane, world::Axis::Right, 0.5, false, &Launch::default());
        let id = made.unwrap().pane_id;
        self.shared.look().world.find_pane(&id).unwrap()
    }

    fn pane(&self, key: PaneKey) -> Arc<Pane> {
        self.shared.look().pane(key).unwrap().runtime.pane.clone()
    }

    fn size(&self, key: PaneKey) -> (u16, u16) {
        let Size { cols, rows } = self.pane(key).size();
        (cols, rows)
    }

    /// Takes a pane out of the world, as `pane.close` does.
    fn close(&self, key: PaneKey) {
        self.shared
            .change()
            .remove_pane(key, Leaving::Closed, &self.shared.deadlines)
            .unwrap();
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let runtimes = self.shared.look().runtimes();
        for runtime in &runtimes {
            runtime.pane.close();
        }
        let deadline = Instant::now() + Duration::from_secs(10);
        for runtime in runtimes {
            runtime.pane.wait_finished(deadline);
        }
    }
}

#[test]
fn panes_follow_a_configuration_that_is_read_again() {
    let house = House::new();
    let alone = house.workspace();
    let first = house.workspace();
    let second = house.split(first);
    assert_eq!(house.size(alone), (120, 40));
    let shown = house.size(first);
    let text = "[server]\nheadless_cols = 200\nheadless_rows = 50\n";
    std::fs::write(house.folder.path().join("config.toml"), text).unwrap();
    house.shared.reload_config();
    assert_eq!(house.size(alone), (200, 50));
    assert_eq!(house.size(first), house.size(second));
    assert!(house.size(first).0 > shown.0);

    let text = format!("{text}[ui]\npane_borders = false\n");
    std::fs::write(house.folder.path().join("config.toml"), text).unwrap();
    house.shared.reload_config();
    assert_eq!(house.size(first).0 + house.size(second).0, 200);
}

#[test]
fn a_closed_pane_is_remembered_only_until_the_next_close_after_its_end() {
    let house = House::new();
    let first = house.workspace();
    let ended: Vec<_> = (0..3)
        .map(|_| {
            let key = house.split(first);
            let pane = house.pane(key);
            house.close(key);
            pane
        })
        .collect();
    assert_eq!(house.shared.look().dying().len(), 3);
    let deadline = Instant::now() + Duration::from_secs(10);
    for pane in ended {
        assert!(pane.wait_finished(deadline));
    }
    // The threads let go of their panes a moment after they said that they were done.
    while !house.shared.look().dying().is_empty() {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    house.close(house.split(first));
    assert_eq!(house.shared.look().dying.len(), 1);
}
