//! The state with real panes behind it, without sockets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::authority::Place as Placed;
use crate::pane::process::{Own, Spawned};
use crate::pane::{Launch as PaneLaunch, Size};
use crate::sys;
use std::os::fd::BorrowedFd;
use std::sync::{Condvar, mpsc};

/// The state of a daemon whose configuration file is in a folder of its own. Its panes end with it.
pub(super) struct House {
    pub(super) shared: Arc<Shared>,
    folder: tempfile::TempDir,
}

impl House {
    pub(super) fn new() -> House {
        House::with(Arc::new(Own))
    }

    /// One whose processes are started by these.
    fn with(terminals: Arc<dyn Terminals>) -> House {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let identity = Identity {
            session: Default::default(),
            protocol_socket: path.join("socket"),
            herdr_executable: path.join("herdr"),
            link_dir: None,
            config_file: path.join("config.toml"),
            home: Some(path.clone()),
            start_dir: path,
            manifests: Default::default(),
            plugins: Default::default(),
        };
        let mut config = Config::default();
        config.terminal.default_shell = "/bin/cat".to_owned();
        let slots = Slots::new(Limits::from(&config.limits));
        let shared = Shared::new(
            identity,
            config,
            slots,
            Stop::new().unwrap(),
            terminals,
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

/// Starts a process, says which, and lets go of it only when it is told to: as a pane, or as a failure.
#[derive(Debug)]
struct Slow {
    started: Mutex<mpsc::Sender<i32>>,
    goes_on: Mutex<Option<bool>>,
    told: Condvar,
    /// Whose children they are said to be.
    parent: i32,
}

impl Slow {
    fn new(parent: i32) -> (Arc<Slow>, mpsc::Receiver<i32>) {
        let (started, starts) = mpsc::channel();
        let slow = Slow {
            started: Mutex::new(started),
            goes_on: Mutex::default(),
            told: Condvar::new(),
            parent,
        };
        (Arc::new(slow), starts)
    }

    fn tell(&self, is_pane: bool) {
        *lock(&self.goes_on) = Some(is_pane);
        self.told.notify_all();
    }
}

impl Terminals for Slow {
    fn open(
        &self,
        key: PaneKey,
        launch: &PaneLaunch,
        area: BorrowedFd<'_>,
    ) -> std::io::Result<Spawned> {
        let mut spawned = Own.open(key, launch, area)?;
        lock(&self.started).send(spawned.process.pid).unwrap();
        let goes_on = lock(&self.goes_on);
        let told = self.told.wait_while(goes_on, |told| told.is_none());
        if *told.unwrap() == Some(true) {
            return Ok(spawned);
        }
        crate::pane::process::signal(spawned.process.pid, crate::pane::process::GroupSignal::Kill);
        crate::pane::process::bury(&mut spawned.process)?;
        Err(std::io::ErrorKind::Other.into())
    }

    fn replace_area(&self, _: PaneKey, _: BorrowedFd<'_>) {}

    fn parent(&self) -> i32 {
        self.parent
    }
}

/// Where the first process of a pane is placed that calls while its pane is being started.
fn placed_early(becomes_pane: bool) -> (Placed, Option<PaneKey>) {
    let (slow, starts) = Slow::new(Own.parent());
    let house = House::with(slow.clone());
    let (placed, made) = std::thread::scope(|scope| {
        let made = scope.spawn(|| {
            house
                .shared
                .create_workspace(None, true, None, &Launch::default())
                .ok()
        });
        let pid = starts.recv().unwrap();
        let caller = Caller {
            pid: Some(pid),
            facts: sys::process_facts(pid),
            is_roots: false,
        };
        let shared = &house.shared;
        let placed = scope.spawn(move || shared.place(&caller));
        let deadline = Instant::now() + Duration::from_secs(10);
        while house.shared.starts.waiting() == 0 && !placed.is_finished() {
            assert!(Instant::now() < deadline);
            std::thread::yield_now();
        }
        slow.tell(becomes_pane);
        (placed.join().unwrap(), made.join().unwrap())
    });
    let live = house.shared.look();
    let key = made.map(|(_, _, pane)| live.world.find_pane(&pane.pane_id).unwrap());
    (placed, key)
}

#[test]
fn who_calls_while_its_pane_is_being_started_is_in_it() {
    let (placed, key) = placed_early(true);
    assert_eq!(placed, Placed::Pane(key.unwrap()));
}

#[test]
fn what_the_parent_of_the_panes_has_started_is_nobodys_call() {
    let caller = || {
        let pid = std::process::id().cast_signed();
        Caller {
            pid: Some(pid),
            facts: sys::process_facts(pid),
            is_roots: false,
        }
    };
    assert_eq!(House::new().shared.place(&caller()), Placed::Outside);
    // As if this test had been started by the keeper.
    let (slow, _starts) = Slow::new(nix::unistd::getppid().as_raw());
    assert_eq!(House::with(slow).shared.place(&caller()), Placed::Unplaced);
}

#[test]
fn who_calls_from_a_pane_that_never_was_is_nowhere() {
    assert_eq!(placed_early(false), (Placed::Unplaced, None));
}

#[test]
fn those_that_make_one_another_and_go_leave_a_bounded_chain_and_then_none() {
    let house = House::new();
    let first = house.workspace();
    let made_by = |maker: PaneKey| {
        let launch = Launch {
            created_by: Some(maker),
            ..Launch::default()
        };
        let made = house
            .shared
            .split(first, world::Axis::Right, 0.5, false, &launch);
        let id = made.unwrap().pane_id;
        house.shared.look().world.find_pane(&id).unwrap()
    };
    let mut last = made_by(first);
    let second = last;
    for _ in 0..70 {
        let next = made_by(last);
        house.close(last);
        last = next;
        assert!(house.shared.look().lineage.len() <= 64);
    }
    let live = house.shared.look();
    let whose = |caller| live.whose(Placed::Pane(caller), last);
    assert_eq!(whose(first), crate::authority::Whose::Other, "too far away");
    assert_eq!(whose(second), crate::authority::Whose::Other);
    drop(live);
    house.close(last);
    assert!(house.shared.look().lineage.is_empty());
}
