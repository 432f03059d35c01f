//! What a service manager holds of the panes, so that they outlive both processes of the daemon: systemd's descriptor
//! store. Whoever is started next is given it back, with the names that it was stored under.

use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::time::Duration;

use super::Manager;
use crate::keeper::kept::Kept;
use crate::keeper::message::{KeptPane, OsText};
use crate::sys;

/// How long the service manager may take for one message. It reads them all day; one that does not is stopped.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is stored of a pane, by the last word of its names and in the order of [`Kept::received`].
const PARTS: [&str; 3] = ["master", "slave", "area"];

/// The way to the service manager's store.
#[derive(Debug)]
pub struct DescriptorStore {
    manager: UnixDatagram,
    /// How many descriptors it takes.
    room: usize,
    /// By the panes' numbers, the names of what it holds.
    held: BTreeMap<u64, Vec<String>>,
}

impl DescriptorStore {
    /// The store of the service manager that started this process; none where nobody has one.
    pub fn of_environment() -> Option<DescriptorStore> {
        let room = is_there()?;
        let connect = || {
            let manager = Manager::of_environment().connect()?;
            manager.set_write_timeout(Some(PATIENCE))?;
            io::Result::Ok(manager)
        };
        match connect() {
            Ok(manager) => Some(DescriptorStore {
                manager,
                room,
                held: BTreeMap::new(),
            }),
            Err(error) => {
                log::warn!("the service manager cannot hold the panes: {error}");
                None
            }
        }
    }

    /// Has a pane held.
    pub fn keep(&mut self, kept: &Kept) {
        let descriptors = kept.descriptors();
        let held: usize = self.held.values().map(Vec::len).sum();
        if held + descriptors.len() > self.room {
            log::warn!(
                "the service manager holds {held} descriptors of at most {}: pane {} will not outlive the daemon",
                self.room,
                kept.pane.pane
            );
            return;
        }
        let Some(names) = names(&kept.pane) else {
            return;
        };
        let names = names.into_iter().zip(descriptors);
        let names = names.map(|(name, descriptor)| {
            // It would let go of terminals that it takes for hung up.
            self.say(
                &format!("FDSTORE=1\nFDPOLL=0\nFDNAME={name}"),
                Some(descriptor),
            );
            name
        });
        let names = names.collect();
        self.held.insert(kept.pane.pane, names);
    }

    /// Notes a pane that is held already.
    pub fn is_holding(&mut self, kept: &Kept) {
        let names = names(&kept.pane).into_iter().flatten();
        let names = names.take(kept.descriptors().len());
        self.held.insert(kept.pane.pane, names.collect());
    }

    /// Has a pane held no longer.
    pub fn forget(&mut self, pane: u64) {
        for name in self.held.remove(&pane).unwrap_or_default() {
            self.say(&format!("FDSTOREREMOVE=1\nFDNAME={name}"), None);
        }
    }

    /// Has nothing held any longer.
    pub fn forget_all(&mut self) {
        while let Some(pane) = self.held.keys().next().copied() {
            self.forget(pane);
        }
    }

    fn say(&self, what: &str, descriptor: Option<std::os::fd::BorrowedFd<'_>>) {
        let sent =
            sys::send_with_descriptors(&self.manager, what.as_bytes(), descriptor.as_slice());
        if let Err(error) = sent {
            log::warn!("the service manager was not told {what:?}: {error}");
        }
    }
}

/// How many descriptors the service manager holds for this daemon at most; none where it holds nothing.
pub fn is_there() -> Option<usize> {
    // systemd 254 says so in this variable.
    let room = env::var("FDSTORE").ok()?.parse().ok()?;
    (room > 0 && env::var_os("NOTIFY_SOCKET").is_some()).then_some(room)
}

/// What a pane's descriptors are called. None for a process that was gone before it could be known again.
fn names(pane: &KeptPane) -> Option<[String; PARTS.len()]> {
    let started = pane.started?;
    Some(PARTS.map(|part| format!("pane-{}-{}-{started}-{part}", pane.pane, pane.pid)))
}

/// Which pane a name is of, as its number, its process and when that was started; and which part of it.
fn parse(name: &str) -> Option<((u64, i32, u64), usize)> {
    let mut words = name.strip_prefix("pane-")?.split('-');
    let pane = words.next()?.parse().ok()?;
    let pid = words.next()?.parse().ok()?;
    let started = words.next()?.parse().ok()?;
    let part = words.next()?;
    let part = PARTS.iter().position(|known| *known == part)?;
    words
        .next()
        .is_none()
        .then_some(((pane, pid, started), part))
}

/// Takes the panes out of what a service manager gave.
pub(super) fn take_panes(given: &mut Vec<(String, OwnedFd)>) -> Vec<Kept> {
    let mut panes: BTreeMap<(u64, i32, u64), [Option<OwnedFd>; PARTS.len()]> = BTreeMap::new();
    let mut others = Vec::new();
    for (name, descriptor) in given.drain(..) {
        match parse(&name) {
            Some((pane, part)) => panes.entry(pane).or_default()[part] = Some(descriptor),
            None => others.push((name, descriptor)),
        }
    }
    *given = others;
    panes
        .into_iter()
        .filter_map(|((pane, pid, started), parts)| {
            received(pane, pid, started, parts)
                .inspect_err(|error| log::error!("pane {pane} was not held whole: {error}"))
                .ok()
        })
        .collect()
}

fn received(
    pane: u64,
    pid: i32,
    started: u64,
    [master, slave, area]: [Option<OwnedFd>; PARTS.len()],
) -> io::Result<Kept> {
    let (Some(master), Some(slave)) = (master, slave) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let terminal = File::from(slave.as_fd().try_clone_to_owned()?);
    // Where it was started is not told; where it is now says as much.
    let directory = sys::process_directory(pid);
    let pane = KeptPane {
        pane,
        pid,
        started: Some(started),
        terminal: terminal.metadata()?.rdev(),
        directory: OsText::from(directory.as_deref().unwrap_or(Path::new("/"))),
        exit: None,
    };
    let descriptors = [master, slave].into_iter().chain(area).collect();
    Kept::received(pane, descriptors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(started: Option<u64>) -> KeptPane {
        KeptPane {
            pane: 7,
            pid: 1234,
            started,
            terminal: 0,
            directory: OsText::from(Path::new("/")),
            exit: None,
        }
    }

    #[test]
    fn a_name_says_which_pane_it_is_of() {
        let names = names(&pane(Some(99))).unwrap();
        for (part, name) in names.iter().enumerate() {
            assert_eq!(parse(name), Some(((7, 1234, 99), part)));
            assert!(
                name.len() < 255 && !name.contains(':'),
                "as systemd has them"
            );
        }
        assert_eq!(super::names(&pane(None)), None);
        for other in [
            "protocol",
            "pane-7",
            "pane-7-1-9-tail",
            "pane-7-1-9-area-x",
            "pane-x-1-9-area",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn panes_are_put_together_in_whatever_order_their_parts_come_and_others_are_left() {
        let null = || OwnedFd::from(File::open("/dev/null").unwrap());
        let mut given = vec![
            ("pane-2-20-5-slave".to_owned(), null()),
            ("protocol".to_owned(), null()),
            ("pane-1-10-5-area".to_owned(), null()),
            ("pane-1-10-5-slave".to_owned(), null()),
            ("pane-1-10-5-master".to_owned(), null()),
            ("pane-3-30-5-master".to_owned(), null()),
            ("pane-3-30-5-slave".to_owned(), null()),
        ];
        let panes = take_panes(&mut given);
        let found: Vec<_> = panes
            .iter()
            .map(|kept| (kept.pane.pane, kept.pane.pid, kept.area.is_some()))
            .collect();
        assert_eq!(found, [(1, 10, true), (3, 30, false)], "one had no master");
        assert_eq!(given.len(), 1);
        assert_eq!(given[0].0, "protocol");
    }
}
