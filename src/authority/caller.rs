//! Where a calling process is: in which pane, outside of all, or inside without a place.
//!
//! What counts is what the kernel says about the process, never what the request says.

use crate::sys::{ProcessFacts, StartVariable};
use crate::world::PaneKey;

use super::Token;

/// Where a caller is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In no pane of this daemon: the person, or a program that the person started elsewhere.
    Outside,
    /// In this pane, which may have closed since.
    Pane(PaneKey),
    /// In a command of a plugin, which the person has let in.
    Plugin,
    /// In no pane that can be named, but not surely outside: it has no rights.
    Unplaced,
}

impl Place {
    /// The pane, if it is one.
    pub fn pane(self) -> Option<PaneKey> {
        match self {
            Place::Pane(key) => Some(key),
            Place::Outside | Place::Plugin | Place::Unplaced => None,
        }
    }
}

/// What tells that a process belongs to a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneSide {
    /// The pane.
    pub key: PaneKey,
    /// Its first process, which leads a session of its own.
    pub shell_pid: i32,
    /// When that process started; unknown if it ended before it could be asked.
    pub shell_started: Option<u64>,
    /// Device number of its terminal.
    pub terminal: u64,
    /// What its processes carry in their environment.
    pub token: Token,
}

/// How the algorithm asks for facts about processes.
pub trait Look {
    /// Facts about a process; none if it is gone or hidden.
    fn facts(&mut self, pid: i32) -> Option<ProcessFacts>;

    /// Its [`Token::VARIABLE`].
    fn token(&mut self, pid: i32) -> StartVariable;

    /// Whether this process was among those of [`Look::note_foreign`] before.
    fn is_foreign(&mut self, process: &ProcessFacts) -> bool;

    /// Told that these, which start one another, have nothing of a pane or of the daemon above them up to the
    /// first process of all. It does not change: a process does not move below another, nor into a pane.
    fn note_foreign(&mut self, processes: &[ProcessFacts]);
}

/// Ancestors that are walked. Nothing a person runs nests so deep; a chain that is longer ends in
/// the other questions.
const STEPS: usize = 64;

/// Where `caller` is. `daemon` are the daemon's own processes, `name` what its tokens are named by.
///
/// In this order: an ancestor that is a pane's shell, or that is in its session; a pane's terminal;
/// the token in the environment. A process below the daemon that is in no pane is unplaced: the
/// daemon started it, not the person. That is also where a pane's processes are until the pane is in
/// the world.
pub fn place(
    caller: &ProcessFacts,
    panes: &[PaneSide],
    daemon: &[i32],
    name: &str,
    look: &mut impl Look,
) -> Place {
    let mut at = caller.clone();
    let mut terminal = None;
    let mut below_daemon = false;
    let mut above = Vec::new();
    for _ in 0..STEPS {
        if let Some(pane) = panes.iter().find(|pane| pane.has(&at)) {
            return Place::Pane(pane.key);
        }
        terminal = terminal.or_else(|| at_terminal(panes, &at));
        if daemon.contains(&at.parent) {
            below_daemon = true;
            break;
        }
        // Asked after the panes: one may have come since.
        if at.parent <= 1 || look.is_foreign(&at) {
            if terminal.is_none() {
                look.note_foreign(&above);
            }
            break;
        }
        match look.facts(at.parent) {
            // A parent is older than its children: a younger one has taken over the number.
            Some(parent) if parent.started <= at.started => at = parent,
            _ => break,
        }
        above.push(at.clone());
    }
    if let Some(key) = terminal {
        return Place::Pane(key);
    }
    let token = look.token(caller.pid);
    // Only what is still the caller has answered for it: it may have ended meanwhile, and another
    // process have its number.
    let still = |now: ProcessFacts| now.started == caller.started;
    if !look.facts(caller.pid).is_some_and(still) {
        return Place::Unplaced;
    }
    match token {
        StartVariable::Is(value) => match panes.iter().find(|pane| pane.token.as_str() == value) {
            Some(pane) => Place::Pane(pane.key),
            None if below_daemon || Token::is_of(&value, name) => Place::Unplaced,
            None => Place::Outside,
        },
        StartVariable::Unreadable => Place::Unplaced,
        StartVariable::Absent if below_daemon => Place::Unplaced,
        StartVariable::Absent => Place::Outside,
    }
}

fn at_terminal(panes: &[PaneSide], process: &ProcessFacts) -> Option<PaneKey> {
    let terminal = process.terminal?;
    let pane = panes.iter().find(|pane| pane.terminal == terminal)?;
    Some(pane.key)
}

impl PaneSide {
    /// Whether a process is the pane's shell or in the session that the shell leads. Nobody gets
    /// into a session but by being forked in it, and its number is not given to another process
    /// while it has members.
    pub fn has(&self, process: &ProcessFacts) -> bool {
        is_of_shell(process, self.shell_pid, self.shell_started)
    }
}

/// See [`PaneSide::has`]. A shell that ended before it could be asked when it started has no processes
/// that this could tell: its number may be another's by now.
pub fn is_of_shell(process: &ProcessFacts, shell_pid: i32, shell_started: Option<u64>) -> bool {
    let Some(started) = shell_started else {
        return false;
    };
    if process.pid == shell_pid {
        return process.started == started;
    }
    process.session == shell_pid && process.started >= started
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    const DAEMON: i32 = 100;
    const NAME: &str = "/run/drover.sock";

    /// Processes by number, with their tokens.
    #[derive(Default)]
    struct Machine {
        processes: HashMap<i32, (ProcessFacts, StartVariable)>,
        foreign: Vec<ProcessFacts>,
    }

    impl Look for Machine {
        fn facts(&mut self, pid: i32) -> Option<ProcessFacts> {
            self.processes.get(&pid).map(|(facts, _)| facts.clone())
        }

        fn token(&mut self, pid: i32) -> StartVariable {
            let found = self.processes.get(&pid);
            found.map_or(StartVariable::Unreadable, |(_, token)| token.clone())
        }

        fn is_foreign(&mut self, process: &ProcessFacts) -> bool {
            self.foreign.contains(process)
        }

        fn note_foreign(&mut self, processes: &[ProcessFacts]) {
            self.foreign.extend_from_slice(processes);
        }
    }

    fn process(pid: i32, parent: i32, session: i32) -> ProcessFacts {
        ProcessFacts {
            pid,
            parent,
            group: session,
            session,
            terminal: None,
            started: u64::try_from(pid).unwrap(),
            zombie: false,
            name: "program".to_owned(),
        }
    }

    impl Machine {
        fn with(mut self, facts: ProcessFacts, token: StartVariable) -> Machine {
            self.processes.insert(facts.pid, (facts, token));
            self
        }

        fn place(&mut self, pid: i32) -> Place {
            let caller = self.facts(pid).unwrap();
            place(&caller, &panes(), &[DAEMON], NAME, self)
        }
    }

    fn token(of: u8) -> Token {
        Token::new([of; 16], NAME)
    }

    /// Two panes: shell 201 on terminal 1, shell 202 on terminal 2.
    fn panes() -> Vec<PaneSide> {
        [1_u8, 2]
            .into_iter()
            .map(|number| PaneSide {
                key: PaneKey::new(number.into()),
                shell_pid: 200 + i32::from(number),
                shell_started: Some(200 + u64::from(number)),
                terminal: number.into(),
                token: token(number),
            })
            .collect()
    }

    fn second() -> Place {
        Place::Pane(PaneKey::new(2))
    }

    fn has_token(of: u8) -> StartVariable {
        StartVariable::Is(token(of).as_str().to_owned())
    }

    #[test]
    fn a_shell_and_what_it_runs_are_in_its_pane() {
        let mut machine = Machine::default()
            .with(process(202, DAEMON, 202), StartVariable::Absent)
            .with(process(300, 202, 202), StartVariable::Absent)
            .with(process(301, 300, 202), StartVariable::Absent);
        for pid in [202, 300, 301] {
            assert_eq!(machine.place(pid), second(), "{pid}");
        }
    }

    #[test]
    fn a_session_of_its_own_does_not_leave_the_pane_while_the_parents_live() {
        let mut machine = Machine::default()
            .with(process(202, DAEMON, 202), StartVariable::Absent)
            .with(process(300, 202, 202), StartVariable::Absent)
            .with(process(400, 300, 400), StartVariable::Absent)
            .with(process(401, 400, 400), StartVariable::Absent);
        assert_eq!(machine.place(401), second());
    }

    #[test]
    fn one_that_was_given_to_init_is_known_by_its_session_its_terminal_or_its_token() {
        let mut in_session = process(300, 1, 202);
        in_session.terminal = None;
        let mut at_terminal = process(301, 1, 301);
        at_terminal.terminal = Some(2);
        let mut machine = Machine::default()
            .with(in_session, StartVariable::Absent)
            .with(at_terminal, StartVariable::Absent)
            .with(process(302, 1, 302), has_token(2));
        for pid in [300, 301, 302] {
            assert_eq!(machine.place(pid), second(), "{pid}");
        }
    }

    #[test]
    fn whoever_has_nothing_of_a_pane_is_outside() {
        let foreign = StartVariable::Is("0@/run/another.sock".to_owned());
        let mut machine = Machine::default()
            .with(process(50, 1, 50), StartVariable::Absent)
            .with(process(300, 50, 50), StartVariable::Absent)
            .with(process(301, 50, 50), foreign);
        for pid in [300, 301] {
            assert_eq!(machine.place(pid), Place::Outside, "{pid}");
        }
    }

    #[test]
    fn what_is_above_a_foreign_process_is_not_asked_about_again() {
        let mut machine = Machine::default()
            .with(process(50, 1, 50), StartVariable::Absent)
            .with(process(60, 50, 50), StartVariable::Absent)
            .with(process(300, 60, 50), StartVariable::Absent)
            .with(process(301, 60, 301), has_token(2));
        let mut at_terminal = process(302, 60, 302);
        at_terminal.terminal = Some(2);
        machine = machine.with(at_terminal, StartVariable::Absent);
        // Who is at a pane's terminal says nothing of those above it.
        assert_eq!(machine.place(302), second());
        assert_eq!(machine.foreign, []);
        assert_eq!(machine.place(300), Place::Outside);
        assert_eq!(machine.foreign, [process(60, 50, 50), process(50, 1, 50)]);
        // Nor above what is below it.
        machine = machine
            .with(process(70, 60, 70), StartVariable::Absent)
            .with(process(303, 70, 70), StartVariable::Absent);
        assert_eq!(machine.place(303), Place::Outside);
        assert!(machine.foreign.contains(&process(70, 60, 70)));
        // What it has itself still counts, and another process with the number of one above is another.
        machine.processes.remove(&50);
        assert_eq!(machine.place(300), Place::Outside);
        assert_eq!(machine.place(301), second());
        assert_eq!(machine.place(302), second());
        let other = ProcessFacts {
            started: 250,
            ..process(60, 202, 202)
        };
        machine = machine.with(other, StartVariable::Absent);
        assert_eq!(machine.place(300), second());
    }

    #[test]
    fn what_cannot_be_read_or_belongs_to_a_closed_pane_or_to_the_daemon_is_unplaced() {
        let mut machine = Machine::default()
            .with(process(50, 1, 50), StartVariable::Absent)
            .with(process(300, 50, 50), StartVariable::Unreadable)
            .with(process(301, 1, 301), has_token(9))
            .with(process(302, DAEMON, 302), StartVariable::Absent)
            .with(process(303, DAEMON, 303), has_token(9));
        for pid in [300, 301, 302, 303] {
            assert_eq!(machine.place(pid), Place::Unplaced, "{pid}");
        }
    }

    #[test]
    fn whose_shell_has_no_known_start_is_known_by_the_terminal_or_the_token_only() {
        let mut panes = panes();
        panes[1].shell_started = None;
        let at_terminal = ProcessFacts {
            terminal: Some(2),
            ..process(301, 50, 202)
        };
        let mut machine = Machine::default()
            .with(process(50, 1, 50), StartVariable::Absent)
            .with(process(202, 50, 202), StartVariable::Absent)
            .with(process(300, 202, 202), StartVariable::Absent)
            .with(at_terminal, StartVariable::Absent)
            .with(process(302, 50, 202), has_token(2));
        let mut placed = |pid| {
            let caller = machine.facts(pid).unwrap();
            place(&caller, &panes, &[DAEMON], NAME, &mut machine)
        };
        for pid in [202, 300] {
            assert_eq!(placed(pid), Place::Outside, "{pid}");
        }
        for pid in [301, 302] {
            assert_eq!(placed(pid), second(), "{pid}");
        }
    }

    #[test]
    fn what_a_process_carries_that_has_taken_over_the_callers_number_says_nothing() {
        for token in [has_token(2), StartVariable::Absent] {
            let ended = process(300, 1, 300);
            let mut other = ended.clone();
            other.started += 1;
            let mut machine = Machine::default().with(other, token);
            let placed = place(&ended, &panes(), &[DAEMON], NAME, &mut machine);
            assert_eq!(placed, Place::Unplaced);
        }
    }

    #[test]
    fn below_either_process_of_the_daemon_nobody_is_outside() {
        const KEEPER: i32 = 90;
        let mut machine = Machine::default()
            .with(process(50, 1, 50), StartVariable::Absent)
            .with(process(KEEPER, 50, 50), StartVariable::Absent)
            .with(process(DAEMON, KEEPER, 50), StartVariable::Absent)
            // A pane's first process, whose pane is not in the world yet, and one that it has started.
            .with(process(400, KEEPER, 400), StartVariable::Absent)
            .with(process(401, 400, 400), StartVariable::Absent)
            .with(process(402, DAEMON, 402), StartVariable::Absent)
            .with(process(403, DAEMON, 403), has_token(2));
        let mut placed = |pid| {
            let caller = machine.facts(pid).unwrap();
            let daemon = [DAEMON, KEEPER];
            place(&caller, &panes(), &daemon, NAME, &mut machine)
        };
        for pid in [400, 401, 402] {
            assert_eq!(placed(pid), Place::Unplaced, "{pid}");
        }
        assert_eq!(placed(403), second(), "a token names its pane there too");
    }

    #[test]
    fn a_number_that_another_process_has_taken_over_leads_nowhere() {
        // The shell's number, but a process that began later.
        let mut taken = process(202, 50, 202);
        taken.started = 900;
        // A child whose parent's number belongs to a younger process by now.
        let mut orphan = process(300, 202, 50);
        orphan.started = 250;
        let mut machine = Machine::default()
            .with(process(50, 1, 50), StartVariable::Absent)
            .with(taken, StartVariable::Absent)
            .with(orphan, StartVariable::Absent);
        assert_eq!(machine.place(202), Place::Outside);
        assert_eq!(machine.place(300), Place::Outside);
        // Older than the shell, with its session: the session is another one of the same number.
        let mut older = process(301, 50, 202);
        older.started = 10;
        let mut machine = Machine::default().with(older, StartVariable::Absent);
        assert_eq!(machine.place(301), Place::Outside);
    }

    #[test]
    fn the_daemon_itself_is_outside_and_a_circle_of_parents_ends() {
        let mut machine = Machine::default().with(process(DAEMON, 1, 50), StartVariable::Absent);
        assert_eq!(machine.place(DAEMON), Place::Outside);
        let mut circle = Machine::default();
        for (pid, parent) in [(300, 301), (301, 300)] {
            let mut facts = process(pid, parent, 50);
            facts.started = 300;
            circle = circle.with(facts, StartVariable::Absent);
        }
        assert_eq!(circle.place(300), Place::Outside);
    }

    proptest! {
        /// Whatever a process does with sessions, forks and orphans: as long as it keeps its
        /// environment it stays in its pane.
        #[test]
        fn no_sequence_of_forks_and_new_sessions_leaves_the_pane(
            steps in prop::collection::vec((any::<bool>(), any::<bool>()), 1..100),
        ) {
            let mut machine = Machine::default().with(process(202, DAEMON, 202), has_token(2));
            let (mut last, mut session) = (202, 202);
            for (index, (new_session, orphaned)) in steps.into_iter().enumerate() {
                let pid = 300 + i32::try_from(index).unwrap();
                session = if new_session { pid } else { session };
                let parent = if orphaned { 1 } else { last };
                machine = machine.with(process(pid, parent, session), has_token(2));
                last = pid;
            }
            prop_assert_eq!(machine.place(last), second());
        }
    }
}
