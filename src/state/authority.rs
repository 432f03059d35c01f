//! Who calls and what they hold: the facts that the decision is made on.
//!
//! The facts are asked of the system, the grants lie with the panes; the decision itself is
//! [`crate::authority`]'s.

use std::collections::HashMap;
use std::sync::{Mutex, Weak};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::authority::{
    Audit, Grant, Grants, InForce, Kind, Look, PaneRights, PaneSide, Place, Standing, Token,
    TypingTarget, Whose, is_of_shell, place,
};
use crate::config::{self, PaneAuthority, ReportAuthority};
use crate::store::Key;
use crate::sync::lock;
use crate::sys::{self, ProcessFacts, StartVariable, Wake};
use crate::world::PaneKey;

use super::{Live, Shared};

/// Processes whose place is remembered. Only those that call again profit; a daemon has a handful.
const PLACES_LIMIT: usize = 1024;

/// How long a call waits for panes that are being started. Starting one takes milliseconds; a call
/// that waits longer is answered as one that comes from nowhere.
const STARTS_TIME: Duration = Duration::from_secs(2);

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
    /// It is root's where the daemon is not (`[authority] root`), which may look at no environment
    /// of root's.
    pub is_roots: bool,
}

/// What the daemon knows of callers. Each lock is innermost: nothing else is locked under it but the
/// store's queue.
#[derive(Debug, Default)]
pub(super) struct Authority {
    in_force: Mutex<InForce>,
    /// Where processes are, by number and start. A process does not move from pane to pane, so this
    /// stays true until the number belongs to another.
    places: Mutex<HashMap<i32, (u64, Place)>>,
    /// Processes that have nothing of a pane above them, by number, with their start: what a person's hooks are run
    /// by again and again. See [`Look::note_foreign`].
    foreign: Mutex<HashMap<i32, u64>>,
    pub(super) audit: Mutex<Audit>,
    /// Who waits for the next record.
    pub(super) followers: Mutex<Vec<Weak<Wake>>>,
}

impl Authority {
    pub(super) fn new(configured: &config::Authority) -> Authority {
        Authority {
            in_force: Mutex::new(in_force(configured)),
            ..Authority::default()
        }
    }
}

/// The settings that count, as they are saved for a worker that takes over: a crash of this one must
/// not let count what waits for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct SavedInForce {
    now: InForce,
    /// What the configuration said then.
    configured: InForce,
}

/// Its row.
fn in_force_key() -> Key {
    Key::Record(IN_FORCE_KIND, "now".to_owned())
}

const IN_FORCE_KIND: &str = "authority";

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
struct System<'a> {
    authority: &'a Authority,
    /// See [`Caller::is_roots`].
    is_roots: bool,
}

impl Look for System<'_> {
    fn facts(&mut self, pid: i32) -> Option<ProcessFacts> {
        sys::process_facts(pid)
    }

    fn token(&mut self, pid: i32) -> StartVariable {
        if self.is_roots {
            // It was let in on purpose. Where it comes from, its ancestors have to tell.
            return StartVariable::Absent;
        }
        sys::start_variable(pid, Token::VARIABLE)
    }

    fn is_foreign(&mut self, process: &ProcessFacts) -> bool {
        lock(&self.authority.foreign).get(&process.pid) == Some(&process.started)
    }

    fn note_foreign(&mut self, processes: &[ProcessFacts]) {
        let mut foreign = lock(&self.authority.foreign);
        if foreign.len() + processes.len() > PLACES_LIMIT {
            foreign.clear();
        }
        foreign.extend(
            processes
                .iter()
                .map(|process| (process.pid, process.started)),
        );
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
        let configured = self.configured_authority();
        self.set_in_force(configured, |_| configured);
    }

    /// Lets panes that were given nothing else hold this, until the restart: for the person only.
    pub fn set_default_grants(&self, grants: Grants) {
        let configured = self.configured_authority();
        self.set_in_force(configured, |now| InForce {
            default: grants,
            ..now
        });
    }

    /// Takes what the configuration narrows; what it widens waits for a restart or the person.
    pub(super) fn narrow_authority(&self, configured: &config::Authority) {
        let configured = in_force(configured);
        let now = self.set_in_force(configured, |now| now.narrowed(configured));
        if now != configured {
            log::info!(
                "[authority] gives more than before; that waits for a restart or for \
                 `drover grants set default configured`"
            );
        }
    }

    /// Lets what counted for the worker before this one count again, if there was one, less what the
    /// configuration has taken since. To be called once, before anybody is served.
    pub fn restore_authority(&self, takes_over: bool) {
        let rows = match takes_over {
            true => self.store.records(IN_FORCE_KIND),
            false => Ok(Vec::new()),
        };
        let rows = rows.unwrap_or_else(|error| {
            log::error!("what panes may do counts as configured: {error}");
            Vec::new()
        });
        let saved = rows
            .first()
            .and_then(|(_, body)| serde_json::from_str::<SavedInForce>(body).ok());
        let configured = self.configured_authority();
        self.set_in_force(configured, |now| match saved {
            Some(saved) if saved.configured == configured => saved.now,
            Some(saved) => saved.now.narrowed(configured),
            None => now,
        });
        // It has to be there when this worker dies, however soon that is.
        self.commit();
    }

    /// Changes what counts, and saves it; what counts now.
    fn set_in_force(
        &self,
        configured: InForce,
        change: impl FnOnce(InForce) -> InForce,
    ) -> InForce {
        let mut in_force = lock(&self.authority.in_force);
        let now = change(*in_force);
        *in_force = now;
        // Under the lock, so that the last one is the one that is saved.
        match serde_json::to_string(&SavedInForce { now, configured }) {
            Ok(body) => {
                self.store.put(in_force_key(), Some(body));
            }
            // Words and flags: there is nothing in it that JSON cannot say.
            Err(error) => log::error!("what panes may do cannot be saved: {error}"),
        }
        now
    }

    /// Where a caller is. Reads files of the system unless the caller is in a pane's own session or
    /// was asked about before, and waits for its pane if that is only being started: never under the
    /// world's lock.
    pub fn place(&self, caller: &Caller) -> Place {
        let Some(facts) = &caller.facts else {
            return Place::Unplaced;
        };
        let seen = self.starts.seen();
        let place = self.place_now(facts, caller.is_roots);
        match seen {
            Some(seen) if place == Place::Unplaced => {
                self.starts.wait(seen, Instant::now() + STARTS_TIME);
                self.place_now(facts, caller.is_roots)
            }
            _ => place,
        }
    }

    fn place_now(&self, facts: &ProcessFacts, is_roots: bool) -> Place {
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
        let daemon = [std::process::id().cast_signed(), self.terminals.parent()];
        let found = place(
            facts,
            &sides,
            &daemon,
            &self.token_name(),
            &mut System {
                authority: &self.authority,
                is_roots,
            },
        );
        // A command is one of a plugin's only as long as it runs, so that is not remembered.
        if found == Place::Unplaced && self.is_of_plugin(facts) {
            return Place::Plugin;
        }
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
        let grants = match place {
            Place::Plugin => Grants::of(&[Grant::Admin]),
            _ => held.map_or(Grants::NONE, |entry| entry.rights.grants(in_force)),
        };
        Standing {
            place,
            grants,
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
        let creator = |key: PaneKey| match rights(key) {
            Some(rights) => rights.maker(),
            None => self.lineage.get(&key).copied(),
        };
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

    /// Remembers who was behind panes that are gone, as far as it tells of those that are there.
    pub(super) fn keep_lineage(&mut self, gone: &[(PaneKey, PaneRights)]) {
        let made = gone.iter();
        self.lineage
            .extend(made.filter_map(|(key, rights)| Some((*key, rights.maker()?))));
        if self.lineage.is_empty() {
            return;
        }
        // The distance to the nearest pane that is there.
        let mut near: HashMap<PaneKey, usize> = HashMap::new();
        for (_, entry) in self.panes.iter() {
            let mut at = entry.rights.maker();
            for distance in 0..GENERATIONS {
                let Some((key, maker)) = at.and_then(|key| Some((key, *self.lineage.get(&key)?)))
                else {
                    break;
                };
                if near.get(&key).is_some_and(|known| *known <= distance) {
                    break;
                }
                near.insert(key, distance);
                at = Some(maker);
            }
        }
        self.lineage.retain(|key, _| near.contains_key(key));
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
