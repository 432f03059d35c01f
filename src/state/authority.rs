//! Who calls and what they hold: the facts that the decision is made on.
//!
//! The facts are asked of the system, the grants lie with the panes; the decision itself is
//! [`crate::authority`]'s.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::authority::{
    Audit, Event, Grant, Grants, InForce, Kind, Look, PaneSide, Place, Record, Standing, Token,
    TypingTarget, Whose, is_of_shell, place,
};
use crate::config::{self, PaneAuthority, ReportAuthority};
use crate::sync::lock;
use crate::sys::{self, ProcessFacts, StartVariable, Wake};
use crate::world::PaneKey;

use super::{Live, Shared};

/// Processes whose place is remembered. Only those that call again profit; a daemon has a handful.
const PLACES_LIMIT: usize = 1024;

/// Panes between a pane and the one that is behind it all. Longer chains of panes that start panes
/// are nobody's fan group.
const GENERATIONS: usize = 64;

/// A calling process as it was when its connection was accepted.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Its number; none if the kernel cannot name it.
    pub pid: Option<i32>,
    /// What the kernel said about it; none if it was gone by then.
    pub facts: Option<ProcessFacts>,
}

/// What the daemon knows of callers. Each lock is innermost: nothing else is locked under it.
#[derive(Debug, Default)]
pub(super) struct Authority {
    in_force: Mutex<InForce>,
    /// Where processes are, by number and start. A process does not move from pane to pane, so this
    /// stays true until the number belongs to another.
    places: Mutex<HashMap<i32, (u64, Place)>>,
    audit: Mutex<Audit>,
    /// Who waits for the next record.
    followers: Mutex<Vec<Weak<Wake>>>,
}

impl Authority {
    pub(super) fn new(configured: &config::Authority) -> Authority {
        Authority {
            in_force: Mutex::new(in_force(configured)),
            ..Authority::default()
        }
    }

    /// Takes what the configuration narrows; what it widens waits for a restart or the person.
    pub(super) fn narrow(&self, configured: &config::Authority) {
        let configured = in_force(configured);
        let mut current = lock(&self.in_force);
        *current = current.narrowed(configured);
        let waits = *current != configured;
        drop(current);
        if waits {
            log::info!(
                "[authority] gives more than before; that waits for a restart or for \
                 `drover grants set default configured`"
            );
        }
    }
}

fn in_force(configured: &config::Authority) -> InForce {
    let listed = configured.grants.chosen();
    InForce {
        default: match configured.panes {
            PaneAuthority::Open => Grants::of(&[Grant::Admin]),
            PaneAuthority::Strict => {
                let listed: Vec<Grant> = Grant::ALL
                    .into_iter()
                    .filter(|grant| listed.contains(&grant.word()))
                    .collect();
                Grants::of(&listed)
            }
        },
        reports_of_all: configured.reports == ReportAuthority::Any,
        root: configured.root,
    }
}

/// Asks the system.
struct System;

impl Look for System {
    fn facts(&mut self, pid: i32) -> Option<ProcessFacts> {
        sys::process_facts(pid)
    }

    fn token(&mut self, pid: i32) -> StartVariable {
        sys::start_variable(pid, Token::VARIABLE)
    }
}

impl Shared {
    /// The settings that count now.
    pub fn in_force(&self) -> InForce {
        *lock(&self.authority.in_force)
    }

    /// What the configuration says, whether or not it counts yet.
    pub fn configured_authority(&self) -> InForce {
        in_force(&self.config().authority)
    }

    /// Lets what the configuration says count, also where it gives more: for the person only.
    pub fn apply_configured_authority(&self) {
        *lock(&self.authority.in_force) = self.configured_authority();
    }

    /// Lets panes that were given nothing else hold this, until the restart: for the person only.
    pub fn set_default_grants(&self, grants: Grants) {
        lock(&self.authority.in_force).default = grants;
    }

    /// Where a caller is. Reads files of the system unless the caller is in a pane's own session or
    /// was asked about before; never under the world's lock.
    pub fn place(&self, caller: &Caller) -> Place {
        let Some(facts) = &caller.facts else {
            return Place::Unplaced;
        };
        if let Some((started, place)) = lock(&self.authority.places).get(&facts.pid)
            && *started == facts.started
        {
            return *place;
        }
        // Nearly every hook is here: no more than comparing two numbers for each pane.
        if let Some(key) = self.look().pane_of_session(facts) {
            return Place::Pane(key);
        }
        let sides = self.look().pane_sides();
        let daemon = [std::process::id() as i32];
        let found = place(facts, &sides, &daemon, &self.token_name(), &mut System);
        // What is not known may be known the next time.
        if found != Place::Unplaced {
            self.remember(facts, found);
        }
        found
    }

    fn remember(&self, facts: &ProcessFacts, place: Place) {
        let mut places = lock(&self.authority.places);
        if places.len() >= PLACES_LIMIT {
            let known: Vec<(i32, u64)> = places
                .iter()
                .map(|(pid, (start, _))| (*pid, *start))
                .collect();
            drop(places);
            let ended: Vec<i32> = known
                .into_iter()
                .filter(|(pid, start)| {
                    sys::process_facts(*pid).is_none_or(|now| now.started != *start)
                })
                .map(|(pid, _)| pid)
                .collect();
            places = lock(&self.authority.places);
            places.retain(|pid, _| !ended.contains(pid));
            if places.len() >= PLACES_LIMIT {
                places.clear();
            }
        }
        places.insert(facts.pid, (facts.started, place));
    }

    /// What this daemon's tokens are named by.
    fn token_name(&self) -> String {
        self.identity.protocol_socket.to_string_lossy().into_owned()
    }

    /// A token for a new pane.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub(super) fn new_token(&self) -> std::io::Result<Token> {
        Ok(Token::new(sys::random_bytes()?, &self.token_name()))
    }

    /// A caller at this place, as far as decisions go.
    pub fn standing(&self, place: Place) -> Standing {
        let in_force = self.in_force();
        let live = self.look();
        live.standing(place, &in_force)
    }

    /// Keeps what a caller did or was refused, and tells who follows.
    pub fn keep_access(&self, event: Event) {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        if !lock(&self.authority.audit).keep(event, now) {
            return;
        }
        let mut followers = lock(&self.authority.followers);
        followers.retain(|follower| follower.strong_count() > 0);
        let wakes: Vec<Arc<Wake>> = followers.iter().filter_map(Weak::upgrade).collect();
        drop(followers);
        for wake in wakes {
            wake.notify();
        }
    }

    /// Kept records after the one with this number, oldest first, at most `limit` of the latest.
    pub fn access_records(&self, after: u64, limit: usize) -> Vec<Record> {
        let audit = lock(&self.authority.audit);
        let count = audit.after(after).count();
        let skipped = count.saturating_sub(limit);
        audit.after(after).skip(skipped).cloned().collect()
    }

    /// Notifies `wake` at every new record for as long as somebody else holds it.
    pub fn follow_access(&self, wake: &Arc<Wake>) {
        lock(&self.authority.followers).push(Arc::downgrade(wake));
    }

    /// For whoever has to find the daemon's state again later without keeping it alive.
    pub fn handle(&self) -> Weak<Shared> {
        self.this.clone()
    }
}

impl Live {
    /// The pane whose session a process is in.
    fn pane_of_session(&self, facts: &ProcessFacts) -> Option<PaneKey> {
        let mut panes = self.panes.iter();
        let found = panes.find(|(_, entry)| {
            let pane = &entry.runtime.pane;
            is_of_shell(facts, pane.shell_pid(), pane.shell_started())
        });
        found.map(|(key, _)| *key)
    }

    fn pane_sides(&self) -> Vec<PaneSide> {
        self.panes
            .iter()
            .map(|(key, entry)| PaneSide {
                key: *key,
                shell_pid: entry.runtime.pane.shell_pid(),
                shell_started: entry.runtime.pane.shell_started(),
                terminal: entry.runtime.pane.terminal(),
                token: entry.rights.token.clone(),
            })
            .collect()
    }

    /// A caller at this place, as far as decisions go. A pane that is gone holds nothing.
    pub fn standing(&self, place: Place, in_force: &InForce) -> Standing {
        let held = place.pane().and_then(|key| self.panes.get(&key));
        Standing {
            place,
            grants: held.map_or(Grants::NONE, |entry| entry.rights.grants(in_force)),
            reports_of_all: in_force.reports_of_all,
        }
    }

    /// Gives a pane grants, or lets it follow the default again; false if there is no such pane.
    pub fn give(&mut self, key: PaneKey, grants: Option<Grants>) -> bool {
        let Some(entry) = self.panes.get_mut(&key) else {
            return false;
        };
        entry.rights.given = grants;
        true
    }

    /// Notes that a process in pane `by` has started an agent in this pane.
    pub fn note_started(&mut self, key: PaneKey, by: PaneKey) {
        if let Some(entry) = self.panes.get_mut(&key)
            && key != by
        {
            entry.rights.started_by = Some(by);
        }
    }

    /// Whose a pane is, seen from a caller.
    pub fn whose(&self, caller: Place, key: PaneKey) -> Whose {
        let Some(own) = caller.pane() else {
            return Whose::Other;
        };
        if key == own {
            return Whose::Own;
        }
        let rights = |key: PaneKey| self.panes.get(&key).map(|entry| &entry.rights);
        if rights(key).is_some_and(|rights| rights.created_by == Some(own)) {
            return Whose::Created;
        }
        let creator =
            |key: PaneKey| rights(key).and_then(|rights| rights.started_by.or(rights.created_by));
        let mut at = creator(key);
        // A group is what one pane started, and what that started: the caller is behind it, or
        // beside it.
        let behind_caller = creator(own);
        for _ in 0..GENERATIONS {
            match at {
                None => break,
                Some(key) if key == own || behind_caller == Some(key) => return Whose::Group,
                Some(key) => at = creator(key),
            }
        }
        Whose::Other
    }

    /// Whose the thing is that a caller names. The answer is the same for another's and for what
    /// does not exist.
    pub fn whose_named(&self, caller: Place, kind: Kind, text: &str) -> Whose {
        if caller.pane().is_none() {
            return Whose::Other;
        }
        let named = match kind {
            Kind::Pane => self.world.find_pane(text),
            Kind::Agent => self.world.find_canonical_pane(text).or_else(|| {
                let has_name = |key: &PaneKey| {
                    self.panes
                        .get(key)
                        .is_some_and(|entry| entry.agent.view().name == Some(text))
                };
                let mut keys = self.panes.keys().copied();
                keys.find(|key| self.whose(caller, *key) != Whose::Other && has_name(key))
            }),
            Kind::Tab | Kind::Workspace | Kind::Plugin => None,
        };
        named.map_or(Whose::Other, |key| self.whose(caller, key))
    }

    /// What counts about a pane that is to be typed into; none if it is gone.
    pub fn typing_target(&self, key: PaneKey, in_force: &InForce) -> Option<TypingTarget> {
        let entry = self.panes.get(&key)?;
        Some(TypingTarget {
            grants: entry.rights.grants(in_force),
            waits: entry.agent.view().status == crate::agent::Status::Blocked,
        })
    }
}
