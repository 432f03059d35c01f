//! The SSH agent of whoever came last, at a path that stays (herdr 0.9.3, `server.ssh_agent.register`).
//!
//! A pane outlives the login that it was started from, and with it the agent of that login. So panes are given the path
//! of a link, and the link follows the clients that lend theirs: the latest one that is still there counts, and with
//! none of them the agent that the daemon itself was started with.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::sync::lock;

/// The variable that names an agent's socket.
pub const VARIABLE: &str = "SSH_AUTH_SOCK";

/// Links that are followed from one path at most; the kernel follows as many.
const LINKS: usize = 40;

/// Whose agents there are, and the link to the one that counts.
#[derive(Debug)]
pub struct SshAgents {
    link: PathBuf,
    /// The one that the daemon was started with.
    own: Option<PathBuf>,
    /// Innermost.
    leases: Mutex<Leases>,
    /// Held while the link is changed, so that the newest change is the last; before `leases`, after no other lock.
    /// True once the link is no longer ours to change.
    placing: Mutex<bool>,
}

#[derive(Debug, Default)]
struct Leases {
    /// The number of the next one.
    next: u64,
    /// In the order of their coming.
    held: Vec<(u64, PathBuf)>,
}

impl SshAgents {
    /// Takes over the link, which the daemon before may have left, and points it at `own`: the agent that this one was
    /// started with.
    ///
    /// # Errors
    /// The link cannot be made, or not be removed where there is no agent.
    pub fn new(link: PathBuf, own: Option<OsString>) -> io::Result<Arc<SshAgents>> {
        let own = own
            .map(PathBuf::from)
            .filter(|path| path.is_absolute() && !leads_through(path, &link));
        let agents = SshAgents {
            link,
            own,
            leases: Mutex::default(),
            placing: Mutex::default(),
        };
        agents.place(&lock(&agents.placing))?;
        Ok(Arc::new(agents))
    }

    /// What a new pane is told to use. None while nobody has an agent: a shell that finds none may start its own.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.current().map(|_| self.link.as_path())
    }

    /// Has panes use the agent at `socket` for as long as the lease lives, or until a later one comes. The path must
    /// have no links in it, or it could lead back here.
    ///
    /// # Errors
    /// The link cannot be changed; then nothing has.
    pub fn lend(self: &Arc<Self>, socket: PathBuf) -> io::Result<Lease> {
        let placing = lock(&self.placing);
        let number = {
            let mut leases = lock(&self.leases);
            leases.next += 1;
            let number = leases.next;
            leases.held.push((number, socket));
            number
        };
        let placed = self.place(&placing);
        if let Err(error) = placed {
            lock(&self.leases).held.retain(|held| held.0 != number);
            return Err(error);
        }
        Ok(Lease {
            agents: Arc::clone(self),
            number,
        })
    }

    /// Leaves the link as it is to the process that goes on with the panes.
    pub fn leave(&self) {
        *lock(&self.placing) = true;
    }

    /// Takes the link away: the panes end.
    pub fn close(&self) {
        let mut closed = lock(&self.placing);
        if !*closed {
            *closed = true;
            let _ = fs::remove_file(&self.link);
        }
    }

    fn current(&self) -> Option<PathBuf> {
        let leases = lock(&self.leases);
        let latest = leases.held.last().map(|(_, socket)| socket);
        latest.or(self.own.as_ref()).cloned()
    }

    /// Points the link at the agent that counts now, in one step; without one there is no link.
    fn place(&self, closed: &bool) -> io::Result<()> {
        if *closed {
            return Ok(());
        }
        let Some(socket) = self.current() else {
            return match fs::remove_file(&self.link) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        if fs::read_link(&self.link).is_ok_and(|now| now == socket) {
            return Ok(());
        }
        let mut fresh = self.link.as_os_str().to_owned();
        fresh.push(".new");
        // Only this process makes it, one at a time; a killed one may have left it.
        let _ = fs::remove_file(&fresh);
        symlink(socket, &fresh)?;
        fs::rename(&fresh, &self.link).inspect_err(|_| {
            let _ = fs::remove_file(&fresh);
        })
    }
}

/// A client's agent, lent until this drops.
#[derive(Debug)]
pub struct Lease {
    agents: Arc<SshAgents>,
    number: u64,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let placing = lock(&self.agents.placing);
        lock(&self.agents.leases)
            .held
            .retain(|held| held.0 != self.number);
        if let Err(error) = self.agents.place(&placing) {
            let link = self.agents.link.display();
            log::warn!("{link} still leads to the SSH agent of a client that has gone: {error}");
        }
    }
}

/// Whether a path is the link, or comes to it by links: a daemon may be started in a pane of the one before.
fn leads_through(path: &Path, link: &Path) -> bool {
    let place = |path: &Path| {
        let folder = fs::canonicalize(path.parent()?).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let link = place(link);
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        if link.is_some() && place(&at) == link {
            return true;
        }
        match fs::read_link(&at) {
            Ok(next) => at = at.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return false,
        }
    }
    // A circle leads to no agent either.
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Place {
        directory: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Place {
            Place {
                directory: tempfile::tempdir().unwrap(),
            }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.directory.path().join(name)
        }

        fn agents(&self, own: Option<&str>) -> Arc<SshAgents> {
            let own = own.map(|name| self.path(name).into_os_string());
            SshAgents::new(self.path("link"), own).unwrap()
        }

        /// Where the link leads.
        fn leads(&self) -> Option<String> {
            let to = fs::read_link(self.path("link")).ok()?;
            Some(to.file_name()?.to_str()?.to_owned())
        }
    }

    #[test]
    fn the_latest_that_is_still_there_counts() {
        let place = Place::new();
        let agents = place.agents(Some("own"));
        assert_eq!(place.leads().as_deref(), Some("own"));
        let first = agents.lend(place.path("first")).unwrap();
        let second = agents.lend(place.path("second")).unwrap();
        assert_eq!(place.leads().as_deref(), Some("second"));
        drop(first);
        assert_eq!(place.leads().as_deref(), Some("second"));
        let third = agents.lend(place.path("third")).unwrap();
        drop(third);
        assert_eq!(place.leads().as_deref(), Some("second"));
        drop(second);
        assert_eq!(place.leads().as_deref(), Some("own"));
    }

    #[test]
    fn without_any_there_is_no_link_and_no_path() {
        let place = Place::new();
        symlink("left", place.path("link")).unwrap();
        let agents = place.agents(None);
        assert_eq!((place.leads(), agents.path()), (None, None));
        let lease = agents.lend(place.path("one")).unwrap();
        assert_eq!(agents.path(), Some(place.path("link").as_path()));
        drop(lease);
        assert_eq!((place.leads(), agents.path()), (None, None));
    }

    #[test]
    fn what_is_left_to_another_process_is_not_touched_any_more() {
        let place = Place::new();
        let agents = place.agents(None);
        let lease = agents.lend(place.path("one")).unwrap();
        agents.leave();
        drop(lease);
        assert_eq!(place.leads().as_deref(), Some("one"));
        agents.close();
        assert_eq!(place.leads().as_deref(), Some("one"));
        let next = place.agents(None);
        let _lease = next.lend(place.path("two")).unwrap();
        next.close();
        assert_eq!(place.leads(), None);
    }

    #[test]
    fn the_daemons_own_agent_is_never_the_link_itself() {
        let place = Place::new();
        symlink(place.path("link"), place.path("by-way")).unwrap();
        symlink(place.path("circle"), place.path("circle")).unwrap();
        for own in ["link", "by-way", "circle"] {
            assert_eq!(place.agents(Some(own)).path(), None, "{own}");
        }
        symlink(place.path("elsewhere"), place.path("of-the-person")).unwrap();
        let agents = place.agents(Some("of-the-person"));
        assert!(agents.path().is_some());
        assert_eq!(place.leads().as_deref(), Some("of-the-person"));
        let relative = SshAgents::new(place.path("link"), Some("agent".into())).unwrap();
        assert_eq!(relative.path(), None);
    }

    #[test]
    fn a_lease_that_cannot_be_placed_is_none() {
        let place = Place::new();
        let agents = place.agents(None);
        fs::create_dir_all(place.path("link/in the way")).unwrap();
        assert!(agents.lend(place.path("one")).is_err());
        assert_eq!(agents.path(), None);
    }

    proptest! {
        #[test]
        fn the_link_leads_to_the_youngest_lease_whatever_comes_and_goes(steps in prop::collection::vec(0..6_usize, 1..30)) {
            let place = Place::new();
            let agents = place.agents(None);
            let mut held: Vec<(String, Lease)> = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                if step < held.len() {
                    held.remove(step);
                } else {
                    let name = format!("agent-{number}");
                    let lease = agents.lend(place.path(&name)).unwrap();
                    held.push((name, lease));
                }
                let youngest = held.last().map(|(name, _)| name.clone());
                prop_assert_eq!(place.leads(), youngest);
            }
        }
    }
}
